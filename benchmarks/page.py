"""The page of the docs: what a suite measured stands between two markers, the rest is prose."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import table

NEXT = "<!-- the next suite comes here -->"


class Drawn(NamedTuple):
    """A picture besides that of the table."""

    name: str
    caption: str
    path: str


def section(record: dict[str, Any], about: str, plot: str, pictures: Iterable[Drawn] = ()) -> str:
    """What the page says about one suite, markers included."""
    name = record["suite"]
    more = [
        line
        for drawn in pictures
        for line in (drawn.caption, "", f"![{record['title']}, {drawn.name}]({drawn.path})", "")
    ]
    return "\n".join(
        [
            begin(name),
            f"## {record['title']}",
            "",
            about,
            "",
            table.markdown(record),
            "",
            f"![{record['title']}, drawn]({plot})",
            "",
            *more,
            table.machine(record),
            end(name),
        ]
    )


def refresh(page: Path, name: str, text: str) -> None:
    """Put the section in its place; that of a new suite comes after the others."""
    old = page.read_text(encoding="utf-8")
    pattern = re.compile(re.escape(begin(name)) + ".*?" + re.escape(end(name)), re.DOTALL)
    if pattern.search(old):
        new = pattern.sub(lambda _: text, old, count=1)
    else:
        before, marker, after = old.partition(NEXT)
        new = f"{before}{text}\n\n{marker}{after}"
    page.write_text(new, encoding="utf-8")


def begin(name: str) -> str:
    return f"<!-- begin {name}: written by `make bench` -->"


def end(name: str) -> str:
    return f"<!-- end {name} -->"
