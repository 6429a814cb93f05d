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

_each(
    "array_api_strict",
    "edges",
    "reciprocal",
    "the standard has 1/x alone, and a complex quotient by zero is nan+nanj",
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
    "prod_of_others cumulative_prod",
    "MLX has no forward mode through its cumulative product; reverse mode works, and so does "
    "engine='own'",
)
_each(
    "mlx",
    "native complex",
    "static_power array_power",
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

_each(
    "mlx",
    "edges",
    "divide reciprocal",
    "a complex number over -0+0j has another sign of its infinity",
)
_each("jax mlx torch", "edges", "array_power", "0j**0j is nan in the library, and 1 in NumPy")

# JAX

_each(
    "jax",
    "edges",
    "divide reciprocal within",
    "a complex number over zero has another sign of its infinity, or is nan",
)
_each("jax", "edges", "asinh", "on the branch cut JAX takes -0.0 for a positive real part")
_each("jax", "edges", "logit", "one over zero is nan in JAX's complex division")
_each("jax", "edges", "bessel_i0 bessel_i1", "JAX's are nan at infinity, where ours are inf")
_each("jax", "edges", "betaln", "JAX's is nan at some poles, where SciPy's is infinite")
_each("jax", "edges", "polygamma", "JAX's has its pole's infinity where SciPy's is nan")

for _law in ("native", "native forward"):
    _each("jax", _law, "eig", "JAX refuses those of eigenvectors unless its settings allow them")

# PyTorch

_each(
    "torch", "edges", "angle", "PyTorch takes -0.0 for a positive number, NumPy for a negative one"
)
_each(
    "torch", "edges", "lerp", "PyTorch's own formula ends in inf - inf where NumPy's stays infinite"
)
_each("torch", "edges", "bessel_i0 bessel_i1", "PyTorch's are nan at infinity, where ours are inf")
_each(
    "torch",
    "edges",
    "polygamma beta betaln",
    "at its poles gamma has no sign, and PyTorch's comes to another choice than SciPy's",
)
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
