"""How to call each function of dask.array: data for the tests of units and of scale.

A recipe calls a function with arrays made by `L` and `T`, which the test chooses: plain lazy
arrays, scaled ones, lengths, times. `N` makes limits that are numbers, not lazy arrays. So one
recipe says what Dask does to a factor and what dimflow does to a unit.
"""

import numpy as np

v = np.array([1.0, 4.0, 2.0, 8.0])
w = np.array([2.0, 1.0, 5.0, 3.0])
M = np.array([[4.0, 1.0, 0.5, 0.25], [1.0, 3.0, 0.25, 0.5], [0.5, 0.25, 2.0, 0], [0.25, 0.5, 0, 5]])
A = np.array([[1.0, 2.0, 3.0, 7.0], [6.0, 5.0, 4.0, 0.5]])
C = np.arange(1.0, 25.0).reshape(2, 3, 4) % 7 + 1
TALL = np.array([[1.0, 2.0], [4.0, 1.0], [2.0, 5.0], [8.0, 3.0], [2.0, 2.0], [1.0, 7.0]])
nans = np.array([1.0, np.nan, 3.0, 2.0])
mask = np.array([True, False, True, True])
index = np.array([2, 0, 1, 1])
z = np.array([1.0 + 2.0j, 3.0 - 1.0j])


def whole(x):
    """An array in one block, as those in memory are."""
    return x.rechunk(-1) if hasattr(x, "rechunk") else x


def rows(x):
    """A matrix that is cut between rows alone, if it is cut at all."""
    return x.rechunk((2, -1)) if hasattr(x, "rechunk") else x


def masked(ma, L):
    """Lengths with a hole."""
    return ma("masked_equal")(L(v), L.number(4.0))


