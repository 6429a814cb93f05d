"""Columns with units: what pandas' suite does not ask. The numbers are those of plain pandas."""

import operator
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow import DimArray, Unit, constants
from dimflow import units as u
from dimflow.errors import (
    DimensionError,
    NotANumber,
    PointError,
    UnitConversionError,
    UnitError,
    UnitLossError,
)
from dimflow.pandas import DimDtype, DimExtensionArray

NUMBERS = st.lists(st.one_of(st.floats(-1e6, 1e6), st.just(float("nan"))), min_size=1, max_size=20)


def speeds(values=(1.0, 2.0, np.nan), unit="m/s"):
    return pd.Series(values, dtype=f"dimflow[{unit}]", name="speed")


# The dtype


@pytest.mark.parametrize("unit", ["m/s", "kg*m**2/s**3", "degC", "dBm", "", "percent", "m**(1/2)"])
@pytest.mark.parametrize("number", ["float64", "float32"])
def test_a_dtype_is_its_name(unit, number):
    dtype = DimDtype(unit, number)
    assert pd.api.types.pandas_dtype(dtype.name) == dtype
    assert DimDtype.construct_from_string(str(dtype)).unit is dtype.unit
    assert pickle.loads(pickle.dumps(dtype)) == dtype
    assert hash(DimDtype(unit, number)) == hash(dtype)


def test_equal_units_are_equal_dtypes():
    assert DimDtype("N") == DimDtype("kg*m/s**2")
    assert DimDtype("m") != DimDtype("km")
    assert DimDtype("m") != DimDtype("m", "float32")


@pytest.mark.parametrize("text", ["dimflow", "dimflow[", "dimflow[frobs]", "dimflow[m", "m/s"])
def test_other_texts_are_no_dtype(text):
    with pytest.raises(TypeError):
        pd.Series([1.0], dtype=text)


def test_only_floats_have_room_for_a_gap():
    with pytest.raises(UnitError, match="float64 or float32"):
        DimDtype("m", "int64")
    assert pd.Series([1, 2], dtype="dimflow[m]").dtype == DimDtype("m")
    assert speeds([1, 2]).astype("dimflow[m/s][float32]").dtype.number == "float32"
    with pytest.raises(UnitError, match="too many digits"):
        DimExtensionArray(np.array([2**53 + 1]), "m")
    with pytest.raises(UnitError, match="too many digits"):
        DimExtensionArray([2**60 + 1, None], "m")
    with pytest.raises(NotANumber, match="complex"):
        DimExtensionArray(np.array([1j]), "m")


# Making


def test_quantities_are_converted_and_bare_numbers_are_in_the_unit():
    mixed = [DimArray(1.0, "km"), None, pd.NA, np.nan, 5 * u.m]
    made = pd.Series(mixed, dtype="dimflow[m]")
    assert made.dimflow.magnitude.fillna(-1).tolist() == [1000.0, -1, -1, -1, 5.0]
    assert DimExtensionArray(mixed).dtype == DimDtype("km")
    assert pd.Series(DimExtensionArray(DimArray([1.0, 2.0], "km"))).dtype == DimDtype("km")
    with pytest.raises(UnitError, match="takes values in m, but got a pure number"):
        pd.Series([DimArray(1.0, "km"), 5.0], dtype="dimflow[m]")
    with pytest.raises(UnitError):
        pd.Series([DimArray(1.0, "s")], dtype="dimflow[m]")
    with pytest.raises(NotANumber):
        pd.Series(["much"], dtype="dimflow[m]")
    with pytest.raises(NotANumber):
        speeds() + pd.Series(["1", "2", "3"], dtype=object)
    with pytest.raises(UnitError, match="one axis"):
        DimExtensionArray(np.ones((2, 2)), "m")


def test_columns_of_other_dtypes_become_columns_with_units():
    for plain in (pd.Series([1, None], dtype="Int64"), pd.Series([1.0, None], dtype="Float64")):
        made = plain.astype("dimflow[m]")
        assert made.isna().tolist() == [False, True]
        assert made[0] == 1 * u.m
    assert pd.Series(["1.5 km", "2", None]).astype("dimflow[m]")[0] == 1500 * u.m


