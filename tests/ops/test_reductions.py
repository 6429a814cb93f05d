"""Reductions: against NumPy and astropy, at zeros, ties, infinities and nan, and on points."""

import operator
import warnings
from functools import reduce
from itertools import product as every

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
import scipy.special
from astropy import units as astropy_units
from hypothesis import given
from hypothesis import strategies as st

from dimflow import DimArray, ops
from dimflow.errors import DimensionError, PointError, PureNumberError, UnitError
from dimflow.ops.rules.units import PURE, resolve
from dimflow.units import Unit

NAMES = ("sum", "mean", "var", "std", "min", "max", "ptp", "median")
NAN_NAMES = ("nansum", "nanmean", "nanvar", "nanstd", "nanmin", "nanmax", "nanmedian")
numbers = st.floats(-1e3, 1e3, width=32)


@st.composite
def arrays_and_axes(draw, holes=False):
    """An array of some axes, and an axis, several or None."""
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4))
    elements = st.one_of(numbers, st.just(float("nan"))) if holes else numbers
    x = draw(hnp.arrays(np.float64, shape, elements=elements))
    single = st.integers(-len(shape), len(shape) - 1)
    several = st.lists(st.integers(0, len(shape) - 1), unique=True, min_size=1).map(tuple)
    return x, draw(st.one_of(st.none(), single, several)), draw(st.booleans())


def quietly(function, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an axis of nan alone
        return function(*args, **kwargs)


def tangent(name, t, x, **params):
    """By the op's own rule, for a change of the first argument."""
    op = ops.get(name)
    defaults = {"axis": None, "keepdims": False, "dtype": None, "ddof": 0, **params}
    known = op.signature.parameters
    params = {n: v for n, v in defaults.items() if n in known}
    args = (x, *[None] * (len(op.array_names) - 1))
    return op.derivative.function((t, *args[1:]), op.run(args, params), args, params)


# Values and units


@given(st.sampled_from(NAMES), arrays_and_axes())
def test_values_are_those_of_numpy_and_units_those_of_astropy(name, drawn):
    x, axis, keepdims = drawn
    found = ops.get(name)(DimArray(x, "km"), axis=axis, keepdims=keepdims)
    known = getattr(np, name)(x << astropy_units.km, axis=axis, keepdims=keepdims)
    np.testing.assert_array_equal(found.data, getattr(np, name)(x, axis=axis, keepdims=keepdims))
    assert found.unit == Unit(known.unit.to_string())
    assert found.shape == known.shape


@given(st.sampled_from(NAN_NAMES), arrays_and_axes(holes=True))
def test_without_nan_too(name, drawn):
    x, axis, keepdims = drawn
    found = quietly(ops.get(name), DimArray(x, "km"), axis=axis, keepdims=keepdims)
    known = quietly(getattr(np, name), x, axis=axis, keepdims=keepdims)
    np.testing.assert_array_equal(found.data, known)
    assert found.unit == getattr(ops, name[3:])(DimArray(x, "km")).unit


@given(
    st.sampled_from([n for n in NAN_NAMES if ops.get(n).definition is not None]),
    arrays_and_axes(holes=True),
)
def test_the_definition_leaves_out_nan_as_numpy_does(name, drawn):
    x, axis, keepdims = drawn
    found = quietly(ops.get(name).definition, x, axis=axis, keepdims=keepdims)
    known = quietly(getattr(np, name), x, axis=axis, keepdims=keepdims)
    np.testing.assert_allclose(found, known, rtol=1e-12, atol=1e-12)


@given(arrays_and_axes())
def test_a_product_is_that_of_its_factors_in_value_and_unit(drawn):
    x, axis, keepdims = drawn
    found = ops.prod(DimArray(x, "km"), axis=axis, keepdims=keepdims)
    np.testing.assert_array_equal(found.data, np.prod(x, axis=axis, keepdims=keepdims))
    lengths = x.shape if axis is None else [x.shape[a] for a in np.atleast_1d(axis)]
    assert found.unit == reduce(operator.mul, [Unit("km")] * int(np.prod(lengths)))


def test_the_empty_product_is_a_pure_one():
    found = ops.prod(DimArray(np.ones((0, 2)), "m"), axis=0)
    assert found.unit == Unit("")
    assert found.data.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "any", "all", "var", "std"])
