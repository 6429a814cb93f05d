"""CONTRIBUTING's recipes name what there is, and all of it."""

import re
from pathlib import Path
from typing import get_args

import pytest

from dimflow.autodiff import rules
from dimflow.backends.array_api import ArrayAPI
from dimflow.backends.backend import Backend
from dimflow.ops.rules import derivatives

TEXT = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text()
# what a backend inherits and does not write
USED = {"beneath", "lifted_beside", "native", "run"}
# known from elsewhere: how it is ordered, what is found by itself, what our engine says of its own
SETTLED = {"follows", "host_function", "own_kernel", "rank"}


def table_after(heading: str) -> list[list[str]]:
    """The cells of the first table of a section, row by row."""
    section = TEXT.split(f"{heading}\n", 1)[1]
    rows = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)
    assert rows is not None
    return [line.strip("| ").split(" | ") for line in rows[0].splitlines()[2:]]


def names(cells: list[str]) -> set[str]:
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


def test_the_recipe_of_a_backend_names_all_that_it_can_say() -> None:
    known = {name for name in {**vars(Backend), **Backend.__annotations__} if name[0] != "_"}
    told = names([row[1] for row in table_after("## Add a backend")])
    families = {"control", "custom"}
    assert known - told == USED | SETTLED
    assert {name for name in told - families if not hasattr(ArrayAPI, name)} == {"name"}


def test_the_recipe_of_a_derivative_names_every_form() -> None:
    told = {
        row[0].strip("`").partition("(")[0] for row in table_after("### The forms of a derivative")
    }
    forms = {form.__name__ for form in get_args(derivatives.Derivative)}
    assert told == forms - {"Partials"} | {"partials"}


@pytest.mark.parametrize("ways", [rules._BACK, rules._FORWARD], ids=["back", "forward"])
def test_every_form_has_a_meaning_in_both_directions(ways: dict[type, object]) -> None:
    assert {*ways, derivatives.Zero} == {*get_args(derivatives.Derivative)}
