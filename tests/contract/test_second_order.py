"""Second order: all modes over each other agree, and are differences of the first.

For every op with a derivative, and for every definition.
"""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.ops import Op
from dimflow.ops.rules.derivatives import Zero
from tests.contract.deviations import REFUSED_DERIVATIVES
from tests.contract.evaluate import assert_same, leaves, names, quietly
from tests.contract.finite_differences import STEP, differentiable_places, is_single
from tests.contract.modes import TWICE, Program, back, program
from tests.contract.samples import DEEP, Case, all_cases, parametrized

BOTH_MODES = [
    n
    for n in names()
    if not isinstance(ops.get(n).derivative, Zero) and n not in REFUSED_DERIVATIVES
]
EACH = None if DEEP else 6  # samples of an op


@parametrized("all second orders", BOTH_MODES)
def test_all_second_derivatives_agree(name: str) -> None:
    op = ops.get(name)
    smooth = [case for case in all_cases(name) if case.smooth and differentiable_places(op, case)]
    for case in smooth[:EACH]:
        quietly(_check, op, case)


def _check(op: Op, case: Case) -> None:
    of = program(op, case, differentiable_places(op, case))
    if not of.out:
        return
    cotangents, tangents = of.cotangents(), of.tangents()
    first = back(of, cotangents)
    size = largest(first)
    exact = 1e-5 if is_single([*of.out, *first]) else 1e-9
    found = {way: twice(of, cotangents, tangents) for way, twice in TWICE.items()}
    reference = found["reverse over reverse"]
    for way, got in found.items():
        what = f"{case.label}, {way}"
        assert_same(got, reference, rtol=10 * exact, atol=exact * size, what=what)
        for value, part in zip(of.args, got, strict=True):
            assert np.shape(part) == np.shape(value), what
    if not is_single([*of.out, *of.args]):
        wanted = differences(of, cotangents, tangents)
        assert_same(reference, wanted, rtol=1e-4, atol=1e-7 * size, what=case.label)


def differences(of: Program, cotangents: Any, tangents: Any) -> list[Any]:
    """How the gradient changes in a direction, by central differences."""
    after, before = (back(of.moved(tangents, s * STEP), cotangents) for s in (1, -1))
    return [(a - b) / (2 * STEP) for a, b in zip(after, before, strict=True)]


def largest(values: Any) -> float:
    """The largest finite number."""
    found = [np.abs(np.asarray(v)) for v in leaves(values)]
    return max((float(v[np.isfinite(v)].max(initial=0.0)) for v in found), default=0.0)
