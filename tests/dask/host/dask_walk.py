"""Calling Dask's functions with lazy numbers, with scaled ones, and with lazy quantities."""

from fractions import Fraction

import dask
import dask.array as da
import dask.array.stats
import numpy as np

from dimflow.array import DimArray
from dimflow.dask import DaskDimArray
from dimflow.units import Unit
from tests.dask.host.dask_recipes import MASKED, RECIPES


class Numbers:
    """Makes plain lazy arrays, scaled by a factor, and limits that are plain numbers."""

    is_raw = True

    def __init__(self, factor=1.0):
        self.factor = factor

    def __call__(self, values):
        values = np.asarray(values)
        values = values if self.factor == 1 else values * self.factor
        return da.from_array(values, chunks=2 if values.ndim else -1)

    def number(self, value):
        return value * self.factor

    def numbers(self, values):
        return np.asarray(values) * self.factor

    def indices(self, values):
        return da.from_array(np.asarray(values), chunks=2)


class Quantities(Numbers):
    """Makes lazy quantities in a unit, of numbers that count in a base unit."""

    is_raw = False

    def __init__(self, unit, per_base=1.0):
        super().__init__(per_base)
        self.unit = Unit(unit)

    def __call__(self, values):
        return DaskDimArray(super().__call__(values), self.unit)

    def number(self, value):
        return DimArray(super().number(value), self.unit)

    def numbers(self, values):
        return DimArray(super().numbers(values), self.unit)


def function(name):
    """A public function of Dask by its name below dask.array."""
    found = da
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _ma(name):
    return function(f"ma.{name}")


def _with_ma(recipe):
    return lambda f, L, T: recipe(f, L, T, _ma)


ALL = {**RECIPES, **{f"ma.{name}": _with_ma(recipe) for name, recipe in MASKED.items()}}


def leaves(result):
    """The arrays of a result, however they are packed."""
    if isinstance(result, (tuple, list)):
        return [leaf for part in result for leaf in leaves(part)]
    return [result]


def computed(value):
    """The numbers of something that may be lazy."""
    if hasattr(value, "compute"):
        with dask.config.set(scheduler="sync"):
            return value.compute()
    return value


def power_of(before, after, name):
    """The power of 4 by which numbers have grown; an error if it is not one for all."""
    before, after = np.ma.filled(before, 0.0), np.ma.filled(after, 0.0)
    picked = (abs(before) > 1e-9) & np.isfinite(before)
    if not picked.any():
        return Fraction(0)
    ratios = abs(after[picked]) / abs(before[picked])
    power = Fraction(float(np.log(ratios.flat[0]) / np.log(4.0))).limit_denominator(4)
    np.testing.assert_allclose(ratios, 4.0 ** float(power), rtol=1e-6, err_msg=name)
    return power


def powers(name):
    """What Dask gives for plain numbers, and to which powers of each scale its results go."""
    f, recipe = function(name), ALL[name]
    plain = [computed(leaf) for leaf in leaves(recipe(f, Numbers(), Numbers()))]
    longer = [computed(leaf) for leaf in leaves(recipe(f, Numbers(4.0), Numbers()))]
    slower = [computed(leaf) for leaf in leaves(recipe(f, Numbers(), Numbers(4.0)))]
    found = []
    for before, *after in zip(plain, longer, slower, strict=True):
        is_number = np.asarray(before).dtype.kind in "biufc"
        found.append(tuple(power_of(before, a, name) for a in after) if is_number else None)
    return plain, found


def assert_same(found, wanted, name):
    """Equal numbers, of one dtype and with holes in the same places."""
    assert np.shape(found) == np.shape(wanted), name
    assert np.asarray(found).dtype == np.asarray(wanted).dtype, name
    assert isinstance(found, np.ma.MaskedArray) == isinstance(wanted, np.ma.MaskedArray), name
    holes = np.ma.getmaskarray(wanted)
    np.testing.assert_array_equal(np.ma.getmaskarray(found), holes, err_msg=name)
    pairs = np.ma.filled(found, 0), np.ma.filled(wanted, 0)
    left, right = (np.where(holes, 0, numbers) for numbers in pairs)
    np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-12, err_msg=name)
