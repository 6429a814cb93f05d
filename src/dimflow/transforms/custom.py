"""custom_gradient: functions that bring their own derivative, whose units are checked.

A rule is linear in what it gets. The way back starts from a loss in the unit of the (first) result,
so that the cotangent of a single result is a pure number, and that of an argument is in
[result]/[argument].
"""

import inspect
from collections.abc import Callable
from functools import update_wrapper
from types import MethodType
from typing import Any, NamedTuple

from dimflow import autodiff, ops
from dimflow.backends.abstract import Abstract
from dimflow.errors import (
    DimensionError,
    MissingRule,
    PointError,
    ShapeMismatch,
    StructureMismatch,
    UnitError,
)
from dimflow.ops import dispatch
from dimflow.ops.rules.convert import checked_converter
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.units import PURE
from dimflow.transforms.calls import (
    Leaf,
    as_array,
    difference,
    labelled,
    leaf_of,
    paths_of,
    put_together,
    taken_apart,
    with_units,
)
from dimflow.transforms.engines import library_of
from dimflow.transforms.location import with_location
from dimflow.transforms.structure import mapped
from dimflow.units import Unit
from dimflow.units.alike import are_alike

_REMEMBERED = 256  # sets of units for which a rule has been checked

Function = Callable[..., Any]
_SURE = (DimensionError, MissingRule, PointError, ShapeMismatch, StructureMismatch)


