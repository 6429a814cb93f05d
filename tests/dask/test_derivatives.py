"""Derivatives of lazy programs: lazy arrays in turn, in blocks, equal to those of eager code."""

from itertools import pairwise

import dask
import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dimflow
from dimflow import DimArray
from dimflow import units as u
from dimflow.dask import DaskDimArray
from dimflow.errors import (
    ComputationError,
    DimensionError,
    NoDataError,
    NotANumber,
    ShapeMismatch,
    TracedValueError,
)
from tests.dask.conftest import Counted, nothing_runs

RNG = np.random.default_rng(7)
FIELD = DimArray(RNG.uniform(0.5, 2.0, (6, 8)), "m")
WEIGHTS = DimArray(RNG.uniform(0.5, 2.0, 8), "kg")
METRE = DimArray(1.0, "m")
TABLE = DimArray(RNG.uniform(0.5, 2.0, (8, 3)), "s")  # a constant that is not lazy

PROGRAMS = {
    "squares": lambda x, w: (x**2 * w).sum(),
    "mean": lambda x, w: (x * w).mean(axis=0).sum(),
    "scaled mean": lambda x, w: (x * 3.0).mean() * w.sum(),
    "where": lambda x, w: dimflow.where(x > METRE, x * w, 0).sum(),
    "exp": lambda x, w: (dimflow.exp(x / METRE) * w).sum(),
    "matmul": lambda x, w: (x @ w).max(),
    "gram": lambda x, w: (x.T @ x).sum() * w.mean(),
    "constant matrix": lambda x, w: (x @ TABLE).sum() * w.sum(),
    "max": lambda x, w: (x * w).max(axis=1).sum(),
    "std": lambda x, w: (x * w).std(),
    "var": lambda x, w: (x * w).var(axis=1, ddof=1).sum(),
    "concat": lambda x, w: (dimflow.concat([x, x.to("km")], axis=1) ** 2).sum() * w.sum(),
    "stack": lambda x, w: (dimflow.stack([x, (2 * x).to("cm")]) ** 2 * w).sum(),
    "cumsum": lambda x, w: (x.cumsum(axis=1) * w).sum(),
    "slices": lambda x, w: (x[1:4, ::2] ** 2).sum() * w[-2],
    "steps back": lambda x, w: (x[::-2, -3] ** 2).sum() * w[::-1][0],
    "positions": lambda x, w: (x[:, [0, 3, 3]] ** 2).sum() * w[np.array([1, -1])].sum(),
    "reshape": lambda x, w: (x.reshape(48)[3:20] ** 2).sum() * w.sum(),
    "norm": lambda x, w: dimflow.linalg.norm(x) * dimflow.linalg.norm(w),
    "diff": lambda x, w: (dimflow.diff(x, axis=0) ** 2 * w).sum(),
    "roll": lambda x, w: (dimflow.roll(x, 1, axis=1) * x * w).sum(),
    "flip": lambda x, w: (dimflow.flip(x, axis=0) * x * w).sum(),
    "pad": lambda x, w: (dimflow.pad(x, 1) ** 2).sum() * w.sum(),
    "clip": lambda x, w: (dimflow.clip(x, 0.8 * METRE, 1.5 * METRE) * w).sum(),
    "units": lambda x, w: (x.to("km") ** 2 * w.to("g")).sum().to("m**2*kg"),
    "einsum": lambda x, w: dimflow.einsum("ij,j->i", x, w).sum(),
    "quotient": lambda x, w: (w / x).sum(),
    "powers": lambda x, w: (x**1.5).sum() * w.sum() ** 2,
    "ufuncs": lambda x, w: (np.sin(x / METRE) * np.sqrt(w)).sum(),
    "logsumexp": lambda x, w: dimflow.logsumexp(x / METRE, axis=1).sum() * w.sum(),
    "product": lambda x, w: x[:, :2].prod(axis=1).sum() * w.sum(),
}


def lazy_of(array, chunks):
    return DaskDimArray(array, chunks=chunks)


