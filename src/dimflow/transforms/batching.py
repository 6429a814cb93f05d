"""vmap: a function of single things, of many at once."""

import dataclasses
from collections.abc import Mapping
from functools import wraps
from typing import Any, NamedTuple

import numpy as np

from dimflow import ops
from dimflow.array.dimarray import DimArray
from dimflow.autodiff import Carrier
from dimflow.backends.programs import Followed
from dimflow.errors import MissingRule, NotANumber, ShapeMismatch, UnitError
from dimflow.ops.rules.units import PURE
from dimflow.transforms.calls import (
    Function,
    Leaf,
    as_bare,
    check_callable,
    labelled,
    leaf_of,
    put_together,
    taken_apart,
)
from dimflow.transforms.engines import engine_for, instead_of
from dimflow.transforms.structure import mapped

_NUMBERS = (bool, int, float, complex)


def vmap(
    function: Function,
    in_axes: Any = 0,
    out_axes: Any = 0,
    *,
    axis_size: int | None = None,
    engine: str | None = None,
) -> Function:
    """The function that runs one for every slice of its arguments, all at once.

        dimflow.vmap(period)(lengths)                      # one number in, many in
        dimflow.vmap(force, in_axes=(0, None))(places, charge)  # one charge for all

    `in_axes` says along which axis the slices lie: a number for all arguments, or a tuple with
    one for each, where None is for an argument that all calls share, and a list, dict or
    dataclass for one that is such. Arguments by name lie along their first axis. `out_axes` says
    where the axis of the batch is in the results; None is for what is the same for all calls.

    Each call sees its slice alone, with its unit: so results have the units of one call, and `if`
    on a value is an error. A random draw inside is made once, and shared by all calls. What is no
    array goes to every call as it is. `axis_size` is needed where no argument has a batch.
    """
    check_callable("vmap", function)

    @wraps(function)
    def batched(*args: Any, **kwargs: Any) -> Any:
        batch = _Batch(function, args, kwargs, out_axes, engine)
        return batch.results(batch.sizes(_argument_axes(in_axes, args, kwargs), axis_size))

    return batched


class _Place(NamedTuple):
    """Where an array stands, and along which of its axes the batch lies."""

    path: str
    leaf: Leaf
    axis: int


