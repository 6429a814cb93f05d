"""Derivatives: the rule in the record agrees with differences of the op's values."""

from typing import Any

import numpy as np
import pytest

import dimflow
from dimflow import autodiff, ops
from dimflow.errors import MissingRule
from dimflow.ops.rules.derivatives import Jvp, Zero
from tests.contract.deviations import REFUSED_DERIVATIVES
from tests.contract.evaluate import assert_same, is_inexact, leaves, names, quietly, run
from tests.contract.finite_differences import (
    STEP,
    difference,
    differentiable,
    differentiable_places,
    is_single,
    random_tangents,
    tangent_of,
)
from tests.contract.samples import all_cases, parametrized
from tests.transforms.libraries import MAKERS

DIFFERENTIABLE = differentiable()
RTOL = 1e-6


def size_of(values: Any) -> float:
    """The largest finite element, which the noise of a difference is proportional to."""
    inexact = [np.abs(v) for v in leaves(values) if is_inexact(v)]
    return max(
        (float(v[np.isfinite(v)].max(initial=0.0)) for v in map(np.asarray, inexact)), default=0.0
    )


def noise_of(values: Any) -> float:
    """How far a difference may be off by rounding."""
    return (1e-4 if is_single(values) else 1e-9) * size_of(values)


def assert_tangents(actual: Any, expected: list[Any], atol: float, what: str) -> None:
    """Tangents agree; None counts as zero, and discrete results have none."""
    got = leaves(actual)
    assert len(got) == len(expected), f"{what}: {len(got)} tangents for {len(expected)} results"
    for one, other in zip(got, expected, strict=True):
        if other is None:
            continue
        one = np.zeros_like(other) if one is None else one
        assert np.shape(one) == np.shape(other), f"{what}: shape {np.shape(one)}"
        assert_same(one, other, rtol=RTOL, atol=atol, what=what)


@parametrized("derivative", DIFFERENTIABLE)
def test_the_derivative_is_that_of_the_values(name: str) -> None:
    op = ops.get(name)
    checked = 0
    for case in all_cases(name):
        places = differentiable_places(op, case)
        if not case.smooth or not places:
            continue
        for chosen in [places, *([p] for p in places if len(places) > 1)][:4]:
            tangents = random_tangents(op, case, chosen)
            expected = difference(op, case, tangents)
            actual = quietly(tangent_of, op, tangents, case.args, case.params)
            noise = noise_of(quietly(run, op, case.args, case.params))
            assert_tangents(actual, expected, noise, f"{case.label} by {chosen}")
            checked += 1
    refused = name in REFUSED_DERIVATIVES
    assert checked or refused, f"{name} has no smooth sample to differentiate"


SEVERAL = [
    n
    for n in DIFFERENTIABLE
    if any(len(differentiable_places(ops.get(n), c)) > 1 for c in all_cases(n))
]


@pytest.mark.share(3)
@pytest.mark.parametrize("library", ["jax", "torch", "mlx"])
@parametrized("derivative", SEVERAL)
def test_a_library_differentiates_by_each_argument_alone(name: str, library: str) -> None:
    """The others are constant to it, and some libraries have a way back that forgets that."""
    op = ops.get(name)
    for case in all_cases(name)[:6]:
        places = differentiable_places(op, case)
        if not case.smooth or any(np.iscomplexobj(a) for a in case.args):
            continue

        def function(*values: Any, case: Any = case, places: Any = places) -> Any:
            args = list(case.args)
            for place, value in zip(places, values, strict=True):
                args[place] = value
            outs = leaves(run(op, args, case.params))
            return sum(out.sum() for out in outs if "float" in str(getattr(out, "dtype", "")))

        values = [MAKERS[library](case.args[place]) for place in places]
        for i in range(len(values)):

            def alone(value: Any, i: int = i, values: Any = values) -> Any:
                return function(*values[:i], value, *values[i + 1 :])

            wanted = quietly(dimflow.grad(function, argnums=i), *values)
            got = quietly(dimflow.grad(alone), values[i])
            assert_same(np.asarray(got), np.asarray(wanted), rtol=1e-3, atol=1e-4, what=case.label)


@pytest.mark.parametrize("name", REFUSED_DERIVATIVES)
def test_a_derivative_that_nobody_wrote_is_an_error(name: str) -> None:
    op = ops.get(name)
    for case in all_cases(name):
        tangents = random_tangents(op, case, list(REFUSED_DERIVATIVES[name]))
        with pytest.raises(MissingRule) as caught:
            tangent_of(op, tangents, case.args, case.params)
        assert caught.value.hint


