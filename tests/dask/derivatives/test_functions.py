"""Derivatives through users' functions on blocks, against finite differences and eager code."""

import cloudpickle
import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dimflow
from dimflow import DimArray
from dimflow import units as u
from dimflow.dask import (
    DaskDimArray,
    apply_along_axis,
    apply_gufunc,
    apply_over_axes,
    blockwise,
    coarsen,
    map_blocks,
    map_overlap,
    overlap,
    reduction,
    stencil,
    trim_overlap,
)
from dimflow.errors import ComputationError, TracedValueError
from tests.dask.conftest import nothing_runs
from tests.dask.derivatives.programs import FIELD, METRE, assert_same, cuts, lazy_of, tasks

RNG = np.random.default_rng(11)
TIMES = DimArray(RNG.uniform(1.0, 2.0, 8), "s")
FIVE_POINTS = DimArray([[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]], "1/m**2")
HALF = DimArray(50.0, "cm")


def beside(block):
    """Of each element and the one before it along either axis."""
    return block**2 + block * (dimflow.roll(block, 1, axis=0) + dimflow.roll(block, 1, axis=-1))


def product(a, b):
    return a * b * b


def joined(parts):
    """What stages get in lists for each axis, as one list."""
    return [p for part in parts for p in joined(part)] if isinstance(parts, list) else [parts]


def counted(block, axis, keepdims):
    count = np.ones(block.shape).sum(axis=axis, keepdims=keepdims)
    return {"count": count, "total": (block**2).sum(axis, keepdims=keepdims)}


def put_together(parts, axis, keepdims):
    parts = joined(parts)
    return {name: sum(part[name] for part in parts) for name in ("count", "total")}


def mean_square(parts, axis, keepdims):
    whole = put_together(parts, axis, keepdims)
    return (whole["total"] / whole["count"]).sum(axis, keepdims=keepdims)


def squares(block, axis, keepdims):
    return (block**2).sum(axis, keepdims=keepdims)


def root(block, axis, keepdims):
    return dimflow.sqrt(block.sum(axis, keepdims=keepdims))


def weighted(block, weights, axis, keepdims):
    return (block * weights**2).sum(axis, keepdims=keepdims)


OVERLAPS = {
    f"map_overlap {boundary} {depth}": (
        lambda x, depth=depth, boundary=boundary: map_overlap(
            beside, x, depth=depth, boundary=boundary
        )
    )
    for boundary in ("periodic", "reflect", "nearest", "none", HALF)
    for depth in (1, {0: 2, 1: 1})
} | {
    "other depths on either side": lambda x: map_overlap(
        beside, x, depth={0: (1, 2), 1: (0, 1)}, boundary="none"
    ),
    "deeper than blocks": lambda x: map_overlap(beside, x, depth=4, boundary="reflect"),
    "not trimmed": lambda x: map_overlap(
        lambda b: b[1:-1] * b[2:] / METRE, x, depth={0: 1}, boundary="periodic", trim=False
    ),
    "a method": lambda x: x.map_overlap(beside, depth=1, boundary="nearest"),
    "stencil": lambda x: stencil(x, FIVE_POINTS, "periodic"),
    "a stencil with walls": lambda x: stencil(x, FIVE_POINTS, HALF),
    "overlap": lambda x: overlap(x, {0: 1, 1: 2}, {0: "none", 1: "nearest"}) ** 2,
    "trim_overlap": lambda x: trim_overlap(overlap(x, 1, "periodic") ** 3, 1, "periodic"),
}
OTHERS = {
    "blockwise": lambda x: blockwise(lambda b: b.T**2, "ji", x, "ij"),
    "new axes": lambda x: blockwise(
        lambda b: dimflow.stack([b, b * b / METRE], axis=-1), "ijz", x, "ij", new_axes={"z": 2}
    ),
    "longer blocks": lambda x: blockwise(
        lambda b: dimflow.concat([b, b * b / METRE]),
        "ij",
        x,
        "ij",
        adjust_chunks={"i": lambda n: 2 * n},
    ),
    "dropped axes": lambda x: map_blocks(lambda b: (b**2).sum(axis=0), x, drop_axis=0),
    "a new axis": lambda x: map_blocks(
        lambda b: dimflow.stack([b, b * b / METRE]), x, new_axis=0, chunks=(2, *x.chunks)
    ),
    "coarsen": lambda x: coarsen(np.mean, x, {0: 2, 1: 2}),
    "what is left of coarsen": lambda x: coarsen(np.max, x, {0: 4, 1: 3}, trim_excess=True),
    "reduction": lambda x: reduction(x, squares, root, combine=np.sum, split_every=2),
    "one axis": lambda x: reduction(x, np.sum, np.sum, axis=0, keepdims=True),
    "a reduction of Dask's": lambda x: da.reduction(x, np.sum, np.sum, axis=1),
    "stages with dicts": lambda x: reduction(
        x, counted, mean_square, combine=put_together, concatenate=False, split_every=2
    ),
    "apply_gufunc": lambda x: apply_gufunc(
        lambda b: (b**2).sum(axis=-1), "(i)->()", x, allow_rechunk=True
    ),
    "along another axis": lambda x: apply_gufunc(
        lambda b: (b**2).sum(axis=-1), "(i)->()", x.rechunk((-1, 3)), axis=0, keepdims=True
    ),
    "several results": lambda x: product(
        *apply_gufunc(lambda b: (b.mean(axis=-1), b.std(axis=-1)), "(i)->(),()", x.rechunk((2, 8)))
    ),
    "vectorize": lambda x: apply_gufunc(
        lambda b: (b**2).sum(), "(i)->()", x.rechunk((2, 8)), vectorize=True
    ),
    "apply_along_axis": lambda x: apply_along_axis(lambda row: (row**2).sum(), 1, x),
    "as many elements": lambda x: apply_along_axis(lambda row: row[::2] * row[0], 0, x),
    "apply_over_axes": lambda x: apply_over_axes(lambda b, axis: (b**2).sum(axis), x, [0, 1]),
}
PAIRS = {
    "map_overlap": lambda x, t: map_overlap(
        product, x, t, depth=[1, 1], boundary=["reflect", "periodic"]
    ),
    "one block for many": lambda x, t: map_blocks(product, x, t.rechunk(3)[None, :]),
    "an outer product": lambda x, t: blockwise(
        lambda a, b: a[:, None] * b**2, "ij", x[:, 0], "i", t, "j"
    ),
    "a contraction": lambda x, t: blockwise(
        lambda a, b: a @ b, "i", x, "ij", t**2, "j", concatenate=True
    ),
    "lists of blocks": lambda x, t: blockwise(
        lambda a, b: sum(p @ q for p, q in zip(a, b, strict=True)), "i", x, "ij", t**2, "j"
    ),
    "weights": lambda x, t: reduction(x, weighted, np.sum, weights=t),
    "apply_gufunc": lambda x, t: apply_gufunc(
        product, "(i),(i)->(i)", x.rechunk((2, 8)), t.rechunk(8)
    ),
    "elements": lambda x, t: apply_gufunc(product, "(),()->()", x, t.rechunk(3)),
}


