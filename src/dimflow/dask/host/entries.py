"""Which function of Dask's follows which rule, where its name alone does not say so."""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# NumPy's function of that name does the same, takes the same, and is as lazy.
BY_NUMPY = _names(
    "angle clip divmod fix frexp gradient i0 imag iscomplex isneginf isposinf isreal modf"
    " nan_to_num nonzero flatnonzero real select sinc where isclose allclose around round"
    " atleast_1d atleast_2d atleast_3d broadcast_arrays meshgrid"
)

# The op's kernel does what Dask's function does, and more: empty blocks, lengths not known yet.
BY_KERNEL = _names(
    "all any argmax argmin cumprod cumsum max mean min nanargmax nanargmin nanmax nanmean nanmin"
    " nanprod nanstd nansum nanvar prod squeeze std sum var"
)

# They count elements, and would give nan where a length is not known.
COUNTING = _names(
    "stats.chisquare stats.kurtosistest stats.normaltest stats.power_divergence stats.skewtest"
    " stats.ttest_1samp stats.ttest_ind stats.ttest_rel"
)

# They run functions of users on blocks.
BLOCKS = _names(
    "apply_along_axis apply_gufunc apply_over_axes blockwise coarsen map_blocks map_overlap"
    " reduction overlap.overlap overlap.trim_overlap"
)

# Of rules and definitions, those that know arrays with holes; each is held against np.ma.
HONOURING = _names(
    "array asanyarray asarray from_array isnull notnull rechunk shuffle store to_hdf5 to_npy_stack"
    " to_zarr unify_chunks"
)

# Functions of ops that honour masks, which Dask runs in another way.
BLIND = _names("median")

# Shapes, dtypes and chunks answer them.
ASKED = _names("ndim result_type shape tril_indices_from triu_indices_from")

# They take lengths, indices and names, and make arrays of pure numbers.
NUMBERS = _names(
    "empty eye from_npy_stack from_tiledb from_zarr fromfunction indices ones ravel_multi_index tri"
    " tril_indices triu_indices zeros linalg.compression_level"
    " random.seed random.random random.random_sample random.randint random.random_integers"
    " random.standard_cauchy random.standard_exponential random.standard_normal"
)

_NO_ARRAYS = "it takes functions, types or graphs, and no arrays"
_PROTOCOL = "it asks each collection, and arrays with units answer"
_NUMBERS_OF_CELLS = "it works on depths and chunks, which are numbers of cells"
_WRAPS = "it makes a function of Dask's from one of NumPy's"

# These see no array, so that nothing stands before them.
MACHINERY: dict[str, str] = {
    "array_expr_enabled": _NO_ARRAYS,
    "as_gufunc": _NO_ARRAYS,
    "compute": _PROTOCOL,
    "frompyfunc": _NO_ARRAYS,
    "optimize": _NO_ARRAYS,
    "register_chunk_type": _NO_ARRAYS,
    "fft.fft_wrap": _WRAPS,
    "ma.normalize_masked_array": "it gives a token for an array of NumPy's",
    "overlap.coerce_boundary": _NUMBERS_OF_CELLS,
    "overlap.coerce_depth": _NUMBERS_OF_CELLS,
    "overlap.coerce_depth_type": _NUMBERS_OF_CELLS,
    "overlap.ensure_minimum_chunksize": _NUMBERS_OF_CELLS,
    "random.default_rng": _NO_ARRAYS,
    "from_delayed": "it takes values that are not known yet: DaskDimArray.from_delayed has a unit",
}
