"""Softmax, normalization and attention.

`eps` of the norms is added to a variance, so it has the square of x's unit: the default goes with
pure numbers, and for x in metres it is 0 or given in m². A bare number there would make the result
depend on whether lengths are written in m or km.
"""

from math import prod, sqrt
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.errors import DimensionError, ShapeMismatch
from dimflow.ops.domain import Sample
from dimflow.ops.rules import batching, costs, dtypes
from dimflow.ops.rules.derivatives import Jvp
from dimflow.ops.rules.shapes import normalized, unchanged
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.units import pure_to_pure
from dimflow.ops.rules.values import floated
from dimflow.ops.table import composite, primitive


def _rows(rng: Any) -> list[Sample]:
    return [
        Sample((rng.normal(size=5),), {"axis": -1}),
        Sample((rng.normal(size=(3, 4)),), {"axis": 0}),
        Sample((rng.normal(size=(2, 3, 4)),), {"axis": (1, 2)}),
    ]


def _softmax(x: Any, /, axis: Any = -1) -> Any:
    if 0 in shape_of(x):
        return ops.exp(x)  # nothing has no largest element
    powers = ops.exp(x - ops.max(x, axis=axis, keepdims=True))
    return powers / ops.sum(powers, axis=axis, keepdims=True)


def _softmax_jvp(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    (t,) = tangents
    return out * (t - ops.sum(out * t, axis=params["axis"], keepdims=True))


primitive(
    "softmax",
    doc="exp(x) over its sum along an axis: positive numbers that sum to 1.",
    signature="x, /, axis=-1",
    unit=pure_to_pure,
    shape=unchanged,
    dtype=dtypes.floating,
    derivative=Jvp(_softmax_jvp),
    batching=batching.along_axis,
    definition=_softmax,
    cost=costs.per_input(12),
    numpy="",
    torch="softmax",
    onnx="Softmax",
    domain=_rows,
)


def _log_softmax(x: Any, /, axis: Any = -1) -> Any:
    if 0 in shape_of(x):
        return ops.exp(x)
    x = x - ops.max(x, axis=axis, keepdims=True)
    return x - ops.log(ops.sum(ops.exp(x), axis=axis, keepdims=True))


def _log_softmax_jvp(tangents: Any, out: Any, args: Any, params: Any) -> Any:
    (t,) = tangents
    return t - ops.sum(ops.exp(out) * t, axis=params["axis"], keepdims=True)


primitive(
    "log_softmax",
    doc="The logarithm of softmax, without underflow.",
    signature="x, /, axis=-1",
    unit=pure_to_pure,
    shape=unchanged,
    dtype=dtypes.floating,
    derivative=Jvp(_log_softmax_jvp),
    batching=batching.along_axis,
    definition=_log_softmax,
    cost=costs.per_input(12),
    numpy="",
    torch="log_softmax",
    onnx="LogSoftmax",
    domain=_rows,
)


# Norms


def _root(op: str, variance: Any, eps: Any) -> Any:
    """The square root of a variance and a little more, in the variance's unit."""
    try:
        return ops.sqrt(variance + eps)
    except DimensionError as error:
        hint = "eps has the square of x's unit: give it with that unit, or as 0"
        names = "the variance", "eps"
        raise DimensionError(op, error.left, error.right, hint, names) from None


def _affine(x: Any, weight: Any, bias: Any) -> Any:
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


_NORMED = ("x", "weight", "bias", "eps")


@composite(
    arrays=_NORMED,
    onnx="LayerNormalization",
    domain=lambda rng: [
        Sample((rng.normal(size=(3, 4)), None, None, 1e-5), {"axis": -1}),
        Sample((rng.normal(size=(2, 3, 4)), None, None, 0), {"axis": (1, 2)}),
        Sample((rng.normal(size=(3, 4)), *rng.normal(size=(2, 4)), 0), {"axis": -1}),
    ],
)
def layer_norm(
    x: Any, /, axis: Any = -1, weight: Any = None, bias: Any = None, eps: Any = 1e-5
) -> Any:
    """x less its mean, over its standard deviation, along axes; then times weight, plus bias.

    The result has the weight's unit, or none. `eps` is added to the variance, in the square of
    x's unit: for x with a unit give it so, or 0.
    """
    centred = x - ops.mean(x, axis=axis, keepdims=True)
    variance = ops.mean(centred * centred, axis=axis, keepdims=True)
    return _affine(centred / _root("layer_norm", variance, eps), weight, bias)


@composite(
    arrays=("x", "weight", "eps"),
    domain=lambda rng: [
        Sample((rng.normal(size=(3, 4)), None, 1e-5), {"axis": -1}),
        Sample((rng.normal(size=(3, 4)), rng.normal(size=(3, 1)), 0), {"axis": 0}),
    ],
)
def rms_norm(x: Any, /, axis: Any = -1, weight: Any = None, eps: Any = 1e-5) -> Any:
    """x over the root of its mean square along axes; then times weight.

    `eps` is added to the mean square, in its unit.
    """
    x = floated(x)
    square = ops.mean(x * x, axis=axis, keepdims=True)
    return _affine(x / _root("rms_norm", square, eps), weight, None)


def _per_channel(op: str, name: str, value: Any, shape: Any, axis: int) -> Any:
    """One value for each channel, in a shape that goes with x."""
    if value is None or not shape_of(value):
        return value
    if shape_of(value) != (shape[axis],):
        raise ShapeMismatch(op, f"{name}: one value for each of {shape[axis]}", shape_of(value))
    return ops.reshape(value, shape=tuple(n if i == axis else 1 for i, n in enumerate(shape)))


@composite(
    arrays=_NORMED,
    torch="group_norm",
    onnx="GroupNormalization",
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 4, 3)), None, None, 1e-5), {"num_groups": 2}),
        Sample((rng.normal(size=(2, 4)), *rng.normal(size=(2, 4)), 0), {"num_groups": 1}),
    ],
)
def group_norm(
    x: Any, /, num_groups: int, weight: Any = None, bias: Any = None, eps: Any = 1e-5
) -> Any:
    """`layer_norm` of x (N, C, *space) over the channels of each group, and all of space."""
    shape = shape_of(x)
    if len(shape) < 2 or num_groups < 1 or shape[1] % num_groups:
        wanted = f"an array (N, C, ...) with channels in {num_groups} equal groups"
        raise ShapeMismatch("group_norm", wanted, shape)
    rest = -1 if None in shape else prod(shape[1:]) // num_groups  # of nothing -1 says nothing
    grouped = ops.reshape(x, shape=(shape[0], num_groups, rest))
    centred = grouped - ops.mean(grouped, axis=2, keepdims=True)
    variance = ops.mean(centred * centred, axis=2, keepdims=True)
    result = ops.reshape(centred / _root("group_norm", variance, eps), shape=shape)
    weight = _per_channel("group_norm", "weight", weight, shape, 1)
    return _affine(result, weight, _per_channel("group_norm", "bias", bias, shape, 1))


