"""Gradients of lazy programs: lazy arrays in blocks, equal to those of eager code."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dimflow
from dimflow import DimArray
from tests.dask.conftest import nothing_runs
from tests.dask.derivatives.programs import (
    FIELD,
    METRE,
    PROGRAMS,
    RNG,
    WEIGHTS,
    assert_same,
    cuts,
    lazy_of,
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_gradient_is_a_lazy_array_in_the_blocks_of_its_argument(name):
    program = PROGRAMS[name]
    eager = dimflow.grad(program, (0, 1))(FIELD, WEIGHTS)
    x, w = lazy_of(FIELD, (2, 4)), lazy_of(WEIGHTS, 4)
    with nothing_runs():
        value, found = dimflow.value_and_grad(program, (0, 1))(x, w)
    assert_same(value, program(FIELD, WEIGHTS))
    for gradient, wanted, argument in zip(found, eager, (x, w), strict=True):
        assert_same(gradient, wanted, argument.chunks)


@settings(max_examples=40, deadline=None)
@given(
    name=st.sampled_from(sorted(PROGRAMS)),
    chunks=st.tuples(cuts(6), cuts(8)),
    others=cuts(8),
    unit=st.sampled_from(["m", "km", "inch"]),
)
def test_gradients_do_not_depend_on_blocks(name, chunks, others, unit):
    program, field = PROGRAMS[name], FIELD.to(unit)
    x, w = lazy_of(field, chunks), lazy_of(WEIGHTS, (others,))
    eager = dimflow.grad(program, (0, 1))(field, WEIGHTS)
    with nothing_runs():
        found = dimflow.grad(program, (0, 1))(x, w)
    for gradient, wanted, argument in zip(found, eager, (x, w), strict=True):
        assert gradient.unit == wanted.unit
        assert gradient.chunks == argument.chunks
        np.testing.assert_allclose(gradient.compute().data, wanted.data, rtol=1e-8, atol=1e-10)


STEPS = {
    "square": lambda x: x * x / METRE,
    "wave": lambda x: METRE * dimflow.sin(x / METRE),
    "halves": lambda x: dimflow.concat([x[3:], x[:3]], axis=0),
    "smooth": lambda x: (x + dimflow.roll(x, 1, axis=1)) / 2,
    "deviation": lambda x: x - x.mean(axis=0),
    "spread": lambda x: x * (x.max(axis=1, keepdims=True) / METRE),
    "kept": lambda x: dimflow.where(x > 0.1 * METRE, x, -x),
    "turned": lambda x: x[::-1, ::-1],
    "units": lambda x: x.to("cm").to("km").to("m"),
}


@settings(max_examples=25, deadline=None)
@given(
    steps=st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=5),
    chunks=st.tuples(cuts(6), cuts(8)),
)
def test_random_programs_have_the_gradient_of_eager_code(steps, chunks):
    def program(x):
        for step in steps:
            x = STEPS[step](x)
        return (x * x).sum()

    eager = dimflow.grad(program)(FIELD)
    x = lazy_of(FIELD, chunks)
    with nothing_runs():
        found = dimflow.grad(program)(x)
    assert found.unit == eager.unit
    assert found.chunks == x.chunks
    scale = np.abs(eager.data).max()
    np.testing.assert_allclose(found.compute().data, eager.data, rtol=1e-8, atol=1e-10 * scale)


def test_gradients_equal_finite_differences():
    x = lazy_of(FIELD, (4, 3))
    program = PROGRAMS["std"]
    w = lazy_of(WEIGHTS, 3)
    direction = RNG.normal(size=x.shape)
    step = 1e-6
    up, down = (program(x + DimArray(s * step * direction, "m"), w) for s in (1, -1))
    slope = (dimflow.grad(program)(x, w) * DimArray(direction, "m")).sum()
    change = ((up - down) / (2 * step)).compute()
    np.testing.assert_allclose(slope.compute().to(change.unit).data, change.data, rtol=1e-6)
