"""Errors about arrays, their libraries, and what is computed with them."""

from typing import Any

from dimflow.errors.root import DimflowError, UnitError
from dimflow.errors.texts import hinted


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
            f"  actual:   {self.actual}" + hinted(self.hint)
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
        return f"the array library {self.backend!r} is not available" + hinted(self.hint)


class BlockMismatch(DimflowError, ValueError):
    """A function gave something else for a block of a lazy array than was planned.

    `block` is the block's index and `array` the name of the array; None and "" if nobody knows.
    """

    def __init__(
        self,
        operation: str,
        function: str,
        what: str,
        expected: str,
        actual: str,
        array: str = "",
        block: tuple[int, ...] | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(operation, function, what, expected, actual, array, block, hint)
        self.operation = operation
        self.function = function
        self.what = what
        self.expected = expected
        self.actual = actual
        self.array = array
        self.block = block
        self.hint = hint

    def _text(self) -> str:
        place = "" if self.block is None else f"{self.block} of {self.array!r}"
        return (
            f"{self.operation}: {self.function} gave the wrong {self.what} for a block\n"
            f"  block:    {place or 'not known'}\n"
            f"  expected: {self.expected}\n"
            f"  actual:   {self.actual}" + hinted(self.hint)
        )


class InferenceError(UnitError):
    """The unit or the dtype of a user's function could not be found by trying it."""

    def __init__(self, operation: str, function: str, missing: str, reason: str) -> None:
        DimflowError.__init__(self, operation, function, missing, reason)
        self.operation = operation
        self.function = function
        self.missing = missing
        self.reason = reason
        self.problem = (
            f"{operation} cannot find out the {missing} of {function}: on a few made-up numbers "
            f"it failed\n  {reason}"
        )
        said = ", ".join(
            {"unit": "unit='m'", "dtype": "dtype=float"}[name] for name in missing.split(" and ")
        )
        self.hint = f"declare what it gives: {operation}({function}, ..., {said})"


class MissingRule(DimflowError, NotImplementedError):
    """An operation lacks the rule that somebody asked for; never a silent zero."""

    def __init__(self, operation: str, rule: str, hint: str | None = None) -> None:
        super().__init__(operation, rule, hint)
        self.operation = operation
        self.rule = rule
        self.hint = hint

    def _text(self) -> str:
        return f"{self.operation} has no {self.rule}" + hinted(self.hint)


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
        return f"{self.operation}: the value is not known {self.when}" + hinted(self.hint)


class TracedValueError(DimflowError, TypeError):
    """A plain number was asked for, or something written, where a value is being followed."""

    def __init__(self, operation: str, verb: str, hint: str) -> None:
        super().__init__(operation, verb, hint)
        self.operation = operation
        self.verb = verb
        self.hint = hint

    def _text(self) -> str:
        return f"{self.operation} on an array that is being {self.verb}" + hinted(self.hint)


class UnsupportedFunction(DimflowError, TypeError):
    """A function of another library that has no meaning for arrays with units, and why."""

    def __init__(self, function: str, reason: str, hint: str | None = None) -> None:
        super().__init__(function, reason, hint)
        self.function = function
        self.reason = reason
        self.hint = hint

    def _text(self) -> str:
        return f"{self.function} is not supported for arrays with units: {self.reason}" + hinted(
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
        return f"cannot read {self.path}: {self.problem}" + hinted(self.hint)


class ComputationError(DimflowError, ArithmeticError):
    """An operation ran and could not give a result: `reason` says why."""

    def __init__(self, operation: str, reason: str, hint: str | None = None) -> None:
        super().__init__(operation, reason, hint)
        self.operation = operation
        self.reason = reason
        self.hint = hint

    def _text(self) -> str:
        return f"{self.operation} failed: {self.reason}" + hinted(self.hint)


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
