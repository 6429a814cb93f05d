"""A function or a method of xarray replaced by one that knows units, once, wherever it stands."""

import sys
from collections.abc import Callable
from typing import Any

Making = Callable[[Any], Any]


def replace(home: Any, name: str, making: Making) -> None:
    """A function of a module, wherever it was imported to."""
    original = getattr(home, name)
    if hasattr(original, "_knows_units"):
        return
    made = making(original)
    made._knows_units = True
    modules = [m for key, m in sys.modules.items() if key.split(".")[0] == "xarray"]
    for module in modules:
        if vars(module).get(name) is original:
            setattr(module, name, made)


def replace_method(kind: type, name: str, making: Making) -> None:
    """A method of a class."""
    original = getattr(kind, name)
    if not hasattr(original, "_knows_units"):
        made = making(original)
        made._knows_units = True
        setattr(kind, name, made)
