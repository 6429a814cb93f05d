"""Fourier transforms on Dask: the axes that are transformed are gathered first."""

from collections.abc import Callable
from typing import Any

import dask.array as da

from dimflow.backends.dask_blocks.lengths import in_one_block
from dimflow.ops.rules.shapes import normalized


def _one(name: str) -> Callable[..., Any]:
    def transform(x: Any, /, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        (axis,) = normalized(axis, x.ndim)
        return getattr(da.fft, name)(in_one_block(name, x, [axis]), n=n, axis=axis, norm=norm)

    return _of_this_module(transform, name)


def _several(name: str, usual: Any) -> Callable[..., Any]:
    def transform(x: Any, /, s: Any = None, axes: Any = usual, norm: Any = None) -> Any:
        if axes is None and s is not None:
            axes = range(x.ndim - len(s), x.ndim)
        places = normalized(None if axes is None else tuple(axes), x.ndim)
        if not places:
            return x
        s = None if s is None else [_length(x, n, a) for n, a in zip(s, places, strict=True)]
        return getattr(da.fft, name)(in_one_block(name, x, places), s=s, axes=places, norm=norm)

    return _of_this_module(transform, name)


def _length(x: Any, n: Any, axis: int) -> Any:
    """-1 and None stand for the length that the axis has."""
    return x.shape[axis] if n in (-1, None) else n


def _of_this_module(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Dask's {name}."
    return function


fft, ifft, rfft, irfft = map(_one, ("fft", "ifft", "rfft", "irfft"))
hfft, ihfft = map(_one, ("hfft", "ihfft"))
fft2, ifft2, rfft2, irfft2 = (_several(n, (-2, -1)) for n in ("fft2", "ifft2", "rfft2", "irfft2"))
fftn, ifftn, rfftn, irfftn = (_several(n, None) for n in ("fftn", "ifftn", "rfftn", "irfftn"))
