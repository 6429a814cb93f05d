"""x[key] and x[key] = y on lazy arrays: NumPy's rules, for keys of numbers and for lazy ones."""

from collections.abc import Callable
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import dimflow
from dimflow import ops
from dimflow import units as u
from dimflow.array import DimArray
from dimflow.dask import DaskDimArray
from dimflow.errors import NotANumber, ShapeMismatch, UnitError
from tests.contract.samples import DEEP
from tests.dask.conftest import nothing_runs
from tests.dask.cuts import chunkings

_EXAMPLES = 400 if DEEP else 40
SHAPE = (4, 3, 5)
NUMBERS = np.arange(60.0).reshape(SHAPE)


def _lazy(array: Any, chunks: Any = 2) -> Any:
    return da.from_array(np.asarray(array), chunks=chunks)


_ROWS = NUMBERS[:, 0, 0] > 10
_PLANE = NUMBERS[0] > 3

# Every kind of key, and kinds beside each other. Lists are arrays; `_lazy` ones are Dask's.
KEYS: dict[str, Any] = {
    "integer": 1,
    "negative integer": -2,
    "integer of NumPy": np.int64(1),
    "slice": slice(1, 3),
    "step back": slice(None, None, -1),
    "two steps back": (slice(3, 0, -2), slice(1, None)),
    "nothing": slice(0, 0),
    "new axis": (None, 1),
    "ellipsis and new axis": (..., None),
    "all integers": (1, 2, 3),
    "list": [1, 2],
    "list that repeats": [0, -1, 2, 0],
    "empty list": [],
    "range": range(2),
    "array of two axes": np.array([[0, 1], [2, -3]]),
    "empty array of two axes": np.zeros((0, 2), int),
    "two lists": ([0, 1], [1, 2]),
    "two empty lists": ([], []),
    "lists apart": ([0, 1], slice(None), [1, 2]),
    "integer apart from a list": (0, slice(None), [1, 2]),
    "integer beside a list": (slice(None), 0, [1, 2]),
    "lists about a new axis": ([1, 2], None, [0, 1]),
    "list and new axis": (..., [1, 2], None),
    "lists that stretch": (np.array([[0], [1]]), np.array([0, 2])),
    "np.ix_": np.ix_([0, 2], [1, 0], [4]),
    "mask of rows": _ROWS,
    "mask of all": NUMBERS > 10,
    "mask of two axes": NUMBERS[:, :, 0] > 10,
    "mask of the last axes": (slice(None), _PLANE),
    "mask and list": (_ROWS, [1]),
    "true": True,
    "false": False,
    "true after a slice": (slice(None), True),
    "lazy mask of rows": _lazy(_ROWS),
    "lazy mask of all": _lazy(NUMBERS > 10),
    "lazy mask of two axes": _lazy(NUMBERS[:, :, 0] > 10),
    "lazy mask of the last axes": (slice(None), _lazy(_PLANE)),
    "lazy mask and list": (_lazy(_ROWS), [1]),
    "lazy mask and integer": (_lazy(_ROWS), 1),
    "integer and lazy mask": (1, _lazy(_PLANE)),
    "lazy list": _lazy([1, 2]),
    "lazy list that repeats": _lazy([0, -1, 3, 3]),
    "lazy array of two axes": _lazy([[0, 1], [2, -3]]),
    "two lazy lists": (_lazy([0, 1]), _lazy([1, 2])),
    "lazy list and list": (_lazy([0, 1]), [1, 2]),
    "lazy lists apart": (_lazy([0, 1]), slice(None), _lazy([1, 2])),
    "integer apart from a lazy list": (0, slice(None), _lazy([1, 2])),
    "lazy integer": _lazy(2),
    "lazy integer and integer": (_lazy(2), slice(None), 1),
    "lazy integer between": (slice(None), _lazy(1), slice(0, 2)),
    "lazy integers": (_lazy(1), _lazy(2), _lazy(3)),
    "lazy list at the end": (..., _lazy([1, 2])),
    "lazy lists that stretch": (_lazy([0, 1]), None, _lazy([[1], [2]])),
    "indices of ours": DimArray([0, 2]),
    "lazy indices of ours": DaskDimArray(np.array([0, 2]), chunks=1),
}
CUTS = [2, ((1, 3), (2, 1), (4, 1)), 1, 5]
_READ = CUTS if DEEP else CUTS[:2]


def _plain(key: Any) -> Any:
    """A key as NumPy takes it."""
    if isinstance(key, tuple):
        return tuple(map(_plain, key))
    key = key.data if isinstance(key, DimArray) else key
    return key.compute(scheduler="sync") if isinstance(key, da.Array) else key


def _is_as_promised(lazy: Any, expected: Any) -> None:
    assert lazy.unit == u.m
    assert lazy.ndim == expected.ndim
    known = [(n, m) for n, m in zip(lazy.shape, expected.shape, strict=True) if n == n]
    assert all(n == m for n, m in known)
    found = lazy.compute().data
    assert np.shape(found) == expected.shape
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("cut", _READ, ids=["twos", "uneven", "ones", "one"][: len(_READ)])
@pytest.mark.parametrize("kind", KEYS)
def test_reading(kind: str, cut: Any) -> None:
    x = DaskDimArray(NUMBERS, "m", chunks=cut)
    with nothing_runs():
        found = x[KEYS[kind]]
    _is_as_promised(found, NUMBERS[_plain(KEYS[kind])])


