"""A function of PyTorch by a rule: the rule plans the units, PyTorch's own function works."""

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.overrides import get_testing_overrides

from dimflow.array.core import Core
from dimflow.array.dimarray import wrap
from dimflow.array.in_place import in_unit
from dimflow.array.interpreter import planned, separated
from dimflow.errors import DimensionError, NotANumber, UnitChoiceError
from dimflow.ops import Op
from dimflow.ops.dispatch import is_traced
from dimflow.ops.rules.units import PURE, Plan
from dimflow.torch import tracing
from dimflow.torch.host.entries import Entry
from dimflow.units import Unit

_NEW_NAME = "give the result a name of its own: y = f(x)"


class Slot(NamedTuple):
    """Where an array stands among the arguments."""

    place: int | None
    name: str | None
    is_many: bool = False
    is_number: bool = False
    is_maybe: bool = False  # an array only if it is a tensor
    is_zero: bool = False  # if it is left out


@cache
def _signatures() -> dict[Any, Any]:
    return get_testing_overrides()


def parameters(function: Any) -> list[str]:
    """The names of a function's parameters, from PyTorch's own list of overrides."""
    try:
        known = inspect.signature(_signatures()[function])
    except (KeyError, TypeError, ValueError):
        return []
    return list(known.parameters)


def slots_of(function: Any, at: tuple[str, ...] | None, count: int) -> tuple[Slot, ...]:
    """The slots of an entry: the first arguments, or where `at` says."""
    names = parameters(function)
    texts = at if at is not None else tuple(str(i) for i in range(count))
    found = []
    for text in texts:
        word = text.rstrip("#*?!")
        if word.isdigit():
            place: int | None = int(word)
            name = names[int(word)] if int(word) < len(names) else None
        else:
            place, name = (names.index(word) if word in names else None), word
        found.append(Slot(place, name, "*" in text, "#" in text, "?" in text, "!" in text))
    return tuple(found)


def is_tensor(value: Any) -> bool:
    """Whether this is a tensor, with or without a unit."""
    return isinstance(value, (Tensor, Core))


def bare(value: Any, name: str) -> Any:
    """An argument that carries no unit: pure DimTensors as their numbers, an error for others."""
    if isinstance(value, Core):
        return value._pure(f"an argument of {name}")
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
        self.writes = writes
        count = 1 if op.family == "torch" else len(_positional(op))
        self.slots = slots_of(function, entry.at, count)
        # what a rule of the table expects beside these: arrays that may be left out
        self.absent = 0 if op.family == "torch" else len(op.array_names) - len(self.slots)
        self.arity = self._arity()
        self.params = entry.params
        self.names = parameters(function)
        self.defaults = {
            p.name: None if p.default is p.empty else p.default
            for p in op.signature.parameters.values()
            if p.name not in op.array_names
        }

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        out = kwargs.pop("out", None)
        if self.writes:
            out = args[0]
        given = list(args)
        places, values = self._arrays(given, kwargs)
        places += [None] * self.absent
        values += [None] * self.absent
        raws, plan = self._planned(values, self._static(args, kwargs))
        if plan is None:
            return self._across(given, kwargs, places, raws)
        for place, raw, convert in zip(
            places, raws, plan.converters or (None,) * len(raws), strict=True
        ):
            if place is not None:
                _put(given, kwargs, place, raw if convert is None else convert(raw))
        given = [bare(value, self.name) for value in given]
        kwargs = {key: bare(value, self.name) for key, value in kwargs.items()}
        if out is not None:
            return self._written(given, kwargs, out, plan)
        return dressed(self.function(*given, **kwargs), plan.result, self.fields)

    def _arity(self) -> int | None:
        """How many arrays it takes where these are all of its arguments, one result and no more."""
        plain = all(slot == Slot(i, slot.name) for i, slot in enumerate(self.slots))
        special = self.writes or self.is_everywhere or self.fields or self.absent
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
                place = (place, "number")
            places.append(place)
            values.append(0 if slot.is_zero and value is None else value)
        return places, values

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
        except UnitChoiceError as error:
            error.hint = (
                f"choose one: dimflow.{self.op.name if self.op.family != 'torch' else self.name}"
                f"(..., unit={str(error.unit)!r}), or give it x.to_value(...)"
            )
            raise
        except DimensionError as error:
            if self.op.across is not None:
                return raws, None
            if error.operation in _SHOWN:
                error.operation = f"torch.{self.name}"
            raise

    def _across(self, args: list[Any], kwargs: Any, places: list[Any], raws: Any) -> Any:
        """What equality gives across dimensions, for every element."""
        for place, raw in zip(places, raws, strict=True):
            if place is not None:
                _put(args, kwargs, place, raw)
        if self.writes:
            raise NotANumber(self.name, "two dimensions, in place")
        return self.function(*args, **kwargs) & False | bool(self.op.across)

    # Writing

    def _written(self, args: list[Any], kwargs: dict[str, Any], out: Any, plan: Plan) -> Any:
        """Run into a target: at once if the result is in its unit, else by a conversion."""
        targets = list(out) if isinstance(out, (tuple, list)) else [out]
        units = list(plan.result) if type(plan.result) is tuple else [plan.result] * len(targets)
        if self.fields:
            units = [u if f == "1" else None for u, f in zip(units, self.fields, strict=False)]
        converted = plan.converters is not None and plan.converters[0] is not None
        if all(map(_fits, targets, units)) and not (self.writes and converted):
            raws = [t._raw if isinstance(t, Core) else t for t in targets]
            if not self.writes:
                kwargs["out"] = type(out)(raws) if isinstance(out, (tuple, list)) else raws[0]
            else:
                args[0] = raws[0]
            self.function(*args, **kwargs)
            return out
        if self.writes:
            return self._rewritten(args, kwargs, out, plan)
        results = self.function(*args, **kwargs)
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


def _put(args: list[Any], kwargs: dict[str, Any], place: Any, value: Any) -> None:
    """An argument in its place again."""
    if type(place) is tuple:
        where, key = place
        if type(key) is str and key == "number":
            return _put(args, kwargs, where, value.item() if isinstance(value, Tensor) else value)
        where[key] = value
    elif type(place) is int:
        args[place] = value
    else:
        kwargs[place] = value
    return None


def _fits(target: Any, unit: Any) -> bool:
    """Whether a result is in the unit of the target already."""
    own = target._unit if isinstance(target, Core) else PURE
    return unit is own or (own is PURE and (unit is None or unit.key is PURE.key))


def _copy(targets: list[Any], results: Any, units: list[Any]) -> None:
    """Results into targets, in the units of these; all are converted before one is written."""
    ready = []
    for target, result, unit in zip(targets, results, units, strict=False):
        own = target._unit if isinstance(target, Core) else PURE
        value = result if unit is None else wrap(result, unit)
        ready.append(in_unit(own, value, "out=", _NEW_NAME))
    for target, raw in zip(targets, ready, strict=False):
        (target._raw if isinstance(target, Core) else target).copy_(raw)


# Parameters that PyTorch's list of overrides does not name.
_PLACES = {("prod", "dim"): 1, ("diff", "n"): 1}
_SHOWN = frozenset(
    ("kept", "picked", "blended", "linear", "found", "measured", "products", "plus_product")
)

Handler = Callable[..., Any]
