"""Python's operators on arrays with units. This is the fast path."""

import operator
from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from dimflow import ops
from dimflow.array.core import Core
from dimflow.array.guests import guest_of
from dimflow.backends import backend_of
from dimflow.errors import NoDataError, NotANumber, PointError, TracedValueError
from dimflow.ops import Op
from dimflow.ops.dispatch import interpreter_of, plain_masks, stubborn
from dimflow.ops.rules.convert import lazily
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.units import ENDLESS, PURE, ZERO, Plan, ask_pure
from dimflow.units import Unit
from dimflow.units.alike import differ_in_kind, is_gain
from dimflow.units.meaning import Affine

_new = object.__new__
_PURE: Final = PURE._serial

_LIMIT = 1 << 7  # left units, and right units of each, that one operator remembers
_ndarray = np.ndarray
_LARGE = 1 << 13  # elements from which memory counts more than a few lines of Python
_STATIC = "the unit of the result needs a number: x ** 2, or x ** dimflow.stop_gradient(n)"
_INTO: dict[Any, Any] = {operator.add: np.add, operator.sub: np.subtract}
_BY_UNIT = {"multiply": operator.mul, "divide": operator.truediv}

Operator = Callable[[Any, Any], Any]
_meeting: set[tuple[type, type]] = set()  # two types of raw values that stand in one operator


def by_unit(array: Core, unit: Unit, function: Operator) -> Any:
    """`x * units.m` and `x / units.s`: the numbers stay, in an array of their own.

    `R * 25 * units.degC` is refused: it would take the temperature for a difference.
    """
    own = array._unit
    is_slope = is_gain(unit) and differ_in_kind(own, unit) and function is operator.truediv
    if own.law is not None and not (is_gain(own) and (not unit.is_dimensionless or is_slope)):
        return ops.multiply(array, array._like(1.0, unit))  # raises, with its hint
    result = function(own, unit)
    if isinstance(unit.law, Affine) and result.law is None and function is operator.mul:
        kelvin, delta = f"(25 * Unit({str(unit)!r})).to({str(unit.linear)!r})", str(unit.delta)
        hint = f"for a temperature x * {kelvin}, for a difference x * 25 * Unit({delta!r})"
        raise PointError("a product with a quantity", unit, hint)
    return array._like(backend_of(array._raw).copy(array._raw), result)


def elsewhere(function: Operator, left: Any, right: Any, other: Any) -> Any:
    """What another library's object makes of an operation; NotImplemented for any other type."""
    if type(other) is Unit:
        hint = f"write a quantity: 1 * Unit({str(other)!r})"
        raise NotANumber(OPERATORS.get(function, function.__name__), f"the unit {other}", hint)
    guest = guest_of(type(other))
    return NotImplemented if guest is None else guest.operate(function, left, right)


def is_foreign(kind: type) -> bool:
    """Whether dimflow has no interpreter for a type: Python asks the other operand, then raises."""
    try:
        interpreter_of(kind)
    except NotANumber:
        return True
    return False


# What is known of a binary op by the serials of two units: two lookups and no tuple. It is a unit
# where the arrays meet as they are and the result has that unit, else the op's plan.
Pairs = dict[int, dict[int, Unit | Plan]]
_NOTHING: Final[dict[int, Unit | Plan]] = {}  # another thread may clear the pairs at any time


def _learn(pairs: Pairs, op: Op, left: int, right: int) -> None:
    """Take over the plan that the op has just made, if it made one."""
    plan = op.plans.get((left, right))
    if plan is None or type(plan.result) is tuple:
        return
    if len(pairs) >= _LIMIT or len(pairs.get(left, ())) >= _LIMIT:
        pairs.clear()
    is_plain = plan.converters is None and type(plan.result) is Unit
    pairs.setdefault(left, {})[right] = plan.result if is_plain else plan  # type: ignore[assignment]


def serial(number: float) -> int:
    """That of a bare number's unit: 0, infinities and nan stand for themselves."""
    if number == 0:
        return ZERO._serial
    return _PURE if isfinite(number) else ENDLESS._serial


