"""Everyday work with tables: what pandas does inside must neither lose a unit nor another number.

The truth is pandas' own answer on the bare numbers.
"""

import io

import matplotlib.pyplot
import numpy as np
import pandas as pd
import pytest

from dimflow import DimArray
from dimflow import units as u
from dimflow.errors import DimensionError, PointError, UnitError, UnitLossError, UnsupportedFunction
from dimflow.pandas import DimDtype

NUMBERS = [1.0, 2.0, np.nan, 4.0]
PLAIN = pd.DataFrame({"k": list("abab"), "d": NUMBERS, "t": [20.0, 21.0, 22.0, 23.0]})
TABLE = PLAIN.dimflow.quantify({"d": "m", "t": "degC"})


def bare(series):
    return series.dimflow.magnitude if isinstance(series.dtype, DimDtype) else series


# Missing values stay missing


def test_a_missing_value_is_nan_wherever_pandas_takes_the_values_out():
    for found in (TABLE.to_dict("list")["d"], TABLE[["d"]].to_numpy()[:, 0], list(TABLE["d"])):
        assert found[0] == 1 * u.m
        assert np.isnan(found[2])
    assert TABLE["d"].to_numpy(na_value=0 * u.m)[2] == 0 * u.m
    turned = TABLE[["d"]].T
    assert turned.dtypes.tolist() == [DimDtype("m")] * 4
    assert turned.isna().to_numpy().tolist() == [[False, False, True, False]]


# Membership and repetition


def test_isin_compares_quantities_and_pure_numbers_with_pure_numbers():
    metres = TABLE["d"]
    with pytest.raises(UnitError, match="isin takes values in m, but got a pure number"):
        metres.isin([1.0, 2])
    wanted = [1 * u.m, 0.002 * u.km, 4 * u.s, None, "x"]
    assert metres.isin(wanted).tolist() == [True, True, True, False]
    assert metres.isin(metres.dimflow.to("km")).all()
    assert metres.isin(DimArray([0.001, 7.0], "km")).tolist() == [True, False, False, False]
    ratios = pd.Series([0.5, 2.0, np.nan], dtype="dimflow[dimensionless]")
    assert ratios.isin([0.5, np.nan]).tolist() == [True, False, True]
    assert (100 * ratios).astype("dimflow[%]").isin([50]).tolist() == [True, False, False]
    assert metres.isin([]).tolist() == [False] * 4


@pytest.mark.parametrize("keep", ["first", "last", False])
def test_repeated_values(keep):
    numbers = pd.Series([1.0, np.nan, 1.0, np.nan, 2.0])
    metres = numbers * u.m
    assert metres.duplicated(keep).tolist() == numbers.duplicated(keep).tolist()
    pd.testing.assert_series_equal(
        bare(metres.drop_duplicates(keep=keep)), numbers.drop_duplicates(keep=keep)
    )


# Sharing


def test_a_column_shares_no_memory_with_what_it_was_made_of():
    numbers = pd.Series([0.0, 1.0])
    array = DimArray([0.0, 1.0], "m")
    made = [
        numbers.dimflow.quantify("m"),
        array.to_pandas(),
        numbers * u.m,
        numbers.astype("dimflow[m]"),
    ]
    for series in made:
        series[0] = 5 * u.m
    assert numbers.tolist() == [0.0, 1.0]
    assert array.tolist() == [0.0, 1.0]


# Columns of other kinds


@pytest.mark.parametrize("kind", ["Int64", "Float64", "int32", "double[pyarrow]", "object"])
def test_numbers_of_any_dtype_on_either_side(kind):
    numbers = pd.Series([3, 1, 2, 5], dtype=kind)
    for product in (numbers * TABLE["d"], TABLE["d"] * numbers):
        assert product.dtype == DimDtype("m")
        assert bare(product).fillna(0).tolist() == [3.0, 2.0, 0.0, 20.0]
    with pytest.raises(DimensionError):
        numbers + TABLE["d"]


# Joining


