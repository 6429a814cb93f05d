"""Special functions of cupyx."""

from typing import Any

from cupyx.scipy import special


def erf(x: Any) -> Any:
    """The error function."""
    return special.erf(x)


def erfc(x: Any) -> Any:
    """Its complement."""
    return special.erfc(x)


def erfinv(x: Any) -> Any:
    """Its inverse."""
    return special.erfinv(x)


def gamma(x: Any) -> Any:
    """The gamma function."""
    return special.gamma(x)


def lgamma(x: Any) -> Any:
    """The logarithm of its size."""
    return special.gammaln(x)


def digamma(x: Any) -> Any:
    """The derivative of that."""
    return special.digamma(x)
