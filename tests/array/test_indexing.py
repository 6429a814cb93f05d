"""Elements, slices and masks keep the unit; assignment converts into it or raises."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import dimflow
from dimflow import DimArray, Unit, units
from dimflow.errors import NotANumber, PointError, UnitError


@given(st.data())
def test_indexing_is_numpys(data: Any) -> None:
    raw = np.arange(24.0).reshape(2, 3, 4)
    x = DimArray(raw, "km")
    key = data.draw(hnp.basic_indices(raw.shape, allow_ellipsis=True, allow_newaxis=True))
    assert x[key].unit is x.unit
    np.testing.assert_array_equal(x[key].data, raw[key])
    if raw[key].size and isinstance(raw[key], np.ndarray) and raw[key].ndim:
        assert np.shares_memory(x[key].data, raw)


def test_masks_and_integer_arrays() -> None:
    x = DimArray([1.0, 2.0, 3.0], "m")
    assert x[x > 150 * units.cm].tolist() == [2.0, 3.0]
    assert x[[0, 2]].tolist() == [1.0, 3.0]
    assert x[np.array([2, 0])].tolist() == [3.0, 1.0]
    assert x[DimArray([0, 1])].tolist() == [1.0, 2.0]
    with pytest.raises(UnitError):
        x[DimArray([0], "m")]
    with pytest.raises(IndexError):
        x[7]


def test_iteration_gives_arrays_with_units() -> None:
    x = DimArray(np.arange(6.0, dtype=np.float32).reshape(2, 3), "m")
    rows = list(x)
    assert [row.tolist() for row in rows] == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert all(row.unit is x.unit and row.dtype == np.float32 for row in rows)
    assert [e.unit for e in x[0]] == [x.unit] * 3
    assert len(x) == 2
    with pytest.raises(TypeError):
        iter(DimArray(1.0, "m"))
    with pytest.raises(TypeError):
        len(DimArray(1.0, "m"))


def test_membership() -> None:
    x = DimArray([1.0, 2.0], "m")
    assert 200 * units.cm in x
    assert 3 * units.m not in x
    assert 1 * units.s not in x


def test_assignment_converts_into_the_unit() -> None:
    x = DimArray(np.zeros(3), "m")
    x[0] = 1 * units.km
    x[1:] = DimArray([5.0, 6.0], "cm")
    assert x.tolist() == [1000.0, 0.05, 0.06]
    x[x > 1 * units.m] = 0
    x[1] = np.nan
    x[2] = -np.inf
    np.testing.assert_array_equal(x.data, [0.0, np.nan, -np.inf])
    x.fill(2 * units.m)
    assert x.tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize(
    "value", [1 * units.s, 5, np.ones(3), [1, 2, 3], "a", None, {}, 20 * units.degC], ids=str
)
def test_a_wrong_assignment_changes_nothing(value: Any) -> None:
    x = DimArray(np.zeros(3), "m")
    with pytest.raises((UnitError, TypeError)):
        x[:] = value
    assert x.tolist() == [0.0, 0.0, 0.0]


def test_points() -> None:
    t = DimArray([20.0, 30.0], "degC")
    t[0] = 300 * units.K
    assert t[0].item() == pytest.approx(26.85)
    with pytest.raises(UnitError):
        t[0] = 5 * units.delta_degC
    with pytest.raises((PointError, UnitError)):
        t[0] = 0
    t[0] = np.nan


def test_fractions_are_not_cut_off() -> None:
    x = DimArray([1, 2], "m")
    with pytest.raises(NotANumber):
        x[0] = 1.5 * units.m
    with pytest.raises(NotANumber):
        x[0] = 1 * units.cm
    x[0] = 3 * units.m
    assert x.tolist() == [3, 2]


WRITERS: dict[str, Callable[[Any, Any], Any]] = {
    "x[0] = y": lambda x, y: operator.setitem(x, 0, y),
    "x[:] = y": lambda x, y: operator.setitem(x, slice(None), y),
    "x[mask] = y": lambda x, y: operator.setitem(x, np.array([True, False]), y),
    "x.flat[1] = y": lambda x, y: operator.setitem(x.flat, 1, y),
    "fill": lambda x, y: x.fill(y),
    "copyto": lambda x, y: np.copyto(x, y),
    "put": lambda x, y: np.put(x, [0], y),
    "place": lambda x, y: np.place(x, [True, False], y),
    "put_along_axis": lambda x, y: np.put_along_axis(x, np.array([1]), y, 0),
    "fill_diagonal": lambda x, y: np.fill_diagonal(x.reshape(1, 2), y),
    "full_like": lambda x, y: np.full_like(x, y),
    "pad": lambda x, y: np.pad(x, 1, constant_values=y),
    "+=": lambda x, y: operator.iadd(x, y),
    "add.at": lambda x, y: np.add.at(x, [0], y),
}


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32", "int64"])
@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("number", [-129, -1, 0, 127, 128, 70_000, 2**40])
def test_a_whole_number_that_does_not_fit_is_refused(name: str, dtype: str, number: int) -> None:
    """NumPy asks this of Python's integers, and a quantity is mostly made of one: no 300 is 44."""
    x, limits = DimArray(np.array([0, 0], dtype), "m"), np.iinfo(dtype)
    if not limits.min <= number <= limits.max:
        with pytest.raises(NotANumber, match="which it would cut"):
            WRITERS[name](x, number * units.m)
        assert not x.data.any()
        return
    try:
        found = WRITERS[name](x, number * units.m)
    except TypeError:  # NumPy looks at dtypes alone
        assert name in ("+=", "add.at")
        assert np.dtype(dtype).kind == "u"
        return
    assert number in (x if found is None else found).to_value("m")


