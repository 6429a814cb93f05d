"""Sampling: standard draws, and the families that a location and a scale make of them.

There is no global state: every draw names its `generator`, a NumPy or dimflow `Generator`, which
moves on, or a whole number, a seed that gives the same numbers each time. A draw itself has no
unit and no derivative; `loc + scale * draw` has both.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.errors import MissingRule, ShapeMismatch, UnitError
from dimflow.ops.domain import Sample
from dimflow.ops.rules import batching, costs
from dimflow.ops.rules.derivatives import Derivative, Jvp, Zero
from dimflow.ops.rules.drawing import generator_beside
from dimflow.ops.rules.shapes import broadcast_shapes
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.units import PURE, Call, Resolved, UnitRule, pure, unit_rule
from dimflow.ops.table import composite, primitive

_NOT_BATCHED = batching.impossible("a batch would draw other numbers than its members do")
_NO_ARGUMENT = Zero("a standard draw depends on no argument")


def size_of(size: Any) -> tuple[int, ...]:
    """A size as a shape."""
    if size is None:
        return ()
    return tuple(size) if isinstance(size, (tuple, list)) else (size,)


def drawn_shape(op: str, size: Any, *parameters: Any) -> tuple[int, ...]:
    """The shape of a sample: its size, or what the parameters broadcast to."""
    shapes = [shape_of(p) for p in parameters]
    if size is None:
        return broadcast_shapes(shapes)  # type: ignore[return-value]
    shape = size_of(size)
    if broadcast_shapes([shape, *shapes]) != shape:
        raise ShapeMismatch(op, f"parameters that fit the size {shape}", shapes)
    return shape


def _drawn(shapes: Any, params: Any) -> Any:
    if params["size"] is None:
        return broadcast_shapes(shapes)
    return drawn_shape("a draw", params["size"], *(np.empty(s) for s in shapes if None not in s))


def _real_dtype(dtypes: Any, params: Any) -> Any:
    return np.dtype(np.float64 if params.get("dtype") is None else params["dtype"])


def _counting_dtype(dtypes: Any, params: Any) -> Any:
    return np.dtype(np.int64 if params.get("dtype") is None else params["dtype"])


@unit_rule
def _pure_draw(call: Call) -> Resolved:
    for i in range(len(call.units)):
        pure(call, i)
    return Resolved((PURE,) * len(call.units), PURE)


@unit_rule
def _plain_draw(call: Call) -> Resolved:
    for i in range(len(call.units)):
        pure(call, i)
    return Resolved((PURE,) * len(call.units), None)


def _no_derivative(name: str, reason: str) -> Derivative:
    """Asking for it is an error, since it is not zero."""

    def refuse(tangents: Any, out: Any, args: Any, params: Any) -> Any:
        raise MissingRule(name, "derivative rule", reason)

    return Jvp(refuse)


def _declare(
    name: str,
    doc: str,
    domain: Callable[..., Any],
    arguments: str = "",
    unit: UnitRule = _pure_draw,
    dtype: Callable[..., Any] = _real_dtype,
    derivative: Derivative = _NO_ARGUMENT,
    torch: str | None = None,
) -> None:
    primitive(
        name,
        kind="random",
        doc=doc,
        signature=f"{arguments}size=None, *, dtype=None, generator",
        unit=unit,
        shape=_drawn,
        dtype=dtype,
        derivative=derivative,
        batching=_NOT_BATCHED,
        cost=costs.per_output(20),
        numpy="",
        torch=torch,
        domain=domain,
    )


def _sizes(rng: Any) -> list[Sample]:
    base = {"dtype": None, "generator": 7}
    return [
        Sample((), {**base, "size": None}),
        Sample((), {**base, "size": 5}),
        Sample((), {**base, "size": (2, 3), "dtype": "float32"}),
    ]


for _name, _doc in (
    ("uniform", "Numbers between 0 (included) and 1 (not), all equally likely."),
    ("normal", "Numbers of the normal distribution of mean 0 and deviation 1."),
    ("exponential", "Numbers of the exponential distribution of mean 1."),
    ("laplace", "Numbers of the Laplace distribution of location 0 and scale 1."),
    ("logistic", "Numbers of the logistic distribution of location 0 and scale 1."),
    ("gumbel", "Numbers of the Gumbel distribution of location 0 and scale 1."),
    ("cauchy", "Numbers of the Cauchy distribution of location 0 and scale 1."),
):
    _declare(f"random_{_name}", _doc, _sizes)


def _shaped(rng: Any) -> list[Sample]:
    base = {"dtype": None, "generator": 7}
    calls = [(2.5, 4), (rng.uniform(1, 3, 3), None), (rng.uniform(1, 3, 3), (2, 3))]
    # a draw by rejection jumps where another number is accepted
    return [Sample((x,), {**base, "size": size}, smooth=False) for x, size in calls]


_declare(
    "random_gamma",
    "Numbers of the gamma distribution of a shape and of scale 1.",
    _shaped,
    "shape, /, ",
    derivative=_no_derivative(
        "random_gamma", "it jumps with the shape, where another draw is accepted"
    ),
)

_declare(
    "random_poisson",
    "Counts of the Poisson distribution of a mean.",
    _shaped,
    "lam, /, ",
    unit=_plain_draw,
    dtype=_counting_dtype,
    derivative=Zero("counts are no real numbers"),
)


def _permuted(shapes: Any, params: Any) -> Any:
    return (params["n"],)


primitive(
    "random_permutation",
    kind="random",
    doc="The numbers from 0 to n-1 in random order: indices.",
    signature="n, *, generator",
    unit=_plain_draw,
    shape=_permuted,
    dtype=lambda dtypes, params: np.dtype(np.int64),
    derivative=Zero("indices are no real numbers"),
    batching=_NOT_BATCHED,
    cost=costs.per_output(2),
    numpy="",
    domain=lambda rng: [Sample((), {"n": n, "generator": 7}) for n in (1, 6)],
)


# Families


def _family(*parameters: str) -> Callable[..., Any]:
    """Samples of calls with so many parameters, and with a unit."""

    def domain(rng: Any) -> list[Sample]:
        base = {"dtype": None, "generator": 7}
        one = tuple(float(i) + 0.5 for i in range(len(parameters)))
        many = tuple(np.sort(rng.uniform(0.5, 1.5, (len(parameters), 3)), axis=0))
        return [
            Sample(one, {**base, "size": None}),
            Sample(many, {**base, "size": None}),
            Sample(many, {**base, "size": (2, 3)}),
        ]

    return domain


def _moved(name: str, loc: Any, scale: Any, size: Any, dtype: Any, generator: Any) -> Any:
    """loc + scale * draw."""
    shape = drawn_shape(f"sample_{name}", size, loc, scale)
    ops.add(loc, scale)  # so that units that do not fit are found before anything is drawn
    generator = generator_beside(generator, loc, scale)
    draw = ops.get(f"random_{name}")(shape, dtype=dtype, generator=generator)
    return ops.add(loc, ops.multiply(scale, draw))  # a draw without arrays is one of NumPy


@composite(domain=_family("low", "high"))
def sample_uniform(
    low: Any, high: Any, /, size: Any = None, *, dtype: Any = None, generator: Any
) -> Any:
    """Numbers between low and high, all equally likely; points (°C) too."""
    return _moved("uniform", low, high - low, size, dtype, generator)


@composite(domain=_family("loc", "scale"))
def sample_normal(
    loc: Any, scale: Any, /, size: Any = None, *, dtype: Any = None, generator: Any
) -> Any:
    """Normal numbers of a mean (which may be a point, °C) and a standard deviation."""
    return _moved("normal", loc, scale, size, dtype, generator)


@composite(domain=_family("loc", "scale"))
def sample_laplace(
    loc: Any, scale: Any, /, size: Any = None, *, dtype: Any = None, generator: Any
) -> Any:
    """Numbers of the Laplace distribution: exponential on both sides of loc."""
    return _moved("laplace", loc, scale, size, dtype, generator)


@composite(domain=_family("loc", "scale"))
def sample_logistic(
    loc: Any, scale: Any, /, size: Any = None, *, dtype: Any = None, generator: Any
) -> Any:
    """Numbers of the logistic distribution."""
    return _moved("logistic", loc, scale, size, dtype, generator)


@composite(domain=_family("loc", "scale"))
def sample_gumbel(
    loc: Any, scale: Any, /, size: Any = None, *, dtype: Any = None, generator: Any
) -> Any:
    """Numbers of the Gumbel distribution, that of maxima."""
    return _moved("gumbel", loc, scale, size, dtype, generator)


@composite(domain=_family("scale"))
def sample_exponential(
    scale: Any, /, size: Any = None, *, dtype: Any = None, generator: Any
) -> Any:
    """Exponential numbers of a mean."""
    shape = drawn_shape("sample_exponential", size, scale)
    scale = 1.0 * scale  # a point is refused before anything is drawn
    generator = generator_beside(generator, scale)
    return ops.multiply(scale, ops.random_exponential(shape, dtype=dtype, generator=generator))


@composite(domain=_family("scale"))
def sample_rayleigh(scale: Any, /, size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Lengths of vectors of two normal numbers of a standard deviation."""
    shape = drawn_shape("sample_rayleigh", size, scale)
    scale = 1.0 * scale
    generator = generator_beside(generator, scale)
    draw = ops.random_exponential(shape, dtype=dtype, generator=generator)
    return ops.multiply(scale, ops.sqrt(2.0 * draw))


