"""Taylor mode: values with all their derivatives along one parameter, by the rules of first order.

A value is a series in the parameter, whose terms are found when they are asked for. What an op
gives has the slope y' = (its derivative rule on the series): each term of y comes from one of y'
before it, and that may ask for terms of y before it. So n orders cost powers of n, where first
derivatives of first derivatives cost powers of 3.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dimflow import ops
from dimflow.autodiff.carrier import Carrier, alive, by_definition, evened, shielded
from dimflow.autodiff.node import Node
from dimflow.autodiff.rules import as_result, leaves, pushed, total, zeros_for
from dimflow.autodiff.trace import Differentiation
from dimflow.ops import Op, dispatch
from dimflow.ops.rules.derivatives import Linear, Multilinear, Zero

_new = object.__new__
Term = Callable[[int], Any]


class Series(Carrier):
    """A value, and the further coefficients of its powers of the parameter; None for zero."""

    __slots__ = ("known", "term")

    known: list[Any]
    term: Term

    def coefficient(self, k: int) -> Any:
        """That of the k-th power."""
        while len(self.known) <= k:
            self.known.append(self.term(len(self.known)))
        return self.known[k]


class Taylor(Differentiation):
    """Runs an op on series."""

    __slots__ = ("made",)

    def __init__(self) -> None:
        super().__init__()
        # What was made of what: rules ask for the same thing again and again.
        self.made: dict[Any, Any] = {}

    def series(self, value: Any, term: Term) -> Series:
        """A series by its first coefficient and how the others are found."""
        carrier = _new(Series)
        carrier.value = value
        carrier.trace = self
        carrier.known = [value]
        carrier.term = term
        return carrier

    def follows(self, value: Any) -> bool:
        """Whether a value is a series of this trace."""
        return type(value) is Series and value.trace is self

    def run(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """The series of the results."""
        if op.derivative is None:
            return by_definition(op, args, params, "derivative rule")
        key = None if type(op.derivative) is Zero else _key(op, args, params)  # a draw is new
        known = None if key is None else self.made.get(key)
        if known is not None:
            return known[0]
        found = self._run(op, args, params)
        if key is not None:
            self.made[key] = found, args  # which keeps what the key names alive
        return found

    def _run(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        values = tuple([a.value if self.follows(a) else a for a in args])
        out = dispatch.run_alike(op, values, params)
        rule = op.derivative
        if type(rule) is Zero:
            return shielded(out)
        if self._is_linear(rule, args) and not isinstance(out, (tuple, list)):
            return self.series(out, lambda k: self._linear(op, args, params, k))
        if type(rule) is Multilinear and None not in rule.transposes:
            return self.series(out, lambda k: self._multilinear(op, args, params, k))
        return self._by_slope(op, args, params, out)

    def _is_linear(self, rule: Any, args: Any) -> bool:
        """Whether the op is linear in all arguments that move, taken together."""
        if type(rule) is not Linear:
            return False
        moving = {i for i, a in enumerate(args) if self.follows(a)}
        return rule.arguments is None or moving <= set(rule.arguments)

    def _linear(self, op: Op, args: Any, params: Any, k: int) -> Any:
        """Each term by itself."""
        rule: Any = op.derivative
        places = range(len(args)) if rule.arguments is None else rule.arguments
        parts = [a.coefficient(k) if self.follows(a) else None for a in args]
        if all(part is None for part in parts):
            return None
        given = list(args)
        for i in places:
            if args[i] is not None:
                given[i] = zeros_for(_first(args[i])) if parts[i] is None else parts[i]
        return dispatch.run(op, tuple(given), params)

    def _multilinear(self, op: Op, args: Any, params: Any, k: int) -> Any:
        """The sum over all ways to share out the power among the arguments."""
        moving = [i for i, a in enumerate(args) if self.follows(a)]
        terms = []
        for powers in _shares(k, len(moving)):
            parts = [args[i].coefficient(p) for i, p in zip(moving, powers, strict=True)]
            if any(part is None for part in parts):
                continue
            given = list(args)
            for i, part in zip(moving, parts, strict=True):
                given[i] = part
            terms.append(dispatch.run(op, tuple(given), params))
        return total(terms)

    def _by_slope(self, op: Op, args: Any, params: Any, out: Any) -> Any:
        """y_k = y'_(k-1) / k, and y' by the op's rule on series."""
        slopes: list[Any] = []

        def slope(place: int) -> Any:
            if not slopes:
                call = _new(Node)
                call.op, call.values, call.params, call.out = op, evened(args), params, result
                slopes.extend(pushed(call, [self._derived(a) for a in args]))
            return slopes[place]

        def term(place: int) -> Term:
            return lambda k: self._integrated(slope(place), k)

        parts = [self.series(part, term(place)) for place, part in enumerate(leaves(out))]
        result = as_result(op, out, parts)
        return result

    def _derived(self, value: Any) -> Any:
        """The slope of a series; None for what is constant."""
        if not self.follows(value):
            return None
        first = value.coefficient(1)
        start = zeros_for(value.value) if first is None else first
        return self.series(start, lambda k: _scaled(value.coefficient(k + 1), k + 1))

    def _integrated(self, slope: Any, k: int) -> Any:
        if self.follows(slope):
            return _scaled(slope.coefficient(k - 1), 1 / k)
        return slope if k == 1 else None


def _first(value: Any) -> Any:
    return value.value if isinstance(value, Carrier) else value


def _scaled(value: Any, factor: float) -> Any:
    return None if value is None else value * factor


def _shares(total_power: int, count: int) -> Iterator[tuple[int, ...]]:
    """All ways to write a number as an ordered sum of so many."""
    if count == 1:
        yield (total_power,)
        return
    for first in range(total_power + 1):
        for rest in _shares(total_power - first, count - 1):
            yield (first, *rest)


def _key(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """What a call is known by; None if its parameters cannot be compared."""
    named = tuple(
        (type(a), repr(a)) if isinstance(a, (int, float, complex)) else (None, id(a)) for a in args
    )
    try:
        key = op, named, tuple(params.items())
        hash(key)
    except TypeError:
        return None
    return key


def nth_derivatives(function: Callable[..., Any], value: Any, n: int) -> tuple[Any, ...]:
    """The n-th derivatives of the results of a function by the one array that it takes.

    The array is moved as a whole, each of its elements at the same rate.
    """
    trace = Taylor()
    ones = ops.ones_like(value)
    moving = trace.series(value, lambda k: ones if k == 1 else None)
    factorial = 1
    for k in range(2, n + 1):
        factorial *= k
    try:
        results: Sequence[Any] = tuple(function(moving))
        found = [
            _scaled(r.coefficient(n), factorial) if trace.follows(r) else None for r in results
        ]
    finally:
        trace.over()
    values = [alive(r) for r in results]
    return tuple(
        zeros_for(v) if part is None else alive(part) for v, part in zip(values, found, strict=True)
    )
