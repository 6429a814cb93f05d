"""Fourier transforms, whose results are complex64: doubles are refused."""

from collections.abc import Callable
from typing import Any

import mlx.core as mx

from dimflow.backends.mlx_namespace.dtypes import refuse_half

fftshift_of, ifftshift_of = mx.fft.fftshift, mx.fft.ifftshift


def _line(name: str) -> Callable[..., mx.array]:
    function = getattr(mx.fft, name)

    def transform(
        x: mx.array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward"
    ) -> mx.array:
        refuse_half(x.dtype, mx.complex64, name)
        return function(x, n=n, axis=axis, norm=norm)  # type: ignore[no-any-return]

    return transform


def _plane(name: str) -> Callable[..., mx.array]:
    function = getattr(mx.fft, name)

    def transform(
        x: mx.array, /, *, s: Any = None, axes: Any = None, norm: str = "backward"
    ) -> mx.array:
        refuse_half(x.dtype, mx.complex64, name)
        return function(x, s=s, axes=axes, norm=norm)  # type: ignore[no-any-return]

    return transform


fft, ifft, rfft, irfft = _line("fft"), _line("ifft"), _line("rfft"), _line("irfft")
fftn, ifftn, rfftn, irfftn = _plane("fftn"), _plane("ifftn"), _plane("rfftn"), _plane("irfftn")

_TURNED = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def hfft(
    x: mx.array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward"
) -> mx.array:
    """Of a signal whose other half is its conjugate."""
    return irfft(mx.conj(x), n=n, axis=axis, norm=_TURNED[norm])


def ihfft(
    x: mx.array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward"
) -> mx.array:
    """Half of the transform of a real signal."""
    return mx.conj(rfft(x, n=n, axis=axis, norm=_TURNED[norm]))


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> mx.array:
    """The frequencies of a transform."""
    positions = mx.concatenate([mx.arange((n + 1) // 2), mx.arange(-(n // 2), 0)])
    return positions.astype(dtype or mx.float32) / (n * d)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> mx.array:
    """The frequencies of a transform of real numbers."""
    return mx.arange(n // 2 + 1).astype(dtype or mx.float32) / (n * d)


def fftshift(x: mx.array, /, *, axes: Any = None) -> mx.array:
    """Frequency 0 in the middle."""
    return fftshift_of(x, axes=axes)


def ifftshift(x: mx.array, /, *, axes: Any = None) -> mx.array:
    """Frequency 0 first again."""
    return ifftshift_of(x, axes=axes)