def test_an_element_is_a_quantity_and_a_key():
    series = speeds()
    assert series[0] == DimArray(1.0, "m/s")
    assert isinstance(series[0], DimArray)
    assert series[2] is np.nan
    assert hash(speeds([1.0], "km/s")[0]) == hash(speeds([1000.0])[0])
    assert not pd.isna(series[0])
    assert pickle.loads(pickle.dumps(series[0])) == series[0]


def test_a_column_reads_as_an_array():
    assert DimArray(speeds()).unit == Unit("m/s")
    assert DimArray(speeds(), "km/h")[0].item() == pytest.approx(3.6)
    assert DimArray(pd.Series([1.0, 2.0])).is_dimensionless


# Arithmetic

PLAIN = pd.Series([4.0, 5.0, 6.0], index=[2, 1, 0], name="plain")


def test_units_on_either_side_of_a_plain_series():
    for made in (PLAIN * u.m, u.m * PLAIN, PLAIN / (1 / u.m), PLAIN * DimArray(1.0, "m")):
        assert made.dtype == DimDtype("m")
        assert made.index.tolist() == PLAIN.index.tolist()
        assert made.name == "plain"
        assert made.dimflow.magnitude.tolist() == PLAIN.tolist()
    assert (PLAIN / u.s).dtype == DimDtype("1/s")
    assert (u.m / PLAIN).dimflow.magnitude.tolist() == pytest.approx([1 / 4, 1 / 5, 1 / 6])
    assert (DimArray(2.0, "m") * PLAIN).dtype == DimDtype("m")
    assert (PLAIN.astype("Int64") * u.m).dtype == DimDtype("m")
    assert (PLAIN * u.degC).dtype == DimDtype("degC")
    assert (pd.Index([1.0, 2.0], name="d") * u.m).dtype == DimDtype("m")
    assert (speeds() * constants.g_0).dtype == DimDtype("m**2/s**3")


def test_tables_times_units_and_rows():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3, 4]})
    assert (frame * u.m).dtypes.tolist() == (u.m * frame).dtypes.tolist() == [DimDtype("m")] * 2
    row = frame * DimArray([2.0, 3.0], "s")
    assert row["a"].dimflow.magnitude.tolist() == [2.0, 4.0]
    assert row["b"].dimflow.magnitude.tolist() == [9.0, 12.0]
    with pytest.raises(ValueError, match="shape"):
        frame * DimArray([1.0, 2.0, 3.0], "s")


@given(NUMBERS, NUMBERS, st.sampled_from(["add", "sub", "mul", "truediv", "lt", "eq", "ge"]))
def test_numbers_are_those_of_plain_pandas(left, right, name):
    size = min(len(left), len(right))
    x, y = pd.Series(left[:size]), pd.Series(right[:size], index=range(size)[::-1])
    function = getattr(operator, name)
    wanted = (
        function(x, y) if name in ("add", "sub", "mul", "truediv") else function(x, y.sort_index())
    )
    y = y if name in ("add", "sub", "mul", "truediv") else y.sort_index()
    result = function(x.astype("dimflow[m]"), y.astype("dimflow[m]"))
    if result.dtype != bool:
        result = result.dimflow.magnitude
    pd.testing.assert_series_equal(result, wanted)


@given(NUMBERS)
def test_the_unit_that_a_column_is_written_in_does_not_matter(numbers):
    metres = pd.Series(numbers).astype("dimflow[m]")
    kilometres = metres.dimflow.to("km")
    one = pd.Series(1.0, index=metres.index).astype("dimflow[m]")
    for function in (operator.add, operator.sub, operator.mul):
        a, b = function(metres, one), function(kilometres, one)
        np.testing.assert_allclose(
            a.dimflow.magnitude, b.dimflow.to_value(a.dimflow.unit), rtol=1e-9, atol=1e-6
        )
    for name in ("sum", "mean", "min", "max", "std", "var", "median"):
        a, b = getattr(metres, name)(), getattr(kilometres, name)()
        if isinstance(a, DimArray):
            assert b.to_value(a.unit) == pytest.approx(a.item(), rel=1e-6, abs=1e-6)