RECIPES = {
    "all": lambda f, L, T: f(L(v), axis=0),
    "allclose": lambda f, L, T: f(L(v), L(v * (1 + 1e-9)), atol=L.number(1e-9)),
    "angle": lambda f, L, T: f(L(z)) if L.is_raw else f(L(z)).to("rad").data,
    "any": lambda f, L, T: f(L(A), axis=1, keepdims=True),
    "append": lambda f, L, T: f(L(v), L(w)),
    "apply_along_axis": lambda f, L, T: f(lambda x: x * 2, 1, L(A), dtype=float, shape=(4,)),
    "apply_gufunc": lambda f, L, T: f(lambda x: x * 2, "()->()", L(A), output_dtypes=float),
    "apply_over_axes": lambda f, L, T: f(np.sum, L(C), (0, 2)),
    "argmax": lambda f, L, T: f(L(A), axis=1),
    "argmin": lambda f, L, T: f(L(A), axis=1),
    "argtopk": lambda f, L, T: f(L(v), 2),
    "argwhere": lambda f, L, T: f(L(A)),
    "array": lambda f, L, T: f(L(v)),
    "asanyarray": lambda f, L, T: f(L(v)),
    "asarray": lambda f, L, T: f(L(v)),
    "atleast_1d": lambda f, L, T: f(L(v)),
    "atleast_2d": lambda f, L, T: f(L(v)),
    "atleast_3d": lambda f, L, T: f(L(v)),
    "average": lambda f, L, T: f(L(v), weights=T(w), returned=True),
    "bincount": lambda f, L, T: f(L.indices(index), L(w), minlength=3),
    "block": lambda f, L, T: f([[L(A), L(A)], [L(A), L(A)]]),
    "blockwise": lambda f, L, T: f(np.negative, "i", L(v), "i", dtype=float),
    "broadcast_arrays": lambda f, L, T: f(L(A), T(A[0])),
    "broadcast_to": lambda f, L, T: f(L(v), (2, 4)),
    "choose": lambda f, L, T: f(L.indices([0, 1, 0, 1]), [L(v), L(w)]),
    "clip": lambda f, L, T: f(L(v), L.number(2.0), L.number(4.0)),
    "coarsen": lambda f, L, T: f(np.mean, L(A), {1: 2}),
    "compress": lambda f, L, T: f(mask, L(v)),
    "concatenate": lambda f, L, T: f([L(v), L(w)], axis=0),
    "corrcoef": lambda f, L, T: f(L(A)),
    "count_nonzero": lambda f, L, T: f(L(A), axis=0),
    "cov": lambda f, L, T: f(L(A)),
    "cumsum": lambda f, L, T: f(L(A), axis=1, method="blelloch"),
    "delete": lambda f, L, T: f(L(v), 1, 0),
    "diag": lambda f, L, T: f(L(M)),
    "diagonal": lambda f, L, T: f(L(M)),
    "diff": lambda f, L, T: f(L(v), prepend=L.number(0.5)),
    "digitize": lambda f, L, T: f(L(v), L.numbers([1.5, 3.0])),
    "divmod": lambda f, L, T: f(L(v), L(w)),
    "dot": lambda f, L, T: f(L(A), T(M)),
    "dstack": lambda f, L, T: f([L(A), L(A)]),
    "ediff1d": lambda f, L, T: f(L(v), to_begin=L.number(7.0)),
    "einsum": lambda f, L, T: f("ij,jk->ik", L(A), T(M)),
    "empty_like": lambda f, L, T: f(L(v)) * 0 + L(v),
    "expand_dims": lambda f, L, T: f(L(v), 0),
    "extract": lambda f, L, T: f(mask, L(v)),
    "flatnonzero": lambda f, L, T: f(L(v)),
    "flip": lambda f, L, T: f(L(A), 1),
    "fliplr": lambda f, L, T: f(L(A)),
    "flipud": lambda f, L, T: f(L(A)),
    "from_array": lambda f, L, T: f(L.numbers(v), chunks=2),
    "full": lambda f, L, T: f((2, 2), L.number(3.0)),
    "full_like": lambda f, L, T: f(L(v), L.number(3.0)),
    "arange": lambda f, L, T: f(L.number(1.0), L.number(5.0), L.number(0.5)),
    "linspace": lambda f, L, T: f(L.number(1.0), L.number(5.0), 9, retstep=True),
    "gradient": lambda f, L, T: f(L(v), T.number(0.5)),
    "histogram": lambda f, L, T: f(
        L(v), 3, (L.number(0.0), L.number(9.0)), weights=T(w), density=True
    ),
    "histogram2d": lambda f, L, T: f(
        L(v), T(w), 2, ((L.number(0.0), L.number(9.0)), (T.number(0.0), T.number(9.0)))
    ),
    "histogramdd": lambda f, L, T: f(
        (L(v), T(w)), [L.numbers([0.0, 3.0, 9.0]), T.numbers([0.0, 3.0, 9.0])], density=True
    ),
    "hstack": lambda f, L, T: f([L(v), L(w)]),
    "imag": lambda f, L, T: f(L(z)),
    "insert": lambda f, L, T: f(L(v), 1, L.number(9.0), 0),
    "isclose": lambda f, L, T: f(L(v), L(w), atol=L.number(0.5)),
    "iscomplex": lambda f, L, T: f(L(z)),
    "isin": lambda f, L, T: f(L(v), L(w)),
    "isneginf": lambda f, L, T: f(L(v)),
    "isnull": lambda f, L, T: f(L(nans)),
    "isposinf": lambda f, L, T: f(L(v)),
    "isreal": lambda f, L, T: f(L(z)),
    "map_blocks": lambda f, L, T: f(np.negative, L(v)),
    "map_overlap": lambda f, L, T: f(np.negative, L(v), depth=1, boundary="reflect"),
    "matmul": lambda f, L, T: f(L(A), T(M)),
    "max": lambda f, L, T: f(L(A), axis=1, split_every=2),
    "mean": lambda f, L, T: f(L(A), axis=1, split_every=2),
    "median": lambda f, L, T: f(L(A), axis=1),
    "meshgrid": lambda f, L, T: f(L(v), T(w)),
    "min": lambda f, L, T: f(L(A), axis=1),
    "moment": lambda f, L, T: f(L(A), 3, axis=1),
    "moveaxis": lambda f, L, T: f(L(C), 0, 2),
    "nanargmax": lambda f, L, T: f(L(nans)),
    "nanargmin": lambda f, L, T: f(L(nans)),
    "nancumsum": lambda f, L, T: f(L(nans), 0),
    "nanmax": lambda f, L, T: f(L(nans)),
    "nanmean": lambda f, L, T: f(L(nans)),
    "nanmedian": lambda f, L, T: f(L(nans), axis=0),
    "nanmin": lambda f, L, T: f(L(nans)),
    "nanpercentile": lambda f, L, T: f(L(nans), [25, 50], axis=0),
    "nanquantile": lambda f, L, T: f(L(nans), 0.25, axis=0),
    "nanstd": lambda f, L, T: f(L(nans)),
    "nansum": lambda f, L, T: f(L(nans)),
    "nanvar": lambda f, L, T: f(L(nans)),
    "nonzero": lambda f, L, T: f(L(v)),
    "notnull": lambda f, L, T: f(L(nans)),
    "ones_like": lambda f, L, T: f(L(v)) * 0 + L(v),
    "outer": lambda f, L, T: f(L(v), T(w)),
    "pad": lambda f, L, T: f(L(v), 2, constant_values=L.number(3.0)),
    "percentile": lambda f, L, T: f(L(v), [25, 75]),
    "piecewise": lambda f, L, T: f(
        L(v), [L.indices(v > 3), L.indices(v <= 3)], [lambda x: 2 * x, lambda x: -x]
    ),
    "prod": lambda f, L, T: f(L(A), axis=1),
    "ptp": lambda f, L, T: f(L(A), axis=1),
    "quantile": lambda f, L, T: f(L(A), 0.3, axis=1),
    "ravel": lambda f, L, T: f(L(A)),
    "real": lambda f, L, T: f(L(z)),
    "rechunk": lambda f, L, T: f(L(A), (1, 4)),
    "reduction": lambda f, L, T: f(L(A), np.sum, np.sum, axis=1, dtype=float),
    "repeat": lambda f, L, T: f(L(v), 2, 0),
    "reshape": lambda f, L, T: f(L(A), (2, 2, 2)),
    "reshape_blockwise": lambda f, L, T: f(whole(L(A)), (8,)),
    "result_type": lambda f, L, T: f(L(v)),
    "roll": lambda f, L, T: f(L(v), 1),
    "rollaxis": lambda f, L, T: f(L(C), 2),
    "rot90": lambda f, L, T: f(L(A)),
    "searchsorted": lambda f, L, T: f(whole(L(np.sort(v))), L(w)),
    "select": lambda f, L, T: f([L(v).data > 0 if not L.is_raw else L(v) > 0], [L(v)], L.number(7)),
    "shape": lambda f, L, T: f(L(A)),
    "ndim": lambda f, L, T: f(L(A)),
    "shuffle": lambda f, L, T: f(L(v), [[2, 0], [1, 3]], 0),
    "squeeze": lambda f, L, T: f(L(v[None])),
    "stack": lambda f, L, T: f([L(v), L(w)], axis=1),
    "std": lambda f, L, T: f(L(A), axis=1, ddof=1, split_every=2),
    "sum": lambda f, L, T: f(L(A), axis=0, split_every=2),
    "swapaxes": lambda f, L, T: f(L(C), 0, 2),
    "take": lambda f, L, T: f(L(v), index),
    "tensordot": lambda f, L, T: f(L(A), T(M), axes=1),
    "tile": lambda f, L, T: f(L(v), 2),
    "topk": lambda f, L, T: f(L(A), -2, axis=1),
    "trace": lambda f, L, T: f(L(M)),
    "transpose": lambda f, L, T: f(L(A)),
    "tril": lambda f, L, T: f(L(M)),
    "tril_indices_from": lambda f, L, T: f(L(M)),
    "triu": lambda f, L, T: f(L(M)),
    "triu_indices_from": lambda f, L, T: f(L(M)),
    "unify_chunks": lambda f, L, T: f(L(v), "i", whole(T(w)), "i")[1],
    "union1d": lambda f, L, T: f(L(v), L(w)),
    "unique": lambda f, L, T: f(L(v), return_index=True, return_counts=True),
    "var": lambda f, L, T: f(L(A), axis=1),
    "vdot": lambda f, L, T: f(L(v), T(w)),
    "vstack": lambda f, L, T: f([L(v), L(w)]),
    "where": lambda f, L, T: f(mask, L(v), L(w)),
    "zeros_like": lambda f, L, T: f(L(v)) + L(v),
    # matrices
    "linalg.cholesky": lambda f, L, T: f(L(M)),
    "linalg.compression_matrix": lambda f, L, T: f(rows(L(TALL)), 1, seed=3),
    "linalg.inv": lambda f, L, T: f(L(M)),
    "linalg.lstsq": lambda f, L, T: f(rows(L(TALL)), T(np.arange(6.0))),
    "linalg.lu": lambda f, L, T: f(L(M)),
    "linalg.norm": lambda f, L, T: f(L(A), axis=1),
    "linalg.qr": lambda f, L, T: f(rows(L(TALL))),
    "linalg.sfqr": lambda f, L, T: f(L(A).rechunk((-1, 2))),
    "linalg.solve": lambda f, L, T: f(L(M), T(v)),
    "linalg.solve_triangular": lambda f, L, T: f(L(np.triu(M)), T(v)),
    "linalg.svd": lambda f, L, T: f(rows(L(TALL))),
    "linalg.svd_compressed": lambda f, L, T: f(rows(L(TALL)), 1, seed=3),
    "linalg.tsqr": lambda f, L, T: (f(rows(L(TALL))), f(rows(L(TALL)), compute_svd=True)),
    # Fourier
    **{f"fft.{name}": lambda f, L, T: f(whole(L(v))) for name in ("fft", "ifft", "rfft", "hfft")},
    **{
        f"fft.{name}": lambda f, L, T: f(whole(L(A))) for name in ("fft2", "ifft2", "fftn", "ifftn")
    },
    **{f"fft.{name}": lambda f, L, T: f(whole(L(A))) for name in ("rfft2", "rfftn", "irfft2")},
    "fft.irfft": lambda f, L, T: f(whole(L(v)), 4),
    "fft.irfftn": lambda f, L, T: f(whole(L(A))),
    "fft.ihfft": lambda f, L, T: f(whole(L(v))),
    "fft.fftshift": lambda f, L, T: f(L(v)),
    "fft.ifftshift": lambda f, L, T: f(L(v)),
    "fft.fftfreq": lambda f, L, T: f(8, T.number(0.5)),
    "fft.rfftfreq": lambda f, L, T: f(8, T.number(0.5)),
    # statistics
    "stats.f_oneway": lambda f, L, T: tuple(f(L(v), L(w))),
    "stats.kurtosis": lambda f, L, T: f(L(v)),
    "stats.kurtosistest": lambda f, L, T: tuple(f(L(np.arange(30.0) ** 2))),
    "stats.moment": lambda f, L, T: f(L(v), 3),
    "stats.normaltest": lambda f, L, T: tuple(f(L(np.arange(30.0) ** 2))),
    "stats.skew": lambda f, L, T: f(L(v)),
    "stats.skewtest": lambda f, L, T: tuple(f(L(np.arange(30.0) ** 2))),
    "stats.ttest_1samp": lambda f, L, T: tuple(f(L(v), L.number(2.0))),
    "stats.ttest_ind": lambda f, L, T: tuple(f(L(v), L(w))),
    "stats.ttest_rel": lambda f, L, T: tuple(f(L(v), L(w))),
    # neighbours
    "overlap.add_dummy_padding": lambda f, L, T: f(L(v), {0: 1}, {0: "none"})[1:-1],
    "overlap.boundaries": lambda f, L, T: f(L(v), {0: 1}, {0: L.number(9.0)}),
    "overlap.constant": lambda f, L, T: f(L(v), 0, 1, L.number(9.0)),
    "overlap.nearest": lambda f, L, T: f(L(v), 0, 1),
    "overlap.overlap": lambda f, L, T: f(L(v), {0: 1}, {0: L.number(9.0)}),
    "overlap.overlap_internal": lambda f, L, T: f(L(v), {0: 1}),
    "overlap.periodic": lambda f, L, T: f(L(v), 0, 1),
    "overlap.reflect": lambda f, L, T: f(L(v), 0, 1),
    "overlap.sliding_window_view": lambda f, L, T: f(L(v), 2),
    "overlap.trim_internal": lambda f, L, T: f(
        L(np.arange(8.0)).rechunk(4), {0: 1}, {0: "reflect"}
    ),
    "overlap.trim_overlap": lambda f, L, T: f(L(np.arange(8.0)).rechunk(4), {0: 1}, {0: "reflect"}),
    "lib.stride_tricks.sliding_window_view": lambda f, L, T: f(L(v), 2),
    # draws that need no luck
    "random.permutation": lambda f, L, T: f(L(np.full(4, 3.0))),
    "random.choice": lambda f, L, T: f(L(np.full(4, 3.0)), size=3),
}

