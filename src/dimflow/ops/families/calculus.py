"""Calculus of sampled functions: differences, derivatives, integrals, interpolation."""

from math import inf, pi
from typing import Any

from dimflow import ops
from dimflow.errors import PointError, PureNumberError, ShapeMismatch, UnitError
from dimflow.ops.domain import Sample
from dimflow.ops.rules import points
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.layout import laid_out
from dimflow.ops.rules.shapes import normalized
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.units import (
    PURE,
    RADIAN,
    ZERO,
    Call,
    Resolved,
    UnitRule,
    common,
    unit_of,
    unit_rule,
    unlike,
)
from dimflow.ops.rules.values import floated
from dimflow.ops.table import composite
from dimflow.units import Unit
from dimflow.units.alike import are_alike


def along(
    ndim: int, axis: int, start: int | None, stop: int | None, step: int | None = None
) -> Any:
    """A key that takes a slice of one axis, and all of the others."""
    (axis,) = normalized(axis, ndim)
    rest = (slice(None),) * (ndim - axis - 1)
    return (slice(None),) * axis + (slice(start, stop, step), *rest)


def _axis_of(op: str, x: Any, axis: int) -> int:
    """The axis as a number from 0, for an array that has one."""
    if not shape_of(x):
        raise ShapeMismatch(op, "an array of one axis or more", shape_of(x))
    return normalized(axis, len(shape_of(x)))[0]


# Differences


@unit_rule(params=True)
def _difference(call: Call) -> Resolved:
    unit = common(call)
    return Resolved((unit,) * len(call.units), unit)


def _difference_of_points(rule: UnitRule, call: Call) -> Resolved:
    """Differences, but for n=0, which gives the points themselves; a bare 0 is no point."""
    kept = points.keep(rule, call)
    return kept if call.params["n"] == 0 else points.steps(rule, call)


def _is_bare_zero(value: Any) -> bool:
    return isinstance(value, (int, float)) and value == 0


def _with_ends(x: Any, axis: int, *, before: Any, after: Any) -> Any:
    """The array with values, or slices of the same other axes, put before and after it."""
    shape = shape_of(x)
    one = (*shape[:axis], 1, *shape[axis + 1 :])
    for value, place in ((before, 0), (after, 1)):
        if value is None:
            continue
        if _is_bare_zero(value):  # of any unit, which an array of zeros is not
            width = tuple((1 - place, place) if i == axis else (0, 0) for i in range(len(shape)))
            x = ops.pad(x, pad_width=width)
            continue
        block = value if shape_of(value) else ops.broadcast_to(value, shape=one)
        x = ops.concat([x, block] if place else [block, x], axis=axis)
    return x


