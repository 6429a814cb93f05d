"""Slots: places in a structure of arrays, each with a unit, a shape and a dtype to keep to.

A loop's carry comes back in the form in which it went in, and two branches give the same: arrays
are converted into the unit of the slot, as in an assignment, or an error names the place.
"""

from collections.abc import Sequence
from math import isfinite
from typing import Any

from dimflow.array.dimarray import DimArray
from dimflow.autodiff import innermost
from dimflow.backends import Backend, backend, backend_of
from dimflow.backends.abstract import Abstract
from dimflow.constants.constant import Constant as Physical
from dimflow.errors import (
    DimensionError,
    DtypeMismatch,
    NotANumber,
    ShapeMismatch,
    StructureMismatch,
    UnitError,
)
from dimflow.ops.dispatch import interpreter_of
from dimflow.ops.rules.convert import checked_converter
from dimflow.ops.rules.dtypes import kind, kind_of, named
from dimflow.ops.rules.units import BARE, PURE
from dimflow.transforms.calls import labelled
from dimflow.transforms.forms import ARRAY, Form, Series, form_of, other_form, parts_of
from dimflow.units import Unit
from dimflow.units.alike import are_alike

_NUMBERS = frozenset((bool, int, float, complex))
_ORDER = "biufc"
_CLASSES: dict[str, Any] = {"f": float, "c": complex}
EXACT = ("numpy", "abstract")  # those whose dtypes the table's rules foretell


class Slot:
    """What one array must be, to stand where another stood."""

    __slots__ = (
        *("dtype", "is_any_unit", "is_bare", "is_exact", "is_weak"),
        *("kind", "library", "path", "shape", "unit"),
    )

    def __init__(self, path: str, raw: Any, unit: Unit, library: Backend) -> None:
        inner = innermost(raw)
        self.path = path
        self.unit = unit
        self.shape = tuple(raw.shape)
        self.dtype = raw.dtype
        self.library = library if isinstance(inner, Abstract) else backend_of(inner)
        self.is_exact = self.library.name in EXACT
        self.is_bare = False  # a raw array, and so is what belongs there
        self.is_weak = False  # a number, which adapts to the dtype of what comes in its place
        self.is_any_unit = False  # a 0 in a result, which adapts to the unit of other results
        self.kind = "b"  # that of the dtype which a number adapts to, as far as it is known

    def abstract(self) -> Any:
        """A value of this unit, shape and dtype, without data."""
        dtype = float if self.dtype is None else named(self.dtype)
        return Abstract(self.shape, dtype)

    def labelled(self, raw: Any) -> Any:
        """A raw array as users see it. What a trace follows needs our functions, so our class."""
        return labelled(raw, self.unit, self.is_bare)


