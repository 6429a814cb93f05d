"""Lazy random numbers: Dask's streams, and the units and errors of the eager ones."""

from typing import Any

import dask.array as da
import numpy as np
import pytest

import dimflow
from dimflow import DimArray, Unit, units
from dimflow.dask import DaskDimArray, random
from dimflow.errors import DimflowError, PureNumberError, ShapeMismatch, UnitChoiceError
from tests.dask.conftest import nothing_runs

K = units.K
CASES: list[tuple[str, tuple[Any, ...], tuple[Any, ...], str]] = [
    # name, parameters, the numbers that Dask is given, unit
    ("normal", (DimArray(20.0, "degC"), 0.5 * K), (20.0, 0.5), "degC"),
    ("normal", (2 * units.km, 100 * units.m), (2, 0.1), "km"),
    ("normal", (0, 3 * units.m), (0, 3), "m"),
    ("normal", (), (0.0, 1.0), ""),
    ("laplace", (2 * units.km, 100 * units.m), (2, 0.1), "km"),
    ("logistic", (DimArray(1.0, "degC"), 2 * K), (1.0, 2), "degC"),
    ("gumbel", (1 * units.s, 2 * units.s), (1, 2), "s"),
    ("uniform", (0 * units.m, 5 * units.km), (0, 5000.0), "m"),
    ("uniform", (DimArray(0.0, "degC"), DimArray(25.0, "degC")), (0.0, 25.0), "degC"),
    ("triangular", (0 * units.m, 1 * units.m, 1 * units.km), (0, 1, 1000.0), "m"),
    ("exponential", (3 * units.s,), (3,), "s"),
    ("rayleigh", (3 * units.m / units.s,), (3,), "m/s"),
    ("gamma", (2.0, 3 * units.kg), (2.0, 3), "kg"),
    ("wald", (3 * units.m, 1 * units.km), (3, 1000.0), "m"),
    ("vonmises", (DimArray(180.0, "deg"), 2.0), (np.pi, 2.0), "rad"),
]


@pytest.mark.parametrize(
    ("name", "parameters", "numbers", "unit"),
    CASES,
    ids=[f"{c[0]}{i}" for i, c in enumerate(CASES)],
)
def test_the_numbers_are_dasks(
    name: str, parameters: tuple[Any, ...], numbers: tuple[Any, ...], unit: str
) -> None:
    with nothing_runs():
        rng = random.default_rng(7)
        found = getattr(rng, name)(*parameters, size=(6, 4), chunks=(3, 4))
    wanted = getattr(da.random.default_rng(7), name)(*numbers, size=(6, 4), chunks=(3, 4))
    assert type(found) is DaskDimArray
    assert found.unit is Unit(unit)
    assert found.unit is getattr(dimflow.random.default_rng(1), name)(*parameters).unit
    assert found.chunks == wanted.chunks
    np.testing.assert_allclose(found.compute().data, wanted.compute())
    np.testing.assert_array_equal(found.compute().data, found.compute().data)


STANDARD = ["random", "standard_normal", "standard_exponential", "standard_cauchy"]


@pytest.mark.parametrize("name", STANDARD)
def test_standard_draws(name: str) -> None:
    with nothing_runs():
        found = getattr(random.default_rng(3), name)((5, 2), unit="m", chunks=2)
    wanted = getattr(da.random.default_rng(3), name)(size=(5, 2), chunks=2)
    np.testing.assert_array_equal(found.compute().data, wanted.compute())
    assert found.unit is units.m


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", STANDARD[:3])
def test_standard_draws_in_a_dtype(name: str, dtype: str) -> None:
    """In single precision they are another sequence."""
    found = getattr(random.default_rng(3), name)((5, 2), dtype, unit="m", chunks=2).compute()
    wanted = getattr(da.random.default_rng(3), name)(size=(5, 2), dtype=dtype, chunks=2)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found.data, wanted.compute())