def _gammas(rng: Any) -> list[Sample]:
    return [
        Sample((*s.args, *s.args), s.params, ("", "m"), smooth=False) for s in _family("shape")(rng)
    ]


@composite(domain=_gammas)
def sample_gamma(
    shape: Any, scale: Any, /, size: Any = None, *, dtype: Any = None, generator: Any
) -> Any:
    """Numbers of the gamma distribution of a shape (a pure number) and a scale."""
    whole = drawn_shape("sample_gamma", size, shape, scale)
    scale = 1.0 * scale
    generator = generator_beside(generator, shape, scale)
    draw = ops.random_gamma(shape, whole, dtype=dtype, generator=generator)
    return ops.multiply(scale, draw)


@composite(domain=_family("left", "mode", "right"))
def sample_triangular(
    left: Any, mode: Any, right: Any, /, size: Any = None, *, dtype: Any = None, generator: Any
) -> Any:
    """Numbers between left and right, most likely at mode; points (°C) too."""
    shape = drawn_shape("sample_triangular", size, left, mode, right)
    base, rise, fall = right - left, mode - left, right - mode
    generator = generator_beside(generator, left, mode, right)
    draw = ops.random_uniform(shape, dtype=dtype, generator=generator)
    up = left + ops.sqrt(ops.multiply(draw, rise * base))
    down = right - ops.sqrt(ops.multiply(1.0 - draw, fall * base))
    return ops.where(ops.less_equal(draw, rise / base), up, down)


