"""Every CODATA 2022 constant is what NIST printed, by way of scipy's copy of the table."""

import pytest
from scipy.constants import _codata

from dimflow import Unit, constants
from tests.constants.si_dimensions import dimension_of

SCIPY = _codata._physical_constants_2022  # the public dict mixes in older adjustments
NAMES = sorted(SCIPY)
PRINTED = {
    line[:60].rstrip(): (line[60:85].replace(" ", ""), line[85:110].replace(" ", ""))
    for line in _codata.txt2022.splitlines()
}


def test_all_constants_of_the_table_are_there_and_no_others() -> None:
    ours = constants.catalogue("CODATA 2022")
    assert len(ours) == 355
    assert [constant.name for constant in ours] == list(PRINTED)
    assert {constant.source for constant in ours} == {"CODATA 2022"}


@pytest.mark.parametrize("name", NAMES)
def test_value_and_uncertainty_agree_with_scipy(name: str) -> None:
    value, _, uncertainty = SCIPY[name]
    ours = constants.get(name)
    assert ours.exact == ("exact" in PRINTED[name][1])
    assert ours.uncertainty == uncertainty
    if ours.exact:
        assert ours.value == pytest.approx(value, rel=1e-15, abs=0)  # scipy rounds more than once
    else:
        assert ours.value == value


@pytest.mark.parametrize("name", NAMES)
def test_the_unit_has_the_dimension_of_the_printed_one(name: str) -> None:
    ours, printed = constants.get(name).unit, SCIPY[name][1].strip()
    assert ours == Unit(printed)
    exponents = {base: float(e) for base, e in ours.dimension.as_dict().items()}
    assert exponents == dimension_of(printed)


def test_what_is_exact_has_no_uncertainty_and_the_rest_has_some() -> None:
    for constant in constants.catalogue("CODATA"):
        assert constant.exact == (constant.uncertainty == 0)
        assert constant.relative_uncertainty == constant.uncertainty / abs(constant.value)
        if not constant.exact:
            assert constant.exact_value is None


def test_the_count_of_exact_constants() -> None:
    exact = [constant for constant in constants.catalogue("CODATA") if constant.exact]
    assert len(exact) == 81
    assert sum(constant.exact_value is not None for constant in exact) == 70
    assert sum(bool(constant.definition) for constant in exact) == 62
