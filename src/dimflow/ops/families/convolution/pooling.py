"""Windows that slide over the last axes, and what pooling makes of each: its maximum, its mean.

A single number for `kernel_size` counts for all axes of space of an array (N, C, *space); a tuple
says how many of the last axes are meant, whatever stands before them.
"""

from collections.abc import Callable
from itertools import product
from math import ceil, inf, prod
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.errors import PointError, ShapeMismatch, UnitError
from dimflow.ops.definitions import windows as definitions
from dimflow.ops.domain import Sample
from dimflow.ops.families.convolution.geometry import per_axis
from dimflow.ops.rules import batching, costs, dtypes, points
from dimflow.ops.rules.derivatives import Linear
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.units import Call, Resolved, UnitRule, same, unit_of, unit_rule
from dimflow.ops.table import composite, primitive


def space_of(op: str, shape: Any, size: Any) -> int:
    """How many of the last axes a size speaks of."""
    count = len(size) if isinstance(size, (tuple, list)) else len(shape) - 2
    if not 1 <= count <= len(shape):
        wanted = f"an array (N, C, *space), or one axis or more for a size of {size}"
        raise ShapeMismatch(op, wanted, tuple(shape))
    return count


# Windows


def _window_params(op: str, shape: Any, params: Any, size: Any) -> tuple[Any, Any, Any]:
    count = space_of(op, shape, size)
    return (
        per_axis(op, "window_shape", size, count, 1),
        per_axis(op, "stride", params["stride"], count, 1),
        per_axis(op, "dilation", params["dilation"], count, 1),
    )