def slope_along(loss, args, directions, step=1e-6):
    """How a loss changes along directions, by a difference."""

    def at(sign):
        moved = [a + sign * step * d for a, d in zip(args, directions, strict=True)]
        return loss(*moved).compute()

    return (at(1) - at(-1)) / (2 * step)


def along(gradients, directions):
    parts = zip(gradients, directions, strict=True)
    first, *rest = [(g * d).sum() for g, d in parts]
    return sum(rest, first)


def check(program, *args):
    """Both modes, once, against a difference; 0 tasks while they are built."""

    def loss(*args):
        return (program(*args) ** 2).sum()

    places = tuple(range(len(args)))
    directions = [DaskDimArray(RNG.normal(size=a.shape), a.unit, chunks=a.chunks) for a in args]
    with nothing_runs():
        found = dimflow.grad(loss, places)(*args)
        moved = dimflow.jvp(loss, tuple(args), tuple(directions))[1]
    for gradient, argument in zip(found, args, strict=True):
        assert type(gradient) is DaskDimArray
        assert gradient.chunks == argument.chunks
        assert gradient.unit.dimension is (moved.unit / argument.unit).dimension
    wanted = slope_along(loss, args, directions)
    slope = along(found, directions).compute().to(wanted.unit).data
    np.testing.assert_allclose(slope, wanted.data, rtol=1e-5)
    np.testing.assert_allclose(moved.compute().to(wanted.unit).data, slope, rtol=1e-9)


EVERY_DAY = {
    "map_overlap none {0: 2, 1: 1}",
    *("other depths on either side", "not trimmed", "a method", "stencil", "trim_overlap"),
    *("new axes", "dropped axes", "a new axis", "coarsen", "reduction", "stages with dicts"),
    *("apply_gufunc", "several results", "vectorize", "apply_along_axis", "apply_over_axes"),
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in EVERY_DAY else pytest.mark.deep)
        for name in (*OVERLAPS, *OTHERS)
    ],
)
def test_derivatives_equal_differences(name):
    check({**OVERLAPS, **OTHERS}[name], lazy_of(FIELD, (2, 3)))


@pytest.mark.parametrize("name", PAIRS)
def test_derivatives_by_several_arguments_equal_differences(name):
    check(PAIRS[name], lazy_of(FIELD, (2, 3)), lazy_of(TIMES, 4))


