"""Files that are read where a task runs: by their path, or by a URL of fsspec's."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dimflow.errors import BackendNotInstalled, FileFormatError, UnitError

Options = Mapping[str, Any] | None


def name_of_file(path: Any, options: Options = None) -> str:
    """A URL as it is, all else as a path that holds in any folder."""
    name = os.fspath(path)
    if is_url(name):
        return str(name)
    if options:
        raise UnitError(f"{name} is a local path, which takes no storage_options")
    return str(Path(str(name).removeprefix("file://")).absolute())


def is_url(name: Any) -> bool:
    """Whether fsspec is asked for a file; `file://` alone is a path."""
    return isinstance(name, str) and "://" in name and not name.startswith("file://")


@contextmanager
def readable(name: str, options: Options) -> Iterator[Any]:
    """What h5py opens: a path, or a file that is opened for bytes."""
    if not is_url(name):
        yield name
        return
    with opener(name)(name, "rb", **(options or {})) as file:
        yield file


def first_bytes(name: str, options: Options, count: int) -> bytes:
    """How a file begins."""
    with readable(name, options) as place:
        if place is not name:
            return bytes(place.read(count))
        with Path(name).open("rb") as file:
            return file.read(count)


def opener(name: str) -> Any:
    """fsspec's `open` for a URL, if what that needs is installed."""
    try:
        import fsspec
    except ImportError:
        raise BackendNotInstalled("fsspec", "pip install fsspec") from None
    for part in name.split("::"):
        protocol = part.partition("://")[0]
        try:
            fsspec.get_filesystem_class(protocol)
        except ImportError as error:
            raise needs_package(name, protocol) from error
        except ValueError as error:
            raise UnitError(f"cannot open {name}: {error!s:.200}") from error
    return fsspec.open


def needs_package(name: str, protocol: str) -> BackendNotInstalled:
    """The error for a protocol whose library is not there."""
    try:
        from fsspec.registry import known_implementations
    except ImportError:
        known_implementations = {}
    known = {"http": "aiohttp", "https": "aiohttp"}  # what fsspec's own class imports
    path = known_implementations.get(protocol, {}).get("class", "fsspec")
    needed = known.get(protocol) or str(path).partition(".")[0]
    return BackendNotInstalled(needed, f"{name} needs it: pip install {needed}")


def mappable(name: str, options: Options) -> str:
    """The path of a file that can be mapped to memory: one that fsspec keeps a copy of, too."""
    if not is_url(name):
        return name
    opener(name)
    import fsspec

    try:
        return str(fsspec.open_local(name, **(options or {})))
    except ValueError:
        problem = "netCDF 3 is read from a file of this machine alone"
        raise FileFormatError(name, problem, f"let a copy be made: 'simplecache::{name}'") from None
