"""Programs whose layers are Dask's own: by the names, which say what is computed of what."""

from typing import Any

import dask.array as da
import numpy as np
import pytest

from dimflow import DimArray
from dimflow import units as u
from dimflow.array.numpy_host.ufuncs import POWERS
from dimflow.dask import DaskDimArray
from dimflow.dask.host.numpy_ufuncs import _is_dasks
from dimflow.errors import DimensionError, ShapeMismatch, UnsupportedFunction
from tests.dask.conftest import nothing_runs

NUMBERS = np.linspace(0.1, 0.9, 12).reshape(3, 4)
RAW = da.from_array(NUMBERS, chunks=2, name="numbers")
X = DaskDimArray(RAW, "m")


def numbers(value: Any) -> Any:
    return value.data if isinstance(value, DimArray) else value


def known_to_dask(ufunc: Any) -> bool:
    try:
        return ufunc.__name__ not in POWERS and _is_dasks(ufunc)
    except UnsupportedFunction:
        return False


UFUNCS = sorted(
    {f.__name__ for f in vars(np).values() if isinstance(f, np.ufunc) and known_to_dask(f)}
)


def test_there_are_many() -> None:
    assert {"add", "sqrt", "sin", "maximum", "absolute", "greater", "hypot"} <= {*UFUNCS}
    assert len(UFUNCS) > 60
    assert not {"power", "modf", "divmod", "matmul"} & {*UFUNCS}


@pytest.mark.parametrize("name", UFUNCS)
def test_a_ufunc_of_pure_numbers_is_the_layer_of_dask(name: str) -> None:
    ufunc = getattr(np, name)
    given = NUMBERS + (name == "arccosh")  # which has no numbers below 1
    try:
        ufunc(*[given] * ufunc.nin)
    except TypeError:  # it is of integers
        given = np.arange(12).reshape(3, 4) % 5
    raw = da.from_array(given, chunks=2)
    lazy, eager = DaskDimArray(raw, ""), DimArray(given, "")
    with nothing_runs():
        first, again = (ufunc(*[lazy] * ufunc.nin) for _ in range(2))
        theirs = ufunc(*[raw] * ufunc.nin)
    wanted = ufunc(*[eager] * ufunc.nin)
    for found in (first, again):
        assert found.name == theirs.name
        assert found.dtype == wanted.dtype
        assert isinstance(found, DaskDimArray) is isinstance(wanted, DimArray)
    np.testing.assert_array_equal(numbers(first.compute()), numbers(wanted))
    assert getattr(first, "unit", None) is getattr(wanted, "unit", None)


def test_conversions_are_all_that_is_added() -> None:
    far = DaskDimArray(RAW, "km")
    with nothing_runs():
        ours = np.maximum(X, far)
        theirs = np.maximum(RAW, RAW * 1000.0)
    assert ours.name == theirs.name
    assert ours.unit is X.unit
    assert np.add(X, X).name == np.add(RAW, RAW).name != (X + X).name


def test_mistakes_are_told_by_the_op() -> None:
    time = DaskDimArray(RAW, "s")
    for lazy, other in ((X, time), (DimArray(NUMBERS, "m"), DimArray(NUMBERS, "s"))):
        with pytest.raises(DimensionError, match=r"^add needs arguments of one dimension"):
            np.add(lazy, other)
    assert not np.equal(X, time).compute().any()
    with pytest.raises(ValueError, match="broadcast"):
        np.add(X, X[:, :3])


def test_bounds_are_in_the_tasks() -> None:
    with nothing_runs():
        ours = X.clip(20 * u.cm, 0.5 * u.m)
    assert len(dict(ours.dask)) == len(dict(RAW.clip(0.2, 0.5).dask))
    np.testing.assert_allclose(ours.compute().to_value("m"), NUMBERS.clip(0.2, 0.5))
    np.testing.assert_array_equal(
        X.clip(None, DaskDimArray(RAW, "dm")).compute().data, np.minimum(NUMBERS, NUMBERS / 10)
    )


@pytest.mark.parametrize("dtype", ["float32", "int32", "float64", "complex64"])
@pytest.mark.parametrize("number", [3, 0.5, np.float32(0.5), np.int64(2**60)], ids=repr)
def test_the_dtype_of_a_number_counts_as_it_does_for_numpy(dtype: str, number: Any) -> None:
    eager = DimArray(np.arange(1, 5).astype(dtype), "m")
    lazy = DaskDimArray(eager.data, "m", chunks=2)
    for way in (np.add, np.multiply, np.hypot, np.greater, np.copysign):
        if way in (np.hypot, np.copysign, np.greater) and dtype == "complex64":
            continue
        wanted, found = way(eager, number * u.m), way(lazy, number * u.m)
        assert found.dtype == wanted.dtype, way
        np.testing.assert_array_equal(numbers(found.compute()), numbers(wanted))
    if dtype != "complex64":
        wanted, found = (x.clip(number * u.m, 3 * number * u.m) for x in (eager, lazy))
        assert found.dtype == wanted.dtype == found.compute().dtype
        np.testing.assert_array_equal(found.compute().data, wanted.data)


@pytest.mark.parametrize("dtype", ["float32", "complex64", "float64"])
def test_a_cast_is_the_layer_of_dask(dtype: str) -> None:
    ours = X.astype(dtype)
    assert ours.name == RAW.astype(dtype).name
    ours[0, 0] = 9 * u.m
    np.testing.assert_array_equal(X.compute().data, NUMBERS)


def test_a_cast_of_complex_numbers_takes_the_real_part() -> None:
    waves = DaskDimArray(RAW * (1 + 2j), "V")
    np.testing.assert_array_equal(waves.astype("float32").compute().data, NUMBERS.astype("f4"))
    found = DaskDimArray(RAW * (3 + 2j) * 10, "").astype("int64")
    np.testing.assert_array_equal(found.compute().data, (NUMBERS * (3 + 2j) * 10).real.astype(int))


@pytest.mark.parametrize(
    "key",
    [[2, 0], [-1], [], [1, 1, 1], np.array([2, 1], "uint8"), np.arange(3)],
    ids=["list", "from the end", "none", "often", "unsigned", "all"],
)
def test_a_row_of_places_is_the_layer_of_dask(key: Any) -> None:
    with nothing_runs():
        ours = X[key]
    place = np.asarray(key, int) if len(key) == 0 else key
    assert ours.name == RAW[place].name
    np.testing.assert_array_equal(ours.compute().data, NUMBERS[place])


def test_places_that_there_are_not() -> None:
    for bad in ([3], [0, -4]):
        with pytest.raises(IndexError):
            X[bad]
    with pytest.raises(ShapeMismatch, match="a key for 0 axes at most"):
        DaskDimArray(1.0, "m")[[0]]
