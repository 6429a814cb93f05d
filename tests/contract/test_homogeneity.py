"""Homogeneity: run with units, every derivative rule gives the dimension [out]/[in]."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.array import DimArray
from dimflow.autodiff.rules import as_result
from dimflow.ops import Op
from dimflow.ops.rules.derivatives import Linear, Multilinear, Partials, VariadicMultilinear
from dimflow.units import Unit
from tests.contract.evaluate import (
    assert_same,
    base_value,
    leaves,
    names,
    quietly,
    run,
    with_units,
)
from tests.contract.finite_differences import (
    cotangent,
    differentiable,
    differentiable_places,
    linear,
    random_tangents,
    tangent_of,
)
from tests.contract.samples import SEEDS, Case, parametrized
from tests.contract.units_search import Units, all_accepted, chosen_unit

JOULE = Unit("J")


def dimension(value: Any) -> Any:
    """The dimension, where angles count as pure numbers."""
    unit = value.unit if isinstance(value, DimArray) else Unit("")
    return unit.dimension.without_angle()


def is_zero(value: Any) -> bool:
    """None, or bare zeros, which fit every dimension."""
    return value is None or (not isinstance(value, DimArray) and not np.any(value))


def unit_of(value: Any) -> Unit:
    return value.unit if isinstance(value, DimArray) else Unit("")


@parametrized("homogeneity", differentiable())
def test_the_tangent_has_the_dimension_of_the_result(name: str) -> None:
    op = ops.get(name)
    for case, units in all_accepted(name, SEEDS):
        places = differentiable_places(op, case)
        if not case.smooth or not places:
            continue
        params = chosen_unit(op, case, units)
        args = with_units(case.args, units)
        tangents = with_units(random_tangents(op, case, places), units)
        out = quietly(run, op, args, params)
        got = quietly(tangent_of, op, tangents, args, params)
        what = f"{case.label} in {units}"
        for one, other in zip(leaves(got), leaves(out), strict=True):
            if not is_zero(one) and isinstance(other, DimArray):
                assert dimension(one) is dimension(other), f"{what}: {one} beside {other}"
        _same_as_raw(op, case, units, got, tangents, what)


def _same_as_raw(op: Op, case: Case, units: Units, got: Any, tangents: Any, what: str) -> None:
    """In coherent units the numbers are those of the rule on raw arrays."""
    raw_tangents = tuple(base_value(t) for t in tangents)
    raw_args = tuple(base_value(a) for a in with_units(case.args, units))
    wanted = quietly(tangent_of, op, raw_tangents, raw_args, case.params)
    for one, other in zip(leaves(got), leaves(wanted), strict=True):
        if one is not None and other is not None:
            assert_same(base_value(one), other, rtol=1e-9, what=what)


@parametrized(
    "partials", [n for n in differentiable() if isinstance(ops.get(n).derivative, Partials)]
)
def test_partials_have_the_dimension_out_over_in(name: str) -> None:
    op = ops.get(name)
    rule: Any = op.derivative
    for case, units in all_accepted(name, SEEDS):
        args = with_units(case.args, units)
        params = chosen_unit(op, case, units)
        out = quietly(run, op, args, params)
        for i, function in enumerate(rule.functions):
            if function is None:
                continue
            partial = quietly(
                lambda f=function, out=out, args=args, params=params: f(out, *args, **params)
            )
            for one, other in zip(leaves(partial), leaves(out), strict=True):
                if not is_zero(one):
                    wanted = dimension(other) / dimension(args[i])
                    what = f"{case.label} in {units} by {i}: {one}"
                    assert dimension(one) is wanted, what


@parametrized(
    "homogeneous definition", [n for n in names("definition") if ops.get(n).derivative is None]
)
def test_the_tangent_of_a_definition_has_the_dimension_of_the_result(name: str) -> None:
    """Dual numbers of arrays with units through the definition."""
    op = ops.get(name)
    for case, units in all_accepted(name, SEEDS):
        places = differentiable_places(op, case)
        if not case.smooth or not places:
            continue
        args = with_units(case.args, units)
        tangents = with_units(random_tangents(op, case, places), units)
        params = chosen_unit(op, case, units)
        values = leaves(quietly(run, op, args, params))
        changes = quietly(tangent_of, op, tangents, args, params)
        for value, change in zip(values, changes, strict=True):
            if not is_zero(change):
                what = f"{case.label} in {units}: {change} beside {value}"
                assert dimension(change) is dimension(value), what


@parametrized("homogeneous transpose", linear())
def test_a_cotangent_has_the_dimension_of_the_whole_over_the_argument(name: str) -> None:
    op = ops.get(name)
    for case, units in all_accepted(name, SEEDS):
        args = with_units(case.args, units)
        out = quietly(run, op, args, chosen_unit(op, case, units))
        parts = [
            DimArray(np.asarray(c), JOULE / unit_of(o))
            for c, o in zip(leaves(_raw_cotangent(op, out)), leaves(out), strict=True)
        ]
        ct = as_result(op, out, parts)
        for i, back in _transposed(op, ct, args, case):
            if back is not None:
                wanted = JOULE.dimension.without_angle() / dimension(args[i])
                assert dimension(back) is wanted, f"{case.label} in {units} by {i}: {back}"


def _raw_cotangent(op: Op, out: Any) -> Any:
    return cotangent(op, as_result(op, out, [base_value(leaf) for leaf in leaves(out)]))


def _transposed(op: Op, ct: Any, args: Any, case: Case) -> list[tuple[int, Any]]:
    rule: Any = op.derivative
    places = differentiable_places(op, case)
    if isinstance(rule, Linear):
        back = quietly(rule.transpose, ct, args, case.params)
        return [(i, back[i]) for i in places]
    if isinstance(rule, Multilinear):
        return [(i, quietly(rule.transposes[i], ct, args, case.params)) for i in places]
    assert isinstance(rule, VariadicMultilinear)
    return [(i, quietly(rule.transpose, i, ct, args, case.params)) for i in places]
