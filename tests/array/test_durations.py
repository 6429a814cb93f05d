"""A duration of Python, NumPy or pandas stands for its seconds, wherever a quantity may stand."""

import operator
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import astropy.units
import numpy as np
import pandas as pd
import pint
import pytest

import dimflow
from dimflow import DimArray
from dimflow import units as u
from dimflow.errors import UnitError

OPERATORS = [
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod),
    *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
    *(np.add, np.multiply, np.divide, np.maximum, np.hypot),
]
ON_THE_LEFT = [
    *(operator.iadd, operator.isub, operator.imul),
    lambda x, y: np.where(True, x, y),
    lambda x, y: np.clip(x, y, None),
]
DURATIONS = [
    timedelta(minutes=90),
    np.timedelta64(90, "m"),
    np.array([90, 30], "m8[m]"),
    np.array([90, "NaT"], "m8[m]"),
    pd.Timedelta("90min"),
    pd.Timedelta("-1us"),
]
QUANTITIES = [[2.0, 3.0] * u.h, 2.0 * u.h, [2.0, 3.0] * u.kW, 2.0 * u.percent, 20.0 * u.degC]


def outcome(function: Any, *args: Any) -> Any:
    """What a call makes: the repr of a result, or the class of an error."""
    args = tuple(a.copy() if isinstance(a, DimArray) else a for a in args)
    try:
        return repr(function(*args))
    except ValueError as error:
        return type(error)


@pytest.mark.parametrize("duration", DURATIONS, ids=repr)
def test_a_duration_stands_for_its_seconds(duration: Any) -> None:
    seconds = pd.to_timedelta(np.atleast_1d(duration)).total_seconds().to_numpy()
    meant = DimArray(seconds if np.ndim(duration) else float(seconds[0]), "s")
    assert repr(DimArray(duration)) == repr(meant)
    assert repr(DimArray(duration, "min")) == repr(meant.to("min"))
    assert repr(duration * u.kW) == repr(u.kW * duration) == repr(meant * u.kW)
    for x in QUANTITIES:
        for function in (*OPERATORS, *ON_THE_LEFT):
            assert outcome(function, x, duration) == outcome(function, x, meant)
        for function in OPERATORS:
            assert outcome(function, duration, x) == outcome(function, meant, x)


MADE: dict[str, Callable[[Any, Any, Any], Any]] = {
    "linspace": lambda f, low, high: f.linspace(low, high, 4),
    "geomspace": lambda f, low, high: f.geomspace(high, 2 * high, 3),
    "arange": lambda f, low, high: f.arange(low, high, 30 * u.min),
    "arange by it": lambda f, low, high: f.arange(low, 5 * u.h, high),
    "arange alone": lambda f, low, high: f.arange(high, step=600 * u.s),
    "full": lambda f, low, high: f.full(2, high),
    "asarray": lambda f, low, high: f.asarray([low, high]),
}
HOURS = [
    timedelta(hours=1),
    np.timedelta64(1, "h"),
    pd.Timedelta("1h"),
    1 * astropy.units.hour,
    pint.UnitRegistry().Quantity(1.0, "hour"),
]


@pytest.mark.parametrize("hour", HOURS, ids=lambda hour: type(hour).__module__)
@pytest.mark.parametrize("name", MADE)
def test_arrays_are_made_of_durations_as_of_quantities(name: str, hour: Any) -> None:
    """So are they of quantities of other libraries."""
    for low in (0 * u.s, 0 * u.h):
        known = MADE[name](dimflow, low, 3600 * u.s)
        found = MADE[name](dimflow, low, hour)
        np.testing.assert_allclose(found.to_value("s"), known.to_value("s"))


def test_columns_of_durations_are_read() -> None:
    index = pd.to_timedelta([90, None], unit="min")
    for column in (index, pd.Series(index), index.array):
        assert repr(DimArray(column)) == "DimArray([5400.,   nan], 's')"


@pytest.mark.parametrize("duration", [np.timedelta64(1, "M"), np.timedelta64(1), np.zeros(1, "m8")])
def test_months_and_durations_without_a_unit_are_refused(duration: Any) -> None:
    for call in (DimArray, lambda d: d * (2 * u.m), lambda d: (2 * u.m) / d):
        with pytest.raises(UnitError, match="no duration of a fixed length"):
            call(duration)
