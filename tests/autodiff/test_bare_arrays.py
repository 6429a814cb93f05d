"""Bare arrays inside a derivative are as they are outside of it, for every function of NumPy's.

The same recipes as in the tests of units, without units: the values and the class of the results
are NumPy's own, and the derivative is right, or refused.
"""

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dimflow
from dimflow import DimArray
from dimflow import units as u
from dimflow.array.numpy_host.by_op import SIGNATURES
from dimflow.errors import DimflowError, UnsupportedFunction
from dimflow.ops.rules.dtypes import kind_of
from tests.array.numpy_recipes import PURE_RECIPES, RECIPES
from tests.array.numpy_walk import function, leaves
from tests.array.test_numpy_ufuncs import KNOWN, UFUNCS, arguments
from tests.autodiff.test_numpy_functions import AT_A_JUMP, NOT_BATCHED, REFUSED

STEP = 1e-6
Call = Callable[[Any, Any], Any]
v = np.array([1.0, 4.0, 2.0, 8.0])

# Forms that the recipes have with a unit, and bare numbers have without
BESIDE: dict[str, Callable[[Any], Any]] = {
    "nan_to_num(x)": lambda L: np.nan_to_num(L(np.array([1.0, -np.inf, np.inf, 2.0]))),
    "nan_to_num(x, nan=)": lambda L: np.nan_to_num(L(np.array([1.0, np.nan, 2.0])), nan=3.0),
    "real_if_close(x)": lambda L: np.real_if_close(L(v)),
    "insert(x, 1, 0)": lambda L: np.insert(L(v), 1, 0),
    "insert(x, 1, list)": lambda L: np.insert(L(v), 1, [5.0, 6.0]),
    "stack with a list": lambda L: np.stack([L(v), [1.0, 2.0, 3.0, 4.0]]),
    "x + 1": lambda L: np.degrees(L(v)) + 1.0,
    "radians": lambda L: np.sin(np.radians(L(v)) + 1) ** 2 + np.arctan2(L(v), 2.0),
    "angles and numbers": lambda L: np.maximum(np.arcsin(L(v) / 9), 0.2) * np.unwrap(L(v)) - 1,
    "where with a number": lambda L: np.where(L(v) > 3, L(v), 5.0),
    "powers": lambda L: 2.0 ** L(v) + L(v) ** L(v) + L(v) ** 0.3,
    "clip by numbers": lambda L: np.clip(L(v), 3, 5),
    "steps": lambda L: np.round(L(v) * 1.11, 1) + np.floor(L(v) + 0.5) + L(v + 0.2) % 3,
    "cumprod alone": lambda L: np.cumprod(L(v)),
    "pad with a number": lambda L: np.pad(L(v), 1, constant_values=2.0),
    "log": lambda L: np.log(L(v)) + np.exp(L(v) - 3.0) + np.log1p(L(v)),
    "fill": lambda L: np.full_like(L(v), 3.0) * L(v),
    "interp with lists": lambda L: np.interp(L(v), [0.0, 3.0, 9.0], [1.0, 2.0, 0.0]),
    "where isclose": lambda L: np.where(np.isclose(L(v), 4.0, atol=0.1), L(v), 1.0),
    "times digitize": lambda L: L(v) * np.digitize(L(v), [0.0, 3.0]),
    "select with a number": lambda L: np.select([L(v) > 3, L(v) > 1.5], [L(v), L(v) ** 2], 7.0),
    "linalg": lambda L: np.linalg.det(np.outer(L(v), L(v)) + np.eye(4)),
    "@": lambda L: L(v) @ np.ones((4, 2)) + np.ones(4) @ L(v),
    "in place": lambda L: _in_place(L(v)),
    "std of one": lambda L: np.std(L(v[:1])) + np.std(L(v[:2]) * 0 + 3),
    "take by truth values": lambda L: np.take(L(v), np.array([True, False, True])),
    "trapezoids over rows": lambda L: np.trapezoid(L(v), np.array([[1, 2, 4, 5], [0, 1, 5, 9]])),
    "axis of a number": lambda L: np.sum(L(v)[1], axis=-1) + np.max(L(v)[2], axis=0, keepdims=True),
    "other folds of a number": lambda L: np.prod(L(v)[1], 0) * np.nansum(L(v)[2], axis=-1),
    "convolve with a number": lambda L: np.convolve(L(v), 2) + np.convolve(0.5, L(v)),
    "broadcast beside lists": lambda L: np.broadcast_arrays(L(v)[:, None], [1.0, 2.0], 3.0)[0],
    "a list to a power": lambda L: [1.0, 2.0] ** L(v)[0] + (3, 2) ** L(v)[:2],
    "arctan2 of integers": lambda L: np.arctan2(np.array([100, 3, 0, 90], np.int8), L(v)),
    "arctan2 of truth values": lambda L: np.arctan2(L(v), np.array([True, False, True, True])),
    "methods": lambda L: L(v).sum() + L(v).mean() + L(v).reshape(2, 2).T.ravel()[1] + L(v).max(),
}


