"""Lazy random numbers with units, under the names of `dimflow.random`.

    rng = dimflow.dask.random.default_rng(7)
    rng.normal(20 * units.degC, 0.5 * units.K, size=(10_000, 10_000), chunks=(1000, 1000))
    rng.uniform(0 * units.m, 5 * units.km, size=1000)

The streams are Dask's: the same seed and chunks give the numbers of `dask.array.random`. The rules
of units are those of `dimflow.random`, which is asked for the unit of a sample.
"""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import dask.array as da
import numpy as np

from dimflow import random as eager
from dimflow.array import DimArray
from dimflow.array.dimarray import wrap
from dimflow.errors import NotANumber, ShapeMismatch
from dimflow.ops.families.sampling import drawn_shape
from dimflow.ops.rules.units import RADIAN
from dimflow.random import pure_number, whole_end
from dimflow.units import Unit

__all__ = ["Generator", "default_rng"]

Like = Unit | str | None


def default_rng(seed: Any = None) -> "Generator":
    """A generator from a seed (or several, or a SeedSequence); without one, from fresh entropy."""
    if isinstance(seed, Generator):
        return seed
    if isinstance(seed, da.random.Generator):
        return Generator(seed)
    if isinstance(seed, eager.Generator):
        seed = seed.bit_generator
    eager.default_rng(seed if not isinstance(seed, np.random.BitGenerator) else None)  # checked
    return Generator(da.random.default_rng(seed))


