"""MLX's transformations of functions whose arguments and results have units.

    from dimflow import mlx
    fast = mlx.compile(energy)          # as mx.compile, with quantities
    many = mlx.vmap(energy)

MLX's own take trees of its arrays alone, and refuse a DimArray. Here the numbers go through MLX and
the units stand still beside them: other units, or another spelling of one, compile anew.
"""

from collections.abc import Callable
from typing import Any

import mlx.core as mx

from dimflow.mlx.trees import Form, flattened, rebuilt
from dimflow.units import scope

__all__ = ["compile", "eval", "vmap"]

_LIMIT = 256  # forms of arguments that one compiled function remembers


def compile(function: Callable[..., Any]) -> Callable[..., Any]:  # noqa: A001
    """The function compiled by `mx.compile`, once for each form of its arguments.

    Lists, tuples and dicts of quantities, arrays and constants go in and come out. Dtypes, shapes,
    units, numbers and texts are part of the form; a change of one traces the function again.
    """
    known: dict[Any, tuple[Callable[..., Any], list[Form]]] = {}

    def compiled(*args: Any, **kwargs: Any) -> Any:
        leaves, form = flattened((args, kwargs), "compile")
        # the function may read unit strings, which mean what the scope says
        key = form, tuple((leaf.shape, leaf.dtype) for leaf in leaves), scope.current().state
        if key not in known:
            if len(known) >= _LIMIT:
                known.clear()
            results: list[Form] = []
            known[key] = mx.compile(_on_leaves(function, form, results, "compile")), results
        fast, results = known[key]
        found = fast(*leaves)
        return rebuilt(results[0], found)

    compiled.__name__ = getattr(function, "__name__", "compiled")
    compiled.__doc__ = function.__doc__
    return compiled


def vmap(function: Callable[..., Any], in_axes: Any = 0, out_axes: int = 0) -> Callable[..., Any]:
    """The function of a batch by `mx.vmap`: `in_axes` is one for all, or one for each argument."""

    def batched(*args: Any) -> Any:
        axes = in_axes if isinstance(in_axes, (tuple, list)) else [in_axes] * len(args)
        each = [len(flattened(arg, "vmap")[0]) for arg in args]
        spread = [axis for axis, count in zip(axes, each, strict=True) for _ in range(count)]
        leaves, form = flattened((args, {}), "vmap")
        results: list[Form] = []
        raw = mx.vmap(_on_leaves(function, form, results, "vmap"), tuple(spread), out_axes)
        found = raw(*leaves)
        return rebuilt(results[0], found)

    return batched


def eval(*values: Any) -> None:  # noqa: A001
    """Compute everything in some quantities, lists and dicts; `mx.eval` passes over quantities."""
    leaves, _ = flattened(values, "eval")
    mx.eval(leaves)


def _on_leaves(
    function: Callable[..., Any], form: Form, results: list[Form], name: str
) -> Callable[..., Any]:
    """The function of raw arrays alone; it notes the form of its result."""

    def raw(*leaves: Any) -> Any:
        args, kwargs = rebuilt(form, leaves)
        found, made = flattened(function(*args, **kwargs), name)
        results.append(made)
        return found

    return raw
