"""JAX's functions on trees, and those that take your function: no quantity is called another.

The law is covariance. Whatever the unit that an argument is written in, the result is the same
quantity, or an error. What breaks it stands in `NUMBERS`, and in the guide with the right call.
"""

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from inspect import isfunction, unwrap
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jax
import jax.flatten_util
import jax.numpy as jnp
import jax.scipy.optimize
import jax.scipy.sparse.linalg
import numpy as np
import optax
import pytest
from jax.experimental import io_callback, ode
from jax.experimental.ode import odeint

import dimflow
from dimflow import DimArray
from dimflow import units as u
from dimflow.errors import DimensionError, UnitError

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "coming_from_jax.md"
LINEAR, POINTS, LEVELS = ("m", "km"), ("degC", "degF"), ("dBm", "dBW")
LENGTHS = jnp.asarray([1.0, 2.0, 3.0])
TIMES = jnp.asarray([0.0, 1.0])

# What a program does with a leaf: by the unit of what comes out, and whether JAX's own code does it
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "same": lambda p: p,
    "twice": lambda p: 2 * p,
    "square": lambda p: p**2,
    "inverse": lambda p: 1 / p,
    "root": lambda p: dimflow.sqrt(p),
    "ratio": lambda p: p / p,
    "plus one": lambda p: p + 1.0,
    "sine": jnp.sin,
    "square by JAX": jnp.square,
    "zeros": jnp.zeros_like,
    "shape": jnp.shape,
    "in feet": lambda p: p.to("ft"),
    "pair": lambda p: (p, p * p),
    "compiled": jax.jit(lambda p: p * p),
    "times a rate": lambda p: 2 * u.s * p,
    "pair with a rate": lambda p: (p, 2 * u.s * p),
    "norm": lambda p: float(jnp.linalg.norm(p)),
}
# What takes no quantity, whatever the function, so that it cannot be wrong.
REFUSED = {
    *("jacrev", "hessian", "grad", "odeint at times", "gmres", "bicgstab", "minimize"),
    *("vectorize", "piecewise", "pure_callback", "io_callback", "custom_root"),
    "tree.map of its own",
}
FEW = ("same", "square", "ratio", "in feet")  # for what takes a second to compile
PAIRS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda a, b: a + b,
    "product": lambda a, b: a * b,
    "quotient": lambda a, b: a / b,
    "larger": lambda a, b: dimflow.maximum(a, b),
    "first": lambda a, b: a,
    "sum by JAX": jnp.add,
    "product by lax": jax.lax.mul,
}
TREE = jax.tree
UTIL = jax.tree_util

# What libraries do that know JAX alone, as optax and equinox: they compute, or move numbers about
LIBRARY = """
def each(function, tree):
    return jax.tree.map(lambda leaf: function(leaf), tree)

def scale(rate, tree):
    return jax.tree.map(lambda leaf: rate * leaf, tree)

def partition(tree):
    one = jax.tree.map(lambda leaf: leaf if isinstance(leaf, jax.Array) else None, tree)
    return one, jax.tree.map(lambda leaf: None if isinstance(leaf, jax.Array) else leaf, tree)

def combine(*trees):
    none = lambda leaf: leaf is None
    return jax.tree.map(lambda a, b: b if a is None else a, *trees, is_leaf=none)
"""


def library(name: str = "optax", file: str = "anywhere.py") -> SimpleNamespace:
    """A library of that name, which a distribution installed into some folder."""
    space: dict[str, Any] = {"__name__": name, "jax": jax}
    exec(compile(LIBRARY, file, "exec"), space)
    return SimpleNamespace(**space)


OPTAX = library()


def both(x: Any) -> Any:
    return {"x": x, "more": [x[0], 2.0]}


