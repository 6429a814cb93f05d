"""Functional updates, as JAX writes them: `x.at[key].set(y)` is a new array, on every library."""

from collections.abc import Callable
from typing import Any

from dimflow import ops
from dimflow.array.core import Core
from dimflow.array.indexing import raw_key
from dimflow.errors import UnitError

_PROMISES = frozenset(("indices_are_sorted", "unique_indices"))


class At:
    """What `x.at` is: it waits for a key."""

    __slots__ = ("_array",)

    def __init__(self, array: Core) -> None:
        self._array = array

    def __getitem__(self, key: Any) -> "Place":
        return Place(self._array, raw_key(key))


class Place:
    """Some elements of an array. What is put there is converted into the array's unit."""

    __slots__ = ("_array", "_key")

    def __init__(self, array: Core, key: Any) -> None:
        self._array = array
        self._key = key

    def __getattr__(self, name: str) -> Any:
        problem = f"x.at[key] has get, set, add, subtract, max and min, and no {name}"
        raise AttributeError(f"{problem}: x.at[key].set(f(x[key]))", name=name, obj=self)

    def get(self) -> Any:
        """The elements."""
        return ops.getitem(self._array, self._key)

    def set(self, values: Any, **options: Any) -> Any:
        """The array with other elements there."""
        return self._with(ops.at_set, "set", values, options)

    def add(self, values: Any, **options: Any) -> Any:
        """The array with values added there; places given twice get both."""
        return self._with(ops.at_add, "add", values, options)

    def subtract(self, values: Any, **options: Any) -> Any:
        """The array less values there; places given twice lose both."""
        return self._with(_subtracted, "subtract", values, options)

    def max(self, values: Any, **options: Any) -> Any:
        """The array with the larger values there."""
        return self._with(ops.at_max, "max", values, options)

    def min(self, values: Any, **options: Any) -> Any:
        """The array with the smaller values there."""
        return self._with(ops.at_min, "min", values, options)

    def _with(self, op: Callable[..., Any], name: str, values: Any, options: dict[str, Any]) -> Any:
        for option in options.keys() - _PROMISES:
            problem = f"x.at[key].{name} takes no {option}: keys are those of x[key]"
            raise UnitError(problem, "leave it out, and choose keys within the array")
        try:
            return op(self._array, self._key, values)
        except UnitError as error:
            error.of_call(f"x.at[key].{name}")
            raise


def _subtracted(array: Any, key: Any, values: Any) -> Any:
    """Less is more of the opposite: of 3 dB too, which as a ratio has no negative."""
    if isinstance(values, Core):
        return ops.at_add(array, key, values._like(ops.negative(values._raw), values._unit))
    return ops.at_add(array, key, ops.negative(values))
