"""What is there stays until all that replaces it is written, in every kind of store."""

import subprocess
import sys
from pathlib import Path

import dask
import numpy as np
import pytest
import zarr

from dimflow.dask import DaskDimArray
from dimflow.dask.storage.zarr_drafts import StoreDraft, draft_beside
from dimflow.errors import FileFormatError, UnitError
from tests.dask.conftest import nothing_runs
from tests.dask.storage.arrays import same
from tests.dask.storage.kinds import KINDS, ON_DISK, fail, numbers, soon, with_a_last_block


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_block_that_fails_changes_nothing(kind: str, tmp_path: Path, scheduler: str) -> None:
    write, read, contents = KINDS[kind]
    write(numbers(), tmp_path)
    before = contents(tmp_path)
    with pytest.raises(RuntimeError, match="out of luck"):
        write(with_a_last_block(fail), tmp_path, overwrite=True, scheduler=scheduler)
    soon(lambda: contents(tmp_path) == before)
    same(read(tmp_path), numbers())
    write(numbers() * 2, tmp_path, overwrite=True)
    same(read(tmp_path), numbers() * 2)
    assert sorted(contents(tmp_path)) == sorted(before)


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_one_that_fails_is_not_there(kind: str, tmp_path: Path) -> None:
    write, read, contents = KINDS[kind]
    with pytest.raises(RuntimeError, match="out of luck"):
        write(with_a_last_block(fail), tmp_path)
    groups = ("x.zarr/zarr.json", "a/zarr.json")  # those of an array that was named stay
    assert [name for name in contents(tmp_path) if not name.endswith(groups)] == []
    with pytest.raises((FileNotFoundError, FileFormatError)):
        read(tmp_path)
    write(numbers(), tmp_path)
    same(read(tmp_path), numbers())


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_later_replaces_then(kind: str, tmp_path: Path) -> None:
    write, read, _ = KINDS[kind]
    write(numbers(), tmp_path)
    with nothing_runs():
        later = write(numbers() * 2, tmp_path, overwrite=True, compute=False)
        other = write(numbers() * 2, tmp_path, overwrite=True, compute=False)
    same(read(tmp_path), numbers())
    later.compute()
    same(read(tmp_path), numbers() * 2)
    with pytest.raises(UnitError, match="was written already"):
        later.compute()
    same(read(tmp_path), numbers() * 2)
    dask.compute(other)
    same(read(tmp_path), numbers() * 2)


KILLED = """
import sys
from pathlib import Path
import dask
from tests.dask.storage.kinds import KINDS, die, with_a_last_block

dask.config.set(scheduler="sync")
KINDS[sys.argv[1]].write(with_a_last_block(die), Path(sys.argv[2]), overwrite=True)
"""


@pytest.mark.deep
@pytest.mark.parametrize("kind", ON_DISK)
def test_a_process_that_is_killed_leaves_the_old_numbers(kind: str, tmp_path: Path) -> None:
    write, read, _ = KINDS[kind]
    write(numbers(), tmp_path)
    ran = subprocess.run([sys.executable, "-c", KILLED, kind, str(tmp_path)], check=False)
    assert ran.returncode == -9
    same(read(tmp_path), numbers())
    write(numbers() * 2, tmp_path, overwrite=True)
    same(read(tmp_path), numbers() * 2)


