"""Reductions by a user's functions, and a few of Dask's own."""

from collections.abc import Callable
from functools import partial
from typing import Any

import dask.array as da
import numpy as np
from dask import config
from dask.array.core import handle_out
from dask.array.routines import aligned_coarsen_chunks
from dask.array.utils import meta_from_array, validate_axis
from dask.utils import getargspec

from dimflow.array.core import Core, is_followed
from dimflow.autodiff.carrier import innermost
from dimflow.autodiff.layout import relaid
from dimflow.backends.dask_blocks.holes import with_holes
from dimflow.dask.blocks.call import BlockCall, OfFunction
from dimflow.dask.blocks.mapping import called, mapped
from dimflow.dask.blocks.places import Reduced
from dimflow.dask.blocks.planning import (
    Declared,
    Plan,
    declared,
    ones,
    planned,
    samples_of,
    tried,
    with_result_unit,
)
from dimflow.dask.blocks.settling import Wanted, described, taken_apart
from dimflow.dask.followed import refuse_followed
from dimflow.dask.host.patches import own
from dimflow.errors import NotANumber, ShapeMismatch, StructureMismatch, UnitError
from dimflow.ops.rules.convert import checked_converter
from dimflow.ops.rules.units import PURE
from dimflow.units import Unit

OPERATION = "reduction"


def reduction(
    x: Any,
    chunk: Callable[..., Any],
    aggregate: Callable[..., Any],
    axis: Any = None,
    keepdims: bool = False,
    dtype: Any = None,
    split_every: Any = None,
    combine: Callable[..., Any] | None = None,
    name: str | None = None,
    out: Any = None,
    concatenate: bool = True,
    output_size: int = 1,
    meta: Any = None,
    weights: Any = None,
    unit: Any = None,
) -> Any:
    """A reduction by `chunk` on every block, `combine` on some results, `aggregate` at the end.

        reduction(x, lambda b, axis, keepdims: (b**2).sum(axis, keepdims=keepdims), rms)

    Each stage gets DimArrays in the unit that the stage before gave, and may change it, but for
    `combine`, whose results are combined again. Stages in between may give dicts and tuples, with
    `concatenate=False`. `unit` is that of the result, if it is to be declared; the dtype need not
    be. All else is as in `dask.array.reduction`.
    """
    raw, _ = _lazy(OPERATION, x, follows=True)
    axes = validate_axis(tuple(range(raw.ndim)) if axis is None else axis, raw.ndim)
    axes = axes if isinstance(axes, tuple) else (axes,)
    args = (x,) if weights is None else (x, weights)
    stages = Stages(axes, keepdims, concatenate, output_size)
    if any(map(is_followed, args)):
        from dimflow.dask.differentiable.reducing import reduced

        refuse_followed("reduction(..., out=)", () if out is None else args)
        functions = [_typed(f, dtype) for f in (chunk, combine or aggregate, aggregate)]
        form = {"unit": unit, "dtype": dtype, "meta": meta}
        return reduced(stages, args, functions, split_every, form)
    first, given = called(OPERATION, _typed(chunk, dtype), args, {})
    sample = stages.plan_first(first, given.raws)
    last = BlockCall(OPERATION, _typed(aggregate, dtype), (units_of(first.wanted),), {})
    plan = stages.plan_last(last, sample, declared(unit, dtype, meta))
    between = BlockCall(OPERATION, combine or last.function, last.units, {})
    between.wanted, between.shape = first.wanted, first.shape
    result = own("reduction")(
        raw,
        first,
        last,
        axis=axes,
        keepdims=keepdims,
        dtype=plan.wanted.dtype,
        split_every=split_every,
        combine=between,
        name=name,
        concatenate=concatenate,
        output_size=output_size,
        meta=meta_from_array(plan.meta, raw.ndim if keepdims else raw.ndim - len(axes)),
        weights=None if weights is None else given.raws[1],
    )
    if _is_repeated(raw, axes, split_every):
        stages.check_between(between, sample)
    for call in (first, between, last):
        call.array = result.name
    made = with_result_unit(with_holes(result, (raw,)), plan.wanted.unit)
    return made if out is None else _written(out, made)


