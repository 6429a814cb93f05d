"""Laws over whole classes of calls: element by element as all at once, and all or nothing."""

import operator
import re
import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import dimflow
from dimflow import DimArray
from dimflow import units as u
from dimflow.array.guests import ROUNDINGS
from dimflow.errors import DimensionError, DimflowError, UnitChoiceError, UnitError
from dimflow.pandas import DimDtype

LENGTHS = st.lists(st.sampled_from([0.5, 1.0, 2.0, 3.0, np.nan]), min_size=1, max_size=6)
COMPARISONS = [operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge]

# A truth of every element by itself, in the ways that people write it.
ONE_BY_ONE = {
    "map": lambda s, f: s.map(f),
    "apply": lambda s, f: s.apply(f),
    "Series": lambda s, f: pd.Series([f(x) for x in s], index=s.index),
    "Index": lambda s, f: pd.Series(pd.Index([f(x) for x in s]), index=s.index),
    "rows": lambda s, f: s.to_frame("a").apply(lambda row: f(row.a), axis=1),
    "table": lambda s, f: s.to_frame("a").map(f)["a"],
    "groups": lambda s, f: s.groupby(s.index).agg(lambda g: f(g.iloc[0])),
    "filter": lambda s, f: s.index.isin(s.groupby(s.index).filter(lambda g: f(g.iloc[0])).index),
}


@pytest.mark.parametrize("way", ONE_BY_ONE)
@pytest.mark.parametrize("limit", [DimArray(2.0, "m"), pd.Series([2.0] * u.m)[0], 0.002 * u.km])
def test_a_mask_made_one_by_one_is_that_of_the_column(way, limit):
    series = pd.Series([1.0, 2.0, 3.0, 4.0] * u.m)
    for compare in COMPARISONS:
        swapped = lambda x, y, f=compare: f(y, x)  # noqa: E731
        for function in (compare, swapped):
            mask = ONE_BY_ONE[way](series, lambda x, f=function: f(x, limit))
            wanted = function(series, limit)
            assert mask.dtype == bool
            assert np.asarray(mask).tolist() == wanted.tolist()
            assert series[mask].equals(series[wanted])


@pytest.mark.parametrize("function", [np.isnan, np.isfinite, np.isinf, np.signbit, dimflow.isnan])
def test_what_is_asked_of_an_element_is_a_truth(function):
    series = pd.Series([1.0, -2.0, np.inf] * u.m)
    wanted = function(series.dimflow.quantities).data.tolist()
    if function is not dimflow.isnan:
        assert [function(x) for x in series] == wanted
        assert all(type(function(x)) is bool for x in series)
    for way in ("map", "Series", "rows"):
        found = ONE_BY_ONE[way](series, function)
        assert found.dtype == bool
        assert found.tolist() == wanted


def test_an_array_of_truths_is_a_plain_column():
    mask = DimArray([True, False])
    made = [
        pd.Series(mask),
        mask.to_pandas(),
        pd.Series(list(mask)),
        pd.DataFrame({"a": mask})["a"],
        pd.DataFrame({"a": list(mask)})["a"],
        pd.Series({0: DimArray(True), 1: DimArray(False)}),
    ]
    for column in made:
        assert column.dtype == bool
        assert column.tolist() == [True, False]
    assert pd.Series([DimArray(True), None]).tolist() == [True, None]
    assert pd.Series([DimArray(True), 1 * u.m])[1] == 1 * u.m


KEYS = st.sampled_from([1.0, 2.0, np.nan, "a", None]) | st.builds(
    lambda number, unit, is_element: (
        pd.Series([number], dtype=f"dimflow[{unit}]")[0] if is_element else DimArray(number, unit)
    ),
    st.sampled_from([1.0, 2.0, 0.001, 7.0]),
    st.sampled_from(["m", "km", "s", ""]),
    st.booleans(),
)


@given(st.lists(st.sampled_from([0.5, 1.0, 2.0, np.nan]), max_size=4), KEYS)
def test_what_is_in_an_index_is_what_it_finds(numbers, key):
    index = pd.Index(numbers * u.m)
    try:
        index.get_loc(key)
    except KeyError:
        is_found = False
    else:
        is_found = True
    table = pd.DataFrame([range(len(index))], columns=index)
    assert (key in index, key in table, key in table.iloc[0]) == (is_found,) * 3
    if is_found:
        with pytest.raises(ValueError, match="already exists"):
            table.insert(0, key, 9)


def test_no_list_is_in_an_index():
    for key in ([1.0], [1.0] * u.m, slice(1)):
        with pytest.raises(TypeError, match="unhashable"):
            key in pd.Index([1.0] * u.m)  # noqa: B015