def assert_same(lazy, eager, chunks=None):
    """A lazy array with the unit and the numbers of an eager one."""
    assert type(lazy) is DaskDimArray
    assert lazy.unit == eager.unit
    if chunks is not None:
        assert lazy.chunks == chunks
    np.testing.assert_allclose(lazy.compute().data, eager.data, rtol=1e-9, atol=1e-12)


def tasks(*arrays):
    """The number of tasks that several arrays need together."""
    graph = {}
    for array in arrays:
        graph.update(array.__dask_graph__())
    return len(graph)


# Gradients


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


@st.composite
def cuts(draw, length):
    """Lengths of blocks that add up to a length."""
    ends = draw(st.sets(st.integers(1, length - 1), max_size=3))
    edges = [0, *sorted(ends), length]
    return tuple(b - a for a, b in pairwise(edges))


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


def cubes(x):
    return (x**3).sum()


def one_scan(x):
    return dimflow.scan(lambda c, row: (c + (row**2).sum(),) * 2, DimArray(0.0, "m**2"), x)


def with_tape(x):
    with dimflow.GradientTape() as tape:
        x = tape.watch(x)
        y = cubes(x)
    return tape.gradient(y, x)


def with_backward(x):
    x = x.copy().requires_grad_()
    cubes(x).backward()
    return x.grad


@dimflow.custom_gradient
def tripled(x):
    return x**2, lambda ct: (3 * x * ct,)


def pulled(x):
    y, back = dimflow.vjp(lambda x: x**2 * u.kg, x)
    return back(y / y / y)[0]


TRANSFORMS = {
    "vjp": pulled,
    "jvp": lambda x: dimflow.jvp(lambda x: x**2, (x,), (2 * x,)),
    "linearize": lambda x: dimflow.linearize(lambda x: x**2, x)[1](x),
    "jacobian": lambda x: dimflow.jacobian(lambda v: v**2)(x[0]),
    "jacobian by columns": lambda x: dimflow.jacobian(lambda v: v**2, mode="forward")(x[0]),
    "hessian": lambda x: dimflow.hessian(cubes)(x[:, 0]),
    "hvp": lambda x: dimflow.hvp(cubes, (x,), (x,)),
    "third derivative": lambda x: dimflow.nth_derivative(lambda x: x**3, 3)(x),
    "divergence": lambda x: dimflow.divergence(lambda r: r**2)(x),
    "curl": lambda x: dimflow.curl(lambda r: r[::-1] ** 2)(x[:, :2]),
    "laplacian": lambda x: dimflow.laplacian(cubes)(x),
    "vmap": lambda x: dimflow.vmap(lambda row: (row**2).sum())(x),
    "gradients of rows": lambda x: dimflow.vmap(dimflow.grad(cubes))(x),
    "a gradient's gradient": lambda x: dimflow.grad(lambda x: (dimflow.grad(cubes)(x) ** 2).sum())(
        x
    ),
    "tape": with_tape,
    "backward": with_backward,
    "stop_gradient": lambda x: dimflow.grad(lambda x: (x * dimflow.stop_gradient(x)).sum())(x),
    "custom_gradient": lambda x: dimflow.grad(lambda x: tripled(x).sum())(x),
    "checkpoint": lambda x: dimflow.grad(lambda x: dimflow.checkpoint(lambda x: x**2)(x).sum())(x),
    "scan": one_scan,
    "a scan's gradient": lambda x: dimflow.grad(lambda x: one_scan(x)[0])(x),
    "map": lambda x: dimflow.map(lambda row: (row**2).sum(), x),
    "fori_loop": lambda x: dimflow.fori_loop(0, 3, lambda i, y: y * 2 + i * METRE, x),
    "a count of rounds": lambda x: dimflow.while_loop(
        lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 2), (0, x)
    )[1],
    "cond": lambda x: dimflow.cond((x > 0.6 * METRE).all(), lambda x: x**2, lambda x: x**2 * 2, x),
    "a cond's gradient": lambda x: dimflow.grad(
        lambda x: dimflow.cond((x > 0.1 * METRE).all(), cubes, lambda x: 2 * cubes(x), x)
    )(x),
    "rows one by one": lambda x: dimflow.grad(lambda x: sum((row**3).sum() for row in x))(x),
    "points": lambda x: dimflow.grad(lambda t: ((t - DimArray(1.0, "degC")) ** 2).sum())(
        DimArray(x.data, "degC")
    ),
    "complex numbers": lambda x: dimflow.grad(lambda x: abs(x * (1 + 2j)).sum())(x),
}


