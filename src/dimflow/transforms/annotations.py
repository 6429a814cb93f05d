"""What annotations ask for: units, dimensions, shapes, read from types, objects and texts."""

import __future__

import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final, ForwardRef, NamedTuple, Union

import numpy as np

from dimflow.array import DimArray
from dimflow.errors import UnitError, UnitParseError
from dimflow.transforms.spec import Length, bracketed_dimension, split_spec
from dimflow.units import Dimension, Unit

_UNDEFINED: Final = object()
_INVALID: Final = object()
_CONTAINERS = (tuple, list, dict, Sequence, Mapping)


class Quantity(NamedTuple):
    """An array of a dimension (None: any), in a unit if there is one, of a dtype and a shape."""

    dimension: Dimension | None
    unit: Unit | None = None
    dtype: np.dtype[Any] | None = None
    lengths: tuple[Length, ...] | None = None

    def __str__(self) -> str:
        if self.unit is not None:
            what = f"{str(self.unit) or '1'} {self.dimension}"
        else:
            what = "any unit" if self.dimension is None else str(self.dimension)
        if self.dtype is not None:
            what += f", {self.dtype}"
        if self.lengths is not None:
            what += f", shape {shown(self.lengths)}"
        return what


class Choice(NamedTuple):
    """One of several quantities, or of other classes: `Mass | None`."""

    quantities: tuple["Wish", ...]
    others: tuple[type, ...]


class Container(NamedTuple):
    """A tuple of quantities (one for each place, or one for all), a list, or a dict's values."""

    items: tuple["Wish | None", ...]
    is_repeated: bool = True
    is_mapping: bool = False


Wish = Quantity | Choice | Container


class Unresolved(Exception):
    """A name in an annotation is not defined yet."""


def shown(lengths: Sequence[Length]) -> str:
    """Lengths as a spec has them."""
    return "[" + ", ".join("?" if n is None else str(n) for n in lengths) + "]"


def annotations_of(function: Callable[..., Any], local: dict[str, Any]) -> dict[str, "Wish | None"]:
    """What each parameter, and "return", asks for; None where dimflow has nothing to check.

    Texts are read as Python where they name a type and as a unit otherwise, so that both `"m/s"`
    and postponed annotations work. `local` are names that the function's module does not have.
    """
    closure = {
        name: cell.cell_contents
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        )
        if cell != types.CellType()  # an empty one
    }
    owners = function.__qualname__.rpartition("<locals>.")[2].split(".")[:-1]
    scope = {**dict.fromkeys(owners, _Owner), **function.__globals__, **local, **closure}
    is_postponed = function.__code__.co_flags & __future__.annotations.compiler_flag
    return {
        name: _of_source(a, scope) if is_postponed and isinstance(a, str) else read(a, scope)
        for name, a in function.__annotations__.items()
    }


class _Owner:
    """Stands for the class of a method, which is not made yet when the method is decorated."""


def read(annotation: Any, scope: dict[str, Any]) -> Wish | None:
    """What one annotation asks for."""
    if isinstance(annotation, Unit):
        return Quantity(annotation.dimension, annotation)
    if isinstance(annotation, Dimension):
        return Quantity(annotation)
    if isinstance(annotation, ForwardRef):
        annotation = annotation.__forward_arg__
    if isinstance(annotation, str):
        return _of_text(annotation, scope)
    origin = typing.get_origin(annotation)
    if origin is Annotated:
        return _annotated(annotation, scope)
    if origin is Union or origin is types.UnionType:
        return _union(annotation, scope)
    parts = [] if origin is typing.Literal else _parts(annotation, scope)
    if not any(parts):
        return None
    if origin is None or not issubclass(origin, _CONTAINERS):
        raise UnitError(
            f"units inside of {annotation} cannot be checked",
            "tuple, list, dict, Sequence and Mapping of quantities can",
        )
    if issubclass(origin, tuple) and typing.get_args(annotation)[-1] is not Ellipsis:
        return Container(tuple(parts), is_repeated=False)
    if not issubclass(origin, Mapping):
        return Container((parts[0],))
    if parts[0] is not None:
        raise UnitError(f"the keys of {annotation} cannot be quantities")
    return Container((parts[-1],), is_mapping=True)