def test_wrong_units_are_our_errors():
    series = speeds()
    for wrong in (
        lambda: series + pd.Series([1.0, 2.0, 3.0]).astype("dimflow[m]"),
        lambda: series + 1,
        lambda: series > 5,
        lambda: series < DimArray(1.0, "m"),
        lambda: DimArray(1.0, "m") + series,
    ):
        with pytest.raises(DimensionError):
            wrong()
    assert (series > 0).tolist() == [True, True, False]
    assert (series == 1).tolist() == [False] * 3
    with pytest.raises(UnitError):
        series**series
    with pytest.raises(UnitError):
        np.exp(series)


def test_durations_of_pandas_are_times():
    length = pd.Series([10.0, 20.0, 30.0], dtype="dimflow[m]")
    durations = pd.Series(pd.to_timedelta([2, 4, None], unit="min"))
    speed = length / durations
    assert speed.dtype == DimDtype("m/s")
    assert speed.isna().tolist() == [False, False, True]
    assert speed[0].item() == pytest.approx(10 / 120)
    assert (length / pd.Timedelta("1h")).dtype == DimDtype("m/s")
    assert durations.astype("dimflow[min]")[1] == 4 * u.min
    with pytest.raises(DimensionError):
        length + durations


def test_arrays_of_pandas_beside_ours():
    for made in (
        pd.array([1, None]) * DimArray(2.0, "m"),
        DimArray(2.0, "m") * pd.array([1, None]),
    ):
        assert isinstance(made, DimExtensionArray)
        assert made[0] == 2 * u.m
        assert made.isna().tolist() == [False, True]


def test_numpy_functions_keep_units():
    assert np.sqrt(speeds() ** 2).dtype == DimDtype("m/s")
    assert np.abs(-speeds())[1] == DimArray(2.0, "m/s")
    assert np.add(speeds(), speeds())[0] == DimArray(2.0, "m/s")
    for made in (np.maximum(speeds(), 1.5 * u.m / u.s), np.maximum(1.5 * u.m / u.s, speeds())):
        assert isinstance(made, pd.Series)
        assert made[0] == DimArray(1.5, "m/s")


def test_assignment_converts_or_raises():
    series = speeds()
    series[2] = DimArray(3.6, "km/h")
    assert series[2] == DimArray(1.0, "m/s")
    series[0] = None
    assert series.isna()[0]
    series.iloc[0] = 0
    assert series[0] == DimArray(0.0, "m/s")
    for wrong in (5.0, DimArray(1.0, "m"), [1.0, 2.0]):
        before = series.copy()
        with pytest.raises(UnitError):
            series.array[:2] = wrong
        pd.testing.assert_series_equal(series, before)


def test_gaps_are_filled_with_quantities():
    series = speeds([1.0, np.nan, 3.0])
    assert series.fillna(DimArray(7.2, "km/h"))[1] == DimArray(2.0, "m/s")
    assert series.fillna(0)[1] == DimArray(0.0, "m/s")
    assert series.ffill()[1] == series[0]
    assert series.interpolate()[1] == DimArray(2.0, "m/s")
    with pytest.raises((UnitError, TypeError)):
        series.fillna(5)
    assert series.where(series > DimArray(2.0, "m/s")).isna().tolist() == [True, True, False]
    assert series.where(series.isna(), DimArray(3.6, "km/h"))[0] == DimArray(1.0, "m/s")


# Summaries and groups

FRAME = pd.DataFrame({"k": ["a", "a", "b", "b", None], "x": [1.0, 2.0, np.nan, 5.0, 7.0]})


@pytest.mark.parametrize(
    ("how", "power"),
    [
        *[(how, 1) for how in ("sum", "mean", "median", "min", "max", "first", "last", "std")],
        ("sem", 1),
        ("var", 2),
    ],
)
def test_groups(how, power):
    frame = FRAME.astype({"x": "dimflow[m]"})
    result = getattr(frame.groupby("k")["x"], how)()
    wanted = getattr(FRAME.groupby("k")["x"], how)()
    assert result.dtype == DimDtype(u.m**power)
    pd.testing.assert_series_equal(result.dimflow.magnitude, wanted)
    whole = getattr(frame.groupby("k"), how)()
    pd.testing.assert_series_equal(whole["x"], result)