def test_masks_and_starts_are_those_of_numpy(name):
    rng = np.random.default_rng(3)
    x, mask = rng.normal(size=(3, 4)), rng.uniform(size=(3, 4)) < 0.7
    mask[0, :] = mask[:, 0] = True
    options = {"where": mask, "axis": 1}
    if name in ("sum", "prod", "max", "min"):
        options["initial"] = 0.25
    np.testing.assert_array_equal(ops.get(name)(x, **options), getattr(np, name)(x, **options))


@pytest.mark.parametrize("name", ["argmax", "argmin", "nanargmax", "nanargmin"])
def test_indices_are_plain(name):
    x = np.array([[3.0, np.nan, 1.0], [0.0, 5.0, 2.0]])
    x = x if name.startswith("nan") else np.nan_to_num(x)
    for axis, keepdims in every((None, 0, 1), (False, True)):
        found = ops.get(name)(DimArray(x, "degC"), axis=axis, keepdims=keepdims)
        known = getattr(np, name)(x, axis=axis, keepdims=keepdims)
        assert not isinstance(found, DimArray)
        np.testing.assert_array_equal(found, known)


def test_truth_is_a_pure_number_in_any_linear_unit():
    x = DimArray([0.0, 0.0, 2.0], "km")
    assert ops.any(x).item() is True
    assert ops.all(x).item() is False
    assert ops.count_nonzero(x) == 1


def test_the_first_argument_after_the_array_is_the_axis_as_in_numpy():
    x = np.arange(6.0).reshape(2, 3)
    assert ops.sum(x, 1).tolist() == [3.0, 12.0]
    assert ops.var(x, 0, None, 1).tolist() == np.var(x, 0, ddof=1).tolist()


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float32", "complex64"])
@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "std", "max", "min", "nansum"])
def test_dtypes_are_those_of_numpy(name, dtype):
    x = np.ones(3, dtype)
    assert ops.get(name)(DimArray(x, "m")).dtype == getattr(np, name)(x).dtype


def test_a_dtype_may_be_asked_for():
    x = DimArray(np.ones(3, "float32"), "m")
    for name in ("sum", "prod", "mean", "var", "std"):
        assert ops.get(name)(x, dtype="float64").dtype == np.float64


def test_a_fraction_to_start_from_is_not_cut_off_among_integers():
    x = DimArray(np.arange(3), "m")
    start = DimArray(0.5, "m")
    assert ops.sum(x, initial=start).item() == 3.5
    assert ops.max(-x, initial=start).item() == 0.5
    assert ops.nansum(x, initial=start).item() == 3.5
    assert ops.nanmin(x, initial=start).item() == 0.0
    assert ops.min(x, initial=float("inf")).item() == 0.0


# Units of what is beside the array


def test_what_a_sum_starts_from_is_converted():
    x = DimArray([1.0, 2.0], "m")
    assert ops.sum(x, initial=DimArray(1.0, "km")).item() == 1003.0
    assert ops.sum(x, initial=0).item() == 3.0
    assert ops.max(x, initial=DimArray(0.5, "km")).item() == 500.0
    assert ops.max(x, initial=-float("inf")).item() == 2.0
    product = ops.prod(x, initial=DimArray(2.0, "s"))
    assert (product.item(), product.unit) == (4.0, Unit("m**2*s"))


def test_what_does_not_fit_is_refused():
    x = DimArray([1.0, 2.0], "m")
    with pytest.raises(DimensionError, match="sum needs arguments of one dimension") as caught:
        ops.sum(x, initial=DimArray(1.0, "s"))
    assert caught.value.names == ("x", "initial")
    with pytest.raises(DimensionError):
        ops.max(x, initial=1.0)
    with pytest.raises(PureNumberError, match="sum needs a pure number for where"):
        ops.sum(x, where=DimArray(np.array([True, False]), "m"))
    with pytest.raises(ValueError, match="axis 2 is out of bounds"):
        ops.sum(x, axis=2)
    assert x.data.tolist() == [1.0, 2.0]


def test_a_given_mean_is_converted():
    x = DimArray([[1.0, 3.0]], "m")
    mean = DimArray([[0.002]], "km")
    assert ops.var(x, axis=1, mean=mean).data.tolist() == [1.0]


# The number of factors


@pytest.mark.parametrize("name", ["prod", "nanprod"])
def test_products_of_pure_numbers_take_a_mask(name):
    x = DimArray([50.0, 200.0, 10.0], "percent")
    found = ops.get(name)(x, where=np.array([True, True, False]))
    assert (found.item(), found.unit) == (1.0, Unit(""))


