"""An op as a function of blocks, by the kernels of the library that the blocks belong to."""

from collections.abc import Sequence
from typing import Any

import dask.array as da
import numpy as np
from dask.array.core import concatenate_axes, elemwise
from dask.base import normalize_token

from dimflow.errors import NotANumber
from dimflow.ops import Op, dispatch

ARRAYS = (da.Array, np.ndarray)  # what comes to an op on blocks as blocks


class BlockOp:
    """An op with its parameters, as a function of blocks. It goes to other processes by name.

    `places` says which of the op's arrays are blocks; all others are as they are in `args`. A list
    of blocks is joined along the axes that `joins` has for its place. The result gets `lead` first
    axes of length 1, along which those of other blocks come beside it.
    """

    __slots__ = ("args", "joins", "lead", "op", "params", "places")

    def __init__(
        self,
        op: Op,
        args: Sequence[Any],
        params: dict[str, Any],
        joins: Sequence[tuple[int, ...]] | None = None,
        lead: int = 0,
    ) -> None:
        self.op = op
        self.places = tuple(i for i, a in enumerate(args) if isinstance(a, ARRAYS))
        self.args = tuple(None if i in self.places else a for i, a in enumerate(args))
        self.params = params
        self.joins = tuple(joins) if joins is not None else ((),) * len(self.places)
        self.lead = lead

    def __call__(self, *blocks: Any) -> Any:
        """What the op gives for blocks, by the library that they belong to."""
        args = list(self.args)
        for place, block, axes in zip(self.places, blocks, self.joins, strict=True):
            args[place] = joined(block, axes)
        result = dispatch.run(self.op, tuple(args), self.params)
        if isinstance(result, (tuple, list)):
            return tuple(result)
        return result[(None,) * self.lead] if self.lead else result

    @property
    def __name__(self) -> str:
        return self.op.name

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        given = sorted(self.params.items())
        parts = (self.op.name, self.places, self.args, self.joins, self.lead, given)
        return "dimflow.op", normalize_token(parts)  # Dask takes the text of what it finds here


def joined(block: Any, axes: Sequence[int]) -> Any:
    """Blocks in lists, nested as deep as there are axes, as one; a single one is not copied."""
    only = block
    for _ in axes:
        if not isinstance(only, list) or len(only) != 1:
            return concatenate_axes(block, list(axes))
        only = only[0]
    return only


def elementwise(op: Op, /, *args: Any, **params: Any) -> Any:
    """An op on every block, after the arrays are broadcast and their blocks cut alike."""
    return elementwise_by(BlockOp, op, args, params)


def elementwise_by(kind: type[BlockOp], op: Op, args: Sequence[Any], params: Any) -> Any:
    """The same by a class of functions of blocks."""
    bound = op.signature.bind(*args, **params)
    bound.apply_defaults()
    params = bound.arguments
    flat = tuple(params.pop(name) for name in op.array_names)  # some are given by name
    call = kind(op, flat, params)
    result = elemwise(call, *(flat[place] for place in call.places))
    if result is NotImplemented:
        refuse(op, flat, params)
        raise NotANumber(op.name, " and ".join(str(getattr(a, "dtype", type(a))) for a in flat))
    return result


def refuse(op: Op, args: Sequence[Any], params: dict[str, Any]) -> None:
    """Raise what the blocks' library has against these dtypes, if anything; Dask does not say."""
    few = [np.ones(1, a.dtype) if isinstance(a, da.Array) else a for a in args]
    dispatch.run(op, tuple(few), params)