@pytest.mark.parametrize(
    "options", [{"on": "d"}, {"left_on": "d", "right_on": "d"}, {"on": ["d"], "how": "outer"}, {}]
)
def test_merge_brings_keys_to_one_unit(options):
    left = pd.DataFrame({"d": [1.0, 1.0, 2.0, np.nan], "v": range(4)})
    right = pd.DataFrame({"d": [1.0, np.nan, 4.0, 4.0], "w": range(4)})
    wanted = left.merge(right, **options)
    ours, other = (frame.dimflow.quantify({"d": "m"}) for frame in (left, right))
    found = ours.dimflow.merge(other.dimflow.to({"d": "km"}), **options)
    assert found["d"].dtype == DimDtype("m")
    pd.testing.assert_frame_equal(found.assign(d=bare(found["d"])), wanted)
    with pytest.raises(DimensionError):
        ours.dimflow.merge(right.dimflow.quantify({"d": "s"}), **options)
    with pytest.raises(UnitError, match="has no unit"):
        ours.dimflow.merge(right, **options)


# Groups


@pytest.mark.parametrize("how", ["idxmin", "idxmax"])
def test_where_the_extremes_of_groups_are(how):
    for index in (range(4), list("wxyz")):
        ours, plain = (frame.set_index(pd.Index(index)) for frame in (TABLE, PLAIN))
        found, wanted = (frame.groupby("k")["d"].agg(how) for frame in (ours, plain))
        pd.testing.assert_series_equal(found, wanted)


def test_groups_without_a_rule_are_refused_by_name():
    with pytest.raises(UnsupportedFunction, match="ohlc"):
        TABLE.groupby("k")["d"].ohlc()


# Windows, limits, descriptions


WINDOWS = {
    "rolling": lambda s: s.rolling(2, min_periods=1),
    "expanding": lambda s: s.expanding(),
    "ewm": lambda s: s.ewm(2),
}


@pytest.mark.parametrize("kind", WINDOWS)
@pytest.mark.parametrize("name", ["mean", "sum", "std", "var", "min", "max", "median", "count"])
def test_windows_have_the_numbers_of_pandas_and_the_unit_of_the_operation(kind, name):
    window = WINDOWS[kind]
    if not hasattr(window(PLAIN["d"]), name):
        with pytest.raises(AttributeError):
            getattr(window(TABLE["d"].dimflow), name)
        return
    wanted = getattr(window(PLAIN["d"]), name)()
    found = getattr(window(TABLE["d"].dimflow), name)()
    pd.testing.assert_series_equal(bare(found), wanted)
    if name == "count":
        assert found.dtype == float
    else:
        assert found.dtype == DimDtype("m**2" if name == "var" else "m")


def test_windows_over_points():
    temperatures = TABLE["t"].dimflow
    assert temperatures.rolling(2).mean().dtype == DimDtype("degC")
    assert temperatures.rolling(2).std().dtype == DimDtype("delta_degC")
    with pytest.raises(PointError):
        temperatures.rolling(2).sum()
    with pytest.raises(UnsupportedFunction, match="apply"):
        temperatures.rolling(2).apply(np.sum)


def test_clip_converts_its_limits():
    found = TABLE["d"].dimflow.clip(1.5 * u.m, 0.003 * u.km)
    assert found.dtype == DimDtype("m")
    assert bare(found).fillna(-1).tolist() == [1.5, 2.0, -1.0, 3.0]
    assert bare(TABLE["d"].dimflow.clip(lower=0)).equals(PLAIN["d"])
    with pytest.raises(DimensionError):
        TABLE["d"].dimflow.clip(1.5)


def test_a_description_has_units():
    found, wanted = TABLE["t"].dimflow.describe(), PLAIN["t"].describe()
    assert found.index.equals(wanted.index)
    assert found["count"] == wanted["count"]
    assert found["std"].unit == u.delta_degC
    for label in wanted.index.drop(["count", "std"]):
        assert found[label] == DimArray(wanted[label], "degC")


# Headings


def test_headings_of_several_levels_and_their_names():
    columns = pd.MultiIndex.from_tuples([("a", "x"), ("a", "n")], names=["place", "what"])
    frame = pd.DataFrame([[1.0, 2]], columns=columns).dimflow.quantify({("a", "x"): "m"})
    plain = frame.dimflow.dequantify()
    assert plain.columns.tolist() == [("a", "x [m]"), ("a", "n")]
    assert list(plain.columns.names) == ["place", "what"]
    pd.testing.assert_frame_equal(plain.dimflow.quantify(), frame)


def test_base_units_of_columns_of_one_name():
    frame = pd.DataFrame([[1.0, 2.0]], columns=["x [km]", "x [h]"]).dimflow.quantify()
    assert frame.dimflow.to_base_units().dtypes.tolist() == [DimDtype("m"), DimDtype("s")]


