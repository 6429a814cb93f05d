"""The oracles by name, with what is asked of all of them in the same way."""

from functools import cache

from dimflow.units.tables import builtin
from tests.units.oracles import from_astropy, from_pint, from_scipy, from_ucum, from_udunits
from tests.units.oracles.reading import Reading, ours

ORACLES = {
    "astropy": from_astropy,
    "pint": from_pint,
    "scipy": from_scipy,
    "ucum": from_ucum,
    "udunits": from_udunits,
}
WITH_PREFIXES = ("astropy", "pint", "udunits")


def theirs(oracle: str, spelling: str) -> Reading | None:
    """What the oracle makes of a spelling."""
    reading: Reading | None = ORACLES[oracle].read(spelling)
    return reading


def mine(oracle: str, spelling: str) -> Reading | None:
    """What dimflow makes of it, without the base units that the oracle takes for numbers."""
    reading = ours(name_in_text(oracle, spelling), ucum=oracle == "ucum")
    return reading.without(ORACLES[oracle].ERASED) if reading else None


def name_in_text(oracle: str, spelling: str) -> str:
    """What stands in a text for a spelling: astropy's have a namespace where it is needed."""
    return from_astropy.name_of(spelling) if oracle == "astropy" else spelling


@cache
def prefixed(oracle: str) -> list[tuple[str, float, str]]:
    """The texts that the oracle reads as a prefix and a unit, the factor, and the unit."""
    return list(ORACLES[oracle].prefixed())


def spellings(oracle: str) -> list[str]:
    """Every spelling of theirs, and every one of ours that they may read, prefixes aside."""
    found = dict.fromkeys(ORACLES[oracle].spellings())
    if oracle != "ucum":
        by_prefix = {text for text, *_ in prefixed(oracle)} if oracle in WITH_PREFIXES else ()
        found |= dict.fromkeys(name for name in builtin.spellings() if name not in by_prefix)
    return list(found)
