"""Indexing a DimArray: elements, slices, masks, assignment, iteration."""

from collections.abc import Iterator
from typing import Any, Self

from dimflow import ops
from dimflow.array.core import Core
from dimflow.backends import backend_of

_new = object.__new__


def raw_key(key: Any) -> Any:
    """An index with every DimArray in it as its pure numbers."""
    if isinstance(key, Core):
        return key._pure("an index")
    if isinstance(key, tuple):
        return tuple(raw_key(k) for k in key)
    return key


class Indexing(Core):
    """Elements, slices and masks keep the unit; what is assigned is converted into it."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Self:
        kind = type(key)
        if kind is tuple or isinstance(key, Core):
            key = raw_key(key)
        result = _new(type(self))
        result._raw = self._raw[key]
        result._unit = self._unit
        return result

    def __setitem__(self, key: Any, value: Any) -> None:
        from dimflow.array.in_place import in_unit

        raw = in_unit(self._unit, value, "an assignment")
        backend_of(self._raw).assign(self._raw, raw_key(key), raw)

    def __len__(self) -> int:
        return len(self._raw)

    def __iter__(self) -> Iterator[Self]:
        unit = self._unit
        return (self._like(raw, unit) for raw in iter(self._raw))

    def __contains__(self, value: object) -> bool:
        return bool(ops.any(self == value))
