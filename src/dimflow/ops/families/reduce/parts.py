"""Parts of rules that reductions, scans and statistics share."""

from collections.abc import Callable
from math import prod
from typing import Any

from dimflow import ops
from dimflow.ops.domain import Sample, Samples
from dimflow.ops.rules import batching
from dimflow.ops.rules.batching import Dims, ndim, to_front
from dimflow.ops.rules.dtypes import DtypeRule, result_type
from dimflow.ops.rules.layout import laid_out
from dimflow.ops.rules.shapes import is_known, normalized, reduced_axes, same_shape
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.units import Call, Resolved, UnitRule, pure

# Units


def masked(rule: UnitRule) -> UnitRule:
    """A rule for the other arguments of an op whose last is the mask `where`."""

    def resolved(call: Call) -> Resolved:
        pure(call, len(call.units) - 1)
        targets, result = rule(call._replace(units=call.units[:-1], shapes=call.shapes[:-1]))
        return Resolved((*targets, None), result)

    return UnitRule(resolved, rule.needs_params, rule.needs_shapes)


# Dtypes


def as_numpy(function: Callable[..., Any]) -> DtypeRule:
    """The dtype that NumPy's function gives for such an array, and a `dtype` if one is asked."""
    import numpy as np

    def resolved(given: tuple[Any, ...], params: dict[str, Any]) -> Any:
        asked = {"dtype": params["dtype"]} if params.get("dtype") is not None else {}
        return np.asarray(function(np.ones(2, result_type(given[:1])), **asked)).dtype

    return resolved


def with_initial(function: Callable[..., Any]) -> DtypeRule:
    """The same, where an `initial` of a wider kind (a float among integers) is not cut off."""
    rule = as_numpy(function)

    def resolved(given: tuple[Any, ...], params: dict[str, Any]) -> Any:
        found = rule(given, params)
        if params.get("dtype") is not None or given[1] is None:
            return found
        joint = result_type((found, given[1]))
        return joint if joint.kind != found.kind else found

    return resolved


# Shapes of values


def stretched(value: Any, like: Any, params: dict[str, Any]) -> Any:
    """A value for each reduced group, spread over the elements of the group."""
    shape = shape_of(like)
    if params.get("axis") is not None:  # one value for all of them needs no axes
        value = kept(value, shape, params)
    value = laid_out(value, like)
    if same_shape(shape_of(value), shape):
        return value
    return laid_out(ops.broadcast_to(value, shape=shape), like)


def kept(value: Any, shape: tuple[int, ...], params: dict[str, Any]) -> Any:
    """A value for each reduced group, with length 1 along the axes that were reduced."""
    if params.get("keepdims"):
        return value
    axes = reduced_axes(params.get("axis"), len(shape))
    if not is_known(shape):
        return ops.expand_dims(value, axis=axes)
    return ops.reshape(value, shape=tuple(1 if i in axes else n for i, n in enumerate(shape)))


def rows(x: Any, axis: Any) -> Any:
    """The elements that are reduced together as one last axis."""
    shape = shape_of(x)
    axes = reduced_axes(axis, len(shape))
    others = [i for i in range(len(shape)) if i not in axes]
    if len(axes) != 1 or axes[0] != len(shape) - 1:
        x = ops.permute_dims(x, axes=(*others, *axes))
    length = prod(shape[a] for a in axes)
    return ops.reshape(x, shape=(*[shape[i] for i in others], length))


def counted(x: Any, where: Any, params: dict[str, Any]) -> Any:
    """How many elements each group has; those that `where` picks, if it is given."""
    shape = shape_of(x)
    axis = params.get("axis")
    if not is_known(shape):
        ones = only(where, ops.ones_like(x))
        return ops.sum(ones, axis=axis, keepdims=params.get("keepdims", False))
    if where is None:
        return prod(shape[a] for a in reduced_axes(axis, len(shape)))
    picked = ops.broadcast_to(where, shape=shape)
    return ops.count_nonzero(picked, axis=axis, keepdims=params.get("keepdims", False))


def only(where: Any, value: Any) -> Any:
    """The value where the mask says, zero elsewhere; everywhere without a mask."""
    return value if where is None else ops.where(where, value, 0)


