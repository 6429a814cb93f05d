"""Literals: a bare 0, inf or nan stands for itself in every unit; other bare numbers do not."""

import math
from typing import Any

import numpy as np
import pytest

from dimflow import ops
from dimflow.array import DimArray
from dimflow.errors import UnitError
from dimflow.ops.rules.units import compared, finely, same, same_to_plain
from tests.contract.evaluate import assert_same_quantity, names, quietly, run
from tests.contract.samples import parametrized

SAME = [
    n
    for n in names("unit", kinds=("elementwise",))
    if ops.get(n).unit in (same, same_to_plain, compared, finely)
    and len(ops.get(n).array_names) == 2
    and not any(i.integer for i in ops.get(n).domain)  # type: ignore[union-attr]
]
LITERALS = (0, 0.0, math.inf, -math.inf, math.nan)
LENGTHS = np.array([0.5, 1.25, 2.0])


def params_of(op: Any) -> dict[str, Any]:
    from tests.contract.evaluate import static_defaults

    return static_defaults(op)


@parametrized("literal", SAME)
def test_zero_and_infinity_stand_for_themselves(name: str) -> None:
    op = ops.get(name)
    params = params_of(op)
    for unit in ("m", "km", "percent"):
        x = DimArray(LENGTHS, unit)
        for literal in LITERALS:
            bare = quietly(run, op, (x, literal), params)
            written = quietly(run, op, (x, DimArray(np.float64(literal), unit)), params)
            assert_same_quantity(bare, written, rtol=0, what=f"{literal} beside {unit}")
            bare = quietly(run, op, (literal, x), params)
            written = quietly(run, op, (DimArray(np.float64(literal), unit), x), params)
            assert_same_quantity(bare, written, rtol=0, what=f"{literal} before {unit}")


@parametrized("bare number", [n for n in SAME if ops.get(n).across is None])
def test_other_bare_numbers_need_a_pure_partner(name: str) -> None:
    op = ops.get(name)
    params = params_of(op)
    x = DimArray(LENGTHS, "m")
    for number in (1, -1.0, 1e-300, np.zeros(3), True):
        with pytest.raises(UnitError):
            run(op, (x, number), params)
        with pytest.raises(UnitError):
            run(op, (number, x), params)
    pure = quietly(run, op, (DimArray(LENGTHS, "percent"), 1.5), params)
    wanted = quietly(run, op, (DimArray(LENGTHS, "percent"), DimArray(150.0, "percent")), params)
    assert_same_quantity(pure, wanted, rtol=1e-15)


@parametrized("across", [n for n in SAME if ops.get(n).across is not None])
def test_equality_across_dimensions_has_one_answer(name: str) -> None:
    op = ops.get(name)
    result = run(op, (DimArray(LENGTHS, "m"), DimArray(LENGTHS, "s")), {})
    assert result.tolist() == [op.across] * 3
