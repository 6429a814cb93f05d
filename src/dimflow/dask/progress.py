"""A bar for long computations: Dask's own, here or on a cluster."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def shown(wanted: bool) -> Iterator[None]:
    """Show how far what is computed within the `with` block has come, if that is wanted."""
    if not wanted:
        yield
        return
    from dask.diagnostics import ProgressBar

    with ProgressBar():
        yield
