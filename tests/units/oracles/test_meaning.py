"""Every name that another library and dimflow share means the same in both, but for a list."""

import pytest

from dimflow.units.tables import builtin
from tests.units.oracles.deviations import WHO, Pair, deviations
from tests.units.oracles.oracles import ORACLES, mine, spellings, theirs

AT_LEAST = {"astropy": 340, "pint": 1058, "scipy": 118, "ucum": 310, "udunits": 624}


@pytest.mark.parametrize("oracle", ORACLES)
def test_a_shared_name_means_the_same(oracle: str) -> None:
    listed = deviations(oracle)
    found: dict[str, Pair] = {}
    shared = 0
    for spelling in spellings(oracle):
        their, our = theirs(oracle, spelling), mine(oracle, spelling)
        if their is None or our is None:
            continue
        shared += 1
        tolerance = listed.rounded.get(spelling)
        if tolerance is not None and our.agrees(their, tolerance) and not our.agrees(their):
            continue
        if tolerance is not None or not our.agrees(their):
            found[spelling] = Pair.of(their, our)
    assert shared >= AT_LEAST[oracle]
    assert found == listed.disagreements


@pytest.mark.parametrize("oracle", ORACLES)
def test_what_they_read_and_dimflow_does_not_is_listed(oracle: str) -> None:
    names = ORACLES[oracle].spellings()
    assert {name for name in names if mine(oracle, name) is None} == deviations(oracle).unread


@pytest.mark.parametrize("oracle", ORACLES)
def test_a_listed_name_is_one_of_theirs_or_of_ours(oracle: str) -> None:
    listed = deviations(oracle)
    known = set(spellings(oracle))
    assert {*listed.disagreements, *listed.rounded} <= known
    assert not listed.disagreements.keys() & listed.rounded.keys()


@pytest.mark.parametrize("oracle", ORACLES)
def test_every_deviation_has_its_reason(oracle: str) -> None:
    for kind, groups in deviations(oracle).groups.items():
        for group in groups:
            assert len(group["why"]) > 20, group
            assert group["names"], group
            if kind in ("disagreement", "collision"):
                assert group["right"] in WHO, group


@pytest.mark.parametrize(("oracle", "at_least"), [("pint", 580), ("udunits", 280)])
def test_a_plural_of_theirs_is_one_here(oracle: str, at_least: int) -> None:
    checked, wrong = 0, []
    for plural, singular in ORACLES[oracle].plurals():
        found = builtin.resolve(singular)
        if found is None or singular not in (found.definition.name, *found.definition.aliases):
            continue  # symbols have no plural
        checked += 1
        if mine(oracle, plural) != mine(oracle, singular):
            wrong.append(plural)
    assert checked > at_least
    assert wrong == []
