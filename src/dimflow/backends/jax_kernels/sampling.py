"""Random draws by JAX's keys. A key gives the same numbers each time: split it for others."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dimflow.backends.jax_kernels.precision import usual
from dimflow.backends.numpy_kernels import sampling as by_numpy
from dimflow.errors import UnitError
from dimflow.ops.families.sampling import size_of


def _drawn(
    name: str, draw: Callable[..., Any], *args: Any, size: Any, dtype: Any, generator: Any
) -> Any:
    """A draw of a key; a seed or a generator of NumPy's gives NumPy's numbers, on any library."""
    if not isinstance(generator, jax.Array):
        if any(isinstance(a, jax.core.Tracer) for a in args):
            raise UnitError(
                f"{name} with a traced parameter cannot ask NumPy for numbers",
                "give it a key: generator=jax.random.key(seed)",
            )
        numbers = [np.asarray(a) for a in args]
        made = getattr(by_numpy, name)(*numbers, size=size, dtype=dtype, generator=generator)
        return jnp.asarray(made)
    shape = None if size is None and args else size_of(size)
    return draw(generator, *args, shape=shape, dtype=usual(float) if dtype is None else dtype)


def random_uniform(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Between 0 and 1."""
    draw = jax.random.uniform
    return _drawn("random_uniform", draw, size=size, dtype=dtype, generator=generator)


def random_normal(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Mean 0, deviation 1."""
    draw = jax.random.normal
    return _drawn("random_normal", draw, size=size, dtype=dtype, generator=generator)


def random_exponential(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Mean 1."""
    draw = jax.random.exponential
    return _drawn("random_exponential", draw, size=size, dtype=dtype, generator=generator)


def random_laplace(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Location 0, scale 1."""
    draw = jax.random.laplace
    return _drawn("random_laplace", draw, size=size, dtype=dtype, generator=generator)


def random_logistic(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Location 0, scale 1."""
    draw = jax.random.logistic
    return _drawn("random_logistic", draw, size=size, dtype=dtype, generator=generator)


def random_gumbel(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Location 0, scale 1."""
    draw = jax.random.gumbel
    return _drawn("random_gumbel", draw, size=size, dtype=dtype, generator=generator)


def random_cauchy(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Location 0, scale 1."""
    draw = jax.random.cauchy
    return _drawn("random_cauchy", draw, size=size, dtype=dtype, generator=generator)


def random_gamma(shape: Any, /, size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Scale 1."""
    draw = jax.random.gamma
    return _drawn("random_gamma", draw, shape, size=size, dtype=dtype, generator=generator)


def random_poisson(lam: Any, /, size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Counts, which JAX draws in its own integers."""
    dtype = usual(int) if dtype is None else dtype
    draw = jax.random.poisson
    return _drawn("random_poisson", draw, lam, size=size, dtype=dtype, generator=generator)


def random_permutation(n: int, *, generator: Any) -> Any:
    """Indices in random order."""
    if not isinstance(generator, jax.Array):
        return jnp.asarray(by_numpy.random_permutation(n, generator=generator))
    return jax.random.permutation(generator, n)
