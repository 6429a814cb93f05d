"""A function of NumPy by the op of the table: the op's rule plans, NumPy's function works."""

import inspect
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from dimflow.array.core import Core
from dimflow.array.dimarray import DimArray
from dimflow.array.interpreter import converted, planned, refuse_cut, separated
from dimflow.array.numpy_host.out import dressed, run_into, written
from dimflow.array.numpy_host.parts import refuse_traced
from dimflow.array.numpy_host.rules import refuses
from dimflow.backends.numpy_kernels.joining import widened
from dimflow.errors import UnsupportedFunction
from dimflow.ops import Op
from dimflow.ops.dispatch import interpreter_of, wrappers
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.values import refuse_cut_like

_P = inspect.Parameter
_STATIC = frozenset((int, bool, str, type(None)))
_LIMIT = 1 << 10  # plans kept for one function
_ABSENT: Final = np._NoValue  # what NumPy itself takes for an argument that was left out


class _Slot(NamedTuple):
    """Where an array or parameter of the op stands among NumPy's arguments."""

    name: str
    place: int | None  # None: NumPy has no such argument
    is_many: bool
    default: Any


class ByOp:
    """Called like the function of NumPy that it stands for.

    `other` runs instead on arrays of other libraries, if the op itself cannot.
    """

    def __init__(self, function: Any, name: str, op: Op, other: "ByOp | None" = None) -> None:
        self.function = function
        self.name = name
        self.op = op
        self.other = other  # what runs on the arrays of other libraries
        self.parameters = _parameters(function, name)
        self._bind = _binder(function.__name__, self.parameters)
        self._arrays, self._static = self._slots()
        taken = {slot.place for slot in (*self._arrays, *self._static)}
        self._rest = [i for i in range(len(self.parameters)) if i not in taken]
        self._known: dict[int, tuple[Any, Any]] = {}  # plans by the unit of the only array
        self._limit, self._harmless = self._simple_calls()

    def _simple_calls(self) -> tuple[int, frozenset[str]]:
        """How many arguments, and which by name, a call may have for which units alone matter."""
        rule, first = self.op.unit, self._arrays[0]
        if rule is None or rule.needs_params or rule.needs_shapes or first.is_many or first.place:
            return 0, frozenset()
        special = {slot.place for slot in self._arrays[1:]}
        names = [p.name for p in self.parameters]
        special |= {i for i, name in enumerate(names) if name in ("dtype", "out")}
        places = range(1, len(names))
        limit = next((i for i in places if i in special), len(names))
        return limit, frozenset(names[i] for i in places if i not in special)

    def _slots(self) -> tuple[list[_Slot], list[_Slot]]:
        """Arrays of the op by position, all else by name."""
        names = [p.name for p in self.parameters]
        arrays: list[_Slot] = []
        static: list[_Slot] = []
        for i, own in enumerate(self.op.signature.parameters.values()):
            by_position = own.kind in (_P.POSITIONAL_ONLY, _P.VAR_POSITIONAL)
            place = i if by_position else names.index(own.name) if own.name in names else None
            is_array = own.name in self.op.array_names
            is_many = own.kind is _P.VAR_POSITIONAL or own.name == self.op.variadic
            default = None if own.default is own.empty else own.default
            default = _DEFAULTS.get(self.name, {}).get(own.name, default)
            (arrays if is_array else static).append(_Slot(own.name, place, is_many, default))
        return arrays, static

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        known = self._known.get(args[0]._unit._serial) if self._is_simple(args, kwargs) else None
        if known is not None:
            convert, unit = known
            raw = args[0]._raw
            raw = raw if convert is None else convert(raw)
            return dressed(self.function(raw, *args[1:], **kwargs), unit)
        values = self._bind(*args, **kwargs)
        arrays, counts = self._sorted(values)
        if self.op.unit is None:  # its parts resolve the units, also those of edges or ends
            return self._elsewhere(args, kwargs, arrays, self._params(values, keep=True), values)
        params = self._params(values)
        raws, units = separated(arrays)
        if any(
            raw is not None and interpreter_of(type(raw)).rank > 0 for raw in raws
        ) or not wrappers.isdisjoint(map(type, params.values())):
            return self._elsewhere(args, kwargs, arrays, params, values)
        plan = planned(self.op, raws, units, params)
        if self._is_simple(args, kwargs):
            if len(self._known) >= _LIMIT:
                self._known.clear()
            self._known[args[0]._unit._serial] = (plan.converters or (None,))[0], plan.result
        raws = self._widened(converted(plan, raws))
        positional, keywords = self._filled(values, raws, counts)
        dtype = keywords.get("dtype")
        if dtype is None and self.name in KEEPS_DTYPE:
            refuse_cut_like(f"np.{self.name}", np.asarray(raws[0]).dtype, raws[1])
        if dtype is not None:
            asked = {**params, "dtype": dtype}
            refuse_cut(self.op, f"np.{self.name}", raws, asked, units, plan.result)
        return run_into(self.function, positional, keywords, plan.result, f"np.{self.name}")

    def _widened(self, raws: tuple[Any, ...]) -> tuple[Any, ...]:
        """The first array in a dtype that also holds what joins its elements, which NumPy cuts."""
        for slot, raw in zip(self._arrays, raws, strict=False):
            if slot.name in _JOINING and raw is not None and not slot.is_many:
                raws = (widened(raws[0], raw), *raws[1:])
        return raws

    def _params(self, values: tuple[Any, ...], *, keep: bool = False) -> dict[str, Any]:
        """The static parameters of the op; pure numbers unless they may keep their units."""
        params: dict[str, Any] = {}
        for slot in self._static:
            value = _ABSENT if slot.place is None else values[slot.place]
            if value is _ABSENT:
                params[slot.name] = slot.default
            else:
                params[slot.name] = value if keep else self._plain(value, slot.name)
        return params

    def _elsewhere(
        self, args: Any, kwargs: Any, arrays: tuple[Any, ...], params: dict[str, Any], values: Any
    ) -> Any:
        """Not by NumPy's function: by another one of dimflow, or by the op itself."""
        if self.other is not None:
            return self.other(*args, **kwargs)
        return self._run_op(arrays, params, values)

    def _is_simple(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether the first argument is the only array, and all others are static and harmless."""
        if not self._limit or not 0 < len(args) <= self._limit:
            return False
        if type(args[0]) is not DimArray or type(args[0]._raw) is not np.ndarray:
            return False
        for value in args[1:]:
            if not _is_static(value):
                return False
        for name, value in kwargs.items():
            if name not in self._harmless or not _is_static(value):
                return False
        return True

    def _sorted(self, values: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[int]]:
        """The arrays of the op, and how many each slot holds."""
        arrays: list[Any] = []
        counts: list[int] = []
        for slot in self._arrays:
            value: Any = _ABSENT if slot.place is None else values[slot.place]
            if slot.is_many:
                found = list(value)
            else:
                found = [slot.default if value is _ABSENT else value]
            arrays += found
            counts.append(len(found))
        return tuple(arrays), counts

    def _filled(
        self, values: tuple[Any, ...], raws: tuple[Any, ...], counts: list[int]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """NumPy's arguments again, with the converted raw arrays in their places."""
        filled = list(values)
        start = 0
        for slot, count in zip(self._arrays, counts, strict=True):
            part = raws[start : start + count]
            start += count
            if slot.place is not None and values[slot.place] is not _ABSENT:
                filled[slot.place] = part if slot.is_many else part[0]
        positional: list[Any] = []
        keywords: dict[str, Any] = {}
        for parameter, value in zip(self.parameters, filled, strict=True):
            name, kind = parameter.name, parameter.kind
            if kind is _P.VAR_POSITIONAL:
                positional += value
            elif value is _ABSENT:
                continue
            elif kind is _P.POSITIONAL_ONLY or parameter.default is parameter.empty:
                positional.append(self._plain(value, name))
            else:
                keywords[name] = value if name == "out" else self._plain(value, name)
        return tuple(positional), keywords

    def _plain(self, value: Any, name: str) -> Any:
        """A parameter as NumPy takes it: a DimArray of pure numbers gives these."""
        if isinstance(value, Core):
            return value._parameter(name, f"np.{self.name}")
        if type(value) is tuple and any(isinstance(v, Core) for v in value):
            return tuple(self._plain(v, name) for v in value)
        return value

    def _run_op(self, arrays: tuple[Any, ...], params: dict[str, Any], values: Any) -> Any:
        """By the op itself: on another library's arrays, or by its definition."""
        if refuses(self.op):
            self.op.rule("definition")(*arrays)
        rest = {self.parameters[i].name: values[i] for i in self._rest}
        given = {name: value for name, value in rest.items() if value is not _ABSENT}
        defaults = {p.name: p.default for p in self.parameters}
        out = given.pop("out", None)
        given.pop("subok", None)  # the results are arrays of ours, either way
        for name, value in given.items():
            if value is not defaults[name] and value is not None:
                for array in arrays:
                    refuse_traced(getattr(array, "_raw", array), f"np.{self.name}({name}=...)")
                reason = f"{name}= has no meaning for the op {self.op.name}"
                raise UnsupportedFunction(f"np.{self.name}", reason, "leave it away")
        if self.name.startswith("lib.scimath") and kind_of(arrays[0]) != "c":
            reason = "whether its result is complex depends on the values"
            raise UnsupportedFunction(f"np.{self.name}", reason, "x.astype('complex128') first")
        result = self.op.run(arrays, params)
        return result if out is None else written(result, out, f"np.{self.name}")


def _is_static(value: Any) -> bool:
    """Whether this is a number of things, a text or a flag, or several numbers of things."""
    if type(value) is tuple:
        return all(type(v) is int for v in value)
    return type(value) in _STATIC


# Arguments that the result holds beside the elements of the first array.
_JOINING = ("initial", "values", "to_begin", "to_end")

# The result has the dtype of the first array, whatever the values are.
KEEPS_DTYPE = ("full_like",)

# Where a function's defaults are others than those of the op.
_LAST_AXES = {"axis1": -2, "axis2": -1}
_DEFAULTS = {"linalg.diagonal": _LAST_AXES, "linalg.trace": _LAST_AXES}

# What NumPy takes as **kwargs, by name.
_KEYWORDS = {"pad": ("stat_length", "constant_values", "end_values", "reflect_type")}


# What functions written in C do not tell before NumPy 2.4, or take by name and tell otherwise.
SIGNATURES = {
    "bincount": "x, /, weights=None, minlength=0",
    "concatenate": "arrays, /, axis=0, out=None, *, dtype=None, casting='same_kind'",
    "dot": "a, b, out=None",
    "empty_like": "prototype, dtype=None, order='K', subok=True, shape=None, *, device=None",
    "inner": "a, b, /",
    "lexsort": "keys, axis=-1",
    "packbits": "a, /, axis=None, bitorder='big'",
    "unpackbits": "a, /, axis=None, count=None, bitorder='big'",
    "unravel_index": "indices, shape, order='C'",
    "vdot": "a, b, /",
}


def _signature(function: Any, name: str) -> inspect.Signature:
    if name not in SIGNATURES:
        return inspect.signature(function)
    scope: dict[str, Any] = {}
    exec(f"def function({SIGNATURES[name]}): ...", scope)
    return inspect.signature(scope["function"])


def _parameters(function: Any, name: str) -> list[inspect.Parameter]:
    """NumPy's own parameters; keywords that it does not name in its signature among them."""
    parameters = _signature(function, name).parameters.values()
    found = [p for p in parameters if p.kind is not _P.VAR_KEYWORD]
    extra = _KEYWORDS.get(name, ())
    return found + [_P(keyword, _P.KEYWORD_ONLY, default=_ABSENT) for keyword in extra]


def _binder(name: str, parameters: list[inspect.Parameter]) -> Callable[..., tuple[Any, ...]]:
    """A function of the same signature that gives its arguments as a tuple.

    It is generated, so that a wrong call fails with Python's own message.
    """
    texts: list[str] = []
    previous = None
    for parameter in parameters:
        kind = parameter.kind
        if previous is _P.POSITIONAL_ONLY and kind is not previous:
            texts.append("/")
        if kind is _P.KEYWORD_ONLY and previous not in (kind, _P.VAR_POSITIONAL):
            texts.append("*")
        prefix = "*" if kind is _P.VAR_POSITIONAL else ""
        is_optional = parameter.default is not parameter.empty
        texts.append(f"{prefix}{parameter.name}{'=_absent' if is_optional else ''}")
        previous = kind
    if previous is _P.POSITIONAL_ONLY:
        texts.append("/")
    names = "".join(f"{p.name}, " for p in parameters)
    scope: dict[str, Any] = {"_absent": _ABSENT}
    exec(f"def {name}({', '.join(texts)}): return ({names})", scope)  # NumPy's own names
    return scope[name]  # type: ignore[no-any-return]
