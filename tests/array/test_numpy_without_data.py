"""NumPy's functions and ufuncs on DimArrays that hold no data: the ops of the table run instead."""

import numpy as np
import pytest

from dimflow.array import DimArray
from dimflow.array.dimarray import wrap
from dimflow.backends.abstract import Abstract
from dimflow.errors import DimensionError, DimflowError, UnsupportedFunction
from dimflow.units import Unit
from tests.array.numpy_recipes import RECIPES
from tests.array.numpy_walk import Quantity, function, leaves


class Shape:
    """Makes arrays in a unit that know shape and dtype alone."""

    is_raw = False

    def __init__(self, unit):
        self.unit = Unit(unit)
        self.like = {"like": wrap(Abstract((), np.dtype(float)), self.unit)}

    def __call__(self, values):
        values = np.asarray(values)
        return wrap(Abstract(values.shape, values.dtype), self.unit)


def answered():
    """What each recipe gives without data, for those that need none."""
    found = {}
    for name, recipe in RECIPES.items():
        try:
            found[name] = leaves(recipe(function(name), Shape("m"), Shape("s")))
        except DimflowError:
            continue
    return found


ANSWERED = answered()
DATA_DECIDE_THE_DTYPE = {"linalg.eig", "linalg.eigvals", "lib.scimath.sqrt"}  # real or complex


def test_most_functions_need_no_data():
    assert len(ANSWERED) >= 190


@pytest.mark.parametrize("name", sorted(ANSWERED))
def test_units_and_shapes_are_those_of_the_run_with_data(name):
    expected = leaves(RECIPES[name](function(name), Quantity("m"), Quantity("s")))
    assert len(ANSWERED[name]) == len(expected)
    for one, other in zip(ANSWERED[name], expected, strict=True):
        assert isinstance(one, DimArray) is isinstance(other, DimArray)
        if isinstance(one, DimArray):
            assert one.unit == other.unit
        if isinstance(one, (DimArray, Abstract)):
            lengths = zip(one.shape, np.shape(other), strict=True)
            assert all(n is None or n == m for n, m in lengths)
            if name in DATA_DECIDE_THE_DTYPE:
                continue
            assert one.dtype == np.asarray(getattr(other, "data", other)).dtype


def test_ufuncs():
    x, t = Shape("m")(np.ones((2, 3))), Shape("s")(np.ones(3))
    assert np.multiply(x, t).unit == Unit("m*s")
    assert np.multiply(x, t).shape == (2, 3)
    assert np.sqrt(x).unit == Unit("m**(1/2)")
    assert np.add(x, DimArray(np.ones(3), "km")).unit == Unit("m")
    assert np.power(x, 2).unit == Unit("m**2")
    assert np.multiply(np.ones(3), x).unit == Unit("m")
    with pytest.raises(DimensionError):
        np.add(x, t)
    with pytest.raises(UnsupportedFunction, match="NumPy's own arrays"):
        np.add(x, x, where=np.ones((2, 3), bool))
    assert (np.add.reduce(x).unit, np.add.reduce(x).shape) == (Unit("m"), (3,))
    with pytest.raises(UnsupportedFunction, match="NumPy's own arrays"):
        np.add.reduceat(x, [0])
