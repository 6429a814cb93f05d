"""Functions on blocks that see a part of their neighbours."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import dask.array as da
import numpy as np
from dask.array.overlap import coerce_boundary, coerce_depth

from dimflow.array.core import Core
from dimflow.array.in_place import in_unit
from dimflow.autodiff.carrier import Carrier, innermost
from dimflow.autodiff.layout import relaid
from dimflow.backends.dask_blocks.lengths import is_known, unknown_length
from dimflow.dask.blocks.axes import several
from dimflow.dask.blocks.cutting import unified
from dimflow.dask.blocks.mapping import mapped
from dimflow.dask.blocks.planning import declared, with_result_unit
from dimflow.dask.differentiable.halos import overlapped, trimmed
from dimflow.dask.followed import refuse_batches
from dimflow.errors import MissingRule, ShapeMismatch, StructureMismatch, UnitError
from dimflow.ops.rules.units import PURE
from dimflow.ops.rules.values import refuse_cut
from dimflow.units import Unit

_KINDS = ("none", "periodic", "reflect", "nearest")

Depth = dict[int, Any]
Boundary = dict[int, Any]


def overlap(x: Any, depth: Any, boundary: Any, *, allow_rechunk: bool = True) -> Any:
    """Blocks with `depth` elements of their neighbours on every side.

    `boundary` says what is beyond the ends: "none", "periodic", "reflect", "nearest", or a
    quantity: `20 * units.degC`.
    """
    raw, unit = _parts(x, "overlap")
    depths = _depths("overlap", raw, depth)
    edges = _edges("overlap", raw, unit, boundary)
    _check("overlap", raw, depths, edges, allow_rechunk)
    shared = overlapped(raw, depths, edges, allow_rechunk)
    return with_result_unit(shared, unit)


def trim_overlap(x: Any, depth: Any, boundary: Any = None) -> Any:
    """Blocks without what `overlap` of the same depth and boundary added to them."""
    raw, unit = _parts(x, "trim_overlap")
    edges = _edges("trim_overlap", raw, unit, boundary)
    return with_result_unit(trimmed(raw, _depths("trim_overlap", raw, depth), edges), unit)


def map_overlap(
    func: Callable[..., Any],
    *args: Any,
    depth: Any = None,
    boundary: Any = None,
    trim: bool = True,
    align_arrays: bool = True,
    allow_rechunk: bool = True,
    unit: Any = None,
    dtype: Any = None,
    meta: Any = None,
    name: str | None = None,
    token: str | None = None,
    chunks: Any = None,
    drop_axis: Any = None,
    new_axis: Any = None,
    enforce_ndim: bool = True,
    **kwargs: Any,
) -> Any:
    """`func` on every block with `depth` elements of its neighbours, which are cut off afterwards.

        map_overlap(laplacian, T, depth=1, boundary="periodic")

    Units are those of `map_blocks`. A `boundary` that is a value has a unit (`20 * units.degC`);
    0, inf and nan need none. All else is as in `dask.array.map_overlap`.
    """
    del enforce_ndim  # it is, whatever was asked for
    shared = _shared(args, depth, boundary, align_arrays, allow_rechunk)
    is_trimmed = trim and shared.is_deep
    if shared.is_deep and not trim and chunks is None:
        chunks = shared.own_chunks()
    options = {"name": name, "token": token, "chunks": chunks}
    axes = {"drop_axis": drop_axis, "new_axis": new_axis}
    said = declared(unit, dtype, meta)
    result = mapped("map_overlap", func, shared.arrays, kwargs, said, **options, **axes)
    return shared.trimmed(result, drop_axis, new_axis) if is_trimmed else result


class _Shared(NamedTuple):
    """Arrays whose blocks have a part of their neighbours, and how much that is."""

    arrays: list[Any]
    depths: list[Depth]
    edges: list[Boundary]
    is_deep: bool

    def own_chunks(self) -> tuple[tuple[int, ...], ...]:
        """The lengths of the first array's blocks without what was shared."""
        chunks = innermost(_parts(self.arrays[0], "map_overlap")[0]).chunks
        parts = (chunks, self.depths[0].values(), self.edges[0].values())
        return tuple(map(_uncovered, *parts))

    def trimmed(self, result: Any, dropped: Any, new: Any) -> Any:
        """A result without the parts of neighbours, which it has where the widest array has."""
        widest = max(range(len(self.arrays)), key=lambda i: self.arrays[i].ndim)
        depths, edges = self.depths[widest], self.edges[widest]
        kept = _kept_axes(self.arrays[widest].ndim, dropped, new, result.ndim)
        cut = {a: 0 if source is None else depths[source] for a, source in kept.items()}
        ends = {a: "none" if source is None else edges[source] for a, source in kept.items()}
        raw, unit = _parts(result, "map_overlap")
        return with_result_unit(trimmed(raw, cut, ends), unit)


