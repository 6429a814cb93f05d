"""Dask's own functions, whatever stands in their places for arrays with units."""

from collections.abc import Callable
from itertools import chain
from typing import Any

import dask.array as da

from dimflow.dask.host.patches import original_of


def dasks(name: str) -> Callable[..., Any]:
    """Dask's function of that name, for the kind of array that Dask is set to make."""
    found = getattr(da, name)
    return original_of(found) or found  # type: ignore[no-any-return]


def unified(raws: list[Any], indices: list[Any]) -> tuple[dict[Any, Any], list[Any]]:
    """Blocks by the names of axes, and arrays that are cut alike along each."""
    found: dict[Any, Any] = {}
    is_alike = True
    for raw, index in zip(raws, indices, strict=True):
        for lengths, name in zip(raw.chunks, index, strict=True) if index is not None else ():
            is_alike &= found.setdefault(name, lengths) == lengths
    if is_alike:
        return found, raws
    pairs = chain.from_iterable(zip(raws, indices, strict=True))
    chunkss, arrays = dasks("unify_chunks")(*pairs, warn=False)
    return dict(chunkss), list(arrays)
