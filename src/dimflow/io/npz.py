"""Archives of arrays with units: NumPy's `.npz`, and beside the numbers what they are.

The member `dimflow.json` holds, for each array, the wire encoding of its unit and the name of its
library. NumPy alone reads the numbers; nothing is ever unpickled.
"""

import ast
import json
import math
import os
import zipfile
import zlib
from collections.abc import Mapping
from io import SEEK_END, UnsupportedOperation
from typing import Any, BinaryIO, Literal, NamedTuple

import numpy as np

from dimflow.array.dimarray import DimArray, wrap
from dimflow.array.persistence import restored
from dimflow.backends import Backend
from dimflow.errors import DimflowError, FileFormatError, NotANumber, UnitError
from dimflow.io.places import TEXTS, Place, name_of, reading, renamed, suffix_of, writing
from dimflow.ops.dispatch import interpreter_of
from dimflow.units import Unit, decode, encode

FORMAT = "dimflow.npz/1"
HEADER = "dimflow.json"
ONLY = "data"  # the name of an array that was saved without one
_KINDS = frozenset("biufc")
_MAX_BYTES = 1 << 32
_MAX_HEADER = 1 << 24
_MAX_DESCRIPTION = 10_000
_MAX_RATIO = 1100  # deflate packs 1032 bytes into one at best
_PIECE = 1 << 20


class _Entry(NamedTuple):
    """An array to write: its numbers, its unit (None: plain numbers), its library."""

    raw: Any
    unit: Unit | None
    library: str


def save(
    path: Place,
    data: Any = None,
    /,
    *,
    compress: bool = False,
    overwrite: bool = True,
    **arrays: Any,
) -> None:
    """Save one array, or several under names: `save("run.npz", time=t, speed=v)`.

    `data` is one array, or a mapping of names to arrays. Plain arrays and numbers (masks, indices)
    stay plain. `path` may be a file opened for bytes; a path is taken as it is, and what stood
    there is replaced at once when all is written.
    """
    _check_suffix(path)
    is_single = data is not None and not isinstance(data, Mapping)
    if (data is None and not arrays) or (data is not None and arrays):
        raise TypeError("save takes one array, or arrays by name")
    named = {ONLY: data} if is_single else dict(data or arrays)
    entries = {_checked_name(name): _entry(name, value) for name, value in named.items()}
    header = {
        "format": FORMAT,
        "single": is_single,
        "arrays": {
            name: {
                "unit": None if entry.unit is None else encode(entry.unit),
                "backend": entry.library,
            }
            for name, entry in entries.items()
        },
    }
    packing = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    with writing(path, overwrite=overwrite) as file, zipfile.ZipFile(file, "w") as archive:
        archive.writestr(_member(HEADER, packing), json.dumps(header, ensure_ascii=False))
        for name, entry in entries.items():
            member = _member(f"{name}.npy", packing)
            with archive.open(member, "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, entry.raw, (1, 0), allow_pickle=False)


def _check_suffix(path: Place) -> None:
    """A name that says another format would lie about what is in the file."""
    suffix = suffix_of(path)
    if suffix not in ("", ".npz"):
        name = os.fspath(path)
        hint = f"name it {renamed(path, '.npz')!r}"
        if suffix in TEXTS:
            hint += f", or write a table: dimflow.savetxt({name!r}, x)"
        problem = f"save writes archives of numbers and units (.npz), but {name!r} is no such name"
        raise UnitError(problem, hint)


def load(path: Place, *, backend: str | None = None, max_bytes: int | None = None) -> Any:
    """What `save` wrote: one array, or a dict of them.

    Arrays come back on the library that they were saved from, or on `backend`. A file whose content
    would take more than `max_bytes` is refused before any of it is read; without it, that is 4 GiB
    or the size of the file, whichever is more.
    """
    with reading(path) as file:
        try:
            with _Archive(file, max_bytes) as archive:
                return archive.arrays(backend)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, _Damage) as error:
            hint = error.hint if isinstance(error, _Damage) else None
            if suffix_of(path) in TEXTS:
                hint = "from_csv and loadtxt read tables"
            raise FileFormatError(name_of(path), str(error), hint) from None


