"""Shapes, with the standard's parameters."""

from typing import Any

import mlx.core as mx

__all__ = [
    "broadcast_arrays",
    "concat",
    "expand_dims",
    "flip",
    "moveaxis",
    "permute_dims",
    "repeat",
    "reshape",
    "roll",
    "squeeze",
    "stack",
    "tile",
    "unstack",
]


def reshape(x: mx.array, /, shape: Any, *, copy: bool | None = None) -> mx.array:
    """Another shape; MLX copies nothing until it is written to."""
    return mx.reshape(x, shape)


def permute_dims(x: mx.array, /, axes: Any) -> mx.array:
    """Other order of axes."""
    return mx.transpose(x, axes)


def moveaxis(x: mx.array, source: Any, destination: Any, /) -> mx.array:
    """One axis or several to other places."""
    sources, targets = ((v,) if isinstance(v, int) else tuple(v) for v in (source, destination))
    ndim = x.ndim
    places = {t % ndim: s % ndim for s, t in zip(sources, targets, strict=True)}
    rest = iter(i for i in range(ndim) if i not in places.values())
    return mx.transpose(x, [places[i] if i in places else next(rest) for i in range(ndim)])


def concat(arrays: Any, /, *, axis: int | None = 0) -> mx.array:
    """Joined along an axis; without one, flat."""
    if axis is None:
        arrays, axis = [mx.reshape(a, (-1,)) for a in arrays], 0
    return mx.concatenate(list(arrays), axis=axis)


def stack(arrays: Any, /, *, axis: int = 0) -> mx.array:
    """Joined along a new axis."""
    return mx.stack(list(arrays), axis=axis)


def unstack(x: mx.array, /, *, axis: int = 0) -> tuple[mx.array, ...]:
    """The parts along an axis."""
    return tuple(mx.take(x, i, axis=axis) for i in range(x.shape[axis]))


def squeeze(x: mx.array, /, axis: Any) -> mx.array:
    """Without axes of length 1."""
    return mx.squeeze(x, axis)


def expand_dims(x: mx.array, /, *, axis: Any = 0) -> mx.array:
    """With a new axis."""
    return mx.expand_dims(x, axis)


def flip(x: mx.array, /, *, axis: Any = None) -> mx.array:
    """Backwards."""
    axes = range(x.ndim) if axis is None else axis
    return mx.flip(x, axes) if x.ndim else mx.array(x)


def roll(x: mx.array, /, shift: Any, *, axis: Any = None) -> mx.array:
    """Around the end."""
    return mx.roll(x, shift, axis) if x.size else mx.array(x)


def repeat(x: mx.array, repeats: Any, /, *, axis: int | None = None) -> mx.array:
    """Each element several times; a number for each evaluates them, since it makes a shape."""
    if isinstance(repeats, int):
        return mx.repeat(x, repeats, axis=axis)
    import numpy as np

    if axis is None:
        x, axis = mx.reshape(x, (-1,)), 0
    counts = np.broadcast_to(np.asarray(repeats), (x.shape[axis],))
    return mx.take(x, mx.array(np.repeat(np.arange(len(counts)), counts)), axis=axis)


def tile(x: mx.array, repetitions: Any, /) -> mx.array:
    """Side by side."""
    return mx.tile(x, repetitions)


def broadcast_arrays(*arrays: mx.array) -> list[mx.array]:
    """All of one shape."""
    return list(mx.broadcast_arrays(*arrays)) if arrays else []
