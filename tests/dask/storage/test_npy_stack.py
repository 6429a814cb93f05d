"""Stacks of .npy files: with the unit in JSON, and Dask's own without opening its pickle."""

import json
import pickle
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dimflow import units
from dimflow.dask import DaskDimArray, from_npy_stack
from dimflow.errors import FileFormatError, UnitError
from tests.dask.conftest import nothing_runs
from tests.dask.storage.arrays import lazy_arrays, same


@given(x=lazy_arrays(), data=st.data())
@settings(max_examples=settings.default.max_examples // 4)
def test_reading_what_was_written_gives_it_back(
    x: DaskDimArray, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("stack") / "x"
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1)) if x.ndim else 0
    x.to_npy_stack(folder, axis)
    found = from_npy_stack(folder)
    same(found, x)
    if x.ndim:
        assert found.chunks[axis] == x.chunks[axis]
        assert all(len(c) == 1 for i, c in enumerate(found.chunks) if i != axis % x.ndim)


@pytest.mark.parametrize("axis", [0, 1])
def test_a_stack_of_dask(tmp_path: Path, axis: int) -> None:
    raw = da.arange(12.0, chunks=12).reshape(4, 3).rechunk((2, 2))
    da.to_npy_stack(tmp_path / "x", raw, axis=axis)
    (tmp_path / "x" / "info").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(UnitError, match="says no unit"):
        DaskDimArray.from_npy_stack(tmp_path / "x", axis=axis)
    with nothing_runs():
        found = DaskDimArray.from_npy_stack(tmp_path / "x", "m", axis=axis)
    np.testing.assert_array_equal(found.compute().data, raw.compute())
    assert not Bomb.went_off


class Bomb:
    """Sets a mark when it is unpickled."""

    went_off = False

    def __reduce__(self) -> tuple[Any, ...]:
        return setattr, (Bomb, "went_off", True)


@pytest.fixture
def stack(tmp_path: Path) -> Path:
    x = DaskDimArray(np.arange(12.0).reshape(6, 2), "m", chunks=(2, 2))
    x.to_npy_stack(tmp_path / "stack")
    return tmp_path / "stack"


def test_a_file_is_missing(stack: Path) -> None:
    (stack / "1.npy").unlink()
    with pytest.raises(FileFormatError, match=r"1\.npy: the file is missing"):
        DaskDimArray.from_npy_stack(stack)
    (stack / "dimflow.json").unlink()
    with pytest.raises(FileFormatError, match=r"1\.npy: the file is missing"):
        DaskDimArray.from_npy_stack(stack, "m")


def test_a_file_that_goes_away_or_changes_later(stack: Path) -> None:
    found = DaskDimArray.from_npy_stack(stack)
    np.save(stack / "2.npy", np.zeros(3))
    with pytest.raises(FileFormatError, match=r"2\.npy: it holds float64 of shape \(3,\) now"):
        found.compute()
    (stack / "2.npy").unlink()
    with pytest.raises(FileFormatError, match=r"2\.npy: the file is missing"):
        found.compute()
    assert found[:4].compute().shape == (4, 2)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x93NUMPY",
        b"\x93NUMPY\x01\x00v\x00{",
        b"junk" * 50,
        b"\x93NUMPY\x07\x00v\x00" + b" " * 99,
    ],
    ids=["empty", "magic", "cut", "junk", "version"],
)
def test_a_damaged_file(stack: Path, content: bytes) -> None:
    (stack / "0.npy").write_bytes(content)
    with pytest.raises(FileFormatError, match=r"0\.npy"):
        DaskDimArray.from_npy_stack(stack)


def test_a_file_that_is_cut_off(stack: Path) -> None:
    (stack / "0.npy").write_bytes((stack / "0.npy").read_bytes()[:-3])
    with pytest.raises(FileFormatError, match=r"0\.npy"):
        DaskDimArray.from_npy_stack(stack)


def test_pickles_in_files_are_not_opened(stack: Path) -> None:
    np.save(stack / "0.npy", np.array([Bomb(), None], object))
    with pytest.raises(FileFormatError, match=r"0\.npy: it holds no numbers, but object"):
        DaskDimArray.from_npy_stack(stack)
    assert not Bomb.went_off


def test_files_that_do_not_fit(stack: Path) -> None:
    np.save(stack / "1.npy", np.zeros((2, 3)))
    with pytest.raises(FileFormatError, match=r"1\.npy: float64 of shape \(2, 3\) does not fit"):
        DaskDimArray.from_npy_stack(stack)
    np.save(stack / "1.npy", np.zeros((2, 2), "f4"))
    with pytest.raises(FileFormatError, match=r"1\.npy: float32 of shape \(2, 2\) does not fit"):
        DaskDimArray.from_npy_stack(stack)


@pytest.mark.parametrize(
    "record",
    [
        "{",
        "[]",
        "[" * 50_000,
        '{"format": "dimflow.npy-stack/9"}',
        '{"format": "dimflow.npy-stack/1", "axis": 0, "blocks": -1, "attributes": {}}',
        '{"format": "dimflow.npy-stack/1", "axis": 5, "blocks": 3, "attributes": {}}',
        '{"format": "dimflow.npy-stack/1", "axis": 0, "blocks": 3, "attributes": []}',
        '{"format": "dimflow.npy-stack/1", "axis": 0, "blocks": 3, "attributes": {"units": "?"}}',
        " " * (1 << 21),
    ],
    ids=[f"record{i}" for i in range(9)],
)
def test_a_damaged_record(stack: Path, record: str) -> None:
    (stack / "dimflow.json").write_text(record)
    with pytest.raises(FileFormatError, match="stack"):
        DaskDimArray.from_npy_stack(stack)


def test_a_folder_of_other_things_is_never_replaced(stack: Path) -> None:
    x = DaskDimArray(np.zeros(3), "s")
    with pytest.raises(FileExistsError, match="overwrite=False"):
        x.to_npy_stack(stack)
    x.to_npy_stack(stack, overwrite=True)
    same(DaskDimArray.from_npy_stack(stack), x)
    assert sorted(p.name for p in stack.iterdir()) == ["0.npy", "dimflow.json"]
    (stack / "thesis.tex").write_text("years of work")
    with pytest.raises(FileExistsError, match=r"thesis\.tex"):
        x.to_npy_stack(stack, overwrite=True)
    with pytest.raises(UnitError, match="computed from"):
        DaskDimArray.from_npy_stack(stack).to_npy_stack(stack, overwrite=True)
    with pytest.raises(FileNotFoundError):
        DaskDimArray.from_npy_stack(stack / "nowhere")


def test_the_record_comes_last(tmp_path: Path) -> None:
    x = DaskDimArray(np.arange(4.0), units.m, chunks=2)
    with nothing_runs():
        writing = x.to_npy_stack(tmp_path / "x", compute=False)
    with pytest.raises(FileNotFoundError):
        DaskDimArray.from_npy_stack(tmp_path / "x", "m")
    writing.compute()
    record = json.loads((tmp_path / "x" / "dimflow.json").read_text())
    assert record["attributes"]["units"] == "m"
    assert np.load(tmp_path / "x" / "1.npy").tolist() == [2, 3]
