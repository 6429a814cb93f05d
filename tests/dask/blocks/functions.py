"""Functions of blocks that go to other processes, and chunkings to run them on."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

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


@st.composite
def cuts(draw: st.DrawFn, length: int) -> tuple[int, ...]:
    """A length in blocks."""
    lengths: list[int] = []
    while sum(lengths) < length:
        lengths.append(draw(st.integers(1, length - sum(lengths))))
    return tuple(lengths)


def chunkings(shape: Sequence[int]) -> st.SearchStrategy[tuple[tuple[int, ...], ...]]:
    return st.tuples(*map(cuts, shape))
