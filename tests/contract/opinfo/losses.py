"""PyTorch's losses by our ops."""

from math import log, pi
from typing import Any

import numpy as np
import torch

from dimflow import ops
from tests.contract.opinfo.networks import pairwise_distance
from tests.contract.opinfo.registry import adapts


def _reduced(loss: Any, reduction: str) -> Any:
    return {"none": lambda x: x, "sum": ops.sum, "mean": ops.mean}[reduction](loss)


def _old_reduction(size_average: Any, reduce: Any, reduction: str) -> str:
    """The two flags that came before the word."""
    if size_average is None and reduce is None:
        return reduction
    if reduce is False:
        return "none"
    return "sum" if size_average is False else "mean"


@adapts("nn.functional.mse_loss")
def _mse_loss(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Any = None,
) -> Any:
    loss = ops.square(ops.subtract(input, target))
    if weight is not None:
        raise TypeError("no weights")
    return _reduced(loss, _old_reduction(size_average, reduce, reduction))


@adapts("nn.functional.l1_loss")
def _l1_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    return _reduced(ops.abs(ops.subtract(input, target)), reduction)


@adapts("nn.functional.smooth_l1_loss")
def _smooth_l1_loss(input: Any, target: Any, reduction: str = "mean", beta: float = 1.0) -> Any:
    size = ops.abs(ops.subtract(input, target))
    if beta == 0:
        return _reduced(size, reduction)
    near = ops.divide(ops.square(size), 2 * beta)
    return _reduced(ops.where(ops.less(size, beta), near, ops.subtract(size, beta / 2)), reduction)


@adapts("nn.functional.huber_loss")
def _huber_loss(
    input: Any, target: Any, reduction: str = "mean", delta: float = 1.0, weight: Any = None
) -> Any:
    if weight is not None:
        raise TypeError("no weights")
    size = ops.abs(ops.subtract(input, target))
    far = ops.multiply(ops.subtract(size, delta / 2), delta)
    near = ops.divide(ops.square(size), 2)
    return _reduced(ops.where(ops.less_equal(size, delta), near, far), reduction)


@adapts("nn.functional.soft_margin_loss")
def _soft_margin_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    return _reduced(ops.softplus(ops.multiply(ops.negative(target), input)), reduction)


@adapts("nn.functional.margin_ranking_loss")
def _margin_ranking_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0, reduction: str = "mean"
) -> Any:
    gap = ops.multiply(ops.negative(target), ops.subtract(input1, input2))
    return _reduced(ops.relu(ops.add(gap, margin)), reduction)


@adapts("nn.functional.hinge_embedding_loss")
def _hinge_embedding_loss(
    input: Any, target: Any, margin: float = 1.0, reduction: str = "mean"
) -> Any:
    other = ops.where(ops.equal(target, 1), 0.0, ops.relu(ops.subtract(margin, input)))
    return _reduced(ops.add(ops.where(ops.equal(target, -1), 0.0, input), other), reduction)


@adapts("nn.functional.cosine_embedding_loss")
def _cosine_embedding_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0, reduction: str = "mean"
) -> Any:
    squares = [ops.add(ops.sum(ops.square(x), axis=-1), 1e-12) for x in (input1, input2)]
    both = ops.sum(ops.multiply(input1, input2), axis=-1)
    cosine = ops.divide(both, ops.sqrt(ops.multiply(*squares)))
    apart = ops.relu(ops.subtract(cosine, margin))
    return _reduced(ops.where(ops.equal(target, 1), ops.subtract(1, cosine), apart), reduction)


@adapts("nn.functional.triplet_margin_loss")
def _triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Any:
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = ops.minimum(far, pairwise_distance(positive, negative, p, eps))
    return _reduced(ops.relu(ops.add(ops.subtract(near, far), margin)), reduction)


