"""The tests of one library: a file each, so that they run side by side."""

from typing import Any

import pytest

from tests.contract.libraries.check import judged, table
from tests.contract.libraries.conduct import CONDUCT, EXCUSED
from tests.contract.libraries.library import Library, chosen_of
from tests.contract.samples import DEEP


def library_of(package: str) -> Library:
    text = chosen_of(package)
    assert text is not None
    return Library(text)


def laws_on(package: str, part: int = 0, parts: int = 1) -> Any:
    """A test of every law for each op; the data says which are broken, and why."""
    library = library_of(package)

    @pytest.mark.parametrize("name", table()[part::parts])
    def test(name: str) -> None:
        problems = judged(library, name, thorough=DEEP)
        assert not problems, f"{name} on {library.text}:\n" + "\n".join(problems)

    return test


def conduct_on(package: str) -> Any:
    """A test of what holds for arrays with units, beside the ops."""
    library = library_of(package)

    def excused(law: str) -> list[Any]:
        reason = EXCUSED.get((package, law))
        return [] if reason is None else [pytest.mark.xfail(strict=True, reason=reason)]

    laws = [pytest.param(law, id=law, marks=excused(law)) for law in CONDUCT]

    @pytest.mark.parametrize("law", laws)
    def test(law: str) -> None:
        with library.ready():
            CONDUCT[law](library)

    return test
