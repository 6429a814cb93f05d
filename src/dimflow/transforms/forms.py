"""Forms: what a structure of arrays looks like, to take many of the same form apart quickly.

`structure.mapped` walks over the same structures; it asks anew what each of them is.
"""

import copy
import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any, NoReturn

from dimflow.errors import StructureMismatch
from dimflow.transforms.structure import static_fields

Fail = Callable[[str, str, Any], NoReturn]  # path, what was wanted, what came


class Form(ABC):
    """What a structure looks like; its text is for messages."""

    __slots__ = ()

    @abstractmethod
    def put(self, leaves: Iterator[Any]) -> Any:
        """A structure of this form, with these in the places of arrays."""

    @abstractmethod
    def take(self, value: Any, found: list[Any], path: str, fail: Fail) -> None:
        """Add the arrays of a structure of this form to those found; fail for any other form."""

    @abstractmethod
    def paths(self, path: str) -> list[str]:
        """Where each array stands: `state['x'][2]`."""


class Leaf(Form):
    """One array, or a number."""

    __slots__ = ()

    def put(self, leaves: Iterator[Any]) -> Any:
        """The next one."""
        return next(leaves)

    def take(self, value: Any, found: list[Any], path: str, fail: Fail) -> None:
        """Anything that is no container; whether it is an array is for others to say."""
        if value is None or isinstance(value, (tuple, list, MutableMapping)):
            fail(path, str(self), value)
        found.append(value)

    def paths(self, path: str) -> list[str]:
        """One."""
        return [path]

    def __str__(self) -> str:
        return "an array"


