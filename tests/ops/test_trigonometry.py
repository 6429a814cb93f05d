"""Angles: in any unit in, radians out."""

import numpy as np
import pytest
from astropy import units as astropy_units
from hypothesis import given
from hypothesis import strategies as st

from dimflow import DimArray, ops
from dimflow.errors import DimensionError, PointError, PureNumberError
from dimflow.units import Unit

ANGLES = {"rad": 1.0, "deg": np.pi / 180, "arcmin": np.pi / 10800, "turn": 2 * np.pi, "mrad": 1e-3}
angles = st.sampled_from(sorted(ANGLES))
values = st.floats(-3, 3)


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
@given(x=values, unit=angles)
def test_an_angle_means_the_same_in_every_unit(name, x, unit):
    got = ops.get(name)(DimArray(x / ANGLES[unit], unit))
    assert got.unit == Unit("")
    assert got.item() == pytest.approx(getattr(np, name)(x), rel=1e-9, abs=1e-12)


def test_known_values():
    assert ops.sin(DimArray(90.0, "deg")).item() == 1.0
    assert ops.cos(DimArray(60.0, "deg")).item() == pytest.approx(0.5)
    assert ops.tan(DimArray(0.125, "turn")).item() == pytest.approx(1.0)
    assert ops.asin(DimArray(100.0, "percent")).to_value("deg") == pytest.approx(90)


@pytest.mark.parametrize("name", ["asin", "acos", "atan"])
def test_inverse_functions_give_radians(name):
    got = ops.get(name)(DimArray([50.0], "percent"))
    assert got.unit == Unit("rad")
    np.testing.assert_allclose(got.data, getattr(np, f"arc{name[1:]}")([0.5]))


@given(values, values)
def test_atan2_compares_lengths_of_any_unit(x, y):
    got = ops.atan2(DimArray(x, "km"), DimArray(1000 * y, "m"))
    assert got.unit == Unit("rad")
    theirs = np.arctan2(x * astropy_units.km, 1000 * y * astropy_units.m)
    assert got.item() == pytest.approx(theirs.to_value("rad"), rel=1e-9, abs=1e-12)


def test_what_is_no_angle_is_refused():
    for name in ("sin", "cos", "tan", "deg2rad", "rad2deg", "radians", "degrees"):
        for unit in ("m", "sr", "rad/s"):
            with pytest.raises(PureNumberError, match="it takes an angle or a pure number"):
                ops.get(name)(DimArray(1.0, unit))
    for name in ("asin", "sinh", "atanh"):
        with pytest.raises(PureNumberError):
            ops.get(name)(DimArray(0.5, "m"))
    with pytest.raises(DimensionError):
        ops.atan2(DimArray(1.0, "m"), DimArray(1.0, "s"))
    with pytest.raises(PointError):
        ops.atan2(DimArray(1.0, "degC"), DimArray(1.0, "degC"))


@pytest.mark.parametrize("name", ["deg2rad", "radians"])
def test_angles_in_any_unit_become_radians(name):
    op = ops.get(name)
    for unit, factor in ANGLES.items():
        got = op(DimArray(np.pi / factor, unit))
        assert got.unit == Unit("rad")
        assert got.item() == pytest.approx(np.pi)
    assert op(DimArray(180.0, "")).item() == pytest.approx(np.pi)  # a number counts as degrees
    assert op(180.0) == pytest.approx(np.pi)


@pytest.mark.parametrize("name", ["rad2deg", "degrees"])
def test_angles_in_any_unit_become_degrees(name):
    op = ops.get(name)
    for unit, factor in ANGLES.items():
        got = op(DimArray(np.pi / factor, unit))
        assert got.unit == Unit("deg")
        assert got.item() == pytest.approx(180)
    assert op(DimArray(np.pi, "")).item() == pytest.approx(180)  # a number counts as radians
    assert op(np.pi) == pytest.approx(180)


@given(values)
def test_hyperbolic_identities(x):
    p = DimArray(100 * x, "percent")
    cosh, sinh = ops.cosh(p), ops.sinh(p)
    assert (cosh * cosh - sinh * sinh).item() == pytest.approx(1, abs=1e-9)
    assert ops.tanh(p).item() == pytest.approx((sinh / cosh).item())
    assert ops.asinh(sinh).item() == pytest.approx(x, abs=1e-12)
    assert ops.atanh(ops.tanh(p)).item() == pytest.approx(x, rel=1e-9, abs=1e-9)
