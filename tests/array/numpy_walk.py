"""Calling NumPy's functions with numbers, with scaled numbers, and with quantities."""

import importlib
from fractions import Fraction

import numpy as np

from dimflow.array import DimArray
from dimflow.units import Unit


class Raw:
    """Makes plain numbers, scaled by a factor."""

    is_raw = True
    like = {}

    def __init__(self, factor=1.0):
        self.factor = factor

    def __call__(self, values):
        return values if self.factor == 1 else np.asarray(values) * self.factor


class Quantity:
    """Makes quantities in a unit, of numbers that count in a base unit."""

    is_raw = False

    def __init__(self, unit, per_base=1.0):
        self.unit = Unit(unit)
        self.per_base = per_base  # how many of the unit make up the base unit
        self.like = {"like": DimArray(1.0, unit)}

    def __call__(self, values):
        return DimArray(np.asarray(values) * self.per_base, self.unit)


def function(name):
    """A function of NumPy by its name below numpy."""
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(f"numpy.{module}" if module else "numpy"), last)


def leaves(result):
    """The arrays of a result, however they are packed."""
    if isinstance(result, (tuple, list)):
        return [leaf for part in result for leaf in leaves(part)]
    return [result]


def powers(name, recipe):
    """To which power of each argument's scale every result goes, found by scaling plain numbers.

    A factor of 4 has exact halves and quarters. None for a result that is no number.
    """
    f = function(name)
    plain = leaves(recipe(f, Raw(), Raw()))
    scaled = [leaves(recipe(f, Raw(4.0), Raw())), leaves(recipe(f, Raw(), Raw(4.0)))]
    found = []
    for before, *after in zip(plain, *scaled, strict=True):
        before = np.asarray(before)
        if before.dtype.kind not in "biufc":
            found.append(None)
            continue
        found.append(tuple(power_of(before, np.asarray(a), name) for a in after))
    return plain, found


def power_of(before, after, name):
    """The power of 4 by which numbers have grown; an error if it is not one for all."""
    picked = (abs(before) > 1e-9) & np.isfinite(before)
    if not picked.any():
        return Fraction(0)
    ratios = abs(after[picked]) / abs(before[picked])
    power = Fraction(float(np.log(ratios.flat[0]) / np.log(4.0))).limit_denominator(4)
    np.testing.assert_allclose(ratios, 4.0 ** float(power), rtol=1e-6, err_msg=name)
    return power