@adapts("nn.functional.triplet_margin_with_distance_loss")
def _triplet_with_distance(
    anchor: Any,
    positive: Any,
    negative: Any,
    *,
    distance_function: Any = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Any:
    if distance_function not in (None, torch.nn.functional.pairwise_distance) and not isinstance(
        distance_function, torch.nn.PairwiseDistance
    ):
        raise TypeError("only the usual distance")
    return _triplet_margin_loss(anchor, positive, negative, margin, swap=swap, reduction=reduction)


@adapts("nn.functional.binary_cross_entropy")
def _binary_cross_entropy(
    input: Any, target: Any, weight: Any = None, reduction: str = "mean"
) -> Any:
    """Logarithms no lower than -100, as PyTorch has it."""
    yes = ops.clip(ops.log(input), -100.0)
    no = ops.clip(ops.log1p(ops.negative(input)), -100.0)
    loss = ops.subtract(ops.multiply(ops.subtract(target, 1), no), ops.multiply(target, yes))
    return _reduced(loss if weight is None else ops.multiply(loss, weight), reduction)


@adapts("nn.functional.binary_cross_entropy_with_logits")
def _with_logits(
    input: Any,
    target: Any,
    weight: Any = None,
    reduction: str = "mean",
    pos_weight: Any = None,
) -> Any:
    yes, no = ops.log_sigmoid(input), ops.log_sigmoid(ops.negative(input))
    if pos_weight is not None:
        yes = ops.multiply(yes, pos_weight)
    loss = ops.subtract(ops.multiply(ops.subtract(target, 1), no), ops.multiply(target, yes))
    return _reduced(loss if weight is None else ops.multiply(loss, weight), reduction)


@adapts("nn.functional.kl_div")
def _kl_div(input: Any, target: Any, reduction: str = "mean", log_target: bool = False) -> Any:
    if log_target:
        loss = ops.multiply(ops.exp(target), ops.subtract(target, input))
    else:
        own = ops.where(ops.equal(target, 0), 0.0, ops.multiply(target, ops.log(target)))
        loss = ops.subtract(own, ops.multiply(target, input))
    if reduction == "batchmean":
        return ops.divide(ops.sum(loss), input.shape[0] if input.shape else 1)
    return _reduced(loss, reduction)


@adapts("nn.functional.poisson_nll_loss")
def _poisson_nll_loss(
    input: Any,
    target: Any,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
    reduction: str = "mean",
) -> Any:
    if log_input:
        loss = ops.subtract(ops.exp(input), ops.multiply(target, input))
    else:
        loss = ops.subtract(input, ops.multiply(target, ops.log(ops.add(input, eps))))
    if full:
        stirling = ops.add(
            ops.subtract(ops.multiply(target, ops.log(target)), target),
            ops.multiply(0.5, ops.log(ops.multiply(2 * pi, target))),
        )
        loss = ops.add(loss, ops.where(ops.greater(target, 1), stirling, 0.0))
    return _reduced(loss, reduction)


@adapts("nn.functional.gaussian_nll_loss")
def _gaussian_nll_loss(
    input: Any,
    target: Any,
    var: Any,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Any:
    if not hasattr(var, "shape"):
        var = ops.full_like(input, var)
    elif tuple(var.shape) == tuple(input.shape[:-1]):
        var = ops.expand_dims(var, axis=-1)
    var = ops.clip(var, eps)
    loss = ops.divide(ops.square(ops.subtract(input, target)), var)
    loss = ops.multiply(0.5, ops.add(ops.log(var), loss))
    return _reduced(ops.add(loss, 0.5 * log(2 * pi)) if full else loss, reduction)


@adapts("nn.functional.nll_loss")
def _nll_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Any:
    axis = 1 if len(input.shape) > 1 else 0
    counts = ops.not_equal(target, ignore_index)
    places = ops.where(counts, target, 0)
    picked = ops.take_along_axis(input, ops.expand_dims(places, axis=axis), axis=axis)
    picked = ops.squeeze(picked, axis=axis)
    weights = 1.0 if weight is None else ops.take(weight, places)
    weights = ops.where(counts, weights, 0.0)
    loss = ops.where(counts, ops.negative(ops.multiply(picked, weights)), 0.0)
    if reduction == "mean":
        return ops.divide(ops.sum(loss), ops.sum(weights))
    return _reduced(loss, reduction)


@adapts("nn.functional.cross_entropy")
def _cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    axis = 1 if len(input.shape) > 1 else 0
    logs = ops.log_softmax(input, axis=axis)
    count = input.shape[axis]
    column = None
    if weight is not None:
        column = ops.reshape(weight, shape=(-1, *[1] * (len(input.shape) - 1 - axis)))
    if (
        target.dtype.kind == "f"
        if hasattr(target.dtype, "kind")
        else target.dtype.is_floating_point
    ):
        return _soft_cross_entropy(logs, target, column, axis, reduction, label_smoothing)
    whole = _nll_loss(logs, target, weight, ignore_index, "none")
    if not label_smoothing:
        return _nll_loss(logs, target, weight, ignore_index, reduction)
    smooth = ops.negative(
        ops.sum(logs if column is None else ops.multiply(logs, column), axis=axis)
    )
    counts = ops.not_equal(target, ignore_index)
    smooth = ops.where(counts, smooth, 0.0)
    loss = ops.add(
        ops.multiply(whole, 1 - label_smoothing), ops.multiply(smooth, label_smoothing / count)
    )
    if reduction != "mean":
        return _reduced(loss, reduction)
    weights = 1.0 if weight is None else ops.take(weight, ops.where(counts, target, 0))
    return ops.divide(ops.sum(loss), ops.sum(ops.where(counts, weights, 0.0)))


@adapts(
    "nn.functional.linear_cross_entropy",
    "nn.functional.linear_cross_entropy/chunked",
    "nn.functional.linear_cross_entropy/chunked_none",
)
def _linear_cross_entropy(
    input: Any,
    linear_weight: Any,
    target: Any,
    *,
    linear_bias: Any = None,
    options: Any = None,
    **fields: Any,
) -> Any:
    """However PyTorch cuts the work into parts."""
    logits = ops.tensordot(input, linear_weight, axes=([-1], [-1]))
    if linear_bias is not None:
        logits = ops.add(logits, linear_bias)
    return _cross_entropy(logits, target, **fields)


def _soft_cross_entropy(
    logs: Any, target: Any, column: Any, axis: int, reduction: str, smoothing: float
) -> Any:
    count = logs.shape[axis]
    if smoothing:
        target = ops.add(ops.multiply(target, 1 - smoothing), smoothing / count)
    loss = ops.multiply(logs, target)
    loss = ops.negative(ops.sum(loss if column is None else ops.multiply(loss, column), axis=axis))
    if reduction == "mean":
        images = np.prod(logs.shape) / count
        return ops.divide(ops.sum(loss), images)
    return _reduced(loss, reduction)


@adapts("nn.functional.multi_margin_loss")
def _multi_margin_loss(
    input: Any,
    target: Any,
    p: int = 1,
    margin: float = 1.0,
    weight: Any = None,
    reduction: str = "mean",
) -> Any:
    x = input if len(input.shape) == 2 else ops.reshape(input, shape=(1, -1))
    places = ops.reshape(target, shape=(-1, 1))
    right = ops.take_along_axis(x, places, axis=1)
    gap = ops.relu(ops.add(ops.subtract(x, right), margin))
    gap = gap if p == 1 else ops.static_power(gap, exponent=p)
    if weight is not None:
        gap = ops.multiply(gap, ops.take(weight, places))
    others = ops.not_equal(np.arange(x.shape[1]), places)
    loss = ops.divide(ops.sum(ops.where(others, gap, 0.0), axis=1), x.shape[1])
    if len(input.shape) < 2 and reduction == "none":
        return loss[0]
    return _reduced(loss, reduction)


@adapts("nn.functional.multilabel_soft_margin_loss")
def _multilabel_soft_margin_loss(
    input: Any, target: Any, weight: Any = None, reduction: str = "mean"
) -> Any:
    yes = ops.multiply(target, ops.log_sigmoid(input))
    no = ops.multiply(ops.subtract(1, target), ops.log_sigmoid(ops.negative(input)))
    loss = ops.negative(ops.add(yes, no))
    loss = loss if weight is None else ops.multiply(loss, weight)
    return _reduced(ops.mean(loss, axis=-1), reduction)
