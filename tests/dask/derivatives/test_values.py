"""Lazy arrays while a derivative follows them, and what cannot be done with them."""

import dask
import dask.array as da
import numpy as np
import pytest

import dimflow
from dimflow import DimArray
from dimflow.dask import DaskDimArray
from dimflow.errors import (
    DimensionError,
    NoDataError,
    NotANumber,
    ShapeMismatch,
    TracedValueError,
)
from tests.dask.conftest import nothing_runs
from tests.dask.derivatives.programs import FIELD, METRE, RNG, assert_same, lazy_of


def test_followed_arrays_know_their_blocks_and_compute_nothing(lazy):
    seen = []

    def program(x):
        seen.append((x.chunks, x.chunksize, x.numblocks, x.npartitions, repr(x), str(x)))
        return x.sum()

    x = lazy_of(FIELD, (2, 4))
    dimflow.grad(program)(x)
    ((chunks, size, numblocks, count, text, other),) = seen
    assert (chunks, size, numblocks, count) == (x.chunks, (2, 4), (3, 2), 6)
    assert "dask.array" in text
    assert other.endswith(" m")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda x: x.compute(),
        lambda x: dask.compute(x)[0],
        lambda x: x.persist(),
        lambda x: x.to_delayed(),
        lambda x: np.asarray(x / METRE),
        lambda x: x.vindex[[0], [1]],
        lambda x: float(x.sum() / METRE) * METRE,
    ],
    ids=["compute", "dask.compute", "persist", "to_delayed", "asarray", "vindex", "float"],
)
def test_nothing_takes_numbers_out_of_a_derivative(wrong, lazy):
    with pytest.raises(TracedValueError, match="differentiated"):
        dimflow.grad(lambda x: wrong(x).sum())(lazy_of(FIELD, (2, 4)))


DASKS = {
    "sum": lambda x: da.sum(x**2),
    "sqrt": lambda x: da.sqrt(x).sum(),
    "matmul": lambda x: da.matmul(x.T, x).sum(),
    "concatenate": lambda x: (da.concatenate([x, x])[1:] ** 2).sum(),
    "linalg.norm": lambda x: da.linalg.norm(x),
    "cumsum": lambda x: (da.cumsum(x, axis=0) ** 2).sum(),
    "median": lambda x: da.median(x, axis=1).sum(),
}


@pytest.mark.parametrize("name", DASKS)
def test_functions_of_dask_are_differentiated(name):
    x = lazy_of(FIELD, (2, 4))
    with nothing_runs():
        found = dimflow.grad(DASKS[name])(x)
    direction = RNG.normal(size=x.shape)
    up, down = (DASKS[name](x + DimArray(s * 1e-6 * direction, "m")) for s in (1, -1))
    change = ((up - down) / 2e-6).compute()
    slope = (found * DimArray(direction, "m")).sum().compute()
    np.testing.assert_allclose(slope.to(change.unit).data, change.data, rtol=1e-5)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda x: da.ma.masked_greater(x, METRE),
        lambda x: da.asarray(x / METRE),
        lambda x: da.from_array(x / METRE),
        lambda x: da.asarray((x / METRE).data),
    ],
    ids=["ma", "asarray", "from_array", "raw"],
)
def test_functions_of_dask_without_a_rule_refuse(wrong, lazy):
    """None of them takes a followed array for a constant: its derivative would be zero."""
    with pytest.raises(TracedValueError, match="differentiated"):
        dimflow.grad(lambda x: wrong(x).sum())(lazy_of(FIELD, (2, 4)))


def test_arrays_that_require_grad():
    x = lazy_of(FIELD, (2, 4)).requires_grad_()
    with nothing_runs():
        loss = (x**2).sum()
        loss.backward()
        (3 * x).sum().backward(DimArray(1.0, "m"))
        assert x.chunks == ((2, 2, 2), (4, 4))
        value = loss.detach()
    assert_same(x.grad, 2 * FIELD + 3 * METRE, x.chunks)
    assert_same(value, (FIELD**2).sum())
    x.requires_grad_(False)
    assert type(x) is DaskDimArray
    assert_same(x, FIELD)


def test_what_a_tape_followed_is_lazy_afterwards():
    with dimflow.GradientTape() as tape:
        x = tape.watch(lazy_of(FIELD, (2, 4)))
        loss = (x**2).sum()
    gradient = tape.gradient(loss, x)
    value, slope = dask.compute(loss, gradient)
    assert value == (FIELD**2).sum()
    np.testing.assert_allclose(slope.data, 2 * FIELD.data)
    np.testing.assert_allclose(loss.compute().data, (FIELD.data**2).sum())


# What cannot be


def test_a_loop_that_depends_on_lazy_values_is_refused(lazy):
    with pytest.raises(NoDataError, match="fori_loop"):
        dimflow.while_loop(lambda x: x.sum() < 100 * METRE, lambda x: 2 * x, lazy_of(FIELD, 4))


MISTAKES = {
    "units": (lambda x: (x + DimArray(1.0, "s")).sum(), DimensionError),
    "no single number": (lambda x: x, ShapeMismatch),
    "truth values": (lambda x: (x > METRE).all(), NotANumber),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_read_as_in_eager_code(name, lazy):
    function, kind = MISTAKES[name]
    with pytest.raises(kind) as eager:
        dimflow.grad(function)(FIELD)
    with pytest.raises(kind) as found:
        dimflow.grad(function)(lazy_of(FIELD, (2, 4)))
    assert str(found.value) == str(eager.value)


def test_integers_have_no_gradient(lazy):
    with pytest.raises(NotANumber, match="floating point has derivatives"):
        dimflow.grad(lambda x: x.sum())(DaskDimArray(np.arange(4), "m", chunks=2))
