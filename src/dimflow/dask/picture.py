"""Pictures of graphs, with units: what an array will do, drawn without any other program."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import dask
from dask._task_spec import Alias, convert_legacy_graph
from dask.base import collections_to_expr, unpack_collections
from dask.highlevelgraph import HighLevelGraph
from dask.utils import key_split

from dimflow.array import DimArray
from dimflow.backends.dask_blocks.notes import CONVERSION, UNIT
from dimflow.dask.picture_layout import Layout, Place, laid_out
from dimflow.errors import ComputationError

LIMIT = 400  # boxes that can be read
_CHARACTER, _BOLD, _PAD, _LINE, _MARGIN = 7.0, 7.8, 10.0, 16.0, 12.0
_MOST = 34  # characters of a line
_SOURCE, _STEP, _CONVERSION, _RESULT = "#dbe9f6", "#f4f4f4", "#ffe0b3", "#d9f0d3"


class Box(NamedTuple):
    """What is written about a layer or a task."""

    lines: tuple[str, ...]
    fill: str


class Picture:
    """A drawing in SVG, which Jupyter shows; `save` writes it to a file."""

    def __init__(self, svg: str, boxes: int) -> None:
        self.svg = svg
        self.boxes = boxes  # how many there are

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> Path:
        """Write the drawing to a file, of the suffix `.svg` if it is given none."""
        path = Path(path)
        path = path if path.suffix else path.with_suffix(".svg")
        path.write_text(self.svg, encoding="utf-8")
        return path

    def __repr__(self) -> str:
        return f"<Picture of a graph, {self.boxes} boxes>"


class Drawing(DimArray):
    """Arrays draw what they will do."""

    __slots__ = ()

    def visualize(
        self,
        filename: str | Path | None = None,
        *,
        tasks: bool = False,
        optimize_graph: bool = False,
        engine: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """A picture of the graph with units; conversions stand out.

        A box is an operation on the whole array, or with `tasks=True` on a block. What will run
        after Dask's optimisation is drawn with `optimize_graph=True`. An SVG is written where a
        filename is given. `engine="graphviz"` (or another, also in Dask's configuration), other
        kinds of file and options of Dask's are left to `dask.visualize`, which knows no units.
        """
        engine = engine or dask.config.get("visualization.engine", None)
        is_svg = filename is None or Path(filename).suffix in ("", ".svg")
        if engine or kwargs or not is_svg:
            kwargs |= {"engine": engine, "optimize_graph": optimize_graph}
            name = None if filename is None else str(filename)
            return dask.visualize(self, filename=name, traverse=False, **kwargs)
        drawn = draw(self, tasks=tasks, optimize_graph=optimize_graph)
        if filename is not None:
            drawn.save(filename)
        return drawn


def draw(
    *collections: Any, tasks: bool = False, optimize_graph: bool = False, limit: int = LIMIT
) -> Picture:
    """A picture of the graph of arrays and other collections together.

    `tasks=True` draws every task, `optimize_graph=True` those that Dask would run. An error says
    so if there are more than `limit` boxes.
    """
    found, _ = unpack_collections(*collections)
    if not found:
        raise ComputationError("draw", "nothing lazy was given", "draw(x), with an x of Dask")
    results = {name for c in found for name in _names(c)}
    layered = HighLevelGraph.merge(*(_layers(c) for c in found))
    if tasks or optimize_graph:
        parents, boxes = _tasks(found, layered.layers, optimize_graph)
    else:
        order = {name: place for place, name in enumerate(layered.layers)}
        parents = {
            name: sorted(layered.dependencies[name], key=order.__getitem__) for name in order
        }
        boxes = {
            name: _layer_box(name, layer, bool(parents[name]), name in results)
            for name, layer in layered.layers.items()
        }
    if len(boxes) > limit:
        reason = f"{len(boxes):,} boxes are more than can be read (limit={limit})"
        hint = "draw it with fewer, larger chunks" if tasks else "draw a part of the program"
        raise ComputationError("draw", reason, hint)
    return Picture(_svg(parents, boxes), len(boxes))


def _tasks(
    collections: list[Any], layers: Mapping[str, Any], optimize_graph: bool
) -> tuple[dict[Any, list[Any]], dict[Any, Box]]:
    """Every task with those that it needs, and what is written about it.

    Names that only stand for a task (fusing leaves them) are drawn as that task.
    """
    graph = convert_legacy_graph(collections_to_expr(collections, optimize_graph).__dask_graph__())
    stand_for = {key: task.target for key, task in graph.items() if isinstance(task, Alias)}
    also = {target: key for key, target in stand_for.items()}

    def real(key: Any) -> Any:
        while key in stand_for:
            key = stand_for[key]
        return key

    order = {name: place for place, name in enumerate(layers)}

    def by_block(key: Any) -> tuple[str, int, str]:
        name, index = _parts(key)
        return str(index), order.get(name, len(order)), str(key_split(name))

    parents = {
        key: sorted(set(map(real, graph[key].dependencies)), key=by_block)
        for key in sorted(graph, key=by_block)
        if key not in stand_for
    }
    needed = {p for above in parents.values() for p in above}
    boxes = {}
    for key, above in parents.items():
        own = _notes(layers, key)
        box = _task_box(key, own or _notes(layers, also.get(key)), bool(above), key not in needed)
        is_fused = not own  # of several, of which a conversion is the last at most
        boxes[key] = box._replace(lines=(_named(key), *box.lines[1:])) if is_fused else box
    return parents, boxes


def _parts(key: Any) -> tuple[str, tuple[Any, ...]]:
    return (str(key[0]), key[1:]) if isinstance(key, tuple) else (str(key), ())


def _notes(layers: Mapping[str, Any], key: Any) -> Mapping[str, Any]:
    layer = layers.get(_parts(key)[0])
    return (layer.collection_annotations if layer is not None else None) or {}


def _layers(collection: Any) -> HighLevelGraph:
    graph = collection.__dask_graph__()
    if isinstance(graph, HighLevelGraph):
        return graph
    return HighLevelGraph.from_collections(_names(collection)[0], graph)


def _names(collection: Any) -> Sequence[str]:
    layers = getattr(collection, "__dask_layers__", None)
    return layers() if layers is not None else (str(collection.__dask_keys__()[0]),)


def _layer_box(name: str, layer: Any, has_parents: bool, is_result: bool) -> Box:
    notes = layer.collection_annotations or {}
    lines = [_title(name, notes)]
    if "shape" in notes:
        blocks = len(layer.get_output_keys())
        lines.append(f"{_shape(notes['shape'])} in {blocks} block{'s' * (blocks != 1)}")
    lines.append(f"[{notes[UNIT]}]" if UNIT in notes else "")
    return Box(tuple(map(_short, lines)), _fill(notes, has_parents, is_result))


def _task_box(key: Any, notes: Mapping[str, Any], has_parents: bool, is_result: bool) -> Box:
    name, index = _parts(key)
    lines = [_title(name, notes), f"block {', '.join(map(str, index))}" if index else ""]
    lines.append(f"[{notes[UNIT]}]" if UNIT in notes else "")
    return Box(tuple(map(_short, lines)), _fill(notes, has_parents, is_result))


def _named(key: Any) -> str:
    return _short(str(key_split(_parts(key)[0])))


def _title(name: str, notes: Mapping[str, Any]) -> str:
    return f"convert: {notes[CONVERSION]}" if CONVERSION in notes else str(key_split(name))


def _shape(shape: Sequence[Any]) -> str:
    return " × ".join("?" if n != n else str(n) for n in shape) if shape else "one number"


def _short(line: str) -> str:
    return line if len(line) <= _MOST else line[: _MOST - 1] + "…"


def _fill(notes: Mapping[str, Any], has_parents: bool, is_result: bool) -> str:
    if CONVERSION in notes:
        return _CONVERSION
    if is_result:
        return _RESULT
    return _STEP if has_parents else _SOURCE


def _svg(parents: Mapping[Any, Sequence[Any]], boxes: Mapping[Any, Box]) -> str:
    tallest = max(len(box.lines) for box in boxes.values())
    height = tallest * _LINE + _PAD
    widths = {node: _width(box) for node, box in boxes.items()}
    layout = laid_out(parents, widths, height)
    width, depth = layout.width + 2 * _MARGIN, layout.height + 2 * _MARGIN
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{depth:.0f}" '
        f'viewBox="{-_MARGIN:.0f} {-_MARGIN:.0f} {width:.0f} {depth:.0f}" '
        'font-family="sans-serif" font-size="12">'
    )
    parts = [head, *_drawn_lines(layout, height)]
    for node, box in boxes.items():
        parts += _drawn_box(box, layout.places[node], widths[node], height)
    return "\n".join([*parts, "</svg>\n"])


def _width(box: Box) -> float:
    title, *others = map(len, box.lines)
    return max(title * _BOLD, *(n * _CHARACTER for n in others)) + 2 * _PAD


def _drawn_lines(layout: Layout, height: float) -> Iterator[str]:
    """Each line as curves that leave downwards and arrive downwards, with a head at its end."""
    for route in layout.lines.values():
        x, y = route[0].x, route[0].y + height / 2
        path = f"M{x:.1f},{y:.1f}"
        for place in route[1:]:
            top = place.y - height / 2
            middle = (y + top) / 2
            path += f" C{x:.1f},{middle:.1f} {place.x:.1f},{middle:.1f} {place.x:.1f},{top:.1f}"
            x, y = place.x, top
            if place is not route[-1]:
                y = place.y + height / 2
                path += f" L{x:.1f},{y:.1f}"
        yield f'<path d="{path}" fill="none" stroke="#888"/>'
        yield f'<path d="M{x - 4:.1f},{y - 7:.1f} l4,7 l4,-7 z" fill="#888"/>'


def _drawn_box(box: Box, place: Place, width: float, height: float) -> Iterator[str]:
    x, y = place.x - width / 2, place.y - height / 2
    yield (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="6" '
        f'fill="{box.fill}" stroke="#666"/>'
    )
    lines = [line for line in box.lines if line]
    top = place.y - (len(lines) - 1) * _LINE / 2 + 4
    for number, line in enumerate(lines):
        weight = ' font-weight="bold"' if number == 0 else ""
        yield (
            f'<text x="{place.x:.1f}" y="{top + number * _LINE:.1f}" text-anchor="middle" '
            f'fill="#111"{weight}>{escape(line)}</text>'
        )
