"""Programs as users of HIPS autograd, JAX, PyTorch and TensorFlow write them, with units on NumPy.

The truth is the same program on bare numbers: in JAX or PyTorch, or by finite differences.
"""

import functools
import itertools
import operator
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import dimflow
from dimflow import DimArray, Unit, grad, hvp, jacobian, jvp, linearize, value_and_grad, vjp
from dimflow import units as u
from dimflow.errors import (
    ComputationError,
    NotANumber,
    ShapeMismatch,
    StructureMismatch,
    TracedValueError,
    UnitError,
    UnsupportedFunction,
)
from tests.transforms.libraries import quiet_torch

pytestmark = quiet_torch

Function = Callable[..., Any]
_rng = np.random.default_rng(5)
_ROWS = _rng.normal(size=(3, 4))
_NUMBERS = np.array([1.0, -0.5, 0.3, 2.0])
_MASK = np.array([True, False, True, True])
_STEP = 1e-6

# What programs are run on, by the names of their parameters.
ARGUMENTS: dict[str, Any] = {
    "x": DimArray(_ROWS, "m"),  # rows
    "v": DimArray(_rng.normal(size=4), "m"),
    "p": DimArray(np.abs(_rng.normal(size=4)) + 0.3, "m"),  # positive
    "t": DimArray(0.7, "m"),
    "w": DimArray(np.abs(_rng.normal(size=4)) + 0.1, ""),
    "far": DimArray(_NUMBERS, "km"),
    "near": DimArray(np.abs(_NUMBERS) * 30, "cm"),
    "matrix": DimArray(_ROWS @ _ROWS.T + 2 * np.eye(3), "N/cm"),
    "angle": DimArray(_NUMBERS * 30, "deg"),
    "rate": DimArray([10.0, 20.0, 30.0, 40.0], "%"),
    "warm": DimArray([20.0, 30.0], "degC"),
    "hot": DimArray([70.0, 90.0], "degF"),
}
K, M = _NUMBERS, _MASK