def _values(shape: tuple[int, ...]) -> list[Any]:
    """One for all, one for each, and one for each of the last axis."""
    size = int(np.prod(shape))
    each = np.arange(1000.0, 1000.0 + size).reshape(shape)
    return [np.float64(7.0), each, *([each[(0,) * (each.ndim - 1)]] if each.size else [])]


@pytest.mark.parametrize("kind", KEYS)
def test_writing_converts_into_the_unit(kind: str) -> None:
    key, cut = _plain(KEYS[kind]), CUTS[1]
    for values in _values(NUMBERS[key].shape):
        expected = NUMBERS.copy()
        expected[key] = values
        for lazily in (False, True):
            x = DaskDimArray(NUMBERS, "m", chunks=cut)
            before = x.copy()
            new = DaskDimArray(values / 1000, "km", chunks=1) if lazily else values / 1000 * u.km
            with nothing_runs():
                x[KEYS[kind]] = new
            np.testing.assert_allclose(x.compute().data, expected, rtol=1e-12)
            assert x.unit == u.m
            np.testing.assert_array_equal(before.compute().data, NUMBERS)


_JOINS = {"add": np.add, "max": np.maximum, "min": np.minimum}


# Of the joins all are alike but for the function; in the fast run some of the keys will do.
_UPDATES = [
    (kind, how)
    for i, kind in enumerate(KEYS)
    for how in (_JOINS if DEEP or i % 6 == 0 else ("add",))
]


@pytest.mark.parametrize(("kind", "how"), _UPDATES)
def test_updates_that_make_another_array(kind: str, how: str) -> None:
    key = _plain(KEYS[kind])
    for values in _values(NUMBERS[key].shape):
        expected = NUMBERS.copy()
        _JOINS[how].at(expected, key, values)
        x = DaskDimArray(NUMBERS, "m", chunks=2)
        with nothing_runs():
            found = getattr(x.at[KEYS[kind]], how)(DimArray(values, "m"))
        np.testing.assert_allclose(found.compute().data, expected, rtol=1e-12)
        np.testing.assert_array_equal(x.compute().data, NUMBERS)


@settings(max_examples=_EXAMPLES, deadline=None)
@given(st.data())
def test_slices_of_any_array(data: Any) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
    array = np.arange(float(np.prod(shape))).reshape(shape)
    key = data.draw(hnp.basic_indices(shape, allow_newaxis=True))
    x = DaskDimArray(array, "m", chunks=data.draw(chunkings(shape)))
    with nothing_runs():
        found = x[key]
    _is_as_promised(found, np.asarray(array[key]))


@settings(max_examples=_EXAMPLES, deadline=None)
@given(st.data())
def test_places_of_any_array(data: Any) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, max_side=4))
    array = np.arange(float(np.prod(shape))).reshape(shape)
    result = hnp.array_shapes(min_dims=0, max_dims=2, max_side=3)
    key = data.draw(hnp.integer_array_indices(shape, result_shape=result))
    is_lazy = data.draw(st.tuples(*(st.booleans() for _ in key)))
    given_key = tuple(_lazy(k) if lazy else k for k, lazy in zip(key, is_lazy, strict=True))
    x = DaskDimArray(array, "m", chunks=data.draw(chunkings(shape)))
    with nothing_runs():
        found = x[given_key]
        updated = x.at[given_key].add(1 * u.m)
    _is_as_promised(found, np.asarray(array[key]))
    expected = array.copy()
    np.add.at(expected, key, 1.0)
    np.testing.assert_array_equal(updated.compute().data, expected)


# Lengths that only the data know


def _picked() -> tuple[Any, Any]:
    x = DaskDimArray(NUMBERS[:, :, 0], "m", chunks=(1, 2))
    with nothing_runs():
        lazy = x[x[:, 0] > 10 * u.m]
    return lazy, NUMBERS[:, :, 0][NUMBERS[:, 0, 0] > 10]


_INTO_UNKNOWN: list[Any] = [
    *(0, -1, slice(1, None), slice(None, None, -1), (slice(None), 0), (1, 2)),
    *((slice(0, 2), None, 1), [1, 0], (slice(None), [2, 0]), ([1, 0], 1), (..., 1), (None, -1)),
]


@pytest.mark.parametrize("key", _INTO_UNKNOWN, ids=str)
def test_keys_into_an_axis_of_unknown_length(key: Any) -> None:
    lazy, eager = _picked()
    with nothing_runs():
        found = lazy[key]
    _is_as_promised(found, eager[key])


