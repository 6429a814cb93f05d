"""New arrays. A device is where operations run; MLX's arrays themselves live nowhere in particular.

A device that is asked for has been checked by then, since it can only be the default one.
"""

from typing import Any

import mlx.core as mx

__all__ = [
    "arange",
    "asarray",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "full",
    "full_like",
    "linspace",
    "meshgrid",
    "ones",
    "ones_like",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]


def asarray(
    x: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None
) -> mx.array:
    """As the backend makes one: doubles of NumPy's stay doubles."""
    from dimflow.backends.mlx import BACKEND

    made: mx.array = BACKEND.asarray(x, dtype=dtype, copy=copy)
    return made


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> mx.array:
    """MLX's own function takes float64 and gives float32; this one does not."""
    return asarray(x, copy=copy)


def arange(
    start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None
) -> mx.array:
    """Integers of integers, else MLX's float32."""
    if stop is None:
        start, stop = 0, start
    if step * (stop - start) <= 0:
        return mx.zeros((0,), dtype or mx.array([start, step]).dtype)
    return mx.arange(start, stop, step, dtype=dtype)


def linspace(
    start: Any,
    stop: Any,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: Any = None,
    endpoint: bool = True,
) -> mx.array:
    """Equally spaced, in float32 if nothing else is asked for."""
    return mx.linspace(start, stop, num, endpoint=endpoint, dtype=dtype or mx.float32)


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: Any = None,
    device: Any = None,
) -> mx.array:
    """Ones on a diagonal; MLX's own refuses one that lies outside."""
    columns = n_rows if n_cols is None else n_cols
    row, column = mx.arange(n_rows)[:, None], mx.arange(columns)[None, :]
    return (row + k == column).astype(dtype or mx.float32)


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> mx.array:
    """Of one value."""
    value = fill_value if isinstance(fill_value, mx.array) else asarray(fill_value, dtype=dtype)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return mx.broadcast_to(value.astype(dtype or value.dtype), shape)


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> mx.array:
    """Of zeros."""
    return mx.zeros(shape, dtype or mx.float32)


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> mx.array:
    """Of ones."""
    return mx.ones(shape, dtype or mx.float32)


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> mx.array:
    """Of zeros, since MLX gives no memory that it has not filled."""
    return zeros(shape, dtype=dtype)


def zeros_like(x: mx.array, /, *, dtype: Any = None, device: Any = None) -> mx.array:
    """Of zeros, shaped like another."""
    return mx.zeros(x.shape, dtype or x.dtype)


def ones_like(x: mx.array, /, *, dtype: Any = None, device: Any = None) -> mx.array:
    """Of ones, shaped like another."""
    return mx.ones(x.shape, dtype or x.dtype)


def empty_like(x: mx.array, /, *, dtype: Any = None, device: Any = None) -> mx.array:
    """Of zeros, shaped like another."""
    return zeros_like(x, dtype=dtype)


def full_like(
    x: mx.array, /, fill_value: Any, *, dtype: Any = None, device: Any = None
) -> mx.array:
    """Of one value, shaped like another."""
    return full(x.shape, fill_value, dtype=dtype or x.dtype)


def meshgrid(*arrays: mx.array, indexing: str = "xy") -> list[mx.array]:
    """A grid of each axis."""
    return list(mx.meshgrid(*arrays, indexing=indexing)) if arrays else []


def tril(x: mx.array, /, *, k: int = 0) -> mx.array:
    """Zeros above a diagonal."""
    return mx.where(_below(x, k), x, mx.array(0, x.dtype))


def triu(x: mx.array, /, *, k: int = 0) -> mx.array:
    """Zeros below a diagonal."""
    return mx.where(_below(x, k - 1), mx.array(0, x.dtype), x)


def _below(x: mx.array, k: int) -> mx.array:
    """MLX's own masks multiply, so that an infinity elsewhere becomes nan."""
    rows, columns = x.shape[-2:]
    return mx.arange(columns)[None, :] <= mx.arange(rows)[:, None] + k
