"""Point policies: what an op does with points on a scale, such as 20 °C, 3 dBm or pH 7.

They are asked only when an argument's unit is affine or logarithmic.
"""

from collections.abc import Callable

from dimflow.errors import PointError, UnitConversionError
from dimflow.ops.rules.units import PURE, ZERO, Call, Literal, Resolved, UnitRule
from dimflow.units import Unit
from dimflow.units.alike import are_alike, is_gain, is_level_difference, is_per_level, is_slope
from dimflow.units.meaning import Affine, Logarithmic

PointRule = Callable[[UnitRule, Call], Resolved]

_GAINS = ("dB", "dB_field", "Np", "Np_power", "dex", "Bel_field", "mag")  # one for each law


def refuse(rule: UnitRule, call: Call) -> Resolved:
    """No meaning for points: 2 * (20 °C)."""
    raise _error(call, _first_point(call))


def keep(rule: UnitRule, call: Call) -> Resolved:
    """Points stay points, since values are only picked or compared: min, sort, where, concat."""
    _no_bare_zero(call)
    falling = [u for u in call.proper if isinstance(u.law, Logarithmic) and u.law.factor < 0]
    if falling and any(u.key is not falling[0].key for u in call.proper):
        ratio = str(falling[0].linear) or "pure numbers"
        hint = f"convert all arguments to {falling[0]} or to {ratio} first"
        raise PointError(f"{call.op.name} of mixed units", falling[0], hint)
    return rule(call)


def blend(rule: UnitRule, call: Call) -> Resolved:
    """Averages of points are points; of logarithms they are not averages: mean, interp, median."""
    _no_logarithms(call)
    _no_bare_zero(call)
    return rule(call)


def steps(rule: UnitRule, call: Call) -> Resolved:
    """Differences as minus has them, so that those of levels are gains: diff."""
    level = next((u for u in call.proper if isinstance(u.law, Logarithmic)), None)
    if level is None:
        return delta(rule, call)
    gain = subtract(rule, call._replace(units=(level, level))).result
    return Resolved(rule(call).targets, gain)


def delta(rule: UnitRule, call: Call) -> Resolved:
    """Differences of points: diff, std, ptp."""
    _only_differences(call)
    targets, result = rule(call)
    if isinstance(result, tuple):
        return Resolved(targets, tuple(u and u.delta for u in result))
    return Resolved(targets, result and result.delta)


def count(rule: UnitRule, call: Call) -> Resolved:
    """A gain beside a quantity with a dimension is a number of steps: 6 dB / (3 km) is 2 dB/km."""
    units = tuple(u.delta if isinstance(u, Unit) and is_gain(u) else u for u in call.units)
    found = [u for u in units if isinstance(u, Unit)]
    is_counted = any(not u.is_dimensionless or is_slope(u) for u in found)
    if not any(u.law for u in found) and is_counted:
        return rule(call._replace(units=units))
    raise _error(call, _first_point(call))


def count_over(rule: UnitRule, call: Call) -> Resolved:
    """The same for a quotient: 2 V less by 6 dB are 1 V, so only the gain itself is divided."""
    over = call.units[0]
    if isinstance(over, Unit) and is_gain(over):
        return count(rule, call)
    raise _error(call, _first_point(call))


def count_per(rule: UnitRule, call: Call) -> Resolved:
    """The same for a product: 2 V more by 6 dB are 4 V, but 2 V/dB times 6 dB are 12 V."""
    if any(map(is_per_level, call.proper)):
        return count(rule, call)
    raise _error(call, _first_point(call))


def unshifted(rule: UnitRule, call: Call) -> Resolved:
    """What the zero of a scale does not move, so that it is a difference: the imaginary part."""
    targets, result = rule(call)
    assert isinstance(result, Unit)
    return Resolved(targets, result.delta)


def differences(*indices: int) -> PointRule:
    """Points may stand in these arguments, of which only differences matter: integrals over x."""

    def policy(rule: UnitRule, call: Call) -> Resolved:
        units = list(call.units)
        for i in indices:
            unit = units[i]
            if isinstance(unit, Unit) and isinstance(unit.law, Affine):
                units[i] = unit.delta
        changed = call._replace(units=tuple(units))
        _only_differences(changed)
        if any(u.law is not None for u in changed.proper):
            raise _error(call, _first_point(changed))
        targets = list(rule(changed).targets)
        for i in indices:
            unit, target = units[i], targets[i]
            if unit is not call.units[i] and target is not None and isinstance(unit, Unit):
                if target.key is not unit.key:
                    raise _error(call, _first_point(call))
                targets[i] = None  # the points of a scale differ by its own differences
        return Resolved(tuple(targets), rule(changed).result)

    return policy


def free(rule: UnitRule, call: Call) -> Resolved:
    """Values do not matter: zeros_like, isnan, shape."""
    return rule(call)


def add(rule: UnitRule, call: Call) -> Resolved:
    """A point plus a difference is a point; two points have no sum."""
    left, right = call.units
    if not isinstance(left, Unit) or left.law is None or _moves(left, right):
        swapped = add(rule, call._replace(units=(right, left)))
        return Resolved(swapped.targets[::-1], swapped.result)
    return _moved(call, left, right)


def moved(rule: UnitRule, call: Call) -> Resolved:
    """What is added to elements of an array: a point moves by a difference, in its own unit."""
    point, by, *others = call.units
    if not isinstance(point, Unit) or point.law is None:
        raise _error(call, _first_point(call))
    return Resolved((*_moved(call, point, by).targets, *[PURE] * len(others)), point)


