"""Windows over the last axes of a tensor, and their transpose."""

from itertools import product
from typing import Any


def windows(x: Any, kernel: Any, stride: Any, dilation: Any) -> Any:
    """A view (*lead, *out, *kernel): every window of the last axes."""
    lead = x.ndim - len(kernel)
    for i, (k, s, d) in enumerate(zip(kernel, stride, dilation, strict=True)):
        x = x.unfold(lead + i, d * (k - 1) + 1, s)
        x = x[..., ::d]
    return x


def add_windows(spread: Any, space: Any, stride: Any, dilation: Any) -> Any:
    """The sum of windows (*lead, *kernel, *out) where they lie in a space."""
    rank = len(stride)
    lead = spread.ndim - 2 * rank
    kernel, out = spread.shape[lead : lead + rank], spread.shape[lead + rank :]
    target = spread.new_zeros((*spread.shape[:lead], *space))
    for place in product(*map(range, kernel)):
        spans = zip(place, stride, dilation, out, strict=True)
        key = [slice(i * d, i * d + (n - 1) * s + 1 if n else i * d, s) for i, s, d, n in spans]
        target[(..., *key)] += spread[(slice(None),) * lead + place]
    return target
