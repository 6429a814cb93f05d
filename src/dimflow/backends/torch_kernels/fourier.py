"""Fourier transforms on PyTorch."""

from collections.abc import Callable
from typing import Any

import torch

from dimflow.backends.torch_kernels.functions import floated


def _along_axis(name: str) -> Callable[..., Any]:
    function = getattr(torch.fft, name)

    def kernel(x: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        return function(floated(x), n=n, dim=axis, norm=norm)

    kernel.__name__ = name
    return kernel


def _along_axes(name: str) -> Callable[..., Any]:
    function = getattr(torch.fft, name)

    def kernel(x: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
        return function(floated(x), s=s, dim=axes, norm=norm)

    kernel.__name__ = name
    return kernel


fft, ifft, rfft, irfft, hfft, ihfft = map(
    _along_axis, ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
)
fft2, ifft2, rfft2, irfft2 = map(_along_axes, ("fft2", "ifft2", "rfft2", "irfft2"))
fftn, ifftn, rfftn, irfftn = map(_along_axes, ("fftn", "ifftn", "rfftn", "irfftn"))


def fftfreq(n: int, d: Any = 1.0) -> Any:
    """Frequencies by the step d."""
    d = floated(d)
    return torch.fft.fftfreq(n, dtype=d.dtype, device=d.device) / d


def rfftfreq(n: int, d: Any = 1.0) -> Any:
    """Frequencies by the step d."""
    d = floated(d)
    return torch.fft.rfftfreq(n, dtype=d.dtype, device=d.device) / d


def fftshift(x: Any, axes: Any = None) -> Any:
    """PyTorch's."""
    return torch.fft.fftshift(x, dim=axes)


def ifftshift(x: Any, axes: Any = None) -> Any:
    """PyTorch's."""
    return torch.fft.ifftshift(x, dim=axes)
