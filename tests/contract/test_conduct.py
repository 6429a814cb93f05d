"""Conduct: what every op does with what it is given, whatever it computes."""

import pickle
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.errors import DimflowError, UnitError
from dimflow.ops import Op
from tests.contract.evaluate import (
    assert_same,
    assert_same_quantity,
    leaves,
    names,
    quietly,
    raw_of,
    run,
    with_units,
)
from tests.contract.samples import SEEDS, all_cases, cases, parametrized
from tests.contract.units_search import (
    accepted,
    all_accepted,
    candidates,
    chosen_unit,
    places,
    run_with,
    spread,
)

ALL = names()


def frozen(value: Any) -> Any:
    """A copy that cannot be written to."""
    if not isinstance(value, np.ndarray):
        return value
    copy = value.copy()
    copy.flags.writeable = False
    return copy


def strided(value: Any) -> Any:
    """The same elements, every second one of a larger array, last axis outermost."""
    if not isinstance(value, np.ndarray) or not value.ndim:
        return value
    room = np.zeros(tuple(2 * n for n in value.shape), value.dtype, order="F")
    view = room[(slice(None, None, 2),) * value.ndim]
    view[...] = value
    return view


@parametrized("arguments kept", ALL)
def test_arguments_are_only_read(name: str) -> None:
    op = ops.get(name)
    for case in all_cases(name):
        expected = quietly(run, op, case.args, case.params)
        actual = quietly(run, op, tuple(frozen(a) for a in case.args), case.params)
        assert_same(actual, expected, what=case.label)


@parametrized("strides", ALL)
def test_the_layout_in_memory_does_not_matter(name: str) -> None:
    op = ops.get(name)
    for case in all_cases(name):
        expected = quietly(run, op, case.args, case.params)
        actual = quietly(run, op, tuple(strided(a) for a in case.args), case.params)
        assert_same(actual, expected, rtol=1e-12, what=case.label)


@parametrized("again the same", ALL)
def test_the_same_call_gives_the_same(name: str) -> None:
    op = ops.get(name)
    for case, units in all_accepted(name):
        first, second = run_with(op, case, units), run_with(op, case, units)
        assert_same_quantity(first, second, rtol=0, what=case.label)
        for one, other in zip(leaves(first), leaves(second), strict=True):
            assert getattr(one, "unit", None) is getattr(other, "unit", None)


@parametrized("values unseen", ALL)
def test_the_unit_does_not_depend_on_the_values(name: str) -> None:
    op = ops.get(name)
    for index, case in enumerate(cases(name)):
        others = [cases(name, seed)[index] for seed in (1, 2)]
        for units in accepted(name, index):
            found = [run_with(op, c, units) for c in (case, *others) if c.shapes == case.shapes]
            told = [[getattr(leaf, "unit", None) for leaf in leaves(r)] for r in found]
            assert all(t == told[0] for t in told), f"{case.label} in {units}: {told}"


@parametrized("raw is pure", ALL)
def test_a_raw_array_counts_as_pure_numbers(name: str) -> None:
    op = ops.get(name)
    for case, units in all_accepted(name, SEEDS):
        bare = tuple(None if u == "" else u for u in units)
        if bare == units or all(u is None for u in bare):
            continue
        params = chosen_unit(op, case, units)
        expected = quietly(run, op, with_units(case.args, units), params)
        actual = quietly(run, op, with_units(case.args, bare), params)
        assert_same_quantity(actual, expected, rtol=1e-15, what=f"{case.label} in {bare}")


@parametrized("pure stays pure", ALL)
def test_pure_numbers_give_what_raw_arrays_give(name: str) -> None:
    op = ops.get(name)
    for case in all_cases(name):
        pure = spread(case, places(case), ("",) * len(places(case)))
        try:
            result = quietly(run, op, with_units(case.args, pure), case.params)
        except UnitError:
            continue
        expected = leaves(quietly(run, op, case.args, case.params))
        for one, other in zip(leaves(result), expected, strict=True):
            value = raw_of(one)
            assert_same(value, other, rtol=1e-12, what=case.label)
            assert np.asarray(value).dtype == np.asarray(other).dtype, case.label


@parametrized("refusal", names("unit"))
def test_a_refusal_names_the_op_and_survives_pickling(name: str) -> None:
    op = ops.get(name)
    case = cases(name)[0]
    where = places(case)
    refused = 0
    for chosen in candidates(len(where)):
        units = spread(case, where, chosen)
        error = refusal(op, with_units(case.args, units), case.params)
        if error is not None:
            text = str(error)
            assert name in text, text
            again = pickle.loads(pickle.dumps(error))
            assert type(again) is type(error)
            assert str(again) == text
            refused += 1
        if refused == 5:
            break


def refusal(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> DimflowError | None:
    """The error that a call raises; None if it runs."""
    try:
        quietly(run, op, args, params)
    except DimflowError as error:
        return error
    return None


@parametrized("pickle", ALL)
def test_an_op_pickles_as_itself(name: str) -> None:
    op = ops.get(name)
    assert pickle.loads(pickle.dumps(op)) is op
    assert repr(op).startswith(f"<Op {name}(")
