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
_each("mlx", "derivative", "eig", "the derivative is right, but in MLX's order of the eigenvalues")
_each(
    "mlx",
    "runs",
    "astype cast_floating",
    "a sample asks for complex128, and MLX has complex64 alone",
)

# CuPy

_each(
    "cupy",
    "dtype",
    "bessel_i0",
    "cupyx.scipy.special.i0 has no loop for half precision, so truth values become double",
)
