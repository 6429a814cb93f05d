"""Where lazy arrays are kept: zarr, HDF5, netCDF, stacks of `.npy` files.

Numbers are written with their unit beside them, and read block by block in tasks. What a file says
is checked; nothing in it is ever unpickled or run.
"""

from dimflow.dask.storage.methods import Storage, store

__all__ = ["Storage", "store"]
