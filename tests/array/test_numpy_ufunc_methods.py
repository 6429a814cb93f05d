"""reduce, accumulate, reduceat, outer and at of NumPy's ufuncs, on DimArrays."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dimflow
from dimflow.array import DimArray
from dimflow.errors import (
    DimensionError,
    DimflowError,
    NotANumber,
    PointError,
    UnitError,
    UnitLossError,
    UnsupportedFunction,
)
from dimflow.units import Unit

RAW = np.array([[1.0, 2.0, 4.0], [8.0, 3.0, 5.0]])
x = DimArray(RAW, "m")
SAME = [np.add, np.subtract, np.maximum, np.minimum, np.fmax, np.fmin, np.hypot, np.remainder]


@pytest.mark.parametrize("ufunc", SAME)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_a_fold_that_stays_in_its_unit(ufunc, axis):
    for method in ("reduce", "accumulate"):
        result = getattr(ufunc, method)(x, axis=axis)
        assert result.unit == Unit("m")
        np.testing.assert_array_equal(result.data, getattr(ufunc, method)(RAW, axis=axis))
    result = ufunc.reduceat(x, [0, 1], axis=axis)
    assert result.unit == Unit("m")
    np.testing.assert_array_equal(result.data, ufunc.reduceat(RAW, [0, 1], axis=axis))


@pytest.mark.parametrize("axis", [0, 1, None, (0, 1), ()])
def test_a_product_has_the_power_of_the_number_of_factors(axis):
    result = np.multiply.reduce(x, axis=axis)
    count = {0: 2, 1: 3, None: 6, (0, 1): 6, (): 0}[axis]
    expected = np.multiply.reduce(RAW, axis=axis)
    if axis == ():
        assert result.unit in (Unit("m"), Unit(""))
        return
    assert result.unit == Unit("m") ** count
    np.testing.assert_array_equal(result.data, expected)
    in_km = np.multiply.reduce(x.to("km"), axis=axis)
    np.testing.assert_allclose(in_km.to_value(result.unit), expected)


def test_a_product_of_no_axis_is_the_array():
    assert np.multiply.reduce(x, axis=()).unit == Unit("m")
    assert np.multiply.reduce(DimArray(np.zeros((0, 2)), "m")).unit == Unit("")
    assert np.multiply.reduce(DimArray(np.zeros((0, 2)), "m")).data.tolist() == [1, 1]


def test_a_quotient_divides_by_all_but_the_first():
    result = np.divide.reduce(x, axis=1)
    assert result.unit == Unit("1/m")
    np.testing.assert_array_equal(result.data, np.divide.reduce(RAW, axis=1))
    result = np.divide.reduce(x, axis=1, initial=DimArray(1.0, "s"))
    assert result.unit == Unit("s/m**3")
    assert np.divide.reduce(x, axis=0).unit == Unit("")


def test_initial_is_a_quantity():
    total = np.add.reduce(x, axis=None, initial=DimArray(1.0, "km"))
    assert total.to_value("m") == 1023
    assert np.add.reduce(x, axis=None, initial=0).to_value("m") == 23
    assert np.maximum.reduce(x, axis=None, initial=-np.inf).to_value("m") == 8
    assert np.multiply.reduce(x, axis=1, initial=DimArray(2.0, "s")).unit == Unit("m**3*s")
    with pytest.raises(DimensionError):
        np.add.reduce(x, initial=1.0)
    with pytest.raises(DimensionError):
        np.add.reduce(x, initial=DimArray(1.0, "s"))


def test_keywords_of_reduce():
    assert np.add.reduce(x, axis=1, keepdims=True).shape == (2, 1)
    assert np.add.reduce(x, axis=1, dtype=np.float32).dtype == np.float32
    mask = RAW > 2
    np.testing.assert_array_equal(np.add.reduce(x, where=mask).data, np.add.reduce(RAW, where=mask))
    out = DimArray(np.zeros(3), "km")
    assert np.add.reduce(x, out=out) is out
    np.testing.assert_allclose(out.data, RAW.sum(0) / 1000)
    with pytest.raises(UnitLossError):
        np.add.reduce(x, out=np.zeros(3))
    with pytest.raises(UnitError, match="cut"):
        np.add.reduce(x, dtype=int)
    with pytest.raises(UnsupportedFunction, match="how many"):
        np.multiply.reduce(x, where=mask)
    percent = DimArray(RAW, "%")
    result = np.multiply.reduce(percent, where=mask, axis=None)
    np.testing.assert_allclose(result.data, np.multiply.reduce(RAW / 100, where=mask, axis=None))
    with pytest.raises(ValueError, match="axis"):
        np.add.reduce(x, axis=5)


def test_products_step_by_step_need_pure_numbers():
    for method, args in (("accumulate", ()), ("reduceat", ([0, 1],))):
        with pytest.raises(UnsupportedFunction, match="change with every element"):
            getattr(np.multiply, method)(x, *args)
        result = getattr(np.multiply, method)(DimArray(RAW, "%"), *args)
        np.testing.assert_allclose(result.data, getattr(np.multiply, method)(RAW / 100, *args))
        assert result.unit == Unit("")
    for ufunc in (np.power, np.floor_divide, np.logaddexp, np.arctan2):
        with pytest.raises(DimflowError):
            ufunc.reduce(x)
        assert ufunc.reduce(DimArray(RAW, "")).shape == (3,)


def test_masks_fold_into_masks():
    result = np.logical_and.reduce(x, axis=1)
    assert (type(result), str(result.unit)) == (DimArray, "")
    assert result.dtype == bool
    assert np.logical_or.accumulate(x, axis=0).dtype == bool
    with pytest.raises(DimflowError):
        np.less.reduce(x)


def test_points_fold_only_where_they_are_picked():
    celsius = DimArray([10.0, 30.0, 20.0], "degC")
    assert np.maximum.reduce(celsius).to_value("degC") == 30
    np.testing.assert_array_equal(np.minimum.accumulate(celsius).data, [10, 10, 10])
    for ufunc in (np.add, np.multiply, np.subtract, np.divide):
        with pytest.raises(DimflowError):
            ufunc.reduce(celsius)
    with pytest.raises(PointError):
        np.add.reduce(celsius)
    with pytest.raises(PointError):
        np.maximum.reduce(celsius, initial=0)


def test_outer():
    t = DimArray([1.0, 2.0], "s")
    product = np.multiply.outer(x, t)
    assert product.unit == Unit("m*s")
    np.testing.assert_array_equal(product.data, np.multiply.outer(RAW, t.data))
    total = np.add.outer(DimArray([1.0], "km"), DimArray([1.0, 2.0], "m"))
    np.testing.assert_allclose(total.to_value("m"), [[1001, 1002]])
    out = DimArray(np.zeros((1, 2)), "cm")
    np.add.outer(DimArray([1.0], "m"), DimArray([1.0, 2.0], "m"), out=out)
    np.testing.assert_allclose(out.data, [[200, 300]])
    with pytest.raises(DimensionError):
        np.add.outer(x, t)
    assert not np.equal.outer(x, t).any()
    assert np.power.outer(x, 2).unit == Unit("m**2")
    assert np.multiply.outer(np.ones(2), t).unit == Unit("s")


def test_at_writes_in_the_unit_of_the_array():
    y = DimArray(np.zeros(3), "m")
    raw = y.data
    assert np.add.at(y, [0, 0, 2], DimArray(1.0, "km")) is None
    assert y.data is raw
    np.testing.assert_array_equal(raw, [2000, 0, 1000])
    np.multiply.at(y, [0], DimArray(50.0, "%"))
    np.testing.assert_array_equal(raw, [1000, 0, 1000])
    np.multiply.at(y, [0], 3)
    np.negative.at(y, [2])
    np.testing.assert_array_equal(raw, [3000, 0, -1000])
    np.maximum.at(y, DimArray(np.array([1]), ""), DimArray([7.0], "cm"))
    np.testing.assert_allclose(raw, [3000, 0.07, -1000])
    np.power.at(y, [0], 1)


@pytest.mark.parametrize(
    "call",
    [
        lambda y: np.add.at(y, [0], DimArray(1.0, "s")),
        lambda y: np.add.at(y, [0], 1.0),
        lambda y: np.multiply.at(y, [0], DimArray(1.0, "s")),
        lambda y: np.divide.at(y, [0], DimArray(1.0, "m")),
        lambda y: np.sqrt.at(y, [0]),
        lambda y: np.square.at(y, [0]),
        lambda y: np.power.at(y, [0], 2),
        lambda y: np.exp.at(y, [0]),
        lambda y: np.equal.at(y, [0], y),
        lambda y: np.add.at(y, [7], y[0]),
        lambda y: np.add.at(y, DimArray([0.0], "m"), y[0]),
    ],
)
def test_at_never_changes_a_unit(call):
    y = DimArray(np.arange(1.0, 4.0), "m")
    with pytest.raises((DimflowError, IndexError)):
        call(y)
    assert y.unit == Unit("m")
    np.testing.assert_array_equal(y.data, [1, 2, 3])


def test_at_into_a_plain_array():
    plain = np.zeros(3)
    np.add.at(plain, [1], DimArray(50.0, "%"))
    np.testing.assert_array_equal(plain, [0, 0.5, 0])
    with pytest.raises(DimflowError):
        np.add.at(plain, [1], DimArray(1.0, "m"))
    with pytest.raises(UnitLossError):
        np.multiply.at(plain, [1], DimArray(1.0, "m"))
    np.testing.assert_array_equal(plain, [0, 0.5, 0])
    with pytest.raises(TypeError):
        np.add.at(DimArray(np.arange(3), "m"), [0], DimArray(1.5, "m"))
    with pytest.raises(NotANumber):
        np.add.at(DimArray([1.0, 2.0], "m")[0], (), DimArray(1.5, "m"))


@given(
    st.sampled_from(SAME),
    st.sampled_from(["reduce", "accumulate"]),
    st.lists(st.floats(1, 1e3), min_size=1, max_size=6),
)
def test_folds_do_not_depend_on_the_unit(ufunc, method, values):
    a = DimArray(np.array(values), "m")
    one = getattr(ufunc, method)(a)
    other = getattr(ufunc, method)(a.to("ft"))
    if ufunc is np.remainder:  # a remainder jumps where rounding decides
        assert other.unit == Unit("ft")
        return
    np.testing.assert_allclose(other.to_value("m"), one.data, rtol=1e-9, atol=1e-9)


UNITS = ("m", "%", "", "rad", "deg", "degC", "K", "dB/km", "delta_dB", "dBm", "pH", "mag(AB)")
GAINS = ("dB", "dB_field", "Np", "oct", "mag", "dex")
# What each fold is by another name, as a function of the array.
FOLDS = {
    "add": (np.sum, lambda a: a.sum(axis=0), lambda a: dimflow.sum(a, axis=0), sum),
    "multiply": (np.prod, lambda a: a.prod(axis=0), math.prod),
    "maximum": (np.max, lambda a: a.max(axis=0), max),
    "minimum": (np.min, lambda a: a.min(axis=0), min),
    "logical_and": (np.all, lambda a: a.all(axis=0)),
    "logical_or": (np.any, lambda a: a.any(axis=0)),
}
SCANS = {
    "add": (np.cumsum, lambda a: a.cumsum(0), lambda a: dimflow.cumulative_sum(a, axis=0)),
    "multiply": (np.cumprod, lambda a: a.cumprod(0)),
}


def outcome(function, *args):
    """The quantity that a function gives; None if it is refused."""
    try:
        result = function(*args)
    except DimflowError:
        return None
    result = DimArray(result)
    return result.to(result.unit.to_base()) if result.unit.law is None else result


def assert_one_rule(one, other, what):
    assert (one is None) == (other is None), (what, one, other)
    if one is not None:
        assert one.unit.key is other.unit.key, (what, one, other)
        np.testing.assert_allclose(one.data, other.data, rtol=1e-12, err_msg=what)


@pytest.mark.parametrize("unit", UNITS + GAINS)
@pytest.mark.parametrize(
    "raw", [np.array([3.0, -0.0, 3.0]), np.array([2, 3])], ids=["float", "int"]
)
def test_a_method_of_a_ufunc_is_what_it_stands_for(unit, raw):
    """np.sum refuses levels, so np.add.reduce and Python's sum do: 3 dB + 3 dB moves a level."""
    a = DimArray(raw, unit)
    for name, others in FOLDS.items():
        ufunc = getattr(np, name)
        found = outcome(ufunc.reduce, a)
        if name != "multiply":  # which would need a unit for every slice
            assert_one_rule(outcome(lambda a, f=ufunc: f.reduceat(a, [0])[0], a), found, name)
        for other in others:
            assert_one_rule(outcome(other, a), found, f"{other} and {name}.reduce of {unit}")
    for name, others in SCANS.items():
        found = outcome(getattr(np, name).accumulate, a)
        for other in others:
            assert_one_rule(outcome(other, a), found, f"{other} and {name}.accumulate of {unit}")


@pytest.mark.parametrize("unit", UNITS + GAINS)
@pytest.mark.parametrize("other", [*UNITS, *GAINS, None])
def test_outer_and_at_are_the_ufunc_itself(unit, other):
    a = DimArray([3.0, 2.0], unit)
    b = np.array([5.0, 7.0]) if other is None else DimArray([5.0, 7.0], other)
    for name in ("add", "subtract", "multiply", "divide", "maximum", "greater", "equal"):
        ufunc = getattr(np, name)
        one = outcome(lambda f=ufunc: f.outer(a, b))
        assert_one_rule(one, outcome(lambda f=ufunc: f(a[:, None], b)), f"{name}.outer")

        def at(f=ufunc):
            c = a.copy()
            f.at(c, [0, 1], b)
            return c

        def into(f=ufunc):
            c = a.copy()
            return f(c, b, out=c)

        if name not in ("greater", "equal"):
            assert_one_rule(outcome(at), outcome(into), f"{name}.at of {unit} and {other}")
