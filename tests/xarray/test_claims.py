"""A law over attributes: what they say of computed numbers is not believed beside quantities.

xarray keeps `units` through any arithmetic. Whatever is computed from a coordinate is, beside a
quantity, what the same computation of quantities is, or an error that names the operation and calls
that work.
"""

import operator
import re
from dataclasses import dataclass

import numpy as np
import pytest
import xarray as xr

from dimflow import DimArray, Unit
from dimflow import units as u
from dimflow.errors import UnitError
from dimflow.xarray.variables import claimed_unit
from tests.xarray import calls
from tests.xarray.test_every_method import ALL, CALLS, outcome
from tests.xarray.worlds import World, parts, worlds

WORLD = worlds("lengths")[0]
ARRAY = WORLD.line.reset_coords(drop=True)
PURE = ARRAY / u.m  # beside which any bare number is taken
LABELS = ARRAY.x

FORMULAS = {
    "square": lambda x: x**2,
    "double": lambda x: 2 * x,
    "sine": np.sin,
    "root": np.sqrt,
    "reciprocal": lambda x: 1 / (x + 0 * x),
    "difference from the mean": lambda x: x - x.mean(),
    "ratio": lambda x: x / x.max(),
    "an element squared": lambda x: x[1] ** 2,  # 1 km, whose square has the number 1
    "positions": lambda x: x.argsort(),
}
COMPUTED = FORMULAS | {
    f"{name}.{index}": lambda x, call=call: call(x, WORLD)
    for name, found in calls.ARRAY.items()
    for index, call in enumerate(found if isinstance(found, list) else [found])
}
OPERATORS = {
    each.__name__: each
    for each in (operator.add, operator.sub, operator.mul, operator.truediv, operator.lt)
}
MEETINGS = {
    **OPERATORS,
    **{f"reflected {name}": lambda q, r, f=f: f(r, q) for name, f in OPERATORS.items()},
    "of a dataset": lambda q, r: (q.to_dataset(name="a") * r).a,
    "of two datasets": lambda q, r: (q.to_dataset(name="a") + r.to_dataset(name="a")).a,
    "variables": lambda q, r: xr.DataArray(q.isel(x=0).variable * r.variable),
    "in place": lambda q, r: operator.iadd(q.copy(deep=True), r),
    "groups": lambda q, r: q.groupby("x") - r,
    "unit": lambda q, r: r * Unit("s"),
    "maximum": np.maximum,
    "hypot": lambda q, r: np.hypot(r, q),
    "apply_ufunc": lambda q, r: xr.apply_ufunc(np.add, q, r),
    "where": lambda q, r: q.where(q > q.mean(), r),
    "xr.where": lambda q, r: xr.where(q > q.mean(), r, q),
    "fillna": lambda q, r: q.where(q > q.mean()).fillna(r),
    "clip": lambda q, r: q.clip(max=r),
    "dot": lambda q, r: xr.dot(q, r, dim="x"),
    "cov": xr.cov,
    "concat": lambda q, r: xr.concat([q.rename("a"), r.rename("a")], dim="run", join="outer"),
    "combine_first": lambda q, r: q.where(q > q.mean()).combine_first(r),
    "merge": lambda q, r: (
        xr.merge([q.where(q > q.mean()).rename("a"), r.rename("a")], compat="no_conflicts").a
    ),
    "assignment": lambda q, r: _assigned(q, r),
    "isin": lambda q, r: q.isin(r),
    "DimArray": lambda q, r: q.isel(x=0, drop=True) + DimArray(r),
}


def _assigned(q, r):
    made = q.copy(deep=True)
    made[{"x": slice(None)}] = r
    return made


def meeting(function, beside, found):
    """A result as a quantity, or an error."""
    try:
        return DimArray(getattr(function(beside, found), "data", None)), None
    except Exception as error:
        return None, error


def meant(compute, found):
    """As a quantity from the start; other labels are in the unit of the index, also bare ones."""
    if isinstance(found.variable, xr.IndexVariable):
        return found.dimflow.quantify("km")
    return compute(LABELS.dimflow.quantify())


@pytest.mark.share(3)
@pytest.mark.parametrize("name", MEETINGS)
@pytest.mark.parametrize("beside", [ARRAY, PURE], ids=["lengths", "pure"])
def test_what_is_computed_from_a_label_is_right_or_refused(name, beside):
    refused = 0
    for key, compute in COMPUTED.items():
        try:
            found = compute(LABELS)
        except Exception:
            continue
        if not isinstance(found, xr.DataArray) or claimed_unit(found) is None:
            continue
        result, error = meeting(MEETINGS[name], beside, found)
        if error is not None:  # or xarray's own, for shapes that do not fit
            refused += isinstance(error, UnitError) and "outlive arithmetic" in str(error)
            continue
        expected, wrong = meeting(MEETINGS[name], beside, meant(compute, found))
        assert wrong is None, (key, wrong)
        assert result.unit.dimension == expected.unit.dimension, key
        np.testing.assert_allclose(result.to_value(expected.unit), expected.data, err_msg=key)
    assert refused


