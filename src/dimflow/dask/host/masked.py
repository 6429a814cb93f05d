"""dask.array.ma: arrays with holes, and limits and filling values that carry units."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.array.core import Core
from dimflow.array.dimarray import wrap
from dimflow.array.in_place import in_unit
from dimflow.array.interpreter import converted, planned, separated
from dimflow.array.numpy_host.parts import Handler, named, pure
from dimflow.backends.dask_blocks.holes import with_holes
from dimflow.dask.host.patches import own
from dimflow.dask.host.planned import parts_of
from dimflow.errors import NotANumber, UnitError
from dimflow.ops import Op
from dimflow.ops.rules.values import refuse_cast
from dimflow.units import Unit

FUNCTIONS: dict[str, Handler] = {}


def _aligned(op: Op, arrays: tuple[Any, ...]) -> tuple[Any, ...]:
    """The first array as it is, and all others in its unit; an error if they cannot be."""
    raws, units = separated(arrays)
    planned(op, raws, units, {})  # raises across dimensions, as a comparison does
    unit = arrays[0]._unit if isinstance(arrays[0], Core) else Unit("")
    rest = [in_unit(unit, value, op.name) for value in arrays[1:]]
    return raws[0], *rest


def _one(raw: Any) -> Any:
    """A limit as Dask takes it: a number, if it is one."""
    return raw.item() if isinstance(raw, np.ndarray) and not raw.ndim else raw


_COMPARED = {
    "masked_greater": "greater",
    "masked_greater_equal": "greater_equal",
    "masked_less": "less",
    "masked_less_equal": "less_equal",
    "masked_not_equal": "not_equal",
    "masked_equal": "equal",
}


def _compared(name: str, op: str) -> Handler:
    def run(a: Any, value: Any) -> Any:
        unit = parts_of(a, f"da.ma.{name}")[1]
        raw, limit = _aligned(ops.get(op), (a, value))
        return wrap(own(f"ma.{name}")(raw, _one(limit)), unit)

    return run


FUNCTIONS.update({f"ma.{name}": _compared(name, op) for name, op in _COMPARED.items()})


def _between(name: str) -> Handler:
    def run(x: Any, v1: Any, v2: Any) -> Any:
        unit = parts_of(x, f"da.ma.{name}")[1]
        raw, low = _aligned(ops.get("greater_equal"), (x, v1))
        _, high = _aligned(ops.get("less_equal"), (x, v2))
        return wrap(own(f"ma.{name}")(raw, _one(low), _one(high)), unit)

    return run


FUNCTIONS.update({f"ma.{name}": _between(name) for name in ("masked_inside", "masked_outside")})


@named(FUNCTIONS, "ma.masked_values")
def _masked_values(
    x: Any, value: Any, rtol: Any = 1e-05, atol: Any = None, shrink: bool = True
) -> Any:
    """The absolute tolerance carries a unit; without one it is 0 for quantities."""
    raw, unit = parts_of(x, "da.ma.masked_values")
    near = _one(_aligned(ops.get("equal"), (x, value))[1])
    if atol is None:
        tolerance: Any = 1e-08 if unit.key is Unit("").key else 0.0
    else:
        tolerance = _one(in_unit(unit.delta, atol, "atol= of da.ma.masked_values"))
    return wrap(own("ma.masked_values")(raw, near, rtol, tolerance, shrink), unit)


@named(FUNCTIONS, "ma.masked_where")
def _masked_where(condition: Any, a: Any) -> Any:
    raw, unit = parts_of(a, "da.ma.masked_where")
    return wrap(own("ma.masked_where")(pure(condition, "a condition"), raw), unit)


def _kept(name: str) -> Handler:
    """Functions of one array, whose unit stays."""

    def run(a: Any, **kwargs: Any) -> Any:
        raw, unit = parts_of(a, f"da.ma.{name}")
        return wrap(own(f"ma.{name}")(raw, **pure(kwargs, f"da.ma.{name}")), unit)

    return run


_KEPT = ("masked_invalid", "getdata", "ones_like", "zeros_like", "empty_like")
FUNCTIONS.update({f"ma.{name}": _kept(name) for name in _KEPT})


def _plain(name: str) -> Handler:
    """Functions that ask for the holes alone."""

    def run(a: Any, *args: Any, **kwargs: Any) -> Any:
        raw, _ = parts_of(a, f"da.ma.{name}")
        operation = f"da.ma.{name}"
        return own(f"ma.{name}")(raw, *pure(args, operation), **pure(kwargs, operation))

    return run


FUNCTIONS.update({f"ma.{name}": _plain(name) for name in ("getmaskarray", "count")})


def _filling(value: Any, unit: Unit, name: str) -> Any:
    """A filling value in the unit of the array; NumPy's own is another one in each unit."""
    if value is None:
        if unit.key is Unit("").key:
            return None
        raise UnitError(
            f"{name} of {unit} would fill holes with 1e20 in any unit",
            f"say with what: {name}(x, 0 * Unit({str(unit)!r}))",
        )
    if getattr(value, "shape", ()):
        raise NotANumber(f"{name}: fill_value", f"an array of shape {value.shape}")
    return _one(in_unit(unit, value, name))


