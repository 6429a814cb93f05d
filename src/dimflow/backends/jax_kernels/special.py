"""Special functions, from jax.scipy."""

from typing import Any

import jax.numpy as jnp
import jax.scipy.special as special

from dimflow.backends.jax_kernels.precision import usual
from dimflow.errors import NotANumber


def _real(name: str, *values: Any) -> Any:
    """Arrays of real numbers; JAX's functions fail on others with a message of their own."""
    arrays = jnp.broadcast_arrays(*(jnp.asarray(x) for x in values))
    dtype = jnp.result_type(*values)
    if jnp.issubdtype(dtype, jnp.complexfloating):
        raise NotANumber(name, f"complex numbers ({dtype}); it is for real ones")
    if not jnp.issubdtype(dtype, jnp.floating):
        dtype = usual(float)
    return [a.astype(dtype) for a in arrays]


def erf(x: Any) -> Any:
    """The error function."""
    return special.erf(*_real("erf", x))


def erfc(x: Any) -> Any:
    """1 - erf(x), exact where that is small."""
    return special.erfc(*_real("erfc", x))


def erfinv(x: Any) -> Any:
    """The inverse of erf."""
    return special.erfinv(*_real("erfinv", x))


def gamma(x: Any) -> Any:
    """The gamma function."""
    return special.gamma(*_real("gamma", x))


def lgamma(x: Any) -> Any:
    """The logarithm of |gamma(x)|."""
    return special.gammaln(*_real("lgamma", x))


def digamma(x: Any) -> Any:
    """The derivative of lgamma; at zeros JAX's is nan, and SciPy's is -inf or inf by their sign."""
    (x,) = _real("digamma", x)
    return jnp.where(x == 0, -jnp.copysign(jnp.inf, x), special.digamma(x)).astype(x.dtype)


def polygamma(n: Any, x: Any) -> Any:
    """The derivative of that order of digamma."""
    (x,) = _real("polygamma", x)
    return special.digamma(x) if n == 0 else special.polygamma(n, x)


def beta(x: Any, y: Any) -> Any:
    """gamma(x) gamma(y) / gamma(x + y)."""
    return special.beta(*_real("beta", x, y))


def betaln(x: Any, y: Any) -> Any:
    """The logarithm of beta."""
    return special.betaln(*_real("betaln", x, y))
