"""Joining and splitting on NumPy."""

from typing import Any

import numpy as np


def unstack(x: Any, axis: Any) -> Any:
    """The slices along an axis, which NumPy has from 2.1 on."""
    return tuple(np.moveaxis(x, axis, 0))


def widened(x: Any, other: Any) -> Any:
    """An array that holds another value beside its own, of whatever kind: 0.5 among integers."""
    x = np.asarray(x)
    joint = np.result_type(x.dtype, other)
    return x if joint.kind == x.dtype.kind else x.astype(joint)
