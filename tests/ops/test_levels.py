"""Levels: what they differ by is a gain, and a gain beside a quantity is a ratio or a count."""

import operator
import re

import numpy as np
import pytest

from dimflow import DimArray, ops
from dimflow.errors import PointError
from dimflow.units import Unit
from tests.contract.hints.snippets import snippets

LEVELS = ("dB", "dBm", "dBV", "dB_field", "dB_SPL", "mag", "oct", "Np")
NUMBERS = np.array([1.0, 4.0, 5.0, -2.0])
OPERATORS = {"*": operator.mul, "/": operator.truediv, "@": lambda x, y: np.outer(x, y)}


@pytest.mark.parametrize("scale", LEVELS)
@pytest.mark.parametrize("n", [1, 2])
def test_their_differences_are_those_of_minus(scale: str, n: int) -> None:
    x = known = DimArray(NUMBERS, scale)
    for _ in range(n):
        known = known[1:] - known[:-1]
    for found in (ops.diff(x, n=n), np.diff(x, n=n)):
        assert found.unit == known.unit
        np.testing.assert_array_equal(found.data, known.data)


@pytest.mark.parametrize("scale", LEVELS)
@pytest.mark.parametrize("name", ["isclose", "allclose"])
def test_they_are_close_by_a_gain(name: str, scale: str) -> None:
    x, close = DimArray(NUMBERS, scale), getattr(np, name)
    gain = (x[1] - x[0]).unit
    for by in (0.05, 0.2):
        found = close(x, x + DimArray(by, gain), rtol=0, atol=DimArray(0.1, gain))
        assert bool(np.all(found)) is (by < 0.1)
    assert np.all(close(x, x, rtol=0, atol=0))
    with pytest.raises(PointError, match=re.escape(f"atol=0.1 * Unit({str(gain)!r})")):
        close(x, x)


@pytest.mark.parametrize("name", ["std", "var", "gradient", "ediff1d", "cov", "nanstd"])
@pytest.mark.parametrize("scale", [*LEVELS, "pH"])
def test_the_hint_is_of_their_differences(name: str, scale: str) -> None:
    """Not of the powers that they stand for."""
    x, function = DimArray(NUMBERS, scale), getattr(np, name)
    with pytest.raises(PointError) as caught:
        function(x)
    (code,) = snippets(str(caught.value.hint))
    found = function(eval(code, {"x": x, "Unit": Unit}))
    np.testing.assert_allclose(getattr(found, "data", found), function(NUMBERS))


@pytest.mark.parametrize("gain", ["dB", "Np", "dB_field", "oct", "mag"])
@pytest.mark.parametrize("unit", ["", "V", "W", "km", "1/km", "rad", "V/dB", "1/(km*Np)"])
@pytest.mark.parametrize("symbol", OPERATORS)
def test_a_gain_times_a_quantity_may_be_a_ratio_or_a_count(
    symbol: str, unit: str, gain: str
) -> None:
    """It is a count over a quantity with a dimension, 6 dB / (3 km), and times one per dB."""
    x, y = DimArray(np.array([1.0, 2.0]), unit), DimArray(np.array([6.0, 3.0]), gain)
    for left, right in ((x, y), (y, x)):
        is_count = left is y if symbol == "/" else symbol == "*" and ("B" in unit or "N" in unit)
        if is_count and unit:
            made = OPERATORS[symbol](left, right)
            steps = [DimArray(z.data, z.unit.delta if z is y else z.unit) for z in (left, right)]
            known = OPERATORS[symbol](*steps)
            assert made.unit == known.unit
            np.testing.assert_array_equal(made.data, known.data)
            continue
        with pytest.raises(PointError, match="has no meaning for points"):
            OPERATORS[symbol](left, right)
