"""How other libraries see a DimArray: NumPy's protocols, the array API's, DLPack."""

import sys
from importlib import import_module
from typing import Any

from dimflow.array.core import Core
from dimflow.backends import backend, backend_of, names
from dimflow.backends.reading import note_read, refused, unstoppable
from dimflow.errors import DimflowError, UnitLossError, UnsupportedFunction
from dimflow.ops.dispatch import followed, wrappers

_BRACKETS = "NumPy takes numbers out of what stands in its brackets"
_JOINS = "np.concatenate((x, y)) joins arrays, and np.column_stack((x, y)) columns"
_FOLLOWED = "our engine follows the array, and would not see what the library does"
_OURS = "write it with dimflow's functions, or let the library differentiate: engine='native'"

# NumPy's factories ask for plain numbers before they ask us.
_ARRAYS = "; for arrays with units call dimflow.asarray, arange, full or random.default_rng()"


class Protocols(Core):
    """NumPy calls back for its ufuncs and functions; nobody gets the numbers without the unit."""

    __slots__ = ()

    __array_priority__ = 1000
    __pandas_priority__ = 5000  # above DataFrame: `series * x` comes to us

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        wrappers.add(cls)
        if "pint.compat" in sys.modules and "dimflow.array.peers.meeting" in sys.modules:
            sys.modules["dimflow.array.peers.meeting"].outrank_pint(cls)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        import numpy as np

        note_read("np.asarray(x)")
        try:
            return np.array(self._pure("np.asarray(x)", _ARRAYS), dtype=dtype, copy=copy)
        except DimflowError as error:
            caller = sys._getframe(1)
            is_tested = str(caller.f_globals.get("__name__")).startswith("numpy.testing")
            if is_tested and isinstance(error, UnitLossError):
                error.hint = "compare quantities by dimflow.testing.assert_allclose"
            if caller.f_code.co_qualname == "AxisConcatenator.__getitem__":
                name = type(caller.f_locals["self"]).__name__[0].lower()
                raise UnsupportedFunction(f"np.{name}_", _BRACKETS, _JOINS) from None
            raise

    def __mlx_array__(self) -> Any:
        """How MLX takes in what stands beside its arrays; else it would ask for one number."""
        if type(self._raw) in followed:
            raise UnsupportedFunction("a function of MLX", _FOLLOWED, _OURS)
        return backend("mlx").asarray(self._pure("a function of MLX"))

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """The array API standard with units, its new arrays those of this array's library.

        They are NumPy's where the values belong to no library: shapes without data, a record.
        """
        name = self.backend if self.backend in names() else "numpy"
        return import_module("dimflow.xp").for_library(name, api_version)

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[Any, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        given = {"stream": stream, "max_version": max_version, "dl_device": dl_device, "copy": copy}
        options = {name: value for name, value in given.items() if value is not None}
        raw = self._pure("DLPack")
        if unstoppable.get() is not None:  # MLX asks for this first, and takes a constant
            raise refused("DLPack")
        return _exported(raw).__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return _exported(self._raw).__dlpack_device__()

    def __sizeof__(self) -> int:
        """Bytes with those of the numbers, by which schedulers see what their workers hold."""
        return object.__sizeof__(self) + int(getattr(self._raw, "nbytes", 0))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from dimflow.array.numpy_host.ufuncs import array_ufunc

        # An import takes longer than a small ufunc: from now on NumPy calls the function itself.
        Protocols.__array_ufunc__ = array_ufunc  # type: ignore[assignment,method-assign]
        return array_ufunc(self, ufunc, method, *inputs, **kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from dimflow.array.numpy_host.functions import array_function

        Protocols.__array_function__ = array_function  # type: ignore[assignment,method-assign]
        return array_function(self, function, types, args, kwargs)


def _exported(raw: Any) -> Any:
    """An array whose memory others may have; the library's refusal if it follows the values."""
    note_read("DLPack")
    library = backend_of(raw)
    if library.requires_grad(raw) and type(raw) not in followed:
        library.to_numpy(raw)
    return library.asarray(raw)
