"""A list that holds traced values or quantities is the array that it is, to every op."""

from typing import Any

import numpy as np
import pytest
import torch

import dimflow
from dimflow import DimArray, ops
from dimflow.ops import Op
from tests.contract.evaluate import leaves, names, quietly, run
from tests.contract.finite_differences import differentiable
from tests.contract.samples import Case, all_cases, parametrized

MAKE = {
    "numpy": np.asarray,
    "torch": lambda value: torch.tensor(value, dtype=torch.float64),
}


def takes_a_list(case: Case) -> bool:
    """Whether the first array is one of real numbers, and small."""
    first = case.args[0] if case.args else None
    return isinstance(first, np.ndarray) and first.dtype == float and 0 < first.size < 64


WITH_ARRAYS = [
    n for n in names() if any(map(takes_a_list, all_cases(n))) and not ops.get(n).columns
]


def nested(array: Any, part: Any) -> Any:
    """An array as nested lists, with something else in the place of its first number."""
    inner = found = nested_all(array)
    while isinstance(inner[0], list):
        inner = inner[0]
    inner[0] = part
    return found


def nested_all(array: Any) -> Any:
    """An array as nested lists; of one number, a list of it."""
    return array.tolist() if array.ndim else [array.item()]


def outcome(function: Any, *args: Any) -> Any:
    """The numbers of what a function gives, or what it says."""
    try:
        return [np.asarray(numbers(leaf), float) for leaf in leaves(quietly(function, *args))]
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def numbers(leaf: Any) -> Any:
    if isinstance(leaf, DimArray):
        leaf = leaf.detach().to_value(leaf.unit.to_base())
    return leaf.detach() if isinstance(leaf, torch.Tensor) else leaf


def assert_same(one: Any, other: Any, what: str) -> None:
    if isinstance(one, str) or isinstance(other, str):
        assert one == other, what
        return
    for mine, theirs in zip(one, other, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-12, err_msg=what)


@pytest.mark.parametrize("library", MAKE)
@parametrized("nested lists", [n for n in WITH_ARRAYS if n in differentiable()])
def test_of_traced_numbers(name: str, library: str) -> None:
    op, make = ops.get(name), MAKE[library]
    for case in filter(takes_a_list, all_cases(name)[:4]):
        at = make(float(case.args[0].ravel()[0]))

        def of(first: Any, op: Op = op, case: Case = case) -> Any:
            return lambda a: tuple(
                leaf
                for leaf in leaves(run(op, (first(a), *case.args[1:]), case.params))
                if "float" in str(getattr(leaf, "dtype", ""))
            )

        def listed(a: Any, case: Case = case) -> Any:
            return nested(case.args[0], a)

        def whole(a: Any, case: Case = case) -> Any:
            return dimflow.asarray(nested(case.args[0], a)).data

        both = [outcome(dimflow.jvp, of(each), (at,), (at * 0 + 1,)) for each in (listed, whole)]
        assert_same(*both, case.label)


@parametrized("nested lists", WITH_ARRAYS)
def test_of_quantities(name: str) -> None:
    op = ops.get(name)
    for case in filter(takes_a_list, all_cases(name)[:4]):
        for unit in ("", "m"):
            listed, rest = _each(nested_all(case.args[0]), unit), case.args[1:]
            both = [
                outcome(run, op, (first, *rest), case.params)
                for first in (listed, dimflow.asarray(listed))
            ]
            assert_same(*both, f"{case.label} in {unit}")


def _each(values: Any, unit: str) -> Any:
    if isinstance(values, list):
        return [_each(value, unit) for value in values]
    return DimArray(values, unit)
