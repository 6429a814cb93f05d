"""How hypothesis calls each function of the standard: arguments that array-api-strict may take."""

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dimflow.xp.signatures import SIGNATURES
from tests.xp.agreement import DTYPES, FLOATS, INTEGERS, dtypes

Call = tuple[list[Any], dict[str, Any]]
Draw = Callable[[Any], Any]

UNARY = [n for n, s in SIGNATURES[""].items() if s == "x, /" and "matrix" not in n]
BINARY = [n for n, s in SIGNATURES[""].items() if s == "x1, x2, /" and n != "matmul"]
_SHAPES = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
_WITH_AXES = hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=3)


def moderate(dtype: Any) -> st.SearchStrategy[Any]:
    """Numbers whose sums and products neither overflow nor cancel."""
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return st.booleans()
    if kind.kind in "iu":
        return st.integers(0, 5)
    parts = st.floats(-8, 8, width=32).map(lambda v: round(v, 1))
    return parts if kind.kind == "f" else st.builds(complex, parts, parts)


def any_value(dtype: Any) -> st.SearchStrategy[Any]:
    """Numbers with all that is special: infinities, nan, signed zeros, the ends of the range."""
    return hnp.from_dtype(np.dtype(dtype))


def numbers(draw: Draw, dtype: Any, shape: Any, elements: Any = moderate) -> Any:
    """An array."""
    return draw(hnp.arrays(np.dtype(dtype), shape, elements=elements(dtype)))


def _axis(draw: Draw, ndim: int, *, many: bool = True) -> Any:
    one = st.integers(-ndim, ndim - 1) if ndim else st.none()
    several = st.lists(st.integers(0, ndim - 1), unique=True, min_size=1).map(tuple)
    return draw(st.one_of(st.none(), one, several) if many and ndim else st.none() | one)


def unary(draw: Draw, path: str) -> Call:
    (dtype,) = draw(st.sampled_from(dtypes(path, 1)))
    few = path == "sign" and dtype.startswith("complex")  # theirs is 0 where the modulus overflows
    return [numbers(draw, dtype, _SHAPES, moderate if few else any_value)], {}


def binary(draw: Draw, path: str) -> Call:
    pair = draw(st.sampled_from(dtypes(path, 2)))
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3))
    few = path == "pow" or "shift" in path  # shifts past the width, huge powers: undefined
    elements = moderate if few else any_value
    return [
        numbers(draw, d, s, elements) for d, s in zip(pair, shapes.input_shapes, strict=True)
    ], {}


def reduction(draw: Draw, path: str) -> Call:
    x = numbers(draw, draw(st.sampled_from(dtypes(path, 1)))[0], _SHAPES)
    many = path not in ("argmax", "argmin")
    keywords = {"axis": _axis(draw, x.ndim, many=many), "keepdims": draw(st.booleans())}
    if path in ("std", "var"):
        keywords["correction"] = draw(st.sampled_from([0.0, 1, 1.5]))
    if path in ("sum", "prod") and x.dtype.kind in "iu":
        keywords["dtype"] = draw(st.sampled_from([None, np.dtype("int64"), np.dtype("float32")]))
    return [x], keywords


def scan(draw: Draw, path: str) -> Call:
    x = numbers(draw, draw(st.sampled_from([*INTEGERS, *FLOATS])), _WITH_AXES)
    axis = draw(st.integers(-x.ndim, x.ndim - 1))
    return [x], {"axis": axis, "include_initial": draw(st.booleans())}


def along_an_axis(draw: Draw, path: str) -> Call:
    names = (*INTEGERS, "float32", "float64") if "sort" in path else DTYPES
    x = numbers(draw, draw(st.sampled_from(names)), _WITH_AXES)
    axis = draw(st.integers(-x.ndim, x.ndim - 1))
    extra: dict[str, Any] = {}
    if "sort" in path:
        extra = {"descending": draw(st.booleans()), "stable": True}
    return [x], {"axis": axis, **extra}


def joined(draw: Draw, path: str) -> Call:
    kinds = draw(st.sampled_from([("bool",), INTEGERS[:4], INTEGERS[4:], FLOATS[:2], FLOATS[2:]]))
    shape = draw(_WITH_AXES)
    count = draw(st.integers(1, 3))
    arrays = [numbers(draw, draw(st.sampled_from(kinds)), shape) for _ in range(count)]
    if path == "meshgrid":
        lines = [a.reshape(-1)[:3].astype(arrays[0].dtype) for a in arrays]
        return lines, {"indexing": draw(st.sampled_from(["xy", "ij"]))}
    if path == "broadcast_arrays":
        return arrays, {}
    axes = st.integers(-len(shape), len(shape) - 1)
    return [arrays], {"axis": draw(axes | st.none() if path == "concat" else axes)}


