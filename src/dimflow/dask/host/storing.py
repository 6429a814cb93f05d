"""Functions of Dask's that write arrays: by the methods that store the unit beside the numbers."""

from typing import Any

from dimflow.array.core import Core
from dimflow.array.numpy_host.parts import Handler, named

FUNCTIONS: dict[str, Handler] = {}


@named(FUNCTIONS, "to_zarr")
def _to_zarr(arr: Any, url: Any, *args: Any, **kwargs: Any) -> Any:
    return arr.to_zarr(url, *args, **kwargs)


@named(FUNCTIONS, "to_npy_stack")
def _to_npy_stack(dirname: Any, x: Any, axis: int = 0) -> Any:
    return x.to_npy_stack(dirname, axis=axis)


@named(FUNCTIONS, "to_hdf5")
def _to_hdf5(filename: Any, *args: Any, **kwargs: Any) -> None:
    """Of a name and an array, or of a dictionary of these."""
    arrays = args[0] if len(args) == 1 and isinstance(args[0], dict) else {args[0]: args[1]}
    for name, array in arrays.items():
        array.to_hdf5(filename, name, **kwargs)


@named(FUNCTIONS, "store")
def _store(sources: Any, targets: Any, *args: Any, **kwargs: Any) -> Any:
    if isinstance(sources, Core):
        return sources.store(targets, *args, **kwargs)  # type: ignore[attr-defined]
    from dimflow.dask.storage import store

    return store(sources, targets, *args, **kwargs)
