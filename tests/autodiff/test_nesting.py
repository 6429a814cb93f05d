"""Traces within traces: each follows its own values, those of the others are constants to it."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from dimflow import autodiff, ops

# A derivative of a function of one number, three ways.


def reverse(function: Any) -> Any:
    return lambda x: autodiff.vjp(lambda y: (function(y),), (x,))[1]((np.float64(1.0),))[0]


def forward(function: Any) -> Any:
    return lambda x: autodiff.jvp(lambda y: (function(y),), (x,), (np.float64(1.0),))[1][0]


def linear(function: Any) -> Any:
    return lambda x: autodiff.linearize(lambda y: (function(y),), (x,))[1]((np.float64(1.0),))[0]


def batched(function: Any) -> Any:
    """The derivative by reverse mode, of a batch of one."""

    def derivative(x: Any) -> Any:
        one = ops.reshape(x, shape=(1,))
        return autodiff.vmap(lambda y: (reverse(function)(y),), (one,), (0,))[0][0]

    return derivative


MODES = {"reverse": reverse, "forward": forward, "linear": linear, "batched": batched}
TWO = [pytest.param(*pair, id=" over ".join(pair)) for pair in product(MODES, MODES)]
THREE = [pytest.param(*three, id=" over ".join(three)) for three in product(MODES, repeat=3)]


@pytest.mark.parametrize(("outer", "inner"), TWO)
def test_perturbations_are_not_confused(outer: str, inner: str) -> None:
    """d/dx (x · d/dy (x + y)) is 1; it is 2 for one who takes the two for the same."""
    d, e = MODES[outer], MODES[inner]
    assert d(lambda x: x * e(lambda y: x + y)(np.float64(1.0)))(np.float64(1.0)) == 1.0
    assert d(lambda x: x * e(lambda y: x * y)(np.float64(2.0)))(np.float64(3.0)) == 6.0


@pytest.mark.parametrize(("outer", "inner"), TWO)
def test_an_inner_derivative_at_the_outer_point(outer: str, inner: str) -> None:
    """Where the point itself is followed: d/dx (x · d/dy (y²·x) at y=x) = d/dx 2x³ = 6x²."""
    d, e = MODES[outer], MODES[inner]
    got = d(lambda x: x * e(lambda y: y * y * x)(x))(np.float64(1.5))
    np.testing.assert_allclose(got, 6 * 1.5**2)


@pytest.mark.parametrize(("outer", "middle", "inner"), THREE)
def test_three_deep(outer: str, middle: str, inner: str) -> None:
    """The third derivative of x⁴ + sin x, and one that mixes the variables of all three."""
    d, e, f = MODES[outer], MODES[middle], MODES[inner]
    x = np.float64(0.7)
    third = d(e(f(lambda x: x**4 + ops.sin(x))))(x)
    np.testing.assert_allclose(third, 24 * x - np.cos(x))

    def mixed(x: Any) -> Any:
        return x * e(lambda y: x * y * f(lambda z: x * y * z**2)(y))(x)

    # f: 2xyz at z=y -> 2xy²; e: d/dy 2x²y³ = 6x²y² at y=x -> 6x⁴; times x: 6x⁵, so 30x⁴
    np.testing.assert_allclose(d(mixed)(x), 30 * x**4)


@pytest.mark.parametrize("mode", MODES)
def test_a_constant_function_of_an_inner_variable(mode: str) -> None:
    """What the inner does not depend on has no derivative there, whatever the outer follows."""
    d = MODES[mode]
    assert d(lambda x: x + reverse(lambda y: x * x)(np.float64(2.0)))(np.float64(3.0)) == 1.0
    assert d(lambda x: x + forward(lambda y: x * x)(np.float64(2.0)))(np.float64(3.0)) == 1.0


@pytest.mark.parametrize("order", range(1, 8))
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_many_orders(mode: str, order: int) -> None:
    """Of exp(2x): 2ⁿ exp(2x)."""
    function: Any = lambda x: ops.exp(2.0 * x)  # noqa: E731
    for _ in range(order):
        function = MODES[mode](function)
    np.testing.assert_allclose(function(np.float64(0.3)), 2**order * np.exp(0.6))


def test_the_inner_value_is_not_kept_by_the_outer() -> None:
    """The rows of a Hessian, by reverse over reverse in a batch."""
    a = np.array([[2.0, 1.0], [1.0, 3.0]])

    def gradient(x: Any) -> Any:
        return autodiff.vjp(lambda y: (ops.sum(y * ops.matmul(a, y)) / 2,), (x,))[1]((1.0,))[0]

    _, pull = autodiff.vjp(lambda x: (gradient(x),), (np.array([0.3, -0.2]),))
    rows = autodiff.vmap(lambda ct: pull((ct,)), (np.eye(2),), (0,))[0]
    np.testing.assert_allclose(rows, a)


def test_a_batch_within_a_tape_within_a_batch() -> None:
    x, y = np.arange(6.0).reshape(2, 3), np.arange(3.0) + 1

    def of_row(row: Any) -> Any:
        def loss(r: Any) -> Any:
            (products,) = autodiff.vmap(lambda s, t: (s * t * t,), (r, y), (0, 0))
            return (ops.sum(products * products),)

        return autodiff.vjp(loss, (row,))[1]((np.float64(1.0),))

    (got,) = autodiff.vmap(of_row, (x,), (0,))
    np.testing.assert_allclose(got, 2 * x * y**4)


def test_a_branch_is_taken_by_the_value_in_every_mode() -> None:
    def absolute(x: Any) -> Any:
        return x if x > 0 else -x

    for mode in (reverse, forward, linear):
        assert mode(absolute)(np.float64(-2.0)) == -1.0
        assert mode(mode(absolute))(np.float64(2.0)) == 0.0
