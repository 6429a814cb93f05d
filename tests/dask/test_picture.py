"""Pictures of graphs: every layer, every line, the units, and nothing that a label could break."""

import itertools
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import dask
import dask.array as da
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow import units as u
from dimflow.dask import DaskDimArray, Picture, draw
from dimflow.dask.picture_layout import GAP_X, laid_out
from dimflow.errors import ComputationError
from dimflow.units import decode
from tests.dask.conftest import nothing_runs

SVG = "{http://www.w3.org/2000/svg}"
CONVERSION = "#ffe0b3"


def program() -> DaskDimArray:
    speed = DaskDimArray(np.ones((4, 4)), "m/s", chunks=(2, 4))
    time = DaskDimArray(np.ones((4, 4)), "min", chunks=(2, 4))
    start = DaskDimArray(np.ones((4, 4)), "km", chunks=(2, 4))
    return (start + speed * time).sum()


def parsed(picture: Picture) -> ElementTree.Element:
    return ElementTree.fromstring(picture.svg)


def texts(picture: Picture) -> list[str]:
    return [t.text or "" for t in parsed(picture).iter(f"{SVG}text")]


def boxes(picture: Picture) -> list[dict[str, str]]:
    return [r.attrib for r in parsed(picture).iter(f"{SVG}rect")]


def lines(picture: Picture) -> int:
    return sum(p.attrib.get("fill") == "none" for p in parsed(picture).iter(f"{SVG}path"))


def test_layers_lines_and_units() -> None:
    x = program()
    with nothing_runs():
        picture = x.visualize()
    assert isinstance(picture, Picture)
    assert picture._repr_svg_() == picture.svg
    assert len(boxes(picture)) == picture.boxes == len(x.dask.layers)
    assert lines(picture) == sum(map(len, x.dask.dependencies.values()))
    for unit in ("[m/s]", "[min]", "[km]"):
        assert unit in texts(picture)
    assert "4 × 4 in 2 blocks" in texts(picture)
    assert "one number in 1 block" in texts(picture)


def test_conversions_stand_out() -> None:
    picture = program().visualize()
    (converted,) = [b for b in boxes(picture) if b["fill"] == CONVERSION]
    assert converted
    assert sum(t.startswith("convert: ") for t in texts(picture)) == 1
    same = DaskDimArray(np.ones(3), "m") + DaskDimArray(np.ones(3), "m")
    assert all(b["fill"] != CONVERSION for b in boxes(same.visualize()))


def test_a_shift_and_a_factor_are_both_shown() -> None:
    warm = DaskDimArray(np.ones(3), "degF").to("degC").visualize()
    shown = [t for t in texts(warm) if t.startswith("convert: ")]
    assert len(shown) == 2
    assert any("÷ 1.8" in t or "× 0.5" in t for t in shown)
    assert any("-17.7" in t for t in shown)


def test_tasks() -> None:
    x = program()
    with nothing_runs():
        picture = x.visualize(tasks=True)
    assert len(boxes(picture)) == len(dict(x.dask))
    assert "block 1, 0" in texts(picture)
    assert texts(picture).count("[min]") == 2


def test_tasks_that_will_run() -> None:
    x = program()
    with nothing_runs():
        picture = x.visualize(optimize_graph=True)
    assert len(boxes(picture)) <= len(x.optimize().dask)
    assert len(boxes(picture)) < len(dict(x.dask))


def test_several_collections_in_one_picture() -> None:
    x = DaskDimArray(np.ones(4), "m", chunks=2)
    one, other = x.sum(), x.data.max()
    picture = draw(one, {"b": other})
    assert picture.boxes == len({*one.dask.layers, *other.dask.layers})
    later = dask.delayed(len)(x)
    assert draw(later, tasks=True).boxes >= 3
    assert draw(later).boxes >= 2


def test_nothing_lazy_is_no_picture() -> None:
    with pytest.raises(ComputationError, match="nothing lazy"):
        draw(1, "a")


def test_too_many_boxes_are_refused() -> None:
    x = DaskDimArray(da.ones(900, chunks=1), "m")
    with nothing_runs(), pytest.raises(ComputationError, match="900 boxes are more"):
        x.visualize(tasks=True)
    assert x.visualize().boxes == 1
    assert draw(x, tasks=True, limit=900).boxes == 900


