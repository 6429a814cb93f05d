"""HDF5: what is written is read again, by h5py too; one block at a time, in any process."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import dask.array as da
import h5py
import numpy as np
import pytest
from hypothesis import given, settings

from dimflow import Unit, units
from dimflow.dask import DaskDimArray, from_hdf5
from dimflow.errors import FileFormatError, UnitConversionError, UnitError
from tests.dask.conftest import nothing_runs
from tests.dask.storage.arrays import lazy_arrays, same
from tests.dask.storage.kinds import numbers, with_a_last_block


@pytest.fixture
def heights() -> DaskDimArray:
    return DaskDimArray(np.arange(12.0).reshape(4, 3), "cm", chunks=(2, 2))


@given(x=lazy_arrays())
@settings(max_examples=settings.default.max_examples // 4)
def test_reading_what_was_written_gives_it_back(
    x: DaskDimArray, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("hdf5") / "x.h5"
    x.to_hdf5(path, "group/x")
    found = from_hdf5(path)
    same(found, x)
    if x.size:
        assert found.chunks == x.chunks
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["group/x"][()], x.compute().data)


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_schedulers(tmp_path: Path, heights: DaskDimArray, scheduler: str) -> None:
    heights.to_hdf5(tmp_path / "x.h5", scheduler=scheduler)
    found = DaskDimArray.from_hdf5(tmp_path / "x.h5").compute(scheduler=scheduler)
    np.testing.assert_array_equal(found.data, heights.data.compute())


def test_nothing_runs_until_it_is_asked_for(tmp_path: Path, heights: DaskDimArray) -> None:
    path = tmp_path / "x.h5"
    with nothing_runs():
        writing = heights.to_hdf5(path, compute=False)
    with pytest.raises(FileFormatError, match="not written to the end"):
        DaskDimArray.from_hdf5(path)
    writing.compute()
    with nothing_runs():
        found = DaskDimArray.from_hdf5(path, unit="m")
    np.testing.assert_allclose(found.compute().data, heights.data.compute() / 100)


def test_drafts_of_others_are_no_datasets(tmp_path: Path, heights: DaskDimArray) -> None:
    path = tmp_path / "x.h5"
    heights.to_hdf5(path, "g/a")
    heights.to_hdf5(path, "b", compute=False)
    same(DaskDimArray.from_hdf5(path), heights)
    for name in ("b", "/b"):
        with pytest.raises(FileFormatError, match="b: it was not written to the end"):
            DaskDimArray.from_hdf5(path, name)
    with h5py.File(path, "r+") as file:
        file["c"] = np.zeros(2)
        file["c"].attrs["dimflow_unfinished"] = np.arange(3)  # hostile
    with pytest.raises(FileFormatError, match="c: it was not written to the end"):
        DaskDimArray.from_hdf5(path, "c")
    with pytest.raises(FileFormatError, match="no dataset 'q'"):
        DaskDimArray.from_hdf5(path, "q")


def test_what_comes_between_is_not_replaced_unasked(tmp_path: Path, heights: DaskDimArray) -> None:
    path = tmp_path / "x.h5"
    later = heights.to_hdf5(path, "x", compute=False)
    (heights * 2).to_hdf5(path, "x")
    with pytest.raises(FileExistsError, match="overwrite=False"):
        later.compute()
    same(DaskDimArray.from_hdf5(path, "x"), heights * 2)


BUSY = """
import sys, time, h5py
with h5py.File(sys.argv[1], "r+"):
    print("open", flush=True)
    time.sleep(1)
