"""The array libraries that transforms are tried on, and how arrays of each are made."""

from collections.abc import Callable
from typing import Any

import array_api_strict as xp
import jax
import jax.numpy as jnp
import mlx.core as mx
import numpy as np
import pytest
import torch

from dimflow import DimArray, Unit

jax.config.update("jax_enable_x64", True)

MAKERS: dict[str, Callable[[Any], Any]] = {
    "numpy": lambda values: np.asarray(values, "float64"),
    "jax": lambda values: jnp.asarray(values, "float64"),
    "torch": lambda values: torch.tensor(values, dtype=torch.float64),
    "mlx": lambda values: mx.array(values, dtype=mx.float32),
    "array_api_strict": lambda values: xp.asarray(values, dtype=xp.float64),
}
NATIVE = ("jax", "torch", "mlx")  # those with an engine of their own
ENGINES = [(name, None) for name in MAKERS] + [(name, "own") for name in NATIVE]
# JAX compiles each op of each shape for itself, so that our engine on it takes its time.
SLOW = ("jax", "own")

# PyTorch's forward mode compiles some of itself by what it calls deprecated
quiet_torch = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")
each_library = pytest.mark.parametrize("library", MAKERS)
each_engine = pytest.mark.parametrize(
    ("library", "engine"),
    [pytest.param(*pair, marks=pytest.mark.deep) if pair == SLOW else pair for pair in ENGINES],
    ids=[f"{name}-{engine or 'usual'}" for name, engine in ENGINES],
)


def make(library: str, values: Any, unit: str) -> Any:
    """An array of a library, with a unit."""
    return DimArray(MAKERS[library](values), unit)


def same(actual: Any, numbers: Any, unit: str, rtol: float = 1e-5) -> None:
    """Numbers and dimension are what they should be; MLX has seven digits."""
    assert isinstance(actual, DimArray), actual
    assert actual.dimension is Unit(unit).dimension, actual.unit
    found = actual.detach().to_numpy(unit)
    assert found.shape == np.shape(numbers)
    scale = np.max(np.abs(numbers), initial=0.0)
    np.testing.assert_allclose(found, numbers, rtol=rtol, atol=rtol * scale)


def compiled(library: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """As one program on JAX, which compiles one for each op otherwise, and takes its time."""
    return jax.jit(function) if library == "jax" else function


def numbers_of(value: Any) -> Any:
    """The raw numbers of an array, with or without a unit."""
    return value.to_numpy(value.unit) if isinstance(value, DimArray) else np.asarray(value)
