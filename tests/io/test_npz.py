"""Archives: what was saved comes back, NumPy reads the numbers, and no file can do harm."""

import io
import json
import os
import pickle
import stat
import threading
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import dimflow
from dimflow import DimArray, Unit, units
from dimflow.errors import BackendNotInstalled, DimflowError, FileFormatError
from dimflow.io.npz import FORMAT, HEADER
from dimflow.testing import assert_identical

DTYPES = ["?", "i1", "u2", "<i8", ">i4", "f2", "f4", "<f8", ">f8", "c8", "c16"]
ENCODED = "dimflow.unit/1|1|m:metre:1:L1:1"


def saved(*args: Any, **kwargs: Any) -> bytes:
    file = io.BytesIO()
    dimflow.save(file, *args, **kwargs)
    return file.getvalue()


def loaded(data: bytes, **options: Any) -> Any:
    return dimflow.load(io.BytesIO(data), **options)


def archive(members: dict[str, bytes], packing: int = zipfile.ZIP_STORED) -> bytes:
    """A zip file of any members."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", packing) as made:
        for name, data in members.items():
            made.writestr(name, data)
    return file.getvalue()


def header(**changes: Any) -> bytes:
    record = {"unit": ENCODED, "backend": "numpy"}
    return json.dumps(
        {"format": FORMAT, "single": True, "arrays": {"data": record}} | changes
    ).encode()


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def npy(array: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, np.asarray(array), **options)
    return file.getvalue()


def npy_header(text: str, version: bytes = b"\x01\x00") -> bytes:
    size = len(text).to_bytes(2 if version == b"\x01\x00" else 4, "little")
    return b"\x93NUMPY" + version + size + text.encode()


class TestRoundTrip:
    @given(
        hnp.arrays(st.sampled_from(DTYPES), hnp.array_shapes(min_dims=0, max_dims=3, min_side=0)),
        st.sampled_from(["m", "km/h", "degC", "", "percent", "dBm", "m**(1/2)"]),
        st.booleans(),
    )
    def test_every_dtype_and_shape(self, raw: Any, unit: str, compress: bool) -> None:
        x = DimArray(raw, unit)
        assert_identical(loaded(saved(x, compress=compress)), x)

    @pytest.mark.parametrize("change", [lambda a: a.T, lambda a: a[::2, 1:], lambda a: a[:, :0]])
    def test_any_layout(self, change: Any) -> None:
        x = DimArray(change(np.arange(24.0).reshape(4, 6)), "m")
        again = loaded(saved(x))
        assert_identical(again, x)
        assert again.data.flags.writeable
        assert again.data.flags.f_contiguous == x.data.flags.f_contiguous

    def test_sets_of_arrays_by_name_in_their_order(self) -> None:
        given = {"v": DimArray([1.0], "m/s"), "größe": 5 * units.m, "t": DimArray([2], "s")}
        again = loaded(saved(**given))
        assert list(again) == list(given)
        for name, x in given.items():
            assert_identical(again[name], x)
        assert list(loaded(saved(given))) == list(given)

    def test_a_mapping_may_use_any_name(self) -> None:
        assert list(loaded(saved({"overwrite": 1 * units.m, "compress": 2 * units.s}))) == [
            "overwrite",
            "compress",
        ]
        assert loaded(saved({})) == {}

    def test_plain_arrays_stay_plain(self) -> None:
        again = loaded(saved(x=1 * units.m, mask=np.array([True, False]), n=3))
        assert type(again["mask"]) is np.ndarray
        assert again["mask"].tolist() == [True, False]
        assert again["n"] == 3
        assert type(loaded(saved(np.arange(3)))) is np.ndarray

    def test_units_of_a_user_need_no_registration_where_they_are_read(self) -> None:
        with units.Registry():
            data = saved(DimArray([1.0, 2.0], units.define("smoot = 67 inch = smt")))
        assert loaded(data).to("inch").tolist() == [67.0, 134.0]

    def test_numpy_reads_the_numbers(self) -> None:
        with np.load(io.BytesIO(saved(x=DimArray([1.0, 2.0], "m")))) as found:
            assert found["x"].tolist() == [1.0, 2.0]

    def test_the_same_arrays_make_the_same_bytes(self) -> None:
        x = DimArray(np.arange(5.0), "m")
        assert saved(x) == saved(x)

    def test_packed_files_are_smaller(self) -> None:
        x = DimArray(np.zeros(10_000), "m")
        assert len(saved(x, compress=True)) < len(saved(x)) / 10

    def test_methods_of_arrays(self, tmp_path: Path) -> None:
        x = DimArray([1.0, 2.0], "m")
        x.save(tmp_path / "x.npz")
        assert_identical(DimArray.load(tmp_path / "x.npz"), x)
        dimflow.save(tmp_path / "xs.npz", a=x, b=x)
        with pytest.raises(FileFormatError, match="arrays by name: a, b"):
            DimArray.load(tmp_path / "xs.npz")
        dimflow.save(tmp_path / "plain.npz", np.arange(3))
        with pytest.raises(FileFormatError, match="no unit"):
            DimArray.load(tmp_path / "plain.npz")

    def test_a_library_that_is_missing(self) -> None:
        record = {"unit": ENCODED, "backend": "nonsense"}
        data = archive({HEADER: header(arrays={"data": record}), "data.npy": npy([1.0])})
        with pytest.raises(BackendNotInstalled, match="restore_on"):
            loaded(data)
        assert loaded(data, backend="numpy").tolist() == [1.0]
        with dimflow.restore_on("numpy"):
            assert loaded(data).tolist() == [1.0]


class TestWriting:
    @pytest.mark.parametrize("as_path", [str, Path])
    def test_paths_are_taken_as_they_are(self, tmp_path: Path, as_path: Any) -> None:
        path = as_path(tmp_path / "measured")
        dimflow.save(path, 1 * units.m)
        assert names(tmp_path) == ["measured"]
        assert dimflow.load(path).item() == 1

    def test_a_file_that_is_open_stays_open(self, tmp_path: Path) -> None:
        with (tmp_path / "x.npz").open("w+b") as file:
            dimflow.save(file, 1 * units.m)
            assert dimflow.load(file).item() == 1
            assert not file.closed

    def test_overwriting(self, tmp_path: Path) -> None:
        path = tmp_path / "x.npz"
        dimflow.save(path, 1 * units.m)
        path.chmod(0o640)
        dimflow.save(path, 2 * units.m)
        assert dimflow.load(path).item() == 2
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        with pytest.raises(FileExistsError, match="overwrite=False"):
            dimflow.save(path, 3 * units.m, overwrite=False)
        assert dimflow.load(path).item() == 2

    def test_a_link_stays_a_link(self, tmp_path: Path) -> None:
        path, link = tmp_path / "x.npz", tmp_path / "latest.npz"
        dimflow.save(path, 1 * units.m)
        link.symlink_to(path)
        dimflow.save(link, 2 * units.m)
        assert link.is_symlink()
        assert dimflow.load(path).item() == 2

    def test_a_pipe_is_written_to_and_not_replaced(self, tmp_path: Path) -> None:
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        received: list[bytes] = []
        reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
        reader.start()
        dimflow.save(pipe, 1 * units.m)
        reader.join(timeout=20)
        assert pipe.is_fifo()
        assert loaded(received[0]).item() == 1

    def test_what_fails_on_the_way_leaves_the_old_file(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "x.npz"
        dimflow.save(path, 1 * units.m)

        def full(*args: Any, **kwargs: Any) -> None:
            raise OSError("no space left")

        monkeypatch.setattr(np.lib.format, "write_array", full)
        with pytest.raises(OSError, match="no space"):
            dimflow.save(path, 2 * units.m)
        assert names(tmp_path) == ["x.npz"]
        assert dimflow.load(path).item() == 1

    @pytest.mark.parametrize(
        "value",
        [
            "text",
            None,
            {1, 2},
            object(),
            [object()],
            np.array(["a"]),
            np.array([None]),
            [[1], [1, 2]],
        ],
        ids=lambda v: type(v).__name__,
    )
    def test_what_is_no_array_is_refused_before_anything_is_written(
        self, tmp_path: Path, value: Any
    ) -> None:
        with pytest.raises(DimflowError):
            dimflow.save(tmp_path / "x.npz", x=1 * units.m, y=value)
        assert names(tmp_path) == []

    @pytest.mark.parametrize("name", ["", "a/b", "..\\a", "c:", "a\n", 5])
    def test_names_that_no_file_should_have(self, name: Any) -> None:
        with pytest.raises(DimflowError, match="cannot be the name"):
            saved({name: 1 * units.m})

    def test_one_array_or_many(self) -> None:
        with pytest.raises(TypeError, match="one array, or arrays by name"):
            saved()
        with pytest.raises(TypeError, match="one array, or arrays by name"):
            saved(1 * units.m, x=2 * units.m)

    def test_values_that_are_not_known(self) -> None:
        def program(x: Any) -> Any:
            dimflow.save(io.BytesIO(), x)

        with pytest.raises(DimflowError):
            dimflow.check(program, "m[3]")

    def test_files_opened_for_text(self, tmp_path: Path) -> None:
        with (tmp_path / "x").open("w+") as file:
            with pytest.raises(TypeError, match="mode 'b'"):
                dimflow.save(file, 1 * units.m)
            with pytest.raises(TypeError, match="mode 'b'"):
                dimflow.load(file)
        with pytest.raises(TypeError, match="a path or a binary file"):
            dimflow.load(5)

    def test_files_that_are_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            dimflow.load(tmp_path / "none.npz")
        with pytest.raises(FileNotFoundError):
            dimflow.save(tmp_path / "none" / "x.npz", 1 * units.m)
        with pytest.raises(IsADirectoryError):
            dimflow.save(tmp_path, 1 * units.m)


GOOD = saved(x=DimArray(np.arange(20.0), "m"), y=DimArray([True, False], "s"))


class TestHostile:
    @pytest.mark.parametrize("end", range(0, len(GOOD), 37))
    def test_cut_short(self, end: int) -> None:
        with pytest.raises(FileFormatError):
            loaded(GOOD[:end])

    @given(st.integers(0, len(GOOD) - 1), st.integers(1, 255))
    def test_one_byte_changed_is_found_or_harmless(self, position: int, change: int) -> None:
        data = bytearray(GOOD)
        data[position] ^= change
        try:
            found = loaded(bytes(data))
        except FileFormatError:
            return
        for name, x in loaded(GOOD).items():
            assert_identical(found[name], x)

    @given(st.binary(max_size=200))
    def test_any_bytes(self, data: bytes) -> None:
        with pytest.raises(FileFormatError):
            loaded(data)

    @pytest.mark.parametrize(
        ("members", "problem"),
        [
            ({"data.npy": npy([1.0])}, "says no units"),
            ({HEADER: header()}, "the array 'data' is missing"),
            ({HEADER: header(format="dimflow.npz/2"), "data.npy": npy([1.0])}, "newer dimflow"),
            ({HEADER: header(format=3), "data.npy": npy([1.0])}, "not dimflow's"),
            ({HEADER: b"[]", "data.npy": npy([1.0])}, "not dimflow's"),
            ({HEADER: b"{", "data.npy": npy([1.0])}, "no JSON"),
            ({HEADER: b"\xff", "data.npy": npy([1.0])}, "no JSON"),
            ({HEADER: b"[" * 100_000, "data.npy": npy([1.0])}, "no JSON"),
            ({HEADER: header(arrays=[]), "data.npy": npy([1.0])}, "lists no arrays"),
            ({HEADER: header(single=1), "data.npy": npy([1.0])}, "lists no arrays"),
            ({HEADER: header(arrays={"a": {}}), "a.npy": npy([1.0])}, "should list one array"),
            ({HEADER: header(arrays={"data": {}}), "data.npy": npy([1.0])}, "has no unit"),
            ({HEADER: header(arrays={"data": None}), "data.npy": npy([1.0])}, "has no unit"),
            (
                {HEADER: header(arrays={"data": {"unit": ENCODED}}), "data.npy": npy([1.0])},
                "has no array library",
            ),
            (
                {
                    HEADER: header(arrays={"data": {"unit": "m", "backend": "numpy"}}),
                    "data.npy": npy([1.0]),
                },
                "the unit of 'data' is damaged",
            ),
            (
                {
                    HEADER: header(arrays={"data": {"unit": [], "backend": "numpy"}}),
                    "data.npy": npy([1.0]),
                },
                "the unit of 'data' is damaged",
            ),
            ({HEADER: header(), "data.npy": npy([1.0]), "evil.py": b"1"}, "not in its list"),
            ({HEADER: header(), "data.npy": b"nonsense"}, "wrong header"),
            ({HEADER: header(), "data.npy": b""}, "wrong header"),
            ({HEADER: header(), "data.npy": npy([1.0])[:-1]}, "not of the size"),
            ({HEADER: header(), "data.npy": npy([1.0]) + b"0"}, "not of the size"),
            ({HEADER: header(), "data.npy": npy([1.0], version=(2, 0))}, "wrong header"),
            ({HEADER: header(), "data.npy": npy(["a"])}, "holds no numbers"),
            ({HEADER: header(), "data.npy": npy(np.zeros(2, "f8,f8"))}, "holds no numbers"),
            ({HEADER: header(), "data.npy": npy([True])[:-1] + b"\x02"}, "neither true nor false"),
            (
                {HEADER: header(), "data.npy": npy_header("{'descr': '<f8', 'shape': (-1,)}")},
                "wrong header",
            ),
            ({HEADER: header(), "data.npy": npy_header("__import__('os')")}, "wrong header"),
            ({HEADER: header(), "data.npy": npy_header("(" * 9_000)}, "wrong header"),
            ({HEADER: header(), "data.npy": npy_header(" " * 60_000)}, "wrong header"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_wrong_members(self, members: dict[str, bytes], problem: str) -> None:
        with pytest.raises(FileFormatError, match=problem):
            loaded(archive(members))

    @pytest.mark.parametrize(
        "shape",
        [
            "(-1,)",
            "(999999999, 999999999)",
            "(1000000000000,)",
            "(True,)",
            "[1]",
            "(1.0,)",
            f"(0, {10**30})",
        ],
    )
    def test_shapes_that_the_file_does_not_hold(self, shape: str) -> None:
        text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n"
        with pytest.raises(FileFormatError, match=r"size|wrong header|no array has"):
            loaded(archive({HEADER: header(), "data.npy": npy_header(text)}))

    def test_objects_are_never_unpickled(self) -> None:
        class Bomb:
            def __reduce__(self) -> Any:
                return pytest.fail, ("a pickle was loaded",)

        body = npy_header("{'descr': '|O', 'fortran_order': False, 'shape': (), }\n")
        with pytest.raises(FileFormatError, match="holds no numbers"):
            loaded(archive({HEADER: header(), "data.npy": body + pickle.dumps(Bomb())}))

    def test_a_file_that_unfolds_beyond_the_limit_is_not_read(self) -> None:
        data = saved(DimArray(np.zeros(10**6), "m"), compress=True)
        assert len(data) < 10**5
        with pytest.raises(FileFormatError, match="1,000,000 are allowed"):
            loaded(data, max_bytes=10**6)
        assert loaded(data, max_bytes=10**7).size == 10**6

    def test_a_claim_of_more_than_packing_allows(self) -> None:
        data = bytearray(saved(1 * units.m))
        entry = data.index(b"PK\x01\x02")
        data[entry + 24 : entry + 28] = (1 << 31).to_bytes(4, "little")
        with pytest.raises(FileFormatError, match="longer than it can be"):
            loaded(bytes(data))

    def test_two_members_of_one_name(self) -> None:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as made:
            made.writestr(HEADER, header())
            made.writestr("data.npy", npy([1.0]))
            with pytest.warns(UserWarning, match="Duplicate"):
                made.writestr("data.npy", npy([2.0]))
        with pytest.raises(FileFormatError, match="two members have one name"):
            loaded(file.getvalue())

    def test_other_ways_of_packing(self) -> None:
        with pytest.raises(FileFormatError, match=r"np\.savez does not use"):
            loaded(archive({HEADER: header(), "data.npy": npy([1.0])}, zipfile.ZIP_LZMA))

    def test_an_encrypted_file(self) -> None:
        data = bytearray(saved(1 * units.m))
        entry = data.index(b"PK\x01\x02")
        data[entry + 8] |= 1
        with pytest.raises(FileFormatError, match="encrypted"):
            loaded(bytes(data))

    def test_a_stream_that_cannot_go_back(self) -> None:
        class Stream(io.BytesIO):
            def seek(self, *args: Any) -> int:
                raise io.UnsupportedOperation

        with pytest.raises(FileFormatError, match="BytesIO"):
            dimflow.load(Stream(GOOD))

    def test_a_plain_file_of_numpy(self, tmp_path: Path) -> None:
        np.savez(tmp_path / "x.npz", x=np.arange(3))
        with pytest.raises(FileFormatError) as error:
            dimflow.load(tmp_path / "x.npz")
        assert str(error.value) == (
            f"cannot read {tmp_path / 'x.npz'}: it says no units: 'dimflow.json' is missing\n"
            "  hint:  np.load reads the numbers; DimArray(numbers, unit) gives them a unit"
        )


def test_points_come_back_as_points() -> None:
    assert loaded(saved(DimArray([20.0], "degC"))).unit is Unit("degC")
