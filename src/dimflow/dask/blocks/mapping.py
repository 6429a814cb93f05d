"""Functions on every block: by position (map_blocks), and by the names of axes (blockwise)."""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import dask.array as da
from dask.array.core import Array  # not that of expressions, which name themselves, and anew
from dask.base import tokenize

from dimflow.array.core import is_followed
from dimflow.dask.blocks.axes import axes_of_result
from dimflow.dask.blocks.call import BlockCall, PlacedCall, asked
from dimflow.dask.blocks.cutting import unified
from dimflow.dask.blocks.places import ByPlace, Places
from dimflow.dask.blocks.planning import (
    Arguments,
    Declared,
    Plan,
    apart,
    declared,
    planned,
    samples_of,
    with_result_unit,
)
from dimflow.dask.followed import refuse_followed
from dimflow.dask.host.patches import own
from dimflow.errors import StructureMismatch

_BY_POSITION = "pass it by position: then the derivative goes through it"


def map_blocks(
    func: Callable[..., Any],
    *args: Any,
    unit: Any = None,
    name: str | None = None,
    token: str | None = None,
    dtype: Any = None,
    chunks: Any = None,
    drop_axis: Any = None,
    new_axis: Any = None,
    enforce_ndim: bool = True,
    meta: Any = None,
    **kwargs: Any,
) -> Any:
    """`func` on every block: it gets DimArrays, and what it gives is checked block by block.

        map_blocks(lambda mass, v: mass * v**2 / 2, m, v)
        map_blocks(scipy_filter, x, unit="K")

    The unit of the result is `unit`, or what `func` gives for a few made-up numbers; either is
    fixed before anything is computed. Results in another unit are converted into a declared one,
    and plain results count as numbers in it. A function that gives plain numbers, with no unit
    declared, makes an array of Dask's. All else is as in `dask.array.map_blocks`, but that the
    number of axes, the lengths and the dtype of every block are checked always.
    """
    del enforce_ndim  # it is, whatever was asked for
    axes = {"chunks": chunks, "drop_axis": drop_axis, "new_axis": new_axis}
    said = declared(unit, dtype, meta)
    return mapped("map_blocks", func, args, kwargs, said, name=name, token=token, **axes)


def mapped(
    operation: str,
    func: Any,
    args: Sequence[Any],
    kwargs: dict[str, Any],
    said: Declared,
    samples: Any = None,
    **options: Any,
) -> Any:
    """What `map_blocks` gives, for an operation of another name, tried on other samples."""
    if any(map(is_followed, args)):
        from dimflow.dask.differentiable import following

        return following.mapped(operation, func, args, kwargs, said, samples, **options)
    call, given = called(operation, func, args, kwargs)
    call.asks = asked(func)
    told = _told(call.asks, given.raws, options.get("chunks"))
    samples = samples_of(given.raws) if samples is None else samples
    plan = planned(call, said, samples, {**told, **given.kwargs})
    call.wanted = plan.wanted
    if "block_info" not in call.asks and any(map(_is_lazy, given.raws)):
        return _mapped_at_once(call, given.raws, plan, given.kwargs, **options)
    raw = own("map_blocks")(
        call, *given.raws, dtype=plan.wanted.dtype, meta=plan.meta, **options, **given.kwargs
    )
    call.array, call.shape = raw.name, ByPlace(raw.chunks)
    return with_result_unit(raw, plan.wanted.unit)


def _is_lazy(raw: Any) -> bool:
    return isinstance(raw, da.Array)


def _mapped_at_once(
    call: BlockCall,
    raws: list[Any],
    plan: Plan,
    kwargs: dict[str, Any],
    *,
    chunks: Any = None,
    drop_axis: Any = None,
    new_axis: Any = None,
    name: str | None = None,
    token: str | None = None,
) -> Any:
    """The layer of Dask's `map_blocks`, which builds it twice if tasks are told their block."""
    indices = [tuple(range(raw.ndim))[::-1] if _is_lazy(raw) else None for raw in raws]
    out_ind = max((index for index in indices if index is not None), key=len)
    chunkss, raws = _aligned(raws, indices, wanted=False)
    options: dict[str, Any] = {"name": name, "token": token}
    given = chunks, drop_axis, new_axis
    if any(said is not None for said in given):
        out_ind, new_axes, lengths = axes_of_result(call.operation, out_ind, *given)
        options |= {"concatenate": True, "new_axes": new_axes, "adjust_chunks": lengths}
    return _placed(call, plan, out_ind, chunkss, raws, indices, options, kwargs)