@pytest.mark.parametrize("name", FORMULAS)
def test_the_hint_works(name):
    found = FORMULAS[name](LABELS)
    with pytest.raises(UnitError, match="multiply got plain numbers") as caught:
        ARRAY * found
    hinted = re.findall(r"(?<!\.)x\.\w+(?:\.\w+)*\([^()]*\)", caught.value.hint)
    assert hinted == ["x.drop_attrs()", "x.dimflow.quantify('km')"]
    assert "f(q.x.dimflow.quantify())" in caught.value.hint
    as_number, as_quantity = (ARRAY * eval(text, {"x": found}) for text in hinted)
    assert (as_quantity.data.unit, as_number.data.unit) == (Unit("m*km"), Unit("m"))
    if name != "sine":
        before = FORMULAS[name](LABELS.dimflow.quantify())
        assert isinstance((ARRAY * before).data, DimArray)


@pytest.mark.parametrize(
    ("attrs", "claim"),
    [
        ({}, None),
        ({"units": "1"}, None),
        ({"units": ""}, None),
        ({"units": "days since 1970-01-01"}, "days since 1970-01-01"),
        ({"unit": "sensor 3"}, None),
        ({"unit": 3}, None),
        ({"units": "percent"}, "%"),
        ({"units": "degrees_north"}, "degrees_north"),
        ({"units": "degC"}, "degC"),
        ({"unit": "km"}, "km"),
        ({"units": "of nobody"}, "of nobody"),
    ],
)
def test_which_attributes_say_a_unit(attrs, claim):
    found = xr.DataArray([50.0, 60.0], dims="k", attrs=attrs)
    assert claimed_unit(found) == claim
    assert claimed_unit(found > 1) is None  # a mask has no unit
    if claim is None:
        assert (found * u.m).data.unit == u.m
        return
    for wrong in (lambda: found * u.m, lambda: DimArray(found), lambda: DimArray(found.variable)):
        with pytest.raises(UnitError, match="outlive arithmetic"):
            wrong()


def test_the_hint_names_what_stands_inside():
    square = xr.Dataset({"a": LABELS**2})
    along = ARRAY.assign_coords(k=LABELS**2)
    for wrong, inside, right in (
        (lambda x: x * u.m, square, lambda x: x.a.data.unit == Unit("km*m")),
        (lambda x: x.differentiate("k"), along, lambda x: x.data.unit == Unit("m/km")),
        (lambda x: x.differentiate("x"), _by_unit(), lambda x: x.data.unit == Unit("m/km")),
    ):
        with pytest.raises(UnitError, match="outlive arithmetic") as caught:
            wrong(inside)
        (text,) = re.findall(r"(?<!\.)x\.dimflow\.quantify\(.*?\)", caught.value.hint)
        assert right(wrong(eval(text, {"x": inside})))


def _by_unit():
    """With an index whose unit stands where CF does not have it."""
    return ARRAY.assign_coords(x=("x", LABELS.values, {"unit": "km"}))


def test_labels_and_their_elements_have_the_unit_of_the_index():
    picked = ARRAY.isel(x=1)
    for label in (LABELS[1], LABELS.isel(x=1), ARRAY.sel(x=1000 * u.m).x, picked.copy(deep=True).x):
        assert (u.s * label).data == DimArray(1.0, "km*s")
    assert ARRAY.sel(x=1500 * u.m < LABELS).equals(ARRAY[2:])
    percent = ARRAY.assign_coords(x=("x", [10.0, 20.0, 30.0, 40.0], {"units": "percent"}))
    assert (percent * percent.x).data.to_value("m")[0] == pytest.approx(0.15)


@pytest.mark.parametrize("name", ["mean", "var", "std"])
def test_weights_count_by_their_ratios_whatever_their_attribute(name):
    weights = np.cos(LABELS / 10)
    expected = getattr(ARRAY.weighted(weights.drop_attrs()), name)()
    assert getattr(ARRAY.weighted(weights), name)().equals(expected)
    for wrong in (ARRAY.weighted(weights).sum, ARRAY.weighted(weights).sum_of_squares):
        with pytest.raises(UnitError, match="outlive arithmetic"):
            wrong()
    assert ARRAY.weighted(LABELS).sum().data.unit == Unit("m*km")