def flat(found):
    return [f for part in found for f in flat(part)] if isinstance(found, tuple) else [found]


@pytest.mark.parametrize("name", TRANSFORMS)
def test_what_else_differentiates_is_lazy_too(name):
    transform = TRANSFORMS[name]
    eager = flat(transform(FIELD))
    with nothing_runs():
        found = flat(transform(lazy_of(FIELD, (2, 4))))
    assert len(found) == len(eager)
    for one, wanted in zip(found, eager, strict=True):
        assert_same(one, wanted)


def test_points_have_gradients_by_differences():
    celsius = lazy_of(DimArray(RNG.uniform(0, 30, 10), "degC"), 5)
    gradient = dimflow.grad(lambda t: ((t - DimArray(15.0, "degC")) ** 2).mean())(celsius)
    assert gradient.unit == u.delta_degC
    np.testing.assert_allclose(gradient.compute().data, (celsius.compute().data - 15) / 5)


# Graphs


@pytest.mark.parametrize("name", ["squares", "mean", "where", "exp", "diff", "roll", "positions"])
def test_the_graph_of_a_gradient_grows_as_that_of_the_program(name):
    def counts(blocks):
        x = DaskDimArray.ones((4 * blocks, 8), "m", chunks=(4, 4))
        w = lazy_of(WEIGHTS, 4)
        value, found = dimflow.value_and_grad(PROGRAMS[name], (0, 1))(x, w)
        return tasks(value), tasks(value, *found)

    (few, few_back), (many, many_back) = counts(4), counts(32)
    assert few_back <= 5 * few
    assert many_back <= 5 * many
    assert many_back / many <= 1.25 * few_back / few


def seen_once(block, calls):
    calls.append(block.shape)
    return block


def test_value_and_gradient_share_what_the_program_computes():
    calls = []
    blocks = lazy_of(FIELD, (2, 4)).data
    x = DaskDimArray(blocks.map_blocks(seen_once, calls=calls, meta=np.ones((0, 0))), "m")
    value, gradient = dimflow.value_and_grad(lambda x: (dimflow.exp(x / METRE) * x).sum())(x)
    with nothing_runs():
        assert not calls
    dask.compute(value, gradient)
    assert len(calls) == 6
    with Counted() as together:
        dask.compute(value, gradient, optimize_graph=False)
    assert 0 < together.tasks <= tasks(value, gradient)


def stored(array):
    """The bytes of memory that an array needs: those along which it repeats cost nothing."""
    steps = zip(array.shape, array.strides, strict=True)
    return array.itemsize * int(np.prod([n for n, step in steps if step]))


class LargestBlock(dask.callbacks.Callback):
    """The largest array that any task gives."""

    def __init__(self):
        super().__init__(posttask=self._seen)
        self.size = 0

    def _seen(self, key, result, graph, state, worker):
        if isinstance(result, np.ndarray):
            self.size = max(self.size, stored(result))


