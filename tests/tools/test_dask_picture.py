"""The pictures of graphs in the guide are those that `visualize` draws today."""

import pytest

from tools import make_dask_picture

DRAWN = make_dask_picture.drawn()


@pytest.mark.parametrize("name", DRAWN)
def test_the_picture_is_current(name: str) -> None:
    kept = (make_dask_picture.ASSETS / name).read_text(encoding="utf-8")
    assert kept == DRAWN[name], "run: python tools/make_dask_picture.py"


def test_the_guide_shows_them() -> None:
    page = (make_dask_picture.ASSETS.parent / "guide/dask.md").read_text(encoding="utf-8")
    assert all(f"../assets/{name}" in page for name in DRAWN)


def test_both_conversions_stand_out() -> None:
    assert DRAWN["dask_graph.svg"].count("convert:") == 2
    assert DRAWN["dask_tasks.svg"].count("convert:") == 4 + 2  # blocks
