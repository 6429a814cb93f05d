"""Whether a value is what an annotation asks for, and the value as the function should get it."""

import copy
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any, NamedTuple

from dimflow.array import DimArray
from dimflow.array.dimarray import wrap
from dimflow.array.interpreter import lifted
from dimflow.errors import (
    AnnotationError,
    DimensionError,
    DimflowError,
    NotANumber,
    ShapeMismatch,
    UnitError,
)
from dimflow.ops.rules.units import BARE, PURE
from dimflow.transforms.annotations import Choice, Container, Quantity, Wish, shown
from dimflow.transforms.spec import Length
from dimflow.units import Unit
from dimflow.units.alike import are_alike, is_number
from dimflow.units.conversion import cannot_convert

Names = dict[str, int]  # lengths that were given a name, in this call
Accept = Callable[[Any, Names], Any]


class Options(NamedTuple):
    """How strictly values are taken."""

    convert: bool = True
    strict: bool = False
    plain: bool = False


class Place(NamedTuple):
    """What is being checked, for messages: an argument of a function, or its "return"."""

    function: str
    argument: str

    def error(self, wanted: Any, actual: str, hint: str | None = None) -> AnnotationError:
        """What is wrong here."""
        return AnnotationError(self.function, self.argument, str(wanted), actual, hint)


def acceptor(wish: Wish, place: Place, options: Options) -> Accept:
    """A function that gives the value as asked for, or raises."""
    if isinstance(wish, Choice):
        return _one_of(wish, place, options)
    if isinstance(wish, Container):
        return _each_of(wish, place, options)
    if options.plain and wish.unit is None:
        raise UnitError(
            f"{place.function} takes plain numbers, so {place.argument!r} needs a unit, not {wish}",
            'annotate it with a unit: "kg"',
        )
    return _quantity(wish, place, options)


def quick_test(wish: Wish, options: Options) -> tuple[str, Any] | None:
    """A field of a DimArray, and the object it must be for the array to pass as it is."""
    if not isinstance(wish, Quantity) or options.plain:
        return None
    if wish.dimension is None or wish.lengths is not None or wish.dtype is not None:
        return None
    if wish.unit is None:
        return "_unit.dimension", wish.dimension
    return "_unit", wish.unit


def is_shaped(wish: Wish) -> bool:
    """Whether lengths are asked for anywhere."""
    if isinstance(wish, Quantity):
        return wish.lengths is not None
    parts = wish.quantities if isinstance(wish, Choice) else wish.items
    return any(part is not None and is_shaped(part) for part in parts)


def _quantity(wish: Quantity, place: Place, options: Options) -> Accept:
    def accept(value: Any, names: Names) -> Any:
        if value is NotImplemented and place.argument == "return":
            return value  # of an operator, for Python
        array = _lifted(value, wish, place, options)
        if wish.dimension is not None:
            array = _in_unit(array, wish, place, options)
        _check_form(array, wish, place, names)
        return _plain(array) if options.plain and place.argument != "return" else array

    return accept


def _lifted(value: Any, wish: Quantity, place: Place, options: Options) -> DimArray:
    """Anything with a unit as a DimArray; numbers without one only where they mean something."""
    if isinstance(value, DimArray) and value._unit is not BARE:
        return value
    if value is None or isinstance(value, Unit):
        hint = None if value is None else f"give a number of them: 1 * Unit({str(value)!r})"
        raise place.error(wish, repr(value), hint)
    try:
        raw, unit = lifted(value)
    except NotANumber:
        raise place.error(wish, f"{_described(value)} {value!r:.60}") from None
    array = DimArray(raw, unit if isinstance(unit, Unit) else PURE)
    if array._unit.key is PURE.key and options.plain and place.argument == "return":
        assert wish.unit is not None
        return wrap(array._raw, wish.unit)
    if array._unit.key is not PURE.key or wish.dimension is None:
        return array
    if wish.dimension.is_dimensionless and (wish.unit is None or is_number(wish.unit)):
        return array
    unit_text = "..." if wish.unit is None else repr(str(wish.unit))
    example = f"x * Unit({unit_text})"
    raise place.error(wish, f"{_described(value)} without a unit", f"give it one: {example}")


