"""The reference shows every public function of functions."""

import re
from pathlib import Path

import pytest

import dimflow

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "transforms.md").read_text()
SHOWN = set(re.findall(r"^::: (\S+)$", PAGE, re.MULTILINE))
PUBLIC = {name: home for name, home in dimflow._NAMES.items() if ".transforms" in home}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_is_on_the_page(name: str) -> None:
    assert f"{PUBLIC[name]}.{name}" in SHOWN
    assert getattr(dimflow, name).__module__ == PUBLIC[name]


def test_public_names_are_listed_in_order() -> None:
    assert list(PUBLIC) == sorted(PUBLIC, key=str.lower)
    assert set(PUBLIC) - {"map"} <= set(dimflow.__all__)  # a star import would hide Python's own
