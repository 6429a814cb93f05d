"""The standard's signatures: how code written to it calls each function that the table runs.

`name(signature)`, one to a line. A parameter after the arrays has the name that the op gives it, or
`standard:op` where the two differ.
"""

_X = (
    "abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag "
    "isfinite isinf isnan log log10 log1p log2 logical_not matrix_transpose negative "
    "positive real reciprocal round sign signbit sin sinh sqrt square tan tanh trunc unique_all "
    "unique_counts unique_inverse unique_values"
)
_X1_X2 = (
    "add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign "
    "divide equal floor_divide greater greater_equal hypot less less_equal logaddexp logical_and "
    "logical_or logical_xor matmul maximum minimum multiply nextafter not_equal pow remainder "
    "subtract"
)
_OTHERS = """
all(x, /, *, axis=None, keepdims=False)
any(x, /, *, axis=None, keepdims=False)
argmax(x, /, *, axis=None, keepdims=False)
argmin(x, /, *, axis=None, keepdims=False)
argsort(x, /, *, axis=-1, descending=False, stable=True)
broadcast_arrays(*arrays)
broadcast_to(x, /, shape)
clip(x, /, min=None, max=None)
concat(arrays, /, *, axis=0)
count_nonzero(x, /, *, axis=None, keepdims=False)
cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False)
cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False)
diff(x, /, *, axis=-1, n=1, prepend=None, append=None)
expand_dims(x, /, axis=0)
flip(x, /, *, axis=None)
isin(x1, x2, /, *, invert=False)
max(x, /, *, axis=None, keepdims=False)
mean(x, /, *, axis=None, keepdims=False)
meshgrid(*arrays, indexing="xy")
min(x, /, *, axis=None, keepdims=False)
moveaxis(x, source, destination, /)
permute_dims(x, /, axes)
prod(x, /, *, axis=None, dtype=None, keepdims=False)
roll(x, /, shift, *, axis=None)
searchsorted(x1, x2, /, *, side="left", sorter=None)
sort(x, /, *, axis=-1, descending=False, stable=True)
squeeze(x, /, axis)
stack(arrays, /, *, axis=0)
std(x, /, *, axis=None, correction:ddof=0.0, keepdims=False)
sum(x, /, *, axis=None, dtype=None, keepdims=False)
take(x, indices, /, *, axis=None)
take_along_axis(x, indices, /, *, axis=-1)
tensordot(x1, x2, /, *, axes=2)
tile(x, repetitions, /)
tril(x, /, *, k=0)
triu(x, /, *, k=0)
unstack(x, /, *, axis=0)
var(x, /, *, axis=None, correction:ddof=0.0, keepdims=False)
vecdot(x1, x2, /, *, axis=-1)
where(condition, x1, x2, /)
"""
_LINALG = """
cholesky(x, /, *, upper=False)
det(x, /)
eigh(x, /)
eigvalsh(x, /)
inv(x, /)
matmul(x1, x2, /)
matrix_norm(x, /, *, keepdims=False, ord="fro")
matrix_power(x, n, /)
matrix_rank(x, /, *, rtol=None)
matrix_transpose(x, /)
outer(x1, x2, /)
pinv(x, /, *, rtol:rcond=None)
qr(x, /, *, mode="reduced")
slogdet(x, /)
solve(x1, x2, /)
svd(x, /, *, full_matrices=True)
svdvals(x, /)
tensordot(x1, x2, /, *, axes=2)
vecdot(x1, x2, /, *, axis=-1)
vector_norm(x, /, *, axis=None, keepdims=False, ord=2)
"""
_ONE_AXIS = "fft ifft rfft irfft hfft ihfft"
_MANY_AXES = "fftn ifftn rfftn irfftn"
_FFT = """
fftshift(x, /, *, axes=None)
ifftshift(x, /, *, axes=None)
"""


def _read(text: str) -> dict[str, str]:
    lines = (line.partition("(") for line in text.splitlines() if line)
    return {name: rest.removesuffix(")") for name, _, rest in lines}


def _each(names: str, signature: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), signature)


# By module ("" is the namespace itself) and name.
SIGNATURES: dict[str, dict[str, str]] = {
    "": {**_each(_X, "x, /"), **_each(_X1_X2, "x1, x2, /"), **_read(_OTHERS)},
    "linalg": _read(_LINALG),
    "fft": {
        **_each(_ONE_AXIS, 'x, /, *, n=None, axis=-1, norm="backward"'),
        **_each(_MANY_AXES, 'x, /, *, s=None, axes=None, norm="backward"'),
        **_read(_FFT),
    },
}
