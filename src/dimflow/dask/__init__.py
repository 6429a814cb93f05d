"""Units for Dask: lazy arrays in blocks, whose units are checked while the graph is built.

    from dimflow.dask import DaskDimArray

Nothing else is to be imported for Dask's own functions, its schedulers and its clusters: they know
DaskDimArrays from the first one on.
"""

from dimflow.dask.array import DaskDimArray

__all__ = ["DaskDimArray"]
