"""How other libraries see a DimArray: NumPy's protocols, DLPack."""

from typing import Any

from dimflow.array.core import Core
from dimflow.backends import backend_of


class Protocols(Core):
    """NumPy calls back for its ufuncs and functions; nobody gets the numbers without the unit."""

    __slots__ = ()

    __array_priority__ = 1000

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        import numpy as np

        raw = self._pure("np.asarray(x)")
        return np.array(raw, dtype=dtype, copy=copy)

    def __dlpack__(self, **options: Any) -> Any:
        raw = self._pure("DLPack")
        return backend_of(raw).asarray(raw).__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return backend_of(self._raw).asarray(self._raw).__dlpack_device__()

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from dimflow.array.numpy_host.ufuncs import array_ufunc

        # An import takes longer than a small ufunc: from now on NumPy calls the function itself.
        Protocols.__array_ufunc__ = array_ufunc  # type: ignore[assignment,method-assign]
        return array_ufunc(self, ufunc, method, *inputs, **kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from dimflow.array.numpy_host.functions import array_function

        Protocols.__array_function__ = array_function  # type: ignore[assignment,method-assign]
        return array_function(self, function, types, args, kwargs)
