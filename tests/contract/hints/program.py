"""A program that fails with a hint, the same program as the hint would have it, and the truth."""

import ast
import math
from typing import Any, NamedTuple

import numpy as np

import dimflow
from dimflow import DimArray, Unit, units
from dimflow.errors import DimflowError


class Program(NamedTuple):
    """`mended` are programs that hold what the hint says: together every piece of its code.

    `right` is an expression for what each of them gives, by other means. `given` runs first.
    """

    broken: str
    mended: tuple[str, ...]
    right: str
    given: str = ""

    def hint(self) -> str:
        """The hint of the error that the broken program raises."""
        try:
            self._run(self.broken)
        except DimflowError as error:
            return str(getattr(error, "hint", None) or "")
        raise AssertionError(f"{self.broken} is no error any more")

    def check(self) -> None:
        """Run the mended programs, and compare what they give with the truth."""
        right = self._run(self.right)
        for program in self.mended:
            _same(self._run(program), right, program)

    def _run(self, program: str) -> Any:
        scope = names()
        exec(self.given, scope)
        *statements, last = ast.parse(program).body
        if not isinstance(last, ast.Expr):
            exec(program, scope)
            return scope["x"]
        exec(compile(ast.Module(statements, []), "<program>", "exec"), scope)
        return eval(compile(ast.Expression(last.value), "<program>", "eval"), scope)


def program(broken: str, *mended: str, right: str, given: str = "") -> Program:
    """A program that fails, what its hint says to write, and the truth."""
    return Program(broken, mended, right, given)


def names() -> dict[str, Any]:
    """What a user has at hand."""
    return {
        "math": math,
        "np": np,
        "dimflow": dimflow,
        "DimArray": DimArray,
        "Unit": Unit,
        "u": units,
        "x": DimArray([1.0, 2.0, 4.0], "m"),
        "y": DimArray([0.5, 3.0, 2.0], "m"),
        "t": DimArray([2.0, 4.0, 8.0], "s"),
        "T": DimArray([10.0, 20.0, 40.0], "degC"),
        "a": DimArray(90.0, "deg"),
        "p": DimArray([50.0, 20.0], "percent"),
    }


def _same(result: Any, right: Any, program: str) -> None:
    if isinstance(result, tuple | list) and not isinstance(right, np.ndarray):
        assert len(result) == len(right), program
        for one, other in zip(result, right, strict=True):
            _same(one, other, program)
        return
    if isinstance(right, str | bool | Unit | None):
        assert result == right, (program, result)
        return
    if isinstance(right, DimArray):
        assert isinstance(result, DimArray), (program, result)
        result, right = result.to_value(right.unit), right.to_value(right.unit)
    np.testing.assert_allclose(np.asarray(result), np.asarray(right), rtol=1e-12, err_msg=program)
