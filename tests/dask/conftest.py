"""What tests of lazy arrays need: a scheduler that nothing may reach, and one that counts."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dask
import pytest
from dask.callbacks import Callback


class Early(AssertionError):
    """A task ran while a program was being built."""


def _refuse(graph: Any, keys: Any, **kwargs: Any) -> Any:
    raise Early(f"computed while building: {keys!r:.200}")


@contextmanager
def nothing_runs() -> Iterator[None]:
    """Within the `with` block every computation is an error."""
    with dask.config.set(scheduler=_refuse):
        yield


class Counted(Callback):
    """Counts the tasks that run within the `with` block, on Dask's local schedulers."""

    def __init__(self) -> None:
        super().__init__(pretask=self._count)
        self.tasks = 0

    def _count(self, key: Any, graph: Any, state: Any) -> None:
        self.tasks += 1


@pytest.fixture
def lazy() -> Iterator[None]:
    """The whole test builds, and computes nothing."""
    with nothing_runs():
        yield


@pytest.fixture(autouse=True)
def _in_this_thread() -> Iterator[None]:
    """Small arrays compute soonest without threads; a test may choose another scheduler."""
    with dask.config.set(scheduler="sync"):
        yield
