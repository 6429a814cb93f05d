"""Unit rules: what each argument converts to, and the unit of the result.

A rule is a pure function of a `Call`: units, and if it says so static parameters and shapes. It
never sees values. `resolve` memoises it on the spelled units.
"""

from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, NamedTuple, overload

from dimflow.errors import (
    DimensionError,
    MissingRule,
    NotANumber,
    PureNumberError,
    UnitChoiceError,
    UnitConversionError,
)
from dimflow.units import Unit
from dimflow.units.alike import are_alike, readings
from dimflow.units.tables import builtin
from dimflow.units.unit import make_twin

if TYPE_CHECKING:
    from dimflow.ops.record import Op

_MEMO_LIMIT = 1 << 12  # plans of one op

Shape = tuple[int | None, ...]  # None: a length that only the data knows


class Literal:
    """The unit of a bare number that means the same in every unit: 0, or an infinity or nan."""

    __slots__ = ("_serial", "name")

    def __init__(self, name: str, serial: int) -> None:
        self.name = name
        self._serial = serial  # below those of units

    def __repr__(self) -> str:
        return f"<literal {self.name}>"


ZERO: Final = Literal("zero", -1)
ENDLESS: Final = Literal("inf or nan", -2)
PURE: Final = Unit("")
# That of a bare array while a trace stands in its place. It means PURE. Among bare arrays and pure
# numbers every result is bare, as it is without a trace: np.degrees(x) is then no angle.
BARE: Final = make_twin(PURE)
RADIAN: Final = builtin.parse("rad")  # whatever a scope makes of the name

AnyUnit = Unit | Literal | None  # None: an argument that was left out


class Call(NamedTuple):
    """What a rule may look at."""

    op: "Op"
    units: tuple[AnyUnit, ...]
    params: dict[str, Any]
    shapes: tuple[Shape | None, ...]

    @property
    def proper(self) -> list[Unit]:
        """The units of arguments that have one."""
        return [u for u in self.units if isinstance(u, Unit)]

    def argument(self, index: int) -> str:
        """What the argument is called, for messages."""
        names = self.op.array_names
        if names == ("x", "y"):
            return ("left", "right")[index]
        if self.op.variadic or index >= len(names):
            return f"{names[-1]}[{index - len(names) + 1}]"
        return names[index]


class Resolved(NamedTuple):
    """The unit that each argument is converted to (None: left alone), and that of the result.

    The result is None where it is plain (an index, a count), and a tuple for several outputs.
    """

    targets: tuple[Unit | None, ...]
    result: "Unit | tuple[Unit | None, ...] | None"


class UnitRule(NamedTuple):
    """A rule and what it needs beside the units."""

    function: Callable[[Call], Resolved]
    needs_params: bool = False
    needs_shapes: bool = False

    def __call__(self, call: Call) -> Resolved:
        return self.function(call)


@overload
def unit_rule(function: Callable[[Call], Resolved]) -> UnitRule: ...
@overload
def unit_rule(
    *, params: bool = False, shapes: bool = False
) -> Callable[[Callable[[Call], Resolved]], UnitRule]: ...
def unit_rule(
    function: Callable[[Call], Resolved] | None = None,
    *,
    params: bool = False,
    shapes: bool = False,
) -> Any:
    """Make a function of a `Call` a rule; `params` and `shapes` say that it looks at them."""
    if function is None:
        return lambda function: UnitRule(function, params, shapes)
    return UnitRule(function, params, shapes)


class Plan:
    """A rule, resolved: how to convert each argument (None: not at all), and the result's unit."""

    __slots__ = ("converters", "result")

    converters: tuple[Callable[[Any], Any] | None, ...] | None
    result: Unit | tuple[Unit | None, ...] | None

    def __init__(self, converters: Any, result: Any) -> None:
        self.converters = converters
        self.result = result


def resolve(
    op: "Op",
    units: tuple[AnyUnit, ...],
    params: dict[str, Any],
    shapes: tuple[Shape | None, ...] = (),
) -> Plan:
    """What to do for these units. The plan is kept with the op."""
    rule: UnitRule = op.unit or op.rule("unit")
    key: Any = tuple([None if u is None else u._serial for u in units])
    if rule.needs_params or rule.needs_shapes:
        if rule.needs_params:
            params = settled(params)
            values = [v._serial if type(v) is Unit else v for v in params.values()]
            key = (key, shapes, tuple(params), tuple(values))
        else:
            key = (key, shapes)
        try:
            known = op.plans.get(key)
        except TypeError:  # a parameter that has no hash, such as a list
            return _planned(op, rule, Call(op, units, params, shapes))
    else:
        known = op.plans.get(key)
    if known is not None:
        return known
    plan = _planned(op, rule, Call(op, units, params, shapes))
    if len(op.plans) >= _MEMO_LIMIT:
        op.plans.clear()
    op.plans[key] = plan
    return plan


def settled(params: dict[str, Any]) -> dict[str, Any]:
    """Parameters with `unit=` as a Unit: a memo must not keep what a string means in one scope."""
    asked = params.get("unit")
    return params if asked is None or type(asked) is Unit else {**params, "unit": Unit(asked)}


