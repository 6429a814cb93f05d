"""Functions of blocks that go to other processes."""

from typing import Any

import numpy as np

from dimflow import units as u


def kinetic(mass: Any, speed: Any) -> Any:
    return mass * speed**2 / 2


def squares(block: Any, axis: Any, keepdims: Any) -> Any:
    return (block**2).sum(axis=axis, keepdims=keepdims)


def total(block: Any, axis: Any, keepdims: Any) -> Any:
    return block.sum(axis=axis, keepdims=keepdims)


def root(block: Any, axis: Any, keepdims: Any) -> Any:
    return np.sqrt(block.sum(axis=axis, keepdims=keepdims))


def seconds_where_large(block: Any) -> Any:
    """Metres, but for blocks with more than 7 m in them."""
    return block * (1 * u.s) if block.size and block.max() > 7 * u.m else block


def laplacian(block: Any) -> Any:
    """Of two axes, around the corner at the ends."""
    neighbours = [np.roll(block, step, axis) for step in (1, -1) for axis in (0, 1)]
    return sum(neighbours, -4 * block)
