"""Compound units as pint, astropy and udunits write them, with what they mean there."""

import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import astropy.units as u
import cf_units
from astropy.units.format import Base
from pint import UnitRegistry

from tests.units.oracles import from_astropy, from_pint, from_udunits
from tests.units.oracles.oracles import mine, theirs
from tests.units.oracles.reading import Reading

_PINT_UNITS = """
meter kilogram second ampere kelvin mole candela radian degree hour day year inch
foot mile pound ounce gallon liter newton joule watt volt ohm farad tesla pascal bar psi calorie
atmosphere mmHg eV erg dyne poise curie becquerel gray sievert lumen lux knot mph hertz rpm bit byte
percent ppm delta_degree_Celsius delta_degree_Fahrenheit degree_Rankine angstrom dalton hartree
steradian debye katal molar siemens weber henry kip horsepower light_year micrometer kilowatt
megahertz milliliter microgram nanosecond gigapascal kilocalorie pound_force kilogram_force
centipoise slug grain stone fortnight century"""
_PINT_STYLES = {
    **dict.fromkeys(("D", "P", "C", "~D", "~P", "~C")),
    **dict.fromkeys(("L", "~L"), "latex"),
    **dict.fromkeys(("H", "~H"), "html"),
    "Lx": "siunitx",
}
_ASTROPY_UNITS = """
kg m s K J W Hz erg AA cm Jy sr arcsec deg Mpc solMass yr eV um pix electron N V
Ohm mol bit byte T lm d h au uJy percent R_sun L_sun mas beam adu earthMass jupiterRad"""
_ONLY_SHOWN = ("console", "latex", "latex_inline", "unicode")  # astropy cannot read these itself
_UDUNITS_STYLES = {
    "ascii": None,
    "names": cf_units.UT_NAMES,
    "definition": cf_units.UT_DEFINITION,
    "utf8": cf_units.UT_UTF8,
    "utf8 names": [cf_units.UT_UTF8, cf_units.UT_NAMES],
    "utf8 definition": [cf_units.UT_UTF8, cf_units.UT_DEFINITION],
    "latin1": cf_units.UT_LATIN1,
    "latin1 names": [cf_units.UT_LATIN1, cf_units.UT_NAMES],
}


class Text(NamedTuple):
    """One text, the form it is of ("fits roots"), how to read it, and what it means there."""

    form: str
    text: str
    style: str | None
    meaning: Reading


def _compounds(units: list[Any]) -> Iterator[tuple[str, Any]]:
    """Products of every unit with two others; the kind, and the product."""
    for i, a in enumerate(units):
        b, c = units[i - 7], units[i - 13]
        for product in (a * b, a / b, a**2 / b / c, a / (b**2 * c), a**-1 * b**-2, a**3):
            yield "products", product
        yield "roots", (a / b) ** 0.5


def pint_texts() -> Iterator[Text]:
    registry: UnitRegistry = from_pint.registry()
    for kind, unit in _compounds([registry.Unit(name) for name in _PINT_UNITS.split()]):
        meaning = from_pint.read(format(unit, "C"))
        assert meaning is not None
        for style, reader in _PINT_STYLES.items():
            yield Text(f"{style} {kind}", format(unit, style), reader, meaning)


def astropy_texts() -> Iterator[Text]:
    units = [getattr(u, name) for name in _ASTROPY_UNITS.split()]
    scaled = (("scaled", u.CompositeUnit(1e-17, [a, u.s], [1, -1])) for a in units)
    for kind, unit in (*_compounds(units), *scaled):
        for style in Base.registry:
            if (style, kind) == ("console", "roots"):
                continue  # m^1/2, which is half a metre wherever texts are read
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    text = unit.to_string(style)
                except ValueError:
                    continue  # the standard has no name for the unit
                try:
                    meant = unit if style in _ONLY_SHOWN else u.Unit(text, format=style)
                except ValueError:
                    continue  # the writer of cds is ahead of its reader: m+1/2
            meaning = from_astropy.of_unit(meant)
            assert meaning is not None
            reader = "latex" if style.startswith("latex") else None
            form = "scaled" if text[:1].isdigit() else kind  # where the standard has no name
            yield Text(f"{style} {form}", text, reader, meaning)


def udunits_texts() -> Iterator[Text]:
    names = []
    for name, *_ in from_udunits.distinct():
        their, our = theirs("udunits", name), mine("udunits", name)
        if their is not None and our is not None and our.agrees(their):
            names.append(name)
    for i, a in enumerate(names):
        b, c = names[i - 7], names[i - 13]
        for source in (a, f"{a} {b}", f"{a}2 {b}-1", f"{a}/{b}/{c}", f"1e-3 {a} {b}-2"):
            try:
                unit = cf_units.Unit(source)
            except ValueError:
                continue  # of points and levels there are no products
            meaning = from_udunits.read(source)
            assert meaning is not None
            for style, option in _UDUNITS_STYLES.items():
                yield Text(style, unit.format(option), None, meaning)


TEXTS = {"astropy": astropy_texts, "pint": pint_texts, "udunits": udunits_texts}
