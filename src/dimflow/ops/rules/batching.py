"""Batching: how many calls of an op, on slices along a batch axis, become one call.

A rule takes the op, the flat arrays, the batch axis of each (None: not batched) and the
parameters; it gives the results and the batch axis of each.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dimflow.errors import MissingRule
from dimflow.ops.rules.shapes import normalized

if TYPE_CHECKING:
    from dimflow.ops.record import Op

Dims = tuple[int | None, ...]
Batching = Callable[["Op", tuple[Any, ...], Dims, dict[str, Any]], tuple[Any, Any]]


def _ops() -> Any:
    """The table's ops by attribute; this module is read before there is one."""
    from dimflow import ops

    return ops


def ndim(x: Any) -> int:
    """The number of axes; a bare number has none."""
    return len(getattr(x, "shape", ()))


def to_front(x: Any, dim: int | None) -> Any:
    """The array with its batch axis first."""
    ops = _ops()
    return x if dim is None or dim == 0 else ops.moveaxis(x, source=dim, destination=0)


def elementwise(op: "Op", args: tuple[Any, ...], dims: Dims, params: dict[str, Any]) -> Any:
    """Batch axes first, and as many axes after them everywhere."""
    ops = _ops()
    inner = max(ndim(x) - (d is not None) for x, d in zip(args, dims, strict=True) if x is not None)
    aligned = []
    for x, d in zip(args, dims, strict=True):
        if d is not None:
            x = to_front(x, d)
            missing = inner + 1 - ndim(x)
            if missing:
                x = ops.reshape(x, shape=(x.shape[0], *([1] * missing), *x.shape[1:]))
        aligned.append(x)
    return op.run(tuple(aligned), params), 0


def along_axis(op: "Op", args: tuple[Any, ...], dims: Dims, params: dict[str, Any]) -> Any:
    """For ops of one array with an `axis` parameter: the batch axis first, `axis` moved on."""
    (x, *rest), dim = args, dims[0]
    if dim is None or any(d is not None for d in dims[1:]):
        return looped(op, args, dims, params)
    axes = normalized(params.get("axis"), ndim(x) - 1)
    single = isinstance(params.get("axis"), int)
    moved = axes[0] + 1 if single else tuple(a + 1 for a in axes)
    return op.run((to_front(x, dim), *rest), {**params, "axis": moved}), 0


def leading(op: "Op", args: tuple[Any, ...], dims: Dims, params: dict[str, Any]) -> Any:
    """For ops that treat leading axes as a batch themselves: linear algebra."""
    ops = _ops()
    inner = max(ndim(x) - (d is not None) for x, d in zip(args, dims, strict=True) if x is not None)
    aligned: list[Any] = []
    for x, d in zip(args, dims, strict=True):
        if x is None:
            aligned.append(x)
            continue
        x = to_front(x, d)
        missing = inner - (ndim(x) - (d is not None))
        if d is not None and missing:
            x = ops.reshape(x, shape=(x.shape[0], *([1] * missing), *x.shape[1:]))
        aligned.append(x)
    result = op.run(tuple(aligned), params)
    return result, 0 if op.outputs is None else (0,) * len(op.outputs)


def looped(op: "Op", args: tuple[Any, ...], dims: Dims, params: dict[str, Any]) -> Any:
    """One call for each slice, stacked: for ops that have no batched form."""
    ops = _ops()
    sizes = {x.shape[d] for x, d in zip(args, dims, strict=True) if d is not None}
    slices = [
        [x if d is None else ops.take(x, i, axis=d) for x, d in zip(args, dims, strict=True)]
        for i in range(sizes.pop())
    ]
    results = [op.run(tuple(one), params) for one in slices]
    if op.outputs is None:
        return _stacked(op, results), 0
    outputs = tuple(_stacked(op, list(parts)) for parts in zip(*results, strict=True))
    return outputs, (0,) * len(outputs)


def _stacked(op: "Op", parts: list[Any]) -> Any:
    shapes = {tuple(getattr(part, "shape", ())) for part in parts}
    if len(shapes) > 1:
        listed = " and ".join(map(str, sorted(shapes)))
        reason = f"the calls give results of different shapes: {listed}"
        raise MissingRule(op.name, "batching rule for these values", reason)
    return _ops().stack(parts, axis=0)


def impossible(reason: str) -> Batching:
    """No batching, and why: the shape of the result depends on the values."""

    def refuse(op: "Op", args: tuple[Any, ...], dims: Dims, params: dict[str, Any]) -> Any:
        raise MissingRule(op.name, "batching rule", reason)

    return refuse
