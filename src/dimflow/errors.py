"""Every error that dimflow raises on purpose: fields to read, a text that says how to mend it.

An error keeps what it was told as attributes (and as `args`, so that it pickles), and builds its
text only when somebody reads it.
"""

from collections.abc import Callable, Sequence
from typing import Any

__all__ = [
    "AnnotationError",
    "BackendMismatch",
    "BackendNotInstalled",
    "ComputationError",
    "DerivativeMismatch",
    "DeviceMismatch",
    "DimensionError",
    "DimflowError",
    "DtypeMismatch",
    "FileFormatError",
    "MissingRule",
    "NoDataError",
    "NotANumber",
    "OutOfMemory",
    "PointError",
    "PureNumberError",
    "ShapeMismatch",
    "StructureMismatch",
    "TracedValueError",
    "UndefinedConstantError",
    "UndefinedDimensionError",
    "UndefinedUnitError",
    "UnitConversionError",
    "UnitDefinitionError",
    "UnitChoiceError",
    "UnitError",
    "UnitFormatError",
    "UnitLossError",
    "UnitParseError",
    "UnitRangeError",
    "UnsupportedFunction",
    "WireFormatError",
]

_SHOWN = 60  # characters of a user's text that a message repeats


class DimflowError(Exception):
    """The root of all errors that dimflow raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.args, self.__dict__ or None  # with notes

    def _text(self) -> str:
        return super().__str__()

    def __str__(self) -> str:
        return self._text()


class UnitError(DimflowError, ValueError):
    """Anything wrong with a unit."""

    def __init__(self, problem: str, hint: str | None = None) -> None:
        super().__init__(problem, hint)
        self.problem = problem
        self.hint = hint

    def _text(self) -> str:
        return self.problem + _hint(self.hint)


class NotANumber(UnitError, TypeError):
    """A value that should have been a number, or an array of numbers, is neither."""

    def __init__(self, operation: str, actual: str) -> None:
        DimflowError.__init__(self, operation, actual)
        self.operation = operation
        self.actual = actual
        self.problem = f"{operation} needs a number, but got {actual}"
        self.hint = None


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
        return f"{self.operation} has no meaning for points in {self.unit}" + _hint(self.hint)


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
        hint = self.hint or _missing_factor(self.left.dimension, self.right.dimension, second)
        return (
            f"{self.operation} needs arguments of one dimension, but got\n"
            + _sides(first, self.left, second, self.right)
            + _hint(hint)
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
            f"  {self.unit}   {self.unit.dimension}" + _hint(hint)
        )


class UnitChoiceError(UnitError):
    """The result would depend on the unit that happens to be chosen (rounding 1.5 m or 1500 mm)."""

    def __init__(self, operation: str, unit: Any) -> None:
        DimflowError.__init__(self, operation, unit)
        self.operation = operation
        self.unit = unit
        self.problem = f"the result of {operation} depends on the unit, and none was chosen"
        self.hint = f"say in which: {operation}(..., unit={str(unit)!r})"


class UnitLossError(UnitError, TypeError):
    """Something asked for a plain number or array, and the unit would have been lost."""

    def __init__(self, operation: str, unit: Any, hint: str | None = None) -> None:
        DimflowError.__init__(self, operation, unit, hint)
        self.operation = operation
        self.unit = unit
        self.problem = f"{operation} would lose the unit {unit}"
        usual = f"take the numbers in a unit of your choice: x.to_value({str(unit)!r})"
        self.hint = usual if hint is None else hint


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
            + _sides("from", self.source, "to", self.target)
            + _hint(self.hint)
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
            f"  actual:   {self.actual}" + _hint(self.hint)
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
        return f"{self.problem}\n{_pointed(self.text, self.position)}" + _hint(self.hint)


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
        self.problem = f"no {self._kind} is called {_shown(name)!r}"

    @property
    def suggestions(self) -> tuple[str, ...]:
        """The nearest names, looked for when somebody reads them."""
        if callable(self._suggestions):
            self._suggestions = self._suggestions()
        return tuple(self._suggestions)

    @property
    def hint(self) -> str | None:  # type: ignore[override]
        """The suggestions as a question."""
        return _did_you_mean(self.suggestions)

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
        return f"{self.problem}\n  in:    {_shown(self.definition)}" + _hint(self.hint)


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
        hint = _did_you_mean(self.suggestions)
        return f"no constant is called {_shown(str(self.name))!r}" + _hint(hint)


class _Mismatch(DimflowError):
    """What was expected of an operation's argument is not what came."""

    _what = ""

    def __init__(self, operation: str, expected: Any, actual: Any, hint: str | None = None) -> None:
        super().__init__(operation, expected, actual, hint)
        self.operation = operation
        self.expected = expected
        self.actual = actual
        self.hint = hint

    def _text(self) -> str:
        return (
            f"{self.operation} got the wrong {self._what}\n"
            f"  expected: {self.expected}\n"
            f"  actual:   {self.actual}" + _hint(self.hint)
        )


class ShapeMismatch(_Mismatch, ValueError):
    """The shape of an argument is not what the operation needs."""

    _what = "shape"


class DtypeMismatch(_Mismatch, TypeError):
    """The dtype of a value is not what the operation needs."""

    _what = "dtype"


class StructureMismatch(_Mismatch, TypeError):
    """A structure of arrays (tuples, dicts, dataclasses) is not what the operation needs."""

    _what = "structure"


class DeviceMismatch(_Mismatch, RuntimeError):
    """An argument lives on another device than the operation needs."""

    _what = "device"


class BackendMismatch(_Mismatch, TypeError):
    """Arrays of two libraries meet in one operation."""

    _what = "array library"