def _in_unit(array: DimArray, wish: Quantity, place: Place, options: Options) -> DimArray:
    """The array in the unit that is wanted, if one is."""
    unit, given = wish.unit, array._unit
    if given is unit:
        return array
    is_exact = unit is None or given.key is unit.key
    if options.strict and given.dimension is wish.dimension and not is_exact:
        hint = f"nothing is converted here: x.to({str(unit)!r})"
        raise place.error(wish, _shown_unit(given), hint)
    if unit is None or not options.convert:
        if given.dimension is not wish.dimension:
            raise place.error(wish, _shown_unit(given), _factor(wish, given, place))
        return array
    try:
        if not are_alike(given, unit):
            raise cannot_convert(given, unit)
        return array.to(unit, copy=False)
    except DimensionError as error:
        raise place.error(
            wish, _shown_unit(given), error.hint or _factor(wish, given, place)
        ) from None
    except DimflowError as error:
        error.add_note(f"for {place.argument!r} of {place.function}")
        raise


def _factor(wish: Quantity, given: Unit, place: Place) -> str | None:
    """What a wrong result lacks."""
    assert wish.dimension is not None
    missing = wish.dimension / given.dimension
    is_likely = place.argument == "return" and missing.name
    return f"a factor of {missing.formula} is missing" if is_likely else None


def _check_form(array: DimArray, wish: Quantity, place: Place, names: Names) -> None:
    if wish.dtype is not None and array.dtype != wish.dtype:
        raise place.error(wish, f"{_shown_unit(array._unit)}, {array.dtype}")
    if wish.lengths is not None and not _matches(wish.lengths, array.shape, names):
        known = ", ".join(f"{name} = {n}" for name, n in names.items())
        hint = f"{known} by other arguments" if known else None
        operation = f"{place.function} ({place.argument})"
        raise ShapeMismatch(operation, shown(wish.lengths), shown(array.shape), hint)


def _matches(lengths: tuple[Length, ...], shape: tuple[Any, ...], names: Names) -> bool:
    """Whether a shape is as asked for; lengths that have a name are the same everywhere."""
    if "..." in lengths:
        place = lengths.index("...")
        missing = len(shape) - len(lengths) + 1
        if missing < 0:
            return False
        lengths = (*lengths[:place], *([None] * missing), *lengths[place + 1 :])
    if len(lengths) != len(shape):
        return False
    found = dict(names)
    for wanted, n in zip(lengths, shape, strict=True):
        if wanted is None or n is None:
            continue
        expected = found.setdefault(wanted, n) if isinstance(wanted, str) else wanted
        if expected != n:
            return False
    names.update(found)
    return True


def _plain(array: DimArray) -> Any:
    """The raw numbers; one of them as a scalar."""
    raw = array.data
    return raw[()] if getattr(raw, "shape", None) == () else raw


def _one_of(wish: Choice, place: Place, options: Options) -> Accept:
    accepts = [acceptor(q, place, options) for q in wish.quantities]
    others = (*wish.others, int) if float in wish.others else wish.others  # as type checkers do

    def accept(value: Any, names: Names) -> Any:
        passes = isinstance(value, others)
        if passes and not isinstance(value, DimArray):
            return value
        for i, try_one in enumerate(accepts, 1):
            try:
                return try_one(value, names)
            except DimflowError:
                if i == len(accepts) and not passes:
                    raise
        return value

    return accept


def _each_of(wish: Container, place: Place, options: Options) -> Accept:
    accepts = [
        None if item is None else acceptor(item, _inside(place, i, wish), options)
        for i, item in enumerate(wish.items)
    ]

    def accept(value: Any, names: Names) -> Any:
        if wish.is_mapping:
            (one,) = accepts
            if not isinstance(value, Mapping) or one is None:
                raise place.error("a dict", _described(value))
            changed: Any = copy.copy(value) if isinstance(value, MutableMapping) else dict(value)
            changed.update({key: one(v, names) for key, v in value.items()})
            return changed
        if not isinstance(value, (tuple, list)):
            raise place.error("a tuple or list", _described(value))
        each = accepts * len(value) if wish.is_repeated else accepts
        if len(each) != len(value):
            raise place.error(f"{len(each)} values", f"{len(value)} values")
        taken = [v if a is None else a(v, names) for v, a in zip(value, each, strict=True)]
        return type(value)._make(taken) if hasattr(value, "_make") else type(value)(taken)

    return accept


def _inside(place: Place, index: int, wish: Container) -> Place:
    if wish.is_repeated or place.argument == "return":
        return place
    return Place(place.function, f"{place.argument}[{index}]")


def _shown_unit(unit: Unit) -> str:
    return f"{str(unit) or '1'} {unit.dimension}"


def _described(value: Any) -> str:
    if isinstance(value, (int, float, complex)):
        return f"the number {value!r}"
    return f"{'an' if type(value).__name__[0] in 'aeiou' else 'a'} {type(value).__name__}"
