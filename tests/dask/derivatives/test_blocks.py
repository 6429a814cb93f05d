"""Derivatives of functions that run block by block, and through other cuts into blocks."""

import numpy as np
import pytest

import dimflow
from dimflow import DimArray
from dimflow import units as u
from dimflow.dask import map_blocks
from dimflow.errors import ComputationError, TracedValueError
from tests.dask.conftest import nothing_runs
from tests.dask.derivatives.programs import FIELD, RNG, assert_same, lazy_of, tasks


def test_rechunk_within_a_derivative():
    x = lazy_of(FIELD, (2, 4))
    with nothing_runs():
        found = dimflow.grad(lambda x: (x.rechunk((6, 2)) ** 2).sum())(x)
        twice = dimflow.grad(
            lambda x: (dimflow.grad(lambda x: (x.rechunk(3) ** 3).sum())(x) ** 2).sum()
        )(x)
        moved = dimflow.jvp(lambda x: x.rechunk((6, 2)) ** 2, (x,), (x,))[1]
    assert_same(found, 2 * FIELD, x.chunks)
    assert_same(twice, 36 * FIELD**3, x.chunks)
    assert_same(moved, 2 * FIELD**2, ((6,), (2, 2, 2, 2)))


def kinetic(mass, speed):
    return mass * speed**2 / 2


def squared(block):
    return block.data**2  # plain numbers, of a declared unit


MASS = DimArray(RNG.uniform(1.0, 2.0, (6, 8)), "kg")
SPEED = DimArray(RNG.uniform(1.0, 2.0, (6, 8)), "m/s")


def test_a_function_of_blocks_is_differentiated_block_by_block():
    m, v = lazy_of(MASS, (2, 4)), lazy_of(SPEED, (2, 4))
    energy = dimflow.grad(lambda m, v: map_blocks(kinetic, m, v).sum(), (0, 1))
    wanted = dimflow.grad(lambda m, v: kinetic(m, v).sum(), (0, 1))(MASS, SPEED)
    with nothing_runs():
        found = energy(m, v)
        value = map_blocks(kinetic, m, v).sum()
    for one, other in zip(found, wanted, strict=True):
        assert_same(one, other, m.chunks)
    assert tasks(value, *found) <= 3 * tasks(value)


def test_declared_units_and_methods_of_blocks():
    x = lazy_of(FIELD, (2, 4))
    with nothing_runs():
        by_method = dimflow.grad(lambda x: x.map_blocks(squared, unit="m**2").sum())(x)
        other_unit = dimflow.grad(lambda x: map_blocks(lambda b: b**2, x, unit="cm**2").sum())(x)
    assert_same(by_method, 2 * FIELD, x.chunks)
    assert other_unit.unit.dimension is u.m.dimension
    np.testing.assert_allclose(other_unit.compute().to("m").data, 2 * FIELD.data)


def test_functions_of_blocks_have_higher_derivatives_and_tangents():
    m, v = lazy_of(MASS, (2, 4)), lazy_of(SPEED, (2, 4))

    def steep(one):
        def slopes(v):
            return (dimflow.grad(lambda v: one(m if one is lazy else MASS, v).sum())(v) ** 2).sum()

        return dimflow.grad(slopes)

    def lazy(m, v):
        return map_blocks(kinetic, m, v)

    with nothing_runs():
        found = steep(lazy)(v)
        moved = dimflow.jvp(lambda v: lazy(m, v), (v,), (v,))[1]
    assert_same(found, steep(kinetic)(SPEED), v.chunks)
    assert_same(moved, 2 * kinetic(MASS, SPEED))


REFUSED = {
    "the block's place": lambda x: map_blocks(lambda b, block_id=None: b, x).sum(),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_derivative_block_by_block_says_so(name, lazy):
    with pytest.raises(ComputationError, match="custom_gradient"):
        dimflow.grad(REFUSED[name])(lazy_of(FIELD, (2, 4)))


def test_numbers_of_numpy_are_a_read(lazy):
    with pytest.raises(TracedValueError, match="stop_gradient"):
        dimflow.grad(lambda x: map_blocks(lambda b: np.asarray(b.data) ** 2, x, unit="m**2").sum())(
            lazy_of(FIELD, (2, 4))
        )
