"""No derivative is zero by mistake: what a rule leaves out does not matter, or it is an error."""

from typing import Any

import jax.numpy as jnp
import mlx.core as mx
import numpy as np
import pytest
import torch

import dimflow
from dimflow import DimArray, autodiff, ops
from dimflow.errors import MissingRule, TracedValueError
from dimflow.ops import Op
from dimflow.ops.record import REQUIRED, Hosts
from tests.contract.deviations import REFUSED_DERIVATIVES
from tests.contract.evaluate import is_inexact, leaves, names, quietly, run
from tests.contract.finite_differences import (
    difference,
    differentiable,
    differentiable_places,
    random_tangents,
)
from tests.contract.samples import Case, all_cases, parametrized

STEP = 1e-6


@parametrized("left out", differentiable())
def test_an_argument_that_a_rule_leaves_out_has_no_influence(name: str) -> None:
    op = ops.get(name)
    for case in all_cases(name):
        known = (*differentiable_places(op, case), *REFUSED_DERIVATIVES.get(name, ()))
        left = [i for i, a in enumerate(case.args) if is_inexact(a) and i not in known]
        for i in left if case.smooth else []:
            for change in difference(op, case, random_tangents(op, case, [i])):
                what = f"{case.label} by {i}, which has no derivative"
                assert change is None or not np.any(np.abs(change) > 1e-6), what


# Parameters that are static to the rules, but numbers to whoever calls


def numbers_of(case: Case) -> list[str]:
    """The parameters that are numbers with a fraction."""
    return [name for name, value in case.params.items() if type(value) is float]


WITH_NUMBERS = [
    n
    for n in names()
    if ops.get(n).kind != "random" and any(numbers_of(c) for c in all_cases(n) if c.smooth)
]


@pytest.mark.parametrize("also", [False, True], ids=["alone", "beside traced arrays"])
@parametrized("traced parameter", WITH_NUMBERS)
def test_a_traced_parameter_has_its_derivative_or_is_refused(name: str, also: bool) -> None:
    op = ops.get(name)
    for case in all_cases(name):
        for parameter in numbers_of(case) if case.smooth else []:
            quietly(_check_parameter, op, case, parameter, also)


def _check_parameter(op: Op, case: Case, parameter: str, also: bool) -> None:
    places = differentiable_places(op, case) if also else []

    def function(number: Any, *values: Any) -> list[Any]:
        args = list(case.args)
        for i, value in zip(places, values, strict=True):
            args[i] = value
        return leaves(run(op, args, {**case.params, parameter: number}))

    value, rest = case.params[parameter], [case.args[i] for i in places]
    try:
        outs, pull = autodiff.vjp(function, [np.float64(value), *rest])
        after, before = (function(value + s * STEP, *rest) for s in (1, -1))
    except (TypeError, ValueError):  # refused, or at the end of its range
        return
    weights = [np.ones_like(out) if is_inexact(out) else None for out in outs]
    pairs = zip(after, before, outs, strict=True)
    wanted = sum(np.sum(a - b) / (2 * STEP) for a, b, out in pairs if is_inexact(out))
    got = pull(weights)[0]
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-6, err_msg=case.label)


@parametrized("traced parameter", WITH_NUMBERS)
def test_a_quantity_among_the_parameters_is_the_number_that_it_is(name: str) -> None:
    cases = [case for case in all_cases(name) if case.smooth]
    parameters = {p for case in cases for p in numbers_of(case)}
    for case in cases:
        for parameter in parameters:
            if type(case.params[parameter]) in (int, float):
                quietly(_check_quantity, ops.get(name), case, parameter)


def _check_quantity(op: Op, case: Case, parameter: str) -> None:
    args = [DimArray(a) if is_inexact(a) else a for a in case.args]
    value = float(case.params[parameter])

    def function(number: Any) -> Any:
        total = 0.0
        for out in leaves(run(op, args, {**case.params, parameter: number})):
            if "float" in str(out.dtype):
                assert not isinstance(getattr(out, "_raw", out), DimArray), case.label
                total = total + dimflow.sum(out)
        return total * number

    try:
        wanted = float(function(value + STEP) - function(value - STEP)) / (2 * STEP)
        same = float(function(DimArray(100 * value, "percent")))
        got = float(dimflow.grad(function)(DimArray(value)))
    except (TypeError, ValueError):  # refused, or at the end of its range
        return
    assert same == pytest.approx(float(function(value))), case.label
    assert got == pytest.approx(wanted, rel=1e-4, abs=1e-6), case.label


# The same on libraries with an engine of their own, whose functions may read the number; of whole
# numbers too, which are orders as well as axes


def whole_too(case: Case) -> list[str]:
    """The parameters that are numbers, whole ones too."""
    return [name for name, value in case.params.items() if type(value) in (int, float)]


