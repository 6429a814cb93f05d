"""Browse and search the constants of nature and astronomy.

A search is words of a name in any order, a symbol, or a dimension ("[mass]").
The digits in parentheses are the standard uncertainty of the last digits.
"""

import math
from argparse import ArgumentParser, Namespace
from typing import Any

import dimflow.units.typed_numbers as number
from dimflow import constants
from dimflow.cli import description, terminal
from dimflow.cli.program import NO_RESULT
from dimflow.constants import Constant
from dimflow.errors import UndefinedConstantError

EXAMPLES = """
examples:
  dimflow constants electron mass
  dimflow constants k_B --long
  dimflow constants "[length]"        constants of a dimension
  dimflow constants --source IAU      those of one source
  dimflow constants c --json          for programs
"""
_SHORT = 2  # a search of so few letters is a symbol


def add_arguments(parser: ArgumentParser) -> None:
    """What `dimflow constants` takes."""
    parser.add_argument("search", nargs="*", metavar="CONSTANT", help="what to look for")
    parser.add_argument("--source", default="", metavar="SOURCE", help="only of this source")
    parser.add_argument(
        "-l",
        "--long",
        action="store_true",
        help="uncertainty, definition, source and other names of each constant",
    )
    parser.add_argument("--json", action="store_true", help="print a JSON list, for programs")


def run(arguments: Namespace) -> int:
    """Print the constants that fit the search."""
    search = " ".join(arguments.search).strip()
    source = arguments.source.casefold()
    found = [c for c in _find(search) if source in c.source.casefold()]
    if arguments.json:
        terminal.write_json([_record(c) for c in found])
    elif arguments.long:
        for i, constant in enumerate(found):
            if i:
                print()
            terminal.card(constant.name, _fields(constant))
    elif found:
        header = ("NAME", "SYMBOL", "VALUE", "UNIT", "SOURCE")
        terminal.table(header, [_row(constant) for constant in found], yielding=(0, 4))
    if not found:
        terminal.note(_nothing(search, arguments.source))
    return 0 if found else NO_RESULT


def _find(search: str) -> list[Constant]:
    if search.startswith("["):
        dimension = description.dimension_of(search)
        return [c for c in constants.catalogue() if c.unit.dimension is dimension]
    found = constants.find(search)
    exact = [c for c in found if search in (c.symbol, *c.aliases)]
    if exact and 0 < len(search) <= _SHORT:
        return exact
    if not found:
        try:
            return [constants.get(search)]  # with underscores, as an attribute is written
        except UndefinedConstantError:
            return []
    return found


def _value(constant: Constant) -> str:
    return str(constant).partition(" ")[0]


def _row(constant: Constant) -> tuple[str, ...]:
    value = _value(constant) + (" (exact)" if constant.exact else "")
    unit = description.text(constant.unit)
    return constant.name, constant.symbol, value, unit, constant.source


def _fields(constant: Constant) -> list[tuple[str, str]]:
    return [
        ("value", f"{_value(constant)} {description.text(constant.unit)}".rstrip()),
        ("uncertainty", _uncertainty(constant)),
        ("definition", constant.definition),
        ("dimension", str(constant.unit.dimension)),
        ("symbol", constant.symbol),
        ("also", ", ".join(constant.aliases)),
        ("source", constant.source),
    ]


def _uncertainty(constant: Constant) -> str:
    if constant.exact:
        return "none: it is exact"
    if math.isnan(constant.uncertainty):
        return "not stated"
    relative = number.shown(constant.relative_uncertainty, 2)
    return f"{number.shown(constant.uncertainty, 3)}, relative {relative}"


def _record(constant: Constant) -> dict[str, Any]:
    exact = constant.exact_value
    stated = not math.isnan(constant.uncertainty)
    return {
        "name": constant.name,
        "symbol": constant.symbol,
        "value": constant.value,
        "uncertainty": constant.uncertainty if stated else None,
        "exact": constant.exact,
        "exact_value": None if exact is None else str(exact),
        "text": _value(constant),
        "unit": str(constant.unit),
        "dimension": str(constant.unit.dimension),
        "definition": constant.definition or None,
        "source": constant.source,
        "aliases": list(constant.aliases),
    }


def _nothing(search: str, source: str) -> str:
    if source:
        return f"no constant of {source!r} fits {search!r}" if search else f"no source {source!r}"
    try:
        constants.get(search)
    except UndefinedConstantError as error:
        near = " or ".join(error.suggestions)
        return f"no constant fits {search!r}" + (f"; did you mean {near}?" if near else "")
    return f"no constant fits {search!r}"
