"""Columns of Dask's data frames, whose dtype has the unit."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from dimflow import units
from dimflow.dask import DaskDimArray, from_dask_dataframe
from dimflow.errors import DtypeMismatch, NotANumber, ShapeMismatch, UnitConversionError, UnitError
from tests.dask.conftest import nothing_runs


@pytest.fixture
def frame() -> dd.DataFrame:
    table = pd.DataFrame(
        {
            "speed": pd.array([1.0, 2.0, 3.0, 4.0, 5.0], dtype="dimflow[m/s]"),
            "count": [1, 2, 3, 4, 5],
            "name": list("abcde"),
        }
    )
    return dd.from_pandas(table, npartitions=2)


def test_a_column_brings_its_unit(frame: dd.DataFrame) -> None:
    with nothing_runs():
        found = from_dask_dataframe(frame["speed"])
        fast = DaskDimArray.from_dask_dataframe(frame["speed"], unit="km/h")
    assert found.unit is units.m / units.s
    assert np.isnan(found.shape[0])
    assert found.compute().tolist() == [1, 2, 3, 4, 5]
    np.testing.assert_allclose(fast.sum().compute().data, 54)


def test_a_plain_column_is_given_one(frame: dd.DataFrame) -> None:
    with nothing_runs():
        found = DaskDimArray.from_dask_dataframe(frame["count"], "kg")
    assert found.dtype == np.int64
    assert found.unit is units.kg
    assert found.compute().tolist() == [1, 2, 3, 4, 5]
    assert DaskDimArray.from_dask_dataframe(frame["count"]).unit.is_dimensionless


def test_lengths_are_given_or_computed(frame: dd.DataFrame) -> None:
    counted = DaskDimArray.from_dask_dataframe(frame["speed"], lengths=True)
    assert counted.chunks == ((3, 2),)
    with nothing_runs():
        given = DaskDimArray.from_dask_dataframe(frame["speed"], lengths=[3, 2])
        assert given.reshape(5, 1).shape == (5, 1)
        with pytest.raises(ShapeMismatch, match="2 lengths"):
            DaskDimArray.from_dask_dataframe(frame["speed"], lengths=[5])
    assert given.compute().shape == (5,)


def test_columns_by_name(frame: dd.DataFrame) -> None:
    found = DaskDimArray.from_dask_dataframe(frame[["speed", "count"]], {"count": "kg"}, True)
    assert [str(x.unit) for x in found.values()] == ["m/s", "kg"]
    momentum = (found["speed"] * found["count"]).sum().compute()
    assert (momentum.data, momentum.unit) == (55, units.kg * units.m / units.s)


def test_what_has_no_numbers_or_no_such_unit(frame: dd.DataFrame) -> None:
    with nothing_runs():
        with pytest.raises(NotANumber, match="'name'"):
            DaskDimArray.from_dask_dataframe(frame["name"])
        with pytest.raises(UnitConversionError):
            DaskDimArray.from_dask_dataframe(frame["speed"], "kg")
        with pytest.raises(UnitError, match="no column 'mass'"):
            DaskDimArray.from_dask_dataframe(frame, {"mass": "kg"})
        with pytest.raises(NotANumber, match="not Dask's"):
            DaskDimArray.from_dask_dataframe(pd.Series([1.0]))


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
def test_there_and_back(dtype: str) -> None:
    x = DaskDimArray(np.arange(5).astype(dtype), "m/s", chunks=2)
    with nothing_runs():
        series = x.to_dask_dataframe("speed")
    number = "[float32]" if dtype == "f4" else ""
    assert str(series.dtype) == f"dimflow[m/s]{number}"
    computed = series.compute()
    assert str(computed.dtype) == f"dimflow[m/s]{number}"
    assert computed.name == "speed"
    found = DaskDimArray.from_dask_dataframe(series, lengths=x.chunks[0])
    assert found.unit is x.unit
    np.testing.assert_array_equal(found.compute().data, x.compute().data)


def test_two_axes_are_a_frame() -> None:
    x = DaskDimArray(np.arange(6.0).reshape(3, 2), "K", chunks=(2, 2))
    frame = x.to_dask_dataframe(columns=["a", "b"]).compute()
    assert [str(t) for t in frame.dtypes] == ["dimflow[K]", "dimflow[K]"]
    assert frame["b"].dimflow.magnitude.tolist() == [1, 3, 5]
    with pytest.raises(ShapeMismatch):
        DaskDimArray(np.zeros((1, 1, 1)), "K").to_dask_dataframe()
    with pytest.raises(DtypeMismatch):
        DaskDimArray(np.zeros(2, complex), "K").to_dask_dataframe()


def test_columns_with_units_in_dasks_own_arithmetic(frame: dd.DataFrame) -> None:
    with nothing_runs():
        total = frame["speed"] * frame["count"]
    assert str(total.compute().dtype) == "dimflow[m/s]"
    assert total.compute().dimflow.magnitude.tolist() == [1, 4, 9, 16, 25]