class Constant(Form):
    """Something that is no array, and stays what it is: None, a text in a dataclass."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def put(self, leaves: Iterator[Any]) -> Any:  # noqa: ARG002
        """Itself."""
        return self.value

    def take(self, value: Any, found: list[Any], path: str, fail: Fail) -> None:  # noqa: ARG002
        """There is no array here, and the value must be the same."""
        if value is not self.value and (hasattr(value, "dtype") or value != self.value):
            fail(path, str(self), value)

    def paths(self, path: str) -> list[str]:  # noqa: ARG002
        """None."""
        return []

    def __str__(self) -> str:
        return repr(self.value)


class _Container(Form):
    """Parts by key, which a path shows in its own way."""

    __slots__ = ("keys", "kind", "parts")

    def __init__(self, kind: type, keys: tuple[Any, ...], parts: tuple[Form, ...]) -> None:
        self.kind = kind
        self.keys = keys
        self.parts = parts

    def below(self, path: str, key: Any) -> str:
        """The path of a part."""
        return f"{path}[{key!r}]"

    def paths(self, path: str) -> list[str]:
        """Those of all parts."""
        pairs = zip(self.keys, self.parts, strict=True)
        return [found for key, part in pairs for found in part.paths(self.below(path, key))]

    def _inside(self, values: Any, found: list[Any], path: str, fail: Fail) -> None:
        for key, part, value in zip(self.keys, self.parts, values, strict=True):
            if type(part) is Leaf and hasattr(value, "dtype"):
                found.append(value)
            else:
                part.take(value, found, self.below(path, key), fail)


class Series(_Container):
    """A tuple or a list, of a length; named tuples too."""

    __slots__ = ()

    def is_flat(self) -> bool:
        """Whether this is a plain tuple or list of nothing but arrays."""
        return self.kind in (tuple, list) and all(part is ARRAY for part in self.parts)

    def below(self, path: str, key: Any) -> str:
        """The path of a part, by its name if it has one."""
        return f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}"

    def put(self, leaves: Iterator[Any]) -> Any:
        """A tuple or list of the same class."""
        parts = [part.put(leaves) for part in self.parts]
        return self.kind._make(parts) if hasattr(self.kind, "_make") else self.kind(parts)

    def take(self, value: Any, found: list[Any], path: str, fail: Fail) -> None:
        """Of the same class and length."""
        is_same: Any = type(value) is self.kind
        if not is_same or len(value) != len(self.parts):
            fail(path, str(self), value)
        self._inside(value, found, path, fail)

    def __str__(self) -> str:
        texts = ", ".join(map(str, self.parts))
        if self.kind is list:
            return f"[{texts}]"
        return f"({texts}{',' if len(self.parts) == 1 else ''})"


class Table(_Container):
    """A dict, or another mutable mapping."""

    __slots__ = ("template",)

    def __init__(self, template: Any, parts: tuple[Form, ...]) -> None:
        super().__init__(type(template), tuple(template), parts)
        self.template = None if type(template) is dict else copy.copy(template)

    def put(self, leaves: Iterator[Any]) -> Any:
        """A mapping of the same class, with the same keys."""
        parts = [part.put(leaves) for part in self.parts]
        pairs = zip(self.keys, parts, strict=True)
        if self.template is None:
            return dict(pairs)
        made = copy.copy(self.template)
        for key, part in pairs:
            made[key] = part
        return made

    def take(self, value: Any, found: list[Any], path: str, fail: Fail) -> None:
        """With the same keys, in any order."""
        is_same: Any = type(value) is self.kind
        if not is_same or value.keys() != {*self.keys}:
            fail(path, str(self), value)
        self._inside([value[key] for key in self.keys], found, path, fail)

    def __str__(self) -> str:
        pairs = zip(self.keys, self.parts, strict=True)
        return "{" + ", ".join(f"{key!r}: {part}" for key, part in pairs) + "}"


class Record(_Container):
    """A dataclass."""

    __slots__ = ("template",)

    def __init__(self, template: Any, keys: tuple[str, ...], parts: tuple[Form, ...]) -> None:
        super().__init__(type(template), keys, parts)
        self.template = template

    def below(self, path: str, key: Any) -> str:
        """The path of a field."""
        return f"{path}.{key}"

    def put(self, leaves: Iterator[Any]) -> Any:
        """A copy with other fields."""
        made = copy.copy(self.template)
        for key, part in zip(self.keys, self.parts, strict=True):
            object.__setattr__(made, key, part.put(leaves))  # frozen ones too
        return made

    def take(self, value: Any, found: list[Any], path: str, fail: Fail) -> None:
        """Of the same class."""
        if type(value) is not self.kind:
            fail(path, str(self), value)
        self._inside([getattr(value, key) for key in self.keys], found, path, fail)

    def __str__(self) -> str:
        pairs = zip(self.keys, self.parts, strict=True)
        return f"{self.kind.__name__}({', '.join(f'{key}={part}' for key, part in pairs)})"


ARRAY = Leaf()


def form_of(value: Any, keep: bool = False) -> Form:
    """The form of a structure. With `keep`, what is neither array nor number stays as it is."""
    if hasattr(value, "dtype"):
        return ARRAY
    if value is None or isinstance(value, str):
        return Constant(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return Series(type(value), value._fields, _forms(value, keep))
    if type(value) in (tuple, list):
        return Series(type(value), tuple(range(len(value))), _forms(value, keep))
    if isinstance(value, MutableMapping):
        return Table(value, _forms(value.values(), keep))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        keys = tuple(f.name for f in dataclasses.fields(value) if hasattr(value, f.name))
        fixed = static_fields(value)
        parts = [
            Constant(part) if key in fixed else form_of(part, keep)
            for key, part in ((key, getattr(value, key)) for key in keys)
        ]
        return Record(value, keys, tuple(parts))
    if keep and not isinstance(value, (bool, int, float, complex)):
        return Constant(value)
    return ARRAY


def _forms(values: Any, keep: bool) -> tuple[Form, ...]:
    return tuple(form_of(value, keep) for value in values)


def parts_of(form: Form, value: Any, path: str, fail: Fail) -> list[Any]:
    """The arrays of a structure, which must be of this form."""
    if form is ARRAY and hasattr(value, "dtype"):
        return [value]
    found: list[Any] = []
    form.take(value, found, path, fail)
    return found


def other_form(operation: str, origin: str) -> Fail:
    """Raises for a structure that is of another form than that of `origin`."""

    def fail(path: str, wanted: str, value: Any) -> NoReturn:
        what = f"{wanted}, as {origin} has it"
        raise StructureMismatch(f"{operation}, for {path},", what, str(form_of(value)))

    return fail
