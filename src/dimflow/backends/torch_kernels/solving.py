"""Linear systems on PyTorch."""

from typing import Any

import torch

from dimflow import ops
from dimflow.backends.torch_kernels.functions import floated, mirrored, promoted_fractions
from dimflow.errors import ShapeMismatch
from dimflow.ops.rules.shapes import broadcast_shapes


def inv(x: Any) -> Any:
    """PyTorch's."""
    return torch.linalg.inv(floated(x))


def pinv(x: Any, rcond: Any = None, hermitian: bool = False) -> Any:
    """Of a hermitian matrix one triangle counts, as on NumPy."""
    x = floated(x)
    return torch.linalg.pinv(mirrored(x, "L") if hermitian else x, rtol=rcond)


def solve(a: Any, b: Any) -> Any:
    """A b of one axis is a vector, any other holds columns, as on NumPy."""
    a, b = promoted_fractions(a, b)
    if b.ndim == 1:
        return solve(a, b[:, None])[..., 0]
    batch = broadcast_shapes([a.shape[:-2], b.shape[:-2]])
    # with fewer axes PyTorch would take columns for a batch of vectors
    return torch.linalg.solve(a.expand(*batch, -1, -1), b.expand(*batch, -1, -1))


def solve_triangular(
    a: Any, b: Any, /, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False
) -> Any:
    """PyTorch's, for a vector too."""
    a, b = promoted_fractions(a, b)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ShapeMismatch("solve_triangular", "square matrices", tuple(a.shape))
    if trans in (1, 2, "T", "C"):
        a, lower = a.mT if trans in (1, "T") else a.mH, not lower
    columns = b[:, None] if b.ndim == 1 else b
    found = torch.linalg.solve_triangular(a, columns, upper=not lower, unitriangular=unit_diagonal)
    return found[..., 0] if b.ndim == 1 else found


def lstsq(a: Any, b: Any, /, rcond: Any = None) -> Any:
    """By the pseudoinverse, which is differentiable where the rank is not full too.

    Residuals are left out where it is not, as NumPy does; so the rank is looked at.
    """
    a, b = promoted_fractions(a, b)
    m, n = a.shape
    if rcond is None:
        rcond = torch.finfo(a.dtype).eps * max(m, n)
    values = torch.linalg.svdvals(a)
    rank = (values > rcond * values[0]).sum().to(torch.int32)
    solution = torch.matmul(torch.linalg.pinv(a, rtol=rcond), b)
    left = b - torch.matmul(a, solution)
    squares = torch.abs(left.reshape(m, -1)) ** 2
    if m <= n or int(rank) < n:
        squares = squares[:, :0]
    return ops.lstsq.result_type(solution, squares.sum(0), rank, values)