def shaped(draw: Draw, path: str) -> Call:
    x = numbers(draw, draw(st.sampled_from(DTYPES)), _SHAPES)
    order = draw(st.permutations(range(x.ndim)))
    axis = draw(st.integers(-x.ndim - 1, x.ndim))
    calls: dict[str, Call] = {
        "broadcast_to": ([x, (2, *x.shape)], {}),
        "expand_dims": ([x], {"axis": axis}),
        "flip": ([x], {"axis": _axis(draw, x.ndim)}),
        "moveaxis": ([x[None, None], 0, -1], {}),
        "permute_dims": ([x, tuple(order)], {}),
        "repeat": ([x, draw(st.integers(0, 3))], {"axis": _axis(draw, x.ndim, many=False)}),
        "reshape": ([x, (x.size,)], {"copy": draw(st.sampled_from([None, True]))}),
        "roll": ([x, draw(st.integers(-4, 4))], {"axis": _axis(draw, x.ndim, many=False)}),
        "squeeze": ([x[None, ..., None]], {"axis": draw(st.sampled_from([0, -1, (0, -1)]))}),
        "tile": ([x, tuple(draw(st.lists(st.integers(0, 2), max_size=3)))], {}),
        "tril": ([x[None, None]], {"k": draw(st.integers(-3, 3))}),
        "triu": ([x[None, None]], {"k": draw(st.integers(-3, 3))}),
        "matrix_transpose": ([x[None, None]], {}),
        "nonzero": ([x], {}),
        "full_like": ([x, draw(moderate(x.dtype))], {}),
        "ones_like": ([x], {}),
        "zeros_like": ([x], {"dtype": np.dtype(draw(st.sampled_from(DTYPES)))}),
        "astype": ([np.asarray(abs(x)), np.dtype(draw(st.sampled_from(DTYPES[:-2])))], {}),
    }
    return calls[path]


def chosen(draw: Draw, path: str) -> Call:
    """Functions that choose among elements."""
    dtype = draw(st.sampled_from([*INTEGERS, "float32", "float64"]))
    if path == "isin":  # equality of whole numbers is all that the standard speaks of
        dtype = draw(st.sampled_from(INTEGERS))
    x = numbers(draw, dtype, hnp.array_shapes(min_dims=1, max_dims=2, min_side=1, max_side=4))
    mask = numbers(draw, "bool", x.shape)
    axis = draw(st.integers(-x.ndim, x.ndim - 1))
    places = draw(st.lists(st.integers(0, x.shape[axis] - 1), max_size=4))
    line = np.sort(x.reshape(-1))
    bounds = [draw(st.none() | st.integers(0, 3)), draw(st.none() | st.integers(3, 6))]
    calls: dict[str, Call] = {
        "where": ([mask, x, x[::-1].copy()], {}),
        "take": ([x, np.asarray(places, np.int64)], {"axis": axis}),
        "take_along_axis": ([x, np.argsort(x, axis=axis)], {"axis": axis}),
        "searchsorted": ([line, x], {"side": draw(st.sampled_from(["left", "right"]))}),
        "isin": ([x, line[::2].copy()], {}),  # array-api-strict forgets `invert`
        "clip": ([x, *bounds], {}),
        "diff": ([x], {"axis": axis, "n": draw(st.integers(0, 2))}),
        "count_nonzero": ([x], {"axis": _axis(draw, x.ndim), "keepdims": draw(st.booleans())}),
    }
    return calls[path]


def _matrices(draw: Draw, dtype: str, rows: int, columns: int) -> Any:
    batch = draw(hnp.array_shapes(min_dims=0, max_dims=1, min_side=0, max_side=2))
    return numbers(draw, dtype, (*batch, rows, columns))


def contraction(draw: Draw, path: str) -> Call:
    kinds = draw(st.sampled_from([INTEGERS[:4], INTEGERS[4:], FLOATS[:2], FLOATS[2:]]))
    first, second = (draw(st.sampled_from(kinds)) for _ in range(2))
    n, m, k = (draw(st.integers(1, 3)) for _ in range(3))
    a, b = numbers(draw, first, (2, n, m)), numbers(draw, second, (2, n, m))
    calls: dict[str, Call] = {
        "matmul": ([a, numbers(draw, second, (m, k))], {}),
        "tensordot": ([a, b], {"axes": draw(st.sampled_from([0, 3, ([0, 1], [0, 1])]))}),
        "vecdot": ([a, b], {"axis": draw(st.sampled_from([-1, -2, -3]))}),
        "linalg.outer": ([a.reshape(-1), b.reshape(-1)], {}),
        "linalg.cross": (
            [numbers(draw, first, (2, 3)), numbers(draw, second, (2, 3))],
            {"axis": -1},
        ),
    }
    return calls[path]


