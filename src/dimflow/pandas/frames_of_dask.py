"""Columns with units in Dask's data frames, which are planned on columns of two made-up values."""

from typing import Any

from dask.dataframe.extensions import make_array_nonempty, make_scalar

from dimflow.array import DimArray
from dimflow.pandas.column import DimExtensionArray
from dimflow.pandas.dtype import DimDtype


def _column(dtype: Any) -> Any:
    return DimExtensionArray._from_sequence([1.0, 2.0], dtype=dtype)


def _scalar(dtype: Any) -> Any:
    return DimArray(1.0, dtype.unit)


make_array_nonempty.register(DimDtype, _column)
make_scalar.register(DimDtype, _scalar)
