"""What NumPy asks of a lazy array: by its two protocols, before those of every DimArray."""

from typing import Any

from dimflow.array import DimArray


class Protocols(DimArray):
    """NumPy's ufuncs and functions on a lazy array, which compute nothing."""

    __slots__ = ()

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from dimflow.dask.host.numpy_ufuncs import asked

        return asked(self, ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from dimflow.dask.host.numpy_functions import asked

        return asked(self, function, types, args, kwargs)