class Stages:
    """What the stages of one reduction have in common, and how they are tried."""

    def __init__(
        self, axes: tuple[int, ...], keepdims: bool, concatenate: bool, output_size: int
    ) -> None:
        self.axes = axes
        self.keepdims = keepdims
        self.concatenate = concatenate
        self.output_size = output_size

    def plan_first(self, call: BlockCall, raws: list[Any]) -> Any:
        """Plan for the first stage. The result for a sample is one for the next."""
        arrays = [a if isinstance(a, da.Array) else da.asanyarray(a) for a in raws]
        samples = (
            [np.broadcast_to(a, np.shape(args[0])) for a in args] for args in samples_of(arrays)
        )
        return self.plan_on(call, samples)

    def plan_on(self, call: BlockCall, samples: Any) -> Any:
        """Plan for the first stage by one of these samples."""
        options = {"axis": self.axes, "keepdims": True}
        result = tried(call, samples, options, Declared(dtype=float))
        call.wanted = _wanted(call, result)
        # Between stages lengths are the user's own affair: a sum and a count side by side are 2.
        call.shape = Reduced(self.axes, True, np.nan) if self.concatenate else None
        return _raws(result)

    def plan_last(self, call: BlockCall, sample: Any, said: Declared) -> Plan:
        """Plan for the last stage."""
        options = {"axis": self.axes, "keepdims": self.keepdims}
        plan = planned(call, said, [[self._listed(sample)]], options)
        call.wanted = plan.wanted
        if self.concatenate:
            call.shape = Reduced(self.axes, self.keepdims, self.output_size)
        return plan

    def check_between(self, call: BlockCall, sample: Any) -> None:
        """An error unless a stage gives what it is given, so that it may be repeated."""
        options = {"axis": self.axes, "keepdims": True}
        result = tried(call, [[self._listed(sample)]], options, Declared(dtype=float))
        given, wanted = _wanted(call, result), call.wanted
        if _meanings(given) == _meanings(wanted):
            return
        problem = f"combine in {OPERATION} is repeated, so what it gives has to be what it gets"
        kinds = f"\n  gets:  {_kind(wanted)}\n  gives: {_kind(given)}"
        raise UnitError(problem + kinds, "give combine=, a function that keeps the unit")

    def _listed(self, sample: Any) -> Any:
        """Results of a stage as the next gets them: put together, or in a list for each axis."""
        for _ in () if self.concatenate else self.axes:
            sample = [sample]
        return sample


def _is_repeated(raw: Any, axes: tuple[int, ...], split_every: Any) -> bool:
    """Whether there are more blocks than are put together at once."""
    given = split_every or config.get("split_every", 4)
    for axis in axes:
        at_once = given.get(axis, 2) if isinstance(given, dict) else int(given ** (1 / len(axes)))
        if raw.numblocks[axis] > max(at_once, 2):
            return True
    return False


def _typed(function: Any, dtype: Any) -> Any:
    """A function that is told the dtype, if it asks for it; as Dask does."""
    if dtype is None or not callable(function):
        return function
    try:
        is_asked = "dtype" in getargspec(function).args
    except TypeError:  # not every function can be looked into
        is_asked = False
    return partial(function, dtype=dtype) if is_asked else function


def _wanted(call: BlockCall, result: Any) -> Any:
    """What a stage gives, from what it gave for a sample. Dtypes may differ between blocks."""
    if isinstance(result, dict):
        return {name: _wanted(call, part) for name, part in result.items()}
    if isinstance(result, tuple):
        return tuple(_wanted(call, part) for part in result)
    found = taken_apart(result)
    if found is None:
        raise NotANumber(f"the result of {call.__name__} in {call.operation}", described(result))
    return Wanted(found[1])


def _raws(result: Any) -> Any:
    if isinstance(result, dict):
        return {name: _raws(part) for name, part in result.items()}
    if isinstance(result, tuple):
        return tuple(_raws(part) for part in result)
    return taken_apart(result)[0]  # type: ignore[index]


def units_of(wanted: Any) -> Any:
    """The units of what a stage gives, in the form that it has."""
    if isinstance(wanted, dict):
        return {name: units_of(part) for name, part in wanted.items()}
    return wanted.unit if isinstance(wanted, Wanted) else tuple(units_of(part) for part in wanted)


def _meanings(wanted: Any) -> Any:
    if isinstance(wanted, dict):
        return {name: _meanings(part) for name, part in wanted.items()}
    if isinstance(wanted, Wanted):
        return (wanted.unit or PURE).key
    return [_meanings(part) for part in wanted]