def test_the_new_array_is_kept_where_it_cannot_be_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: object, source: str, target: str, **kwargs: object) -> None:
        raise OSError("the line is dead")

    write, _, contents = KINDS["remote zarr"]
    write(numbers(), tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("fsspec.implementations.memory.MemoryFileSystem.cp_file", refuse)
        with pytest.raises(OSError, match="the line is dead") as caught:
            write(numbers() * 2, tmp_path, overwrite=True)
    (note,) = [n for n in caught.value.__notes__ if "the new array is whole at" in n]
    name = note.split("'")[1]
    assert any(name in path for path in contents(tmp_path))
    found = DaskDimArray.from_zarr(f"memory://{tmp_path.name}/x.zarr", name)
    same(found, numbers() * 2)


def test_what_others_keep_under_a_prefix_stays() -> None:
    store: dict[str, object] = {}
    zarr.create_group(store)
    zarr.create_array(store, name="ab", data=np.ones(2), attributes={"units": "m"})
    numbers().to_zarr(store, "a")
    (numbers() * 2).to_zarr(store, "a", overwrite=True)
    with pytest.raises(RuntimeError, match="out of luck"):
        with_a_last_block(fail).to_zarr(store, "a", overwrite=True)
    same(DaskDimArray.from_zarr(store, "a"), numbers() * 2)
    assert DaskDimArray.from_zarr(store, "ab").compute().tolist() == [1.0, 1.0]
    assert set(zarr.open_group(store).array_keys()) == {"a", "ab"}


@pytest.mark.parametrize("version", [2, 3])
def test_other_formats_chunks_and_groups(version: int) -> None:
    store: dict[str, object] = {}
    numbers().to_zarr(store, zarr_format=2)
    (numbers() * 2).rechunk(3).to_zarr(store, overwrite=True, zarr_format=version)
    found = DaskDimArray.from_zarr(store)
    same(found, numbers() * 2)
    assert found.chunks == ((3, 3),)
    assert not [key for key in store if key.endswith((".zgroup", ".tmp"))]
    assert zarr.open_array(store).metadata.zarr_format == version


def test_a_store_that_deletes_nothing(tmp_path: Path) -> None:
    with zarr.storage.ZipStore(tmp_path / "x.zip", mode="w") as store:
        numbers().to_zarr(store)
        with pytest.raises(UnitError, match="deletes nothing"):
            (numbers() * 2).to_zarr(store, overwrite=True)
    with zarr.storage.ZipStore(tmp_path / "x.zip", mode="r") as store:
        same(DaskDimArray.from_zarr(store), numbers())


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.startswith(("zarr", "remote"))])
def test_options_that_make_no_sense_leave_nothing(kind: str, tmp_path: Path) -> None:
    write, read, contents = KINDS[kind]
    write(numbers(), tmp_path)
    before = contents(tmp_path)
    cases = [{"fill_value": "x"}, {"compressors": "x"}, {"nothing": 1}, {"chunks": (0,)}]
    for options in [*cases, {"chunks": (1, 2)}, {"shards": "auto"}]:
        with pytest.raises((TypeError, ValueError, UnitError)):
            write(numbers(), tmp_path, overwrite=True, **options)
        assert contents(tmp_path) == before
    same(read(tmp_path), numbers())


@pytest.mark.parametrize(
    "shape", [(0,), *(pytest.param(s, marks=pytest.mark.deep) for s in ((), (3, 0)))], ids=str
)
@pytest.mark.parametrize("kind", KINDS)
def test_arrays_of_few_numbers_or_none(kind: str, shape: tuple[int, ...], tmp_path: Path) -> None:
    write, read, contents = KINDS[kind]
    x = DaskDimArray(np.ones(shape), "m")
    write(x, tmp_path)
    names = sorted(contents(tmp_path))
    later = write(2 * x, tmp_path, overwrite=True, compute=False)
    later.compute()
    same(read(tmp_path), 2 * x)
    with pytest.raises(UnitError, match="was written already"):
        later.compute()
    same(read(tmp_path), 2 * x)
    assert sorted(contents(tmp_path)) == names


def test_a_draft_without_all_chunks_replaces_nothing() -> None:
    store = zarr.storage.MemoryStore()
    numbers().to_zarr(store)
    draft = draft_beside(store, None)
    assert isinstance(draft, StoreDraft)
    draft.created({"shape": (6,), "chunks": (2,), "dtype": float})[:4] = 1.0
    with pytest.raises(FileFormatError, match=r"tmp/c/2 of a draft is missing"):
        draft()
    draft.remove()
    same(DaskDimArray.from_zarr(store), numbers())
    with pytest.raises(UnitError, match="was written already, or given up"):
        draft()
    same(DaskDimArray.from_zarr(store), numbers())
