"""Prefixed units: what another library reads as prefix and unit is the same two here."""

import math
from unicodedata import normalize

import pytest

from dimflow.units.definition import Resolved
from dimflow.units.tables import builtin
from tests.units.oracles import from_scipy, from_ucum
from tests.units.oracles.deviations import Pair, deviations
from tests.units.oracles.oracles import mine, name_in_text, prefixed, theirs

# Of pint: micro as mc and mu, and words for a half and for three halves.
FOREIGN = {"mc", "mu", "semi", "demi", "sesqui"}


def takes(spelling: str, prefix: str) -> bool:
    """Whether our table says that this prefix goes with this spelling of a unit."""
    unit, found = builtin.resolve(spelling), builtin.find_prefix(prefix)
    if unit is None or unit.prefix or unit.is_delta or found is None:
        return False
    prefixing = unit.definition.prefixing
    if found.is_binary or prefixing == "none":
        return prefixing == "binary"
    symbols = {normalize("NFKC", symbol) for symbol in unit.definition.symbols}
    is_short = prefix in found.symbols or normalize("NFKC", spelling) in symbols
    return not is_short or prefixing in ("si", "binary")


def known(spelling: str) -> Resolved | None:
    """What a spelling stands for, also if it stands for it with a prefix alone: mHa, kcps."""
    found = builtin.find(spelling)
    return Resolved(found) if found else builtin.resolve(spelling)


def is_same(found: Resolved, factor: float, spelling: str) -> bool:
    """Whether a name resolved to this factor and to the unit that the spelling has here."""
    unit = known(spelling)
    prefix = float(found.prefix.scale) if found.prefix else 1.0
    return (
        unit is not None
        and unit.prefix is None
        and found.definition is unit.definition
        and math.isclose(prefix, factor, rel_tol=1e-15)
    )


@pytest.mark.parametrize(
    ("oracle", "at_least"), [("astropy", 3500), ("pint", 23000), ("udunits", 11000)]
)
def test_a_prefixed_unit_is_the_same_prefix_and_unit_here(oracle: str, at_least: int) -> None:
    unread: set[str] = set()
    collisions: dict[str, Pair] = {}
    checked = 0
    for text, factor, spelling in prefixed(oracle):
        name = name_in_text(oracle, text)
        resolved = builtin.resolve(name)
        if name in builtin.ambiguous or name.removesuffix("s") in builtin.ambiguous:
            assert resolved is None
            continue
        if resolved is None:
            prefix = name.removesuffix(spelling)
            if prefix not in FOREIGN and takes(spelling, prefix):
                unread.add(spelling)
            continue
        checked += 1
        if is_same(resolved, factor, spelling):
            continue
        their, our = theirs(oracle, text), mine(oracle, text)
        assert their is not None
        assert our is not None
        if not our.agrees(their):
            collisions[text] = Pair.of(their, our)
    assert checked > at_least
    assert unread == deviations(oracle).unprefixed
    assert collisions == deviations(oracle).collisions


def test_a_metric_unit_of_ucum_takes_every_prefix() -> None:
    unread, different, checked = [], [], 0
    for code, prefix in from_ucum.prefixed():
        if prefix.endswith("i") and not code.endswith(("bit", "By")):
            continue  # kibimetres: UCUM's grammar allows them, and nobody has use for them
        their, our = theirs("ucum", code), mine("ucum", code)
        plain = code.removeprefix(prefix)
        assert their is not None
        if our is None:
            unread.append(code)
        elif not our.agrees(their) and plain not in deviations("ucum").disagreements:
            different.append((code, str(their), str(our)))
        checked += 1
    assert checked > 1700
    assert unread == []
    assert different == []


@pytest.mark.parametrize(("prefix", "value"), from_scipy.prefixes().items())
def test_prefixes_have_the_values_of_scipy(prefix: str, value: float) -> None:
    found = builtin.find_prefix(prefix)
    assert found is not None
    assert float(found.scale) == value