def _planned(op: "Op", rule: UnitRule, call: Call) -> Plan:
    from dimflow.ops.rules.convert import converter

    if any(unit is BARE for unit in call.units):
        return _planned_bare(op, rule, call)
    for index, unit in enumerate(call.units):
        if unit is None and op.is_required(index):
            raise NotANumber(f"{op.name}: {call.argument(index)}", "None")
    if any(u.law is not None for u in call.proper):
        if op.points is None:
            raise MissingRule(op.name, "points rule")
        resolved = op.points(rule, call)
    else:
        resolved = rule(call)
    converters = tuple(
        converter(unit, target) if isinstance(unit, Unit) and target is not None else None
        for unit, target in zip(call.units, resolved.targets, strict=True)
    )
    return Plan(converters if any(converters) else None, resolved.result)


def _planned_bare(op: "Op", rule: UnitRule, call: Call) -> Plan:
    """The plan for bare arrays: that of pure numbers, with bare results if nothing has a unit."""
    units = tuple(PURE if unit is BARE else unit for unit in call.units)
    plan = _planned(op, rule, call._replace(units=units))
    has_unit = any(unit.key is not PURE.key for unit in call.proper)
    if has_unit or call.params.get("unit") is not None:
        return plan
    return Plan(plan.converters, _bare(plan.result))


def _bare(result: Any) -> Any:
    if type(result) is tuple:
        return tuple(map(_bare, result))
    return None if result is None else BARE


# Parts of rules


def common(call: Call, indices: "range | tuple[int, ...] | None" = None) -> Unit:
    """The unit that arguments of one dimension meet in: the first's.

    Where some carry an angle and others do not (ω·r + v), a radian counts as 1 and they meet in
    the first that has none. `are_alike` decides which units meet at all.
    """
    chosen = {
        u._serial: (i, u)
        for i, u in reversed(tuple(enumerate(call.units)))
        if isinstance(u, Unit) and (indices is None or i in indices)
    }
    if not chosen:
        return PURE
    places = sorted(chosen.values(), key=lambda place: place[0])
    for (i, one), (j, other) in combinations(places, 2):
        if not are_alike(one, other):
            raise unlike(call.op.name, one, other, (call.argument(i), call.argument(j)))
    first = places[0][1]
    if all(u.dimension is first.dimension for _, u in places):
        return first
    bare = first.dimension.without_angle()
    return next((u for _, u in places if u.dimension is bare), first)


def unlike(op: str, one: Unit, other: Unit, names: tuple[str, str]) -> DimensionError:
    """The error for units that do not meet, with what they may have meant."""
    hint = readings(other, one, names[::-1])
    return DimensionError(op, one, other, hint, names)


def finest(call: Call) -> Unit:
    """The unit that arguments meet in if whole multiples are to stay whole: 1 km // 1 m is 1000.

    It is the common one, or a finer one of which that is a whole multiple.
    """
    unit = common(call)
    for other in call.proper:
        if other.dimension is unit.dimension and other.law is None and unit.law is None:
            ratio = unit.key.scale / other.key.scale
            if ratio.is_rational and ratio.denominator == 1:
                unit = unit if ratio.numerator == 1 else other
    return unit


def coarsest(call: Call) -> Unit:
    """The largest unit among those of the arguments, whatever their order.

    Values are divided rather than multiplied: 7 cm is 0.07 m, but 0.07 m is not quite 7 cm.
    """
    unit = common(call)
    for other in call.proper:
        if other.dimension is unit.dimension and other.law is None and unit.law is None:
            unit = other if float(other.key.scale) > float(unit.key.scale) else unit
    return unit


def pure(call: Call, index: int, hint: str | None = None) -> None:
    """Ask that an argument is a pure number, where an angle in radians counts as one."""
    unit = call.units[index]
    if isinstance(unit, Unit):
        ask_pure(call.op.name, unit, call.argument(index), hint)


def ask_pure(operation: str, unit: Unit, name: str, hint: str | None = None) -> None:
    """PureNumberError unless values in a unit are pure numbers, or radians, which count as 1."""
    if not are_alike(unit, PURE):
        raise PureNumberError(operation, unit, name, readings(unit, PURE, (name,)) or hint)


def count(call: Call, index: int) -> None:
    """Ask that an argument is a number without a unit: a conversion would not leave it whole."""
    unit = call.units[index]
    if isinstance(unit, Unit) and unit.key is not PURE.key:
        hint = "it takes whole numbers without a unit, and a conversion does not leave them whole"
        raise PureNumberError(call.op.name, unit, call.argument(index), hint)


def to(call: Call, *targets: Unit | None) -> tuple[Unit | None, ...]:
    """One target for each argument: the last one given counts for all that follow."""
    missing = len(call.units) - len(targets)
    return (*targets, *([targets[-1]] * missing))


def unit_of(call: Call, index: int) -> Unit:
    """The unit of an argument; a literal counts as a pure number."""
    unit = call.units[index]
    return unit if isinstance(unit, Unit) else PURE


