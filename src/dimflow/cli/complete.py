"""What could stand next on a command line: the answers that the completion scripts ask for."""

import re
from argparse import Action, ArgumentParser
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from dimflow.cli.program import COMMANDS, parser_of

if TYPE_CHECKING:
    from dimflow.units.definition import Definition

# The last name of a unit text, and all that stands before it: "65 kg*m/se" -> "65 kg*m/", "se"
_LAST_NAME = re.compile(r"(.*[\s*/·(^.0-9])?([^\s*/·(^.]*)", re.DOTALL)
_SAFE = re.compile(r"[\w°]+")  # what no shell takes for something else
_PREFIXED_FAMILIES = ("SI ", "units accepted")  # whose prefixed symbols are worth a list


def complete(words: list[str]) -> int:
    """Print the candidates for the last word, one a line, some with a tab and a description."""
    *before, current = [_unquoted(w) for w in words if w != "="] or [""]
    if not before:
        _print(_starting(current, [*COMMANDS, "--help", "--version"]), COMMANDS)
    elif before[0] in COMMANDS:
        parser = parser_of(before[0])
        options = {name: action for action in _actions(parser) for name in action.option_strings}
        asked = options.get(before[-1])
        if asked is not None and asked.nargs is None:
            _print(_candidates(asked, before, current))
        elif current.startswith("-"):
            told = {name: action.help or "" for name, action in options.items()}
            _print(_starting(current, options), told)
        else:
            positional = next((a for a in _actions(parser) if not a.option_strings), None)
            _print(_candidates(positional, before, current) if positional else [])
    return 0


def _unquoted(word: str) -> str:
    return word[1:].rstrip(word[0]) if word[:1] in ("'", '"') else word.replace("\\", "")


def _actions(parser: ArgumentParser) -> list[Action]:
    return parser._actions  # argparse shows them nowhere else


def _print(candidates: Iterable[str], descriptions: dict[str, str] | None = None) -> None:
    for candidate in dict.fromkeys(candidates):
        told = (descriptions or {}).get(candidate)
        print(f"{candidate}\t{told}" if told else candidate)


def _starting(beginning: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(beginning)]


def _candidates(action: Action, before: list[str], current: str) -> list[str]:
    if action.choices is not None:
        return _starting(current, map(str, action.choices))
    if action.metavar == "UNIT" and before[0] == "convert":
        return _targets(before, current)
    names = _BY_METAVAR.get(str(action.metavar))
    return names(current) if names else []


def _units(text: str) -> list[str]:
    """The text with its last name completed; by other names only where no unit's own name fits."""
    from dimflow.cli.description import load_plugins
    from dimflow.units import find, scope

    load_plugins()
    match = _LAST_NAME.fullmatch(text)
    head, name = (match[1] or "", match[2]) if match else ("", text)
    if not name:
        return []
    own = [n for d in find("") for n in (d.name, d.symbol)] + _prefixed(name, find(""))
    found = _starting(name, own) or _starting(name, scope.current().spellings())
    return [head + n for n in found if _is_offered(n)]


def _is_offered(name: str) -> bool:
    """Whether a shell takes it as it is, and dimflow reads it without a question."""
    from dimflow.units import scope

    return _SAFE.fullmatch(name) is not None and name not in scope.current().ambiguous


def _prefixed(name: str, definitions: "list[Definition]") -> list[str]:
    """kilom -> kilometre; k -> km, kg, kN and the like, of the units given."""
    from dimflow.units import scope

    prefixes = scope.current().prefixes()
    short = [p.symbol for p in prefixes if name.startswith(p.symbol)]
    long = [p.name for p in prefixes if name.startswith(p.name)]
    units = [d for d in definitions if d.takes_symbols and d.family.startswith(_PREFIXED_FAMILIES)]
    return [
        *(p + d.symbol for p in short for d in units),
        *(p + n for p in long for d in units for n in (d.name, *d.aliases)),
    ]


def _targets(before: list[str], current: str) -> list[str]:
    """After a value with its unit, the units it can be converted to; before that, all."""
    import dimflow.units.typed_quantities as quantity
    from dimflow.errors import DimflowError
    from dimflow.units import find

    dimensions = []
    for word in before[1:]:
        try:
            dimensions.append(quantity.read(word).unit.dimension)
        except DimflowError:
            continue
    known = [d for d in dimensions if not d.is_dimensionless]
    if known and "--via" not in before:
        definitions = find(str(known[0]))  # those of SI first, and so their multiples
        fitting = [n for d in definitions for n in (d.symbol, d.name)]
        names = [*_starting(current, _prefixed(current, definitions)), *_starting(current, fitting)]
        exact = [n for n in fitting if n == current]
        found = [n for n in [*exact, *names] if _is_offered(n)]
        if found:
            return found
    return _units(current)


def _families(text: str) -> list[str]:
    from dimflow.units import find

    return _starting(text, dict.fromkeys(d.family for d in find("")))


def _constants(text: str) -> list[str]:
    from dimflow.constants.table import TABLE

    return _starting(text, TABLE.spelled) or _starting(text.lower(), TABLE.folded)


def _sources(text: str) -> list[str]:
    from dimflow import constants

    return _starting(text, dict.fromkeys(c.source for c in constants.catalogue()))


def _equivalencies(text: str) -> list[str]:
    from dimflow.units import equivalencies

    return _starting(text, equivalencies.named())


def _systems(text: str) -> list[str]:
    from dimflow.units import systems

    return _starting(text, systems())


def _notations(text: str) -> list[str]:
    return _starting(text, ("ucum", "latex", "siunitx", "html"))


# An argument is completed by what its metavar says it is.
_BY_METAVAR: dict[str, Callable[[str], list[str]]] = {
    "UNIT": _units,
    "SEARCH": _units,
    "FAMILY": _families,
    "CONSTANT": _constants,
    "SOURCE": _sources,
    "EQUIVALENCY": _equivalencies,
    "SYSTEM": _systems,
    "NOTATION": _notations,
}
