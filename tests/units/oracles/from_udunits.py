"""udunits2 through cf-units as an oracle: every name and symbol of its XML database."""

import re
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import cf_units

from tests.units.oracles.reading import Reading, measured

# udunits keeps the radian in its definitions, as we do; bit and byte are 1 and 8.
ERASED = frozenset({"bit"})
DATABASE = Path(cf_units.__file__).parent / "etc" / "share"
_POWER = re.compile(r"(mol|m|kg|s|A|K|cd|rad)(-?[0-9]+)?")
_BASE_PRODUCT = re.compile(r"(?:^|[ (])((?:(?:mol|m|kg|s|A|K|cd|rad)(?:-?[0-9]+)?\.?)+)(?=$|[ )])")


def read(text: str) -> Reading | None:
    """What udunits makes of a text; None if it does not read it."""
    try:
        unit = cf_units.Unit(text)
    except ValueError:
        return None
    if unit.is_no_unit() or unit.is_unknown() or unit.is_time_reference():
        return None
    product = _BASE_PRODUCT.search(unit.definition)
    powers = _POWER.findall(product[1]) if product else []
    if any(abs(int(power or 1)) > 9 for _, power in powers):
        return None  # V90 is the volt to the 90th there
    base = cf_units.Unit(product[1] if product else "1")
    return measured(
        {name: int(power or 1) for name, power in powers}, lambda x: unit.convert(x, base)
    )


@cache
def units() -> list[tuple[str, ...]]:
    """The names and symbols of each unit of the database."""
    found = []
    for path in sorted(DATABASE.glob("udunits2-*.xml")):
        for unit in ElementTree.parse(path).getroot().iter("unit"):
            singulars = [e.text.strip() for e in unit.iter("singular") if e.text]
            others = [e.text.strip() for e in unit.iter() if e.tag in ("plural", "symbol") and e.text]
            found.append((*singulars, *others))
    return found


@cache
def prefixes() -> list[str]:
    root = ElementTree.parse(DATABASE / "udunits2-prefixes.xml").getroot()
    return [e.text.strip() for e in root.iter() if e.tag in ("name", "symbol") and e.text]


def spellings() -> list[str]:
    return list(dict.fromkeys(name for names in units() for name in names))
