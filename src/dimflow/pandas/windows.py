"""Window: rolling, expanding and weighted windows over a column, whose summaries have units."""

from collections.abc import Callable
from typing import Any

from dimflow.pandas.column import DimExtensionArray


class Window:
    """A window of pandas over the plain numbers of a column.

    It has the methods of pandas' own whose unit is known: mean, sum, std, var, min, max, median,
    quantile, sem, and count, skew, kurt and rank, which are plain numbers.
    """

    def __init__(self, column: DimExtensionArray, window: Any) -> None:
        self._column = column
        self._window = window

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        method = getattr(self._window, name)
        unit = self._column._unit_of(name)

        def summary(*args: Any, **options: Any) -> Any:
            found = method(*args, **options)
            if unit is None:
                return found
            column = DimExtensionArray(found.to_numpy(), unit)
            return found._constructor(column, index=found.index, name=found.name, copy=False)

        return summary