@pytest.mark.parametrize("how", ["cumsum", "cummin", "cummax", "shift", "diff"])
def test_groups_that_keep_their_length(how):
    result = getattr(FRAME.astype({"x": "dimflow[m]"}).groupby("k")["x"], how)()
    wanted = getattr(FRAME.groupby("k")["x"], how)()
    pd.testing.assert_series_equal(result.dimflow.magnitude, wanted)


def test_several_summaries_at_once():
    frame = FRAME.astype({"x": "dimflow[m]"})
    table = frame.groupby("k")["x"].agg(["mean", "var", "count"])
    assert table["mean"].dtype == DimDtype("m")
    assert table["var"].dtype == DimDtype("m**2")
    assert table["count"].tolist() == [2, 1]
    with pytest.raises(UnitError):
        pd.Series([20.0, 21.0], dtype="dimflow[degC]").to_frame("t").assign(k=1).groupby("k").sum()


def test_summaries_of_a_table_of_many_units():
    frame = pd.DataFrame({"x": [1.0, 3.0], "t": [2.0, 4.0], "n": [1, 2]})
    frame = frame.astype({"x": "dimflow[m]", "t": "dimflow[s]"})
    means = frame.mean()
    assert means["x"] == 2 * u.m
    assert means["t"] == 3 * u.s
    assert means["n"] == 1.5
    assert frame.iloc[0]["t"] == 2 * u.s
    assert (frame["x"] / frame["t"]).dtype == DimDtype("m/s")


def test_points_follow_the_table():
    degrees = pd.Series([20.0, 22.0, np.nan], dtype="dimflow[degC]")
    assert degrees.mean() == DimArray(21.0, "degC")
    assert degrees.std().unit == u.delta_degC
    assert degrees.diff().dtype == DimDtype("delta_degC")
    for wrong in (degrees.sum, degrees.cumsum, lambda: degrees * 2, lambda: degrees + degrees):
        with pytest.raises(PointError):
            wrong()


def test_products_know_their_length():
    assert speeds().prod() == DimArray(2.0, "m**2/s**2")
    with pytest.raises(UnitError):
        speeds().cumprod()
    with pytest.raises(Exception, match="groups of different sizes"):
        FRAME.astype({"x": "dimflow[m]"}).groupby("k").prod()


# Shapes


def test_joining_converts():
    both = pd.concat([speeds(), speeds([3.6], "km/h")], ignore_index=True)
    assert both.dtype == DimDtype("m/s")
    assert both[3] == DimArray(1.0, "m/s")
    mixed = pd.concat([speeds([1.0]), pd.Series([1.0], dtype="dimflow[m]")], ignore_index=True)
    assert mixed.dtype == object
    assert [value.unit for value in mixed] == [Unit("m/s"), u.m]


def test_sorting_counting_and_merging():
    series = speeds([2.0, 1.0, 2.0, np.nan])
    assert series.sort_values().index.tolist() == [1, 0, 2, 3]
    assert series.value_counts().tolist() == [2, 1]
    assert series.value_counts().index[0] == DimArray(2.0, "m/s")
    assert series.unique().dtype == DimDtype("m/s")
    assert series.nunique() == 2
    assert series.rank().tolist()[:3] == [2.5, 1.0, 2.5]
    assert series.quantile(0.5) == DimArray(2.0, "m/s")
    assert series.isin([DimArray(2.0, "m/s")]).tolist() == [True, False, True, False]
    left = pd.DataFrame({"v": series, "i": range(4)})
    right = pd.DataFrame({"v": speeds([1.0, 2.0]), "j": [10, 20]})
    assert left.merge(right, on="v")["j"].tolist() == [20, 10, 20]
    wide = left.dropna().pivot_table(index="i", values="v", aggfunc="mean")
    assert wide["v"].dtype == DimDtype("m/s")


# Text and files