class Generator:
    """Lazy random numbers with units, under the names of `numpy.random.Generator`.

    The units of the parameters decide that of the sample. `unit=` names one for bare numbers.
    Parameters may be lazy arrays. Counts and indices come back as plain arrays of Dask.
    """

    __slots__ = ("_dask",)

    def __init__(self, generator: Any) -> None:
        if not isinstance(generator, da.random.Generator):
            kind = f"{type(generator).__name__} (default_rng takes a seed)"
            raise NotANumber("Generator", kind)
        self._dask = generator

    def __repr__(self) -> str:
        return f"Generator({type(self._dask._bit_generator).__name__}, lazy)"

    # Standard draws

    def random(
        self, size: Any = None, dtype: Any = np.float64, *, unit: Like = None, chunks: Any = "auto"
    ) -> DimArray:
        """Between 0 (included) and 1 (not), in a unit."""
        return _in(self._dask.random(size, dtype=np.dtype(dtype), chunks=chunks), unit)

    def standard_normal(
        self, size: Any = None, dtype: Any = np.float64, *, unit: Like = None, chunks: Any = "auto"
    ) -> DimArray:
        """Of mean 0 and standard deviation 1, in a unit."""
        return _in(self._dask.standard_normal(size, chunks, dtype=np.dtype(dtype)), unit)

    def standard_exponential(
        self, size: Any = None, dtype: Any = np.float64, *, unit: Like = None, chunks: Any = "auto"
    ) -> DimArray:
        """Of mean 1, in a unit."""
        return _in(self._dask.standard_exponential(size, chunks, dtype=np.dtype(dtype)), unit)

    def standard_cauchy(
        self, size: Any = None, *, unit: Like = None, chunks: Any = "auto"
    ) -> DimArray:
        """The Cauchy distribution of location 0 and scale 1, in a unit."""
        return _in(self._dask.standard_cauchy(size, chunks), unit)

    def standard_gamma(
        self,
        shape: Any,
        size: Any = None,
        dtype: Any = np.float64,
        *,
        unit: Like = None,
        chunks: Any = "auto",
    ) -> DimArray:
        """The gamma distribution of a shape and of scale 1, in a unit."""
        number = pure_number(shape, "standard_gamma", "shape")
        if isinstance(number, da.Array):
            draw = self._raw("standard_gamma", (number,), size, chunks).astype(np.dtype(dtype))
        else:
            draw = self._dask.standard_gamma(number, size, chunks, dtype=np.dtype(dtype))
        return _in(draw, unit)

    # Families of a location and a scale

    def uniform(
        self,
        low: Any = 0.0,
        high: Any = 1.0,
        size: Any = None,
        *,
        unit: Like = None,
        chunks: Any = "auto",
    ) -> DimArray:
        """Between two bounds of one dimension, all equally likely; points (°C) too."""
        return self._drawn("uniform", (low, high), 0, size, unit, chunks)

    def normal(
        self,
        loc: Any = 0.0,
        scale: Any = 1.0,
        size: Any = None,
        *,
        unit: Like = None,
        chunks: Any = "auto",
    ) -> DimArray:
        """Of a mean, which may be a point (°C), and a standard deviation, which is a difference."""
        return self._drawn("normal", (loc, scale), 1, size, unit, chunks)

    def laplace(
        self,
        loc: Any = 0.0,
        scale: Any = 1.0,
        size: Any = None,
        *,
        unit: Like = None,
        chunks: Any = "auto",
    ) -> DimArray:
        """Exponential on both sides of a location."""
        return self._drawn("laplace", (loc, scale), 1, size, unit, chunks)

    def logistic(
        self,
        loc: Any = 0.0,
        scale: Any = 1.0,
        size: Any = None,
        *,
        unit: Like = None,
        chunks: Any = "auto",
    ) -> DimArray:
        """The logistic distribution."""
        return self._drawn("logistic", (loc, scale), 1, size, unit, chunks)

    def gumbel(
        self,
        loc: Any = 0.0,
        scale: Any = 1.0,
        size: Any = None,
        *,
        unit: Like = None,
        chunks: Any = "auto",
    ) -> DimArray:
        """The Gumbel distribution, that of maxima."""
        return self._drawn("gumbel", (loc, scale), 1, size, unit, chunks)

    def exponential(
        self, scale: Any = 1.0, size: Any = None, *, unit: Like = None, chunks: Any = "auto"
    ) -> DimArray:
        """Of a mean."""
        return self._drawn("exponential", (scale,), 0, size, unit, chunks)

    def rayleigh(
        self, scale: Any = 1.0, size: Any = None, *, unit: Like = None, chunks: Any = "auto"
    ) -> DimArray:
        """The length of a vector of two normal numbers of a standard deviation."""
        return self._drawn("rayleigh", (scale,), 0, size, unit, chunks)

    def gamma(
        self,
        shape: Any,
        scale: Any = 1.0,
        size: Any = None,
        *,
        unit: Like = None,
        chunks: Any = "auto",
    ) -> DimArray:
        """Of a shape, a pure number, and a scale."""
        shape = pure_number(shape, "gamma", "shape")
        found = eager.default_rng(0).gamma(_one(shape), _one(scale), unit=unit).unit
        raw = self._raw("gamma", (shape, _converted(scale, found)), size, chunks)
        return wrap(raw, found)

    def triangular(
        self,
        left: Any,
        mode: Any,
        right: Any,
        size: Any = None,
        *,
        unit: Like = None,
        chunks: Any = "auto",
    ) -> DimArray:
        """Between two bounds of one dimension, most likely at a mode; points (°C) too."""
        return self._drawn("triangular", (left, mode, right), 0, size, unit, chunks)

    def wald(
        self, mean: Any, scale: Any, size: Any = None, *, unit: Like = None, chunks: Any = "auto"
    ) -> DimArray:
        """The inverse normal distribution: mean and scale of one dimension."""
        return self._drawn("wald", (mean, scale), 0, size, unit, chunks)

    def vonmises(
        self, mu: Any, kappa: Any, size: Any = None, *, unit: Like = None, chunks: Any = "auto"
    ) -> DimArray:
        """Angles around a mean direction (a bare one is in radians), in radians or in `unit`."""
        eager.default_rng(0).vonmises(_one(mu), _one(kappa), unit=unit)
        has_angle = isinstance(mu, DimArray) and not mu.unit.dimension.is_dimensionless
        mean = _converted(mu, RADIAN) if has_angle else pure_number(mu, "vonmises", "mu")
        raw = self._raw("vonmises", (mean, pure_number(kappa, "vonmises", "kappa")), size, chunks)
        sample = wrap(raw, RADIAN)
        return sample if unit is None else sample.to(unit)

    def _drawn(
        self, name: str, parameters: tuple[Any, ...], widths: int, size: Any, unit: Any, chunks: Any
    ) -> DimArray:
        """A sample in the unit that eager numbers have; the last `widths` are differences."""
        ones = [_one(p, 1.0 + i) for i, p in enumerate(parameters)]
        found = getattr(eager.default_rng(0), name)(*ones, unit=unit).unit
        kinds = [found] * len(parameters)
        if widths and found.law is not None:
            kinds[-widths:] = [found.delta] * widths
        numbers = [_converted(p, k) for p, k in zip(parameters, kinds, strict=True)]
        return wrap(self._raw(name, tuple(numbers), size, chunks), found)

    def _raw(self, name: str, numbers: tuple[Any, ...], size: Any, chunks: Any) -> Any:
        """Dask's draw. Of lazy parameters it would compute an element, so they go to the blocks."""
        if any(isinstance(n, da.Array) for n in numbers):
            return drawn_in_blocks(self._dask._bit_generator, name, numbers, size, chunks)
        return getattr(self._dask, name)(*numbers, size=size, chunks=chunks)

    # Families without units

    def multivariate_normal(
        self, mean: Any, cov: Any, size: Any = None, *, chunks: Any = "auto"
    ) -> DimArray:
        """Vectors of a mean (points too) and a covariance, in the square of the mean's unit.

        A draw is the mean and a root of the covariance times standard numbers: not NumPy's stream.
        """
        mean, cov = DimArray(mean), DimArray(cov)
        sample = eager.default_rng(0).multivariate_normal(mean, cov)  # checks both
        width = mean.unit if mean.unit.law is None else mean.unit.delta
        values, vectors = np.linalg.eigh(cov.to_numpy(width**2))
        root = vectors * np.sqrt(np.clip(values, 0, None))
        shape = () if size is None else tuple(np.atleast_1d(size).tolist())
        count = len(mean)
        cut = da.core.normalize_chunks(chunks, shape, dtype=float) if shape else ()
        draw = self._dask.standard_normal((*shape, count), chunks=(*cut, (count,)))
        return wrap(da.matmul(draw, root.T) + mean.to_numpy(), sample.unit)

    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: Any = np.int64,
        endpoint: bool = False,
        *,
        unit: Like = None,
        chunks: Any = "auto",
    ) -> Any:
        """Whole numbers from low up to high (or from 0 up to low): plain, or of a unit."""
        first, last = (whole_end(v, unit) for v in (low, high))
        raw = self._dask.integers(first, last, size, np.dtype(dtype), endpoint, chunks=chunks)
        return raw if unit is None else wrap(raw, Unit(unit))

    def choice(
        self,
        a: Any,
        size: Any = None,
        replace: bool = True,
        p: Any = None,
        axis: int = 0,
        shuffle: bool = True,
        *,
        chunks: Any = "auto",
    ) -> Any:
        """Elements of an array of one axis picked at random; from a number, plain indices."""
        weights = pure_number(p, "choice", "p")
        others = size, replace, weights, axis, shuffle, chunks
        if not isinstance(a, DimArray) or not a.shape:
            return self._dask.choice(pure_number(a, "choice", "a"), *others)
        if len(a.shape) != 1:
            raise ShapeMismatch("choice", "an array of one axis", a.shape)
        return wrap(self._dask.choice(a.data, *others), a.unit)

    def permutation(self, x: Any) -> Any:
        """The slices along the first axis in another order; of a number, indices."""
        if not isinstance(x, DimArray) or not x.shape:
            return self._dask.permutation(pure_number(x, "permutation", "x"))
        raw = x.data if isinstance(x.data, da.Array) else da.from_array(x.to_numpy(), name=False)
        return wrap(self._dask.permutation(raw), x.unit)


