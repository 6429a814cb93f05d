"""Convolution of signals and of images with channels. Units multiply.

Images are (N, C, *space), one to three axes of space or more; weights are (O, I/groups, *kernel).
`conv`, `conv_transpose` and `conv_weight_grad` are each other's transposes.
"""

from math import prod
from typing import Any

from dimflow import ops
from dimflow.errors import ShapeMismatch
from dimflow.ops.definitions import windows as definitions
from dimflow.ops.domain import Sample
from dimflow.ops.families.convolution.geometry import Geometry, per_axis, window_of
from dimflow.ops.rules import batching, dtypes, points
from dimflow.ops.rules.costs import Work, moved
from dimflow.ops.rules.derivatives import Multilinear
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.units import product
from dimflow.ops.table import composite, primitive


def _checked(op: str, x: Any, weight: Any, groups: Any, transposed: bool = False) -> None:
    """Ranks and channels that fit."""
    if len(x) < 3 or len(x) != len(weight):
        wanted = "x (N, C, *space) and a weight of as many axes"
        raise ShapeMismatch(op, wanted, f"{tuple(x)} and {tuple(weight)}")
    if not isinstance(groups, int) or groups < 1:
        raise ShapeMismatch(op, "groups: an integer from 1", groups)
    channels = weight[0] if transposed else None if weight[1] is None else weight[1] * groups
    if None not in (channels, x[1]) and channels != x[1]:
        wanted = f"{channels} channels, as the weight {tuple(weight)} has in {groups} groups"
        raise ShapeMismatch(op, wanted, f"{x[1]} in x {tuple(x)}")
    if weight[0] is not None and weight[0] % groups:
        raise ShapeMismatch(op, f"channels in {groups} equal groups", weight[0])
    if None in weight[2:]:
        raise ShapeMismatch(op, "a kernel of known lengths", tuple(weight))


def _conv_shape(shapes: Any, params: Any) -> Any:
    x, weight = shapes
    _checked("conv", x, weight, params["groups"])
    geometry = Geometry("conv", weight[2:], params)
    return (x[0], weight[0], *geometry.outward(x[2:]))


def _transpose_shape(shapes: Any, params: Any) -> Any:
    x, weight = shapes
    _checked("conv_transpose", x, weight, params["groups"], transposed=True)
    geometry = Geometry("conv_transpose", weight[2:], params)
    space = geometry.inward(x[2:])
    if any(n is not None and n < 1 for n in space):
        raise ShapeMismatch("conv_transpose", "a padding that leaves some space", space)
    channels = None if weight[1] is None else weight[1] * params["groups"]
    return (x[0], channels, *space)


