"""Python's operators between lazy arrays and everything else, in both orders.

The law: as the same operation on eager arrays, in value, unit, class and text of the error; and
nothing is computed for it.
"""

import operator
from fractions import Fraction
from functools import cache

import dask
import dask.array as da
import numpy as np
import pytest

from dimflow import constants
from dimflow.array import DimArray
from dimflow.backends import backend_of
from dimflow.dask import DaskDimArray
from dimflow.errors import BackendMismatch, DimflowError, NotANumber, ShapeMismatch, UnitError
from dimflow.units import Unit
from tests.dask.conftest import nothing_runs

GRID = np.array([[1.0, 4.0, 2.0], [8.0, 3.0, 5.0]])
ROW = np.array([2.0, 1.0, 5.0])

ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "divmod")
COMPARISON = ("lt", "le", "gt", "ge", "eq", "ne")
BITS = ("and_", "or_", "xor", "lshift")
OPERATORS = (*ARITHMETIC, *COMPARISON, *BITS)
UNITS = ("m", "", "degC", "%")
MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}


@cache
def _pint():
    import pint

    return ROW * pint.UnitRegistry().cm


@cache
def _astropy():
    from astropy import units

    return ROW * units.cm


# What stands beside a lazy array, and what stands for it beside an eager one.
PARTNERS = {
    "array": lambda cls: ROW,
    "float": lambda cls: 2.5,
    "integer": lambda cls: 2,
    "zero": lambda cls: 0,
    "infinity": lambda cls: np.inf,
    "NumPy's number": lambda cls: np.float64(2.0),
    "NumPy's integer": lambda cls: np.int64(3),
    "no axes": lambda cls: np.array(2.0),
    "fraction": lambda cls: Fraction(1, 2),
    "list": lambda cls: [1.0, 2.0, 3.0],
    "complex": lambda cls: 1j,
    "constant": lambda cls: constants.c,
    "lengths in memory": lambda cls: DimArray(ROW, "km"),
    "times in memory": lambda cls: DimArray(ROW, "s"),
    "one length in memory": lambda cls: DimArray(2.0, "cm"),
    "percent in memory": lambda cls: DimArray(ROW, "%"),
    "lengths": lambda cls: made(cls, ROW, "km"),
    "times": lambda cls: made(cls, ROW, "s"),
    "pure numbers": lambda cls: made(cls, ROW, ""),
    "one length": lambda cls: made(cls, np.array(2.0), "cm"),
    "plain lazy": lambda cls: ROW if cls is DimArray else da.from_array(ROW, chunks=2),
    "pint": lambda cls: _pint(),
    "astropy": lambda cls: _astropy(),
    "text": lambda cls: "text",
    "nothing": lambda cls: None,
    "unit": lambda cls: Unit("km"),
}


def made(cls, values, unit):
    return cls(values, unit) if cls is DimArray else cls(values, unit, chunks=2)


def function(name):
    return divmod if name == "divmod" else getattr(operator, name)


def outcome(f, left, right):
    """What an operation gives, or the error that it raises."""
    try:
        with np.errstate(all="ignore"):
            return f(left, right), None
    except (DimflowError, TypeError, ValueError) as error:
        return None, error


def parts(value):
    return value if isinstance(value, tuple) else (value,)


def assert_same_error(found, wanted, name, is_reflected):
    """One class and text, but for the names of classes, and the way round of comparisons.

    Python asks the class that is derived from the other first, so `x < lazy` is `lazy > x`.
    """
    assert type(found) is type(wanted)
    if not isinstance(wanted, DimflowError) or isinstance(wanted, ShapeMismatch):
        return
    if is_reflected and name in (*MIRRORED, "divmod"):
        return
    found, wanted = str(found).replace("DaskDimArray", "DimArray"), str(wanted)
    if wanted.startswith("np."):  # an array of NumPy's on the left asks its ufunc, by another name
        found, wanted = (text.partition(" ")[2] for text in (found, wanted))
    assert found == wanted


def cases():
    """Everything beside lengths; beside other units only on request, for it takes a while."""
    for unit in UNITS:
        marks = () if unit == "m" else (pytest.mark.deep,)
        for partner in sorted(PARTNERS):
            yield pytest.param(partner, unit, marks=marks, id=f"{partner}-{unit or 'pure'}")


@pytest.mark.parametrize(("partner", "unit"), list(cases()))
def test_as_on_eager_arrays(partner, unit):
    make = PARTNERS[partner]
    lazy_results, eager_results, names = [], [], []
    for name in OPERATORS:
        for is_reflected in (False, True):
            if name == "mod" and partner == "text" and is_reflected:
                continue  # "text" % x formats a text
            if name == "pow" and partner == "plain lazy" and not is_reflected:
                continue  # an exponent that is not known yet is refused: see below
            pair = [made(DimArray, GRID, unit), make(DimArray)]
            lazy = [made(DaskDimArray, GRID, unit), make(DaskDimArray)]
            if is_reflected:
                pair, lazy = pair[::-1], lazy[::-1]
            wanted, problem = outcome(function(name), *pair)
            with nothing_runs():
                found, other = outcome(function(name), *lazy)
            where = f"{name}{' reflected' * is_reflected}"
            assert (other is None) == (problem is None), f"{where}: {other or problem}"
            if problem is not None:
                assert_same_error(other, problem, name, is_reflected)
                continue
            for one, whole in zip(parts(found), parts(wanted), strict=True):
                assert_same_kind(one, whole, where)
                lazy_results.append(one)
                eager_results.append(whole)
                names.append(where)
    with np.errstate(all="ignore"):
        numbers = dask.compute(*lazy_results, traverse=False)
    for one, whole, where in zip(numbers, eager_results, names, strict=True):
        if isinstance(whole, DimArray):
            one, whole = one.data, whole.data
        np.testing.assert_allclose(one, whole, rtol=1e-12, err_msg=where)
        assert np.asarray(one).dtype == np.asarray(whole).dtype, where


