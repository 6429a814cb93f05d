"""A tape that is gone forward: the linear map from tangents of arguments to those of results."""

from collections.abc import Callable, Container, Sequence
from typing import Any

from dimflow.autodiff.node import Node
from dimflow.autodiff.rules import pushed, zeros_for
from dimflow.autodiff.tape import recorded


def linearize(
    function: Callable[..., Any], args: Sequence[Any]
) -> tuple[tuple[Any, ...], Callable[[Sequence[Any]], tuple[Any, ...]]]:
    """The results of a function of raw arrays, and how they change with the arguments.

    The function runs once; the calls that it made are kept, and gone through for each tangent.
    """
    values, ends, sources = recorded(function, args)
    calls = calls_before([end.node for end in ends if end is not None])

    def push(tangents: Sequence[Any]) -> tuple[Any, ...]:
        moved: dict[int, list[Any]] = {}
        for source, tangent in zip(sources, tangents, strict=True):
            moved[source.node.serial] = [tangent]
        return tuple(
            zeros_for(v) if change is None else change
            for v, change in zip(values, moved_on(moved, calls, ends), strict=True)
        )

    return values, push


def moved_on(moved: dict[int, list[Any]], calls: Sequence[Node], ends: Sequence[Any]) -> list[Any]:
    """The tangents where a tape ends, from those of the results of some calls, by serial."""
    for node in calls:
        given = [_tangent(moved, parent) for parent in node.parents or ()]
        if any(t is not None for t in given):
            moved[node.serial] = pushed(node, given)
    return [None if end is None else _tangent(moved, (end.node, end.place)) for end in ends]


def _tangent(moved: dict[int, list[Any]], link: Any) -> Any:
    """The tangent of a result that a link points to; None if it does not change."""
    node, place = link if isinstance(link, tuple) else (link, 0)
    return None if node is None or node.serial not in moved else moved[node.serial][place]


def calls_before(ends: Sequence[Node], sources: Container[int] = ()) -> list[Node]:
    """The calls that led to some, from the sources (by serial) on, in the order of time."""
    found: dict[int, Node] = {}
    open_ends = list(ends)
    while open_ends:
        node = open_ends.pop()
        if node.op is not None and node.serial not in found and node.serial not in sources:
            found[node.serial] = node
            parents = [parent for parent in node.parents or () if parent is not None]
            open_ends += [p[0] if isinstance(p, tuple) else p for p in parents]
    return [found[serial] for serial in sorted(found)]
