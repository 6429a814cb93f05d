"""Names of layers that run users' functions: as those of Dask, one differs where the work does."""

import functools
from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np
import pytest
from dask.base import tokenize
from dask.utils import has_keyword

from dimflow import units as u
from dimflow.dask import DaskDimArray, blockwise, map_blocks, map_overlap
from dimflow.dask.blocks.call import asked
from dimflow.dask.blocks.postponed import Checked
from dimflow.dask.blocks.reducing import Coarsened
from dimflow.dask.differentiable.looping import Along, Looped
from dimflow.dask.differentiable.reducing import Packed
from dimflow.dask.differentiable.ways import BlockPull, BlockPush, Each, InUnit, Listed
from tests.dask.conftest import nothing_runs

RAW = da.from_array(np.arange(12.0).reshape(3, 4), chunks=2, name="numbers")
X = DaskDimArray(RAW, "m")
THEIRS = {
    "map_blocks": lambda f, x, **k: da.map_blocks(f, x, **k),
    "map_overlap": lambda f, x, **k: da.map_overlap(f, x, depth=1, boundary="reflect", **k),
    "blockwise": lambda f, x, **k: da.blockwise(f, "ij", x, "ij", **k),
}
OURS = {
    "map_blocks": lambda f, x, **k: map_blocks(f, x, **k),
    "map_overlap": lambda f, x, **k: map_overlap(f, x, depth=1, boundary="reflect", **k),
    "blockwise": lambda f, x, **k: blockwise(f, "ij", x, "ij", **k),
}


def times(factor: Any) -> Callable[[Any], Any]:
    return lambda block: block * factor


def scaled(block: Any, factor: Any = 1.0) -> Any:
    return block * factor


def in_a_module_of_its_own(factor: float) -> Any:
    """A function whose factor is a global: Dask reads these where a module cannot be imported."""
    scope: dict[str, Any] = {"__name__": "__main__", "factor": factor}
    exec("def by_global(block): return block * factor", scope)
    return scope["by_global"]


PAIRS: dict[str, tuple[Any, Any, dict[str, Any], dict[str, Any]]] = {
    "same function": (scaled, scaled, {}, {}),
    "equal closures": (times(2.0), times(2.0), {}, {}),
    "other closures": (times(2.0), times(3.0), {}, {}),
    "arrays in closures": (times(np.ones(1)), times(np.array([2.0])), {}, {}),
    "other globals": (in_a_module_of_its_own(2.0), in_a_module_of_its_own(3.0), {}, {}),
    "equal globals": (in_a_module_of_its_own(2.0), in_a_module_of_its_own(2.0), {}, {}),
    "other text": (lambda b: b + b, lambda b: b - b, {}, {}),
    "other ufuncs": (np.square, np.abs, {}, {}),
    "equal partials": (functools.partial(scaled, factor=2), functools.partial(scaled, factor=2),
                       {}, {}),
    "other partials": (functools.partial(scaled, factor=2), functools.partial(scaled, factor=3),
                       {}, {}),
    "equal keywords": (scaled, scaled, {"factor": 2.0}, {"factor": 2.0}),
    "other keywords": (scaled, scaled, {"factor": 2.0}, {"factor": 3.0}),
    "a keyword or none": (scaled, scaled, {"factor": 1.0}, {}),
    "other dtypes": (scaled, scaled, {"dtype": "float64"}, {"dtype": "complex128"}),
}  # fmt: skip


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("way", OURS)
def test_two_names_are_one_where_they_are_in_dask(way: str, pair: str) -> None:
    first, second, options, others = PAIRS[pair]
    with nothing_runs():
        theirs = [THEIRS[way](f, RAW, **k).name for f, k in ((first, options), (second, others))]
        ours = [OURS[way](f, X, **k).name for f, k in ((first, options), (second, others))]
    assert (ours[0] == ours[1]) is (theirs[0] == theirs[1])


@pytest.mark.parametrize("way", OURS)
def test_what_a_function_is_given_is_in_the_name(way: str) -> None:
    build = OURS[way]
    others = [
        build(scaled, DaskDimArray(RAW, "km")),
        build(scaled, DaskDimArray(RAW + 1, "m")),
        build(scaled, X, unit="km"),
        build(scaled, X, factor=2 * u.s),
        build(scaled, X, factor=2 * u.h),
        build(scaled, X, factor=2.0),
    ]
    names = {one.name for one in (build(scaled, X), *others)}
    assert len(names) == 1 + len(others)
    assert build(scaled, X).name in names


