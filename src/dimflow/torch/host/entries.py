"""Which rule each function of PyTorch follows, and where its arrays stand among its arguments.

A name is that below `torch`, without `Tensor.`, `functional.` and the `_` of what works in place;
`nn.functional.`, `special.` and `linalg.` are left out where another name does not stand in the
way. Arrays are the first arguments unless `at` says where they stand. In `at`, a place is followed
by `?` if only a tensor there is an array, by `#` if PyTorch takes nothing but a Python number, by
`*` if it is a list or all arguments from there on, by `!` if it is 0 where it is left out (by
`mode="constant"`, if there are modes), by `@` if a factor of its own multiplies it, by `~n` if it
is a tolerance in the n-th power of the first array's unit (by `#~n` if its default too needs a
unit). Where only pure numbers have a meaning, every array among the arguments is one.
"""

from typing import NamedTuple


class Entry(NamedTuple):
    """How one function of PyTorch treats units."""

    rule: str  # an op of the table, or a rule beside it
    at: tuple[str, ...] | None = None
    fields: str = ""  # which parts of several results have the unit: "10" is (values, indices)
    params: tuple[tuple[str, str], ...] = ()  # static parameters of the rule, by PyTorch's names


ENTRIES: dict[str, Entry] = {}


def _enter(
    names: str, rule: str | None = None, at: str | None = None, fields: str = "", **params: str
) -> None:
    """Enter functions; without a rule, each follows the op of its own name."""
    places = None if at is None else tuple(at.split())
    for name in names.split():
        entry = Entry(rule or name, places, fields, tuple(params.items()))
        assert name not in ENTRIES, name
        ENTRIES[name] = entry


# Operators and arithmetic
_enter("abs absolute", "abs")
_enter("add __add__ __radd__ __iadd__", "add", "0 1@")
_enter("sub subtract __sub__ __isub__", "subtract", "0 1@")
_enter("rsub __rsub__", "subtract", "1 0@")
_enter("mul multiply __mul__ __rmul__ __imul__", "multiply")
_enter("true_divide __truediv__ __itruediv__ __div__", "divide")
_enter("__rtruediv__", "divide", "1 0")
_enter("floor_divide __floordiv__ __ifloordiv__", "floor_divide")
_enter("__rfloordiv__", "floor_divide", "1 0")
_enter("remainder __mod__ __imod__", "remainder")
_enter("__rmod__", "remainder", "1 0")
_enter("neg negative", "negative")
_enter("fmod positive reciprocal square sqrt hypot copysign sign signbit maximum minimum fmax fmin")
_enter("nextafter heaviside ldexp gcd lcm lerp angle real imag deg2rad rad2deg")
_enter("sgn", "sign")
_enter("rsqrt", "inverse_root")
_enter("clamp clip", "clip", "0 min max")
_enter("clamp_min", "maximum")
_enter("clamp_max", "minimum")
_enter("complex", "linear", "0 1")
_enter("polar", "polar", "0 1")
_enter("addcmul addmm addmv addr addbmm baddbmm", "plus_product", "0 1 2@")
_enter("addcdiv", "plus_quotient", "0 1 2@")
_enter("xlogy xlog1py", "xlogy", "0 1")

# Comparison and logic
_enter("eq __eq__", "equal")
_enter("ne not_equal __ne__", "not_equal")
_enter("lt less __lt__", "less")
_enter("le less_equal __le__", "less_equal")
_enter("gt greater __gt__", "greater")
_enter("ge greater_equal __ge__", "greater_equal")
_enter("logical_and logical_or logical_xor logical_not")
_enter("bitwise_and __and__ __rand__ __iand__", "bitwise_and")
_enter("bitwise_or __or__ __ror__ __ior__", "bitwise_or")
_enter("bitwise_xor __xor__ __rxor__ __ixor__", "bitwise_xor")
_enter("bitwise_left_shift __lshift__ __ilshift__", "bitwise_left_shift")
_enter("bitwise_right_shift __rshift__ __irshift__", "bitwise_right_shift")
_enter("__rlshift__", "bitwise_left_shift", "1 0")
_enter("__rrshift__", "bitwise_right_shift", "1 0")
_enter("bitwise_not __invert__", "bitwise_invert")
_enter("isfinite isinf isnan isneginf isposinf isreal")
_enter("isin", "isin", "0 1")
_enter("bucketize", "found", "0 1")
_enter("searchsorted", "found", "0 1")
_enter("__contains__", "found", "0 1")
_enter("nan_to_num", "nan_to_num", "0 nan# posinf# neginf#")
_enter("histc", "found", "0 min# max#")

