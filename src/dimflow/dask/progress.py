"""A bar for long computations, here or on a cluster."""

import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dask
from dask.base import get_scheduler
from dask.core import flatten


@contextmanager
def shown(wanted: bool, scheduler: Any = None) -> Iterator[Any]:
    """Show how far what is computed within the `with` block has come, if that is wanted.

    Gives the scheduler to use, which is that of Dask's configuration within the block too.
    """
    if not wanted:
        yield scheduler
        return
    client = client_of(scheduler)
    if client is None:
        from dask.diagnostics import ProgressBar

        with ProgressBar():
            yield scheduler
        return
    watched = _Watched(client)
    with dask.config.set(scheduler=watched):
        yield watched


def client_of(scheduler: Any = None) -> Any:
    """The client of the cluster on which Dask would compute now; None if it computes here."""
    distributed: Any = sys.modules.get("distributed")  # who has a client has imported it
    found = get_scheduler(scheduler=scheduler)
    owner = found.__self__ if inspect.ismethod(found) else None
    return owner if distributed is not None and isinstance(owner, distributed.Client) else None


class _Watched:
    """A client's own way to compute, with a bar while the tasks run."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def __call__(self, graph: Any, keys: Any, **options: Any) -> Any:
        futures = self.client.get(graph, keys, sync=False, **options)
        watch(list(flatten([futures])))
        try:
            return self.client.gather(futures)
        finally:
            for future in flatten([futures]):
                future.release()

    def __reduce__(self) -> tuple[Any, ...]:
        # Dask's configuration, where this stands meanwhile, goes to workers that start anew.
        return str, ("distributed",)


def watch(futures: Any) -> None:
    """Show a bar until futures of a cluster are done, or one has failed."""
    from distributed.diagnostics.progressbar import TextProgressBar

    class Bar(TextProgressBar):  # type: ignore[misc]
        """One that stays when it is full, as the bar of Dask's own schedulers does."""

        def _draw_stop(self, **state: Any) -> None:
            sys.stdout.write("\n")
            sys.stdout.flush()

    if futures:
        Bar(futures)
