"""One call of every function of the standard on metres, and what unit its result must have."""

from typing import Any

import numpy as np

from dimflow import DimArray
from dimflow.xp.signatures import SIGNATURES

X = np.asarray([[1.0, 2.5, -3.0], [0.5, -2.0, 4.0], [2.0, 0.25, 1.0]])
SQUARE = X @ X.T + 5 * np.eye(3)

# What becomes of metres: the power of the unit of the result, or of each of several results.
SAME = """
abs ceil conj floor imag negative positive real round trunc add copysign hypot maximum minimum
nextafter remainder subtract clip concat diff flip max mean min moveaxis permute_dims repeat roll
sort std sum take take_along_axis tile tril triu unstack broadcast_arrays broadcast_to
cumulative_sum expand_dims meshgrid reshape squeeze stack where empty_like full_like ones_like
zeros_like astype matrix_transpose unique_values linalg.diagonal linalg.matrix_norm linalg.trace
linalg.vector_norm linalg.svdvals linalg.matrix_transpose linalg.eigvalsh linalg.eigvals
fft.fft fft.ifft fft.fftn fft.ifftn fft.rfft fft.irfft fft.rfftn fft.irfftn fft.hfft fft.ihfft
fft.fftshift fft.ifftshift
"""
PURE = """
isfinite isinf isnan logical_not sign signbit equal greater greater_equal less less_equal
not_equal logical_and logical_or logical_xor divide floor_divide all any argmax argmin argsort
count_nonzero nonzero searchsorted isin atan2 linalg.matrix_rank linalg.solve
"""
TWICE = """
square multiply matmul var vecdot tensordot linalg.matmul linalg.cross linalg.outer linalg.vecdot
linalg.tensordot linalg.matrix_power
"""
POWERS: dict[str, float | tuple[float, ...]] = {
    **dict.fromkeys(SAME.split(), 1),
    **dict.fromkeys(PURE.split(), 0),
    **dict.fromkeys(TWICE.split(), 2),
    "linalg.cholesky": 0.5,
    "linalg.det": 3,
    "linalg.eigh": (1, 0),
    "linalg.eig": (1, 0),
    "linalg.inv": -1,
    "linalg.pinv": -1,
    "linalg.qr": (0, 1),
    "linalg.svd": (0, 1, 0),
    "pow": 3,
    "prod": 9,
    "reciprocal": -1,
    "sqrt": 0.5,
    "unique_all": (1, 0, 0, 0),
    "unique_counts": (1, 0),
    "unique_inverse": (1, 0),
}
REFUSED = """
acos acosh asin asinh atan atanh bitwise_invert cos cosh exp expm1 log log10 log1p log2 sin sinh
tan tanh bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor logaddexp
cumulative_prod linalg.slogdet
"""


def arguments(path: str, x: Any) -> tuple[list[Any], dict[str, Any]]:
    """A call of the function with one array, of any library, for all that it takes."""
    xp = x.__array_namespace__()
    matrix = xp.asarray(SQUARE, dtype=x.dtype, unit="" if x.is_dimensionless else "m")
    matrix = matrix.to(x.unit)
    first, last, row = x[0, 0], x[1, 2], x[0, :]
    special: dict[str, tuple[list[Any], dict[str, Any]]] = {
        "pow": ([x, 3], {}),
        "astype": ([x, xp.float32], {}),
        "broadcast_arrays": ([x, row], {}),
        "broadcast_to": ([x, (2, 3, 3)], {}),
        "clip": ([x, first, last], {}),
        "concat": ([[x, x]], {}),
        "stack": ([[x, x]], {}),
        "cumulative_sum": ([x], {"axis": 0}),
        "cumulative_prod": ([x], {"axis": 0}),
        "full_like": ([x, first], {}),
        "meshgrid": ([row, x[1, :]], {}),
        "moveaxis": ([x, 0, 1], {}),
        "permute_dims": ([x, (1, 0)], {}),
        "repeat": ([x, 2], {}),
        "reshape": ([x, (9,)], {}),
        "roll": ([x, 1], {}),
        "searchsorted": ([row[:2], x], {}),
        "squeeze": ([x[None, ...], 0], {}),
        "take": ([x, xp.asarray([0, 1])], {"axis": 0}),
        "take_along_axis": ([x, xp.argsort(x)], {}),
        "tile": ([x, (2, 1)], {}),
        "where": ([xp.less(x, first), x, x], {}),
        "linalg.matrix_power": ([x, 2], {}),
        "linalg.outer": ([row, x[1, :]], {}),
    }
    if path in special:
        return special[path]
    rounding = path in ("ceil", "floor", "round", "trunc")
    keywords = {"unit": x.unit} if rounding else {}
    module, _, name = path.rpartition(".")
    if path in ("linalg.cholesky", "linalg.eigh", "linalg.eigvalsh", "linalg.slogdet"):
        return [matrix], {}
    two = "x2" in str(SIGNATURES[module].get(name, "")) or name == "cross"
    return ([x, x] if two else [x]), keywords


def parts(result: Any) -> list[DimArray]:
    return list(result) if isinstance(result, (tuple, list)) else [result]
