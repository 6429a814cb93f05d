"""Errors about units, their dimensions and their texts."""

from collections.abc import Callable, Sequence
from typing import Any

from dimflow.errors.root import DimflowError, UnitError
from dimflow.errors.texts import did_you_mean, hinted, missing_factor, pointed, shown, sides


class NotANumber(UnitError, TypeError):
    """A value that should have been a number, or an array of numbers, is neither."""

    def __init__(self, operation: str, actual: str, hint: str | None = None) -> None:
        DimflowError.__init__(self, operation, actual, hint)
        self.operation = operation
        self.actual = actual
        self.problem = f"{operation} needs a number, but got {actual}"
        self.hint = hint


class UnitRangeError(UnitError):
    """An exponent, a scale or a text is beyond what dimflow computes exactly."""


class PointError(UnitError):
    """A point on a scale (20 °C, 3 dBm) stands where only a difference or a ratio has a meaning."""

    def __init__(self, operation: str, unit: Any, hint: str | None = None) -> None:
        DimflowError.__init__(self, operation, unit, hint)
        self.operation = operation
        self.unit = unit
        self.hint = hint

    def _text(self) -> str:
        return f"{self.operation} has no meaning for points in {self.unit}" + hinted(self.hint)


class DimensionError(UnitError, TypeError):
    """Two units that had to be of one dimension are not."""

    def __init__(
        self,
        operation: str,
        left: Any,
        right: Any,
        hint: str | None = None,
        names: tuple[str, str] = ("left", "right"),
    ) -> None:
        DimflowError.__init__(self, operation, left, right, hint, names)
        self.operation = operation
        self.left = left
        self.right = right
        self.hint = hint
        self.names = names  # of the two arguments

    def _text(self) -> str:
        first, second = self.names
        hint = self.hint or missing_factor(self.left.dimension, self.right.dimension, second)
        return (
            f"{self.operation} needs arguments of one dimension, but got\n"
            + sides(first, self.left, second, self.right)
            + hinted(hint)
        )


class PureNumberError(DimensionError):
    """A quantity with a dimension stands where only a pure number has a meaning."""

    def __init__(self, operation: str, unit: Any, argument: str = "", hint: str | None = None):
        DimflowError.__init__(self, operation, unit, argument, hint)
        self.operation = operation
        self.unit = self.left = self.right = unit
        self.argument = argument
        self.hint = hint

    def _text(self) -> str:
        hint = self.hint or (
            f"divide by a quantity of {self.unit.dimension} first, such as a reference value"
        )
        named = f" for {self.argument}" if self.argument else ""
        return (
            f"{self.operation} needs a pure number{named}, but got\n"
            f"  {self.unit}   {self.unit.dimension}" + hinted(hint)
        )


class UnitChoiceError(UnitError):
    """The result would depend on the unit that happens to be chosen (rounding 1.5 m or 1500 mm)."""

    def __init__(self, operation: str, unit: Any, function: str = "") -> None:
        DimflowError.__init__(self, operation, unit, function)
        self.operation = operation
        self.unit = unit
        function = function or f"dimflow.{operation}"  # the hosts' take no `unit=`
        self.hint = f"say in which: {function}(..., unit={self.choice!r})"

    @property
    def choice(self) -> str:
        """The unit that a hint names. A ratio, 1 m / 30 cm, counts as a number; percent do not."""
        is_ratio = self.unit.is_dimensionless and len(self.unit.atoms) != 1
        return "" if is_ratio else str(self.unit)

    @property
    def problem(self) -> str:  # type: ignore[override]
        """What is wrong."""
        return f"the result of {self.operation} depends on the unit, and none was chosen"


class UnitCutError(UnitChoiceError):
    """A dtype of integers would cut off fractions, and which ones depends on the unit."""

    def __init__(self, operation: str, dtype: str, unit: Any) -> None:
        DimflowError.__init__(self, operation, dtype, unit)
        self.operation = operation
        self.dtype = dtype
        self.unit = unit
        self.hint = f"cast the result, and say in which: y.astype({dtype!r}, unit={self.choice!r})"

    @property
    def problem(self) -> str:  # type: ignore[override]
        """What is wrong."""
        return (
            f"{self.operation} with dtype={self.dtype} cuts fractions off, and they depend on the "
            f"unit {self.unit}"
        )


def _numbers_of(unit: Any) -> str:
    """How to get plain numbers. Functions that know no units, such as math.sin, take radians."""
    call = f"x.to_value({str(unit)!r})"
    if str(unit.dimension) == "[angle]":
        others = "" if str(unit) == "rad" else f"; or in {unit}: {call}"
        return f"take the numbers in radians, as sines want them: x.to_value('rad'){others}"
    return f"take the numbers in a unit of your choice: {call}"