# Arrays with holes.
MASKED = {
    "average": lambda f, L, T, ma: f(masked(ma, L), weights=T(w)),
    "count": lambda f, L, T, ma: f(masked(ma, L)),
    "empty_like": lambda f, L, T, ma: f(masked(ma, L)) * 0 + masked(ma, L),
    "filled": lambda f, L, T, ma: f(masked(ma, L), L.number(7.0)),
    "fix_invalid": lambda f, L, T, ma: f(L(nans), L.number(7.0)),
    "getdata": lambda f, L, T, ma: f(masked(ma, L)),
    "getmaskarray": lambda f, L, T, ma: f(masked(ma, L)),
    "masked_array": lambda f, L, T, ma: f(L(v), mask, L.number(3.0)),
    "masked_equal": lambda f, L, T, ma: f(L(v), L.number(4.0)),
    "masked_greater": lambda f, L, T, ma: f(L(v), L.number(2.0)),
    "masked_greater_equal": lambda f, L, T, ma: f(L(v), L.number(2.0)),
    "masked_inside": lambda f, L, T, ma: f(L(v), L.number(1.5), L.number(4.5)),
    "masked_invalid": lambda f, L, T, ma: f(L(nans)),
    "masked_less": lambda f, L, T, ma: f(L(v), L.number(2.0)),
    "masked_less_equal": lambda f, L, T, ma: f(L(v), L(w)),
    "masked_not_equal": lambda f, L, T, ma: f(L(v), L.number(2.0)),
    "masked_outside": lambda f, L, T, ma: f(L(v), L.number(1.5), L.number(4.5)),
    "masked_values": lambda f, L, T, ma: f(L(v), L.number(2.0), atol=L.number(1e-9)),
    "masked_where": lambda f, L, T, ma: f(mask, L(v)),
    "nonzero": lambda f, L, T, ma: f(masked(ma, L)),
    "ones_like": lambda f, L, T, ma: f(masked(ma, L)) * 0 + masked(ma, L),
    "where": lambda f, L, T, ma: f(mask, masked(ma, L), L(w)),
    "zeros_like": lambda f, L, T, ma: f(masked(ma, L)) + masked(ma, L),
}

