"""A function of PyTorch by a rule: the rule plans the units, PyTorch's own function works."""

import inspect
import sys
from collections.abc import Callable, Iterable
from functools import cache
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.overrides import get_testing_overrides

from dimflow.array.core import Core
from dimflow.array.dimarray import wrap
from dimflow.array.in_place import in_unit
from dimflow.array.interpreter import converted, planned, separated, values_read
from dimflow.backends.torch_kernels.functions import adapted
from dimflow.backends.torch_kernels.reads import number_of, refuse_numbers
from dimflow.errors import (
    DimensionError,
    NotANumber,
    PureNumberError,
    UnitChoiceError,
    UnitError,
    UnsupportedFunction,
)
from dimflow.ops import TABLE, Op
from dimflow.ops.dispatch import is_traced
from dimflow.ops.rules import dtypes
from dimflow.ops.rules.units import PURE, Plan
from dimflow.ops.rules.values import depends_on_unit, refuse_cut
from dimflow.torch import tracing
from dimflow.torch.host.entries import Entry
from dimflow.units import Unit
from dimflow.units.alike import is_number

# What some of PyTorch's functions do not hand on to `__torch_function__`.
FORGOTTEN = {"nn.functional.l1_loss": "weight", "chain_matmul": "out"}

_NEW_NAME = "give the result a name of its own: y = f(x)"


class Slot(NamedTuple):
    """Where an array stands among the arguments."""

    place: int | None
    name: str | None
    is_many: bool = False
    is_number: bool = False
    is_maybe: bool = False  # an array only if it is a tensor
    is_zero: bool = False  # if it is left out
    is_scaled: bool = False  # by a factor of its own, such as alpha=
    power: int = 0  # of the first array's unit, in which it is a tolerance


@cache
def _signatures() -> dict[Any, Any]:
    return get_testing_overrides()


@cache
def parameters(function: Any) -> dict[str, Any]:
    """A function's parameters and their defaults.

    By its own signature, or where that does not tell, by PyTorch's list of overrides.
    """
    own, listed = (_signature(known) for known in (function, _signatures().get(function)))
    return {name: listed.get(name) if own[name] is None else own[name] for name in own} or listed


def _signature(function: Any) -> dict[str, Any]:
    if not isinstance(function, FunctionType):
        return {}
    found = inspect.signature(function).parameters.values()
    if any(p.kind is p.VAR_POSITIONAL for p in found):
        return {}
    return {p.name: None if p.default is p.empty else p.default for p in found}


def slots_of(function: Any, at: tuple[str, ...] | None, count: int) -> tuple[Slot, ...]:
    """The slots of an entry: the first arguments, or where `at` says."""
    names = list(parameters(function))
    texts = at if at is not None else tuple(str(i) for i in range(count))
    found = []
    for text in texts:
        text, _, power = text.partition("~")
        word = text.rstrip("#*?!@")
        if word.isdigit():
            place: int | None = int(word)
            name = names[int(word)] if int(word) < len(names) else None
        else:
            place, name = (names.index(word) if word in names else None), word
        kinds = ("*" in text, "#" in text, "?" in text, "!" in text, "@" in text)
        found.append(Slot(place, name, *kinds, int(power or 0)))
    return tuple(found)


def is_tensor(value: Any) -> bool:
    """Whether this is a tensor, with or without a unit."""
    return isinstance(value, (Tensor, Core))


def bare(value: Any, name: str) -> Any:
    """An argument that carries no unit: pure DimTensors as their numbers, an error for others."""
    if isinstance(value, Core):
        raw = value._pure(f"an argument of {name}")
        return raw.item() if isinstance(raw, (np.ndarray, np.generic)) and not raw.ndim else raw
    if type(value) in (list, tuple):
        return type(value)([bare(v, name) for v in value])
    return value


def dressed(result: Any, unit: Any, fields: str = "") -> Any:
    """Raw results with their units, in the containers that PyTorch gave."""
    if unit is None:
        return result
    if isinstance(result, Tensor):
        return tracing.made(result, unit) if is_traced(0) else wrap(result, unit)
    if isinstance(result, (tuple, list)):
        parts = []
        for i, part in enumerate(result):
            if type(unit) is tuple:
                own = unit[i] if i < len(unit) else None
            else:
                own = unit if not fields or fields[i : i + 1] == "1" else None
            parts.append(dressed(part, own))
        return _packed(result, parts)
    return result


