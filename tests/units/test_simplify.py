"""simplified(): an equal unit, never longer to read."""

import pytest
from hypothesis import given

from dimflow import Unit
from dimflow.units import Registry
from tests.units.strategies import EVERY_UNIT, any_units, products, tame_products, user_units


def length(unit: Unit) -> tuple[int, int]:
    return len(unit.atoms), len(str(unit))


@given(products() | tame_products() | any_units() | user_units())
def test_equal_shorter_and_final(unit: Unit) -> None:
    simple = unit.simplified()
    assert simple == unit
    assert len(simple.atoms) <= max(1, len(unit.atoms))
    assert simple.simplified() is simple


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("J/m", "N"),
        ("kg*m/s**2", "N"),
        ("N*m", "J"),
        ("kg*m**2/s**3", "W"),
        ("V*A", "W"),
        ("W/V", "A"),
        ("V/A", "ohm"),
        ("A*s", "C"),
        ("kPa*m**2", "kN"),
        ("km/m", "1000"),
        ("m/m", ""),
        ("m", "m"),
        ("Hz", "Hz"),
        ("1/s", "1/s"),
        ("m/s", "m/s"),
        ("mile/hour", "mile/hour"),
        ("rad/s", "rad/s"),
        ("degC", "degC"),
        ("dBm", "dBm"),
        ("Bq", "Bq"),
    ],
)
def test_examples(text: str, result: str) -> None:
    assert str(Unit(text).simplified()) == str(Unit(result))


def test_a_single_unit_stays_what_it_is() -> None:
    assert all(unit.simplified() is unit for unit in EVERY_UNIT)


def test_radians_are_not_lost() -> None:
    assert Unit("N*m/rad").simplified().dimension is Unit("N*m/rad").dimension
    assert Unit("rad*s/s").simplified() == Unit("rad")


def test_it_does_not_depend_on_the_scope() -> None:
    """A memo that goes by meaning would give one scope's answer to another."""
    outside = Unit("12 kg*m/s**2").simplified()
    with Registry() as lab:
        lab.define("zqdozen- = 12 = zqd-")
        assert Unit("12 kg*m/s**2").simplified() is outside


def test_equal_units_of_other_spelling_have_their_own_answer() -> None:
    assert str(Unit("J/m").simplified()) == "N"
    assert str(Unit("mile/hour").simplified()) == "mi/h"
    assert str(Unit("mph").simplified()) == "mph"