# How a function of one leaf meets a quantity. `x` is a vector, written in one unit or another.
MAPS: dict[str, Callable[[Any, Any], Any]] = {
    "tree.map": lambda f, x: TREE.map(f, x),
    "tree.map of a tree": lambda f, x: TREE.map(f, [x, (x[0], {"k": x})]),
    "tree_map": lambda f, x: UTIL.tree_map(f, {"x": x}),
    "tree.map_with_path": lambda f, x: TREE.map_with_path(lambda _, p: f(p), [x, x[0]]),
    "tree_map_with_path": lambda f, x: UTIL.tree_map_with_path(lambda _, p: f(p), [x]),
    "tree.leaves": lambda f, x: [f(p) for p in TREE.leaves(both(x)["x"])],
    "tree.leaves_with_path": lambda f, x: [f(p) for _, p in TREE.leaves_with_path([x])],
    "tree.map of a library": lambda f, x: OPTAX.each(f, {"x": x, "n": 3}),
    "tree.map of its own": lambda f, x: OPTAX.scale(f(x), {"x": x, "more": [x, 2.0]}),
    "leaf and all": lambda f, x: TREE.map(f, x, is_leaf=lambda p: isinstance(p, DimArray)),
    "tree.map in jit": lambda f, x: jax.jit(lambda x: TREE.map(f, [x]))(x),
    "tree.map in vmap": lambda f, x: jax.vmap(lambda x: TREE.map(f, [x]))(x),
    "tree.map in map": lambda f, x: TREE.map(lambda p: TREE.map(f, [p]), [x]),
    "tree.transpose": lambda f, x: TREE.transpose(
        TREE.structure([0, 0]), None, [{"a": x}, {"a": f(x)}]
    ),
    "tree.transpose with a structure": lambda f, x: TREE.transpose(
        TREE.structure([0, 0]), TREE.structure({"a": x}), [{"a": x}, {"a": f(x)}]
    ),
    "tree_transpose of a tree": lambda f, x: UTIL.tree_transpose(
        TREE.structure({"k": x, "l": x}), TREE.structure((0,)), {"k": (x,), "l": (f(x),)}
    ),
    "tree.transpose in jit": lambda f, x: jax.jit(
        lambda x: TREE.transpose(TREE.structure([0, 0]), None, [(x,), (f(x),)])
    )(x),
    "jit": lambda f, x: jax.jit(f)(x),
    "vmap": lambda f, x: jax.vmap(f)(x),
    "checkpoint": lambda f, x: jax.checkpoint(f)(x),
    "eval_shape": lambda f, x: jax.eval_shape(f, x),
    "lax.map": lambda f, x: jax.lax.map(f, x),
    "scan": lambda f, x: jax.lax.scan(lambda c, p: (c, f(p)), 0.0, x),
    "scan carry": lambda f, x: jax.lax.scan(lambda c, p: (f(c), None), x, None, length=2),
    "fori_loop": lambda f, x: jax.lax.fori_loop(0, 2, lambda i, c: f(c), x),
    "while_loop": lambda f, x: jax.lax.while_loop(lambda c: c[0] < 5 * u.m, f, x),
    "cond": lambda f, x: jax.lax.cond(True, f, f, x),
    "cond, one side": lambda f, x: jax.lax.cond(False, f, lambda p: p, x),
    "switch": lambda f, x: jax.lax.switch(1, [lambda p: p, f], x),
    "jvp": lambda f, x: jax.jvp(f, (x,), (x,)),
    "linearize": lambda f, x: jax.linearize(f, x)[1](x),
    "jacfwd": lambda f, x: jax.jacfwd(f)(x),
    "jacrev": lambda f, x: jax.jacrev(f)(x),
    "hessian": lambda f, x: jax.hessian(f)(x),
    "grad": lambda f, x: jax.grad(lambda p: dimflow.sum(f(p)))(x),
    "grad of numbers": lambda f, x: jax.grad(lambda p: dimflow.sum(f(p) / f(x)).to_value(""))(x),
    "vjp": lambda f, x: jax.vjp(f, x)[1](f(x)),
    "odeint": lambda f, x: odeint(lambda y, t: f(y), x, TIMES),
    "odeint of a tree": lambda f, x: odeint(lambda y, t: {"y": f(y["y"])}, {"y": x}, TIMES),
    "odeint with arguments": lambda f, x: odeint(lambda y, t, k: y * f(k)[0], x, TIMES, x),
    "odeint with arguments in jit": lambda f, x: jax.jit(
        partial(odeint, lambda y, t, k: y * f(k)[0])
    )(x, TIMES, x),
    "odeint at times": lambda f, x: odeint(lambda y, t: f(y), x, DimArray(TIMES, "s")),
    "pure_callback": lambda f, x: jax.pure_callback(f, x, x),
    "pure_callback of numbers": lambda f, x: jax.pure_callback(
        lambda numbers: f(DimArray(numbers, x.unit)).to_value(x.unit), x, x.data
    ),
    "io_callback": lambda f, x: io_callback(f, x, x),
    "custom_root": lambda f, x: jax.lax.custom_root(
        f, x, lambda g, start: start, lambda g, y: y / g(x)
    ),
    "custom_linear_solve": lambda f, x: jax.lax.custom_linear_solve(f, x, lambda mv, b: mv(b)),
    "cg": lambda f, x: jax.scipy.sparse.linalg.cg(f, x),
    "gmres": lambda f, x: jax.scipy.sparse.linalg.gmres(f, x),
    "bicgstab": lambda f, x: jax.scipy.sparse.linalg.bicgstab(f, x),
    "minimize": lambda f, x: (
        jax.scipy.optimize.minimize(lambda p: dimflow.sum(f(p)), x, method="BFGS").x
    ),
    "closure_convert": lambda f, x: jax.closure_convert(f, x)[0](x),
    "Partial": lambda f, x: UTIL.Partial(f, x)(),
    "named_call": lambda f, x: jax.named_call(f)(x),
    "apply_along_axis": lambda f, x: jnp.apply_along_axis(f, 0, x),
    "vectorize": lambda f, x: jnp.vectorize(f)(x),
    "piecewise": lambda f, x: jnp.piecewise(x, [x.data > 0], [f]),
}
FOLDS: dict[str, Callable[[Any, Any], Any]] = {
    "tree.map of two": lambda f, x: TREE.map(f, [x], [x]),
    "tree.map of two units": lambda f, x: TREE.map(f, [x], [x * x]),
    "tree.map with numbers": lambda f, x: TREE.map(f, [LENGTHS], [x]),
    "tree.reduce": lambda f, x: TREE.reduce(f, [x, x, x]),
    "tree.reduce of units": lambda f, x: TREE.reduce(f, {"a": x, "b": x * x}),
    "tree.reduce from 0.0": lambda f, x: TREE.reduce(f, [x, x], 0.0),
    "tree_reduce": lambda f, x: UTIL.tree_reduce(f, [x, x]),
    "tree.reduce_associative": lambda f, x: TREE.reduce_associative(f, [x, x, x]),
    "associative_scan": lambda f, x: jax.lax.associative_scan(f, x),
    "associative_scan reversed": lambda f, x: jax.lax.associative_scan(f, x, reverse=True),
    "associative_scan of a tree": lambda f, x: jax.lax.associative_scan(
        lambda a, b: {"k": f(a["k"], b["k"])}, {"k": x}
    ),
    "associative_scan in jit": lambda f, x: jax.jit(partial(jax.lax.associative_scan, f))(x),
    "lax.reduce": lambda f, x: jax.lax.reduce(x, 0 * x[0], f, (0,)),
    "lax.reduce from more": lambda f, x: jax.lax.reduce(x, x[0], f, (0,)),
    "reduce_window": lambda f, x: jax.lax.reduce_window(x, 0 * x[0], f, (2,), (1,), "VALID"),
    "scan": lambda f, x: jax.lax.scan(lambda c, p: (f(c, p), c), x[0], x),
}


