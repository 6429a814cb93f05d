"""Ops on the blocks of a Dask array, and conversions of units that are put together."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import dask.array as da
import numpy as np

from dimflow.ops import Op, dispatch
from dimflow.ops.rules.convert import divided_by
from dimflow.units.conversion import Linear
from dimflow.units.scale import ONE


class BlockOp:
    """An op with its parameters, as a function of blocks. It goes to other processes by name.

    `places` says which of the op's arrays are blocks; all others are as they are in `args`.
    """

    __slots__ = ("args", "op", "params", "places")

    def __init__(self, op: Op, args: Sequence[Any], params: dict[str, Any]) -> None:
        self.op = op
        self.places = tuple(i for i, a in enumerate(args) if isinstance(a, (da.Array, np.ndarray)))
        self.args = tuple(None if i in self.places else a for i, a in enumerate(args))
        self.params = params

    def __call__(self, *blocks: Any) -> Any:
        """What the op gives for blocks, by the library that they belong to."""
        args = list(self.args)
        for place, block in zip(self.places, blocks, strict=True):
            args[place] = block
        result = dispatch.run(self.op, tuple(args), self.params)
        return tuple(result) if self.op.outputs else result

    @property
    def __name__(self) -> str:
        return self.op.name

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return self.op.name, self.places, self.args, tuple(sorted(self.params.items()))


def elementwise(op: Op, /, *args: Any, **params: Any) -> Any:
    """An op of the table on every block, after the arrays are broadcast and their blocks cut."""
    call = BlockOp(op, args, params)
    arrays = [da.asanyarray(args[place]) for place in call.places]
    if op.outputs is None:
        return arrays[0]._elemwise(call, *arrays)
    return gathered(op, *args, **params)


def gathered(op: Op, /, *args: Any, loops: int = 0, **params: Any) -> Any:
    """An op on arrays of one block each, but for `loops` first axes that it treats as a batch.

    Shapes and dtypes come from the op's rules, so nothing is computed for it.
    """
    call = BlockOp(op, args, params)
    arrays = [da.asanyarray(args[place]) for place in call.places]
    shapes = tuple(getattr(a, "shape", None if a is None else ()) for a in args)
    kinds = tuple(None if a is None else getattr(a, "dtype", type(a)) for a in args)
    assert op.shape is not None
    assert op.dtype is not None
    shape, dtype = op.shape(shapes, params), op.dtype(kinds, params)
    is_many = op.outputs is not None
    sizes: dict[str, int] = {}
    inner = [_names(a.shape[min(loops, a.ndim) :], sizes) for a in arrays]
    outer = [_names(s[loops:], sizes) for s in (shape if is_many else [shape])]
    signature = f"{','.join(inner)}->{','.join(outer)}"
    results = da.apply_gufunc(
        call,
        signature,
        *arrays,
        output_dtypes=list(dtype) if is_many and isinstance(dtype, (tuple, list)) else dtype,
        output_sizes=sizes,
        allow_rechunk=True,
        vectorize=False,
    )
    return op.result_type(*results) if is_many else results


def _names(shape: Sequence[int], sizes: dict[str, int]) -> str:
    """Core dimensions for a shape, each with a name of its own."""
    names = []
    for length in shape:
        names.append(f"d{len(sizes)}")
        sizes[names[-1]] = length
    return f"({','.join(names)})"


class _Converted(NamedTuple):
    """From what an array was converted, by what. Assignment gives either array another name."""

    name: str
    source: Any
    source_name: str
    step: Linear


def converted(raw: Any, step: Linear) -> Any:
    """An array in another unit: from the array that it was itself converted from, if it was.

    So a chain of conversions is one, and there and back is none.
    """
    source, whole = raw, step
    known: _Converted | None = raw.__dict__.get("_dimflow_converted")
    if known is not None and (known.name, known.source_name) == (raw.name, known.source.name):
        together = _after(known.step, step)
        if together is not None:
            source, whole = known.source, together
    if whole.factor == ONE and not whole.offset:
        return source.astype(raw.dtype)
    result = _linear(source, whole)
    result.__dict__["_dimflow_converted"] = _Converted(result.name, source, source.name, whole)
    return result


def _after(first: Linear, second: Linear) -> Linear | None:
    """Two steps in one; None where the shift of the first becomes no fraction."""
    if first.offset and not second.factor.is_rational:
        return None
    shift = first.offset * second.factor.fraction if first.offset else first.offset
    return Linear(first.factor * second.factor, shift + second.offset)


def _linear(raw: Any, step: Linear) -> Any:
    if step.factor != ONE:
        divides, number = divided_by(step.factor)
        raw = raw / number if divides else raw * number
    return raw + float(step.offset) if step.offset else raw
