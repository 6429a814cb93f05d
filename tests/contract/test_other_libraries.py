"""Other libraries: definitions and rules run on arrays that are not NumPy's."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from dimflow import ops
from dimflow.errors import MissingRule
from dimflow.ops import Op, dispatch
from dimflow.ops.rules.derivatives import Jvp, Linear, Multilinear, Partials, VariadicMultilinear
from tests.contract.deviations import READS_VALUES
from tests.contract.evaluate import assert_same, fresh, is_inexact, leaves, names, quietly, run
from tests.contract.samples import Case, all_cases, parametrized
from tests.contract.strict_library import BY_DEFINITION, Strict, numbers, strict


def with_arrays(name: str) -> list[Case]:
    """The samples that hold an array: bare numbers belong to NumPy."""
    return [c for c in all_cases(name) if any(isinstance(a, np.ndarray) for a in c.args)]


def on_library(case: Case) -> tuple[Any, ...]:
    return tuple(strict(a) for a in case.args)


@contextmanager
def unless_refused(rule: str) -> Iterator[None]:
    """A rule may say that there is none, and why; a missing kernel is no excuse."""
    try:
        yield
    except MissingRule as error:
        if rule not in error.rule:
            raise


def assert_of_library(result: Any, case: Case) -> None:
    assert all(isinstance(leaf, Strict) for leaf in leaves(result)), case.label


@parametrized("other library", names())
def test_it_runs_on_another_library(name: str) -> None:
    op = ops.get(name)
    for case in with_arrays(name):
        expected = quietly(run, op, case.args, case.params)
        actual = quietly(run, op, on_library(case), case.params)
        assert_of_library(actual, case)
        assert_same(numbers(actual), expected, rtol=1e-9, what=case.label)


@parametrized("definition on another library", names("definition"))
def test_the_definition_runs_on_another_library(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    op = ops.get(name)
    monkeypatch.setitem(dispatch.interpreters, Strict, BY_DEFINITION)
    monkeypatch.setattr(Strict, "may_be_read", name in READS_VALUES)
    for case in with_arrays(name):
        expected = quietly(run, op, case.args, case.params)
        actual = quietly(run, op, on_library(case), case.params)
        assert_of_library(actual, case)
        assert_same(numbers(actual), expected, rtol=1e-9, what=case.label)


@pytest.mark.parametrize("name", sorted(READS_VALUES))
def test_a_definition_that_is_said_to_read_values_does(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    op = ops.get(name)
    monkeypatch.setitem(dispatch.interpreters, Strict, BY_DEFINITION)
    calls = [(run, op, on_library(case), case.params) for case in with_arrays(name)]
    with pytest.raises(RuntimeError, match="of an array of this library"):
        [quietly(*call) for call in calls]


def derive(op: Op, case: Case) -> None:
    """Ask the derivative for all it can give; a rule that is not there may say so."""
    args, params, rule = on_library(case), fresh(case.params), op.derivative
    out = run(op, args, case.params)
    places = [i for i, a in enumerate(case.args) if is_inexact(a)]
    if isinstance(rule, Partials):
        for function in rule.functions:
            if function is not None:
                function(out, *args, **params)
    elif isinstance(rule, Jvp):
        for i in places:
            tangents = [
                strict(np.ones_like(a)) if j == i else None for j, a in enumerate(case.args)
            ]
            rule.function(tuple(tangents), out, args, params)
    elif isinstance(rule, Linear) and isinstance(out, Strict):
        rule.transpose(strict(np.ones_like(out.numbers)), args, params)
    elif isinstance(rule, Multilinear):
        for function in rule.transposes:
            if function is not None:
                function(strict(np.ones_like(out.numbers)), args, params)
    elif isinstance(rule, VariadicMultilinear):
        for i in places:
            rule.transpose(i, strict(np.ones_like(out.numbers)), args, params)


@parametrized("derivative on another library", names("derivative"))
def test_the_derivative_runs_on_another_library(name: str) -> None:
    op = ops.get(name)
    for case in with_arrays(name):
        with unless_refused("derivative"):
            quietly(derive, op, case)


@parametrized("batching on another library", names("batching"))
def test_a_batch_runs_on_another_library(name: str) -> None:
    op = ops.get(name)
    for case in with_arrays(name):
        for i, value in enumerate(case.args):
            if not isinstance(value, np.ndarray):
                continue
            args = list(on_library(case))
            args[i] = strict(np.stack([value, value]))
            dims = tuple(0 if j == i else None for j in range(len(args)))
            with unless_refused("batching"):
                quietly(op.rule("batching"), op, tuple(args), dims, fresh(case.params))
