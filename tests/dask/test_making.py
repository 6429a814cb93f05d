"""Constructors of lazy arrays: Dask's numbers, dimflow's units, and nothing computed or hashed."""

from pathlib import Path
from typing import Any

import astropy.units
import dask
import dask.array as da
import h5py
import numpy as np
import pint
import pytest
import xarray as xr
import zarr

import dimflow
import dimflow.dask as lazy
from dimflow import DimArray, Unit, units
from dimflow.dask import DaskDimArray
from dimflow.errors import DimensionError, DimflowError, PointError, UnitConversionError
from tests.dask.conftest import nothing_runs

SHAPES = [(), (0,), (5,), (2, 0, 3), (4, 3)]


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "?", "c16"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", ["zeros", "ones", "empty"])
def test_filled_as_dask_fills(name: str, shape: Any, dtype: str) -> None:
    with nothing_runs():
        found = getattr(DaskDimArray, name)(shape, "m/s", 2, dtype)
        wanted = getattr(da, name)(shape, chunks=2, dtype=dtype)
    assert (found.chunks, found.dtype, found.unit) == (wanted.chunks, wanted.dtype, Unit("m/s"))
    assert len(dict(found.dask)) == len(dict(wanted.dask))
    if name != "empty":
        np.testing.assert_array_equal(found.compute().data, wanted.compute())


def test_as_the_document_has_it() -> None:
    assert DaskDimArray.zeros((3, 2), units.m).unit is units.m
    assert DaskDimArray.ones((3, 2), units.m).compute().sum() == 6 * units.m
    found = DaskDimArray.arange(0, 10, 2, units.s, chunks=2)
    assert found.chunks == ((2, 2, 1),)
    assert found.compute().tolist() == [0, 2, 4, 6, 8]
    assert DaskDimArray.zeros(3).unit.is_dimensionless


def test_full() -> None:
    with nothing_runs():
        found = DaskDimArray.full((2, 2), 3 * units.km, chunks=1)
        converted = DaskDimArray.full(2, 3 * units.km, "m")
        bare = DaskDimArray.full(2, 1.5, "m", dtype="f4")
    assert found.unit is units.km
    assert converted.compute().tolist() == [3000, 3000]
    assert (bare.dtype, bare.unit) == (np.float32, units.m)
    with pytest.raises(UnitConversionError):
        DaskDimArray.full(2, 3 * units.km, "s")


def test_eye() -> None:
    found = DaskDimArray.eye(4, 3, 1, "kg", chunks=2, dtype="i4")
    np.testing.assert_array_equal(found.compute().data, np.eye(4, 3, 1, dtype="i4"))
    assert found.unit is units.kg


RANGES: list[tuple[Any, ...]] = [
    (5,),
    (2.5,),
    (1, 7),
    (1, 7, 2),
    (7, 1, -1.5),
    (0, 0),
    (0 * units.m, 1 * units.km, 250 * units.m),
    (0, 1 * units.km, 300 * units.m),
    (units.m * 5,),
    (0, 2, 0.5, "s"),
    (0 * units.s, 1 * units.minute, 20 * units.s, "ms"),
    (DimArray(10.0, "degC"), DimArray(20.0, "degC"), 2, "degC"),
]


@pytest.mark.parametrize("args", RANGES, ids=[f"range{i}" for i in range(len(RANGES))])
def test_arange_is_the_eager_one(args: tuple[Any, ...]) -> None:
    with nothing_runs():
        found = DaskDimArray.arange(*args, chunks=2)
    wanted = dimflow.arange(*args)
    assert found.unit is wanted.unit
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found.compute().data, wanted.data)


LINES: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((0, 1), {}),
    ((0 * units.m, 1 * units.km, 5), {}),
    ((0, 1, 5, "K"), {"endpoint": False}),
    ((DimArray(10.0, "degC"), DimArray(30.0, "degC"), 3), {"dtype": "f4"}),
    ((0, 5, 1), {}),
]


@pytest.mark.parametrize(("args", "options"), LINES, ids=[f"line{i}" for i in range(len(LINES))])
def test_linspace_is_the_eager_one(args: tuple[Any, ...], options: dict[str, Any]) -> None:
    with nothing_runs():
        found = DaskDimArray.linspace(*args, chunks=2, **options)
    wanted = dimflow.linspace(*args, **options)
    assert (found.unit, found.dtype) == (wanted.unit, wanted.dtype)
    np.testing.assert_allclose(found.compute().data, wanted.data, rtol=1e-6)


BAD: list[tuple[str, tuple[Any, ...]]] = [
    ("arange", (0 * units.m, 1 * units.s)),
    ("arange", (1, 5 * units.m)),
    ("linspace", (0 * units.m, 1 * units.s)),
    ("linspace", (DimArray(0.0, "dBm"), DimArray(3.0, "dBm"))),
    ("linspace", (1, 5 * units.m)),
]


@pytest.mark.parametrize(("name", "args"), BAD, ids=[f"bad{i}" for i in range(len(BAD))])
def test_the_errors_are_the_eager_ones(name: str, args: tuple[Any, ...]) -> None:
    with pytest.raises((DimensionError, PointError)) as wanted:
        getattr(dimflow, name)(*args)
    with nothing_runs(), pytest.raises(wanted.type) as found:
        getattr(DaskDimArray, name)(*args)
    assert str(found.value) == str(wanted.value)


