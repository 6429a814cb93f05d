"""Stacks of `.npy` files: one for each block along an axis, and what they are in a JSON file.

Dask keeps a pickle named `info` beside its stacks. It is neither read nor written here: the headers
of the files say all that it says, but for the axis.
"""

import json
import os
import re
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np

from dimflow.dask.storage.drafts import FolderDraft, done_before
from dimflow.dask.storage.sources import (
    NUMBERS,
    Source,
    ask_for_plain_numbers,
    lazily,
    plain_block,
    refuse_own_source,
    stamp,
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

    __slots__ = ("_layout", "_written")

    def __init__(self, path: Path, record: dict[str, Any], written: Any) -> None:
        found = _mapped(path)
        super().__init__(str(path), found.shape, found.dtype, attrs=record.get("attributes"))
        self._layout = _layout(record)
        self._written = written

    def read(self, key: Any) -> Any:
        """A part of the file, after a look whether it is the one that was there before."""
        path = Path(self.place)
        self._ask_for_the_same_stack(path.parent)
        found = _mapped(path)
        self.ask_for_the_same_layout(found.shape, found.dtype)
        return np.array(found[key])

    def _ask_for_the_same_stack(self, folder: Path) -> None:
        """An error if the files are of another stack: it is looked at if it was written anew."""
        written = stamp(folder / HEADER)
        if written == self._written:
            return
        record = _record(folder)
        self.ask_for_the_same_meaning(record.get("attributes", {}))
        if _layout(record) != self._layout:
            now, was = _layout(record), self._layout
            problem = f"its axis and count of files are {now} now, and were {was}"
            raise FileFormatError(str(folder), problem, "open it again")
        self._written = written

    def is_at(self, place: str) -> bool:
        """A file of the stack in a folder."""
        return Path(self.place).parent.resolve() == Path(place).resolve()


class StackDraft(FolderDraft):
    """A folder beside that of a stack, whose JSON file comes last."""

    __slots__ = ("_overwrite", "_record")

    def __init__(self, folder: Path, record: dict[str, Any], overwrite: bool) -> None:
        super().__init__(folder.resolve())
        self._record = json.dumps(record, indent=1)
        self._overwrite = overwrite

    def __call__(self) -> None:
        """Put the stack where it belongs, if there is still nothing but a stack."""
        _ask_whether_free(Path(self.final), self._overwrite)
        if Path(self.path).is_dir():
            Path(self.path, HEADER).write_text(self._record, "utf-8")
        super().__call__()


def _layout(record: dict[str, Any]) -> tuple[Any, Any]:
    return record.get("axis"), record.get("blocks")


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
    written = stamp(folder / HEADER)
    record = _record(folder)
    count = record.get("blocks", len(_numbers(folder)))
    if not count:
        raise FileFormatError(str(folder), "there is no stack of .npy files in it")
    sources = [NpySource(folder / f"{i}.npy", record, written) for i in range(count)]
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
    record = {
        "format": FORMAT,
        "axis": axis,
        "blocks": len(lengths),
        "attributes": with_encoding({}, x.unit),
    }
    _ask_whether_free(folder, overwrite)
    draft = StackDraft(folder, record, overwrite)
    Path(draft.path).mkdir(parents=True)
    blocks = raw.to_delayed().ravel().tolist()
    save = dask.delayed(_save, pure=False)
    tasks = [save(draft.path, i, block) for i, block in enumerate(blocks)]
    return done_after(tasks, draft, compute, progress, options)


def _save(folder: str, number: int, block: Any) -> None:
    if not Path(folder).is_dir():
        raise done_before(folder)
    np.save(Path(folder, f"{number}.npy"), plain_block(block), allow_pickle=False)


def _ask_whether_free(folder: Path, overwrite: bool) -> None:
    """An error unless there is no folder, an empty one, or a stack that may be replaced."""
    files = list(folder.iterdir()) if folder.exists() else []
    if not files:
        return
    if not overwrite:
        raise FileExistsError(f"{folder} is not empty, and overwrite=False")
    strange = [p.name for p in files if p.name not in (HEADER, "info") and not _is_block(p)]
    if strange:
        raise FileExistsError(f"{folder} holds more than a stack of .npy files: {strange[0]!r}")


def _is_block(path: Path) -> bool:
    return path.is_file() and _BLOCK.fullmatch(path.name) is not None