def of_matrices(draw: Draw, path: str) -> Call:
    """Functions of stacks of matrices: well-conditioned ones, where that matters."""
    name = path.removeprefix("linalg.")
    dtype = draw(st.sampled_from(FLOATS))
    n = draw(st.integers(1, 3))
    square = _matrices(draw, dtype, n, n) / 16 + 4 * np.eye(n, dtype=dtype)
    hermitian = square + np.conj(square.swapaxes(-1, -2))
    wide = _matrices(draw, dtype, n, draw(st.integers(1, 3)))
    keepdims = draw(st.booleans())
    order = draw(st.sampled_from(["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf]))
    power = draw(st.sampled_from([0, 0.5, 1, 2, 3, -1, np.inf, -np.inf]))
    calls: dict[str, Call] = {
        "cholesky": ([hermitian], {"upper": draw(st.booleans())}),
        "det": ([square], {}),
        "diagonal": ([wide], {"offset": draw(st.integers(-2, 2))}),
        "eigvalsh": ([hermitian], {}),
        "inv": ([square], {}),
        "matrix_norm": ([wide], {"keepdims": keepdims, "ord": order}),
        "matrix_power": ([square, draw(st.integers(-2, 3))], {}),
        "matrix_rank": ([square], {}),
        "pinv": ([square], {}),
        "slogdet": ([square], {}),
        "solve": ([square, numbers(draw, dtype, (n, 2))], {}),
        "svdvals": ([wide], {}),
        "trace": ([wide], {"offset": draw(st.integers(-2, 2))}),
        "vector_norm": ([wide], {"axis": _axis(draw, 2), "keepdims": keepdims, "ord": power}),
    }
    return calls[name]


def transformed(draw: Draw, path: str) -> Call:
    name = path.removeprefix("fft.")
    real = name in ("rfft", "rfftn", "ihfft")
    dtype = draw(st.sampled_from(FLOATS[:2] if real else FLOATS[2:]))
    x = numbers(draw, dtype, hnp.array_shapes(min_dims=1, max_dims=2, min_side=2, max_side=5))
    if "shift" in name:
        return [x], {"axes": draw(st.sampled_from([None, 0, (0,)]))}
    norm = draw(st.sampled_from(["backward", "ortho", "forward"]))
    if name.endswith("n"):
        return [x], {"axes": draw(st.sampled_from([None, (0,), (-1,)])), "norm": norm}
    size = draw(st.none() | st.integers(2, 6))
    return [x], {"n": size, "axis": draw(st.integers(-x.ndim, x.ndim - 1)), "norm": norm}


def _each(recipe: Callable[[Draw, str], Call], names: str, module: str = "") -> dict[str, Any]:
    return {module + name: recipe for name in names.split()}


RECIPES: dict[str, Callable[[Draw, str], Call]] = {
    **dict.fromkeys(UNARY, unary),
    **dict.fromkeys(BINARY, binary),
    **_each(reduction, "all any argmax argmin max mean min prod std sum var"),
    **_each(scan, "cumulative_sum cumulative_prod"),
    **_each(along_an_axis, "sort argsort unstack"),
    **_each(joined, "concat stack broadcast_arrays meshgrid"),
    **_each(
        shaped,
        "broadcast_to expand_dims flip moveaxis permute_dims repeat reshape roll squeeze tile tril "
        "triu matrix_transpose nonzero full_like ones_like zeros_like astype",
    ),
    **_each(chosen, "where take take_along_axis searchsorted isin clip diff count_nonzero"),
    **_each(contraction, "matmul tensordot vecdot linalg.outer linalg.cross"),
    **_each(
        of_matrices,
        "cholesky det diagonal eigvalsh inv matrix_norm matrix_power matrix_rank pinv slogdet "
        "solve svdvals trace vector_norm",
        "linalg.",
    ),
    **_each(
        transformed,
        "fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fftshift ifftshift",
        "fft.",
    ),
}
# Results that are not unique: they are tested by what they must fulfil.
NOT_UNIQUE = {
    "linalg.eig",
    "linalg.eigvals",
    "linalg.eigh",
    "linalg.qr",
    "linalg.svd",
    "unique_all",
    "unique_inverse",
    "empty_like",
}
NOT_UNIQUE |= {"unique_counts", "unique_values"}