def _weight_shape(shapes: Any, params: Any) -> Any:
    x, y = shapes
    groups = params["groups"]
    if len(x) < 3 or len(x) != len(y):
        wanted = "x (N, C, *space) and y (N, O, *space)"
        raise ShapeMismatch("conv_weight_grad", wanted, f"{tuple(x)} and {tuple(y)}")
    kernel = per_axis("conv_weight_grad", "kernel_size", params["kernel_size"], len(x) - 2, 1)
    space = Geometry("conv_weight_grad", kernel, params).outward(x[2:])
    for found, wanted in zip((y[0], *y[2:]), (x[0], *space), strict=True):
        if None not in (found, wanted) and found != wanted:
            shape = f"y of space {space} and as many images as x"
            raise ShapeMismatch("conv_weight_grad", shape, tuple(y))
    if None not in (x[1], y[1]) and (x[1] % groups or y[1] % groups):
        raise ShapeMismatch("conv_weight_grad", f"channels in {groups} groups", (x[1], y[1]))
    return (y[1], None if x[1] is None else x[1] // groups, *kernel)


def _back_to_x(y: Any, weight: Any, x: Any, params: Any) -> Any:
    """The transpose of conv by x: as much more at the far end as the stride had left over."""
    geometry = Geometry("conv", shape_of(weight)[2:], params)
    space = shape_of(x)[2:]
    bare: Any = geometry.inward(shape_of(y)[2:])
    left = tuple(n - m for n, m in zip(space, bare, strict=True))
    params = geometry.params(groups=params["groups"], output_padding=left)
    return ops.conv_transpose(y, weight, **params)


def _weight_of(x: Any, y: Any, kernel: Any, params: Any) -> Any:
    geometry = Geometry("conv", kernel, params)
    fields = geometry.params(groups=params["groups"])
    return ops.conv_weight_grad(x, y, kernel_size=tuple(kernel), **fields)


def _conv_of(x: Any, weight: Any, y: Any, params: Any) -> Any:
    """The convolution whose result has y's shape: what a large output padding adds is cut."""
    geometry = Geometry("conv", shape_of(weight)[2:], params)
    out = ops.conv(x, weight, **geometry.params(groups=params["groups"]))
    if shape_of(out) == shape_of(y):
        return out
    return out[(slice(None), slice(None), *(slice(n) for n in shape_of(y)[2:]))]


def _weight_of_transpose(ct: Any, y: Any, kernel: Any, params: Any) -> Any:
    """The transpose of conv_transpose by its weight.

    What output padding has added lies where padding would be, and beyond it is met by no window.
    """
    geometry = Geometry("conv_transpose", kernel, params)
    ends, pads = [], []
    rows = zip(shape_of(ct)[2:], geometry.padding, geometry.extra, strict=True)
    for n, (low, high), extra in rows:
        within = min(high, extra)
        pads.append((low, high - within))
        ends.append(n - (extra - within))
    ct = ct[(slice(None), slice(None), *map(slice, ends))]
    fields = {**geometry.params(groups=params["groups"]), "padding": tuple(pads)}
    return ops.conv_weight_grad(ct, y, kernel_size=tuple(kernel), **fields)


# Batches: of x alone they are more images; otherwise they are more groups


def _to_images(x: Any) -> Any:
    return ops.reshape(x, shape=(x.shape[0] * x.shape[1], *x.shape[2:]))


def _to_channels(x: Any, dim: int | None, size: int, axis: int) -> Any:
    """Batch and channels as one axis, the batch varying slowest."""
    if dim is None:
        x = ops.broadcast_to(x, shape=(size, *shape_of(x)))
    x = ops.moveaxis(batching.to_front(x, dim), source=0, destination=axis)
    lengths = shape_of(x)
    merged = lengths[axis] * lengths[axis + 1]
    return ops.reshape(x, shape=(*lengths[:axis], merged, *lengths[axis + 2 :]))


def _batched(result_axis: int, image: tuple[bool, bool]) -> Any:
    """`image` says which argument has images first; the others begin with channels."""

    def rule(op: Any, args: Any, dims: Any, params: Any) -> Any:
        if dims[1] is None and image == (True, False):
            x = batching.to_front(args[0], dims[0])
            out = op.run((_to_images(x), args[1]), params)
            return ops.reshape(out, shape=(*x.shape[:2], *out.shape[1:])), 0
        size = next(x.shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
        merged = tuple(
            _to_channels(x, d, size, int(has_images))
            for x, d, has_images in zip(args, dims, image, strict=True)
        )
        out = op.run(merged, {**params, "groups": params["groups"] * size})
        shape = list(shape_of(out))
        shape[result_axis : result_axis + 1] = [size, shape[result_axis] // size]
        return ops.reshape(out, shape=tuple(shape)), result_axis

    return rule


def _cost(shapes: Any, results: Any, params: Any) -> Work:
    """Two operations for each product: the larger of both spaces, kernel, channels of a group."""
    x, y = shapes
    out = results[0]
    if "kernel_size" in params:
        flops = 2 * prod(out) * prod(y[:1] + y[2:])
    elif "output_padding" in params:
        flops = 2 * prod(x) * prod(y[1:])
    else:
        flops = 2 * prod(out) * prod(y[1:])
    return Work(flops, moved(shapes, results))


def _fields(*params: dict[str, Any], **common: Any) -> list[dict[str, Any]]:
    base = {"stride": 1, "padding": 0, "dilation": 1, "groups": 1, **common}
    return [{**base, **p} for p in params]


def _conv_samples(rng: Any) -> list[Sample]:
    line, plane, solid = _fields(
        {"stride": 2, "padding": 1},
        {"stride": (2, 1), "padding": ((0, 1), (2, 1)), "dilation": (1, 2), "groups": 2},
        {"padding": "same"},
    )
    return [
        Sample((rng.normal(size=(2, 3, 8)), rng.normal(size=(4, 3, 3))), line),
        Sample((rng.normal(size=(2, 4, 5, 6)), rng.normal(size=(6, 2, 3, 2))), plane),
        Sample((rng.normal(size=(1, 2, 3, 4, 3)), rng.normal(size=(2, 2, 2, 3, 2))), solid),
    ]


primitive(
    "conv",
    doc="""The convolution of networks (a correlation) of x (N, C, *space) with a weight.

    `padding` is a number, one or a pair for each axis, 'same' or 'valid'; it pads with zeros.""",
    signature="x, weight, /, stride=1, padding=0, dilation=1, groups=1",
    unit=product,
    shape=_conv_shape,
    dtype=dtypes.ufunc("matmul"),
    derivative=Multilinear(
        (
            lambda ct, args, params: _back_to_x(ct, args[1], args[0], params),
            lambda ct, args, params: _weight_of(args[0], ct, shape_of(args[1])[2:], params),
        )
    ),
    batching=_batched(1, (True, False)),
    cost=_cost,
    numpy="",
    onnx="Conv",
    definition=definitions.conv,
    domain=_conv_samples,
)


def _transpose_samples(rng: Any) -> list[Sample]:
    line, plane, solid = _fields(
        {"stride": 2, "padding": 1, "output_padding": 1},
        {"stride": (2, 1), "padding": ((0, 1), (2, 1)), "dilation": (1, 2), "groups": 2},
        {"dilation": 3, "output_padding": (2, 0, 1)},
        output_padding=0,
    )
    wide = {**line, "padding": 2, "dilation": 4, "output_padding": 3}
    return [
        Sample((rng.normal(size=(2, 3, 4)), rng.normal(size=(3, 4, 3))), line),
        Sample((rng.normal(size=(2, 3, 4)), rng.normal(size=(3, 4, 3))), wide),
        Sample((rng.normal(size=(2, 4, 3, 4)), rng.normal(size=(4, 3, 3, 2))), plane),
        Sample((rng.normal(size=(1, 2, 2, 3, 2)), rng.normal(size=(2, 2, 2, 1, 2))), solid),
    ]


primitive(
    "conv_transpose",
    doc="""The transpose of `conv` by its first argument; the weight is (C, O/groups, *kernel).

    `output_padding` makes the far end longer, where a stride leaves the length open.""",
    signature="x, weight, /, stride=1, padding=0, output_padding=0, groups=1, dilation=1",
    unit=product,
    shape=_transpose_shape,
    dtype=dtypes.ufunc("matmul"),
    derivative=Multilinear(
        (
            lambda ct, args, params: _conv_of(ct, args[1], args[0], params),
            lambda ct, args, params: _weight_of_transpose(
                ct, args[0], shape_of(args[1])[2:], params
            ),
        )
    ),
    batching=_batched(1, (True, False)),
    cost=_cost,
    numpy="",
    onnx="ConvTranspose",
    definition=definitions.conv_transpose,
    domain=_transpose_samples,
)


def _weight_samples(rng: Any) -> list[Sample]:
    line, plane = _fields(
        {"stride": 2, "padding": 1, "kernel_size": (3,)},
        {"stride": (2, 1), "padding": 1, "dilation": (1, 2), "groups": 2, "kernel_size": (3, 2)},
    )
    return [
        Sample((rng.normal(size=(2, 3, 8)), rng.normal(size=(2, 4, 4))), line),
        Sample((rng.normal(size=(2, 4, 5, 6)), rng.normal(size=(2, 6, 3, 6))), plane),
    ]


primitive(
    "conv_weight_grad",
    doc="The transpose of `conv` by its weight: x (N, C, *space) with y of the result's shape.",
    signature="x, y, /, kernel_size, stride=1, padding=0, dilation=1, groups=1",
    unit=product,
    shape=_weight_shape,
    dtype=dtypes.ufunc("matmul"),
    derivative=Multilinear(
        (
            lambda ct, args, params: _back_to_x(args[1], ct, args[0], params),
            lambda ct, args, params: _conv_of(args[0], ct, args[1], params),
        )
    ),
    batching=_batched(0, (True, True)),
    cost=_cost,
    numpy="",
    definition=definitions.conv_weight_grad,
    domain=_weight_samples,
)


# Signals of one axis, as NumPy has them


def _signal_shape(shapes: Any, params: Any) -> Any:
    left, right = shapes
    if len(left) != 1 or len(right) != 1:
        raise ShapeMismatch("convolve", "two arrays of one axis", shapes)
    if None in (*left, *right):
        return (None,)
    start, stop = window_of("convolve", params["mode"], left[0], right[0])
    return (stop - start,)


def _signal_transpose(index: int) -> Any:
    """The cotangent of one signal: the full one, correlated with the other signal."""

    def transpose(ct: Any, args: Any, params: Any) -> Any:
        own, other = shape_of(args[index]), _signal(args[1 - index])
        sizes = tuple((*shape_of(a), 1)[0] for a in args)
        start, stop = window_of("convolve", params["mode"], *sizes)
        ct = ops.pad(ct, pad_width=((start, sum(sizes) - 1 - stop),))
        wide = ops.convolve(ct, ops.flip(other), mode="full")
        back = wide[other.shape[0] - 1 : sum(sizes) - 1]
        return back if own else ops.reshape(back, shape=())

    return transpose


def _signal(value: Any) -> Any:
    """A single number as a signal of one element, as NumPy has it."""
    return value if shape_of(value) else ops.reshape(value, shape=(1,))


def _signals(rng: Any) -> list[Sample]:
    return [
        Sample((rng.normal(size=n), rng.normal(size=m)), {"mode": mode})
        for n, m, mode in ((6, 3, "full"), (3, 6, "same"), (7, 4, "valid"), (4, 4, "same"))
    ]


def _signal_cost(shapes: Any, results: Any, params: Any) -> Work:
    return Work(2 * results[0][0] * min(shapes[0][0], shapes[1][0]), moved(shapes, results))


primitive(
    "convolve",
    doc="The convolution of two signals of one axis: 'full', 'same' or 'valid'.",
    signature="x, y, /, mode='full'",
    unit=product,
    shape=_signal_shape,
    dtype=dtypes.promoted,
    derivative=Multilinear((_signal_transpose(0), _signal_transpose(1))),
    batching=batching.looped,
    cost=_signal_cost,
    laws=("commutative",),
    definition=definitions.convolve,
    domain=_signals,
)


@composite(numpy="correlate", unit=product, points=points.refuse, domain=_signals)
def correlate(x: Any, y: Any, /, mode: str = "valid") -> Any:
    """How two signals of one axis agree at each shift: x with the conjugate of y."""
    start, stop = window_of("correlate", mode, x.shape[0], y.shape[0])
    if x.shape[0] < y.shape[0] and mode == "same":
        shift = (x.shape[0] - 1) % 2
        start, stop = start + shift, stop + shift
    return ops.convolve(x, ops.flip(ops.conj(y)), mode="full")[start:stop]