def _checked_name(name: Any) -> str:
    if not isinstance(name, str) or not name or any(c in "/\\:" or c < " " for c in name):
        raise UnitError(
            f"{name!r:.60} cannot be the name of an array in a file",
            "letters, digits and _ are fine",
        )
    return name


def _entry(name: str, value: Any) -> _Entry:
    is_ours = isinstance(value, DimArray)
    raw = value.data if is_ours else value
    interpreter = interpreter_of(type(raw))
    if not isinstance(interpreter, Backend):
        raise UnitError(f"save needs values, but {name!r} has none", "run it on data first")
    numbers = np.asarray(interpreter.to_numpy(interpreter.asarray(raw)))
    if numbers.dtype.kind not in _KINDS:
        raise NotANumber("save", f"{name!r} of dtype {numbers.dtype}")
    return _Entry(numbers, value.unit if is_ours else None, interpreter.name)


def _member(name: str, packing: int) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name)  # without the time: the same arrays make the same bytes
    member.compress_type = packing
    return member


class _Damage(Exception):
    """What is wrong with a file, and what to do about it."""

    def __init__(self, problem: str, hint: str | None = None) -> None:
        super().__init__(problem)
        self.hint = hint


class _Archive:
    """An opened file whose members are of the sizes that they claim, or less."""

    def __init__(self, file: BinaryIO, max_bytes: int | None) -> None:
        try:
            size = file.seek(0, SEEK_END)
        except (UnsupportedOperation, OSError):
            hint = "read it into an io.BytesIO first"
            raise _Damage("one can only read it from front to back", hint) from None
        self.zip = zipfile.ZipFile(file)
        members = self.zip.infolist()
        self.members = {member.filename: member for member in members}
        if len(self.members) != len(members):
            raise _Damage("two members have one name")
        for member in members:
            _check_member(member)
        if sum(member.compress_size for member in members) > size:
            raise _Damage("its members overlap")
        limit = max(_MAX_BYTES, size) if max_bytes is None else max_bytes
        total = sum(member.file_size for member in members)
        if total > limit:
            hint = "if that is meant, allow more: max_bytes=..."
            raise _Damage(f"its content is of {total:,} bytes, and {limit:,} are allowed", hint)

    def __enter__(self) -> "_Archive":
        return self

    def __exit__(self, *error: object) -> None:
        self.zip.close()

    def arrays(self, backend: str | None) -> Any:
        """The array, or the arrays by name."""
        is_single, records = self._records()
        unknown = set(self.members) - {HEADER} - {f"{name}.npy" for name in records}
        if unknown:
            raise _Damage(f"{min(unknown)!r:.60} is not in its list of arrays")
        found = {name: self._array(name, *record, backend) for name, record in records.items()}
        return found[ONLY] if is_single else found

    def _records(self) -> tuple[bool, dict[str, tuple[Unit | None, str]]]:
        if HEADER not in self.members:
            hint = "np.load reads the numbers; DimArray(numbers, unit) gives them a unit"
            raise _Damage(f"it says no units: {HEADER!r} is missing", hint)
        if self.members[HEADER].file_size > _MAX_HEADER:
            raise _Damage(f"{HEADER!r} is too long")
        try:
            header = json.loads(self.zip.read(HEADER).decode("utf-8"))
        except (ValueError, RecursionError):
            raise _Damage(f"{HEADER!r} is no JSON") from None
        _check_header(header)
        return header["single"], {
            name: _record(name, record) for name, record in header["arrays"].items()
        }

    def _array(self, name: str, unit: Unit | None, library: str, backend: str | None) -> Any:
        member = self.members.get(f"{name}.npy")
        if member is None:
            raise _Damage(f"the array {name!r} is missing")
        with self.zip.open(member) as stream:
            raw = restored(_numbers(stream, member, name), library, backend)
        return raw if unit is None else wrap(raw, unit)


