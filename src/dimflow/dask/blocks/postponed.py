"""Functions that are called later, whole arrays and all, with units that are checked."""

from collections.abc import Callable
from typing import Any

import dask

from dimflow.array.conversion import as_unit
from dimflow.array.dimarray import wrap
from dimflow.dask.blocks.call import OfFunction
from dimflow.dask.blocks.planning import in_declared
from dimflow.dask.blocks.settling import described, taken_apart
from dimflow.errors import NotANumber
from dimflow.units import Unit


def delayed(func: Callable[..., Any] | None = None, *, unit: Any = None, **options: Any) -> Any:
    """A function whose calls wait to be computed; it gets DimArrays, and gives one in `unit`.

        @delayed(unit="Pa")
        def pressure(density, height): ...

    What it gives is converted into `unit`, or taken for numbers in it; another dimension is an
    error when it is computed. Without a unit this is `dask.delayed`, which knows units of itself:
    lazy arrays come as DimArrays. All else is for that. `DaskDimArray.from_delayed` makes an array
    of what is delayed.
    """
    if func is None:
        return lambda function: delayed(function, unit=unit, **options)
    if unit is None:
        return dask.delayed(func, **options)
    return dask.delayed(Checked(func, as_unit(unit)), **{"name": None, **options})


class Checked(OfFunction):
    """A function whose result is in a unit that was declared."""

    __slots__ = ("unit",)

    def __init__(self, function: Callable[..., Any], unit: Unit) -> None:
        super().__init__(function)
        self.unit = unit

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result in the unit."""
        operation = f"delayed {self.__name__}"
        result = self.function(*args, **kwargs)
        found = taken_apart(result)
        if found is None:
            raise NotANumber(f"the result of {operation}", described(result))
        return wrap(in_declared(operation, *found, self.unit), self.unit)
