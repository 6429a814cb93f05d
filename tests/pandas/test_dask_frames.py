"""Summaries of columns with units in Dask's data frames: what pandas gives, before a task runs."""

from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dimflow import Unit
from dimflow.errors import PointError, UnsupportedFunction
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
