"""Functions of Dask's whose values and edges carry units: histograms, padding, coarser grids."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.array.core import Core
from dimflow.array.dimarray import wrap
from dimflow.array.in_place import in_unit
from dimflow.array.interpreter import separated
from dimflow.array.numpy_host.choosing import ask_for_every, masks_of
from dimflow.array.numpy_host.parts import Handler, named, plan
from dimflow.array.numpy_host.rules import rule
from dimflow.dask.host.patches import own
from dimflow.dask.host.planned import parts_of, plain
from dimflow.errors import ShapeMismatch, UnsupportedFunction
from dimflow.ops.rules.units import PURE, counts_to_plain
from dimflow.ops.rules.values import floated, refuse_cut
from dimflow.units import Unit
from dimflow.units.meaning import Logarithmic

FUNCTIONS: dict[str, Handler] = {}

_BINCOUNT = rule("bincount", "x, /", counts_to_plain)


def is_number(bins: Any) -> bool:
    """Whether this is a number of bins, and not their edges."""
    return not isinstance(bins, (list, tuple)) and not getattr(bins, "shape", ())


def _edges(bins: Any, unit: Unit, name: str) -> Any:
    """A number of bins, or edges in the unit of the values."""
    if bins is None:
        return bins
    if isinstance(bins, str):
        reason = "how many bins it takes depends on the numbers"
        raise UnsupportedFunction(f"{name} with bins={bins!r}", reason, "give a number, or edges")
    if isinstance(bins, (int, np.integer)) or (isinstance(bins, Core) and not bins.shape):
        _refuse_levels(lambda level: np.histogram_bin_edges(level, 1), unit)
        return int(bins._pure(f"a number of bins of {name}")) if isinstance(bins, Core) else bins
    return in_unit(unit, _given(bins), f"bins= of {name}")


def _given(bins: Any) -> Any:
    """Edges as one array, in their own unit: that of the first in a list."""
    return bins if getattr(bins, "shape", ()) else ops.stack(list(bins))


def _refuse_levels(attempt: Handler, unit: Unit) -> None:
    """An error, as for arrays in memory: decibels are neither spaced evenly nor divided by."""
    if isinstance(unit.law, Logarithmic):
        attempt(wrap(np.zeros(1), unit))


def _ends(ends: Any, unit: Unit, name: str) -> Any:
    if ends is None:
        return None
    return tuple(in_unit(unit, end, f"range= of {name}") for end in ends)


def _counted(raw: Any, weights: Any, density: Any, units: list[Unit], kept: list[Any]) -> Any:
    """Counts are plain, and sums of weights in their unit; a density is one per unit of the edges.

    Its integral is 1, whatever the weights are in.
    """
    if density:
        unit = target = PURE
        for each, edges in zip(units, kept, strict=True):
            _refuse_levels(lambda level: ops.divide(1.0, level), each)
            unit = unit / each.delta
            target = target / (edges._unit.delta if isinstance(edges, Core) else PURE)
        return wrap(raw, unit).to(target)
    return wrap(raw, weights._unit) if isinstance(weights, Core) else raw


def _weights(weights: Any, name: str) -> Any:
    """Raw weights; points on a scale weigh nothing."""
    if not isinstance(weights, Core):
        return None if weights is None else own("asarray")(weights)
    ops.multiply(weights, 1.0)  # refuses points on a scale, with its hint
    return parts_of(weights, name)[0]


@named(FUNCTIONS, "histogram")
def _histogram(
    a: Any,
    bins: Any = None,
    range: Any = None,
    normed: bool = False,
    weights: Any = None,
    density: Any = None,
) -> Any:
    """Counts, and edges in the unit of the values."""
    raw, unit = parts_of(a, "da.histogram")
    weigh = _weights(weights, "da.histogram")
    counts, edges = own("histogram")(
        raw,
        bins=_edges(bins, unit, "da.histogram"),
        range=_ends(range, unit, "da.histogram"),
        normed=normed,
        weights=None if weigh is None else weigh.rechunk(raw.chunks),
        density=density,
    )
    kept = wrap(edges, unit) if bins is None or is_number(bins) else _given(bins)
    return _counted(counts, weights, density, [unit], [kept]), kept


@named(FUNCTIONS, "histogramdd")
def _histogramdd(
    sample: Any,
    bins: Any = 10,
    range: Any = None,
    normed: Any = None,
    weights: Any = None,
    density: Any = None,
) -> Any:
    """Every column with edges in its own unit; columns of one array share theirs."""
    name = "da.histogramdd"
    if range is None and any(map(is_number, bins if isinstance(bins, (list, tuple)) else [bins])):
        reason = "the ends of its bins must be known before anything is computed"
        raise UnsupportedFunction(name, reason, "give them: range=[(low, high), ...]")
    raws, units = _columns(sample, name)
    rows = (raws[0] if isinstance(raws, tuple) else raws).chunks[0]
    weigh = _weights(weights, name)
    asked = [bins] * len(units) if is_number(bins) else bins
    ends = [None] * len(units) if range is None else range
    edges = _each(asked, units, name, _edges)
    for i, limits in enumerate(_each(ends, units, name, _ends)):
        if is_number(edges[i]):  # beside edges, Dask takes such a number for one of them
            low, high = limits
            edges[i] = np.linspace(low, high, edges[i] + 1)
    counts, _ = own("histogramdd")(
        raws,
        bins=edges,
        normed=normed,
        weights=None if weigh is None else own("asarray")(weigh).rechunk((rows,)),
        density=density,
    )
    kept = [
        wrap(edge, unit) if is_number(number) else _given(number)
        for edge, unit, number in zip(edges, units, asked, strict=True)
    ]
    return _counted(counts, weights, density or normed, units, kept), kept


def _columns(sample: Any, name: str) -> tuple[Any, list[Unit]]:
    """Columns cut alike, or a table that is cut between rows alone, and the unit of each column."""
    if not isinstance(sample, (list, tuple)):
        raw, unit = parts_of(sample, name)
        return own("asarray")(raw).rechunk({1: -1}), [unit] * raw.shape[1]
    found = [parts_of(column, name) for column in sample]
    first, *rest = [own("asarray")(raw) for raw, _ in found]
    return (first, *(raw.rechunk(first.chunks) for raw in rest)), [unit for _, unit in found]


def _each(values: Any, units: list[Unit], name: str, function: Any) -> Any:
    """A value for every column in the unit of that."""
    if len(values) != len(units):
        raise ShapeMismatch(f"{name}: bins= and range=", f"{len(units)} columns", len(values))
    return [function(value, unit, name) for value, unit in zip(values, units, strict=True)]


@named(FUNCTIONS, "histogram2d")
def _histogram2d(x: Any, y: Any, bins: Any = 10, *args: Any, **kwargs: Any) -> Any:
    """Two columns, each with edges in its own unit; edges alone count for both."""
    if not is_number(bins) and len(bins) > 2:
        bins = [bins, bins]
    counts, (rows, columns) = _histogramdd((x, y), bins, *args, **kwargs)
    return counts, rows, columns


@named(FUNCTIONS, "pad")
def _pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    """What is put around carries a unit; 0 does not, except where it would be a point."""
    raw, unit = parts_of(array, "da.pad")
    if callable(mode):
        reason = "it would give the bare numbers to a function, without the unit"
        raise UnsupportedFunction("da.pad with a function", reason, "name a mode")
    written = {"constant": "constant_values", "linear_ramp": "end_values"}.get(mode)
    if written is not None:
        kwargs[written] = _around(kwargs.get(written, 0), unit)
        for value in _leaves(kwargs[written]):
            refuse_cut(value, raw.dtype)
    if mode in ("mean", "linear_ramp"):  # of integers they are fractions, which Dask cuts off
        raw = floated(raw)
    widths = plain(pad_width, "pad_width= of da.pad")
    return wrap(own("pad")(raw, widths, mode, **plain(kwargs, "da.pad")), unit)


def _around(value: Any, unit: Unit) -> Any:
    if type(value) in (list, tuple):
        return type(value)(_around(v, unit) for v in value)
    return in_unit(unit, value, "da.pad")


def _leaves(value: Any) -> list[Any]:
    """The values of nested pairs."""
    if type(value) in (list, tuple):
        return [leaf for v in value for leaf in _leaves(v)]
    return [value]


class _Pieces:
    """A function for each condition, on the elements of a block that it picks."""

    def __init__(self, functions: Any, args: Any, kw: Any, units: tuple[Unit, Unit]) -> None:
        self.functions = functions
        self.args = args
        self.kw = kw
        self.units = units

    def __call__(self, block: Any, *conditions: Any) -> Any:
        source, target = self.units
        masks = masks_of(list(conditions), block, len(self.functions))
        ask_for_every(masks, target)
        result = wrap(np.zeros(block.shape, block.dtype), target)
        for mask, piece in zip(masks, self.functions, strict=True):
            if callable(piece) and mask.any():
                piece = piece(wrap(block, source)[mask], *self.args, **self.kw)
            if not callable(piece):
                result[mask] = piece
        return result._raw


@named(FUNCTIONS, "piecewise")
def _piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """Results in the unit of the first function's, which is found on one element.

    The dtype is that of x, as NumPy has it; a value that does not fit is an error, not cut.
    """
    raw, unit = parts_of(x, "da.piecewise")
    many = condlist if isinstance(condlist, (list, tuple)) else [condlist]
    raw = own("asarray")(raw)
    conditions = [_cut_alike(condition, raw) for condition in plain(list(many), "a condition")]
    masks_of([np.ones(1, bool)] * len(conditions), np.ones(1), len(funclist))  # enough functions?
    sample = wrap(np.ones(1, raw.dtype), unit)
    found = [piece(sample, *args, **kw) if callable(piece) else piece for piece in funclist]
    units = [u for piece in found for u in separated((piece,))[1] if isinstance(u, Unit)]
    result = units[0] if units else PURE
    for piece in found:
        in_unit(result, piece, "da.piecewise")  # raises before anything is computed
    function = _Pieces(list(funclist), args, kw, (unit, result))
    blocks = own("map_blocks")(function, raw, *conditions, dtype=raw.dtype, token="piecewise")
    return wrap(blocks, result)


def _cut_alike(condition: Any, raw: Any) -> Any:
    """A mask in the blocks of an array."""
    mask = own("asarray")(condition)
    if mask.chunks == raw.chunks:
        return mask
    return own("broadcast_to")(mask, raw.shape).rechunk(raw.chunks)


@named(FUNCTIONS, "bincount")
def _bincount(x: Any, weights: Any = None, minlength: int = 0, split_every: Any = None) -> Any:
    """How often each whole number occurs; or the sums of weights, in their unit."""
    (places,), _ = plan(_BINCOUNT, (x,))
    places = own("asarray")(places)
    weigh = _weights(weights, "da.bincount")
    if weigh is not None:
        weigh = own("asarray")(weigh).rechunk(places.chunks)
    counts = own("bincount")(places, weigh, minlength, split_every)
    return wrap(counts, weights._unit) if isinstance(weights, Core) else counts