@parametrized(
    "no derivative", [n for n in names("derivative") if isinstance(ops.get(n).derivative, Zero)]
)
def test_where_there_is_none_the_values_do_not_change(name: str) -> None:
    op = ops.get(name)
    assert isinstance(op.derivative, Zero)
    assert op.derivative.reason
    for case in all_cases(name):
        places = differentiable_places(op, case)
        if case.smooth and places:
            tangents = random_tangents(op, case, places)
            for change in difference(op, case, tangents):
                assert change is None or not np.any(np.abs(change) > RTOL), case.label


@parametrized("linear", [n for n in DIFFERENTIABLE if isinstance(ops.get(n).derivative, Jvp)])
def test_a_jvp_is_linear_in_the_tangents(name: str) -> None:
    op = ops.get(name)
    for case in all_cases(name):
        places = differentiable_places(op, case)
        if not case.smooth or not places:
            continue
        one, two = (random_tangents(op, case, places, seed) for seed in (1, 2))
        mixed = tuple(
            None if s is None else 2.5 * s - 0.5 * t for s, t in zip(one, two, strict=True)
        )
        of_one, of_two, of_mixed = (
            leaves(quietly(tangent_of, op, t, case.args, case.params)) for t in (one, two, mixed)
        )
        for s, t, m in zip(of_one, of_two, of_mixed, strict=True):
            if s is not None and t is not None:
                assert_same(m, 2.5 * s - 0.5 * t, rtol=1e-9, what=case.label)


@parametrized("second order", DIFFERENTIABLE)
def test_the_second_derivative_is_the_same_in_either_order(name: str) -> None:
    """Schwarz: D(Df·s)·t = D(Df·t)·s, by differences of the rule, which a wrong rule breaks."""
    op = ops.get(name)
    for case in all_cases(name):
        places = differentiable_places(op, case)
        if not case.smooth or not places:
            continue
        one, two = (random_tangents(op, case, places, seed) for seed in (1, 2))
        size = size_of(quietly(tangent_of, op, one, case.args, case.params))
        for a, b in zip(_second(op, case, one, two), _second(op, case, two, one), strict=True):
            if a is not None and b is not None:
                assert_same(a, b, rtol=1e-4, atol=1e-8 * size, what=case.label)


def _second(op: Any, case: Any, inner: Any, outer: Any) -> list[Any]:
    """Differences, in one direction, of the rule for another."""

    def moved(k: int) -> list[Any]:
        args = tuple(
            a if t is None else a + k * STEP * t for a, t in zip(case.args, outer, strict=True)
        )
        return leaves(quietly(tangent_of, op, inner, args, case.params))

    return [
        None if a is None or b is None else (a - b) / (2 * STEP)
        for a, b in zip(moved(1), moved(-1), strict=True)
    ]


@parametrized("again", DIFFERENTIABLE)
def test_the_rule_can_be_differentiated_again(name: str) -> None:
    """Dual numbers through the rule itself: what it is made of has derivatives that fit."""
    op = ops.get(name)
    for case in all_cases(name):
        places = differentiable_places(op, case)
        if not case.smooth or not places:
            continue
        one, two = (random_tangents(op, case, places, seed) for seed in (1, 2))
        twice = quietly(_change_of_the_rule, op, case, one, two)
        size = size_of(quietly(tangent_of, op, one, case.args, case.params))
        for got, wanted in zip(twice, _second(op, case, one, two), strict=True):
            if wanted is not None:
                assert_same(got, wanted, rtol=1e-4, atol=1e-7 * size, what=case.label)


def _change_of_the_rule(op: Any, case: Any, inner: Any, outer: Any) -> tuple[Any, ...]:
    """How what the rule gives for one direction changes in another; zeros where it does not."""

    def rule(*args: Any) -> Any:
        return tangent_of(op, inner, args, case.params)

    return autodiff.jvp(rule, case.args, outer)[1]


@parametrized(
    "composite derivative", [n for n in names("definition") if ops.get(n).derivative is None]
)
def test_the_derivative_of_a_definition_follows_from_its_parts(name: str) -> None:
    op = ops.get(name)
    for case in all_cases(name):
        places = differentiable_places(op, case)
        if not case.smooth or not places:
            continue
        tangents = random_tangents(op, case, places)
        expected = difference(op, case, tangents)
        actual = quietly(tangent_of, op, tangents, case.args, case.params)
        noise = noise_of(quietly(run, op, case.args, case.params))
        assert_tangents(actual, expected, noise, f"{case.label} by {places}")
