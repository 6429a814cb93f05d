"""Covariance: the physical result does not depend on the units that arguments are written in."""

from typing import Any

import pytest

from dimflow import ops
from dimflow.errors import DimensionError, UnitError
from dimflow.ops import Op
from dimflow.units import Unit
from tests.contract.evaluate import (
    assert_same_quantity,
    is_inexact,
    leaves,
    names,
    quietly,
    raw_of,
    run,
    with_units,
)
from tests.contract.samples import SEEDS, Case, cases, parametrized
from tests.contract.units_search import (
    BINARY,
    REWRITTEN,
    Units,
    accepted,
    all_accepted,
    chosen_unit,
    may_be_refused,
    places,
    run_with,
)

ALL = names()


@parametrized("units", ALL)
def test_some_units_are_accepted(name: str) -> None:
    for index, case in enumerate(cases(name)):
        assert accepted(name, index), f"{name} accepts no units for {case.label}"


@parametrized("covariance", ALL)
def test_the_result_does_not_depend_on_the_units_chosen(name: str) -> None:
    op = ops.get(name)
    for case, units in all_accepted(name, SEEDS):
        expected = run_with(op, case, units)
        is_discrete = not any(is_inexact(leaf) for leaf in leaves(expected))
        for others in everyday(units, one_by_one=not is_discrete):
            _check(op, case, units, others, expected, 1e-9)


@parametrized("exact covariance", ALL)
def test_it_is_the_same_to_the_last_bit_where_conversions_are_exact(name: str) -> None:
    op = ops.get(name)
    for case, units in all_accepted(name, SEEDS):
        expected = run_with(op, case, units)
        for others in scaled(units):
            _check(op, case, units, others, expected, 1e-13)


def _check(op: Op, case: Case, units: Units, others: Units, expected: Any, rtol: float) -> None:
    args = tuple(
        a if other is None else quietly(a.to, other).data
        for a, other in zip(with_units(case.args, units), others, strict=True)
    )
    params = chosen_unit(op, case, units)
    try:
        actual = quietly(run, op, with_units(args, others), params)
    except DimensionError as error:
        if not may_be_refused(error, others):
            raise
        return
    what = f"{case.label} in {units}, then in {others}"
    assert_same_quantity(actual, expected, rtol=rtol, what=what)


def everyday(units: Units, *, one_by_one: bool) -> list[Units]:
    """All arguments rewritten, and each by itself.

    Not so where results are discrete: equal lengths in m and km may differ by a rounding, which
    they do not in units a power of two apart.
    """
    choices = [tuple(None if u is None else _other(u, k) for u in units) for k in (0, 1)]
    if one_by_one:
        choices += _one_by_one(units, lambda u: _other(u, 0))
    return list(dict.fromkeys(choices))


def scaled(units: Units) -> list[Units]:
    """All arguments in units 1024 times as large, and each by itself."""
    return list(
        dict.fromkeys(
            [tuple(None if u is None else _larger(u) for u in units), *_one_by_one(units, _larger)]
        )
    )


def _one_by_one(units: Units, change: Any) -> list[Units]:
    return [
        (*units[:i], change(unit), *units[i + 1 :])
        for i, unit in enumerate(units)
        if unit is not None
    ][:4]


def _other(unit: str, k: int) -> str:
    return REWRITTEN[unit][k] if unit in REWRITTEN else _larger(unit)


def _larger(unit: str) -> str:
    return str(Unit(unit) * Unit(BINARY)) if unit else BINARY


@parametrized("chosen unit", [n for n in ALL if ops.get(n).unit_dependent])
def test_ops_that_depend_on_the_unit_ask_for_one(name: str) -> None:
    op = ops.get(name)
    asked = 0
    for case in cases(name):
        where = places(case)
        units = tuple("m" if i in where else None for i in range(len(case.args)))
        if not where or case.params.get("unit") is not None:
            continue
        with pytest.raises(UnitError, match="unit"):
            quietly(run, op, with_units(case.args, units), case.params)
        asked += 1
    assert asked


@parametrized("pure choice", [n for n in ALL if ops.get(n).unit_dependent])
def test_pure_numbers_need_no_choice(name: str) -> None:
    op = ops.get(name)
    for case in cases(name):
        units = tuple("" if i in places(case) else None for i in range(len(case.args)))
        result = quietly(run, op, with_units(case.args, units), case.params)
        expected = quietly(run, op, case.args, case.params)
        assert [raw_of(x).tolist() for x in leaves(result)] == [
            x.tolist() for x in leaves(expected)
        ]
