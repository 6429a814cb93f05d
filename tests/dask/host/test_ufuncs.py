"""Ufuncs of Dask and of NumPy on lazy arrays: as the same ufunc on eager ones, in every way."""

import pickle

import dask
import dask.array as da
import numpy as np
import pytest
from dask.array.ufunc import ufunc as dasks_ufunc

from dimflow.array import DimArray
from dimflow.dask import DaskDimArray
from dimflow.dask.host.functions import public_functions
from dimflow.errors import (
    DimflowError,
    NotANumber,
    PureNumberError,
    ShapeMismatch,
    UnitError,
    UnsupportedFunction,
)
from dimflow.units import Unit
from tests.dask.conftest import nothing_runs
from tests.dask.host.dask_walk import computed

UFUNCS = {name: f for name, f in public_functions().items() if isinstance(f, dasks_ufunc)}
UNITS = {1: [("m",), ("",), ("%",), ("deg",), ("degC",)]}
UNITS[2] = [("m", "km"), ("m", "s"), ("", ""), ("degC", "K"), ("m", None), (None, "m")]
VALUES = [np.array([[0.5, 2.0, 0.25], [0.75, 0.5, 1.0]]), np.array([0.5, 3.0, 0.25])]


def made(cls, values, unit, **options):
    return values if unit is None else cls(values, unit, **options)


def outcome(call):
    """What a call gives, or the error that it raises."""
    try:
        return call(), None
    except (DimflowError, TypeError) as error:
        return None, error


def values_of(ufunc, number):
    whole = ufunc.types[0][0] in "?bBlLqQ" and not any("d" in t for t in ufunc.types)
    return (VALUES[number] * 4).astype(int) if whole else VALUES[number]


@pytest.mark.parametrize("name", sorted(UFUNCS))
def test_dasks_ufuncs_do_what_numpys_do(name):
    ufunc = getattr(np, name)
    if name == "ldexp":
        pairs = [(("m", None), (VALUES[0], np.array([1, 2, 3])))]
    else:
        numbers = tuple(values_of(ufunc, i) for i in range(ufunc.nin))
        pairs = [(units, numbers) for units in UNITS[ufunc.nin]]
    kept = 0
    for units, numbers in pairs:
        eager = [made(DimArray, *pair) for pair in zip(numbers, units, strict=True)]
        chunked = {"chunks": 2}
        lazy = [made(DaskDimArray, *p, **chunked) for p in zip(numbers, units, strict=True)]
        with np.errstate(all="ignore"):
            expected, problem = outcome(lambda args=eager: ufunc(*args))
        with nothing_runs():
            found, other = outcome(lambda args=lazy: getattr(da, name)(*args))
        assert type(other) is type(problem)
        assert str(other).removeprefix("np.") == str(problem).removeprefix("np.")
        if problem is not None:
            continue
        kept += 1
        parts = found if ufunc.nout > 1 else (found,)
        wanted = expected if ufunc.nout > 1 else (expected,)
        for part, whole in zip(parts, wanted, strict=True):
            assert isinstance(part, (DaskDimArray, da.Array))
            assert isinstance(part, DimArray) == isinstance(whole, DimArray)
            with np.errstate(all="ignore"):
                numbers_found = computed(part)
            if isinstance(whole, DimArray):
                assert part.unit == whole.unit
                numbers_found, whole = numbers_found.data, whole.data
            np.testing.assert_allclose(numbers_found, whole, rtol=1e-12)
            assert numbers_found.dtype == whole.dtype
    assert kept, "no unit at all was taken"


m = DaskDimArray(np.array([1.0, 4.0, 2.0]), "m", chunks=2)
km = DimArray([1.0, 2.0, 3.0], "km")


