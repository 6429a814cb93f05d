"""The two registries that are always there: the built-in table, and the shared one over it."""

from collections.abc import Iterator
from pathlib import Path

from dimflow.units import scope
from dimflow.units.registry import Registry

_FOLDER = Path(__file__).parent / "definitions"


def _texts() -> Iterator[str]:
    """The files of definitions, SI first: what is listed or found is in this order."""
    files = sorted(_FOLDER.glob("*.units"), key=lambda path: (path.stem != "si", path.stem))
    return (path.read_text(encoding="utf-8") for path in files)


builtin = scope.builtin = Registry.of_texts(_texts, "built-in")
shared = scope.shared = Registry.with_plugins(builtin, "shared")