def test_the_unit_is_in_sight():
    assert repr(speeds()).splitlines()[0].split() == ["0", "1", "m/s"]
    assert "dtype: dimflow[m/s]" in repr(speeds())
    assert "1 m/s" in repr(pd.DataFrame({"v": speeds()}))
    assert "NaN" in repr(speeds())


def test_csv_there_and_back(tmp_path):
    frame = pd.DataFrame({"v": speeds([0.1, np.nan, 1 / 3]), "n": [1, 2, 3]})
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    pd.testing.assert_frame_equal(pd.read_csv(path, dtype={"v": "dimflow[m/s]"}), frame)
    kilometres = pd.read_csv(path, dtype={"v": "dimflow[km/h]"})
    assert kilometres["v"][0].item() == pytest.approx(0.36)
    with pytest.raises(UnitError):
        pd.read_csv(path, dtype={"v": "dimflow[kg]"})


def test_csv_with_units_in_headings(tmp_path):
    frame = pd.DataFrame({"v": speeds([0.1, np.nan]), "n": [1, 2]})
    path = tmp_path / "table.csv"
    frame.dimflow.dequantify().to_csv(path, index=False)
    assert path.read_text().splitlines()[0] == "v [m/s],n"
    pd.testing.assert_frame_equal(pd.read_csv(path).dimflow.quantify(), frame)


def test_parquet_there_and_back(tmp_path):
    own = Unit("frobnik", Unit("m").dimension, 1.7)
    frame = pd.DataFrame(
        {
            "v": speeds(),
            "t": pd.Series([20.0, None, 21.0], dtype="dimflow[degC]"),
            "f": speeds().astype("dimflow[m/s][float32]"),
            "n": [1, 2, 3],
        }
    )
    frame["own"] = DimExtensionArray([1.0, 2.0, 3.0], own)
    path = tmp_path / "table.parquet"
    frame.to_parquet(path)
    pd.testing.assert_frame_equal(pd.read_parquet(path), frame)
    program = (
        "import pandas as pd, dimflow; from dimflow import DimArray\n"
        f"frame = pd.read_parquet({str(path)!r})\n"
        "assert str(frame['v'].dtype) == 'dimflow[m/s]', frame.dtypes\n"
        "assert frame['t'].isna().tolist() == [False, True, False]\n"
        "assert frame['own'].dimflow.to_value('m')[1] == 3.4\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


def test_arrow_carries_the_unit_itself():
    import pyarrow as pa

    own = Unit("frobnik", Unit("m").dimension, 1.7)
    column = DimExtensionArray([1.0, np.nan], own)
    array = pa.array(column)
    assert array.type.unit == own
    assert array.null_count == 1
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, pa.schema([("x", array.type)])) as writer:
        writer.write_table(pa.table({"x": array}))
    table = pa.ipc.open_stream(sink.getvalue()).read_all()
    assert table.schema.field("x").type.unit == own
    assert table.to_pandas()["x"].dtype == DimDtype(own)
    with pytest.raises(UnitLossError):
        pa.array(column, type=pa.float64())
    assert DimDtype("m").__from_arrow__(pa.array([1, None])).dtype == DimDtype("m")
    with pytest.raises(UnitError):
        DimDtype("m").__from_arrow__(pa.array(["x"]))


def test_json_and_pickle():
    series = speeds()
    assert '"1.0 m\\/s"' in series.to_json()
    pd.testing.assert_series_equal(pickle.loads(pickle.dumps(series)), series)


# The accessor


def test_the_accessor_of_a_series():
    series = speeds()
    assert series.dimflow.unit == series.dimflow.units == Unit("m/s")
    assert series.dimflow.dimension is Unit("m/s").dimension
    assert series.dimflow.to("km/h")[0] == DimArray(3.6, "km/h")
    assert series.dimflow.to_value("km/h").tolist()[:2] == pytest.approx([3.6, 7.2])
    assert series.dimflow.to_base_units().dtype == DimDtype("m/s")
    assert series.dimflow.dequantify().name == "speed [m/s]"
    assert series.dimflow.quantities.shape == (3,)
    assert PLAIN.dimflow.quantify("kg").dtype == DimDtype("kg")
    with pytest.raises(UnitError, match="has no unit"):
        _ = PLAIN.dimflow.unit
    with pytest.raises(UnitError, match="is in m/s already"):
        series.dimflow.quantify("m")
    with pytest.raises(DimensionError):
        series.dimflow.to("kg")