def test_labels_are_escaped() -> None:
    unit = decode('dimflow.unit/1|1|<&">:<script>:2:L1:1')
    raw = da.ones(3, name="a<script>&b-0123456789abcdef")
    picture = DaskDimArray(raw, unit).visualize()
    assert "<script>" not in picture.svg
    assert '[<&">]' in texts(picture)


def test_unknown_lengths_are_drawn() -> None:
    x = DaskDimArray(np.arange(4.0), "m", chunks=2)
    assert any(t.startswith("? in 2") for t in texts(x[x > 1 * u.m].visualize()))


def test_the_same_program_gives_the_same_picture() -> None:
    assert program().visualize().svg == program().visualize().svg
    assert program().visualize(tasks=True).svg == program().visualize(tasks=True).svg


@pytest.mark.parametrize("name", ["graph", "graph.svg"])
def test_files(tmp_path: Path, name: str) -> None:
    picture = program().visualize(tmp_path / name)
    assert (tmp_path / "graph.svg").read_text(encoding="utf-8") == picture.svg
    assert [p.name for p in tmp_path.iterdir()] == ["graph.svg"]
    assert "boxes" in repr(picture)


def test_nothing_is_written_unless_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program().visualize()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "options",
    [{"engine": "graphviz"}, {"filename": "a.png"}, {"color": "order"}],
    ids=["engine", "suffix", "option"],
)
def test_dasks_own_engines_are_asked_where_ours_cannot(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(dask, "visualize", lambda *args, **kwargs: asked.append((args, kwargs)))
    x = program()
    x.visualize(**options)
    ((args, given),) = asked
    assert args == (x,) or args[0] is x
    assert options.items() <= given.items()


def test_the_engine_of_the_configuration_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(dask, "visualize", lambda *args, **kwargs: asked.append(kwargs))
    with dask.config.set({"visualization.engine": "cytoscape"}):
        program().visualize()
    assert asked[0]["engine"] == "cytoscape"


# Where boxes go


@st.composite
def graphs(draw_from: Any) -> dict[int, list[int]]:
    """Each node depends on some of those before it."""
    count = draw_from(st.integers(1, 14))
    return {
        n: sorted(draw_from(st.sets(st.integers(0, n - 1), max_size=4))) if n else []
        for n in range(count)
    }


@given(graph=graphs(), width=st.floats(10, 200))
def test_boxes_never_overlap_and_stand_below_what_they_need(
    graph: dict[int, list[int]], width: float
) -> None:
    widths: dict[Any, float] = {n: width + 5 * n for n in graph}
    layout = laid_out(graph, widths, 40.0)
    assert set(layout.places) == set(graph)
    assert set(layout.lines) == {(p, n) for n, above in graph.items() for p in above}
    for (parent, node), route in layout.lines.items():
        assert route[0] == layout.places[parent]
        assert route[-1] == layout.places[node]
        assert all(a.y < b.y for a, b in itertools.pairwise(route))
    rows: dict[float, list[tuple[float, float]]] = {}
    for node, place in layout.places.items():
        half = widths[node] / 2
        assert place.x - half >= -1e-6
        assert place.x + half <= layout.width + 1e-6
        assert 20 <= place.y <= layout.height - 20
        rows.setdefault(place.y, []).append((place.x - half, place.x + half))
    for row in rows.values():
        row.sort()
        assert all(b[0] - a[1] >= GAP_X - 1e-6 for a, b in itertools.pairwise(row))


def test_a_long_line_goes_around_boxes() -> None:
    graph = {"a": [], "b": ["a"], "c": ["b"], "d": ["c", "a"]}
    layout = laid_out(graph, dict.fromkeys(graph, 50.0), 20.0)
    route = layout.lines["a", "d"]
    assert len(route) == 4
    for bend in route[1:-1]:
        assert all(abs(bend.x - p.x) > 25 for p in layout.places.values() if p.y == bend.y)


def test_deep_graphs_need_no_recursion() -> None:
    graph: dict[Any, list[Any]] = {0: [], **{n: [n - 1] for n in range(1, 3000)}}
    assert len(laid_out(graph, dict.fromkeys(graph, 10.0), 10.0).places) == 3000


def test_numbers_in_the_file_are_short() -> None:
    assert not re.search(r"\d\.\d{3}", program().visualize().svg)
