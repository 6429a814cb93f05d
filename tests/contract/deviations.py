"""Known deviations: (op, law) -> reason. An op that keeps the law after all fails as a surprise."""

_ONE_IN_ITS_UNIT = "it is 1 in the unit of its argument, so it depends on that unit by definition"
_BARE_DEGREES = "a bare number counts as degrees, as in NumPy; a quantity in radians stays"

DEVIATIONS: dict[tuple[str, str], str] = {
    ("deg2rad", "label"): _BARE_DEGREES,
    ("radians", "label"): _BARE_DEGREES,
    ("eig", "dtype"): "NumPy gives real eigenvalues a real dtype, which depends on the values",
    ("reciprocal", "numpy"): "of integers NumPy cuts the fraction off; ours divides",
    ("ones_like", "covariance"): _ONE_IN_ITS_UNIT,
    ("ones_like", "exact covariance"): _ONE_IN_ITS_UNIT,
    ("stop_gradient", "no derivative"): "it is asked to be constant, whatever its values do",
}

_DOUBLE = "NumPy computes it in double precision whatever it is given; others keep theirs"
_BARE = "NumPy makes a bare number beside the array a double; in a definition it adapts"

DEVIATIONS.update(
    {
        ("cov", "definition in single precision"): _DOUBLE,
        ("corrcoef", "definition in single precision"): _DOUBLE,
        ("interp", "definition in single precision"): _DOUBLE,
        ("diff", "definition in single precision"): _BARE,
        ("dot", "definition in single precision"): _BARE,
        ("inner", "definition in single precision"): _BARE,
    }
)

_NO_ELEMENT = "its value for no elements is a special case; its rule looks for one of them"
_NOT_SQUARE = "the sample is no square matrix any more, which NumPy overlooks and the rule does not"

DEVIATIONS.update(
    {
        **{(name, "empty gradient"): _NO_ELEMENT for name in ("norm", "bin_sums")},
        ("expm", "empty gradient"): _NOT_SQUARE,
        ("einsum", "empty gradient"): _NOT_SQUARE,
    }
)

# Ops that are neither defined by others nor in the array API: a library must have a kernel.
PRIMITIVES: dict[str, str] = {
    "eig": "eigenvalues of general matrices have no closed form, and the standard has none",
    **{
        f"random_{name}": "a draw is the generator's own: no other op makes random numbers"
        for name in (
            "uniform",
            "normal",
            "exponential",
            "laplace",
            "logistic",
            "gumbel",
            "cauchy",
            "gamma",
            "poisson",
            "permutation",
        )
    },
}

_LENGTH = "how long the result is depends on the values"
_EDGES = "edges of bins that do not rise are refused, whatever the library"

# Definitions that read values, so that they do not run where there are none yet (tracing).
READS_VALUES: dict[str, str] = {
    "bin_index": _EDGES,
    "bin_sums": _EDGES,
    "bincount": _LENGTH,
    "expm": "how often it squares depends on the largest norm",
    "expm_frechet": "how often it squares depends on the largest norm",
    "histogram": _LENGTH,
    "histogram_bin_edges": _LENGTH,
    "histogram2d": _EDGES,
    "histogramdd": _EDGES,
    "integer_counts": _LENGTH,
    "integer_sums": _LENGTH,
    "lstsq": "residuals are left out where the rank is not full",
}

# Results that are given up to a factor of size 1 for each column: signs are the library's choice.
UP_TO_PHASE: frozenset[str] = frozenset({"eigh", "svd", "eig", "qr"})

# Ops whose values nobody may look at, so that laws about values do not apply.
ARBITRARY: dict[str, str] = {
    "empty_like": "its elements are whatever the memory held",
}

# Arguments that there is a derivative by in principle, but no rule: asking for it is an error.
REFUSED_DERIVATIVES: dict[str, tuple[int, ...]] = {
    "random_gamma": (0,),  # the draw is made by rejection, so it jumps
    "sample_gamma": (0,),
}