@pytest.mark.parametrize("make", [dimflow.full, lambda n, x, **k: dimflow.asarray(x, **k)])
def test_no_array_is_made_of_a_number_that_does_not_fit(make: Callable[..., Any]) -> None:
    assert make(2, 100 * units.m, dtype=np.int8).dtype == np.int8
    with pytest.raises(NotANumber, match="which it would cut"):
        make(2, 300 * units.m, dtype=np.int8)


def test_read_only_data_stay_as_they_are() -> None:
    raw = np.ones(2)
    raw.flags.writeable = False
    x = DimArray(raw, "m")
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 2 * units.m
    with pytest.raises(ValueError, match="read-only"):
        x += 2 * units.m
    assert raw.tolist() == [1.0, 1.0]


def test_a_view_writes_into_the_array() -> None:
    x = DimArray(np.zeros(3), "m")
    view = x[1:]
    view += 1 * units.km
    view[0] = 5 * units.cm
    assert x.tolist() == [0.0, 0.05, 1000.0]
    assert view.unit is x.unit is Unit("m")


@given(st.data(), st.sampled_from([(), (1,), (2, 3), (0, 2), (2, 1, 3)]))
def test_flat_is_numpys(data: Any, shape: tuple[int, ...]) -> None:
    raw = np.arange(float(np.prod(shape))).reshape(shape)
    x, size = DimArray(raw.copy(), "km"), raw.size
    mask = st.lists(st.booleans(), min_size=size, max_size=size).map(lambda m: np.array(m, bool))
    places = st.lists(st.integers(-size, size - 1), max_size=4).map(lambda i: np.array(i, int))
    key = data.draw(hnp.basic_indices((size,)) | mask | (places if size else mask))
    if key is None or (isinstance(key, tuple) and (None in key or not key)):
        return  # which a flat iterator does not take
    key = key[0] if isinstance(key, tuple) else key
    np.testing.assert_array_equal(x.flat[key].to_value("km"), raw.flat[key])
    raw.flat[key] = 0.007
    x.flat[key] = 7 * units.m
    np.testing.assert_array_equal(x.data, raw)
    assert (len(x.flat), [float(v / units.km) for v in x.flat]) == (size, raw.ravel().tolist())
    x.flat = 1 * units.m
    assert (x.data == 0.001).all()


def into(x: DimArray, value: DimArray) -> DimArray:
    return np.add(value, 0, out=x)


