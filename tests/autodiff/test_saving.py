"""What a recorded call lets go: the way back is the same, and large arrays die early."""

import gc
import tracemalloc
import weakref
from typing import Any

import numpy as np
import pytest

from dimflow import autodiff, ops
from dimflow.autodiff import saving
from dimflow.autodiff.tape import Tape
from dimflow.ops.rules.derivatives import Zero
from tests.contract.deviations import REFUSED_DERIVATIVES
from tests.contract.evaluate import assert_same, names, quietly
from tests.contract.finite_differences import differentiable_places
from tests.contract.modes import back, linearized, program
from tests.contract.samples import all_cases, parametrized

DIFFERENTIABLE = [
    n
    for n in names()
    if not isinstance(ops.get(n).derivative, Zero) and n not in REFUSED_DERIVATIVES
]


@parametrized("saving", DIFFERENTIABLE)
def test_no_rule_looks_at_what_is_let_go(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    op = ops.get(name)
    for case in all_cases(name):
        places = differentiable_places(op, case)
        if not case.smooth or not places:
            continue
        of = program(op, case, places)
        given, tangents = of.cotangents(), of.tangents()
        monkeypatch.setattr(saving, "LARGE", 1 << 60)
        kept = quietly(back, of, given), quietly(linearized, of, tangents)
        monkeypatch.setattr(saving, "LARGE", 0)
        light = quietly(back, of, given), quietly(linearized, of, tangents)
        for one, other in zip(light, kept, strict=True):
            assert_same(one, other, rtol=1e-13, what=case.label)


def test_a_sum_keeps_neither_its_arguments_nor_its_result() -> None:
    tape = Tape()
    x = tape.watch(np.ones(saving.LARGE))
    y = x * 2.0
    gone = weakref.ref(y.value)
    total = (y + 1.0) - 3.0
    del y
    gc.collect()
    assert gone() is None
    assert total.value[0] == 0.0


def test_a_product_keeps_only_the_other_side_and_exp_its_result() -> None:
    tape = Tape()
    x = tape.watch(np.ones(saving.LARGE))
    scaled = 3.0 * x
    before = weakref.ref(scaled.value)
    grown = ops.exp(scaled)
    after = weakref.ref(grown.value)
    end = ops.sum(grown * np.full(saving.LARGE, 2.0))
    del scaled, grown
    gc.collect()
    assert before() is None
    assert after() is not None  # exp' = exp
    assert end.value > 0


def test_a_small_array_is_not_worth_it() -> None:
    tape = Tape()
    y = tape.watch(np.ones(3)) + 1.0
    assert type(y.node.values[0]) is np.ndarray


def _peak(steps: int) -> float:
    x = np.linspace(0.1, 1.0, 1 << 15)

    def function(x: Any) -> tuple[Any, ...]:
        for _ in range(steps):
            x = ops.exp(-(x + 1.0) - 0.5) + 0.3
        return (ops.sum(x),)

    tracemalloc.start()
    try:
        autodiff.vjp(function, (x,), keep=False)[1]((1.0,))
        return tracemalloc.get_traced_memory()[1] / x.nbytes
    finally:
        tracemalloc.stop()


def test_a_chain_keeps_one_array_for_each_exp_and_none_for_the_sums() -> None:
    """Five ops a step, of which one keeps an array."""
    _peak(2)
    assert _peak(24) - _peak(8) == pytest.approx(16, abs=1)
