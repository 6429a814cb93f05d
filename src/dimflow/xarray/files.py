"""Files and tables hold plain numbers: labelled quantities are refused before one is begun."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import xarray as xr
from xarray.backends import writers

from dimflow.errors import UnitLossError
from dimflow.xarray.variables import unit_of

_HINT = "write the units as attributes: ds.dimflow.dequantify()"


def refuse_quantities() -> None:
    """Have xarray's writers look for units first; done once."""
    for home, name in (
        (writers, "to_zarr"),
        (writers, "to_netcdf"),
        (xr.Dataset, "to_dask_dataframe"),
    ):
        original = getattr(home, name)
        if not hasattr(original, "__wrapped__"):
            setattr(home, name, _guarded(name, original))


def _guarded(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def write(dataset: Any, *args: Any, **kwargs: Any) -> Any:
        for label, variable in dataset.variables.items():
            unit = unit_of(variable)
            if unit is not None:
                raise UnitLossError(f"{name} of {label!r}", unit, _HINT)
        return original(dataset, *args, **kwargs)

    return write
