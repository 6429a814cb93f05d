"""Pure numbers in JAX's own functions: what goes in is the number, however it was written.

Fifty percent is 0.5, and so it is as whole numbers: a function gives what it gives for 0.5, or
refuses. Where a quantity is refused, the numbers of the hint are what functions take.
"""

import warnings
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dimflow import DimArray
from dimflow.errors import UnitError, UnsupportedFunction
from tests.contract.hints.snippets import snippets

MODULES = {"jnp": jnp, "jnp.linalg": jnp.linalg, "lax": jax.lax, "nn": jax.nn}
# What takes an array for a dtype or for bytes, or says how it looks
LEFT = frozenset(
    (
        *("array_str", "astype", "bitcast_convert_type", "can_cast", "convert_element_type"),
        *("empty", "empty_like", "frombuffer", "isdtype", "issubdtype", "result_type"),
    )
)
NAMES = sorted(
    f"{module}.{name}"
    for module, found in MODULES.items()
    for name in dir(found)
    if not name.startswith("_")
    and name not in LEFT
    and callable(getattr(found, name))
    and not isinstance(getattr(found, name), type)
)
QUICK = [  # those that make arrays of a value, and a few others
    *("jnp.array", "jnp.asarray", "jnp.full", "jnp.full_like", "jnp.linspace", "jnp.arange"),
    *("jnp.where", "jnp.pad", "jnp.insert", "jnp.ones_like", "jnp.logspace", "jnp.broadcast_to"),
    *("jnp.maximum", "jnp.sum", "jnp.append", "lax.full", "lax.full_like", "nn.relu", "lax.mul"),
]
SCALED = {
    "percent": lambda: DimArray(50, "percent"),
    "slope": lambda: DimArray(500, "m/km"),
    "an array": lambda: DimArray(jnp.array([50, 75]), "percent"),
}
PLAIN, WHOLE = jnp.array([1.0, 2.0]), jnp.array([1, 2])
CALLS: list[Callable[[Any, Any], Any]] = [
    lambda f, x: f(x),
    lambda f, x: f(2, x),
    lambda f, x: f((2,), x),
    lambda f, x: f(PLAIN, x),
    lambda f, x: f(WHOLE, x),
]


def outcome(call: Callable[[], Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call()
        except Exception as error:
            return error


def numbers(result: Any) -> list[Any]:
    leaves = jax.tree.leaves(result, is_leaf=lambda leaf: isinstance(leaf, DimArray))
    return [leaf.to_value("") if isinstance(leaf, DimArray) else leaf for leaf in leaves]


@pytest.mark.share(2)
@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.deep) for n in NAMES]
)
def test_whole_numbers_with_a_scale_are_their_value(name: str) -> None:
    module, _, leaf = name.rpartition(".")
    function = getattr(MODULES[module], leaf)
    for call in CALLS:
        for label, make in SCALED.items():
            found = outcome(lambda call=call, make=make: call(function, make()))
            if isinstance(found, Exception):
                continue
            value = make().to_value("")
            right = outcome(lambda call=call, value=value: call(function, value))
            if isinstance(right, Exception):  # its dtype was asked for, or its memory
                continue
            for one, other in zip(numbers(found), numbers(right), strict=True):
                if isinstance(other, (jax.Array, np.ndarray, float, int)):
                    np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-12, err_msg=label)


@pytest.mark.parametrize("text", ["percent", "m/km", "deg", "turn", "mrad"])
@pytest.mark.parametrize(
    "function",
    [jnp.sin, jnp.exp, jax.lax.sin, jax.lax.exp, jax.nn.sigmoid, jax.lax.tanh],
    ids=lambda f: getattr(f, "__name__", "f"),
)
def test_numbers_of_a_hint_are_what_functions_take(function: Any, text: str) -> None:
    """Those of degrees would be a sine's argument that means something else."""
    x = DimArray(jnp.asarray([30.0, 45.0]), text)
    right = function(x.to_value("" if text in ("percent", "m/km") else "rad"))
    try:
        found = function(x)
    except (UnitError, UnsupportedFunction) as error:
        *_, code = snippets(str(error.hint))
        found = function(eval(code, {"x": x}))
    np.testing.assert_allclose(found, right, rtol=1e-12)
