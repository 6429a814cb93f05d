"""Files, tables and dicts hold plain numbers: quantities are refused before one is begun."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import xarray as xr
from xarray.backends import writers

from dimflow.errors import UnitLossError
from dimflow.ops.rules.units import PURE
from dimflow.xarray.replacing import replace, replace_method
from dimflow.xarray.variables import unit_of

_FILE = "write the units as attributes: x.dimflow.dequantify()"
_TABLE = "columns with units are made by x.dimflow.to_dataframe(); else say x.dimflow.dequantify()"
_NUMBERS = "take them in a unit of your choice: x.dimflow.to_value('...')"
_SERIES = "a column with a unit: x.dimflow.to_series(); plain numbers: x.dimflow.dequantify()"


def refuse_quantities() -> None:
    """Have xarray's writers look for units first; done once."""
    for name in ("to_zarr", "to_netcdf"):
        replace(writers, name, _guarded(name, _FILE))
    for kind, name, hint in (
        (xr.Dataset, "to_dask_dataframe", _FILE),
        (xr.Dataset, "to_dataframe", _TABLE),
        (xr.Dataset, "to_pandas", _TABLE),
        (xr.DataArray, "to_dataframe", _SERIES),
        (xr.DataArray, "to_series", _SERIES),
        (xr.DataArray, "to_pandas", _SERIES),
        (xr.DataArray, "to_masked_array", "plain numbers: x.dimflow.dequantify()"),
        (xr.DataArray, "to_numpy", _NUMBERS),
        (xr.DataArray, "to_index", _NUMBERS),
        *((kind, "to_dict", _FILE) for kind in (xr.Dataset, xr.DataArray)),
        *((kind, "as_numpy", _FILE) for kind in (xr.Dataset, xr.DataArray)),
    ):
        replace_method(kind, name, _guarded(name, hint))


def _guarded(name: str, hint: str) -> Callable[[Any], Any]:
    def guarded(original: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(original)
        def write(found: Any, *args: Any, **kwargs: Any) -> Any:
            variables = {None: found.variable} if hint is _NUMBERS else found.dimflow._variables()
            for label, variable in variables.items():
                unit = unit_of(variable)
                if unit is not None and unit is not PURE:
                    place = name if label is None else f"{name} of {label!r}"
                    raise UnitLossError(place, unit, hint.replace("...", str(unit)))
            return original(found, *args, **kwargs)

        return write

    return guarded
