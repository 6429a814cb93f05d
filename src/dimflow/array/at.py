"""Functional updates, as JAX writes them: `x.at[key].set(y)` is a new array, on every library."""

from typing import Any

from dimflow import ops
from dimflow.array.core import Core
from dimflow.array.indexing import raw_key


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

    def get(self) -> Any:
        """The elements."""
        return ops.getitem(self._array, self._key)

    def set(self, values: Any) -> Any:
        """The array with other elements there."""
        return ops.at_set(self._array, self._key, values)

    def add(self, values: Any) -> Any:
        """The array with values added there; places given twice get both."""
        return ops.at_add(self._array, self._key, values)

    def max(self, values: Any) -> Any:
        """The array with the larger values there."""
        return ops.at_max(self._array, self._key, values)

    def min(self, values: Any) -> Any:
        """The array with the smaller values there."""
        return ops.at_min(self._array, self._key, values)
