"""Arrays that are read and written at keys, in batches of derivatives and derivatives of batches.

Each library is to give what our engine gives on NumPy arrays. The contract suite has the same law
for every op; here are the keys.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dimflow
from dimflow import DimArray
from dimflow import units as u
from tests.transforms.libraries import MAKERS, quiet_torch

MASK = np.array([True, False, True])
KEYS: dict[str, Any] = {
    "1": 1,
    "-1": -1,
    "0:2": slice(0, 2),
    "::2": slice(None, None, 2),
    "::-1": slice(None, None, -1),
    "...": ...,
    "[0, 2]": [0, 2],
    "[2, 2]": [2, 2],
    "mask": MASK,
}
BATCH = np.array([[1.0, 2.0, 3.0], [1.5, 0.5, 2.5]])
Program = Callable[[Any], Any]


def _programs(key: Any) -> dict[str, Program]:
    def fixed(x: Any) -> Any:
        return DimArray(x.data * 0 + 1.5, "m")

    found: dict[str, Program] = {"x[key]": lambda x: (x[key] ** 3).sum()}
    for name in ("set", "add", "max", "min"):

        def write(array: Any, values: Any, name: str = name) -> Any:
            return getattr(array.at[key], name)(values)

        found |= {
            f"x.at[key].{name}(y)": lambda x, w=write: w(x * x, x[0] * x[1]).sum(),
            f"x.at[key].{name}(2)": lambda x, w=write: (w(x * x, 2 * u.m**2) * x).sum(),
            f"fixed.at[key].{name}(y)": lambda x, w=write: (w(fixed(x), x[1]) * x).sum(),
        }
    return found


WAYS: dict[str, Callable[[Program, Any], Any]] = {
    "grad": lambda f, x: dimflow.grad(f)(x[1]),
    "vmap(grad)": lambda f, x: dimflow.vmap(dimflow.grad(f))(x),
    "grad(vmap)": lambda f, x: dimflow.grad(lambda y: dimflow.vmap(f)(y).sum())(x),
    "vmap(jvp)": lambda f, x: dimflow.vmap(lambda y: dimflow.jvp(f, (y,), (y,))[1])(x),
    "vmap(grad), shared": lambda f, x: dimflow.vmap(
        dimflow.grad(lambda y, z: f(y * z / u.m)), in_axes=(0, None)
    )(x, x[1]),
    "vmap(grad) of a shared one": lambda f, x: dimflow.vmap(
        dimflow.grad(lambda y, z: f(y * z / u.m)), in_axes=(None, 0)
    )(x[1], x),
}


def _numbers(way: str, program: Program, library: str) -> Any:
    return WAYS[way](program, DimArray(MAKERS[library](BATCH), "m")).detach().to_numpy()


@quiet_torch
@pytest.mark.parametrize("library", [pytest.param("jax", marks=pytest.mark.deep), "torch", "mlx"])
@pytest.mark.parametrize("key", KEYS)
def test_what_is_written_in_a_batch_has_the_derivative_of_each_call(key: str, library: str) -> None:
    wrong = {}
    # JAX refuses lists as indices, of its own arrays too.
    given = np.array(KEYS[key]) if library == "jax" and key.startswith("[") else KEYS[key]
    for name, program in _programs(given).items():
        for way in WAYS:
            wanted = _numbers(way, program, "numpy")
            found = _numbers(way, program, library)
            if found.shape != wanted.shape or not np.allclose(found, wanted, 1e-4, 1e-4):
                wrong[name, way] = found, wanted
    assert not wrong
