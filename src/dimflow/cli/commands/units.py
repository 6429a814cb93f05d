"""Browse and search the units.

Without a search: the families of units. A search is part of a name, a symbol
(km and other prefixed ones too), part of a family's name, or a dimension: by
name (pressure), by formula ("[length]/[time]") or by a unit in it ("[km/h]").
"""

from argparse import ArgumentParser, Namespace
from collections import Counter

from dimflow.cli import description, terminal
from dimflow.cli.program import NO_RESULT
from dimflow.errors import UnitError
from dimflow.units import Unit, find, scope
from dimflow.units.definition import Definition, Resolved
from dimflow.units.spelling import near

EXAMPLES = """
examples:
  dimflow units                       the families
  dimflow units pressure              units of pressure, and what is called so
  dimflow units psi --long            all about one unit
  dimflow units --family planck       a family, or several that are called so
  dimflow units "[length]/[time]"     units of a dimension
  dimflow units barrel --json         for programs
"""
_SHOWN_OF_A_FAMILY = 6
_PREFIXES = {
    "si": "SI",
    "binary": "SI and binary",
    "none": "none",
    "": "SI, with its full name",
}


def add_arguments(parser: ArgumentParser) -> None:
    """What `dimflow units` takes."""
    parser.add_argument("search", nargs="*", metavar="SEARCH", help="what to look for")
    parser.add_argument("--family", metavar="FAMILY", help="only families with this in their name")
    parser.add_argument(
        "-l",
        "--long",
        action="store_true",
        help="definition, source, other names and UCUM code: of the unit that is "
        "called exactly so, or else of all that fit",
    )
    parser.add_argument("--json", action="store_true", help="print a JSON list, for programs")


def run(arguments: Namespace) -> int:
    """Print families, or the units that fit the search."""
    failure = description.load_plugins()
    if failure:
        terminal.note(failure)
    search, family = " ".join(arguments.search).strip(), arguments.family
    found = _find(search, family)
    if arguments.long:
        found = [f for f in found if _is_called(f, search)] or found
    if arguments.json:
        terminal.write_json([description.record(f) for f in found])
    elif not search and family is None and not arguments.long:
        _print_families([f.definition for f in found])
    elif found and arguments.long:
        _print_cards(found)
    elif found:
        rows = [_row(f) for f in found]
        terminal.table(("NAME", "SYMBOL", "DIMENSION", "SI VALUE"), rows, yielding=(0, 2))
    if not found:
        terminal.note(_nothing(search, family))
    return 0 if found else NO_RESULT


def _find(search: str, family: str | None) -> list[Resolved]:
    """What fits; a prefixed unit that is called exactly so comes first."""
    found = [Resolved(d) for d in find(search) or find(search.replace(" ", "_"))]
    exact = scope.current().resolve(search) if search else None
    if exact is not None and exact not in found:
        found.insert(0, exact)
    if family is None:
        return found
    return [f for f in found if family.casefold() in f.definition.family.casefold()]


def _is_called(found: Resolved, search: str) -> bool:
    return found.prefix is not None or search in found.definition.spellings


def _print_families(definitions: list[Definition]) -> None:
    members: dict[str, list[str]] = {}
    for definition in definitions:
        members.setdefault(definition.family, []).append(_symbol(definition) or definition.name)
    counts = Counter(d.family for d in definitions)
    rows = [
        (family or "(no family)", str(counts[family]), ", ".join(symbols[:_SHOWN_OF_A_FAMILY]))
        for family, symbols in members.items()
    ]
    terminal.table(("FAMILY", "UNITS", "SUCH AS"), rows, yielding=(0, 2), right=(1,))
    terminal.note(
        f"\n{len(definitions):,} units in {len(counts)} families, prefixed ones not counted. "
        "`dimflow units WORD`\nsearches them; `dimflow units --family WORD` lists a family."
    )


def _symbol(definition: Definition) -> str:
    if not definition.symbols:
        return ""
    return definition.pretty if terminal.style() == "unicode" else definition.symbol


def _row(found: Resolved) -> tuple[str, str, str, str]:
    unit = description.unit_of(found)
    symbol = _symbol(found.definition)
    if symbol and (found.prefix or found.is_delta):
        symbol = description.text(unit)
    return unit.name, symbol, str(unit.dimension), description.si_value(unit)


def _print_cards(found: list[Resolved]) -> None:
    for i, each in enumerate(found):
        if i:
            print()
        unit, definition = description.unit_of(each), each.definition
        prefix = each.prefix
        fields = [
            (
                "definition",
                f"{prefix.name}- {definition.name}" if prefix else definition.expression,
            ),
            ("SI value", description.si_value(unit)),
            ("exactly", description.exact_scale(unit)),
            ("law", description.law_text(unit)),
            ("dimension", description.dimension(unit)),
            ("symbols", ", ".join(definition.symbols) if not prefix else _row(each)[1]),
            ("also", ", ".join(definition.aliases) if not prefix else ""),
            ("prefixes", _PREFIXES[definition.prefixing] if not prefix else ""),
            ("UCUM", description.spelling(unit, "ucum") or "" if definition.ucum else ""),
            ("family", definition.family),
            ("source", definition.source),
        ]
        terminal.card(unit.name, fields)


def _nothing(search: str, family: str | None) -> str:
    if family is not None:
        where = f"in a family called {family!r}"
        return f"no unit fits {search!r} {where}" if search else f"there is no unit {where}"
    try:
        Unit(search)
    except UnitError:
        hint = " or ".join(near(search, scope.current()))
        return f"no unit fits {search!r}" + (f"; did you mean {hint}?" if hint else "")
    return (
        f"{search!r} is a unit, but has no name of its own.\n"
        f'`dimflow parse "{search}"` tells about it, `dimflow units "[{search}]"` finds its kind.'
    )