# Only pure numbers have a meaning here: a unit is refused, percent counts as hundredths.
PURE_RECIPES = {
    "cumprod": lambda f, P: f(P(v), 0),
    "i0": lambda f, P: f(P(v)),
    "nancumprod": lambda f, P: f(P(nans), 0),
    "nanprod": lambda f, P: f(P(nans)),
    "sinc": lambda f, P: f(P(v * 0.3)),
    "stats.chisquare": lambda f, P: tuple(f(P(v), P(w))),
    "stats.power_divergence": lambda f, P: tuple(f(P(v), P(w))),
    "unravel_index": lambda f, P: f(P(np.array([3, 5])), (3, 4)),
}

# What they give depends on the unit that is chosen, and they take none.
CHOSEN_RECIPES = {
    "around": lambda f, P: f(P(v * 1.26), 1),
    "fix": lambda f, P: f(P(v * 1.26)),
    "frexp": lambda f, P: f(P(v)),
    "modf": lambda f, P: f(P(v * 1.26)),
    "round": lambda f, P: f(P(v * 1.26), 1),
}

# Draws: how many parameters share the unit of what is drawn, and how many pure numbers come first.
SCALED_DRAWS = {
    "exponential": (0, 1),
    "gamma": (1, 1),
    "gumbel": (0, 2),
    "laplace": (0, 2),
    "logistic": (0, 2),
    "normal": (0, 2),
    "rayleigh": (0, 1),
    "triangular": (0, 3),
    "uniform": (0, 2),
    "wald": (0, 2),
}
PURE_DRAWS = {
    "beta": (2.0, 3.0),
    "binomial": (5, 0.5),
    "chisquare": (2.0,),
    "f": (2.0, 3.0),
    "geometric": (0.5,),
    "lognormal": (0.5, 0.25),
    "logseries": (0.5,),
    "negative_binomial": (5, 0.5),
    "noncentral_chisquare": (2.0, 1.0),
    "noncentral_f": (2.0, 3.0, 1.0),
    "pareto": (2.0,),
    "poisson": (3.0,),
    "power": (2.0,),
    "standard_gamma": (2.0,),
    "standard_t": (3.0,),
    "weibull": (2.0,),
    "zipf": (2.0,),
}

# Tried by name: they write, need a package that is not everywhere, or draw.
NAMED = {
    *("push", "nan_to_num", "store", "to_hdf5", "to_npy_stack", "to_zarr", "ma.set_fill_value"),
    *("random.vonmises", *(f"random.{name}" for name in (*SCALED_DRAWS, *PURE_DRAWS))),
}

# Dask itself computes these while the graph is built.
HASTY = ("stats.kurtosistest", "stats.normaltest", "stats.skewtest")