def _parts(annotation: Any, scope: dict[str, Any]) -> list[Wish | None]:
    parts = []
    for part in typing.get_args(annotation):
        is_readable = not isinstance(part, list) and part is not Ellipsis
        parts.append(read(part, scope) if is_readable else None)
    return parts


def _annotated(annotation: Any, scope: dict[str, Any]) -> Wish | None:
    """`Annotated[DimArray, "m/s", "[n, 3]"]`: what any of the metadata says."""
    base, *metadata = typing.get_args(annotation)
    found = Quantity(None)
    is_ours = False
    for item in metadata:
        if isinstance(item, Unit):
            part = Quantity(item.dimension, item)
        elif isinstance(item, Dimension):
            part = Quantity(item)
        elif isinstance(item, str) and (base is DimArray or _is_spec(item)):
            part = quantity_of_text(item, shape_alone=True)
        else:
            continue  # other libraries keep their metadata there too
        if None not in (part.dimension, found.dimension) and part.dimension != found.dimension:
            raise UnitError(f"{annotation} says {found} and {part}, which differ")
        is_ours = True
        stated = {k: v for k, v in part._asdict().items() if v is not None}
        found = found._replace(**stated)
    return found if is_ours else read(base, scope)


def _is_spec(text: str) -> bool:
    try:
        split_spec(text)
    except UnitError:
        return False
    return True


def _union(annotation: Any, scope: dict[str, Any]) -> Wish | None:
    quantities: list[Wish] = []
    others: list[type] = []
    for part in typing.get_args(annotation):
        wish = read(part, scope)
        if wish is not None:
            quantities.append(wish)
        else:
            origin = typing.get_origin(part) or part
            others.append(origin if isinstance(origin, type) else object)
    return Choice(tuple(quantities), tuple(others)) if quantities else None


def quantity_of_text(text: str, *, shape_alone: bool = False) -> Quantity:
    """A unit, a dimension in brackets, or a spec: 'm/s', '[speed]', 'm/s:float32[n, 3]'.

    Lengths alone stand for pure numbers, unless `shape_alone`.
    """
    dimension = bracketed_dimension(text)
    if dimension is not None:
        return Quantity(dimension)
    unit, dtype, lengths = split_spec(text)
    if unit is None and not shape_alone:
        unit = Unit("")
    return Quantity(None if unit is None else unit.dimension, unit, dtype, lengths)


def _of_source(source: str, scope: dict[str, Any]) -> Wish | None:
    """A postponed annotation: Python that has not run yet."""
    try:
        value = eval(source, dict(scope))
    except NameError:
        value = _named_type(source)
        if value is None:
            raise Unresolved(source) from None
    return read(value, scope)


def _of_text(text: str, scope: dict[str, Any]) -> Wish | None:
    """A text in quotes: the name of a class, or a unit, whatever variables have that name."""
    value = _evaluated(text, scope)
    if isinstance(value, type) or typing.get_origin(value) is not None:
        return read(value, scope)
    try:
        return quantity_of_text(text)
    except UnitParseError:
        if isinstance(value, str) and value != text:  # of a dataclass with postponed annotations
            return _of_text(value, scope)
        if value is None or isinstance(value, (Unit, Dimension)):
            return read(value, scope)
        if value is not _UNDEFINED or not _is_python(text):
            raise
        named = _named_type(text)
        if named is None:
            raise Unresolved(text) from None
        return read(named, scope)


def _evaluated(text: str, scope: dict[str, Any]) -> Any:
    """The value of a text as Python; _UNDEFINED, or _INVALID where it is none."""
    try:
        return eval(text, dict(scope))  # the text is the function's own source
    except NameError:
        return _UNDEFINED
    except Exception:
        return _INVALID


def _is_python(text: str) -> bool:
    """Whether a text can be the name of a type that is defined later."""
    return all(part.isidentifier() for part in text.replace("|", ".").replace(" ", "").split("."))


def _named_type(text: str) -> Any:
    """The dimension type of a name that was imported for type checkers only."""
    from dimflow import typing as dimension_types

    found = getattr(dimension_types, text, None)
    return found if typing.get_origin(found) is Annotated else None


def is_generator(function: Callable[..., Any]) -> bool:
    """Whether a call gives an iterator of results."""
    return inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