def called(
    operation: str, func: Any, args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[BlockCall, Arguments]:
    """A function with the units of its arguments, and the arguments without them."""
    if not callable(func):
        hint = f"{operation}(function, x, y)"
        raise StructureMismatch(operation, "a function first", type(func).__name__, hint)
    refuse_followed(operation, args)
    refuse_followed(f"{operation}(..., name=x)", list(kwargs.values()), _BY_POSITION)
    given = apart(args, kwargs)
    return BlockCall(operation, func, given.units, given.named), given


def _told(asks: Sequence[str], raws: Sequence[Any], chunks: Any) -> dict[str, Any]:
    """What a function that wants to know its block is told while it is tried: the first one."""
    if not asks:
        return {}
    arrays = {i: a for i, a in enumerate(raws) if isinstance(a, da.Array)}
    ndim = max((a.ndim for a in arrays.values()), default=0) if chunks is None else len(chunks)
    told: dict[str, Any] = {}
    if "block_id" in asks:
        told["block_id"] = (0,) * ndim
    if "block_info" in asks:
        info: dict[Any, Any] = {i: _first_block(a.shape, a.numblocks) for i, a in arrays.items()}
        largest = max(arrays.values(), key=lambda a: a.ndim, default=None)
        if chunks is None and largest is not None:
            info[None] = _first_block(largest.shape, largest.numblocks)
        else:
            info[None] = _first_block((1,) * ndim, (1,) * ndim)
        info[None].update({"chunk-shape": (1,) * ndim, "dtype": None})
        told["block_info"] = info
    return told


def _first_block(shape: tuple[int, ...], numblocks: tuple[int, ...]) -> dict[str, Any]:
    return {
        "shape": shape,
        "num-chunks": numblocks,
        "array-location": [(0, 1)] * len(shape),
        "chunk-location": (0,) * len(shape),
    }


def blockwise(
    func: Callable[..., Any],
    out_ind: Any,
    *args: Any,
    unit: Any = None,
    name: str | None = None,
    token: str | None = None,
    dtype: Any = None,
    adjust_chunks: Any = None,
    new_axes: Any = None,
    align_arrays: bool = True,
    concatenate: bool | None = None,
    meta: Any = None,
    **kwargs: Any,
) -> Any:
    """`func` on blocks that are paired by the names of their axes, with units as in `map_blocks`.

        blockwise(np.outer, "ij", mass, "i", speed, "j")

    Blocks along an axis that the result has not come as lists, or as one with `concatenate=True`.
    """
    if any(map(is_followed, args[::2])):
        from dimflow.dask.differentiable import following

        form = {"unit": unit, "dtype": dtype, "meta": meta, "name": name, "token": token}
        axes = {"adjust_chunks": adjust_chunks, "new_axes": new_axes, "concatenate": concatenate}
        options = {**form, **axes, "align_arrays": align_arrays}
        return following.blockwise(func, out_ind, args, options, kwargs)
    call, given = called("blockwise", func, args[::2], kwargs)
    indices = [None if i is None else tuple(i) for i in args[1::2]]
    out_ind = tuple(out_ind)
    raws = [_array(a) if i is not None else a for a, i in zip(given.raws, indices, strict=True)]
    said = declared(unit, dtype, meta)
    depths = [0 if concatenate or i is None else len(set(i) - set(out_ind)) for i in indices]
    samples = samples_of(raws, lambda block, i: _listed(block, depths[i]))
    plan = planned(call, said, samples, given.kwargs)
    call.wanted = plan.wanted
    chunkss, raws = _aligned(raws, indices, align_arrays)
    options = {"name": name, "token": token, "concatenate": concatenate, "new_axes": new_axes}
    options["adjust_chunks"] = adjust_chunks
    return _placed(call, plan, out_ind, chunkss, raws, indices, options, given.kwargs)


def _placed(
    call: BlockCall,
    plan: Plan,
    out_ind: tuple[Any, ...],
    chunkss: dict[Any, Any],
    raws: list[Any],
    indices: list[Any],
    options: dict[str, Any],
    kwargs: dict[str, Any],
) -> Any:
    """A layer whose tasks are told which block they make."""
    for axis, lengths in (options.get("new_axes") or {}).items():
        chunkss[axis] = lengths if isinstance(lengths, tuple) else (lengths,)
    places = Places(tuple(chunkss.get(i, (1,)) for i in out_ind))
    token = options.pop("token") or call.__name__.strip("_")
    if options["name"] is None and da.Array is Array:
        told = {name: value for name, value in options.items() if value}
        unique = _unique(call, out_ind, raws, indices, told or None, kwargs or None)
        options["name"] = f"{token}-{unique}"
    raw = own("blockwise")(
        PlacedCall(call),
        out_ind,
        *(places, out_ind),
        *chain.from_iterable(zip(raws, indices, strict=True)),
        token=token,
        dtype=plan.wanted.dtype,
        align_arrays=False,
        meta=plan.meta,
        **options,
        **kwargs,
    )
    call.array, call.shape = raw.name, ByPlace(raw.chunks)
    return with_result_unit(raw, plan.wanted.unit)


def _unique(call: BlockCall, out_ind: Any, raws: Any, indices: Any, *told: Any) -> str:
    """The token of a layer. Dask would ask the meta too, and all lengths of blocks.

    It is given one long row: Dask takes its time with rows within rows.
    """
    parts = [call, len(out_ind), *out_ind]
    for raw, index in zip(raws, indices, strict=True):
        parts.append(raw.name if _is_lazy(raw) else raw)
        parts += (None,) if index is None else (len(index), *index)
    return str(tokenize(*parts, *told))


def _array(value: Any) -> Any:
    return value if isinstance(value, da.Array) else da.asanyarray(value)


def _listed(block: Any, depth: int) -> Any:
    for _ in range(depth):
        block = [block]
    return block


def _aligned(raws: list[Any], indices: list[Any], wanted: bool) -> tuple[dict[Any, Any], list[Any]]:
    """Blocks by the names of axes, and the arrays cut alike if that is wanted."""
    if wanted:
        return unified(raws, indices)
    chunkss: dict[Any, Any] = {}
    for raw, index in zip(raws, indices, strict=True):
        for lengths, name in zip(raw.chunks, index, strict=True) if index is not None else ():
            if len(lengths) > len(chunkss.get(name, ())):
                chunkss[name] = lengths
    return chunkss, raws
