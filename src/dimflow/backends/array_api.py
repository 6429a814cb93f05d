"""Any library that speaks the array API standard. A subclass adds a name and what is special."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.backends.backend import Backend
from dimflow.backends.numpy import BACKEND as NUMPY
from dimflow.errors import BackendNotInstalled, DeviceMismatch, NotANumber, UnitError
from dimflow.ops import Op
from dimflow.ops.rules.dtypes import named
from dimflow.ops.rules.values import refuse_cut
from dimflow.ops.standard.promotion import promoting_function

_NUMBERS = (bool, int, float, complex)


class ArrayAPI(Backend):
    """Runs ops by the standard's functions, found in the library's `namespace`."""

    def host_function(self, op: Op) -> Callable[..., Any] | None:
        """The standard's function of the record's name; None where the library has none."""
        return self.drawn(op) if op.kind == "random" else promoting_function(op, self.namespace)

    def drawn(self, op: Op) -> Callable[..., Any] | None:
        """A random draw by NumPy's generators, which needs the numbers that it depends on."""
        draw = NUMPY.own_kernel(op)
        if draw is None:
            return None
        takes_dtype = "dtype" in op.signature.parameters

        def call(*args: Any, dtype: Any = None, **params: Any) -> Any:
            arrays = [a for a in args if hasattr(a, "dtype")]
            given = [self.to_numpy(a) if hasattr(a, "dtype") else a for a in args]
            kind = {"dtype": named(dtype)} if takes_dtype else {}
            numbers = draw(*given, **kind, **params)
            return self.asarray(numbers, device=self.device(arrays[0]) if arrays else None)

        return call

    def asarray(self, data: Any, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Any:
        """An array of numbers, on the device asked for; NotANumber for anything else."""
        if isinstance(data, (str, bytes, dict, set)) or data is None:
            raise NotANumber("an array", f"{type(data).__name__} {data!r:.60}")
        options = {"dtype": None if dtype is None else self.as_dtype(dtype), "copy": copy}
        place = self.native_device(device)
        return self.namespace.asarray(data, device=place, **options)

    def as_dtype(self, dtype: Any) -> Any:
        """The namespace's dtype of that name."""
        name = str(getattr(named(dtype), "name", dtype)).rpartition(".")[2]
        if dtype in (bool, int, float, complex):
            name = np.dtype(dtype).name
        found = getattr(self.namespace, name, None)
        if found is None:
            raise NotANumber(f"a {self.name} array", f"the dtype {dtype}, which it has none for")
        return found

    def devices(self) -> list[str]:
        """What the namespace lists."""
        listed = self.namespace.__array_namespace_info__().devices()
        return [self.device_name(device) for device in listed]

    def device_name(self, device: Any) -> str:
        """The text for a device of the library's."""
        return str(device)

    def native_device(self, device: Any) -> Any:
        """The namespace's device of that name."""
        if device is None:
            return None
        for found in self.namespace.__array_namespace_info__().devices():
            if found is device or self.device_name(found) == device:
                return found
        raise DeviceMismatch(f"{self.name} arrays", ", ".join(self.devices()), device)

    def device(self, raw: Any) -> str:
        """The name of the array's own device."""
        return self.device_name(raw.device)

    def copy(self, raw: Any) -> Any:
        """By the standard's function: its arrays need have no method for it."""
        return self.namespace.asarray(raw, copy=True) if self.is_mutable(raw) else raw

    def assign(self, raw: Any, key: Any, value: Any) -> None:
        """x[key] = value, in place. Fractions are not cut off to fit integers."""
        if self.is_mutable(raw):
            if type(value) not in _NUMBERS and not self.holds(type(value)):
                value = self.asarray(value, device=self.device(raw))
            refuse_cut(value, raw.dtype)
            value = value if type(value) in _NUMBERS else ops.astype(value, raw.dtype, copy=False)
        super().assign(raw, key, value)

    def take(self, raw: Any, source: Backend, device: Any = None, copy: Any = None) -> Any:
        """By DLPack where both libraries can; by way of NumPy otherwise, which copies."""
        if copy or (copy is None and not self.may_share(raw, source)):
            return self._copied(raw, source, device)
        try:
            return self.from_dlpack(raw, device=device, copy=copy)
        except (BufferError, TypeError, ValueError, RuntimeError, NotImplementedError):
            if copy is False:
                raise
        return self.asarray(source.to_numpy(raw), device=device, copy=copy)

    def _copied(self, raw: Any, source: Backend, device: Any) -> Any:
        """On memory of its own. DLPack is not asked for a copy: JAX is, and shares all the same."""
        if source.device(raw).lower().startswith("cpu"):
            try:
                return self.asarray(source.to_numpy(raw), device=device, copy=True)
            except UnitError:  # NumPy has no bfloat16
                if source.requires_grad(raw):
                    raise
        return self.asarray(self.from_dlpack(raw), device=device, copy=True)

    def may_share(self, raw: Any, source: Backend) -> bool:
        """Whether neither of two arrays on the same memory could change it behind the other."""
        return source.writes_memory(raw) and self.writes_memory(raw)

    def from_dlpack(self, raw: Any, *, device: Any = None, copy: Any = None) -> Any:
        """An array on the memory of another library's."""
        return self.namespace.from_dlpack(raw, device=self.native_device(device), copy=copy)

    def to_numpy(self, raw: Any) -> Any:
        """The numbers as a NumPy array, on the same memory where the library allows it."""
        return np.from_dlpack(raw)


def compat_namespace(name: str) -> Any:
    """The standard's names for a library that does not have them itself, by array-api-compat."""
    try:
        return import_module(f"array_api_compat.{name}")
    except ModuleNotFoundError as error:
        if not str(error.name).startswith("array_api_compat"):
            raise
        hint = f"pip install 'dimflow[{name}]', which brings array-api-compat"
        raise BackendNotInstalled("array_api_compat", hint) from error
