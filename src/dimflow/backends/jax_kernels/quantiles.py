"""Quantiles on JAX: by its own functions, or by the definition for what they lack."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from dimflow import ops

_METHODS = frozenset(("linear", "lower", "higher", "midpoint", "nearest"))


def _kernel(name: str) -> Callable[..., Any]:
    own = getattr(jnp, name)

    def kernel(
        x: Any,
        q: Any,
        axis: Any = None,
        method: str = "linear",
        keepdims: bool = False,
        **more: Any,
    ) -> Any:
        if method in _METHODS and more.get("weights") is None:
            return own(x, q, axis=axis, method=method, keepdims=keepdims)
        definition = ops.get(name).rule("definition")
        return definition(x, q, axis=axis, method=method, keepdims=keepdims, **more)

    kernel.__name__ = name
    return kernel


quantile = _kernel("quantile")
percentile = _kernel("percentile")
nanquantile = _kernel("nanquantile")
nanpercentile = _kernel("nanpercentile")
