"""Averages of points and levels that xarray takes by filling gaps with 0, which no °C is.

Weighted, rolling and exponential averages are computed on the plain numbers, gaps left out; their
unit is that of the operation in the table, which also refuses what has no meaning (a sum of °C).
"""

from collections.abc import Callable
from copy import copy
from functools import partial, wraps
from typing import Any

import numpy as np
import xarray as xr
from xarray.computation import rolling, rolling_exp, weighted

from dimflow.array import DimArray
from dimflow.array.dimarray import wrap
from dimflow.errors import UnitError
from dimflow.units import Unit
from dimflow.xarray.replacing import replace_method
from dimflow.xarray.variables import (
    RADIAN,
    as_quantity,
    claimed_unit,
    has_quantities,
    is_coordinate,
    is_turned,
    labels_named,
    plainly,
    refuse_claim,
    unit_after,
    unit_of,
    with_data,
)

_WEIGHTED = {  # xarray's method: what it is in the table
    "_weighted_mean": "mean",
    "_weighted_var": "var",
    "_weighted_std": "std",
    "_weighted_quantile": "quantile",
    "_sum_of_squares": "var",
    "_weighted_sum": "sum",
}
_SUMS = ("_weighted_sum", "_sum_of_squares")


def average_points() -> None:
    """Have xarray average points on plain numbers; done once."""
    replace_method(rolling.DataArrayRolling, "_array_reduce", _rolling)
    for method, name in _WEIGHTED.items():
        replace_method(weighted.Weighted, method, partial(_weighted, name))
    for name in ("mean", "sum", "std", "var"):
        replace_method(rolling_exp.RollingExp, name, partial(_exponential, name))
    for name in ("cov", "corr"):
        replace_method(rolling_exp.RollingExp, name, partial(_paired, name))


def _rolling(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def _array_reduce(self: Any, array_agg_func: Any, *args: Any, **kwargs: Any) -> Any:
        unit = unit_of(self.obj)
        if unit is None or unit.law is None:
            return original(self, array_agg_func, *args, **kwargs)
        function = array_agg_func or kwargs["rolling_agg_func"]
        wanted = unit_after(function.__name__.strip("_"), unit)
        plain = copy(self)
        plain.obj = with_data(self.obj, self.obj.data.data)
        result = original(plain, array_agg_func, *args, **kwargs)
        return with_data(result, wrap(result.data, wanted))

    return _array_reduce


def _weighted(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def method(self: Any, da: Any, *args: Any, **kwargs: Any) -> Any:
        unit, weight = unit_of(da), unit_of(self.weights)
        if unit is not None and original.__name__ not in _SUMS and claimed_unit(self.weights):
            _refuse_misread(self.weights)
            self = copy(self)  # weights count by their ratios: cos of a latitude keeps `degrees`
            self.weights = with_data(self.weights, self.weights.data)
        if unit is None or (unit.law is None and name != "quantile"):
            return original(self, da, *args, **kwargs)
        wanted = unit_after(name, unit)
        plain = self
        if weight is not None:
            plain = copy(self)
            plain.weights = with_data(self.weights, self.weights.data.data)
            wanted = wanted * weight if original.__name__ == "_sum_of_squares" else wanted
        result = original(plain, with_data(da, da.data.data), *args, **kwargs)
        return with_data(result, wrap(result.data, wanted))

    return method


def _refuse_misread(weights: Any) -> None:
    """Raise for weights that say degrees, unless they are the cosine of these degrees.

    They may be `np.cos(x.lat)`, which reads degrees as radians; `np.cos(np.deg2rad(x.lat))` is
    right, and says degrees as well.
    """
    claim = claimed_unit(weights)
    if claim is None or not is_turned(claim) or is_coordinate(weights):
        return
    labels = weights.coords.get(weights.name)
    if labels is not None and is_coordinate(labels) and isinstance(weights.data, np.ndarray):
        wanted = np.cos(DimArray(labels.values, claim).to_value(RADIAN))
        if weights.shape == wanted.shape and np.allclose(weights, wanted, rtol=1e-4, atol=1e-6):
            return
    call = f"np.cos({labels_named(weights.name)}.dimflow.quantify())"
    raise UnitError(
        f"the attribute of the weights says {claim!r}, and they are not the cosine of that",
        f"np.cos reads plain numbers as radians, so give it quantities: {call}; "
        "if the weights are right: weights.drop_attrs()",
    )


def _exponential(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        def on_plain(obj: Any) -> Any:
            plain = copy(self)
            plain.obj = obj
            return original(plain, *args, **kwargs)

        return plainly(self.obj, on_plain, lambda unit: unit_after(name, unit))

    return method


def _paired(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def method(self: Any, other: Any) -> Any:
        if not isinstance(self.obj, xr.DataArray) or not has_quantities(self.obj):
            return original(self, other)
        other = as_quantity(other)
        refuse_claim(name, other)
        left, right = (unit_of(found) or Unit("") for found in (self.obj, other))
        wanted = left.delta * right.delta if name == "cov" else Unit("")
        unit_after("var", left)
        unit_after("var", right)
        plain = copy(self)
        plain.obj, beside = (with_data(f, DimArray(f.data).data) for f in (self.obj, other))
        result = original(plain, beside)
        return with_data(result, wrap(result.data, wanted))

    return method
