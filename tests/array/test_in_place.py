"""`x += y` writes into the array in its own unit, or raises and changes nothing."""

import operator
from typing import Any

import numpy as np
import pytest

from dimflow import DimArray, Unit, units
from dimflow.errors import PointError, UnitError


def test_sums_convert_into_the_unit() -> None:
    raw = np.array([1.0, 2.0])
    x = alias = DimArray(raw, "m")
    x += 1 * units.km
    assert x is alias
    assert raw.tolist() == [1001.0, 1002.0]
    x -= DimArray([1.0, 1.0], "cm")
    np.testing.assert_allclose(raw, [1000.99, 1001.99])
    x += 0
    x *= 2
    x /= DimArray(50.0, "percent")
    np.testing.assert_allclose(raw, [4003.96, 4007.96])
    assert x.unit is Unit("m")


def test_remainders_and_powers() -> None:
    x = DimArray([7.0, 8.0], "m")
    x %= 300 * units.cm
    np.testing.assert_allclose(x.data, [1.0, 2.0])
    y = DimArray([2.0, 3.0])
    y **= 2
    y //= 2
    assert y.tolist() == [2.0, 4.0]
    x **= 1
    assert x.unit is Unit("m")


@pytest.mark.parametrize(
    ("function", "other"),
    [
        (operator.iadd, 1 * units.s),
        (operator.iadd, 5),
        (operator.imul, 2 * units.m),
        (operator.imul, units.m),
        (operator.itruediv, units.s),
        (operator.itruediv, 2 * units.m),
        (operator.ipow, 2),
        (operator.ifloordiv, 2 * units.m),
        (operator.iadd, 20 * units.degC),
        (operator.iadd, "a"),
    ],
    ids=str,
)
def test_what_would_change_the_unit_changes_nothing(function: Any, other: Any) -> None:
    raw = np.array([1.0, 2.0])
    x = DimArray(raw, "m")
    with pytest.raises((UnitError, TypeError)):
        function(x, other)
    assert raw.tolist() == [1.0, 2.0]
    assert x.data is raw
    assert x.unit is Unit("m")


def test_integers_do_not_take_fractions() -> None:
    x = DimArray([1, 2], "m")
    with pytest.raises(TypeError):
        x += 1.5 * units.m
    with pytest.raises(TypeError):
        x += 1 * units.cm
    x += 1 * units.m
    assert x.tolist() == [2, 3]


def test_points() -> None:
    t = DimArray([20.0], "degC")
    t += 9 * units.delta_degF
    assert t.tolist() == [25.0]
    with pytest.raises(PointError):
        t += 1 * units.degC
    with pytest.raises(PointError):
        t *= 2
    with pytest.raises(UnitError):
        t -= 1 * units.degC  # a difference does not fit
    assert t.tolist() == [25.0]


def test_numbers_of_numpy_are_replaced() -> None:
    x = DimArray([1.0, 2.0], "m")
    total = x.sum()
    kept = total
    total += 1 * units.km
    assert total.item() == 1003
    assert kept.item() == 3


def test_a_broadcast_result_does_not_fit() -> None:
    x = DimArray([1.0], "m")
    with pytest.raises(ValueError, match="broadcast"):
        x += DimArray([1.0, 2.0], "m")
    assert x.tolist() == [1.0]


def test_a_refused_assignment_says_which_unit_the_array_has() -> None:
    x = DimArray([1.0, 2.0], "m")
    with pytest.raises(UnitError) as caught:
        x[0] = 7
    assert str(caught.value) == (
        "an assignment takes values in m, but got a pure number\n"
        "  hint:  write the value with its unit: 5 * Unit('m')"
    )
    with pytest.raises(UnitError) as caught:
        x[0] = DimArray(1.0, "s")
    assert str(caught.value) == "an assignment takes values in m, but got s"
    with pytest.raises(UnitError, match="a list of numbers and quantities takes values in m"):
        DimArray([DimArray(1.0, "m"), 2])
    assert x.tolist() == [1.0, 2.0]
