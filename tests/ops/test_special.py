"""Special functions, against mpmath in 40 digits and scipy over their whole range."""

import importlib.util
from functools import partial
from pathlib import Path

import mpmath
import numpy as np
import pytest
import scipy.special

import dimflow.backends
from dimflow import DimArray, ops
from dimflow.errors import NotANumber, PointError, PureNumberError
from dimflow.units import Unit

ROOT = Path(__file__).parents[2]
TABLES = Path(dimflow.ops.__file__).parent / "definitions" / "special_tables.py"

UNARY = {
    "erf": scipy.special.erf,
    "erfc": scipy.special.erfc,
    "erfinv": scipy.special.erfinv,
    "gamma": scipy.special.gamma,
    "lgamma": scipy.special.gammaln,
    "digamma": scipy.special.digamma,
    "bessel_j0": scipy.special.j0,
    "bessel_j1": scipy.special.j1,
    "bessel_y0": scipy.special.y0,
    "bessel_y1": scipy.special.y1,
    "bessel_i0": scipy.special.i0,
    "bessel_i1": scipy.special.i1,
    "bessel_i0e": scipy.special.i0e,
    "bessel_i1e": scipy.special.i1e,
}
EXACT = {
    "erf": mpmath.erf,
    "erfc": mpmath.erfc,
    "erfinv": mpmath.erfinv,
    "gamma": mpmath.gamma,
    "lgamma": lambda x: mpmath.log(abs(mpmath.gamma(x))) if x < 1e3 else mpmath.loggamma(x),
    "digamma": mpmath.digamma,
    "bessel_j0": lambda x: mpmath.besselj(0, x),
    "bessel_j1": lambda x: mpmath.besselj(1, x),
    "bessel_y0": lambda x: mpmath.bessely(0, x),
    "bessel_y1": lambda x: mpmath.bessely(1, x),
    "bessel_i0": lambda x: mpmath.besseli(0, x),
    "bessel_i1": lambda x: mpmath.besseli(1, x),
    "bessel_i0e": lambda x: mpmath.besseli(0, x) * mpmath.exp(-abs(x)),
    "bessel_i1e": lambda x: mpmath.besseli(1, x) * mpmath.exp(-abs(x)),
}
rng = np.random.default_rng(1969)


def spread(low, high, count=60):
    return rng.uniform(low, high, count)


def decades(low, high, count=40):
    return 10 ** rng.uniform(low, high, count)


# where each is exact to 1e-14 of its own size
RANGES = {
    "erf": [spread(-6, 6), decades(-300, 1)],
    "erfc": [spread(-6, 6), spread(6, 26.5), decades(-300, 1)],
    "erfinv": [spread(-1, 1), 1 - decades(-16, -1), decades(-300, 0)],
    "gamma": [spread(0, 8), spread(8, 171), spread(-8, 0), spread(-170, -8), decades(-300, 2)],
    "lgamma": [
        spread(0, 8),
        decades(-300, 300),
        1 + decades(-15, -1),
        1 - decades(-15, -1),
        2 + decades(-15, -1),
        2 - decades(-15, -1),
    ],
    "digamma": [spread(0, 8), decades(-300, 300), 1.4616321449683622 + decades(-15, -1)],
    "bessel_j0": [decades(-300, 0)],
    "bessel_j1": [decades(-300, 0), -decades(-2, 0)],
    "bessel_y0": [decades(-300, -1)],
    "bessel_y1": [decades(-300, 0)],
    "bessel_i0": [spread(-8, 8), spread(8, 712), decades(-300, 0)],
    "bessel_i1": [spread(-8, 8), spread(-712, -8), decades(-300, 0)],
    "bessel_i0e": [spread(-8, 8), decades(-3, 5)],
    "bessel_i1e": [spread(-8, 8), decades(-3, 5)],
}


def exactly(name, points):
    with mpmath.workdps(40):
        return np.array([float(EXACT[name](mpmath.mpf(float(x)))) for x in points])


@pytest.mark.parametrize("name", sorted(RANGES))
def test_the_relative_error_is_at_most_1e_14(name):
    points = np.concatenate(RANGES[name])
    np.testing.assert_allclose(ops.get(name)(points), exactly(name, points), rtol=1e-14)


@pytest.mark.parametrize("name", ["bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1"])
def test_bessel_waves_are_exact_to_their_amplitude(name):
    points = np.concatenate([spread(0.1, 8), spread(8, 100), decades(2, 6, 20)])
    amplitude = np.minimum(1, np.sqrt(2 / (np.pi * points)))
    error = np.abs(ops.get(name)(points) - exactly(name, points)) / amplitude
    assert error.max() < 4e-15


@pytest.mark.parametrize(("name", "low"), [("lgamma", 1.0), ("digamma", 1.0)])
def test_below_zero_the_error_is_that_of_the_largest_part(name, low):
    points = spread(-30, 0, 200)
    points = points[np.abs(points - np.round(points)) > 0.01]
    wanted = exactly(name, points)
    error = np.abs(ops.get(name)(points) - wanted) / np.maximum(np.abs(wanted), low)
    assert error.max() < 2e-14


