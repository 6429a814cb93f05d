"""Bessel functions on PyTorch, whose own J and Y err by 1e-7 and have no derivatives.

They are computed in doubles, as on NumPy: polynomials up to 8, Hankel's expansions from there on.
"""

from math import factorial, inf, pi
from typing import Any

import torch

from dimflow.backends.torch_kernels.functions import floated
from dimflow.backends.torch_kernels.ruled import by_rule
from dimflow.errors import NotANumber
from dimflow.ops.definitions import special_tables as tables

_SERIES = tuple(1 / factorial(k) ** 2 for k in range(9, -1, -1))  # of J0(x) in -x²/4
_EDGE = 8.0


def _polynomial(t: Any, coefficients: tuple[float, ...]) -> Any:
    """By Horner's rule."""
    result = torch.full_like(t, coefficients[0])
    for coefficient in coefficients[1:]:
        result = result * t + coefficient
    return result


def _waves(x: Any, order: int) -> tuple[Any, Any]:
    """J and Y for x from 8 on. The phase is taken apart, since x - π/4 would round."""
    t = 128 / (x * x) - 1
    p, q = (tables.P0, tables.Q0) if order == 0 else (tables.P1, tables.Q1)
    even, odd = _polynomial(t, p), _polynomial(t, q) / x
    sin, cos = torch.sin(x), torch.cos(x)
    c, s = (cos + sin, sin - cos) if order == 0 else (sin - cos, -sin - cos)
    size = 1 / torch.sqrt(pi * x)
    return size * (even * c - odd * s), size * (even * s + odd * c)


def _j_inner(x: Any, order: int) -> Any:
    t = x * x / 32 - 1
    if order:
        return x * _polynomial(t, tables.J1)
    return torch.where(x < 1, _polynomial(x * x / -4, _SERIES), _polynomial(t, tables.J0))


def _j(x: Any, order: int) -> Any:
    size = torch.abs(x)
    found = torch.where(size < _EDGE, _j_inner(size, order), _waves(size, order)[0])
    found = torch.where(torch.isinf(x), 0.0, found)
    return torch.where(x < 0, -found, found) if order else found


def _y(x: Any, order: int) -> Any:
    inner = torch.log(x) * _j_inner(x, order)
    smooth = _polynomial(x * x / 32 - 1, (tables.Y0, tables.Y1)[order])
    inner = 2 / pi * (inner - 1 / x) + x * smooth if order else 2 / pi * inner + smooth
    found = torch.where(x < _EDGE, inner, _waves(x, order)[1])
    found = torch.where(x == inf, 0.0, found)
    return torch.where(x == 0, -inf, found)


def _in_doubles(name: str, function: Any, order: int) -> Any:
    def run(x: Any) -> Any:
        if x.is_complex():
            raise NotANumber(name, "complex numbers")
        if x.device.type == "mps":  # has no doubles
            return getattr(torch.special, name)(x)
        return function(x.to(torch.float64), order).to(x.dtype)

    return by_rule(name, run)


_j0, _j1 = _in_doubles("bessel_j0", _j, 0), _in_doubles("bessel_j1", _j, 1)
_y0, _y1 = _in_doubles("bessel_y0", _y, 0), _in_doubles("bessel_y1", _y, 1)


def bessel_j0(x: Any) -> Any:
    """Of the first kind."""
    return _j0(floated(x))


def bessel_j1(x: Any) -> Any:
    """Of the first kind."""
    return _j1(floated(x))


def bessel_y0(x: Any) -> Any:
    """Of the second kind; nan below 0."""
    return _y0(floated(x))


def bessel_y1(x: Any) -> Any:
    """Of the second kind; nan below 0."""
    return _y1(floated(x))
