"""Indexing a DimArray: elements, slices, masks, assignment, iteration."""

import random
import sys
from collections.abc import Iterator
from dis import opname
from typing import Any, Self

import numpy as np

from dimflow import ops
from dimflow.array.core import Core, is_followed
from dimflow.backends import Backend, backend_of
from dimflow.backends.holes import refuse_key
from dimflow.backends.reading import refused
from dimflow.errors import NotANumber, TracedValueError, UnsupportedFunction
from dimflow.ops.dispatch import followed, interpreter_of, is_traced

_JOINED = "a list of them is joined by dimflow.stack(...)"

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


def _masked_scalar(raw: Any, key: Any) -> Any:
    """An array in the place of a scalar of NumPy's, which no element of another array follows.

    So it is refused but where a mask asks for it, as code for the array API does of all results.
    """
    if np.ndim(key) or np.asarray(key).dtype != bool:
        raise NotANumber("an assignment", f"{raw.dtype}, which cannot be written into")
    return np.array(raw)


def _refuse_swap(raw: Any, value: Any) -> None:
    """An error within a shuffle that is not ours: it swaps x[i], x[j] = x[j], x[i].

    NumPy's is compiled and Python's is not. What they swap are views, so rows would be lost, as
    they are of PyTorch's tensors, of which the single elements are views too.
    """
    library = interpreter_of(type(raw))
    if not isinstance(library, Backend) or not library.overlaps(raw, value):
        return
    code, place = (caller := sys._getframe(2)).f_code, caller.f_lasti
    if opname[code.co_code[place]] != "STORE_SUBSCR" or code is random.Random.shuffle.__code__:
        reason = "it swaps parts of the array that are views, and so would lose some of them"
        hint = "take them in another order: x = dimflow.random.default_rng().permutation(x)"
        raise UnsupportedFunction("shuffle by NumPy or Python", reason, hint)


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

        is_one = type(key) is int and isinstance(value, Core)
        if is_one and type(value._raw) is type(self._raw) and not is_traced(0):
            _refuse_swap(self._raw, value._raw)
        raw = in_unit(self._unit, value, "an assignment")
        if type(raw) in followed or type(self._raw) in followed:
            from dimflow.array.followed import assign

            assign(self, raw_key(key), raw)
        else:
            key = raw_key(key)
            if isinstance(self._raw, np.generic):
                self._raw = _masked_scalar(self._raw, key)
            backend_of(self._raw).assign(self._raw, key, raw)

    @property
    def at(self) -> Any:
        """Updates that make a new array: `x.at[2:].set(3 * units.km)`, `.add`, `.max`, `.min`."""
        from dimflow.array.at import At

        return At(self)

    def __len__(self) -> int:
        raw = self._raw
        shape = raw.shape  # the standard's arrays need have no length of their own
        if not shape:  # others say no more, such as torch.tensor of a list
            if is_followed(self):
                raise refused("len(x), of one quantity,", raw.trace.verb, _JOINED)
            raise TypeError(f"len() of one quantity; {_JOINED}")
        return shape[0]  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[Self]:
        unit = self._unit
        return (self._like(raw, unit) for raw in iter(self._raw))

    def __contains__(self, value: object) -> bool:
        return bool(ops.any(self == value))


class Flat:
    """The elements one after another, to loop over, to index and to write: `x.flat[2] = 0`."""

    __slots__ = ("_array", "_elements")

    def __init__(self, array: Any) -> None:
        self._array = array
        self._elements = iter(self[:])

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        return next(self._elements)

    def __len__(self) -> int:
        return int(self._array.size)

    def __getitem__(self, key: Any) -> Any:
        return ops.reshape(self._array, shape=(-1,))[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        shape, places = self._array.shape, np.arange(len(self))[raw_key(key)]
        if shape or places.size:
            self._array[np.unravel_index(places, shape) if shape else ...] = value
