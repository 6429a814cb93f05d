"""What a check tells is what a call gives: for every op of the table, and NumPy's functions."""

from typing import Any

import numpy as np
import pytest

from dimflow import DimArray, Unit, ops
from dimflow.backends.abstract import Abstract
from dimflow.errors import DimflowError, UnitError
from dimflow.ops import Op
from dimflow.transforms.checking import abstract, outcome
from dimflow.transforms.spec import Spec
from tests.array.numpy_recipes import RECIPES
from tests.array.numpy_walk import Quantity, function
from tests.contract.deviations import ARBITRARY
from tests.contract.evaluate import leaves, quietly, run, with_units
from tests.contract.samples import cases
from tests.contract.units_search import all_accepted, chosen_unit, run_with, spread

# Whether the result is real or complex depends on the values.
VALUES_DECIDE = {"eig", "eigvals", "linalg.eig", "linalg.eigvals", "lib.scimath.sqrt"}


def is_told(told: Any, actual: Any, dtype: bool = True) -> bool:
    """Whether a result without data is what the result with data is."""
    one, other = outcome(told), outcome(actual)
    if not (isinstance(one, Spec) and isinstance(other, Spec)):
        return type(one) is type(other)
    return (
        one.unit is other.unit
        and len(one.shape) == len(other.shape)
        and all(n is None or n == m for n, m in zip(one.shape, other.shape, strict=True))
        and (one.dtype == other.dtype or not dtype)
    )


def assert_told(told: Any, actual: Any, label: str, dtype: bool = True) -> None:
    assert len(leaves(told)) == len(leaves(actual)), f"{label}: {told} for {actual}"
    for one, other in zip(leaves(told), leaves(actual), strict=True):
        assert is_told(one, other, dtype), f"{label}: {outcome(one)!r} for {outcome(other)!r}"


@pytest.mark.parametrize("name", [name for name in ops.TABLE if name not in ARBITRARY])
def test_every_op_with_units(name: str) -> None:
    op = ops.get(name)
    for case, units in all_accepted(name):
        args = tuple(abstract(a) for a in with_units(case.args, units))
        if not any(isinstance(getattr(a, "data", a), Abstract) for a in args):
            continue
        actual = run_with(op, case, units)
        told = quietly(run, op, args, chosen_unit(op, case, units))
        assert_told(told, actual, f"{case.label} with {units}", name not in VALUES_DECIDE)


@pytest.mark.parametrize("name", [name for name in ops.TABLE if name not in ARBITRARY])
def test_every_op_refuses_the_same_units(name: str) -> None:
    """Two dimensions that most ops refuse together: the error is that of the call."""
    op, case = ops.get(name), cases(name)[0]
    where = [i for i, a in enumerate(case.args) if isinstance(a, np.ndarray)]
    odd = spread(case, where, tuple("mol" if i % 2 else "K**3" for i in range(len(where))))
    args = with_units(case.args, odd)
    actual = refusal(op, args, case.params)
    told = refusal(op, tuple(abstract(a) for a in args), case.params)
    assert told == actual


def refusal(op: Op, args: Any, params: Any) -> Any:
    """The class and the text of a unit error; None if there is none."""
    try:
        quietly(run, op, args, params)
    except UnitError as error:
        return type(error), str(error)
    return None


class Known(Quantity):
    """Makes quantities of which unit, shape and dtype are known."""

    def __call__(self, values: Any) -> Any:
        return abstract(super().__call__(values))


def told_of(name: str) -> Any:
    return quietly(RECIPES[name], function(name), Known("m"), Known("s"))


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_numpy_functions_tell_the_truth_or_refuse(name: str) -> None:
    actual = quietly(RECIPES[name], function(name), Quantity("m"), Quantity("s"))
    try:
        told = told_of(name)
    except DimflowError:
        return  # refused with a reason; the next test counts these
    assert_told(told, actual, name, name not in VALUES_DECIDE)


def test_most_numpy_functions_can_be_checked() -> None:
    refused = []
    for name in RECIPES:
        try:
            told_of(name)
        except DimflowError:
            refused.append(name)
    assert len(refused) <= 0.2 * len(RECIPES), sorted(refused)


def test_a_wrong_answer_would_show() -> None:
    assert is_told(DimArray(Abstract((2, None)), "m"), DimArray(np.ones((2, 3)), "m"))
    for wrong in (
        DimArray(Abstract((2, 3)), "km"),
        DimArray(Abstract((3, 2)), "m"),
        DimArray(Abstract((2,)), "m"),
        DimArray(Abstract((2, 3), np.float32), "m"),
        Abstract((2, 3)),
    ):
        assert not is_told(wrong, DimArray(np.ones((2, 3)), Unit("m")))
