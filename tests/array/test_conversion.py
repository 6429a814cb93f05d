"""To other units, dtypes and plain Python; nothing loses a unit on the way."""

import copy
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow import DimArray, Unit, units
from dimflow.errors import (
    BackendNotInstalled,
    ComputationError,
    PointError,
    ShapeMismatch,
    UnitChoiceError,
    UnitConversionError,
    UnitLossError,
)
from tests.array.strategies import FAMILIES, arrays, si


@given(st.data(), st.sampled_from(sorted(FAMILIES)))
def test_conversion_keeps_the_quantity(data: Any, family: str) -> None:
    x = data.draw(arrays(family))
    target = Unit(data.draw(st.sampled_from(FAMILIES[family])))
    converted = x.to(target)
    assert converted.unit is target
    np.testing.assert_allclose(si(converted), si(x), rtol=1e-12)
    np.testing.assert_allclose(converted.to(x.unit).data, x.data, rtol=1e-12)
    if converted.size and isinstance(x.data, np.ndarray):
        assert not np.shares_memory(converted.data, x.data)


PARTS = st.sampled_from([0.0, -0.0, 1.5, -3.0, np.inf, -np.inf, np.nan, 1e30])


@given(
    st.data(),
    st.sampled_from(sorted(FAMILIES)),
    st.sampled_from([np.complex64, np.complex128]),
    st.lists(st.tuples(PARTS, PARTS), min_size=1, max_size=4),
    st.booleans(),
)
def test_a_complex_number_is_converted_by_parts(
    data: Any, family: str, dtype: Any, numbers: list[tuple[float, float]], is_one: bool
) -> None:
    """The factor is real: as a complex one it would make nan of infinite numbers."""
    source, target = (Unit(data.draw(st.sampled_from(FAMILIES[family]))) for _ in range(2))
    raw = np.array([complex(*parts) for parts in numbers], dtype)
    raw = raw[0] if is_one else raw
    with np.errstate(over="ignore"):
        found = DimArray(raw, source).to(target)
        for part in ("real", "imag"):
            known = DimArray(getattr(raw, part), source).to(target)
            np.testing.assert_array_equal(getattr(found.data, part), known.data)
            assert known.dtype == getattr(found.data, part).dtype
    assert found.dtype == dtype


def test_conversions_agree_with_those_of_single_numbers() -> None:
    for source, target in [("degC", "degF"), ("dBm", "W"), ("W", "dBm"), ("mile/hour", "km/h")]:
        numbers = [1.0, 12.5, 300.0]
        expected = [units.convert(n, source, target) for n in numbers]
        np.testing.assert_allclose(DimArray(numbers, source).to(target).data, expected, rtol=1e-13)


def test_division_by_an_exact_divisor_is_rounded_once() -> None:
    metres = np.arange(1.0, 1000.0)
    np.testing.assert_array_equal(DimArray(metres, "m").to("km").data, metres / 1000)


def test_via() -> None:
    light = DimArray([500.0], "nm")
    assert light.to("THz", via="spectral").item() == pytest.approx(599.584916)
    with pytest.raises(UnitConversionError, match="spectral"):
        light.to("THz")
    with pytest.raises(UnitConversionError):
        DimArray(60.0, "rpm").to("Hz")
    assert DimArray(60.0, "rpm").to("Hz", via="cycles").item() == pytest.approx(1)


def test_the_same_unit_is_a_copy_unless_asked() -> None:
    x = DimArray([1.0], "m")
    assert not np.shares_memory(x.to("m").data, x.data)
    assert x.to("m", copy=False).data is x.data
    assert x.to_value() is x.data
    assert x.to_value("cm").tolist() == [100.0]
    assert x.m_as("cm").tolist() == [100.0]


def test_base_units_and_systems() -> None:
    x = DimArray([1.0], "kN")
    assert x.to_base_units().unit is Unit("kg*m/s**2")
    assert x.in_system("CGS").to("dyn").item() == pytest.approx(1e8)
    assert DimArray(1.0, "km/m").simplified().item() == 1000
    assert DimArray(20.0, "degC").to_base_units().item() == pytest.approx(293.15)


