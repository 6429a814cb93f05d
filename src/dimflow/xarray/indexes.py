"""Where xarray takes plain numbers by itself: indexes, `to_dict`, `values`, plots.

An index, a dict or `values` would lose the unit, and each error names the call that works; a plot
has the units at its axes.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from xarray.core import variable
from xarray.namedarray import pycompat
from xarray.plot.accessor import DataArrayPlotAccessor, DatasetPlotAccessor

from dimflow.array import DimArray
from dimflow.array.numpy_host.labelled import is_asked
from dimflow.errors import UnitLossError
from dimflow.units.alike import is_number
from dimflow.xarray.replacing import replace, replace_method
from dimflow.xarray.variables import has_quantities


def guard_units() -> None:
    """Make xarray's plain numbers those of pure numbers only; done once."""
    replace(pycompat, "to_numpy", _guarded)
    replace(variable, "_as_array_or_item", _values)
    for kind in (DataArrayPlotAccessor, DatasetPlotAccessor):
        replace_method(kind, "__init__", _plotting)


def _guarded(to_numpy: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(to_numpy)
    def guarded(data: Any, **options: Any) -> Any:
        if not isinstance(data, DimArray):
            return to_numpy(data, **options)
        if not is_number(data.unit):
            unit = str(data.unit)
            raise UnitLossError(
                "an index or a variable of plain numbers",
                data.unit,
                f"take the numbers, x.to_value({unit!r}), and give an index its unit as an "
                f"attribute: ('x', x.to_value({unit!r}), {{'units': {unit!r}}}); with a column of "
                "pandas it comes by series.to_xarray()",
            )
        return data.to_numpy("")

    return guarded


def _values(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def values(data: Any) -> Any:
        if isinstance(data, DimArray) and not is_number(data.unit):
            is_asked()
            unit = str(data.unit)
            raise UnitLossError(
                "the plain numbers of an array of xarray (x.values, np.asarray(x), float(x))",
                data.unit,
                f"take them in a unit of your choice: x.data.to_value({unit!r})",
            )
        return original(data)

    return values


def _plotting(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def initialise(self: Any, found: Any) -> None:
        """Plots are of plain numbers, with their units at the axes."""
        quantities = has_quantities(found)
        original(self, found.dimflow.dequantify(format="unicode") if quantities else found)

    return initialise