@composite(
    arrays=("x", "mean", "var", "weight", "bias", "eps"),
    onnx="BatchNormalization",
    domain=lambda rng: [
        Sample(
            (rng.normal(size=(2, 3, 4)), rng.normal(size=3), rng.uniform(1, 2, 3), None, None, 0),
            {"axis": 1},
            ("m", "m", "m**2", None, None, None),
        ),
        Sample(
            (
                rng.normal(size=(4, 3)),
                rng.normal(size=3),
                rng.uniform(1, 2, 3),
                *rng.normal(size=(2, 3)),
                1e-5,
            ),
            {"axis": -1},
            ("", "", "", "kg", "kg", ""),
        ),
    ],
)
def batch_norm(
    x: Any,
    mean: Any,
    var: Any,
    /,
    weight: Any = None,
    bias: Any = None,
    eps: Any = 1e-5,
    axis: int = 1,
) -> Any:
    """x less a given mean, over the root of a given variance, for each channel along an axis.

    `eps` is added to the variance, in its unit.
    """
    shape = shape_of(x)
    (axis,) = normalized(axis, len(shape))

    def spread(name: str, value: Any) -> Any:
        return _per_channel("batch_norm", name, value, shape, axis)

    root = _root("batch_norm", spread("var", var), eps)
    result = (x - spread("mean", mean)) / root
    return _affine(result, spread("weight", weight), spread("bias", bias))


# Likeness and attention


@composite(
    arrays=("x", "y", "eps"),
    domain=lambda rng: [
        Sample((rng.normal(size=(3, 4)), rng.normal(size=(3, 4)), 0), {"axis": -1}),
        Sample((rng.normal(size=(3, 4)), rng.normal(size=(3, 1)), 0), {"axis": 0}),
    ],
)
def cosine_similarity(x: Any, y: Any, /, axis: int = -1, eps: Any = 0) -> Any:
    """The cosine of the angle between vectors along an axis.

    `eps` is the least product of their lengths to divide by, in the unit of that product; without
    one, the likeness to a vector of zeros is nan.
    """
    x, y = floated(x), floated(y)
    if shape_of(x) != shape_of(y):
        x, y = ops.broadcast_arrays(x, y)  # a vector of one element may stand for a longer one
    product = ops.sum(x * y, axis=axis)
    lengths = ops.sqrt(ops.sum(x * x, axis=axis)) * ops.sqrt(ops.sum(y * y, axis=axis))
    return product / ops.maximum(lengths, eps)


def _is_mask(x: Any) -> bool:
    return str(x.dtype).endswith("bool")


@composite(
    arrays=("query", "key", "value", "attn_mask", "scale"),
    domain=lambda rng: [
        Sample(
            (*(rng.normal(size=(2, n, 4)) for n in (3, 5, 5)), None, None),
            {"is_causal": False},
            ("", "", "m", None, None),
        ),
        Sample(
            (*(rng.normal(size=(3, 4)) for _ in range(3)), None, 0.5),
            {"is_causal": True},
            ("m", "m", "kg", None, "1/m**2"),
        ),
        Sample(
            (*(rng.normal(size=(3, 4)) for _ in range(3)), rng.normal(size=(3, 3)), None),
            {"is_causal": False},
            ("", "", "s", "", None),
        ),
    ],
)
def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    /,
    attn_mask: Any = None,
    is_causal: bool = False,
    scale: Any = None,
) -> Any:
    """softmax(query @ key.T * scale) @ value: a mean of values, weighted by likeness.

    Scores are pure numbers: where query and key have units, `scale` takes them away; without one it
    is 1/sqrt(length). A mask of truth values says where to look, one of numbers is added.
    """
    if scale is None:
        scale = 1 / sqrt(shape_of(query)[-1])
    scores = ops.matmul(query, ops.matrix_transpose(key)) * scale
    if is_causal:
        if attn_mask is not None:
            hint = "put the causal part into the mask"
            wanted = "no attn_mask beside is_causal"
            raise ShapeMismatch("scaled_dot_product_attention", wanted, shape_of(attn_mask), hint)
        attn_mask = np.tri(*shape_of(scores)[-2:], dtype=np.bool_)
    if attn_mask is not None:
        is_mask = _is_mask(attn_mask)
        scores = ops.where(attn_mask, scores, -np.inf) if is_mask else scores + attn_mask
    return ops.matmul(ops.softmax(scores, axis=-1), value)
