"""Functions of blocks that a derivative goes through, on arrays paired by the names of their axes.

What a block of the result depends on is one block of each argument, or all blocks along an axis
that the result has not. So a cotangent comes back by the function's own way back for that block,
and is added up along the axes that only the result has.
"""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import dask.array as da
from dask.array.utils import meta_from_array
from dask.utils import funcname

from dimflow import ops
from dimflow.array.core import Core, is_followed
from dimflow.array.dimarray import wrap
from dimflow.autodiff.batch import Batch, Batched
from dimflow.autodiff.carrier import Carrier, alive, innermost, newest
from dimflow.autodiff.custom import custom_call
from dimflow.autodiff.layout import relaid
from dimflow.dask.blocks import mapping
from dimflow.dask.blocks.axes import axes_of_result
from dimflow.dask.blocks.call import asked
from dimflow.dask.blocks.cutting import unified
from dimflow.dask.blocks.planning import apart, samples_of
from dimflow.dask.differentiable.ways import BlockPull, BlockPush, Each, InUnit, Listed
from dimflow.dask.followed import SAY_IT, refuse_batches
from dimflow.errors import ComputationError, TracedValueError
from dimflow.ops.rules.units import PURE
from dimflow.transforms.calls import difference
from dimflow.transforms.derivatives import vjp
from dimflow.units import Unit

Index = tuple[Any, ...] | None


def mapped(
    operation: str,
    func: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Any,
    *more: Any,
    **axes: Any,
) -> Any:
    """`blocks.mapping.mapped` of arrays that a derivative goes through."""
    indices = [_from_last(a) for a in args]
    ndim = max((len(index) for index in indices if index is not None), default=0)
    given = [axes.get(name) for name in ("chunks", "drop_axis", "new_axis")]
    out, _, _ = axes_of_result(operation, tuple(reversed(range(ndim))), *given)
    call = FollowedCall(operation, func, args, indices, [out], kwargs, is_aligned=False)
    return call.result(
        lambda values: [mapping.mapped(operation, func, values, kwargs, *more, **axes)]
    )[0]


def _from_last(value: Any) -> Index:
    raw = innermost(raw_of(value))
    return tuple(reversed(range(raw.ndim))) if isinstance(raw, da.Array) else None


def blockwise(
    func: Callable[..., Any],
    out_ind: Any,
    args: Sequence[Any],
    options: dict[str, Any],
    kwargs: dict[str, Any],
) -> Any:
    """`blocks.blockwise` of arrays that a derivative goes through."""
    trace = newest(map(alive, map(raw_of, args[::2])))
    if isinstance(trace, Batch) and isinstance(func, (InUnit, Each)):
        return _in_batch(trace, func, out_ind, args, {**options, **kwargs})
    indices = [None if i is None else tuple(i) for i in args[1::2]]
    is_aligned = options["align_arrays"]
    call = FollowedCall(
        "blockwise", func, args[::2], indices, [tuple(out_ind)], kwargs, is_aligned=is_aligned
    )
    if not options["concatenate"]:
        call.func = Listed(func, call.cuts) if any(call.cuts) else func

    def first(values: Sequence[Any]) -> list[Any]:
        pairs = chain.from_iterable(zip(values, args[1::2], strict=True))
        return [mapping.blockwise(func, out_ind, *pairs, **options, **kwargs)]

    return call.result(first)[0]


def _in_batch(batch: Batch, func: Any, out_ind: Any, args: Any, options: dict[str, Any]) -> Any:
    """A way back or forward for many cotangents or tangents, which are along one more axis."""
    values, indices = list(args[::2]), list(args[1::2])
    which = [batch.axis(raw_of(value)) is not None for value in values]
    many = min(chain(out_ind, *(index or () for index in indices)), default=0) - 1
    cut = None
    for i in (i for i, is_each in enumerate(which) if is_each):
        raw = batch.gathered(raw_of(values[i]))
        index = range(many - len(raw.shape) + 1, many) if indices[i] is None else indices[i]
        chunks = _seen_chunks(raw)
        cut = cut or chunks[0]
        whole = [(sum(c),) for c in chunks[1:]] if indices[i] is None else chunks[1:]
        values[i] = wrap(in_blocks(raw, (cut, *whole)), _unit(values[i]))
        indices[i] = (many, *index)
    form = {"meta": meta_from_array(options["meta"], ndim=len(out_ind) + 1)}
    pairs = chain.from_iterable(zip(values, indices, strict=True))
    made = mapping.blockwise(Each(func, which), (many, *out_ind), *pairs, **{**options, **form})
    return wrap(batch.batched(made._raw, 0), made._unit)


