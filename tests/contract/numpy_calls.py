"""How NumPy's function is called where its signature is not the op's: op name -> function.

The function takes the flat arrays and the parameters of the op.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from dimflow.ops import Op
from tests.contract.evaluate import fresh
from tests.contract.samples import Case

_PADDING = {
    "constant": ("constant_values",),
    "linear_ramp": ("end_values",),
    "reflect": ("reflect_type",),
    "symmetric": ("reflect_type",),
    **dict.fromkeys(("maximum", "mean", "median", "minimum"), ("stat_length",)),
}


def _padded(args: Any, params: Any) -> Any:
    """np.pad takes the keywords of its mode alone."""
    x, constant_values, end_values = args
    given = {"constant_values": constant_values, "end_values": end_values, **params}
    keywords = {n: given[n] for n in _PADDING.get(params["mode"], ()) if given[n] is not None}
    return np.pad(x, params["pad_width"], params["mode"], **keywords)


def _sorted(args: Any, params: Any) -> Any:
    """NumPy sorts upwards only."""
    (x,), axis = args, params["axis"]
    up = np.sort(x, axis=axis)
    return np.flip(up, axis=-1 if axis is None else axis) if params["descending"] else up


def _order(args: Any, params: Any) -> Any:
    """NumPy sorts upwards only: downwards is upwards from the other end."""
    (x,), axis, stable = args, params["axis"], params["stable"]
    if not params["descending"]:
        return np.argsort(x, axis=axis, stable=stable)
    x, axis = (np.ravel(x), -1) if axis is None else (x, axis)
    backwards = np.argsort(np.flip(x, axis), axis=axis, stable=stable)
    return np.shape(x)[axis] - 1 - np.flip(backwards, axis)


def _filled(args: Any, params: Any) -> Any:
    """NumPy cuts a complex value to fit real numbers, and warns; ours refuses it."""
    x, value = args
    target = np.dtype(params["dtype"] or np.asarray(x).dtype)
    if np.iscomplexobj(value) and target.kind != "c":
        return None
    return np.full_like(x, value, **params)


CALLS: dict[str, Callable[..., Any]] = {
    "full_like": _filled,
    "pad": _padded,
    "sort": _sorted,
    "argsort": _order,
    "unique_values": lambda args, params: np.sort(np.unique_values(*args)),
    "cumulative_sum": lambda args, params: _flattened(np.cumulative_sum, *args, **params),
    "cumulative_prod": lambda args, params: _flattened(np.cumulative_prod, *args, **params),
}


def _flattened(function: Any, x: Any, axis: Any, **params: Any) -> Any:
    return function(x if axis is not None else np.ravel(x), axis=axis, **params)


def function_of(path: str) -> Any:
    """NumPy's function of a dotted name."""
    function: Any = np
    for part in path.split("."):
        function = getattr(function, part)
    return function


def numpy_result(op: Op, case: Case) -> Any:
    """What NumPy gives for a sample; None where it does not take the dtypes of a variant."""
    assert op.hosts.numpy is not None
    call = CALLS.get(op.name)
    try:
        if call is not None:
            return call(case.args, fresh(case.params))
        return _called(op, function_of(op.hosts.numpy), case)
    except (TypeError, ValueError, OverflowError, np.linalg.LinAlgError):
        if case.label.endswith("float64"):
            raise
        return None


def _called(op: Op, function: Any, case: Case) -> Any:
    """By the op's own signature, less the parameters that NumPy does not have."""
    params = {n: v for n, v in fresh(case.params).items() if n != "unit"}
    known = _parameters(function)

    def adapted(*args: Any, **kwargs: Any) -> Any:
        if known is not None:
            kwargs = {n: v for n, v in kwargs.items() if n in known}
        return function(*args, **{n: v for n, v in kwargs.items() if v is not None})

    return op.call(adapted, case.args, {**case.params, **params})


def _parameters(function: Any) -> set[str] | None:
    if isinstance(function, np.ufunc):
        return {"dtype", "where"}
    try:
        return set(inspect.signature(function).parameters)
    except ValueError:
        return None