class Slots:
    """All arrays of a structure."""

    def __init__(self, operation: str, origin: str, form: Form, slots: list[Slot]) -> None:
        self.operation = operation
        self.origin = origin  # what it is called in messages: init, true_fn()
        self.form = form
        self.slots = slots
        self.fail = other_form(operation, origin)
        # most often there is no structure, or a tuple of arrays
        self._only = slots[0] if form is ARRAY else None
        self._flat = form.kind if isinstance(form, Series) and form.is_flat() else None

    def put(self, raws: Sequence[Any]) -> Any:
        """The structure with raw arrays in it, as users see them."""
        if self._only is not None:
            return self._only.labelled(raws[0])
        leaves = [slot.labelled(raw) for slot, raw in zip(self.slots, raws, strict=True)]
        return self.form.put(iter(leaves)) if self._flat is None else self._flat(leaves)

    def abstract(self) -> list[Any]:
        """A value without data for each."""
        return [slot.abstract() for slot in self.slots]

    def take(self, value: Any, called: str) -> list[Any]:
        """The raw arrays of another structure, in the units of this one; an error for what differs.

        `called` is what messages call it.
        """
        if self._only is not None and isinstance(value, DimArray):
            return [self._fitted(self._only, value, called)]
        parts = parts_of(self.form, value, called, self.fail)
        return [self._fitted(s, p, called) for s, p in zip(self.slots, parts, strict=True)]

    def _fitted(self, slot: Slot, value: Any, called: str) -> Any:
        if isinstance(value, DimArray):
            raw, unit = value._raw, value._unit
            if unit is not slot.unit:
                raw = self._converted(slot, raw, unit, called)
        else:
            raw = self._without_unit(slot, value, called)
            if not hasattr(raw, "dtype"):
                raw = self._number(slot, raw, called)
        shape = raw.shape
        if shape != slot.shape:
            self._check_shape(slot, tuple(shape), called)
        if raw.dtype is not slot.dtype and not slot.is_weak:
            self._check_dtype(slot, raw, called)
        return raw

    def _converted(self, slot: Slot, raw: Any, unit: Unit, called: str) -> Any:
        if slot.is_any_unit:
            slot.unit, slot.is_any_unit, slot.is_bare = unit, False, False
            return raw
        if not are_alike(unit, slot.unit):
            raise self._dimension_error(slot, unit, called)
        try:
            convert = checked_converter(unit, slot.unit)
        except UnitError as error:
            error.add_note(f"for {called}{slot.path} of {self.operation}")
            raise
        return raw if convert is None else convert(raw)

    def _dimension_error(self, slot: Slot, unit: Unit, called: str) -> DimensionError:
        hint = None
        if slot.is_bare:
            hint = f"{self.origin}{slot.path} needs a unit too: 1.0 * Unit({str(unit)!r})"
        names = f"{self.origin}{slot.path}", f"{called}{slot.path}"
        return DimensionError(self.operation, slot.unit, unit, hint, names)

    def _without_unit(self, slot: Slot, value: Any, called: str) -> Any:
        """A raw array or a number: a pure one, or 0, which stands for itself in any unit."""
        if _has_unit(value):
            value = DimArray(value)
            return self._converted(slot, value._raw, value._unit, called)
        if type(value) not in _NUMBERS and not _is_raw(value):
            what = f"{type(value).__name__} {value!r:.40}"
            raise StructureMismatch(f"{self.operation}, for {called}{slot.path},", "an array", what)
        if slot.unit.key is PURE.key or (_stands_for_itself(value) and slot.unit.law is None):
            return value
        return self._converted(slot, value, PURE, called)

    def _number(self, slot: Slot, value: Any, called: str) -> Any:
        """A bare number as an array of the slot's dtype, if that holds it."""
        if slot.is_weak:
            if _ORDER.index(slot.kind) > _ORDER.index(kind_of(value)):
                value = _CLASSES.get(slot.kind, int)(value)
            return slot.library.asarray(value)
        if _ORDER.index(kind_of(value)) > _ORDER.index(kind(slot.dtype)):
            raise self._dtype_error(slot, type(value).__name__, called)
        return slot.library.asarray(value, dtype=slot.dtype)

    def _check_shape(self, slot: Slot, shape: tuple[Any, ...], called: str) -> None:
        pairs = zip(shape, slot.shape, strict=False)
        if len(shape) == len(slot.shape) and all(n == m or None in (n, m) for n, m in pairs):
            return  # some libraries have a class for shapes, and lengths may be unknown
        wanted = f"{slot.shape}, as {self.origin}{slot.path} has it"
        raise ShapeMismatch(f"{self.operation}, for {called}{slot.path},", wanted, shape)

    def _check_dtype(self, slot: Slot, raw: Any, called: str) -> None:
        inner = innermost(raw)
        if isinstance(inner, Abstract):
            if not slot.is_exact:
                return  # the library may promote otherwise: its own first step will tell
        elif interpreter_of(type(inner)) is not slot.library:
            return  # numbers of NumPy's that met arrays of another library
        if named(raw.dtype) != named(slot.dtype):
            raise self._dtype_error(slot, str(raw.dtype), called)

    def _dtype_error(self, slot: Slot, actual: str, called: str) -> DtypeMismatch:
        where = f"{self.origin}{slot.path}"
        wanted = f"{slot.dtype}, as {where} has it"
        name = actual.rpartition(".")[2]
        hint = f"begin with the dtype that comes out: dimflow.astype({where}, {name!r})"
        if self.origin.endswith(")"):
            name = str(slot.dtype).rpartition(".")[2]
            hint = f"convert one of them: dimflow.astype(x, {name!r})"
        return DtypeMismatch(f"{self.operation}, for {called}{slot.path},", wanted, actual, hint)


