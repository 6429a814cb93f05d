"""Columns with units: the dtype `dimflow[m/s]` of pandas, and the accessor `.dimflow`.

    import pandas as pd, dimflow
    speed = pd.Series([1.0, 2.0], dtype="dimflow[m/s]")
    speed * pd.Series([3.0, 4.0]) * dimflow.units.s

It is imported by itself as soon as both dimflow and pandas are.
"""

from importlib import import_module as _import_module

from dimflow.arrival import when_imported as _when_imported
from dimflow.pandas.accessor import FrameAccessor, SeriesAccessor
from dimflow.pandas.column import DimExtensionArray
from dimflow.pandas.dtype import DimDtype
from dimflow.pandas.operands import series
from dimflow.pandas.operands import take_part as _take_part
from dimflow.pandas.patches import apply as _apply_patches

__all__ = ["DimDtype", "DimExtensionArray", "FrameAccessor", "SeriesAccessor", "series"]

_take_part()
_apply_patches()
_when_imported("pyarrow", lambda: _import_module("dimflow.pandas.arrow"))
_when_imported(
    "dask.dataframe.dask_expr._collection",  # the last of it to come, and where its classes are
    lambda: _import_module("dimflow.pandas.frames_of_dask").take_part(),
)
