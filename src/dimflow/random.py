"""Random numbers with units. There is no global state: numbers come from a generator.

    rng = dimflow.random.default_rng(7)
    rng.normal(20 * units.degC, 0.5 * units.K, size=1000)
    rng.uniform(0 * units.m, 5 * units.km)
    rng.standard_normal(3, unit="m/s")

The streams are NumPy's: the same seed gives the numbers that `numpy.random.default_rng` gives.
Counts and indices come back as plain integers, all other samples as arrays with units.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.array import DimArray
from dimflow.backends import backend_of
from dimflow.errors import NotANumber, UnitChoiceError, UnitError
from dimflow.ops.rules.units import PURE, RADIAN, ask_pure
from dimflow.units import Unit
from dimflow.units.alike import is_number

__all__ = ["Generator", "default_rng"]

Like = Unit | str | None
_MAKERS = (np.random.Generator, np.random.BitGenerator)


def default_rng(seed: Any = None) -> "Generator":
    """A generator from a seed (or several, or a SeedSequence); without one, from fresh entropy.

    A generator of dimflow or NumPy, or a BitGenerator, is wrapped and goes on where it stands.
    """
    if isinstance(seed, Generator):
        return seed
    if isinstance(seed, (bool, float, str, DimArray)):
        raise NotANumber("default_rng", f"{type(seed).__name__} {seed!r:.60} as a seed")
    return Generator(np.random.default_rng(seed))


def pure_number(value: Any, operation: str, name: str) -> Any:
    """The plain numbers of a parameter that has no unit."""
    if not isinstance(value, DimArray):
        return value
    ask_pure(operation, value.unit, name)
    return value.to_value(PURE)


def _wrapped(sample: Any, unit: Like = None) -> DimArray:
    """A sample as an array with a unit; that of a sample that has one already stays."""
    return sample if isinstance(sample, DimArray) else DimArray(sample, unit)


def _in(value: Any, unit: Like, is_width: bool = False) -> Any:
    """A parameter in a unit, which a bare number is taken to be in; a width as a difference."""
    if unit is None:
        return value
    target = Unit(unit)
    return DimArray(value, target.delta if is_width and target.law is not None else target)


def whole_end(value: Any, unit: Like) -> Any:
    """An end of a range of whole numbers in a unit: 0.29 m are 28.999... cm, which NumPy would cut.

    Bare ends are NumPy's business.
    """
    if not isinstance(value, DimArray):
        return value
    if unit is None and not _is_pure(value):
        raise UnitChoiceError("integers", value.unit, "rng.integers")
    numbers = np.asarray(value.to_value(unit or PURE))
    if numbers.dtype.kind != "f":
        return numbers if numbers.ndim else numbers.item()
    whole = np.rint(numbers)
    noise = 8 * np.finfo(numbers.dtype).eps * np.abs(whole) + 1e-9
    with np.errstate(invalid="ignore"):
        is_whole = np.abs(numbers - whole) <= noise
    if not is_whole.all():
        named = f"in {str(unit)!r}" if unit else "numbers"
        raise UnitError(
            f"integers needs ends that are whole {named}, but got {numbers[~is_whole].flat[0]:.6g}",
            "round them first, or draw in a smaller unit",
        )
    return whole if whole.ndim else whole.item()


def _plain(name: str, *parameters: str, doc: str, **defaults: Any) -> Callable[..., Any]:
    """A method of parameters without units that gives counts."""
    return _method(name, parameters, doc, defaults, counts=True)


def _pure(name: str, *parameters: str, doc: str, **defaults: Any) -> Callable[..., Any]:
    """A method of parameters without units that gives real numbers, in a unit if one is named."""
    return _method(name, parameters, doc, defaults, counts=False)


def _method(
    name: str, parameters: tuple[str, ...], doc: str, defaults: dict[str, Any], *, counts: bool
) -> Callable[..., Any]:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    empty = inspect.Parameter.empty
    fields = [inspect.Parameter("self", kind)]
    fields += [inspect.Parameter(p, kind, default=defaults.get(p, empty)) for p in parameters]
    fields.append(inspect.Parameter("size", kind, default=None))
    if not counts:
        fields.append(inspect.Parameter("unit", inspect.Parameter.KEYWORD_ONLY, default=None))
    signature = inspect.Signature(fields)

    def method(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = dict(bound.arguments)
        generator = given.pop("self")
        unit = given.pop("unit", None)
        numbers = {p: pure_number(v, name, p) for p, v in given.items()}
        sample = getattr(generator._numpy, name)(**numbers)
        return sample if counts else DimArray(sample, unit)

    method.__name__ = name
    method.__qualname__ = f"Generator.{name}"
    method.__doc__ = doc
    method.__signature__ = signature  # type: ignore[attr-defined]
    return method


class Generator:
    """Random numbers with units, under the names of `numpy.random.Generator`.

    The units of the parameters decide that of the sample. `unit=` names one for bare numbers.
    """

    __slots__ = ("_numpy",)

    def __init__(self, bit_generator: Any) -> None:
        if isinstance(bit_generator, Generator):
            bit_generator = bit_generator._numpy
        if not isinstance(bit_generator, _MAKERS):
            raise NotANumber(
                "Generator", f"{type(bit_generator).__name__} (default_rng takes a seed)"
            )
        if isinstance(bit_generator, np.random.BitGenerator):
            bit_generator = np.random.Generator(bit_generator)
        self._numpy: np.random.Generator = bit_generator

    @property
    def bit_generator(self) -> np.random.BitGenerator:
        """The source of bits, which holds the state."""
        return self._numpy.bit_generator

    def spawn(self, n_children: int) -> "list[Generator]":
        """Independent generators, for parallel work."""
        return [Generator(g) for g in self._numpy.spawn(n_children)]

    def __repr__(self) -> str:
        return f"Generator({type(self.bit_generator).__name__})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Generator, (self.bit_generator,)

    # Standard draws

    def random(self, size: Any = None, dtype: Any = np.float64, *, unit: Like = None) -> DimArray:
        """Between 0 (included) and 1 (not), in a unit."""
        return _wrapped(ops.random_uniform(size, dtype=dtype, generator=self), unit)

    def standard_normal(
        self, size: Any = None, dtype: Any = np.float64, *, unit: Like = None
    ) -> DimArray:
        """Of mean 0 and standard deviation 1, in a unit."""
        return _wrapped(ops.random_normal(size, dtype=dtype, generator=self), unit)

    def standard_exponential(
        self, size: Any = None, dtype: Any = np.float64, *, unit: Like = None
    ) -> DimArray:
        """Of mean 1, in a unit."""
        return _wrapped(ops.random_exponential(size, dtype=dtype, generator=self), unit)

    def standard_gamma(
        self, shape: Any, size: Any = None, dtype: Any = np.float64, *, unit: Like = None
    ) -> DimArray:
        """The gamma distribution of a shape and of scale 1, in a unit."""
        shape = pure_number(shape, "standard_gamma", "shape")
        return _wrapped(ops.random_gamma(shape, size, dtype=dtype, generator=self), unit)

    def standard_cauchy(self, size: Any = None, *, unit: Like = None) -> DimArray:
        """The Cauchy distribution of location 0 and scale 1, in a unit."""
        return _wrapped(ops.random_cauchy(size, generator=self), unit)

    # Families of a location and a scale

    def uniform(
        self, low: Any = 0.0, high: Any = 1.0, size: Any = None, *, unit: Like = None
    ) -> DimArray:
        """Between two bounds of one dimension, all equally likely; points (°C) too."""
        low, high = _in(low, unit), _in(high, unit)
        return self._sampled("uniform", low, high, size)

    def normal(
        self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, *, unit: Like = None
    ) -> DimArray:
        """Of a mean, which may be a point (°C), and a standard deviation, which is a difference."""
        return self._moved("normal", loc, scale, size, unit)

    def laplace(
        self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, *, unit: Like = None
    ) -> DimArray:
        """Exponential on both sides of a location."""
        return self._moved("laplace", loc, scale, size, unit)

    def logistic(
        self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, *, unit: Like = None
    ) -> DimArray:
        """The logistic distribution."""
        return self._moved("logistic", loc, scale, size, unit)

    def gumbel(
        self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, *, unit: Like = None
    ) -> DimArray:
        """The Gumbel distribution, that of maxima."""
        return self._moved("gumbel", loc, scale, size, unit)

    def exponential(self, scale: Any = 1.0, size: Any = None, *, unit: Like = None) -> DimArray:
        """Of a mean."""
        scale = _checked("exponential", "scale", _in(scale, unit))
        return self._sampled("exponential", scale, size)

    def rayleigh(self, scale: Any = 1.0, size: Any = None, *, unit: Like = None) -> DimArray:
        """The length of a vector of two normal numbers of a standard deviation."""
        scale = _checked("rayleigh", "scale", _in(scale, unit))
        return self._sampled("rayleigh", scale, size)

    def gamma(
        self, shape: Any, scale: Any = 1.0, size: Any = None, *, unit: Like = None
    ) -> DimArray:
        """Of a shape, a pure number, and a scale."""
        scale = _checked("gamma", "scale", _in(scale, unit))
        shape = pure_number(shape, "gamma", "shape")
        return self._sampled("gamma", shape, scale, size)

    def triangular(
        self, left: Any, mode: Any, right: Any, size: Any = None, *, unit: Like = None
    ) -> DimArray:
        """Between two bounds of one dimension, most likely at a mode; points (°C) too."""
        left, mode, right = (_in(v, unit) for v in (left, mode, right))
        return self._sampled("triangular", left, mode, right, size)

    def _moved(self, name: str, loc: Any, scale: Any, size: Any, unit: Like) -> DimArray:
        scale = _checked(name, "scale", _in(scale, unit, is_width=True))
        return self._sampled(name, _in(loc, unit), scale, size)

    def _sampled(self, name: str, *args: Any) -> DimArray:
        """What the op of a family draws; its errors name the method."""
        try:
            return _wrapped(ops.get(f"sample_{name}")(*args, generator=self))
        except UnitError as error:
            error.of_call(f"rng.{name}")
            raise

    # Families with units of their own kind

    def wald(self, mean: Any, scale: Any, size: Any = None, *, unit: Like = None) -> DimArray:
        """The inverse normal distribution: mean and scale of one dimension."""
        mean = DimArray(_in(mean, unit))
        if mean.unit.law is not None:
            raise UnitError(f"wald has no meaning for points in {mean.unit}")
        width = DimArray(_in(scale, unit)).to_value(mean.unit)
        return DimArray(self._numpy.wald(mean.data, width, size), mean.unit)

    def vonmises(self, mu: Any, kappa: Any, size: Any = None, *, unit: Like = None) -> DimArray:
        """Angles around a mean direction (a bare one is in radians), in radians or in `unit`."""
        mean = mu.to_value(RADIAN) if isinstance(mu, DimArray) and not _is_pure(mu) else mu
        mean, kappa = (pure_number(v, "vonmises", n) for v, n in ((mean, "mu"), (kappa, "kappa")))
        sample = DimArray(self._numpy.vonmises(mean, kappa, size), RADIAN)
        return sample if unit is None else sample.to(unit)

    def multivariate_normal(
        self,
        mean: Any,
        cov: Any,
        size: Any = None,
        check_valid: Any = "warn",
        tol: float = 1e-8,
        *,
        method: Any = "svd",
    ) -> DimArray:
        """Vectors of a mean (points too) and a covariance, in the square of the mean's unit."""
        mean, cov = DimArray(mean), DimArray(cov)
        width = mean.unit if mean.unit.law is None else mean.unit.delta
        numbers = cov.to_value(width**2)
        sample = self._numpy.multivariate_normal(
            mean.data, numbers, size, check_valid, tol, method=method
        )
        return DimArray(sample, mean.unit)

    # Families without units

    beta = _pure("beta", "a", "b", doc="The beta distribution, between 0 and 1.")
    chisquare = _pure("chisquare", "df", doc="Sums of squares of normal numbers.")
    dirichlet = _pure("dirichlet", "alpha", doc="Vectors of shares that sum to 1.")
    f = _pure("f", "dfnum", "dfden", doc="Ratios of two mean squares.")
    lognormal = _pure(
        "lognormal", "mean", "sigma", doc="Exponentials of normal numbers.", mean=0.0, sigma=1.0
    )
    noncentral_chisquare = _pure(
        "noncentral_chisquare", "df", "nonc", doc="Sums of squares of shifted normal numbers."
    )
    noncentral_f = _pure(
        "noncentral_f", "dfnum", "dfden", "nonc", doc="Ratios of two mean squares, one shifted."
    )
    pareto = _pure("pareto", "a", doc="The Lomax (Pareto II) distribution.")
    power = _pure("power", "a", doc="Between 0 and 1, with a density that is a power.")
    standard_t = _pure("standard_t", "df", doc="Student's t distribution.")
    weibull = _pure("weibull", "a", doc="The Weibull distribution of scale 1.")

    binomial = _plain("binomial", "n", "p", doc="How many of n trials succeed.")
    geometric = _plain("geometric", "p", doc="Which trial succeeds first.")
    hypergeometric = _plain(
        "hypergeometric", "ngood", "nbad", "nsample", doc="How many good ones are drawn."
    )
    logseries = _plain("logseries", "p", doc="The logarithmic series distribution.")
    multinomial = _plain("multinomial", "n", "pvals", doc="How often each outcome comes in n.")
    negative_binomial = _plain(
        "negative_binomial", "n", "p", doc="How many trials fail before n succeed."
    )
    poisson = _plain("poisson", "lam", doc="How many events come when lam are expected.", lam=1.0)
    zipf = _plain("zipf", "a", doc="The Zipf distribution.")

    def multivariate_hypergeometric(
        self, colors: Any, nsample: int, size: Any = None, method: Any = "marginals"
    ) -> Any:
        """How many of each colour are drawn."""
        return self._numpy.multivariate_hypergeometric(colors, nsample, size, method)

    # Whole numbers, and the order of things

    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: Any = np.int64,
        endpoint: bool = False,
        *,
        unit: Like = None,
    ) -> Any:
        """Whole numbers from low up to high (or from 0 up to low): plain, or of a unit.

        Bounds with a dimension need the unit, since which numbers are whole depends on it, and are
        whole in it themselves.
        """
        target = PURE if unit is None else Unit(unit)
        first, last = (whole_end(v, unit) for v in (low, high))
        sample = self._numpy.integers(first, last, size, dtype, endpoint)
        return sample if unit is None else DimArray(sample, target)

    def bytes(self, length: int) -> bytes:
        """Random bytes."""
        return self._numpy.bytes(length)

    def choice(
        self,
        a: Any,
        size: Any = None,
        replace: bool = True,
        p: Any = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> Any:
        """Elements (or slices along an axis) picked at random; from a number, plain indices."""
        p = pure_number(p, "choice", "p")
        if not isinstance(a, DimArray):
            return self._numpy.choice(a, size, replace, p, axis, shuffle)
        if not a.shape:
            a = pure_number(a, "choice", "a").item()
            return self._numpy.choice(a, size, replace, p, axis, shuffle)
        index = self._numpy.choice(a.shape[axis], size, replace, p, 0, shuffle)
        return ops.take(a, index, axis=axis)

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """The slices along an axis in another order; of a number, plain indices in random order."""
        if not isinstance(x, DimArray) or not x.shape:
            x = pure_number(x, "permutation", "x").item() if isinstance(x, DimArray) else x
            return self._numpy.permutation(x, axis)
        index = ops.random_permutation(x.shape[axis], generator=self)
        return ops.take(x, index, axis=axis)

    def permuted(self, x: Any, *, axis: int | None = None, out: Any = None) -> Any:
        """The elements in another order, along an axis (each slice by itself) or all of them."""
        if not isinstance(x, DimArray):
            return self._numpy.permuted(x, axis=axis, out=out)
        raw = _writable("permuted", x, needs_writing=False)
        if out is None:
            return DimArray(self._numpy.permuted(raw, axis=axis), x.unit)
        if not isinstance(out, DimArray) or out.unit.key is not x.unit.key:
            raise UnitError(
                f"permuted writes values in {x.unit} into an array that is not in {x.unit}",
                f"give out= as an array in {str(x.unit)!r}",
            )
        self._numpy.permuted(raw, axis=axis, out=_writable("permuted", out))
        return out

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Put the slices along an axis in another order, in place."""
        raw = _writable("shuffle", x) if isinstance(x, DimArray) else x
        self._numpy.shuffle(raw, axis)


def _is_pure(x: DimArray) -> bool:
    return is_number(x.unit)


def _checked(operation: str, name: str, scale: Any) -> Any:
    """A scale, none of which is negative; a traced one has no values to look at."""
    raw = scale.data if isinstance(scale, DimArray) else scale
    if isinstance(raw, (int, float, np.generic, np.ndarray)) and np.any(np.less(raw, 0)):
        raise UnitError(f"{operation} needs a {name} of 0 or more")
    return scale


def _writable(operation: str, x: DimArray, needs_writing: bool = True) -> Any:
    """The raw array, which NumPy shuffles in place."""
    raw = x.data
    if not isinstance(raw, np.ndarray):
        library = backend_of(raw).name if x.shape else "a single number"
        raise UnitError(f"{operation} works on NumPy arrays, not on {library}")
    if needs_writing and not raw.flags.writeable:
        raise UnitError(f"{operation} would write into a read-only array", "copy it first")
    return raw
