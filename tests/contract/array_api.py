"""The functions of the array API standard 2024.12 that compute, and those that are no ops here."""

STANDARD: dict[str, str] = {
    "elementwise": (
        "abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift "
        "bitwise_invert bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos "
        "cosh divide equal exp expm1 floor floor_divide greater greater_equal hypot imag isfinite "
        "isinf isnan less less_equal log log1p log2 log10 logaddexp logical_and logical_not "
        "logical_or logical_xor maximum minimum multiply negative nextafter not_equal positive "
        "pow real reciprocal remainder round sign signbit sin sinh square sqrt subtract tan tanh "
        "trunc"
    ),
    "statistical": "cumulative_prod cumulative_sum max mean min prod std sum var",
    "utility": "all any diff",
    "linear algebra": "matmul matrix_transpose tensordot vecdot",
    "linalg": (
        "cholesky cross det diagonal eigh eigvalsh inv matmul matrix_norm matrix_power "
        "matrix_rank matrix_transpose outer pinv qr slogdet solve svd svdvals tensordot trace "
        "vecdot vector_norm"
    ),
    "fft": (
        "fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fftfreq rfftfreq fftshift ifftshift"
    ),
    "manipulation": (
        "broadcast_arrays broadcast_to concat expand_dims flip moveaxis permute_dims repeat "
        "reshape roll squeeze stack tile unstack"
    ),
    "searching": "argmax argmin count_nonzero nonzero searchsorted where",
    "set": "unique_all unique_counts unique_inverse unique_values",
    "sorting": "argsort sort",
    "indexing": "take take_along_axis",
    "creation": "empty_like full_like ones_like zeros_like meshgrid tril triu",
    "data type": "astype",
}

# Functions that no array is given to: they belong to the array layer, not to the table.
NOT_OPS: dict[str, str] = {
    "arange": "makes an array from numbers alone",
    "asarray": "makes an array from anything array-like",
    "empty": "makes an array from a shape alone",
    "eye": "makes an array from a shape alone",
    "from_dlpack": "takes over another library's memory",
    "full": "makes an array from a shape and a number",
    "linspace": "makes an array from numbers alone",
    "ones": "makes an array from a shape alone",
    "zeros": "makes an array from a shape alone",
    "broadcast_shapes": "computes on shapes",
    "can_cast": "computes on dtypes",
    "finfo": "computes on dtypes",
    "iinfo": "computes on dtypes",
    "isdtype": "computes on dtypes",
    "result_type": "computes on dtypes",
}

# Functions of later versions of the standard: a record may name them.
NEWER: dict[str, str] = {"isin": "2025.12"}


def names() -> list[tuple[str, str]]:
    """Every (category, function)."""
    return [(category, name) for category, text in STANDARD.items() for name in text.split()]