def test_products_with_a_unit_need_their_number():
    x = DimArray([2.0, 3.0], "m")
    with pytest.raises(UnitError) as caught:
        ops.prod(x, where=np.array([True, False]))
    assert str(caught.value) == (
        "prod of m needs the number of factors, which a mask hides\n"
        "  hint:  divide by a reference value first, so that the factors are pure numbers"
    )
    with pytest.raises(UnitError, match=r"nanprod of m needs .* which any nan changes"):
        ops.nanprod(x)
    params, shapes = {"axis": None}, ((None, 3), None, None)
    with pytest.raises(UnitError, match="which this shape does not tell"):
        resolve(ops.prod, (Unit("m"), None, None), params, shapes)
    assert resolve(ops.prod, (Unit("percent"), None, None), params, shapes).result is PURE
    along = resolve(ops.prod, (Unit("m"), None, None), {"axis": 1}, shapes)
    assert along.result == Unit("m**3")


# Points


def test_means_of_points_are_points_and_spreads_are_differences():
    celsius = DimArray([10.0, 20.0, 60.0], "degC")
    kelvin = celsius.to("K")
    for name in ("mean", "max", "min", "median", "nanmean", "nanmax", "nanmedian"):
        found = ops.get(name)(celsius)
        assert found.unit == Unit("degC")
        np.testing.assert_allclose(found.to("K").data, ops.get(name)(kelvin).data)
    for name, unit in (("std", "delta_degC"), ("ptp", "delta_degC"), ("var", "delta_degC**2")):
        found = ops.get(name)(celsius)
        assert found.unit == Unit(unit)
        np.testing.assert_allclose(found.data, ops.get(name)(kelvin).data)


@pytest.mark.parametrize("name", ["sum", "prod", "any", "all", "count_nonzero", "nansum"])
def test_sums_and_truth_of_points_are_refused(name):
    with pytest.raises(PointError):
        ops.get(name)(DimArray([10.0, 20.0], "degC"))


def test_the_refusal_of_a_sum_of_levels_names_their_linear_unit():
    with pytest.raises(PointError) as caught:
        ops.sum(DimArray([10.0, 20.0], "dBm"))
    assert (
        str(caught.value)
        == "sum has no meaning for points in dBm\n  hint:  convert it first: x.to('mW')"
    )


def test_the_refusal_of_a_sum_names_the_mean():
    with pytest.raises(PointError) as caught:
        ops.sum(DimArray([10.0, 20.0], "degC"))
    assert str(caught.value) == (
        "sum has no meaning for points in degC\n"
        "  hint:  the mean of points is a point: x.mean(); or convert to K for the absolute value; "
        "differences are in delta_degC"
    )


def test_levels_are_compared_but_not_averaged():
    x = DimArray([3.0, 10.0], "dBm")
    assert ops.max(x).item() == 10.0
    assert ops.argmin(x) == 0
    for name in ("mean", "var", "std", "median"):
        with pytest.raises(PointError):
            ops.get(name)(x)


def test_a_maximum_of_points_starts_from_no_bare_zero():
    x = DimArray([-10.0, -20.0], "degC")
    with pytest.raises(PointError, match="max with a bare 0"):
        ops.max(x, initial=0)
    assert ops.max(x, initial=DimArray(300.0, "K")).item() == pytest.approx(26.85)


# Derivatives where formulas with a division break


@given(hnp.arrays(np.float64, st.integers(1, 6), elements=st.sampled_from([0.0, 1.0, -2.0, 3.0])))
def test_the_derivative_of_a_product_holds_at_zeros(x):
    t = np.linspace(1.0, 2.0, len(x))
    others = [np.prod(np.delete(x, i)) for i in range(len(x))]
    assert tangent("prod", t, x) == pytest.approx(np.dot(t, others))
    assert ops.prod_of_others(x).tolist() == others


@given(hnp.arrays(np.float64, st.integers(2, 5), elements=st.sampled_from([0.0, 1.0, -2.0, 3.0])))
def test_so_does_the_second(x):
    n = len(x)
    t = np.linspace(1.0, 2.0, n)
    found = ops.prod_of_others.derivative.function((t,), None, (x,), {"axis": -1})
    for i in range(n):
        rest = [j for j in range(n) if j != i]
        known = sum(t[j] * np.prod(x[[k for k in rest if k != j]]) for j in rest)
        assert found[i] == pytest.approx(known)


