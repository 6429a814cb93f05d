"""udunits2, through cf-units, as an oracle: every name and symbol of its XML database."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import cf_units

from tests.units.oracles.reading import Reading, measured

# udunits keeps the radian in its definitions, as we do; bit and byte are 1 and 8.
ERASED = frozenset({"bit"})
DATABASE = Path(cf_units.__file__).parent / "etc" / "share"
_BASE = "mol|m|kg|s|A|K|cd|rad"
_POWER = re.compile(rf"({_BASE})(-?[0-9]+)?")
_PRODUCT = re.compile(rf"(?:^|[ (])((?:(?:{_BASE})(?:-?[0-9]+)?\.?)+)(?=$|[ )])")
_LARGEST_POWER = 60  # V90 is the volt to the 90th there


@cache
def read(text: str) -> Reading | None:
    """What udunits makes of a text; None if it does not read it."""
    try:
        unit = cf_units.Unit(text)
    except ValueError:
        return None
    if unit.is_no_unit() or unit.is_unknown() or unit.is_time_reference():
        return None
    product = _PRODUCT.search(unit.definition)
    found = _POWER.findall(product[1]) if product else []
    powers = {base: int(power or 1) for base, power in found}
    if any(abs(power) > _LARGEST_POWER for power in powers.values()):
        return None
    base = cf_units.Unit(product[1] if product else "1")
    return measured(powers, lambda x: unit.convert(x, base))


@cache
def distinct() -> list[tuple[str, ...]]:
    """The names and symbols of each unit of the database."""
    found = []
    for path in sorted(DATABASE.glob("udunits2-*.xml")):
        for unit in ElementTree.parse(path).getroot().iter("unit"):
            elements = (e for e in unit.iter() if e.tag in ("singular", "plural", "symbol"))
            found.append(tuple(e.text.strip() for e in elements if e.text))
    return found


@cache
def prefixes() -> list[str]:
    """The names and symbols of its prefixes."""
    root = ElementTree.parse(DATABASE / "udunits2-prefixes.xml").getroot()
    return [e.text.strip() for e in root.iter() if e.tag in ("name", "symbol") and e.text]


def spellings() -> list[str]:
    """Every name and symbol."""
    return list(dict.fromkeys(name for unit in distinct() for name in unit))


def plurals() -> Iterator[tuple[str, str]]:
    """Every plural that udunits forms, with its singular."""
    for name in spellings():
        if len(name) > 2 and read(_plural(name)) and read(_plural(name)) == read(name):
            yield _plural(name), name


def _plural(name: str) -> str:
    if name[-1] == "y" and name[-2] not in "aeiou":
        return name[:-1] + "ies"
    return name + ("es" if name.endswith(("s", "x", "z", "ch", "sh")) else "s")


def prefixed() -> Iterator[tuple[str, float, str]]:
    """Every prefixed spelling that udunits reads so, the factor, and the unit."""
    values = {prefix: read(f"{prefix}m").scale for prefix in prefixes()}
    for spelling in spellings():
        plain = read(spelling)
        for prefix, value in values.items():
            found = read(prefix + spelling)
            if found and plain and found.agrees(plain._replace(scale=value * plain.scale)):
                yield prefix + spelling, value, spelling
