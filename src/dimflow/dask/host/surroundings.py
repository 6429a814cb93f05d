"""Blocks with cells of their neighbours around them: what is put at the edges carries a unit."""

from typing import Any

from dimflow.array.dimarray import wrap
from dimflow.array.in_place import in_unit
from dimflow.array.numpy_host.parts import Handler
from dimflow.dask.host.patches import own
from dimflow.dask.host.planned import parts_of
from dimflow.units import Unit

FUNCTIONS: dict[str, Handler] = {}


def at_edges(boundary: Any, unit: Unit, name: str) -> Any:
    """Numbers at the edges in the unit of the array; names of ways to extend it stay."""
    if type(boundary) is dict:
        return {axis: at_edges(value, unit, name) for axis, value in boundary.items()}
    if type(boundary) in (list, tuple):
        return type(boundary)(at_edges(value, unit, name) for value in boundary)
    if boundary is None or isinstance(boundary, str):
        return boundary
    raw = in_unit(unit, boundary, name)
    return raw.item() if hasattr(raw, "item") else raw


def _extended(name: str) -> Handler:
    def run(x: Any, depth: Any = None, boundary: Any = None, **kwargs: Any) -> Any:
        raw, unit = parts_of(x, f"da.{name}")
        edges = at_edges(kwargs.pop("kind", boundary), unit, f"da.{name}")
        return wrap(own(name)(raw, depth, edges, **kwargs), unit)

    return run


_NAMES = ("overlap.boundaries", "overlap.add_dummy_padding")
FUNCTIONS.update({name: _extended(name) for name in _NAMES})
