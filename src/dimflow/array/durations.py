"""Durations say their unit themselves: Python's and pandas' timedelta, NumPy's timedelta64."""

from datetime import timedelta
from typing import Any, Final

import numpy as np

from dimflow.errors import UnitError
from dimflow.units.tables import builtin

SECOND: Final = builtin.parse("s")  # whatever a scope makes of the name
_UNLIKE = ("Y", "M", "generic")  # years and months differ in length


def is_duration(value: Any) -> bool:
    """Whether this is a duration, or an array of them, also of pandas or xarray."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    return kind == "m" or isinstance(value, timedelta)


def seconds(durations: Any) -> Any:
    """The numbers of seconds; NaT, a missing duration, is nan."""
    if isinstance(durations, timedelta):
        return durations.total_seconds()
    found = np.asarray(durations)[()]
    if np.datetime_data(found.dtype)[0] in _UNLIKE:
        raise UnitError(f"{found.dtype} is no duration of a fixed length")
    return found / np.timedelta64(1, "s")
