"""What is written beside the numbers that it replaces: they stay until all of it is there."""

import re
import secrets
import shutil
from abc import ABC, abstractmethod
from pathlib import Path

from dimflow.errors import UnitError

_NAME = re.compile(r"\..*\.[0-9a-f]{16}\.tmp")


class Draft(ABC):
    """Numbers that are being written. It is called once they all are, wherever that task runs."""

    __slots__ = ()

    @abstractmethod
    def __call__(self) -> None:
        """Put it where it belongs, in the place of what is there."""

    @abstractmethod
    def remove(self) -> None:
        """Leave no trace of it, and what is there alone."""


class FolderDraft(Draft):
    """A folder beside another, which takes its place."""

    __slots__ = ("final", "path")

    def __init__(self, final: Path) -> None:
        self.final = str(final)
        self.path = str(final.with_name(draft_name(final.name)))

    def __call__(self) -> None:
        """Two folders cannot change names in one step: one that is killed between leaves both."""
        new, final, old = Path(self.path), Path(self.final), Path(f"{self.path}.old")
        if not new.is_dir():
            raise done_before(self.final)
        if not final.exists():
            new.rename(final)
            return
        shutil.copymode(final, new)
        final.rename(old)
        try:
            new.rename(final)
        except OSError:
            old.rename(final)
            raise
        shutil.rmtree(old)

    def remove(self) -> None:
        """Leave what is there alone."""
        shutil.rmtree(self.path, ignore_errors=True)


def draft_name(name: str) -> str:
    """A name that nobody has: hidden, and such that it is seen whose it is."""
    return f".{name[:100]}.{secrets.token_hex(8)}.tmp"


def is_draft_name(name: str) -> bool:
    """Whether it is a name of a draft, of whomever it is."""
    return _NAME.fullmatch(name) is not None


def done_before(place: str) -> UnitError:
    """The error of a Delayed that is computed a second time, or after it was given up."""
    problem = f"{place} was written already, or given up, and its draft is gone"
    return UnitError(problem, "plan it again: x.to_zarr(...), x.to_hdf5(...)")
