"""dimflow has every unit that the others have, and more units than pint."""

import pytest

from dimflow.units.tables import builtin
from tests.units.oracles import from_pint, from_ucum, from_udunits
from tests.units.oracles.oracles import ORACLES, mine, theirs
from tests.units.oracles.reading import Reading

# No name of these is read here. Each name is in the file of the oracle, with the reason.
MISSING = {
    "astropy": {"Sun", "JD", "MJD", r"\h", "---"},
    "pint": {"electron_g_factor", "eulers_number", "rads", "tansec", "wien_u", "wien_x"},
    "udunits": {"degree_west"},
}
# Sizes that no unit has, or that no table but theirs gives; why is in the file of the oracle.
WRONG_THERE = {
    "astropy": {"D", "cds.cal"},
    "pint": {"boiler_horsepower", "fifteen_degree_calorie", "mil"},
    "udunits": {
        "BV",
        "B_SPL",
        "Bv",
        "BµV",
        "dobson",
        "eon",
        "firkin",
        "footcandle",
        "month",
    },
}


@pytest.mark.parametrize("oracle", MISSING)
def test_every_unit_of_theirs_is_known_under_one_of_its_names(oracle: str) -> None:
    units = ORACLES[oracle].distinct()
    missing = {names[0] for names in units if all(mine(oracle, name) is None for name in names)}
    assert len(units) > 150
    assert missing == MISSING[oracle]


@pytest.mark.parametrize("oracle", MISSING)
def test_a_unit_whose_name_means_another_here_is_here_under_another_name(oracle: str) -> None:
    sizes: dict[str, list[Reading]] = {}
    for definition in builtin:
        size = mine(oracle, definition.name)
        assert size is not None
        sizes.setdefault(size.bases, []).append(size)
    missing, checked = set(), 0
    for names in ORACLES[oracle].distinct():
        readings = [(theirs(oracle, name), mine(oracle, name)) for name in names]
        if any(their is None or our is None or our.agrees(their, 1e-5) for their, our in readings):
            continue
        checked += 1
        their = readings[0][0]
        if not any(their.agrees(size) for size in sizes.get(their.bases, [])):
            missing.add(names[0])
    assert checked >= 5
    assert missing == WRONG_THERE[oracle]


def test_every_ucum_code_is_known() -> None:
    codes = from_ucum.spellings()
    assert len(codes) == 312
    assert {c for c in codes if mine("ucum", c) is None} == {"%[slope]", "[p'diop]"}


def test_more_units_than_pint_and_udunits_together() -> None:
    ours = {builtin.parse(definition.name).key for definition in builtin}
    assert len(list(builtin)) > 1700
    assert len(ours) > len(from_pint.distinct()) + len(from_udunits.distinct())
