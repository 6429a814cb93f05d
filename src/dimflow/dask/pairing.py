"""Python's operators on lazy arrays of unknown lengths: the op runs, which looks at the blocks."""

from collections.abc import Callable
from typing import Any

from dimflow import ops
from dimflow.array import DimArray
from dimflow.array.operators import OPERATORS
from dimflow.backends.dask_blocks.pairing import is_open, refuse_pairs
from dimflow.ops import Op


class Pairing(DimArray):
    """Operators beside another lazy array, whose blocks have to be as many.

    All that DimArray has are replaced below: its own run Dask's at once, which pairs any blocks.
    """

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]


def _looking(name: str, op: Op) -> Callable[..., Any]:
    """An operator that makes a new array."""

    def method(self: Any, other: Any) -> Any:
        if type(other) is type(self) and (is_open(self._raw) or is_open(other._raw)):
            return op.run((self, other), {})
        return getattr(super(Pairing, self), name)(other)

    method.__doc__ = getattr(DimArray, name).__doc__
    return method


def _looking_first(name: str, op: Op) -> Callable[..., Any]:
    """One that writes into an array."""

    def method(self: Any, other: Any) -> Any:
        refuse_pairs(f"{op.name} in place", (self._raw, getattr(other, "_raw", other)))
        return getattr(super(Pairing, self), name)(other)

    method.__doc__ = getattr(DimArray, name).__doc__
    return method


for _function, _op in OPERATORS.items():
    _short = _function.__name__.strip("_")
    setattr(Pairing, f"__{_short}__", _looking(f"__{_short}__", ops.get(_op)))
    if hasattr(DimArray, f"__i{_short}__"):
        setattr(Pairing, f"__i{_short}__", _looking_first(f"__i{_short}__", ops.get(_op)))