def test_a_level_of_an_index_is_found_by_a_quantity():
    levels = [["a", "a", "b"], [1.0, 2.0, 1.0] * u.m]
    table = pd.DataFrame({"v": [1, 2, 3]}, index=pd.MultiIndex.from_arrays(levels))
    for key in (1 * u.m, 0.001 * u.km, table.index[0][1]):
        assert table.loc["a", key].tolist() == [1]
        assert table.loc[("a", key), "v"] == table.v["a", key] == table.v.loc["a", key] == 1
        assert table.loc[(slice(None), key), :].v.tolist() == [1, 3]
        assert table.xs(key, level=1).v.tolist() == [1, 3]
    with pytest.raises(KeyError):
        table.loc["a", 7 * u.m]


ROWS = ["sum", "mean", "median", "std", "var", "sem", "min", "max", "cumsum", "cummax", "idxmin"]


@pytest.mark.parametrize("name", [*ROWS, "ffill", "bfill", "quantile", "interpolate"])
@pytest.mark.parametrize("other", ["m", "km", "s", ""])
def test_rows_are_of_one_dimension(name, other):
    plain = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 5.0]})
    table = plain.assign(a=[1.0, 2.0] * u.m)
    table = table.dimflow.quantify({"b": other}) if other else table
    if other in ("m", "km"):
        found = getattr(table, name)(axis=1)
        parts = [found] if found.ndim == 1 else [found["a"], found["b"]]
        wanted = getattr(plain.assign(b=plain.b * (1000 if other == "km" else 1)), name)(axis=1)
        others = [wanted] if wanted.ndim == 1 else [wanted["a"], wanted["b"]]
        for one, right in zip(parts, others, strict=True):
            assert one.dtype == right.dtype or one.dtype == DimDtype("m" if name != "var" else "m2")
            numbers = one.dimflow.magnitude if isinstance(one.dtype, DimDtype) else one
            pd.testing.assert_series_equal(numbers, right)
    elif name in ROWS:
        for axis in (1, "columns") if name not in ("cumsum", "cummax") else (1,):
            with pytest.raises(DimensionError):
                getattr(table, name)(axis=axis)
    missing = table[["a"]].assign(b=np.nan)
    if name in ("sum", "min", "max"):
        assert getattr(missing, name)(axis=1).tolist() == [1 * u.m, 2 * u.m]
    if other in ("s", ""):
        assert table.prod(axis=1).dtype == DimDtype(f"m {other}".strip())


FACTORS = {
    "list": lambda f: list(f),
    "series": lambda f: pd.Series(f, index=["a", "b"]),
    "other order": lambda f: pd.Series(f[::-1], index=["b", "a"]),
    "table": lambda f: pd.DataFrame({"c": pd.Series(f), "d": pd.Series(f)}).set_axis(["a", "b"]),
}


@pytest.mark.parametrize("way", FACTORS)
@pytest.mark.parametrize("units", [("m", "m"), ("m", "km"), ("m", "s"), ("m", "")])
@pytest.mark.parametrize("others", [("", ""), ("s", "m"), ("s", "s")])
def test_a_product_of_tables_is_that_of_their_columns(way, units, others):
    columns = [DimArray([1.0, 2.0], unit) for unit in units]
    factors = [DimArray(number, unit) for number, unit in zip((3.0, 5.0), others, strict=True)]
    if others == ("", ""):
        factors = [3.0, 5.0]
    table = pd.DataFrame(dict(zip("ab", columns, strict=True)))
    try:
        wanted = columns[0] * factors[0] + columns[1] * factors[1]
    except DimensionError:
        with pytest.raises(DimensionError):
            table.dot(FACTORS[way](factors))
        return
    for found in (table.dot(FACTORS[way](factors)), table @ FACTORS[way](factors)):
        parts = [found] if found.ndim == 1 else [found["c"], found["d"]]
        for part in parts:
            assert DimArray(part).tolist() == wanted.tolist()
            assert part.dtype == DimDtype(wanted.unit)


@pytest.mark.parametrize("name", ROUNDINGS)
def test_the_hint_of_a_rounding_is_a_call_that_works(name):
    numbers = DimArray([1250.0, -1750.0], "m")
    objects = {"series": pd.Series(numbers), "x": xr.DataArray(numbers, dims="x")}
    for called, found in objects.items():
        if name == "round" and called == "x":
            with pytest.raises(UnitChoiceError, match=r"x\.dimflow\.round\("):
                found.round(1)
        elif name not in ("round", "fix"):  # a Series rounds in its unit, and fix is no ufunc
            with pytest.raises(UnitChoiceError, match=rf"{called}\.dimflow\.{name}\("):
                getattr(np, name)(found)
        made = getattr(found.dimflow, name)(unit="km")
        wanted = getattr(dimflow, name)(numbers, unit="km")
        assert DimArray(made).to_value("km").tolist() == wanted.to_value("km").tolist()


def test_an_expression_has_units_beside_numbers():
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0] * u.m})
    for text in ("a > 2*@u.m", "a > 1.5*@u.m + 0.5*@u.m", "a > 200*@u.cm", "a*2 > 4*@u.m"):
        assert table.query(text)["a"].tolist() == [3 * u.m]