# Pure numbers
_enter("acos arccos", "acos")
_enter("asin arcsin", "asin")
_enter("atan arctan", "atan")
_enter("atan2 arctan2", "atan2")
_enter("acosh arccosh", "acosh")
_enter("asinh arcsinh", "asinh")
_enter("atanh arctanh", "atanh")
_enter("sin cos tan sinh cosh tanh exp exp2 expm1 log log10 log1p log2 logaddexp logaddexp2 sinc")
_enter("sigmoid expit", "sigmoid")
_enter("erf erfc erfinv lgamma digamma logit logsumexp logcumsumexp softmax log_softmax")
_enter("matrix_exp", "expm")
_enter(
    "airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 entr erfcx gammaln i0 i0e i1 i1e log_ndtr ndtr"
    " ndtri psi modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1"
    " scaled_modified_bessel_k0 scaled_modified_bessel_k1 spherical_bessel_j0 mvlgamma"
    " multigammaln nn.functional.softmin logdet linalg.vander celu selu"
    " nn.functional.hardsigmoid nn.functional.hardswish"
    " nn.functional.elu nn.functional.gelu nn.functional.hardtanh nn.functional.logsigmoid"
    " nn.functional.mish nn.functional.relu6 nn.functional.silu nn.functional.softplus"
    " nn.functional.softsign nn.functional.tanhshrink hardshrink nn.functional.softshrink"
    " nn.functional.glu nn.functional.gumbel_softmax nn.functional.affine_grid"
    " affine_grid_generator alpha_dropout feature_alpha_dropout cumprod bernoulli poisson"
    " nn.functional.local_response_norm",
    "pure",
)
_enter(
    "igamma igammac gammainc gammaincc zeta polygamma chebyshev_polynomial_t"
    " chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w hermite_polynomial_h"
    " hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p"
    " shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u"
    " shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w binomial"
    " native_batch_norm native_layer_norm native_group_norm kl_div poisson_nll_loss ctc_loss"
    " binary_cross_entropy_with_logits"
    " cosine_embedding_loss hinge_embedding_loss nn.functional.binary_cross_entropy"
    " nn.functional.cross_entropy nn.functional.linear_cross_entropy nn.functional.nll_loss"
    " nn.functional.gaussian_nll_loss nn.functional.multi_margin_loss"
    " nn.functional.multilabel_margin_loss nn.functional.multilabel_soft_margin_loss"
    " nn.functional.soft_margin_loss triplet_margin_loss"
    " nn.functional.triplet_margin_with_distance_loss gru gru_cell lstm lstm_cell rnn_relu"
    " rnn_relu_cell rnn_tanh rnn_tanh_cell nn.functional.multi_head_attention_forward",
    "pure",
)
_enter("layer_norm group_norm", "standardized", "0 weight bias eps~2")
_enter("rms_norm", "scaled", "0 weight eps~2")
_enter(
    "batch_norm instance_norm",
    "standardized",
    "0 weight bias running_mean running_var eps~2",
)
_enter("nn.functional.normalize", "cosine", "0 eps~1")
_enter("nn.functional.cosine_similarity", "cosine", "0 1 eps~1")
_enter("nn.functional.pairwise_distance", "distance", "0 1 eps~1", ord="p")
_enter("nn.functional.triplet_margin_loss", "deviation", "0 1 2 margin#~1 eps~1")
_enter("multinomial unravel_index nn.functional.one_hot", "pure_to_plain")
_enter("floor ceil trunc fix round frexp")
_enter("frac", "chosen")

# Reductions
_enter("sum nansum mean nanmean std var argmax argmin count_nonzero argwhere")
_enter("all any _is_all_true _is_any_true", "any", "0")
_enter("amax", "max", "0")
_enter("amin", "min", "0")
_enter("aminmax", "picked", "0", "11")
_enter("max min", "picked", "0 1?", "10")
_enter("median nanmedian", "blended", "0", "10")
_enter("mode kthvalue topk sort cummax cummin", "picked", "0", "10")
_enter("msort", "picked", "0")
_enter("unique unique_consecutive", "picked", "0", "100")
_enter("argsort", "asked", "0")
_enter("nonzero nonzero_static", "argwhere", "0")
_enter("cumsum", "cumulative_sum")
_enter("quantile nanquantile")
_enter("std_mean", "std_mean", "0")
_enter("var_mean", "var_mean", "0")
_enter("prod", "prod", "0", axis="dim")
_enter("trace", "linear", "0")
_enter("norm", "norm", "0", ord="p")
_enter("linalg.norm linalg.vector_norm linalg.matrix_norm", "norm", "0", ord="ord")
_enter("native_norm", "norm", "0", ord="p")
_enter("frobenius_norm nuclear_norm", "linear", "0")
_enter("norm_except_dim", "norm", "0", ord="pow")
_enter("renorm", "linear", "0 maxnorm#")
_enter("dist", "distance", "0 1", ord="p")
_enter("cdist", "distance", "0 1", ord="p")
_enter("nn.functional.pdist", "distance", "0", ord="p")
_enter("corrcoef diag", None, "0")
_enter("diff", "diff", "0 prepend append", n="n")
_enter("trapezoid trapz", "trapezoid", "0 1? dx#")
_enter("cumulative_trapezoid", "cumulative_trapezoid", "0 1? dx#")

