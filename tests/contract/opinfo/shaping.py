"""PyTorch's functions of shape, joining and splitting by our ops."""

from math import prod
from typing import Any

import numpy as np

from dimflow import ops
from tests.contract.opinfo.registry import adapts, enter_direct

enter_direct(
    {
        "fliplr": "fliplr",
        "flipud": "flipud",
        "mT": "matrix_transpose",
        "ravel": "ravel",
    }
)


def lengths(size: tuple[Any, ...]) -> tuple[int, ...]:
    """A shape that is given as one tuple or as several numbers."""
    return tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else tuple(size)


@adapts("reshape", "view", "view_copy")
def _reshape(input: Any, *shape: Any) -> Any:
    return ops.reshape(input, shape=lengths(shape))


@adapts("reshape_as", "view_as")
def _reshape_as(input: Any, other: Any) -> Any:
    return ops.reshape(input, shape=tuple(other.shape))


@adapts("flatten")
def _flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    shape = tuple(input.shape) or (1,)
    start, end = start_dim % len(shape), end_dim % len(shape)
    merged = prod(shape[start : end + 1])
    return ops.reshape(input, shape=(*shape[:start], merged, *shape[end + 1 :]))


@adapts("unflatten")
def _unflatten(input: Any, dim: int, sizes: Any) -> Any:
    shape = tuple(input.shape)
    dim %= len(shape)
    return ops.reshape(input, shape=(*shape[:dim], *sizes, *shape[dim + 1 :]))


@adapts("permute", "permute_copy")
def _permute(input: Any, *dims: Any) -> Any:
    return ops.permute_dims(input, axes=lengths(dims))


@adapts("transpose", "transpose_copy")
def _transpose(input: Any, dim0: int, dim1: int) -> Any:
    return ops.swapaxes(input, axis1=dim0, axis2=dim1) if input.shape else input


@adapts("T", "t", "t_copy")
def _reversed(input: Any) -> Any:
    return ops.permute_dims(input)


@adapts("H")
def _adjoint(input: Any) -> Any:
    return ops.conj(ops.permute_dims(input))


@adapts("mH")
def _matrix_adjoint(input: Any) -> Any:
    return ops.conj(ops.matrix_transpose(input))


@adapts("movedim")
def _movedim(input: Any, source: Any, destination: Any) -> Any:
    return ops.moveaxis(input, source=source, destination=destination)


@adapts("broadcast_to", "expand", "expand_copy")
def _expand(input: Any, *size: Any) -> Any:
    shape = lengths(size)
    extra = len(shape) - len(input.shape)
    known = [input.shape[i - extra] if n == -1 else n for i, n in enumerate(shape)]
    return ops.broadcast_to(input, shape=tuple(known))


@adapts("expand_as")
def _expand_as(input: Any, other: Any) -> Any:
    return ops.broadcast_to(input, shape=tuple(other.shape))


@adapts("broadcast_tensors")
def _broadcast_tensors(*tensors: Any) -> Any:
    return tuple(ops.broadcast_arrays(*tensors))


@adapts("squeeze", "squeeze/multiple", "squeeze_copy")
def _squeeze(input: Any, dim: Any = None) -> Any:
    """PyTorch leaves an axis alone that is not of length 1; ours refuses it."""
    if dim is None:
        return ops.squeeze(input)
    rank = len(input.shape)
    if not rank:
        return ops.copy(input)
    axes = (dim,) if isinstance(dim, int) else dim
    return ops.squeeze(input, axis=tuple(a % rank for a in axes if input.shape[a] == 1))


@adapts("unsqueeze", "unsqueeze_copy")
def _unsqueeze(input: Any, dim: int) -> Any:
    return ops.expand_dims(input, axis=dim)


@adapts("flip")
def _flip(input: Any, dims: Any) -> Any:
    return ops.flip(input, axis=tuple(dims))


@adapts("roll")
def _roll(input: Any, shifts: Any, dims: Any = None) -> Any:
    if dims is None or (isinstance(dims, tuple) and not dims):
        return ops.roll(input, shift=shifts)
    return ops.roll(input, shift=shifts, axis=dims)


@adapts("rot90")
def _rot90(input: Any, k: int = 1, dims: Any = (0, 1)) -> Any:
    return ops.rot90(input, k=k, axes=tuple(dims))


@adapts("tile")
def _tile(input: Any, *reps: Any) -> Any:
    return ops.tile(input, reps=lengths(reps))


@adapts("repeat")
def _repeat(input: Any, *repeats: Any) -> Any:
    return ops.tile(input, reps=lengths(repeats))


