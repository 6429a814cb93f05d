"""Segments: reductions of groups that an array of indices names, along the first axis."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.errors import ShapeMismatch
from dimflow.ops.definitions import scattering
from dimflow.ops.domain import Sample
from dimflow.ops.families.reduce.parts import as_numpy
from dimflow.ops.families.reduce.scans import recurrence
from dimflow.ops.rules import batching, costs, dtypes, points
from dimflow.ops.rules.batching import ndim
from dimflow.ops.rules.derivatives import Jvp, Linear
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.units import first, pure_to_pure
from dimflow.ops.table import primitive

_SIGNATURE = "x, segment_ids, /, num_segments"


def _shape(shapes: Any, params: Any) -> Any:
    x, ids = shapes
    known = len(ids) == 1 and len(x) > 0
    if not known or (x[0] != ids[0] and None not in (x[0], ids[0])):
        raise ShapeMismatch("a segment op", f"one segment id for each of x's rows, {x[:1]}", ids)
    return (params["num_segments"], *x[1:])


def _batching(op: Any, args: Any, dims: Any, params: Any) -> Any:
    """The batch as one more axis of every row."""
    x, ids = args
    if dims[1] is not None:
        return batching.looped(op, args, dims, params)
    result = op.run((ops.moveaxis(x, source=dims[0], destination=-1), ids), params)
    return result, ndim(x) - 1


def spread(groups: Any, ids: Any) -> Any:
    """The value of each row's group; zero for ids of no group."""
    count = shape_of(groups)[0]
    outside = ops.logical_or(ops.less(ids, 0), ops.greater_equal(ids, count))
    padded = ops.concat([groups, ops.zeros_like(groups[:1, ...])], axis=0)
    return ops.take(padded, ops.where(outside, count, ids), axis=0)


def _counts(x: Any, ids: Any, params: Any) -> Any:
    """How many rows each group has, at least 1, as a column beside the groups."""
    count = params["num_segments"]
    rows = ops.segment_sum(np.ones(shape_of(ids)), ids, num_segments=count)
    return ops.reshape(ops.maximum(rows, 1), shape=(count, *[1] * (len(shape_of(x)) - 1)))


def _samples(rng: Any) -> list[Sample]:
    ids = np.array([2, 0, 0, 3, 2])
    return [
        Sample((rng.normal(size=5), ids), {"num_segments": 4}),
        Sample((rng.normal(size=(5, 2)), ids), {"num_segments": 4}),
        Sample((rng.normal(size=5), np.array([0, 7, 1, -1, 1])), {"num_segments": 2}),
    ]


def _full_samples(rng: Any) -> list[Sample]:
    """Samples without empty groups."""
    ids = np.array([1, 0, 0, 2, 1])
    return [
        Sample((rng.normal(size=5), ids), {"num_segments": 3}),
        Sample((rng.normal(size=(5, 2)), ids), {"num_segments": 3}),
    ]


primitive(
    "segment_sum",
    doc="Sums of rows of one segment id; 0 for an empty segment. Ids of no segment do not count.",
    signature=_SIGNATURE,
    unit=first,
    shape=_shape,
    dtype=as_numpy(np.sum),
    derivative=Linear(lambda ct, args, params: (spread(ct, args[1]), None), (0,)),
    batching=_batching,
    cost=costs.per_input(1),
    numpy="",
    definition=scattering.segment_sum,
    domain=_samples,
)


def _mean_transpose(ct: Any, args: Any, params: Any) -> Any:
    x, ids = args
    return spread(ops.divide(ct, _counts(x, ids, params)), ids), None


primitive(
    "segment_mean",
    doc="Means of rows of one segment id; nan for an empty segment.",
    signature=_SIGNATURE,
    unit=first,
    points=points.blend,
    shape=_shape,
    dtype=as_numpy(np.mean),
    derivative=Linear(_mean_transpose, (0,)),
    batching=_batching,
    cost=costs.per_input(1),
    numpy="",
    definition=scattering.segment_mean,
    domain=_full_samples,
)


def _extreme_jvp(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    """The mean of the tangents of all rows that attain the extreme of their segment."""
    x, ids = args
    picked = ops.equal(x, spread(out, ids))
    one = ops.where(picked, 1.0, 0.0)
    count = ops.segment_sum(one, ids, num_segments=params["num_segments"])
    moved = ops.where(picked, tangents[0], 0)
    total = ops.segment_sum(moved, ids, num_segments=params["num_segments"])
    return ops.divide(total, ops.maximum(count, 1))


for _name, _end in (("max", "-inf"), ("min", "inf")):
    primitive(
        f"segment_{_name}",
        doc=f"The {_name}imum of rows of one segment id; {_end} for an empty segment.",
        signature=_SIGNATURE,
        unit=first,
        points=points.keep,
        shape=_shape,
        dtype=dtypes.first,
        derivative=Jvp(_extreme_jvp),
        batching=_batching,
        cost=costs.per_input(1),
        numpy="",
        definition=getattr(scattering, f"segment_{_name}"),
        domain=_full_samples,
    )


def _prod_jvp(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    """Running products through each segment, in the order of ids: no division by a zero."""
    x, ids = args
    if not shape_of(ids)[0]:
        return ops.zeros_like(out)
    order = ops.argsort(ids)
    x, t, ids = (ops.take(a, order, axis=0) for a in (x, tangents[0], ids))
    edge = ops.not_equal(ids[1:], ids[:-1])
    column = (-1, *[1] * (len(shape_of(x)) - 1))
    end = np.array([True])
    starts, stops = (
        ops.reshape(ops.concat(parts, axis=0), shape=column) for parts in ([end, edge], [edge, end])
    )
    factor = ops.where(starts, 0, x)
    product = recurrence(factor, ops.where(starts, x, 0), axis=0)
    before = ops.where(starts, 1, ops.concat([x[:1, ...], product[:-1, ...]], axis=0))
    change = recurrence(factor, before * t, axis=0)
    whole = ops.where(stops, change, 0)
    return ops.segment_sum(whole, ids, num_segments=params["num_segments"])


primitive(
    "segment_prod",
    doc="Products of rows of one segment id, 1 for an empty segment: pure numbers.",
    signature=_SIGNATURE,
    unit=pure_to_pure,
    shape=_shape,
    dtype=as_numpy(np.prod),
    derivative=Jvp(_prod_jvp),
    batching=_batching,
    cost=costs.per_input(1),
    numpy="",
    definition=scattering.segment_prod,
    domain=lambda rng: [
        *_samples(rng),
        Sample((np.array([0.0, 2.0, 3.0]), np.array([0, 0, 0])), {"num_segments": 1}),
    ],
)
