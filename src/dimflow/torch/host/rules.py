"""Rules of functions of PyTorch that are no ops of the table, in the words of its vocabulary.

Each is a record as in the table; PyTorch's own function does the work. None has the name of an op:
what an op has a rule for follows the op.
"""

from typing import Any

from dimflow.array.numpy_host.rules import RULES as NUMPY_RULES
from dimflow.errors import PureNumberError, UnsupportedFunction
from dimflow.ops import Op
from dimflow.ops.rules import points
from dimflow.ops.rules.units import (
    PURE,
    RADIAN,
    Call,
    Resolved,
    UnitRule,
    any_to_plain,
    chosen,
    common,
    power,
    pure,
    same,
    same_to_plain,
    to,
    unit_of,
    unit_rule,
)
from dimflow.units import Unit

_ARRAYS = "a, b=None, c=None, d=None, e=None, /"


def _only_here(*args: Any, **params: Any) -> Any:
    raise UnsupportedFunction("this rule", "it plans units for PyTorch's own functions only")


def rule(name: str, unit: UnitRule, params: str = "", **fields: Any) -> Op:
    """A record beside the table: how functions of PyTorch treat units."""
    fields.setdefault("points", points.refuse)
    return Op(
        name,
        kind="composite",
        doc=f"Units of PyTorch's functions of the kind {name}.",
        family="torch",
        signature=f"{_ARRAYS}{params and ', ' + params}",
        domain=(),
        unit=unit,
        definition=_only_here,
        **fields,
    )


def _given(call: Call) -> list[int]:
    return [i for i, unit in enumerate(call.units) if unit is not None]


@unit_rule
def _all_pure(call: Call) -> Resolved:
    for i in _given(call):
        pure(call, i)
    return Resolved(to(call, PURE), PURE)


@unit_rule
def _all_pure_to_plain(call: Call) -> Resolved:
    return Resolved(_all_pure(call).targets, None)


@unit_rule
def _product_of_all(call: Call) -> Resolved:
    unit = PURE
    for i in _given(call):
        unit = unit_of(call, i) if unit is PURE else unit * unit_of(call, i)
    return Resolved(to(call, None), unit)


def _fused(call: Call, unit: Unit) -> Resolved:
    """`x + y z`: x is converted to the unit of the product."""
    first = call.units[0]
    if isinstance(first, Unit):
        common(call._replace(units=(first, unit)))  # raises if they are of two dimensions
        return Resolved((unit, *(None for _ in call.units[1:])), unit)
    return Resolved(to(call, None), unit)


@unit_rule
def _plus_product(call: Call) -> Resolved:
    return _fused(call, unit_of(call, 1) * unit_of(call, 2))


@unit_rule
def _plus_quotient(call: Call) -> Resolved:
    return _fused(call, unit_of(call, 1) / unit_of(call, 2))


@unit_rule
def _product_plus(call: Call) -> Resolved:
    """Products of all but the last, which is a bias: linear layers and convolutions."""
    *factors, bias = call.units
    unit = PURE
    for factor in factors:
        if isinstance(factor, Unit):
            unit = factor if unit is PURE else unit * factor
    if isinstance(bias, Unit):
        common(call._replace(units=(unit, bias)))
        return Resolved((*(None for _ in factors), unit), unit)
    return Resolved(to(call, None), unit)


@unit_rule
def _squared(call: Call) -> Resolved:
    """All in one unit, the result in its square: squared errors."""
    unit = common(call)
    return Resolved(to(call, unit), unit.delta**2 if unit.law is not None else unit**2)


@unit_rule
def _weighted_square(call: Call) -> Resolved:
    """Squared errors of the first two, times the third."""
    unit = common(call, (0, 1))
    square = unit.delta**2
    return Resolved(
        (unit, unit, *(None for _ in call.units[2:])),
        square if call.units[2:] in ((), (None,)) else square * unit_of(call, 2),
    )


@unit_rule
def _weighted_distance(call: Call) -> Resolved:
    """Absolute errors of the first two, times the third."""
    unit = common(call, (0, 1))
    return Resolved(
        (unit, unit, *(None for _ in call.units[2:])),
        unit.delta if call.units[2:] in ((), (None,)) else unit.delta * unit_of(call, 2),
    )


@unit_rule
def _deviation(call: Call) -> Resolved:
    unit = common(call)
    return Resolved(to(call, unit), unit.delta)


