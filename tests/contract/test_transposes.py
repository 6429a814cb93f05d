"""Transposes: <ct, op(t)> = <transpose(ct), t>, without conjugation."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.autodiff.rules import zeros_for
from dimflow.ops import Op
from dimflow.ops.rules.derivatives import Jvp, Linear, Multilinear
from tests.contract.evaluate import is_inexact, leaves, names, quietly, run
from tests.contract.finite_differences import (
    cotangent,
    differentiable_places,
    linear,
    random_tangents,
)
from tests.contract.samples import Case, all_cases, parametrized

LINEAR = linear()
PARTLY = [n for n in names("derivative") if getattr(ops.get(n).derivative, "transposes", ())]


def paired(ct: Any, value: Any) -> Any:
    """The sum of products over all results."""
    return sum(np.sum(c * v) for c, v in zip(leaves(ct), leaves(value), strict=True))


@parametrized("transpose", LINEAR)
def test_the_transpose_passes_the_dot_product_test(name: str) -> None:
    op = ops.get(name)
    for case in all_cases(name):
        places = differentiable_places(op, case)
        if not places:
            continue
        if isinstance(op.derivative, Linear):
            _check_together(op, op.derivative, case, places)
        else:
            for i in places:
                _check_one(op, case, i)


@parametrized("part transpose", PARTLY)
def test_the_transpose_by_one_argument_passes_it_too(name: str) -> None:
    """Multilinear ops, and those that are linear in some argument alone: solve(a, b) in b."""
    op = ops.get(name)
    rule: Any = op.derivative
    checked = 0
    for case in all_cases(name):
        for i, transpose in enumerate(rule.transposes):
            if transpose is not None and is_inexact(case.args[i]):
                _check_one(op, case, i)
                checked += 1
    assert checked


def _check_together(op: Op, rule: Linear, case: Case, places: list[int]) -> None:
    tangents = random_tangents(op, case, places)
    linear = range(len(case.args)) if rule.arguments is None else rule.arguments
    moved = tuple(
        t if t is not None else a if i not in linear or a is None else zeros_for(a)
        for i, (a, t) in enumerate(zip(case.args, tangents, strict=True))
    )
    out = quietly(run, op, moved, case.params)
    ct = cotangent(op, out)
    back = quietly(rule.transpose, ct, case.args, case.params)
    assert len(back) == len(case.args), f"{len(back)} cotangents for {len(case.args)} arguments"
    got: Any = 0.0
    for i in places:
        assert back[i] is not None, f"{case.label}: no cotangent for argument {i}"
        assert np.shape(back[i]) == np.shape(case.args[i]), f"{case.label}: {np.shape(back[i])}"
        got = got + np.sum(back[i] * tangents[i])
    _agree(got, paired(ct, out), case, places, out)


def _check_one(op: Op, case: Case, i: int) -> None:
    rule: Any = op.derivative
    t = random_tangents(op, case, [i])[i]
    out = quietly(run, op, (*case.args[:i], t, *case.args[i + 1 :]), case.params)
    ct = cotangent(op, out)
    if isinstance(rule, (Multilinear, Jvp)):
        function: Any = rule.transposes[i]
        back = quietly(function, ct, case.args, case.params)
    else:
        back = quietly(rule.transpose, i, ct, case.args, case.params)
    assert np.shape(back) == np.shape(case.args[i]), f"{case.label}: {np.shape(back)}"
    _agree(np.sum(back * t), paired(ct, out), case, [i], out)


def _agree(got: Any, wanted: Any, case: Case, places: list[int], out: Any) -> None:
    """Between real and complex numbers an op is linear over the reals, so real parts agree."""
    ends = [*leaves(out), *(case.args[i] for i in places)]
    if any(np.asarray(x).dtype.kind == "f" for x in ends):
        got, wanted = np.real(got), np.real(wanted)
    np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-9, err_msg=case.label)
