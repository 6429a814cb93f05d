"""A unit in attributes: dimflow reads it as it was spelled, and others by CF's text."""

from typing import Any

import pytest
from hypothesis import given

from dimflow import Unit, units
from dimflow.errors import UnitError, WireFormatError
from dimflow.io.attributes import unit_in, with_encoding, with_unit, without_unit
from dimflow.units import encode
from tests.units.strategies import EVERY_UNIT, any_units, products, user_units


@given(unit=any_units() | products() | user_units())
def test_the_encoding_keeps_the_spelling(unit: Unit) -> None:
    attrs = with_encoding({"long_name": "x"}, unit)
    assert unit_in(attrs) is unit
    assert isinstance(attrs["units"], str)
    assert without_unit(attrs) == {"long_name": "x"}


def test_the_text_alone_keeps_the_meaning() -> None:
    asked = Unit("decade")  # which may be ten years
    known = [unit for unit in EVERY_UNIT if unit is not asked]
    lost = [unit for unit in known if unit_in(with_unit({}, unit, None)) != unit]
    assert lost == []


@pytest.mark.parametrize("style", ["cf", "plain", "compact", "unicode"])
def test_a_text_of_two_readings_is_neither_written_nor_read(style: str) -> None:
    """In data, C and F may be degrees: coulombs and farads go by their names."""
    for unit in (units.C, units.F, units.R):
        assert unit_in(with_unit({}, unit, style)) is unit
        with pytest.raises(UnitError, match="two ways"):
            unit_in({"units": str(unit)})
        assert unit_in({"units": str(unit), "dimflow_unit": encode(unit)}) is unit


def test_no_unit_and_dates() -> None:
    assert unit_in({}) is None
    assert unit_in({"units": "days since 1970-01-01"}) is None
    assert unit_in({"units": 17}) is None


def test_texts_that_mean_the_same_agree() -> None:
    assert unit_in({"units": "km h-1", "dimflow_unit": encode(Unit("km/h"))}) is Unit("km/h")
    assert unit_in({"units": "newton", "dimflow_unit": encode(units.N)}) is units.N


@pytest.mark.parametrize(
    "attrs",
    [
        {"units": "m"},
        {"units": "K"},
        {"units": "no unit at all"},
        {"units": 5},
        {"units": "degC", "units_metadata": "temperature: difference"},
    ],
    ids=["length", "kelvin", "words", "number", "difference"],
)
def test_two_units_are_not_believed(attrs: dict[str, Any]) -> None:
    with pytest.raises(UnitError, match="the attributes say two units: dimflow_unit is 'degC'"):
        unit_in({**attrs, "dimflow_unit": encode(units.degC)})


@pytest.mark.parametrize("said", [5, ["m"], {"a": 1}, "m", "dimflow.unit/1|x"])
def test_damaged_encodings(said: Any) -> None:
    with pytest.raises(WireFormatError):
        unit_in({"units": "m", "dimflow_unit": said})
