"""Stacks of `.npy` files: one for each block along an axis, and what they are in a JSON file.

Dask keeps a pickle named `info` beside its stacks. It is neither read nor written here: the headers
of the files say all that it says, but for the axis.
"""

import json
import os
import re
from functools import partial
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np

from dimflow.dask.storage.sources import (
    NUMBERS,
    Source,
    ask_for_plain_numbers,
    lazily,
    plain_block,
    refuse_own_source,
    with_its_unit,
)
from dimflow.dask.storage.targets import done_after
from dimflow.errors import FileFormatError
from dimflow.io.attributes import with_encoding

FORMAT = "dimflow.npy-stack/1"
HEADER = "dimflow.json"
_MAX_HEADER = 1 << 20
_BLOCK = re.compile(r"(0|[1-9][0-9]{0,8})\.npy")


class NpySource(Source):
    """One file of a stack."""

    __slots__ = ()

    def __init__(self, path: Path) -> None:
        found = _mapped(path)
        super().__init__(str(path), found.shape, found.dtype)

    def read(self, key: Any) -> Any:
        """A part of the file, after a look whether it is the one that was there before."""
        found = _mapped(Path(self.place))
        self.ask_for_the_same(found.shape, found.dtype)
        return np.array(found[key])

    def is_at(self, place: str) -> bool:
        """A file of the stack in a folder."""
        return Path(self.place).parent.resolve() == Path(place).resolve()


def _mapped(path: Path) -> Any:
    """The numbers in a file, which NumPy would else unpickle if it is told to."""
    try:
        with path.open("rb") as file:
            version = np.lib.format.read_magic(file)
            reader = np.lib.format.read_array_header_1_0
            reader = reader if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, is_fortran, dtype = reader(file)
            offset = file.tell()
        if dtype.kind not in NUMBERS:
            raise ValueError(f"it holds no numbers, but {dtype!s:.60}")
        if 0 in shape:
            return np.empty(shape, dtype)
        return np.memmap(path, dtype, "r", offset, shape, "F" if is_fortran else "C")
    except FileNotFoundError:
        raise FileFormatError(str(path), "the file is missing") from None
    except (ValueError, TypeError, EOFError, OverflowError, SyntaxError, RecursionError) as error:
        raise FileFormatError(str(path), f"{error!s:.200}") from None


def read_npy_stack(cls: Any, dirname: Any, unit: Any, axis: int | None) -> Any:
    """A stack as a lazy array with its unit; `axis` is for stacks that say none."""
    folder = Path(os.fspath(dirname)).absolute()
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {folder}")
    record = _record(folder)
    count = record.get("blocks", len(_numbers(folder)))
    if not count:
        raise FileFormatError(str(folder), "there is no stack of .npy files in it")
    sources = [NpySource(folder / f"{i}.npy") for i in range(count)]
    along = _axis(folder, record.get("axis", 0 if axis is None else axis), sources)
    blocks = [lazily(source, -1, "from-npy-stack") for source in sources]
    raw = da.concatenate(blocks, axis=along) if sources[0].ndim else blocks[0]
    return with_its_unit(cls, raw, record.get("attributes", {}), unit, str(folder))


def _record(folder: Path) -> dict[str, Any]:
    """What the JSON file says; nothing for a stack of Dask's."""
    path = folder / HEADER
    if not path.exists():
        return {}
    if path.stat().st_size > _MAX_HEADER:
        raise FileFormatError(str(path), "it is too long")
    try:
        record = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError):
        raise FileFormatError(str(path), "it is no JSON") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise FileFormatError(str(path), f"it is not of the format {FORMAT!r}")
    numbers = record.get("axis"), record.get("blocks")
    is_right = isinstance(record.get("attributes"), dict)
    if not is_right or any(type(n) is not int or not 0 <= n < 10**8 for n in numbers):
        raise FileFormatError(str(path), "it lacks axis, blocks or attributes")
    return record


def _numbers(folder: Path) -> list[int]:
    """The numbers of the files, none of which is left out."""
    found = sorted(int(m[1]) for p in folder.iterdir() if (m := _BLOCK.fullmatch(p.name)))
    lost = next((i for i, n in enumerate(found) if i != n), None)
    if lost is not None:
        raise FileFormatError(str(folder / f"{lost}.npy"), "the file is missing")
    return found


def _axis(folder: Path, axis: int, sources: list[NpySource]) -> int:
    """The axis along which all files fit together."""
    first = sources[0]
    if first.ndim and not -first.ndim <= axis < first.ndim:
        raise FileFormatError(str(folder), f"there is no axis {axis} in {first.shape}")
    axis = axis % first.ndim if first.ndim else 0
    for source in sources:
        others = _without(source.shape, axis), source.dtype
        if others != (_without(first.shape, axis), first.dtype):
            problem = (
                f"{source.dtype} of shape {source.shape} does not fit "
                f"{first.dtype} of shape {first.shape} along axis {axis}"
            )
            raise FileFormatError(source.place, problem, "another axis? axis=1")
    return axis


def _without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return shape[:axis] + shape[axis + 1 :]


def write_npy_stack(
    x: Any,
    dirname: Any,
    axis: int,
    *,
    overwrite: bool,
    compute: bool,
    progress: bool,
    options: dict[str, Any],
) -> Any:
    """Write a file for each block along an axis; the JSON file comes last."""
    folder = Path(os.fspath(dirname)).absolute()
    raw = x.data
    ask_for_plain_numbers(raw, "to_npy_stack")
    refuse_own_source(raw, str(folder))
    axis = np.lib.array_utils.normalize_axis_index(axis, raw.ndim) if raw.ndim else 0
    raw = raw.rechunk({i: -1 for i in range(raw.ndim) if i != axis})
    lengths = raw.chunks[axis] if raw.ndim else (1,)
    _clear(folder, overwrite)
    record = {
        "format": FORMAT,
        "axis": axis,
        "blocks": len(lengths),
        "attributes": with_encoding({}, x.unit),
    }
    finish = partial(_write_record, str(folder / HEADER), json.dumps(record, indent=1))
    blocks = raw.to_delayed().ravel().tolist()
    save = dask.delayed(_save, pure=False)
    tasks = [save(str(folder / f"{i}.npy"), block) for i, block in enumerate(blocks)]
    return done_after(tasks, finish, compute, progress, options)


def _save(path: str, block: Any) -> None:
    np.save(path, plain_block(block), allow_pickle=False)


def _write_record(path: str, text: str) -> None:
    Path(path).write_text(text, "utf-8")


def _clear(folder: Path, overwrite: bool) -> None:
    """A folder for the files: a new or empty one, or that of a stack that may be replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    files = list(folder.iterdir())
    if not files:
        return
    if not overwrite:
        raise FileExistsError(f"{folder} is not empty, and overwrite=False")
    strange = [p.name for p in files if p.name not in (HEADER, "info") and not _is_block(p)]
    if strange:
        raise FileExistsError(f"{folder} holds more than a stack of .npy files: {strange[0]!r}")
    for path in files:
        path.unlink()


def _is_block(path: Path) -> bool:
    return path.is_file() and _BLOCK.fullmatch(path.name) is not None