def _of_class(array: Core, result: Any) -> Any:
    """A result as a pair that is known already gives it: of the array's own class."""
    if type(result) is type(array) or not isinstance(result, Core):
        return result
    return array._like(result._raw, result._unit)


OPERATORS: dict[Operator, str] = {}  # Python's functions, and the names of the ops that they are


def _raw_result(function: Operator, left: Any, right: Any, error: Exception) -> Any:
    """What the op gives where a library's own operator does not take a pair of raw values.

    The array API leaves it open whether fractions and integers meet in an operator. Lazy libraries
    speak of their insides, where the op says what is wrong.
    """
    is_lazy = type(left) in lazily or type(right) in lazily
    if isinstance(error, ValueError) and not is_lazy:
        raise error
    return ops.get(OPERATORS[function])(left, right)


def _applied(array: Core, function: Operator, left: Any, right: Any, plan: Plan) -> Any:
    """The raw operation after the conversions of a plan.

    What a conversion has just made belongs to nobody else: a sum of large arrays is written into
    it, since a second new block of memory would cost more than the sum.
    """
    converters, unit = plan.converters, plan.result
    if converters is None:
        try:
            raw = function(left, right)
        except (TypeError, ValueError) as error:
            raw = _raw_result(function, left, right, error)
    else:
        fresh: Any = None
        first, second = converters
        if first is not None:
            left = fresh = first(left)
        if second is not None:
            right = fresh = second(right)
        if type(fresh) is _ndarray and fresh.size > _LARGE and _fits(function, left, right):
            raw = _INTO[function](left, right, out=fresh)
        else:
            try:
                raw = function(left, right)
            except (TypeError, ValueError) as error:
                raw = _raw_result(function, left, right, error)
    if unit is None:
        return raw
    result = _new(type(array))
    result._raw = raw
    result._unit = unit  # type: ignore[assignment]
    return result


def _meet(left: type, right: type) -> bool:
    """Whether raw values of two types may stand in one operator; noted for the next time."""
    libraries = interpreter_of(left), interpreter_of(right)
    if libraries[0] is libraries[1]:
        return True
    lower, higher = sorted(libraries, key=lambda library: library.rank)
    if lower.rank or not getattr(higher, "meets_numpy", False):
        return False
    _meeting.add((left, right))
    return True


def _raised(raw: Any, exponent: float) -> Any:
    if exponent < 0 and kind_of(raw) in "biu":  # which NumPy refuses, and MLX cuts to 0
        return ops.static_power(raw, exponent=exponent)
    try:
        return raw**exponent
    except TypeError:
        return ops.pow(raw, exponent)


def _fits(function: Operator, left: Any, right: Any) -> bool:
    """Whether the result is of the shape and dtype of either argument."""
    return (
        function in _INTO
        and type(left) is type(right)
        and left.shape == right.shape
        and left.dtype == right.dtype
    )


def _binary(
    name: str, function: Operator, *, pure: bool = False, pairs: Pairs | None = None
) -> Any:
    """A binary operator: a lookup on two units, the raw operation, one small object.

    What the lookup does not know goes the long way, by the op's rules, and is known from then on.
    `pure` says that a bare number is always a pure number: in a product, 0 is no literal.
    """
    op = ops.get(name)
    OPERATORS[function] = name
    pairs = {} if pairs is None else pairs

    def method(self: Core, other: Any) -> Any:
        cls = type(self)
        if type(other) is cls:
            left = self._raw
            right = other._raw
            if type(left) is type(right) or (type(left), type(right)) in _meeting:
                try:
                    known = pairs[self._unit._serial][other._unit._serial]
                except KeyError:
                    known = None
                if type(known) is Unit:
                    array = _new(cls)
                    try:
                        array._raw = function(left, right)
                    except (TypeError, ValueError) as error:
                        array._raw = _raw_result(function, left, right, error)
                    array._unit = known
                    return array
                if known is not None:
                    return _applied(self, function, left, right, known)  # type: ignore[arg-type]
        return general(self, other)

    def general(self: Core, other: Any) -> Any:
        kind = type(other)
        if kind is type(self):
            right, theirs = other._raw, other._unit._serial
            if not _meet(type(self._raw), type(right)):
                return op.run((self, other), {})
        elif kind is float or kind is int:
            right, theirs = other, _PURE if pure else serial(other)
        elif kind is Unit and name in _BY_UNIT:
            return by_unit(self, other, _BY_UNIT[name])
        elif is_foreign(kind):
            return elsewhere(function, self, other, other)
        else:
            return op.run((self, other), {})
        mine = self._unit._serial
        known = pairs.get(mine, _NOTHING).get(theirs)
        if known is None:
            result = op.run((self, other), {})
            _learn(pairs, op, mine, theirs)
            return _of_class(self, result)
        if type(known) is Unit:
            known = Plan(None, known)
        return _applied(self, function, self._raw, right, known)  # type: ignore[arg-type]

    method.__doc__ = op.doc
    return method


