"""A store that was replaced between planning and computing is read as it is now, or refused."""

from collections import Counter
from pathlib import Path
from typing import Any

import dask
import fsspec
import numpy as np
import pytest
import xarray
from fsspec.implementations.memory import MemoryFileSystem

from dimflow.dask import DaskDimArray
from dimflow.errors import FileFormatError
from tests.dask.storage.kinds import KINDS, Kind, numbers


def _netcdf(engine: str) -> Kind:
    def write(x: Any, folder: Path, **kwargs: Any) -> None:
        attrs = {"units": str(x.unit)}
        values = x.compute().data
        (folder / "x.nc").unlink(missing_ok=True)
        xarray.Dataset({"x": ("i", values, attrs)}).to_netcdf(folder / "x.nc", engine=engine)

    return Kind(write, lambda f: DaskDimArray.from_netcdf(f / "x.nc", chunks=2), None)  # type: ignore[arg-type]


ALL = {**KINDS, "netCDF 4": _netcdf("h5netcdf"), "netCDF 3": _netcdf("scipy")}

CHANGES = {
    "unit": (lambda x: x.to("cm"), "its attribute units is cm now, and was m"),
    "shape": (lambda x: x[:4], r"now, and (held float64 of shape \(6,\)|were)"),
    "dtype": (lambda x: x.astype("f4"), "it holds float32 .*now, and held float64"),
}


PLAIN = ("zarr", "remote zarr", "HDF5", "npy", "netCDF 4", "netCDF 3")
CASES = [
    pytest.param(k, c, marks=() if k in PLAIN or c == "unit" else pytest.mark.deep)
    for k in ALL
    for c in CHANGES
]


@pytest.mark.parametrize(("kind", "change"), CASES)
def test_another_unit_shape_or_dtype_is_an_error(kind: str, change: str, tmp_path: Path) -> None:
    write, read, _ = ALL[kind]
    write(numbers(), tmp_path)
    planned = read(tmp_path)
    assert planned.compute().tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    write(2 * numbers(), tmp_path, overwrite=True)
    assert planned.compute().tolist() == [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]
    changed, message = CHANGES[change]
    write(changed(numbers()), tmp_path, overwrite=True)
    for _ in range(2):
        with pytest.raises(FileFormatError, match=message) as caught:
            planned.sum().compute()
    assert f"{tmp_path.name}/x" in caught.value.path
    write(3 * numbers(), tmp_path, overwrite=True)
    assert planned[:2].compute().tolist() == [3.0, 6.0]


@pytest.mark.parametrize("kind", ["zarr", "remote zarr"])
def test_other_chunks_and_another_format_are_read(kind: str, tmp_path: Path) -> None:
    write, read, _ = KINDS[kind]
    write(numbers(">f8"), tmp_path)
    planned = read(tmp_path)
    write(numbers(">f8").rechunk(3), tmp_path, overwrite=True, compressors=None)
    assert planned.compute().tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    write(2 * numbers(">f8"), tmp_path, overwrite=True, zarr_format=2)
    assert planned.compute().tolist() == [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]


def test_a_remote_store_is_asked_once_for_each_computation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: Counter[str] = Counter()
    read_file = MemoryFileSystem.cat_file

    def counted(self: Any, path: str, *args: Any, **kwargs: Any) -> Any:
        asked[Path(path).name] += 1
        return read_file(self, path, *args, **kwargs)

    monkeypatch.setattr(MemoryFileSystem, "cat_file", counted)
    write, read, _ = KINDS["remote zarr"]
    write(numbers(), tmp_path)
    planned = read(tmp_path)
    for scheduler in ("sync", "threads"):
        asked.clear()
        planned.sum().compute(scheduler=scheduler)
        assert asked == {"zarr.json": 1, "0": 1, "1": 1, "2": 1}
    asked.clear()
    dask.compute(planned.sum(), planned.max(), planned[:2], scheduler="sync")
    assert asked["zarr.json"] == 1
    assert len(dict(planned.dask)) == 4  # as many as Dask's own


@pytest.mark.parametrize("kind", ["remote zarr", "npy", "HDF5"])
def test_a_store_that_is_gone_is_named(kind: str, tmp_path: Path) -> None:
    write, read, _ = KINDS[kind]
    write(numbers(), tmp_path)
    planned = read(tmp_path)
    if kind == "remote zarr":
        fsspec.filesystem("memory").rm(f"/{tmp_path.name}", recursive=True)
    for path in tmp_path.iterdir():
        path.rename(tmp_path / "elsewhere")
    with pytest.raises((FileNotFoundError, FileFormatError), match=f"{tmp_path.name}/x"):
        planned.compute()


@pytest.mark.parametrize(
    "content", [b"", b'{"zarr_format": 3}', b"[" * 100_000], ids=["empty", "little", "deep"]
)
@pytest.mark.parametrize("kind", ["zarr", "remote zarr"])
def test_metadata_that_are_damaged_later(kind: str, content: bytes, tmp_path: Path) -> None:
    write, read, _ = KINDS[kind]
    write(numbers(), tmp_path)
    planned = read(tmp_path)
    if kind == "zarr":
        (tmp_path / "x.zarr" / "zarr.json").write_bytes(content)
    else:
        fsspec.filesystem("memory").pipe(f"/{tmp_path.name}/x.zarr/zarr.json", content)
    with pytest.raises(FileFormatError, match=f"{tmp_path.name}/x.zarr: its metadata are damaged"):
        planned.compute()


def test_a_record_that_comes_to_a_stack_of_dask_or_goes(tmp_path: Path) -> None:
    write, read, _ = KINDS["npy"]
    write(numbers(), tmp_path)
    planned = read(tmp_path)
    record = tmp_path / "x" / "dimflow.json"
    text = record.read_text()
    record.unlink()
    with pytest.raises(FileFormatError, match="its attribute units is gone now, and was m"):
        planned.compute()
    of_dask = DaskDimArray.from_npy_stack(tmp_path / "x", "s")
    assert of_dask.compute().tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    record.write_text(text)
    with pytest.raises(FileFormatError, match="its attribute units is m now, and was none"):
        of_dask.compute()
    record.write_text("{")
    with pytest.raises(FileFormatError, match="it is no JSON"):
        planned.compute()
    assert np.load(tmp_path / "x" / "0.npy").tolist() == [1.0, 2.0]