def test_plain_numbers_only_of_pure_numbers() -> None:
    share = DimArray(50, "percent")
    assert (float(share), complex(share)) == (0.5, 0.5)
    assert int(DimArray(3)) == 3
    assert [10, 20, 30][DimArray(1)] == 20
    assert math.exp(DimArray(0.0)) == 1
    assert np.asarray(DimArray([50.0], "percent")).tolist() == [0.5]
    length = DimArray(1.0, "m")
    for lose in (
        float,
        int,
        complex,
        math.sin,
        np.asarray,
        np.array,
        np.float64,
        "abc".__getitem__,
    ):
        with pytest.raises((UnitLossError, TypeError)):
            lose(length)
    with pytest.raises(UnitLossError) as caught:
        float(length)
    assert str(caught.value) == (
        "float(x) would lose the unit m\n"
        "  hint:  take the numbers in a unit of your choice: x.to_value('m'); "
        "NumPy's functions, such as hypot and isclose, take quantities"
    )
    with pytest.raises(UnitLossError):
        float(DimArray(1.0, "rad"))


def test_truth() -> None:
    assert DimArray(1.0, "m")
    assert not DimArray(0.0, "m")
    with pytest.raises(ValueError, match="ambiguous"):
        bool(DimArray([1.0, 2.0], "m"))
    with pytest.raises(PointError):
        bool(DimArray(0.0, "degC"))


def test_items_lists_and_numpy() -> None:
    x = DimArray([[1.0, 2.0]], "km")
    assert x.tolist() == [[1.0, 2.0]]
    assert x.item(0, 1) == 2.0
    assert x.to_numpy() is x.data
    assert x.to_numpy("m").tolist() == [[1000.0, 2000.0]]
    with pytest.raises(ValueError, match="size 1"):
        x.item()


def test_dtypes() -> None:
    x = DimArray([1.6, 2.4], "m")
    assert x.astype("float32").dtype == np.float32
    assert x.astype(complex).unit is x.unit
    with pytest.raises(UnitChoiceError):
        x.astype(int)
    assert x.astype(int, unit="cm").tolist() == [160, 240]
    assert DimArray([1.0, 2.0]).astype(int).tolist() == [1, 2]


def test_copies_share_nothing() -> None:
    x = DimArray([1.0], "m")
    for twin in (x.copy(), copy.copy(x), copy.deepcopy(x)):
        twin[0] = 5 * units.m
        assert twin.unit is x.unit
    assert x.item() == 1
    assert x.detach().data is x.data


def test_libraries_that_are_not_there() -> None:
    x = DimArray([1.0], "m")
    assert x.to_backend("numpy") is x
    with pytest.raises(BackendNotInstalled):
        x.to_backend("nonsense")
    assert x.to_device("cpu").tolist() == [1.0]


def test_validate() -> None:
    x = DimArray([[1.0, -2.0], [np.nan, 4.0]], "m")
    assert x.validate(unit="km", shape=(2, None)) is x
    for options, problem in [
        ({"finite": True}, "1 of 4 elements are not finite; the first is nan m at [1, 0]"),
        ({"positive": True}, "2 of 4 elements are not positive; the first is -2.0 m at [0, 1]"),
        ({"nonnegative": True}, "2 of 4 elements are not nonnegative"),
        ({"minimum": 0 * units.cm}, "2 of 4 elements are not at least 0 cm"),
        ({"maximum": 300 * units.cm}, "2 of 4 elements are not at most 300 cm"),
    ]:
        with pytest.raises(ComputationError) as caught:
            x.validate(**options)
        assert problem in str(caught.value)
    with pytest.raises(UnitConversionError):
        x.validate(unit="s")
    with pytest.raises(ShapeMismatch):
        x.validate(shape=(2, 3))
    with pytest.raises(ShapeMismatch):
        x.validate(shape=(2,))
