"""Functions that HIPS autograd and we share by NumPy's name: how each is called at random."""

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dimflow import ops

Drawn = tuple[tuple[Any, ...], dict[str, Any]]
Calls = st.SearchStrategy[Drawn]
CALLS: dict[str, Calls] = {}

SHAPES = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
FULL = hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=3)
MATRICES = st.tuples(st.integers(1, 3), st.integers(1, 3))
Composite = Callable[..., Any]


def numbers(draw: Any, shape: Any, low: float = -2.0, high: float = 2.0) -> Any:
    """Random numbers from a drawn seed; all distinct, as ties are nobody's law."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return rng.uniform(low, high, shape)


def _enter(names: str, calls: Calls) -> None:
    CALLS.update(dict.fromkeys(names.split(), calls))


@st.composite
def _unary(draw: Any, low: float = -2.0, high: float = 2.0) -> Drawn:
    return (numbers(draw, draw(SHAPES), low, high),), {}


_enter(
    "absolute arctan arcsinh cos cosh deg2rad degrees exp exp2 expm1 fabs negative rad2deg radians "
    "sin sinc sinh square tan tanh real imag conjugate angle ravel atleast_1d atleast_2d "
    "atleast_3d",
    _unary(),
)
_enter("log log10 log1p log2 reciprocal sqrt", _unary(0.2, 3.0))
_enter("arccos arcsin arctanh", _unary(-0.9, 0.9))
_enter("arccosh", _unary(1.1, 3.0))


@st.composite
def _binary(draw: Any, low: float = -2.0, high: float = 2.0) -> Drawn:
    found = draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3))
    return tuple(numbers(draw, shape, low, high) for shape in found.input_shapes), {}


_enter("add subtract multiply maximum minimum fmax fmin logaddexp logaddexp2", _binary())
_enter("divide arctan2 hypot power remainder", _binary(0.3, 2.0))


@st.composite
def _where(draw: Any) -> Drawn:
    """HIPS gives a stretched argument the gradient of another shape than its own."""
    shape = draw(SHAPES)
    return (numbers(draw, shape) > 0, numbers(draw, shape), numbers(draw, shape)), {}


_enter("where", _where())


@st.composite
def _reduced(draw: Any, shapes: Any = FULL) -> Drawn:
    shape = draw(shapes)
    axes = st.none() | st.integers(-len(shape), len(shape) - 1)
    if len(shape) > 1:
        axes |= hnp.valid_tuple_axes(len(shape), min_size=1)
    return (numbers(draw, shape, 0.3, 2.0),), {"axis": draw(axes), "keepdims": draw(st.booleans())}


_enter(
    "sum mean prod max min var std",
    _reduced(),
)


@st.composite
def _along(draw: Any, **fields: Any) -> Drawn:
    shape = draw(FULL)
    return (numbers(draw, shape),), {
        "axis": draw(st.integers(-len(shape), len(shape) - 1)),
        **fields,
    }


_enter("cumsum expand_dims", _along())
CALLS["diff"] = _along(n=1)


@st.composite
def _matrix(draw: Any, **fields: Any) -> Drawn:
    return (numbers(draw, draw(MATRICES)),), fields


_enter("flipud fliplr trace", _matrix())
CALLS["tril"] = CALLS["triu"] = _matrix(k=1)
CALLS["rot90"] = _matrix(k=3)
CALLS["swapaxes"] = _matrix(axis1=0, axis2=1)
CALLS["moveaxis"] = _matrix(source=0, destination=-1)
CALLS["rollaxis"] = _matrix(axis=1)
CALLS["roll"] = _matrix(shift=2, axis=1)
CALLS["reshape"] = _matrix(shape=(-1,))
CALLS["tile"] = _matrix(reps=(2, 3))
CALLS["repeat"] = _matrix(repeats=2, axis=0)
CALLS["transpose"] = _matrix(axes=(1, 0))
CALLS["pad"] = _matrix(pad_width=((1, 2), (0, 1)), mode="constant")


@st.composite
def _with(draw: Any, shape: Any, *others: Any) -> Drawn:
    """An array and what HIPS takes by position alone."""
    return (numbers(draw, draw(shape)), *others), {}


_SQUARE = st.integers(1, 3).map(lambda n: (n, n))
CALLS["array_split"] = _with(MATRICES, 2)
CALLS["split"] = CALLS["vsplit"] = CALLS["hsplit"] = _with(MATRICES, [1])
CALLS["dsplit"] = _with(st.just((2, 1, 3)), [1, 2])
CALLS["clip"] = _with(SHAPES, -0.5, 0.7)
CALLS["diagonal"] = _with(_SQUARE, 0, -1, -2)
CALLS["diag"] = _with(_SQUARE | st.tuples(st.integers(1, 3)))
CALLS["sort"] = _with(st.tuples(st.integers(1, 5)))
CALLS["partition"] = _with(st.tuples(st.integers(2, 5)), 1)
CALLS["gradient"] = _with(st.tuples(st.integers(4, 7)))
CALLS["broadcast_to"] = _with(st.sampled_from([(1, 3, 2), (4, 1, 1), (1, 1, 1)]), (4, 3, 2))
CALLS["fft.rfft"] = _with(st.sampled_from([(2,), (4,), (3, 6), (0, 2)]))
CALLS["std"] = _reduced(hnp.array_shapes(min_dims=1, max_dims=3, min_side=2, max_side=3))


@st.composite
def _squeeze(draw: Any) -> Drawn:
    return (numbers(draw, (1, draw(st.integers(0, 3)), 1)),), {
        "axis": draw(st.sampled_from([0, 2]))
    }


CALLS["squeeze"] = _squeeze()


# Products


@st.composite
def _products(draw: Any, vectors: bool = True) -> Drawn:
    m, k, n = (draw(st.integers(1, 3)) for _ in range(3))
    lefts = [(m, k), (2, m, k)] + ([(k,)] if vectors else [])
    rights = [(k, n), (2, k, n)] + ([(k,)] if vectors else [])
    left, right = draw(st.sampled_from(lefts)), draw(st.sampled_from(rights))
    return (numbers(draw, left), numbers(draw, right)), {}


_enter("matmul dot", _products())


@st.composite
def _pairs(draw: Any, shapes: Any) -> Drawn:
    left, right = draw(shapes)
    return (numbers(draw, left), numbers(draw, right)), {}


_LINES = st.tuples(st.integers(1, 3)).map(lambda shape: (shape, shape))
_TWO = st.tuples(st.integers(1, 3), st.integers(1, 3))
_enter("inner", _pairs(_TWO.map(lambda s: ((2, s[0]), (s[1], s[0])))))
_enter("outer", _pairs(_TWO.map(lambda s: ((s[0],), (s[1],)))))
_enter("kron", _pairs(_TWO.map(lambda s: ((2, s[0]), (s[1], 2)))))
_enter("cross", _pairs(st.just(((2, 3), (2, 3)))))


@st.composite
def _tensordot(draw: Any) -> Drawn:
    a, b = draw(_TWO)
    return (numbers(draw, (2, a, b)), numbers(draw, (a, b, 3))), {
        "axes": draw(st.sampled_from([2]))
    }


CALLS["tensordot"] = _tensordot()


@st.composite
def _einsum(draw: Any) -> Drawn:
    i, j = draw(_TWO)
    text = draw(st.sampled_from(["ij,jk->ik", "ij,jk->i", "ij,jk", "ij,jk->kji", "...j,jk->...k"]))
    return (text, numbers(draw, (i, j)), numbers(draw, (j, 2))), {}


CALLS["einsum"] = _einsum()


# Linear algebra and Fourier transforms


@st.composite
def _square(draw: Any) -> Drawn:
    n = draw(st.integers(1, 3))
    lead = draw(st.sampled_from([(), (2,)]))
    x = numbers(draw, (*lead, n, n), -0.3, 0.3) + np.diag(np.arange(1.0, n + 1))
    return (x,), {}


_enter("linalg.inv linalg.det", _square())


@st.composite
def _solve(draw: Any) -> Drawn:
    (x,), _ = draw(_square())
    return (x, numbers(draw, (*x.shape[:-1], 2))), {}


CALLS["linalg.solve"] = _solve()


@st.composite
def _line(draw: Any) -> Drawn:
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=2, min_side=2, max_side=5))
    axis = draw(st.integers(-len(shape), len(shape) - 1))
    norm = draw(st.sampled_from([None, "ortho"]))
    return (numbers(draw, shape),), {"axis": axis, "norm": norm}


@st.composite
def _space(draw: Any) -> Drawn:
    shape = draw(hnp.array_shapes(min_dims=2, max_dims=3, min_side=2, max_side=4))
    return (numbers(draw, shape),), {"norm": draw(st.sampled_from([None, "ortho"]))}


@st.composite
def _complex(draw: Any, calls: Any) -> Drawn:
    (x,), fields = draw(calls)
    return (x + 1j * numbers(draw, x.shape),), fields


_enter("fft.fft fft.ifft", _line() | _complex(_line()))
_enter("fft.fft2 fft.ifft2 fft.fftn fft.ifftn", _space() | _complex(_space()))
_enter("fft.fftshift fft.ifftshift", _matrix())


# How ours is called where NumPy's function has another name or form; the name of the op otherwise.
def _variadic(name: str) -> Any:
    op = ops.get(name)
    return lambda *arrays, **fields: op(list(arrays), **fields)


def ours(name: str) -> Any:
    """Our function of NumPy's name."""
    return OURS.get(name) or _BY_NUMPY[name]


_BY_NUMPY = {op.hosts.numpy: op for op in ops.TABLE.values() if op.hosts.numpy}
OURS: dict[str, Any] = {
    "transpose": ops.permute_dims,
    "power": ops.pow,
    "cumsum": ops.cumulative_sum,
}

# Shared names that are not compared.
_FREE = "vectors are free in phase; eigenvalues and singular values are compared with PyTorch's"
UNCOMPARED: dict[str, str] = {
    "linalg.cholesky": "HIPS spreads the gradient over both triangles; ours is of the one read",
    "linalg.slogdet": "HIPS has one rule for both results, which does not take one alone",
    "linalg.eig": _FREE,
    "linalg.eigh": _FREE,
    "linalg.svd": _FREE,
    "linalg.pinv": "HIPS has a rule for one matrix of full rank alone; PyTorch's samples are here",
    "fft.irfft": "HIPS weighs the first and last element as if the input were all of the spectrum",
    "fft.irfft2": "the same",
    "fft.irfftn": "the same",
    "fft.rfft2": "HIPS refuses lengths that are not even",
    "fft.rfftn": "HIPS refuses lengths that are not even",
}
