"""Units for Dask: lazy arrays in blocks, whose units are checked while the graph is built.

    from dimflow.dask import DaskDimArray

Nothing else is to be imported for Dask's own functions, its schedulers and its clusters: they know
DaskDimArrays from the first one on.
"""

from dimflow.dask import random
from dimflow.dask.array import DaskDimArray
from dimflow.dask.blocks import (
    apply_along_axis,
    apply_gufunc,
    apply_over_axes,
    argtopk,
    as_gufunc,
    blockwise,
    coarsen,
    delayed,
    gufunc,
    map_blocks,
    map_overlap,
    overlap,
    reduction,
    stencil,
    topk,
    trim_overlap,
)
from dimflow.dask.host.patches import install
from dimflow.dask.picture import Picture, draw
from dimflow.dask.small_blocks import SmallBlocksWarning
from dimflow.dask.storage import store

__all__ = [
    "DaskDimArray",
    "Picture",
    "SmallBlocksWarning",
    "apply_along_axis",
    "apply_gufunc",
    "apply_over_axes",
    "arange",
    "argtopk",
    "as_gufunc",
    "blockwise",
    "coarsen",
    "delayed",
    "draw",
    "empty",
    "eye",
    "from_array",
    "from_dask_dataframe",
    "from_delayed",
    "from_dimarray",
    "from_hdf5",
    "from_netcdf",
    "from_npy_stack",
    "from_zarr",
    "full",
    "gufunc",
    "linspace",
    "map_blocks",
    "map_overlap",
    "ones",
    "overlap",
    "random",
    "reduction",
    "stencil",
    "store",
    "topk",
    "trim_overlap",
    "zeros",
]

install()

# The constructors of the class as functions, under Dask's names.
from_array = DaskDimArray.from_array
from_dask_dataframe = DaskDimArray.from_dask_dataframe
from_delayed = DaskDimArray.from_delayed
from_dimarray = DaskDimArray.from_dimarray
from_hdf5 = DaskDimArray.from_hdf5
from_netcdf = DaskDimArray.from_netcdf
from_npy_stack = DaskDimArray.from_npy_stack
from_zarr = DaskDimArray.from_zarr
arange = DaskDimArray.arange
empty = DaskDimArray.empty
eye = DaskDimArray.eye
full = DaskDimArray.full
linspace = DaskDimArray.linspace
ones = DaskDimArray.ones
zeros = DaskDimArray.zeros
