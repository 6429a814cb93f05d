"""The libraries that the table is run on, and the devices: which, and how samples become theirs.

DIMFLOW_LIBRARIES=torch:cuda,jax:cuda,cupy    these instead of those that run on a CPU

"dask:cupy" is Dask with blocks that are arrays of CuPy's, and so for any other library of blocks.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dimflow.backends import Backend, backend, class_of
from dimflow.ops.rules.dtypes import named

ON_THE_CPU = ("array_api_strict", "torch", "jax", "mlx", "dask")
VARIABLE = "DIMFLOW_LIBRARIES"

# MLX computes in single precision first of all; what it does with doubles is a law of its own.
_SINGLE = frozenset({"mlx"})


def chosen() -> tuple[str, ...]:
    """The libraries to run, as "torch" or "torch:cuda"."""
    asked = [text.strip() for text in os.environ.get(VARIABLE, "").split(",")]
    return tuple(filter(None, asked)) or ON_THE_CPU


def chosen_of(package: str) -> str | None:
    """The one of these that is to run, with its device; None if it is not."""
    return next((text for text in chosen() if text.partition(":")[0] == package), None)


@dataclass(frozen=True)
class Library:
    """An array library on one of its devices. `text` is "torch", "torch:cuda" or "dask:cupy"."""

    text: str

    @property
    def name(self) -> str:
        return self.text.partition(":")[0]

    @cached_property
    def backend(self) -> Backend:
        return backend(self.name)

    @cached_property
    def blocks(self) -> Backend | None:
        """The library that the blocks of lazy arrays were asked to be of, if it was."""
        kind = self.text.partition(":")[2]
        return backend(kind) if kind and self.backend.is_lazy else None

    @cached_property
    def device(self) -> str:
        """The first device of the kind that was asked for; the usual one if none was."""
        if self.blocks is not None:
            return self.blocks.devices()[0]
        kind = self.text.partition(":")[2]
        devices = self.backend.devices()
        if not kind:
            return devices[0]
        aliases = {kind, "gpu"} if kind == "cuda" else {kind}
        return next(d for d in devices if d.partition(":")[0].lower() in aliases)

    @property
    def keys(self) -> tuple[str, ...]:
        """The names that data about this library may stand under."""
        kind = self.text.partition(":")[2] or "cpu"
        return self.name, f"{self.name}:{kind}"

    @property
    def dtype(self) -> Any:
        """The precision that samples are given in."""
        return np.dtype(np.float32 if self.name in _SINGLE else np.float64)

    @contextmanager
    def ready(self) -> Iterator[None]:
        """JAX has doubles only if it is asked for them; Dask need not start threads for samples."""
        if self.name == "jax":
            import jax

            with jax.enable_x64(True):
                yield
        elif self.name == "dask":
            import dask

            with dask.config.set(scheduler="sync"):
                yield
        else:
            yield

    def array(self, value: Any) -> Any:
        """NumPy's arrays as arrays of the library; anything else as it is."""
        if isinstance(value, (np.ndarray, np.generic)):
            data: Any = np.array(value)
            if self.blocks is not None:
                data = self.blocks.asarray(data, device=self.device)
            return self.backend.asarray(data, dtype=value.dtype, device=self.device, copy=True)
        if isinstance(value, (tuple, list)):
            return _rebuilt(value, [self.array(v) for v in value])
        return value

    def numbers(self, value: Any) -> Any:
        """The library's arrays as NumPy's again; anything else as it is."""
        if isinstance(value, (tuple, list)):
            return _rebuilt(value, [self.numbers(v) for v in value])
        return self.backend.to_numpy(value) if self.owns(value) else value

    def owns(self, value: Any) -> bool:
        """Whether this is an array of the library, and neither NumPy's nor a number."""
        kind = type(value)
        return (
            kind.__module__ != "builtins"
            and not isinstance(value, (np.ndarray, np.generic, tuple))
            and self.backend.holds(kind)
        )

    def dtype_of(self, raw: Any) -> Any:
        """The dtype of an array of the library under NumPy's name for it."""
        return named(self.backend.dtype(raw))

    def array_class(self, raw: Any) -> Any:
        """The class of DimArrays of the library."""
        return class_of(type(raw))


def _rebuilt(value: Any, parts: list[Any]) -> Any:
    return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
