"""Functions of one value, applied to every value in tuples, lists, dicts and dataclasses."""

import copy
import dataclasses
from collections.abc import Callable, MutableMapping
from typing import Any

from dimflow.array.dimarray import DimArray

Function = Callable[[Any, str], Any]  # of a leaf and its path


def mapped(value: Any, function: Function, path: str = "") -> Any:
    """The same structure with `function(leaf, path)` for every leaf; nothing is changed in place.

    A path reads like Python: `state.position[2]`. What has a dtype is a leaf.
    """
    kind = type(value)
    if kind is tuple or kind is list:
        return kind([mapped(v, function, f"{path}[{i}]") for i, v in enumerate(value)])
    if isinstance(value, DimArray) or hasattr(value, "dtype"):
        return function(value, path)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        parts = zip(value._fields, value, strict=True)
        return type(value)._make(mapped(v, function, f"{path}.{name}") for name, v in parts)  # type: ignore[attr-defined]
    if isinstance(value, MutableMapping):
        result = copy.copy(value)
        for key, v in value.items():
            result[key] = mapped(v, function, f"{path}[{key!r}]")
        return result
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        changed: Any = copy.copy(value)
        for field in dataclasses.fields(value):
            is_text = field.type in (str, "str")  # a name or a label, and no spec
            if hasattr(value, field.name) and not is_text:
                new = mapped(getattr(value, field.name), function, f"{path}.{field.name}")
                object.__setattr__(changed, field.name, new)  # frozen ones too
        return changed
    return function(value, path)
