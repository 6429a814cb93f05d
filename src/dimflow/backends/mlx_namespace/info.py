"""What the array API standard lets one ask of a library."""

from typing import Any

import mlx.core as mx

_DTYPES = {
    "bool": mx.bool_,
    "int8": mx.int8,
    "int16": mx.int16,
    "int32": mx.int32,
    "int64": mx.int64,
    "uint8": mx.uint8,
    "uint16": mx.uint16,
    "uint32": mx.uint32,
    "uint64": mx.uint64,
    "float32": mx.float32,
    "float64": mx.float64,
    "complex64": mx.complex64,
}


class Info:
    """Devices, dtypes and capabilities."""

    def capabilities(self) -> dict[str, Any]:
        """Masks as keys make arrays of unknown length, which needs their values."""
        return {"boolean indexing": False, "data-dependent shapes": False, "max dimensions": None}

    def default_device(self) -> Any:
        """Where operations run."""
        return mx.default_device()

    def devices(self) -> list[Any]:
        """Where operations can run here."""
        kinds = [kind for kind in (mx.cpu, mx.gpu) if mx.is_available(kind)]
        return [mx.Device(kind, i) for kind in kinds for i in range(mx.device_count(kind))]

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        """What numbers become that come without a dtype."""
        return {
            "real floating": mx.float32,
            "complex floating": mx.complex64,
            "integral": mx.int32,
            "indexing": mx.int64,
        }

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, Any]:
        """All of a kind; float64 works on the CPU alone."""
        is_cpu = device is None or device.type == mx.DeviceType.cpu
        found = {n: d for n, d in _DTYPES.items() if is_cpu or d != mx.float64}
        return {n: d for n, d in found.items() if kind is None or mx.isdtype(d, kind)}