def test_the_accessor_of_a_table():
    frame = pd.DataFrame({"x [m]": [1.0], "t (s)": [2.0], "note": ["a"], "f(x)": [1]})
    made = frame.dimflow.quantify()
    assert list(made.columns) == ["x", "t", "note", "f(x)"]
    assert made.dimflow.units.tolist() == [u.m, u.s, None, None]
    assert made.dimflow.to({"x": "km"})["x"][0] == 1 * u.m
    assert made.dimflow.dequantify().columns.tolist() == ["x [m]", "t [s]", "note", "f(x)"]
    level = made.dimflow.dequantify(level=True)
    assert level.columns.tolist()[0] == ("x", "m")
    assert level.dimflow.quantify(level=-1).dtypes.tolist() == made.dtypes.tolist()
    named = pd.DataFrame({"x": [1.0]}).dimflow.quantify({"x": "m"})
    assert named.dimflow.to_base_units()["x"].dtype == DimDtype("m")
    assert named.dimflow.to("km")["x"].dtype == DimDtype("km")
    for wrong in ({"y": "m"},):
        with pytest.raises(UnitError, match="there is no column 'y'"):
            named.dimflow.to(wrong)
        with pytest.raises(UnitError, match="there is no column 'y'"):
            named.dimflow.quantify(wrong)


def test_numbers_are_not_given_away():
    series = speeds()
    for lossy in (
        lambda: series.to_numpy(dtype=float),
        lambda: series.astype(float),
        lambda: np.asarray(series, dtype=float),
        lambda: series.astype("Float64"),
    ):
        with pytest.raises(UnitLossError):
            lossy()
    assert series.to_numpy()[0].unit == Unit("m/s")
    assert (series / series)[:2].astype(float).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("heading", ["Time (UTC)", "Flow (mean)", "T [C]", "NO3 (mg N/L)"])
def test_the_call_in_the_hint_of_a_heading_works(heading: str) -> None:
    frame = pd.DataFrame({heading: [1.0], "Run [3]": [2.0], "b [m]": [3.0]})
    with pytest.raises(UnitError) as caught:
        frame.dimflow.quantify()
    said = str(caught.value.hint).partition(": ")[2]
    made = eval(f"frame.dimflow.{said}", {"frame": frame})
    assert list(made.columns) == [heading, "Run [3]", "b"]
    assert made.dimflow.units["Run [3]"] is None


@pytest.mark.parametrize("unit", ["h", "s", "ms", "d"])
def test_durations_become_those_of_pandas(unit: str) -> None:
    seconds = np.array([7200.0, 0.5, np.nan])
    x = DimArray(seconds, "s").to(unit)
    wanted = pd.to_timedelta(seconds, "s").round("us")
    series = pd.to_timedelta(pd.Series(x, index=[3, 1, 2], name="t"))
    assert series.index.tolist() == [3, 1, 2]
    assert series.name == "t"
    for found in (series, pd.to_timedelta(pd.Index(x)), pd.to_timedelta(x)):
        pd.testing.assert_index_equal(pd.Index(found).rename(None).round("us"), wanted)
    assert pd.to_timedelta(x[0]) == pd.Timedelta("2h")


def test_what_is_no_duration() -> None:
    with pytest.raises(UnitConversionError):
        pd.to_timedelta(pd.Series([1.0], dtype="dimflow[m]"))
    with pytest.raises(UnitError, match="durations that have one"):
        pd.to_timedelta(pd.Series([1.0], dtype="dimflow[h]"), unit="s")


def test_astype_copies_unless_it_is_told_not_to() -> None:
    column = DimExtensionArray([1.0, 2.0], "m")
    made, same = column.astype(column.dtype), column.astype(column.dtype, copy=False)
    made[0] = DimArray(5.0, "m")
    assert column[0] == DimArray(1.0, "m")
    same[0] = DimArray(7.0, "m")
    assert column[0] == DimArray(7.0, "m")
