"""What the standard's text says of special values, function by function."""

from math import inf, nan, pi
from typing import Any

_HUGE = 1.7976931348623157e308
_TINY = 5e-324

# Function: pairs of x and f(x).
OF_ONE: dict[str, list[tuple[Any, Any]]] = {
    "abs": [(nan, nan), (-0.0, 0.0), (-inf, inf), (inf, inf), (complex(inf, nan), inf)],
    "acos": [(nan, nan), (1.5, nan), (-1.5, nan), (1.0, 0.0), (-1.0, pi)],
    "acosh": [(nan, nan), (0.5, nan), (1.0, 0.0), (inf, inf)],
    "asin": [(nan, nan), (1.5, nan), (-1.5, nan), (0.0, 0.0), (-0.0, -0.0)],
    "asinh": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf)],
    "atan": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, pi / 2), (-inf, -pi / 2)],
    "atanh": [(nan, nan), (-1.5, nan), (1.5, nan), (-1.0, -inf), (1.0, inf), (-0.0, -0.0)],
    "ceil": [(nan, nan), (inf, inf), (-inf, -inf), (0.0, 0.0), (-0.0, -0.0), (-0.5, -0.0)],
    "conj": [(complex(1, -0.0), complex(1, 0.0)), (complex(inf, nan), complex(inf, nan))],
    "cos": [(nan, nan), (0.0, 1.0), (-0.0, 1.0), (inf, nan), (-inf, nan)],
    "cosh": [(nan, nan), (0.0, 1.0), (-0.0, 1.0), (inf, inf), (-inf, inf)],
    "exp": [(nan, nan), (0.0, 1.0), (-0.0, 1.0), (inf, inf), (-inf, 0.0)],
    "expm1": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -1.0)],
    "floor": [(nan, nan), (inf, inf), (-inf, -inf), (0.0, 0.0), (-0.0, -0.0), (-0.5, -1.0)],
    "imag": [(complex(1, nan), nan), (complex(nan, -0.0), -0.0)],
    "isfinite": [(inf, False), (-inf, False), (nan, False), (-0.0, True), (complex(0, inf), False)],
    "isinf": [(inf, True), (-inf, True), (nan, False), (_HUGE, False), (complex(nan, inf), True)],
    "isnan": [(nan, True), (inf, False), (complex(inf, nan), True), (complex(0, inf), False)],
    "log": [(nan, nan), (-1.0, nan), (0.0, -inf), (-0.0, -inf), (1.0, 0.0), (inf, inf)],
    "log10": [(nan, nan), (-1.0, nan), (0.0, -inf), (-0.0, -inf), (1.0, 0.0), (inf, inf)],
    "log1p": [(nan, nan), (-2.0, nan), (-1.0, -inf), (-0.0, -0.0), (0.0, 0.0), (inf, inf)],
    "log2": [(nan, nan), (-1.0, nan), (0.0, -inf), (-0.0, -inf), (1.0, 0.0), (inf, inf)],
    "logical_not": [(True, False), (False, True)],
    "negative": [(nan, nan), (0.0, -0.0), (-0.0, 0.0), (inf, -inf), (1 + 2j, -1 - 2j)],
    "positive": [(-0.0, -0.0), (inf, inf), (nan, nan)],
    "real": [(complex(nan, 1), nan), (complex(-0.0, inf), -0.0)],
    "reciprocal": [(0.0, inf), (-0.0, -inf), (inf, 0.0), (-inf, -0.0), (nan, nan)],
    "round": [
        (0.5, 0.0),
        (1.5, 2.0),
        (2.5, 2.0),
        (-0.5, -0.0),
        (-0.0, -0.0),
        (inf, inf),
        (nan, nan),
    ],
    "sign": [(-2.0, -1.0), (0.0, 0.0), (3.0, 1.0), (nan, nan), (inf, 1.0), (3 + 4j, 0.6 + 0.8j)],
    "signbit": [(0.0, False), (-0.0, True), (inf, False), (-inf, True), (-_TINY, True)],
    "sin": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan)],
    "sinh": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf)],
    "sqrt": [(nan, nan), (-1.0, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (-1 + 0j, 1j)],
    "square": [(nan, nan), (-inf, inf), (-0.0, 0.0)],
    "tan": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan)],
    "tanh": [(nan, nan), (0.0, 0.0), (-0.0, -0.0), (inf, 1.0), (-inf, -1.0)],
    "trunc": [(nan, nan), (inf, inf), (-inf, -inf), (0.0, 0.0), (-0.0, -0.0), (-0.5, -0.0)],
}