class FollowedCall:
    """A function of blocks, its arguments, and the names of their axes and those of its results.

    Axes that the results have not, and those in `whole`, are in one block on the ways back and
    forward.
    """

    def __init__(
        self,
        operation: str,
        func: Callable[..., Any],
        args: Sequence[Any],
        indices: Sequence[Index],
        out_inds: Sequence[tuple[Any, ...]],
        kwargs: dict[str, Any],
        *,
        is_aligned: bool = True,
        whole: frozenset[Any] = frozenset(),
    ) -> None:
        self.operation = operation
        self.func = func
        self.args = args
        self.kwargs = kwargs
        self.places = tuple(i for i, a in enumerate(args) if is_followed(a))
        self.units = [_unit(args[i]) for i in self.places]
        self.planned: list[Unit | None] = []
        self._check_asked()
        numbers: dict[Any, int] = {}  # names may be anything: these can be told apart and sorted
        self.indices = [_numbered(numbers, index) for index in indices]
        self.out_inds = [_numbered(numbers, index) or () for index in out_inds]
        self.unused = len(numbers)
        kept = {name for index in self.out_inds for name in index}
        gone = set(range(self.unused)) - kept | {numbers[name] for name in whole}
        self._cut(gone, is_aligned)

    def _cut(self, gone: set[int], is_aligned: bool) -> None:
        """Find the blocks that each argument has on the way back."""
        arrays = [innermost(raw_of(a)) for a in self.args]
        pairs = list(zip(arrays, self.indices, strict=True))
        arrays = [a if index is None else da.asanyarray(a) for a, index in pairs]
        if is_aligned:
            arrays = unified(arrays, self.indices)[1]
        self.chunks: list[Any] = []
        self.cuts: list[Any] = []
        for array, index in zip(arrays, self.indices, strict=True):
            if index is not None and len(set(index)) < len(index):
                raise self._without_rule("an argument has two axes of one name")
            lengths = list(zip(array.chunks, index, strict=True)) if index is not None else []
            if any(name in gone and len(c) > 1 and sum(c) != sum(c) for c, name in lengths):
                raise self._without_rule("it joins blocks whose lengths are not known")
            whole = tuple((sum(c),) if name in gone else c for c, name in lengths)
            self.chunks.append(None if index is None else whole)
            self.cuts.append(tuple((i, c) for i, (c, name) in enumerate(lengths) if name in gone))

    def _check_asked(self) -> None:
        for name in asked(self.func):
            raise self._without_rule(f"the function asks for its {name}")
        refuse_batches(self.operation, [raw_of(self.args[place]) for place in self.places])

    def result(self, run: Callable[[Sequence[Any]], Sequence[Any]]) -> list[Any]:
        """What `run` makes of the arguments, on record."""

        def first(*raws: Any) -> tuple[Any, ...]:
            values = self._filled(raws)
            made = run(values)
            self.planned[:] = [m._unit if isinstance(m, Core) else None for m in made]
            self._rehearse(values)
            return tuple(map(raw_of, made))

        raws = [raw_of(self.args[i]) for i in self.places]
        found = custom_call(first, raws, pull=self._back, push=self._forward)
        pairs = zip(found, self.planned, strict=True)
        return [raw if unit is None else wrap(raw, unit) for raw, unit in pairs]

    def _filled(self, raws: Sequence[Any]) -> list[Any]:
        """The arguments, with those that are followed as they are where they are."""
        values = list(self.args)
        for place, raw in zip(self.places, raws, strict=True):
            given = self.args[place]
            values[place] = wrap(raw, given._unit) if isinstance(given, Core) else raw
        return values

    def _part(self, number: int) -> int | None:
        return number if len(self.out_inds) > 1 else None

    def _back(self, cts: Sequence[Any], outs: Sequence[Any], raws: Sequence[Any]) -> list[Any]:
        values = list(map(in_blocks, self._filled(raws), self.chunks))
        found: list[Any] = [None] * len(raws)
        for number, ct in enumerate(cts):
            for i in range(len(raws)) if ct is not None else ():
                back = self._pulled(number, ct, innermost(outs[number]).chunks, values, i)
                found[i] = back if found[i] is None else ops.add(found[i], back)
        return found

    def _pulled(self, number: int, ct: Any, cuts: Any, values: list[Any], which: int) -> Any:
        """The cotangent of one argument from that of one result."""
        place, unit, out_ind = self.places[which], self.planned[number], self.out_inds[number]
        raw = innermost(raw_of(values[place]))
        counts = dict(zip(out_ind, map(len, cuts), strict=True))
        own, new_axes = self._own_axes(place, raw, counts)
        extra = tuple(name for name in out_ind if name not in own)
        indices = list(self.indices)
        chunks = {name: (1,) * counts[name] for name in extra}
        if indices[place] is not None:
            indices[place] = own
            chunks.update(zip(own, raw.chunks, strict=True))
        pull = BlockPull(self.func, unit, self._part(number), place, len(extra))
        ct = wrap(in_blocks(ct, cuts), PURE / difference(unit or PURE))
        form = {"unit": PURE / difference(self.units[which]), **_form(raw, len(extra) + len(own))}
        axes = {"adjust_chunks": chunks, "new_axes": new_axes}
        index = extra + own
        found = self._run(pull, index, [ct, *values], [out_ind, *indices], {**form, **axes})
        return ops.sum(found, axis=tuple(range(len(extra)))) if extra else found

    def _own_axes(self, place: int, raw: Any, counts: dict[int, int]) -> tuple[Any, Any]:
        """Names for the axes of an argument: others than the result's where one block is for many.

        What is no lazy array is one block for all.
        """
        index = self.indices[place]
        fresh = range(self.unused, self.unused + len(raw.shape))
        if index is None:
            return tuple(fresh), dict(zip(fresh, raw.shape, strict=True))
        pairs = zip(index, raw.numblocks, fresh, strict=True)
        return tuple(n if counts.get(n, count) == count else new for n, count, new in pairs), None

    def _forward(self, tangents: Sequence[Any], outs: Sequence[Any], raws: Any) -> list[Any]:
        values = list(map(in_blocks, self._filled(raws), self.chunks))
        each = list(zip(self.places, self.units, tangents, strict=True))
        moving = tuple(place for place, _, t in each if t is not None)
        moved = [
            in_blocks(wrap(t, difference(unit)), self.chunks[place])
            for place, unit, t in each
            if t is not None
        ]
        indices = [*self.indices, *(self.indices[place] for place in moving)]
        known = {name for index in indices if index is not None for name in index}
        found = []
        for number, (out, out_ind) in enumerate(zip(outs, self.out_inds, strict=True)):
            unit, raw = self.planned[number], innermost(out)
            chunks = dict(zip(out_ind, raw.chunks, strict=True))
            form = {"unit": difference(unit or PURE), **_form(raw, raw.ndim)}
            fresh = {name: chunks[name] for name in out_ind if name not in known}
            axes = {"adjust_chunks": chunks, "new_axes": fresh or None}
            push = BlockPush(self.func, unit, self._part(number), moving)
            found.append(self._run(push, out_ind, [*values, *moved], indices, {**form, **axes}))
        return found

    def _run(self, func: Any, out_ind: Any, values: Any, indices: Any, options: Any) -> Any:
        pairs = chain.from_iterable(zip(values, indices, strict=True))
        options = {**options, **self.kwargs, "align_arrays": False, "concatenate": True}
        return mapping.blockwise(func, out_ind, *pairs, **options)._raw

    def _rehearse(self, values: Any) -> None:
        """Try the derivative on a few numbers: what the engine cannot follow is an error now."""
        inner = [without_trace(v) for v in values]
        pairs = zip(inner, self.chunks, strict=True)
        given = apart([in_blocks(value, chunks) for value, chunks in pairs], self.kwargs)
        function = InUnit(self.func, self.planned[0], self._part(0))
        for raws in samples_of(given.raws):
            units = zip(raws, given.units, strict=True)
            blocks = [raw if unit is None else wrap(raw, unit) for raw, unit in units]
            partial = function.of(self.places, blocks, self.kwargs)
            try:
                vjp(partial, *[blocks[i] for i in self.places])
            except TracedValueError as error:
                raise self._without_rule(str(error)) from error
            except Exception:  # the function may not like made-up numbers
                continue
            return

    def _without_rule(self, reason: str) -> ComputationError:
        operation = f"a derivative of {self.operation}({funcname(self.func)}, ...)"
        return ComputationError(operation, reason, SAY_IT)


