"""dimflow has every unit that the others have, and more units than pint."""

import pytest

from dimflow.units.registry import builtin
from tests.units.oracles import from_pint, from_ucum, from_udunits
from tests.units.oracles.deviations import deviations
from tests.units.oracles.oracles import ORACLES, mine, theirs

# No name of these is read here. Each name is in the file of the oracle, with the reason.
MISSING = {
    "astropy": {"Sun", "JD", "MJD", r"\h", "---"},
    "pint": {"electron_g_factor", "eulers_number", "tansec", "wien_u", "wien_x"},
    "udunits": {"degree_west"},
}


@pytest.mark.parametrize("oracle", MISSING)
def test_every_unit_of_theirs_is_known_under_one_of_its_names(oracle: str) -> None:
    units = ORACLES[oracle].distinct()
    missing = {names[0] for names in units if all(mine(oracle, name) is None for name in names)}
    assert len(units) > 150
    assert missing == MISSING[oracle]


@pytest.mark.parametrize("oracle", MISSING)
def test_every_unit_of_theirs_is_here_in_its_size(oracle: str) -> None:
    """Under whatever name: a unit of theirs that no unit of ours equals is a listed deviation."""
    erased = ORACLES[oracle].ERASED
    sizes: dict[object, list[object]] = {}
    for definition in builtin:
        reading = mine(oracle, definition.name)
        assert reading is not None
        sizes.setdefault(reading.bases, []).append(reading)
    listed = deviations(oracle)
    unequal = []
    for names in ORACLES[oracle].distinct():
        their = theirs(oracle, names[0])
        if their is None or names[0] in {*listed.unread, *listed.rounded}:
            continue
        if not any(their.agrees(size) for size in sizes.get(their.without(erased).bases, [])):
            unequal.append(names[0])
    assert unequal == []


def test_every_ucum_code_is_known() -> None:
    codes = from_ucum.spellings()
    assert len(codes) == 312
    assert {c for c in codes if mine("ucum", c) is None} == {"%[slope]", "[p'diop]"}


def test_more_units_than_pint_and_udunits_together() -> None:
    ours = {builtin.parse(definition.name).key for definition in builtin}
    assert len(list(builtin)) > 1700
    assert len(ours) > len(from_pint.distinct()) + len(from_udunits.distinct())