def assert_same_kind(found, wanted, where):
    if isinstance(wanted, bool):
        assert found is wanted
        return
    assert isinstance(found, (DaskDimArray, da.Array)), where
    assert isinstance(found, DimArray) == isinstance(wanted, DimArray), where
    if isinstance(wanted, DimArray):
        assert str(found.unit) == str(wanted.unit), where


x = DaskDimArray(ROW, "m", chunks=2)


def test_an_exponent_is_known_beforehand(lazy):
    with pytest.raises(UnitError, match="known without data"):
        x ** da.ones(3)
    assert (DaskDimArray(ROW, "", chunks=2) ** da.ones(3)).unit == Unit("")
    assert (x ** Fraction(1, 3)).unit == Unit("m**(1/3)")
    assert isinstance(2.0 ** DaskDimArray(ROW, "", chunks=2), DaskDimArray)


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_other_libraries_are_named(library, lazy):
    other = DimArray(ROW, "m", backend=library)
    for f in (operator.add, operator.mul, operator.matmul, operator.lt, operator.truediv):
        for pair in ((x, other), (other, x)):
            with pytest.raises(BackendMismatch, match="to_backend"):
                f(*pair)
    for call in (
        lambda: da.add(x, other),
        lambda: np.add(x, other),
        lambda: da.concatenate([x, other]),
        lambda: da.sum(other),
        lambda: da.where(x > 0, x, other),
    ):
        with pytest.raises(BackendMismatch, match="to_backend"):
            call()
    assert backend_of(other.data).name == library


def test_delayed_values_keep_units():
    two = dask.delayed(2.0)
    for product in (x * two, two * x):
        np.testing.assert_array_equal(product.compute().to_value("m"), 2 * ROW)
    with pytest.raises(DimflowError):
        (x + two).compute()


class TestInPlace:
    def test_the_array_changes_and_keeps_its_unit(self):
        y = DaskDimArray(ROW, "m", chunks=2)
        alias, before = y, y * 1.0
        with nothing_runs():
            y += DimArray(1.0, "km")
            y -= DaskDimArray(np.array([100.0, 0.0, 0.0]), "cm", chunks=1)
            y *= 2
            y /= np.array([1.0, 2.0, 4.0])
            y *= DimArray(50.0, "%")
            y %= DimArray(1.0, "km")
        assert alias is y
        assert y.unit == Unit("m")
        expected = ((ROW + 1000 - [1, 0, 0]) * 2 / [1, 2, 4] * 0.5) % 1000
        np.testing.assert_allclose(y.compute().to_value("m"), expected)
        np.testing.assert_array_equal(before.compute().to_value("m"), ROW)

    @pytest.mark.parametrize(
        ("f", "other", "error"),
        [
            (operator.iadd, DimArray(1.0, "s"), UnitError),
            (operator.iadd, 1.0, UnitError),
            (operator.imul, DimArray(1.0, "m"), UnitError),
            (operator.ipow, 2, UnitError),
            (operator.itruediv, DaskDimArray(ROW, "s"), UnitError),
            (operator.iadd, DaskDimArray(np.ones((2, 3)), "m"), ShapeMismatch),
            (operator.iadd, DimArray(np.ones((2, 3)), "m"), ShapeMismatch),
            (operator.imul, Unit("m"), UnitError),
        ],
        ids=["dimension", "number", "square", "power", "quotient", "shape", "eager", "unit"],
    )
    def test_nothing_changes_on_an_error(self, f, other, error, lazy):
        y = DaskDimArray(ROW, "m", chunks=2)
        name = y.name
        with pytest.raises(error):
            f(y, other)
        assert (y.name, y.unit, y.shape) == (name, Unit("m"), (3,))

    def test_fractions_are_not_cut(self, lazy):
        y = DaskDimArray(np.array([1, 2, 3]), "m", chunks=2)
        with pytest.raises(NotANumber, match="cut"):
            y += DimArray(0.5, "m")
        y *= 2
        assert y.dtype == np.int64

    def test_what_is_in_memory_takes_nothing_lazy(self, lazy):
        eager = DimArray(ROW.copy(), "m")
        with pytest.raises(BackendMismatch, match=r"y\.compute\(\)"):
            eager += x
        np.testing.assert_array_equal(eager.data, ROW)
        raw = ROW.copy()
        with pytest.raises(DimflowError):
            raw += x / DimArray(1.0, "m")
        np.testing.assert_array_equal(raw, ROW)
