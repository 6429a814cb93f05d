"""Algebra: what an op's record says about order, grouping, repetition and inverses holds."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.array import DimArray
from dimflow.ops import Op
from tests.contract.evaluate import assert_same, assert_same_quantity, names, quietly, run
from tests.contract.samples import Case, all_cases, cases, parametrized
from tests.contract.units_search import all_accepted

KNOWN = {"commutative", "associative", "idempotent", "involution"}
KNOWN_WITH_ARGUMENT = {"inverse", "identity"}
RTOL = 1e-12


def having(law: str) -> list[str]:
    """The ops that state a law."""
    return [n for n in names() if any(x.partition(":")[0] == law for x in ops.get(n).laws)]


def argument(op: Op, law: str) -> list[str]:
    """What stands behind the colon."""
    return [x.partition(":")[2] for x in op.laws if x.partition(":")[0] == law]


@parametrized("stated laws", [n for n in names() if ops.get(n).laws])
def test_stated_laws_have_a_meaning(name: str) -> None:
    for law in ops.get(name).laws:
        word, colon, _ = law.partition(":")
        assert word in (KNOWN_WITH_ARGUMENT if colon else KNOWN), f"{law} of {name}"


def call(op: Op, *args: Any, params: Any) -> Any:
    return quietly(run, op, args, params)


@parametrized("commutative", having("commutative"))
def test_order_does_not_matter(name: str) -> None:
    op = ops.get(name)
    for case in all_cases(name):
        x, y = case.args
        swapped = call(op, y, x, params=case.params)
        assert_same(swapped, call(op, x, y, params=case.params), rtol=RTOL)
    for case, units in all_accepted(name):
        x, y = (DimArray(np.asarray(a), u or "") for a, u in zip(case.args, units, strict=True))
        swapped = call(op, y, x, params=case.params)
        assert_same_quantity(swapped, call(op, x, y, params=case.params), rtol=RTOL)


@parametrized("associative", having("associative"))
def test_grouping_does_not_matter(name: str) -> None:
    op = ops.get(name)
    for case in all_cases(name):
        x, y = case.args
        z = np.flip(np.asarray(y))
        left = call(op, call(op, x, y, params=case.params), z, params=case.params)
        right = call(op, x, call(op, y, z, params=case.params), params=case.params)
        assert_same(left, right, rtol=RTOL, what=case.label)


@parametrized("idempotent", having("idempotent"))
def test_twice_is_once(name: str) -> None:
    op = ops.get(name)
    for case in all_cases(name):
        once = call(op, *case.args, params=case.params)
        again = (once, once) if len(op.array_names) == 2 else (once, *case.args[1:])
        assert_same(call(op, *again, params=case.params), once, what=case.label)
        if len(op.array_names) == 2:
            x = case.args[0]
            assert_same(call(op, x, x, params=case.params), x, what=case.label)


@parametrized("involution", having("involution"))
def test_twice_is_nothing(name: str) -> None:
    op = ops.get(name)
    for case in all_cases(name):
        once = call(op, *case.args, params=case.params)
        twice = call(op, once, *case.args[1:], params=case.params)
        assert_same(twice, case.args[0], rtol=RTOL, what=case.label)


@parametrized("inverse", having("inverse"))
def test_it_undoes_its_inverse(name: str) -> None:
    op = ops.get(name)
    for other in argument(op, "inverse"):
        inverse = ops.get(other)
        for case in cases(inverse.name):
            back = call(op, _applied(inverse, case), params=_matching(op, case))
            assert_same(back, case.args[0], rtol=1e-9, what=f"{name} of {other}, {case.label}")


def _applied(inverse: Op, case: Case) -> Any:
    return call(inverse, *case.args, params=case.params)


def _matching(op: Op, case: Case) -> dict[str, Any]:
    """The parameters that both have; those of the op itself for the others."""
    mine = cases(op.name)[0].params
    return {name: case.params.get(name, value) for name, value in mine.items()}


@parametrized("identity", having("identity"))
def test_the_identity_changes_nothing(name: str) -> None:
    op = ops.get(name)
    for text in argument(op, "identity"):
        neutral = float(text)
        for case in all_cases(name):
            x = case.args[0]
            kind = type(neutral) if np.asarray(x).dtype.kind in "fc" else int
            result = call(op, x, kind(neutral), params=case.params)
            assert_same(result, x, rtol=RTOL, what=case.label)
