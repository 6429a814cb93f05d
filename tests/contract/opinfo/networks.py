"""PyTorch's functions of networks by our ops: normalization, attention, convolution, pooling."""

from typing import Any

import numpy as np

from dimflow import ops
from tests.contract.opinfo.reducing import cast
from tests.contract.opinfo.registry import adapts


def _dim(x: Any, dim: Any) -> int:
    """The axis that PyTorch takes where none is given."""
    if dim is not None:
        return int(dim)
    return 0 if len(x.shape) in (0, 1, 3) else 1


@adapts("softmax", "softmax/with_dtype")
def _softmax(input: Any, dim: int, dtype: Any = None) -> Any:
    return _lifted(lambda x: ops.softmax(x, axis=dim), cast(input, dtype))


@adapts("log_softmax", "log_softmax/with_dtype")
def _log_softmax(input: Any, dim: int, dtype: Any = None) -> Any:
    return _lifted(lambda x: ops.log_softmax(x, axis=dim), cast(input, dtype))


@adapts("nn.functional.softmin", "nn.functional.softmin/with_dtype")
def _softmin(input: Any, dim: Any = None, dtype: Any = None) -> Any:
    minus = ops.negative(cast(input, dtype))
    return _lifted(lambda x: ops.softmax(x, axis=_dim(x, dim)), minus)


@adapts("torch.ops.aten._safe_softmax.default")
def _safe_softmax(input: Any, dim: int, dtype: Any = None) -> Any:
    """Rows of nothing but -inf are zeros."""
    x = cast(input, dtype)
    empty = ops.all(ops.isneginf(x), axis=dim, keepdims=True)
    return ops.where(empty, 0.0, _softmax(ops.where(empty, 0.0, x), dim))


@adapts("_softmax_backward_data")
def _softmax_backward(grad_output: Any, output: Any, dim: int, input_dtype: Any) -> Any:
    both = ops.multiply(grad_output, output)
    axis = dim if output.shape else None
    return ops.subtract(both, ops.multiply(output, ops.sum(both, axis=axis, keepdims=True)))


def _lifted(function: Any, x: Any) -> Any:
    """A function along an axis, of a number too."""
    return function(x) if x.shape else ops.reshape(function(ops.reshape(x, shape=(1,))), shape=())


# Normalization