def test_a_plain_array_may_come_first(lazy):
    raw = da.ones(3, chunks=2)
    for product in (da.multiply(raw, m), da.multiply(m, raw), np.multiply(raw, m), raw * m):
        assert isinstance(product, DaskDimArray)
        assert product.unit == Unit("m")
    with pytest.raises(DimflowError):
        da.add(raw, m)


def test_one_that_was_imported_before_asks_the_array(lazy):
    early = UFUNCS["add"]
    assert early(m, km).unit == Unit("m")
    with pytest.raises(DimflowError):
        early(m, 1.0)


def test_it_stays_a_ufunc_of_dasks():
    assert isinstance(da.add, dasks_ufunc)
    assert (da.add.nin, da.add.nout, da.add.identity) == (2, 1, 0)
    assert da.add.__name__ == "add"
    assert repr(da.add) == "<ufunc 'add'>"
    assert da.add.__doc__ == UFUNCS["add"].__doc__
    assert dask.base.tokenize(da.add) == dask.base.tokenize(UFUNCS["add"])
    again = pickle.loads(pickle.dumps(da.add))
    assert type(again) is dasks_ufunc
    np.testing.assert_array_equal(again(da.ones(2), 1).compute(), [2, 2])
    assert "nin" in dir(da.add)


def test_all_pairs():
    with nothing_runs():
        sums = da.add.outer(m, km)
        assert np.add.outer(m, km).unit == Unit("m")
    expected = np.add.outer([1.0, 4.0, 2.0], [1000.0, 2000.0, 3000.0])
    np.testing.assert_array_equal(sums.compute().to_value("m"), expected)
    plain = da.add.outer(da.ones(2), da.ones(3))
    assert type(plain) is da.Array


def test_functions_of_python_take_pure_numbers():
    add_one = da.frompyfunc(lambda a: a + 1, 1, 1)
    with pytest.raises(PureNumberError, match="needs a pure number, but got"):
        add_one(m)
    np.testing.assert_array_equal(add_one(m / m).compute(), [2.0] * 3)


class TestKeywords:
    def test_a_target_keeps_its_unit(self):
        target = DaskDimArray(np.zeros(3), "cm", chunks=3)
        view = target + DimArray(0.0, "cm")
        with nothing_runs():
            assert np.add(m, km, out=target) is target
        np.testing.assert_allclose(target.compute().to_value("m"), [1001, 2004, 3002])
        assert target.unit == Unit("cm")
        assert view.compute().to_value("cm").tolist() == [0, 0, 0]

    def test_elements_that_are_left_out_stay(self):
        target = DaskDimArray(np.array([5.0, 6.0, 7.0]), "cm", chunks=3)
        np.add(m, km, out=target, where=np.array([True, False, True]))
        np.testing.assert_allclose(target.compute().to_value("cm"), [100100, 6, 300200])
        lazy_mask = da.from_array(np.array([False, True, False]), chunks=1)
        np.negative(m, out=target, where=lazy_mask)
        np.testing.assert_allclose(target.compute().to_value("cm"), [100100, -400, 300200])

    def test_dtype(self, lazy):
        assert np.add(m, km, dtype=np.float32).dtype == np.float32
        with pytest.raises(UnitError, match="cuts fractions off"):
            np.multiply(m, m, dtype=int)

    @pytest.mark.parametrize("dtype", [np.int64, "f4", "f8", complex])
    @pytest.mark.parametrize("kind", ["uint8", "int8", "float32", "bool"])
    def test_it_is_computed_in_the_dtype(self, kind, dtype):
        values = np.array([120, 3, 1]).astype(kind)
        eager, lazy = DimArray(values, "m"), DaskDimArray(values, "m", chunks=2)
        for ufunc in (np.add, np.multiply, np.maximum, np.less, np.square, np.negative):
            got, wanted = (
                outcome(lambda x=x, f=ufunc: computed(f(*[x] * f.nin, dtype=dtype)))
                for x in (lazy, eager)
            )
            if wanted[0] is None:
                assert isinstance(got[1], TypeError | UnitError)
            else:
                assert got[0].data.dtype == wanted[0].data.dtype
                np.testing.assert_array_equal(got[0].data, wanted[0].data)

    @pytest.mark.parametrize(
        ("call", "error", "text"),
        [
            (lambda: np.add(m, m, where=[True] * 3), UnsupportedFunction, "without out="),
            (lambda: np.add(m, m, order="F"), UnsupportedFunction, "order="),
            (lambda: np.divmod(m, m, out=(None, m)), UnsupportedFunction, "two lazy results"),
            (lambda: np.add(m, m, out=np.zeros(3)), NotANumber, "nothing lazy"),
            (lambda: np.add(m, m, out=da.zeros(3)), UnitError, "lose the unit"),
            (lambda: np.add(m, m, out=DaskDimArray(np.zeros(3), "s")), UnitError, "existing array"),
            (lambda: np.add(m, m, out=DaskDimArray(np.zeros(2), "m")), ShapeMismatch, "shape"),
            (
                lambda: np.add(m, m, out=DaskDimArray(np.zeros(3, int), "m")),
                NotANumber,
                "would cut",
            ),
        ],
        ids=["where", "order", "two", "ndarray", "plain", "unit", "shape", "integers"],
    )
    def test_what_is_refused(self, call, error, text, lazy):
        with pytest.raises(error, match=text):
            call()

    def test_pure_numbers_into_a_plain_array(self):
        target = da.zeros(3, chunks=2)
        percent = DaskDimArray(np.array([50.0, 100.0, 25.0]), "%", chunks=2)
        assert np.add(percent, percent, out=target) is target
        np.testing.assert_allclose(target.compute(), [1, 2, 0.5])

    def test_comparison_across_dimensions(self, lazy):
        target = da.ones(3, dtype=bool)
        assert np.equal(m, DimArray(1.0, "s"), out=target) is target


