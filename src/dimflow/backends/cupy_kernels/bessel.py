"""Bessel functions of cupyx."""

from typing import Any

from cupyx.scipy import special


def bessel_j0(x: Any) -> Any:
    """Of the first kind, order 0."""
    return special.j0(x)


def bessel_j1(x: Any) -> Any:
    """Of the first kind, order 1."""
    return special.j1(x)


def bessel_y0(x: Any) -> Any:
    """Of the second kind, order 0."""
    return special.y0(x)


def bessel_y1(x: Any) -> Any:
    """Of the second kind, order 1."""
    return special.y1(x)


def bessel_i0(x: Any) -> Any:
    """Modified, order 0."""
    return special.i0(x)


def bessel_i1(x: Any) -> Any:
    """Modified, order 1."""
    return special.i1(x)


def bessel_i0e(x: Any) -> Any:
    """Modified and scaled, order 0."""
    return special.i0e(x)


def bessel_i1e(x: Any) -> Any:
    """Modified and scaled, order 1."""
    return special.i1e(x)
