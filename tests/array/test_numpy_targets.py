"""`out=` of NumPy's functions, and functions that write: the unit of a target never changes."""

import numpy as np
import pytest

from dimflow.array import DimArray
from dimflow.errors import NotANumber, UnitError, UnitLossError
from dimflow.units import Unit

RAW = np.array([[1.0, 5.0, 3.0], [4.0, 2.0, 6.0]])
x = DimArray(RAW, "m")
v = DimArray([1.0, 4.0, 2.0, 8.0], "m")

OUT = [
    (lambda out: np.sum(x, axis=0, out=out), (3,), "m", RAW.sum(0)),
    (lambda out: np.mean(x, axis=1, out=out), (2,), "m", RAW.mean(1)),
    (lambda out: np.var(x, axis=1, out=out), (2,), "m**2", RAW.var(1)),
    (lambda out: np.prod(x, axis=0, out=out), (3,), "m**2", RAW.prod(0)),
    (lambda out: np.cumsum(x, axis=1, out=out), (2, 3), "m", RAW.cumsum(1)),
    (lambda out: np.max(x, axis=0, out=out), (3,), "m", RAW.max(0)),
    (lambda out: np.median(x, axis=0, out=out), (3,), "m", np.median(RAW, 0)),
    (lambda out: np.ptp(x, axis=0, out=out), (3,), "m", np.ptp(RAW, 0)),
    (lambda out: np.concatenate([x, x], out=out), (4, 3), "m", np.concatenate([RAW, RAW])),
    (lambda out: np.stack([x, x], out=out), (2, 2, 3), "m", np.stack([RAW, RAW])),
    (lambda out: np.dot(x, x.T, out=out), (2, 2), "m**2", RAW @ RAW.T),
    (lambda out: np.outer(v, v, out=out), (4, 4), "m**2", np.outer(v.data, v.data)),
    (lambda out: np.take(v, [0, 1], out=out), (2,), "m", v.data[:2]),
    (lambda out: np.clip(v, 0, np.inf, out=out), (4,), "m", v.data),
    (lambda out: np.einsum("ij->j", x, out=out), (3,), "m", RAW.sum(0)),
    (lambda out: np.choose([0, 1], [v[:2], v[2:]], out=out), (2,), "m", v.data[[0, 3]]),
    (lambda out: np.fft.fft(v, out=out), (4,), "m", np.fft.fft(v.data)),
    (lambda out: np.linalg.multi_dot([x, x.T], out=out), (2, 2), "m**2", RAW @ RAW.T),
]


@pytest.mark.parametrize(("call", "shape", "unit", "expected"), OUT)
def test_out_is_in_its_own_unit(call, shape, unit, expected):
    dtype = expected.dtype
    same = DimArray(np.zeros(shape, dtype), unit)
    assert call(same) is same
    np.testing.assert_allclose(same.data, expected)
    other = DimArray(np.zeros(shape, dtype), str(unit).replace("m", "cm"))
    raw = other.data
    assert call(other) is other
    assert other.data is raw
    np.testing.assert_allclose(other.to_value(unit), expected)
    for bad in (DimArray(np.full(shape, 7, dtype), "s"), np.full(shape, 7, dtype)):
        with pytest.raises(UnitError):
            call(bad)
        np.testing.assert_array_equal(bad.data if isinstance(bad, DimArray) else bad, 7)


def test_out_of_plain_results():
    out = np.zeros(2, np.intp)
    assert np.argmax(x, axis=1, out=out) is out
    np.testing.assert_array_equal(out, RAW.argmax(1))
    mask = np.zeros(2, bool)
    assert np.any(x, axis=1, out=mask) is mask


@pytest.mark.parametrize("call", [np.mean, np.median, np.sum, np.std, np.max])
def test_a_target_of_integers_takes_no_fractions(call):
    target = DimArray(np.array(7), "m")
    with pytest.raises(NotANumber, match="cut"):
        call(v / 3, out=target)
    assert target.data == 7
    whole = DimArray(np.array([1, 5]), "m")
    with pytest.raises(UnitError):
        np.full_like(whole, DimArray(1.5, "m"))
    assert np.full_like(whole, DimArray(2, "m")).data.tolist() == [2, 2]
    assert np.sum(whole, out=target).data == 6


WRITERS = [
    (lambda a, value: np.copyto(a, value), [7.0] * 4),
    (lambda a, value: np.copyto(a, value, where=[True, False, False, True]), [7, 4, 2, 7]),
    (lambda a, value: np.put(a, [0, 2], value), [7, 4, 7, 8]),
    (lambda a, value: np.place(a, a.data > 3, value), [1, 7, 2, 7]),
    (lambda a, value: np.putmask(a, a.data > 3, value), [1, 7, 2, 7]),
    (lambda a, value: np.put_along_axis(a, np.array([1]), value, 0), [1, 7, 2, 8]),
]


@pytest.mark.parametrize(("write", "expected"), WRITERS)
def test_writing_converts_into_the_unit_of_the_target(write, expected):
    for value in (DimArray([7.0], "m"), DimArray([700.0], "cm")):
        target = v.copy()
        assert write(target, value) is None
        assert target.unit == Unit("m")
        np.testing.assert_allclose(target.data, expected)
    for bad in (DimArray([7.0], "s"), 7.0):
        target = v.copy()
        with pytest.raises(UnitError):
            write(target, bad)
        np.testing.assert_array_equal(target.data, v.data)
    whole = DimArray(np.array([1, 4, 2, 8]), "m")
    with pytest.raises((NotANumber, TypeError)):
        write(whole, DimArray([1.5], "m"))
    assert whole.data.tolist() == [1, 4, 2, 8]


def test_writing_zero_and_into_plain_arrays():
    square = DimArray(np.ones((2, 2)), "m")
    np.fill_diagonal(square, 0)
    np.testing.assert_array_equal(square.data, [[0, 1], [1, 0]])
    np.fill_diagonal(square, DimArray(1.0, "km"))
    assert square.data[0, 0] == 1000
    plain = np.zeros(4)
    with pytest.raises(UnitLossError):
        np.copyto(plain, v)
    with pytest.raises(UnitLossError):
        np.putmask(plain, plain == 0, v)
    np.copyto(plain, DimArray([50.0], "%"))
    np.testing.assert_array_equal(plain, [0.5] * 4)
    with pytest.raises(NotANumber):
        np.copyto(v[0], v[1])
    read_only = DimArray(np.broadcast_to(1.0, 3), "m")
    with pytest.raises(ValueError, match="read-only"):
        np.copyto(read_only, v[0])


@pytest.mark.parametrize("unit", ["m", "km"])
@pytest.mark.parametrize("function", [np.min, np.sum, np.mean, np.median, np.cumsum])
def test_a_target_of_another_shape_is_refused_in_every_unit(function, unit):
    x, target = DimArray(np.ones((2, 3)), "m"), DimArray(np.zeros((4, 2)), unit)
    with pytest.raises(ValueError):  # noqa: PT011 - each function words it itself
        function(x, axis=0, out=target)
    assert not target.data.any()
