"""Averages, covariance and quantiles: against NumPy, with units, weights, points."""

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow import DimArray, ops
from dimflow.errors import (
    DimensionError,
    PointError,
    PureNumberError,
    ShapeMismatch,
    UnitError,
)
from dimflow.units import Unit

METHODS = (
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "linear",
    "median_unbiased",
    "normal_unbiased",
    "lower",
    "higher",
    "midpoint",
    "nearest",
)
RNG = np.random.default_rng(11)


# Averages


@pytest.mark.parametrize(
    ("axis", "shape"), [(None, (2, 3, 4)), (1, (3,)), (-1, (2, 3, 4)), ((2, 0), (4, 2))]
)
@pytest.mark.parametrize("keepdims", [False, True])
def test_averages_are_those_of_numpy(axis, shape, keepdims):
    x, weights = RNG.normal(size=(2, 3, 4)), RNG.uniform(0.5, 2.0, shape)
    known = np.average(x, axis=axis, weights=weights, returned=True, keepdims=keepdims)
    found = ops.average(
        DimArray(x, "m"),
        axis=axis,
        weights=DimArray(weights, "kg"),
        returned=True,
        keepdims=keepdims,
    )
    for one, other, unit in zip(found, known, ("m", "kg"), strict=True):
        np.testing.assert_allclose(one.data, other, rtol=1e-13)
        assert one.unit == Unit(unit)


def test_the_unit_of_the_weights_does_not_matter():
    x, weights = DimArray([10.0, 20.0], "degC"), DimArray([1.0, 3.0], "kg")
    found = ops.average(x, weights=weights)
    assert (found.item(), found.unit) == (17.5, Unit("degC"))
    assert ops.average(x, weights=weights.to("g")).item() == 17.5
    assert ops.average(x, weights=[0, 2]).item() == 20.0


def test_without_weights_it_is_the_mean_and_the_count():
    mean, count = ops.average(DimArray([[1.0, 2.0], [3.0, 6.0]], "m"), axis=1, returned=True)
    assert (mean.data.tolist(), mean.unit) == ([1.5, 4.5], Unit("m"))
    assert not isinstance(count, DimArray)
    assert count.tolist() == [2.0, 2.0]


def test_weights_that_do_not_fit_are_refused():
    x = DimArray(np.ones((2, 3)), "m")
    with pytest.raises(ShapeMismatch) as caught:
        ops.average(x, axis=0, weights=np.ones(3))
    assert str(caught.value) == (
        "average got the wrong shape\n  expected: weights of shape (2, 3) or (2,)\n  actual:   (3,)"
    )
    with pytest.raises(ShapeMismatch):
        ops.average(x, weights=np.ones(3))
    with pytest.raises(PointError, match="average has no meaning for points"):
        ops.average(x, weights=DimArray(np.ones((2, 3)), "degC"))
    with pytest.raises(ZeroDivisionError):
        ops.average(x, weights=np.zeros((2, 3)))


# Covariance


@pytest.mark.parametrize("options", [{}, {"bias": True}, {"ddof": 2}, {"rowvar": False}])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "complex128"])
def test_covariance_is_that_of_numpy_in_the_square_of_the_unit(options, dtype):
    x = (RNG.normal(size=(4, 5)) * 9).astype(dtype)
    x = x + 1j * x[::-1] if dtype == "complex128" else x
    found, known = ops.cov(DimArray(x, "km"), **options), np.cov(x, **options)
    np.testing.assert_array_equal(found.data, known)
    assert found.dtype == known.dtype
    assert found.unit == Unit("km**2")
    np.testing.assert_allclose(ops.cov.definition(x, **options), known, rtol=1e-5)


def test_weights_of_a_covariance():
    x, counts, weights = RNG.normal(size=(2, 5)), np.array([1, 2, 1, 3, 1]), np.arange(1.0, 6.0)
    known = np.cov(x, fweights=counts, aweights=weights)
    found = ops.cov(DimArray(x, "m"), fweights=counts, aweights=DimArray(weights, "kg"))
    np.testing.assert_allclose(found.data, known)
    assert found.unit == Unit("m**2")
    defined = ops.cov.definition(DimArray(x, "m"), fweights=counts, aweights=DimArray(weights, "g"))
    np.testing.assert_allclose(defined.data, known)
    with pytest.raises(PureNumberError):
        ops.cov(DimArray(x, "m"), fweights=DimArray(counts, "s"))
    with pytest.raises(PointError):
        ops.cov(DimArray(x, "m"), aweights=DimArray(weights, "degC"))


def test_a_second_array_is_converted_to_the_first():
    x, y = RNG.normal(size=5), RNG.normal(size=5)
    found = ops.cov(DimArray(x, "m"), DimArray(y / 1000, "km"))
    np.testing.assert_allclose(found.data, np.cov(x, y))
    with pytest.raises(DimensionError):
        ops.cov(DimArray(x, "m"), DimArray(y, "s"))


def test_the_covariance_of_points_is_that_of_differences():
    celsius = DimArray(RNG.normal(size=(2, 6)), "degC")
    found = ops.cov(celsius)
    assert found.unit == Unit("delta_degC**2")
    np.testing.assert_allclose(found.data, ops.cov(celsius.to("K")).data)
    assert ops.corrcoef(celsius).unit == Unit("")
    for name in ("cov", "corrcoef"):
        with pytest.raises(PointError):
            ops.get(name)(DimArray([1.0, 2.0, 4.0], "dBm"))