def _packed(like: Any, parts: list[Any]) -> Any:
    """Parts in a container of the same kind."""
    kind = type(like)
    if kind is list or kind is tuple:
        return kind(parts)
    return kind(*parts) if hasattr(like, "_fields") else kind(parts)


class Planned:
    """Called like the function of PyTorch that it stands for."""

    def __init__(self, function: Any, name: str, op: Op, entry: Entry, *, writes: bool) -> None:
        self.function = function
        self.name = name
        self.op = op
        self.is_everywhere = entry.rule in ("pure", "pure_to_plain")
        self.fields = entry.fields
        self.picks = entry.rule in ("picked", "full_like")
        self.writes = writes
        count = 1 if op.family == "torch" else len(_positional(op))
        slots = slots_of(function, entry.at, count)
        self.slots = tuple(slot for slot in slots if not slot.power)
        self.tolerances = tuple(slot for slot in slots if slot.power)
        # what a rule of the table expects beside these: arrays that may be left out
        self.is_scaled = any(slot.is_scaled for slot in slots)
        self.absent = 0 if op.family == "torch" else len(op.array_names) - len(self.slots)
        self.arity = self._arity()
        self.params = entry.params
        self.names = list(parameters(function))
        self.defaults = {
            p.name: None if p.default is p.empty else p.default
            for p in op.signature.parameters.values()
            if p.name not in op.array_names
        }

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.name in FORGOTTEN:
            self._remember(kwargs)
        out = kwargs.pop("out", None)
        writes = self.writes or self._is_in_place(args, kwargs)
        if writes and not args:
            args = (kwargs.pop("input"),)  # torch.relu_(input=x)
        if writes:
            out = args[0]
        given = list(args)
        places, values = self._arrays(given, kwargs)
        places += [None] * self.absent
        values += [None] * self.absent
        raws, plan = self._planned(values, self._static(args, kwargs))
        if self.is_scaled:
            self._refuse_scaled(args, kwargs, values)
        if plan is None:
            return self._across(given, kwargs, places, raws)
        raws = as_tensors(converted(plan, raws))
        for place, raw in zip(places, raws, strict=True):
            if place is not None:
                _put(given, kwargs, place, raw)
        for slot in self.tolerances:
            self._tolerate(given, kwargs, slot, values, plan)
        given = [bare(value, self.name) for value in given]
        kwargs = {key: bare(value, self.name) for key, value in kwargs.items()}
        if not is_traced(0):
            refuse_numbers(self.function, (*enumerate(given), *kwargs.items()))
        if out is not None:
            return self._written(given, kwargs, out, plan, raws, writes)
        result = self.function(*given, **kwargs)
        self.refuse_cut(result, raws, plan.result)
        return dressed(result, plan.result, self.fields)

    def _remember(self, kwargs: dict[str, Any]) -> None:
        """What PyTorch's function was given and did not hand on, from its frame.

        A compiler calls with all arguments, and has no frames.
        """
        frame: Any = None if is_traced(0) else sys._getframe(1)
        while frame is not None and frame.f_code.co_name != self.name.rpartition(".")[2]:
            frame = frame.f_back
        word = FORGOTTEN[self.name]
        if frame is not None and frame.f_locals.get(word) is not None:
            kwargs[word] = frame.f_locals[word]

    def _is_in_place(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether `inplace=True` is given."""
        return bool(self._given("inplace", args, kwargs))

    def _given(self, name: str, args: Any, kwargs: dict[str, Any]) -> Any:
        """An argument, by its place or name; None if there is none."""
        place = self.names.index(name) if name in self.names else len(args)
        return args[place] if place < len(args) else kwargs.get(name)

    def _refuse_scaled(self, args: Any, kwargs: dict[str, Any], values: list[Any]) -> None:
        """An error where a factor would multiply a point on a scale, or stands among the arrays."""
        if len(args) > len(self.slots):
            problem = "a factor among the arrays is PyTorch's form of long ago"
            raise UnsupportedFunction(f"torch.{self.name}", problem, "give factors by their names")
        for slot, value in zip(self.slots, values, strict=True):
            if slot.is_scaled and kwargs.get("alpha", 1) != 1 and isinstance(value, Core):
                planned(TABLE["multiply"], (1, value._raw), (PURE, value._unit), {})

    def _tolerate(
        self, args: list[Any], kwargs: Any, slot: Slot, values: list[Any], plan: Plan
    ) -> None:
        """A tolerance as PyTorch takes it, in the unit of the first array, or of its differences.

        PyTorch's default, which is there so that nothing is divided by 0, has no unit: beside a
        quantity the smallest number of the dtype stands for it.
        """
        first = next((i for i, value in enumerate(values) if isinstance(value, Core)), 0)
        unit = values[first]._unit.delta if isinstance(values[first], Core) else PURE
        if is_number(unit) and plan.converters is not None and plan.converters[first] is not None:
            unit = PURE
        unit = unit**slot.power
        name = str(slot.name)
        place: Any = name
        value = kwargs.get(name)
        if slot.place is not None and slot.place < len(args):
            place, value = slot.place, args[slot.place]
        default = parameters(self.function).get(name)
        is_default = value is None or (not isinstance(value, Core) and value == default)
        if default is not None and is_default:
            if not is_number(unit) and not slot.is_number:
                dtype = next(v.dtype for v in values if isinstance(v, Core))
                dtype = dtype if dtype.is_floating_point else torch.get_default_dtype()
                _put(args, kwargs, place, torch.finfo(dtype).tiny)
                return
            value = default
        if value is not None:
            if self.op.name == "cosine" and isinstance(value, Core):
                self._refuse_several(slot, values)
            if isinstance(value, Core) and value._unit.law is not None:
                problem = f"{slot.name}= of torch.{self.name} is a difference, but got a point"
                hint = f"write the value with its unit: 5 * Unit({str(unit)!r})"
                raise UnitError(problem, hint)
            raw = as_tensor(in_unit(unit, value, f"{slot.name}= of torch.{self.name}"))
            if default is not None:
                raw = number_of(raw, f"torch.{self.name}", self.function, place)
            _put(args, kwargs, place, raw)

    def _refuse_several(self, slot: Slot, values: list[Any]) -> None:
        """One tolerance is no quantity beside arrays of two dimensions."""
        one, *others = [value._unit for value in values if isinstance(value, Core)]
        for other in others:
            if other.dimension is not one.dimension:
                problem = f"{slot.name}= of torch.{self.name} stands beside {one} and {other}"
                raise UnitError(problem, f"leave {slot.name}= out")

    def refuse_cut(self, result: Any, raws: Any, unit: Any) -> None:
        """An error where a result holds integers, and values that it is made of do not.

        By the result, since PyTorch has many words for a dtype: `dtype=`, that of another tensor.
        Some of its functions cut off fractions of their own, such as the means of integers.
        """
        if not isinstance(result, Tensor) or result.is_floating_point() or result.is_complex():
            return
        values = values_read(self.op, raws)
        if len(raws) > 1 and getattr(raws[0], "dtype", None) is result.dtype and self.picks:
            for raw in raws[1:]:  # pure numbers too: 150 % are no integer
                if raw is not None:
                    refuse_cut(raw, result.dtype)
        if self.op.family == "torch" and self.op.dtype is dtypes.floating:
            values.append(0.5)
        tracing.refuse_cast(f"torch.{self.name}", result.dtype, values, unit)

    def _arity(self) -> int | None:
        """How many arrays it takes where these are all of its arguments, one result and no more."""
        slots = [slot._replace(is_scaled=False) for slot in self.slots]
        plain = all(slot == Slot(i, slot.name) for i, slot in enumerate(slots))
        special = self.writes or self.is_everywhere or self.fields or self.absent
        plain = plain and not self.tolerances
        return len(self.slots) if plain and self.slots and not special else None

    # Taking the arguments apart

    def _arrays(self, args: list[Any], kwargs: dict[str, Any]) -> tuple[list[Any], list[Any]]:
        """Where the arrays stand (a place, a name, or a place within a list), and what they are."""
        if self.is_everywhere:
            return _everywhere(args, kwargs)
        places: list[Any] = []
        values: list[Any] = []
        for slot in self.slots:
            place: Any = None
            if slot.place is not None and slot.place < len(args):
                place = slot.place
            elif slot.name is not None and slot.name in kwargs:
                place = slot.name
            value = None if place is None else args[place] if type(place) is int else kwargs[place]
            if slot.is_many:
                self._take_many(args, kwargs, place, value, places, values)
                continue
            if place is not None and (slot.is_maybe and not is_tensor(value)):
                place, value = None, None
            if slot.is_number and isinstance(value, Core):
                place = (place, self._number)
            places.append(place)
            is_filled = slot.is_zero and self._given("mode", args, kwargs) in (None, "constant")
            values.append(0 if is_filled and value is None else value)
        return places, values

    def _number(self, value: Any, place: int | str) -> Any:
        return number_of(value, f"torch.{self.name}", self.function, place)

    def _take_many(
        self, args: list[Any], kwargs: Any, place: Any, value: Any, places: Any, values: Any
    ) -> None:
        """A list of arrays, or all arguments from a place on."""
        if isinstance(value, (list, tuple)):
            copied = list(value)
            _put(args, kwargs, place, copied)
            for i, part in enumerate(copied):
                places.append((copied, i))
                values.append(part)
        elif type(place) is int:
            for i in range(place, len(args)):
                if is_tensor(args[i]):
                    places.append(i)
                    values.append(args[i])
        elif value is not None:
            places.append(place)
            values.append(value)

    def _static(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The parameters that the rule looks at."""
        params = dict(self.defaults)
        for own, theirs in self.params:
            if theirs in kwargs:
                params[own] = kwargs[theirs]
            else:
                place = _PLACES.get((self.name.rpartition(".")[2], theirs))
                if place is None and theirs in self.names:
                    place = self.names.index(theirs)
                if place is not None and place < len(args):
                    params[own] = args[place]
        return params

    def _planned(self, values: list[Any], params: dict[str, Any]) -> tuple[Any, Plan | None]:
        """The raw arrays and the plan; None for a comparison across dimensions."""
        if is_traced(0):
            return tracing.planned_call(self.op, values, params)
        raws, units = separated(tuple(values))
        try:
            return raws, planned(self.op, raws, units, params)
        except UnitError as error:
            if type(error) is DimensionError and self.op.across is not None:
                return raws, None
            self.relabel(error)
            raise

    def relabel(self, error: Any) -> None:
        """Name what PyTorch's user gave in an error of the rule."""
        if isinstance(error, UnitChoiceError):
            if self.op.family == "torch":  # no op of ours
                error.hint = f"take the numbers in one: x.to_value({str(error.unit)!r})"
        elif isinstance(error, PureNumberError):
            error.argument = self._label(error.argument)
        elif type(error) is DimensionError:
            first, second = error.names
            error.names = self._label(first), self._label(second)

    def _label(self, name: str) -> str:
        """What PyTorch calls an argument of the rule."""
        names = self.op.array_names
        if self.op.family != "torch" or name not in names:
            return name
        slot = self.slots[min(names.index(name), len(self.slots) - 1)]
        return slot.name or name

    def _across(self, args: list[Any], kwargs: Any, places: list[Any], raws: Any) -> Any:
        """What equality gives across dimensions, for every element."""
        for place, raw in zip(places, raws, strict=True):
            if place is not None:
                _put(args, kwargs, place, raw)
        if self.writes:
            raise NotANumber(self.name, "two dimensions, in place")
        return wrap(self.function(*args, **kwargs) & False | bool(self.op.across), PURE)

    # Writing

    def _written(
        self, args: list[Any], kwargs: Any, out: Any, plan: Plan, raws: Any, writes: bool
    ) -> Any:
        """Run into a target: at once if the result is in its unit, else by a conversion."""
        targets = list(out) if isinstance(out, (tuple, list)) else [out]
        units = list(plan.result) if type(plan.result) is tuple else [plan.result] * len(targets)
        if self.fields:
            units = [u if f == "1" else None for u, f in zip(units, self.fields, strict=False)]
        may_cut = any(depends_on_unit(t.dtype, u) for t, u in zip(targets, units, strict=False))
        if writes and (may_cut or self.picks):
            for raw in raws[1:]:
                if raw is not None:
                    refuse_cut(raw, out.dtype)
        is_moved = plan.converters is not None and plan.converters[0] is not None
        if all(map(_fits, targets, units)) and not (is_moved if writes else may_cut):
            held = [t._raw if isinstance(t, Core) else t for t in targets]
            if not writes:
                kwargs["out"] = type(out)(held) if isinstance(out, (tuple, list)) else held[0]
            else:
                args[0] = held[0]
            self.function(*args, **kwargs)
            return out
        if writes:
            return self._rewritten(args, kwargs, out, plan)
        results = self.function(*args, **kwargs)
        self.refuse_cut(results, raws, plan.result)
        many = results if isinstance(results, (tuple, list)) else [results]
        _copy(targets, many, units)
        return out

    def _rewritten(self, args: list[Any], kwargs: dict[str, Any], out: Any, plan: Plan) -> Any:
        """In place, where the result must be converted: into a copy, then back."""
        unit = plan.result[0] if type(plan.result) is tuple else plan.result
        check = wrap(torch.zeros(()), unit) if isinstance(unit, Unit) else torch.zeros(())
        target = out._unit if isinstance(out, Core) else PURE
        in_unit(target, check, f"torch.{self.name}", _NEW_NAME)  # raises before anything is done
        args[0] = args[0].clone()
        result = self.function(*args, **kwargs)
        _copy([out], [result], [unit])
        return out


def _positional(op: Op) -> set[str]:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)
    return {p.name for p in op.signature.parameters.values() if p.kind in kinds}