@composite(
    numpy="diff",
    array_api=("diff", None),
    arrays=("x", "prepend", "append"),
    unit=_difference,
    points=_difference_of_points,
    domain=lambda rng: [
        Sample((rng.normal(size=5), None, None), {"n": 1, "axis": -1}),
        Sample((rng.normal(size=(4, 3)), None, None), {"n": 2, "axis": 0}),
        Sample((rng.normal(size=(2, 4)), rng.normal(size=(2, 1)), 0), {"n": 1, "axis": 1}),
    ],
)
def diff(x: Any, /, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """The n-th difference of neighbours along an axis. Of points (°C) it is a difference."""
    if n < 0:
        raise UnitError(f"diff needs an order of 0 or more, but got n={n}")
    axis = _axis_of("diff", x, axis)
    if n == 0:
        return x
    x = _with_ends(x, axis, before=prepend, after=append)
    for _ in range(n):
        x = x[along(x.ndim, axis, 1, None)] - x[along(x.ndim, axis, None, -1)]
    return x


@composite(
    numpy="ediff1d",
    arrays=("x", "to_end", "to_begin"),
    unit=_difference,
    points=points.differences(0),
    domain=lambda rng: [
        Sample((rng.normal(size=5), None, None)),
        Sample((rng.normal(size=(2, 3)), rng.normal(size=2), 0)),
    ],
)
def ediff1d(x: Any, /, to_end: Any = None, to_begin: Any = None) -> Any:
    """Differences of neighbours of the flattened array, between values put at the two ends."""
    flat = ops.reshape(x, shape=(-1,))
    if any(end is not None and kind_of(end) in "fc" for end in (to_begin, to_end)):
        flat = floated(flat)  # differences in the dtype that they are joined in
    before, after = (
        ops.reshape(end, shape=(-1,)) if shape_of(end) else end for end in (to_begin, to_end)
    )
    return _with_ends(flat[1:] - flat[:-1], 0, before=before, after=after)


# Derivatives


def _gradient_axes(shapes: Any, axis: Any, edge_order: int) -> tuple[int, ...]:
    """The axes of a gradient, by the shapes of f and of the spacings; an error if these are wrong.

    One step stands for all axes; else each has a step (no axes) or coordinates (one axis).
    """
    shape, *steps = shapes
    if edge_order not in (1, 2):
        raise UnitError(f"gradient has edges of order 1 or 2, but got edge_order={edge_order!r}")
    axes = normalized(axis, len(shape))
    lengths = [shape[a] for a in axes]
    if not axes or any(n is not None and n <= edge_order for n in lengths):
        wanted = f"at least {edge_order + 1} values along each axis"
        raise ShapeMismatch("gradient", wanted, shape)
    if len(steps) == 1 and not steps[0]:
        return axes
    if steps and len(steps) != len(axes):
        wanted = f"one spacing, or one for each of {len(axes)} axes"
        raise ShapeMismatch("gradient", wanted, len(steps))
    for a, n, step in zip(axes, lengths, steps, strict=False):
        if step and (len(step) != 1 or _differ(n, step[0])):
            raise ShapeMismatch("gradient", f"{n} coordinates for axis {a}", tuple(step))
    return axes


def _differ(one: Any, other: Any) -> bool:
    """Whether two lengths are known, as None and nan are not, and are not the same."""
    return all(n is not None and n == n for n in (one, other)) and one != other


def _slope(f: Any, axis: int, step: Any, edge_order: int) -> Any:
    """The derivative along one axis: second order inside, as asked at the edges.

    It is written with differences of f alone, so that points (°C) have one.
    """
    f, step = floated(f), floated(step)
    ndim, n = f.ndim, f.shape[axis]
    rise = f[along(ndim, axis, 1, None)] - f[along(ndim, axis, None, -1)]
    if shape_of(step):
        widths = step[1:] - step[:-1]
        run = ops.reshape(widths, shape=tuple(n - 1 if i == axis else 1 for i in range(ndim)))
    else:
        run = step
    slope = rise / run

    def share(one: Any, other: Any) -> Any:
        """The part that the first of two neighbouring widths has of both."""
        return run[one] / (run[one] + run[other]) if shape_of(step) else 0.5

    before, after = along(ndim, axis, None, -1), along(ndim, axis, 1, None)
    inner = f[along(ndim, axis, 2, None)] - f[along(ndim, axis, None, -2)]
    if shape_of(step):
        inner = inner / (run[before] + run[after]) + _bend(slope[before], slope[after], run, axis)
    else:
        inner = inner / (2 * run)
    first, second = along(ndim, axis, 0, 1), along(ndim, axis, 1, 2)
    last, previous = along(ndim, axis, -1, None), along(ndim, axis, -2, -1)
    head, tail = slope[first], slope[last]
    if edge_order == 2:
        head = head - (slope[second] - head) * share(first, second)
        tail = tail + (tail - slope[previous]) * share(last, previous)
    found = ops.concat([head, inner, tail], axis=axis)
    is_known = all(length == length for length in shape_of(f))  # a lazy array's may be nan
    return laid_out(found, f) if is_known else found


def _bend(left: Any, right: Any, run: Any, axis: int) -> Any:
    """What unequal widths add to the slope through both neighbours.

    Between equal ones the value itself does not count, so that its nan stays its own.
    """
    before, after = along(run.ndim, axis, None, -1), along(run.ndim, axis, 1, None)
    wider = run[after] - run[before]
    change = left - right
    unseen = ops.logical_and(ops.equal(wider, 0), ops.isnan(change))
    return ops.where(unseen, 0, change) * (wider / (run[after] + run[before]))


@unit_rule(params=True, shapes=True)
def _slopes(call: Call) -> Resolved:
    """The unit of f over that of each axis' spacing; one spacing stands for all axes."""
    axes = _gradient_axes(call.shapes, call.params["axis"], call.params["edge_order"])
    steps = [unit_of(call, i) for i in range(1, len(call.units))] or [PURE]
    steps = steps * len(axes) if len(steps) == 1 else steps
    slopes = tuple(unit_of(call, 0) / step for step in steps)
    return Resolved((None,) * len(call.units), slopes if len(slopes) > 1 else slopes[0])


def _slopes_of_points(rule: UnitRule, call: Call) -> Resolved:
    """Of values and of coordinates only differences matter."""
    return points.differences(*range(len(call.units)))(rule, call)


@composite(
    numpy="gradient",
    torch="gradient",
    unit=_slopes,
    points=_slopes_of_points,
    domain=lambda rng: [
        Sample((rng.normal(size=6),), {"axis": None, "edge_order": 1}),
        Sample((rng.normal(size=6), 0.5), {"axis": None, "edge_order": 2}, ("m", "s")),
        Sample(
            (rng.normal(size=(4, 5)), _grid(rng, 4), 2.0),
            {"axis": None, "edge_order": 2},
            ("m", "s", "kg"),
        ),
        Sample((rng.normal(size=(3, 5)), _grid(rng, 5)), {"axis": 1, "edge_order": 1}),
    ],
)
def gradient(f: Any, /, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """The derivative of sampled values along each axis; a tuple where there are several axes.

    The spacing of an axis is a step or its coordinates; the result has the unit of f over that of
    the spacing. Of points (°C) it is the derivative of their differences.
    """
    axes = _gradient_axes([shape_of(f), *map(shape_of, varargs)], axis, edge_order)
    steps = varargs or (1.0,)
    steps = steps * len(axes) if len(steps) == 1 else steps
    slopes = [_slope(f, a, step, edge_order) for a, step in zip(axes, steps, strict=True)]
    return slopes[0] if len(slopes) == 1 else tuple(slopes)


def _grid(rng: Any, n: int) -> Any:
    """Coordinates that rise by uneven steps."""
    return rng.uniform(0.5, 1.5, n).cumsum()


# Integrals


@unit_rule
def _integral(call: Call) -> Resolved:
    """The unit of y times that of x, or of the step where there is no x."""
    step = 1 if call.units[1] is not None else 2
    unit = unit_of(call, 0) * unit_of(call, step)
    if len(call.units) == 3:
        return Resolved((None, None, None), unit)
    initial = call.units[3]
    if isinstance(initial, Unit) and not are_alike(initial, unit):
        raise unlike(call.op.name, unit, initial, ("the integral", "initial"))
    return Resolved((None, None, None, unit), unit)


def _widths(y: Any, x: Any, dx: Any, axis: int, op: str) -> Any:
    """The widths of the intervals along an axis, in a shape that goes with y; or the step."""
    if x is None:
        return dx
    if len(shape_of(x)) == 1:
        n, wanted = x.shape[0], y.shape[axis]
        if n != wanted:
            raise ShapeMismatch(op, f"{wanted} coordinates x for axis {axis}", n)
        d = x[1:] - x[:-1]
        return ops.reshape(d, shape=tuple(n - 1 if i == axis else 1 for i in range(y.ndim)))
    ndim = len(shape_of(x))
    return x[along(ndim, axis - y.ndim, 1, None)] - x[along(ndim, axis - y.ndim, None, -1)]


def _beside(y: Any, x: Any) -> Any:
    """y with as many axes as its coordinates x, along which it is the same."""
    missing = 0 if x is None else len(shape_of(x)) - len(shape_of(y))
    return ops.reshape(y, shape=(*[1] * missing, *shape_of(y))) if missing > 0 else y


def _areas(y: Any, x: Any, dx: Any, axis: int, op: str) -> Any:
    """The area over each interval."""
    pairs = y[along(y.ndim, axis, 1, None)] + y[along(y.ndim, axis, None, -1)]
    return _widths(y, x, dx, axis, op) * pairs / 2.0


def _integrands(rng: Any) -> list[Sample]:
    y, x = rng.normal(size=(3, 5)), _grid(rng, 5)
    return [
        Sample((y[0], x, 1.0), {"axis": -1}),
        Sample((y, x, 1.0), {"axis": 1}),
        Sample((y, None, 0.25), {"axis": 0}),
        Sample((y, rng.normal(size=(3, 5)).cumsum(axis=1), 1.0), {"axis": 1}),
    ]


@composite(
    numpy="trapezoid",
    torch="trapezoid",
    arrays=("y", "x", "dx"),
    unit=_integral,
    points=points.differences(1),
    domain=_integrands,
)
def trapezoid(y: Any, /, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """The integral of y over x (or in steps of dx) by the trapezoidal rule.

    Its unit is that of y times that of x; x may be points (°C), whose differences count.
    """
    y = _beside(y, x)
    axis = _axis_of("trapezoid", y, axis)
    return ops.sum(_areas(y, x, dx, axis, "trapezoid"), axis=axis)


@composite(
    torch="cumulative_trapezoid",
    arrays=("y", "x", "dx", "initial"),
    unit=_integral,
    points=points.differences(1),
    domain=lambda rng: [
        *(Sample((*s.args, None), s.params) for s in _integrands(rng)),
        Sample((rng.normal(size=(3, 5)), _grid(rng, 5), 1.0, 0), {"axis": 1}),
    ],
)
def cumulative_trapezoid(
    y: Any, /, x: Any = None, dx: Any = 1.0, axis: int = -1, *, initial: Any = None
) -> Any:
    """The integral of y from the first coordinate up to each of the others; as SciPy has it.

    One element fewer than y, unless `initial` (0, or a value in the integral's unit) stands first.
    """
    y = _beside(y, x)
    axis = _axis_of("cumulative_trapezoid", y, axis)
    total = ops.cumulative_sum(_areas(y, x, dx, axis, "cumulative_trapezoid"), axis=axis)
    return _with_ends(total, axis, before=initial, after=None)


@composite(
    arrays=("y", "x", "dx"),
    unit=_integral,
    points=points.differences(1),
    domain=lambda rng: [
        *_integrands(rng),
        Sample((rng.normal(size=(2, 6)), _grid(rng, 6), 1.0), {"axis": 1}),
        Sample((rng.normal(size=6), None, 0.5), {"axis": 0}),
    ],
)
def simpson(y: Any, /, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """The integral of y over x (or in steps of dx) by Simpson's rule, exact for parabolas.

    With an odd number of intervals the last one takes the parabola through the last three points
    (Cartwright 2017), as in SciPy; two points make a trapezoid.
    """
    y = _beside(y, x)
    axis = _axis_of("simpson", y, axis)
    n = y.shape[axis]
    widths = _widths(y, x, dx, axis, "simpson")
    if n < 3:
        return ops.sum(_areas(y, x, dx, axis, "simpson"), axis=axis)

    def at(a: Any, start: int, stop: int, step: int = 2) -> Any:
        if not shape_of(a):
            return a
        return a[along(len(a.shape), axis - y.ndim, start, stop, step)]

    m = n if n % 2 else n - 1
    h0, h1 = at(widths, 0, m - 1), at(widths, 1, m - 1)
    left, middle, right = at(y, 0, m - 2), at(y, 1, m - 1), at(y, 2, m)
    both = h0 + h1
    mean = left * (2.0 - h1 / h0) + middle * (both / h0 * (both / h1)) + right * (2.0 - h0 / h1)
    total = ops.sum(mean * (both / 6.0), axis=axis)
    if n % 2:
        return total
    h0, h1 = at(widths, n - 3, n - 2, 1), at(widths, n - 2, n - 1, 1)
    left, middle, right = (at(y, n - k, n - k + 1, 1) for k in (3, 2, 1))
    last = (
        right * ((2.0 * h1 + 3.0 * h0) / (h0 + h1))
        + middle * ((h1 + 3.0 * h0) / h0)
        - left * (h1 / h0 * (h1 / (h0 + h1)))
    ) * (h1 / 6.0)
    return total + ops.sum(last, axis=axis)


# Interpolation


@unit_rule
def _interpolated(call: Call) -> Resolved:
    """Where: one unit for x, xp and the period. What: one unit for fp, left and right."""
    where = common(call, (1, 0, 5))
    what = common(call, (2, 3, 4))
    return Resolved((where, where, what, what, what, where), what)


_ANYTHING = UnitRule(lambda call: Resolved((), None))


def _interpolated_points(rule: UnitRule, call: Call) -> Resolved:
    """Both axes may be points: only ratios of differences of x matter, and averages of fp."""
    for group in ((0, 1), (2, 3, 4)):
        units = [call.units[i] for i in group]
        point = next((u for u in units if isinstance(u, Unit) and u.law is not None), None)
        if point is None:
            continue
        if call.units[5] is not None and 0 in group:
            raise PointError("interp with a period", point, "convert to its difference unit first")
        points.blend(_ANYTHING, call._replace(units=tuple(units)))
    return rule(call)


def _periodic(x: Any, xp: Any, fp: Any, period: Any) -> tuple[Any, Any, Any]:
    """The same on one period, with one more sample on either side of it."""
    x, xp = ops.remainder(x, period), ops.remainder(xp, period)
    order = ops.argsort(xp)
    xp, fp = ops.take(xp, order, axis=0), ops.take(fp, order, axis=0)
    xp = ops.concat([xp[-1:] - period, xp, xp[:1] + period], axis=0)
    return x, xp, ops.concat([fp[-1:], fp, fp[:1]], axis=0)


@composite(
    numpy="interp",
    arrays=("x", "xp", "fp", "left", "right", "period"),
    unit=_interpolated,
    points=_interpolated_points,
    domain=lambda rng: [
        Sample((rng.uniform(1, 4, (2, 3)), _grid(rng, 6), rng.normal(size=6), None, None, None)),
        Sample((rng.uniform(-9, 9, 5), _grid(rng, 6), rng.normal(size=6), 0, 0, None)),
        Sample((rng.uniform(-9, 9, 5), _grid(rng, 6), rng.normal(size=6), None, None, 7.0)),
    ],
)
def interp(
    x: Any, xp: Any, fp: Any, /, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    """Linear interpolation at x between samples fp at rising coordinates xp.

    Outside of them `left` and `right`, or the first and last sample. The result has fp's unit;
    points (°C) may stand on either axis.
    """
    if len(shape_of(xp)) != 1 or shape_of(xp) != shape_of(fp) or not xp.shape[0]:
        shapes = f"{shape_of(xp)} and {shape_of(fp)}"
        raise ShapeMismatch("interp", "xp and fp of one axis and the same length", shapes)
    x, xp, fp = map(floated, (x, xp, fp))
    if period is not None:
        x, xp, fp = _periodic(x, xp, fp, period)
        left = right = None
    n = xp.shape[0]
    if n == 1:
        inside = ops.broadcast_to(fp[0], shape=shape_of(x))
    else:
        index = ops.clip(ops.searchsorted(xp, x, side="right") - 1, 0, n - 2)
        x0, x1 = ops.take(xp, index, axis=0), ops.take(xp, index + 1, axis=0)
        y0, y1 = ops.take(fp, index, axis=0), ops.take(fp, index + 1, axis=0)
        width = ops.where(x1 == x0, inf, x1 - x0)  # at a step the derivative is not 0 / 0
        inside = y0 + (y1 - y0) * ((x - x0) / width)
    inside = ops.where(x == xp[-1], fp[-1], inside)
    inside = ops.where(x > xp[-1], fp[-1] if right is None else right, inside)
    return ops.where(x < xp[0], fp[0] if left is None else left, inside)


# Angles and other periodic values


@unit_rule
def _periodic_values(call: Call) -> Resolved:
    """Without a period, angles (a turn) or pure numbers (2π); with one, whatever unit it has."""
    unit, period = unit_of(call, 0), call.units[2]
    if period is None:
        if unit.dimension not in (RADIAN.dimension, PURE.dimension):
            hint = "give the period with its unit: unwrap(..., period=...)"
            raise PureNumberError(call.op.name, unit, call.argument(0), hint)
        target = PURE if unit.dimension is PURE.dimension else RADIAN
        common(call)
        return Resolved((target, target, None), target)
    if call.units[2] is ZERO:
        raise UnitError("unwrap needs a period other than 0")
    common(call)
    return Resolved((unit, unit, unit), unit)


@composite(
    numpy="unwrap",
    arrays=("x", "discont", "period"),
    unit=_periodic_values,
    points=points.refuse,
    domain=lambda rng: [
        Sample((rng.normal(size=(3, 6)).cumsum(axis=1), None, None), {"axis": -1}),
        Sample((3 * rng.normal(size=(6, 2)).cumsum(axis=0), None, 4.0), {"axis": 0}),
        Sample((3 * rng.normal(size=6).cumsum(), 3.0, 4.0), {"axis": 0}),
    ],
)
def unwrap(x: Any, /, discont: Any = None, axis: int = -1, *, period: Any = None) -> Any:
    """Values that wrap around at a period (a turn, unless given) made continuous along an axis.

    Without a period, angles come back in radians.
    """
    axis = _axis_of("unwrap", x, axis)
    period = 2.0 * pi if period is None else period
    half = period / 2
    rise = x[along(x.ndim, axis, 1, None)] - x[along(x.ndim, axis, None, -1)]
    folded = ops.remainder(rise + half, period) - half
    folded = ops.where(ops.logical_and(folded == -half, rise > 0), half, folded)
    jump = folded - rise
    jump = ops.where(ops.abs(rise) < (half if discont is None else discont), 0, jump)
    first = x[along(x.ndim, axis, 0, 1)]
    rest = x[along(x.ndim, axis, 1, None)] + ops.cumulative_sum(jump, axis=axis)
    return ops.concat([first, rest], axis=axis)
