"""Every public name of pandas, by programs: right in every unit, or refused by an error of ours.

A program runs in a world of plain numbers and in worlds whose columns and quantities are spelled in
other units. The physical result has to be that of pandas on the plain numbers. A name that pandas
gains later fails here until it has a program or a place in a list.
"""

import inspect
import tomllib
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dimflow.errors import DimflowError, PointError
from tests.pandas.worlds import UNITS, World, in_metres, same

TABLE = tomllib.loads((Path(__file__).parent / "programs.toml").read_text())


def section(*names: str) -> dict[str, list[str]]:
    """The programs of each name; a later section says more than an earlier one."""
    found = {}
    for key, programs in (pair for name in names for pair in TABLE[name].items()):
        for name in key.split():
            found[name] = [program.replace("{name}", name) for program in programs]
    return found


# How `x` is made of the names of a world, and the sections with programs for its methods.
HOMES: dict[str, tuple[str, tuple[str, ...]]] = {
    "Series": ("a", ("Series",)),
    "DataFrame": ("table", ("DataFrame",)),
    "Index": ("i", ("Index",)),
    "SeriesGroupBy": ("a.groupby(k)", ("Groups",)),
    "DataFrameGroupBy": ("table.groupby(k)", ("Groups", "FrameGroups")),
    "Rolling": ("a.rolling(2, min_periods=1)", ("Windows",)),
    "Rolling of a table": ("table.rolling(2, min_periods=1)", ("Windows",)),
    "Rolling of groups": ("a.groupby(k).rolling(2, min_periods=1)", ("Windows",)),
    "Expanding": ("a.expanding()", ("Windows",)),
    "ExponentialMovingWindow": ("a.ewm(2)", ("Windows", "Weighted")),
    "Resampler": ("days(a).resample('2D')", ("Groups", "Resampled")),
    "Resampler of a table": ("days(table).resample('2D')", ("Groups", "Resampled")),
    "pandas": ("a", ("pandas",)),
    "statements": ("table", ("statements",)),
}


def names_of(home: str) -> list[str]:
    if home == "statements":
        return ["all"]
    found = pd if home == "pandas" else type(made(World(None), home))
    skipped = {*TABLE["LABELS"].split(), *TABLE["WRITERS"].split()}
    if home == "pandas":
        skipped |= set(TABLE["NO_COLUMNS"].split())
    names = [name for name in dir(found) if not name.startswith("_") and name not in skipped]
    return [name for name in names if home != "pandas" or callable(getattr(pd, name))]


def made(world: World, home: str) -> Any:
    return eval(HOMES[home][0], world.names())


def programs_of(home: str, name: str) -> list[str]:
    """Those of the table; else the method is called, or the property read."""
    given = section(*HOMES[home][1])
    if name in given:
        return given[name]
    assert home != "pandas", f"pandas has a new function, which no program calls: {name}"
    is_method = callable(getattr(made(World(None), home), name, None))
    return [f"x.{name}()" if is_method else f"x.{name}"]


def refused(home: str) -> dict[str, str]:
    """The programs that raise an error, and why."""
    reasons = [TABLE["refused"].get(name, {}) for name in HOMES[home][1]]
    return {program: why for said in reasons for why, found in said.items() for program in found}


PANDAS = "pandas' own"  # the reason of what pandas refuses itself
BARE = TABLE["bare"]["programs"]
CASES = [
    pytest.param(home, program, id=f"{home}: {program}")
    for home in HOMES
    for name in names_of(home)
    for program in programs_of(home, name)
]
WITH_QUANTITIES = [case for case in CASES if "q(" in case.values[1] or "many(" in case.values[1]]


@cache
def of_world(unit: str | None, bare: bool) -> dict[str, Any]:
    return World(unit, bare).names()


def run(home: str, program: str, world: World) -> Any:
    """The result in base units, or the error."""
    names = world.names() if home == "statements" else dict(of_world(world.unit, world.bare))
    names["x"] = eval(HOMES[home][0], names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pandas' own advice
        try:
            if home == "statements":
                exec(program, names)
                return in_metres([names[name] for name in "xynkw"])
            found = eval(program, names)
            lazy = inspect.isgenerator(found) or isinstance(found, zip)
            return in_metres(list(found) if lazy else found)
        except AssertionError:
            raise
        except Exception as error:
            return error


def is_ours(error: Any) -> bool:
    """Whether an error is dimflow's; `transform` and others put pandas' before it."""
    while error is not None and not isinstance(error, DimflowError):
        error = error.__cause__
    return error is not None


def is_of_points(error: Any) -> bool:
    """Whether an error says that 20 °C cannot be added or multiplied, or be a bare zero."""
    while not isinstance(error, DimflowError):
        error = error.__cause__
    return isinstance(error, PointError) or "got a pure number" in str(error)


@pytest.mark.share(2)
@pytest.mark.parametrize(("home", "program"), CASES)
def test_the_result_is_that_of_the_plain_numbers_or_an_error_of_ours(
    home: str, program: str
) -> None:
    wanted = run(home, program, World(None))
    assert not isinstance(wanted, Exception), f"no program for plain numbers: {wanted!r}"
    refusal = refused(home).get(program)
    for unit, (_, base) in UNITS.items():
        found = run(home, program, World(unit))
        if not isinstance(found, Exception):
            assert refusal is None or base == "", f"{program} is refused, they say: {refusal}"
            assert same(found, wanted), (unit, found, wanted)
        elif refusal == PANDAS:
            assert isinstance(found, (TypeError, ValueError)), (unit, found)
        else:
            assert is_ours(found), (unit, found)
            assert refusal is not None or (base == "K" and is_of_points(found)), (unit, found)


@pytest.mark.parametrize(("home", "program"), WITH_QUANTITIES)
def test_a_bare_number_is_refused_or_right(home: str, program: str) -> None:
    """What does not depend on the unit is right: no bare number is in a column of metres."""
    found = [run(home, program, World(unit, bare=True)) for unit in ("km", "ft")]
    for error in (e for e in found if isinstance(e, Exception)):
        is_missing_label = isinstance(error, KeyError)
        is_pandas = refused(home).get(program) == PANDAS or program in BARE
        assert is_ours(error) or is_missing_label or is_pandas, error
    results = [result for result in found if not isinstance(result, Exception)]
    assert all(same(result, results[0]) for result in results), results


def test_what_is_said_to_be_refused_is_a_program() -> None:
    said = {program for home in HOMES for program in refused(home)}
    assert {*said, *BARE} <= {case.values[1] for case in CASES}