def _comparison(name: str, function: Operator) -> Any:
    """A comparison, whose mask is an array of pure numbers.

    JAX's mask is plain: the condition of `jax.lax.while_loop` may be nothing else.
    """
    compare = _binary(name, function)

    def method(self: Core, other: Any) -> Any:
        if type(other) is Unit:  # as one of it, but for keys of dicts, whose hashes would differ
            if type(self).__hash__ is not None:
                return NotImplemented
            other = self._like(1, other)
        mask = compare(self, other)
        if isinstance(mask, Core) and type(mask._raw) in plain_masks:
            return mask._raw
        return mask

    method.__doc__ = compare.__doc__
    return method


def _reflected(name: str, function: Operator, *, pure: bool = False) -> Any:
    """The same with the array on the right. Another DimArray never stands on the left here."""
    op = ops.get(name)
    pairs: Pairs = {}

    def method(self: Core, other: Any) -> Any:
        kind = type(other)
        if kind is float or kind is int:
            mine, theirs = self._unit._serial, _PURE if pure else serial(other)
            known = pairs.get(theirs, _NOTHING).get(mine)
            if type(known) is Unit:
                array = _new(type(self))
                try:
                    array._raw = function(other, self._raw)
                except (TypeError, ValueError) as error:
                    array._raw = _raw_result(function, other, self._raw, error)
                array._unit = known
                return array
            if known is not None:
                return _applied(self, function, other, self._raw, known)  # type: ignore[arg-type]
            result = op.run((other, self), {})
            _learn(pairs, op, theirs, mine)
            return _of_class(self, result)
        if is_foreign(kind):
            return elsewhere(function, other, self, other)
        return op.run((other, self), {})

    method.__doc__ = op.doc
    return method


def _unary(name: str, function: Callable[[Any], Any]) -> Any:
    op = ops.get(name)
    plans = op.plans

    def method(self: Core) -> Any:
        plan: Plan | None = plans.get((self._unit._serial,))
        is_plain = plan is not None and plan.converters is None and plan.result is not None
        if plan is None or not is_plain or type(self._raw) in lazily:  # Dask's takes any dtype
            return _of_class(self, op.run((self,), {}))
        return self._like(function(self._raw), plan.result)  # type: ignore[arg-type]

    method.__doc__ = op.doc
    return method


def _in_place(name: str, function: Operator) -> Any:
    """`x += y`: the result must fit the array's own unit, into which it is written."""

    def method(self: Core, other: Any) -> Any:
        from dimflow.array.in_place import write

        return write(self, ops.get(name), function, other)

    return method


def _by_op_on_mlx(name: str, function: Operator) -> Operator:
    """An operator of raw values. MLX's own is wrong, in batches at least: there the op runs."""

    @wraps(function)
    def apply(left: Any, right: Any) -> Any:
        return ops.get(name)(left, right) if type(left) in stubborn else function(left, right)

    return apply


_RAW = {
    name: _by_op_on_mlx(name, function)
    for name, function in (
        ("floor_divide", operator.floordiv),
        ("not_equal", operator.ne),
        ("bitwise_and", operator.and_),
        ("bitwise_or", operator.or_),
        ("bitwise_xor", operator.xor),
        ("bitwise_left_shift", operator.lshift),
        ("bitwise_right_shift", operator.rshift),
    )
}