@pytest.mark.parametrize("name", ["zeros_like", "ones_like", "empty_like"])
def test_like_another(name: str) -> None:
    x = DaskDimArray(np.ones((4, 3), "f4"), "m", chunks=2)
    with nothing_runs():
        found = getattr(dimflow, name)(x)
    assert (type(found), found.chunks, found.dtype) == (DaskDimArray, x.chunks, x.dtype)
    assert found.unit is units.m


# From data


def test_from_arrays_of_every_kind() -> None:
    numbers = np.arange(6.0)
    registry = pint.UnitRegistry()
    sources: list[tuple[Any, str]] = [
        (numbers * units.km, "km"),
        (registry.Quantity(numbers, "km"), "km"),
        (numbers * astropy.units.km, "km"),
        (DaskDimArray(numbers, "km", chunks=2), "km"),
        ([x * units.km for x in numbers], "km"),
    ]
    for source, unit in sources:
        found = DaskDimArray.from_array(source, chunks=4)
        assert found.unit == Unit(unit)
        assert found.chunks == ((4, 2),)
        np.testing.assert_array_equal(found.compute().data, numbers)
        converted = DaskDimArray.from_array(source, "m", chunks=4)
        np.testing.assert_array_equal(converted.compute().data, numbers * 1000)
        with pytest.raises(UnitConversionError):
            DaskDimArray.from_array(source, "s")
    for plain in (numbers, numbers.tolist(), da.from_array(numbers)):
        assert DaskDimArray.from_array(plain, "m").compute().unit is units.m
        assert DaskDimArray.from_array(plain).unit.is_dimensionless
    assert lazy.from_dimarray(DimArray(numbers, "km"), chunks=3).chunks == ((3, 3),)


def test_a_memory_map_is_read_block_by_block(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.arange(10.0))
    held = np.load(path, mmap_mode="r+")
    with nothing_runs():
        found = DaskDimArray.from_array(held[2:], "m", chunks=4)
    held[2] = 77  # seen, since nothing was read before
    block = found[:4].compute().data
    assert block.tolist() == [77, 3, 4, 5]
    held[3] = 0  # not seen: what was computed is its own
    assert block[1] == 3
    assert type(block) is np.ndarray


def test_datasets_of_open_files_say_their_unit(tmp_path: Path) -> None:
    DaskDimArray(np.arange(4.0), "km", chunks=2).to_zarr(tmp_path / "x")
    array = zarr.open_array(tmp_path / "x")
    assert DaskDimArray.from_array(array).unit is units.km
    assert DaskDimArray.from_array(array, "m").compute().tolist() == [0, 1000, 2000, 3000]
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["plain"] = np.arange(3.0)
        file["packed"] = np.arange(3)
        file["packed"].attrs.update({"units": "cm", "scale_factor": 10.0})
        assert DaskDimArray.from_array(file["plain"]).unit.is_dimensionless
        assert DaskDimArray.from_array(file["plain"], "K").compute().unit is units.K
        assert DaskDimArray.from_array(file["packed"], "m").compute().tolist() == [0, 0.1, 0.2]


def test_the_numbers_are_not_hashed_unless_it_is_asked_for() -> None:
    numbers = np.arange(6.0)
    one, other = (DaskDimArray.from_array(numbers, "m") for _ in range(2))
    assert one.name != other.name
    hashed = [DaskDimArray.from_array(numbers, "m", name=None) for _ in range(2)]
    assert hashed[0].name == hashed[1].name
    assert dask.base.tokenize(hashed[0]) == dask.base.tokenize(hashed[1])


def test_what_is_no_array_is_refused() -> None:
    for junk in ("m", {"a": 1}, None, object()):
        with pytest.raises((DimflowError, TypeError)):
            DaskDimArray.from_array(junk, "m")


def test_labelled_arrays() -> None:
    labelled = xr.DataArray(np.arange(4.0), dims="x").dimflow.quantify("km")
    assert DaskDimArray.from_array(labelled, "m").compute().tolist() == [0, 1000, 2000, 3000]


def test_blocks_that_are_many_and_small_are_a_warning() -> None:
    with pytest.warns(lazy.SmallBlocksWarning, match="2,000 blocks") as caught:
        DaskDimArray.zeros(2000, "m", chunks=1)
    assert caught[0].filename == __file__
    store: dict[str, Any] = {}
    zarr.create_array(store, shape=2000, chunks=1, dtype=float, attributes={"units": "m"})
    with pytest.warns(lazy.SmallBlocksWarning, match="chunks='auto'"):
        DaskDimArray.from_zarr(store)
    assert DaskDimArray.from_zarr(store, chunks="auto").npartitions == 1


def test_functions_are_the_constructors() -> None:
    filled = {"zeros", "ones", "empty", "full", "eye", "arange", "linspace"}
    names = filled | {name for name in vars(lazy) if name.startswith("from_")}
    assert names <= set(lazy.__all__)
    for name in names:
        assert getattr(lazy, name) == getattr(DaskDimArray, name)
    assert lazy.zeros(3, "m").unit is units.m
