"""JAX's own functions and operators beside a DimArray: no unit is lost."""

import operator
import warnings
from importlib import import_module
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import dimflow
from dimflow import DimArray, Unit
from dimflow.errors import DimflowError, UnitError, UnsupportedFunction

NUMBERS = jnp.asarray([1.0, 2.0, 3.0])
X = DimArray(NUMBERS, "m")

# Functions that say something of an array without giving its numbers.
TELLING = frozenset(
    (
        *("array_repr", "array_str", "can_cast", "iscomplexobj", "isdtype", "isrealobj"),
        *("isscalar", "issubdtype", "iterable", "ndim", "printoptions", "promote_types"),
        *("result_type", "shape", "size", "tril_indices_from", "triu_indices_from", "vectorize"),
    )
)
MODULES = {"": jnp, "linalg.": jnp.linalg, "fft.": jnp.fft}
FUNCTIONS = sorted(
    prefix + name
    for prefix, module in MODULES.items()
    for name in dir(module)
    if not name.startswith("_")
    and callable(getattr(module, name))
    and not isinstance(getattr(module, name), type)
)


def found(name: str) -> Any:
    module, _, leaf = name.rpartition(".")
    return getattr(MODULES[f"{module}." if module else ""], leaf)


def calls(raw: Any, unit: str) -> list[tuple[Any, ...]]:
    """Calls of one to three arguments, all of them arrays with a unit."""
    x = DimArray(raw, unit)
    square = DimArray(jnp.diag(raw), unit)
    return [
        (x,),
        (square,),
        (DimArray(raw[0], unit),),
        (DimArray(jnp.asarray(raw, int), unit),),
        (DimArray(np.asarray(raw), unit),),
        ([x, x],),
        (x, x),
        (square, square),
        (x, x, x),
    ]


def mixed(raw: Any, unit: str) -> list[tuple[Any, ...]]:
    """Calls in which plain arrays and numbers stand beside it."""
    x = DimArray(raw, unit)
    return [(x, 1), (NUMBERS, x), (x, NUMBERS), (NUMBERS > 0, x, NUMBERS), (NUMBERS, 1, x), (3, x)]


def outcome(function: Any, args: tuple[Any, ...]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*args)
        except Exception as error:
            return error


def keeps(function: Any, args: tuple[Any, ...]) -> None:
    result = outcome(function, args)
    assert isinstance(result, (Exception, DimArray)), f"{args}: {result!r}"


SILENT = [name for name in FUNCTIONS if name not in TELLING]


@pytest.mark.parametrize("name", SILENT)
def test_no_function_of_jax_numpy_loses_a_unit(name: str) -> None:
    for args in ((X,), ([X, X],), (X, X)):
        keeps(found(name), args)


@pytest.mark.deep
@pytest.mark.parametrize("name", SILENT)
def test_nor_in_any_other_call(name: str) -> None:
    function = found(name)
    for args in calls(NUMBERS, "m"):
        keeps(function, args)
    for one, other in zip(mixed(NUMBERS, "m"), mixed(NUMBERS + 1, "m"), strict=True):
        left, right = outcome(function, one), outcome(function, other)
        if not isinstance(left, (Exception, DimArray)):  # it took the array for a dtype or a flag
            assert repr(left) == repr(right), f"{one}: the numbers went in, the unit did not"


PLACES = {"jax.numpy": jnp, "jax.numpy.linalg": jnp.linalg, "jax.numpy.fft": jnp.fft}
PLACES |= {"jax.nn": jax.nn, "jax.lax": jax.lax, "jax.scipy.special": jax.scipy.special}
INSIDES = ("asarray", "array", "ufunc", "custom_jvp", "result_type")  # what others call


