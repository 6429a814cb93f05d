"""Constants against the units of the same name: two tables, written apart, that must agree."""

import pytest

from dimflow import constants
from dimflow.constants.table import identifiers
from dimflow.units.tables import builtin

SHARED = sorted(
    (spelling, constant.name)
    for constant in constants.catalogue()
    for spelling in {name for one in identifiers(constant.name) for name in (one, one.lower())}
    if builtin.find(spelling) is not None
)


def test_many_constants_are_units_too() -> None:
    assert len({name for _, name in SHARED}) > 80


@pytest.mark.parametrize(("spelling", "name"), SHARED)
def test_the_unit_is_as_large_as_the_constant(spelling: str, name: str) -> None:
    constant = constants.get(name)
    size = builtin.parse(spelling).conversion_factor(constant.unit)
    tolerance = max(constant.uncertainty, 2e-16 * abs(constant.value))
    assert size == pytest.approx(constant.value, abs=tolerance, rel=0)
