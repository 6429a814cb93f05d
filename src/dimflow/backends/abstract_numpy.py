"""NumPy's functions on abstract values: ufuncs by dtypes, functions by the op of their name."""

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from dimflow.backends.abstract import Abstract, dtype_of, shape_of
from dimflow.errors import MissingRule, NoDataError, ShapeMismatch
from dimflow.ops import TABLE, Op
from dimflow.ops.rules.dtypes import result_type
from dimflow.ops.rules.shapes import Shape, broadcast_shapes, without

_UNCHECKED = "checking rule"
_RENAMED = {"a_min": "min", "a_max": "max"}  # NumPy's names of arguments, where ops have others
_HARMLESS = {"casting", "initial", "kind", "order", "overwrite_input", "subok", "where"}
_HINT = "put what cannot be checked into a function that the check does not call"


@cache
def numpy_ops() -> dict[Any, Op]:
    """Every function of NumPy that is an op of the table."""
    found: dict[Any, Op] = {}
    for op in TABLE.values():
        function: Any = np
        for part in (op.hosts.numpy or "").split("."):
            function = getattr(function, part, None)
        # the array form of an op that has a static one (power) stands behind it
        if function is not None and (function not in found or op.kind == "composite"):
            found[function] = op
    return found


# Ufuncs


def call_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `__array_ufunc__` does, for every method of a ufunc."""
    kwargs = {k: v for k, v in kwargs.items() if v is not None or k == "axis"}
    if method == "__call__" and not kwargs and ufunc in numpy_ops():
        return numpy_ops()[ufunc].run(inputs, {})
    if ufunc.signature is not None:
        raise MissingRule(f"np.{ufunc.__name__}", _UNCHECKED, _HINT)
    if method == "at":
        target, key, *rest = inputs
        target[key] = _elementwise(ufunc, (target[key], *rest), {})
        return None
    result = _UFUNC_METHODS[method](ufunc, inputs, kwargs)
    outs = kwargs.get("out", ())
    for out, value in zip(outs, result if isinstance(result, tuple) else (result,), strict=False):
        if out is not None and tuple(out.shape) != value.shape:
            raise ShapeMismatch(f"out= of np.{ufunc.__name__}", value.shape, out.shape)
    given = tuple(value for value in outs if value is not None)
    return (given[0] if len(given) == 1 else given) if given else result


def _elementwise(ufunc: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    shapes = [shape_of(x) for x in inputs]
    where = kwargs.get("where", True)
    shape = broadcast_shapes([*shapes, shape_of(where)])
    given = [np.dtype(np.bool_) if d is bool else d for d in map(dtype_of, inputs)]
    options: dict[str, Any] = {}
    if "dtype" in kwargs:
        options["signature"] = (*([None] * ufunc.nin), *([np.dtype(kwargs["dtype"])] * ufunc.nout))
    if "casting" in kwargs:
        options["casting"] = kwargs["casting"]
    dtypes = ufunc.resolve_dtypes((*given, *([None] * ufunc.nout)), **options)[ufunc.nin :]
    results = tuple(Abstract(shape, d) for d in dtypes)
    return results[0] if ufunc.nout == 1 else results


def _reduced(ufunc: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    x, axis = inputs[0], kwargs.get("axis", inputs[1] if len(inputs) > 1 else 0)
    probe = ufunc.reduce(_one(x), dtype=kwargs.get("dtype"))
    return Abstract(without(x.shape, axis, kwargs.get("keepdims", False)), probe.dtype)


def _accumulated(ufunc: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    x = inputs[0]
    return Abstract(x.shape, ufunc.accumulate(_one(x), dtype=kwargs.get("dtype")).dtype)


def _reduced_at(ufunc: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    x, places = inputs[:2]
    axis = kwargs.get("axis", inputs[2] if len(inputs) > 2 else 0) % len(x.shape)
    shape = (*x.shape[:axis], shape_of(places)[0], *x.shape[axis + 1 :])
    return Abstract(shape, ufunc.reduceat(_one(x), [0], dtype=kwargs.get("dtype")).dtype)


def _outer(ufunc: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    left, right = inputs
    rank = len(shape_of(right))
    stretched: Shape = (*shape_of(left), *([1] * rank))
    return _elementwise(ufunc, (Abstract(stretched, np.dtype(dtype_of(left))), right), kwargs)


def _one(x: Any) -> Any:
    """A single element, for asking NumPy what dtype it makes of more."""
    return np.ones(1, dtype_of(x))


_UFUNC_METHODS: dict[str, Callable[..., Any]] = {
    "__call__": _elementwise,
    "reduce": _reduced,
    "accumulate": _accumulated,
    "reduceat": _reduced_at,
    "outer": _outer,
}


# Functions


def call_function(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `__array_function__` does: the op of that name, with NumPy's own argument names."""
    known = _INSPECTION.get(function)
    if known is not None:
        return known(*args, **kwargs)
    op = numpy_ops().get(function)
    if op is None:
        raise MissingRule(_name(function), _UNCHECKED, _HINT)
    arrays, static, dtype = _translated(op, function, args, kwargs)
    result = op(*arrays, **static)
    return result if dtype is None else result.astype(dtype)


