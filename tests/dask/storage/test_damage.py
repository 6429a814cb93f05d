"""Damaged and hostile stores: an error that names the place, and never a silent number."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

from dimflow import Unit
from dimflow.dask import DaskDimArray
from dimflow.errors import DimflowError, FileFormatError
from tests.dask.conftest import nothing_runs

NUMBERS = np.random.default_rng(5).random((6, 4))


@pytest.fixture(params=[2, 3])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A store with six chunks."""
    place = tmp_path / "x.zarr"
    DaskDimArray(NUMBERS, "m", chunks=(2, 2)).to_zarr(place, zarr_format=request.param)
    return place


def chunk(store: Path) -> Path:
    """The file of the chunk (1, 0)."""
    found = [p for p in (store / "1.0", store / "c" / "1" / "0") if p.exists()]
    return found[0]


def metadata(store: Path) -> Path:
    found = [p for p in (store / "zarr.json", store / ".zarray") if p.exists()]
    return found[0]


def test_a_missing_chunk_is_named(store: Path) -> None:
    name = chunk(store).relative_to(store)
    chunk(store).unlink()
    with nothing_runs():
        found = DaskDimArray.from_zarr(store)
    with pytest.raises(FileFormatError) as caught:
        found.sum().compute()
    assert caught.value.path == str(store)
    assert caught.value.problem == f"the chunk {name} is missing"
    assert found[:2].compute().shape == (2, 4)


@pytest.mark.parametrize("chunks", [None, -1])
@pytest.mark.parametrize("fill", [0.0, 7.0, np.nan])
def test_a_missing_chunk_of_others_is_their_fill_value(
    tmp_path: Path, fill: float, chunks: Any
) -> None:
    array = zarr.create_array(
        tmp_path / "x", shape=4, chunks=2, dtype=float, fill_value=fill, attributes={"units": "m"}
    )
    array[:2] = 1.0
    found = DaskDimArray.from_zarr(tmp_path / "x").compute()
    np.testing.assert_array_equal(found.data, [1, 1, fill, fill])
    strict = DaskDimArray.from_zarr(tmp_path / "x", chunks=chunks, missing="error")
    with pytest.raises(FileFormatError, match="the chunk c/1 is missing"):
        strict.compute()


def test_a_store_that_is_gone_is_not_a_store_of_zeros(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "x", data=np.ones(4), chunks=2, attributes={"units": "m"})
    found = DaskDimArray.from_zarr(tmp_path / "x")
    (tmp_path / "x").rename(tmp_path / "y")
    with pytest.raises(FileNotFoundError, match=f"{tmp_path}/x is gone"):
        found.compute()


def test_a_missing_chunk_may_be_filled_on_request(store: Path) -> None:
    chunk(store).unlink()
    found = DaskDimArray.from_zarr(store, missing="fill").compute()
    np.testing.assert_array_equal(found.data[:2], NUMBERS[:2])


