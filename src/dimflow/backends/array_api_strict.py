"""array-api-strict: the standard and nothing else, which code for every library is tested with."""

from typing import Any

import array_api_strict
import numpy as np

from dimflow.backends.array_api import ArrayAPI
from dimflow.backends.backend import Backend


class Strict(ArrayAPI):
    """Raw values are array_api_strict's arrays."""

    name = "array_api_strict"
    is_stubborn = True

    @property
    def namespace(self) -> Any:
        """The package."""
        return array_api_strict

    def holds(self, kind: type) -> bool:
        """Arrays, and not the dtypes and devices of the package."""
        return issubclass(kind, type(array_api_strict.asarray(0)))

    def device_name(self, device: Any) -> str:
        """The device's name, without the call that would make it."""
        return str(device._device)

    def take(self, raw: Any, source: Backend, device: Any = None, copy: Any = None) -> Any:
        """By way of NumPy, whose arrays are inside; what must not be written to is copied."""
        if copy is None and not self.may_share(raw, source):
            copy = True
        return self.asarray(source.to_numpy(raw), device=device, copy=copy)

    def to_numpy(self, raw: Any) -> Any:
        """Through the CPU, since the library pretends to have more devices."""
        return np.asarray(raw.to_device(array_api_strict.Device("CPU_DEVICE"))._array)


BACKEND = Strict()
