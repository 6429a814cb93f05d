"""A compiled program gives what eager mode gives: for every op, the unit and the numbers."""

import numpy as np
import pytest
import torch

from dimflow import ops
from dimflow.array import DimArray
from dimflow.torch import DimTensor
from tests.contract.evaluate import leaves, names, quietly, raw_of, run
from tests.contract.samples import cases

pytestmark = pytest.mark.deep

WRITINGS = {
    "lengths": ("m", "km", "cm", "mm"),
    "numbers": ("",),
    "dimensions": ("m", "s", "kg", "A"),
    "temperatures": ("degC",),
}

# What eager mode does and a compiled program cannot, and why.
DEVIATIONS = {
    "isclose": "it tries the tolerance of pure numbers first; Dynamo cannot catch what that raises",
}


def parametrized(found):
    """A deviation must fail."""
    return pytest.mark.parametrize(
        "name",
        [
            pytest.param(
                name,
                marks=[pytest.mark.xfail(strict=True, reason=DEVIATIONS[name])]
                if name in DEVIATIONS
                else [],
            )
            for name in found
        ],
    )


def labelled(args, units):
    """Arrays of fractions as DimTensors, in these units by turns; others as tensors."""
    made = []
    for place, value in enumerate(args):
        if isinstance(value, np.ndarray):
            value = torch.from_numpy(value.copy())
            if value.is_floating_point() or value.is_complex():
                value = DimTensor(value, units[place % len(units)])
        made.append(value)
    return made


def outcome(function, args):
    """The results, or the error."""
    try:
        return leaves(quietly(function, *args)), None
    except Exception as error:  # Dynamo wraps ours in one of its own
        return None, error


def check(function, args, what):
    expected, refusal = outcome(function, args)
    torch._dynamo.reset()
    results, error = outcome(torch.compile(function, backend="eager"), args)
    assert (results is None) is (expected is None), (what, refusal, error)
    for one, other in zip(results or (), expected or (), strict=True):
        assert getattr(one, "unit", None) == getattr(other, "unit", None), what
        if isinstance(raw_of(other), torch.Tensor):
            torch.testing.assert_close(
                raw_of(one), raw_of(other), rtol=1e-12, atol=1e-14, equal_nan=True, msg=str(what)
            )
        else:
            assert raw_of(one) == raw_of(other), what


NAMES = [name for name in names() if ops.get(name).kind != "random"]


@parametrized(NAMES)
def test_an_op_gives_the_same(name):
    op, case = ops.get(name), cases(name)[0]
    seen = [[]]
    for writing, units in WRITINGS.items():
        args = labelled(case.args, units)
        used = [str(value.unit) for value in args if isinstance(value, DimArray)]
        if used not in seen:  # of one array, "lengths" and "dimensions" are the same
            seen.append(used)
            check(lambda *values: run(op, values, case.params), args, (name, writing))


# A list counts as an array beside a quantity; alone, eager mode refuses it.
LISTED = [name for name in names(kinds=("elementwise",)) if len(ops.get(name).array_names) > 1]


@parametrized(LISTED)
def test_lists_of_quantities_give_the_same(name):
    """The first array as a list of quantities, the last of which is in another unit."""
    op, case = ops.get(name), cases(name)[0]

    def of_a_list(x, last, *others):
        parts = [x[i] for i in range(len(x) - 1)]
        return run(op, ([*parts, last], *others), case.params)

    for writing in ("lengths", "numbers"):
        x, *others = labelled(case.args, WRITINGS[writing])
        if isinstance(x, DimArray) and x.ndim:
            last = x[-1].to(WRITINGS[writing][-1])
            check(of_a_list, (x, last, *others), (name, writing))