def _name(function: Any) -> str:
    return f"{function.__module__.replace('numpy', 'np', 1)}.{function.__name__}"


def _translated(
    op: Op, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[list[Any], dict[str, Any], Any]:
    """Arguments by position and by name for the op, and the dtype that the result is cast to."""
    parameters = op.signature.parameters.values()
    leading = [p for p in parameters if p.kind is p.POSITIONAL_ONLY]
    starred = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    names = {p.name for p in parameters if p.kind not in (p.POSITIONAL_ONLY, p.VAR_POSITIONAL)}
    positional: list[Any] = []
    static: dict[str, Any] = {}
    dtype = None
    for numpy_name, value, is_default in _given(function, args, kwargs):
        name = _RENAMED.get(numpy_name, numpy_name)
        is_array = len(positional) < len(leading) and name not in names
        if is_array or (starred and name == "*"):
            positional.append(value)
        elif name in names:
            static[name] = value
        elif name == "dtype":
            dtype = value
        elif not is_default and name not in _HARMLESS:
            raise MissingRule(_name(function), f"checking rule for its argument {name!r}", _HINT)
    return positional, static, dtype


def _given(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """Name, value, and whether it is NumPy's own default, for each argument of a call."""
    try:
        signature = inspect.signature(function)
    except ValueError:  # NumPy gives none
        return [("*", value, False) for value in args] + [
            (name, value, value is None) for name, value in kwargs.items()
        ]
    found = []
    for name, value in signature.bind(*args, **kwargs).arguments.items():
        parameter = signature.parameters[name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            found += [("*", v, False) for v in value]
        elif parameter.kind is parameter.VAR_KEYWORD:
            found += [(k, v, v is None) for k, v in value.items()]
        else:
            found.append((name, value, value is None or value is parameter.default))
    return found


def _size(a: Any, axis: Any = None) -> int:
    axes = () if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if not axes:
        return int(a.size)
    return Abstract([a.shape[i] for i in axes]).size


def _like(dtype: Any = None, shape: Any = None, *, like: Any) -> Abstract:
    lengths = like.shape if shape is None else (shape,) if isinstance(shape, int) else shape
    return Abstract(lengths, like.dtype if dtype is None else dtype)


def _blank(prototype: Any, *args: Any, dtype: Any = None, shape: Any = None, **_: Any) -> Any:
    return _like(args[0] if args else dtype, shape, like=prototype)


def _filled(a: Any, fill_value: Any, *args: Any, **kwargs: Any) -> Any:
    return _blank(a, *args, **kwargs)


def _picked(choices: Any, others: Any) -> Abstract:
    """One of several arrays, element by element."""
    shape = broadcast_shapes([shape_of(x) for x in (*choices, *others)])
    return Abstract(shape, result_type(tuple(map(dtype_of, choices))))


def _answered(function: str) -> Callable[..., Any]:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise NoDataError(f"the answer of {function}")

    return refuse


_INSPECTION: dict[Any, Callable[..., Any]] = {
    np.shape: shape_of,
    np.ndim: lambda a: len(shape_of(a)),
    np.size: _size,
    np.copy: lambda a, *_, **__: a,
    np.iscomplexobj: lambda x: dtype_of(x).kind == "c",
    np.isrealobj: lambda x: dtype_of(x).kind != "c",
    np.result_type: lambda *given: np.result_type(
        *(x.dtype if isinstance(x, Abstract) else x for x in given)
    ),
    np.may_share_memory: lambda *_, **__: False,
    np.shares_memory: lambda *_, **__: False,
    np.select: lambda conditions, choices, default=0: _picked([*choices, default], conditions),
    np.choose: lambda a, choices, **_: _picked(choices, [a]),
    np.array_equal: _answered("np.array_equal"),
    np.array_equiv: _answered("np.array_equiv"),
    np.allclose: _answered("np.allclose"),
    np.zeros_like: _blank,
    np.ones_like: _blank,
    np.empty_like: _blank,
    np.full_like: _filled,
}