def test_axes_are_in_the_name() -> None:
    def row(block: Any) -> Any:
        return block

    y = X.rechunk((3, 4))
    built = [
        blockwise(row, "ij", y, "ij"),
        blockwise(row, "ji", y, "ij"),
        blockwise(row, "ij", y, "ij", adjust_chunks={"i": 3}),
        blockwise(row, "ij", y, "ij", adjust_chunks={"j": 4}),
        blockwise(row, "ijk", y, "ij", new_axes={"k": 3}, unit="m", dtype=float),
        blockwise(row, "ijk", y, "ij", new_axes={"k": 4}, unit="m", dtype=float),
        map_blocks(row, y),
        map_blocks(row, y, chunks=((3,), (4,))),
        map_blocks(row, y, chunks=((3,), (5,))),
        map_blocks(row, y, new_axis=0),
        map_blocks(row, y, new_axis=2),
        map_blocks(row, y, drop_axis=0),
        map_blocks(row, y, drop_axis=1),
    ]
    assert len({one.name for one in built}) == len(built)


def test_a_number_beside_arrays_is_in_the_name() -> None:
    names = [map_blocks(scaled, X, factor).name for factor in (2, 3, 2.5, np.ones(4))]
    assert len({*names}) == len(names)
    assert map_blocks(scaled, X, 2).name == names[0]


@pytest.mark.parametrize("way", OURS)
def test_a_function_is_tried_once(way: str) -> None:
    seen: list[Any] = []

    def look(block: Any) -> Any:
        seen.append(block.shape)
        return block

    with nothing_runs():
        OURS[way](look, X)
    assert seen == [(1, 1)]


def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return call


def told(block: Any, block_id: Any = None) -> Any:
    return block * float(sum(block_id))


class Told:
    def __call__(self, block: Any, *, block_info: Any = None) -> Any:
        return block

    def method(self, block: Any, block_id: Any = None) -> Any:
        return block


FUNCTIONS: dict[str, Any] = {
    "plain": scaled,
    "told": told,
    "keyword only": lambda block, *, block_info: block,
    "both": lambda block, block_id, block_info: block,
    "any keyword": lambda block, **kwargs: block,
    "its own variable": eval("lambda block: [block_id for block_id in (block,)][0]"),
    "wrapped": wrapped(told),
    "wrapped twice": wrapped(wrapped(told)),
    "partial": functools.partial(told),
    "partial that tells": functools.partial(scaled, factor=2),
    "object": Told(),
    "method": Told().method,
    "ufunc": np.sqrt,
    "function of NumPy": np.outer,
    "builtin": abs,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_who_asks_for_the_block_is_who_dask_would_tell(name: str) -> None:
    function = FUNCTIONS[name]
    expected = [key for key in ("block_id", "block_info") if has_keyword(function, key)]
    assert asked(function) == expected


def test_a_wrapped_function_is_told_its_block() -> None:
    function = wrapped(told)
    with nothing_runs():
        built = X.map_blocks(function)
    expected = RAW.map_blocks(function, dtype=float).compute()
    np.testing.assert_array_equal(built.compute().data, expected)
    assert built.unit is X.unit


def test_blockwise_tells_no_block_as_dask() -> None:
    def default(block: Any, block_id: Any = None) -> Any:
        assert block_id is None
        return block

    np.testing.assert_array_equal(
        blockwise(default, "ij", X, "ij").compute().data, da.blockwise(default, "ij", RAW, "ij")
    )


# Our functions that call a user's: what they hold, and something else for each of it.
_PLANNED = {"unit": (u.m, u.km), "part": (None, 1)}
_PACKED = {"options": ({"axis": 0}, {"axis": 1}), "template": ((u.m, None), (u.s, None)),
           "axes": ((0,), (1,)), "is_first": (False, True), "is_last": (False, True)}  # fmt: skip
MADE: dict[Any, dict[str, tuple[Any, Any]]] = {
    Along: {"axis": (0, 1)},
    BlockPull: {**_PLANNED, "place": (0, 1), "axes": (0, 1)},
    BlockPush: {**_PLANNED, "places": ((0,), (0, 1))},
    Checked: {"unit": (u.m, u.km)},
    Coarsened: {"sizes": ((2, 1), (1, 2)), "kwargs": ({}, {"dtype": float})},
    Each: {"which": ((True, False), (True, True))},
    InUnit: _PLANNED,
    Listed: {"cuts": ((), ((0, (2, 1)),))},
    Looped: {"cores": ([1], [2]), "count": (None, 1)},
    Packed: _PACKED,
}


@pytest.mark.parametrize("kind", MADE, ids=lambda kind: kind.__name__)
def test_a_function_of_a_function_is_told_apart_by_all_that_it_holds(kind: Any) -> None:
    name = "reduction" if kind is Coarsened else "function"
    pairs = {name: (times(2.0), times(3.0)), **MADE[kind]}
    given = {name: first for name, (first, _) in pairs.items()}
    made = kind(**given)
    assert tokenize(made) == tokenize(kind(**{**given, name: times(2.0)}))
    others = [kind(**{**given, name: second}) for name, (_, second) in pairs.items()]
    assert len({*map(tokenize, (made, *others))}) == 1 + len(others)
    assert made.__name__ == "lambda"