# Public functions of JAX, called as one would guess: with a quantity, or with a function of it.
MODULES = {
    "jax": jax,
    "jax.tree": jax.tree,
    "jax.tree_util": jax.tree_util,
    "jax.lax": jax.lax,
    "jax.flatten_util": jax.flatten_util,
    "jax.experimental.ode": ode,
    "jax.scipy.optimize": jax.scipy.optimize,
    "jax.scipy.sparse.linalg": jax.scipy.sparse.linalg,
    "optax.tree": optax.tree,
    "optax.projections": optax.projections,
    "optax.losses": optax.losses,
}
SETTINGS = frozenset(("make_user_context", "transfer_guard"))  # of the whole process
NAMES = sorted(
    f"{module}.{name}"
    for module, found in MODULES.items()
    for name in dir(found)
    if not name.startswith("_")
    and isfunction(unwrap(getattr(found, name)))  # no class
    and name not in SETTINGS
)
CALLS: list[Callable[[Any, Any, Any], Any]] = [
    lambda call, f, x: call(x),
    lambda call, f, x: call({"x": x, "y": 2 * x}),
    lambda call, f, x: call(x, x),
    lambda call, f, x: call(x, x * x),
    lambda call, f, x: call(f, x),
    lambda call, f, x: call(f)(x),
    lambda call, f, x: call(f, x, x),
    lambda call, f, x: call(x, x, x),
    lambda call, f, x: call(x, 2),
    lambda call, f, x: jax.vmap(lambda p: call(p, "i"), axis_name="i")(dimflow.stack([x, x, x])),
]
# What takes the numbers out, which is what it is for: the guide warns of it by this name.
NUMBERS = {
    "jax.flatten_util.ravel_pytree": "jax.flatten_util.ravel_pytree",
    "jax.experimental.ode.ravel_pytree": "jax.flatten_util.ravel_pytree",
    "jax.tree.flatten": "jax.tree.flatten",
    "jax.tree.flatten_with_path": "jax.tree.flatten",
    "jax.tree_util.tree_flatten": "jax.tree.flatten",
    "jax.tree_util.tree_flatten_with_path": "jax.tree.flatten",
    "jax.tree_util.flatten_one_level": "jax.tree.flatten",
    "jax.tree_util.flatten_one_level_with_keys": "jax.tree.flatten",
}


