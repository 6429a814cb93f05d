"""Point policies: what an op does with points on a scale, such as 20 °C, 3 dBm or pH 7.

They are asked only when an argument's unit is affine or logarithmic.
"""

from collections.abc import Callable

from dimflow.errors import PointError, UnitConversionError
from dimflow.ops.rules.units import PURE, ZERO, Call, Literal, Resolved, UnitRule
from dimflow.units import Unit
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
        hint = f"convert all arguments to {falling[0]} or to {falling[0].linear} first"
        raise PointError(f"{call.op.name} of mixed units", falling[0], hint)
    return rule(call)


def blend(rule: UnitRule, call: Call) -> Resolved:
    """Averages of points are points; of logarithms they are not averages: mean, interp, median."""
    _no_logarithms(call)
    _no_bare_zero(call)
    return rule(call)


def delta(rule: UnitRule, call: Call) -> Resolved:
    """Differences of points: diff, std, ptp."""
    _no_logarithms(call)
    targets, result = rule(call)
    if isinstance(result, tuple):
        return Resolved(targets, tuple(u and u.delta for u in result))
    return Resolved(targets, result and result.delta)


def unshifted(rule: UnitRule, call: Call) -> Resolved:
    """What the zero of a scale does not move, so that it is a difference: the imaginary part."""
    targets, result = rule(call)
    assert isinstance(result, Unit)
    try:
        return Resolved(targets, result.delta)
    except PointError:
        return Resolved(targets, PURE)  # of pH, whose differences have no name


def differences(*indices: int) -> PointRule:
    """Points may stand in these arguments, of which only differences matter: integrals over x."""

    def policy(rule: UnitRule, call: Call) -> Resolved:
        units = list(call.units)
        for i in indices:
            unit = units[i]
            if isinstance(unit, Unit) and isinstance(unit.law, Affine):
                units[i] = unit.delta
        changed = call._replace(units=tuple(units))
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
        if (
            isinstance(right, Unit)
            and right.law is None
            and not _is_delta(right)
            and isinstance(left.law, Affine)
            and right.dimension is left.dimension
        ):
            raise PointError(
                f"{call.op.name} of {right}",
                left,
                f"{right} may be a temperature or a difference: convert it to {left} or to "
                f"{left.delta}",
            )
        return _moved(call, left, right)
    return Resolved((left, left), left.delta)


def _moved(call: Call, point: Unit, by: "Unit | Literal | None") -> Resolved:
    if by is ZERO:
        return Resolved((None, None), point)
    if isinstance(point.law, Logarithmic):
        if isinstance(by, Unit) and _is_gain(point, by):
            return Resolved((None, None), point)
        raise _error(call, point, _gain(point))
    if isinstance(by, Unit) and by.law is None and by.dimension is point.dimension:
        return Resolved((None, point.delta), point)
    if isinstance(by, Unit) and by.dimension is not point.dimension and by.law is None:
        raise UnitConversionError(by, point.delta, f"{call.op.name} moves a point by a difference")
    raise _error(call, point)


def _is_gain(point: Unit, by: Unit) -> bool:
    """Whether `by` is a level without a reference, of the same kind: dB beside dBm."""
    return by.law == point.law and by.key.scale is PURE.key.scale and by.is_dimensionless


def _moves(by: Unit, point: "Unit | Literal | None") -> bool:
    """Whether a gain stands before the level that it moves: 3 dB + 10 dBm."""
    if not isinstance(point, Unit) or point.law is None:
        return False
    return _is_gain(point, by) and not _is_gain(by, point)


def _gain_between(left: Unit, right: "Unit | Literal | None") -> Unit | None:
    """The level without a reference that lies between two of one kind: dBm - dBW is in dB."""
    if not isinstance(right, Unit) or not isinstance(left.law, Logarithmic):
        return None
    if right.law != left.law or right.dimension is not left.dimension or _is_gain(left, right):
        return None
    return _gain(left)


def _gain(level: Unit) -> Unit | None:
    """The level of the same law without a reference; there is none for pH."""
    return next((unit for unit in map(Unit, _GAINS) if unit.law == level.law), None)


def _is_delta(unit: Unit) -> bool:
    return any(atom.name.startswith("delta_") for atom, _ in unit.atoms)


def _first_point(call: Call) -> Unit:
    return next(u for u in call.proper if u.law is not None)


def _no_logarithms(call: Call) -> None:
    for unit in call.proper:
        if isinstance(unit.law, Logarithmic):
            raise _error(call, unit)


def _no_bare_zero(call: Call) -> None:
    """A bare 0 is no point: 0 °C is not 0 K."""
    if ZERO in call.units:
        unit = _first_point(call)
        hint = f"write the zero with its unit: 0 * Unit({str(unit)!r})"
        raise PointError(f"{call.op.name} with a bare 0", unit, hint)


def _error(call: Call, unit: Unit, gain: Unit | None = None) -> PointError:
    if isinstance(unit.law, Affine):
        hint = f"convert to {unit.linear} for the absolute value; differences are in {unit.delta}"
    else:
        hint = f"convert to {str(unit.linear) or 'a pure number'} first"
    if gain is not None:
        hint += f"; a level moves by a gain in {gain}"
    return PointError(call.op.name, unit, hint)