def _numbered(numbers: dict[Any, int], index: Index) -> Index:
    return None if index is None else tuple(numbers.setdefault(n, len(numbers)) for n in index)


def raw_of(value: Any) -> Any:
    """A value without its unit."""
    return value._raw if isinstance(value, Core) else value


def _unit(value: Any) -> Unit:
    return value._unit if isinstance(value, Core) else PURE


def without_trace(value: Any) -> Any:
    """A value as it is where nothing follows it."""
    if isinstance(value, Core):
        return wrap(innermost(value._raw), value._unit)
    return innermost(value)


def in_blocks(value: Any, chunks: Any) -> Any:
    """A value in the blocks that it has on the way back; as it is where it is no lazy array."""
    raw = alive(raw_of(value))
    if chunks is None or getattr(innermost(raw), "chunks", None) == chunks:
        return value
    if isinstance(raw, Batched):
        batch: Any = raw.trace
        every = batch.gathered(raw)
        cut = batch.batched(in_blocks(every, (_seen_chunks(every)[0], *chunks)), 0)
    else:
        cut = relaid(raw, lambda x: da.asanyarray(x).rechunk(chunks))
    return wrap(cut, value._unit) if isinstance(value, Core) else cut


def _seen_chunks(raw: Any) -> tuple[Any, ...]:
    """The blocks of an array as one call of a batch sees it."""
    if isinstance(raw, Batched):
        chunks = _seen_chunks(raw.value)
        return (*chunks[: raw.axis], *chunks[raw.axis + 1 :])
    if isinstance(raw, Carrier):
        return _seen_chunks(raw.value)
    return tuple(da.asanyarray(raw).chunks)


def _form(raw: Any, ndim: int) -> dict[str, Any]:
    """The dtype and the kind of array of what belongs to an array."""
    return {"dtype": raw.dtype, "meta": meta_from_array(raw, ndim=ndim, dtype=raw.dtype)}