WITH_WHOLE = [
    n
    for n in names()
    if ops.get(n).kind != "random" and any(whole_too(c) for c in all_cases(n) if c.smooth)
]
MAKE = {
    "torch": lambda value: torch.tensor(value, dtype=torch.float64),
    "jax": jnp.asarray,
    "mlx": lambda value: mx.array(value, dtype=mx.float32),
}
_JUMPS = {"dropout"}  # which elements are dropped depends on the parameter by jumps


def _by_backward(function: Any, number: Any) -> Any:
    number.requires_grad_()
    function(number).backward()
    return number.grad


WAYS = {
    "grad": lambda f, n: dimflow.grad(f)(n),
    "jvp": lambda f, n: dimflow.jvp(f, (n,), (n * 0 + 1,))[1],
    "backward": _by_backward,
}


@pytest.mark.share(3)
@pytest.mark.parametrize("data", ["numpy", "its own"])
@pytest.mark.parametrize(
    ("library", "way"),
    [(name, way) for name in MAKE for way in WAYS if way != "backward" or name == "torch"],
)
@parametrized("traced parameter", [n for n in WITH_WHOLE if n not in _JUMPS])
def test_a_library_does_not_read_a_traced_parameter(
    name: str, library: str, way: str, data: str
) -> None:
    for case in all_cases(name):
        for parameter in whole_too(case) if case.smooth else []:
            quietly(_check_library, ops.get(name), case, parameter, library, way, data)


def _check_library(op: Op, case: Case, parameter: str, library: str, way: str, data: str) -> None:
    make, value, step = MAKE[library], float(case.params[parameter]), 2.0**-9
    put = make if data == "its own" else DimArray
    args = [put(a) if "float" in str(getattr(a, "dtype", "")) else a for a in case.args]

    def function(number: Any) -> Any:
        total = 0.0
        for out in leaves(run(op, args, {**case.params, parameter: number})):
            if "float" in str(getattr(out, "dtype", "")):
                total = total + out.sum()
        return total * number

    def at(number: float) -> float:
        return plain(function(make(number)))

    def plain(found: Any) -> float:
        found = found.detach() if hasattr(found, "detach") else found
        found = found.to_numpy() if isinstance(found, DimArray) else found
        return float(np.asarray(found).reshape(()))

    try:
        here = at(value)
        wanted, other = ((at(value + s) - here) / s for s in (step, -step))
    except (TypeError, ValueError, RuntimeError, AttributeError, IndexError):
        return  # no parameter that may be an array
    if not np.isfinite(wanted) or other != pytest.approx(wanted, rel=5e-2, abs=5e-2):
        return  # by jumps
    try:
        got = plain(WAYS[way](function, make(value)))
    except (TracedValueError, IndexError):  # refused, or no place among elements
        return
    except (TypeError, ValueError, RuntimeError, AttributeError):
        if library == "torch" and way != "backward":
            raise
        return  # where the library refuses
    assert got == pytest.approx(wanted, rel=5e-2, abs=5e-2), case.label


@pytest.mark.parametrize("library", MAKE)
def test_a_quantity_is_an_order_unless_a_library_traces_it(library: str) -> None:
    x, order = DimArray(MAKE[library](np.array([3.0, 4.0])), "m"), DimArray(MAKE[library](2.0))
    for given in (order, DimArray(2.0), DimArray(200, "percent")):
        assert float(dimflow.linalg.norm(x, given).to_value("cm")) == pytest.approx(500.0)
    with pytest.raises(TracedValueError):
        dimflow.grad(lambda p: dimflow.linalg.norm(x, p))(order)


# An op without a rule

SIN = ops.get("sin")
BARE = Op(
    "without_rules",
    kind="primitive",
    doc="The sine, of which nobody wrote the derivative.",
    family="elementwise",
    signature="x, /",
    domain=(),
    hosts=Hosts(numpy="sin"),
    **{rule: getattr(SIN, rule) for rule in REQUIRED["primitive"]},
)
BARE.derivative = BARE.batching = None  # the table would not take it
X = np.array([1.0, -2.0])

MODES = {
    "vjp": lambda f: autodiff.vjp(f, (X,)),
    "jvp": lambda f: autodiff.jvp(f, (X,), (X,)),
    "linearize": lambda f: autodiff.linearize(f, (X,)),
    "vmap": lambda f: autodiff.vmap(f, (X,), (0,)),
}


@pytest.mark.parametrize("mode", MODES)
def test_an_op_without_a_rule_is_an_error_that_names_it(mode: str) -> None:
    np.testing.assert_array_equal(BARE.run((X,), {}), np.sin(X))
    with pytest.raises(MissingRule, match=r"without_rules has no (derivative|batching) rule"):
        MODES[mode](lambda x: (BARE.run((x,), {}),))


def test_an_op_without_a_definition_refuses_a_traced_parameter() -> None:
    with pytest.raises(TracedValueError, match=r"static_power\(..., exponent=x\)") as caught:
        autodiff.vjp(lambda x, n: (ops.static_power(x, exponent=n),), (np.array([2.0]), 3.0))
    assert "stop_gradient" in str(caught.value)
