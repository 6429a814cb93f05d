"""Padding: an array with more elements at the ends of its axes."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.errors import ShapeMismatch, UnsupportedFunction
from dimflow.ops.definitions import arranging as definitions
from dimflow.ops.domain import Sample
from dimflow.ops.families.shape.shaping import into_first, static_shape
from dimflow.ops.rules import batching, costs, dtypes, points
from dimflow.ops.rules.derivatives import Linear
from dimflow.ops.rules.transposition import shape_of, unbroadcast
from dimflow.ops.rules.units import Call, Resolved, UnitRule
from dimflow.ops.rules.values import constant
from dimflow.ops.table import composite, primitive

Pairs = tuple[tuple[int, int], ...]


def as_pairs(pad_width: Any, ndim: int, op: str = "pad") -> Pairs:
    """How many elements go before and after each axis, from any spelling that NumPy takes."""
    if isinstance(pad_width, dict):
        given = {axis % ndim: width for axis, width in pad_width.items()}
        pad_width = [
            (w, w) if isinstance(w := given.get(axis, 0), int) else tuple(w) for axis in range(ndim)
        ]
    widths = np.asarray(pad_width)
    if widths.dtype.kind not in "iu" or (widths.size and widths.min() < 0):
        raise ShapeMismatch(op, "whole numbers of 0 or more as pad_width", pad_width)
    try:
        pairs = np.broadcast_to(widths, (ndim, 2)).tolist()
    except ValueError:
        raise ShapeMismatch(op, f"a pad_width for {ndim} axes", pad_width) from None
    return tuple((before, after) for before, after in pairs)


def _padded(shapes: Any, params: Any) -> Any:
    shape = shapes[0]
    pairs = as_pairs(params["pad_width"], len(shape), "pad_constant")
    if shapes[1] is not None and len(shapes[1]) > 2:
        raise ShapeMismatch("pad_constant", f"constant_values for {len(shape)} axes", shapes[1])
    return tuple(n if n is None else n + i + j for n, (i, j) in zip(shape, pairs, strict=True))


def _unpad(ct: Any, args: Any, params: Any) -> tuple[Any, ...]:
    """The middle of a cotangent, and its sums over what each constant was written to."""
    x, constants = args
    pairs = as_pairs(params["pad_width"], len(shape_of(x)))
    sums: list[Any] = []
    for axis in reversed(range(len(pairs))):  # constants of later axes lie over earlier ones
        before, after = pairs[axis]
        inner = slice(before, shape_of(ct)[axis] - after)
        first: tuple[Any, ...] = (slice(None),) * axis
        if constants is not None:
            ends = slice(0, inner.start), slice(inner.stop, None)
            sums[:0] = [ops.sum(ops.index(ct, key=(*first, end))) for end in ends]
        ct = ops.index(ct, key=(*first, inner))
    if constants is None:
        return ct, None
    each = ops.reshape(ops.stack(sums, axis=0), shape=(len(pairs), 2))
    return ct, unbroadcast(each, constants)


def _pad_batch(op: Any, args: Any, dims: Any, params: Any) -> Any:
    if dims[0] is None or (args[1] is not None and shape_of(args[1]) not in ((), (1,))):
        return batching.looped(op, args, dims, params)
    if dims[1] is not None:
        return batching.looped(op, args, dims, params)
    x = batching.to_front(args[0], dims[0])
    pairs = as_pairs(params["pad_width"], batching.ndim(x) - 1)
    return op.run((x, args[1]), {"pad_width": ((0, 0), *pairs)}), 0


def _constant_points(rule: UnitRule, call: Call) -> Resolved:
    """A constant that was left out is 0, which is no point."""
    policy = points.refuse if call.units[1] is None else points.keep
    return policy(rule, call)


def _constant_samples(rng: Any) -> list[Sample]:
    return [
        Sample((rng.normal(size=3), None), {"pad_width": (1, 2)}),
        Sample((rng.normal(size=(2, 3)), rng.normal(size=())), {"pad_width": ((1, 0), (2, 1))}),
        Sample((rng.normal(size=(2, 3)), rng.normal(size=2)), {"pad_width": 1}),
        Sample((rng.normal(size=(2, 3)), rng.normal(size=(2, 2))), {"pad_width": ((1, 2), (0, 1))}),
    ]


primitive(
    "pad_constant",
    doc="The array with constants around it; 0 if none is given.",
    signature="x, /, pad_width, *, constant_values=None",
    arrays=("x", "constant_values"),
    unit=into_first,
    points=_constant_points,
    shape=_padded,
    dtype=dtypes.first,
    derivative=Linear(_unpad),
    batching=_pad_batch,
    cost=costs.copying,
    numpy="",
    onnx="Pad",
    definition=definitions.pad_constant,
    domain=_constant_samples,
)


# The other modes pick elements, or make new ones from those at the ends, axis by axis


def _picked(x: Any, axis: int, before: int, after: int, mode: str) -> Any:
    """The array between elements of its own."""
    n = shape_of(x)[axis]
    ends = (np.arange(-before, 0), np.arange(n, n + after))
    head, tail = (ops.take(x, _mirrored(end, n, mode), axis=axis) for end in ends)
    return ops.concat([*[head] * bool(before), x, *[tail] * bool(after)], axis=axis)


def _mirrored(where: Any, n: int, mode: str) -> Any:
    """The places that elements beyond the ends are picked from."""
    if mode == "edge":
        return np.clip(where, 0, n - 1)
    if mode == "wrap":
        return where % n
    if mode == "symmetric":
        period = 2 * n
        return np.minimum(where % period, period - 1 - where % period)
    period = max(2 * (n - 1), 1)
    return np.minimum(where % period, period - where % period) if n > 1 else where * 0


def _along(axis: int, part: Any) -> tuple[Any, ...]:
    return (*([slice(None)] * axis), part)


def _odd(x: Any, axis: int, before: int, after: int, mode: str) -> Any:
    """Turned about the ends: edge + (edge - mirrored), as often as the array goes into it."""
    skip = 1 if mode == "reflect" else 0
    while before or after:
        n = shape_of(x)[axis]
        most = n - skip
        if most == 0:  # one element, reflected: it repeats
            return ops.pad(x, _only(x, axis, before, after), mode="edge")
        i, j = min(before, most), min(after, most)
        first, last = (ops.index(x, key=_along(axis, s)) for s in (slice(0, 1), slice(n - 1, n)))
        head = ops.flip(ops.index(x, key=_along(axis, slice(skip, skip + i))), axis=axis)
        tail = ops.flip(ops.index(x, key=_along(axis, slice(most - j, most))), axis=axis)
        x = ops.concat([first + (first - head), x, last + (last - tail)], axis=axis)
        before, after = before - i, after - j
    return x


def _only(x: Any, axis: int, before: int, after: int) -> Pairs:
    n = len(shape_of(x))
    return tuple((before, after) if i == axis else (0, 0) for i in range(n))


def _ramp(x: Any, axis: int, before: int, after: int, ends: Any) -> Any:
    """From the end value to the edge in equal steps."""
    parts = [x]
    n, ndim = shape_of(x)[axis], len(shape_of(x))
    for side, width in enumerate((before, after)):
        if not width:
            continue
        edge = ops.index(x, key=_along(axis, slice(0, 1) if side == 0 else slice(n - 1, n)))
        steps = constant(np.arange(width) / width, x)
        steps = (steps if side == 0 else steps[::-1]).reshape([-1] + [1] * (ndim - 1 - axis))
        end = 0 if ends is None else ops.index(ends, key=(axis, side))
        ramp = end + ops.multiply(edge - end, steps)
        parts = [ramp, *parts] if side == 0 else [*parts, ramp]
    return ops.concat(parts, axis=axis)


_STATISTICS: dict[str, str] = {
    "maximum": "max",
    "minimum": "min",
    "mean": "mean",
    "median": "median",
}


def _statistic(x: Any, axis: int, before: int, after: int, mode: str, lengths: Any) -> Any:
    """The mean or an extreme of the elements next to each end."""
    reduce: Callable[..., Any] = getattr(ops, _STATISTICS[mode])
    shape = shape_of(x)
    n = shape[axis]
    parts = [x]
    for side, width in enumerate((before, after)):
        if not width:
            continue
        count = n if lengths is None else min(lengths[axis][side], n)
        part = slice(0, count) if side == 0 else slice(n - count, n)
        value = reduce(ops.index(x, key=_along(axis, part)), axis=axis, keepdims=True)
        wide = ops.broadcast_to(value, shape=(*shape[:axis], width, *shape[axis + 1 :]))
        parts = [wide, *parts] if side == 0 else [*parts, wide]
    return ops.concat(parts, axis=axis)


def _pad_samples(rng: Any) -> list[Sample]:
    x, wide = rng.normal(size=(3, 4)), ((2, 1), (0, 5))
    modes: list[dict[str, Any]] = [
        {"mode": m} for m in ("constant", "edge", "reflect", "symmetric", "wrap", "linear_ramp")
    ]
    modes += [{"mode": m, "reflect_type": "odd"} for m in ("reflect", "symmetric")]
    modes += [{"mode": m} for m in _STATISTICS]
    modes += [{"mode": m, "stat_length": 2} for m in _STATISTICS]
    samples = [Sample((x, None, None), {"pad_width": wide, **m}) for m in modes]
    value = rng.normal(size=())
    samples.append(Sample((x, value, None), {"pad_width": 1, "mode": "constant"}))
    samples.append(Sample((x, None, value), {"pad_width": 2, "mode": "linear_ramp"}))
    return samples


@composite(arrays=("x", "constant_values", "end_values"), numpy="pad", domain=_pad_samples)
def pad(
    x: Any,
    /,
    pad_width: Any,
    mode: str = "constant",
    *,
    constant_values: Any = None,
    end_values: Any = None,
    stat_length: Any = None,
    reflect_type: str = "even",
) -> Any:
    """The array with more elements around it, in any of NumPy's modes.

    What is left out as a constant or end value is 0, which points on a scale do not have.
    """
    if mode in ("constant", "empty"):
        return ops.pad_constant(x, pad_width, constant_values=constant_values)
    shape = static_shape(x, "pad")
    pairs = as_pairs(pad_width, len(shape))
    ends = None
    if end_values is not None:
        ends = ops.full_like(x, end_values, shape=(len(shape), 2))
    lengths = None if stat_length is None else as_pairs(stat_length, len(shape))
    for axis, (before, after) in enumerate(pairs):
        if not before and not after:
            continue
        n = shape[axis]
        if not n:
            raise ShapeMismatch("pad", f"elements along axis {axis} for mode {mode!r}", shape)
        if mode in _STATISTICS:
            x = _statistic(x, axis, before, after, mode, lengths)
        elif mode == "linear_ramp":
            x = _ramp(x, axis, before, after, ends)
        elif mode in ("reflect", "symmetric") and reflect_type == "odd":
            x = _odd(x, axis, before, after, mode)
        elif mode in ("edge", "wrap", "reflect", "symmetric"):
            x = _picked(x, axis, before, after, mode)
        else:
            raise UnsupportedFunction(
                f"pad with mode {mode!r}", "dimflow knows NumPy's modes by name"
            )
    return x