def _windows_shape(shapes: Any, params: Any) -> Any:
    (shape,) = shapes
    kernel, stride, dilation = _window_params(
        "sliding_windows", shape, params, params["window_shape"]
    )
    lead = len(shape) - len(kernel)
    out: list[int | None] = []
    for n, k, s, d in zip(shape[lead:], kernel, stride, dilation, strict=True):
        span = d * (k - 1) + 1
        if n is not None and n < span:
            raise ShapeMismatch("sliding_windows", f"lengths of at least {span}", tuple(shape))
        out.append(None if n is None else (n - span) // s + 1)
    return (*shape[:lead], *out, *kernel)


def _overlap_shape(shapes: Any, params: Any) -> Any:
    (given,) = shapes
    space = tuple(params["shape"])
    count = len(space)
    if len(given) < 2 * count:
        raise ShapeMismatch("overlap_add", f"{2 * count} axes for a space of {space}", given)
    kernel = given[len(given) - count :]
    probe = {"window_shape": kernel, "stride": params["stride"], "dilation": params["dilation"]}
    lead = given[: len(given) - 2 * count]
    wanted = _windows_shape(((*lead, *space),), probe)
    if any(a != b for a, b in zip(wanted, given, strict=True) if None not in (a, b)):
        raise ShapeMismatch("overlap_add", f"windows {wanted} of {space}", tuple(given))
    return (*lead, *space)


def _windows_back(ct: Any, args: Any, params: Any) -> tuple[Any]:
    shape = shape_of(args[0])
    space = shape[len(shape) - space_of("sliding_windows", shape, params["window_shape"]) :]
    fields = {"stride": params["stride"], "dilation": params["dilation"]}
    return (ops.overlap_add(ct, shape=space, **fields),)


def _overlap_back(ct: Any, args: Any, params: Any) -> tuple[Any]:
    shape = shape_of(args[0])
    kernel = shape[len(shape) - len(params["shape"]) :]
    fields = {"stride": params["stride"], "dilation": params["dilation"]}
    return (ops.sliding_windows(ct, window_shape=kernel, **fields),)


def _last_axes(name: str) -> Any:
    """Batching of ops of the last axes: the batch stands first, the size speaks of each axis."""

    def rule(op: Any, args: Any, dims: Any, params: Any) -> Any:
        x = batching.to_front(args[0], dims[0])
        size = params[name]
        if not isinstance(size, (tuple, list)):
            size = (size,) * (x.ndim - 3)
        return op.run((x,), {**params, name: tuple(size)}), 0

    return rule


primitive(
    "sliding_windows",
    doc="Every window of the last axes: (*lead, *space) to (*lead, *out, *window), as a view.",
    signature="x, /, window_shape, stride=1, dilation=1",
    unit=same,
    points=points.free,
    shape=_windows_shape,
    dtype=dtypes.first,
    derivative=Linear(_windows_back),
    batching=_last_axes("window_shape"),
    cost=costs.view,
    numpy="",
    definition=definitions.sliding_windows,
    domain=lambda rng: [
        Sample((rng.normal(size=7),), {"window_shape": (3,), "stride": 2, "dilation": 1}),
        Sample((rng.normal(size=(2, 1, 5, 6)),), {"window_shape": 2, "stride": 1, "dilation": 2}),
        Sample((rng.normal(size=(3, 6)),), {"window_shape": (2, 3), "stride": 3, "dilation": 1}),
    ],
)

primitive(
    "overlap_add",
    doc="Windows (*lead, *out, *window) added up where they lie: the transpose of windows.",
    signature="x, /, shape, stride=1, dilation=1",
    unit=same,
    shape=_overlap_shape,
    dtype=dtypes.first,
    derivative=Linear(_overlap_back),
    batching=lambda op, args, dims, params: (
        op.run((batching.to_front(args[0], dims[0]),), params),
        0,
    ),
    cost=costs.per_input(1),
    numpy="",
    definition=definitions.overlap_add,
    domain=lambda rng: [
        Sample((rng.normal(size=(3, 3)),), {"shape": (7,), "stride": 2, "dilation": 1}),
        Sample((rng.normal(size=(2, 3, 4, 2, 2)),), {"shape": (5, 6), "stride": 1, "dilation": 2}),
    ],
)


# Pooling


class Pool:
    """The parameters of a pooling, checked: what is padded, and how many windows there are."""

    def __init__(self, op: str, shape: Any, params: dict[str, Any]) -> None:
        size = params["kernel_size"]
        count = space_of(op, shape, size)
        self.space = tuple(shape[len(shape) - count :])
        self.kernel = per_axis(op, "kernel_size", size, count, 1)
        stride = params["stride"]
        self.stride = self.kernel if stride is None else per_axis(op, "stride", stride, count, 1)
        self.dilation = per_axis(op, "dilation", params.get("dilation", 1), count, 1)
        self.padding = per_axis(op, "padding", params["padding"], count)
        if any(2 * p > k for p, k in zip(self.padding, self.kernel, strict=True)):
            raise ShapeMismatch(op, f"padding of at most half of {self.kernel}", self.padding)
        if any(n is None for n in self.space):
            raise ShapeMismatch(op, "space of known lengths", tuple(shape))
        self.out = tuple(self._count(op, i, params["ceil_mode"]) for i in range(count))

    def _span(self, axis: int) -> int:
        return self.dilation[axis] * (self.kernel[axis] - 1) + 1

    def _count(self, op: str, axis: int, is_ceil: bool) -> int:
        """Windows along an axis; the last must begin inside the array or the padding before it."""
        n, p, s = int(self.space[axis]), self.padding[axis], self.stride[axis]
        room = n + 2 * p - self._span(axis)
        if room < 0:
            wanted = f"space of at least {self._span(axis) - 2 * p} along axis {axis}"
            raise ShapeMismatch(op, wanted, self.space)
        count = (-(-room // s) if is_ceil else room // s) + 1
        return count - 1 if is_ceil and (count - 1) * s >= n + p else count

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """What is added before and after each axis of space, so that all windows are whole."""
        result = []
        for axis, (n, p, s) in enumerate(zip(self.space, self.padding, self.stride, strict=True)):
            end = (self.out[axis] - 1) * s + self._span(axis)
            result.append((p, max(0, end - n - p)))
        return tuple(result)

    def counts(self, include_padding: bool) -> Any:
        """How many elements each window averages: a number where all agree, else an array."""
        axes = []
        for n, k, p, s, out in zip(
            self.space, self.kernel, self.padding, self.stride, self.out, strict=True
        ):
            starts = [i * s - p for i in range(out)]
            ends = [min(a + k, n + p) for a in starts]
            if not include_padding:
                starts, ends = [max(a, 0) for a in starts], [min(b, n) for b in ends]
            axes.append([b - a for a, b in zip(starts, ends, strict=True)])
        found = [prod(sizes) for sizes in product(*axes)]
        if len(set(found)) == 1:
            return found[0]
        # a short integer does not widen a short float
        kind = np.int16 if max(found) < 1 << 15 else np.int32
        return np.array(found, kind).reshape(self.out)

    def windows(self, x: Any, fill: Any) -> Any:
        """The windows of the padded array, in as many axes at the end."""
        if any(map(any, self.pairs)):
            lead = ((0, 0),) * (len(shape_of(x)) - len(self.space))
            x = ops.pad(x, pad_width=(*lead, *self.pairs), constant_values=fill)
        out = ops.sliding_windows(
            x, window_shape=self.kernel, stride=self.stride, dilation=self.dilation
        )
        lead_axes = len(shape_of(x)) - len(self.space)
        wanted = tuple(slice(n) for n in self.out)
        return out[((slice(None),) * lead_axes + wanted + (slice(None),) * len(wanted))]

    @property
    def last(self) -> tuple[int, ...]:
        """The axes of a window."""
        return tuple(range(-len(self.kernel), 0))


def _pool_samples(rng: Any) -> list[Sample]:
    base = {"kernel_size": 2, "stride": None, "padding": 0, "ceil_mode": False}
    return [
        Sample((rng.normal(size=(2, 3, 6)),), base),
        Sample((rng.normal(size=(1, 2, 5, 7)),), {**base, "kernel_size": (3, 2), "padding": 1}),
        Sample((rng.normal(size=(3, 8)),), {**base, "kernel_size": (3,), "ceil_mode": True}),
        Sample((rng.normal(size=(1, 1, 4, 4, 5)),), {**base, "stride": (2, 1, 2)}),
    ]


@composite(
    unit=same,
    points=points.keep,
    onnx="MaxPool",
    domain=lambda rng: [
        *(Sample(s.args, {**s.params, "dilation": 1}) for s in _pool_samples(rng)),
        Sample(
            (rng.normal(size=(2, 9)),),
            {
                "kernel_size": (3,),
                "stride": 2,
                "padding": 1,
                "dilation": 2,
                "ceil_mode": True,
            },
        ),
    ],
)
def max_pool(
    x: Any,
    /,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> Any:
    """The largest element of each window. Padding never counts; `stride` is the kernel's size."""
    params = {
        "kernel_size": kernel_size,
        "stride": stride,
        "padding": padding,
        "dilation": dilation,
        "ceil_mode": ceil_mode,
    }
    pool = Pool("max_pool", shape_of(x), params)
    return ops.max(pool.windows(x, -inf), axis=pool.last)


@unit_rule(params=True)
def _averaged(call: Call) -> Resolved:
    return Resolved((None,), unit_of(call, 0))


def _averaged_points(rule: UnitRule, call: Call) -> Resolved:
    """An average of points is a point, unless zeros from the padding or a free divisor come in."""
    params = call.params
    padding = params["padding"]
    is_padded = any(padding) if isinstance(padding, (tuple, list)) else bool(padding)
    if params["divisor_override"] is not None:
        hint = "leave out divisor_override"
    elif is_padded and params["count_include_pad"]:
        hint = "leave out the padding's zeros: count_include_pad=False"
    else:
        return points.blend(rule, call)
    raise PointError(call.op.name, call.proper[0], hint)


@composite(
    unit=_averaged,
    points=_averaged_points,
    onnx="AveragePool",
    domain=lambda rng: [
        Sample((s.args[0],), {**s.params, "count_include_pad": include, "divisor_override": None})
        for include in (True, False)
        for s in _pool_samples(rng)
    ],
)
def avg_pool(
    x: Any,
    /,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    """The mean of each window. `count_include_pad` says whether the padding's zeros count.

    `divisor_override` divides the sum by a number of its own.
    """
    params = {
        "kernel_size": kernel_size,
        "stride": stride,
        "padding": padding,
        "ceil_mode": ceil_mode,
    }
    pool = Pool("avg_pool", shape_of(x), params)
    if divisor_override == 0:
        raise UnitError("avg_pool cannot divide by divisor_override=0")
    count = pool.counts(count_include_pad) if divisor_override is None else divisor_override
    return ops.divide(ops.sum(pool.windows(x, 0), axis=pool.last), count)


# Pooling to a given size


def _bins(op: str, x: Any, output_size: Any) -> list[tuple[int, list[tuple[int, int]]]]:
    """For each axis of space, where each bin begins and ends."""
    shape = shape_of(x)
    count = space_of(op, shape, output_size)
    sizes = tuple(output_size) if isinstance(output_size, (tuple, list)) else (output_size,) * count
    result = []
    for axis, (n, size) in enumerate(zip(shape[len(shape) - count :], sizes, strict=True)):
        size = n if size is None else size
        if not isinstance(size, int) or size < 1 or n < 1:
            raise ShapeMismatch(op, "output_size: integers from 1, or None to keep", output_size)
        cuts = [(i * n // size, ceil((i + 1) * n / size)) for i in range(size)]
        result.append((len(shape) - count + axis, cuts))
    return result


def _adaptive(op: str, x: Any, output_size: Any, reduce: Callable[..., Any]) -> Any:
    for axis, cuts in _bins(op, x, output_size):
        if len(cuts) == shape_of(x)[axis]:
            continue
        lead = (slice(None),) * axis
        parts = (ops.index(x, key=(*lead, slice(a, b))) for a, b in cuts)
        x = ops.stack([reduce(part, axis=axis) for part in parts], axis=axis)
    return x


def _adaptive_samples(rng: Any) -> list[Sample]:
    return [
        Sample((rng.normal(size=(2, 3, 7)),), {"output_size": 3}),
        Sample((rng.normal(size=(2, 6, 5)),), {"output_size": (2, None)}),
        Sample((rng.normal(size=(1, 2, 4, 6)),), {"output_size": (5, 3)}),
    ]


@composite(domain=_adaptive_samples)
def adaptive_avg_pool(x: Any, /, output_size: Any) -> Any:
    """Means of as many bins as asked for along each axis of space; None keeps an axis."""
    return _adaptive("adaptive_avg_pool", x, output_size, ops.mean)


@composite(domain=_adaptive_samples)
def adaptive_max_pool(x: Any, /, output_size: Any) -> Any:
    """Maxima of as many bins as asked for along each axis of space; None keeps an axis."""
    return _adaptive("adaptive_max_pool", x, output_size, ops.max)
