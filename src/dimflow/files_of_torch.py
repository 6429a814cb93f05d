"""`torch.load` reads arrays with units, units and constants, also with weights_only=True.

It does so wherever dimflow is imported.

It calls only functions that were allowed. What a file with quantities names is allowed as soon
as PyTorch is imported, by stand-ins: the functions themselves would bring arrays and PyTorch's
compiler, seconds before anybody loads a file.
"""

import sys
from importlib import import_module
from typing import Any

_NAMED = (
    ("dimflow.array.persistence", "_restore"),
    ("dimflow.array.persistence", "_restore_value"),
    ("dimflow.array.dimarray", "DimArray"),
    ("dimflow.torch.tensor", "DimTensor"),
    ("dimflow.torch.loading", "_rebuilt"),
    ("dimflow.units.wire", "decode"),
    ("dimflow.constants", "get"),
)


class Late:
    """A function or class that is imported when it is used."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name

    def found(self) -> Any:
        """The function or class."""
        return getattr(import_module(self.module), self.name)

    def __call__(self, *args: Any) -> Any:
        return self.found()(*[a.found() if type(a) is Late else a for a in args])


def allow() -> None:
    """Tell PyTorch that files may name what an array with a unit is made by."""
    named = [(Late(module, name), f"{module}.{name}") for module, name in _NAMED]
    sys.modules["torch"].serialization.add_safe_globals(named)
