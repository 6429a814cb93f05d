"""Points: each op does with 20 °C and 3 dBm what its policy says."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from dimflow import ops
from dimflow.array import DimArray
from dimflow.errors import PointError, UnitError
from dimflow.ops import Op
from dimflow.ops.rules import points
from dimflow.units import Unit
from tests.contract.evaluate import assert_same, leaves, names, quietly, run, with_units
from tests.contract.samples import Case, cases, parametrized
from tests.contract.units_search import Units, chosen_unit, is_accepted, places, spread

RULED = names("unit", "points")
SCALES = ("degC", "degF")


def with_policy(*policies: Any) -> list[str]:
    """The ops with one of these policies."""
    return [n for n in RULED if ops.get(n).points in policies]


def kelvin_units(op: Op, case: Case) -> list[Units]:
    """The ways to give kelvins to some arguments, most of them first; the others are pure."""
    where = places(case)
    if not where or len(where) > 5:
        return [u for u in [spread(case, where, ("K",) * len(where))] if is_accepted(op, case, u)]
    choices = sorted(product(("K", ""), repeat=len(where)), key=lambda c: c.count(""))
    found = [spread(case, where, c) for c in choices if "K" in c]
    return [u for u in found if is_accepted(op, case, u)][:3]


def in_scale(args: tuple[Any, ...], units: Units, scale: str) -> tuple[Any, ...]:
    """The same temperatures as points on a scale."""
    return tuple(
        a.to(scale) if unit == "K" else a
        for a, unit in zip(with_units(args, units), units, strict=True)
    )


def kelvins(result: Any) -> list[Any]:
    """Results as raw numbers, temperatures and their differences in kelvins."""
    found = []
    for leaf in leaves(result):
        if isinstance(leaf, DimArray):
            leaf = leaf.to_base_units().data
        found.append(leaf)
    return found


def attempted(op: Op, case: Case, units: Units, args: tuple[Any, ...]) -> Any:
    """The op, with `unit="K"` if it depends on the unit."""
    return quietly(run, op, args, chosen_unit(op, case, units))


@parametrized("points kept", with_policy(points.keep, points.blend, points.delta))
def test_points_give_what_absolute_temperatures_give(name: str) -> None:
    op = ops.get(name)
    checked = 0
    for case in cases(name):
        for units in kelvin_units(op, case):
            expected = kelvins(attempted(op, case, units, with_units(case.args, units)))
            for scale in SCALES:
                args = in_scale(case.args, units, scale)
                try:
                    result = attempted(op, case, units, args)
                except UnitError:
                    continue
                what = f"{case.label}, {units} in {scale}"
                assert_same(kelvins(result), expected, rtol=1e-9, what=what)
                _check_unit(op, result, scale, what)
                checked += 1
    assert checked, f"{name} takes no points"


def _check_unit(op: Op, result: Any, scale: str, what: str) -> None:
    """Points stay on their scale; differences never do."""
    for leaf in leaves(result):
        if isinstance(leaf, DimArray) and not leaf.is_dimensionless:
            if op.points is points.delta:
                assert leaf.unit.law is None, f"{what}: {leaf.unit} is no difference"
            elif not op.unit_dependent and leaf.dimension is Unit("K").dimension:
                assert leaf.unit == Unit(scale), f"{what}: {leaf.unit}"


@parametrized("points refused", with_policy(points.refuse))
def test_points_are_refused_where_they_have_no_meaning(name: str) -> None:
    op = ops.get(name)
    for case in cases(name):
        where = places(case)
        for scale in (*SCALES, "dBm", "pH"):
            for i in where:
                args = with_units(case.args, spread(case, where, ("",) * len(where)))
                mixed = (*args[:i], DimArray(np.asarray(case.args[i]), scale), *args[i + 1 :])
                with pytest.raises(UnitError):
                    quietly(run, op, mixed, case.params)
            if where:
                every = with_units(case.args, spread(case, where, (scale,) * len(where)))
                with pytest.raises(UnitError):
                    quietly(run, op, every, case.params)


@parametrized("levels blended", with_policy(points.blend, points.delta))
def test_levels_are_not_averaged(name: str) -> None:
    op = ops.get(name)
    for case in cases(name):
        for units in kelvin_units(op, case):
            levels = tuple("dBm" if u == "K" else u for u in units)
            with pytest.raises(UnitError):
                quietly(run, op, with_units(case.args, levels), case.params)


@parametrized("levels kept", [n for n in with_policy(points.keep) if not ops.get(n).unit_dependent])
def test_levels_are_picked_as_powers_are(name: str) -> None:
    op = ops.get(name)
    for case in cases(name):
        for units in kelvin_units(op, case):
            levels = with_units(case.args, tuple("dBm" if u == "K" else u for u in units))
            try:
                result = attempted(op, case, units, levels)
            except PointError:
                continue
            powers = tuple(
                a.to("mW") if u == "K" else a for a, u in zip(levels, units, strict=True)
            )
            expected = attempted(op, case, units, powers)
            assert_same(kelvins(result), kelvins(expected), rtol=1e-9, what=case.label)


@parametrized("points free", with_policy(points.free))
def test_any_unit_is_taken_where_values_do_not_matter(name: str) -> None:
    op = ops.get(name)
    for case in cases(name):
        for units in kelvin_units(op, case)[:1]:
            for scale in (*SCALES, "dBm"):
                given = tuple(scale if u == "K" else u for u in units)
                params = chosen_unit(op, case, given)
                for leaf in leaves(quietly(run, op, with_units(case.args, given), params)):
                    if isinstance(leaf, DimArray) and leaf.unit.law is not None:
                        assert leaf.unit == Unit(scale)


TEMPERATURES = {"degC": True, "degF": True, "K": True, "delta_degC": False, "delta_degF": False}


@pytest.mark.parametrize("name", with_policy(points.add, points.subtract))
@pytest.mark.parametrize("right", TEMPERATURES)
@pytest.mark.parametrize("left", TEMPERATURES)
def test_points_move_by_differences(name: str, left: str, right: str) -> None:
    """Whatever is accepted is what kelvins give, and a point comes out where one should."""
    op = ops.get(name)
    x, y = DimArray(np.array([20.0, -3.0]), left), DimArray(np.array([5.0, 7.5]), right)
    is_point = [Unit(u).law is not None for u in (left, right)]
    try:
        result = run(op, (x, y), {})
    except UnitError:
        assert any(is_point), f"{left} and {right} are plain differences"
        assert is_point[1], f"{left} moves by {right}"
        return
    assert is_point[0] + is_point[1] < 2 or name == "subtract"
    sign = 1 if name == "add" else -1
    expected = x.to_base_units().data + sign * y.to_base_units().data
    assert_same(result.to_base_units().data, expected, rtol=1e-12)
    assert (result.unit.law is not None) == (is_point[0] != is_point[1]), result.unit
