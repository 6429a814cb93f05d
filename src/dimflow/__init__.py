"""dimflow: tensors that know their physics.

Names arrive when they are first used: importing dimflow imports nothing else.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dimflow import constants, errors, units
    from dimflow.units import Dimension, Unit

__all__ = ["Dimension", "Unit", "__version__", "constants", "errors", "units"]

_MODULES = {"constants", "errors", "units"}
_NAMES = {"Dimension": "dimflow.units", "Unit": "dimflow.units"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value: Any = import_module(f"dimflow.{name}")
    elif name in _NAMES:
        value = getattr(import_module(_NAMES[name]), name)
    elif name == "__version__":
        from importlib.metadata import version

        value = version("dimflow")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
