"""Labelled arrays with units: the accessor `.dimflow` of xarray's DataArray and Dataset.

    import dimflow, xarray as xr
    ds = xr.open_dataset("weather.nc").dimflow.quantify()   # by CF's `units` attributes
    (ds.wind * ds.time_step).dimflow.to("km")
    ds.dimflow.dequantify().to_netcdf("out.nc")

It is imported by itself as soon as both dimflow and xarray are.
"""

from dimflow.xarray.accessor import ArrayAccessor, DatasetAccessor
from dimflow.xarray.alignment import align_units as _align_units
from dimflow.xarray.averages import average_points as _average_points
from dimflow.xarray.block_functions import map_with_units as _map_with_units
from dimflow.xarray.files import refuse_quantities as _refuse_quantities
from dimflow.xarray.indexes import guard_units as _guard_units
from dimflow.xarray.lazy import meet_units as _meet_units
from dimflow.xarray.methods import count_coordinates as _count_coordinates
from dimflow.xarray.operands import take_part as _take_part
from dimflow.xarray.positions import index_as_numpy as _index_as_numpy
from dimflow.xarray.tables import know_columns as _know_columns

__all__ = ["ArrayAccessor", "DatasetAccessor"]

_take_part()
_know_columns()
_guard_units()
_meet_units()
_map_with_units()
_refuse_quantities()
_align_units()
_count_coordinates()
_index_as_numpy()
_average_points()