PROGRAMS: dict[str, Function] = {
    # elements of all kinds
    "an element": lambda x: x[-1, -2] ** 2,
    "a row of a row": lambda x: x[1][2] * x[0],
    "a slice back": lambda x: x[::-1, 1:3] * x[:, 2:],
    "new axes": lambda x: x[None, :, np.newaxis, 1] * x[1, 0],
    "rows twice": lambda x: x[[0, 0, 2]] ** 2,
    "pairs of indices": lambda x: x[[0, 1, 1], [3, 3, 0]] ** 2,
    "indices and a slice": lambda x: x[[0, 2], 1:] ** 2,
    "indices of two axes": lambda x: x[np.array([[0, 1], [2, 0]])] ** 2,
    "a grid": lambda x: x[np.ix_([0, 2], [1, 1, 3])] ** 2,
    "a mask of its own": lambda x: x[x > 0 * u.m] ** 2,
    "a mask of rows": lambda x: x[np.array([True, False, True])] ** 2,
    "where it is": lambda x: x[np.nonzero(np.asarray(x > 0))] ** 2,
    "nothing": lambda x: x[[]],
    "True": lambda x: x[True] ** 2,
    "the largest": lambda v: v[np.argmax(v)] ** 2,
    # Python around them
    "rows in a loop": lambda x: [row * row for row in x],
    "unpacked": lambda x: (lambda a, b, c: a * b + c * c)(*x),
    "counted": lambda x: sum((i + 1) * row**2 for i, row in enumerate(x)),
    "zipped": lambda x: [a * b for a, b in zip(x, x[::-1], strict=True)],
    "max and min": lambda v: max(v) * min(*v),
    "sorted": lambda v: sorted(v, key=lambda e: -e)[1] ** 2,
    "folded": lambda v: functools.reduce(operator.mul, v),
    "added up": lambda v: list(itertools.accumulate(v, operator.add)),
    "reversed": lambda x: next(reversed(x)) ** 2,
    "a branch": lambda v: v[0] ** 2 if v[0] > 0 else v[1] ** 3 / u.m,
    "a dict of lists": lambda v: sum({"a": [v[0], v[1] ** 2 / u.m]}["a"]),
    "a list of arrays": lambda v: dimflow.asarray([v[0], v[1] * 2]) ** 2,
    "an array of arrays": lambda v: DimArray([v[0], v[1] * 2]) ** 2,
    "a generator": lambda v: np.stack([e**2 for e in v]),
    "in place": lambda v: functools.reduce(operator.iadd, [v * 1, v, v]) ** 2,
    # where derivatives are easily forgotten: bounds, ends, weights, fills
    "ends of clip": lambda v, p: np.clip(v, -p, p),
    "ends of a constant": lambda t: np.clip(K * u.m, -t, t),
    "ends by name": lambda v, p: np.clip(v, min=-p, max=p),
    "interp's points": lambda p: np.interp([0.4, 1.0] * u.m, np.cumsum(p), K * u.s),
    "interp's values": lambda v: np.interp([0.1, 0.5], [0, 0.4, 0.8, 1.2], v),
    "interp's ends": lambda t: np.interp([-1, 5.0], [0, 1, 2, 3], K * u.m, left=t, right=2 * t),
    "fill": lambda t: np.full_like(ARGUMENTS["v"], t) * t,
    "full": lambda t: dimflow.full((2, 3), t) * t,
    "weights": lambda v, w: np.average(v, weights=w),
    "a quantile": lambda w: np.quantile(ARGUMENTS["v"], w[0] / 4),
    "weights of cov": lambda w: np.cov(_ROWS, aweights=w),
    "weights of bins": lambda v: np.bincount([0, 1, 1, 2], weights=v) ** 2,
    "padding": lambda v, t: np.pad(v, 1, constant_values=t) ** 2,
    "ramps": lambda v, t: np.pad(v, 2, mode="linear_ramp", end_values=t) ** 2,
    "trapezoids over x": lambda p: np.trapezoid(K * u.s, x=np.cumsum(p) ** 2),
    "trapezoids of dx": lambda t: np.trapezoid(K * u.s, dx=t * t),
    "spacing": lambda v, t: np.gradient(v, t),
    "points of a slope": lambda p: np.gradient(K * u.s, np.cumsum(p)),
    "prepended": lambda v, t: np.diff(v, prepend=t, append=t * 2) ** 2,
    "initial": lambda v, t: np.sum(v, initial=t) ** 2,
    "the highest so far": lambda v, t: np.max(v, initial=t * 9) ** 2,
    "picked": lambda v: np.sum(v**2, where=M),
    "inserted": lambda v, t: np.insert(v, 1, t) ** 2,
    "default": lambda v, t: np.select([M], [v], t) ** 2,
    "frequencies": lambda t: np.fft.fftfreq(4, d=t),
    "coefficients": lambda w: np.polyval(w, 2.0) ** 2,
    "from zero on": lambda t: np.linspace(0 * u.m, t, 4) ** 2,
    "between arrays": lambda x: np.linspace(x[0], x[1], 3, axis=1) ** 2,
    "without the end": lambda t: dimflow.linspace(t, t * t / u.m, 4, endpoint=False) ** 2,
    "sums by a ufunc": lambda x: np.add.reduce(x) ** 2,
    "products by a ufunc": lambda x: np.multiply.reduce(x, axis=1),
    "extremes by a ufunc": lambda x: np.maximum.reduce(x) * np.minimum.reduce(x, axis=None),
    "steps by a ufunc": lambda x: np.add.accumulate(x, axis=1) ** 2,
    "pairs by a ufunc": lambda v: np.subtract.outer(v, v) ** 2,
    "einsum of lists": lambda x: np.einsum(x, [0, 1], x, [2, 1], [2, 0]),
    "einsum of lists alone": lambda x: np.einsum(x, [1, 0]) ** 2,
    "einsum in order": lambda x: np.einsum("ij,kj,kl->il", x, x, x, optimize=True),
    "einsum to a number": lambda x: np.einsum("i,ij,j", x[:, 0], x, x[0]),
    # the other side of an operator
    "a number less": lambda v: 3 * u.m - v * v / u.m,
    "a number over": lambda p: 1 / p,
    "an array over": lambda p: K / p,
    "a list times": lambda v: [1, 2, 3, 4] * v * v,
    "truth values times": lambda v: M * v * v,
    "integers times": lambda v: np.arange(4) * v * v,
    "to a power": lambda w: 2.0**w,
    "a matrix times": lambda v: np.ones((2, 4)) @ v * v[0],
    "rest": lambda p: (5 * u.m) % p,
    "stretched": lambda x, v, t: x * v + t / x[:, :1] * u.m**2,
    # units that differ, and change on the way
    "metres and kilometres": lambda v, far: v + far * far / u.km,
    "the larger": lambda v, far: np.maximum(v, far / 1000) ** 2,
    "one or the other": lambda v, far: np.where(M, v, far) ** 2,
    "beside each other": lambda far, v: np.concatenate([far, v]) ** 2,
    "a ratio": lambda v, near: np.exp(v / near),
    "a rest of others": lambda far, near: far % near,
    "clipped by others": lambda v, near: np.clip(v, -near, near) ** 2,
    "solved": lambda matrix, v: np.linalg.solve(matrix, v[:3]).to("km**2/N"),
    "degrees": lambda angle: np.sin(angle) * np.cos(angle) ** 2,
    "into degrees": lambda v: np.arctan(v / u.m).to("deg") ** 2,
    "percent": lambda rate: np.log1p(rate) * (1 + rate),
    "a logarithm of a ratio": lambda p: np.log(p / (1 * u.mm)),
    "roots": lambda p: np.sqrt(p) + p**0.5 / np.cbrt(p / u.m),
    "kelvin": lambda warm: np.exp(-(300 * u.K) / warm.to("K")),
    "from fahrenheit": lambda hot: hot.to("K") ** 2,
    "a mean of points": lambda warm: np.mean(warm).to("K") ** 2,
    "steps between points": lambda warm: np.diff(warm) ** 2,
    "the warmer": lambda warm, hot: np.maximum(warm, hot).to("K") ** 2,
    "there and back": lambda warm: warm.to("degF").to("K") ** 2,
}