# Shapes, parts and copies: nothing is done with the numbers
_enter(
    "T.__get__ H.__get__ mT.__get__ mH.__get__ real.__get__ data.__get__ adjoint t transpose"
    " permute swapaxes swapdims movedim moveaxis reshape ravel flatten"
    " unflatten squeeze unsqueeze expand broadcast_to narrow narrow_copy select"
    " __getitem__ index index_select masked_select take take_along_dim gather split"
    " split_with_sizes chunk tensor_split hsplit vsplit dsplit unbind unfold diagonal"
    " flip fliplr flipud roll rot90 tile repeat repeat_interleave"
    " clone detach contiguous cpu cuda xpu mtia ipu double float half bfloat16 cdouble cfloat chalf"
    " pin_memory conj conj_physical resolve_conj resolve_neg"
    " as_strided as_strided_copy view_as_real alias_copy detach_copy diagonal_copy"
    " expand_copy permute_copy select_copy slice_copy split_copy split_with_sizes_copy squeeze_copy"
    " t_copy transpose_copy unbind_copy unfold_copy unsqueeze_copy"
    " view_as_real_copy unsafe_chunk unsafe_split unsafe_split_with_sizes"
    " combinations"
    " _autocast_to_full_precision _autocast_to_reduced_precision"
    " nn.functional.channel_shuffle nn.functional.native_channel_shuffle"
    " nn.functional.pixel_shuffle nn.functional.pixel_unshuffle",
    "kept",
    "0",
)
_enter("imag.__get__", "imag")
_enter("view_as_complex view_as_complex_copy", "linear", "0")
_enter("sum_to_size diag_embed diagflat tril triu", "linear", "0")
_enter("fft.fftshift fft.ifftshift", "kept", "0")
_enter(
    "fft.fft fft.ifft fft.rfft fft.irfft fft.hfft fft.ihfft fft.fft2 fft.ifft2 fft.rfft2 fft.irfft2"
    " fft.hfft2 fft.ihfft2 fft.fftn fft.ifftn fft.rfftn fft.irfftn fft.hfftn fft.ihfftn stft istft",
    "linear",
    "0",
)
_enter("cat concat concatenate stack hstack vstack row_stack dstack column_stack", "picked", "0*")
_enter("cartesian_prod", "picked", "0*")
_enter("block_diag", "linear", "0*")

# Writing: values come in the unit of the array
_enter("index_copy masked_scatter", "picked", "0 source")
_enter("put", "linear", "0 2")
_enter("index_add", "linear", "0 source")
_enter("index_fill masked_fill", "picked", "0 value#")
_enter("index_put", "linear", "0 values")
_enter("scatter_add", "linear", "0 src")
_enter("select_scatter slice_scatter diagonal_scatter as_strided_scatter", "picked", "0 1")
_enter("slice_inverse", "picked", "0 1")
_enter("zeros_like empty_like", "zeros_like")
_enter("ones_like")
_enter("full_like", "full_like", "0 fill_value#")
_enter("copy_", "picked", "0 1")
_enter("fill_ fill_diagonal_", "picked", "0 value#")
_enter("zero_", "linear", "0")

