"""What dimflow writes for udunits and for UCUM is read there as the same unit."""

from collections.abc import Iterator

import pytest

from dimflow import Unit
from dimflow.errors import UnitFormatError
from dimflow.units.tables import builtin
from tests.units.oracles import from_ucum, from_udunits
from tests.units.oracles.deviations import deviations
from tests.units.oracles.reading import EXACT, of_unit

PREFIXES = ("mega", "kilo", "hecto", "milli", "micro")


def units() -> Iterator[Unit]:
    """Every unit of the table, and with some prefixes those that take any."""
    for definition in builtin:
        unit = builtin.parse(definition.name)
        yield unit
        if definition.prefixing in ("si", "binary"):
            prefixes = PREFIXES if unit.law is None else ("deci", "milli")
            yield from (builtin.parse(prefix + definition.name) for prefix in prefixes)


def products() -> Iterator[Unit]:
    """Products of units of the table, each unit in several of them."""
    linear = [u for d in builtin if (u := builtin.parse(d.name)).law is None]
    for i, unit in enumerate(linear):
        other, third = linear[i - 101], linear[i - 397]
        yield unit * other
        yield unit**2 / other / third


def multiples() -> Iterator[Unit]:
    """Numbers around those that a reader has no integers for."""
    for bits in (31, 32, 53, 62, 63, 64, 100):
        yield from (builtin.parse(f"{2**bits + n} m") for n in (-1, 0, 1))


def cf_tolerance(unit: Unit) -> float:
    """What udunits makes of the names that stand for the unit in CF."""
    rounded = deviations("udunits").rounded
    tolerance = EXACT
    for atom, exponent in unit.atoms:
        found = builtin.definition_of(atom)
        if found and "cf" in found.definition.keys:
            worst = max(rounded.get(name, 0.0) for name in found.definition.spellings)
            tolerance += worst * abs(exponent)
    return tolerance


def written(style: str, units: Iterator[Unit]) -> Iterator[tuple[Unit, str]]:
    for unit in units:
        try:
            yield unit, unit.format(style)
        except UnitFormatError:
            continue


SOURCES = [(units, 2400), (products, 2700), (multiples, 20)]


@pytest.mark.parametrize(("source", "at_least"), SOURCES)
def test_udunits_reads_cf_as_the_same_unit(source: object, at_least: int) -> None:
    wrong, checked = [], 0
    for unit, text in written("cf", source()):
        checked += 1
        ours = of_unit(unit).without(from_udunits.ERASED)
        theirs = from_udunits.read(text)
        if theirs is None or not ours.agrees(theirs, cf_tolerance(unit)):
            wrong.append((str(unit), text, str(theirs)))
    assert checked > at_least
    assert wrong == []


@pytest.mark.parametrize(("source", "at_least"), [(units, 2400), (products, 2700)])
def test_the_table_of_ucum_reads_codes_as_the_same_unit(source: object, at_least: int) -> None:
    wrong, checked = [], 0
    off = deviations("ucum").disagreements
    for unit, code in written("ucum", source()):
        checked += 1
        ours = of_unit(unit).without(from_ucum.ERASED)
        theirs = from_ucum.read(code)
        by_codes = any(symbol in off for symbol in from_ucum.symbols(code))
        if theirs is None or not (by_codes or ours.agrees(theirs)):
            wrong.append((str(unit), code, str(theirs)))
    assert checked > at_least
    assert wrong == []


def test_refused_units_are_few() -> None:
    """Only what a notation cannot say is refused: roots, irrational numbers, most levels."""
    names = [definition.name for definition in builtin]
    for style, most in (("cf", 110), ("ucum", 150)):
        said = {unit.atoms[0][0].name for unit, _ in written(style, map(builtin.parse, names))}
        assert len(names) - len(said) < most