def numbers(value: Any) -> Any:
    return value.to_numpy(value.unit) if isinstance(value, DimArray) else np.asarray(value)


def leaves(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [leaf for part in value for leaf in leaves(part)]
    return [value]


def arguments(name: str) -> list[Any]:
    return [ARGUMENTS[key] for key in PROGRAMS[name].__code__.co_varnames[: _count(name)]]


def _count(name: str) -> int:
    return PROGRAMS[name].__code__.co_argcount


def weighed(name: str) -> Function:
    """One pure number of all results of a program, each element with a weight of its own."""

    def total(*args: Any) -> Any:
        result: Any = 0.0
        for i, leaf in enumerate(leaves(PROGRAMS[name](*args))):
            weights = np.random.default_rng(i).normal(size=leaf.shape)
            result = result + dimflow.sum(weights * leaf / leaf.unit.delta)
        return result

    return total


def moved(args: list[Any], directions: list[Any], by: float) -> list[Any]:
    pairs = zip(args, directions, strict=True)
    return [DimArray(numbers(a) + by * d, a.unit) for a, d in pairs]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_differentiates_as_its_values_change(name: str) -> None:
    function, args = weighed(name), arguments(name)
    places = tuple(range(len(args)))
    rng = np.random.default_rng(11)
    directions = [rng.normal(size=a.shape) for a in args]
    high, low = (numbers(function(*moved(args, directions, s * _STEP))) for s in (1, -1))
    wanted = (high - low) / (2 * _STEP)
    tangents = tuple(DimArray(d, a.unit.delta) for d, a in zip(directions, args, strict=True))

    gradients = grad(function, argnums=places)(*args)
    for gradient, a in zip(gradients, args, strict=True):
        assert gradient.shape == a.shape
        assert gradient.unit == a.unit.delta**-1
    found = sum(np.sum(numbers(g) * d) for g, d in zip(gradients, directions, strict=True))
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
    forward = jvp(function, tuple(args), tangents)[1]
    np.testing.assert_allclose(numbers(forward), found, rtol=1e-9, atol=1e-9)
    pushed = linearize(function, *args)[1](*tangents)
    np.testing.assert_allclose(numbers(pushed), found, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", PROGRAMS)
def test_its_gradient_does_so_too(name: str) -> None:
    function, args = weighed(name), arguments(name)
    places = tuple(range(len(args)))
    directions = [np.random.default_rng(13).normal(size=a.shape) for a in args]
    tangents = tuple(DimArray(d, a.unit.delta) for d, a in zip(directions, args, strict=True))
    after, before = (
        grad(function, argnums=places)(*moved(args, directions, s * 1e-5)) for s in (1, -1)
    )
    for found, high, low in zip(hvp(function, tuple(args), tangents), after, before, strict=True):
        wanted = (numbers(high) - numbers(low)) / 2e-5
        np.testing.assert_allclose(
            numbers(found), wanted, rtol=1e-4, atol=1e-5 * (1 + np.max(np.abs(wanted)))
        )


# Points at which a derivative is a matter of agreement

_EDGES = [0.0, 1.0, -1.0, np.inf, -np.inf, np.nan]
AGREED: dict[str, tuple[Function, list[float]]] = {
    **{
        name: (lambda xp, x, name=name: getattr(xp, name)(x), _EDGES)
        for name in ("sqrt", "exp", "log", "log1p", "expm1", "sin", "cos", "tan", "tanh", "sinh")
    },
    **{f"**{n}": (lambda xp, x, n=n: x**n, [0.0, 1.0, -2.0]) for n in (0, 1, 2, 3, -1, 0.5)},
    "2**x": (lambda xp, x: 2.0**x, [0.0, 1.0, -1.0]),
    "0**x": (lambda xp, x: 0.0**x, [1.0, 2.0]),
    "maximum": (lambda xp, x: xp.maximum(x, 0 * x + 1.0), [1.0, 2.0, 0.0]),
    "amax": (lambda xp, x: xp.amax(x), [1.0, 1.0, 0.0]),
    "amin": (lambda xp, x: xp.amin(x), [1.0, 1.0, 2.0]),
    "prod of a zero": (lambda xp, x: xp.prod(x), [0.0, 2.0, 3.0]),
    "prod of two": (lambda xp, x: xp.prod(x), [0.0, 0.0, 3.0]),
    "cumprod": (lambda xp, x: xp.cumprod(x, 0), [0.0, 2.0, 3.0]),
    "where around nan": (lambda xp, x: xp.where(x > 0, x, 0 * x) ** 2, [0.0, 1.0, -1.0]),
    "the trap of where": (lambda xp, x: xp.where(x > 0, xp.sqrt(x), 0 * x), [0.0, 1.0]),
    "x/x": (lambda xp, x: x / x, [0.0, 1.0]),
    "no elements": (lambda xp, x: xp.sum(x) * 2, []),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", AGREED)
def test_where_jax_and_pytorch_agree_so_do_we(name: str) -> None:
    function, at = AGREED[name]
    tensor = torch.tensor(at, dtype=torch.float64, requires_grad=True)
    function(torch, tensor).sum().backward()
    theirs = tensor.grad
    assert theirs is not None
    by_jax = jax.jit(jax.grad(lambda x: jnp.sum(function(jnp, x))))(jnp.asarray(at, "float64"))
    np.testing.assert_allclose(theirs.numpy(), by_jax, err_msg="they do not agree")
    ours = grad(lambda x: dimflow.sum(function(np, x)))(DimArray(np.array(at, "float64"), ""))
    np.testing.assert_allclose(numbers(ours), by_jax)


# Constants that are written into after their use

_V = DimArray([1.0, 2.0, 3.0], "m")


def _clear(constant: Any) -> None:
    constant[...] = 0


# How a constant is used, what it is, and the gradient that this gives
CONSTANTS: dict[str, tuple[Function, Function, list[float]]] = {
    "indices": (lambda x, c: x[c], lambda: np.array([1, 1]), [0, 2, 0]),
    "indices of take": (lambda x, c: np.take(x, c), lambda: np.array([1, 1]), [0, 2, 0]),
    "a mask": (lambda x, c: x[c], lambda: np.array([True, False, True]), [1, 0, 1]),
    "a condition": (
        lambda x, c: np.where(c, x, 2 * x),
        lambda: np.array([True, False, True]),
        [1, 2, 1],
    ),
    "a factor": (lambda x, c: x * c, lambda: np.array([1.0, 2, 3]), [1, 2, 3]),
    "a factor before": (lambda x, c: c * x, lambda: np.array([1.0, 2, 3]), [1, 2, 3]),
    "a view of a factor": (lambda x, c: x * c[::-1], lambda: np.array([1.0, 2, 3]), [3, 2, 1]),
    "a factor with a unit": (lambda x, c: c * x, lambda: DimArray([1.0, 2, 3], "s"), [1, 2, 3]),
    "a unit on the memory": (
        lambda x, c: DimArray(c, "s") * x,
        lambda: np.array([1.0, 2, 3]),
        [1, 2, 3],
    ),
    "a stretched factor": (
        lambda x, c: x * np.broadcast_to(c, (2, 3)) / 2,
        lambda: np.array([1.0, 2, 3]),
        [1, 2, 3],
    ),
    "weights": (
        lambda x, c: np.average(x, weights=c) * 6,
        lambda: np.array([1.0, 2, 3]),
        [1, 2, 3],
    ),
    "a matrix": (lambda x, c: c @ x, lambda: np.diag([1.0, 2, 3]), [1, 2, 3]),
    "einsum": (lambda x, c: np.einsum("ij,j->i", c, x), lambda: np.diag([1.0, 2, 3]), [1, 2, 3]),
    "counts": (lambda x, c: np.repeat(x, c), lambda: np.array([1, 2, 3]), [1, 2, 3]),
    "steps of a scan": (
        lambda x, c: dimflow.scan(lambda carry, e: (carry * e, carry), x[1], c)[0],
        lambda: np.array([1.0, 2, 3]),
        [0, 6, 0],
    ),
    "what a checkpoint is given": (
        lambda x, c: dimflow.checkpoint(lambda x, c: x * c)(x, c),
        lambda: np.array([1.0, 2, 3]),
        [1, 2, 3],
    ),
}


def _by_grad(use: Function, constant: Any) -> Any:
    def function(x: Any) -> Any:
        result = dimflow.sum(use(x, constant))
        _clear(constant)
        return result

    return grad(function)(_V)


def _by_vjp(use: Function, constant: Any) -> Any:
    _, pull = vjp(lambda x: dimflow.sum(use(x, constant)), _V)
    _clear(constant)
    return pull(1.0)[0]


def _by_linearize(use: Function, constant: Any) -> Any:
    _, push = linearize(lambda x: dimflow.sum(use(x, constant)), _V)
    _clear(constant)
    return dimflow.stack([push(DimArray(row, "m")) for row in np.eye(3)]) / u.m


def _by_tape(use: Function, constant: Any) -> Any:
    with dimflow.GradientTape() as tape:
        x = tape.watch(_V)
        result = dimflow.sum(use(x, constant))
    _clear(constant)
    return tape.gradient(result, x)


@pytest.mark.parametrize("way", [_by_grad, _by_vjp, _by_linearize, _by_tape])
@pytest.mark.parametrize("name", CONSTANTS)
def test_writing_into_a_constant_after_its_use_changes_nothing(name: str, way: Any) -> None:
    use, make, wanted = CONSTANTS[name]
    np.testing.assert_allclose(numbers(way(use, make())), wanted)


@pytest.mark.parametrize("way", [_by_grad, _by_vjp, _by_linearize, _by_tape])
def test_a_large_constant_is_not_copied_but_its_change_is_noticed(way: Any) -> None:
    def use(x: Any, constant: Any) -> Any:
        return x[:, None] * constant

    with pytest.raises(ComputationError, match="written into since"):
        way(use, np.ones((3, 5000)))


@pytest.mark.parametrize("way", [_by_grad, _by_vjp, _by_linearize, _by_tape])
def test_a_checkpoint_notices_that_what_it_closes_over_has_changed(way: Any) -> None:
    def use(x: Any, constant: Any) -> Any:
        return dimflow.checkpoint(lambda x: x * constant)(x)

    with pytest.raises(ComputationError, match="another result when it ran again"):
        way(use, np.array([1.0, 2.0, 3.0]))


def test_a_checkpoint_notices_what_is_drawn_anew() -> None:
    generator = np.random.default_rng(3)
    noisy = dimflow.checkpoint(lambda x: x * generator.normal(size=3))
    with pytest.raises(ComputationError, match="needs a seed"):
        grad(lambda x: dimflow.sum(noisy(x)))(_V)


# Targets

TARGETS: dict[str, Function] = {
    "clip": lambda x, y: np.clip(x, 0 * u.m, 2 * u.m, out=y),
    "add": lambda x, y: np.add(x, x, out=y),
    "add into a tuple": lambda x, y: np.add(x, x, out=(y,)),
    "sum": lambda x, y: np.sum(x[None], axis=0, out=y),
    "x.sum": lambda x, y: x[None].sum(axis=0, out=y),
    "add.reduce": lambda x, y: np.add.reduce(x[None], out=y),
    "add.accumulate": lambda x, y: np.add.accumulate(x, out=y),
    "add.at": lambda x, y: np.add.at(y, [0, 0], x[:2]),
    "cumsum": lambda x, y: np.cumsum(x, out=y),
    "take": lambda x, y: np.take(x, [0, 1, 1], out=y),
    "matmul": lambda x, y: np.matmul(np.eye(3), x, out=y),
    "concatenate": lambda x, y: np.concatenate([x[:1], x[1:]], out=y),
    "median": lambda x, y: np.median(x[None], axis=0, out=y),
    "copyto": lambda x, y: np.copyto(y, x),
    "put": lambda x, y: np.put(y, [0], x[0]),
    "putmask": lambda x, y: np.putmask(y, [True, False, True], x),
    "an element": lambda x, y: y.__setitem__(0, x[0]),
    "a view": lambda x, y: operator.iadd(y[1:], x[1:]),
    "fill": lambda x, y: y.fill(x[0]),
}


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_written_elsewhere_is_never_lost(name: str) -> None:
    def total(x: Any) -> Any:
        y = DimArray(np.zeros(3), "m")
        TARGETS[name](x, y)
        return dimflow.sum(y * y)

    assert numbers(total(_V)) > 0
    with pytest.raises(TracedValueError) as caught:
        grad(total)(_V)
    assert "stop_gradient" not in caught.value.hint, "which would lose the gradient"
    assert any(word in caught.value.hint for word in ("x.at[key]", "leave out= away", "x = x + y"))


def test_clip_writes_into_its_target_from_other_libraries_too() -> None:
    target = DimArray(np.zeros(2), "cm")
    np.clip(DimArray(torch.tensor([1.0, 3.0]), "m"), 0 * u.m, 2 * u.m, out=target)
    np.testing.assert_array_equal(target.to_numpy("cm"), [100, 200])
    with pytest.raises(UnsupportedFunction, match="where"):
        np.clip(DimArray(torch.ones(2), "m"), 0 * u.m, 2 * u.m, where=[True, False])


def test_a_sum_in_place_is_seen_under_its_other_names() -> None:
    def function(x: Any) -> Any:
        total, seen = DimArray(0.0, "m"), []
        for i in range(3):
            total += x[i]
            seen.append(total)
        return sum(seen)

    value, found = value_and_grad(function)(_V)
    assert numbers(value) == numbers(function(_V)) == 18
    np.testing.assert_array_equal(numbers(found), [3, 3, 3])


# Arguments and errors


@pytest.mark.parametrize("transform", [grad, value_and_grad, jacobian, dimflow.hessian])
@pytest.mark.parametrize("argnums", [(0, 0), (0, -2), (1, 0, 1), ("a", 0)])
def test_an_argument_is_named_once(transform: Any, argnums: Any) -> None:
    with pytest.raises(UnitError, match="one argument twice"):
        transform(lambda a, b: dimflow.sum(a * b), argnums=argnums)(_V, _V)


def test_several_arguments_may_be_named_in_a_list() -> None:
    by_list = grad(lambda a, b: dimflow.sum(a * a * b), argnums=[0, 1])(_V, _V)
    by_tuple = grad(lambda a, b: dimflow.sum(a * a * b), argnums=(0, 1))(_V, _V)
    assert type(by_list) is tuple
    for one, other in zip(by_list, by_tuple, strict=True):
        np.testing.assert_array_equal(numbers(one), numbers(other))
    assert len(jacobian(lambda a, b: a * b, argnums=[0, 1])(_V, _V)) == 2


@pytest.mark.parametrize("transform", [jvp, hvp])
def test_arguments_and_tangents_come_in_tuples(transform: Any) -> None:
    one = DimArray([2.0], "m")  # its only element would be taken for the argument
    with pytest.raises(StructureMismatch, match=r"\(f, \(x,\), \(dx,\)\)"):
        transform(lambda x: dimflow.sum(x**2), one, one)


def test_a_tape_wants_one_target_and_says_where_it_ends() -> None:
    with dimflow.GradientTape(persistent=True) as tape:
        x = tape.watch(_V)
        y = dimflow.sum(x * x)
    with pytest.raises(StructureMismatch, match="add up"):
        tape.gradient([y, y], x)
    with pytest.raises(UnitError, match="in the block"):
        tape.gradient(y * 2, x)


@pytest.mark.parametrize(
    "leave",
    [
        lambda x: np.array([x[0] / u.m, 1.0]).sum(),
        lambda x: float(x[0] / u.m) ** 2,
        lambda x: dimflow.sum(np.asarray(x / u.m)),
        lambda x: x[0].item() ** 2,
        lambda x: np.vander(x / u.m, 2).sum(),
    ],
    ids=["np.array", "float", "np.asarray", "item", "vander"],
)
def test_what_leaves_the_trace_is_told_the_way_that_keeps_the_derivative(leave: Any) -> None:
    with pytest.raises(TracedValueError, match=r"with dimflow's functions \(dimflow.stack"):
        grad(leave)(_V)


@pytest.mark.parametrize(
    ("result", "error"),
    [
        (lambda x: x, ShapeMismatch),
        (lambda x: (x[0], x[1]), ShapeMismatch),
        (lambda x: None, ShapeMismatch),
        (lambda x: np.argmax(x), NotANumber),
        (lambda x: x[0] > 0, NotANumber),
        (lambda x: "text", NotANumber),
    ],
    ids=["an array", "a pair", "nothing", "an integer", "a truth value", "text"],
)
def test_only_a_number_has_a_gradient(result: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        grad(result)(_V)


# Whole programs beside those of others


def test_gradient_descent_as_in_pytorch() -> None:
    rng = np.random.default_rng(1)
    times, noise = np.linspace(0, 2, 20), rng.normal(size=20) * 0.1
    heights = 5 * times - 4.9 * times**2 + noise
    theirs = torch.tensor([1.0, 1.0], dtype=torch.float64, requires_grad=True)
    speed = (1.0 * u.m / u.s).requires_grad_()
    pull = (100.0 * u.cm / u.s**2).requires_grad_()
    t, h = DimArray(times, "s"), DimArray(heights * 1e-3, "km")
    for _ in range(20):
        fall = theirs[0] * torch.tensor(times) - theirs[1] / 2 * torch.tensor(times) ** 2
        ((fall - torch.tensor(heights)) ** 2).mean().backward()
        ((speed * t - pull / 2 * t**2 - h) ** 2).mean().backward()
        with torch.no_grad():
            theirs -= 0.05 * theirs.grad
        with dimflow.no_grad():
            speed -= 0.05 * u.s**-2 * speed.grad
            pull -= 0.05 * u.s**-4 * pull.grad
        theirs.grad = speed.grad = pull.grad = None
    found = [float(speed.detach().to_value("m/s")), float(pull.detach().to_value("m/s**2"))]
    np.testing.assert_allclose(found, theirs.detach().numpy(), rtol=1e-9)


def test_logistic_regression_as_in_jax() -> None:
    inputs = np.array([[0.52, 1.12, 0.77], [0.88, -1.08, 0.15], [0.52, 0.06, -1.3]])
    labels, weights = np.array([True, True, False]), np.array([0.3, -0.2, 0.5])

    def theirs(w: Any) -> Any:
        p = 0.5 * (jnp.tanh(inputs @ w / 2) + 1)
        return -jnp.sum(jnp.log(p * labels + (1 - p) * (1 - labels)))

    x = DimArray(inputs * 100, "cm")

    def ours(w: Any) -> Any:
        p = 0.5 * (np.tanh(x @ w / 2) + 1)
        return -np.sum(np.log(p * labels + (1 - p) * (1 - labels)))

    w = DimArray(weights, "1/m")
    np.testing.assert_allclose(grad(ours)(w).to_numpy("m"), jax.jit(jax.grad(theirs))(weights))
    found = dimflow.hessian(ours)(w).to_numpy("m**2")
    np.testing.assert_allclose(found, jax.jit(jax.hessian(theirs))(weights), rtol=1e-9)


def test_derivatives_of_derivatives_as_in_autograd() -> None:
    def tower(function: Any, order: int) -> Any:
        return tower(grad(function), order - 1) if order else function

    at = DimArray(0.3, "rad")
    for order in range(6):
        found = tower(np.sin, order)(at)
        assert found.unit == Unit("rad") ** -order
        np.testing.assert_allclose(numbers(found), np.sin(0.3 + order * np.pi / 2), rtol=1e-12)


def test_perturbations_of_two_levels_are_not_confused() -> None:
    one = 1.0 * u.m
    assert numbers(grad(lambda x: x * grad(lambda y: x + y)(one))(2.0 * u.m)) == 1
    assert numbers(grad(lambda x: x * grad(lambda y: x * y)(x))(2.0 * u.m)) == 4
    inner = jvp(lambda x: x * jvp(lambda y: x * y, (x,), (one,))[1], (3.0 * u.m,), (one,))[1]
    assert numbers(inner) == 6


@pytest.mark.parametrize(
    "function",
    [
        lambda xp, z: xp.abs(z) ** 2,
        lambda xp, z: xp.real(z * z),
        lambda xp, z: xp.imag(xp.conj(z) * z * z),
        lambda xp, z: xp.abs(xp.sqrt(z)),
        lambda xp, z: xp.real(xp.exp(z)) * xp.imag(z),
        lambda xp, z: xp.angle(z),
    ],
    ids=["abs", "real", "imag", "sqrt", "exp", "angle"],
)
def test_complex_gradients_as_in_jax(function: Any) -> None:
    ours = grad(lambda z: function(np, z / u.m))(DimArray(0.3 + 0.4j, "m"))
    theirs = jax.jit(jax.grad(lambda z: function(jnp, z)))(0.3 + 0.4j)
    np.testing.assert_allclose(numbers(ours), theirs, rtol=1e-12)
