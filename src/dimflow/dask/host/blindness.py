"""Functions of Dask's that take a lazy array for a plain one, and would lose its unit.

They were imported before dimflow put its own in their places, and they do not convert what they are
given. They read the keys of its blocks, and ask it for its layers in the end, by
`HighLevelGraph.from_collections`; or they index a plain array by it (`plain[x]`). Others ask the
same and know what they do (dask.delayed, xarray, dask.graph_manipulation), so who it is that asks
decides. No operation and no computation asks, so that the look at the caller costs these nothing.
"""

import sys
from typing import Any

_BLIND = ("dask.array.", "dask.dataframe.")
_BETWEEN = ("dimflow.", "dask.highlevelgraph")


def refuse_blind(array: Any) -> None:
    """An error for an array with a unit, where Dask's own functions of plain arrays ask for it."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _module(frame).startswith(_BETWEEN):
        frame = frame.f_back
    caller = _module(frame)
    if caller.startswith(_BLIND):
        array._pure(f"a function of {caller}, which does not know units,")


def _module(frame: Any) -> str:
    return str(frame.f_globals.get("__name__", ""))