@pytest.mark.parametrize("method", ["index", "values", "linear", "slinear"])
def test_labels_with_a_unit_are_places_between_which_is_interpolated(method):
    plain = pd.Series([1.0, np.nan, 3.0], index=[0.0, 1.0, 3.0])
    found = plain.dimflow.quantify("m").set_axis(pd.Index(plain.index.to_numpy() * u.s))
    wanted = plain.interpolate(method)
    assert found.interpolate(method).dimflow.magnitude.tolist() == wanted.tolist()


@pytest.mark.parametrize("heading", ["c (old)", "Time (UTC)", "name [x1y]", "t (hh:mm)"])
def test_a_column_of_texts_need_say_no_unit(heading):
    for values in (["2001-01-01"], pd.to_datetime(["2001-01-01"]), pd.Categorical(["a"])):
        table = pd.DataFrame({heading: values, "a [m]": [1.0]})
        found = table.dimflow.quantify()
        assert list(found.columns) == [heading, "a"]
        assert found[heading].equals(table[heading])


@pytest.mark.parametrize("heading", ["date (d)", "v (m/s)", "T [C]"])
def test_a_column_of_texts_says_its_heading(heading):
    table = pd.DataFrame({"a [m]": [1.0], heading: ["2001-01-01"]})
    with pytest.raises(UnitError, match=re.escape(repr(heading))) as error:
        table.dimflow.quantify()
    call = error.value.hint.partition("rename it: ")[2]
    assert eval(call, {"df": table}).dimflow.units["a"] == u.m


SERIES = pd.Series([1.0, 2.0] * u.m)
TABLE = pd.DataFrame({"a": SERIES, "n": [1, 2], "x": [1.0, 2.0]})
NEW_ROWS = {
    "series": (
        SERIES,
        ["s.loc[7] = {}", "s[7] = {}", "s.at[7] = {}", "s['k'] = {}"],
        ["4", "4 * u.s", "True", "'x'"],
    ),
    "texts": (pd.Series(["a", "b"]), ["s.loc[7] = {}"], ["4 * u.m"]),
    "plain": (TABLE.n, ["s.loc[7] = {}", "s[7] = {}", "s.at[7] = {}"], ["4 * u.m", "SERIES[0]"]),
    "table": (
        TABLE,
        ["s.loc[5] = [{}] * 3", "s.loc[5] = dict.fromkeys('anx', {})", "s.loc[5] = {}"],
        ["4", "4 * u.s", "4 * u.m", "'x'"],
    ),
    "cell": (
        TABLE,
        ["s.loc[5, '{name}'] = {}", "s.at[5, '{name}'] = {}"],
        ["4 * u.s", "SERIES[0] * u.s"],
    ),
    "labels": (SERIES.set_axis(SERIES), ["s.loc[{}] = 4 * u.m", "s[{}] = 4 * u.m"], ["5", "5*u.s"]),
}


@pytest.mark.parametrize("case", NEW_ROWS)
def test_a_refused_row_leaves_nothing(case):
    start, statements, values = NEW_ROWS[case]
    for statement in statements:
        for value in values:
            for name in "anx" if "{name}" in statement else "a":
                found = start.copy()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # pandas' own advice
                    with pytest.raises((DimflowError, ValueError)):
                        exec(statement.format(value, name=name), {"s": found, **globals()})
                assert found.equals(start), (statement, value)


FILLING = {
    "combine_first": lambda x, y: x.combine_first(y),
    "combine_first of a table": lambda x, y: x.to_frame("a").combine_first(y.to_frame("a"))["a"],
    "where": lambda x, y: x.where(x.notna(), y),
    "mask": lambda x, y: x.mask(x.isna(), y),
    "where of a table": lambda x, y: x.to_frame("a").where(x.notna(), y.to_frame("a"))["a"],
    "fillna": lambda x, y: x.fillna(y),
    "case_when": lambda x, y: x.case_when([(x.isna(), y)]),
}
FILLERS = {"m": [9.0, 2.0] * u.m, "cm": [900.0, 2.0] * u.cm, "s": [9.0, 2.0] * u.s, "": [9.0, 2.0]}


@pytest.mark.parametrize("way", FILLING)
@pytest.mark.parametrize("left", ["m", "cm", "s", ""])
@pytest.mark.parametrize("right", ["m", "cm", "s", ""])
@pytest.mark.filterwarnings("ignore")  # pandas' own advice
def test_gaps_are_filled_by_what_belongs_there_alone(way, left, right):
    """It never becomes a column of objects, unseen."""
    start = pd.Series([np.nan, 2.0])
    start = start.dimflow.quantify(left) if left else start
    fill = FILLING[way]
    if left == right or {left, right} == {"m", "cm"}:
        found = fill(start, pd.Series(FILLERS[right]))
        assert found.dtype == start.dtype
        assert found[0] == pd.Series(FILLERS[right])[0]
    else:
        with pytest.raises(DimflowError):
            fill(start, pd.Series(FILLERS[right]))
    if left:
        assert fill(start, pd.Series([np.nan, np.nan])).dtype == DimDtype(left)