# Products and linear algebra
_enter(
    "matmul __matmul__ mm bmm mv dot vdot inner outer ger kron cross tensordot linalg.vecdot",
    "products",
    "0 1",
)
_enter("__rmatmul__", "products", "1 0")
_enter("einsum", "products", "1*")
_enter("chain_matmul linalg.multi_dot", "products", "0*")
_enter("nn.functional.linear", "product_plus", "0 1 bias")
_enter("nn.functional.bilinear", "product_plus", "0 1 2 bias")
_enter(
    "nn.functional.conv1d nn.functional.conv2d nn.functional.conv3d nn.functional.conv_transpose1d"
    " nn.functional.conv_transpose2d nn.functional.conv_transpose3d nn.functional.conv_tbc"
    " convolution",
    "product_plus",
    "0 1 bias",
)
_enter("embedding", "linear", "1 max_norm#")
_enter("inverse linalg.inv pinverse linalg.tensorinv", "inverse", "0")
_enter("linalg.pinv", "inverse", "0 atol~1")
_enter("linalg.inv_ex", "inverse", "0", "10")
_enter("det", "det")
_enter("slogdet", "slogdet")
_enter("cholesky", "root", "0")
_enter("linalg.cholesky_ex", "root", "0", "10")
_enter("cholesky_inverse", "inverse_square", "0")
_enter("cholesky_solve", "cholesky_solve", "0 1")
_enter("qr", "qr", "0")
_enter("svd", "svd", "0")
_enter("svd_lowrank pca_lowrank", "svd", "0")
_enter("linalg.svdvals linalg.eigvals linalg.eigvalsh", "linear", "0")
_enter("linalg.eig linalg.eigh", "eigen", "0")
_enter("linalg.lu", "lu", "0")
_enter("linalg.solve linalg.tensorsolve", "solve", "0 1")
_enter("linalg.solve_ex", "solve", "0 1", "10")
_enter("linalg.solve_triangular", "solve_triangular", "0 1", unit_diagonal="unitriangular")
_enter("triangular_solve", "triangular_solve", "0 1")
_enter("linalg.lstsq", "lstsq", "0 1")
_enter("linalg.cond", "cosine", "0")
_enter("linalg.matrix_rank", "measured", "0 tol atol")
_enter("matrix_power", "matrix_power", "0", n="n")
_enter("linalg.diagonal", "kept", "0")

# Layers without parameters, and losses
_enter("relu nn.functional.leaky_relu rrelu dropout native_dropout feature_dropout", "linear", "0")
_enter("nn.functional.dropout1d nn.functional.dropout2d nn.functional.dropout3d", "linear", "0")
_enter("prelu", "prelu")
_enter("threshold", "picked", "0 1# 2#")
_enter("nn.functional.pad", "picked", "0 value#!")
_enter("constant_pad_nd", "picked", "0 value#!")
_enter("nn.utils.rnn.pad_sequence", "picked", "0* padding_value#!")
_enter("nn.functional.fold nn.functional.unfold", "linear", "0")
_enter("nn.functional.interpolate", "blended", "0")
_enter("nn.functional.grid_sample grid_sampler grid_sampler_2d grid_sampler_3d", "linear", "0")
_enter(
    "nn.functional.avg_pool1d nn.functional.avg_pool2d nn.functional.avg_pool3d"
    " nn.functional.lp_pool1d nn.functional.lp_pool2d nn.functional.lp_pool3d",
    "averaged",
    "0",
)
_enter(
    "nn.functional.adaptive_avg_pool1d nn.functional.adaptive_avg_pool2d"
    " nn.functional.adaptive_avg_pool3d",
    "blended",
    "0",
)
_enter(
    "max_pool1d max_pool2d max_pool3d max_pool1d_with_indices nn.functional.max_pool2d_with_indices"
    " nn.functional.max_pool3d_with_indices adaptive_max_pool1d nn.functional.adaptive_max_pool2d"
    " nn.functional.adaptive_max_pool3d nn.functional.adaptive_max_pool1d_with_indices"
    " nn.functional.adaptive_max_pool2d_with_indices"
    " nn.functional.adaptive_max_pool3d_with_indices nn.functional.fractional_max_pool2d"
    " nn.functional.fractional_max_pool3d nn.functional.fractional_max_pool2d_with_indices"
    " nn.functional.fractional_max_pool3d_with_indices",
    "picked",
    "0",
    "10",
)
_enter("nn.functional.max_unpool1d nn.functional.max_unpool2d", "linear", "0")
_enter("nn.functional.max_unpool3d", "linear", "0")
_enter(
    "nn.functional.mse_loss",
    "squared_errors",
    "0 1 weight",
    reduction="reduction",
    size_average="size_average",
    reduce="reduce",
)
_enter(
    "nn.functional.l1_loss",
    "absolute_errors",
    "0 1 weight",
    reduction="reduction",
    size_average="size_average",
    reduce="reduce",
)
_enter("nn.functional.huber_loss", "huber", "0 1 weight delta#~1")
_enter("nn.functional.smooth_l1_loss", "deviation", "0 1 beta#~1")
_enter("margin_ranking_loss", "deviation", "0 1 margin#~1")
_enter("nn.functional.scaled_dot_product_attention", "attention", "0 1 2")
