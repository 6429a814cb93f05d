"""A function of blocks reads strings by the scope of the call, wherever and whenever it runs."""

import pickle
from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np
import pytest

import dimflow
from dimflow import DimArray
from dimflow.dask import DaskDimArray
from dimflow.units import Registry

NUMBERS = np.array([2000.0, 4000.0])


def tons(q: Any) -> Any:
    return DimArray(q.to_value("ton"), "")


def heavy(q: Any, axis: Any = None, keepdims: Any = None) -> Any:
    return tons(np.sum(q, axis=axis, keepdims=keepdims))


WAYS: dict[str, Callable[[Any], Any]] = {
    "x.map_blocks": lambda x: x.map_blocks(tons),
    "map_blocks": lambda x: dimflow.dask.map_blocks(tons, x),
    "da.map_blocks": lambda x: da.map_blocks(tons, x),
    "map_overlap": lambda x: x.map_overlap(tons, depth=0),
    "blockwise": lambda x: da.blockwise(tons, "i", x, "i", dtype=float),
    "apply_gufunc": lambda x: da.apply_gufunc(tons, "()->()", x),
    "apply_along_axis": lambda x: da.apply_along_axis(tons, 0, x.rechunk(2)),
    "reduction": lambda x: da.reduction(x, heavy, np.sum, axis=0, dtype=float),
}


def scope(kilograms: int) -> Registry:
    registry = Registry()
    registry.define(f"ton = {kilograms} kilogram", replace=True)
    return registry


@pytest.mark.parametrize("way", WAYS)
def test_a_string_means_what_the_scope_of_the_call_says(way: str) -> None:
    lazy = DaskDimArray(da.from_array(NUMBERS, chunks=1), "kg")
    plain = WAYS[way](lazy)
    made = {}
    for kilograms in (1000, 2000):
        with scope(kilograms):
            made[kilograms] = WAYS[way](lazy)
    assert len({each.name for each in (plain, *made.values())}) == 3  # tasks of their own
    for scheduler in ("sync", "threads"):
        with scope(500):
            found = [each.compute(scheduler=scheduler) for each in (plain, *made.values())]
        for values, kilograms in zip(found, (907.18474, 1000, 2000), strict=True):
            expected = NUMBERS / kilograms
            expected = expected.sum() if way == "reduction" else expected
            np.testing.assert_allclose(np.asarray(values), expected)


def test_so_it_does_in_another_process() -> None:
    with scope(1000):
        made = DaskDimArray(da.from_array(NUMBERS, chunks=1), "kg").map_blocks(tons)
    found = made.compute(scheduler="processes", num_workers=1)
    np.testing.assert_allclose(np.asarray(found), NUMBERS / 1000)


def test_a_registry_travels_with_what_it_stands_on() -> None:
    base = Registry(name="base")
    base.define("zqprefix- = 12 = zqp-\nzqsteps = 2 m\n@ambiguous zqx = zqsteps, metre")
    top = Registry(base)
    top.define("zqsteps = 3 m", replace=True)
    again = pickle.loads(pickle.dumps(top))
    assert again is pickle.loads(pickle.dumps(top))
    assert again("zqprefixzqsteps").scale == 36
    assert again.ambiguous["zqx"] == ("zqsteps", "metre")
    assert again("km") is top("km")
    for standing in (dimflow.units.tables.builtin, dimflow.units.tables.shared):
        assert pickle.loads(pickle.dumps(standing)) is standing