def _filled(name: str) -> Handler:
    def run(a: Any, fill_value: Any = None) -> Any:
        raw, unit = parts_of(a, f"da.ma.{name}")
        return wrap(own(f"ma.{name}")(raw, _filling(fill_value, unit, f"da.ma.{name}")), unit)

    return run


FUNCTIONS.update({f"ma.{name}": _filled(name) for name in ("filled", "fix_invalid")})


@named(FUNCTIONS, "ma.set_fill_value")
def _set_fill_value(a: Any, fill_value: Any) -> None:
    """In place, as Dask has it: the array stands for other blocks from now on."""
    raw, unit = parts_of(a, "da.ma.set_fill_value")
    own("ma.set_fill_value")(raw, _filling(fill_value, unit, "da.ma.set_fill_value"))


@named(FUNCTIONS, "ma.masked_array")
def _masked_array(data: Any, mask: Any = np.ma.nomask, fill_value: Any = None, **kw: Any) -> Any:
    """Numbers with holes where the mask is true."""
    raw, unit = parts_of(data, "da.ma.masked_array")
    if fill_value is not None:
        fill_value = _filling(fill_value, unit, "da.ma.masked_array")
    options = pure(kw, "da.ma.masked_array")
    refuse_cast("da.ma.masked_array", options.get("dtype"), (raw,), unit)
    return wrap(own("ma.masked_array")(raw, pure(mask, "a mask"), fill_value, **options), unit)


@named(FUNCTIONS, "ma.average")
def _average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, keepdims: bool = False
) -> Any:
    """Weights count relative to each other; their sum is in their own unit."""
    from dimflow.dask.host.rules import RULES

    rule = RULES["average"]
    raws, units = separated((a, weights))
    plan = planned(rule, raws, units, {"returned": returned})
    raw, weight = converted(plan, raws)
    result = with_holes(own("ma.average")(raw, axis, weight, returned, keepdims), (raw, weight))
    if not returned:
        return wrap(result, plan.result)  # type: ignore[arg-type]
    return tuple(wrap(part, unit) for part, unit in zip(result, plan.result, strict=True))  # type: ignore[arg-type]


@named(FUNCTIONS, "ma.where")
def _where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Picked values in the unit of the first; holes stay holes."""
    if x is None and y is None:
        return FUNCTIONS["ma.nonzero"](condition)
    op = ops.get("where")
    raws, units = separated((condition, x, y))
    plan = planned(op, raws, units, {})
    return wrap(own("ma.where")(*converted(plan, raws)), plan.result)  # type: ignore[arg-type]


@named(FUNCTIONS, "ma.nonzero")
def _nonzero(a: Any) -> Any:
    """Where elements are neither zero nor holes; only pure numbers and lengths have a zero."""
    raw, _ = parts_of(ops.not_equal(a, 0), "da.ma.nonzero")
    return own("ma.nonzero")(raw)