def subtract(rule: UnitRule, call: Call) -> Resolved:
    """A point less a difference is a point; the difference of two points is a difference."""
    left, right = call.units
    if not isinstance(left, Unit) or left.law is None:
        assert isinstance(right, Unit)
        raise _error(call, right)
    gain = _gain_between(left, right)
    if gain is not None:
        return Resolved((left, left), gain)
    if not isinstance(right, Unit) or (
        isinstance(left.law, Logarithmic) or right.law is None or right.dimension != left.dimension
    ):
        if right == left and not is_gain(left):  # of pH, whose gains have no name but delta_pH
            return Resolved((left, left), left.delta)
        return _moved(call, left, right)
    return Resolved((left, left), left.delta)


def _moved(call: Call, point: Unit, by: "Unit | Literal | None") -> Resolved:
    if isinstance(point.law, Logarithmic):
        if isinstance(by, Unit) and _is_gain(point, by):
            return Resolved((None, None), point)
        step = None if "(" in str(point) else point.delta
        if isinstance(by, Unit) and is_level_difference(by) and step and are_alike(by, step):
            return Resolved((None, step), point)
        gain = _gain(point)
        if isinstance(by, Unit) and gain is not None and _is_as_good(by, gain):
            return Resolved((None, gain), point)
        raise _error(call, point, gain)
    if by is ZERO:
        return Resolved((None, None), point)
    if isinstance(by, Unit) and by.law is None and are_alike(by, point.delta):
        return Resolved((None, point.delta), point)
    if isinstance(by, Unit) and by.law is None:
        raise UnitConversionError(by, point.delta, "a point moves by a difference")
    raise _error(call, point)


def _is_gain(point: Unit, by: Unit) -> bool:
    """Whether `by` is a level without a reference, of the same kind: dB beside dBm."""
    return isinstance(point.law, Logarithmic) and is_gain(by) and by.law == _law_of_gains(point)


def _is_as_good(by: Unit, gain: Unit) -> bool:
    """Whether it converts to that gain as a level: 1 Bel, or 2 dB/km times 3 km."""
    if is_level_difference(by):
        return are_alike(by, gain)
    are_levels = all(isinstance(u.law, Logarithmic) and u.law.factor > 0 for u in (by, gain))
    return is_gain(by) and are_levels and are_alike(by, gain)


def _moves(by: Unit, point: "Unit | Literal | None") -> bool:
    """Whether a gain stands before the level that it moves: 3 dB + 10 dBm."""
    if not isinstance(point, Unit) or point.law is None:
        return False
    if not is_gain(by) or is_gain(point) or not isinstance(point.law, Logarithmic):
        return False
    gain = _gain(point)
    return _is_gain(point, by) or (gain is not None and _is_as_good(by, gain))


def _gain_between(left: Unit, right: "Unit | Literal | None") -> Unit | None:
    """The level without a reference that lies between two of one kind: dBm - dBW is in dB."""
    if not isinstance(right, Unit) or not isinstance(left.law, Logarithmic):
        return None
    if right.law != left.law or right.dimension is not left.dimension or _is_gain(left, right):
        return None
    return _gain(left)


def _gain(level: Unit) -> Unit | None:
    """The level of the same law without a reference; there is none for pH."""
    return next((unit for unit in map(Unit, _GAINS) if unit.law == _law_of_gains(level)), None)


def _law_of_gains(level: Unit) -> Logarithmic:
    """That of dB for dBA; an octave moves by octaves alone."""
    assert isinstance(level.law, Logarithmic)
    return level.law if is_gain(level) else level.law.of_gains


def _first_point(call: Call) -> Unit:
    return next(u for u in call.proper if u.law is not None)


def _no_logarithms(call: Call) -> None:
    for unit in call.proper:
        if isinstance(unit.law, Logarithmic):
            raise _error(call, unit)


def _only_differences(call: Call) -> None:
    """An error for levels, with the way to what they differ by."""
    for unit in call.proper:
        if isinstance(unit.law, Logarithmic):
            gain = unit if is_gain(unit) else _gain(unit)
            counted = (gain or unit).delta
            moved = "x" if is_gain(unit) else f"(x - 0 * Unit({str(unit)!r}))"
            hint = f"of differences it has one: {moved}.to({str(counted)!r})"
            raise PointError(call.op.name, unit, hint)


def _no_bare_zero(call: Call) -> None:
    """A bare 0 is no point: 0 °C is not 0 K."""
    if ZERO in call.units:
        unit = _first_point(call)
        hint = f"write the zero with its unit: 0 * Unit({str(unit)!r})"
        raise PointError(f"{call.op.name} with a bare 0", unit, hint)


def _error(call: Call, unit: Unit, gain: Unit | None = None) -> PointError:
    if isinstance(unit.law, Affine):
        hint = f"convert to {unit.linear} for the absolute value; differences are in {unit.delta}"
    elif is_gain(unit):
        hint = (
            f"say which is meant: x.to({str(unit.delta)!r}), a gain that adds and scales, or "
            "x.to(''), the ratio"
        )
    elif call.op.name == "mean" and isinstance(unit.law, Logarithmic) and unit.law.field:
        linear = str(unit.linear)
        hint = f"of the squares: ((x.to({linear!r})**2).mean()**0.5).to({str(unit)!r})"
    else:
        hint = f"convert it first: x.to({str(unit.linear)!r})"
    if gain is not None:
        hint += f"; a level moves by a gain, such as 3 * Unit({str(gain)!r})"
    return PointError(call.op.name, unit, hint)
