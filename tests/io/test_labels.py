"""The labels of a table of pandas or xarray are written as columns: none is lost without a word."""

import io
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from dimflow import DimArray, from_csv, savetxt, to_csv
from dimflow import units as u
from dimflow.errors import StructureMismatch

SPEED = DimArray([2.5, -3.0], "m/s")
INDEXES: dict[str, Any] = {
    "dates": pd.to_datetime(["2020-01-01", "2020-01-02"]),
    "named dates": pd.to_datetime(["2020-01-01", "2020-01-02"]).rename("day"),
    "quantities": pd.Index([1.0, 2.0] * u.km, name="x"),
    "words": pd.Index(["a", "b"]),
    "years": pd.Index([2019, 2020]),
    "places": pd.Index([0.5, 1.5], name="place"),
    "named count": pd.RangeIndex(2, name="run"),
    "two levels": pd.MultiIndex.from_product([["a"], [1, 2]], names=["team", "n"]),
    "levels of quantities": pd.MultiIndex.from_arrays([["a", "b"], pd.Index([1.0, 2.0] * u.m)]),
}


def written(table: Any, function: Any = to_csv) -> str:
    file = io.StringIO()
    function(file, table)
    return file.getvalue()


def texts(column: Any) -> list[str]:
    """Cells however they are held: dates of pandas and of NumPy, whole numbers as floats."""
    if isinstance(column, DimArray) or hasattr(column.dtype, "unit"):
        return [str(float(n)) for n in DimArray(column).data] + [str(DimArray(column).unit)]
    column = np.asarray(column)
    dates = column.dtype.kind == "M"
    return [str(v) for v in (column.astype("M8[D]") if dates else column)]


@pytest.mark.parametrize("name", INDEXES)
@pytest.mark.parametrize("kind", ["frame", "column"])
def test_labels_there_and_back(name: str, kind: str) -> None:
    frame = pd.DataFrame({"v": SPEED}).set_index(INDEXES[name])
    found = from_csv(io.StringIO(written(frame if kind == "frame" else frame.v)))
    wanted = frame.reset_index()
    assert list(found) == list(wanted)
    for key, column in wanted.items():
        is_plain = getattr(column.dtype, "unit", None) is None and column.dtype.kind in "if"
        assert texts(found[key]) == texts(DimArray(column.to_numpy(float)) if is_plain else column)


def test_a_count_of_the_rows_is_no_column() -> None:
    frame = pd.DataFrame({"v": SPEED})
    assert written(frame) == written(frame.v) == written({"v": SPEED})
    assert written(frame, savetxt) == written({"v": SPEED}, savetxt)
    places = frame.set_axis([0.5, 1.5]).rename_axis("place")
    assert written(places, savetxt).startswith("# place [] v [m/s]")


def test_coordinates_of_xarray() -> None:
    axis = ("x", [0.0, 1.0], {"units": "km"})
    found = from_csv(io.StringIO(written(xr.Dataset({"v": ("x", SPEED)}, coords={"x": axis}))))
    assert {name: str(column) for name, column in found.items()} == {
        "x": "[0. 1.] km",
        "v": "[ 2.5 -3. ] m/s",
    }


@pytest.mark.parametrize("function", [to_csv, savetxt])
def test_two_columns_of_one_name_are_refused(function: Any) -> None:
    frame = pd.DataFrame({"v": SPEED})
    with pytest.raises(StructureMismatch, match="two called 'v'"):
        written(pd.concat([frame, frame], axis=1), function)
