"""The reference shows every public function of functions."""

import re
from pathlib import Path

import pytest

import dimflow
import dimflow.dask

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
PAGE = (REFERENCE / "transforms.md").read_text()
DASK = (REFERENCE / "dask.md").read_text()
SHOWN = set(re.findall(r"^::: (\S+)$", PAGE, re.MULTILINE))
PUBLIC = {name: home for name, home in dimflow._NAMES.items() if ".transforms" in home}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_is_on_the_page(name: str) -> None:
    assert f"{PUBLIC[name]}.{name}" in SHOWN
    assert getattr(dimflow, name).__module__ == PUBLIC[name]


def test_public_names_are_listed_in_order() -> None:
    assert list(PUBLIC) == sorted(PUBLIC, key=str.lower)
    assert set(PUBLIC) - {"map"} <= set(dimflow.__all__)  # a star import would hide Python's own


@pytest.mark.parametrize("name", dimflow.dask.__all__)
def test_a_public_name_of_dask_is_on_its_page(name: str) -> None:
    assert re.search(rf"^::: \S+\.{name}$|`{name}`|^## dimflow.dask.{name}$", DASK, re.MULTILINE)


@pytest.mark.parametrize("part", dimflow.dask.DaskDimArray.__bases__, ids=lambda cls: cls.__name__)
def test_every_part_of_a_lazy_array_is_shown(part: type) -> None:
    own = [name for name in vars(part) if not name.startswith("_")]
    assert not own or f"::: {part.__module__}.{part.__name__}\n" in DASK
