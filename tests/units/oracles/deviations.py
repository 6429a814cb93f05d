"""Where another library and dimflow differ, as data: one TOML file an oracle.

disagreement    one text, two meanings, who is right and why: ["rod", "5.02921005842 m", "5.0292 m"]
                is the text, theirs and ours
rounded         theirs is ours with fewer digits: both agree to the tolerance, and no better
unread          what they read and dimflow does not
collision       as a disagreement, but by a prefix: their hectohour is our hand
unprefixed      units of theirs that dimflow reads, but not with a prefix
form            ways of theirs to write compound units that dimflow does not read
example         examples in their documentation that dimflow does not read
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tests.units.oracles.reading import Reading

WHO = ("ours", "theirs", "both")


class Pair(NamedTuple):
    """Two readings of one text, as they were when the line was written."""

    theirs: str
    ours: str

    @classmethod
    def of(cls, theirs: Reading, ours: Reading) -> "Pair":
        """As text, with as many digits as it takes to see a difference."""
        pair = cls(str(theirs), str(ours))
        return pair if pair.theirs != pair.ours else cls(theirs.exactly(), ours.exactly())


class Deviations:
    """The lists of one file."""

    def __init__(self, oracle: str) -> None:
        path = Path(__file__).parent / f"disagreements_{oracle}.toml"
        self.groups: dict[str, list[dict[str, Any]]] = tomllib.loads(path.read_text("utf-8"))
        self.disagreements = self._pairs("disagreement")
        self.collisions = self._pairs("collision")
        self.rounded = {
            name: group["tolerance"] for group in self._group("rounded") for name in group["names"]
        }
        self.unprefixed = self._names("unprefixed")
        self.unread = self._names("unread")
        self.unread_forms = self._names("form")
        self.unread_examples = self._names("example")

    def _group(self, kind: str) -> list[dict[str, Any]]:
        return self.groups.get(kind, [])

    def _pairs(self, kind: str) -> dict[str, Pair]:
        return {
            name: Pair(theirs, ours)
            for group in self._group(kind)
            for name, theirs, ours in group["names"]
        }

    def _names(self, kind: str) -> set[str]:
        return {name for group in self._group(kind) for name in group["names"]}


@cache
def deviations(oracle: str) -> Deviations:
    return Deviations(oracle)