class CustomGradient:
    """A function with a derivative of its own; see `custom_gradient`."""

    def __init__(self, function: Function, static: tuple[str, ...]) -> None:
        update_wrapper(self, function)
        self.__name__ = getattr(function, "__name__", type(function).__name__)
        self.function = function
        self.static = static
        self.vjp_rule: Function | None = None
        self.jvp_rule: Function | None = None
        self._checked: set[Any] = set()
        self._signature = inspect.signature(function)
        for name in static:
            if name not in self._signature.parameters:
                known = ", ".join(self._signature.parameters)
                problem = f"{self.__name__} has no argument {name!r} to be static"
                raise UnitError(problem, f"its arguments are {known}")

    def defvjp(self, rule: Function) -> Function:
        """Take `rule(ct, out, *args)` as the way back: it gives a cotangent for each argument."""
        self.vjp_rule = rule
        self._checked.clear()
        return rule

    def defjvp(self, rule: Function) -> Function:
        """Take `rule(tangents, out, *args)` as the way forward: it gives the result's tangent."""
        self.jvp_rule = rule
        self._checked.clear()
        return rule

    def __get__(self, owner: Any, _cls: Any = None) -> Any:
        """As a method."""
        return self if owner is None else MethodType(self, owner)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function gives, with the derivative by its rules."""
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        call = _Call(self, bound)
        raws = tuple(leaf.raw for leaf in call.leaves)
        pull = call.pull if call.has_way_back else None
        push = call.push if self.jvp_rule is not None else None
        outs = autodiff.custom_call(call.run, raws, pull, push, self.__name__)
        self._check(call, outs)
        return call.result(outs)

    def _check(self, call: "_Call", outs: tuple[Any, ...]) -> None:
        """Run the rules without data, once for each set of units: a mistake shows at once."""
        key = tuple(leaf.unit for leaf in (*call.leaves, *call.out))
        if key in self._checked or dispatch.is_traced(0):
            return
        if len(self._checked) >= _REMEMBERED:
            self._checked.clear()
        try:
            call.check(outs)
        except _SURE as error:
            raise with_location(error) from None
        except Exception:  # it needs values, and is checked when it has them
            return
        self._checked.add(key)


class _Place(NamedTuple):
    """An array among the arguments, for messages and for what belongs to it."""

    argument: str
    path: str

    def __str__(self) -> str:
        return f"{self.argument}{self.path}"


class _Call:
    """One call: its arrays, and the rules as functions of raw arrays."""

    def __init__(self, custom: CustomGradient, bound: inspect.BoundArguments) -> None:
        self.custom = custom
        self.name = custom.__name__
        self.bound = bound
        self.library = library_of(bound.arguments)
        self.leaves: list[Leaf] = []
        self.places: list[_Place] = []
        self.structures = {
            name: value if name in custom.static else self._taken(name, value)
            for name, value in bound.arguments.items()
        }
        self.holders = list(dict.fromkeys(place.argument for place in self.places))
        self.out: list[Leaf] = []
        self._structure: Any = None
        self._way_back: Function | None = None  # that the function gave beside its result

    def _taken(self, name: str, value: Any) -> Any:
        """The structure of an argument, its arrays put aside."""
        leaves, structure = taken_apart(self.name, value, keep=True)
        self.leaves += leaves
        self.places += [_Place(name, path) for path in paths_of(structure)]
        return structure

    @property
    def has_way_back(self) -> bool:
        """Whether there is a rule for it; TensorFlow's style gives one with every result."""
        return self.custom.vjp_rule is not None or self.custom.jvp_rule is None

    # The function

    def _arguments(self, raws: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arguments with units, as the function and its rules get them."""
        values = with_units(raws, self.leaves)
        filled = {
            name: value if name in self.custom.static else put_together(value, values)
            for name, value in self.structures.items()
        }
        bound = inspect.BoundArguments(self.bound.signature, filled)
        return bound.args, bound.kwargs

    def run(self, *raws: Any) -> tuple[Any, ...]:
        """The function on raw arrays."""
        args, kwargs = self._arguments(raws)
        result = self.custom.function(*args, **kwargs)
        if self.custom.vjp_rule is None and self.custom.jvp_rule is None:
            result, self._way_back = self._with_way_back(result)
        self.out, self._structure = taken_apart(self.name, result)
        return tuple(as_array(leaf.raw, self.library) for leaf in self.out)

    def _with_way_back(self, result: Any) -> tuple[Any, Function]:
        if isinstance(result, tuple) and len(result) == 2 and callable(result[1]):
            return result
        hint = (
            "return the pair (result, function of its cotangent), or give a rule: "
            f"@{self.name}.defvjp or @{self.name}.defjvp"
        )
        raise MissingRule(self.name, "derivative of its own", hint)

    def result(self, outs: Any) -> Any:
        """Results with units, in their structure."""
        return put_together(self._structure, with_units(outs, self.out))

    # The rules

    def pull(self, cts: Any, outs: Any, args: Any) -> list[Any]:
        """Raw cotangents of the arguments, by the rule for the way back."""
        whole = difference(self.out[0].unit) if self.out else PURE
        given = [
            labelled(_or_zeros(ct, out), whole / difference(leaf.unit), leaf.is_bare)
            for ct, out, leaf in zip(cts, outs, self.out, strict=True)
        ]
        ct = put_together(self._structure, iter(given))
        values, named = self._arguments(args)
        rule = self.custom.vjp_rule
        if rule is not None:
            found = rule(ct, self.result(outs), *values, **named)
        else:
            found = self._again(values, named)(*ct if type(ct) is tuple else (ct,))
        what = f"the vjp rule of {self.name}"
        back = self._by_argument(what, found)
        return [
            self._fitting(what, str(place), part, whole / difference(leaf.unit), value)
            for part, place, leaf, value in zip(back, self.places, self.leaves, args, strict=True)
        ]

    def _again(self, values: Any, named: Any) -> Function:
        """The way back that the function gives for these values, which may be followed anew."""
        return self._with_way_back(self.custom.function(*values, **named))[1]

    def push(self, tangents: Any, outs: Any, args: Any) -> list[Any]:
        """Raw tangents of the results, by the rule for the way forward."""
        moved: list[Any] = []
        for tangent, leaf, value in zip(tangents, self.leaves, args, strict=True):
            is_fixed = kind_of(value) not in "fc"
            unit = difference(leaf.unit)
            filled = None if is_fixed else labelled(_or_zeros(tangent, value), unit, leaf.is_bare)
            moved.append(filled)
        given = iter(moved)
        each = tuple(put_together(self.structures[name], given) for name in self.holders)
        values, named = self._arguments(args)
        assert self.custom.jvp_rule is not None
        found = self.custom.jvp_rule(each, self.result(outs), *values, **named)
        what = f"the jvp rule of {self.name}"
        paths = paths_of(self._structure)
        parts = _matched(what, "the result", found, paths)
        return [
            self._fitting(what, f"result{path}", part, difference(leaf.unit), out)
            for part, path, leaf, out in zip(parts, paths, self.out, outs, strict=True)
        ]

    def _by_argument(self, what: str, found: Any) -> list[Any]:
        """What a rule gave for each array among the arguments."""
        names = self.holders
        every = [name for name in self.structures if name not in self.custom.static]
        if len(names) == 1 and not isinstance(found, (tuple, list)):
            found = (found,)
        if not isinstance(found, (tuple, list)) or len(found) not in (len(names), len(every)):
            got = f"{len(found)}" if isinstance(found, (tuple, list)) else type(found).__name__
            wanted = f"a cotangent for each argument, ({', '.join(names)})"
            raise StructureMismatch(
                what, wanted, got, "None stands for an argument without influence"
            )
        if len(found) != len(names):
            pairs = zip(every, found, strict=True)
            found = [part for name, part in pairs if name in names]
        given = dict(zip(names, found, strict=True))
        parts: list[Any] = []
        for name in names:
            paths = [place.path for place in self.places if place.argument == name]
            parts += _matched(what, name, given[name], paths)
        return parts

    def _fitting(self, what: str, place: str, found: Any, unit: Unit, value: Any) -> Any:
        """The raw numbers of what a rule gave, in the unit and shape that belong there."""
        if found is None or kind_of(value) not in "fc":
            return None
        leaf = leaf_of(what, found, "")
        raw = leaf.raw
        if not hasattr(raw, "shape"):
            if raw == 0:
                return None
            raw = ops.zeros_like(value) + raw
        if not are_alike(leaf.unit, unit):
            hint = f"what it gives for {place} must be in {str(unit) or '1'}"
            names = ("given", "wanted")
            raise DimensionError(f"{what}, for {place},", leaf.unit, unit, hint, names)
        convert = checked_converter(leaf.unit, unit)
        raw = raw if convert is None else convert(raw)
        if shape_of(raw) != shape_of(value):
            wanted = f"shape {shape_of(value)} for {place}"
            raise ShapeMismatch(what, wanted, shape_of(raw), "sum over what was broadcast")
        return raw

    def check(self, outs: tuple[Any, ...]) -> None:
        """Run the rules on units and shapes alone."""
        args = [_abstract(leaf.raw) for leaf in self.leaves]
        made = [_abstract(out) for out in outs]
        if self.has_way_back:
            self.pull(made, made, args)
        if self.custom.jvp_rule is not None:
            self.push(args, made, args)


def _matched(what: str, name: str, found: Any, paths: list[str]) -> list[Any]:
    """The parts of what a rule gave, for each path; None for a branch without influence."""
    parts: dict[str, Any] = {}
    mapped(found, lambda part, path: parts.setdefault(path, part))
    matched = []
    for path in paths:
        place = path
        while place and place not in parts:
            place = place[: max(place.rfind("["), place.rfind("."), 0)]
        if place not in parts or (place != path and parts[place] is not None):
            known = ", ".join(f"{name}{p}" for p in parts) or "nothing"
            raise StructureMismatch(what, f"something for {name}{path}", known)
        matched.append(parts[place])
    return matched


def _or_zeros(found: Any, value: Any) -> Any:
    return ops.zeros_like(value) if found is None else found


def _abstract(raw: Any) -> Any:
    from dimflow.backends import backend_of

    return Abstract(shape_of(raw), backend_of(raw).numpy_dtype(raw))


def custom_gradient(function: Function | None = None, *, static: str | tuple[str, ...] = ()) -> Any:
    """A function with a derivative of its own, in both modes, of every order, on every library.

        @custom_gradient
        def kinetic(m, v):
            return 0.5 * m * v**2

        @kinetic.defvjp
        def _(ct, out, m, v):             # one cotangent for each argument; None for zero
            return ct * 0.5 * v**2, ct * m * v

        @kinetic.defjvp
        def _(tangents, out, m, v):       # the tangent of the result
            dm, dv = tangents
            return 0.5 * v**2 * dm + m * v * dv

    One of the two rules is enough: the other mode is its transpose. In TensorFlow's style the
    function itself gives a pair, the result and the function from its cotangent to those of the
    arguments; it runs once more on the way back.

    Rules get and give arrays with units. A cotangent is in [loss]/[argument], where the loss is
    taken in the unit of the result, so that `ct` itself is a pure number; a tangent is in the unit
    of what it belongs to. Another dimension is an error at the first call, or in
    `dimflow.check(kinetic, "kg", "m/s")`, without any data. Arguments may be structures of arrays;
    those named in `static`, and all that are no arrays, are passed on as they are. What is
    differentiated must be an argument: to close over it is an error, but for MLX's own engine,
    which cannot see it and takes it for constant. `torch.compile` runs the function between two
    compiled parts.
    """
    names = (static,) if isinstance(static, str) else tuple(static)
    if function is None:
        return lambda function: CustomGradient(function, names)
    return CustomGradient(function, names)