def plus(x: Any, y: Any) -> Any:
    """The sum of tangents, of which None is zero."""
    if x is None:
        return y
    return x if y is None else x + y


def arrayed(x: Any) -> Any:
    """An array of what may be a list: a definition gets its arguments as they came."""
    return ops.stack(list(x)) if isinstance(x, (list, tuple)) else x


def is_complex(x: Any) -> bool:
    """Whether an array is known to hold complex numbers."""
    return "complex" in str(getattr(x, "dtype", ""))


# Batching


def reducing(op: Any, args: tuple[Any, ...], dims: Dims, params: dict[str, Any]) -> Any:
    """Axes moved on by one; masks and means beside the array are aligned with it."""
    x, dim = args[0], dims[0]
    names = op.array_names
    if "initial" in names and dims[names.index("initial")] is not None:
        return batching.looped(op, args, dims, params)
    sizes = [a.shape[d] for a, d in zip(args, dims, strict=True) if d is not None]
    inner = ndim(x) - (dim is not None)
    x = ops.broadcast_to(x, shape=(sizes[0], *x.shape)) if dim is None else to_front(x, dim)
    aligned = [x]
    for other, d in zip(args[1:], dims[1:], strict=True):
        if d is not None:
            other = to_front(other, d)
            missing = inner + 1 - ndim(other)
            other = ops.reshape(other, shape=(sizes[0], *([1] * missing), *other.shape[1:]))
        aligned.append(other)
    axes = tuple(a + 1 for a in reduced_axes(params.get("axis"), inner))
    axis = axes[0] if axes and isinstance(params.get("axis"), int) else axes
    return op.run(tuple(aligned), {**params, "axis": axis}), 0


def flattening(op: Any, args: tuple[Any, ...], dims: Dims, params: dict[str, Any]) -> Any:
    """For ops of one array and one axis, that flatten without one: argmax, cumulative_sum."""
    x = to_front(args[0], dims[0])
    axis = params.get("axis")
    if axis is not None:
        (axis,) = normalized(axis, ndim(x) - 1)
        return op.run((x,), {**params, "axis": axis + 1}), 0
    count, shape = x.shape[0], x.shape[1:]
    flat = ops.reshape(x, shape=(count, prod(shape)))
    result = op.run((flat,), {**params, "axis": 1})
    if params.get("keepdims"):
        result = ops.reshape(result, shape=(count, *([1] * len(shape))))
    return result, 0


# Samples


def samples(rng: Any) -> list[Sample]:
    """Reductions over one axis, several and all."""
    x = rng.normal(size=(2, 3, 4))
    return [
        Sample((x,), {"axis": None, "keepdims": False}),
        Sample((x,), {"axis": 1, "keepdims": False}),
        Sample((x,), {"axis": (0, 2), "keepdims": True}),
        Sample((x[0, 0],), {"axis": -1}),
    ]


def with_mask(rng: Any) -> list[Sample]:
    """The same, and one with a mask that leaves every group two elements or more."""
    x = rng.normal(size=(2, 3, 4))
    mask = rng.permuted(np_mask(), axis=1)
    return [*samples(rng), Sample((x, None, mask), {"axis": -1})]


def np_mask() -> Any:
    """Rows of two picked elements and two others."""
    import numpy as np

    return np.array([[True, True, False, False]] * 3)


def along_one_axis(rng: Any) -> list[Sample]:
    """Calls with one axis, from either end, and none."""
    x = rng.normal(size=(2, 3, 4))
    return [
        Sample((x,), {"axis": None}),
        Sample((x,), {"axis": 1}),
        Sample((x,), {"axis": -1}),
        Sample((x[0, 0],), {"axis": 0}),
    ]


def with_nan(domain: Samples) -> Samples:
    """The same calls, and each with one element that is nan."""

    def drawn(rng: Any) -> list[Sample]:
        found = list(domain(rng))
        for sample in domain(rng):
            x = sample.args[0].copy()
            x.flat[-1] = float("nan")
            found.append(sample._replace(args=(x, *sample.args[1:]), smooth=False))
        return found

    return drawn