# Function: triples of x1, x2 and f(x1, x2).
OF_TWO: dict[str, list[tuple[Any, Any, Any]]] = {
    "add": [
        *((nan, 1.0, nan), (1.0, nan, nan), (inf, -inf, nan), (-inf, inf, nan), (inf, inf, inf)),
        *((-inf, -inf, -inf), (inf, 1.0, inf), (1.0, -inf, -inf), (-0.0, -0.0, -0.0)),
        *((-0.0, 0.0, 0.0), (0.0, -0.0, 0.0), (-0.0, 2.0, 2.0), (2.0, -2.0, 0.0)),
    ],
    "subtract": [
        (inf, inf, nan),
        (0.0, 0.0, 0.0),
        (-0.0, 0.0, -0.0),
        (0.0, -0.0, 0.0),
        (1.0, nan, nan),
    ],
    "multiply": [
        *((nan, 0.0, nan), (inf, 0.0, nan), (-0.0, inf, nan), (inf, -inf, -inf), (-inf, -2.0, inf)),
        *((-0.0, 2.0, -0.0), (-0.0, -2.0, 0.0)),
    ],
    "divide": [
        *((nan, 1.0, nan), (inf, inf, nan), (0.0, 0.0, nan), (-0.0, 0.0, nan), (0.0, 1.0, 0.0)),
        *((-0.0, 1.0, -0.0), (0.0, -1.0, -0.0), (1.0, 0.0, inf), (1.0, -0.0, -inf)),
        *(
            (-1.0, 0.0, -inf),
            (-1.0, -0.0, inf),
            (inf, -1.0, -inf),
            (1.0, inf, 0.0),
            (-1.0, inf, -0.0),
        ),
    ],
    "floor_divide": [
        (nan, 1.0, nan),
        (0.0, 0.0, nan),
        (inf, inf, nan),
        (-1.0, 2.0, -1.0),
        (0.0, 1.0, 0.0),
    ],
    "remainder": [
        *((nan, 1.0, nan), (inf, 1.0, nan), (1.0, 0.0, nan), (0.0, 0.0, nan), (0.0, 1.0, 0.0)),
        *(
            (-0.0, 1.0, 0.0),
            (0.0, -1.0, -0.0),
            (1.0, inf, 1.0),
            (-1.0, -inf, -1.0),
            (-1.0, inf, inf),
        ),
        *((1.0, -inf, -inf), (-7.0, 3.0, 2.0), (7.0, -3.0, -2.0)),
    ],
    "pow": [
        *((2.0, nan, nan), (1.0, nan, 1.0), (nan, 0.0, 1.0), (nan, -0.0, 1.0), (nan, 2.0, nan)),
        *((2.0, inf, inf), (2.0, -inf, 0.0), (1.0, inf, 1.0), (-1.0, -inf, 1.0), (0.5, inf, 0.0)),
        *((0.5, -inf, inf), (inf, 2.0, inf), (inf, -2.0, 0.0), (-inf, 3.0, -inf), (-inf, 2.0, inf)),
        *(
            (-inf, -3.0, -0.0),
            (-inf, -2.0, 0.0),
            (0.0, 2.0, 0.0),
            (0.0, -2.0, inf),
            (-0.0, 3.0, -0.0),
        ),
        *((-0.0, 2.0, 0.0), (-0.0, -3.0, -inf), (-0.0, -2.0, inf), (-2.0, 0.5, nan)),
    ],
    "atan2": [
        *(
            (nan, 1.0, nan),
            (1.0, 0.0, pi / 2),
            (1.0, -0.0, pi / 2),
            (0.0, 1.0, 0.0),
            (0.0, 0.0, 0.0),
        ),
        *(
            (0.0, -0.0, pi),
            (0.0, -1.0, pi),
            (-0.0, 1.0, -0.0),
            (-0.0, 0.0, -0.0),
            (-0.0, -0.0, -pi),
        ),
        *(
            (-0.0, -1.0, -pi),
            (-1.0, 0.0, -pi / 2),
            (1.0, inf, 0.0),
            (1.0, -inf, pi),
            (-1.0, inf, -0.0),
        ),
        *((-1.0, -inf, -pi), (inf, 1.0, pi / 2), (-inf, 1.0, -pi / 2), (inf, inf, pi / 4)),
        *((inf, -inf, 3 * pi / 4), (-inf, inf, -pi / 4), (-inf, -inf, -3 * pi / 4)),
    ],
    "hypot": [
        (inf, nan, inf),
        (nan, -inf, inf),
        (nan, 1.0, nan),
        (-0.0, 0.0, 0.0),
        (3.0, 4.0, 5.0),
    ],
    "logaddexp": [(nan, 1.0, nan), (inf, 1.0, inf), (-inf, -inf, -inf)],
    "copysign": [
        (nan, -1.0, nan),
        (1.0, -0.0, -1.0),
        (-1.0, 0.0, 1.0),
        (inf, -inf, -inf),
        (2.0, -2.0, -2.0),
    ],
    "maximum": [(nan, 1.0, nan), (1.0, nan, nan), (inf, 1.0, inf), (-inf, 1.0, 1.0)],
    "minimum": [(nan, 1.0, nan), (1.0, nan, nan), (inf, 1.0, 1.0), (-inf, 1.0, -inf)],
    "nextafter": [
        (nan, 1.0, nan),
        (1.0, nan, nan),
        (0.0, -0.0, -0.0),
        (0.0, 1.0, _TINY),
        (_HUGE, inf, inf),
    ],
    "equal": [(nan, nan, False), (inf, inf, True), (0.0, -0.0, True), (complex(0, nan), 0j, False)],
    "not_equal": [(nan, nan, True), (inf, -inf, True), (0.0, -0.0, False)],
    "less": [(nan, 1.0, False), (1.0, nan, False), (-inf, inf, True), (-0.0, 0.0, False)],
    "less_equal": [(nan, nan, False), (inf, inf, True), (0.0, -0.0, True)],
    "greater": [(nan, 1.0, False), (inf, -inf, True), (0.0, -0.0, False)],
    "greater_equal": [(nan, nan, False), (-inf, -inf, True), (-0.0, 0.0, True)],
    "logical_and": [(True, True, True), (True, False, False), (False, False, False)],
    "logical_or": [(True, True, True), (True, False, True), (False, False, False)],
    "logical_xor": [(True, True, False), (True, False, True), (False, False, False)],
}