@adapts("repeat_interleave")
def _repeat_interleave(
    input: Any, repeats: Any = None, dim: Any = None, *, output_size: Any = None
) -> Any:
    return ops.repeat(input, repeats=repeats, axis=dim)


def _each(op: Any) -> Any:
    """PyTorch takes one array, several, or a list of them."""

    def call(*tensors: Any) -> Any:
        if len(tensors) == 1 and not isinstance(tensors[0], (list, tuple)):
            return op(tensors[0])
        many = tensors[0] if len(tensors) == 1 else tensors
        return tuple(op(t) for t in many)

    return call


for _name in ("atleast_1d", "atleast_2d", "atleast_3d"):
    adapts(_name)(_each(ops.get(_name)))


# Joining and splitting


@adapts("cat")
def _cat(tensors: Any, dim: int = 0) -> Any:
    return ops.concat(list(tensors), axis=dim)


@adapts("stack")
def _stack(tensors: Any, dim: int = 0) -> Any:
    return ops.stack(list(tensors), axis=dim)


for _name in ("hstack", "vstack", "dstack", "column_stack"):
    adapts(_name)(lambda tensors, name=_name: ops.get(name)(list(tensors)))


def _listed(parts: Any) -> Any:
    return tuple(parts)


@adapts("chunk", "unsafe_chunk")
def _chunk(input: Any, chunks: int, dim: int = 0) -> Any:
    n = input.shape[dim]
    size = max(1, -(-n // chunks))
    return _listed(ops.split(input, list(range(size, n, size)), axis=dim))


@adapts("split", "split/list_args", "unsafe_split")
def _split(input: Any, split_size_or_sections: Any, dim: int = 0) -> Any:
    if not isinstance(split_size_or_sections, int):
        return _split_with_sizes(input, split_size_or_sections, dim)
    places = list(range(split_size_or_sections, input.shape[dim], split_size_or_sections))
    return _listed(ops.split(input, places, axis=dim))


@adapts("split_with_sizes", "split_with_sizes_copy")
def _split_with_sizes(input: Any, split_sizes: Any, dim: int = 0) -> Any:
    places = np.cumsum(split_sizes)[:-1].tolist()
    return _listed(ops.split(input, places, axis=dim))


@adapts("tensor_split")
def _tensor_split(input: Any, indices_or_sections: Any, dim: int = 0) -> Any:
    return _listed(ops.array_split(input, _places(indices_or_sections), axis=dim))


def _places(given: Any) -> Any:
    return np.asarray(given).tolist() if hasattr(given, "shape") else given


def _split_along(name: str) -> Any:
    op = ops.get(name)
    return lambda input, indices_or_sections: _listed(op(input, _places(indices_or_sections)))


for _name in ("hsplit", "vsplit", "dsplit"):
    adapts(_name)(_split_along(_name))


@adapts("unbind", "unbind_copy")
def _unbind(input: Any, dim: int = 0) -> Any:
    return _listed(ops.unstack(input, axis=dim))


@adapts("meshgrid/variadic_tensors")
def _meshgrid(*tensors: Any, indexing: str = "ij") -> Any:
    return _listed(ops.meshgrid(*[ops.atleast_1d(t) for t in tensors], indexing=indexing))


@adapts("meshgrid/list_of_tensors")
def _meshgrid_of_list(tensors: Any, indexing: str = "ij") -> Any:
    return _meshgrid(*tensors, indexing=indexing)


@adapts("cartesian_prod")
def _cartesian_prod(*tensors: Any) -> Any:
    if len(tensors) == 1:
        return ops.copy(tensors[0])
    grids = ops.meshgrid(*tensors, indexing="ij")
    return ops.stack([ops.ravel(g) for g in grids], axis=-1)


@adapts("block_diag")
def _block_diag(*tensors: Any) -> Any:
    blocks = [ops.atleast_2d(t) for t in tensors]
    width = sum(b.shape[1] for b in blocks)
    rows, left = [], 0
    for block in blocks:
        right = width - left - block.shape[1]
        rows.append(ops.pad_constant(block, pad_width=((0, 0), (left, right))))
        left += block.shape[1]
    return ops.concat(rows, axis=0)


# Triangles and diagonals


@adapts("tril")
def _tril(input: Any, diagonal: int = 0) -> Any:
    return ops.tril(input, k=diagonal)


@adapts("triu")
def _triu(input: Any, diagonal: int = 0) -> Any:
    return ops.triu(input, k=diagonal)


@adapts("diag")
def _diag(input: Any, diagonal: int = 0) -> Any:
    return ops.diag(input, k=diagonal)


@adapts("diagflat")
def _diagflat(input: Any, offset: int = 0) -> Any:
    return ops.diagflat(input, k=offset)


@adapts("diagonal", "diagonal_copy")
def _diagonal(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    return ops.diagonal(input, offset=offset, axis1=dim1, axis2=dim2)


@adapts("linalg.diagonal")
def _linalg_diagonal(A: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    return ops.diagonal(A, offset=offset, axis1=dim1, axis2=dim2)


@adapts("diag_embed")
def _diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """A product with rows of the unit matrix, moved to its axes."""
    n = input.shape[-1]
    rows = np.arange(n) + max(-offset, 0)
    columns = np.arange(n) + max(offset, 0)
    size = n + abs(offset)
    zeros = ops.zeros_like(input, shape=(*input.shape[:-1], size, size))
    whole = ops.at_set(zeros, (..., rows, columns), input)
    return ops.moveaxis(whole, source=(-2, -1), destination=(dim1, dim2))


@adapts("diagonal_scatter")
def _diagonal_scatter(input: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    front = ops.moveaxis(input, source=(dim1, dim2), destination=(-2, -1))
    n = src.shape[-1]
    rows, columns = np.arange(n) + max(-offset, 0), np.arange(n) + max(offset, 0)
    whole = ops.at_set(front, (..., rows, columns), src)
    return ops.moveaxis(whole, source=(-2, -1), destination=(dim1, dim2))


# Padding and windows


def pad_pairs(pad: Any, rank: int) -> list[tuple[int, int]]:
    """PyTorch's flat list, from the last axis back, as a pair for each axis."""
    pairs = [(pad[i], pad[i + 1]) for i in range(0, len(pad), 2)][::-1]
    return [(0, 0)] * (rank - len(pairs)) + pairs


def cut_and_grow(x: Any, pairs: Any, **fields: Any) -> Any:
    """Padding whose negative numbers cut."""
    key = tuple(slice(max(-a, 0), n - max(-b, 0)) for n, (a, b) in zip(x.shape, pairs, strict=True))
    if any(min(p) < 0 for p in pairs):
        x = x[key]
    grown = [(max(a, 0), max(b, 0)) for a, b in pairs]
    return ops.pad(x, grown, **fields)


@adapts("constant_pad_nd")
def _constant_pad_nd(input: Any, pad: Any, value: Any = 0) -> Any:
    return cut_and_grow(input, pad_pairs(pad, len(input.shape)), constant_values=value)


_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@adapts(
    "nn.functional.pad/constant",
    "nn.functional.pad/reflect",
    "nn.functional.pad/replicate",
    "nn.functional.pad/replicate_negative",
    "nn.functional.pad/circular",
)
def _pad(input: Any, pad: Any, mode: str = "constant", value: Any = None) -> Any:
    pairs = pad_pairs(pad, len(input.shape))
    if mode == "constant":
        return cut_and_grow(input, pairs, constant_values=0 if value is None else value)
    return cut_and_grow(input, pairs, mode=_MODES[mode])


@adapts("unfold", "unfold_copy")
def _unfold(input: Any, dimension: int, size: int, step: int) -> Any:
    if not input.shape:
        return ops.reshape(input, shape=(size,))
    moved = ops.moveaxis(input, source=dimension, destination=-1)
    windows = ops.sliding_windows(moved, window_shape=(size,), stride=step)
    return ops.moveaxis(windows, source=-2, destination=dimension % len(input.shape))


@adapts("nn.functional.pixel_shuffle")
def _pixel_shuffle(input: Any, upscale_factor: int) -> Any:
    *lead, channels, height, width = input.shape
    r = upscale_factor
    split = ops.reshape(input, shape=(*lead, channels // r**2, r, r, height, width))
    n = len(lead)
    turned = ops.permute_dims(split, axes=(*range(n + 1), n + 3, n + 1, n + 4, n + 2))
    return ops.reshape(turned, shape=(*lead, channels // r**2, height * r, width * r))


@adapts("nn.functional.pixel_unshuffle")
def _pixel_unshuffle(input: Any, downscale_factor: int) -> Any:
    *lead, channels, height, width = input.shape
    r = downscale_factor
    split = ops.reshape(input, shape=(*lead, channels, height // r, r, width // r, r))
    n = len(lead)
    turned = ops.permute_dims(split, axes=(*range(n + 1), n + 2, n + 4, n + 1, n + 3))
    return ops.reshape(turned, shape=(*lead, channels * r**2, height // r, width // r))


@adapts("nn.functional.channel_shuffle")
def _channel_shuffle(input: Any, groups: int) -> Any:
    n, channels, *space = input.shape
    split = ops.reshape(input, shape=(n, groups, channels // groups, *space))
    return ops.reshape(ops.swapaxes(split, axis1=1, axis2=2), shape=tuple(input.shape))
