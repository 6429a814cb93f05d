"""Functions of PyTorch that are refused for tensors with units, and why."""

_QUANTIZED = "quantized numbers are steps of a scale of their own, which knows no unit"
_SPARSE = "sparse tensors are not supported yet"
_INTERNAL = "it is a part of PyTorch's own machinery"
_PACKED = "it packs numbers of several units into one tensor; use the unpacked form (linalg.lu, qr)"
_MEMORY = "it gives the memory away without the unit, or exchanges it under the unit's feet"
_NUMBERS = "it gives the bare numbers to a function of Python, without the unit"
_SYMBOLS = "it works on symbolic sizes, not on tensors"
_NESTED = "nested tensors are not supported yet"
_HASH = "a checksum of the numbers depends on the unit that they are written in"
_SEARCH = "its search has tolerances in the unit of the matrix, which it does not take"
_BINS = "every axis would need edges in a unit of its own; dimflow.histogramdd has them"
_MAKES = "it makes a tensor of numbers, in no unit or in whatever unit the other has"
_NAMES = "it was removed from PyTorch; only its name is left"

_BY_REASON: dict[str, str] = {
    _QUANTIZED: (
        "choose_qparams_optimized dequantize fake_quantize_per_channel_affine"
        " fake_quantize_per_tensor_affine fused_moving_avg_obs_fake_quant int_repr"
        " q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point"
        " qscheme quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic"
        " quantized_batch_norm quantized_gru_cell quantized_lstm_cell quantized_max_pool1d"
        " quantized_max_pool2d quantized_max_pool3d quantized_rnn_relu_cell"
        " quantized_rnn_tanh_cell fbgemm_linear_fp16_weight"
        " fbgemm_linear_fp16_weight_fp32_activation fbgemm_linear_int8_weight"
        " fbgemm_linear_int8_weight_fp32_activation fbgemm_linear_quantize_weight"
        " fbgemm_pack_gemm_matrix_fp16 fbgemm_pack_quantized_matrix"
    ),
    _SPARSE: (
        "_coalesced_ _dimI _dimV _indices _nnz _sparse_mask_projection _to_dense _values"
        " ccol_indices ccol_indices_copy coalesce col_indices col_indices_copy crow_indices"
        " crow_indices_copy dense_dim hspmm indices indices_copy is_coalesced row_indices"
        " row_indices_copy smm sparse_dim sparse_mask sparse_resize_ sparse_resize_and_clear_ spmm"
        " sspaddmm to_dense to_mkldnn to_sparse values values_copy resize_as_sparse_"
    ),
    _INTERNAL: (
        "batch_norm_backward_elemt batch_norm_backward_reduce batch_norm_elemt"
        " batch_norm_gather_stats batch_norm_gather_stats_with_counts batch_norm_stats"
        " batch_norm_update_stats miopen_batch_norm miopen_convolution"
        " miopen_convolution_add_relu miopen_convolution_relu miopen_convolution_transpose"
        " miopen_depthwise_convolution miopen_rnn _clear_non_serializable_cached_data"
        " _cdata.__get__ _grad.__get__ __array_wrap__ __setstate__ module_load autocast"
        " nn.functional._sym_int __cuda_array_interface__.__get__"
    ),
    _PACKED: (
        "geqrf lu lu_solve lu_unpack orgqr ormqr linalg.householder_product linalg.ldl_factor"
        " linalg.ldl_factor_ex linalg.ldl_solve linalg.lu_factor linalg.lu_factor_ex"
        " linalg.lu_solve"
    ),
    _MEMORY: ("resize resize_as resize_ resize_as_ set_ storage storage_type untyped_storage"),
    _NUMBERS: "apply_ map_ map2_",
    _SYMBOLS: "sym_float sym_ite sym_max sym_min sym_not sym_sqrt sym_sum",
    _NESTED: "_nested_tensor_size _nested_tensor_storage_offsets _nested_tensor_strides",
    _HASH: "hash_tensor",
    _SEARCH: "lobpcg",
    _BINS: "histogramdd",
    _MAKES: (
        "new_empty new_empty_strided new_full new_ones new_tensor new_zeros rand_like randint_like"
        " randn_like"
    ),
    _NAMES: "volatile.__get__",
}

REFUSED: dict[str, str] = {
    name: reason for reason, names in _BY_REASON.items() for name in names.split()
}