@pytest.mark.parametrize("name", sorted(UNARY))
def test_dense_samples_agree_with_scipy(name):
    low = 0.01 if "y" in name else -0.999 if name == "erfinv" else -5
    x = np.linspace(low, 0.999 if name == "erfinv" else 20, 20_001)
    x = x[(x > 0) | (x != np.round(x))]
    np.testing.assert_allclose(ops.get(name)(x), UNARY[name](x), rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("name", sorted(UNARY))
def test_ends_poles_and_nan(name):
    x = np.array([0.0, -0.0, 1.0, -1.0, -2.0, 400.0, 1000.0, np.nan])
    got, wanted = ops.get(name)(x), UNARY[name](x)
    np.testing.assert_array_equal(np.isfinite(got), np.isfinite(wanted))
    odd = ~np.isfinite(wanted)
    np.testing.assert_array_equal(got[odd], wanted[odd])
    ends = {
        "erf": [1, -1],
        "erfc": [0, 2],
        "erfinv": [np.nan, np.nan],
        "gamma": [np.inf, np.nan],
        "lgamma": [np.inf, np.inf],
        "digamma": [np.inf, np.nan],
        "bessel_j0": [0, 0],
        "bessel_j1": [0, 0],
        "bessel_y0": [0, np.nan],
        "bessel_y1": [0, np.nan],
        "bessel_i0": [np.inf, np.inf],
        "bessel_i1": [np.inf, -np.inf],
        "bessel_i0e": [0, 0],
        "bessel_i1e": [0, 0],
    }
    np.testing.assert_array_equal(ops.get(name)(np.array([np.inf, -np.inf])), ends[name])


def test_factorials():
    n = np.arange(1.0, 20)
    np.testing.assert_allclose(ops.gamma(n), np.cumprod(np.r_[1.0, n[:-1]]), rtol=1e-15)
    assert ops.lgamma(1.0) == 0 == ops.lgamma(2.0)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_polygamma_is_that_of_mpmath(n):
    x = np.concatenate([spread(0.01, 10, 30), decades(1, 6, 20), spread(-5, -0.01, 30)])
    x = x[np.abs(x - np.round(x)) > 0.02]
    with mpmath.workdps(40):
        wanted = np.array([float(mpmath.polygamma(n, mpmath.mpf(float(v)))) for v in x])
    np.testing.assert_allclose(ops.polygamma(n, x), wanted, rtol=2e-13, atol=1e-13 * (n + 1) ** 6)
    for wrong in (-1, 1.5):
        with pytest.raises(NotANumber, match="whole number"):
            ops.polygamma(wrong, x)


@pytest.mark.parametrize(("top", "error"), [(1, 1e-14), (2, 2e-13), (3, 2e-12)])
def test_beta_is_exact_to_the_size_of_its_logarithm(top, error):
    x, y = decades(-3, top, 80), decades(-3, top, 80)
    with mpmath.workdps(40):
        pairs = zip(map(mpmath.mpf, map(float, x)), map(mpmath.mpf, map(float, y)), strict=True)
        wanted = [mpmath.beta(a, b) for a, b in pairs]
        numbers = np.array([float(w) for w in wanted])
        logarithms = np.array([float(mpmath.log(w)) for w in wanted])
    usual = numbers > 1e-300
    np.testing.assert_allclose(ops.beta(x, y)[usual], numbers[usual], rtol=error)
    np.testing.assert_allclose(ops.betaln(x, y), logarithms, rtol=1e-13, atol=1e-14)


def test_beta_of_negative_and_of_far_arguments():
    x, y = np.array([-0.5, -1.5, 1e-3, 2.5]), np.array([200.0, 3.25, 1e6, -0.25])
    with mpmath.workdps(40):
        wanted = [
            float(mpmath.beta(mpmath.mpf(a), mpmath.mpf(b))) for a, b in zip(x, y, strict=True)
        ]
    np.testing.assert_allclose(ops.beta(x, y), wanted, rtol=1e-13)
    np.testing.assert_allclose(ops.beta(x, y), ops.beta(y, x), rtol=0)


def test_values_at_zero_are_exact():
    assert ops.bessel_j0(0.0) == ops.bessel_i0(0.0) == ops.erfc(0.0) == 1
    assert ops.bessel_j1(0.0) == ops.erf(0.0) == ops.erfinv(0.0) == 0


def function(name):
    """A function of one array."""
    return partial(ops.polygamma, 1) if name == "polygamma" else ops.get(name)


@pytest.mark.parametrize("name", [*sorted(UNARY), "polygamma"])
def test_dtype_and_shape_are_kept(name):
    op = function(name)
    assert op(np.full((2, 3), 0.5, np.float32)).dtype == np.float32
    assert op(np.full((2, 3), 0.5)[:, ::2].T).shape == (2, 2)
    assert op(np.zeros((0, 3))).shape == (0, 3)
    assert op(np.array([1, 1])).dtype == np.float64
    assert np.shape(op(0.5)) == ()
    big = np.linspace(0.1, 0.9, 30_001)  # several blocks
    np.testing.assert_array_equal(op(big)[::5000], op(big[::5000]))
    with pytest.raises(NotANumber, match="complex"):
        op(np.array([1j]))


@pytest.mark.parametrize("name", [*sorted(UNARY), "polygamma"])
def test_pure_numbers_in_any_unit_and_nothing_else(name):
    op = function(name)
    got = op(DimArray([50.0], "percent"))
    assert got.unit == Unit("")
    np.testing.assert_allclose(got.data, op(np.array([0.5])), rtol=1e-14)
    with pytest.raises(PureNumberError):
        op(DimArray([0.5], "m"))
    with pytest.raises(PointError):
        op(DimArray([0.5], "dB"))


@pytest.mark.parametrize("name", ["bessel_j1", "bessel_i1", "bessel_i1e"])
def test_the_slope_of_odd_functions_at_zero_is_a_half(name):
    (slope,) = ops.get(name).derivative.functions
    assert slope(np.zeros(2), np.zeros(2)).tolist() == [0.5, 0.5]


def test_the_tables_are_what_the_tool_writes():
    path = ROOT / "tools" / "make_special_tables.py"
    spec = importlib.util.spec_from_file_location("make_special_tables", path)
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert TABLES.read_text() == tool.text()