@pytest.mark.parametrize(
    "program",
    [
        lambda x: (x * 3.0).sum(),
        lambda x: (x / 3.0).mean(),
        lambda x: (2.0 * x).mean(axis=0).sum(),
        lambda x: (x**2).std(),
        lambda x: (2.0 * x)[:, 1:].sum(),
        lambda x: (x[1:] - x[:-1]).sum(),
        lambda x: (x.T * 2.0).sum(),
        lambda x: (x * 2.0).rechunk((20, 20)).sum() if hasattr(x, "chunks") else (x * 2.0).sum(),
    ],
    ids=["sum", "mean", "columns", "std", "slices", "differences", "transposed", "rechunked"],
)
def test_no_task_of_a_gradient_holds_more_than_a_block_or_two(program):
    x = DaskDimArray(RNG.uniform(1, 2, (100, 120)), "m", chunks=(20, 30))
    gradient = dimflow.grad(program)(x)
    with LargestBlock() as largest:
        found = dask.compute(gradient, optimize_graph=False)[0]
    np.testing.assert_allclose(found.data, dimflow.grad(program)(x.compute()).data)
    assert largest.size <= 2 * 20 * 30 * 8


def test_no_trace_is_in_the_graph():
    import cloudpickle

    x = lazy_of(FIELD, (2, 4))
    found = dimflow.grad(lambda x: (dimflow.grad(cubes)(x) ** 2).sum())(x)
    assert b"dimflow.autodiff" not in cloudpickle.dumps(dict(found.__dask_graph__()))


def test_constants_are_not_computed():
    constant = lazy_of(DimArray(RNG.uniform(size=(100, 100)), "s"), 50)
    numbers = DimArray(np.arange(10_000.0).reshape(100, 100), "s")
    x = DaskDimArray(np.ones((100, 100)), "m", chunks=50)
    with nothing_runs():
        found = dimflow.grad(lambda x: (x * constant * numbers).sum())(x)
    np.testing.assert_allclose(found.compute().data, constant.compute().data * numbers.data)
    eager = x.compute()
    with nothing_runs():  # which may meet lazy constants
        found = dimflow.grad(lambda x: (x * constant).sum())(eager)
    assert_same(found, constant.compute())


# Values, while they are followed


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
        lambda x: da.reduction(x, np.sum, np.sum),
    ],
    ids=["ma", "asarray", "from_array", "raw", "reduction"],
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


def test_lengths_that_are_not_known_are_refused(lazy):
    x = lazy_of(FIELD, (2, 4))
    with pytest.raises(ComputationError, match="where\\(mask, x, 0\\)"):
        dimflow.grad(lambda x: (x[x > METRE] ** 2).sum())(x)


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


# A worked use: a field from blocks of data that need not fit into memory


def test_a_field_is_found_from_measurements():
    """Diffusivity and source of a rod, by gradient descent on lazy measurements."""
    rng = np.random.default_rng(3)
    place = DaskDimArray(np.linspace(0.0, 1.0, 2_000), "m", chunks=250)
    truth = DimArray(300.0, "K"), DimArray(40.0, "K/m"), DimArray(-25.0, "K/m**2")

    def profile(base, slope, bend, x):
        return base + slope * x + bend * x**2

    noise = DaskDimArray(rng.normal(0, 0.1, 2_000), "K", chunks=250)
    measured = profile(*truth, place) + noise

    def misfit(parameters):
        model = profile(*parameters, place)
        return (((model - measured) / DimArray(0.1, "K")) ** 2).mean()

    parameters = DimArray(290.0, "K"), DimArray(0.0, "K/m"), DimArray(0.0, "K/m**2")
    gradient = dimflow.grad(misfit)
    with nothing_runs():
        slopes = gradient(parameters)
        curved = dimflow.hessian(lambda *p: misfit(p), (0, 1, 2))(*parameters)
    assert [s.unit for s in slopes] == [p.unit**-1 for p in parameters]
    slopes, curved = dask.compute(slopes, curved)
    matrix = np.array([[c.data for c in row] for row in curved])
    step = np.linalg.solve(matrix, [s.data for s in slopes])  # the misfit is a parabola
    pairs = zip(parameters, step, strict=True)
    parameters = tuple(p - DimArray(float(s), p.unit) for p, s in pairs)
    for found, wanted in zip(parameters, truth, strict=True):
        assert abs((found - wanted).data) < 0.3
    assert float(misfit(parameters).compute()) == pytest.approx(1.0, abs=0.1)