def _in_place(x: Any) -> Any:
    x = x * 1.0
    x += 1
    x *= 2.0
    x **= 2
    x -= x / 3
    return x


class Maker:
    """Makes the arguments of a recipe: those that are differentiated come from outside."""

    is_raw = True
    like: dict[str, Any] = {}

    def __init__(self, take: Callable[[Any], Any]) -> None:
        self.take = take

    def __call__(self, values: Any) -> Any:
        array = np.asarray(values)
        return self.take(array) if array.dtype.kind in "fc" else array


def by_name(f: Any, name: str) -> Any:
    """The function, called by the names of its parameters where NumPy has them."""
    try:
        signature = inspect.signature(f)
    except ValueError:
        text = SIGNATURES.get(name)
        if text is None:
            return f
        signature = inspect.signature(eval(f"lambda {text.replace('/, ', '')}: None"))
    kinds = [p.kind for p in signature.parameters.values()]
    if any(k in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD) for k in kinds):
        return f

    def call(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        only = [
            n for n in given if signature.parameters[n].kind is inspect.Parameter.POSITIONAL_ONLY
        ]
        return f(*[given.pop(n) for n in only], **given)

    return call


def calls() -> dict[str, Call]:
    found: dict[str, Call] = {}
    for name, recipe in RECIPES.items():
        found[name] = lambda L, f=None, r=recipe, n=name: r(f or function(n), L, L)
    for name, pure in PURE_RECIPES.items():
        found[name] = lambda L, f=None, r=pure, n=name: r(f or function(n), L)
    for name in KNOWN:
        found[f"np.{name}"] = lambda L, n=name: UFUNCS[n](*map(L, arguments(n)))
    for name, beside in BESIDE.items():
        found[name] = lambda L, r=beside: r(L)
    return found


CALLS = calls()
NAMES = [n for n in CALLS if n not in REFUSED]
OF_RECIPES = [n for n in NAMES if n in RECIPES or n in PURE_RECIPES]


def smooth_arguments(call: Call) -> list[Any]:
    made: list[Any] = []

    def note(values: Any) -> Any:
        made.append(values.copy())
        return values

    call(Maker(note))
    return made


def outcome(call: Call, *arrays: Any) -> list[Any]:
    given = iter(arrays)
    return leaves(call(Maker(lambda values: next(given))))


def is_smooth(value: Any) -> bool:
    return hasattr(value, "shape") and not isinstance(value, type) and kind_of(value) in "fc"


def check(call: Call, is_at_a_jump: bool) -> None:
    args = smooth_arguments(call)
    if not args:
        return
    rng = np.random.default_rng(0)
    tangents = [rng.normal(size=a.shape).astype(a.dtype) for a in args]
    inside: list[Any] = []

    def run(*arrays: Any) -> Any:
        found = outcome(call, *arrays)
        inside[:] = [_plain(value) for value in found]
        return tuple(value for value in found if is_smooth(value))

    values, changes = dimflow.jvp(run, tuple(args), tuple(tangents))
    plain = outcome(call, *args)
    same(inside, plain)
    smooth = [p for p in plain if is_smooth(p)]
    assert len(values) == len(smooth)
    assert all(isinstance(x, (np.ndarray, np.generic)) for x in (*values, *changes))
    if is_at_a_jump:
        return
    after, before = (
        [r for r in outcome(call, *_moved(args, tangents, s)) if is_smooth(r)] for s in (1, -1)
    )
    finite = [np.isfinite(a - b) for a, b in zip(after, before, strict=True)]
    for change, a, b, at in zip(changes, after, before, finite, strict=True):
        want = ((a - b) / (2 * STEP))[at]
        rtol = 0.2 if change.dtype == np.float32 else 1e-4
        size = np.max(np.abs(want), initial=0.0)
        np.testing.assert_allclose(change[at], want, rtol=rtol, atol=rtol * (size + 0.1))
    _, pull = dimflow.vjp(run, *args)
    backs = pull(
        tuple(np.where(at, 1.0, 0.0).astype(c.dtype) for at, c in zip(finite, changes, strict=True))
    )
    got = sum(np.nansum(b * t).real for b, t in zip(backs, tangents, strict=True))
    wanted = sum(np.nansum(c[at]).real for c, at in zip(changes, finite, strict=True))
    size = sum(np.nansum(np.abs(c[at])) for c, at in zip(changes, finite, strict=True))
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6 * (size + 1))
    assert all(isinstance(b, (np.ndarray, np.generic)) for b in backs)