def _kind(wanted: Any) -> str:
    if isinstance(wanted, Wanted):
        return f"an array in {str(wanted.unit or PURE) or '1'}"
    parts = wanted.items() if isinstance(wanted, dict) else enumerate(wanted)
    return ", ".join(f"{name}: {_kind(part)}" for name, part in parts)


def _written(out: Any, result: Any) -> Any:
    """The result put in the place of another array, in the unit that this has."""
    if not isinstance(out, Core):
        handle_out(out, result._pure("out=") if isinstance(result, Core) else result)
        return out
    raw, unit = (result._raw, result._unit) if isinstance(result, Core) else (result, PURE)
    convert = checked_converter(unit, out._unit)
    handle_out(out._raw, raw if convert is None else convert(raw))
    return out


def _lazy(operation: str, x: Any, follows: bool = False) -> tuple[Any, Unit | None]:
    raw, unit = (x._raw, x._unit) if isinstance(x, Core) else (x, None)
    if not follows:
        refuse_followed(operation, (x,))
    if not isinstance(innermost(raw), da.Array):
        hint = "cut it into blocks: DaskDimArray.from_array(x, chunks=...)"
        raise StructureMismatch(operation, "a lazy array", type(x).__name__, hint)
    return raw, unit


def coarsen(
    reduction: Callable[..., Any],
    x: Any,
    axes: dict[int, int],
    trim_excess: bool = False,
    unit: Any = None,
    **kwargs: Any,
) -> Any:
    """Neighbours put together by a reduction: `coarsen(np.mean, x, {0: 2, 1: 2})`."""
    raw, own = _lazy("coarsen", x, follows=True)
    if getattr(reduction, "__module__", "").startswith("dask."):
        reduction = getattr(np, reduction.__name__)
    sizes = tuple(int(axes.get(axis, 1)) for axis in range(raw.ndim))
    if not trim_excess and any(n % size for n, size in zip(raw.shape, sizes, strict=True)):
        wanted = f"lengths that {axes} divides"
        raise ShapeMismatch("coarsen", wanted, raw.shape, "drop the rest: trim_excess=True")
    if any(n % size for n, size in zip(raw.shape, sizes, strict=True)):
        raw = raw[tuple(slice(n - n % s) for n, s in zip(raw.shape, sizes, strict=True))]
    chunks = innermost(raw).chunks
    aligned = tuple(map(aligned_coarsen_chunks, chunks, sizes))
    raw = raw if aligned == chunks else relaid(raw, lambda x: x.rechunk(aligned))
    return mapped(
        "coarsen",
        Coarsened(reduction, sizes, kwargs),
        [with_result_unit(raw, own)],
        {},
        declared(unit, None, None),
        samples=[[ones(innermost(raw), sizes)]],
        token="coarsen",
        chunks=tuple(
            tuple(n // size for n in lengths) for lengths, size in zip(aligned, sizes, strict=True)
        ),
    )


class Coarsened(OfFunction):
    """A reduction of groups of neighbours, as a function of a block."""

    __slots__ = ("kwargs", "sizes")

    def __init__(self, reduction: Any, sizes: tuple[int, ...], kwargs: dict[str, Any]) -> None:
        super().__init__(reduction)
        self.sizes = sizes
        self.kwargs = kwargs

    def __call__(self, block: Any) -> Any:
        """One element for each group."""
        pairs = zip(block.shape, self.sizes, strict=True)
        groups = block.reshape(tuple(n for length, size in pairs for n in (length // size, size)))
        return self.function(groups, axis=tuple(range(1, groups.ndim, 2)), **self.kwargs)


def topk(a: Any, k: int, axis: int = -1, split_every: Any = None) -> Any:
    """The k largest elements along an axis, the largest first; the smallest with a negative k."""
    raw, unit = _lazy("topk", a)
    return with_result_unit(own("topk")(raw, k, axis=axis, split_every=split_every), unit)


def argtopk(a: Any, k: int, axis: int = -1, split_every: Any = None) -> Any:
    """Where the k largest elements along an axis are, as plain numbers."""
    raw, _ = _lazy("argtopk", a)
    return own("argtopk")(raw, k, axis=axis, split_every=split_every)
