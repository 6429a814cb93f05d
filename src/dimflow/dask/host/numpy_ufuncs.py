"""NumPy's ufuncs on lazy arrays with keywords (`out=`, `where=`, `dtype=`), and their methods."""

from functools import cache, partial
from typing import Any

import dask.array as da
import numpy as np
from dask.array.core import elemwise

from dimflow import ops
from dimflow.array.core import Core
from dimflow.array.in_place import in_unit
from dimflow.array.interpreter import remembered, separated
from dimflow.array.numpy_host.out import dressed
from dimflow.array.numpy_host.ufuncs import (
    POWERS,
    array_ufunc,
    defaults,
    is_numpys,
    op_of,
    plain_keywords,
    resolved,
)
from dimflow.backends import backend
from dimflow.backends.dask_blocks.pairing import is_open, refuse_pairs
from dimflow.backends.holes import has_holes, refuse_blind
from dimflow.dask.host.planned import library_of
from dimflow.dask.host.targets import written
from dimflow.errors import DimensionError, UnitError, UnsupportedFunction
from dimflow.ops import Op
from dimflow.ops.rules.values import refuse_cast

_KNOWN = frozenset(("out", "where", "dtype"))
_REDUCTIONS = {
    np.add: "sum",
    np.multiply: "prod",
    np.maximum: "max",
    np.minimum: "min",
    np.logical_and: "all",
    np.logical_or: "any",
}
_ACCUMULATIONS = {np.add: "cumulative_sum", np.multiply: "cumulative_prod"}


def asked(array: Any, ufunc: Any, method: str, inputs: Any, kwargs: dict[str, Any]) -> Any:
    """What NumPy calls: `DaskDimArray.__array_ufunc__`."""
    if not is_numpys(ufunc):
        return array_ufunc(array, ufunc, method, *inputs, **kwargs)
    if method == "__call__":
        if kwargs:
            return called(ufunc, inputs, kwargs)
        if ufunc.__name__ not in POWERS and all(type(x) is type(array) for x in inputs):
            op = op_of(ufunc)  # nothing to lift or to ask: Dask's ufunc or the op at once
            found = _by_dask(ufunc, op, inputs) if _is_dasks(ufunc) else None
            try:
                return op.run(inputs, defaults(op)) if found is None else found
            except UnitError as error:
                error.of_call(f"np.{ufunc.__name__}")
                raise
    if method in ("reduce", "accumulate"):
        return folded(ufunc, method, inputs[0], kwargs)
    return array_ufunc(array, ufunc, method, *inputs, **kwargs)


@cache
def _is_dasks(ufunc: Any) -> bool:
    """Whether Dask has the ufunc, and it alone is the op."""
    op = op_of(ufunc)
    is_same = op.kind == "elementwise" and ufunc.nout == 1
    has_more = {*op.signature.parameters} - {*op.array_names, "unit"}
    if not is_same or has_more or not isinstance(getattr(da, ufunc.__name__, None), da.ufunc.ufunc):
        return False
    return all(backend(name).own_kernel(op) is None for name in ("numpy", "dask"))


def _by_dask(ufunc: Any, op: Op, inputs: tuple[Any, ...]) -> Any:
    """The layer that Dask makes of a ufunc; None where the op has to look closer or to complain.

    So `np.add(x, y)` has one name with units and without. That of `x + y` is another, as in Dask,
    which takes twice as long to look into Python's operators.
    """
    if not all(type(x._raw._meta) is np.ndarray for x in inputs):
        return None
    if len(inputs) > 1 and any(is_open(x._raw) for x in inputs):
        return None
    try:
        plan = remembered(op, inputs)
        raws, unit = resolved(ufunc, op, inputs) if plan is None else (None, plan.result)
        return dressed(ufunc(*(raws or [x._raw for x in inputs])), unit)
    except (UnitError, TypeError, ValueError):
        return None