def _family(name: str, parameters: tuple[str, ...], is_count: bool) -> Callable[..., Any]:
    """A method of parameters without units: counts are plain, real numbers in a unit if asked."""

    def method(
        self: Generator,
        *args: Any,
        size: Any = None,
        chunks: Any = "auto",
        unit: Like = None,
        **kwargs: Any,
    ) -> Any:
        if len(args) > len(parameters):
            args, (size,) = args[: len(parameters)], args[len(parameters) :]
        given = dict(zip(parameters, args, strict=False)) | kwargs
        numbers = {p: pure_number(v, name, p) for p, v in given.items()}
        if is_count and unit is not None:
            raise TypeError(f"{name} gives counts, which have no unit")
        if any(isinstance(n, da.Array) for n in numbers.values()):
            raw = self._raw(name, tuple(numbers[p] for p in parameters), size, chunks)
        else:
            raw = getattr(self._dask, name)(**numbers, size=size, chunks=chunks)
        return raw if is_count else _in(raw, unit)

    method.__name__ = name
    method.__qualname__ = f"Generator.{name}"
    method.__doc__ = getattr(eager.Generator, name).__doc__
    return method


_REAL = {
    "beta": ("a", "b"),
    "chisquare": ("df",),
    "f": ("dfnum", "dfden"),
    "lognormal": ("mean", "sigma"),
    "noncentral_chisquare": ("df", "nonc"),
    "noncentral_f": ("dfnum", "dfden", "nonc"),
    "pareto": ("a",),
    "power": ("a",),
    "standard_t": ("df",),
    "weibull": ("a",),
}
_COUNTS = {
    "binomial": ("n", "p"),
    "geometric": ("p",),
    "hypergeometric": ("ngood", "nbad", "nsample"),
    "logseries": ("p",),
    "multinomial": ("n", "pvals"),
    "negative_binomial": ("n", "p"),
    "poisson": ("lam",),
    "zipf": ("a",),
}
for _name, _parameters in {**_REAL, **_COUNTS}.items():
    setattr(Generator, _name, _family(_name, _parameters, _name in _COUNTS))


