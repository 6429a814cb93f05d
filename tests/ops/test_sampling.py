"""Random numbers: NumPy's streams, SciPy's distributions, units, points, and no global state."""

import copy
import inspect
import math
import operator
import pickle
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dimflow import DimArray, ops
from dimflow import units as u
from dimflow.dask.random import default_rng as lazy_rng
from dimflow.errors import (
    DimensionError,
    MissingRule,
    NotANumber,
    PointError,
    PureNumberError,
    ShapeMismatch,
    UnitChoiceError,
    UnitError,
    UnsupportedFunction,
)
from dimflow.ops.rules.derivatives import Jvp, Zero
from dimflow.random import Generator, default_rng
from dimflow.units import Unit

COV = [[2.0, 0.5], [0.5, 1.0]]

# method -> plain arguments, and whether the sample is one of counts
CALLS = {
    "random": ((), False),
    "standard_normal": ((), False),
    "standard_exponential": ((), False),
    "standard_gamma": ((2.5,), False),
    "standard_cauchy": ((), False),
    "standard_t": ((3.0,), False),
    "uniform": ((2.0, 5.0), False),
    "normal": ((2.0, 3.0), False),
    "laplace": ((2.0, 3.0), False),
    "logistic": ((2.0, 3.0), False),
    "gumbel": ((2.0, 3.0), False),
    "exponential": ((3.0,), False),
    "rayleigh": ((3.0,), False),
    "gamma": ((2.5, 3.0), False),
    "triangular": ((1.0, 2.0, 5.0), False),
    "wald": ((3.0, 2.0), False),
    "vonmises": ((0.5, 2.0), False),
    "multivariate_normal": (([1.0, 2.0], COV), False),
    "beta": ((2.0, 3.0), False),
    "chisquare": ((3.0,), False),
    "dirichlet": (([1.0, 2.0],), False),
    "f": ((3.0, 5.0), False),
    "lognormal": ((0.5, 0.2), False),
    "noncentral_chisquare": ((3.0, 1.0), False),
    "noncentral_f": ((3.0, 5.0, 1.0), False),
    "pareto": ((3.0,), False),
    "power": ((3.0,), False),
    "weibull": ((1.5,), False),
    "binomial": ((10, 0.3), True),
    "geometric": ((0.3,), True),
    "hypergeometric": ((10, 7, 5), True),
    "logseries": ((0.5,), True),
    "multinomial": ((5, [0.2, 0.8]), True),
    "multivariate_hypergeometric": (([4, 5], 3), True),
    "negative_binomial": ((3, 0.4), True),
    "poisson": ((3.0,), True),
    "zipf": ((2.5,), True),
    "integers": ((2, 9), True),
}
OTHERS = {"bytes", "choice", "permutation", "permuted", "shuffle", "spawn", "bit_generator"}


def test_every_method_of_numpys_generator_is_here():
    names = {n for n in dir(np.random.Generator) if not n.startswith("_")}
    assert names <= set(dir(Generator))
    assert names == set(CALLS) | OTHERS


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("size", [None, 4, (2, 3)])
def test_the_stream_is_numpys(name, size):
    args, counts = CALLS[name]
    ours = getattr(default_rng(5), name)(*args, size=size)
    theirs = getattr(np.random.default_rng(5), name)(*args, size=size)
    assert isinstance(ours, DimArray) is not counts
    numbers = ours if counts else ours.data
    np.testing.assert_allclose(numbers, theirs, rtol=1e-14)
    assert np.asarray(numbers).dtype == np.asarray(theirs).dtype


@pytest.mark.parametrize("name", CALLS)
def test_parameters_have_numpys_names_and_order(name):
    theirs = list(inspect.signature(getattr(np.random.Generator, name)).parameters)
    ours = list(inspect.signature(getattr(Generator, name)).parameters)
    kept = [p for p in theirs if p not in ("out", "method") or p in ours]
    assert [p for p in ours if p != "unit"] == kept


@pytest.mark.parametrize("name", ["normal", "laplace", "uniform", "gamma", "exponential"])
def test_arrays_of_parameters_draw_one_number_each(name):
    args = tuple(np.array([1.0, 2.0, 3.0]) + i for i in range(len(CALLS[name][0])))
    ours = getattr(default_rng(3), name)(*args)
    np.testing.assert_allclose(ours.data, getattr(np.random.default_rng(3), name)(*args))


# Distributions, against SciPy

