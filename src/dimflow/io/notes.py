"""Comments above the numbers of a text file, of which one may say their units."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from dimflow.io.headings import units_in_brackets
from dimflow.io.numbers import Layout, Line

_SETTING = re.compile(r"[=:]\s*[-+]?\.?\d")  # before a bracket: Fs = 100 [Hz] is no heading


class Said(NamedTuple):
    """A comment that says the unit of each column."""

    number: int
    text: str
    units: list[str]


def units_above(
    style: Layout, notes: Sequence[Line], first: int, count: int, keyword: str
) -> Said | None:
    """The last comment above a line that has one unit in square brackets for each column.

    Or the only one with brackets, if it has one unit: that of all columns. A hint names the
    keyword by which the caller takes units.
    """
    said = [
        Said(note.number, note.text, units)
        for note in notes
        if note.number < first and not _SETTING.search(note.text.rpartition("[")[0])
        if (units := units_in_brackets(note.text))
    ]
    if not said:
        return None
    fitting = [each for each in said if len(each.units) == count]
    found = (fitting or said)[-1]
    if len(found.units) == len(said) == 1:
        found = found._replace(units=found.units * count)
    if len(found.units) != count:
        problem = f"{len(found.units)} units for {count} columns"
        raise style.error(found.number, None, problem, f"say them: {keyword}=[...]")
    return found