def _covariances(rng: Any) -> list[Sample]:
    factor = rng.normal(size=(3, 3)) + 3 * np.eye(3)
    args = rng.normal(size=3), factor @ factor.T
    base = {"dtype": None, "generator": 7}
    return [Sample(args, {**base, "size": size}, ("m", "m**2")) for size in (None, 4, (2, 3))]


@composite(domain=_covariances)
def sample_multivariate_normal(
    mean: Any, cov: Any, /, size: Any = None, *, dtype: Any = None, generator: Any
) -> Any:
    """Vectors of normal numbers of a mean and a covariance matrix, which has the unit squared."""
    n = shape_of(mean)[-1] if len(shape_of(mean)) == 1 else -1
    if shape_of(cov) != (n, n):
        shapes = f"{shape_of(mean)} and {shape_of(cov)}"
        raise ShapeMismatch("sample_multivariate_normal", "a mean (n,) and cov (n, n)", shapes)
    factor = ops.matrix_transpose(ops.cholesky(cov))
    ops.add(mean, factor)
    generator = generator_beside(generator, mean, cov)
    draw = ops.random_normal((*size_of(size), n), dtype=dtype, generator=generator)
    return mean + ops.matmul(draw, factor)


@composite(
    domain=lambda rng: [
        Sample((rng.normal(size=(3, 4)),), {"p": p, "generator": 7}) for p in (0.0, 0.3, 1.0)
    ],
    torch="nn.functional.dropout",
)
def dropout(x: Any, /, p: float = 0.5, *, generator: Any) -> Any:
    """x with a random part p of its elements set to 0, and the others larger by 1/(1-p)."""
    if not 0 <= p <= 1:
        raise UnitError(f"dropout needs a probability from 0 to 1, but got p={p!r}")
    if p == 1:
        return ops.zeros_like(x)
    generator = generator_beside(generator, x)
    kept = ops.random_uniform(shape_of(x), generator=generator) >= p
    return ops.where(kept, x / (1.0 - p), 0)
