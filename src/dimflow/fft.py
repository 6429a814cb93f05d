"""Fourier transforms with units; `fftfreq` of seconds is in hertz."""

from importlib import import_module

from dimflow.ops.namespace import names
from dimflow.ops.record import Op

import_module("dimflow.array")  # ops then run on arrays with units

_OPS = names("fft")
__all__ = sorted(_OPS)


def __getattr__(name: str) -> Op:
    if name not in _OPS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _OPS[name]


def __dir__() -> list[str]:
    return __all__
