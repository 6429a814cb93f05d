"""Assertions about quantities: they pass, fail and complain when they should."""

import inspect
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from dimflow import DimArray, Dimension, Unit, testing, units
from dimflow.errors import DimensionError, PointError, ShapeMismatch, UnitError
from dimflow.testing import (
    assert_allclose,
    assert_array_equal,
    assert_dimension,
    assert_equal,
    assert_identical,
    assert_unit,
)

KM, M = DimArray([1.0, 2.0], "km"), DimArray([1000.0, 2000.0], "m")
NEAR = DimArray([1000.0, 2001.0], "m")


class TestClose:
    @pytest.mark.parametrize(
        ("actual", "desired", "options"),
        [
            (KM, M, {}),
            (M, KM, {}),
            (KM, NEAR, {"rtol": 1e-3}),
            (KM, NEAR, {"rtol": DimArray(0.1, "percent")}),
            (KM, NEAR, {"rtol": 0, "atol": 1.001 * units.m}),
            (KM, [1 * units.km, 2000 * units.m], {}),
            (DimArray([0.0, 1e-9], "km"), 0, {"atol": 1 * units.mm}),
            (DimArray([np.nan, np.inf], "m"), DimArray([np.nan, np.inf], "km"), {}),
            (DimArray([np.inf], "m"), np.inf, {}),
            (1.0, 1.0, {}),
            (np.ones(2), DimArray(100.0, "percent"), {}),
            (DimArray(1.0 + 1e-9), 1, {"atol": 1e-8, "rtol": 0}),
            (DimArray(20.0, "degC"), DimArray(293.15, "K"), {}),
            (DimArray(20.0, "degC"), DimArray(68.0, "degF"), {}),
            (DimArray(20.0, "degC"), DimArray(20.05, "degC"), {"atol": 0.1 * units.K}),
            (DimArray(0.0, "dBm"), DimArray(1.0, "mW"), {}),
            (DimArray(0.0, "dBm"), DimArray(0.1, "dBm"), {"atol": 0.1 * units.mW}),
        ],
        ids=str,
    )
    def test_passes(self, actual: Any, desired: Any, options: dict[str, Any]) -> None:
        assert_allclose(actual, desired, **options)

    @pytest.mark.parametrize(
        ("actual", "desired", "options"),
        [
            (KM, NEAR, {}),
            (KM, NEAR, {"rtol": 1e-4}),
            (KM, NEAR, {"rtol": 0, "atol": 0.999 * units.m}),
            (KM, DimArray([1000.0, 2000.0], "s"), {}),
            (KM, np.array([1.0, 2.0]), {}),
            (KM, 1.0, {}),
            (KM, DimArray([1.0, 2.0, 3.0], "km"), {}),
            (DimArray([np.nan], "m"), DimArray([np.nan], "m"), {"equal_nan": False}),
            (DimArray([np.inf], "m"), DimArray([-np.inf], "m"), {}),
            (DimArray(0.0, "degC"), DimArray(0.001, "degC"), {}),
            (DimArray(90.0, "deg"), np.pi / 2, {}),
        ],
        ids=str,
    )
    def test_fails(self, actual: Any, desired: Any, options: dict[str, Any]) -> None:
        with pytest.raises(AssertionError):
            assert_allclose(actual, desired, **options)

    @given(testing.arrays("km"), testing.units("length"))
    def test_the_unit_does_not_matter(self, x: DimArray, unit: Unit) -> None:
        with np.errstate(all="ignore"):
            y = x.to(unit)
        is_kept = np.isfinite(y.data) & (np.abs(y.data) > 1e-290) & (np.abs(x.data) > 1e-250)
        assert_allclose(y[is_kept], x[is_kept], rtol=1e-12)

    @pytest.mark.parametrize("atol", [1, 1 * units.s, DimArray(1.0, "percent")])
    def test_a_tolerance_needs_the_right_unit(self, atol: Any) -> None:
        with pytest.raises(DimensionError, match=r"hint:  atol=\.\.\. \* Unit\('m'\)"):
            assert_allclose(KM, M, atol=atol)

    def test_points_as_tolerance_and_a_bare_zero(self) -> None:
        T = DimArray(20.0, "degC")
        with pytest.raises(PointError):
            assert_allclose(T, T, atol=DimArray(1.0, "degC"))
        with pytest.raises(UnitError, match="a bare 0 is no point"):
            assert_allclose(T, 0)

    @pytest.mark.parametrize("check", [assert_allclose, assert_array_equal, assert_equal])
    def test_the_message_shows_both_in_one_unit(self, check: Any) -> None:
        with pytest.raises(AssertionError) as error:
            check(KM, NEAR, err_msg="the way home")
        text = str(error.value)
        for part in ("the way home", "in m (actual in km)", "2001.", "2000."):
            assert part in text
        assert text.index("the way home") < text.index("in m (")
        assert ("rtol=1e-07" in text) is (check is assert_allclose)

    def test_the_message_shows_both_units(self) -> None:
        with pytest.raises(AssertionError) as error:
            assert_allclose(KM, 5 * units.s, err_msg="the way home")
        assert str(error.value) == (
            "the way home\nthe units differ\n  actual:  km   [length]\n  desired: s   [time]"
        )

    @pytest.mark.parametrize("options", [{"rtol": [1e-3, 1e-4]}, {"atol": KM}], ids=str)
    def test_a_tolerance_is_one_number(self, options: dict[str, Any]) -> None:
        with pytest.raises(ShapeMismatch, match="one number"):
            assert_allclose(KM, KM, **options)

    def test_numbers_that_are_none(self) -> None:
        with pytest.raises(TypeError):
            assert_allclose(KM, "text")


