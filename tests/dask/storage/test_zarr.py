"""What is written to zarr is read again: numbers, dtype, blocks and the unit as it was spelled."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

from dimflow import DimArray, Unit, units
from dimflow.dask import DaskDimArray, from_zarr
from dimflow.errors import (
    BackendNotInstalled,
    DtypeMismatch,
    FileFormatError,
    ShapeMismatch,
    UnitConversionError,
    UnitError,
)
from tests.dask.conftest import nothing_runs
from tests.dask.storage.arrays import lazy_arrays, same

FORMATS = [2, 3]


@pytest.fixture
def speeds() -> DaskDimArray:
    return DaskDimArray(np.arange(20.0).reshape(5, 4), "km/h", chunks=(2, 3))


@given(x=lazy_arrays(), version=st.sampled_from(FORMATS))
@settings(max_examples=settings.default.max_examples // 2)
def test_reading_what_was_written_gives_it_back(x: DaskDimArray, version: int) -> None:
    store: dict[str, Any] = {}
    x.to_zarr(store, zarr_format=version)
    found = DaskDimArray.from_zarr(store)
    same(found, x)
    assert found.chunks == x.chunks


@given(x=lazy_arrays(), version=st.sampled_from(FORMATS))
@settings(max_examples=settings.default.max_examples // 5)
def test_zarr_alone_reads_the_numbers(x: DaskDimArray, version: int) -> None:
    store: dict[str, Any] = {}
    x.to_zarr(store, "group/x", zarr_format=version)
    found = zarr.open_array(store, path="group/x", mode="r")
    np.testing.assert_array_equal(found[...], x.compute().data)
    if x.size:
        raw = da.from_zarr(found)
        assert raw.chunks == x.chunks


@pytest.mark.parametrize("version", FORMATS)
@pytest.mark.parametrize("kind", ["text", "path", "file", "memory", "store", "open"])
def test_places(tmp_path: Path, speeds: DaskDimArray, kind: str, version: int) -> None:
    places: dict[str, Any] = {
        "text": str(tmp_path / "x.zarr"),
        "path": tmp_path / "x.zarr",
        "file": f"file://{tmp_path}/x.zarr",
        "memory": f"memory://{tmp_path.name}-{version}/x.zarr",
        "store": zarr.storage.LocalStore(tmp_path / "x.zarr"),
        "open": tmp_path / "x.zarr",
    }
    speeds.to_zarr(places[kind], zarr_format=version)
    place = zarr.open_array(places[kind], mode="r") if kind == "open" else places[kind]
    same(from_zarr(place), speeds)


def test_nothing_runs_until_it_is_asked_for(tmp_path: Path, speeds: DaskDimArray) -> None:
    with nothing_runs():
        writing = speeds.to_zarr(tmp_path / "x", compute=False)
    assert not list((tmp_path / "x").rglob("c/*"))
    writing.compute()
    with nothing_runs():
        found = DaskDimArray.from_zarr(tmp_path / "x", unit="m/s") * 2
        found = found[::-1, 1]
    np.testing.assert_allclose(found.compute().data, speeds.data[::-1, 1].compute() * 2 / 3.6)


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_schedulers(tmp_path: Path, speeds: DaskDimArray, scheduler: str) -> None:
    speeds.to_zarr(tmp_path / "x", scheduler=scheduler)
    found = DaskDimArray.from_zarr(tmp_path / "x").compute(scheduler=scheduler)
    np.testing.assert_array_equal(found.data, speeds.data.compute())


def test_a_slice_reads_the_chunks_that_it_needs_alone(tmp_path: Path) -> None:
    x = DaskDimArray(np.arange(8.0), "m", chunks=2)
    x.to_zarr(tmp_path / "x")
    (tmp_path / "x" / "c" / "3").unlink()
    assert DaskDimArray.from_zarr(tmp_path / "x")[1:5].compute().tolist() == [1, 2, 3, 4]


# Which unit


def foreign(store: Any, numbers: Any = (1.0, 2.0), version: int = 3, **attrs: Any) -> Any:
    numbers = np.asarray(numbers)
    array = zarr.create_array(
        store, data=numbers, zarr_format=version, attributes=attrs, chunks=numbers.shape
    )
    return array.store


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("m s-1", "m/s"),
        ("degC", "degC"),
        ("1", ""),
        ("kg m-2 s-1", "kg/m**2/s"),
        ("m/s", "m/s"),
        ("hPa", "hPa"),
        ("percent", "percent"),
    ],
)
def test_the_unit_of_the_conventions(text: str, unit: str) -> None:
    assert DaskDimArray.from_zarr(foreign({}, units=text)).unit == Unit(unit)


def test_a_difference_of_temperatures_is_no_point() -> None:
    step = DaskDimArray([1.0, 2.0], units.degC.delta)
    store: dict[str, Any] = {}
    step.to_zarr(store)
    assert DaskDimArray.from_zarr(store).unit is units.degC.delta
    said = foreign({}, units="degC", units_metadata="temperature: difference")
    assert DaskDimArray.from_zarr(said).unit == units.K


def test_a_unit_that_is_given_converts() -> None:
    found = DaskDimArray.from_zarr(foreign({}, units="degC"), unit="K")
    assert found.unit is units.K
    np.testing.assert_allclose(found.compute().data, [274.15, 275.15])


def test_a_unit_of_another_dimension_is_refused_before_anything_runs() -> None:
    with nothing_runs(), pytest.raises(UnitConversionError, match="degC") as caught:
        DaskDimArray.from_zarr(foreign({}, units="degC"), unit="s")
    assert any("is in degC" in note for note in caught.value.__notes__)


def test_no_unit_is_an_error_unless_one_is_given() -> None:
    with pytest.raises(UnitError, match=r"says no unit\n  hint:  give it: unit='m'"):
        DaskDimArray.from_zarr(foreign({}))
    assert DaskDimArray.from_zarr(foreign({}), unit="m").unit is units.m


def test_dates_are_left_to_xarray() -> None:
    with pytest.raises(UnitError, match="are dates"):
        DaskDimArray.from_zarr(foreign({}, units="days since 1970-01-01"))


def test_a_text_that_nobody_reads_gives_way_to_the_unit_that_is_given() -> None:
    store = foreign({}, units="furlongs per whatever")
    with pytest.raises(FileFormatError, match="its unit cannot be read"):
        DaskDimArray.from_zarr(store)
    assert DaskDimArray.from_zarr(store, unit="m").unit is units.m


def test_two_units_that_contradict_each_other_are_not_believed(tmp_path: Path) -> None:
    DaskDimArray([1.0], "m").to_zarr(tmp_path / "x")
    zarr.open_array(tmp_path / "x").attrs["units"] = "s"
    with pytest.raises(FileFormatError, match="say two units: dimflow_unit is 'm'"):
        DaskDimArray.from_zarr(tmp_path / "x", unit="m")


def test_units_that_no_registry_knows_travel(tmp_path: Path) -> None:
    smoot = Unit("smoot_here", units.m.dimension, 1.7018)
    DaskDimArray([364.4], smoot).to_zarr(tmp_path / "bridge")
    found = DaskDimArray.from_zarr(tmp_path / "bridge")
    assert found.unit is smoot
    np.testing.assert_allclose(found.to("m").compute().data, 364.4 * 1.7018)


# Packed numbers, by the conventions' own arithmetic


def test_packed_numbers_are_unpacked() -> None:
    packed = np.array([-32767, 0, 1000], "i2")
    store = foreign({}, packed, units="K", scale_factor=0.01, add_offset=273.15, _FillValue=-32767)
    found = DaskDimArray.from_zarr(store)
    np.testing.assert_allclose(found.compute().data, [np.nan, 273.15, 283.15])
    assert found.dtype == found.compute().dtype


def test_integers_of_the_other_sign() -> None:
    store = foreign({}, np.array([-1, 5], "i1"), units="1", _Unsigned="true")
    assert DaskDimArray.from_zarr(store).compute().data.tolist() == [255, 5]


@pytest.mark.parametrize(
    "attrs",
    [{"scale_factor": "2"}, {"add_offset": [1, 2]}, {"_FillValue": {"a": 1}}, {"scale_factor": {}}],
    ids=lambda a: next(iter(a)),
)
def test_packing_that_makes_no_sense_is_an_error(attrs: Any) -> None:
    with pytest.raises(FileFormatError, match="its packing cannot be read"):
        DaskDimArray.from_zarr(foreign({}, np.array([1], "i2"), units="m", **attrs))


def test_attributes_that_would_repack_numbers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnitError, match="packed"):
        DaskDimArray([1.0], "m").to_zarr(tmp_path / "x", attrs={"scale_factor": 2.0})
    assert not (tmp_path / "x").exists()


def test_zarrs_own_fill_value_is_a_number_like_others() -> None:
    store = foreign({}, [0.0, 1.0], version=2, units="m")  # zarr's fill value is 0 here
    assert DaskDimArray.from_zarr(store).compute().data.tolist() == [0.0, 1.0]


# Parts of arrays


@given(data=st.data(), version=st.sampled_from(FORMATS))
@settings(max_examples=settings.default.max_examples // 3)
def test_a_region_is_assignment(data: st.DataObject, version: int) -> None:
    n, step = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 4))
    start = data.draw(st.integers(0, n))
    stop = data.draw(st.integers(start, n))
    cut = data.draw(st.integers(1, max(1, stop - start)))
    store: dict[str, Any] = {}
    DaskDimArray(np.zeros(n), "m", chunks=step).to_zarr(store, zarr_format=version)
    part = DaskDimArray(np.arange(1.0, stop - start + 1), "km", chunks=cut)
    part.to_zarr(store, region=(slice(start, stop),))
    wanted = np.zeros(n)
    wanted[start:stop] = 1000 * np.arange(1.0, stop - start + 1)
    np.testing.assert_array_equal(DaskDimArray.from_zarr(store).compute().data, wanted)


def test_a_region_of_zeros_is_written_too(tmp_path: Path) -> None:
    DaskDimArray(np.ones(4), "m", chunks=2).to_zarr(tmp_path / "x")
    DaskDimArray(np.zeros(2), "m").to_zarr(tmp_path / "x", region=(slice(0, 2),))
    assert DaskDimArray.from_zarr(tmp_path / "x").compute().tolist() == [0, 0, 1, 1]


def test_a_region_takes_what_fits_alone(tmp_path: Path) -> None:
    x = DaskDimArray(np.ones(4), "m", chunks=2)
    x.to_zarr(tmp_path / "x")
    with pytest.raises(ShapeMismatch, match="writing to a region"):
        x.to_zarr(tmp_path / "x", region=(slice(0, 2),))
    with pytest.raises(UnitError, match="a slice for each"):
        x.to_zarr(tmp_path / "x", region=(2,))
    with pytest.raises(UnitConversionError):
        DaskDimArray(np.zeros(2), "s").to_zarr(tmp_path / "x", region=(slice(0, 2),))
    with pytest.raises(DtypeMismatch):
        DaskDimArray(np.zeros(2, complex), "m").to_zarr(tmp_path / "x", region=(slice(2),))
    with pytest.raises(UnitError, match="keeps its format"):
        x.to_zarr(tmp_path / "x", region=(slice(4),), zarr_format=2)
    with pytest.raises(UnitError, match="says no unit"):
        x.to_zarr(foreign({}, np.ones(4)), region=(slice(4),))
    with pytest.raises(UnitError, match="packed"):
        x.to_zarr(foreign({}, np.ones(4), units="m", scale_factor=2.0), region=(slice(4),))
    assert DaskDimArray.from_zarr(tmp_path / "x").compute().tolist() == [1, 1, 1, 1]


def test_blocks_of_unequal_lengths_are_cut_anew(tmp_path: Path) -> None:
    x = DaskDimArray(np.arange(9.0), "m", chunks=((1, 4, 2, 2),))
    x.to_zarr(tmp_path / "x")
    found = DaskDimArray.from_zarr(tmp_path / "x")
    assert found.chunks == ((4, 4, 1),)
    np.testing.assert_array_equal(found.compute().data, np.arange(9.0))


def test_shards(tmp_path: Path, speeds: DaskDimArray) -> None:
    speeds.to_zarr(tmp_path / "x", shards=(4, 4), chunks=(2, 2))
    found = DaskDimArray.from_zarr(tmp_path / "x")
    same(found, speeds)
    assert found.chunks == ((4, 1), (4,))


@pytest.mark.parametrize("later", [False, True])
def test_what_was_stored_comes_back(tmp_path: Path, speeds: DaskDimArray, later: bool) -> None:
    found = speeds.to_zarr(tmp_path / "x", unit="m/s", compute=not later, return_stored=True)
    assert found.unit is Unit("m/s")
    np.testing.assert_allclose(found.compute().data, speeds.data.compute() / 3.6)
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "x")[:], found.compute().data)


# What is there already


def test_nothing_is_written_over_unasked(tmp_path: Path, speeds: DaskDimArray) -> None:
    speeds.to_zarr(tmp_path / "x")
    with pytest.raises(FileExistsError, match="overwrite=False"):
        (speeds * 2).to_zarr(tmp_path / "x")
    same(DaskDimArray.from_zarr(tmp_path / "x"), speeds)
    (speeds[:2] * 2).to_zarr(tmp_path / "x", overwrite=True)
    same(DaskDimArray.from_zarr(tmp_path / "x"), speeds[:2] * 2)
    speeds.to_zarr(tmp_path / "x", mode="w")
    same(DaskDimArray.from_zarr(tmp_path / "x"), speeds)


@pytest.mark.parametrize("component", [None, "a/b"])
@pytest.mark.parametrize("version", FORMATS)
def test_an_array_stays_until_another_is_written(
    tmp_path: Path, speeds: DaskDimArray, component: str | None, version: int
) -> None:
    def fail(block: Any) -> Any:
        raise RuntimeError("out of luck")

    place = tmp_path / "x"
    speeds.to_zarr(place, component, zarr_format=version)
    files = sorted(tmp_path.rglob("*"))
    failing = DaskDimArray(speeds.data.map_blocks(fail, dtype=float, meta=np.empty((0, 0))), "km")
    with pytest.raises(RuntimeError, match="out of luck"):
        failing.to_zarr(place, component, overwrite=True, zarr_format=version)
    assert sorted(tmp_path.rglob("*")) == files
    same(DaskDimArray.from_zarr(place, component), speeds)
    later = (speeds * 2).to_zarr(place, component, overwrite=True, compute=False)
    same(DaskDimArray.from_zarr(place, component), speeds)
    later.compute()
    same(DaskDimArray.from_zarr(place, component), speeds * 2)
    found = speeds.to_zarr(place, component, overwrite=True, return_stored=True)
    same(found, speeds)
    assert not [p for p in tmp_path.rglob("*") if p.name.endswith((".tmp", ".old"))]


def test_an_array_is_of_the_format_of_its_group(tmp_path: Path, speeds: DaskDimArray) -> None:
    speeds.to_zarr(tmp_path / "g", "a", zarr_format=2)
    speeds.to_zarr(tmp_path / "g", "b")
    assert zarr.open_array(tmp_path / "g", path="b").metadata.zarr_format == 2


def test_a_folder_of_other_things_is_never_replaced(tmp_path: Path, speeds: DaskDimArray) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(FileExistsError, match="no array of zarr's"):
        speeds.to_zarr(tmp_path, overwrite=True)
    speeds.to_zarr(tmp_path / "g", "x")
    with pytest.raises(FileExistsError, match="a group of arrays"):
        speeds.to_zarr(tmp_path / "g", overwrite=True)
    same(DaskDimArray.from_zarr(tmp_path / "g", "x"), speeds)
    assert (tmp_path / "thesis.tex").read_text() == "years of work"


def test_an_array_is_not_written_over_what_it_is_computed_from(
    tmp_path: Path, speeds: DaskDimArray
) -> None:
    speeds.to_zarr(tmp_path / "x")
    (tmp_path / "link").symlink_to(tmp_path / "x")
    found = DaskDimArray.from_zarr(tmp_path / "x")
    for place in (tmp_path / "x", str(tmp_path / "link"), f"file://{tmp_path}/x"):
        with pytest.raises(UnitError, match="computed from numbers that are read from there"):
            (found[1:] * 2 + speeds[1:]).to_zarr(place, overwrite=True)
    same(DaskDimArray.from_zarr(tmp_path / "x"), speeds)
    (found * 2).persist().to_zarr(tmp_path / "x", overwrite=True)
    same(DaskDimArray.from_zarr(tmp_path / "x"), speeds * 2)


def test_a_copy_to_another_store_or_component(speeds: DaskDimArray) -> None:
    first: dict[str, Any] = {}
    second: dict[str, Any] = {}
    speeds.to_zarr(first, "a")
    found = DaskDimArray.from_zarr(first, "a")
    found.to_zarr(first, "b")
    found.to_zarr(second, "a")
    same(DaskDimArray.from_zarr(first, "b"), speeds)
    same(DaskDimArray.from_zarr(second, "a"), speeds)
    with pytest.raises(UnitError, match="computed from"):
        found.to_zarr(first, "a", overwrite=True)


def test_new_arrays_are_in_the_list_of_a_consolidated_store(
    tmp_path: Path, speeds: DaskDimArray
) -> None:
    speeds.to_zarr(tmp_path / "g", "a", zarr_format=2)
    zarr.consolidate_metadata(tmp_path / "g")
    speeds.to_zarr(tmp_path / "g", "b", zarr_format=2)
    assert set(zarr.open_consolidated(tmp_path / "g").array_keys()) == {"a", "b"}
    same(DaskDimArray.from_zarr(tmp_path / "g", "b"), speeds)


# Bad input


def test_bad_input_leaves_no_trace(tmp_path: Path, speeds: DaskDimArray) -> None:
    unknown = speeds[speeds > DimArray(3.0, "km/h")]
    cases: list[tuple[Any, type[Exception], str]] = [
        (lambda p: unknown.to_zarr(p), UnitError, "compute_chunk_sizes"),
        (lambda p: speeds.to_zarr(p, unit="kg"), UnitConversionError, "kg"),
        (lambda p: speeds.to_zarr(p, dims=("x",)), UnitError, "1 names for 2 axes"),
        (lambda p: speeds.to_zarr(p, mode="r"), UnitError, "mode"),
        (lambda p: speeds.to_zarr(p, storage_options={"a": 1}), UnitError, "local path"),
        (lambda p: speeds.astype("longdouble").to_zarr(p), DtypeMismatch, "float64"),
    ]
    for write, kind, text in cases:
        with pytest.raises(kind, match=text):
            write(tmp_path / "x")
        assert not (tmp_path / "x").exists()


def test_a_library_for_a_url_that_is_not_there() -> None:
    with pytest.raises(BackendNotInstalled, match="pip install gcsfs"):
        DaskDimArray.from_zarr("gs://bucket/x.zarr")
    with pytest.raises(UnitError, match="nowhere"):
        DaskDimArray.from_zarr("nowhere://bucket/x.zarr")


def test_what_is_not_there(tmp_path: Path, speeds: DaskDimArray) -> None:
    with pytest.raises(FileNotFoundError, match="no array of zarr's at"):
        DaskDimArray.from_zarr(tmp_path / "x")
    speeds.to_zarr(tmp_path / "g", "speed")
    with pytest.raises(FileFormatError, match=r"component='speed' \(there are: speed\)"):
        DaskDimArray.from_zarr(tmp_path / "g")
    with pytest.raises(FileNotFoundError, match="wind"):
        DaskDimArray.from_zarr(tmp_path / "g", "wind")
    with pytest.raises(UnitError, match="no component"):
        DaskDimArray.from_zarr(zarr.open_array(tmp_path / "g" / "speed"), "x")
    with pytest.raises(UnitError, match="'error' or 'fill'"):
        DaskDimArray.from_zarr(tmp_path / "g", "speed", missing="maybe")


def test_a_bar_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    DaskDimArray(np.ones(4), "m", chunks=2).to_zarr(tmp_path / "x", progress=True)
    assert "100%" in capsys.readouterr().out


def test_the_graph_has_a_task_for_each_chunk(tmp_path: Path) -> None:
    DaskDimArray(np.ones((6, 6)), "m", chunks=2).to_zarr(tmp_path / "x")
    found = DaskDimArray.from_zarr(tmp_path / "x")
    raw = da.from_zarr(tmp_path / "x")
    assert len(dict(found.dask)) == 9
    assert len(dict(found.dask)) <= len(dict(raw.dask))
    (shown,) = dask.optimize(found.to("km"))
    assert len(dict(shown.dask)) == 9


def test_other_blocks(tmp_path: Path, speeds: DaskDimArray) -> None:
    speeds.to_zarr(tmp_path / "x")
    for chunks in (-1, "auto", (3, 2), {0: 1, 1: -1}):
        found = DaskDimArray.from_zarr(tmp_path / "x", chunks=chunks)
        assert found.chunks == da.core.normalize_chunks(
            chunks, (5, 4), dtype=float, previous_chunks=(2, 3)
        )
        same(found, speeds)


def test_only_what_is_used_is_imported() -> None:
    code = (
        "import sys, dimflow.dask\n"
        "print([m for m in ('zarr', 'h5py', 'h5netcdf', 'distributed') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
