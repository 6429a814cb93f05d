"""Reductions by a user's functions, as steps on blocks that a derivative goes through."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from dask import config
from dask.utils import funcname

from dimflow import ops
from dimflow.array.dimarray import DimArray, wrap
from dimflow.autodiff.carrier import innermost
from dimflow.dask.blocks.call import OfFunction
from dimflow.dask.blocks.mapping import called, map_blocks
from dimflow.dask.blocks.reducing import OPERATION, Stages, units_of
from dimflow.dask.differentiable.following import in_blocks, raw_of, without_trace
from dimflow.dask.followed import SAY_IT
from dimflow.errors import ComputationError, InferenceError
from dimflow.ops.rules.units import PURE

Form = dict[str, Any]
_FEW = 64  # elements of a block along axes that stay, to try a function on


def reduced(
    stages: Stages,
    args: Sequence[Any],
    functions: Sequence[Callable[..., Any]],
    split_every: Any,
    form: Form,
) -> Any:
    """What functions of a block, of some results and of the last make of arrays, step by step.

    What steps hand on may be dicts and tuples of arrays, if the functions get lists of them: on
    the way they are one array, whose last axis has a place for each.
    """
    chunk, combine, aggregate = functions
    args = [args[0], *(_cut_alike(weights, args[0]) for weights in args[1:])]
    template, length = _handed_on(stages, chunk, args)
    steps = Steps(stages.axes, length, split_every)
    within = {"axis": stages.axes, "keepdims": True}
    end = {"axis": stages.axes, "keepdims": stages.keepdims}
    size = stages.output_size if stages.keepdims else None
    sizes: dict[int, int | None] = dict.fromkeys(stages.axes, size)
    if stages.concatenate:
        value = steps.first(partial(chunk, **within), args, None)
        value = steps.between(partial(combine, **within), value)
        return steps.last(partial(aggregate, **end), value, sizes, form)
    packed = partial(Packed, template=template, axes=stages.axes)
    value = steps.first(packed(chunk, within, is_first=True), args, len(list(_leaves(template))))
    value = steps.between(packed(combine, within), value)
    sizes[len(args[0].shape)] = None
    return steps.last(packed(aggregate, end, is_last=True), value, sizes, form)


def _cut_alike(weights: Any, value: Any) -> Any:
    whole = ops.broadcast_to(weights, shape=value.shape)
    return in_blocks(whole, innermost(raw_of(value)).chunks)


def _handed_on(stages: Stages, chunk: Callable[..., Any], args: Sequence[Any]) -> tuple[Any, int]:
    """The units of what a block gives, and its length along each axis, tried on a few lengths."""
    call, given = called(OPERATION, chunk, [without_trace(a) for a in args], {})
    chunks = given.raws[0].chunks
    found, problem = set(), None
    for n in (1, 2, 3):
        shape = [n if i in stages.axes else _few(c[0]) for i, c in enumerate(chunks)]
        samples = [np.ones(shape, raw.dtype) for raw in given.raws]
        try:
            results = _leaves(stages.plan_on(call, [samples]))
        except InferenceError as error:  # blocks so short may be too short for the function
            problem = error
            continue
        found |= {np.shape(part)[axis] for part in results for axis in stages.axes}
    if not found and problem is not None:
        raise problem
    if len(found) > 1 or (found != {1} and not stages.concatenate):
        reason = "what it gives for a block has a length that depends on the block's"
        operation = f"a derivative of reduction(x, {funcname(chunk)}, ...)"
        raise ComputationError(operation, reason, SAY_IT)
    return units_of(call.wanted), (found or {1}).pop()


def _few(length: float) -> int:
    return 1 if length != length else min(int(length), _FEW)


class Steps:
    """The steps of a reduction along axes: every block, some together until few are left, all.

    `length` is that of what a step gives along each axis.
    """

    def __init__(self, axes: tuple[int, ...], length: int, split_every: Any) -> None:
        self.axes = axes
        self.length = length
        given = split_every or config.get("split_every", 4)
        if isinstance(given, dict):
            self.at_once = {axis: max(given.get(axis, 2), 2) for axis in axes}
        else:
            self.at_once = dict.fromkeys(axes, max(int(given ** (1 / (len(axes) or 1))), 2))

    def first(self, function: Callable[..., Any], args: Sequence[Any], new: int | None) -> Any:
        """Every block for itself. `new` is the length of a last axis that comes with it."""
        chunks = innermost(raw_of(args[0])).chunks
        return self._mapped(function, args, self._shortened(chunks), new)

    def between(self, function: Callable[..., Any], value: Any) -> Any:
        """Some results together, again and again."""
        while True:
            chunks = innermost(raw_of(value)).chunks
            if all(len(chunks[axis]) <= count for axis, count in self.at_once.items()):
                return value
            joined = list(chunks)
            for axis, count in self.at_once.items():
                starts = range(0, len(chunks[axis]), count)
                joined[axis] = tuple(sum(chunks[axis][i : i + count]) for i in starts)
            value = in_blocks(value, tuple(joined))
            value = self._mapped(function, [value], self._shortened(tuple(joined)), None)

    def last(self, function: Callable[..., Any], value: Any, sizes: Any, form: Form) -> Any:
        """All results of before at once: along the axes, blocks of the sizes, or none at all."""
        chunks = innermost(raw_of(value)).chunks
        whole = [(sum(c),) if axis in self.axes else c for axis, c in enumerate(chunks)]
        value = in_blocks(value, tuple(whole))
        gone = [axis for axis in range(len(chunks)) if sizes.get(axis, 1) is None]
        left = [((sizes[a],) if sizes.get(a) else c) for a, c in enumerate(whole) if a not in gone]
        return map_blocks(function, value, drop_axis=gone, chunks=tuple(left), **form)

    def _shortened(self, chunks: Any) -> tuple[Any, ...]:
        return tuple(
            (self.length,) * len(c) if axis in self.axes else c for axis, c in enumerate(chunks)
        )

    def _mapped(self, function: Any, args: Sequence[Any], chunks: Any, new: int | None) -> Any:
        if new is None:
            return map_blocks(function, *args, chunks=chunks)
        return map_blocks(function, *args, chunks=(*chunks, (new,)), new_axis=[len(chunks)])


class Packed(OfFunction):
    """A step whose results are dicts and tuples of arrays, as a function of arrays."""

    __slots__ = ("axes", "is_first", "is_last", "options", "template")

    def __init__(
        self,
        function: Callable[..., Any],
        options: dict[str, Any],
        *,
        template: Any,
        axes: tuple[int, ...],
        is_first: bool = False,
        is_last: bool = False,
    ) -> None:
        super().__init__(function)
        self.options = options
        self.template = template
        self.axes = axes
        self.is_first = is_first
        self.is_last = is_last

    def __call__(self, *blocks: Any) -> Any:
        """One array of the result's, unless this is the last step."""
        given = blocks if self.is_first else [self._listed(blocks[0], self.axes)]
        result = self.function(*given, **self.options)
        if self.is_last:
            return result
        parts = [_numbers(part, unit) for part, unit in _pairs(result, self.template)]
        return wrap(ops.stack(ops.broadcast_arrays(*parts), axis=-1), PURE)

    def _listed(self, block: Any, axes: Sequence[int]) -> Any:
        """The results of steps before, in a list for each axis."""
        if not axes:
            raw = raw_of(block)
            parts = (raw[..., i] for i in range(raw.shape[-1]))
            return _built(self.template, parts)
        first, *rest = axes
        keys = [(slice(None),) * first + (slice(i, i + 1),) for i in range(block.shape[first])]
        return [self._listed(block[key], rest) for key in keys]


def _leaves(template: Any) -> Iterator[Any]:
    if isinstance(template, (dict, tuple)):
        for part in template.values() if isinstance(template, dict) else template:
            yield from _leaves(part)
    else:
        yield template


def _pairs(result: Any, template: Any) -> Iterator[tuple[Any, Any]]:
    """The arrays of a result with the units that they are to have."""
    if isinstance(template, dict):
        for name, part in template.items():
            yield from _pairs(result[name], part)
    elif isinstance(template, tuple):
        for one, part in zip(result, template, strict=True):
            yield from _pairs(one, part)
    else:
        yield result, template


def _built(template: Any, parts: Iterator[Any]) -> Any:
    if isinstance(template, dict):
        return {name: _built(part, parts) for name, part in template.items()}
    if isinstance(template, tuple):
        return tuple(_built(part, parts) for part in template)
    part = next(parts)
    return part if template is None else wrap(part, template)


def _numbers(part: Any, unit: Any) -> Any:
    """The raw numbers of a result, in the unit planned."""
    return part.to(unit)._raw if isinstance(part, DimArray) and unit is not None else raw_of(part)