class BackendNotInstalled(DimflowError, ImportError):
    """An array needs a library that is not installed here."""

    def __init__(self, backend: str, hint: str | None = None) -> None:
        super().__init__(backend, hint)
        self.backend = backend
        self.hint = hint or f"pip install 'dimflow[{backend}]'"

    def _text(self) -> str:
        return f"the array library {self.backend!r} is not available" + _hint(self.hint)


class MissingRule(DimflowError, NotImplementedError):
    """An operation lacks the rule that somebody asked for; never a silent zero."""

    def __init__(self, operation: str, rule: str, hint: str | None = None) -> None:
        super().__init__(operation, rule, hint)
        self.operation = operation
        self.rule = rule
        self.hint = hint

    def _text(self) -> str:
        return f"{self.operation} has no {self.rule}" + _hint(self.hint)


class NoDataError(DimflowError, TypeError):
    """A value was asked for where only its shape and dtype are known: while a check runs.

    `when` says so for others that know no values: JAX traces, and so may another library.
    """

    def __init__(
        self, operation: str, hint: str | None = None, when: str = "while checking"
    ) -> None:
        super().__init__(operation, hint, when)
        self.operation = operation
        self.hint = hint or "choose by where(condition, x, y) instead of by if"
        self.when = when

    def _text(self) -> str:
        return f"{self.operation}: the value is not known {self.when}" + _hint(self.hint)


class TracedValueError(DimflowError, TypeError):
    """A plain number was asked for, or something written, where a value is being followed."""

    def __init__(self, operation: str, verb: str, hint: str) -> None:
        super().__init__(operation, verb, hint)
        self.operation = operation
        self.verb = verb
        self.hint = hint

    def _text(self) -> str:
        return f"{self.operation} on an array that is being {self.verb}" + _hint(self.hint)


class UnsupportedFunction(DimflowError, TypeError):
    """A function of another library that has no meaning for arrays with units, and why."""

    def __init__(self, function: str, reason: str, hint: str | None = None) -> None:
        super().__init__(function, reason, hint)
        self.function = function
        self.reason = reason
        self.hint = hint

    def _text(self) -> str:
        return f"{self.function} is not supported for arrays with units: {self.reason}" + _hint(
            self.hint
        )


class FileFormatError(DimflowError, ValueError):
    """A file is damaged, too large, or not of the format that it was read as."""

    def __init__(self, path: str, problem: str, hint: str | None = None) -> None:
        super().__init__(path, problem, hint)
        self.path = path
        self.problem = problem
        self.hint = hint

    def _text(self) -> str:
        return f"cannot read {self.path}: {self.problem}" + _hint(self.hint)


class ComputationError(DimflowError, ArithmeticError):
    """An operation ran and could not give a result: `reason` says why."""

    def __init__(self, operation: str, reason: str, hint: str | None = None) -> None:
        super().__init__(operation, reason, hint)
        self.operation = operation
        self.reason = reason
        self.hint = hint

    def _text(self) -> str:
        return f"{self.operation} failed: {self.reason}" + _hint(self.hint)


class DerivativeMismatch(DimflowError, AssertionError):
    """A derivative is not what finite differences of the function give."""

    def __init__(
        self,
        function: str,
        argument: str,
        mode: str,
        order: int,
        index: tuple[int, ...],
        expected: str,
        actual: str,
    ) -> None:
        super().__init__(function, argument, mode, order, index, expected, actual)
        self.function = function
        self.argument = argument
        self.mode = mode
        self.order = order
        self.index = index  # of the worst element
        self.expected = expected
        self.actual = actual

    def _text(self) -> str:
        place = f"[{', '.join(map(str, self.index))}]" if self.index else "the only element"
        return (
            f"the derivative of {self.function} by {self.argument} is wrong\n"
            f"  mode:     {self.mode}, order {self.order}\n"
            f"  worst at: {place}\n"
            f"  expected: {self.expected} (finite differences)\n"
            f"  actual:   {self.actual}"
        )


class OutOfMemory(DimflowError, MemoryError):
    """An operation needs more memory (in bytes) than the device has to give."""

    def __init__(self, operation: str, requested: int, available: int, device: str = "cpu") -> None:
        super().__init__(operation, requested, available, device)
        self.operation = operation
        self.requested = requested
        self.available = available
        self.device = device

    def _text(self) -> str:
        return (
            f"{self.operation} needs more memory than {self.device} has\n"
            f"  requested: {self.requested:,} bytes\n"
            f"  available: {self.available:,} bytes"
        )


def _hint(hint: str | None) -> str:
    return f"\n  hint:  {hint}" if hint else ""


def _did_you_mean(suggestions: Sequence[str]) -> str | None:
    if not suggestions:
        return None
    return "did you mean " + " or ".join(repr(s) for s in suggestions) + "?"


def _shown(text: str) -> str:
    return _printable(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _pointed(text: str, position: int) -> str:
    """The text around a position, with a caret under it."""
    start = max(0, min(position, len(text)) - _SHOWN // 2)
    shown = _printable(text[start : start + _SHOWN])
    return f"  in:    {shown}\n         {' ' * (position - start)}^"


def _sides(first: str, one: Any, second: str, other: Any) -> str:
    names = first + ":", second + ":"
    texts = str(one) or "1", str(other) or "1"
    name_width, text_width = max(map(len, names)), max(map(len, texts))
    return "\n".join(
        f"  {name:<{name_width}} {text:<{text_width}}   {unit.dimension}"
        for name, text, unit in zip(names, texts, (one, other), strict=True)
    )


def _missing_factor(left: Any, right: Any, side: str) -> str:
    factor = left / right
    place = f"the {side}" if side in ("left", "right") else side
    called = f" ({_article(factor.name)} {factor.name})" if factor.name else ""
    return f"a factor of {factor.formula}{called} is missing on {place}"


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"
