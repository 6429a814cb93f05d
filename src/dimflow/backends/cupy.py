"""CuPy: NumPy's functions on an NVIDIA or AMD GPU.

Where an array lives counts: an operation runs on the device of its arguments, in CuPy's current
stream, and nothing waits for it until somebody asks for the numbers.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import cupy
import numpy as np

from dimflow.backends.array_api import ArrayAPI, compat_namespace
from dimflow.backends.backend import Backend
from dimflow.backends.numpy import BACKEND as NUMPY
from dimflow.errors import DeviceMismatch, NotANumber
from dimflow.ops import Op
from dimflow.ops.rules.dtypes import named
from dimflow.ops.rules.values import refuse_cut

if not cupy.is_available():
    raise ImportError("CuPy is installed, but finds no GPU")

_NUMBERS = "biufc"  # kinds of dtype that hold numbers


class CuPy(ArrayAPI):
    """Raw values are `cupy.ndarray`s, of no axes too: CuPy has no scalars of its own."""

    name = "cupy"
    kernel_package = "dimflow.backends.cupy_kernels"

    @cached_property
    def namespace(self) -> Any:
        """CuPy by the standard's names."""
        return compat_namespace("cupy")

    def host_function(self, op: Op) -> Callable[..., Any] | None:
        """Elementwise, CuPy's ufunc under NumPy's name; else the standard's function.

        CuPy's reductions take fewer parameters than NumPy's, so that adapters and definitions
        come first; what has neither is CuPy's function of NumPy's name.
        """
        if op.kind == "random":
            return self.drawn(op)
        if op.kind == "elementwise":
            return _by_name(op.hosts.numpy) or op.hosts.standard_function(self.namespace)
        found = op.hosts.standard_function(self.namespace)
        if found is not None or op.definition is not None:
            return found
        return _by_name(op.hosts.numpy)

    def holds(self, kind: type) -> bool:
        """Arrays, and not the dtypes, streams and devices of the package."""
        return issubclass(kind, cupy.ndarray)

    def as_dtype(self, dtype: Any) -> Any:
        """NumPy's dtype of that name, which CuPy uses."""
        found = np.dtype(named(dtype))
        if found.char in "gG":
            raise NotANumber("a cupy array", f"the dtype {found}, which GPUs do not have")
        return found

    def asarray(self, data: Any, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Any:
        """On the device asked for, else where it is, else on CuPy's current device."""
        wanted = None if dtype is None else self.as_dtype(dtype)
        place = self.native_device(device)
        if isinstance(data, cupy.ndarray):
            if place is not None and place.id != data.device.id:
                return _moved(data, wanted, place, copy)
            with data.device:
                return _array(data, wanted, copy)
        if not hasattr(data, "__cuda_array_interface__"):
            data = NUMPY.asarray(data)
            wanted = wanted or self.as_dtype(data.dtype)
            if copy is False:
                raise ValueError("an array on the host cannot be one of cupy without a copy")
        if place is None:
            return _array(data, wanted, copy)
        with place:
            return _array(data, wanted, copy)

    def devices(self) -> list[str]:
        """Every GPU, the current one first."""
        count, current = cupy.cuda.runtime.getDeviceCount(), cupy.cuda.Device().id
        return [f"cuda:{i}" for i in sorted(range(count), key=lambda i: (i != current, i))]

    def device_name(self, device: Any) -> str:
        """As PyTorch names the same GPU."""
        return f"cuda:{device.id}"

    def native_device(self, device: Any) -> Any:
        """CuPy's object for `"cuda:1"`; `"cuda"` is the current device."""
        if device is None or isinstance(device, cupy.cuda.Device):
            return device
        kind, _, index = str(device).partition(":")
        known = self.devices()
        if kind not in ("cuda", "gpu") or (index and f"cuda:{index}" not in known):
            raise DeviceMismatch("an array of cupy", ", ".join(known), str(device))
        return cupy.cuda.Device(int(index)) if index else cupy.cuda.Device()

    def describe_device(self, device: str) -> str:
        """What the GPU is called."""
        name = cupy.cuda.runtime.getDeviceProperties(self.native_device(device).id)["name"]
        return str(name.decode() if isinstance(name, bytes) else name)

    def take(self, raw: Any, source: Backend, device: Any = None, copy: Any = None) -> Any:
        """By DLPack and without a copy from libraries on the same GPU; from the host with one."""
        if source.device(raw).partition(":")[0] not in ("cuda", "gpu"):
            return self.asarray(source.to_numpy(raw), device=device, copy=copy)
        return super().take(raw, source, device, copy)

    def from_dlpack(self, raw: Any, *, device: Any = None, copy: Any = None) -> Any:
        """CuPy tells the other library its stream, and waits for what is still being computed."""
        return self.asarray(cupy.from_dlpack(raw), device=device, copy=copy)

    def to_numpy(self, raw: Any) -> Any:
        """A copy on the host, after everything that computes it is done."""
        return cupy.asnumpy(raw)

    def getitem(self, raw: Any, key: Any) -> Any:
        """x[key], with NumPy's masks and lists in the key moved to the GPU."""
        return raw[_on_device(key)]

    def assign(self, raw: Any, key: Any, value: Any) -> None:
        """x[key] = value, in place. Fractions are not cut off to fit integers."""
        value = value if isinstance(value, (int, float, complex)) else self.asarray(value)
        refuse_cut(value, raw.dtype)
        raw[_on_device(key)] = value


def _by_name(name: str | None) -> Callable[..., Any] | None:
    function: Any = cupy
    for part in (name or "").split("."):
        function = getattr(function, part, None) if part else None
    return function  # type: ignore[no-any-return]


def _array(data: Any, dtype: Any, copy: Any) -> Any:
    """`copy` as the standard means it."""
    result = cupy.array(data, dtype=dtype, copy=True) if copy else cupy.asarray(data, dtype=dtype)
    if copy is False and result is not data and not cupy.may_share_memory(result, data):
        raise ValueError("the array would have to be copied")
    if result.dtype.kind not in _NUMBERS:
        raise NotANumber("an array", f"an array of {result.dtype}")
    return result


def _moved(raw: Any, dtype: Any, place: Any, copy: Any) -> Any:
    """From one GPU to another, which is a copy."""
    if copy is False:
        raise ValueError("an array on another GPU cannot be had without a copy")
    with place:
        return cupy.array(raw, dtype=dtype, copy=True)


def _on_device(key: Any) -> Any:
    """A key whose NumPy arrays and lists are CuPy's."""
    parts = key if isinstance(key, tuple) else (key,)
    moved = tuple(cupy.asarray(p) if isinstance(p, (np.ndarray, list)) else p for p in parts)
    return moved if isinstance(key, tuple) else moved[0]


BACKEND = CuPy()