def drawn_in_blocks(bits: Any, name: str, numbers: tuple[Any, ...], size: Any, chunks: Any) -> Any:
    """A draw whose parameters are arrays that are not computed yet: the numbers are Dask's."""
    shape = drawn_shape(name, size, *numbers)
    lengths = da.core.normalize_chunks(chunks, shape, dtype=float)
    counts = tuple(len(n) for n in lengths)
    seeds = np.empty(counts, object)
    for index, seed in zip(np.ndindex(counts), bits.seed_seq.spawn(seeds.size), strict=True):
        seeds[index] = seed
    cut = tuple((1,) * n for n in counts)
    arrays = [da.broadcast_to(da.asanyarray(n), shape).rechunk(lengths) for n in numbers]
    return da.map_blocks(
        _drawn_block,
        da.from_array(seeds, chunks=cut, name=False),
        *arrays,
        bits=type(bits),
        function=name,
        chunks=lengths,
        dtype=np.dtype(np.int64 if name in _COUNTS else np.float64),
        meta=np.empty((0,) * len(shape), np.int64 if name in _COUNTS else np.float64),
        name=f"{name}-{uuid4().hex}",
    )


def _drawn_block(seeds: Any, *blocks: Any, bits: Any, function: str) -> Any:
    generator = np.random.Generator(bits(seeds.item()))
    return getattr(generator, function)(*blocks, size=blocks[0].shape)


def _in(raw: Any, unit: Like) -> DimArray:
    return wrap(raw, Unit("" if unit is None else unit))


def _one(value: Any, unknown: float = 1.0) -> Any:
    """The least of a parameter's numbers: it has its unit, and is negative if any is.

    Of a lazy parameter no number is known, and another stands for them.
    """
    raw, unit = (value.data, value.unit) if isinstance(value, DimArray) else (value, None)
    if isinstance(raw, da.Array):
        raw = unknown
    elif np.ndim(raw):
        raw = np.min(raw)
    return raw if unit is None else DimArray(raw, unit)


def _converted(value: Any, unit: Unit) -> Any:
    """Numbers in a unit; bare ones are in it already."""
    raw = value.to(unit, copy=False).data if isinstance(value, DimArray) else value
    return raw if isinstance(raw, (da.Array, int, float)) else _plain(raw)


def _plain(raw: Any) -> Any:
    found = np.asarray(raw)
    return found if found.ndim else found.item()
