"""Which blocks meet in an elementwise op, where lengths are known to the data alone.

Dask pairs blocks by their number then, and lets a single block meet all of another array, as if it
were one element: `y - sort(y)` of `y = x[mask]` would be no error, nor what anybody asked for.
"""

from collections.abc import Sequence
from typing import Any

import dask.array as da
from dask.base import normalize_token

from dimflow.backends.dask_blocks.block_op import ARRAYS, BlockOp, elementwise_by
from dimflow.errors import ShapeMismatch
from dimflow.ops import Op

_HINT = "x.compute_chunk_sizes() computes the lengths, after which blocks are cut alike"
_FAMILIES = frozenset({"reductions", "nan_reductions"})  # beside them stand masks
_NAMES = frozenset({"matmul", "vdot", "vecdot", "weighted_mean"})


def meets_by_elements(op: Op) -> bool:
    """Whether an op that is no elementwise one pairs the elements of its arrays."""
    return op.family in _FAMILIES or op.name in _NAMES


def labels_of(op: Op, args: Sequence[Any]) -> Any:
    """Names for the axes of arrays that meet; None where they are broadcast."""
    if op.name != "matmul":
        return None
    x, y = ([*range(2 - getattr(a, "ndim", 0), 0)] for a in args)
    left, right = (("n", "k")[-args[0].ndim :], ("k", "m")[: args[1].ndim])
    return [(*x, *left), (*y, *right)]


def is_open(x: Any) -> bool:
    """Whether a length of a lazy array is known to the data alone: nan, and so is the sum."""
    if not isinstance(x, da.Array):
        return False
    total = sum(x.shape)
    return bool(total != total)


def refuse_pairs(
    operation: str, arrays: Sequence[Any], labels: Sequence[Sequence[Any]] | None = None
) -> None:
    """An error where arrays of unknown lengths are in different numbers of blocks.

    `labels` are the names of their axes; without any, they are broadcast.
    """
    if not any(map(is_open, arrays)):
        return
    cuts: dict[Any, list[Any]] = {}
    unknown: dict[Any, int] = {}
    for i, x in enumerate(arrays):
        if not isinstance(x, da.Array):
            continue
        named = range(-x.ndim, 0) if labels is None else labels[i]
        for axis, (name, lengths) in enumerate(zip(named, x.chunks, strict=True)):
            if lengths != (1,):
                cuts.setdefault(name, []).append(lengths)
            if _is_unknown(lengths):
                unknown.setdefault(name, axis)
    for name, axis in unknown.items():
        if len({*map(len, cuts[name])}) > 1:
            wanted = f"as many blocks of each array along axis {axis}, whose length is not known"
            raise ShapeMismatch(operation, wanted, _counted(cuts[name]), _HINT)


def in_pairs(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """An elementwise op on blocks that are paired by their number; None where Dask pairs none."""
    if not any(_pairs([getattr(a, "chunks", ()) for a in args])):
        return None
    return elementwise_by(PairedOp, op, args, params)


def _is_unknown(lengths: Sequence[Any]) -> bool:
    total = sum(lengths)
    return bool(total != total)


def _counted(cuts: Sequence[Any]) -> str:
    return ", ".join(f"{len(c)} blocks" if len(c) > 1 else "1 block" for c in cuts)


class PairedOp(BlockOp):
    """An elementwise op on blocks that are paired by their number: they have to be as long.

    A block of one element would else be spread over what it happens to meet.
    """

    __slots__ = ("pairs",)

    def __init__(self, op: Op, args: Sequence[Any], params: dict[str, Any]) -> None:
        super().__init__(op, args, params)
        given = [a for a in args if isinstance(a, ARRAYS)]
        self.pairs = tuple(_pairs([getattr(a, "chunks", ()) for a in given]))

    def __call__(self, *blocks: Any) -> Any:
        """What the op gives for blocks that are as long as one another."""
        for axis, places in self.pairs:
            if len({blocks[place].shape[-axis] for place in places}) > 1:
                shapes = ", ".join(str(block.shape) for block in blocks)
                wanted = f"blocks that are as long along axis {-axis}, whose length was not known"
                raise ShapeMismatch(self.op.name, wanted, shapes, _HINT)
        return super().__call__(*blocks)

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return "paired", normalize_token(self.pairs), *super().__dask_tokenize__()


def _pairs(cuts: list[Any]) -> Any:
    """Axes from the last with the places of the arrays that are cut along them, unknown how."""
    for axis in range(1, max(map(len, cuts), default=0) + 1):
        places = [i for i, c in enumerate(cuts) if len(c) >= axis and len(c[-axis]) > 1]
        if len(places) > 1 and any(_is_unknown(cuts[i][-axis]) for i in places):
            yield axis, tuple(places)