GLOBE = xr.DataArray(
    [10.0, 20.0, 25.0] * u.W,
    dims="lat",
    coords={"lat": ("lat", [0.0, 60.0, 75.0], {"units": "degrees_north"})},
)
SINES = [np.sin, np.cos, np.tan, lambda x: 2 * np.sin(x) ** 2, lambda x: np.cos(x) * np.tan(x)]


@pytest.mark.parametrize("unit", ["degrees_north", "degree", "arcmin", "degrees"])
def test_degrees_that_were_read_as_radians_are_named(unit):
    q = GLOBE.assign_coords(lat=GLOBE.lat.assign_attrs(units=unit))
    for compute in SINES:
        with pytest.raises(UnitError, match="outlive arithmetic") as caught:
            q * compute(q.lat)
        hint, after, _ = caught.value.hint.partition(";")
        (call,) = re.findall(r"np\.sin\(.*\)$", hint)
        in_radians = DimArray(q.lat.values, unit).to_value("rad")
        np.testing.assert_allclose(eval(call, {"q": q, "np": np}).values, np.sin(in_radians))
        assert "np.sin" not in after


WEIGHTS = {
    "cosine of labels": lambda lat: np.cos(lat),
    "its size": lambda lat: abs(np.cos(lat)),
    "its square": lambda lat: np.cos(lat) ** 2,
    "doubled": lambda lat: 2 * np.cos(lat),
    "sine": lambda lat: abs(np.sin(lat)),
    "transposed": lambda lat: np.cos(lat).expand_dims(k=2).rename("lat"),
    "renamed": lambda lat: np.cos(lat).rename("weights"),
    "positions": lambda lat: np.cos(lat).drop_vars("lat"),
    "lazy": lambda lat: np.cos(lat).chunk(),
}
RIGHT_WEIGHTS = {
    "quantities": lambda lat: np.cos(lat.dimflow.quantify()),
    "radians": lambda lat: np.cos(np.deg2rad(lat)),
    "by hand": lambda lat: np.cos(lat * np.pi / 180),
    "single precision": lambda lat: np.cos(np.deg2rad(lat)).astype("float32"),
    "without attributes": lambda lat: np.cos(np.deg2rad(lat)).drop_attrs(),
}


@pytest.mark.parametrize("unit", ["W", "degC"])
def test_weights_by_latitude_are_right_or_refused(unit):
    q = GLOBE.copy(data=DimArray(GLOBE.data.data, unit))
    wanted = np.average([10.0, 20.0, 25.0], weights=np.cos(np.deg2rad([0.0, 60.0, 75.0])))
    for name in ("mean", "var", "std"):
        for compute in WEIGHTS.values():
            for found in (q, q.to_dataset(name="a")):
                with pytest.raises(UnitError, match="not the cosine of that") as caught:
                    getattr(found.weighted(compute(q.lat)), name)("lat")
        (call,) = re.findall(r"np\.cos\(q.*?\(\)\)", caught.value.hint.replace("labels", "q.lat"))
        weights = eval(call, {"np": np, "q": q})
        for right in (weights, *(compute(q.lat) for compute in RIGHT_WEIGHTS.values())):
            found = getattr(q.weighted(right), name)("lat")
            if name == "mean":
                np.testing.assert_allclose(found.data.data, wanted, rtol=1e-6)
    assert q.weighted(q.lat).mean().data.unit == Unit(unit)  # labels are what they say
    plain = q.dimflow.drop_units()
    assert plain.weighted(np.cos(q.lat)).mean().size == 1  # xarray's own


def test_an_index_takes_no_claim_in_another_unit():
    metres = ARRAY.dimflow.to(x="m")
    assert metres.interp(x=LABELS).equals(metres)
    assert ARRAY.interp(x=LABELS / 1).equals(ARRAY)  # as a bare label: in the unit of the index
    for wrong in (
        lambda: metres.interp(x=1000 * LABELS),
        lambda: metres.dimflow.sel(x=1000 * metres.x),
        lambda: ARRAY.groupby_bins(LABELS**2, DimArray([0.0, 9.0], "km")).mean(),
        lambda: (
            ARRAY.assign_coords(k=LABELS**2).groupby_bins("k", DimArray([0.0, 9.0], "km")).max()
        ),
        lambda: ARRAY.assign_coords(k=LABELS**2).differentiate("k"),
        lambda: ARRAY.dimflow.polyfit("x", 1).dimflow.polyval(LABELS**2),
    ):
        with pytest.raises(UnitError, match="outlive arithmetic"):
            wrong()


