"""User functions on blocks: they get DimArrays, and units are fixed before anything runs."""

from dimflow.dask.blocks.along import apply_along_axis, apply_over_axes
from dimflow.dask.blocks.gufuncs import apply_gufunc, as_gufunc, gufunc
from dimflow.dask.blocks.mapping import blockwise, map_blocks
from dimflow.dask.blocks.overlapping import map_overlap, overlap, trim_overlap
from dimflow.dask.blocks.postponed import delayed
from dimflow.dask.blocks.reducing import argtopk, coarsen, reduction, topk
from dimflow.dask.blocks.stencils import stencil

__all__ = [
    "apply_along_axis",
    "apply_gufunc",
    "apply_over_axes",
    "argtopk",
    "as_gufunc",
    "blockwise",
    "coarsen",
    "delayed",
    "gufunc",
    "map_blocks",
    "map_overlap",
    "overlap",
    "reduction",
    "stencil",
    "topk",
    "trim_overlap",
]
