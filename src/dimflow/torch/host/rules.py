"""Rules of functions of PyTorch that are no ops of the table, in the words of its vocabulary.

Each is a record as in the table; PyTorch's own function does the work. None has the name of an op:
what an op has a rule for follows the op.
"""

from typing import Any

from dimflow.array.numpy_host.rules import RULES as NUMPY_RULES
from dimflow.errors import DimensionError, PureNumberError, UnitError, UnsupportedFunction
from dimflow.ops import Op
from dimflow.ops.rules import dtypes, points
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
from dimflow.units.alike import are_alike, is_number

_ARRAYS = "a, b=None, c=None, d=None, e=None, /"
_REDUCED = "reduction='mean', size_average=None, reduce=None"


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


def _meet(call: Call, one: Unit, other: Unit, names: tuple[str, str]) -> None:
    """An error if they are of two dimensions."""
    try:
        common(call._replace(units=(one, other)))
    except DimensionError as error:
        error.names = names
        raise


def _fused(call: Call, unit: Unit) -> Resolved:
    """`x + y z`: x is converted to the unit of the product."""
    first = call.units[0]
    if isinstance(first, Unit):
        _meet(call, first, unit, ("input", "the product"))
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
        _meet(call, unit, bias, ("the product", "bias"))
        return Resolved((*(None for _ in factors), unit), unit)
    return Resolved(to(call, None), unit)


def _factor(call: Call, index: int) -> Unit:
    """The unit of what multiplies the others, beside which points may stand: it is none itself."""
    unit = call.units[index]
    if isinstance(unit, Unit) and unit.law is not None:
        points.refuse(_all_pure, call._replace(units=(unit,)))
    return unit_of(call, index)


def _errors(power: int, *, over_weights: bool = False) -> UnitRule:
    """Errors of the first two to a power, times weights; some means are over the weights' sum."""

    @unit_rule(params=True)
    def errors(call: Call) -> Resolved:
        unit = common(call, (0, 1))
        rest = call.units[2:]
        result = unit.delta**power
        if any(weight is not None for weight in rest):
            weight = _factor(call, 2)
            if not (over_weights and _is_mean(call.params)):
                result = result * weight
        return Resolved((unit, unit, *(None for _ in rest)), result)

    return errors


def _is_mean(params: dict[str, Any]) -> bool:
    """Whether a loss is a mean, by the words of today or those before them."""
    given = [params[word] for word in ("size_average", "reduce") if params[word] is not None]
    return all(given) if given else params["reduction"] == "mean"


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
def _standardized(call: Call) -> Resolved:
    """x over its own spread: the unit of the weight, in which the bias is too.

    Statistics that are kept from call to call are written into, so that they set the unit.
    """
    weight, bias, mean, variance = (*call.units[1:], None, None, None, None)[:4]
    unit = unit_of(call, 0)
    result = _factor(call, 1) if isinstance(weight, Unit) else PURE
    if isinstance(bias, Unit):
        common(call._replace(units=(result, bias)))
    own = PURE if is_number(unit) else unit
    stored = (("running_mean", mean, own), ("running_var", variance, own.delta**2))
    for name, kept, wanted in stored:
        if isinstance(kept, Unit) and kept != wanted:
            problem = f"{name} is kept in {str(kept) or 'pure numbers'}, but x is in {unit}"
            hint = f"keep it as x needs it: {name}.to({str(wanted)!r})"
            if not are_alike(kept, wanted):
                hint = "take track_running_stats=False, or divide x by a reference value"
            raise UnitError(problem, hint)
    targets = (own, None, None if bias is None else result, None, None)
    return Resolved(targets[: len(call.units)], result)


@unit_rule
def _scaled(call: Call) -> Resolved:
    unit, weight = unit_of(call, 0), unit_of(call, 1)
    return Resolved((PURE if is_number(unit) else unit, None), weight)


@unit_rule
def _cosine(call: Call) -> Resolved:
    """Each in its own unit, and in one where they have one dimension: so is a tolerance."""
    units = [u if isinstance(u, Unit) and not is_number(u) else PURE for u in call.units]
    return Resolved(tuple(units[0] if are_alike(u, units[0]) else u for u in units), PURE)


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
    if not are_alike(query * key, PURE):
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
        rule("averaged", same, dtype=dtypes.floating),
        rule("pure", _all_pure),
        rule("pure_to_plain", _all_pure_to_plain),
        rule("asked", any_to_plain, points=points.free),
        rule("found", same_to_plain, points=points.keep),
        rule("measured", same_to_plain),
        rule("products", _product_of_all),
        rule("plus_product", _plus_product),
        rule("plus_quotient", _plus_quotient),
        rule("product_plus", _product_plus),
        rule("squared_errors", _errors(2, over_weights=True), _REDUCED, points=points.blend),
        rule("absolute_errors", _errors(1, over_weights=True), _REDUCED, points=points.blend),
        rule("huber", _errors(2), points=points.blend),
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
        rule("cosine", _cosine),
        rule("standardized", _standardized, points=points.blend),
        rule("scaled", _scaled),
        rule("chosen", chosen, "unit=None"),
        NUMPY_RULES["nan_to_num"],
    )
}