# Texts and files


def test_texts_have_all_digits_and_read_as_the_same():
    series = pd.Series([1 / 3, 1e-300, 123456789.123456789, np.nan, -0.0], dtype="dimflow[m/s]")
    texts = series.astype(str)
    assert texts[:3].tolist() == [str(value) for value in series[:3]]
    pd.testing.assert_series_equal(texts.astype("dimflow[m/s]"), series)
    read = pd.read_csv(
        io.StringIO(series.to_csv(index=False, header=["v"])),
        dtype={"v": series.dtype},
        skip_blank_lines=False,
    )
    pd.testing.assert_series_equal(read["v"], series, check_names=False)


def test_texts_in_several_units_meet_in_the_column():
    texts = "v\n1 m\n2 km\n3\nNA\n4 m\n"
    found = pd.read_csv(io.StringIO(texts), dtype={"v": "dimflow[m]"})["v"]
    assert bare(found).fillna(-1).tolist() == [1.0, 2000.0, 3.0, -1.0, 4.0]
    with pytest.raises(UnitError, match="takes values in m, but got s"):
        pd.read_csv(io.StringIO("v\n1 m\n2 s\n"), dtype={"v": "dimflow[m]"})


def test_parquet_with_the_other_dtypes_of_pandas(tmp_path):
    TABLE.to_parquet(tmp_path / "t.parquet")
    read = pd.read_parquet(tmp_path / "t.parquet", dtype_backend="numpy_nullable")
    assert read["d"].dtype == DimDtype("m")


def test_the_hint_of_a_lost_unit_is_one_that_a_series_has():
    with pytest.raises(UnitLossError, match=r"series\.dimflow\.to_value\('m'\)"):
        TABLE["d"].astype(float)
    assert TABLE["d"].dimflow.to_value("m").equals(PLAIN["d"])


@pytest.mark.parametrize("interpolation", ["linear", "midpoint"])
def test_nothing_is_between_two_levels(interpolation):
    levels = pd.Series([20.0, np.nan, 50.0], dtype="dimflow[dBm]")
    with pytest.raises(PointError, match="dBm"):
        levels.quantile(interpolation=interpolation)
    with pytest.raises(PointError, match="dBm"):
        levels.interpolate()
    assert levels.interpolate(method="nearest").array[1] == 20 * u.dBm
    warm = pd.Series([20.0, np.nan, 50.0], dtype="dimflow[degC]")
    assert warm.quantile(0.5, interpolation=interpolation) == 35 * u.degC
    assert warm.interpolate().array[1] == 35 * u.degC


@pytest.mark.parametrize("method", ["index", "values", "nearest", "linear"])
@pytest.mark.parametrize("unit", [None, "m"])
def test_interpolation_by_an_index_of_quantities_is_by_its_numbers(method, unit):
    plain = pd.Series([1.0, np.nan, 3.0], index=[0.0, 1.0, 3.0])
    series = plain.set_axis(pd.Index([0.0, 1.0, 3.0] * u.s))
    series = series if unit is None else series.dimflow.quantify(unit)
    found = series.interpolate(method)
    numbers = found if unit is None else found.dimflow.magnitude
    np.testing.assert_allclose(numbers.to_numpy(), plain.interpolate(method).to_numpy())


PLOTS = [
    "series.plot()", "df.plot()", "series.plot.hist()", "df.plot(kind='hist')", "df.plot.bar()",
    "df.plot(x='t', y='d')", "df.plot.scatter(x='t', y='d')", "df.plot.pie(y='d')",
    "df.plot(x='n', y=['d', 't'])", "df[['d']].plot.box()", "df[['d']].plot.barh()",
]  # fmt: skip


@pytest.mark.parametrize("program", PLOTS)
def test_a_plot_of_pandas_names_the_one_of_its_numbers(program):
    matplotlib.use("Agg")
    df = TABLE[["d", "t"]].assign(n=1.0)
    names = {"series": df["d"], "df": df[["d"]] if "[['d']]" in program else df}
    with pytest.raises(UnitLossError, match="a plot of pandas would lose the unit") as caught:
        eval(program.replace("df[['d']]", "df"), names)
    eval(caught.value.hint.rpartition("names: ")[2], names)
    matplotlib.pyplot.close("all")
