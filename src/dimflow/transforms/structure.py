"""Functions of one value, applied to every value in tuples, lists, dicts and dataclasses."""

import copy
import dataclasses
from collections.abc import Callable, MutableMapping
from typing import Any

from dimflow.array.dimarray import DimArray

Function = Callable[[Any, str], Any]  # of a leaf and its path

# Who else knows which fields of an object are data: their names, or None where it does not know.
registries: list[Callable[[Any], list[str] | None]] = []


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
        fixed = static_fields(value)
        for field in dataclasses.fields(value):
            is_text = field.type in (str, "str")  # a name or a label, and no spec
            if hasattr(value, field.name) and not is_text and field.name not in fixed:
                new = mapped(getattr(value, field.name), function, f"{path}.{field.name}")
                object.__setattr__(changed, field.name, new)  # frozen ones too
        return changed
    return function(value, path)


def static_fields(value: Any) -> set[str]:
    """The fields of a dataclass that are declared to be no data, and so are the same in any result.

    They are marked `static`, as for JAX and Equinox, or registered to be part of the structure.
    """
    fields = dataclasses.fields(value)
    found = {field.name for field in fields if field.metadata.get("static")}
    for data in (of(value) for of in registries):
        found |= set() if data is None else {field.name for field in fields} - {*data}
    return found