def test_bins_of_positions_are_pure_numbers():
    unlabelled = ARRAY.drop_vars("x")
    found = unlabelled.groupby_bins("x", DimArray([-1.0, 1.0, 3.0])).max()
    assert found.equals(unlabelled.groupby_bins("x", [-1.0, 1.0, 3.0]).max())
    with pytest.raises(UnitError, match="has no unit"):
        unlabelled.groupby_bins("x", DimArray([0.0, 3.0], "km")).max()


@dataclass(frozen=True)
class Attributed(World):
    """Plain numbers whose attributes say units that only their author knows."""

    def attrs(self, unit):
        return {"units": "of nobody"}


@pytest.mark.parametrize(("key", "kind", "call"), CALLS, ids=[key for key, _, _ in CALLS])
def test_without_quantities_attributes_change_nothing(key, kind, call):
    found = ALL[kind][2]
    plain = World("m", "m", "km", plain=True)
    expected, error = outcome(call, found, plain)
    result, wrong = outcome(call, found, Attributed("m", "m", "km", plain=True))
    assert type(error) is type(wrong), wrong
    here, there = parts(_bare(result)), parts(expected)
    assert here.keys() == there.keys()
    for name, one in here.items():
        np.testing.assert_array_equal(one, there[name], err_msg=name)


def _bare(result):
    if isinstance(result, (tuple, list)):
        return [_bare(each) for each in result]
    if isinstance(result, xr.Variable):
        return xr.Variable(result.dims, result.data)
    if isinstance(result, (xr.DataArray, xr.Dataset)):
        result = result.copy(deep=False)
        for variable in (*result.coords.values(), *result.dimflow._variables().values()):
            variable.attrs = {}
    return result


def test_plain_labels_are_looked_up_by_their_numbers():
    metres = ARRAY.dimflow.drop_units().assign_coords(x=("x", LABELS.values, {"units": "m"}))
    kilometres = metres.assign_coords(x=LABELS)
    assert kilometres.sel(x=metres.x).equals(kilometres)
    assert kilometres.drop_sel(x=metres.x).size == 0


def test_an_index_whose_unit_nobody_reads_is_aligned_by_its_numbers():
    level = ARRAY.assign_coords(x=("x", [1.0, 2.0, 3.0, 4.0], {"units": "of nobody"}))
    assert (level + level).equals(2 * level)
    assert xr.concat([level, level], dim="x").size == 8
    assert level.sel(x=2.0).equals(level.isel(x=1))
    assert level.reindex(x=[2.0]).data == level.data[1:2]
    with pytest.raises(UnitError):
        level * level.x


NAMED = {
    "add": [lambda q, r: q + r, lambda q, r: r + q, np.add],
    "subtract": [lambda q, r: q - r],
    "multiply": [lambda q, r: q * r, lambda q, r: (5 * u.W) * r, lambda q, r: u.W * r],
    "divide": [lambda q, r: q / r, lambda q, r: r / q],
    "equal": [lambda q, r: q == r, lambda q, r: r == q],
    "not_equal": [lambda q, r: q != r],
    "less": [lambda q, r: q < r],
    "greater_equal": [lambda q, r: q >= r],
    "maximum": [np.maximum],
    "where": [lambda q, r: q.where(q > q.min(), r), lambda q, r: xr.where(q > q.min(), q, r)],
    "fillna": [lambda q, r: q.fillna(r)],
    "combine_first": [lambda q, r: q.combine_first(r)],
    "clip": [lambda q, r: q.clip(max=r)],
    "isin": [lambda q, r: q.isin(r)],
    "dot": [lambda q, r: q.dot(r), lambda q, r: xr.dot(q, r)],
    "cov": [xr.cov],
    "merge": [lambda q, r: xr.merge([q.rename("a"), r.rename("a")])],
    "DimArray": [lambda q, r: DimArray(r)],
}


@pytest.mark.parametrize("name", NAMED)
def test_an_error_names_what_was_called(name):
    q = xr.DataArray([1.0, 2.0] * u.W, dims="x", coords={"x": [0, 1]}, name="q")
    r = q.copy(data=[1.0, 2.0]).assign_attrs(units="W")
    for call in NAMED[name]:
        with pytest.raises(UnitError, match=f"^{name} got plain numbers"):
            call(q, r)
    for call in NAMED[name][:1] if name not in ("merge", "DimArray", "cov", "dot", "clip") else ():
        with pytest.raises(UnitError, match=f"^{name} got plain numbers"):
            call(q.to_dataset(name="a"), r.to_dataset(name="a"))
