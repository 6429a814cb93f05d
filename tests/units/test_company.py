"""Symbols that are doubtful beside some units: refused however the product is written."""

import re
from itertools import permutations

import pytest

from dimflow import Unit
from dimflow.errors import UnitFormatError, UnitParseError
from dimflow.units import Registry
from dimflow.units.grammar import parse
from dimflow.units.typed_quantities import read

PRODUCTS = [n.split(" in ") for n in Registry().ambiguous if " in " in n]
SIGNS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


WAYS = (("{0}{1}", " "), ("{0}^{1}", " "), ("{0}{2}", "·"), ("{0}**{1}", " "), ("{0}{1}", "."))


def power(name: str, e: int, way: str) -> str:
    return name if e == 1 else way.format(name, e, str(e).translate(SIGNS))


def written(names: list[tuple[str, int]]) -> set[str]:
    """A product as catalogues, papers and programs write it."""
    texts = set()
    for order in permutations(names):
        texts |= {by.join(power(name, e, way) for name, e in order) for way, by in WAYS}
        top = [power(name, e, "{0}{1}") for name, e in order if e > 0]
        bottom = [power(name, -e, "{0}{2}") for name, e in order if e < 0]
        if bottom and len(top) < 2:
            texts |= {"/".join([*(top or ["1"]), *bottom]), f"1e10 {'/'.join([*top, *bottom])}"}
    return texts


@pytest.mark.parametrize(("symbol", "product"), PRODUCTS)
def test_however_it_is_written_it_shows_both_readings(symbol: str, product: str) -> None:
    names = [(term.name, int(term.exponent)) for term in parse(product).terms]
    for text in written(names):
        with pytest.raises(UnitParseError, match="could be meant in two ways") as caught:
            Unit(text)
        assert caught.value.hint is not None
        readings = re.split(r",? or |, ", caught.value.hint.removeprefix("write "))
        assert len({read(reading)[::2] for reading in readings}) == len(readings) > 1, text


@pytest.mark.parametrize(("symbol", "product"), PRODUCTS)
@pytest.mark.parametrize("style", ["plain", "unicode", "cf", "latex", "html", "siunitx"])
def test_what_is_printed_of_it_is_read_again(symbol: str, product: str, style: str) -> None:
    unit = Unit("1")
    for name, e, _ in parse(product).terms:
        unit = unit * Unit(name) ** e
    for one in (unit, unit**2, unit / Unit("m"), Unit("1000") * unit):
        for names in (False, True):
            try:
                text = one.format(style, names=names)
            except UnitFormatError:  # no fractions in CF, no numbers in siunitx
                continue
            assert Unit(text, style=style) == one


def test_a_user_s_unit_of_that_symbol_is_itself() -> None:
    with Registry() as mine:
        mine.define("scoop = 3 gram = g", replace=True)
        assert Unit("mV/g").conversion_factor("mV/gram") == pytest.approx(1 / 3)
    with pytest.raises(UnitParseError):
        Unit("mV/g")
