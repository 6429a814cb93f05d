"""Indexing a DimArray: elements, slices, masks, assignment, iteration."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from dimflow import ops
from dimflow.array.core import Core, is_followed
from dimflow.backends import Backend, backend_of
from dimflow.backends.holes import refuse_key
from dimflow.errors import TracedValueError
from dimflow.ops.dispatch import followed, interpreter_of

_new = object.__new__
_ndarray = np.ndarray
_PLAIN = frozenset({_ndarray, int, slice, type(None), type(Ellipsis), list})  # keys without holes


def raw_key(key: Any) -> Any:
    """An index with every DimArray in it as its pure numbers."""
    if isinstance(key, tuple):
        return tuple(raw_key(k) for k in key)
    key = key._pure("an index") if isinstance(key, Core) else key
    if type(key) not in _PLAIN:
        refuse_key(key)
    return key


def _picked(raw: Any, key: Any) -> Any:
    """x[key] as the library does it; a traced value does it itself."""
    library = interpreter_of(type(raw))
    return library.getitem(raw, key) if isinstance(library, Backend) else raw[key]


def _holds_carriers(key: Any) -> bool:
    """Whether an index is followed by a trace of ours, so that no library can take it."""
    return any(map(is_followed, key if type(key) is tuple else (key,)))


class Indexing(Core):
    """Elements, slices and masks keep the unit; what is assigned is converted into it."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Self:
        kind = type(key)
        raw = self._raw
        if kind is tuple or (kind not in _PLAIN and isinstance(key, (Core, _ndarray))):
            key = raw_key(key)
            if type(raw) is not _ndarray and _holds_carriers(key):
                return ops.getitem(self, key=key)  # type: ignore[no-any-return]
        result = _new(type(self))
        try:
            result._raw = raw[key] if type(raw) is _ndarray else _picked(raw, key)
        except TracedValueError:  # an index that is batched, into an array that is not
            return ops.getitem(self, key=key)  # type: ignore[no-any-return]
        result._unit = self._unit
        return result

    def __setitem__(self, key: Any, value: Any) -> None:
        from dimflow.array.in_place import in_unit

        raw = in_unit(self._unit, value, "an assignment")
        if type(raw) in followed or type(self._raw) in followed:
            from dimflow.array.followed import assign

            assign(self, raw_key(key), raw)
        else:
            backend_of(self._raw).assign(self._raw, raw_key(key), raw)

    @property
    def at(self) -> Any:
        """Updates that make a new array: `x.at[2:].set(3 * units.km)`, `.add`, `.max`, `.min`."""
        from dimflow.array.at import At

        return At(self)

    def __len__(self) -> int:
        raw = self._raw
        shape = raw.shape  # the standard's arrays need have no length of their own
        return shape[0] if shape else len(raw)

    def __iter__(self) -> Iterator[Self]:
        unit = self._unit
        return (self._like(raw, unit) for raw in iter(self._raw))

    def __contains__(self, value: object) -> bool:
        return bool(ops.any(self == value))
