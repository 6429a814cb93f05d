"""Parts of transposes: what several linear ops need to send a cotangent back."""

from typing import Any

from dimflow import ops
from dimflow.ops.rules.shapes import same_shape


def shape_of(x: Any) -> tuple[int, ...]:
    """The shape; a bare number has none."""
    return tuple(getattr(x, "shape", ()))


def unbroadcast(ct: Any, like: Any) -> Any:
    """A cotangent summed over the axes that broadcasting had added to an argument."""
    if getattr(ct, "shape", ()) == getattr(like, "shape", ()):
        return ct  # most often, and in fewest steps
    shape, target = shape_of(ct), shape_of(like)
    if same_shape(shape, target):
        return ct
    extra = len(shape) - len(target)
    stretched = tuple(i + extra for i, n in enumerate(target) if n == 1 and shape[i + extra] != 1)
    axes = (*range(extra), *stretched)
    if axes:
        ct = ops.sum(ct, axis=axes)
    return ct if same_shape(shape_of(ct), target) else ops.reshape(ct, shape=target)
