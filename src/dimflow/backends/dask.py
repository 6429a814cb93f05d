"""Dask: arrays in blocks, which are computed when somebody asks for their numbers.

An op becomes a layer of Dask's graph: nothing runs while a program is written down. A function of
Dask's own comes first, so that the graph is the one that Dask's users would have made. What Dask
does not have runs on each block by the kernels of the block's own library.
"""

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import dask.array as da
import numpy as np

from dimflow.backends import backend_of, dask_blocks
from dimflow.backends.array_api import ArrayAPI, compat_namespace
from dimflow.backends.backend import Backend
from dimflow.backends.numpy import BACKEND as NUMPY
from dimflow.errors import DeviceMismatch, NotANumber
from dimflow.ops import Op
from dimflow.ops.rules.convert import lazily
from dimflow.ops.rules.dtypes import named
from dimflow.ops.rules.values import refuse_cut

_NUMBERS = "biufc"  # kinds of dtype that hold numbers


class Dask(ArrayAPI):
    """Raw values are `dask.array.Array`s, whatever library their blocks belong to."""

    name = "dask"
    kernel_package = "dimflow.backends.dask_kernels"
    array_class = "dimflow.dask:DaskDimArray"
    meets_numpy = True

    @cached_property
    def namespace(self) -> Any:
        """Dask's functions by the standard's names."""
        return compat_namespace("dask.array")

    def host_function(self, op: Op) -> Callable[..., Any] | None:
        """Elementwise, Dask's ufunc, or the op on every block; else Dask's function, if any."""
        if op.kind == "elementwise":
            return _ufunc(op) or partial(dask_blocks.elementwise, op)
        return super().host_function(op)

    def holds(self, kind: type) -> bool:
        """Arrays, and not delayed values, bags and data frames."""
        return issubclass(kind, da.Array)

    def as_dtype(self, dtype: Any) -> Any:
        """NumPy's dtype of that name, which Dask uses."""
        return np.dtype(named(dtype))

    def asarray(
        self,
        data: Any,
        *,
        dtype: Any = None,
        device: Any = None,
        copy: Any = None,
        chunks: Any = "auto",
    ) -> Any:
        """An array in blocks. The numbers are neither looked at nor copied: none is a key."""
        wanted = None if dtype is None else self.as_dtype(dtype)
        if isinstance(data, da.Array):
            raw = data if wanted is None else data.astype(wanted)
            raw = raw.copy() if copy else raw
        elif copy is False:
            raise ValueError("an array of another library cannot be one of dask without a copy")
        else:
            if not hasattr(data, "dtype") or not hasattr(data, "shape"):
                data = NUMPY.asarray(data)
            data = data if wanted is None else data.astype(wanted)
            if copy and isinstance(data, np.ndarray):
                data = data.copy()
            raw = da.from_array(data, chunks=chunks, name=False)
        if raw.dtype.kind not in _NUMBERS:
            raise NotANumber("an array", f"an array of {raw.dtype}")
        if device is not None and device != self.device(raw):
            raise DeviceMismatch("an array of dask", self.device(raw), str(device))
        return raw

    def devices(self) -> list[str]:
        """The workers' CPUs; the blocks of an array may be another library's, on its device."""
        return ["cpu"]

    def native_device(self, device: Any) -> Any:
        """The name: Dask has no objects for devices."""
        return device

    def device(self, raw: Any) -> str:
        """Where the blocks will live, by the library of the smallest of them."""
        meta = raw._meta
        return backend_of(meta).device(meta)

    def lift(self, value: Any, beside: list[Any]) -> Any:
        """A list or an array of NumPy's in blocks, to meet others in an op."""
        return self.asarray(value)

    def take(self, raw: Any, source: Backend, device: Any = None, copy: Any = None) -> Any:
        """An array of another library in blocks, which become NumPy's."""
        return self.asarray(source.to_numpy(raw), device=device, copy=copy)

    def to_numpy(self, raw: Any) -> Any:
        """The numbers, which computes them."""
        found = raw.compute()
        return backend_of(found).to_numpy(found)

    def copy(self, raw: Any) -> Any:
        """Another array of the same blocks: what is assigned to one is not seen in the other."""
        return raw.copy()

    def writes_memory(self, raw: Any) -> bool:
        """Never: an assignment makes new blocks and changes no other array."""
        return False

    def assign(self, raw: Any, key: Any, value: Any) -> None:
        """x[key] = value, in place. Fractions are not cut off to fit integers."""
        refuse_cut(value, raw.dtype)
        raw[key] = value

    def basis(self, count: int, like: Any) -> Any:
        """The rows of a unit matrix."""
        return da.eye(count, dtype=like.dtype, chunks="auto")


def _ufunc(op: Op) -> Callable[..., Any] | None:
    """Dask's function for an op whose parameters are arrays alone."""
    found = getattr(da, op.hosts.numpy or "", None)
    if found is None or len(op.signature.parameters) != len(op.array_names):
        return None
    return found  # type: ignore[no-any-return]


lazily[da.Array] = dask_blocks.converted
BACKEND = Dask()
