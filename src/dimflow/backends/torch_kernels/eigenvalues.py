"""Eigenvalues on PyTorch."""

from typing import Any

import torch

from dimflow.backends.torch_kernels.functions import floated, mirrored


def eigh(x: Any, UPLO: str = "L") -> Any:
    """Of the hermitian matrix that one triangle stands for; so says the derivative too."""
    return torch.linalg.eigh(mirrored(floated(x), UPLO))


def eigvalsh(x: Any, /, UPLO: str = "L") -> Any:
    """The values alone."""
    return torch.linalg.eigvalsh(mirrored(floated(x), UPLO))


def eig(x: Any) -> Any:
    """Complex always: NumPy gives real numbers where all happen to be."""
    return torch.linalg.eig(floated(x))


def eigvals(x: Any, /) -> Any:
    """The values alone, complex always."""
    return torch.linalg.eigvals(floated(x))