class UnitLossError(UnitError, TypeError):
    """Something asked for a plain number or array, and the unit would have been lost."""

    def __init__(self, operation: str, unit: Any, hint: str | None = None) -> None:
        DimflowError.__init__(self, operation, unit, hint)
        self.operation = operation
        self.unit = unit
        self.problem = f"{operation} would lose the unit {unit}"
        self.hint = _numbers_of(unit) if hint is None else hint


class UnitConversionError(DimensionError):
    """A value cannot be converted from one unit into the other."""

    def __init__(self, source: Any, target: Any, hint: str | None = None) -> None:
        DimflowError.__init__(self, source, target, hint)
        self.operation = "convert"
        self.left = self.source = source
        self.right = self.target = target
        self.hint = hint

    def _text(self) -> str:
        return (
            f"cannot convert {str(self.source) or 'a pure number'} to "
            f"{str(self.target) or 'a pure number'}\n"
            + sides("from", self.source, "to", self.target)
            + hinted(self.hint)
        )


class AnnotationError(UnitError, TypeError):
    """An argument or a result of a checked function is not what its annotation asks for."""

    def __init__(
        self,
        function: str,
        argument: str,
        wanted: str,
        actual: str,
        hint: str | None = None,
    ) -> None:
        DimflowError.__init__(self, function, argument, wanted, actual, hint)
        self.function = function
        self.argument = argument  # "return" for the result
        self.wanted = wanted
        self.actual = actual
        self.hint = hint

    def _text(self) -> str:
        what = "a wrong result" if self.argument == "return" else f"a wrong {self.argument!r}"
        verb = "gave" if self.argument == "return" else "got"
        return (
            f"{self.function} {verb} {what}\n"
            f"  expected: {self.wanted}\n"
            f"  actual:   {self.actual}" + hinted(self.hint)
        )


class UnitParseError(UnitError):
    """A text is not a unit; `position` is the character that shows it."""

    def __init__(self, text: str, position: int, problem: str, hint: str | None = None) -> None:
        DimflowError.__init__(self, text, position, problem, hint)
        self.text = text
        self.position = position
        self.problem = problem
        self.hint = hint

    def _text(self) -> str:
        return f"{self.problem}\n{pointed(self.text, self.position)}" + hinted(self.hint)


class UndefinedUnitError(UnitParseError, AttributeError, LookupError):
    """A name that no unit has; `suggestions` are the nearest that some unit has."""

    _kind = "unit"

    def __init__(
        self,
        name: str,
        suggestions: Sequence[str] | Callable[[], Sequence[str]] = (),
        text: str | None = None,
        position: int = 0,
    ) -> None:
        DimflowError.__init__(self, name, text, position)
        self.name = name
        self._suggestions = suggestions
        self.text = name if text is None else text
        self.position = position
        self.problem = f"no {self._kind} is called {shown(name)!r}"

    @property
    def suggestions(self) -> tuple[str, ...]:
        """The nearest names, looked for when somebody reads them."""
        if callable(self._suggestions):
            self._suggestions = self._suggestions()
        return tuple(self._suggestions)

    @property
    def hint(self) -> str | None:  # type: ignore[override]
        """The suggestions as a question."""
        return did_you_mean(self.suggestions)

    def __reduce__(self) -> tuple[Any, ...]:
        name, text, position = self.args
        state = {k: v for k, v in self.__dict__.items() if k != "_suggestions"}
        return type(self), (name, self.suggestions, text, position), state


class UndefinedDimensionError(UndefinedUnitError):
    """A name that no dimension has."""

    _kind = "dimension"


class UnitDefinitionError(UnitError):
    """A definition is malformed, or clashes with one that stands already."""

    def __init__(self, definition: str, problem: str, hint: str | None = None) -> None:
        DimflowError.__init__(self, definition, problem, hint)
        self.definition = definition
        self.problem = problem
        self.hint = hint

    def _text(self) -> str:
        return f"{self.problem}\n  in:    {shown(self.definition)}" + hinted(self.hint)


class UnitFormatError(UnitError):
    """A unit has no spelling in the style asked for, or there is no such style."""


class WireFormatError(UnitError):
    """An encoded unit is damaged, too large, or of a version that this dimflow does not know."""


class UndefinedConstantError(DimflowError, AttributeError, LookupError):
    """A name that no constant has; `suggestions` are the nearest that some constant has."""

    def __init__(self, name: str, suggestions: Sequence[str] = ()) -> None:
        super().__init__(name, tuple(suggestions))
        self.name = name
        self.suggestions = tuple(suggestions)

    def _text(self) -> str:
        hint = did_you_mean(self.suggestions)
        return f"no constant is called {shown(str(self.name))!r}" + hinted(hint)