def test_elements_that_attain_an_extreme_share_its_derivative():
    x, t = np.array([[3.0, 1.0, 3.0], [0.0, 2.0, 1.0]]), np.arange(1.0, 7.0).reshape(2, 3)
    assert tangent("max", t, x, axis=1).tolist() == [2.0, 5.0]
    assert tangent("min", t, x).item() == 4.0
    holes = np.array([np.nan, 1.0, 1.0])
    assert tangent("nanmax", np.array([9.0, 1.0, 3.0]), holes) == 2.0


def test_the_start_shares_too():
    params = {"axis": None, "keepdims": False}
    args = np.array([1.0, 5.0]), np.array(5.0), None
    tangents = np.array([1.0, 2.0]), np.array(4.0), None
    assert ops.max.derivative.function(tangents, ops.max.run(args, params), args, params) == 3.0


def test_what_a_mask_leaves_out_has_no_derivative():
    x, mask = np.array([1.0, np.nan, 4.0]), np.array([True, False, True])
    params = {"axis": None, "keepdims": False, "dtype": None, "ddof": 0}
    back, _ = ops.mean.derivative.transpose(np.array(6.0), (x, mask), params)
    assert back.tolist() == [3.0, 0.0, 3.0]
    out = ops.var(x, where=mask)
    change = ops.var.derivative.function((np.ones(3), None, None), out, (x, None, mask), params)
    assert change == 0.0  # a common shift leaves the spread


def test_the_variance_of_complex_numbers_has_a_derivative():
    rng = np.random.default_rng(0)
    x, t = (rng.normal(size=5) + 1j * rng.normal(size=5) for _ in range(2))
    step = 1e-6
    known = (np.var(x + step * t) - np.var(x - step * t)) / (2 * step)
    assert tangent("var", t, x) == pytest.approx(known, rel=1e-8)


# logsumexp


@given(arrays_and_axes())
def test_logsumexp_is_that_of_scipy(drawn):
    x, axis, keepdims = drawn
    found = ops.logsumexp(DimArray(x, ""), axis=axis, keepdims=keepdims)
    known = scipy.special.logsumexp(x, axis=axis, keepdims=keepdims)
    np.testing.assert_allclose(found.data, known, rtol=1e-14, atol=1e-12)
    assert found.shape == np.shape(known)


def test_logsumexp_at_the_ends():
    inf = float("inf")
    assert ops.logsumexp(np.array([-inf, -inf])) == -inf
    assert ops.logsumexp(np.array([inf, 1.0])) == inf
    assert ops.logsumexp(np.array([])) == -inf
    assert ops.logsumexp(np.array([1e4, 1e4])) == 1e4 + np.log(2.0)
    x = np.array([-inf, 0.0, 0.0])
    assert tangent("logsumexp", np.array([5.0, 1.0, 3.0]), x) == pytest.approx(2.0)
    assert tangent("logsumexp", np.ones(2), np.array([-inf, -inf])) == 0.0


def test_logsumexp_rescales_percent_and_refuses_metres():
    found = ops.logsumexp(DimArray([100.0, 100.0], "percent"))
    assert found.item() == pytest.approx(1 + np.log(2.0))
    with pytest.raises(PureNumberError):
        ops.logsumexp(DimArray([1.0], "m"))


# Batches


@pytest.mark.parametrize("batched", [(0, None), (None, 0), (1, 1)])
def test_masks_are_batched_with_their_arrays(batched):
    rng = np.random.default_rng(1)
    x, mask = rng.normal(size=(3, 4)), rng.uniform(size=(3, 4)) < 0.5
    mask[:, :2] = True
    mask[0, :] = True
    params = {"axis": 0, "dtype": None, "keepdims": False}
    pairs = zip((x, mask), batched, strict=True)
    many = [a if d is None else np.stack([a, a[::-1]], axis=d) for a, d in pairs]
    result, dim = ops.mean.batching(ops.mean, tuple(many), batched, params)
    for i in range(2):
        one = [a if d is None else np.take(a, i, d) for a, d in zip(many, batched, strict=True)]
        known = np.mean(one[0], axis=0, where=one[1])
        np.testing.assert_allclose(np.take(result, i, dim), known)
