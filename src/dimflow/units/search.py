"""Searching the units in force by name, symbol, family or dimension."""

from dimflow.errors import UndefinedDimensionError, UnitError
from dimflow.units import scope
from dimflow.units.definition import Definition
from dimflow.units.dimension import Dimension
from dimflow.units.dimension import named as named_dimensions
from dimflow.units.unit import Unit


def find(search: str = "") -> list[Definition]:
    """The definitions that fit a search: part of a name, a symbol, a family, or a dimension.

    A dimension is written by name (`pressure`, `[pressure]`), by formula (`[length]/[time]`) or
    by a unit in it (`[km/h]`). Exact hits come first.
    """
    registry = scope.current()
    registry.load_plugins()
    definitions = list(dict.fromkeys(registry))
    text = search.strip()
    if not text:
        return definitions
    dimension = _dimension(text)
    folded = text.casefold()
    ranked: list[tuple[int, int, Definition]] = []
    for position, definition in enumerate(definitions):
        rank = _rank(definition, text, folded)
        if dimension is not None and (rank is None or rank > 2):
            unit = registry.unit(definition.name)
            rank = 2 if unit.dimension is dimension else rank
        if rank is not None:
            ranked.append((rank, position, definition))
    return [definition for *_, definition in sorted(ranked, key=lambda hit: hit[:2])]


def _rank(definition: Definition, text: str, folded: str) -> int | None:
    spellings = definition.spellings
    if text in spellings:
        return 0
    if any(s.casefold() == folded for s in spellings):
        return 1
    if len(folded) > 1 and any(folded in s.casefold() for s in spellings):
        return 3
    if len(folded) > 2 and folded in definition.family.casefold():
        return 4
    return None


def _dimension(text: str) -> Dimension | None:
    bare = text.strip("[]").replace(" ", "_")
    if bare in named_dimensions():
        return named_dimensions()[bare]
    if not text.startswith("["):
        return None
    try:
        return Dimension(text)
    except UnitError as error:
        try:
            return Unit(text.strip("[]")).dimension
        except UnitError:
            if isinstance(error, UndefinedDimensionError) and error.suggestions:
                raise error from None
            raise