@pytest.mark.parametrize("place", PLACES)
def test_an_error_names_the_function_that_was_called(place: str) -> None:
    module, wrong = PLACES[place], []
    for name in (n for n in dir(module) if not n.startswith("_")):
        function = getattr(module, name)
        if not callable(function) or isinstance(function, type) or name in INSIDES:
            continue
        for args in ((X,), (X, X), ([X, X],)):
            error = outcome(function, args)
            if isinstance(error, (UnitError, UnsupportedFunction)) and "jax." in str(error):
                wrong += [f"{name}: {error}" for inner in INSIDES if f".{inner} " in str(error)]
                ours = getattr(dimflow, name, None) if place != "jax.lax" else None
                if isinstance(error, UnsupportedFunction) and f".{name} is" in str(error) and ours:
                    home = "np" if name in ("choose", "select") else "dimflow"  # lists of arrays
                    wrong += [f"{name}: {error}"] * (f"write {home}." not in str(error))
    assert not wrong


def test_an_error_names_the_library_that_called() -> None:
    for function in (optax.huber_loss, optax.l2_loss, optax.cosine_similarity):
        with pytest.raises(UnitError, match="optax knows no units, and computes with the numbers"):
            function(X, X)


@pytest.mark.parametrize("name", ["sin", "exp", "sum", "zeros_like", "concatenate", "linalg.norm"])
def test_the_error_names_the_function_that_keeps_the_unit(name: str) -> None:
    args = ([X, X],) if name == "concatenate" else (X,)
    with pytest.raises(UnsupportedFunction) as caught:
        found(name)(*args)
    assert str(caught.value).startswith(f"jax.numpy.{name} is not supported for arrays with units")
    assert "it would lose the unit m" in str(caught.value)
    assert f"write dimflow.{name}(...)" in str(caught.value)
    assert "x.to_value('m')" in str(caught.value)


def test_the_whole_text() -> None:
    with pytest.raises(UnsupportedFunction) as caught:
        jnp.sin(X)
    assert str(caught.value) == (
        "jax.numpy.sin is not supported for arrays with units: it would lose the unit m\n"
        "  hint:  write dimflow.sin(...), or take the numbers: x.to_value('m')"
    )


def test_functions_of_lax_and_nn_are_refused_too() -> None:
    for function in (jax.lax.sin, jax.nn.relu, jax.scipy.special.erf, jax.lax.stop_gradient):
        result = outcome(function, (X,))
        assert isinstance(result, (DimflowError, TypeError, DimArray)), function
    with pytest.raises(UnitError, match=r"jax\.lax\.sin takes plain arrays, but got one in m\n"):
        jax.lax.sin(X)


def test_pure_numbers_go_in_as_numbers() -> None:
    np.testing.assert_allclose(jnp.sin(X / X), np.sin(1.0))
    np.testing.assert_allclose(jnp.asarray(DimArray(NUMBERS, "percent")), NUMBERS / 100)
    assert jnp.zeros_like(X / X).shape == (3,)


def test_indexing_a_plain_array_by_one_with_a_unit_is_refused() -> None:
    with pytest.raises((DimflowError, TypeError)):
        NUMBERS[DimArray(jnp.asarray(1), "m")]
    with pytest.raises((DimflowError, TypeError)):
        NUMBERS.at[0].set(X[0])


OPERATORS = {
    "mul": ("m", lambda a, b: a * b),
    "truediv": (None, lambda a, b: a / b),
    "matmul": ("m", lambda a, b: a @ b),
}


@pytest.mark.parametrize("jitted", [False, True])
@pytest.mark.parametrize("name", OPERATORS)
def test_operators_with_plain_arrays_in_both_orders(name: str, jitted: bool) -> None:
    function: Any = getattr(operator, name)
    wrap = jax.jit if jitted else (lambda f: f)
    right, left = wrap(function)(NUMBERS, X), wrap(function)(X, NUMBERS)
    expected = function(NUMBERS, NUMBERS)
    np.testing.assert_allclose(right.data, expected)
    np.testing.assert_allclose(left.data, expected)
    assert left.unit is Unit("m")
    assert right.unit is (Unit("1/m") if name == "truediv" else Unit("m"))


