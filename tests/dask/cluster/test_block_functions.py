"""User functions on blocks, on a real cluster: what they need goes there, and errors come back."""

from typing import Any

import numpy as np
import pytest
from distributed import Client

import dimflow
from dimflow import DimArray, Unit
from dimflow import units as u
from dimflow.dask import DaskDimArray, apply_gufunc, map_blocks, reduction, stencil
from dimflow.errors import BlockMismatch
from tests.dask.blocks.functions import kinetic, root, seconds_where_large, squares, total

NUMBERS = np.arange(24.0).reshape(4, 6)


@pytest.fixture
def x() -> DaskDimArray:
    return DaskDimArray(NUMBERS, "m", chunks=2)


def test_functions_of_all_kinds(client: Client, x: DaskDimArray) -> None:
    factor = 3 * u.kg
    programs = [
        map_blocks(lambda b, w=None: b * w * factor, x, w=2 * u.s),
        x.map_overlap(lambda b: b, depth=1, boundary=1 * u.km),
        reduction(x, squares, root, combine=total, split_every=2),
        apply_gufunc(lambda b: b.sum(axis=-1), "(i)->()", x, allow_rechunk=True),
        stencil(x, DimArray([[1.0, 0.0, -1.0]], "1/m"), "periodic"),
    ]
    found = client.gather(client.compute(programs))
    assert [f.unit for f in found] == [
        Unit("m*s*kg"), Unit("m"), Unit("m"), Unit("m"), Unit("m/m")
    ]  # fmt: skip
    np.testing.assert_array_equal(found[0].data, NUMBERS * 6)
    np.testing.assert_array_equal(found[1].data, NUMBERS)
    assert found[2].item() == pytest.approx(np.sqrt((NUMBERS**2).sum()))
    np.testing.assert_array_equal(found[3].data, NUMBERS.sum(axis=1))
    np.testing.assert_array_equal(found[4].data, np.roll(NUMBERS, 1, 1) - np.roll(NUMBERS, -1, 1))


@pytest.mark.parametrize("operation", ["map_blocks", "apply_gufunc", "reduction"])
def test_a_wrong_block_names_itself_from_afar(
    client: Client, x: DaskDimArray, operation: str
) -> None:
    def changes(block: Any, axis: Any = -1, keepdims: bool = False) -> Any:
        sums = block.sum(axis=axis, keepdims=keepdims)
        return sums * (1 * u.s) if block.max() > 22 * u.m else sums

    builds = {
        "map_blocks": lambda: x.map_blocks(seconds_where_large),
        "apply_gufunc": lambda: apply_gufunc(changes, "(i)->()", x.rechunk((2, 6))),
        "reduction": lambda: reduction(x, changes, total),
    }
    with pytest.raises(BlockMismatch) as caught:
        builds[operation]().compute()
    error = caught.value
    assert (error.operation, error.what) == (operation, "unit")
    assert error.expected == "m   [length]"
    assert error.actual == "m*s   [length time]"
    assert isinstance(error.block, tuple)
    assert error.array
    assert f"block:    {error.block} of '{error.array}'" in str(error)


def test_an_error_of_the_function_says_where(client: Client, x: DaskDimArray) -> None:
    def fails(block: Any) -> Any:
        return 1 // int(block.max() < 22 * u.m) * block

    built = x.map_blocks(fails)
    with pytest.raises(ZeroDivisionError) as caught:
        built.compute()
    assert caught.value.__notes__[0] == f"in map_blocks of fails, block (1, 2) of '{built.name}'"


def test_gradients_of_functions_of_blocks(client: Client, x: DaskDimArray) -> None:
    mass, speed = DaskDimArray(NUMBERS + 1, "kg", chunks=2), x / (1 * u.s)
    wanted = dimflow.grad(lambda m, v: (kinetic(m, v) ** 2).sum(), 1)
    gradient = dimflow.grad(lambda m, v: (map_blocks(kinetic, m, v) ** 2).sum(), 1)(mass, speed)
    found, eager = client.compute(gradient).result(), wanted(mass.compute(), speed.compute())
    assert found.unit == eager.unit
    np.testing.assert_allclose(found.data, eager.data)