_ADDITIONS: Pairs = {}
_SUBTRACTIONS: Pairs = {}
_add = _binary("add", operator.add, pairs=_ADDITIONS)
_subtract = _binary("subtract", operator.sub, pairs=_SUBTRACTIONS)


class Operators(Core):
    """Arithmetic, comparison and bits.

    Sums of one linear unit are the most common of all, and need no lookup: they are in that unit.
    """

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    if TYPE_CHECKING:  # comparisons and bits are plain arrays of whatever library

        def __add__(self, other: Any) -> Self: ...
        def __radd__(self, other: Any) -> Self: ...
        def __iadd__(self, other: Any) -> Self: ...
        def __sub__(self, other: Any) -> Self: ...
        def __rsub__(self, other: Any) -> Self: ...
        def __isub__(self, other: Any) -> Self: ...
        def __mul__(self, other: Any) -> Self: ...
        def __rmul__(self, other: Any) -> Self: ...
        def __imul__(self, other: Any) -> Self: ...
        def __truediv__(self, other: Any) -> Self: ...
        def __rtruediv__(self, other: Any) -> Self: ...
        def __itruediv__(self, other: Any) -> Self: ...
        def __floordiv__(self, other: Any) -> Self: ...
        def __rfloordiv__(self, other: Any) -> Self: ...
        def __ifloordiv__(self, other: Any) -> Self: ...
        def __mod__(self, other: Any) -> Self: ...
        def __rmod__(self, other: Any) -> Self: ...
        def __imod__(self, other: Any) -> Self: ...
        def __neg__(self) -> Self: ...
        def __pos__(self) -> Self: ...
        def __abs__(self) -> Self: ...
    else:

        def __add__(self, other):
            if type(other) is type(self):
                left, right = self._raw, other._raw
                if type(left) is type(right) or (type(left), type(right)) in _meeting:
                    unit, theirs = self._unit, other._unit
                    if unit is theirs and unit.key.law is None:
                        array = _new(type(self))
                        try:
                            array._raw = left + right
                        except (TypeError, ValueError) as error:
                            array._raw = _raw_result(operator.add, left, right, error)
                        array._unit = unit
                        return array
                    plan = _ADDITIONS.get(unit._serial, _NOTHING).get(theirs._serial)
                    if type(plan) is Plan:
                        return _applied(self, operator.add, left, right, plan)
            return _add(self, other)

        def __sub__(self, other):
            if type(other) is type(self):
                left, right = self._raw, other._raw
                if type(left) is type(right) or (type(left), type(right)) in _meeting:
                    unit, theirs = self._unit, other._unit
                    if unit is theirs and unit.key.law is None:
                        array = _new(type(self))
                        try:
                            array._raw = left - right
                        except (TypeError, ValueError) as error:
                            array._raw = _raw_result(operator.sub, left, right, error)
                        array._unit = unit
                        return array
                    plan = _SUBTRACTIONS.get(unit._serial, _NOTHING).get(theirs._serial)
                    if type(plan) is Plan:
                        return _applied(self, operator.sub, left, right, plan)
            return _subtract(self, other)

        __radd__ = _reflected("add", operator.add)
        __rsub__ = _reflected("subtract", operator.sub)
        __mul__ = _binary("multiply", operator.mul, pure=True)
        __rmul__ = _reflected("multiply", operator.mul, pure=True)
        __truediv__ = _binary("divide", operator.truediv, pure=True)
        __rtruediv__ = _reflected("divide", operator.truediv, pure=True)
        __floordiv__ = _binary("floor_divide", _RAW["floor_divide"])
        __rfloordiv__ = _reflected("floor_divide", _RAW["floor_divide"])
        __mod__ = _binary("remainder", operator.mod)
        __rmod__ = _reflected("remainder", operator.mod)
        __neg__ = _unary("negative", operator.neg)
        __pos__ = _unary("positive", operator.pos)
        __abs__ = _unary("abs", operator.abs)

        __lt__ = _comparison("less", operator.lt)
        __le__ = _comparison("less_equal", operator.le)
        __gt__ = _comparison("greater", operator.gt)
        __ge__ = _comparison("greater_equal", operator.ge)
        __eq__ = _comparison("equal", operator.eq)
        __ne__ = _comparison("not_equal", _RAW["not_equal"])

        __and__ = _binary("bitwise_and", _RAW["bitwise_and"], pure=True)
        __rand__ = _reflected("bitwise_and", _RAW["bitwise_and"], pure=True)
        __or__ = _binary("bitwise_or", _RAW["bitwise_or"], pure=True)
        __ror__ = _reflected("bitwise_or", _RAW["bitwise_or"], pure=True)
        __xor__ = _binary("bitwise_xor", _RAW["bitwise_xor"], pure=True)
        __rxor__ = _reflected("bitwise_xor", _RAW["bitwise_xor"], pure=True)
        __lshift__ = _binary("bitwise_left_shift", _RAW["bitwise_left_shift"], pure=True)
        __rlshift__ = _reflected("bitwise_left_shift", _RAW["bitwise_left_shift"], pure=True)
        __rshift__ = _binary("bitwise_right_shift", _RAW["bitwise_right_shift"], pure=True)
        __rrshift__ = _reflected("bitwise_right_shift", _RAW["bitwise_right_shift"], pure=True)
        __invert__ = _unary("bitwise_invert", operator.invert)

        __iadd__ = _in_place("add", operator.iadd)
        __isub__ = _in_place("subtract", operator.isub)
        __imul__ = _in_place("multiply", operator.imul)
        __itruediv__ = _in_place("divide", operator.itruediv)
        __ifloordiv__ = _in_place("floor_divide", operator.ifloordiv)
        __imod__ = _in_place("remainder", operator.imod)
        __ipow__ = _in_place("pow", operator.ipow)
        __iand__ = _in_place("bitwise_and", operator.iand)
        __ior__ = _in_place("bitwise_or", operator.ior)
        __ixor__ = _in_place("bitwise_xor", operator.ixor)
        __ilshift__ = _in_place("bitwise_left_shift", operator.ilshift)
        __irshift__ = _in_place("bitwise_right_shift", operator.irshift)

    def __pow__(self, exponent: Any, modulus: None = None) -> Any:
        """The array to a power, which is static unless the array holds pure numbers."""
        unit = self._unit
        kind = type(exponent)
        if modulus is not None:
            return NotImplemented
        if (kind is int or kind is float) and unit.key.law is None:
            if not unit.dimension.is_dimensionless:
                power = unit**exponent  # first, since it may raise
                return self._like(_raised(self._raw, exponent), power)
            if unit.key is PURE.key:  # to any power, also one that no unit can be raised to
                return self._like(_raised(self._raw, exponent), unit)
        if isinstance(exponent, Core) and not (exponent.shape or unit.dimension.is_dimensionless):
            ask_pure("pow", exponent._unit, "exponent")
            try:
                with backend_of(exponent._raw).refusing_reads():
                    exponent = exponent.to(PURE).item()  # type: ignore[attr-defined]
            except NoDataError:
                return ops.pow(self, exponent)
            except TracedValueError as error:
                raise TracedValueError("the n of x ** n", error.verb, _STATIC) from None
        if isinstance(exponent, Fraction):  # exact for the unit, and no number of any library
            return ops.static_power(self, exponent=exponent)
        if is_foreign(kind):
            return elsewhere(operator.pow, self, exponent, exponent)
        return ops.pow(self, exponent)

    def __matmul__(self, other: Any) -> Any:
        """The matrix product."""
        return NotImplemented if is_foreign(type(other)) else ops.matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        """The matrix product, with the array on the right."""
        return NotImplemented if is_foreign(type(other)) else ops.matmul(other, self)

    def __imatmul__(self, other: Any) -> Any:
        """The matrix product, written into the array."""
        from dimflow.array.in_place import write_result

        return write_result(self, ops.matmul(self, other))

    def __rpow__(self, base: Any, modulus: Any = None) -> Any:
        """A number to the power of this array of pure numbers."""
        if modulus is None and is_foreign(type(base)):
            return elsewhere(operator.pow, base, self, base)
        return NotImplemented if modulus is not None else ops.pow(base, self)

    def __divmod__(self, other: Any) -> Any:
        """Quotient and remainder."""
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        """Quotient and remainder, with the array on the right."""
        return other // self, other % self
