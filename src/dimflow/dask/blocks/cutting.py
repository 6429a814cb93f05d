"""Arrays cut alike, so that their blocks meet."""

from itertools import chain
from typing import Any

from dimflow.backends.dask_blocks.pairing import refuse_pairs
from dimflow.dask.host.patches import own


def unified(raws: list[Any], indices: list[Any]) -> tuple[dict[Any, Any], list[Any]]:
    """Blocks by the names of axes, and arrays that are cut alike along each."""
    found: dict[Any, Any] = {}
    is_alike = True
    for raw, index in zip(raws, indices, strict=True):
        for lengths, name in zip(raw.chunks, index, strict=True) if index is not None else ():
            is_alike &= found.setdefault(name, lengths) == lengths
    if is_alike:
        return found, raws
    named = [(raw, index) for raw, index in zip(raws, indices, strict=True) if index is not None]
    refuse_pairs("blockwise", [raw for raw, _ in named], [index for _, index in named])
    pairs = chain.from_iterable(zip(raws, indices, strict=True))
    chunkss, arrays = own("unify_chunks")(*pairs, warn=False)
    return dict(chunkss), list(arrays)
