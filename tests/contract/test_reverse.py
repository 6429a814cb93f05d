"""Both modes follow: what goes back through an op is the transpose of what goes forward.

For every op with a derivative, and for every definition: <ct, jvp(t)> = <vjp(ct), t>.
"""

from typing import Any

import numpy as np
import pytest

from dimflow import ops
from dimflow.array import DimArray
from dimflow.ops import Op
from dimflow.ops.rules.derivatives import Zero
from dimflow.units import Unit
from tests.contract.carrier import primal
from tests.contract.deviations import REFUSED_DERIVATIVES
from tests.contract.dual import duals_of, tangent
from tests.contract.evaluate import is_inexact, leaves, names, quietly, raw_of, run, with_units
from tests.contract.finite_differences import (
    differentiable_places,
    is_single,
    like,
    random_tangents,
)
from tests.contract.reverse import Recorded, cotangents
from tests.contract.samples import SEEDS, Case, all_cases, generator, parametrized
from tests.contract.units_search import all_accepted, chosen_unit

BOTH_MODES = [
    n
    for n in names()
    if not isinstance(ops.get(n).derivative, Zero) and n not in REFUSED_DERIVATIVES
]
JOULE = Unit("J")


def recorded(args: tuple[Any, ...], places: list[int]) -> tuple[Any, ...]:
    """Arguments of which some are recorded."""
    return tuple(Recorded(a) if i in places else a for i, a in enumerate(args))


@parametrized("reverse", BOTH_MODES)
def test_what_goes_back_is_the_transpose_of_what_goes_forward(name: str) -> None:
    op = ops.get(name)
    for case in all_cases(name):
        places = differentiable_places(op, case)
        if case.smooth and places:
            quietly(_check, op, case, places)


def _check(op: Op, case: Case, places: list[int]) -> None:
    rng = generator(op, 3000)
    tangents = random_tangents(op, case, places)
    forward = leaves(run(op, duals_of(case.args, tangents), case.params))
    sources = recorded(case.args, places)
    results = leaves(run(op, sources, case.params))
    assert len(results) == len(forward)
    given = [like(rng, primal(r)) if is_inexact(primal(r)) else None for r in results]
    wanted: Any = 0.0
    for ct, moved in zip(given, forward, strict=True):
        if ct is not None and tangent(moved) is not None:
            wanted = wanted + np.sum(ct * tangent(moved))
    backs = cotangents(results, given, [sources[i] for i in places])
    got: Any = 0.0
    for i, back in zip(places, backs, strict=True):
        if back is not None:
            what = f"{case.label}: {np.shape(back)} for {np.shape(case.args[i])}"
            assert np.shape(back) == np.shape(case.args[i]), what
            got = got + np.sum(back * tangents[i])
    size = sum(float(np.abs(ct).sum()) for ct in given if ct is not None)
    precision = 1e-6 if is_single([primal(r) for r in results]) else 1e-9
    scale = precision * size * max((_size(tangent(m)) for m in forward), default=0.0)
    np.testing.assert_allclose(
        np.real(got), np.real(wanted), rtol=1e-8, atol=scale + 1e-12, err_msg=case.label
    )


def _size(moved: Any) -> float:
    return 0.0 if moved is None else float(np.abs(moved).max(initial=0.0))


@parametrized("homogeneous reverse", BOTH_MODES)
def test_with_units_a_gradient_has_the_dimension_of_the_whole_over_the_argument(name: str) -> None:
    op = ops.get(name)
    for case, units in all_accepted(name, SEEDS):
        places = differentiable_places(op, case)
        if case.smooth and places:
            quietly(_check_dimensions, op, case, units, places)


def _check_dimensions(op: Op, case: Case, units: Any, places: list[int]) -> None:
    args = with_units(case.args, units)
    sources = recorded(args, places)
    results = leaves(run(op, sources, chosen_unit(op, case, units)))
    for result in results:
        value = primal(result)
        if not is_inexact(value) or not isinstance(result, Recorded):
            continue
        ct = DimArray(np.ones_like(raw_of(value)), JOULE / _unit(value))
        backs = cotangents([result], [ct], [sources[i] for i in places])
        for i, back in zip(places, backs, strict=True):
            if back is None or not (isinstance(back, DimArray) or np.any(back)):
                continue
            wanted = (JOULE / _unit(args[i])).dimension.without_angle()
            what = f"{case.label} in {units} by {i}: {_unit(back)}"
            assert _unit(back).dimension.without_angle() is wanted, what


def _unit(value: Any) -> Unit:
    return value.unit if isinstance(value, DimArray) else Unit("")


def test_a_value_used_twice_gets_both_cotangents() -> None:
    x = Recorded(np.array([1.0, 2.0, 3.0]))
    y = x * x + ops.sin(x)
    (back,) = cotangents([y], [np.ones(3)], [x])
    np.testing.assert_allclose(back, 2 * x.value + np.cos(x.value))
    assert cotangents([y], [np.ones(3)], [Recorded(np.zeros(3))]) == [None]


@pytest.mark.parametrize("name", ["sort", "var", "matmul"])
def test_the_tape_knows_known_gradients(name: str) -> None:
    """Gradients that are written down in books."""
    rng = np.random.default_rng(5)
    x = Recorded(rng.normal(size=(3, 3)))
    if name == "matmul":
        y = rng.normal(size=(3, 3))
        (back,) = cotangents([x @ y], [np.ones((3, 3))], [x])
        np.testing.assert_allclose(back, np.ones((3, 3)) @ y.T)
    elif name == "var":
        (back,) = cotangents([ops.var(x)], [np.float64(1.0)], [x])
        np.testing.assert_allclose(back, 2 * (x.value - x.value.mean()) / 9)
    else:
        weights = np.arange(9.0).reshape(3, 3)
        (back,) = cotangents([ops.sort(x, axis=1)], [weights], [x])
        wanted = np.empty((3, 3))
        np.put_along_axis(wanted, np.argsort(x.value, axis=1), weights, axis=1)
        np.testing.assert_allclose(back, wanted)
