"""Random draws, block by block: each block has a seed of its own, drawn when the graph is built.

So the numbers depend on the seed and on the blocks, and computing them again gives them again.
"""

from typing import Any

import dask.array as da
import numpy as np

from dimflow.backends.numpy_kernels.sampling import source
from dimflow.errors import UnitError
from dimflow.ops.families.sampling import size_of
from dimflow.ops.rules.shapes import broadcast_shapes


class BlockGenerator:
    """A generator of Dask's for numbers that meet an array: they come in its blocks."""

    __slots__ = ("chunks", "generator", "shape")

    def __init__(self, generator: Any, like: Any) -> None:
        self.generator = generator_of(generator)
        self.shape = like.shape
        self.chunks = like.chunks

    def chunks_for(self, shape: tuple[int, ...]) -> Any:
        """The blocks for a shape: the array's own for axes of its length."""
        lead = len(shape) - len(self.shape)
        cut: list[Any] = ["auto"] * max(lead, 0)
        for length, own, blocks in zip(
            shape[max(lead, 0) :],
            self.shape[max(-lead, 0) :],
            self.chunks[max(-lead, 0) :],
            strict=True,
        ):
            cut.append(blocks if own == length else "auto")
        return tuple(cut)


def generator_of(generator: Any) -> Any:
    """A generator of Dask's: itself, a new one for a seed, or one that NumPy's has seeded."""
    if isinstance(generator, BlockGenerator):
        return generator.generator
    if isinstance(generator, da.random.Generator):
        return generator
    if isinstance(generator, da.random.RandomState):
        hint = "give it: generator=dask.array.random.default_rng(seed)"
        raise UnitError(
            "a random draw takes no RandomState of Dask's, which it could not split", hint
        )
    drawn = source(generator)  # or an error that says what is wanted
    if isinstance(generator, (int, np.integer)):
        return da.random.default_rng(int(generator))
    return da.random.default_rng(int(drawn.integers(1 << 63)))


def _chunks(generator: Any, shape: tuple[int, ...]) -> Any:
    return generator.chunks_for(shape) if isinstance(generator, BlockGenerator) else "auto"


def _standard(
    method: str, size: Any, dtype: Any, generator: Any, *args: Any, takes_dtype: bool = False
) -> Any:
    """A draw of Dask's that depends on no array."""
    shape = size_of(size)
    kind = np.dtype(np.float64 if dtype is None else dtype)
    draw = getattr(generator_of(generator), method)
    chunks = _chunks(generator, shape)
    if takes_dtype and kind in (np.dtype(np.float32), np.dtype(np.float64)):
        return draw(*args, size=shape, chunks=chunks, dtype=kind)
    return draw(*args, size=shape, chunks=chunks).astype(kind)


def random_uniform(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Between 0 and 1."""
    return _standard("random", size, dtype, generator, takes_dtype=True)


def random_normal(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Mean 0, deviation 1."""
    return _standard("standard_normal", size, dtype, generator, takes_dtype=True)


def random_exponential(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Mean 1."""
    return _standard("standard_exponential", size, dtype, generator, takes_dtype=True)


def random_laplace(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Location 0, scale 1."""
    return _standard("laplace", size, dtype, generator)


def random_logistic(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Location 0, scale 1."""
    return _standard("logistic", size, dtype, generator)


def random_gumbel(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Location 0, scale 1."""
    return _standard("gumbel", size, dtype, generator)


def random_cauchy(size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Location 0, scale 1."""
    return _standard("standard_cauchy", size, dtype, generator)


def random_gamma(shape: Any, /, size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Scale 1."""
    return _of_parameter("standard_gamma", shape, size, dtype or np.float64, generator)


def random_poisson(lam: Any, /, size: Any = None, *, dtype: Any = None, generator: Any) -> Any:
    """Counts."""
    return _of_parameter("poisson", lam, size, dtype or np.int64, generator)


def random_permutation(n: int, *, generator: Any) -> Any:
    """Indices in random order: one block, which has to know all."""
    seed = _seeds(generator, 1)
    return da.blockwise(
        _permuted, (1,), seed, (0,), new_axes={1: n}, n=n, meta=np.empty(0, np.int64)
    )


def _permuted(seeds: Any, n: int) -> Any:
    (seed,) = seeds
    return np.random.default_rng(seed).permutation(n)


def _of_parameter(method: str, parameter: Any, size: Any, dtype: Any, generator: Any) -> Any:
    """A draw that depends on a number for each element, which comes block by block.

    Dask's own functions look at the first number, and so compute it.
    """
    given = da.asanyarray(parameter)
    shape = given.shape if size is None else size_of(size)
    broadcast_shapes([shape, given.shape])  # or an error
    if given.shape != shape:
        given = da.broadcast_to(given, shape)
    seeds = _seeds(generator, given.npartitions).reshape(given.numblocks).rechunk(1)
    labels, kind = tuple(range(given.ndim)), np.dtype(dtype)
    return da.blockwise(
        _drawn, labels, given, labels, seeds, labels, method=method, kind=kind, align_arrays=False,
        meta=np.empty((0,) * given.ndim, kind),
    )  # fmt: skip


def _drawn(parameter: Any, seed: Any, method: str, kind: Any) -> Any:
    draw = getattr(np.random.default_rng(int(seed.reshape(-1)[0])), method)
    return np.asarray(draw(parameter)).astype(kind)


def _seeds(generator: Any, count: int) -> Any:
    """Numbers to seed so many blocks with."""
    bits = generator_of(generator)._bit_generator
    drawn = np.random.Generator(bits).integers(1 << 63, size=count)
    return da.from_array(drawn, chunks=-1)