def test_correlation_is_pure_across_dimensions():
    x, y = RNG.normal(size=7), RNG.normal(size=7)
    found = ops.corrcoef(DimArray(x, "km"), DimArray(y, "s"))
    assert found.unit == Unit("")
    np.testing.assert_allclose(found.data, np.corrcoef(x, y))
    defined = ops.corrcoef.definition(DimArray(x, "km"), DimArray(y, "degC"))
    np.testing.assert_allclose(defined.data, np.corrcoef(x, y))


@given(hnp.arrays(np.float64, (3, 4), elements=st.floats(-9.0, 9.0, width=16)))
def test_no_correlation_is_beyond_one(x):
    x = x + np.eye(3, 4) * 20  # no row is constant
    found = ops.corrcoef.definition(x)
    assert np.abs(found).max() <= 1.0
    np.testing.assert_allclose(found, np.corrcoef(x), atol=1e-9)


def test_tables_have_two_axes():
    with pytest.raises(ShapeMismatch, match="one or two axes"):
        ops.cov.definition(np.ones((2, 2, 2)))


# Quantiles


@given(
    st.sampled_from(["quantile", "percentile", "nanquantile", "nanpercentile"]),
    st.sampled_from(METHODS),
    st.sampled_from([None, 0, -1, (0, 2)]),
    st.booleans(),
    hnp.arrays(np.float64, st.sampled_from([(), (3,), (2, 2)]), elements=st.floats(0.0, 1.0)),
)
def test_quantiles_are_those_of_numpy(name, method, axis, keepdims, q):
    x = np.random.default_rng(0).normal(size=(2, 3, 4))
    if name.startswith("nan"):
        x[0, 1, 2] = np.nan
    q = q * 100 if "percent" in name else q
    options = {"axis": axis, "method": method, "keepdims": keepdims}
    found = ops.get(name)(DimArray(x, "km"), q, **options)
    np.testing.assert_array_equal(found.data, getattr(np, name)(x, q, **options))
    assert found.unit == Unit("km")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("skips", [False, True])
def test_every_method_has_its_derivative(method, skips):
    rng = np.random.default_rng(4)
    x, t, q = rng.normal(size=(3, 7)), rng.normal(size=(3, 7)), np.array([0.13, 0.47, 0.77])
    name, function = ("nanquantile", np.nanquantile) if skips else ("quantile", np.quantile)
    if skips:
        x[0, 2] = x[1, :3] = np.nan
    op, params = ops.get(name), {"axis": 1, "method": method, "keepdims": False}
    out = op.run((x, q, None), params)
    found = op.derivative.function((t, None, None), out, (x, q, None), params)
    step = 1e-6
    high, low = (function(x + sign * step * t, q, axis=1, method=method) for sign in (1, -1))
    np.testing.assert_allclose(found, (high - low) / (2 * step), atol=1e-8)
    found = op.derivative.function((None, np.ones(3), None), out, (x, q, None), params)
    high, low = (function(x, q + sign * step, axis=1, method=method) for sign in (1, -1))
    np.testing.assert_allclose(found, (high - low) / (2 * step), atol=1e-8)


def test_q_may_be_in_percent_where_it_is_a_part():
    x = DimArray([1.0, 2.0, 3.0, 4.0, 10.0], "s")
    assert ops.quantile(x, DimArray(50.0, "percent")).item() == 3.0
    assert ops.quantile(x, 0).item() == 1.0
    assert ops.percentile(x, 50).item() == 3.0
    with pytest.raises(UnitError) as caught:
        ops.percentile(x, DimArray(50.0, "percent"))
    assert str(caught.value) == (
        "percentile takes q as a bare number of percent, but got one in %\n"
        "  hint:  quantile(x, q) takes q with its unit"
    )
    with pytest.raises(PureNumberError, match="quantile needs a pure number for q"):
        ops.quantile(x, DimArray(0.5, "s"))
    with pytest.raises(ValueError, match=r"range \[0, 1\]"):
        ops.quantile(x, 1.5)


def test_quantiles_of_points_are_points():
    x = DimArray([10.0, 20.0, 40.0], "degC")
    for found in (ops.quantile(x, 0), ops.median(x), ops.percentile(x, 25.0)):
        assert found.unit == Unit("degC")
    assert ops.quantile(x, 0.25).item() == 15.0
    assert ops.quantile(x, [0, 1]).data.tolist() == [10.0, 40.0]
    with pytest.raises(PointError):
        ops.quantile(DimArray([1.0, 2.0], "dBm"), 0.5)


def test_weighted_quantiles():
    x, weights = RNG.normal(size=(2, 6)), RNG.uniform(0.1, 2.0, 6)
    options = {"axis": 1, "method": "inverted_cdf"}
    known = np.quantile(x, [0.2, 0.7], weights=weights, **options)
    found = ops.quantile(DimArray(x, "m"), [0.2, 0.7], weights=DimArray(weights, "kg"), **options)
    np.testing.assert_array_equal(found.data, known)
    with pytest.raises(PointError, match="quantile by weights"):
        ops.quantile(DimArray(x, "m"), 0.5, weights=DimArray(weights, "degC"), **options)


def test_the_median_of_an_even_number_shares_its_derivative():
    x, t = np.array([4.0, 1.0, 3.0, 2.0]), np.array([1.0, 10.0, 5.0, 7.0])
    params = {"axis": None, "keepdims": False}
    assert ops.median.derivative.function((t,), np.median(x), (x,), params) == 6.0
    holes = np.array([np.nan, 1.0, 3.0, 2.0])
    found = ops.nanmedian.derivative.function((t,), np.nanmedian(holes), (holes,), params)
    assert found == 7.0