@pytest.mark.parametrize("name", ["add", "sub", "lt", "ge", "floordiv", "mod"])
def test_operators_that_need_one_dimension_refuse_in_both_orders(name: str) -> None:
    function = getattr(operator, name)
    for args in ((NUMBERS, X), (X, NUMBERS)):
        with pytest.raises(UnitError):
            function(*args)
        with pytest.raises(UnitError):
            jax.jit(function)(*args)


@pytest.mark.parametrize("name", ["add", "sub", "lt", "ge", "floordiv", "mod", "pow", "eq", "ne"])
def test_operators_of_pure_numbers_with_plain_arrays(name: str) -> None:
    function = getattr(operator, name)
    pure = DimArray(NUMBERS + 1, "")
    for args in ((NUMBERS, pure), (pure, NUMBERS)):
        plain = function(*(a.data if isinstance(a, DimArray) else a for a in args))
        result = function(*args)
        numbers = result.data if isinstance(result, DimArray) else result
        np.testing.assert_allclose(numbers, plain)


def test_equality_across_dimensions_is_false() -> None:
    assert not (NUMBERS == X).any()
    assert (NUMBERS != X).all()


@pytest.mark.parametrize(
    ("name", "args", "ours"),
    [
        ("ops.segment_sum", (X, jnp.arange(3)), "ops.segment_sum"),
        ("random.choice", (jax.random.key(0), X), None),
        ("random.uniform", (jax.random.key(0), (2,), float, X[0], X[1]), None),
        ("scipy.special.erf", (X,), "special.erf"),
        ("scipy.linalg.expm", (DimArray(jnp.eye(2), "m"),), "linalg.expm"),
        ("scipy.stats.norm.pdf", (X,), None),
        ("scipy.integrate.trapezoid", (X,), "trapezoid"),
        ("image.resize", (X, (4,), "linear"), None),
        ("nn.standardize", (X,), None),
        ("nn.softplus", (X,), "softplus"),
    ],
)
def test_a_function_is_named_as_users_call_it(name: str, args: Any, ours: str | None) -> None:
    module, _, leaf = name.rpartition(".")
    with pytest.raises(UnsupportedFunction) as caught:
        getattr(import_module(f"jax.{module}"), leaf)(*args)
    assert caught.value.function == f"jax.{name}"
    assert caught.value.hint.startswith(f"write dimflow.{ours}(" if ours else "take the numbers")


@pytest.mark.parametrize("name", ["select", "choose"])
def test_a_function_of_lists_is_hinted_under_the_name_that_takes_lists(name: str) -> None:
    args = {"select": ([X.data > 1], [X]), "choose": (jnp.array([0, 1, 0]), [X, 2 * X])}[name]
    with pytest.raises(UnsupportedFunction, match=rf"write np\.{name}\("):
        getattr(jnp, name)(*args)
    found = getattr(np, name)(*args)
    assert found.unit == X.unit
    np.testing.assert_allclose(
        found.data, getattr(np, name)(args[0], np.asarray([a.data for a in args[1]]))
    )


@pytest.mark.parametrize("function", [jnp.std, jax.nn.softplus, jax.scipy.special.logsumexp])
@pytest.mark.parametrize(
    "call",
    [
        lambda f: f(X),
        lambda f: jax.jit(f)(X),
        lambda f: jax.vmap(f)(X[None]),
        lambda f: jax.grad(f)(X),
        lambda f: jax.checkpoint(f)(X),
        lambda f: jax.tree.map(f, [X]),
        lambda f: jax.lax.map(f, X[None]),
        lambda f: jax.lax.cond(True, f, f, X),
        lambda f: jax.lax.scan(lambda c, x: (c, f(x)), 0.0, X[None]),
    ],
)
def test_it_is_the_function_that_loses_the_unit_not_one_that_calls_it(
    call: Any, function: Any
) -> None:
    with pytest.raises(UnsupportedFunction, match=rf"\.{function.__name__} is not supported"):
        call(function)


def test_a_plain_array_does_not_take_a_quantity_in() -> None:
    with pytest.raises(UnsupportedFunction, match=r"jax\.Array\.at\[key\]\.set is not supported"):
        jnp.zeros(3).at[0].set(X[0])