DISTRIBUTIONS = {
    "uniform": ((2.0, 5.0), stats.uniform(2.0, 3.0)),
    "normal": ((2.0, 3.0), stats.norm(2.0, 3.0)),
    "laplace": ((2.0, 3.0), stats.laplace(2.0, 3.0)),
    "logistic": ((2.0, 3.0), stats.logistic(2.0, 3.0)),
    "gumbel": ((2.0, 3.0), stats.gumbel_r(2.0, 3.0)),
    "exponential": ((3.0,), stats.expon(scale=3.0)),
    "rayleigh": ((3.0,), stats.rayleigh(scale=3.0)),
    "gamma": ((2.5, 3.0), stats.gamma(2.5, scale=3.0)),
    "triangular": ((1.0, 2.0, 5.0), stats.triang(0.25, 1.0, 4.0)),
    "wald": ((3.0, 2.0), stats.invgauss(1.5, scale=2.0)),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_samples_in_units_follow_the_distribution(name):
    args, truth = DISTRIBUTIONS[name]
    first = 1 if name == "gamma" else 0  # a shape has no unit
    lengths = [DimArray(a, "m").to("cm" if i else "m") for i, a in enumerate(args[first:])]
    sample = getattr(default_rng(11), name)(*args[:first], *lengths, size=4000)
    assert stats.kstest(sample.to_value("m"), truth.cdf).pvalue > 1e-3


def test_vectors_have_the_covariance_asked_for():
    mean, cov = DimArray([1.0, 2.0], "m"), DimArray(COV, "m**2")
    sample = default_rng(2).multivariate_normal(mean, cov.to("cm**2"), 20000)
    assert sample.unit == Unit("m")
    np.testing.assert_allclose(np.cov(sample.data.T), COV, atol=0.06)
    by_op = ops.sample_multivariate_normal(mean, cov, 5, generator=4)
    expected = np.random.default_rng(4).multivariate_normal([1, 2], COV, 5, method="cholesky")
    np.testing.assert_allclose(by_op.data, expected, rtol=1e-12)
    with pytest.raises(DimensionError):
        default_rng(2).multivariate_normal(mean, DimArray(COV, "m"))
    with pytest.raises(ShapeMismatch, match=r"cov \(n, n\)"):
        ops.sample_multivariate_normal(mean, DimArray([1.0], "m**2"), generator=4)


# Units and points


def test_the_units_of_the_parameters_decide():
    rng = default_rng(1)
    assert rng.uniform(DimArray(0.0, "m"), DimArray(5.0, "km"), 100).unit == Unit("m")
    assert rng.uniform(0, DimArray(5.0, "km")).unit == Unit("km")
    assert rng.exponential(DimArray(5.0, "s")).unit == Unit("s")
    assert rng.gamma(2.0, DimArray(5.0, "J")).unit == Unit("J")
    assert rng.normal(5.0, 1.0, unit="kg").unit == Unit("kg")
    assert rng.standard_normal(3, unit="m/s").unit == Unit("m/s")
    assert rng.beta(2.0, 2.0, unit="m").unit == Unit("m")
    assert rng.normal().is_dimensionless


@given(st.integers(0, 2**32 - 1))
def test_the_sample_does_not_depend_on_the_units_chosen(seed):
    low, high = DimArray(1.0, "km"), DimArray(3.0, "km")
    one = default_rng(seed).uniform(low, high, 5)
    other = default_rng(seed).uniform(low.to("m"), high.to("mm"), 5)
    np.testing.assert_allclose(other.to_value("km"), one.data)


def test_temperatures_spread_by_differences():
    for loc, scale in (("degC", "K"), ("degF", "delta_degC"), ("K", "K")):
        mean = DimArray(20.0, "degC").to(loc)
        sample = default_rng(3).normal(mean, DimArray(2.0, scale), 4)
        assert sample.unit == Unit(loc)
        expected = np.random.default_rng(3).normal(20.0, 2.0, 4)
        np.testing.assert_allclose(sample.to_value("degC"), expected, rtol=1e-9)
    named = default_rng(3).normal(20.0, 2.0, 4, unit="degC")
    np.testing.assert_allclose(named.data, expected)
    bounds = DimArray(10.0, "degC"), DimArray(86.0, "degF")
    between = default_rng(3).uniform(*bounds, 4).to_value("degC")
    np.testing.assert_allclose(between, np.random.default_rng(3).uniform(10.0, 30.0, 4))
    peaked = default_rng(3).triangular(*(DimArray(v, "degC") for v in (1.0, 2.0, 5.0)), 4)
    np.testing.assert_allclose(peaked.data, np.random.default_rng(3).triangular(1.0, 2.0, 5.0, 4))
    vectors = default_rng(3).multivariate_normal(
        DimArray([1.0, 2.0], "degC"), DimArray(COV, "K**2")
    )
    assert vectors.unit == Unit("degC")


def test_points_are_no_widths():
    rng = default_rng(0)
    point = DimArray(3.0, "degC")
    for call in (
        lambda: rng.normal(point, point),
        lambda: rng.exponential(point),
        lambda: rng.gamma(2.0, point),
        lambda: rng.rayleigh(point),
    ):
        with pytest.raises(PointError):
            call()
    with pytest.raises(UnitError, match="points"):
        rng.wald(point, point)


def test_what_has_no_meaning_is_refused_and_draws_nothing():
    rng = default_rng(0)
    before = copy.deepcopy(rng.bit_generator.state)
    metre = DimArray(1.0, "m")
    bad = {
        DimensionError: [
            lambda: rng.uniform(metre, DimArray(1.0, "s")),
            lambda: rng.uniform(1.0, metre),
            lambda: rng.triangular(metre, metre, 2.0),
            lambda: rng.wald(metre, DimArray(1.0, "s")),
            lambda: rng.normal(metre, DimArray(1.0, "s")),
            lambda: rng.normal(metre, 1.0),
            lambda: rng.multivariate_normal(DimArray([1.0, 2.0], "m"), DimArray(COV, "m")),
            lambda: ops.sample_multivariate_normal(
                DimArray([1.0, 2.0], "m"), DimArray(COV, "s**2"), generator=rng
            ),
        ],
        PureNumberError: [
            lambda: rng.poisson(metre),
            lambda: rng.beta(metre, 1.0),
            lambda: rng.gamma(metre),
            lambda: rng.standard_gamma(metre),
            lambda: rng.lognormal(metre),
            lambda: rng.vonmises(0.0, metre),
            lambda: rng.choice([1, 2], p=DimArray([0.5, 0.5], "m")),
            lambda: rng.permutation(metre),
        ],
        PointError: [lambda: rng.exponential(DimArray(1.0, "degC"))],
        UnitChoiceError: [lambda: rng.integers(metre, metre)],
        UnitError: [
            lambda: rng.normal(metre, -metre),
            lambda: rng.exponential(-1.0),
            lambda: ops.dropout(np.ones(2), 1.5, generator=rng),
        ],
        ShapeMismatch: [
            lambda: rng.normal(np.zeros((2, 3)), 1.0, 3),
            lambda: rng.normal(np.zeros(2), 1.0, (2, 3)),
        ],
    }
    for error, calls in bad.items():
        for call in calls:
            with pytest.raises(error):
                call()
    assert rng.bit_generator.state == before


def test_directions_are_angles():
    sample = default_rng(1).vonmises(DimArray(90.0, "deg"), 5.0, 3)
    assert sample.unit == Unit("rad")
    expected = np.random.default_rng(1).vonmises(np.pi / 2, 5.0, 3)
    np.testing.assert_allclose(sample.data, expected)
    in_degrees = default_rng(1).vonmises(np.pi / 2, 5.0, 3, unit="deg")
    np.testing.assert_allclose(in_degrees.data, np.degrees(expected))


def test_whole_numbers_of_a_unit():
    sample = default_rng(1).integers(DimArray(0.0, "m"), DimArray(1.0, "km"), 50, unit="m")
    assert sample.unit == Unit("m")
    np.testing.assert_array_equal(sample.data, np.random.default_rng(1).integers(0, 1000, 50))

    with pytest.raises(UnitError, match="whole in 'm'"):
        default_rng(1).integers(DimArray(0.5, "m"), DimArray(3.0, "m"), unit="m")


SCALES = [("m", "cm"), ("cm", "m"), ("ft", "inch"), ("inch", "m"), ("degC", "K"), ("percent", "")]


@given(
    st.integers(-500, 500),
    st.integers(1, 2000),
    st.sampled_from(SCALES),
    st.sampled_from([np.float32, np.float64]),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_whole_ends_are_those_that_were_meant(low, span, units, dtype, lazily, seed):
    """A conversion leaves 28.999... cm of 0.29 m, which NumPy would cut; other ends are refused."""
    whole, given_in = map(Unit, units)
    ends = [DimArray(np.array(float(n), dtype), whole).to(given_in) for n in (low, low + span)]
    rng = (lazy_rng if lazily else default_rng)(seed)
    plain = (lazy_rng if lazily else default_rng)(seed)
    found, expected = rng.integers(*ends, 50, unit=whole), plain.integers(low, low + span, 50)
    np.testing.assert_array_equal(np.asarray(found.data), np.asarray(expected))
    ends[0] = DimArray(low + 0.25, whole).to(given_in)
    with pytest.raises(UnitError, match="whole"):
        rng.integers(*ends, unit=whole)


# Picking and ordering


SHUFFLES = {
    "a generator of NumPy": lambda x: np.random.default_rng(2).shuffle(x),
    "a generator of NumPy, mapped": lambda x: [*map(np.random.default_rng(2).shuffle, [x])],
    "RandomState": lambda x: np.random.RandomState(2).shuffle(x),
    "np.random": lambda x: np.random.shuffle(x),
    "random": lambda x: random.shuffle(x),
    "random.Random": lambda x: random.Random(2).shuffle(x),
    "dimflow": lambda x: default_rng(2).shuffle(x),
}


@pytest.mark.filterwarnings("ignore:you are shuffling")
@pytest.mark.parametrize("shape", [(7,), (7, 2), (7, 1), (2, 3, 2), (1, 3), (0, 2)])
@pytest.mark.parametrize(
    ("name", "library"),
    [*((name, "numpy") for name in SHUFFLES), *((n, "torch") for n in SHUFFLES if n != "dimflow")],
)
def test_no_shuffle_loses_a_row(name, library, shape):
    """NumPy's and Python's swap rows, which are views: x[i], x[j] = x[j], x[i]."""
    raw = np.arange(math.prod(shape)).reshape(shape)
    for array in (raw.copy(), raw.copy("F"), np.stack([raw, raw], 1)[:, 0]):
        x = DimArray(array, "m").to_backend(library)
        try:
            SHUFFLES[name](x)
        except UnsupportedFunction:
            assert name != "dimflow"
            np.testing.assert_array_equal(x.to_value("m"), raw)
        assert sorted(x.to_value("m").tolist()) == raw.tolist()


def test_rows_are_assigned_where_nothing_swaps_them():
    x = DimArray(np.arange(6).reshape(3, 2), "m")
    x[0] = x[1]
    operator.setitem(x, 2, x[1].copy())
    assert x.data.tolist() == [[2, 3]] * 3


@pytest.mark.parametrize("axis", [0, 1])
def test_picking_and_ordering_keep_units_and_follow_numpy(axis):
    raw = np.arange(12.0).reshape(4, 3)
    x = DimArray(raw, "kg")

    def both(name, *args, **kwargs):
        ours = getattr(default_rng(6), name)(x, *args, **kwargs)
        assert ours.unit == Unit("kg")
        theirs = getattr(np.random.default_rng(6), name)(raw, *args, **kwargs)
        np.testing.assert_array_equal(ours.data, theirs)

    both("choice", 2, axis=axis, replace=False)
    both("choice", (2, 2), axis=axis)
    both("permutation", axis=axis)
    both("permuted", axis=axis)
    both("permuted")
    mine, theirs = x.copy(), raw.copy()
    default_rng(6).shuffle(mine, axis)
    np.random.default_rng(6).shuffle(theirs, axis)
    np.testing.assert_array_equal(mine.data, theirs)
    np.testing.assert_array_equal(raw, np.arange(12.0).reshape(4, 3))


def test_numbers_and_lists_are_picked_plain():
    assert default_rng(1).choice(5) == np.random.default_rng(1).choice(5)
    assert default_rng(1).choice(["a", "b"]) == np.random.default_rng(1).choice(["a", "b"])
    order = default_rng(1).permutation(DimArray(5))
    np.testing.assert_array_equal(order, np.random.default_rng(1).permutation(5))
    cards = [1, 2, 3, 4]
    default_rng(1).shuffle(cards)
    assert sorted(cards) == [1, 2, 3, 4]


def test_ordering_in_place_never_writes_what_it_may_not():
    x = DimArray(np.arange(3.0), "m")
    out = DimArray(np.zeros(3), "m")
    assert default_rng(1).permuted(x, out=out) is out
    with pytest.raises(UnitError, match="not in m"):
        default_rng(1).permuted(x, out=DimArray(np.zeros(3), "km"))
    x.data.flags.writeable = False
    with pytest.raises(UnitError, match="read-only"):
        default_rng(1).shuffle(x)
    with pytest.raises(UnitError, match="NumPy arrays"):
        default_rng(1).shuffle(DimArray(np.float64(3.0), "m")[()])


# Generators


def test_there_is_no_global_state():
    before = np.random.get_state()
    assert default_rng().random() != default_rng().random()
    first = default_rng(4).normal(size=3)
    np.testing.assert_array_equal(np.random.get_state()[1], before[1])
    np.random.seed(1)
    np.testing.assert_array_equal(default_rng(4).normal(size=3).data, first.data)
    np.random.set_state(before)


def test_generators_share_copy_pickle_and_spawn():
    rng = default_rng(8)
    assert default_rng(rng) is rng
    shared = Generator(rng)
    rng.random()
    assert shared.bit_generator.state == rng.bit_generator.state
    apart = pickle.loads(pickle.dumps(rng))
    cloned = copy.deepcopy(rng)
    expected = rng.normal(size=3).data
    np.testing.assert_array_equal(apart.normal(size=3).data, expected)
    np.testing.assert_array_equal(cloned.normal(size=3).data, expected)
    children = default_rng(8).spawn(2)
    theirs = np.random.default_rng(8).spawn(2)
    for one, other in zip(children, theirs, strict=True):
        assert float(one.random()) == other.random()
    assert repr(rng) == "Generator(PCG64)"
    assert (
        Generator(np.random.Philox(3)).random() == np.random.Generator(np.random.Philox(3)).random()
    )
    assert default_rng(3).bytes(4) == np.random.default_rng(3).bytes(4)


@pytest.mark.parametrize("seed", ["7", 1.5, True, DimArray(3.0, "m")])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(NotANumber, match="seed"):
        default_rng(seed)


@pytest.mark.parametrize("make", [default_rng, lazy_rng], ids=["eager", "lazy"])
@pytest.mark.parametrize(
    ("name", "args"),
    [
        *(
            (name, (1.0, 2 * u.m))
            for name in ("uniform", "normal", "laplace", "logistic", "gumbel")
        ),
        ("normal", (2 * u.m,)),
        ("uniform", (2 * u.km,)),
        ("triangular", (0 * u.m, 1 * u.m, 2.0)),
        ("exponential", (20 * u.degC,)),
        ("rayleigh", (20 * u.degC,)),
        ("gamma", (2, 20 * u.degC)),
    ],
)
def test_a_draw_that_is_refused_names_the_method(make, name, args):
    with pytest.raises(UnitError) as error:
        getattr(make(1), name)(*args, size=3)
    assert str(error.value).startswith((f"rng.{name} needs", f"rng.{name} has no meaning"))


def test_a_generator_is_made_of_bits():
    with pytest.raises(NotANumber, match="default_rng takes a seed"):
        Generator(7)


# The ops


@pytest.mark.parametrize("generator", [7, np.int64(7), default_rng(7), np.random.default_rng(7)])
def test_a_draw_takes_a_seed_or_a_generator(generator):
    expected = np.random.default_rng(7).standard_normal(3)
    np.testing.assert_array_equal(ops.random_normal(3, generator=generator), expected)


def test_a_seed_gives_the_same_each_time_and_a_generator_moves_on():
    np.testing.assert_array_equal(
        ops.random_uniform(3, generator=1), ops.random_uniform(3, generator=1)
    )
    rng = default_rng(1)
    first, second = (ops.random_uniform(3, generator=rng) for _ in range(2))
    assert not np.any(first == second)


@pytest.mark.parametrize("generator", [None, -1, "7", True, 1.5])
def test_a_draw_without_a_generator_is_refused(generator):
    with pytest.raises(UnitError, match="default_rng"):
        ops.random_normal(3, generator=generator)


@pytest.mark.parametrize("name", ["uniform", "normal", "exponential", "laplace", "cauchy"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_draws_come_in_the_dtype_asked_for(name, dtype):
    op = ops.get(f"random_{name}")
    assert op(4, dtype=dtype, generator=1).dtype == dtype
    assert op(dtype=dtype, generator=1).dtype == dtype


def test_standard_draws_have_no_derivative_and_shapes_refuse_one():
    draws = [op for op in ops.TABLE.values() if op.kind == "random"]
    assert len(draws) >= 10
    for op in draws:
        assert isinstance(op.derivative, Jvp if op.name == "random_gamma" else Zero)
    with pytest.raises(MissingRule, match="random_gamma"):
        ops.random_gamma.derivative.function((1.0,), 1.0, (2.0,), {})


def test_dropout_keeps_the_mean_and_the_unit():
    x = DimArray(np.ones(20000, "float32"), "m")
    result = ops.dropout(x, 0.25, generator=5)
    assert result.unit == Unit("m")
    assert result.dtype == np.float32
    assert set(np.unique(result.data)) == {np.float32(0.0), np.float32(1 / 0.75)}
    assert result.data.mean() == pytest.approx(1.0, abs=0.02)
    np.testing.assert_array_equal(ops.dropout(x, 0.0, generator=5).data, x.data)
    np.testing.assert_array_equal(ops.dropout(x, 1.0, generator=5).data, 0.0 * x.data)