def test_single_precision_and_shapes() -> None:
    rng = random.default_rng(0)
    assert rng.random(4, "f4", unit="m").dtype == np.float32
    assert rng.standard_gamma(2.0, size=3, unit="kg").unit is units.kg
    drawn = DaskDimArray.random((4, 2), "m", (2, 2), seed=3)
    wanted = da.random.default_rng(3).random((4, 2), chunks=(2, 2))
    np.testing.assert_array_equal(drawn.compute().data, wanted.compute())


PURE = ["beta", "chisquare", "f", "lognormal", "noncentral_chisquare", "noncentral_f", "pareto"]
PURE += ["power", "standard_t", "weibull"]
COUNTS = ["binomial", "geometric", "hypergeometric", "logseries", "negative_binomial", "poisson"]
COUNTS += ["zipf"]
PARAMETERS: dict[str, tuple[float, ...]] = {
    "beta": (2.0, 3.0),
    "f": (2.0, 3.0),
    "lognormal": (0.5, 0.2),
    "noncentral_chisquare": (2.0, 1.0),
    "noncentral_f": (2.0, 3.0, 1.0),
    "binomial": (10, 0.5),
    "geometric": (0.3,),
    "hypergeometric": (5, 6, 4),
    "logseries": (0.4,),
    "negative_binomial": (5, 0.5),
}


@pytest.mark.parametrize("name", PURE + COUNTS)
def test_families_without_units(name: str) -> None:
    numbers = PARAMETERS.get(name, (2.5,))
    with nothing_runs():
        found = getattr(random.default_rng(5), name)(*numbers, size=6, chunks=3)
    wanted = getattr(da.random.default_rng(5), name)(*numbers, size=6, chunks=3).compute()
    if name in COUNTS:
        assert type(found) is da.Array
        np.testing.assert_array_equal(found.compute(), wanted)
    else:
        assert found.unit.is_dimensionless
        np.testing.assert_array_equal(found.compute().data, wanted)
        scaled = getattr(random.default_rng(5), name)(*numbers, size=6, chunks=3, unit="%")
        assert scaled.unit is Unit("%")
    with pytest.raises(PureNumberError) as lazily:
        getattr(random.default_rng(5), name)(3 * units.m, *numbers[1:], size=6)
    with pytest.raises(PureNumberError) as eagerly:
        getattr(dimflow.random.default_rng(5), name)(3 * units.m, *numbers[1:], size=6)
    assert str(lazily.value) == str(eagerly.value)


def test_parameters_may_be_lazy_or_arrays() -> None:
    loc = DaskDimArray(np.arange(6.0), "km", chunks=2)
    scale = DimArray(np.full(6, 1e-9), "km")
    with nothing_runs():
        found = random.default_rng(1).normal(loc, scale, chunks=3)
    assert (found.chunks, found.unit) == (((3, 3),), units.km)
    np.testing.assert_allclose(found.compute().data, np.arange(6.0), atol=1e-6)
    bounds = random.default_rng(1).triangular(loc, loc + 1 * units.km, loc + 2 * units.km, chunks=3)
    inside = bounds.compute().data - np.arange(6.0)
    assert ((inside >= 0) & (inside <= 2)).all()


LAZY = {"gamma": 2, "beta": 2, "poisson": 1, "normal": 2, "binomial": 2, "wald": 2, "vonmises": 2}


@pytest.mark.parametrize("name", LAZY)
def test_lazy_parameters_draw_what_dask_draws(name: str) -> None:
    first = [np.arange(1.0, 7.0), np.arange(2, 8)][name == "binomial"]
    numbers = (first, np.linspace(0.1, 0.9, 6))[: LAZY[name]]
    given = [da.from_array(n, chunks=2) for n in numbers]
    with nothing_runs():
        found = getattr(random.default_rng(9), name)(*given, size=(4, 6), chunks=3)
    found = found.data if isinstance(found, DimArray) else found
    wanted = getattr(da.random.default_rng(9), name)(*numbers, size=(4, 6), chunks=3)
    assert (found.chunks, found.dtype) == (wanted.chunks, wanted.dtype)
    np.testing.assert_array_equal(found.compute(), wanted.compute())
    with pytest.raises(ShapeMismatch):
        getattr(random.default_rng(9), name)(*given, size=(6, 4))