@adapts("nn.functional.layer_norm")
def _layer_norm(
    input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    axes = tuple(range(-len(normalized_shape), 0))
    return ops.layer_norm(input, axis=axes, weight=weight, bias=bias, eps=eps)


@adapts("native_layer_norm")
def _native_layer_norm(
    input: Any, normalized_shape: Any, weight: Any, bias: Any, eps: float
) -> Any:
    axes = tuple(range(-len(normalized_shape), 0))
    spread = ops.var(input, axis=axes, keepdims=True)
    return (
        _layer_norm(input, normalized_shape, weight, bias, eps),
        ops.mean(input, axis=axes, keepdims=True),
        ops.static_power(ops.add(spread, eps), exponent=-0.5),
    )


@adapts("nn.functional.rms_norm")
def _rms_norm(input: Any, normalized_shape: Any, weight: Any = None, eps: Any = None) -> Any:
    eps = (
        float(np.finfo(np.dtype(str(input.dtype).removeprefix("torch."))).eps)
        if eps is None
        else eps
    )
    axes = tuple(range(-len(normalized_shape), 0))
    return ops.rms_norm(input, axis=axes, weight=weight, eps=eps)


@adapts("nn.functional.group_norm")
def _group_norm(
    input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    return ops.group_norm(input, num_groups=num_groups, weight=weight, bias=bias, eps=eps)


@adapts("nn.functional.instance_norm")
def _instance_norm(
    input: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    if not use_input_stats:
        return ops.batch_norm(input, running_mean, running_var, weight=weight, bias=bias, eps=eps)
    return ops.group_norm(input, num_groups=input.shape[1], weight=weight, bias=bias, eps=eps)


@adapts("nn.functional.batch_norm", "nn.functional.batch_norm/without_cudnn")
def _batch_norm(
    input: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    mean, var = running_mean, running_var
    if training:
        axes = (0, *range(2, len(input.shape)))
        mean, var = ops.mean(input, axis=axes), ops.var(input, axis=axes)
    return ops.batch_norm(input, mean, var, weight=weight, bias=bias, eps=eps)


@adapts("nn.functional.normalize")
def _normalize(input: Any, p: float = 2.0, dim: Any = 1, eps: float = 1e-12) -> Any:
    if not input.shape:
        dim = None
    norm = ops.vector_norm(input, axis=dim, keepdims=True, ord=p)
    return ops.divide(input, ops.clip(norm, eps))


@adapts("nn.functional.cosine_similarity")
def _cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    if not x1.shape:
        x1, x2 = ops.atleast_1d(x1), ops.atleast_1d(x2)
    return ops.cosine_similarity(x1, x2, axis=dim, eps=eps)


@adapts("nn.functional.pairwise_distance")
def pairwise_distance(
    x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Any:
    """The length of each difference, with a little added to its elements."""
    apart = ops.add(ops.subtract(x1, x2), eps)
    return ops.vector_norm(apart, axis=-1, keepdims=keepdim, ord=p)


@adapts("cdist")
def _cdist(x1: Any, x2: Any, p: float = 2.0, compute_mode: Any = None) -> Any:
    apart = ops.subtract(x1[..., :, None, :], x2[..., None, :, :])
    return ops.vector_norm(apart, axis=-1, ord=p)


@adapts("nn.functional.pdist")
def _pdist(input: Any, p: float = 2.0) -> Any:
    rows, columns = np.triu_indices(input.shape[0], 1)
    apart = ops.subtract(ops.take(input, rows, axis=0), ops.take(input, columns, axis=0))
    return ops.vector_norm(apart, axis=-1, ord=p)


# Linear maps and attention


@adapts("nn.functional.linear")
def _linear(input: Any, weight: Any, bias: Any = None) -> Any:
    turned = ops.matrix_transpose(weight) if len(weight.shape) > 1 else weight
    out = ops.matmul(input, turned)
    return out if bias is None else ops.add(out, bias)


@adapts("nn.functional.bilinear")
def _bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    out = ops.einsum("...i,oij,...j->...o", input1, weight, input2)
    return out if bias is None else ops.add(out, bias)


@adapts("nn.functional.scaled_dot_product_attention")
def _attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: Any = None,
    enable_gqa: bool = False,
) -> Any:
    if dropout_p or enable_gqa:
        raise TypeError("no dropout and no grouped queries")
    return ops.scaled_dot_product_attention(
        query, key, value, attn_mask=attn_mask, is_causal=is_causal, scale=scale
    )


# Convolution and pooling


def _as_batch(function: Any, x: Any, space: int) -> Any:
    """A function of images, of one image without its axis too."""
    if len(x.shape) == space + 2:
        return function(x)
    return function(x[None])[0]


def _conv(space: int) -> Any:
    def call(
        input: Any,
        weight: Any,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Any:
        fields = {
            "stride": _each(stride, space),
            "padding": padding if isinstance(padding, str) else _each(padding, space),
            "dilation": _each(dilation, space),
            "groups": groups,
        }
        return _as_batch(lambda x: _biased(ops.conv(x, weight, **fields), bias), input, space)

    return call


def _conv_transpose(space: int) -> Any:
    def call(
        input: Any,
        weight: Any,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        dilation: Any = 1,
    ) -> Any:
        fields = {
            "stride": _each(stride, space),
            "padding": _each(padding, space),
            "output_padding": _each(output_padding, space),
            "dilation": _each(dilation, space),
            "groups": groups,
        }
        out = lambda x: _biased(ops.conv_transpose(x, weight, **fields), bias)  # noqa: E731
        return _as_batch(out, input, space)

    return call


def _each(given: Any, space: int) -> tuple[int, ...]:
    """One number for each axis; PyTorch stretches a tuple of one."""
    many = (given,) if isinstance(given, int) else tuple(given)
    return many * space if len(many) == 1 else many


def _biased(out: Any, bias: Any) -> Any:
    if bias is None:
        return out
    return ops.add(out, ops.reshape(bias, shape=(-1, *[1] * (len(out.shape) - 2))))


for _space in (1, 2, 3):
    adapts(f"nn.functional.conv{_space}d")(_conv(_space))
    adapts(f"nn.functional.conv_transpose{_space}d")(_conv_transpose(_space))


def _max_pool(space: int) -> Any:
    def call(
        input: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        pooled = ops.max_pool(
            input,
            kernel_size=_each(kernel_size, space),
            stride=None if stride is None or stride == () else _each(stride, space),
            padding=_each(padding, space),
            dilation=_each(dilation, space),
            ceil_mode=ceil_mode,
        )
        return (pooled, None) if return_indices else pooled

    return call


def _avg_pool(space: int) -> Any:
    def call(
        input: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: Any = None,
    ) -> Any:
        return ops.avg_pool(
            input,
            kernel_size=_each(kernel_size, space),
            stride=None if stride is None or stride == () else _each(stride, space),
            padding=_each(padding, space),
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            divisor_override=divisor_override,
        )

    return call


def _adaptive(op: Any, space: int) -> Any:
    def call(input: Any, output_size: Any, return_indices: bool = False) -> Any:
        given = (output_size,) * space if isinstance(output_size, int) else tuple(output_size)
        given = given * space if len(given) == 1 else given
        known = zip(given, input.shape[-space:], strict=True)
        pooled = op(input, output_size=tuple(n if size is None else size for size, n in known))
        return (pooled, None) if return_indices else pooled

    return call


for _space in (1, 2, 3):
    adapts(f"nn.functional.max_pool{_space}d")(_max_pool(_space))
    adapts(f"nn.functional.avg_pool{_space}d")(_avg_pool(_space))
    adapts(f"nn.functional.adaptive_avg_pool{_space}d")(_adaptive(ops.adaptive_avg_pool, _space))
    adapts(f"nn.functional.adaptive_max_pool{_space}d")(_adaptive(ops.adaptive_max_pool, _space))


@adapts("nn.functional.unfold")
def _unfold(
    input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    kernel, stride, dilation = _each(kernel_size, 2), _each(stride, 2), _each(dilation, 2)
    pairs = [(p, p) for p in _each(padding, 2)]
    lead = len(input.shape) - 2
    padded = ops.pad_constant(input, pad_width=(*[(0, 0)] * lead, *pairs))
    windows = ops.sliding_windows(padded, window_shape=kernel, stride=stride, dilation=dilation)
    *first, channels, rows, columns, height, width = windows.shape
    n = len(first)
    turned = ops.permute_dims(windows, axes=(*range(n + 1), n + 3, n + 4, n + 1, n + 2))
    return ops.reshape(turned, shape=(*first, channels * height * width, rows * columns))


@adapts("nn.functional.local_response_norm")
def _local_response_norm(
    input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Any:
    squares = ops.moveaxis(ops.square(input), source=1, destination=-1)
    around = [(0, 0)] * (len(input.shape) - 1) + [(size // 2, (size - 1) // 2)]
    windows = ops.sliding_windows(ops.pad_constant(squares, pad_width=around), window_shape=(size,))
    mean = ops.moveaxis(ops.mean(windows, axis=-1), source=-1, destination=1)
    return ops.divide(input, ops.static_power(ops.add(ops.multiply(mean, alpha), k), exponent=beta))
