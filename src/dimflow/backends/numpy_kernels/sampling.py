"""Random draws by NumPy's generators, in their own streams."""

from typing import Any

import numpy as np

from dimflow.errors import UnitError


def source(generator: Any) -> np.random.Generator:
    """The generator to draw from: a new one for a seed, which then gives the same each time."""
    if isinstance(generator, np.random.Generator):
        return generator
    if isinstance(generator, (int, np.integer)) and type(generator) is not bool and generator >= 0:
        return np.random.default_rng(int(generator))
    bits = getattr(generator, "bit_generator", generator)
    if isinstance(bits, np.random.BitGenerator):
        return np.random.Generator(bits)
    raise UnitError(
        f"a random draw needs a generator or a seed from 0, but got {generator!r:.60}",
        "give it: generator=dimflow.random.default_rng(seed)",
    )


def _short(dtype: Any) -> bool:
    """Whether NumPy draws this dtype itself: the numbers differ from rounded long ones."""
    return np.dtype(dtype or np.float64) in (np.dtype(np.float32), np.dtype(np.float64))


def _direct(method: str, *args: Any, size: Any, dtype: Any, generator: Any) -> Any:
    """A method of NumPy's that takes a dtype."""
    kind = np.dtype(dtype or np.float64)
    draw = getattr(source(generator), method)
    if _short(kind):
        return np.asarray(draw(*args, size=size, dtype=kind.type), kind)[()]
    return np.asarray(draw(*args, size=size)).astype(kind)[()]


def _rounded(method: str, *args: Any, size: Any, dtype: Any, generator: Any) -> Any:
    """A method of NumPy's that gives doubles, in another dtype."""
    drawn = getattr(source(generator), method)(*args, size=size)
    return np.asarray(drawn, None if dtype is None else np.dtype(dtype))[()]


def random_uniform(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Between 0 and 1."""
    return _direct("random", size=size, dtype=dtype, generator=generator)


def random_normal(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Mean 0, deviation 1."""
    return _direct("standard_normal", size=size, dtype=dtype, generator=generator)


def random_exponential(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Mean 1."""
    return _direct("standard_exponential", size=size, dtype=dtype, generator=generator)


def random_gamma(shape: Any, /, size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Scale 1."""
    return _direct("standard_gamma", shape, size=size, dtype=dtype, generator=generator)


def random_laplace(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Location 0, scale 1."""
    return _rounded("laplace", size=size, dtype=dtype, generator=generator)


def random_logistic(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Location 0, scale 1."""
    return _rounded("logistic", size=size, dtype=dtype, generator=generator)


def random_gumbel(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Location 0, scale 1."""
    return _rounded("gumbel", size=size, dtype=dtype, generator=generator)


def random_cauchy(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Location 0, scale 1."""
    return _rounded("standard_cauchy", size=size, dtype=dtype, generator=generator)


def random_poisson(lam: Any, /, size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Counts."""
    return _rounded("poisson", lam, size=size, dtype=dtype, generator=generator)


def random_permutation(n: int, *, generator: Any) -> Any:
    """Indices in random order."""
    return source(generator).permutation(n)
