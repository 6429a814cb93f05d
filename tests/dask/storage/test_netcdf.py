"""netCDF files that xarray wrote are read as xarray reads them, with units."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from scipy.io import netcdf_file

from dimflow import units
from dimflow.dask import DaskDimArray, from_netcdf
from dimflow.errors import FileFormatError, UnitError
from tests.dask.conftest import nothing_runs

ENGINES = ["h5netcdf", "scipy"]
PACKINGS: list[dict[str, Any]] = [
    {},
    {"dtype": "int16", "scale_factor": 0.5, "_FillValue": -999},
    {"dtype": "int16", "scale_factor": 0.5, "add_offset": 100.0, "_FillValue": -999},
    {"dtype": "int32", "scale_factor": 0.25, "_FillValue": -1},
    {
        "dtype": "int8",
        "scale_factor": np.float32(0.5),
        "add_offset": np.float32(1),
        "_FillValue": 0,
    },
    {"dtype": "float32", "_FillValue": np.float32(1e20)},
    {"dtype": "int16", "_FillValue": -1},
]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("packing", PACKINGS, ids=[f"packing{i}" for i in range(len(PACKINGS))])
def test_as_xarray_reads_it(tmp_path: Path, engine: str, packing: dict[str, Any]) -> None:
    numbers = np.array([[1.5, np.nan, 3.0], [4.0, -2.5, 20.0]])
    if packing == PACKINGS[-1]:
        numbers = np.round(numbers)
    path = tmp_path / "x.nc"
    data = xr.Dataset({"t": (("y", "x"), numbers, {"units": "degC"})})
    data.to_netcdf(path, engine=engine, encoding={"t": packing})
    with nothing_runs():
        found = from_netcdf(path, "t", chunks=(1, 2))
    with xr.open_dataset(path, engine=engine) as wanted:
        assert found.dtype == wanted.t.dtype
        computed = found.compute()
        np.testing.assert_array_equal(computed.data, wanted.t.values)
    assert computed.data.dtype == found.dtype
    assert found.unit is units.degC
    assert found.chunks == ((1, 1), (2, 1))


def test_only_one_variable_needs_no_name(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "x.nc"
    data = xr.Dataset({"p": ("x", [1.0, 2.0], {"units": "hPa"})}, {"x": ("x", [5.0, 6.0])})
    data.to_netcdf(path, engine=engine)
    np.testing.assert_allclose(DaskDimArray.from_netcdf(path, unit="Pa").compute().data, [100, 200])
    data.assign(q=data.p).to_netcdf(tmp_path / "y.nc", engine=engine)
    with pytest.raises(FileFormatError, match="it has 2 variables\n  hint:  name one of: "):
        DaskDimArray.from_netcdf(tmp_path / "y.nc")
    with pytest.raises(FileFormatError, match="no variable 'r'"):
        DaskDimArray.from_netcdf(tmp_path / "y.nc", "r")


def test_no_unit_and_dates(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "x.nc"
    times = np.array(["2020-01-01", "2020-01-03"], "M8[ns]")
    xr.Dataset({"t": ("x", times), "n": ("x", [1.0, 2.0])}).to_netcdf(path, engine=engine)
    with pytest.raises(UnitError, match="are dates"):
        DaskDimArray.from_netcdf(path, "t")
    with pytest.raises(UnitError, match="says no unit"):
        DaskDimArray.from_netcdf(path, "n")


def test_records_without_end(tmp_path: Path) -> None:
    with netcdf_file(tmp_path / "x.nc", "w") as file:
        file.createDimension("time", None)
        for name in ("a", "b"):
            made = file.createVariable(name, "f4", ("time",))
            made.units = "m"
            made[:5] = np.arange(5) * (1 + (name == "b"))
    found = DaskDimArray.from_netcdf(tmp_path / "x.nc", "b", chunks=2)
    assert found.dtype == np.float32
    assert found.compute().data.tolist() == [0, 2, 4, 6, 8]


@pytest.mark.parametrize(
    "content", [b"", b"CDF", b"CDF\x05abcd", b"text", b"CDF\x01" + b"\xff" * 50]
)
def test_what_is_no_netcdf(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.nc").write_bytes(content)
    with pytest.raises(FileFormatError, match=r"x\.nc"):
        DaskDimArray.from_netcdf(tmp_path / "x.nc")


def test_a_file_that_is_cut_off(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "x.nc"
    data = xr.Dataset({"p": ("x", np.random.default_rng(0).random(1000), {"units": "Pa"})})
    data.to_netcdf(path, engine=engine)
    found = DaskDimArray.from_netcdf(path)
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(FileFormatError, match=r"x\.nc"):
        found.compute()
    with pytest.raises(FileNotFoundError):
        DaskDimArray.from_netcdf(tmp_path / "y.nc")
