"""Functions of Dask's that take a lazy array for a plain one, and would lose its unit.

They were imported before dimflow put its own in their places, and they do not convert what they are
given, but read the keys of its blocks. All of them ask the array for its layers in the end, by
`HighLevelGraph.from_collections`.
"""

import sys
from typing import Any

_BLIND = ("dask.array.", "dask.dataframe.")
_GRAPHS = "dask.highlevelgraph"


def refuse_blind(array: Any) -> None:
    """An error for an array with a unit, where Dask's own functions of plain arrays ask."""
    frame = sys._getframe(1).f_back  # who called the array's method
    while frame is not None and frame.f_globals.get("__name__") == _GRAPHS:
        frame = frame.f_back
    caller = "" if frame is None else str(frame.f_globals.get("__name__", ""))
    if caller.startswith(_BLIND):
        array._pure(f"a function of {caller}, which does not know units,")


def refuse_blind_conversion(array: Any) -> None:
    """The same where Dask's own code makes an array of NumPy's kind of it: `plain[x]`."""
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith("dimflow."):
        frame = frame.f_back
    caller = str(frame.f_globals.get("__name__", ""))
    if caller.startswith(_BLIND):
        array._pure(f"a function of {caller}, which does not know units,")