def test_whole_numbers_and_choices() -> None:
    rng = random.default_rng(2)
    plain = rng.integers(0, 10, size=5)
    assert type(plain) is da.Array
    metres = rng.integers(0, 1 * units.km, size=100, unit="m", chunks=50)
    assert metres.unit is units.m
    assert metres.dtype == np.int64
    assert metres.compute().data.max() > 10
    with pytest.raises(UnitChoiceError):
        rng.integers(0 * units.m, 5 * units.m, size=2)
    picked = rng.choice(DimArray([1.0, 2.0], "m"), size=20).compute()
    assert picked.unit is units.m
    assert set(picked.tolist()) == {1.0, 2.0}
    assert set(rng.choice(3, size=50).compute().tolist()) == {0, 1, 2}
    with pytest.raises(ShapeMismatch):
        rng.choice(DimArray(np.zeros((2, 2)), "m"))
    mixed = rng.permutation(DaskDimArray(np.arange(6.0), "s", chunks=2))
    assert mixed.unit is units.s
    assert sorted(mixed.compute().tolist()) == [0, 1, 2, 3, 4, 5]


def test_vectors_have_their_mean_and_covariance() -> None:
    mean = DimArray([10.0, 20.0], "degC")
    cov = DimArray([[2.0, 1.0], [1.0, 3.0]], "K**2")
    with nothing_runs():
        found = random.default_rng(4).multivariate_normal(mean, cov, size=40_000, chunks=10_000)
    assert (found.unit, found.shape) == (units.degC, (40_000, 2))
    drawn = found.compute().data
    np.testing.assert_allclose(drawn.mean(0), [10, 20], atol=0.05)
    np.testing.assert_allclose(np.cov(drawn.T), cov.data, atol=0.1)


BAD: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("normal", (1 * units.m, 1 * units.s), {}),
    ("normal", (1 * units.m, -1 * units.m), {}),
    ("normal", (1, 1 * units.s), {}),
    ("uniform", (1 * units.m, 1 * units.s), {}),
    ("exponential", (DimArray(1.0, "degC"),), {}),
    ("gamma", (2 * units.m, 1.0), {}),
    ("normal", (1 * units.m, 1 * units.m), {"unit": "s"}),
    ("wald", (DimArray(1.0, "degC"), 1.0), {}),
    ("vonmises", (1 * units.m, 1.0), {}),
]


@pytest.mark.parametrize(("name", "args", "options"), BAD, ids=[f"bad{i}" for i in range(len(BAD))])
def test_the_errors_are_the_eager_ones(
    name: str, args: tuple[Any, ...], options: dict[str, Any]
) -> None:
    with pytest.raises(DimflowError) as wanted:
        getattr(dimflow.random.default_rng(0), name)(*args, **options)
    with nothing_runs(), pytest.raises(wanted.type) as found:
        getattr(random.default_rng(0), name)(*args, size=4, **options)
    assert str(found.value) == str(wanted.value)


def test_seeds() -> None:
    rng = random.default_rng(1)
    assert random.default_rng(rng) is rng
    theirs = random.default_rng(da.random.default_rng(1)).random(3).compute()
    assert theirs.tolist() == rng.random(3).compute().tolist()
    assert "PCG64" in repr(rng)
    for seed in ("seven", 1.5, True, 3 * units.m):
        with pytest.raises(DimflowError):
            random.default_rng(seed)
    with pytest.raises(DimflowError):
        random.Generator(7)
