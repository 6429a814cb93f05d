"""Quantities on MLX that its tests share."""

from typing import Any

import mlx.core as mx
import numpy as np

from dimflow import DimArray

TENTHS = np.array([0.1, 0.2, 0.3])


def doubles(values: Any = TENTHS, unit: str = "m") -> DimArray:
    return DimArray(mx.array(values, dtype=mx.float64), unit)


def singles(values: Any = TENTHS, unit: str = "m") -> DimArray:
    return DimArray(mx.array(values, dtype=mx.float32), unit)
