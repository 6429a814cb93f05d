"""DimArray: a raw array and a unit, put together from its parts."""

from typing import TYPE_CHECKING, Any

import numpy as np

from dimflow.array.conversion import Conversions, as_unit
from dimflow.array.display import Display
from dimflow.array.indexing import Indexing
from dimflow.array.methods import Methods
from dimflow.array.operators import Operators
from dimflow.array.persistence import Persistence
from dimflow.array.protocols import Protocols
from dimflow.array.recording import Recording
from dimflow.backends import class_of
from dimflow.ops.dispatch import followed
from dimflow.ops.rules.units import PURE
from dimflow.units import Unit

_new = object.__new__
_ndarray = np.ndarray


class DimArray(
    Operators, Indexing, Conversions, Methods, Recording, Display, Persistence, Protocols
):
    """An array with a physical unit.

        DimArray([1.0, 2.0], "m/s")
        np.arange(3.0) * units.kg
        DimArray("65 mile/hour")

    `data` is anything array-like: an array of any library that dimflow knows (shared, unless
    `copy=True`), numbers, lists, lists of DimArrays, another DimArray (then `unit` converts it), or
    a number and its unit in a string.
    `unit` is a `Unit` or a text; without one the array is dimensionless.

    The unit of an array never changes: in-place operators, assignment and `out=` convert what comes
    into it, or raise.
    """

    __slots__ = ()

    def __init__(
        self,
        data: Any,
        unit: Unit | str | None = None,
        *,
        dtype: Any = None,
        backend: str | None = None,
        device: Any = None,
        copy: bool | None = None,
    ) -> None:
        if (
            type(data) is _ndarray
            and dtype is None
            and copy is None
            and backend is None
            and device is None
            and data.dtype.kind in "fiucb"
        ):
            self._raw = data
            self._unit = unit if type(unit) is Unit else PURE if unit is None else as_unit(unit)
            return
        from dimflow.array.making import raw_and_unit

        self._raw, self._unit = raw_and_unit(data, unit, dtype, backend, device, copy)
        if type(self) is DimArray and (cls := class_of(type(self._raw))) is not DimArray:
            self.__class__ = cls  # that of the raw array's library
            self._adopted()

    if not TYPE_CHECKING:  # a checker is to know all names

        def __getattr__(self, name: str) -> Any:
            """What the class of the library adds, if a trace follows the array."""
            if name != "_raw" and name != "_unit" and type(self._raw) in followed:
                from dimflow.array.guises import attribute

                return attribute(self, name)
            text = f"{type(self).__name__!r} object has no attribute {name!r}"
            is_function = hasattr(_ndarray, name) and hasattr(np, name)
            raise AttributeError(f"{text}; np.{name} takes quantities" if is_function else text)


for _part in DimArray.__bases__:  # Python's own errors name the class that users know
    for _method in vars(_part).values():
        if getattr(_method, "__qualname__", "").startswith(f"{_part.__name__}."):
            _method.__qualname__ = f"DimArray.{_method.__name__}"

_classes: dict[type, type[DimArray]] = {_ndarray: DimArray}


def wrap(raw: Any, unit: Unit) -> DimArray:
    """A raw array as it is, in the class of its library: nothing is checked or copied."""
    kind = type(raw)
    cls = _classes.get(kind)
    if cls is None:
        cls = _classes[kind] = class_of(kind)
    result: DimArray = _new(cls)
    result._raw = raw
    result._unit = unit
    return result