class Outcome:
    """What a function gives: the first result that is seen is what all others must be like."""

    def __init__(self, operation: str, library: Backend, *, is_loose: bool) -> None:
        self.operation = operation
        self.library = library
        self.is_loose = is_loose  # whether dtypes may differ, since they are joined after
        self.slots: Slots | None = None

    def take(self, value: Any, called: str) -> list[Any]:
        """The raw arrays of a result, as the first one has them."""
        if self.slots is None:
            raws, self.slots = taken(self.operation, called, value, self.library, is_result=True)
            for slot, raw in zip(self.slots.slots, raws, strict=True):
                is_guess = isinstance(innermost(raw), Abstract) and not slot.is_exact
                slot.is_weak |= self.is_loose or is_guess
            return raws
        if not self.is_loose:
            self._settle(value, called)
        return self.slots.take(value, called)

    def has_numbers(self) -> bool:
        """Whether the first result has bare numbers, which adapt to what others give instead."""
        return self.slots is not None and any(slot.is_weak for slot in self.slots.slots)

    def _settle(self, value: Any, called: str) -> None:
        """Numbers adapt to the arrays that the others give in their place."""
        if self.slots is None or not self.has_numbers():
            return
        parts = parts_of(self.slots.form, value, called, self.slots.fail)
        for slot, part in zip(self.slots.slots, parts, strict=True):
            raw = part._raw if isinstance(part, DimArray) else part
            if not slot.is_weak or not hasattr(raw, "dtype"):
                continue
            if slot.is_exact or not isinstance(innermost(raw), Abstract):
                slot.is_weak, slot.dtype = False, raw.dtype
            slot.kind = max(slot.kind, kind_of(raw), key=_ORDER.index)

    def put(self, raws: Sequence[Any]) -> Any:
        """The result that the raw arrays make."""
        return None if self.slots is None else self.slots.put(raws)


def taken(
    operation: str,
    origin: str,
    value: Any,
    library: Backend,
    *,
    keep: bool = False,
    is_result: bool = False,
) -> tuple[list[Any], Slots]:
    """The raw arrays of a structure, and the slots that they stand in."""
    form = form_of(value, keep)
    paths = form.paths("")
    parts = parts_of(form, value, origin, other_form(operation, origin))
    raws, slots = [], []
    for path, part in zip(paths, parts, strict=True):
        if _has_unit(part):
            part = DimArray(part)
        is_number = type(part) in _NUMBERS
        if isinstance(part, DimArray):
            raw, unit = part._raw, part._unit
        elif is_number or _is_raw(part):
            raw, unit = part, PURE
        else:
            what = f"{type(part).__name__} {part!r:.40}"
            raise NotANumber(f"{operation}, for {origin}{path},", what)
        if not hasattr(raw, "dtype"):  # a count beside lazy arrays is a number all the same
            raw = (backend("numpy") if library.is_lazy else library).asarray(raw)
        slot = Slot(path, raw, unit, library)
        slot.is_bare = not isinstance(part, DimArray) or unit is BARE
        slot.is_weak = is_number
        slot.is_any_unit = is_result and is_number and _stands_for_itself(part)
        raws.append(raw)
        slots.append(slot)
    return raws, Slots(operation, origin, form, slots)


def _has_unit(value: Any) -> bool:
    """Whether this is a constant of nature, or an array of another library with units."""
    if isinstance(value, DimArray):
        return False
    return isinstance(value, Physical) or hasattr(value, "unit") or hasattr(value, "units")


def _is_raw(value: Any) -> bool:
    if not hasattr(value, "dtype"):
        return False
    try:
        return isinstance(interpreter_of(type(value)), Backend)
    except UnitError:
        return False


def _stands_for_itself(value: Any) -> bool:
    """Whether this is 0, ±inf or nan: the same in any unit."""
    is_real = type(value) in (int, float)
    return is_real and (value == 0 or not isfinite(value))
