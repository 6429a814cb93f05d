"""Operators and NumPy's ufuncs on columns. Units follow the table; pandas aligns and wraps."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from dimflow.array import DimArray
from dimflow.array.core import Core
from dimflow.array.guests import rounding
from dimflow.pandas.reading import has_unit, is_missing, quantities, unboxed
from dimflow.units import Unit

_SENIOR = (pd.Series, pd.Index, pd.DataFrame)


def operand(value: Any) -> Any:
    """What stands beside a column, as dimflow takes it."""
    value = unboxed(value)
    if is_missing(value):
        return np.nan
    if isinstance(value, (Core, Unit)) or has_unit(value):
        return value
    if isinstance(value, (list, tuple, range, pd.api.extensions.ExtensionArray)) or (
        isinstance(value, np.ndarray) and value.ndim and value.dtype.kind in "Om"
    ):
        found = quantities(value)
        return np.nan if np.isnan(found.data).all() else found  # of any unit
    return value


class Arithmetic:
    """Each operator is that of the array with units."""

    _quantities: DimArray
    _of: Any

    def _operate(self, function: Callable[..., Any], other: Any, *, swapped: bool = False) -> Any:
        if isinstance(other, _SENIOR):
            return NotImplemented
        ours, theirs = self._quantities, operand(other)
        if theirs is NotImplemented:
            return NotImplemented
        if getattr(theirs, "ndim", 0) == 1 and len(theirs) != len(ours):
            raise ValueError(f"Lengths must match: {len(ours)} and {len(theirs)}")
        with np.errstate(all="ignore"):  # as pandas has it
            result = function(theirs, ours) if swapped else function(ours, theirs)
        return self._boxed(result)

    def _boxed(self, result: Any) -> Any:
        """Columns of arrays with one axis; masks and numbers as pandas has them."""
        if isinstance(result, tuple):
            return tuple(self._boxed(part) for part in result)
        if isinstance(result, DimArray) and result.dtype == bool:
            return result.data
        if isinstance(result, DimArray) and result.ndim == 1:
            return self._of(quantities(result))
        return result

    def __neg__(self) -> Any:
        return self._of(-self._quantities)

    def __pos__(self) -> Any:
        return self._of(+self._quantities)

    def __abs__(self) -> Any:
        return self._of(abs(self._quantities))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """NumPy's ufuncs on columns: np.sqrt(column)."""
        if any(isinstance(value, _SENIOR) for value in inputs):
            return NotImplemented
        if method == "reduce" and len(inputs) == 1:
            name = {"add": "sum", "maximum": "max", "minimum": "min", "multiply": "prod"}
            if ufunc.__name__ in name:
                skipna = kwargs.get("skipna", False)
                return self._reduce(name[ufunc.__name__], skipna=skipna)  # type: ignore[attr-defined]
        arrays = [operand(value) for value in inputs]
        if "out" in kwargs:
            kwargs["out"] = tuple(unboxed(target) for target in kwargs["out"])
        with np.errstate(all="ignore"), rounding("series"):
            result = getattr(ufunc, method)(*arrays, **kwargs)
        return self._boxed(result)


def _method(function: Callable[..., Any], swapped: bool = False) -> Any:
    def method(self: Arithmetic, other: Any) -> Any:
        return self._operate(function, other, swapped=swapped)

    return method


_ARITHMETIC = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "divmod": divmod,
}
for _name, _function in _ARITHMETIC.items():
    setattr(Arithmetic, f"__{_name}__", _method(_function))
    setattr(Arithmetic, f"__r{_name}__", _method(_function, swapped=True))
for _name in ("lt", "le", "eq", "ne", "gt", "ge"):
    setattr(Arithmetic, f"__{_name}__", _method(getattr(operator, _name)))
