"""Histograms: how many values fall into each bin."""

import operator
from math import prod
from typing import Any, NamedTuple

import numpy as np

from dimflow import ops
from dimflow.errors import MissingRule, ShapeMismatch, UnitChoiceError, UnitError
from dimflow.ops.definitions import histograms as definitions
from dimflow.ops.domain import Sample
from dimflow.ops.families.reduce.parts import arrayed
from dimflow.ops.families.reduce.reductions import extreme_jvp
from dimflow.ops.rules import batching, costs, dtypes, points
from dimflow.ops.rules.derivatives import DISCRETE, Jvp, Linear
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.units import (
    PURE,
    ZERO,
    Call,
    Resolved,
    UnitRule,
    common,
    pure,
    same,
    same_to_plain,
    unit_of,
    unit_rule,
)
from dimflow.ops.table import composite, primitive

_BY_VALUES = "the length of the result depends on the values"
_ENDS = "give the ends of the bins, range=(low, high), or their edges, bins=[...]"


class Histogram(NamedTuple):
    """Counts (or a density) and the edges of the bins."""

    counts: Any
    edges: Any


class Histogram2d(NamedTuple):
    """Counts (or a density) and the edges of the bins along each axis."""

    counts: Any
    x_edges: Any
    y_edges: Any


def _scattered(rng: Any, size: int = 20) -> Any:
    """Numbers from -1.2 to 1.8, none of them near an edge of up to five bins between these ends."""
    edges = np.concatenate([np.linspace(0.0, 1.0, n + 1) for n in (2, 3, 4, 5)])
    parts = rng.uniform(size=9 * size)
    clear = parts[np.abs(parts[:, None] - edges).min(axis=1) > 0.01]
    return rng.permutation([0.0, 1.0, *clear[: size - 2]]) * 3.0 - 1.2


_RANGE = (-0.6, 1.2)  # three bins here end where five between the extremes do


# Edges