def _shared(args: Any, depth: Any, boundary: Any, align: bool, allow_rechunk: bool) -> _Shared:
    parts = [_parts(x, "map_overlap") for x in args]
    raws, units = [raw for raw, _ in parts], [unit for _, unit in parts]
    depths = [_depths("map_overlap", *one) for one in zip(raws, _each(depth, raws), strict=True)]
    given = zip(raws, units, _each(boundary, raws), strict=True)
    edges = [_edges("map_overlap", *one) for one in given]
    raws = _unified(raws) if align else raws
    is_deep = any(np.any(d) for each in depths for d in each.values())
    if is_deep:
        shared = []
        for raw, d, edge in zip(raws, depths, edges, strict=True):
            _check("map_overlap", raw, d, edge, allow_rechunk)
            shared.append(overlapped(raw, d, edge, allow_rechunk))
        raws = shared
    arrays = list(map(with_result_unit, raws, units))
    return _Shared(arrays, depths, edges, is_deep)


def _uncovered(lengths: Sequence[int], depth: Any, edge: Any) -> tuple[int, ...]:
    """The lengths of blocks without what was shared."""
    left, right = depth if isinstance(depth, tuple) else (depth, depth)
    has_ends = isinstance(edge, str) and edge == "none"
    last = len(lengths) - 1
    return tuple(
        n - (0 if has_ends and i == 0 else left) - (0 if has_ends and i == last else right)
        for i, n in enumerate(lengths)
    )


def _kept_axes(ndim: int, dropped: Any, new: Any, ndim_out: int) -> dict[int, int | None]:
    """For every axis of a result, that of the block that it was; None for new ones."""
    gone = {d % ndim for d in several(dropped)}
    left = iter([axis for axis in range(ndim) if axis not in gone])
    count = ndim_out - (ndim - len(gone))
    fresh = set(range(count)) if new is None else {a % ndim_out for a in several(new)}
    return {axis: None if axis in fresh else next(left) for axis in range(ndim_out)}


def _parts(x: Any, operation: str) -> tuple[Any, Unit | None]:
    raw, unit = (x._raw, x._unit) if isinstance(x, Core) else (x, None)
    refuse_batches(operation, [raw])
    if not isinstance(innermost(raw), da.Array):
        hint = "cut it into blocks: DaskDimArray.from_array(x, chunks=...); others are keywords"
        raise StructureMismatch(operation, "lazy arrays", type(x).__name__, hint)
    return raw, unit


def _each(given: Any, raws: list[Any]) -> list[Any]:
    """One for every array: a list is one each, all else is for all of them."""
    return given if isinstance(given, list) else [given] * len(raws)


def _depths(operation: str, raw: Any, depth: Any) -> Depth:
    depths: Depth = coerce_depth(raw.ndim, depth)
    if any(d < 0 for each in depths.values() for d in np.ravel(each)):
        raise ShapeMismatch(operation, "depths of 0 and more", depth)
    return depths


def _edges(operation: str, raw: Any, unit: Unit | None, boundary: Any) -> Boundary:
    """What is beyond the ends of each axis: kinds, and numbers in the array's unit."""
    edges = coerce_boundary(raw.ndim, boundary)
    return {axis: _edge(operation, raw, unit, edge) for axis, edge in edges.items()}


def _edge(operation: str, raw: Any, unit: Unit | None, edge: Any) -> Any:
    if edge is None:
        return "none"
    if isinstance(edge, str):
        if edge not in _KINDS:
            kinds = ", ".join(map(repr, _KINDS))
            raise UnitError(
                f"{operation} knows no boundary {edge!r:.60}",
                f"one of {kinds}, or a quantity such as {_example(unit)}",
            )
        return edge
    value = in_unit(unit or PURE, edge, f"the boundary of {operation}")
    refuse_cut(value, raw.dtype)
    return value.item() if hasattr(value, "item") else value


def _example(unit: Unit | None) -> str:
    return f"20 * Unit({str(unit)!r})" if unit is not None and str(unit) else "20"


def _unified(raws: list[Any]) -> list[Any]:
    """Arrays with their blocks cut alike along axes that are counted from the last."""
    indices = [tuple(reversed(range(raw.ndim))) for raw in raws]
    if not any(isinstance(raw, Carrier) for raw in raws):
        return unified(raws, indices)[1]
    cut = unified(list(map(innermost, raws)), indices)[1]
    return [relaid(raw, _cutter(like.chunks)) for raw, like in zip(raws, cut, strict=True)]


def _cutter(chunks: Any) -> Callable[[Any], Any]:
    return lambda raw: raw.rechunk(chunks)


def _check(operation: str, raw: Any, depths: Depth, edges: Boundary, allow_rechunk: bool) -> None:
    raw = innermost(raw)
    if not is_known(raw):
        raise unknown_length(operation, raw)
    for axis, depth in depths.items():
        most = max(np.ravel(depth))
        if isinstance(depth, tuple) and edges[axis] != "none":
            rule = "rule for depths that differ beside a boundary"
            raise MissingRule(operation, rule, 'leave out boundary=, or give it as "none"')
        if most > raw.shape[axis]:
            wanted = f"a depth of at most {raw.shape[axis]} along axis {axis}"
            raise ShapeMismatch(operation, wanted, most)
        if not allow_rechunk and most > min(raw.chunks[axis]):
            wanted = f"blocks of at least {most} along axis {axis}"
            raise ShapeMismatch(operation, wanted, raw.chunks[axis], "allow_rechunk=True")
