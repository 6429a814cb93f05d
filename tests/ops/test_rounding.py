"""Rounding and storage: they depend on the unit, so the unit is asked for."""

import math
from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dimflow
from dimflow import DimArray, ops
from dimflow.errors import DimensionError, PointError, UnitChoiceError, UnitError
from dimflow.units import Unit
from tests.contract.hints.snippets import snippets

ROUNDING = {
    "floor": math.floor,
    "ceil": math.ceil,
    "trunc": math.trunc,
    "fix": math.trunc,
    "rint": round,
}
finite = st.floats(-1e6, 1e6)


@pytest.mark.parametrize("name", sorted(ROUNDING))
@given(x=finite)
def test_whole_numbers_are_those_of_python(name, x):
    op = ops.get(name)
    assert op(np.float64(x)) == ROUNDING[name](x)
    assert op(DimArray(x, "")).item() == ROUNDING[name](x)
    got = op(DimArray(x, "m"), unit="m")
    assert got.unit == Unit("m")
    assert got.item() == ROUNDING[name](x)


@pytest.mark.parametrize("name", [*sorted(ROUNDING), "round", "spacing", "frexp", "modf"])
def test_without_a_unit_a_quantity_is_refused(name):
    op = ops.get(name)
    with pytest.raises(UnitChoiceError, match=f"{name} depends on the unit"):
        op(DimArray([1.5], "m"))
    with pytest.raises(UnitChoiceError):
        op(DimArray([90.0], "deg"))
    with pytest.raises(DimensionError, match="cannot convert m to s"):
        op(DimArray([1.5], "m"), unit="s")
    with pytest.raises(UnitError, match="arrays without units"):
        op(np.array([1.5]), unit="m")


RATIOS = [("m", "cm"), ("km", "inch"), ("J", "N*mm"), ("rad", "deg"), ("percent*m", "ft")]
CALLS = {
    **{name: getattr(ops, name) for name in (*ROUNDING, "round", "frexp", "modf")},
    **{f"np.{name}": getattr(np, name) for name in (*ROUNDING, "round", "frexp", "modf")},
    **{f"builtin {f.__name__}": f for f in (round, math.floor, math.ceil, math.trunc)},
    "x.round": lambda x: x.round(),
}


@pytest.mark.parametrize("ratio", RATIOS, ids="/".join)
@pytest.mark.parametrize("name", CALLS)
def test_the_hint_rounds_a_ratio_as_a_number(name, ratio):
    """1 m / 30 cm is 3.33: of it as m/cm, which is 0.033, nobody wants the whole part."""
    over, under = (Unit(unit) for unit in ratio)
    x = DimArray(7.3, over) / DimArray(0.7, under)
    try:
        found = CALLS[name](x)
    except UnitChoiceError as error:
        (code,) = snippets(str(error.hint))
        found = eval(code.replace("...", "x"), {"x": x, "dimflow": dimflow})
    known = CALLS[name](DimArray(x.to_value("")))
    found, known = (r if isinstance(r, tuple) else (r,) for r in (found, known))
    for one, other in zip(found, known, strict=True):
        assert float(one) == float(other)


def test_the_unit_chosen_is_the_one_rounded_in():
    x = DimArray([1.26, 3.94], "m")
    assert ops.floor(x, unit="cm").tolist() == [126.0, 394.0]
    assert ops.round(x, 1, unit="m").tolist() == [1.3, 3.9]
    assert ops.round(x.to("km"), 1, unit="m").tolist() == [1.3, 3.9]
    assert ops.ceil(DimArray([150.0], "percent"), unit="").tolist() == [2.0]
    assert ops.round(DimArray([10.4], "percent"), unit="percent").tolist() == [10.0]
    with pytest.raises(UnitChoiceError):  # 0 would be covariant, and is never meant
        ops.round(DimArray([10.4], "percent"))
    assert ops.round(DimArray([1234.0], "m"), -2, unit="m").tolist() == [1200.0]


@given(st.decimals(-1000, 1000, places=3), st.integers(0, 2))
def test_rounding_to_decimals_is_that_of_decimals(x, digits):
    exact = x.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_EVEN)
    edge = abs(x - exact) == Decimal("0.5").scaleb(-digits)  # binary fractions tip over here
    got = ops.round(DimArray(float(x), "s"), digits, unit="s").item()
    tolerance = float(Decimal(1).scaleb(-digits)) if edge else 1e-9
    assert got == pytest.approx(float(exact), abs=tolerance * 1.0001)


def test_points_are_rounded_on_their_scale():
    x = DimArray([20.6, -3.5], "degC")
    got = ops.floor(x, unit="degC")
    assert got.unit == Unit("degC")
    assert got.tolist() == [20.0, -4.0]
    assert ops.rint(x, unit="degF").tolist() == [69.0, 26.0]
    with pytest.raises(UnitChoiceError):
        ops.floor(x)
    with pytest.raises(PointError):
        ops.modf(x, unit="degC")


def test_parts_of_stored_numbers():
    x = DimArray([-3.75, 10.0], "m")
    fraction, whole = ops.modf(x, unit="m")
    assert fraction.tolist() == [-0.75, 0.0]
    assert whole.tolist() == [-3.0, 10.0]
    assert whole.unit == Unit("m")
    mantissa, exponent = ops.frexp(x, unit="m")
    assert isinstance(exponent, np.ndarray)
    assert (ops.ldexp(mantissa, exponent) == x).all()
    assert ops.spacing(x, unit="m").tolist() == np.spacing(x.data).tolist()
    assert (ops.nextafter(x, math.inf) > x).all()


def test_the_definition_of_modf_is_that_of_numpy_at_infinity():
    x = np.array([math.inf, -math.inf, -2.5])
    for got, wanted in zip(ops.modf.definition(x), np.modf(x), strict=True):
        np.testing.assert_array_equal(got, wanted)
