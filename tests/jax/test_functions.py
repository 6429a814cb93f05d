"""JAX's own functions and operators beside a DimArray: no unit is lost."""

import operator
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

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


@pytest.mark.parametrize("name", ["sin", "exp", "sum", "zeros_like", "concatenate", "linalg.norm"])
def test_the_error_names_the_function_that_keeps_the_unit(name: str) -> None:
    args = ([X, X],) if name == "concatenate" else (X,)
    with pytest.raises(UnsupportedFunction) as caught:
        found(name)(*args)
    leaf = name.rpartition(".")[2]
    assert str(caught.value).startswith(f"jax.numpy.{leaf} is not supported for arrays with units")
    assert "it would lose the unit m" in str(caught.value)
    assert "x.to_value('m')" in str(caught.value)


def test_the_whole_text() -> None:
    with pytest.raises(UnsupportedFunction) as caught:
        jnp.sin(X)
    assert str(caught.value) == (
        "jax.numpy.sin is not supported for arrays with units: it would lose the unit m\n"
        "  hint:  dimflow.sin(x) keeps the unit; or take the numbers: x.to_value('m')"
    )


def test_functions_of_lax_and_nn_are_refused_too() -> None:
    for function in (jax.lax.sin, jax.nn.relu, jax.scipy.special.erf, jax.lax.stop_gradient):
        result = outcome(function, (X,))
        assert isinstance(result, (DimflowError, TypeError, DimArray)), function
    with pytest.raises(UnitError, match=r"JAX takes plain arrays here, but got a DimArray \(m\)"):
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