_FOLLOWING: dict[str, Callable[[Any], Any]] = {
    "add": lambda x: x + 1 * u.km,
    "sum": lambda x: (x * x).sum(),
    "mean": lambda x: x.mean(axis=0),
    "max": lambda x: x.max(),
    "sort": lambda x: ops.sort(x, axis=0),
    "cumulative sum": lambda x: ops.cumulative_sum(x, axis=0),
    "flat": lambda x: ops.reshape(x, shape=-1),
    "concat": lambda x: ops.concat([x, x], axis=0),
    "unique": ops.unique_values,
    "mask": lambda x: x[x > 20 * u.m],
    "product": lambda x: x.T @ x,
    "where": lambda x: ops.where(x > 20 * u.m, x, 0),
    "update": lambda x: ops.at_set(x, (0, 0), 5 * u.km),
    "fft": lambda x: ops.fft(x, axis=1),
}


@pytest.mark.parametrize("what", _FOLLOWING)
def test_what_follows_an_unknown_length(what: str) -> None:
    (lazy, eager), function = _picked(), _FOLLOWING[what]
    with nothing_runs():
        found = function(lazy)
    expected = function(DimArray(eager, "m"))
    assert found.unit == expected.unit
    np.testing.assert_allclose(found.compute().data, expected.data, rtol=1e-12)


def test_an_unknown_length_is_told_as_such() -> None:
    lazy, eager = _picked()
    assert "shape=(nan, 3), dtype=float64, chunksize=(nan, 2), unit='m'" in repr(lazy)
    with pytest.raises(ValueError, match=r"compute_chunk_sizes\(\)"):
        len(lazy)
    with pytest.raises(ValueError, match=r"compute_chunk_sizes\(\)"):
        iter(lazy).__next__()
    with pytest.raises(UnitError, match="the number of factors"):
        lazy.prod()
    with pytest.raises(ShapeMismatch, match="compute_chunk_sizes"):
        ops.reshape(lazy, shape=(3, -1))
    assert lazy.compute_chunk_sizes().shape == eager.shape
    assert len(lazy) == len(eager)
    assert len(list(lazy)) == len(eager)


# What is refused


def test_a_lazy_index_out_of_bounds_is_an_error_and_not_another_element() -> None:
    x = DaskDimArray(np.arange(4.0), "m", chunks=4)
    for places in ([1, 4], [-5, 0], [[0], [9]]):
        lazy = x[_lazy(places)]
        with pytest.raises(IndexError, match="outside of an axis"):
            lazy.compute()
    changed = x.at[_lazy([7])].set(1 * u.m)
    with pytest.raises(IndexError, match="outside of an axis"):
        changed.compute()


@pytest.mark.parametrize("key", [4, -5, [1, 4], ([0, 1], [3, 0]), np.array([[9]])], ids=str)
def test_an_index_of_numbers_out_of_bounds_is_an_error_at_once(key: Any) -> None:
    x = DaskDimArray(NUMBERS, "m", chunks=2)
    with nothing_runs():
        with pytest.raises(IndexError):
            x[key]
        with pytest.raises(IndexError):
            x[key] = 1 * u.m


def test_keys_that_are_none() -> None:
    x = DaskDimArray(NUMBERS, "m", chunks=2)
    with nothing_runs():
        for key in ([0.5], _lazy([1.5]), np.array([1.0])):
            with pytest.raises(NotANumber):
                x[key]
        with pytest.raises(UnitError):
            x[DimArray([1], "m")]
        with pytest.raises(ShapeMismatch):
            x[1, 2, 0, [0]]
        with pytest.raises(ShapeMismatch):
            x[np.array([True, False])]
        with pytest.raises(ShapeMismatch):
            x[_lazy([True, False])]


def test_what_does_not_fit_changes_nothing() -> None:
    x = DaskDimArray(NUMBERS, "m", chunks=2)
    name = x.data.name
    with nothing_runs():
        with pytest.raises(UnitError, match="takes values in m, but got s"):
            x[0] = 1 * u.s
        with pytest.raises(ShapeMismatch):
            x[[0, 1]] = np.ones((3, 3, 5)) * u.m
        with pytest.raises(NotANumber):
            DaskDimArray(np.arange(4), "m", chunks=2)[0] = 1.5 * u.m
    assert x.data.name == name


def test_a_conversion_of_what_was_written_into_is_of_the_new_numbers() -> None:
    x = DaskDimArray(np.arange(4.0), "m", chunks=2)
    there = x.to("km")
    x[0] = 5 * u.km
    np.testing.assert_allclose(there.compute().data, [0, 0.001, 0.002, 0.003])
    np.testing.assert_allclose(x.to("km").compute().data, [5, 0.001, 0.002, 0.003])
    there[1] = 7 * u.m
    np.testing.assert_allclose(there.to("m").compute().data, [0, 7, 2, 3])
    np.testing.assert_allclose(x.compute().data, [5000, 1, 2, 3])


def test_functions_by_name_take_lazy_places() -> None:
    x = DaskDimArray(NUMBERS[:, :, 0], "m", chunks=2)
    places = _lazy([2, 0])
    with nothing_runs():
        found = [dimflow.take(x, places, axis=0), x.take(places, axis=0)]
    for each in dask.compute(*found):
        np.testing.assert_array_equal(each.data, NUMBERS[[2, 0], :, 0])
