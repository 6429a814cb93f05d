"""Functions of some axes, in a loop over all others, that a derivative goes through."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
from dask.array.gufunc import _validate_normalize_axes
from dask.array.utils import validate_axis

from dimflow import ops
from dimflow.dask.blocks.along import applied
from dimflow.dask.blocks.call import OfFunction
from dimflow.dask.blocks.gufuncs import apply_gufunc, parsed
from dimflow.dask.differentiable.following import FollowedCall, in_blocks, without_trace
from dimflow.dask.followed import refuse_followed


class Looped(OfFunction):
    """A function of core axes, which are the last, called for every place along the others."""

    __slots__ = ("cores", "count")

    def __init__(
        self, function: Callable[..., Any], cores: Sequence[int], count: int | None
    ) -> None:
        super().__init__(function)
        self.cores = cores  # how many core axes each argument has
        self.count = count  # of results; None for one that is no tuple

    def __call__(self, *blocks: Any, **kwargs: Any) -> Any:
        """The results of all calls, put together."""
        pairs = list(zip(blocks, self.cores, strict=True))
        loop = np.broadcast_shapes(*(b.shape[: b.ndim - n] for b, n in pairs))
        full = [ops.broadcast_to(b, shape=(*loop, *b.shape[b.ndim - n :])) for b, n in pairs]
        found = [
            self.function(*(b[place] for b in full), **kwargs)
            for place in product(*map(range, loop))
        ]
        if self.count is None:
            return _together(found, loop)
        return tuple(_together([f[i] for f in found], loop) for i in range(self.count))


def _together(found: Sequence[Any], loop: tuple[int, ...]) -> Any:
    whole = ops.stack(found, axis=0)
    return ops.reshape(whole, shape=(*loop, *whole.shape[1:]))


class Along(OfFunction):
    """A function of one axis on every slice of a block: what it gives takes the axis' place."""

    __slots__ = ("axis",)

    def __init__(self, function: Callable[..., Any], axis: int) -> None:
        super().__init__(function)
        self.axis = axis

    def __call__(self, block: Any, *args: Any, **kwargs: Any) -> Any:
        """The results for all slices, put together."""

        def of_slice(one: Any) -> Any:
            return self.function(one, *args, **kwargs)

        found = Looped(of_slice, [1], None)(ops.moveaxis(block, source=self.axis, destination=-1))
        new = found.ndim - (block.ndim - 1)
        sources = tuple(range(found.ndim - new, found.ndim))
        places = tuple(range(self.axis, self.axis + new))
        return ops.moveaxis(found, source=sources, destination=places)


def along_axis(
    operation: str,
    func1d: Callable[..., Any],
    axis: int,
    args: Sequence[Any],
    form: dict[str, Any],
    kwargs: dict[str, Any],
) -> Any:
    """`apply_along_axis` of an array that a derivative goes through."""

    def first(*values: Any) -> Any:
        return applied(operation, func1d, axis, values[0], values[1:], **form, kwargs=kwargs)

    refuse_followed(operation, args[1:])
    axis = validate_axis(axis, args[0].ndim)
    index = tuple(range(args[0].ndim))
    new = first(*map(without_trace, args)).ndim - (len(index) - 1)
    out = (*index[:axis], *(("new", i) for i in range(new)), *index[axis + 1 :])
    indices = [index, *[None] * (len(args) - 1)]
    call = FollowedCall(operation, Along(func1d, axis), args, indices, [out], kwargs)
    return call.result(lambda values: [first(*values)])[0]


def generalised(
    func: Callable[..., Any],
    signature: Any,
    args: Sequence[Any],
    axes: dict[str, Any],
    options: dict[str, Any],
    kwargs: dict[str, Any],
) -> Any:
    """`apply_gufunc` of arrays that a derivative goes through: core axes are moved to the end."""
    inputs, outputs = parsed(signature, args)
    is_many = isinstance(outputs, list)
    given_axes, made_axes = _validate_normalize_axes(*axes.values(), inputs, outputs)
    pairs = zip(args, given_axes, strict=True)
    args = [ops.moveaxis(a, source=own, destination=_last(own)) for a, own in pairs]
    counts = [a.ndim - len(names) for a, names in zip(args, inputs, strict=True)]
    loop = tuple(reversed(range(max(counts))))
    indices = [(*loop[len(loop) - n :], *names) for n, names in zip(counts, inputs, strict=True)]
    results = outputs if is_many else [outputs]
    core = [len(names) for names in inputs]
    whole = Looped(func, core, len(results) if is_many else None) if options["vectorize"] else func
    names = frozenset(name for names in inputs for name in names)
    out_inds = [(*loop, *names) for names in results]
    call = FollowedCall("apply_gufunc", whole, args, indices, out_inds, kwargs, whole=names)

    def first(values: Sequence[Any]) -> Any:
        if options["allow_rechunk"]:  # Dask would cut the other axes anew as well
            values = list(map(in_blocks, values, call.chunks))
        made = apply_gufunc(func, signature, *values, **options, **kwargs)
        return made if is_many else [made]

    found = call.result(first)
    if axes["keepdims"]:
        pairs = zip(found, made_axes, strict=True)
        found = [ops.expand_dims(f, axis=_last(own)) for f, own in pairs]
    each = zip(found, made_axes, strict=True)
    moved = [ops.moveaxis(f, source=_last(own), destination=own) for f, own in each]
    return tuple(moved) if is_many else moved[0]


def _last(axes: Sequence[int]) -> tuple[int, ...]:
    return tuple(range(-len(axes), 0))
