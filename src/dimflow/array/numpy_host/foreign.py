"""Ufuncs that are not NumPy's: SciPy's, numba's, those of np.frompyfunc. They know no units.

Pure numbers go in as numbers, whatever library holds them, and numbers come out as pure ones; what
else a function of Python returns is handed on. A quantity is refused, since nobody knows what the
function does to its unit.
"""

from typing import Any

from dimflow import ops
from dimflow.array.core import Core
from dimflow.array.dimarray import wrap
from dimflow.array.indexing import raw_key
from dimflow.array.interpreter import converted, planned, separated
from dimflow.array.numpy_host.out import run_into
from dimflow.array.numpy_host.parts import refuse_traced
from dimflow.array.numpy_host.rules import rule
from dimflow.array.numpy_host.ufuncs import defaults
from dimflow.backends import Backend, backend_of
from dimflow.backends.holes import has_holes, refuse_blind
from dimflow.backends.reading import refused
from dimflow.errors import (
    PointError,
    PureNumberError,
    TracedValueError,
    UnitError,
    UnsupportedFunction,
)
from dimflow.ops import Op
from dimflow.ops.dispatch import interpreter_of
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.units import PURE, RADIAN, pure_to_pure, resolve
from dimflow.units import Unit

# SciPy's functions of angles, whose numbers are not radians: a radian is no 1 of theirs.
_ANGLES = {
    **dict.fromkeys(("sindg", "cosdg", "tandg", "cotdg"), ("deg",)),
    **dict.fromkeys(("mathieu_cem", "mathieu_sem"), ("", "", "deg")),
    "radian": ("deg", "arcmin", "arcsec"),
}
_ANY = rule("foreign", "x, /", pure_to_pure)  # how any of them treats an argument


def call(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a ufunc, or one of its methods, with the numbers."""
    is_call = method == "__call__"
    name = f"the ufunc {ufunc.__name__}{'' if is_call else '.' + method}"
    written = inputs[:1] if method == "at" else kwargs.get("out", ())
    for target in written if isinstance(written, tuple) else (written,):
        if isinstance(target, Core) and target._unit.key is not PURE.key:
            reason = f"it writes pure numbers, and the target is in {target._unit}"
            raise UnsupportedFunction(name, reason, "leave out= away, and name the result")
    raws = list(inputs)
    for i, value in enumerate(inputs):
        if i == 1 and method in ("at", "reduceat"):
            raws[i] = raw_key(value)
        elif isinstance(value, Core) or hasattr(value, "unit") or hasattr(value, "units"):
            raws[i] = _numbers(ufunc, name, inputs, i)
    kwargs = {
        key: value._parameter(key, name) if isinstance(value, Core) and key != "out" else value
        for key, value in kwargs.items()
    }
    count = ufunc.nout if is_call or method == "outer" else 1
    units = (None,) * count if count > 1 else None
    result = run_into(getattr(ufunc, method), tuple(raws), kwargs, units, name)
    holder = next((x._raw for x in inputs if isinstance(x, Core)), None)
    if isinstance(result, tuple):
        return tuple(_pure(part, holder) for part in result)
    return _pure(result, holder)


def _numbers(ufunc: Any, name: str, inputs: tuple[Any, ...], place: int) -> Any:
    """The numbers of one argument, or an error that names our own function of that name."""
    ours = _ours(ufunc)
    (raw,), (unit,) = separated((inputs[place],))
    hint = None if ours is None else f"{_called(ours)} can be followed"
    refuse_traced(raw, name, hint)
    if has_holes(raw):
        refuse_blind(name)
    wanted = _ANGLES.get(ufunc.__name__, ("",) * len(inputs))[place]
    if wanted and isinstance(unit, Unit) and unit.dimension is RADIAN.dimension:
        angle = f"it takes the numbers of an angle in {wanted}: x.to_value({wanted!r})"
        raise PureNumberError(name, unit, hint=angle)
    try:
        numbers = converted(resolve(_ANY, (unit,), {}), (raw,))[0]
    except PureNumberError as error:
        advice = error.hint
        if ours is not None and len(inputs) == len(ours.array_names):
            advice = _advice(ours, inputs)
        raise PureNumberError(name, unit, hint=advice) from None
    except PointError as error:
        raise PointError(name, unit, error.hint) from None
    library = interpreter_of(type(numbers))
    if isinstance(library, Backend) and not hasattr(type(numbers), "__array_ufunc__"):
        try:
            return library.to_numpy(numbers)
        except TracedValueError as error:
            raise refused(name, error.verb, hint or error.hint) from None
    return numbers


def _ours(ufunc: Any) -> Op | None:
    """The op of the same name and of as many arguments."""
    try:
        op = ops.get(ufunc.__name__)
    except KeyError:
        return None
    return op if op.unit is not None and len(op.array_names) == ufunc.nin else None


def _called(op: Op) -> str:
    return f"dimflow.{op.namespace}.{op.name}" if op.namespace else f"dimflow.{op.name}"


def _advice(op: Op, inputs: tuple[Any, ...]) -> str | None:
    """Our own function, where it takes these units; else what it says of them."""
    try:
        planned(op, *separated(inputs), defaults(op))
    except PureNumberError as error:
        return error.hint or f"divide by a reference value first: {_called(op)}(x / x0)"
    except UnitError:
        return None
    return f"{_called(op)} knows units"


def _pure(result: Any, like: Any) -> Any:
    """Numbers as pure ones, in the library of the arguments; targets and objects as they are."""
    if isinstance(result, Core) or not hasattr(result, "dtype") or kind_of(result) not in "biufc":
        return result
    made = wrap(result, PURE)
    if like is None or interpreter_of(type(result)) is interpreter_of(type(like)):
        return made
    return made.to_backend(backend_of(like).name)
