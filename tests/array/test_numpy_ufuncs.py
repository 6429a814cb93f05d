"""NumPy's ufuncs called on DimArrays: units, keywords, targets, and what is refused."""

import operator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing.overrides import get_overridable_numpy_ufuncs

from dimflow import ops
from dimflow.array import DimArray
from dimflow.array.numpy_host.refused import UFUNCS as REFUSED
from dimflow.array.numpy_host.ufuncs import op_of
from dimflow.errors import (
    DimensionError,
    DimflowError,
    NotANumber,
    PointError,
    PureNumberError,
    UnitError,
    UnitLossError,
    UnsupportedFunction,
)
from dimflow.units import Unit
from tests.array.numpy_walk import power_of

UFUNCS = {u.__name__: u for u in get_overridable_numpy_ufuncs()}
KNOWN = sorted(set(UFUNCS) - set(REFUSED))
MATRICES = {"matmul", "matvec", "vecmat", "vecdot"}
INTEGERS = {
    *("bitwise_and", "bitwise_count", "bitwise_or", "bitwise_xor", "gcd", "invert", "lcm"),
    *("left_shift", "right_shift"),
}
# Only pure numbers (or angles) have a meaning, or the result depends on the unit that is chosen.
PURE_ONLY = INTEGERS | {
    *("arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "cos", "cosh", "deg2rad"),
    *("degrees", "exp", "exp2", "expm1", "log", "log10", "log1p", "log2", "rad2deg", "radians"),
    *("sin", "sinh", "tan", "tanh", "logaddexp", "logaddexp2", "float_power", "power"),
    *("ceil", "floor", "rint", "trunc", "frexp", "modf", "spacing"),
}
x = DimArray([1.0, 4.0, 9.0], "m")
t = DimArray([2.0, 1.0, 3.0], "s")


def arguments(name):
    """Numbers in the domain of the ufunc."""
    count = UFUNCS[name].nin
    if name in MATRICES:
        shapes = {"matmul": ((2, 3), (3, 2)), "matvec": ((2, 3), (3,))}
        shapes |= {"vecmat": ((3,), (3, 2)), "vecdot": ((2, 3), (2, 3))}
        return [np.arange(1.0, 1 + np.prod(s)).reshape(s) for s in shapes[name]]
    if name in INTEGERS:
        return [np.array([3, 5, 6]), np.array([1, 2, 4])][:count]
    if name == "ldexp":
        return [np.array([0.5, 0.25, 0.75]), np.array([1, 2, 3])]
    if name == "arccosh":
        return [np.array([1.5, 2.25, 1.75])]
    return [np.array([0.5, 0.25, 0.75]), np.array([0.3, 0.2, 0.7]), np.ones(3)][:count]


def numbers(result):
    parts = result if isinstance(result, tuple) else (result,)
    return [p.data if isinstance(p, DimArray) else p for p in parts]


def test_every_ufunc_of_numpy_is_known_or_refused_with_a_reason():
    assert set(REFUSED) <= set(UFUNCS)
    for name in KNOWN:
        assert op_of(UFUNCS[name]).name
    for name, reason in REFUSED.items():
        with pytest.raises(UnsupportedFunction) as error:
            op_of(UFUNCS[name])
        assert error.value.reason == reason
        assert error.value.hint


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_refused_ufunc_says_why(name):
    ufunc = UFUNCS[name]
    with pytest.raises(UnsupportedFunction, match=REFUSED[name].split(",")[0]):
        ufunc(*[x] * ufunc.nin)


@pytest.mark.parametrize("name", KNOWN)
def test_pure_numbers_give_what_numpy_gives(name):
    ufunc, args = UFUNCS[name], arguments(name)
    expected = ufunc(*args)
    for _ in range(2):  # the second time on the fast path
        result = ufunc(*(DimArray(a, "") for a in args))
        pairs = zip(
            numbers(result),
            expected if isinstance(expected, tuple) else (expected,),
            strict=True,
        )
        for one, other in pairs:
            np.testing.assert_array_equal(one, other)
            assert one.dtype == other.dtype


@pytest.mark.parametrize("name", sorted(set(KNOWN) - PURE_ONLY))
def test_the_unit_is_what_scaling_the_numbers_says(name):
    ufunc, args = UFUNCS[name], arguments(name)
    before = ufunc(*args)
    is_second_pure = name in ("ldexp", "heaviside")
    scaled = [a if i and is_second_pure else a * 4.0 for i, a in enumerate(args)]
    after = ufunc(*scaled)
    made = [a if i and is_second_pure else DimArray(a, "m") for i, a in enumerate(args)]
    result = ufunc(*made)
    before, after, result = (r if isinstance(r, tuple) else (r,) for r in (before, after, result))
    for one, other, got in zip(before, after, result, strict=True):
        if name in ("arctan2", "_ones_like"):  # an angle; ones in the unit of the array
            assert got.unit == Unit("rad" if name == "arctan2" else "m")
            continue
        power = power_of(np.asarray(one), np.asarray(other), name)
        if isinstance(got, DimArray):
            assert got.unit == Unit("m") ** power
        else:
            assert power == 0
            assert got.dtype.kind in "bi"
        np.testing.assert_allclose(numbers(got)[0], one, rtol=1e-15)


@pytest.mark.parametrize("name", sorted(set(KNOWN) & PURE_ONLY - {"power", "float_power"}))
def test_a_length_is_refused_where_only_pure_numbers_have_a_meaning(name):
    ufunc, args = UFUNCS[name], arguments(name)
    with pytest.raises(DimflowError) as error:
        ufunc(*(DimArray(a, "m") for a in args))
    assert name.strip("_") in str(error.value) or op_of(ufunc).name in str(error.value)


def test_one_exponent_raises_the_unit():
    for exponent in (2, 2.0, np.float64(2), np.array(2), DimArray(2.0, ""), DimArray(200, "%")):
        result = np.power(x, exponent)
        assert result.unit == Unit("m**2")
        np.testing.assert_allclose(result.data, [1, 16, 81])
    assert np.float_power(x, 0.5).unit == Unit("m**(1/2)")
    assert np.power(x, Fraction(1, 2)).unit == Unit("m**(1/2)")
    assert np.power(x, Fraction(1, 2)).dtype == np.float64
    assert np.emath.power(-x, Fraction(1, 2)).unit == Unit("m**(1/2)")
    for endless in (np.nan, np.inf, 1e300):
        with pytest.raises(UnitError):
            np.power(x, endless)
    assert np.float_power(DimArray([2], "m"), 2).dtype == np.float64
    with pytest.raises(UnitError, match="exponent"):
        np.power(x, np.array([1, 2, 3]))
    np.testing.assert_allclose(np.power(2.0, DimArray([100, 300], "%")).data, [2, 8])
    with pytest.raises(PureNumberError):
        np.power(2.0, x)
    with pytest.raises(DimensionError):
        np.power(x, t[0])
    with pytest.raises(PointError):
        np.power(DimArray([1.0], "degC"), 2)


def test_arguments_may_be_anything_array_like():
    km = DimArray([0.001, 0.004, 0.009], "km")
    for other in (km, [DimArray(1.0, "m"), DimArray(400.0, "cm"), DimArray(9.0, "m")]):
        np.testing.assert_allclose(np.add(x, other).to_value("m"), [2, 8, 18])
        np.testing.assert_allclose(np.add(other, x).to_value("m"), [2, 8, 18])
    assert np.multiply(np.float64(2), x).unit == Unit("m")
    assert np.multiply([1, 2, 3], x).unit == Unit("m")
    assert np.divide(np.ones(3), x).unit == Unit("1/m")
    assert np.divide(1, x[0]).unit == Unit("1/m")
    assert np.add(x, 0).unit == Unit("m")
    assert np.maximum(x, -np.inf).unit == Unit("m")
    assert np.hypot(x[0], x[1]).data == np.hypot(1.0, 4.0)
    for bad in (1.0, np.ones(3), [1, 2, 3], DimArray([1.0], "s")):
        with pytest.raises(DimensionError):
            np.add(x, bad)
    for bad in (
        np.ma.array([1.0, 2.0, 3.0], mask=[True, False, False]) * 1.0,
        np.array(["a", "b", "c"]),
        np.array([1, 2, 3], "M8[s]"),
        np.array([1.0, None, 2.0], object),
    ):
        with pytest.raises(NotANumber):
            np.multiply(x, bad)
    record = np.array([1.0, 2.0, 3.0]).view(np.recarray)
    assert type(np.multiply(x, record).data) is np.ndarray
    for bad in ("text", object(), None, {"a": 1}):
        with pytest.raises((NotANumber, TypeError, AttributeError)):
            np.add(x, bad)


def test_equality_across_dimensions_is_an_answer_and_order_an_error():
    np.testing.assert_array_equal(np.equal(x, t), [False] * 3)
    np.testing.assert_array_equal(np.not_equal(x, t), [True] * 3)
    np.testing.assert_array_equal(np.equal(x, 1.0), [False] * 3)
    out = np.ones(3, bool)
    assert np.equal(x, t, out=out) is out
    assert not out.any()
    with pytest.raises(DimensionError):
        np.less(x, t)
    assert type(np.less(x, x)) is type(np.equal(x, t)) is DimArray


def test_out_in_the_units_of_the_result_is_written_by_numpy():
    out = DimArray(np.zeros(3), "m*s")
    raw = out.data
    assert np.multiply(x, t, out=out) is out
    assert out.data is raw
    np.testing.assert_array_equal(raw, [2, 4, 27])
    y = x.copy()
    assert np.add(y, y, out=y) is y
    np.testing.assert_array_equal(y.data, [2, 8, 18])


def test_out_in_another_unit_is_converted():
    out = DimArray(np.zeros(3), "km")
    assert np.add(x, x, out=(out,)) is out
    assert out.unit == Unit("km")
    np.testing.assert_allclose(out.data, [0.002, 0.008, 0.018])
    whole = DimArray(np.zeros(2), "%")
    np.divide(DimArray([1.0, 2.0], "m"), DimArray([4.0, 4.0], "m"), out=whole)
    np.testing.assert_allclose(whole.data, [25, 50])


def test_a_plain_target_takes_pure_numbers_only():
    out = np.zeros(3)
    assert np.divide(x, DimArray([2.0, 2.0, 2.0], "cm"), out=out) is out
    np.testing.assert_allclose(out, [50, 200, 450])
    with pytest.raises(UnitLossError):
        np.multiply(x, t, out=out)
    np.testing.assert_allclose(out, [50, 200, 450])
    mask = np.zeros(3, bool)
    np.less(x, DimArray(2.0, "m"), out=mask)
    np.testing.assert_array_equal(mask, [True, False, False])


@pytest.mark.parametrize(
    ("call", "target"),
    [
        (lambda out: np.multiply(x, t, out=out), DimArray(np.arange(3.0), "m")),
        (lambda out: np.add(x, x, out=out), DimArray(np.arange(3.0), "s")),
        (lambda out: np.add(x, t, out=out), DimArray(np.arange(3.0), "m")),
        (lambda out: np.add(x, x, out=out), DimArray(np.arange(3), "m")),
        (lambda out: np.add(x, x, out=out), DimArray(np.arange(3), "cm")),
        (lambda out: np.add(x, x, out=out), DimArray(np.arange(4.0), "m")),
        (lambda out: np.add(x, x, out=out), DimArray(np.arange(4.0), "cm")),
        (lambda out: np.exp(x, out=out), DimArray(np.arange(3.0), "m")),
        (lambda out: np.sqrt(x, out=out), np.arange(3.0)),
    ],
)
def test_nothing_is_written_on_an_error(call, target):
    raw = target.data if isinstance(target, DimArray) else target
    before = raw.copy()
    with pytest.raises((DimflowError, TypeError, ValueError)):
        call(target)
    np.testing.assert_array_equal(raw, before)


def test_two_targets():
    q, r = DimArray(np.zeros(1), ""), DimArray(np.zeros(1), "m")
    result = np.divmod(DimArray([1.0], "km"), DimArray([300.0], "m"), out=(q, r))
    assert result[0] is q
    assert result[1] is r
    np.testing.assert_allclose([q.data[0], r.data[0]], [3, 100])
    plain, _ = result = np.divmod(DimArray([1.0], "km"), DimArray([300.0], "m"), out=(None, r))
    assert result[1] is r
    assert plain.unit == Unit("")
    bad = DimArray(np.zeros(1), "s")
    with pytest.raises(UnitError):
        np.divmod(DimArray([1.0], "km"), DimArray([300.0], "m"), out=(q, bad))


def test_where_leaves_the_rest_of_the_target():
    mask = np.array([True, False, True])
    for unit, factor in (("m", 1.0), ("cm", 100.0)):
        out = DimArray(np.full(3, -7.0), unit)
        np.add(x, x, out=out, where=mask)
        np.testing.assert_allclose(out.data, [2 * factor, -7, 18 * factor])
    out = DimArray(np.full(3, -7.0), "m")
    np.add(x, x, out=out, where=DimArray(mask, ""))
    np.testing.assert_allclose(out.data, [2, -7, 18])


def test_keywords_reach_the_ufunc():
    assert np.add(x, x, dtype=np.float32).dtype == np.float32
    assert np.add(x, x, dtype=np.complex128).dtype == np.complex128
    square = DimArray(np.ones((2, 3)), "m")
    assert np.add(square, square, order="F").data.flags.f_contiguous
    assert np.add(x, x, subok=False).unit == Unit("m")
    assert np.add(x, x, signature="dd->d").unit == Unit("m")
    with pytest.raises(TypeError):
        np.add(x, x, casting="no", dtype=np.float32)
    with pytest.raises(TypeError):
        np.add(x, x, nonsense=1)
    with pytest.raises(UnitError, match="cut"):
        np.add(x, x, dtype=int, casting="unsafe")
    whole = DimArray(np.array([1, 2]), "m")
    assert np.add(whole, whole, dtype=np.int32).dtype == np.int32


def test_ufuncs_of_matrices():
    a, b = DimArray(np.arange(6.0).reshape(2, 3), "m"), DimArray(np.arange(6.0).reshape(3, 2), "s")
    np.testing.assert_array_equal(np.matmul(a, b).to_value("m*s"), a.data @ b.data)
    out = DimArray(np.zeros((2, 2)), "km*s")
    np.testing.assert_allclose(np.matmul(a, b, out=out).data, a.data @ b.data / 1000)
    assert np.matmul(a, b, axes=[(0, 1), (0, 1), (0, 1)]).unit == Unit("m*s")
    assert np.vecdot(a, a, axis=0).shape == (3,)
    assert np.vecdot(a, a, axis=0).unit == Unit("m**2")
    assert np.matvec(a, DimArray([1.0, 2.0, 3.0], "1/m")).unit == Unit("")
    with pytest.raises(ValueError, match="mismatch"):
        np.matmul(a, a)


def test_the_result_that_depends_on_the_unit_needs_one():
    length = DimArray([1.2345], "km")
    with pytest.raises(UnitError, match=r"dimflow\.floor\(\.\.\., unit='km'\)"):
        np.floor(length)
    assert ops.floor(length, unit="m").to_value("m") == 1234
    assert np.rint(DimArray([1.49])).data == 1
    with pytest.raises(UnitError, match="unit='%'"):
        np.rint(DimArray([149.0], "%"))


def test_clip_as_a_ufunc():
    ufunc = UFUNCS["clip"]
    result = ufunc(x, DimArray(200.0, "cm"), DimArray(0.005, "km"))
    np.testing.assert_allclose(result.to_value("m"), [2, 4, 5])


def test_points():
    celsius = DimArray([10.0, 20.0], "degC")
    assert np.subtract(celsius, celsius).unit == Unit("delta_degC")
    assert np.maximum(celsius, DimArray(288.15, "K")).to_value("degC").tolist() == [15, 20]
    with pytest.raises(PointError):
        np.multiply(celsius, 2)
    with pytest.raises(PointError):
        np.add(celsius, celsius)
    with pytest.raises(DimflowError):
        np.subtract(celsius, celsius, out=DimArray(np.zeros(2), "degC"))


def test_another_librarys_array_gets_its_turn():
    class Other:
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return "other"

    assert np.add(x, Other()) == "other"
    assert np.add(Other(), x) == "other"


PAIRS = [
    (np.add, operator.add),
    (np.subtract, operator.sub),
    (np.multiply, operator.mul),
    (np.divide, operator.truediv),
    (np.floor_divide, operator.floordiv),
    (np.remainder, operator.mod),
    (np.less, operator.lt),
    (np.equal, operator.eq),
]


@given(
    st.sampled_from(PAIRS),
    st.sampled_from(["m", "km", "cm", "inch"]),
    st.sampled_from(["m", "km", "cm", "inch", "s", ""]),
    st.lists(st.floats(1, 1e3), min_size=2, max_size=2),
)
def test_a_ufunc_is_its_operator(pair, left, right, values):
    ufunc, function = pair
    a, b = DimArray(np.array(values), left), DimArray(np.array(values[::-1]), right)
    try:
        expected = function(a, b)
    except DimflowError as error:
        with pytest.raises(type(error)):
            ufunc(a, b)
        return
    for _ in range(2):
        result = ufunc(a, b)
        if isinstance(expected, DimArray):
            assert result.unit is expected.unit
            np.testing.assert_array_equal(result.data, expected.data)
        else:
            np.testing.assert_array_equal(result, expected)