class _Batch:
    """One call for many."""

    def __init__(
        self, function: Function, args: Any, kwargs: Any, out_axes: Any, engine: str | None
    ) -> None:
        self.function = function
        self.given = (args, kwargs)
        self.out_axes = out_axes
        self.wanted = engine
        self.engine = engine_for("vmap", self.given, engine)
        self.places: list[_Place | None] = []  # for each leaf; None for what all calls share
        self.out: list[tuple[Leaf, int | None]] = []
        self.structure: Any = None

    def sizes(self, axes: list[int | None], axis_size: int | None) -> int:
        """Note what is batched, and give the one length that all batch axes have."""
        remaining = iter(axes)

        def note(value: Any, path: str) -> Any:
            axis = next(remaining)
            if axis is None or not _is_array(value):
                self.places.append(None)
            else:
                self.places.append(_placed(_named(path), value, axis))
            return value

        mapped(self.given, note)
        return _one_length([p for p in self.places if p is not None], axis_size)

    def results(self, size: int) -> Any:
        """What the calls give, the batch where it is wanted."""
        places = [place for place in self.places if place is not None]
        raws = tuple(self.engine.library.asarray(place.leaf.raw) for place in places)
        axes = [place.axis for place in places]
        try:
            found = self.engine.batched(self._run, raws, axes, size)
        except Followed:
            self.engine = instead_of(self.engine, "vmap", self.wanted)
            found = self.engine.batched(self._run, raws, axes, size)
        each, shared = map(iter, found)
        made = []
        for leaf, axis in self.out:
            raw = next(shared) if axis is None else _moved(next(each), axis)
            made.append(labelled(raw, leaf.unit, leaf.is_bare))
        return put_together(self.structure, iter(made))

    def _run(self, *raws: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The function on slices; what belongs to each call, and what to all of them."""
        values, places = iter(raws), iter(self.places)
        is_own = self.engine.is_own

        def sliced(value: Any, _path: str) -> Any:
            place = next(places)
            if place is None:
                return value
            raw = next(values)
            return labelled(raw, place.leaf.unit, place.leaf.is_bare)

        args, kwargs = mapped(self.given, sliced)
        result = self.function(*args, **kwargs)
        self.structure, leaves = _results(result)
        if is_own and all(place is None or place.leaf.is_bare for place in self.places):
            leaves = as_bare(leaves)
        every = zip(
            _axes("out_axes", self.out_axes, result, "the result"), _leaves(result), strict=True
        )
        axes = [axis for axis, leaf in every if leaf is not None]
        self.out = list(zip(leaves, axes, strict=True))
        self._check_shared(axes)
        each = tuple(self._array(leaf.raw) for leaf, axis in self.out if axis is not None)
        return each, tuple(self._array(leaf.raw) for leaf, axis in self.out if axis is None)

    def _check_shared(self, axes: list[int | None]) -> None:
        library = self.engine.library
        if None in axes and not (self.engine.is_own or library.tells_shared):
            hint = "take one of out_axes=0, or say engine='own'"
            raise MissingRule("vmap", f"out_axes=None on {library.name} arrays", hint)

    def _array(self, raw: Any) -> Any:
        """As the engine needs it: an array, and of the library if that batches by itself."""
        if self.engine.is_own:
            return raw if hasattr(raw, "shape") else self.engine.library.asarray(raw)
        if isinstance(raw, Carrier):
            raise Followed
        return self.engine.library.asarray(raw)


def _named(path: str) -> str:
    """A path within (args, kwargs) as one within the call: `args[0]`, `mass['a']`."""
    if path.startswith("[0]"):
        return f"args{path[3:]}"
    name, _, rest = path.removeprefix("[1]['").partition("']")
    return name + rest


def _is_array(value: Any) -> bool:
    return isinstance(value, (DimArray, *_NUMBERS)) or hasattr(value, "shape")


def _placed(path: str, value: Any, axis: int) -> _Place:
    leaf = Leaf(value, PURE, True) if isinstance(value, _NUMBERS) else leaf_of("vmap", value, path)
    shape = tuple(getattr(leaf.raw, "shape", ()))
    if not -len(shape) <= axis < len(shape):
        hint = "in_axes=None for an argument that all calls share"
        if not path.startswith("args["):
            hint = "by name goes what is batched: give what all calls share by position, or bind it"
        raise ShapeMismatch("vmap", f"{path} with an axis {axis} to batch along", shape, hint)
    return _Place(path, leaf, axis % len(shape))


def _one_length(places: list[_Place], axis_size: int | None) -> int:
    lengths = {place.path: place.leaf.raw.shape[place.axis] for place in places}
    if axis_size is not None:
        lengths["axis_size"] = axis_size
    if not lengths:
        problem = "vmap of a call in which nothing is batched"
        raise UnitError(problem, "give an argument an axis in in_axes, or say axis_size=")
    first, size = next(iter(lengths.items()))
    for path, length in lengths.items():
        if length != size:
            got = f"{size} in {first}, {length} in {path}"
            raise ShapeMismatch("vmap", "one length along all batch axes", got)
    return int(size)


def _moved(raw: Any, axis: int) -> Any:
    """Results with the batch axis, which comes first, in its place."""
    count = len(raw.shape)
    if not -count <= axis < count:
        wanted = f"results of enough axes for the batch to be number {axis}"
        raise ShapeMismatch("vmap", wanted, f"{count - 1} axes", "choose another out_axes")
    if axis % count == 0:
        return raw
    return ops.moveaxis(raw, source=0, destination=axis)


def _results(result: Any) -> tuple[Any, list[Leaf]]:
    """The structure of what a function gave, and its arrays; numbers count as arrays."""

    def as_leaf(value: Any, path: str) -> Any:
        if isinstance(value, (str, bytes)) or not (value is None or _is_array(value)):
            what = f"{type(value).__name__} {value!r:.40}, for result{path}"
            raise NotANumber("vmap, as the function's result,", what)
        return np.bool_(value) if type(value) is bool else value

    leaves, structure = taken_apart("vmap", mapped(result, as_leaf))
    return structure, leaves


# Axes


def _argument_axes(in_axes: Any, args: Any, kwargs: Any) -> list[int | None]:
    """The batch axis of every leaf of (args, kwargs)."""
    if isinstance(in_axes, (tuple, list)) and len(in_axes) != len(args):
        got = f"{len(in_axes)} axes for {len(args)} arguments"
        raise ShapeMismatch("vmap", "an axis in in_axes for each argument by position", got)
    return [*_axes("in_axes", in_axes, args, "args"), *_axes("in_axes", 0, kwargs, "")]


def _axes(name: str, axes: Any, value: Any, path: str) -> list[int | None]:
    """The axis of every leaf of a structure, from axes for parts of it."""
    if axes is None or (isinstance(axes, int) and not isinstance(axes, bool)):
        return [axes] * len(_leaves(value))
    if any(leaf is value for leaf in _leaves(value)) and not _is_array(value):
        return [None]  # a setting, which has no axis whatever stands in its place
    parts = _paired(axes, value)
    if parts is None:
        problem = f"vmap was given {name}={axes!r:.60} for {path}, a {type(value).__name__}"
        hint = "an axis is a number or None, or a structure of them as that of the arrays"
        raise UnitError(problem, hint)
    return [axis for key, a, v in parts for axis in _axes(name, a, v, f"{path}{key}")]


def _paired(axes: Any, value: Any) -> list[tuple[str, Any, Any]] | None:
    """The parts of axes and a value side by side, each with its path; None if they differ."""
    if hasattr(value, "dtype"):
        return None
    if isinstance(value, (tuple, list)) and isinstance(axes, (tuple, list)):
        pairs = list(enumerate(zip(axes, value, strict=False)))
        return [(f"[{i}]", a, v) for i, (a, v) in pairs] if len(axes) == len(value) else None
    if isinstance(value, Mapping) and isinstance(axes, Mapping):
        is_same = axes.keys() == value.keys()
        return [(f"[{key!r}]", axes[key], v) for key, v in value.items()] if is_same else None
    if dataclasses.is_dataclass(value) and type(axes) is type(value):
        names = [f.name for f in dataclasses.fields(value) if f.type not in (str, "str")]
        return [(f".{n}", getattr(axes, n), getattr(value, n)) for n in names]
    return None


def _leaves(value: Any) -> list[Any]:
    """What a structure holds."""
    found: list[Any] = []
    mapped(value, lambda leaf, _path: found.append(leaf))
    return found