def _edges_jvp(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    """All edges lie between the ends, whose tangents are those of the extremes or of `range`."""
    (x, limits), (t, t_limits) = args, tangents
    count = shape_of(out)[0]
    if count != count:  # nan: of a lazy array only the data know
        rule = f"derivative rule for bins={params['bins']!r} of a lazy array"
        raise MissingRule("spaced_edges", rule, "give the number of bins")
    part = np.linspace(0.0, 1.0, count)
    if (t if limits is None else t_limits) is None or (limits is None and 0 in shape_of(x)):
        return ops.zeros_like(out)
    if limits is not None:
        low, high = t_limits[0], t_limits[1]
    else:
        whole = {"axis": None, "keepdims": False}
        low = extreme_jvp((t,), ops.min(x), (x,), whole)
        high = extreme_jvp((t,), ops.max(x), (x,), whole)
    return ops.add(ops.multiply(low, 1 - part), ops.multiply(high, part))


def _edges_shape(shapes: Any, params: Any) -> Any:
    bins = params["bins"]
    return (None if isinstance(bins, str) else int(bins) + 1,)


primitive(
    "spaced_edges",
    doc="Edges of bins of one width between the extremes, or the ends of `range`. A text for the "
    "number of bins names one of NumPy's estimators. Where all values are one, the bins reach "
    "from half a unit below it to half a unit above.",
    signature="x, /, bins=10, *, range=None",
    arrays=("x", "range"),
    unit=same,
    points=points.blend,
    shape=_edges_shape,
    dtype=dtypes.floating,
    derivative=Jvp(_edges_jvp),
    batching=batching.looped,
    cost=costs.per_input(2),
    numpy="",
    definition=definitions.spaced_edges,
    domain=lambda rng: [
        Sample((rng.normal(size=20),), {"bins": 4}),
        Sample((rng.normal(size=(3, 4)), np.array([-1.0, 2.0])), {"bins": 3}),
    ],
)


def _is_number_of_bins(bins: Any) -> bool:
    return isinstance(bins, str) or not (isinstance(bins, (list, tuple, range)) or shape_of(bins))


def _ends(limits: Any) -> Any:
    """The two ends of `range` as one array: (0, 5 m) too."""
    if isinstance(limits, (list, tuple)):
        if len(limits) != 2:
            raise ShapeMismatch("histogram", "a range of two ends", f"{len(limits)}")
        return ops.stack(list(limits))
    return limits


@composite(
    numpy="histogram_bin_edges",
    arrays=("x", "range", "weights"),
    domain=lambda rng: [
        Sample((rng.normal(size=20),), {"bins": 5}),
        Sample((rng.normal(size=20), np.array([-1.0, 1.5])), {"bins": 3}),
        Sample((rng.normal(size=20),), {"bins": "fd"}),
    ],
)
def histogram_bin_edges(x: Any, /, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """The edges of a histogram's bins, in the unit of x; edges that are given are kept."""
    edges = _edges_of(x, bins, range, weights)
    if not _is_number_of_bins(bins):
        ops.bin_counts(x, edges)  # which tells whether values fall between such edges at all
    return edges


def _edges_of(x: Any, bins: Any, limits: Any, weights: Any = None) -> Any:
    if _is_number_of_bins(bins):
        if isinstance(bins, str) and weights is not None:
            raise UnitError(
                f"histogram cannot estimate bins ({bins!r}) of weighted data",
                "give the number of bins, or their edges",
            )
        bins = bins if isinstance(bins, str) else operator.index(bins)
        limits = _ends(limits)
        return _unwidened(ops.spaced_edges(x, bins=bins, range=limits), x, limits)
    return bins if shape_of(bins) else ops.stack(list(bins))


def _unwidened(edges: Any, x: Any, limits: Any) -> Any:
    """The edges, if they do not lie half a unit, of whatever unit, around a single value.

    Of numbers that only another library knows, these are nan.
    """
    unit = getattr(edges, "unit", PURE)
    if unit.key is PURE.key:
        return edges
    if limits is not None:
        is_one = ops.equal(limits[0], limits[1])
    else:
        is_one = 0 in shape_of(x) or ops.equal(ops.min(x), ops.max(x))
    raw = getattr(is_one, "data", is_one)
    if not isinstance(raw, (bool, np.bool_, np.ndarray)):
        return ops.where(is_one, np.nan, edges)
    if raw:
        error = UnitChoiceError("histogram", unit)
        error.hint = f"one value has no width: {_ENDS}"
        raise error
    return edges


# Counts


primitive(
    "bin_counts",
    doc="How many values fall into each bin. The last bin holds its upper edge. `evenly` promises "
    "edges of spaced_edges, which is faster.",
    signature="x, edges, /, *, evenly=False",
    unit=same_to_plain,
    points=points.keep,
    shape=lambda shapes, params: (_one_less(shapes[1]),),
    dtype=dtypes.index,
    derivative=DISCRETE,
    batching=batching.looped,
    cost=costs.per_input(4),
    numpy="",
    definition=definitions.bin_counts,
    domain=lambda rng: [Sample((rng.normal(size=9), np.array([-1.0, -0.2, 0.5, 1.0])))],
)


def _one_less(shape: Any) -> int | None:
    """The number of bins between so many edges."""
    if len(shape) != 1:
        raise ShapeMismatch("histogram", "edges of one axis", shape)
    return None if shape[0] is None else shape[0] - 1


@unit_rule
def _sums_unit(call: Call) -> Resolved:
    """Values and edges in one unit; the result in that of the weights."""
    unit = common(call, (0, 1))
    return Resolved((unit, unit, None), unit_of(call, 2))


def _sums_points(rule: UnitRule, call: Call) -> Resolved:
    """Points may be counted; they are no weights."""
    weights = call.units[2]
    if getattr(weights, "law", None) is not None:
        return points.refuse(rule, call._replace(units=(None, None, weights)))
    numbers = call._replace(units=(*call.units[:2], PURE if weights is ZERO else weights))
    return points.keep(rule, numbers)


def _sums_transpose(ct: Any, args: Any, params: Any) -> Any:
    x, edges, _ = args
    padded = ops.concat([ct, ops.zeros_like(ct[:1])], axis=0)  # for values in no bin
    return None, None, ops.take(padded, ops.bin_index(x, edges), axis=0)


primitive(
    "bin_sums",
    doc="The sum of the weights of all values that fall into each bin, as in bin_counts.",
    signature="x, edges, weights, /, *, evenly=False",
    unit=_sums_unit,
    points=_sums_points,
    shape=lambda shapes, params: (_one_less(shapes[1]),),
    dtype=lambda given, params: dtypes.result_type(given[2:]),
    derivative=Linear(_sums_transpose, (2,)),
    batching=batching.looped,
    cost=costs.per_input(4),
    numpy="",
    definition=definitions.bin_sums,
    domain=lambda rng: [
        Sample((rng.normal(size=9), np.array([-1.0, 0.5, 1.0]), rng.normal(size=9))),
        Sample((rng.normal(size=(2, 3)), np.array([-1.0, 0.5, 1.0]), rng.normal(size=(2, 3)))),
    ],
)

primitive(
    "bin_index",
    doc="The index of the bin that each value falls into; the number of bins if into none.",
    signature="x, edges, /",
    unit=same_to_plain,
    points=points.keep,
    shape=lambda shapes, params: tuple(shapes[0]),
    dtype=dtypes.index,
    derivative=DISCRETE,
    batching=lambda op, args, dims, params: (
        (op.run(args, params), dims[0])
        if dims[1] is None
        else batching.looped(op, args, dims, params)
    ),
    cost=costs.per_input(4),
    numpy="",
    definition=definitions.bin_index,
    domain=lambda rng: [Sample((rng.normal(size=(3, 4)), np.array([-1.0, -0.2, 0.5, 1.0])))],
)


def _widths(edges: Any) -> Any:
    """In double precision, as NumPy has it."""
    return ops.astype(edges[1:] - edges[:-1], np.float64)


@composite(
    numpy="histogram",
    arrays=("x", "range", "weights"),
    domain=lambda rng: [
        Sample((_scattered(rng),), {"bins": 5}),
        Sample((_scattered(rng), np.array(_RANGE)), {"bins": 3, "density": True}),
        Sample((_scattered(rng), None, rng.normal(size=20)), {"bins": 4}),
        Sample((_scattered(rng),), {"bins": "sqrt"}),
    ],
)
def histogram(
    x: Any,
    /,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Any = None,
) -> Any:
    """Counts and edges. Edges are in x's unit, counts in that of the weights, a density in 1/x."""
    edges = _edges_of(x, bins, range, weights)
    evenly = _is_number_of_bins(bins)
    if weights is None:
        counts = ops.bin_counts(x, edges, evenly=evenly)
    else:
        counts = ops.bin_sums(x, edges, weights, evenly=evenly)
    if density:
        counts = ops.divide(ops.divide(counts, _widths(edges)), ops.sum(counts))
    return Histogram(counts, edges)


def _joint(columns: list[Any], edges: list[Any], density: bool | None, weights: Any) -> Any:
    """Counts in the boxes that the bins of all columns make."""
    lengths = [shape_of(e)[0] - 1 for e in edges]
    shapes = {shape_of(c) for c in columns}
    if len(shapes) > 1 or any(len(s) != 1 for s in shapes):
        raise ShapeMismatch("histogramdd", "columns of one length", sorted(shapes))
    place: Any = 0
    outside: Any = False
    for column, edge, length in zip(columns, edges, lengths, strict=True):
        index = ops.bin_index(column, edge)
        place = place * length + index
        outside = ops.logical_or(outside, ops.equal(index, length))
    total = prod(lengths)
    place = ops.where(outside, total, place)  # an id of no segment
    values = (
        np.ones(shape_of(columns[0]))
        if weights is None
        else ops.astype(arrayed(weights), np.float64)
    )
    counts = ops.reshape(ops.segment_sum(values, place, num_segments=total), shape=lengths)
    if density:
        counts = ops.divide(counts, ops.sum(counts))
        for axis, edge in enumerate(edges):
            column = (-1, *[1] * (len(edges) - axis - 1))
            counts = ops.divide(counts, ops.reshape(edge[1:] - edge[:-1], shape=column))
    return counts


def _all_edges(columns: list[Any], bins: Any, limits: Any) -> list[Any]:
    """Edges for each column, from one number of bins or one entry for each."""
    count = len(columns)
    each = [bins] * count if _is_number_of_bins(bins) else list(bins)
    limits = [None] * count if limits is None else limits
    for what, given in (("bins", each), ("range", limits)):
        if len(given) != count:
            wanted = f"{what} for each of {count} columns"
            raise ShapeMismatch("histogramdd", wanted, f"{len(given)}")
    return [_edges_of(column, b, r) for column, b, r in zip(columns, each, limits, strict=True)]


@composite(
    numpy="histogram2d",
    arrays=("x", "y", "weights"),
    domain=lambda rng: [
        Sample((_scattered(rng), _scattered(rng)), {"bins": 3}),
        Sample((_scattered(rng), _scattered(rng), rng.normal(size=20)), {"bins": (2, 4)}),
        Sample((_scattered(rng), _scattered(rng)), {"bins": 3, "density": True}),
    ],
)
def histogram2d(
    x: Any,
    y: Any,
    /,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Any = None,
) -> Any:
    """Counts of pairs, and the edges along x and y, each in its own unit."""
    if not _is_number_of_bins(bins) and len(bins) != 2:
        bins = [bins, bins]
    columns = [arrayed(x), arrayed(y)]
    x_edges, y_edges = edges = _all_edges(columns, bins, range)
    return Histogram2d(_joint(columns, edges, density, weights), x_edges, y_edges)


@composite(
    numpy="histogramdd",
    arrays=("sample", "weights"),
    columns=True,
    domain=lambda rng: [
        Sample((np.stack([_scattered(rng) for _ in range(2)], axis=1),), {"bins": 3}),
        Sample(
            (np.stack([_scattered(rng) for _ in range(3)], axis=1), rng.normal(size=20)),
            {"bins": (2, 1, 3)},
        ),
        Sample(
            (np.stack([_scattered(rng) for _ in range(2)], axis=1),), {"bins": 2, "density": True}
        ),
    ],
)
def histogramdd(
    sample: Any,
    /,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Any = None,
) -> Any:
    """Counts of rows, or of a list of columns that may have different units; edges for each."""
    if isinstance(sample, (list, tuple)):
        columns = [arrayed(column) for column in sample]
    else:
        shape = shape_of(sample)
        sample = ops.reshape(sample, shape=(-1, 1)) if len(shape) == 1 else sample
        columns = [sample[:, i] for i in np.arange(shape_of(sample)[1]).tolist()]
    edges = _all_edges(columns, bins, range)
    return Histogram(_joint(columns, edges, density, weights), edges)


# Counts of integers, and places among edges


@unit_rule
def _integer_counts_unit(call: Call) -> Resolved:
    pure(call, 0)
    return Resolved((PURE,), None)


@unit_rule
def _integer_sums_unit(call: Call) -> Resolved:
    pure(call, 0)
    return Resolved((PURE, None), unit_of(call, 1))


primitive(
    "integer_counts",
    doc="How often each integer occurs, from 0 to the largest.",
    signature="x, /, minlength=0",
    unit=_integer_counts_unit,
    shape=lambda shapes, params: (None,),
    dtype=dtypes.index,
    derivative=DISCRETE,
    batching=batching.impossible(_BY_VALUES),
    cost=costs.per_input(1),
    numpy="",
    definition=definitions.integer_counts,
    domain=lambda rng: [Sample((np.array([0, 3, 1, 1]),), {"minlength": 6})],
)

primitive(
    "integer_sums",
    doc="The sum of the weights of each integer, from 0 to the largest.",
    signature="x, weights, /, minlength=0",
    unit=_integer_sums_unit,
    shape=lambda shapes, params: (None,),
    dtype=lambda given, params: np.dtype(np.float64),
    derivative=Linear(lambda ct, args, params: (None, ops.take(ct, args[0], axis=0)), (1,)),
    batching=batching.impossible(_BY_VALUES),
    cost=costs.per_input(1),
    numpy="",
    definition=definitions.integer_sums,
    domain=lambda rng: [Sample((np.array([0, 3, 1, 1]), rng.normal(size=4)), {"minlength": 6})],
)


@composite(
    numpy="bincount",
    torch="bincount",
    arrays=("x", "weights"),
    domain=lambda rng: [
        Sample((np.array([0, 3, 1, 1]),)),
        Sample((np.array([0, 3, 1, 1]), rng.normal(size=4)), {"minlength": 6}),
    ],
)
def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Any:
    """How often each integer occurs, from 0 to the largest, or the sum of its weights."""
    if weights is None:
        return ops.integer_counts(x, minlength=minlength)
    return ops.integer_sums(x, weights, minlength=minlength)


primitive(
    "digitize",
    doc="The index of the bin that each value belongs to, between edges that rise or fall.",
    signature="x, bins, /, right=False",
    unit=same_to_plain,
    points=points.keep,
    shape=lambda shapes, params: tuple(shapes[0]),
    dtype=dtypes.index,
    derivative=DISCRETE,
    batching=lambda op, args, dims, params: (
        (op.run(args, params), dims[0])
        if dims[1] is None
        else batching.looped(op, args, dims, params)
    ),
    cost=costs.per_input(4),
    torch="bucketize",
    definition=definitions.digitize,
    domain=lambda rng: [
        Sample((rng.normal(size=(3, 4)), np.array([-1.0, -0.2, 0.5]))),
        Sample((rng.normal(size=4), np.array([1.0, 0.2, -0.5])), {"right": True}),
    ],
)