class TestEqual:
    def test_passes(self) -> None:
        assert_array_equal(KM, M)
        assert_equal(KM, M)
        assert_equal({"a": [KM, "x"], "b": 3}, {"a": [M, "x"], "b": 3})
        assert_equal((1, None), (1, None))

    @pytest.mark.parametrize(
        ("actual", "desired"),
        [
            (KM, NEAR),
            (KM, KM[None]),
            (KM[:1], 1 * units.km),
            (KM, DimArray([1.0, 2.0], "s")),
            ({"a": KM}, {"a": NEAR}),
            ({"a": KM}, {"b": KM}),
            (KM, {"b": KM}),
            ([KM], [KM, KM]),
            ([KM, 1], [KM, 2]),
            (1, 2),
        ],
        ids=str,
    )
    def test_fails(self, actual: Any, desired: Any) -> None:
        with pytest.raises(AssertionError):
            assert_equal(actual, desired)

    def test_the_message_says_where(self) -> None:
        with pytest.raises(AssertionError, match=r"key 'a'\nitem 1"):
            assert_equal({"a": [1, KM]}, {"a": [1, NEAR]})

    def test_identical(self) -> None:
        assert_identical(KM, KM.copy())
        assert_identical(DimArray([np.nan], "m"), DimArray([np.nan], "m"))
        for other in (M, KM.astype("f4"), KM[None], KM * 1.5, DimArray([1.0, 2.0]), KM.data):
            with pytest.raises(AssertionError):
                assert_identical(other, KM)
        with pytest.raises(AssertionError, match=r"unit: N is not kg\*m/s\*\*2"):
            assert_identical(DimArray([1.0], "N"), DimArray([1.0], "kg*m/s**2"))


class TestUnits:
    def test_units(self) -> None:
        assert_unit(1 * units.N, "kg*m/s**2")
        assert_unit(3.0, "")
        with pytest.raises(AssertionError, match="the unit is N, not kN"):
            assert_unit(1 * units.N, units.kN)
        with pytest.raises(AssertionError, match="the unit is pure numbers, not m"):
            assert_unit(1.0, "m")

    @pytest.mark.parametrize(
        "dimension", ["force", units.kN, Dimension("force"), units.N.dimension]
    )
    def test_dimensions(self, dimension: Any) -> None:
        assert_dimension(1 * units.N, dimension)
        with pytest.raises(AssertionError, match="weight\nthe dimension of J is not"):
            assert_dimension(1 * units.J, dimension, "weight")


class TestStrategies:
    @given(testing.arrays(["km", "mm"], dtype="f4", shape=(2, 3), elements={"min_value": 0}))
    def test_arrays(self, x: DimArray) -> None:
        assert x.unit in (Unit("km"), Unit("mm"))
        assert (x.dtype, x.shape) == (np.dtype("f4"), (2, 3))
        assert (x >= 0).all()

    @given(testing.arrays(testing.units("speed")))
    def test_arrays_of_a_dimension(self, x: DimArray) -> None:
        assert_dimension(x, "speed")

    @given(testing.arrays())
    def test_arrays_of_any_unit(self, x: DimArray) -> None:
        assert x.unit.law is None

    def test_units_of_a_dimension_are_many_and_linear(self) -> None:
        found = testing._of_dimension(Dimension("temperature"))
        assert {Unit("K")} < set(found)
        assert all(unit.law is None for unit in found)


def test_assertions_hide_their_own_frames() -> None:
    for name in testing.__all__:
        if name.startswith("assert_"):
            assert "__tracebackhide__" in inspect.getsource(getattr(testing, name))
