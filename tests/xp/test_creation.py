"""New arrays: what array-api-strict makes, and what only dimflow can: units."""

from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from hypothesis.extra.array_api import make_strategies_namespace

from dimflow import DimArray, Unit, xp
from dimflow.errors import (
    NotANumber,
    UnitChoiceError,
    UnitConversionError,
    UnitError,
    UnitParseError,
)
from tests.xp.agreement import DTYPES, agree, assert_same, attempt, run
from tests.xp.recipes import any_value, moderate, numbers

FEW = settings(max_examples=max(1, settings.default.max_examples // 6))
xps = make_strategies_namespace(xp)
dtypes = st.none() | st.sampled_from(DTYPES).map(np.dtype)
shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3) | st.integers(0, 3)
scalars = st.sampled_from([True, 0, 1, -1, 2.5, float("nan"), float("inf"), 1j])


@pytest.mark.parametrize("name", ["zeros", "ones"])
@given(shape=shapes, dtype=dtypes)
@FEW
def test_arrays_of_one_value(name: str, shape: Any, dtype: Any) -> None:
    agree(name, shape, dtype=dtype)
    empty = xp.empty(shape, dtype=dtype)
    assert (empty.shape, empty.dtype) == (xp.zeros(shape).shape, xp.zeros(1, dtype=dtype).dtype)


@given(shape=shapes, value=scalars, dtype=dtypes)
@FEW
def test_full(shape: Any, value: Any, dtype: Any) -> None:
    got, wanted = run("full", shape, value, dtype=dtype)
    if not isinstance(wanted, Exception):
        assert_same(got, wanted)


@given(
    rows=st.integers(0, 4),
    columns=st.none() | st.integers(0, 4),
    k=st.integers(-5, 5),
    dtype=dtypes,
)
@FEW
def test_eye(rows: int, columns: int | None, k: int, dtype: Any) -> None:
    agree("eye", rows, columns, k=k, dtype=dtype)


@given(
    start=st.integers(-9, 9) | st.floats(-9, 9, width=16),
    stop=st.none() | st.integers(-9, 9),
    step=st.integers(-4, 4).filter(bool) | st.sampled_from([0.5, -0.25]),
    dtype=st.none()
    | st.sampled_from([np.dtype(d) for d in ("int32", "int64", "float32", "float64")]),
)
@FEW
def test_arange(start: Any, stop: Any, step: Any, dtype: Any) -> None:
    agree("arange", start, stop, step, dtype=dtype)


@given(
    start=st.integers(-9, 9) | st.floats(-9, 9, width=16),
    stop=st.integers(-9, 9) | st.just(1 + 2j),
    num=st.integers(0, 9),
    endpoint=st.booleans(),
    dtype=st.none() | st.sampled_from([np.dtype(d) for d in ("complex64", "complex128")]),
)
@FEW
def test_linspace(start: Any, stop: Any, num: int, endpoint: bool, dtype: Any) -> None:
    agree("linspace", start, stop, num, endpoint=endpoint, dtype=dtype, rtol=1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
@given(data=st.data())
@FEW
def test_asarray_of_lists_and_numbers(dtype: str, data: Any) -> None:
    shape = hnp.array_shapes(min_dims=0, max_dims=2, min_side=1, max_side=3)
    values = numbers(data.draw, dtype, shape, any_value)
    made = xp.asarray(values.tolist(), dtype=getattr(xp, dtype))
    assert made.dtype == getattr(xp, dtype)
    np.testing.assert_array_equal(made.data, values)
    agree("asarray", numbers(data.draw, dtype, shape, moderate).tolist())


@given(x=xps.arrays(xps.scalar_dtypes(), hnp.array_shapes(min_dims=0, min_side=0)), data=st.data())
@FEW
def test_copies_are_made_when_asked_for(x: DimArray, data: Any) -> None:
    before = x.data.copy()
    assert xp.asarray(x).data is x.data
    assert np.shares_memory(xp.asarray(x, copy=False).data, x.data) or not x.size
    copy = xp.asarray(x, copy=True)
    copy[...] = data.draw(xps.from_dtype(x.dtype))
    np.testing.assert_array_equal(x.data, before)
    for other in (xp.astype(x, x.dtype), xp.reshape(x, (-1,) if x.size else (0,), copy=True)):
        assert not np.shares_memory(other.data, x.data)
    assert xp.astype(x, x.dtype, copy=False).data is x.data
    assert np.shares_memory(xp.reshape(x, (x.size,), copy=False).data, x.data) or not x.size


@given(x=xps.arrays(xps.scalar_dtypes(), hnp.array_shapes(min_dims=0, min_side=0)))
@FEW
def test_dlpack_goes_round(x: DimArray) -> None:
    for made in (xp.from_dlpack(x), xp.from_dlpack(x.data), xp.from_dlpack(x, copy=True)):
        assert (made.dtype, made.shape, made.device) == (x.dtype, x.shape, x.device)
        np.testing.assert_array_equal(made.data, x.data)


@pytest.mark.parametrize("n", [1, 2, 5, 8])
@pytest.mark.parametrize("dtype", [None, "float32", "float64"])
@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies(name: str, n: int, dtype: str | None) -> None:
    agree(f"fft.{name}", n, d=0.5, dtype=dtype and np.dtype(dtype))
    with_unit = getattr(xp.fft, name)(n, d=DimArray(0.5, "s"))
    assert with_unit.unit == Unit("Hz")
    np.testing.assert_array_equal(with_unit.data, getattr(xp.fft, name)(n, d=0.5).data)


# Units


def test_every_function_of_creation_takes_a_unit() -> None:
    metre = Unit("m")
    made = [
        *(xp.zeros(2, unit="m"), xp.ones((1, 2), unit=metre), xp.empty(3, unit="m")),
        *(xp.full(2, 7.0, unit="m"), xp.eye(2, unit="m"), xp.arange(3, unit="m")),
        *(xp.linspace(0, 1, 3, unit="m"), xp.asarray([1, 2], unit="m")),
        xp.from_dlpack(np.ones(2), unit="m"),
    ]
    assert all(x.unit is metre for x in made)


def test_ends_and_values_bring_their_own_unit() -> None:
    km = DimArray(1.0, "km")
    np.testing.assert_array_equal(
        xp.arange(0, km, DimArray(250.0, "m")).to_value("m"), [0, 250, 500, 750]
    )
    assert xp.linspace(0, km, 3).unit == Unit("km")
    assert xp.full(2, km).unit == Unit("km")
    np.testing.assert_array_equal(xp.full(2, km, unit="m").data, [1000, 1000])
    assert xp.full_like(xp.zeros(2, unit="m"), km).unit == Unit("m")


def test_what_has_a_unit_keeps_it_or_is_converted() -> None:
    x = DimArray([1.0, 2.0], "km")
    assert xp.asarray(x) is x
    assert xp.asarray(x, dtype=xp.float32).unit is x.unit
    np.testing.assert_array_equal(xp.asarray(x, unit="m").data, [1000, 2000])
    assert xp.from_dlpack(x).unit is x.unit
    assert xp.asarray([x[0], DimArray(500.0, "m")]).unit is x.unit
    with pytest.raises(UnitConversionError):
        xp.asarray(x, unit="s")


def test_fractions_of_a_quantity_are_not_cut_off_unless_a_unit_is_chosen() -> None:
    x = DimArray([1.25, 2.5], "km")
    with pytest.raises(UnitChoiceError):
        xp.asarray(x, dtype=xp.int64)
    with pytest.raises(UnitChoiceError):
        xp.astype(x, xp.int64)
    np.testing.assert_array_equal(xp.asarray(x, dtype=xp.int64, unit="m").data, [1250, 2500])
    np.testing.assert_array_equal(xp.astype(x, xp.int64, unit="m").to_value("m"), [1250, 2500])


# Bad input


@pytest.mark.parametrize("bad", ["a", b"a", None, {}, [None], [["a"]], Unit("m"), print], ids=repr)
def test_what_is_no_array_is_refused(bad: Any) -> None:
    with pytest.raises(UnitParseError if bad == "a" else NotANumber):
        xp.asarray(bad)


def test_a_copy_that_is_forbidden_and_needed() -> None:
    x = xp.asarray([1.0, 2.0])
    with pytest.raises(ValueError, match="copy"):
        xp.asarray([1.0], copy=False)
    with pytest.raises(UnitError, match="copy=False cannot make float64 into"):
        xp.asarray(x, dtype=xp.int8, copy=False)
    with pytest.raises(ValueError, match="copy"):
        xp.reshape(xp.reshape(xp.arange(6.0), (2, 3)).T, (6,), copy=False)


@pytest.mark.parametrize("name", ["zeros", "ones", "empty"])
def test_a_device_that_is_not_there(name: str) -> None:
    with pytest.raises(UnitError, match="'cuda:7'"):
        getattr(xp, name)(2, device="cuda:7")


@pytest.mark.parametrize(
    "name", ["zeros", "ones", "empty", "full", "eye", "arange", "linspace", "asarray"]
)
def test_a_wrong_call_fails_as_python_fails(name: str) -> None:
    assert isinstance(attempt(lambda: getattr(xp, name)()), TypeError)
    assert isinstance(attempt(lambda: getattr(xp, name)(1, 2, 3, 4, 5)), TypeError)
    assert isinstance(attempt(lambda: getattr(strict, name)(1, 2, 3, 4, 5)), TypeError)
