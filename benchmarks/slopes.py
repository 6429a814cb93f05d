"""What derivatives ought to be, and whether those that a contender gives are that.

The truth is computed by PyTorch in double precision, and finite differences have to agree with it.
"""

from typing import Any

import numpy as np

from benchmarks.engines import NUMPY, Engine, torch_functional
from benchmarks.programs import Program
from benchmarks.race import WrongAnswer

_DOUBLE, _SINGLE = 1e-9, 1e-4  # of the largest element
_STEP, _DIFFERENCES = 1e-8, 1e-4  # so small that hardly a relu is switched


def _in_double(program: Program) -> Program:
    given = [(np.float64(x) if np.ndim(x) else x, unit) for x, unit in program.arguments()]
    return program._replace(arguments=lambda: given)


def gradient(program: Program) -> list[Any]:
    """The gradients by all wanted arguments."""
    exact = _in_double(program)
    found = [np.asarray(x) for x in torch_functional().gradient(exact)()]
    slope = _difference(exact, found)
    expected = sum(float(np.sum(g)) for g in found)
    if abs(slope - expected) > _DIFFERENCES * sum(float(np.sum(np.abs(g))) for g in found):
        raise WrongAnswer(f"{program.work}: its slope is {slope} by differences, not {expected}")
    return found


def _difference(program: Program, like: list[Any]) -> float:
    """The slope where all wanted arguments grow alike, from two values on NumPy."""
    numbers = [x for x, _ in program.arguments()]
    function = program.build(NUMPY)

    def at(distance: float) -> float:
        moved = [x + distance for x in numbers[: len(like)]]
        return float(function(*moved, *numbers[len(like) :]))

    return (at(_STEP) - at(-_STEP)) / (2 * _STEP)


def curvature(program: Program) -> list[Any]:
    """The Hessian times ones."""
    return [np.asarray(x) for x in torch_functional().curvature(_in_double(program))()]


def jacobian(program: Program) -> Any:
    """All derivatives of a vector by a vector."""
    return np.asarray(torch_functional().slopes(_in_double(program))())


def judge(
    engine: Engine, program: Program, found: Any, expected: list[Any], *, order: int = 1
) -> None:
    """Raise WrongAnswer unless these are the derivatives, in the unit that belongs to them.

    It is [result]/[argument], for the Hessian times ones of the arguments' units too.
    """
    for (_, unit), slope, right in zip(program.arguments(), found, expected, strict=False):
        values = slope.data if engine.units else slope
        values = np.asarray(values.detach() if hasattr(values, "detach") else values)
        bound = _SINGLE if values.dtype == np.float32 else _DOUBLE
        is_alike = values.shape == np.shape(right)
        error = float(np.max(np.abs(values - right), initial=0.0)) if is_alike else np.inf
        if not error <= order * bound * float(np.max(np.abs(right), initial=0.0)):
            raise WrongAnswer(f"{engine.name}: {program.work} has a derivative off by {error}")
        if engine.units:
            _has_unit(engine, program, slope, unit)


def _has_unit(engine: Engine, program: Program, slope: Any, unit: str) -> None:
    from dimflow import Unit

    wanted = Unit(program.result) / Unit(unit)
    if slope.unit != wanted:
        raise WrongAnswer(
            f"{engine.name}: {program.work} has a slope in {slope.unit}, not {wanted}"
        )


def is_value(engine: Engine, program: Program, found: Any, expected: Any) -> None:
    """Raise WrongAnswer unless what was recorded is the program's value."""
    value = found
    if isinstance(found, tuple):  # a value and the way back, in whichever order
        value = next(part for part in found if not callable(part))
    values = value.data if engine.units else value
    values = np.asarray(values.detach() if hasattr(values, "detach") else values)
    if not np.allclose(values, expected, rtol=_DOUBLE):
        raise WrongAnswer(f"{engine.name}: {program.work} is {values}, not {expected}")
