"""A hint is code that works: every one is taken at its word, and gives the right numbers.

Each program fails as its author meant it to; the hint's code has to stand in the mended programs,
and these have to give the truth. No hint of the source that holds code is left out.
"""

import math
from functools import cache

import pytest

from dimflow import DimArray
from dimflow.errors import UnitLossError
from tests.contract.hints.program import Program
from tests.contract.hints.programs import PROGRAMS
from tests.contract.hints.snippets import holds, snippets
from tests.contract.hints.templates import templates
from tests.contract.hints.unreached import UNREACHED


@cache
def hint_of(program: Program) -> str:
    return program.hint()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.broken)
def test_a_hint_is_a_call_that_works(program: Program) -> None:
    hint = hint_of(program)
    assert snippets(hint), f"no code in {hint!r}"
    for code in snippets(hint):
        assert any(holds(mended, code) for mended in program.mended), code
    program.check()


def test_no_hint_with_code_is_left_out() -> None:
    """Read from the source: a program comes to it, or a list says why none does."""
    hints = [hint_of(program) for program in PROGRAMS]
    missing = {t.text[:70] for t in templates() if not any(map(t.matches, hints))}
    listed = [text for texts in UNREACHED.values() for text in texts]
    assert sorted(missing) == sorted(listed)


MATH = {name: f for name in dir(math) if callable(f := getattr(math, name)) and name[0] != "_"}


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
@pytest.mark.parametrize("unit", ["deg", "turn", "rad", "arcmin", "gon", "mrad", "hourangle"])
def test_a_number_of_an_angle_is_what_functions_of_angles_take(name: str, unit: str) -> None:
    """A number in degrees would be a sine's argument that means something else."""
    x = DimArray(0.3, "rad").to(unit)
    try:
        found = MATH[name](x)
    except UnitLossError as error:
        code = snippets(str(error.hint))[0]
        found = MATH[name](eval(code, {"x": x}))
    assert found == pytest.approx(MATH[name](0.3), rel=1e-12)
