"""simplified(): an equal unit, never longer to read."""

from itertools import combinations, product

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
    assert kinds(simple) <= kinds(unit)
    assert size(simple) <= size(unit)


def size(unit: Unit) -> float:
    return sum(abs(float(e)) for _, e in unit.atoms)


@pytest.mark.parametrize("base", ["kg", "m", "s", "A", "K", "N", "J", "W", "V", "Pa", "mol"])
def test_what_changes_has_fewer_units_or_smaller_exponents(base: str) -> None:
    """kg*m**2*s is no J*s**3, and m**2/(kg*s) no J*s/kg**2."""
    for other, third in combinations(["kg", "m", "s", "A", "K", "mol"], 2):
        for e, f, g in product((1, 2), (-2, -1, 1, 2), (-1, 1)):
            unit = Unit(base) ** e * Unit(other) ** f * Unit(third) ** g
            simple = unit.simplified()
            fewer = len(simple.atoms) < len(unit.atoms) or size(simple) < size(unit)
            assert simple is unit or fewer, (str(unit), str(simple))
            assert max([abs(p) for _, p in simple.atoms], default=0) <= max(
                [abs(p) for _, p in unit.atoms], default=0
            )


def kinds(unit: Unit) -> set[int]:
    """The base dimensions that a reader finds in a spelling: kg*m**2 has no time, J*s**2 has."""
    exponents = [atom.meaning.dimension.exponents for atom, _ in unit.atoms]
    return {i for each in exponents for i, e in enumerate(each) if e}


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
        ("m**2*kg", "m**2*kg"),
        ("g*cm**2", "g*cm**2"),
        ("m**2/s**2", "m**2/s**2"),
        ("kg/s**2", "kg/s**2"),
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