def quiet(call: Callable[[], Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call()
        except Exception as error:
            return error


def parts(result: Any) -> Iterator[Any]:
    """What a result says: quantities, numbers."""
    if isinstance(result, DimArray):
        held = jax.tree.leaves(result._raw, is_leaf=lambda p: isinstance(p, DimArray))
        assert not any(isinstance(p, DimArray) for p in held), f"a quantity within {result!r}"
        is_array = isinstance(result._raw, (jax.Array, np.ndarray, np.generic))
        yield result.unit.dimension, result.to_base_units().data if is_array else None
    elif isinstance(result, dict):
        for value in result.values():
            yield from parts(value)
    elif isinstance(result, (list, tuple)):
        for value in result:
            yield from parts(value)
    elif (
        isinstance(result, (jax.Array, np.ndarray, float, int))
        and np.asarray(result).dtype != jax.dtypes.float0
    ):
        yield None, result


def covariant(call: Callable[[Any], Any], units: tuple[str, str] = LINEAR) -> Any:
    """The law: two ways to write something are the same quantity or both errors."""
    x = DimArray(LENGTHS, units[0])
    first, second = quiet(lambda: call(x)), quiet(lambda: call(x.to(units[1])))
    if isinstance(first, Exception) or isinstance(second, Exception):
        assert isinstance(first, Exception), f"{first!r}, but {second!r}"
        assert isinstance(second, Exception), f"{second!r}, but {first!r}"
        return first
    one, other = list(parts(first)), list(parts(second))
    assert len(one) == len(other)
    for (left, a), (right, b) in zip(one, other, strict=True):
        assert left is right, f"{first!r}, but {second!r}"
        if a is not None:
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-12)
    return first


@pytest.mark.share(4)
@pytest.mark.parametrize("way", MAPS)
@pytest.mark.parametrize("units", [LINEAR, POINTS, LEVELS])
def test_a_function_of_a_leaf(way: str, units: tuple[str, str]) -> None:
    names = FEW if way.startswith(("odeint", "pure_callback")) else FUNCTIONS
    found = [covariant(lambda x, f=FUNCTIONS[name]: MAPS[way](f, x), units) for name in names]
    are_errors = all(isinstance(result, Exception) for result in found)
    assert way in REFUSED or units is not LINEAR or not are_errors  # points have few functions


@pytest.mark.parametrize("way", FOLDS)
def test_a_function_of_two_leaves(way: str) -> None:
    found = [covariant(lambda x, f=f: FOLDS[way](f, x)) for f in PAIRS.values()]
    assert not all(isinstance(result, Exception) for result in found)


@pytest.mark.share(4)
@pytest.mark.parametrize("name", [name for name in NAMES if name not in NUMBERS])
@pytest.mark.parametrize("units", [LINEAR, POINTS, LEVELS])
def test_any_function_called_as_one_would_guess(name: str, units: tuple[str, str]) -> None:
    module, _, leaf = name.rpartition(".")
    function = getattr(MODULES[module], leaf)
    for call in CALLS:
        covariant(lambda x, call=call: call(function, lambda p: p * p, x), units)


def test_the_guide_warns_of_what_gives_numbers() -> None:
    text = GUIDE.read_text()
    assert all(f"`{name}`" in text for name in NUMBERS.values())


# What a program may rely on beyond the law

X = DimArray(LENGTHS, "m")


def test_a_leaf_is_an_array_like_any_other() -> None:
    seen: list[Any] = []
    TREE.map(seen.append, {"a": X, "b": [X[0], dimflow.constants.c]})
    assert [type(p) for p in seen] == [DimArray] * 3
    assert [str(p.unit) for p in seen] == ["m", "m", "m/s"]
    for p in seen:
        again = jax.jit(lambda p: 2 * p)(p)
        assert (type(again), again.unit) == (DimArray, p.unit)
    assert seen[0].data is X.data  # no copy


def test_what_is_no_quantity_stands_for_itself() -> None:
    assert TREE.map(lambda p: p.shape, {"a": X}) == {"a": (3,)}
    assert TREE.map(lambda p: None, [X]) == [None]
    axes = TREE.map(lambda p: 0, {"a": X})
    assert jax.vmap(lambda t: t["a"], in_axes=(axes,))({"a": X}).unit is X.unit


def test_leaves_are_put_back_in_the_units_of_the_structure() -> None:
    leaves = TREE.leaves({"a": X.to("km")})
    back = TREE.unflatten(TREE.structure({"a": X}), leaves)
    np.testing.assert_allclose(back["a"].to_value("m"), LENGTHS)
    with pytest.raises(UnitError):
        TREE.unflatten(TREE.structure({"a": X}), [leaves[0] ** 2])


def test_a_step_of_gradient_descent_has_a_rate_with_a_unit() -> None:
    params = {"k": DimArray(jnp.asarray(3.0), "N/m"), "x": DimArray(jnp.asarray(0.5), "m")}
    grads = dimflow.grad(lambda p: p["k"] * p["x"] ** 2)(params)
    with pytest.raises(DimensionError):
        TREE.map(lambda p, g: p - 0.1 * g, params, grads)
    rates = {"k": 0.1 * (u.N / u.m) / u.m**2, "x": 0.1 * u.m / u.N}
    stepped = TREE.map(lambda p, g, r: p - r * g, params, grads, rates)
    np.testing.assert_allclose(stepped["k"].to_value("N/m"), 3 - 0.1 * 0.25)
    np.testing.assert_allclose(stepped["x"].to_value("m"), 0.5 - 0.1 * 3)


def test_of_points_the_state_is_a_point_and_its_rate_a_difference() -> None:
    warm = DimArray(jnp.asarray([50.0, 30.0]), "degC")
    cooling = odeint(lambda t, _: -(t - 20 * u.degC), warm, TIMES)
    np.testing.assert_allclose(cooling[1].to_value("degC"), 20 + np.exp(-1) * np.array([30, 10]))
    assert cooling.unit == warm.unit


def test_optax_computes() -> None:
    rate = 0.1 * u.s
    calls: list[Callable[[], Any]] = [
        lambda: optax.adam(0.1).init({"a": X}),
        lambda: optax.tree.norm({"a": X}),
        lambda: optax.tree.scale(rate, {"a": X}),
        lambda: optax.sgd(rate).update(X, optax.sgd(rate).init(X)),
    ]
    for call in calls:
        with pytest.raises(UnitError, match=r"optax knows no units.*\n.*x\.to_value\('m'\)"):
            call()
    pure = optax.tree.norm({"a": X / X})
    np.testing.assert_allclose(pure, np.sqrt(3))


@pytest.mark.parametrize("file", [jax.__file__, "anywhere.py", "<string>"])
@pytest.mark.parametrize("name", ["optax", "optax.tree_utils._new", "torch"])
def test_a_library_may_move_numbers_but_not_compute_with_them(name: str, file: str) -> None:
    """As equinox does, which takes trees apart and puts them together: its folder does not count.

    A gradient of what it took for no array would be lost.
    """
    found = library(name, file)
    arrays, rest = found.partition({"a": X, "n": 3})
    assert arrays["a"].unit is X.unit
    assert arrays["a"].data is X.data
    back = found.combine(rest, arrays)
    assert back["n"] == 3
    np.testing.assert_array_equal(back["a"].to_value("m"), LENGTHS)
    with pytest.raises(UnitError, match=f"{name.partition('.')[0]} knows no units"):
        found.scale(0.1 * u.s, {"a": X})


@pytest.mark.parametrize("name", ["__main__", "my_model", "tests.jax.test_trees", "tests"])
def test_a_program_computes_with_quantities(name: str) -> None:
    """Whatever it is called: a distribution may have installed another package `tests`."""
    assert library(name).scale(2 * u.s, [X])[0].unit == u.m * u.s


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: jax.lax.associative_scan(lambda a, b: a * b, X),
            (
                "jax.lax.associative_scan takes what its function returns for m, "
                "but it returns m**2\n"
                "  hint:  return m, or compute on the numbers: x.to_value('m')"
            ),
        ),
        (
            lambda: odeint(lambda y, t: -y / (2 * u.s), X, TIMES),
            (
                "odeint takes what its function returns for m, but it returns m/s\n"
                "  hint:  return m, or compute on the numbers: x.to_value('m')"
            ),
        ),
        (
            lambda: odeint(lambda y, t: -y, X, DimArray(TIMES, "s")),
            (
                "odeint takes times as plain numbers, but got s\n"
                "  hint:  odeint(lambda y, t: (f(y, t * s) * s).to(y.unit), y0, t.to_value('s')), "
                "where s = 1 * Unit('s')"
            ),
        ),
    ],
)
def test_the_whole_text(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(UnitError) as caught:
        call()
    assert str(caught.value) == text


@pytest.mark.parametrize("unit", ["m", "km", "cm"])
def test_a_solver_adds_no_squares_of_several_units(unit: str) -> None:
    """A tree in metres and seconds, and what the hint says: the same in whatever unit."""
    length, time = DimArray(1.0, "m").to(unit).to_backend("jax"), DimArray(jnp.array(2.0), "s")

    def matrix(z: Any) -> Any:
        return {"x": 2 * z["x"] + z["y"], "y": 4 * z["y"] + z["x"]}

    with pytest.raises(UnitError, match="squares"):
        jax.scipy.sparse.linalg.cg(matrix, {"x": length, "y": time})
    numbers = {"x": (length / (1 * u.m)).to_value(""), "y": (time / (1 * u.s)).to_value("")}
    found, _ = jax.scipy.sparse.linalg.cg(matrix, numbers)
    assert float(found["x"]) == pytest.approx(2 / 7, rel=1e-5)


def test_the_hint_of_odeint_is_right() -> None:
    f = lambda y, t: -y / (2 * u.s)  # noqa: E731
    s, t = 1 * u.min, DimArray(TIMES / 60, "min")
    found = odeint(lambda y, t: (f(y, t * s) * s).to(y.unit), X, t.to_value("min"))
    np.testing.assert_allclose(found[1].to_value("m"), LENGTHS * np.exp(-0.5), rtol=1e-5)
