"""Notebooks: they run, give what they are kept with, and become pages of the site."""

from pathlib import Path
from typing import Any

import pytest

from tools import notebook_pages as pages

PATHS = sorted(pages.FOLDER.glob("*.ipynb"))


def texts(outputs: list[dict[str, Any]]) -> list[str]:
    """What can be compared: all but pictures, which another Matplotlib draws otherwise."""
    found = []
    for output in outputs:
        data = output.get("data", {})
        found.append("".join(output.get("text", data.get("text/plain", []))))
    return found


def cells(*sources: str) -> pages.Notebook:
    made = [{"cell_type": "code", "source": pages.lines(source)} for source in sources]
    return {"cells": [{"cell_type": "markdown", "source": ["# A\n", "text"]}, *made]}


def ran(*sources: str) -> list[list[str]]:
    return [texts(outputs) for _, outputs in pages.outputs(cells(*sources))]


def test_there_is_a_notebook() -> None:
    assert [path.name for path in PATHS] == ["dask.ipynb"]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_it_gives_what_it_is_kept_with(path: Path) -> None:
    notebook = pages.read(path)
    kept = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for (code, found), expected in zip(pages.outputs(notebook), kept, strict=True):
        assert texts(found) == texts(expected), code
        assert [set(o.get("data", ())) for o in found] == [set(o.get("data", ())) for o in expected]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_it_is_kept_with_pictures_and_in_the_form_that_jupyter_reads(path: Path) -> None:
    notebook = pages.read(path)
    kinds = {
        kind
        for cell in notebook["cells"]
        for output in cell.get("outputs", [])
        for kind in output.get("data", ())
    }
    assert {"image/png", "image/svg+xml", "text/html", "text/plain"} <= kinds
    assert (notebook["nbformat"], notebook["metadata"]["language_info"]["name"]) == (4, "python")
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(ids) == len(set(ids))
    counts = [c["execution_count"] for c in notebook["cells"] if c["cell_type"] == "code"]
    assert counts == list(range(1, len(counts) + 1))


def test_cells_share_a_namespace_and_show_their_last_value() -> None:
    assert ran("x = 2", "x + 1", "print(x)\nx * x", "x + 1;", "x = 5\nNone") == [
        [],
        ["3"],
        ["2\n", "4"],
        [],
        [],
    ]


def test_an_error_is_not_swallowed() -> None:
    with pytest.raises(ZeroDivisionError):
        ran("1 / 0")


def test_figures_are_drawn_and_closed() -> None:
    ((figure,), after) = (
        outputs
        for _, outputs in pages.outputs(
            cells(
                "import matplotlib.pyplot as plt\nbefore = plt.get_fignums()\nplt.figure();",
                "plt.get_fignums() == before",
            )
        )
    )
    assert figure["data"]["image/png"].startswith("iVBORw0KGgo")  # PNG, in base 64
    assert texts(after) == ["True"]


def test_figures_that_others_left_open_are_not_those_of_a_cell() -> None:
    from matplotlib import pyplot

    other = pyplot.figure()
    try:
        assert ran("2", "import matplotlib.pyplot as plt\nplt.figure();") == [
            ["2"],
            ["<Figure>"],
        ]
        assert pyplot.fignum_exists(other.number)
    finally:
        pyplot.close(other)


def test_a_page_shows_code_and_what_came_out() -> None:
    notebook = pages.ran(
        cells("print('a')", "2 + 2", "class A:\n    _repr_html_ = lambda s: '<b>\\n\\nB'\nA()")
    )
    assert pages.markdown(notebook, "a.ipynb").split("\n\n") == [
        "# A\ntext",
        "[Download this notebook](a.ipynb), with what came out when it was last run.",
        "```py\nprint('a')\n```",
        "```text\na\n```",
        "```py\n2 + 2\n```",
        "```text\n4\n```",
        "```py\nclass A:\n    _repr_html_ = lambda s: '<b>\\n\\nB'\nA()\n```",
        "<div><b>\nB</div>\n",
    ]


def test_running_it_again_changes_nothing_but_what_came_out() -> None:
    notebook = cells("1 + 1")
    again = pages.ran(pages.ran(notebook))
    assert [cell["source"] for cell in again["cells"]] == [c["source"] for c in notebook["cells"]]
    assert again == pages.ran(notebook)
