"""Functions of PyTorch's records that no op of ours, and no few lines of ops, answers to: why."""

_CREATION = "it makes an array from numbers alone, so there is nothing to differentiate"
_RANDOM = "it draws random numbers"
_IN_PLACE = "it writes into its argument"
_MEMORY = "it speaks of memory: strides, what was there before"
_SPARSE = "it is about sparse matrices"
_CUDA = "it is a kernel of one device"
_BACKWARD = "it is a step of PyTorch's own backward pass, which is compared itself"
_FOR_BACKWARD = "the function without `native` is compared; more results are for its backward pass"
_RESAMPLING = "there is no op that resamples images"
_FACTORS = "factors as LAPACK packs them; ours are matrices"
_POLYNOMIAL = "there are no orthogonal polynomials in the table"
_SPECIAL = "there is no such special function in the table"
_WINDOW = "windows are made from numbers alone"
_UNPOOLING = "there is no op that undoes a pooling by its indices"
_NO_OP = "there is no such op in the table"


def _all(reason: str, names: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), reason)


UNMAPPED: dict[str, str] = {
    **_all(
        _CREATION,
        "arange linspace linspace/tensor_overload logspace logspace/tensor_overload new_zeros "
        "new_ones ones zeros full eye scalar_tensor new_full triu_indices tril_indices "
        "broadcast_shapes",
    ),
    **_all(
        _RANDOM,
        "cauchy exponential geometric log_normal normal/in_place uniform randn randn_like "
        "rand_like randint randint_like multinomial normal normal/number_mean bernoulli "
        "nn.functional.rrelu nn.functional.dropout nn.functional.dropout2d "
        "nn.functional.dropout3d nn.functional.alpha_dropout "
        "nn.functional.feature_alpha_dropout/with_train "
        "nn.functional.feature_alpha_dropout/without_train nn.functional.fractional_max_pool2d "
        "nn.functional.fractional_max_pool3d svd_lowrank pca_lowrank",
    ),
    **_all(_IN_PLACE, "resize_ resize_as_ zero_"),
    **_all(
        _MEMORY,
        "as_strided as_strided/partial_views as_strided_copy as_strided_scatter empty_like "
        "new_empty new_empty_strided empty_strided empty empty_permuted",
    ),
    **_all(_SPARSE, "sparse.sampled_addmm sparse.mm/reduce to_sparse"),
    **_all(
        _CUDA,
        "torch._scaled_mm_v2 torch._scaled_mm torch.ops.aten._flash_attention_forward "
        "torch.ops.aten._efficient_attention_forward jiterator_unary jiterator_binary "
        "jiterator_4inputs_with_extra_args jiterator_binary_return_by_ref "
        "jiterator_2inputs_2outputs",
    ),
    **_all(_BACKWARD, "max_pool2d_with_indices_backward native_dropout_backward"),
    **_all(
        _FOR_BACKWARD,
        "native_group_norm native_batch_norm _native_batch_norm_legit _batch_norm_with_update",
    ),
    **_all(
        _RESAMPLING,
        "nn.functional.interpolate/nearest nn.functional.interpolate/nearest-exact "
        "nn.functional.interpolate/linear nn.functional.interpolate/bilinear "
        "nn.functional.interpolate/bicubic nn.functional.interpolate/trilinear "
        "nn.functional.interpolate/area nn.functional.upsample_bilinear _upsample_bilinear2d_aa "
        "nn.functional.upsample_nearest nn.functional.grid_sample grid_sampler_2d "
        "grid_sampler_3d",
    ),
    **_all(
        _FACTORS,
        "geqrf lu_unpack lu lu_solve ormqr linalg.householder_product linalg.ldl_factor "
        "linalg.ldl_factor_ex linalg.ldl_solve linalg.lu_factor linalg.lu_factor_ex "
        "linalg.lu_solve",
    ),
    **_all(
        _POLYNOMIAL,
        "special.chebyshev_polynomial_t special.chebyshev_polynomial_u "
        "special.chebyshev_polynomial_v special.chebyshev_polynomial_w "
        "special.hermite_polynomial_h special.hermite_polynomial_he "
        "special.laguerre_polynomial_l special.legendre_polynomial_p "
        "special.shifted_chebyshev_polynomial_t special.shifted_chebyshev_polynomial_u "
        "special.shifted_chebyshev_polynomial_v special.shifted_chebyshev_polynomial_w",
    ),
    **_all(
        _SPECIAL,
        "igamma igammac special.zeta special.erfcx special.airy_ai special.modified_bessel_k0 "
        "special.modified_bessel_k1 special.scaled_modified_bessel_k0 "
        "special.scaled_modified_bessel_k1",
    ),
    **_all(
        _WINDOW,
        "signal.windows.hamming signal.windows.hann signal.windows.bartlett "
        "signal.windows.blackman signal.windows.cosine signal.windows.exponential "
        "signal.windows.gaussian signal.windows.kaiser signal.windows.general_cosine "
        "signal.windows.general_hamming signal.windows.nuttall",
    ),
    **_all(
        _UNPOOLING,
        "nn.functional.max_unpool1d nn.functional.max_unpool1d/grad nn.functional.max_unpool2d "
        "nn.functional.max_unpool2d/grad nn.functional.max_unpool3d "
        "nn.functional.max_unpool3d/grad",
    ),
    **_all(
        _NO_OP,
        "stft istft fft.hfft2 fft.hfftn fft.ihfft2 fft.ihfftn mode nn.functional.ctc_loss "
        "nn.functional.embedding_bag nn.functional.multi_head_attention_forward "
        "nn.functional.multilabel_margin_loss unique_consecutive nonzero_static "
        "hash_tensor masked.median _chunk_cat",
    ),
    "item": "it gives Python's number",
    "to": "its arguments are dtypes, devices and tensors in many orders; the casts are compared",
    "bfloat16": "NumPy has no such dtype",
    "chalf": "NumPy has no such dtype",
    "unravel_index": "it takes whole numbers alone",
}