# Function: pairs of elements and their reduction.
OF_MANY: dict[str, list[tuple[list[Any], Any]]] = {
    "sum": [([], 0.0), ([nan, 1.0], nan), ([inf, -inf], nan), ([inf, 1.0], inf)],
    "prod": [([], 1.0), ([nan, 1.0], nan), ([inf, 0.0], nan)],
    "mean": [([], nan), ([nan, 1.0], nan), ([inf, 1.0], inf)],
    "var": [([], nan), ([1.0], 0.0), ([nan, 1.0], nan)],
    "std": [([], nan), ([1.0], 0.0), ([nan, 1.0], nan)],
    "max": [([nan, 1.0], nan), ([-inf, 1.0], 1.0), ([1.0, inf], inf)],
    "min": [([1.0, nan], nan), ([inf, 1.0], 1.0), ([-inf, inf], -inf)],
    "all": [([], True), ([nan], True), ([inf, -inf], True), ([0.0, 1.0], False), ([-0.0], False)],
    "any": [([], False), ([nan], True), ([0.0, -0.0], False), ([0.0, inf], True)],
    "argmax": [([nan, 1.0], 0), ([1.0, 3.0, 3.0], 1)],
    "argmin": [([1.0, nan], 1), ([3.0, 1.0, 1.0], 1)],
    "count_nonzero": [([], 0), ([nan, 0.0, -0.0, inf], 2)],
}

# Where a library itself has another value: the library, the function, its arguments.
OF_LIBRARIES: dict[str, set[tuple[str, tuple[Any, ...]]]] = {
    "array_api_strict": set(),
    "dask": set(),
    # A remainder of nothing has the sign of the dividend, not of the divisor.
    "torch": {("remainder", (-0.0, 1.0)), ("remainder", (0.0, -1.0))},
    "jax": {
        ("remainder", (-0.0, 1.0)),
        ("remainder", (0.0, -1.0)),
        ("abs", (complex(inf, nan),)),
    },
    "mlx": {("remainder", (-0.0, 1.0)), ("remainder", (0.0, -1.0)), ("sin", (-0.0,))},
}
