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
}

# Ops whose values nobody may look at, so that laws about values do not apply.
ARBITRARY: dict[str, str] = {
    "empty_like": "its elements are whatever the memory held",
}

# Arguments that there is a derivative by in principle, but no rule: asking for it is an error.
REFUSED_DERIVATIVES: dict[str, tuple[int, ...]] = {
    "random_gamma": (0,),  # the draw is made by rejection, so it jumps
    "sample_gamma": (0,),
}
