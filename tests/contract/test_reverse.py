"""Both modes follow: what goes back through an op is the transpose of what goes forward.

For every op with a derivative, and for every definition: <ct, jvp(t)> = <vjp(ct), t>.
"""

from typing import Any

import numpy as np
import pytest

from dimflow import autodiff, ops
from dimflow.array import DimArray
from dimflow.ops import Op
from dimflow.ops.rules.derivatives import Zero
from dimflow.units import Unit
from tests.contract.deviations import REFUSED_DERIVATIVES
from tests.contract.evaluate import assert_same, names, quietly, raw_of, with_units
from tests.contract.finite_differences import above_units, differentiable_places, is_single
from tests.contract.modes import back, forward, linearized, paired, program
from tests.contract.samples import SEEDS, Case, all_cases, parametrized
from tests.contract.units_search import all_accepted, chosen_unit

BOTH_MODES = [
    n
    for n in names()
    if not isinstance(ops.get(n).derivative, Zero) and n not in REFUSED_DERIVATIVES
]
JOULE = Unit("J")


@parametrized("reverse", BOTH_MODES)
def test_what_goes_back_is_the_transpose_of_what_goes_forward(name: str) -> None:
    op = ops.get(name)
    for case in all_cases(name):
        places = differentiable_places(op, case)
        if case.smooth and places:
            quietly(_check, op, case, places)


def _check(op: Op, case: Case, places: list[int]) -> None:
    of = program(op, case, places)
    tangents, given = of.tangents(), of.cotangents()
    changes = forward(of, tangents)
    backs = back(of, given)
    for value, found in zip(of.args, backs, strict=True):
        what = f"{case.label}: {np.shape(found)} for {np.shape(value)}"
        assert np.shape(found) == np.shape(value), what
    size = sum(float(np.abs(ct).sum()) for ct in given)
    precision = 1e-6 if is_single(list(of.out)) else 1e-9
    scale = precision * size * max((float(np.abs(m).max(initial=0.0)) for m in changes), default=0)
    got, wanted = paired(backs, tangents), paired(given, changes)
    np.testing.assert_allclose(got, wanted, rtol=1e-8, atol=scale + 1e-12, err_msg=case.label)
    again = linearized(of, tangents)
    assert_same(again, changes, rtol=precision, atol=1e-12, what=f"{case.label}, linearized")


@parametrized("homogeneous reverse", BOTH_MODES)
def test_with_units_a_gradient_has_the_dimension_of_the_whole_over_the_argument(name: str) -> None:
    op = ops.get(name)
    for case, units in all_accepted(name, SEEDS):
        places = differentiable_places(op, case)
        if case.smooth and places:
            quietly(_check_dimensions, op, case, units, places)


def _check_dimensions(op: Op, case: Case, units: Any, places: list[int]) -> None:
    args = with_units(case.args, units)
    labelled = case._replace(args=args, params=chosen_unit(op, case, units))
    of = program(op, labelled, places)
    with above_units():
        _, pull = autodiff.vjp(of.function, of.args)
        for value in of.out:
            given = [
                DimArray(np.full_like(raw_of(leaf), float(leaf is value)), JOULE / _unit(leaf))
                for leaf in of.out
            ]
            for i, found in zip(places, pull(given), strict=True):
                if not np.any(raw_of(found)):
                    continue  # the result does not depend on it
                wanted = (JOULE / _unit(args[i])).dimension.without_angle()
                what = f"{case.label} in {units} by {i}: {_unit(found)}"
                assert _unit(found).dimension.without_angle() is wanted, what


def _unit(value: Any) -> Unit:
    return value.unit if isinstance(value, DimArray) else Unit("")


def test_a_value_used_twice_gets_both_cotangents() -> None:
    x = np.array([1.0, 2.0, 3.0])
    _, pull = autodiff.vjp(lambda x, unused: (x * x + ops.sin(x),), (x, np.zeros(2)))
    found, unused = pull((np.ones(3),))
    np.testing.assert_allclose(found, 2 * x + np.cos(x))
    np.testing.assert_array_equal(unused, np.zeros(2))


@pytest.mark.parametrize("name", ["sort", "var", "matmul"])
def test_the_tape_knows_known_gradients(name: str) -> None:
    """Gradients that are written down in books."""
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
    weights = np.arange(9.0).reshape(3, 3)
    sorted_back = np.empty((3, 3))
    np.put_along_axis(sorted_back, np.argsort(x, axis=1), weights, axis=1)
    function, given, wanted = {
        "matmul": (lambda x: (x @ y,), np.ones((3, 3)), np.ones((3, 3)) @ y.T),
        "var": (lambda x: (ops.var(x),), np.float64(1.0), 2 * (x - x.mean()) / 9),
        "sort": (lambda x: (ops.sort(x, axis=1),), weights, sorted_back),
    }[name]
    (found,) = autodiff.vjp(function, (x,))[1]((given,))
    np.testing.assert_allclose(found, wanted)