# The rules


@unit_rule
def same(call: Call) -> Resolved:
    """All arguments in one unit, and the result too."""
    unit = common(call)
    return Resolved(to(call, unit), unit)


@unit_rule
def same_to_plain(call: Call) -> Resolved:
    """All arguments in one unit; the result is plain (an index, a count)."""
    return Resolved(to(call, common(call)), None)


@unit_rule
def same_to_mask(call: Call) -> Resolved:
    """All arguments in one unit; the result is a mask, which is an array of pure numbers."""
    return Resolved(to(call, common(call)), PURE)


@unit_rule
def compared(call: Call) -> Resolved:
    """As same_to_mask, in a unit that does not depend on the order: x < y where y > x."""
    return Resolved(to(call, coarsest(call)), PURE)


@unit_rule
def finely(call: Call) -> Resolved:
    """As same, in a unit in which whole multiples stay whole."""
    unit = finest(call)
    return Resolved(to(call, unit), unit)


@unit_rule
def any_to_plain(call: Call) -> Resolved:
    """Units do not matter, and the result has none: argmax, argsort, shape."""
    return Resolved(to(call, None), None)


@unit_rule
def any_to_mask(call: Call) -> Resolved:
    """Units do not matter; the result is a mask, which is an array of pure numbers: isnan."""
    return Resolved(to(call, None), PURE)


@unit_rule
def first(call: Call) -> Resolved:
    """The result has the first argument's unit; the others (indices, masks, lengths) are pure."""
    for i in range(1, len(call.units)):
        pure(call, i)
    return Resolved((None, *([PURE] * (len(call.units) - 1))), unit_of(call, 0))


@unit_rule
def product(call: Call) -> Resolved:
    """The product of all units."""
    unit = unit_of(call, 0)
    for i in range(1, len(call.units)):
        unit = unit * unit_of(call, i)
    return Resolved(to(call, None), unit)


@unit_rule
def quotient(call: Call) -> Resolved:
    """The first unit over the second."""
    return Resolved(to(call, None), unit_of(call, 0) / unit_of(call, 1))


@unit_rule
def pure_to_pure(call: Call) -> Resolved:
    """Pure numbers in and out; percent and km/m are rescaled, radians count as 1."""
    for i in range(len(call.units)):
        pure(call, i)
    return Resolved(to(call, PURE), PURE)


@unit_rule
def pure_to_plain(call: Call) -> Resolved:
    """Pure numbers in, plain out: bits, logic."""
    for i in range(len(call.units)):
        pure(call, i)
    return Resolved(to(call, PURE), None)


@unit_rule
def pure_to_angle(call: Call) -> Resolved:
    """Pure numbers in, radians out."""
    for i in range(len(call.units)):
        pure(call, i)
    return Resolved(to(call, PURE), RADIAN)


@unit_rule
def angle_to_pure(call: Call) -> Resolved:
    """An angle or a pure number in (which counts as radians), a pure number out."""
    hint = "it takes an angle or a pure number"
    for i in range(len(call.units)):
        unit = call.units[i]
        if isinstance(unit, Unit) and unit.dimension is not RADIAN.dimension:
            pure(call, i, hint)
            if unit.dimension is not PURE.dimension:  # a solid angle
                raise PureNumberError(call.op.name, unit, call.argument(i), hint)
    return Resolved(to(call, PURE), PURE)


@unit_rule
def exponent_to_pure(call: Call) -> Resolved:
    """As pure_to_pure, but in any unit of angles: e to the power of i times an angle."""
    for i in range(len(call.units)):
        if unit_of(call, i).dimension is not RADIAN.dimension:
            pure(call, i)
    return Resolved(to(call, PURE), PURE)


@unit_rule
def counts(call: Call) -> Resolved:
    """Whole numbers without a unit, in and out: gcd."""
    for i in range(len(call.units)):
        count(call, i)
    return Resolved(to(call, None), PURE)


@unit_rule
def counts_to_plain(call: Call) -> Resolved:
    """Whole numbers without a unit in, plain ones out: bits."""
    return Resolved(counts(call).targets, None)


def power(exponent: Any) -> UnitRule:
    """The first unit to a fixed power: `power(2)` for var, `power("1/2")` for sqrt."""

    def raised(call: Call) -> Resolved:
        return Resolved(to(call, None), unit_of(call, 0) ** exponent)

    return UnitRule(raised)


@unit_rule(params=True)
def chosen(call: Call) -> Resolved:
    """For ops whose result depends on the unit (floor): the one chosen by `unit=`, or none."""
    unit, asked = unit_of(call, 0), call.params.get("unit")
    if asked is None:
        if unit.key is PURE.key or isinstance(call.units[0], Literal):
            return Resolved(to(call, PURE), unit)
        raise UnitChoiceError(call.op.name, unit)
    target = Unit(asked)
    for given in call.proper:
        if not are_alike(given, target):
            hint = f"give a unit of its dimension: unit={str(given)!r}"
            raise UnitConversionError(given, target, readings(given, target) or hint)
    return Resolved(to(call, target), target)
