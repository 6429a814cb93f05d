"""Summaries of columns with units in Dask's data frames: what pandas gives, before a task runs."""

from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask import delayed
from hypothesis import given, settings
from hypothesis import strategies as st

from dimflow import Unit
from dimflow.errors import PointError, UnitError, UnsupportedFunction
from dimflow.pandas import DimDtype
from tests.dask.conftest import nothing_runs

SUMMARIES = ["sum", "mean", "min", "max", "var", "std", "sem", "count", "prod"]
GROUPED = ["sum", "mean", "min", "max", "var", "std", "count"]
UNITS = ["m/s", "km", "degC", "delta_degC", "", "dB"]


@st.composite
def columns(draw: st.DrawFn) -> Any:
    """A column of pandas, some of it missing, and how many parts it is cut into."""
    n = draw(st.integers(1, 8))
    numbers = np.random.default_rng(draw(st.integers(0, 1000))).normal(5, 2, n)
    numbers[draw(st.lists(st.integers(0, n - 1), max_size=n))] = np.nan
    number = draw(st.sampled_from(["float64", "float32"]))
    column = pd.Series(numbers, dtype=DimDtype(draw(st.sampled_from(UNITS)), number), name="x")
    return column, draw(st.integers(1, 3))


def outcome(function: Any) -> Any:
    """What comes out: an error of ours is one too."""
    try:
        return function()
    except (PointError, UnsupportedFunction) as error:
        return type(error)


def same(found: Any, wanted: Any) -> None:
    """One number, with the same unit."""
    if isinstance(wanted, type) or isinstance(found, type):
        assert found is wanted
        return
    assert getattr(found, "unit", None) == getattr(wanted, "unit", None)
    one, other = (float(getattr(v, "_raw", v)) for v in (found, wanted))
    np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


