"""Programs to differentiate, written once for every library, and the numbers they run on.

A program takes the functions of a library (`np.exp` under whatever name it has there) and gives a
function of arrays. With units the numbers are the same: no unit has to be converted on the way, so
that every library does the same arithmetic.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

BATCH, LAYERS = 256, (784, 512, 512, 10)
CHAIN_OPS = 15  # of the physics chain, with the sum


class Functions(NamedTuple):
    """What a library calls the functions that no operator stands for."""

    sqrt: Any
    exp: Any
    relu: Any
    sum: Any
    mean: Any


class Program(NamedTuple):
    """A function and its arguments: the numbers of each, and its unit."""

    work: str  # what is done, in a few symbols
    build: Callable[[Functions], Callable[..., Any]]
    arguments: Callable[[], list[tuple[Any, str]]]
    wanted: int  # the gradient is by so many arguments, from the first on
    result: str  # the unit


def chain(size: int) -> Program:
    """15 operations: Boltzmann's factor of relativistic particles in a potential, summed."""

    def build(f: Functions) -> Callable[..., Any]:
        def weight(v: Any, r: Any, c: Any, rest: Any, sigma: Any, depth: Any, heat: Any) -> Any:
            beta = v / c
            near = (sigma / r) ** 3
            energy = rest / f.sqrt(1.0 - beta * beta) + depth * (near * near - near)
            return f.sum(f.exp(-energy / heat))

        return weight

    def arguments() -> list[tuple[Any, str]]:
        random = np.random.default_rng(1)
        speed, distance = random.uniform(0.1, 0.5, size), random.uniform(1.0, 2.0, size)
        numbers = [(1.0, "m/s"), (1.0, "J"), (1.1, "nm"), (0.3, "J"), (0.7, "J")]
        return [(speed, "m/s"), (distance, "nm"), *numbers]

    return Program("Σ exp(-(γmc² + ε(s⁶ - s³))/kT)", build, arguments, 2, "1")


def perceptron() -> Program:
    """Three layers in single precision; lengths in, volts out, and a squared error."""

    def build(f: Functions) -> Callable[..., Any]:
        def loss(w1: Any, b1: Any, w2: Any, b2: Any, w3: Any, b3: Any, x: Any, y: Any) -> Any:
            hidden = f.relu(x @ w1 + b1)
            hidden = f.relu(hidden @ w2 + b2)
            error = hidden @ w3 + b3 - y
            return f.mean(error * error)

        return loss

    def arguments() -> list[tuple[Any, str]]:
        random = np.random.default_rng(2)

        def drawn(*shape: int, scale: float = 1.0) -> Any:
            return np.float32(scale * random.standard_normal(shape))

        given: list[tuple[Any, str]] = []
        units = [("1/m", "1"), ("1", "1"), ("V", "V")]
        for fan_in, fan_out, names in zip(LAYERS, LAYERS[1:], units, strict=False):
            given.append((drawn(fan_in, fan_out, scale=fan_in**-0.5), names[0]))
            given.append((drawn(fan_out, scale=0.1), names[1]))
        return [*given, (drawn(BATCH, LAYERS[0]), "m"), (drawn(BATCH, LAYERS[-1]), "V")]

    return Program("mean((W₃ relu(W₂ relu(W₁ x)) - y)²)", build, arguments, 6, "V**2")


def steps(count: int) -> Program:
    """A loop of Python with two operations in a step: one number that decays."""

    def build(f: Functions) -> Callable[..., Any]:
        def decayed(x: Any, rate: Any) -> Any:
            for _ in range(count):
                x = x - rate * x
            return x

        return decayed

    return Program(
        f"x = x - rate * x, {count:,} times",
        build,
        lambda: [(np.asarray(3.0), "m"), (np.asarray(1.0 / count), "1")],
        2,
        "m",
    )


def elements(count: int) -> Program:
    """A loop of Python that reads each element of an array."""

    def build(f: Functions) -> Callable[..., Any]:
        def total(x: Any) -> Any:
            found = x[0] * x[0]
            for i in range(1, count):
                found = found + x[i] * x[i]
            return found

        return total

    numbers = np.linspace(1.0, 2.0, count)
    return Program(f"Σ x[i]², i < {count:,}", build, lambda: [(numbers, "m")], 1, "m**2")


def small_operations(count: int, *, summed: bool = False) -> Program:
    """A sum, a product, a square root and a difference in turn, on ten elements."""

    def build(f: Functions) -> Callable[..., Any]:
        def mixed(x: Any, y: Any) -> Any:
            for _ in range(count // 4):
                x = f.sqrt((x + y) * x)
                x = x - y
            return f.sum(x) if summed else x

        return mixed

    def arguments() -> list[tuple[Any, str]]:
        return [(np.linspace(1.0, 2.0, 10), "m"), (np.linspace(0.01, 0.02, 10), "m")]

    return Program("+ * sqrt -", build, arguments, 2, "m")


def layer(size: int) -> Program:
    """A vector to a vector of the same length, for its Jacobian."""

    def build(f: Functions) -> Callable[..., Any]:
        def moved(x: Any, matrix: Any, scale: Any) -> Any:
            return matrix @ f.exp(-x / scale) * x

        return moved

    def arguments() -> list[tuple[Any, str]]:
        random = np.random.default_rng(3)
        matrix = random.standard_normal((size, size))
        return [(random.uniform(1.0, 2.0, size), "m"), (matrix, "N"), (1.5, "m")]

    return Program("A exp(-x/d) x", build, arguments, 1, "N*m")
