"""Where the boxes and lines of a directed graph go: in rows, each below all that it depends on."""

from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

GAP_X, GAP_Y = 22.0, 38.0
_SWEEPS = 8
_BEND = 8.0  # the room that a line needs between boxes

Node = Hashable
Graph = Mapping[Node, Sequence[Node]]  # each node with those that it is made from


class Place(NamedTuple):
    """A point; of a box, its middle."""

    x: float
    y: float


class Layout(NamedTuple):
    """A graph in the plane."""

    places: dict[Node, Place]
    lines: dict[tuple[Node, Node], list[Place]]  # from one that is needed to one that needs it
    width: float
    height: float


class _Bend(NamedTuple):
    """Where a line passes a row that it has no end in."""

    start: Node
    end: Node
    row: int


def laid_out(parents: Graph, widths: Mapping[Node, float], height: float) -> Layout:
    """Where boxes of these widths and one height go, and the lines between them."""
    rows = _depths(parents)
    whole, routes = _with_bends(parents, rows)
    levels: list[list[Node]] = [[] for _ in range(max(rows.values(), default=-1) + 1)]
    for node, row in rows.items():
        levels[row].append(node)
    sizes = {node: widths.get(node, _BEND) for node in whole}
    children = _children(whole)
    for sweep in range(_SWEEPS):
        _order(levels, whole if sweep % 2 == 0 else children, downwards=sweep % 2 == 0)
    xs = _across(levels, sizes, whole, children)
    at = {n: Place(xs[n], rows[n] * (height + GAP_Y) + height / 2) for n in whole}
    lines = {ends: [at[n] for n in route] for ends, route in routes.items()}
    width = max((xs[n] + sizes[n] / 2 for n in whole), default=0.0)
    places = {node: at[node] for node in parents}
    return Layout(places, lines, width, max(0.0, len(levels) * (height + GAP_Y) - GAP_Y))


def _depths(parents: Graph) -> dict[Node, int]:
    """The row of each node: by the longest way to it, and a source just above what needs it."""
    depth: dict[Node, int] = {}
    for node in _sorted(parents):
        depth[node] = max((depth[p] + 1 for p in parents[node]), default=0)
    children = _children(parents)
    for node in depth:
        if not parents[node] and children[node]:
            depth[node] = min(depth[c] for c in children[node]) - 1
    return depth


def _sorted(parents: Graph) -> list[Node]:
    """Every node after those that it is made from; without recursion, since graphs are deep."""
    done: dict[Node, None] = {}
    for start in parents:
        stack = [start]
        while stack:
            missing = [p for p in parents[stack[-1]] if p not in done]
            if missing and stack[-1] not in done:
                stack += reversed(missing)
            else:
                done.setdefault(stack.pop())
    return list(done)


def _children(parents: Graph) -> dict[Node, list[Node]]:
    children: dict[Node, list[Node]] = {node: [] for node in parents}
    for node, above in parents.items():
        for parent in above:
            children[parent].append(node)
    return children


def _with_bends(
    parents: Graph, rows: dict[Node, int]
) -> tuple[dict[Node, list[Node]], dict[tuple[Node, Node], list[Node]]]:
    """The graph with a node wherever a line passes a row, and the nodes along each line."""
    whole: dict[Node, list[Node]] = {node: [] for node in parents}
    routes = {}
    for node, above in parents.items():
        for parent in above:
            passed: list[Node] = [
                _Bend(parent, node, r) for r in range(rows[parent] + 1, rows[node])
            ]
            route = [parent, *passed, node]
            for start, end in pairwise(route):
                whole.setdefault(end, []).append(start)
            rows.update({bend: bend.row for bend in passed if isinstance(bend, _Bend)})
            routes[parent, node] = route
    return whole, routes


def _order(levels: list[list[Node]], neighbours: Graph, *, downwards: bool) -> None:
    """Put each node near the middle of its neighbours, so that few lines cross."""
    at = {node: (i + 0.5) / len(level) for level in levels for i, node in enumerate(level)}
    for level in levels if downwards else reversed(levels):
        wanted = {n: _mean([at[m] for m in neighbours[n]], at[n]) for n in level}
        level.sort(key=wanted.__getitem__)
        at.update({node: (i + 0.5) / len(level) for i, node in enumerate(level)})


def _across(
    levels: list[list[Node]], sizes: Mapping[Node, float], parents: Graph, children: Graph
) -> dict[Node, float]:
    """How far to the right each node is: in its order, and as near to its neighbours as may be."""
    xs: dict[Node, float] = {}
    for level in levels:
        xs.update(_spread(level, [0.0] * len(level), sizes))
    for sweep in range(_SWEEPS):
        neighbours = children if sweep % 2 == 0 else parents
        for level in reversed(levels) if sweep % 2 == 0 else levels:
            wanted = [_mean([xs[m] for m in neighbours[n]], xs[n]) for n in level]
            xs.update(_spread(level, wanted, sizes))
    left = min((xs[n] - sizes[n] / 2 for n in xs), default=0.0)
    return {node: x - left for node, x in xs.items()}


def _spread(
    level: Sequence[Node], wanted: Sequence[float], sizes: Mapping[Node, float]
) -> dict[Node, float]:
    """Places in a row that do not overlap, as a whole in the middle of those that are wanted."""
    found: list[float] = []
    for node, x in zip(level, wanted, strict=True):
        if found:
            before = level[len(found) - 1]
            x = max(x, found[-1] + (sizes[before] + sizes[node]) / 2 + GAP_X)
        found.append(x)
    shift = _mean([w - x for w, x in zip(wanted, found, strict=True)], 0.0)
    return {node: x + shift for node, x in zip(level, found, strict=True)}


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