@given(case=columns(), name=st.sampled_from(SUMMARIES))
@settings(max_examples=settings.default.max_examples // 2)
def test_a_summary_is_that_of_pandas(case: Any, name: str) -> None:
    column, parts = case
    lazy = dd.from_pandas(column, npartitions=parts, sort=False)
    wanted = outcome(lambda: getattr(column, name)())
    with nothing_runs():
        planned = outcome(lambda: getattr(lazy, name)())
    with np.errstate(invalid="ignore", divide="ignore"):  # Dask's own, of one number
        found = planned if isinstance(planned, type) else planned.compute(scheduler="sync")
    same(found, wanted)


@pytest.mark.parametrize("name", GROUPED)
def test_a_summary_of_groups_and_of_frames_is_that_of_pandas(name: str) -> None:
    numbers = np.array([1.0, 2.0, 4.0, np.nan, 3.0, 5.0, 8.0])
    frame = pd.DataFrame(
        {
            "x": pd.Series(numbers, dtype="dimflow[m/s]"),
            "y": pd.Series(numbers**2, dtype="dimflow[km/h]"),
            "g": [0, 0, 1, 1, 0, 1, 0],
        }
    )
    lazy = dd.from_pandas(frame, npartitions=3)
    with dask.config.set(scheduler="sync"):
        for part in (lambda f: f.groupby("g").x, lambda f: f[["x"]], lambda f: f[["x", "y"]]):
            planned, wanted = (getattr(part(f), name)() for f in (lazy, frame))
            found = planned.compute()
            assert found.dtype == wanted.dtype
            assert found.index.tolist() == wanted.index.tolist()
            for one, other in zip(found, wanted, strict=True):
                same(one, other)


@pytest.mark.parametrize(
    ("name", "args", "unit"),
    [
        ("skew", (), None),
        ("kurt", (), None),
        ("kurtosis", (), None),
        ("quantile", (0.3,), "degC"),
        ("quantile", ([0.25, 0.5],), "degC"),
        ("median_approximate", (), "degC"),
        ("nlargest", (2,), "degC"),
        ("nsmallest", (2,), "degC"),
    ],
)
def test_dasks_own_ways_are_those_of_the_plain_numbers(name: str, args: Any, unit: Any) -> None:
    plain = pd.Series(np.random.default_rng(3).random(20), name="t")
    column = plain.astype("dimflow[degC]")
    with dask.config.set(scheduler="sync"):
        wanted = getattr(dd.from_pandas(plain, npartitions=3), name)(*args).compute()
        found = getattr(dd.from_pandas(column, npartitions=3), name)(*args).compute()
    if unit is None:
        assert found == wanted
    elif isinstance(wanted, pd.Series):
        assert found.dtype == DimDtype(unit)
        pd.testing.assert_series_equal(found.dimflow.magnitude, wanted, check_names=False)
    else:
        assert (found.unit, found.item()) == (Unit(unit), wanted)


def test_columns_of_several_kinds() -> None:
    frame = pd.DataFrame(
        {
            "v": pd.Series([1.0, 2.0, 3.0], dtype="dimflow[m/s]"),
            "t": pd.Series([1.0, 2.0, 3.0], dtype="dimflow[degC]"),
            "n": [1.0, 2.0, 3.0],
            "s": list("abc"),
        }
    )
    lazy = dd.from_pandas(frame, npartitions=2)
    with dask.config.set(scheduler="sync"):
        found = lazy.mean(numeric_only=True).compute()
        assert [str(value) for value in found] == ["2.0 m/s", "2.0 degC", "2.0"]
        rows = lazy[["v"]].mean(axis=1).compute()
        assert rows.tolist() == frame[["v"]].mean(axis=1).tolist()
        assert lazy[["n"]].mean().compute().tolist() == [2.0]
        assert lazy.n.std().compute() == 1.0
    same_name = frame[["v", "t"]].set_axis(["x", "x"], axis=1)
    with nothing_runs():
        with pytest.raises(PointError, match="sum has no meaning for points in degC"):
            lazy.t.sum()
        with pytest.raises(PointError, match="sum has no meaning for points in degC"):
            lazy[["v", "t"]].sum()
        with pytest.raises(UnsupportedFunction, match="describe"):
            lazy[["v"]].describe()
        with pytest.raises(UnsupportedFunction, match="columns of one name"):
            dd.from_pandas(same_name, npartitions=1).mean()


def test_parts_without_numbers() -> None:
    column = pd.Series([np.nan, np.nan, 3.0, 4.0], dtype="dimflow[m]")
    lazy = dd.from_pandas(column, npartitions=2)
    with dask.config.set(scheduler="sync"):
        assert lazy.min().compute() == column.min()
        few = lazy[lazy > 3.5 * Unit("m")]
        assert few.max().compute() == column.max()
        none = lazy[lazy > 9.0 * Unit("m")]
        assert np.isnan(none.max().compute())
        assert none.sum().compute() == 0.0 * Unit("m")


# A frame whose parts are in different units of one dimension, by every way in
KILOMETRES = pd.DataFrame({"d": [1.0, 2.0, 4.0], "g": list("aab"), "n": [1.0, 5.0, 2.0]})
METRES = pd.DataFrame(
    {"d": [3000.0, 500.0, 1000.0], "g": list("bab"), "n": [1.0, 5.0, 2.0]}, index=[3, 4, 5]
)
PARTS = [KILOMETRES.astype({"d": "dimflow[km]"}), METRES.astype({"d": "dimflow[m]"})]
META = PARTS[0].iloc[:0]
WAYS_IN = {
    "from_delayed": lambda: dd.from_delayed([delayed(p) for p in PARTS], meta=META),
    "unverified": lambda: dd.from_delayed(
        [delayed(p) for p in PARTS], meta=META, verify_meta=False
    ),
    "from_map": lambda: dd.from_map(lambda i: PARTS[i], [0, 1], meta=META),
    "concat": lambda: dd.concat([dd.from_pandas(p, npartitions=1) for p in PARTS]),
    "concat of columns": lambda: dd.from_pandas(pd.concat(PARTS), npartitions=2).assign(
        d=dd.concat([dd.from_pandas(p, 1).d for p in PARTS])
    ),
    "map_partitions": lambda: dd.from_pandas(pd.concat(PARTS), npartitions=2).map_partitions(
        lambda part: part.assign(d=part.d.dimflow.to("m")) if part.index[0] else part, meta=META
    ),
}
OF_PARTS = {
    **{
        name: lambda f, name=name: getattr(f.d, name)()
        for name in [
            "sum",
            "mean",
            "min",
            "max",
            "var",
            "std",
            "sem",
            "count",
            "prod",
            "nunique",
            "mode",
            "cumsum",
            "cummax",
        ]
    },
    **{
        f"frame.{name}": lambda f, name=name: getattr(f[["d"]], name)()
        for name in ["sum", "mean", "max", "std", "count", "nunique"]
    },
    **{
        f"groups.{name}": lambda f, name=name: getattr(f.groupby("g").d, name)()
        for name in ["sum", "mean", "min", "std", "var", "count", "nunique", "median"]
    },
    "largest": lambda f: f.d.nlargest(2),
    "aggregated": lambda f: f.groupby("g").d.agg(["sum", "std", "mean"]),
    "mean of deviations": lambda f: f.groupby("g").d.std().mean(),
    "unique": lambda f: f.d.unique(),
    "counted": lambda f: f.d.value_counts(),
    "without duplicates": lambda f: f.d.drop_duplicates(),
    "by distance": lambda f: f.groupby("d").n.sum(),
    "joined": lambda f: f.merge(f, on="d").n_x.sum(),
    "dot": lambda f: f.d.dot(f.n),
    "sorted": lambda f: f.sort_values("d").d,
    "indexed": lambda f: f.set_index("d").n,
    "compared": lambda f: f.d == 1.0 * Unit("km"),
}


def in_order(found: Any) -> Any:
    """Texts in km, in the order of their own: Dask's is another."""
    if isinstance(found, pd.DataFrame):
        return sorted(zip(*(in_order(column) for _, column in found.items()), strict=True))
    values = found if np.ndim(found) else [found]
    labels = found.index if isinstance(found, pd.Series) and found.index.name else [0] * len(values)
    return sorted(
        (as_text(label), as_text(value)) for label, value in zip(labels, values, strict=True)
    )


def as_text(value: Any) -> str:
    unit = getattr(value, "unit", None)
    if unit is None:
        return f"{value:.10g}" if isinstance(value, float) else str(value)
    scale = unit.to_base()
    return f"{float(value.to_value(scale)):.10g} {scale}"


@pytest.mark.share(4)
@pytest.mark.parametrize("name", OF_PARTS)
@pytest.mark.parametrize("way", WAYS_IN)
def test_parts_in_different_units_are_one_column(way: str, name: str) -> None:
    frame, function = WAYS_IN[way](), OF_PARTS[name]
    whole = pd.concat(PARTS)
    with dask.config.set(scheduler="sync"):
        found = function(frame).compute()
    assert in_order(found) == in_order(function(whole))


@pytest.mark.parametrize("way", [True, False])
def test_parts_without_the_unit_are_refused(way: bool) -> None:
    for other in (METRES, METRES.astype({"d": "dimflow[s]"})):
        parts = [delayed(PARTS[0]), delayed(other)]
        lazy = dd.from_delayed(parts, meta=META, verify_meta=way)
        with (
            dask.config.set(scheduler="sync"),
            pytest.raises(UnitError, match="takes values in km"),
        ):
            lazy.d.sum().compute()
    gaps = METRES.assign(d=np.nan)
    lazy = dd.from_delayed([delayed(PARTS[0]), delayed(gaps)], meta=META, verify_meta=way)
    with dask.config.set(scheduler="sync"):
        assert lazy.d.sum().compute() == 7.0 * Unit("km")


@given(case=columns(), unit=st.sampled_from(["km", "mi", "degF", "percent"]))
def test_equal_quantities_hash_alike(case: Any, unit: str) -> None:
    column, _ = case
    try:
        other = column.dimflow.to(unit)
    except UnitError:
        return
    one, two = (pd.util.hash_pandas_object(c, index=False) for c in (column, other))
    pd.testing.assert_series_equal(one, two)