def called(ufunc: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A ufunc with keywords. What `where=` leaves out keeps what the target held."""
    name = ufunc.__name__
    op = op_of(ufunc)
    kwargs = plain_keywords(kwargs, name)
    _check(ufunc, kwargs)
    out = kwargs.get("out")
    target = out[0] if isinstance(out, tuple) else out
    where = kwargs.get("where", True)
    if where is not True and target is None:
        reason = "where= without out= leaves elements of which nobody knows what they are"
        raise UnsupportedFunction(f"the ufunc {name}", reason, "dimflow.where(mask, x, y)")
    try:
        raws, unit = resolved(ufunc, op, inputs)
    except DimensionError:
        if op.across is None:
            raise
        compared = ops.get(op.name)(*inputs)
        return compared if target is None else written(target, compared, name)
    library_of(name, op, tuple(raws))
    if where is not True and any(map(has_holes, (where, *raws))):
        refuse_blind(f"the ufunc {name} with where=")
    refuse_cast(name, kwargs.get("dtype"), tuple(raws), unit)
    options = {"dtype": kwargs.get("dtype")}
    if where is not True:
        options |= {"where": where, "out": _held(target, unit, name)}
    refuse_pairs(name, [*raws, *(options.get(key) for key in ("where", "out"))])
    run = ufunc
    if options["dtype"] is not None:  # Dask's own casts what narrow integers have wrapped to
        run = partial(ufunc, dtype=options["dtype"])
        options["dtype"] = run(*[_empty(raw) for raw in raws]).dtype
    result = dressed(elemwise(run, *_in_blocks(raws), **options), unit)
    return result if target is None else written(target, result, name)


def _check(ufunc: Any, kwargs: dict[str, Any]) -> None:
    """Refuse what Dask has no word for."""
    unknown = [key for key in kwargs if key not in _KNOWN]
    if unknown:
        reason = f"{unknown[0]}= has a meaning for NumPy's own arrays only"
        raise UnsupportedFunction(f"the ufunc {ufunc.__name__}", reason, "leave it away")
    if ufunc.nout > 1:
        reason = "keywords have no meaning for two lazy results at once"
        raise UnsupportedFunction(f"the ufunc {ufunc.__name__}", reason, "leave them away")


def _held(target: Any, unit: Any, name: str) -> Any:
    """What a target holds, in the unit of the result, in an array that may be written into."""
    if unit is None or not isinstance(target, Core):
        return (target._raw if isinstance(target, Core) else target).copy()
    return in_unit(unit, target, f"out= of {name}").copy()


def _empty(raw: Any) -> Any:
    """What has the dtype of an argument and no elements; a number as it is."""
    return np.empty(0, raw.dtype) if hasattr(raw, "dtype") else raw


def _in_blocks(raws: Any) -> list[Any]:
    """Arrays as Dask takes them; one at least is lazy."""
    if any(isinstance(raw, da.Array) for raw in raws):
        return list(raws)
    first, *rest = raws
    return [da.asarray(first), *rest]


def folded(ufunc: Any, method: str, array: Any, kwargs: dict[str, Any]) -> Any:
    """`add.reduce` and the like by the op that means the same; along the first axis by default."""
    name = f"{ufunc.__name__}.{method}"
    found = (_REDUCTIONS if method == "reduce" else _ACCUMULATIONS).get(ufunc)
    if found is None:
        reason = "no function of Dask's does so"
        raise UnsupportedFunction(name, reason, "compute the array first: x.compute()")
    given = {key: value for key, value in kwargs.items() if value is not np._NoValue}
    out = given.pop("out", None)
    op = ops.get(found)
    params = {"axis": 0} | {k: v for k, v in given.items() if v is not None or k == "axis"}
    for key in params:
        if key not in op.signature.parameters:
            raise UnsupportedFunction(name, f"{key}= has a meaning for NumPy's own arrays only")
    raws, units = separated((array,))
    refuse_cast(name, params.get("dtype"), raws, units[0])
    result = op(array, **params)
    target = out[0] if isinstance(out, tuple) else out
    return result if target is None else written(target, result, name)
