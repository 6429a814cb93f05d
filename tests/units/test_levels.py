"""Levels by name and by reference agree, and points do not pass for differences."""

import pytest

from dimflow import Unit, units
from dimflow.errors import UnitConversionError, UnitDefinitionError
from dimflow.units import Logarithmic
from dimflow.units.equivalencies import Equivalency
from dimflow.units.tables import builtin


def levels() -> list[str]:
    """The decibels that have a reference with a dimension."""
    return [
        d.name
        for d in builtin
        if isinstance(d.law, Logarithmic)
        and d.name.startswith(("decibel_", "bel_"))
        and not builtin.unit(d.name).is_dimensionless
    ]


@pytest.mark.parametrize("name", levels())
def test_a_named_level_is_the_level_of_its_reference(name: str) -> None:
    word = name.partition("_")[0]
    assert Unit(f"{word}({Unit(name).linear})") == Unit(name)


def test_nepers_of_a_power_and_of_a_field() -> None:
    assert units.convert(1, "Np(V)", "V") == pytest.approx(2.718281828459045)
    assert units.convert(1, "Np(W)", "W") == pytest.approx(7.38905609893065)
    assert units.convert(1, "Np(W)", "dB(W)") == pytest.approx(8.685889638065037)
    assert units.convert(1, "dex(cm/s2)", "cm/s2") == pytest.approx(10)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("delta_degC", "degC"),
        ("degC", "delta_degC"),
        ("delta_degF", "degC"),
        ("degC", "delta_degF"),
    ],
)
def test_a_difference_is_no_point(source: str, target: str) -> None:
    with pytest.raises(UnitConversionError, match="a difference is not a point"):
        units.convert(20, source, target)
    assert not Unit(source).is_compatible(target)
    assert units.convert(20, "delta_degC", "K") == 20
    assert units.convert(293.15, "K", "degC") == 20


@pytest.mark.parametrize("source", ["rad**(1/2)", "sr**(1/4)", "deg**(1/2)", "rad**2", "lm"])
def test_angles_that_do_not_convert_say_so(source: str) -> None:
    with pytest.raises(UnitConversionError):
        units.convert(1, source, "cd" if source == "lm" else "")
    assert not Unit(source).is_compatible("")


def test_the_hint_offers_turns_for_plain_angles_alone() -> None:
    with pytest.raises(UnitConversionError) as plain:
        units.convert(1, "rad", "")
    assert plain.value.hint is not None
    assert "via='cycles' gives 0.159155 per rad" in plain.value.hint
    with pytest.raises(UnitConversionError) as solid:
        units.convert(1, "sr", "")
    assert solid.value.hint is not None
    assert "cycles" not in solid.value.hint


def test_errors_in_a_users_law_are_the_users() -> None:
    def broken(_: float) -> float:
        raise ZeroDivisionError("mine")

    law = Equivalency("mine", links=[("m", "s", broken, broken)])
    with pytest.raises(ZeroDivisionError, match="mine"):
        units.convert(1, "m", "s", via=law)


def test_a_name_with_the_same_meaning_is_still_taken() -> None:
    with units.Registry() as lab, pytest.raises(UnitDefinitionError):
        lab.define("my_km = 1000 m = km")


@pytest.mark.parametrize("text", ["lbf/inch**2", "lbf/ft**2", "g*cm/s**2", "Msun*km**2/s**2"])
def test_simplified_never_grows(text: str) -> None:
    assert len(str(Unit(text).simplified())) <= len(str(Unit(text)))