def _check_member(member: zipfile.ZipInfo) -> None:
    name = f"{member.filename!r:.60}"
    if member.flag_bits & 1:
        raise _Damage(f"{name} is encrypted")
    if member.compress_type == zipfile.ZIP_STORED:
        possible = member.compress_size
    elif member.compress_type == zipfile.ZIP_DEFLATED:
        possible = member.compress_size * _MAX_RATIO
    else:
        raise _Damage(f"{name} is packed in a way that np.savez does not use")
    if member.file_size > possible:
        raise _Damage(f"{name} claims to be longer than it can be")


def _check_header(header: Any) -> None:
    if not isinstance(header, dict) or not isinstance(header.get("format"), str):
        raise _Damage(f"{HEADER!r} is not dimflow's")
    if header["format"] != FORMAT:
        hint = "use a newer dimflow to read it"
        raise _Damage(f"its format is {header['format']!r:.40}, and not {FORMAT!r}", hint)
    arrays, is_single = header.get("arrays"), header.get("single")
    if not isinstance(arrays, dict) or not isinstance(is_single, bool):
        raise _Damage(f"{HEADER!r} lists no arrays")
    if is_single and list(arrays) != [ONLY]:
        raise _Damage(f"{HEADER!r} should list one array")


def _record(name: str, record: Any) -> tuple[Unit | None, str]:
    if not isinstance(record, dict) or "unit" not in record:
        raise _Damage(f"the array {name!r:.60} has no unit")
    library = record.get("backend")
    if not isinstance(library, str):
        raise _Damage(f"the array {name!r:.60} has no array library")
    try:
        return None if record["unit"] is None else decode(record["unit"]), library
    except DimflowError as error:
        raise _Damage(f"the unit of {name!r:.60} is damaged", str(error)) from None


def _numbers(stream: Any, member: zipfile.ZipInfo, name: str) -> Any:
    """The numbers of a member, whose size is compared with its header before they are read."""
    try:
        dtype, shape, order = _described(stream)
    except (ValueError, TypeError, KeyError, SyntaxError, RecursionError, MemoryError) as error:
        raise _Damage(f"the array {name!r} has a wrong header", f"{error!s:.100}") from None
    if dtype.kind not in _KINDS:
        raise _Damage(f"the array {name!r} holds no numbers but {dtype!s:.60}")
    size = math.prod(shape) * dtype.itemsize
    if size != member.file_size - stream.tell():
        raise _Damage(f"the array {name!r} is not of the size that its shape {shape} needs")
    try:
        raw = np.empty(shape, dtype, order)
    except (ValueError, OverflowError):  # none, many times over; or too many axes
        raise _Damage(f"the array {name!r} has a shape that no array has") from None
    flat = raw.reshape(-1, order="A").view(np.uint8) if size else np.empty(0, np.uint8)
    for start in range(0, size, _PIECE):
        piece = np.frombuffer(stream.read(min(_PIECE, size - start)), np.uint8)
        if len(piece) != min(_PIECE, size - start):
            raise _Damage(f"the array {name!r} ends early")
        if dtype.kind == "b" and piece.max() > 1:
            raise _Damage(f"the array {name!r} holds neither true nor false")
        flat[start : start + len(piece)] = piece
    stream.read(1)  # at the end the checksum is compared
    return raw


def _described(stream: Any) -> tuple[np.dtype[Any], tuple[int, ...], Literal["C", "F"]]:
    """dtype, shape and order as the header of version 1.0 has them; NumPy's reader is lenient."""
    start = stream.read(10)
    if start[:8] != b"\x93NUMPY\x01\x00" or len(start) != 10:
        raise ValueError("it is no array of NumPy's format 1.0")
    length = int.from_bytes(start[8:], "little")
    if length > _MAX_DESCRIPTION:
        raise ValueError("it is too long")
    description = ast.literal_eval(stream.read(length).decode("latin-1").strip())
    if set(description) != {"descr", "fortran_order", "shape"}:
        raise ValueError("it is no description of an array")
    shape, dtype = description["shape"], np.dtype(description["descr"])
    if type(shape) is not tuple or any(type(n) is not int or n < 0 for n in shape):
        raise ValueError(f"{shape!r:.40} is no shape")
    return dtype, shape, "F" if description["fortran_order"] is True else "C"