@pytest.mark.deep
@pytest.mark.parametrize("name", [*OVERLAPS, *OTHERS])
def test_second_derivatives_equal_differences(name):
    program = {**OVERLAPS, **OTHERS}[name]
    x = lazy_of(FIELD, ((1, 3, 2), (5, 3)))
    weights = DimArray(RNG.normal(size=x.shape), "m")

    def slope(x):
        return (dimflow.grad(lambda x: (program(x) ** 2).sum())(x) * weights).sum()

    direction = DimArray(RNG.normal(size=x.shape), "m")
    with nothing_runs():
        found = dimflow.grad(slope)(x)
    wanted = slope_along(slope, [x], [direction])
    given_slope = along([found], [direction]).compute().to(wanted.unit).data
    np.testing.assert_allclose(given_slope, wanted.data, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in ("stencil", "reduction") else pytest.mark.deep)
        for name in (*OVERLAPS, *OTHERS)
    ],
)
def test_all_derivatives_at_once_are_those_along_a_direction(name):
    """Jacobians by rows and by columns, and second derivatives, which go in batches."""
    program = {**OVERLAPS, **OTHERS}[name]
    x = lazy_of(FIELD, (2, 3))
    direction = DaskDimArray(RNG.normal(size=x.shape), "m", chunks=(2, 3))

    def loss(x):
        return (program(x) ** 2).sum()

    with nothing_runs():
        rows = dimflow.jacobian(program)(x)
        columns = dimflow.jacobian(program, mode="forward")(x)
        moved = dimflow.jvp(program, (x,), (direction,))[1]
        curved = dimflow.hessian(loss)(x)
        turned = dimflow.jvp(dimflow.grad(loss), (x,), (direction,))[1]
    assert_same(columns, rows.compute())
    for found, wanted in ((rows, moved), (curved, turned)):
        along_it = dimflow.tensordot(found.compute(), direction.compute(), 2)
        numbers = wanted.compute().to(along_it.unit).data
        np.testing.assert_allclose(along_it.data, numbers, rtol=1e-8, atol=1e-9)


PADDED = {"periodic": "wrap", "reflect": "symmetric", "nearest": "edge", "cm": "constant"}


@settings(max_examples=8, deadline=None)
@given(
    boundary=st.sampled_from(sorted(PADDED)),
    depth=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    chunks=st.tuples(cuts(6), cuts(8)),
    unit=st.sampled_from(["m", "inch"]),
)
def test_a_gradient_through_neighbours_is_that_of_padded_eager_code(boundary, depth, chunks, unit):
    """Blocks with neighbours are the array with something around it, whatever the blocks are."""
    field = FIELD.to(unit)
    edge = HALF if boundary == "cm" else boundary
    values = {"constant_values": HALF} if boundary == "cm" else {}
    widths = tuple((d, d) for d in depth)

    def eager(x):
        wide = beside(dimflow.pad(x, widths, mode=PADDED[boundary], **values))
        return (wide[depth[0] : -depth[0], depth[1] : -depth[1]] ** 2).sum()

    def lazy(x):
        return (map_overlap(beside, x, depth=depth, boundary=edge) ** 2).sum()

    x = lazy_of(field, chunks)
    with nothing_runs():
        found = dimflow.grad(lazy)(x)
    assert_same(found, dimflow.grad(eager)(field), x.chunks)


@pytest.mark.deep
@settings(max_examples=60, deadline=None)
@given(name=st.sampled_from(sorted(OVERLAPS) + sorted(OTHERS)), chunks=st.tuples(cuts(6), cuts(8)))
def test_derivatives_equal_differences_for_any_blocks(name, chunks):
    check({**OVERLAPS, **OTHERS}[name], lazy_of(FIELD, chunks))


def scaled(block, factor):
    return block * factor**3


def test_numbers_beside_blocks_have_gradients():
    x = lazy_of(FIELD, (2, 3))
    factor, table = DimArray(2.0, "s"), DimArray(RNG.uniform(1.0, 2.0, (3, 2)), "s")
    with nothing_runs():
        slope = dimflow.grad(lambda f: map_blocks(scaled, x, f).sum())(factor)
        twice = dimflow.grad(dimflow.grad(lambda f: map_blocks(scaled, x, f).sum()))(factor)
        moved = dimflow.jvp(lambda f: map_blocks(scaled, x, f), (factor,), (factor,))[1]
        spread = dimflow.grad(lambda t: map_blocks(lambda b, t: b * t.sum() ** 2, x, t).sum())(
            table
        )
    assert_same(slope, 3 * factor**2 * FIELD.sum())
    assert_same(twice, 6 * factor * FIELD.sum())
    assert_same(moved, 3 * factor**3 * FIELD)
    assert_same(spread, 2 * table.sum() * FIELD.sum() * dimflow.ones((3, 2)))