class TestMethods:
    @pytest.mark.parametrize(
        "ufunc",
        [np.add, np.multiply, np.maximum, np.minimum],
        ids=["add", "multiply", "maximum", "minimum"],
    )
    @pytest.mark.parametrize("options", [{}, {"axis": 1}, {"axis": None}, {"keepdims": True}])
    def test_reductions(self, ufunc, options):
        numbers = np.array([[1.0, 4.0, 2.0], [3.0, 0.5, 2.0]])
        expected = ufunc.reduce(DimArray(numbers, "m"), **options)
        with nothing_runs():
            found = ufunc.reduce(DaskDimArray(numbers, "m", chunks=2), **options)
        assert found.unit == expected.unit
        np.testing.assert_allclose(found.compute().data, expected.data)

    def test_truth(self):
        pure = DaskDimArray(np.array([1.0, 0.0]), "", chunks=1)
        assert bool(np.logical_or.reduce(pure).compute()) is True
        assert bool(np.logical_and.reduce(pure).compute()) is False

    def test_running_sums(self):
        found = np.add.accumulate(m)
        np.testing.assert_array_equal(found.compute().to_value("m"), [1, 5, 7])

    def test_a_start_and_a_target(self):
        target = DaskDimArray(np.zeros(()), "m")
        np.add.reduce(m, initial=DimArray(1.0, "km"), out=target)
        assert target.compute().to_value("m") == 1007

    @pytest.mark.parametrize(
        "call",
        [
            lambda: np.hypot.reduce(m),
            lambda: np.subtract.accumulate(m),
            lambda: np.add.reduceat(m, [0, 1]),
            lambda: np.add.at(m, [0], km[:1]),
            lambda: np.add.reduce(m, dtype=int),
            lambda: np.maximum.reduce(m, dtype=float),
        ],
        ids=["hypot", "subtract", "reduceat", "at", "integers", "dtype"],
    )
    def test_what_is_refused(self, call, lazy):
        with pytest.raises(DimflowError):
            call()