def _moved(args: Any, tangents: Any, sign: int) -> list[Any]:
    return [a + sign * STEP * t for a, t in zip(args, tangents, strict=True)]


def _plain(value: Any) -> Any:
    if isinstance(value, DimArray):
        assert value.unit.dimension.is_dimensionless
        return value.detach().data
    return value


def same(found: Any, wanted: Any) -> None:
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        if isinstance(other, (np.ndarray, np.generic)):
            assert np.asarray(one).dtype == other.dtype
            np.testing.assert_allclose(np.asarray(one), other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_a_bare_array_is_bare_inside(name: str) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        check(CALLS[name], name in AT_A_JUMP)


@pytest.mark.parametrize("name", OF_RECIPES)
def test_arguments_may_be_given_by_name(name: str) -> None:
    named = by_name(function(name), name)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            smooth_arguments(lambda L: CALLS[name](L, f=named))
        except TypeError:  # NumPy takes none by name
            return
        check(lambda L: CALLS[name](L, f=named), name in AT_A_JUMP)


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_followed_is_refused(name: str) -> None:
    call = CALLS[name]
    args = smooth_arguments(call)

    def run(*arrays: Any) -> Any:
        return tuple(value for value in outcome(call, *arrays) if is_smooth(value))

    with pytest.raises(DimflowError) as caught:
        dimflow.jvp(run, tuple(args), tuple(args))
    assert caught.value.hint


# Other ways than jvp and vjp


@pytest.mark.parametrize("name", NAMES)
def test_on_a_tape_and_in_a_batch_too(name: str) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        call = CALLS[name]
        args = smooth_arguments(call)
        if not args:
            return
        plain = outcome(call, *args)
        with dimflow.GradientTape() as tape:
            found = outcome(call, *[tape.watch(a) for a in args])
            same([_plain(value) for value in found], plain)
        if name in NOT_BATCHED:
            return
        batch = [np.stack([a, a]) for a in args]
        run = lambda *arrays: tuple(r for r in outcome(call, *arrays) if is_smooth(r))  # noqa: E731
        made = dimflow.vmap(run, engine="own")(*batch) if run(*args) else ()
        same([part[1] for part in made], [p for p in plain if is_smooth(p)])
        assert all(isinstance(part, np.ndarray) for part in made)


# Lists of traced numbers and constants


@pytest.mark.parametrize("unit", [None, "m"])
def test_a_nested_list_with_a_constant_row(unit: str | None) -> None:
    def array(x: Any) -> Any:
        ones = [1.0, 0.0] if unit is None else [1.0 * u.m, 0.0 * u.m]
        return DimArray([[x[0], 2 * x[1]], ones, [x[1], 0.0]])

    x, t = np.array([0.5, 1.5]), np.array([1.0, 10.0])
    if unit is not None:
        x, t = DimArray(x, unit), DimArray(t, unit)
    value, change = dimflow.jvp(array, (x,), (t,))
    np.testing.assert_array_equal(np.asarray(_raw(value)), [[0.5, 3.0], [1.0, 0.0], [1.5, 0.0]])
    np.testing.assert_array_equal(np.asarray(_raw(change)), [[1.0, 20.0], [0.0, 0.0], [10.0, 0.0]])
    back = dimflow.vjp(array, x)[1](np.arange(6.0).reshape(3, 2))[0]
    np.testing.assert_array_equal(np.asarray(_raw(back)), [0.0, 6.0])


def _raw(value: Any) -> Any:
    return value.data if isinstance(value, DimArray) else value


@pytest.mark.parametrize("unit", [None, "m"])
@pytest.mark.parametrize("joiner", [np.r_, np.c_], ids=["r_", "c_"])
def test_joining_by_brackets_names_the_functions(joiner: Any, unit: str | None) -> None:
    x = np.array([1.0, 2.0]) if unit is None else DimArray([1.0, 2.0], unit)
    with pytest.raises(UnsupportedFunction, match=r"np\.[rc]_ ") as caught:
        dimflow.grad(lambda x: np.sum(joiner[x, x]))(x)
    assert "np.concatenate" in caught.value.hint


# Where a size is 0


SIZES: dict[str, Callable[[Any], Any]] = {
    "abs": lambda x: np.sum(np.abs(x)),
    "norm": np.linalg.norm,
    "norm 3": lambda x: np.linalg.norm(x, 3),
    "norm 1.5": lambda x: np.linalg.norm(x, 1.5),
    "vector_norm": np.linalg.vector_norm,
    "matrix_norm": lambda x: np.linalg.matrix_norm(x.reshape(1, 2)),
    "hypot": lambda x: np.hypot(x[0], x[1]),
    "std": np.std,
    "nanstd": np.nanstd,
    "std of one": lambda x: np.std(x[:1]) + np.std(x[1:]),
    "method": lambda x: x.std(),
}


@pytest.mark.parametrize("unit", [None, "m"])
@pytest.mark.parametrize("name", SIZES)
def test_the_derivative_of_a_size_at_zero_is_zero(name: str, unit: str | None) -> None:
    x, t = np.zeros(2), np.array([1.0, -2.0])
    if unit is not None:
        x, t = DimArray(x, unit), DimArray(t, unit)
    with np.errstate(all="raise"):
        back = dimflow.grad(SIZES[name])(x)
        along = dimflow.jvp(SIZES[name], (x,), (t,))[1]
    np.testing.assert_array_equal(_raw(back), [0.0, 0.0])
    assert _raw(along) == 0.0


@pytest.mark.parametrize("unit", [None, "m"])
def test_interpolation_beyond_a_step_has_a_derivative(unit: str | None) -> None:
    where, values = np.array([2.0, 2.0, 3.0, 5.0, 5.0]), np.array([0.0, 1.0, 7.0, 2.0, 3.0])
    x = np.array([1.5, 4.5, 2.5, 8.5])
    if unit is not None:
        x, where = DimArray(x, unit), DimArray(where, unit)
    by_x, by_values = dimflow.grad(lambda x, y: np.sum(np.interp(x, where, y)), argnums=(0, 1))(
        x, values
    )
    np.testing.assert_array_equal(_raw(by_x), [0.0, -2.5, 6.0, 0.0])
    np.testing.assert_array_equal(_raw(by_values), [1.0, 0.5, 0.75, 0.75, 1.0])


@pytest.mark.parametrize("shape", [(1,), (1, 1)])
def test_one_number_may_have_axes(shape: tuple[int, ...]) -> None:
    value, gradient = dimflow.value_and_grad(lambda x: np.sum(x * x).reshape(shape))(v * u.m)
    assert value.shape == shape
    np.testing.assert_array_equal(gradient.data, 2 * v)
