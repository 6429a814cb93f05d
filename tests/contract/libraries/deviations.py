"""Where a library breaks a law: (library, op, law) -> reason. One that is not needed fails.

A library is named alone ("torch"), or with a device ("torch:cuda").
"""

DEVIATIONS: dict[tuple[str, str, str], str] = {}


def _each(libraries: str, law: str, names: str, reason: str) -> None:
    for library in libraries.split():
        for name in names.split():
            DEVIATIONS[library, name, law] = reason


# The standard alone

_each(
    "array_api_strict",
    "runs",
    "eig eigvals",
    "the standard has eigenvalues of symmetric matrices alone, and no definition gives others",
)

# MLX

_each(
    "mlx",
    "covariance",
    "prod",
    "the factor from km**n to m**n is too large for single precision",
)
_each("mlx", "runs", "cholesky qr", "MLX has neither for complex matrices")
for _law in ("derivative", "own engine", "second order", "native", "native forward"):
    _each("mlx", _law, "eig", "the derivative is right, but in MLX's order of the eigenvalues")
_each(
    "mlx",
    "native forward",
    "prod_of_others cumulative_prod index_add index_max index_min at_add at_max at_min scatter_add"
    " scatter_max scatter_min",
    "MLX has no forward mode through its kernel, a cumulative product or writing into an array; "
    "reverse mode works, and so does engine='own'",
)
_each(
    "mlx",
    "native complex",
    "static_power array_power exp2",
    "MLX forgets to conjugate in the derivative of a complex power; engine='own' is right",
)
_each(
    "mlx",
    "native forward",
    "hfft irfft irfft2 irfftn",
    "MLX forgets in forward mode that the result has an odd length; engine='own' does not",
)
_each(
    "mlx",
    "runs",
    "astype cast_floating",
    "a sample asks for complex128, and MLX has complex64 alone",
)

# JAX

for _law in ("native", "native forward"):
    _each("jax", _law, "eig", "JAX refuses those of eigenvectors unless its settings allow them")

# PyTorch

_each(
    "torch",
    "native",
    "eig",
    "PyTorch refuses a derivative that depends on the phases of eigenvectors",
)
_each("torch", "native forward", "eig", "PyTorch chooses other phases of eigenvectors on its way")

# Dask

_PICKED = (
    "how long the result is only the data know, and a cotangent of a known length is refused; "
    "where(mask, x, 0) is as long as x, and compute_chunk_sizes() tells lengths"
)
_each("dask", "derivative", "lstsq", _PICKED)
for _law in ("own engine", "second order"):
    _each("dask", _law, "bincount compress extract histogram histogram_bin_edges index", _PICKED)
    _each("dask", _law, "integer_sums intersect1d lstsq setdiff1d", _PICKED)
    _each("dask", _law, "setxor1d trim_zeros union1d unique unique_all unique_counts", _PICKED)
    _each("dask", _law, "unique_inverse unique_values", _PICKED)
_each(
    "dask",
    "batching",
    "lstsq",
    "there are residuals only of matrices of full rank, which is known with the data alone",
)

# CuPy

_each(
    "cupy",
    "dtype",
    "bessel_i0",
    "cupyx.scipy.special.i0 has no loop for half precision, so truth values become double",
)