"""


@pytest.mark.deep
def test_a_draft_is_removed_when_another_process_is_done(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    numbers().to_hdf5(path)
    others: list[Any] = []

    def fail_meanwhile(part: Any) -> Any:
        command = [sys.executable, "-c", BUSY, str(path)]
        others.append(subprocess.Popen(command, stdout=subprocess.PIPE))
        others[0].stdout.readline()
        raise RuntimeError("out of luck")

    with pytest.raises(RuntimeError, match="out of luck"):
        with_a_last_block(fail_meanwhile).to_hdf5(path, overwrite=True)
    others[0].communicate()
    with h5py.File(path) as file:
        assert list(file) == ["data"]
    same(DaskDimArray.from_hdf5(path), numbers())


def test_what_is_there_stays(tmp_path: Path, heights: DaskDimArray) -> None:
    path = tmp_path / "x.h5"
    heights.to_hdf5(path, "g/a")
    heights.to_hdf5(path, "b")
    with pytest.raises(FileExistsError, match="overwrite=False"):
        (heights * 2).to_hdf5(path, "b")
    with pytest.raises(FileExistsError, match="is a group"):
        heights.to_hdf5(path, "g", overwrite=True)
    with pytest.raises(FileExistsError, match=r"'g/a' in .* is a dataset, and can hold no other"):
        heights.to_hdf5(path, "/g/a/c")
    for name in ("", "/"):
        with pytest.raises(UnitError, match="a dataset needs a name"):
            heights.to_hdf5(path, name, overwrite=True)
    (heights * 2).to_hdf5(path, "b", overwrite=True)
    same(DaskDimArray.from_hdf5(path, "g/a"), heights)
    same(DaskDimArray.from_hdf5(path, "b"), heights * 2)
    with pytest.raises(UnitError, match="computed from"):
        DaskDimArray.from_hdf5(path, "b").to_hdf5(path, "c")


def test_the_unit_of_the_conventions_and_packed_numbers(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "x.h5", "w") as file:
        made = file.create_dataset("t", data=np.array([0, 100, -9], "i2"))
        made.attrs["units"] = np.bytes_(b"degC")
        made.attrs["scale_factor"] = np.array([0.1])
        made.attrs["_FillValue"] = np.array([-9], "i2")
    found = DaskDimArray.from_hdf5(tmp_path / "x.h5")
    assert found.unit is units.degC
    np.testing.assert_allclose(found.to("K").compute().data, [273.15, 283.15, np.nan], rtol=1e-6)


def test_what_is_no_dataset_of_numbers(tmp_path: Path, heights: DaskDimArray) -> None:
    path = tmp_path / "x.h5"
    with pytest.raises(FileNotFoundError):
        DaskDimArray.from_hdf5(path)
    path.write_bytes(b"no file of this kind")
    with pytest.raises(FileFormatError, match="no HDF5 file"):
        DaskDimArray.from_hdf5(path)
    path.unlink()
    with h5py.File(path, "w") as file:
        file["texts"] = ["a", "b"]
        file["things"] = np.zeros(2, [("a", "f8"), ("b", "i4")])
        file["nothing"] = h5py.Empty("f8")
        file["plain"] = np.zeros(2)
    for name in ("texts", "things", "nothing"):
        with pytest.raises(FileFormatError, match="holds no numbers"):
            DaskDimArray.from_hdf5(path, name)
    with pytest.raises(FileFormatError, match="no dataset 'q'\n  hint:  there are: nothing, plain"):
        DaskDimArray.from_hdf5(path, "q")
    with pytest.raises(FileFormatError, match="it has 4 datasets"):
        DaskDimArray.from_hdf5(path)
    with pytest.raises(UnitError, match="says no unit"):
        DaskDimArray.from_hdf5(path, "plain")
    assert DaskDimArray.from_hdf5(path, "plain", "K").unit is units.K


def test_damaged_bytes_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    numbers = np.random.default_rng(1).random((8, 64))
    DaskDimArray(numbers, "m", chunks=(4, 64)).to_hdf5(path)
    content = path.read_bytes()
    place = content.index(numbers[5].tobytes())
    path.write_bytes(content[:place] + b"\x01" * 8 + content[place + 8 :])
    found = DaskDimArray.from_hdf5(path)
    np.testing.assert_array_equal(found[:4].compute().data, numbers[:4])
    with pytest.raises(FileFormatError, match=rf"{path}:/data: the block at \[4:8, 0:64\]"):
        found.compute()


def test_a_file_that_goes_away(tmp_path: Path, heights: DaskDimArray) -> None:
    heights.to_hdf5(tmp_path / "x.h5")
    found = DaskDimArray.from_hdf5(tmp_path / "x.h5")
    (tmp_path / "x.h5").unlink()
    with pytest.raises(FileNotFoundError, match=r"x\.h5"):
        found.compute()


def test_a_file_that_changes(tmp_path: Path, heights: DaskDimArray) -> None:
    heights.to_hdf5(tmp_path / "x.h5")
    found = DaskDimArray.from_hdf5(tmp_path / "x.h5")
    heights[:2].to_hdf5(tmp_path / "x.h5", overwrite=True)
    with pytest.raises(FileFormatError, match=r"it holds float64 of shape \(2, 3\) now"):
        found.compute()


def test_errors_come_before_the_file(tmp_path: Path, heights: DaskDimArray) -> None:
    with pytest.raises(UnitConversionError):
        heights.to_hdf5(tmp_path / "x.h5", unit="s")
    unknown = heights[heights > 3 * units.cm]
    with pytest.raises(UnitError, match="compute_chunk_sizes"):
        unknown.to_hdf5(tmp_path / "x.h5")
    with pytest.raises(UnitError, match="packed"):
        heights.to_hdf5(tmp_path / "x.h5", attrs={"add_offset": 1.0})
    with pytest.raises(ValueError, match="no such packing"):
        heights.to_hdf5(tmp_path / "x.h5", compression="no such packing")
    assert not (tmp_path / "x.h5").exists()


def test_other_options_are_h5pys(tmp_path: Path, heights: DaskDimArray) -> None:
    heights.to_hdf5(tmp_path / "x.h5", "h", compression="gzip", attrs={"long_name": "height"})
    with h5py.File(tmp_path / "x.h5") as file:
        assert file["h"].compression == "gzip"
        assert file["h"].attrs["long_name"] == "height"
        assert Unit(file["h"].attrs["units"]) is units.cm


def test_dasks_function_takes_arrays_by_name(tmp_path: Path) -> None:
    x = DaskDimArray(np.arange(6.0), "m", chunks=2)
    da.to_hdf5(str(tmp_path / "x.h5"), {"/x": x, "/t": x / Unit("m/s")})
    assert DaskDimArray.from_hdf5(tmp_path / "x.h5", "/x").unit == Unit("m")
    assert DaskDimArray.from_hdf5(tmp_path / "x.h5", "/t").unit == Unit("s")
