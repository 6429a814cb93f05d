"""No way leads from a quantity to a plain number in silence, whoever asks for it."""

import array
import heapq
import itertools
import math
import operator
import statistics

import numpy as np
import pytest
import scipy.fft
import scipy.integrate
import scipy.linalg

from dimflow.array import DimArray
from dimflow.errors import DimflowError, UnitLossError
from dimflow.units import Unit

x = DimArray([1.0, 2.0, 3.0], "m")
s = DimArray(2.0, "m")
rng = np.random.default_rng(0)


def assigned(key, value):
    plain = np.zeros(3)
    plain[key] = value
    return plain


LOSSES = {
    "array of scalars": lambda: np.array([s, s]),
    "array of floats": lambda: np.array([s], dtype=float),
    "array of objects": lambda: np.asarray(x, dtype=object),
    "array of arrays": lambda: np.array([x, x]),
    "mean of a list": lambda: np.mean([s, s]),
    "r_": lambda: np.r_[x, x],
    "c_": lambda: np.c_[x, x],
    "ndenumerate": lambda: list(np.ndenumerate(x)),
    "broadcast": lambda: np.broadcast(x, x),
    "full": lambda: np.full(3, s),
    "arange": lambda: np.arange(0 * s, s, s),
    "fromiter": lambda: np.fromiter(x, float),
    "float64": lambda: np.float64(s),
    "float32": lambda: np.float32(s),
    "masked array": lambda: np.ma.array(x),
    "polynomial": lambda: np.polynomial.Polynomial(x),
    "as_strided": lambda: np.lib.stride_tricks.as_strided(x, (2,)),
    "from_dlpack": lambda: np.from_dlpack(x),
    "frombuffer": lambda: np.frombuffer(x),
    "vectorize": lambda: np.vectorize(math.sin)(x),
    "frompyfunc": lambda: np.frompyfunc(float, 1, 1)(x),
    "setitem": lambda: assigned(0, s),
    "setitem of all": lambda: assigned(slice(None), x),
    "key": lambda: assigned(x, 1.0),
    "random": lambda: rng.normal(s),
    "random of an array": lambda: rng.normal(x),
    "choice": lambda: rng.choice(x),
    "float": lambda: float(s),
    "int": lambda: int(s),
    "complex": lambda: complex(s),
    "index": lambda: [1, 2, 3][s],
    "range": lambda: range(s),
    "bytes": lambda: bytes(x),
    "memoryview": lambda: memoryview(x),
    "percent format": lambda: operator.mod("%f", s),
    "sin": lambda: math.sin(s),
    "fsum": lambda: math.fsum(x),
    "hypot": lambda: math.hypot(s, s),
    "isclose": lambda: math.isclose(s, s),
    "ceil": lambda: math.ceil(s),
    "fmean": lambda: statistics.fmean([s, s]),
    "array module": lambda: array.array("d", x),
    "scipy norm": lambda: scipy.linalg.norm(x),
    "scipy fft": lambda: scipy.fft.fft(x),
    "scipy simpson": lambda: scipy.integrate.simpson(x),
    "round": lambda: round(s),
}


@pytest.mark.parametrize("way", sorted(LOSSES))
def test_a_unit_is_never_lost_in_silence(way):
    with pytest.raises((DimflowError, TypeError, ValueError)):
        LOSSES[way]()


def test_the_error_says_how_to_take_the_numbers():
    with pytest.raises(UnitLossError) as error:
        np.asarray(x)
    assert str(error.value) == (
        "np.asarray(x) would lose the unit m\n"
        "  hint:  take the numbers in a unit of your choice: x.to_value('m'); "
        "for arrays with units call dimflow.asarray, arange, full or random.default_rng()"
    )


def test_python_functions_that_only_compute_keep_the_unit():
    assert sum(x).unit == Unit("m")
    assert math.prod([s, s]).unit == Unit("m**2")
    assert max(x).to_value("m") == 3
    assert min(x, key=lambda a: -a).to_value("m") == 3
    assert [a.to_value("m") for a in sorted(x, reverse=True)] == [3, 2, 1]
    assert heapq.nsmallest(1, x)[0].unit == Unit("m")
    assert [a.to_value("m") for a in itertools.accumulate(x)] == [1, 3, 6]
    assert s in x
    assert DimArray(200.0, "cm") in x
    assert 2.0 not in x


def test_pure_numbers_go_anywhere():
    percent = DimArray([50.0, 100.0], "%")
    np.testing.assert_array_equal(np.asarray(percent), [0.5, 1])
    np.testing.assert_array_equal(np.array([percent, percent]), [[0.5, 1], [0.5, 1]])
    np.testing.assert_array_equal(assigned(slice(2), percent), [0.5, 1, 0])
    np.testing.assert_array_equal(np.from_dlpack(percent), [0.5, 1])
    assert float(percent[0]) == 0.5
    assert math.sqrt(DimArray(4.0, "")) == 2
    assert np.float64(percent[0]) == 0.5
    assert scipy.linalg.norm(percent) == pytest.approx(math.hypot(0.5, 1))
    assert [10, 20][DimArray(1, "")] == 20


def test_dlpack_shares_the_memory_of_pure_numbers():
    pure = DimArray([1.0, 2.0], "")
    assert np.shares_memory(np.from_dlpack(pure), pure.data)
    assert pure.__dlpack_device__() == pure.data.__dlpack_device__()
    with pytest.raises(UnitLossError, match=r"^DLPack would lose the unit m"):
        np.from_dlpack(x)