WRITES = {
    "ellipsis": lambda x, v: x.__setitem__(..., v),
    "no axes": lambda x, v: x.__setitem__((), v),
    "fill": lambda x, v: x.fill(v),
    "flat": lambda x, v: x.flat.__setitem__(0, v),
    "copyto": np.copyto,
    "put": lambda x, v: np.put(x, 0, v),
    "putmask": lambda x, v: np.putmask(x, True, v),
    "place": lambda x, v: np.place(x, True, v),
    "out=": into,
    "reduce": lambda x, v: np.add.reduce(v[None], out=x),
    "sum": lambda x, v: np.sum(v[None], out=x),
    "at": lambda x, v: np.maximum.at(x, (), v),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_an_array_without_axes_is_written_and_a_scalar_is_not(write: Any) -> None:
    """NumPy's element of an array shares no memory with it: written into, it would be lost."""
    whole = DimArray([1.0, 2.0], "m")
    for x in (DimArray(1.0, "m"), whole[:1].reshape(())):
        write(x, DimArray(3.0, "km"))
        assert (float(x / units.m), str(x.unit), x.shape) == (3000, "m", ())
        with pytest.raises((UnitError, TypeError)):
            write(x, DimArray(3.0, "s"))
        assert float(x / units.m) == 3000
    for scalar in (whole[1], whole.max()):
        with pytest.raises(NotANumber, match="cannot be written into"):
            write(scalar, DimArray(3.0, "km"))
    assert whole.tolist() == [3000, 2]


def test_a_mask_writes_into_every_result() -> None:
    """As SciPy does of results by the array API: `f[all_const] = inf`."""
    x = DimArray([1.0, 2.0], "m")
    for result in (x[0], x.sum(), x[0] * 2):
        before = float(result / units.m)
        result[result < 0] = 5 * units.m
        assert float(result / units.m) == before
        result[result > 0] = 5 * units.km
        assert float(result / units.m) == 5000
    assert x.tolist() == [1, 2]


NAMES = np.array(["a", "b", "c"])
DAYS = np.array(["2020-01-01", "2020-02-01", "2020-03-01"], "M8[D]")
PICKS = {
    "where": lambda n, m, i: np.where(m, n, n[0]),
    "where of strings": lambda n, m, i: np.where(m, "short", "long"),
    "select": lambda n, m, i: np.select([m], [n], n[0]),
    "select of strings": lambda n, m, i: np.select([m], ["short"], "long"),
    "choose": lambda n, m, i: np.choose(i, [n, n[::-1], n]),
    "take": lambda n, m, i: np.take(n, i),
    "take from a list": lambda n, m, i: np.take(n.tolist(), i),
    "take_along_axis": lambda n, m, i: np.take_along_axis(n, i, 0),
    "compress": lambda n, m, i: np.compress(m, n),
    "extract": lambda n, m, i: np.extract(m, n),
    "delete": lambda n, m, i: np.delete(n, m),
    "repeat": lambda n, m, i: np.repeat(n, i),
    "key": lambda n, m, i: n[m],
}


@pytest.mark.parametrize(
    "labels", [NAMES, DAYS, NAMES.astype(object)], ids=["str", "day", "object"]
)
@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("pick", PICKS.values(), ids=PICKS)
def test_masks_and_indices_pick_among_anything(pick: Any, library: str, labels: Any) -> None:
    x = DimArray([3.0, 1.0, 2.0], "m")
    mask = x.to_backend(library) > 150 * units.cm
    wanted = pick(labels, x.data > 1.5, np.argsort(x.data))
    found = pick(labels, mask, x.to_backend(library).argsort())
    assert (type(found), found.dtype) == (np.ndarray, wanted.dtype)
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("pick", [p for k, p in PICKS.items() if "strings" not in k])
def test_a_quantity_is_no_mask_of_labels(pick: Any) -> None:
    x = DimArray([1, 0, 1], "m")
    with pytest.raises(UnitError):
        pick(NAMES, x, x)
    for one, other in ((x, "long"), ("short", x), (NAMES, x)):
        with pytest.raises(NotANumber):
            np.where(DimArray([True, False, True]), one, other)