def _everywhere(args: list[Any], kwargs: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """Every DimTensor among the arguments, also in lists."""
    places: list[Any] = []
    values: list[Any] = []

    def look(holder: Any, key: Any, value: Any) -> None:
        if isinstance(value, Core):
            places.append((holder, key))
            values.append(value)
        elif type(value) in (list, tuple) and any([is_tensor(v) for v in value]):  # noqa: C419  traced
            holder[key] = copied = list(value)
            for i, part in enumerate(copied):
                look(copied, i, part)

    for i, value in enumerate(args):
        look(args, i, value)
    for key, value in list(kwargs.items()):
        look(kwargs, key, value)
    return places, values


def as_tensor(raw: Any) -> Any:
    """A raw value as PyTorch takes it: `1 * u.m` holds one of NumPy's."""
    return torch.as_tensor(raw) if isinstance(raw, (np.ndarray, np.generic)) else raw


def as_tensors(raws: Iterable[Any]) -> tuple[Any, ...]:
    """The same for all arrays of a call: one number of NumPy's takes the dtype of those beside it.

    So does a number of Python; where that is of a lower kind, the number keeps its own precision.
    """
    raws = tuple(raws)
    if all([raw is None or isinstance(raw, Tensor) for raw in raws]):  # noqa: C419  traced
        return raws
    beside = [raw.dtype for raw in raws if isinstance(raw, Tensor)]
    return tuple([_beside(raw, beside) for raw in raws])


def _beside(raw: Any, dtypes: list[torch.dtype]) -> Any:
    tensor = as_tensor(raw)
    if tensor is raw or raw.ndim:
        return tensor
    number = raw.item()
    like = next((dtype for dtype in dtypes if adapted(number, dtype) is dtype), None)
    return tensor.to(like)


def _put(args: list[Any], kwargs: dict[str, Any], place: Any, value: Any) -> None:
    """An argument in its place again."""
    if type(place) is tuple:
        where, key = place
        if callable(key):
            return _put(args, kwargs, where, key(value, where))
        where[key] = value
    elif type(place) is int:
        args[place] = value
    else:
        kwargs[place] = value
    return None


def _fits(target: Any, unit: Any) -> bool:
    """Whether a result is in the unit of the target already."""
    own = target._unit if isinstance(target, Core) else PURE
    return unit is own or (own.key is PURE.key and (unit is None or unit.key is PURE.key))


def _copy(targets: list[Any], results: Any, units: list[Any]) -> None:
    """Results into targets, in the units of these; all are converted before one is written."""
    ready = []
    for target, result, unit in zip(targets, results, units, strict=False):
        own = target._unit if isinstance(target, Core) else PURE
        value = result if unit is None else wrap(result, unit)
        raw = in_unit(own, value, "out=", _NEW_NAME)
        refuse_cut(raw, target.dtype)
        ready.append(raw)
    for target, raw in zip(targets, ready, strict=False):
        (target._raw if isinstance(target, Core) else target).copy_(raw)


# Parameters that PyTorch's list of overrides does not name.
_PLACES = {("prod", "dim"): 1, ("diff", "n"): 1}

Handler = Callable[..., Any]