@unit_rule(params=True)
def _norm(call: Call) -> Resolved:
    """The unit of the elements; the norm of order 0 counts."""
    unit = common(call)
    return Resolved(to(call, unit), None if call.params["ord"] == 0 else unit.delta)


@unit_rule
def _spread_and_mean(call: Call) -> Resolved:
    unit = unit_of(call, 0)
    return Resolved(to(call, None), (unit.delta, unit))


@unit_rule
def _variance_and_mean(call: Call) -> Resolved:
    unit = unit_of(call, 0)
    return Resolved(to(call, None), (unit.delta**2, unit))


@unit_rule
def _values_and_vectors(call: Call) -> Resolved:
    return Resolved(to(call, None), (unit_of(call, 0), PURE))


@unit_rule
def _solution_and_matrix(call: Call) -> Resolved:
    """`triangular_solve(B, A)` gives the matrix back."""
    return Resolved(to(call, None), (unit_of(call, 0) / unit_of(call, 1), unit_of(call, 1)))


@unit_rule
def _factored_solution(call: Call) -> Resolved:
    """B / L² of `cholesky_solve(B, L)`."""
    return Resolved(to(call, None), unit_of(call, 0) / unit_of(call, 1) ** 2)


@unit_rule
def _polar(call: Call) -> Resolved:
    angle = call.units[1]
    if isinstance(angle, Unit) and angle.dimension not in (RADIAN.dimension, PURE.dimension):
        raise PureNumberError(call.op.name, angle, "the angle", "it takes an angle")
    return Resolved((None, PURE), unit_of(call, 0))


@unit_rule
def _x_log_y(call: Call) -> Resolved:
    pure(call, 1)
    return Resolved((None, PURE), unit_of(call, 0))


@unit_rule
def _attention(call: Call) -> Resolved:
    """The scores query · key are exponents; the result is an average of the values."""
    query, key = unit_of(call, 0), unit_of(call, 1)
    if not (query * key).dimension.without_angle().is_dimensionless:
        raise PureNumberError(call.op.name, query * key, "query times key")
    return Resolved((PURE / key, None, None), unit_of(call, 2))


@unit_rule
def _per_spacing(call: Call) -> Resolved:
    unit = unit_of(call, 0).delta
    return Resolved(to(call, None), unit if call.units[1] is None else unit / unit_of(call, 1))


@unit_rule
def _counts_and_edges(call: Call) -> Resolved:
    """Of `histogram(x)` without weights and density."""
    unit = common(call)
    return Resolved(to(call, unit), (None, unit))


RULES: dict[str, Op] = {
    op.name: op
    for op in (
        rule("kept", same, points=points.free),
        rule("picked", same, points=points.keep),
        rule("blended", same, points=points.blend),
        rule("linear", same),
        rule("pure", _all_pure),
        rule("pure_to_plain", _all_pure_to_plain),
        rule("asked", any_to_plain, points=points.free),
        rule("found", same_to_plain, points=points.keep),
        rule("measured", same_to_plain),
        rule("products", _product_of_all),
        rule("plus_product", _plus_product),
        rule("plus_quotient", _plus_quotient),
        rule("product_plus", _product_plus),
        rule("squared_errors", _weighted_square, points=points.blend),
        rule("huber", _squared, points=points.blend),
        rule("absolute_errors", _weighted_distance, points=points.blend),
        rule("deviation", _deviation, points=points.blend),
        rule("distance", _norm, "ord=2", points=points.blend),
        rule("std_mean", _spread_and_mean, points=points.blend),
        rule("var_mean", _variance_and_mean, points=points.blend),
        rule("eigen", _values_and_vectors),
        rule("triangular_solve", _solution_and_matrix),
        rule("cholesky_solve", _factored_solution),
        rule("polar", _polar),
        rule("xlogy", _x_log_y),
        rule("attention", _attention),
        rule("per_spacing", _per_spacing, points=points.blend),
        rule("counts_and_edges", _counts_and_edges, points=points.keep),
        rule("inverse_root", power("-1/2")),
        rule("inverse", power(-1)),
        rule("inverse_square", power(-2)),
        rule("root", power("1/2")),
        rule("cosine", unit_rule(lambda call: Resolved(to(call, None), PURE))),
        rule("chosen", chosen, "unit=None"),
        NUMPY_RULES["nan_to_num"],
    )
}