def test_units_are_converted_and_checked_on_the_way():
    x = lazy_of(FIELD, (2, 3))
    centimetres = dimflow.grad(
        lambda x: map_overlap(beside, x, depth=1, boundary="periodic", unit="cm**2").sum()
    )(x)
    metres = dimflow.grad(lambda x: map_overlap(beside, x, depth=1, boundary="periodic").sum())(x)
    assert centimetres.unit == u.cm**2 / u.m
    np.testing.assert_allclose(centimetres.to("m").compute().data, metres.compute().data)


def test_gradients_by_lazy_arrays_beside_one_that_is_followed_compute_nothing():
    x, t = lazy_of(FIELD, (2, 3)), lazy_of(TIMES, 4)

    def inner(x, t):
        return (x * t**2).sum()

    def outer(x):
        by_x, by_t = dimflow.grad(inner, (0, 1))(x, t)
        return (by_x * METRE).sum() * (by_t * TIMES).sum()

    with nothing_runs():
        found = dimflow.grad(outer)(x)
    wanted = 2 * (TIMES**2).sum() * 6 * METRE * TIMES**2
    assert_same(found, dimflow.broadcast_to(wanted, (6, 8)), x.chunks)


@pytest.mark.parametrize("name", ["stencil", "map_overlap none 1", "reduction", "apply_gufunc"])
def test_graphs_grow_as_those_of_the_program(name):
    def counts(blocks):
        x = DaskDimArray.ones((4 * blocks, 8), "m", chunks=(4, 4))
        program = {**OVERLAPS, **OTHERS}[name]
        value, found = dimflow.value_and_grad(lambda x: (program(x) ** 2).sum())(x)
        return tasks(value), tasks(value, found)

    (few, few_back), (many, many_back) = counts(4), counts(16)
    assert few_back <= 4 * few
    assert many_back <= 4 * many
    assert many_back / many <= 1.25 * few_back / few


@pytest.mark.parametrize("name", ["stencil", "dropped axes", "stages with dicts", "vectorize"])
def test_no_trace_is_in_the_graph(name):
    program = {**OVERLAPS, **OTHERS}[name]
    found = dimflow.grad(lambda x: (program(x) ** 2).sum())(lazy_of(FIELD, (2, 3)))
    assert b"dimflow.autodiff" not in cloudpickle.dumps(dict(found.__dask_graph__()))


# What cannot be


def largest_two(block, axis, keepdims):
    return dimflow.sort(block, axis=0)[-2:]


REFUSED = {
    "a length that varies": lambda x: reduction(x, largest_two, squares, axis=0).sum(),
    "two axes of one name": lambda x: blockwise(lambda b: b.sum(), "", x[:6, :6], "ii"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_derivative_says_so(name, lazy):
    with pytest.raises(ComputationError, match="custom_gradient"):
        dimflow.grad(REFUSED[name])(lazy_of(FIELD, (2, 3)))


FOLLOWED = {
    "a keyword": (lambda x: map_blocks(lambda b, by: b * by, x, by=x).sum(), "by position"),
    "a boundary": (
        lambda x: map_overlap(beside, x, depth=1, boundary=x[0, 0]).sum(),
        "stop_gradient",
    ),
    "numbers of NumPy": (
        lambda x: map_overlap(lambda b: np.asarray(b.data) ** 2, x, depth=1, unit="m**2").sum(),
        "stop_gradient",
    ),
    "topk": (lambda x: dimflow.dask.topk(x, 2).sum(), "custom_gradient"),
    "out": (lambda x: reduction(x, np.sum, np.sum, out=lazy_of(METRE, ())), "custom_gradient"),
    "a parameter of slices": (
        lambda x: apply_along_axis(lambda row, by: row * by, 0, x, x[0, 0]).sum(),
        "custom_gradient",
    ),
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_what_a_derivative_does_not_go_through_says_so(name, lazy):
    program, hint = FOLLOWED[name]
    with pytest.raises(TracedValueError, match=hint):
        dimflow.grad(program)(lazy_of(FIELD, (2, 3)))


@pytest.mark.parametrize(
    "program",
    [
        lambda x: map_overlap(beside, x, depth=1),
        lambda x: overlap(x, 1, "periodic"),
        lambda x: blockwise(lambda b: b, "i", x, "i"),
    ],
    ids=["map_overlap", "overlap", "blockwise"],
)
def test_batches_are_refused(program, lazy):
    with pytest.raises(TracedValueError, match="outside of vmap"):
        dimflow.vmap(program)(lazy_of(FIELD, (2, 3)))
