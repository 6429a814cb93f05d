"""A unit in a product or quotient is what an array of one in that unit is."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import astropy.units
import numpy as np
import pandas as pd
import pint
import pytest
import xarray as xr

import dimflow
from dimflow import DimArray, Unit, constants, units
from dimflow.errors import PointError

_REGISTRY = pint.UnitRegistry()
PURE: dict[str, Any] = {
    "int": 3,
    "float": 0.5,
    "complex": 1 + 2j,
    "fraction": Fraction(2, 3),
    "decimal": Decimal("1.5"),
    "float32": np.float32(2),
    "array": np.array([[1.0, 2.0]]),
    "float32 array": np.array([1, 2], "float32"),
    "list": [1.0, 2.0],
    "nested tuple": ((1, 2), (3, 4)),
    "range": range(1, 4),
    "DimArray": DimArray([1.0, 2.0]),
    "list of pure quantities": [DimArray(2.0), DimArray(3.0)],
    "series": pd.Series([1.0, 2.0]),
    "labelled": xr.DataArray([1.0, 2.0], dims="x"),
}
WITH_UNITS: dict[str, Any] = {
    "quantity": 3 * units.km,
    "quantities": DimArray([1.0, 2.0], "km/h"),
    "percent": DimArray(20.0, "%"),
    "angle": DimArray(2.0, "rad"),
    "constant": constants.R,
    "list of quantities": [3.0 * units.m, 4.0 * units.km],
    "nested list of quantities": [(1.0 * units.m,), (2.0 * units.m,)],
    "timedelta": timedelta(hours=1),
    "timedelta64": np.timedelta64(1, "h"),
    "array of timedelta64": np.array([1, 2], "timedelta64[h]"),
    "pandas' Timedelta": pd.Timedelta("1h"),
    "astropy's quantity": 2.0 * astropy.units.km,
    "astropy's unit": astropy.units.hour,
    "list of astropy's": [1.0 * astropy.units.km],
    "pint's quantity": 2.0 * _REGISTRY.kilometre,
    "pint's unit": _REGISTRY.hour,
    "column": pd.Series([1.0, 2.0] * units.kN),
    "labelled quantities": xr.DataArray([1.0, 2.0] * units.kN, dims="x"),
}
LINEAR = ("m", "km/h", "1/s", "%", "rad", "")
FORMS: dict[str, Callable[[Any, Any], Any]] = {
    "unit * value": lambda unit, value: unit * value,
    "value * unit": lambda unit, value: value * unit,
    "unit / value": lambda unit, value: unit / value,
    "value / unit": lambda unit, value: value / unit,
}


def is_peer(value: Any) -> bool:
    return type(value).__module__.startswith(("astropy", "pint"))


def in_base(x: Any) -> tuple[Any, Unit]:
    array = DimArray(x)
    base = array.unit.to_base()
    return array.to_value(base), base


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", LINEAR)
@pytest.mark.parametrize("kind", [*PURE, *WITH_UNITS])
def test_a_unit_is_an_array_of_one(kind: str, text: str, form: str) -> None:
    """[3 m] * m is 3 m², as 3 m * m is, and no list of metres."""
    value = {**PURE, **WITH_UNITS}[kind]
    if form.startswith("value") and is_peer(value):
        return  # the other library's operator decides
    found = FORMS[form](Unit(text), value)
    wanted = FORMS[form](DimArray(1.0, text), DimArray(value))
    assert in_base(found)[1] is in_base(wanted)[1]
    np.testing.assert_allclose(in_base(found)[0], in_base(wanted)[0], rtol=1e-7)


@pytest.mark.parametrize("text", ["degC", "degF", "K @ 273.15"])
@pytest.mark.parametrize("kind", PURE)
def test_pure_numbers_of_degrees_are_points(kind: str, text: str) -> None:
    for points in (Unit(text) * PURE[kind], PURE[kind] * Unit(text)):
        assert DimArray(points).unit is Unit(text)


@pytest.mark.parametrize("text", ["degC", "degF", "K @ 273.15"])
@pytest.mark.parametrize("kind", WITH_UNITS)
def test_a_product_of_a_quantity_and_degrees_asks(kind: str, text: str) -> None:
    """R * 25 * degC would be by a difference of 25 °C, and R * (25 * degC) is refused too."""
    value = WITH_UNITS[kind]
    with pytest.raises(PointError):
        Unit(text) * value
    if not is_peer(value):
        with pytest.raises(PointError):
            value * Unit(text)
    if "@" not in text:
        assert DimArray(value / Unit("m") / Unit(text)).unit.law is None  # per difference


def test_a_traced_number_of_degrees_is_a_point() -> None:
    assert dimflow.grad(lambda x: (x * units.degC).to("K"))(20.0) == 1 * units.K
    with pytest.raises(PointError):
        dimflow.grad(lambda x: x * units.W * units.degC)(20.0)