@given(data=st.data())
@settings(max_examples=settings.default.max_examples // 5)
def test_damaged_bytes_are_an_error_and_never_other_numbers(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("damaged") / "x"
    version = data.draw(st.sampled_from([2, 3]))
    DaskDimArray(NUMBERS, "m", chunks=(2, 2)).to_zarr(place, zarr_format=version)
    content = bytearray(chunk(place).read_bytes())
    position = data.draw(st.integers(0, len(content) - 1))
    content[position] ^= data.draw(st.integers(1, 255))
    cut = data.draw(st.none() | st.integers(0, len(content) - 1))
    chunk(place).write_bytes(content if cut is None else content[:cut])
    found = computed_or_error(place)
    if isinstance(found, FileFormatError):
        assert found.path == str(place)
        assert f"the chunk {chunk(place).relative_to(place)}" in found.problem
    else:
        np.testing.assert_array_equal(found.data, NUMBERS)  # a byte that says nothing of numbers


def computed_or_error(place: Path) -> Any:
    try:
        return DaskDimArray.from_zarr(place, unit="m").compute()
    except (DimflowError, FileNotFoundError) as error:
        return error


@given(data=st.data())
@settings(max_examples=settings.default.max_examples // 5)
def test_damaged_metadata_are_an_error_of_ours(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("damaged") / "x"
    DaskDimArray(NUMBERS, "m", chunks=(2, 2)).to_zarr(place)
    path = metadata(place)
    record = json.loads(path.read_text())
    key = data.draw(st.sampled_from(sorted(record)))
    junk = st.recursive(
        st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5) | st.floats(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=5,
    )
    record[key] = data.draw(junk)
    path.write_text(json.dumps(record))
    found = computed_or_error(place)  # any other error is raised
    if isinstance(found, DimflowError):
        assert str(place) in f"{found} {getattr(found, '__notes__', '')}"


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"zarr_format": 3}'],
    ids=["empty", "cut", "list", "null", "bytes", "deep", "little"],
)
def test_metadata_that_are_none(tmp_path: Path, content: bytes) -> None:
    place = tmp_path / "x"
    DaskDimArray(NUMBERS, "m").to_zarr(place)
    (place / "zarr.json").write_bytes(content)
    with pytest.raises((FileFormatError, FileNotFoundError), match=str(place)):
        DaskDimArray.from_zarr(place)
    with pytest.raises(FileExistsError):
        DaskDimArray(NUMBERS, "m").to_zarr(place, overwrite=True)


@pytest.mark.parametrize(
    "unit",
    [
        "m" * 1_000_000,
        "(" * 10_000,
        "m**(1/0)",
        "1e999999 m",
        "",
        "\x00",
        "dimflow.unit/9|1",
        "dimflow.unit/1|1|m:metre:1:L1:1|m:metre:1:L1:1",
        17,
        ["m"],
        {"a": {"b": ["c"]}},
        True,
    ],
    ids=[f"case{i}" for i in range(12)],
)
@pytest.mark.parametrize("name", ["units", "dimflow_unit"])
def test_hostile_units_are_refused_or_say_nothing(tmp_path: Path, name: str, unit: Any) -> None:
    zarr.create_array(tmp_path / "x", data=NUMBERS, attributes={name: unit})
    if (name, unit) == ("units", ""):  # a pure number
        assert DaskDimArray.from_zarr(tmp_path / "x").unit == Unit("")
        return
    with pytest.raises(DimflowError, match=str(tmp_path / "x")) as caught:
        DaskDimArray.from_zarr(tmp_path / "x")
    assert len(str(caught.value)) < 1000


def test_an_array_of_absurd_length_is_refused_before_it_is_listed(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "x", shape=10**15, chunks=1, dtype="i1", attributes={"units": "m"})
    with pytest.raises(FileFormatError, match="too many blocks"):
        DaskDimArray.from_zarr(tmp_path / "x")


class Bomb:
    """Sets a mark when it is unpickled."""

    went_off = False

    def __reduce__(self) -> tuple[Any, ...]:
        return setattr, (Bomb, "went_off", True)


@pytest.mark.parametrize("where", ["filters", "compressor"])
def test_pickled_chunks_are_not_opened(tmp_path: Path, where: str) -> None:
    place = tmp_path / "x"
    DaskDimArray(np.ones(2), "m").to_zarr(place, zarr_format=2)
    record = json.loads((place / ".zarray").read_text())
    codec = {"id": "pickle", "protocol": 5}
    record["filters"], record["compressor"] = None, None
    record[where] = [codec] if where == "filters" else codec
    (place / ".zarray").write_text(json.dumps(record))
    (place / "0").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(FileFormatError, match="pickle"):
        DaskDimArray.from_zarr(place).compute()
    assert not Bomb.went_off


def test_arrays_of_objects_and_texts_are_refused(tmp_path: Path) -> None:
    place = tmp_path / "x"
    zarr.create_array(place, data=np.array(["a", "bb"]), attributes={"units": "m"}, zarr_format=2)
    with pytest.raises(FileFormatError, match="holds no numbers"):
        DaskDimArray.from_zarr(place)


def test_a_chunk_of_the_wrong_size(store: Path, tmp_path: Path) -> None:
    other = tmp_path / "y"
    version = zarr.open_array(store).metadata.zarr_format
    DaskDimArray(np.ones((1, 3)), "m").to_zarr(other, zarr_format=version)
    (file,) = [p for p in (other / "0.0", other / "c" / "0" / "0") if p.exists()]
    chunk(store).write_bytes(file.read_bytes())
    with pytest.raises(FileFormatError, match=str(chunk(store).relative_to(store))):
        DaskDimArray.from_zarr(store).compute()
