"""Where data come from and go to: paths and open files, whole or not at all."""

import os
import secrets
import shutil
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOBase
from pathlib import Path, PurePath
from typing import Any, BinaryIO

from dimflow.errors import FileFormatError, UnitError

Place = str | os.PathLike[str] | Any  # a path, or a file opened for bytes

# What other formats are called: a file of such a name holds nothing else.
_FORMATS = (
    *(".npz", ".npy", ".zip", ".gz", ".bz2", ".xz", ".zst", ".h5", ".hdf5", ".nc", ".zarr", ".mat"),
    *(".parquet", ".feather", ".arrow", ".xlsx", ".xls", ".ods", ".json", ".db", ".sqlite"),
    *(".pkl", ".pickle", ".pt", ".pth"),
)
TEXTS = (".csv", ".tsv", ".txt", ".dat")


def name_of(place: Place) -> str:
    """What a message calls a file."""
    if isinstance(place, (str, os.PathLike)):
        return os.fspath(place)
    name = getattr(place, "name", None)
    return name if isinstance(name, str) else f"a {type(place).__name__}"


def suffix_of(place: Place) -> str:
    """The end of a path that says a format; nothing for an open file."""
    return PurePath(place).suffix.lower() if isinstance(place, (str, os.PathLike)) else ""


def renamed(place: Place, suffix: str) -> str:
    """A path with the suffix of a format, in place of that of another."""
    name, own = os.fspath(place), suffix_of(place)
    is_format = own in _FORMATS or own in TEXTS
    return (name[: -len(own)] if is_format else name) + suffix


def check_is_text(function: str, place: Place) -> None:
    """A name that says another format would lie about what is in the file."""
    if suffix_of(place) in _FORMATS:
        problem = f"{function} writes text, but {os.fspath(place)!r} is the name of another format"
        name = os.fspath(place)[: -len(suffix_of(place))]
        name += "" if name.lower().endswith(TEXTS) else ".csv"
        archive = ", or call dimflow.save" if suffix_of(place) == ".npz" else ""
        raise UnitError(problem, f"name it {name!r}{archive}")


@contextmanager
def writing(place: Place, *, overwrite: bool = True) -> Iterator[BinaryIO]:
    """A binary file to write to. A path is replaced when all is written, or left as it was."""
    if not isinstance(place, (str, os.PathLike)):
        _ask_for_bytes(place, "write")
        yield place
        return
    path = Path(place).resolve()  # a link stays a link
    if not overwrite and path.exists():
        raise FileExistsError(f"{path} exists, and overwrite=False")
    if path.exists() and not path.is_file():  # a pipe or a device cannot be replaced
        with path.open("wb") as file:
            yield file
        return
    draft = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}.tmp")
    try:
        with draft.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def reading(place: Place) -> Iterator[BinaryIO]:
    """A binary file to read from; one that was open before stays open."""
    if isinstance(place, (str, os.PathLike)):
        with Path(place).open("rb") as file:
            yield file
        return
    _ask_for_bytes(place, "read")
    yield place


def text(place: Place, encoding: str | None, max_bytes: int) -> str:
    """All text of a file. Without an encoding it is UTF-8, or what a byte order mark says."""
    if isinstance(place, TextIOBase):
        found = place.read(max_bytes + 1)
        _ask_for_size(place, len(found), max_bytes)
        return found.removeprefix("\ufeff")
    with reading(place) as file:
        data = file.read(max_bytes + 1)
    _ask_for_size(place, len(data), max_bytes)
    if encoding is None:
        encoding = "utf-16" if data[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) else "utf-8"
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        problem = f"byte {error.start:,} is no {encoding} text"
        raise FileFormatError(name_of(place), problem, "say which: encoding='latin-1'") from None


def write_text(place: Place, content: str, encoding: str, *, overwrite: bool = True) -> None:
    """Write text to a path or a file, opened for text or for bytes."""
    if isinstance(place, TextIOBase):
        place.write(content)
        return
    data = content.encode(encoding)
    with writing(place, overwrite=overwrite) as file:
        file.write(data)


def _ask_for_size(place: Place, length: int, limit: int) -> None:
    if length > limit:
        hint = "if that is meant, allow more: max_bytes=..."
        raise FileFormatError(name_of(place), f"it is longer than {limit:,} bytes", hint)


def _ask_for_bytes(file: Any, method: str) -> None:
    if not hasattr(file, method):
        raise TypeError(f"a path or a binary file is needed, but got {type(file).__name__}")
    if isinstance(file, TextIOBase):
        raise TypeError(f"{name_of(file)} is open for text: open it for bytes, with mode 'b'")
