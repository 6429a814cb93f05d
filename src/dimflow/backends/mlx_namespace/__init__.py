"""MLX under the names and signatures of the array API standard.

What MLX has under the standard's name and signature is its own function. Two things differ on
purpose: indices are signed, since MLX's unsigned ones wrap when 1 is taken from 0, and functions
that MLX computes in single precision for float64 are right to the last digits here.
"""

from typing import Any

import mlx.core as mx

from dimflow.backends.mlx_namespace import double, fft, linalg
from dimflow.backends.mlx_namespace.creation import *  # noqa: F403
from dimflow.backends.mlx_namespace.dtypes import *  # noqa: F403
from dimflow.backends.mlx_namespace.elementwise import *  # noqa: F403
from dimflow.backends.mlx_namespace.folds import *  # noqa: F403
from dimflow.backends.mlx_namespace.info import Info
from dimflow.backends.mlx_namespace.searching import *  # noqa: F403
from dimflow.backends.mlx_namespace.shaping import *  # noqa: F403

__array_api_version__ = "2024.12"

e, pi, inf, nan, newaxis = mx.e, mx.pi, mx.inf, mx.nan, None

exp, expm1, sin, cos, tan = double.exp, double.expm1, double.sin, double.cos, double.tan
logaddexp = double.logaddexp

matmul, tensordot, vecdot = linalg.matmul, linalg.tensordot, linalg.vecdot
matrix_transpose = linalg.matrix_transpose

__all__ = ["double", "fft", "linalg"]


def __array_namespace_info__() -> Info:  # noqa: N807
    """What can be asked of the library."""
    return Info()


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"MLX's namespace has no {name!r}")
    return getattr(mx, name)
