"""What PyTorch cannot do with an op, and why: a surprise pass fails."""


def _each(names: str, reason: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), reason)


_SHAPE_BY_VALUES = "the shape of the result depends on values"
_LOOKS_AT_VALUES = "its arguments are checked, or its result formed, by their values"
_NUMPY_DRAWS = "a seed draws NumPy's numbers, which cannot follow a transform"

# Under torch.func.vmap, by a batch of each array of fractions.
NOT_BATCHED: dict[str, str] = {
    **_each(
        "trim_zeros unique_index unique_all unique_counts unique_inverse unique_values unique "
        "union1d intersect1d setdiff1d setxor1d",
        _SHAPE_BY_VALUES,
    ),
    **_each(
        "histogram_bin_edges bin_sums bin_index histogram histogram2d histogramdd lstsq",
        _LOOKS_AT_VALUES,
    ),
    **_each("random_gamma random_poisson sample_gamma", _NUMPY_DRAWS),
}

# On a device without data, where a value cannot be looked at.
NEEDS_DATA: dict[str, str] = {
    **NOT_BATCHED,
    **_each(
        "integer_counts integer_sums bincount index index_add index_max index_min compress extract "
        "argwhere nonzero flatnonzero",
        _SHAPE_BY_VALUES,
    ),
}

# By torch.compile with fullgraph=True: the first sample of each op.
NOT_COMPILED: dict[str, str] = {
    **_each("resize putmask", _SHAPE_BY_VALUES),
    **_each("bin_sums bin_index histogram2d histogramdd lstsq", _LOOKS_AT_VALUES),
    **_each(
        "random_gamma random_poisson sample_uniform sample_normal sample_laplace sample_logistic "
        "sample_gumbel sample_exponential sample_rayleigh sample_gamma sample_triangular "
        "sample_multivariate_normal dropout",
        _NUMPY_DRAWS,
    ),
    **_each(
        "average delete insert put fill_diagonal",
        "the definition finds places by NumPy or by generators, which the compiler cannot follow",
    ),
}

NOT_COMPLEX: dict[str, str] = {
    **_each(
        "less less_equal greater greater_equal maximum minimum fmax fmin clip max min argmax "
        "argmin ptp nanmax nanargmax nanmin nanargmin cummax cummin median nanmedian spaced_edges "
        "histogram_bin_edges bin_counts bin_sums bin_index histogram histogram2d histogramdd pad "
        "index_max index_min at_max at_min scatter_max scatter_min searchsorted isin sort argsort "
        "lexsort partition argpartition topk unique_values intersect1d setdiff1d setxor1d "
        "max_pool adaptive_max_pool cosine_similarity sample_triangular",
        "PyTorch puts complex numbers in no order",
    ),
    **_each(
        "relu leaky_relu prelu elu celu selu gelu_tanh gelu mish hardtanh relu6 hard_sigmoid "
        "hard_swish softshrink hardshrink glu softmax log_softmax scaled_dot_product_attention "
        "rint",
        "PyTorch has this function of real numbers alone",
    ),
    **_each(
        "within isclose matrix_rank fftfreq rfftfreq interp",
        "PyTorch takes this argument as a real number",
    ),
}
