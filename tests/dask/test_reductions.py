"""Reductions and scans in blocks: NumPy's numbers, Dask's graphs, lengths that nobody knows yet."""

from math import prod
from typing import Any

import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dimflow import DimArray, ops
from dimflow.dask import DaskDimArray
from dimflow.errors import UnitError
from tests.contract.samples import DEEP
from tests.dask.conftest import nothing_runs

FEW = settings(max_examples=300 if DEEP else 10)

DTYPES = (np.float64, np.float32, np.int64, np.int8, np.bool_, np.complex128)


@st.composite
def arrays(draw: Any, dtypes: Any = DTYPES, least: int = 0) -> tuple[Any, Any]:
    """Numbers, and the same in random blocks."""
    shape = draw(st.lists(st.integers(least, 5), max_size=3).map(tuple))
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    numbers = np.asarray(rng.integers(-3, 4, shape)).astype(dtype)
    if dtype.kind == "c":
        numbers = numbers + 1j * rng.integers(-3, 4, shape)
    chunks = tuple(max(1, draw(st.integers(1, max(n, 1)))) for n in shape)
    return numbers, da.from_array(numbers, chunks=chunks)


@st.composite
def axes_of(draw: Any, ndim: int) -> Any:
    """No axis, one of them, or several."""
    if not ndim:
        return None
    several = st.lists(st.integers(0, ndim - 1), unique=True, min_size=1).map(tuple)
    return draw(st.one_of(st.none(), st.integers(-ndim, ndim - 1), several))


def agree(got: Any, wanted: Any) -> None:
    found = got.compute()
    assert np.shape(found) == np.shape(wanted) == got.shape
    assert got.dtype == np.asarray(found).dtype == np.asarray(wanted).dtype
    np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=1e-6)


@FEW
@given(st.data(), arrays(), st.sampled_from(["sum", "prod", "mean", "any", "all"]), st.booleans())
def test_numbers_shapes_and_dtypes_are_numpys(
    data: Any, pair: Any, name: str, keepdims: bool
) -> None:
    numbers, raw = pair
    axis = data.draw(axes_of(numbers.ndim))
    op = ops.get(name)
    with np.errstate(all="ignore"), nothing_runs():
        got = op(raw, axis=axis, keepdims=keepdims)
    if name == "mean" and not numbers.size:
        assert got.dtype == op(np.ones(1, numbers.dtype)).dtype  # of nothing there is none
        return
    agree(got, op(numbers, axis=axis, keepdims=keepdims))


@FEW
@given(st.data(), arrays(least=1), st.sampled_from(["var", "std"]), st.integers(0, 1))
def test_moments_are_numpys(data: Any, pair: Any, name: str, ddof: int) -> None:
    numbers, raw = pair
    axis = data.draw(axes_of(numbers.ndim))
    op = ops.get(name)
    along = op(np.ones_like(numbers), axis=axis, keepdims=True)
    if numbers.size // max(along.size, 1) <= ddof:
        return  # no degree of freedom is left
    agree(op(raw, axis=axis, ddof=ddof), op(numbers, axis=axis, ddof=ddof))


@FEW
@given(st.data(), arrays(DTYPES[:4]), st.sampled_from(["sum", "prod", "max", "min"]))
def test_masks_and_starts(data: Any, pair: Any, name: str) -> None:
    numbers, raw = pair
    axis = data.draw(axes_of(numbers.ndim))
    mask = np.random.default_rng(1).random(numbers.shape) < 0.6
    op = ops.get(name)
    start = numbers.dtype.type(1)
    with nothing_runs():
        got = op(raw, axis=axis, where=da.asarray(mask), initial=start)
    agree(got, op(numbers, axis=axis, where=mask, initial=start))


@FEW
@given(
    st.data(), arrays((np.float64, np.float32), least=1), st.sampled_from(["mean", "var", "std"])
)
def test_moments_under_a_mask(data: Any, pair: Any, name: str) -> None:
    numbers, raw = pair
    axis = data.draw(st.sampled_from([None, -1])) if numbers.ndim else None
    mask = np.ones(numbers.shape[-1:], bool)
    if mask.size > 1:
        mask[0] = False
    op = ops.get(name)
    agree(op(raw, axis=axis, where=mask), op(numbers, axis=axis, where=mask))


@FEW
@given(st.data(), arrays(DTYPES[:4], least=1))
def test_scans_are_numpys(data: Any, pair: Any) -> None:
    numbers, raw = pair
    axis = data.draw(st.integers(-numbers.ndim, numbers.ndim - 1)) if numbers.ndim else None
    for name in ("cumulative_sum", "cumulative_prod", "cummax", "cummin", "logcumsumexp"):
        agree(ops.get(name)(raw, axis=axis), ops.get(name)(numbers, axis=axis))
    got = ops.cumulative_sum(raw, axis=axis, include_initial=True)
    agree(got, ops.cumulative_sum(numbers, axis=axis, include_initial=True))


@FEW
@given(st.data(), arrays((np.float64, np.float32, np.int64), least=1), st.booleans())
def test_quantiles_are_exact(data: Any, pair: Any, keepdims: bool) -> None:
    numbers, raw = pair
    axis = data.draw(axes_of(numbers.ndim))
    method = data.draw(st.sampled_from(["linear", "lower", "midpoint", "hazen"]))
    for q in (0.3, np.array([0.0, 0.5, 1.0]), np.array([[0.1], [0.9]])):
        options = {"axis": axis, "method": method, "keepdims": keepdims}
        with nothing_runs():
            got = ops.quantile(raw, q, **options)
        agree(got, np.quantile(numbers, q, **options))
    agree(
        ops.median(raw, axis=axis, keepdims=keepdims), np.median(numbers, axis, keepdims=keepdims)
    )


@FEW
@given(st.data(), arrays(DTYPES[:4], least=1), st.booleans())
def test_of_equal_extremes_the_first_counts(data: Any, pair: Any, keepdims: bool) -> None:
    numbers, raw = pair
    axis = data.draw(st.integers(0, numbers.ndim - 1)) if numbers.ndim else None
    for where in (axis, None):
        for name in ("argmax", "argmin", "nanargmax", "nanargmin"):
            got = ops.get(name)(raw, axis=where, keepdims=keepdims)
            agree(got, getattr(np, name)(numbers, axis=where, keepdims=keepdims))


def test_the_first_nan_is_an_extreme_unless_nan_is_skipped() -> None:
    numbers = np.array([[3.0, 1.0, np.nan], [3.0, np.nan, 1.0]])
    for chunks in (1, 2, (1, 3), (2, 3)):  # blocks of nan alone, of some, and of none
        for values in (numbers, -numbers):
            raw = da.from_array(values, chunks=chunks)
            for name in ("argmax", "argmin", "nanargmax", "nanargmin"):
                assert ops.get(name)(raw).compute() == getattr(np, name)(values)
    with pytest.raises(ValueError, match="All-NaN slice encountered"):
        ops.nanargmax(da.full((2, 2), np.nan, chunks=1)).compute()


@pytest.mark.parametrize(
    "name", ["max", "min", "argmax", "nanmax", "ptp", "cumulative_sum", "median"]
)
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 3)])
def test_of_nothing_it_is_what_numpy_says(name: str, shape: Any) -> None:
    raw = da.from_array(np.empty(shape), chunks=1)
    op = ops.get(name)
    for axis in (None, 0, -1):
        try:
            with np.errstate(all="ignore"):
                wanted = op(np.empty(shape), axis=axis)
        except (ValueError, RuntimeWarning) as error:
            with pytest.raises(type(error)):
                op(raw, axis=axis).compute()
        else:
            assert op(raw, axis=axis).compute().shape == op(raw, axis=axis).shape == wanted.shape


def test_known_empty_blocks_are_no_missing_ones() -> None:
    numbers = np.arange(12.0).reshape(6, 2)
    raw = da.from_array(numbers, chunks=((3, 0, 3), (2,)))
    for name in (
        "max",
        "argmax",
        "nanmax",
        "nanargmin",
        "cumulative_sum",
        "cummax",
        "median",
        "std",
    ):
        op = ops.get(name)
        np.testing.assert_array_equal(op(raw, axis=0).compute(), op(numbers, axis=0))


SAME_GRAPH: dict[str, Any] = {
    "sum": lambda xp, x: xp.sum(x, axis=0),
    "prod": lambda xp, x: xp.prod(x),
    "mean": lambda xp, x: xp.mean(x, axis=(0, 1), keepdims=True),
    "var": lambda xp, x: xp.var(x, axis=1, ddof=1),
    "std": lambda xp, x: xp.std(x, axis=1),
    "max": lambda xp, x: xp.max(x, axis=0),
    "min": lambda xp, x: xp.min(x),
    "any": lambda xp, x: xp.any(x, axis=1),
    "all": lambda xp, x: xp.all(x),
    "argmax": lambda xp, x: xp.argmax(x, axis=1),
    "argmin": lambda xp, x: xp.argmin(x, axis=0),
    "nansum": lambda xp, x: xp.nansum(x, axis=0),
    "nanmax": lambda xp, x: xp.nanmax(x, axis=0),
    "nanmean": lambda xp, x: xp.nanmean(x),
    "nanstd": lambda xp, x: xp.nanstd(x, axis=1, ddof=1),
    "nanargmin": lambda xp, x: xp.nanargmin(x, axis=0),
    "cumsum": lambda xp, x: getattr(xp, "cumulative_sum", da.cumsum)(x, axis=0),
    "sin": lambda xp, x: xp.sin(x),
    "floor": lambda xp, x: xp.floor(x),
    "add": lambda xp, x: x + np.float64(2) if xp is da else xp.add(x, np.float64(2)),
    "hypot": lambda xp, x: xp.hypot(x, x.T),
    "where": lambda xp, x: xp.where(x > 0, x, 0),
}


@pytest.mark.parametrize("name", SAME_GRAPH)
def test_the_graph_is_the_one_that_users_of_dask_make(name: str) -> None:
    """Down to the names of its tasks, which are made from all that goes into them."""
    raw = da.random.default_rng(0).random((12, 12), chunks=(2, 5))
    with nothing_runs():
        ours, theirs = SAME_GRAPH[name](ops, raw), SAME_GRAPH[name](da, raw)
    assert set(ours.__dask_graph__()) == set(theirs.__dask_graph__())


def picked() -> tuple[Any, Any]:
    """Rows that a lazy mask picks: none of the third block, so that one block is empty."""
    numbers = np.random.default_rng(0).normal(size=(20, 5))
    mask = np.random.default_rng(1).random(20) > 0.4
    mask[12:18] = False
    lazy = da.from_array(numbers, chunks=(6, 2))[da.from_array(mask, chunks=6)]
    return DimArray(numbers[mask], "m"), DaskDimArray(lazy, "m")


OF_UNKNOWN_LENGTHS: dict[str, Any] = {
    "conversion": lambda x: x + 1 * x.to("km"),
    "product": lambda x: x * x,
    "erf": lambda x: ops.erf(x / DimArray(1.0, "m")),
    "where": lambda x: ops.where(x > DimArray(0.0, "m"), x, 0),
    "anomaly": lambda x: (x - ops.mean(x, axis=0)) / ops.std(x, axis=0),
    "sum": ops.sum,
    "sum of rows": lambda x: ops.sum(x, axis=1),
    "mean": lambda x: ops.mean(x, axis=0),
    "var": lambda x: ops.var(x, axis=0, ddof=1),
    "max": lambda x: ops.max(x, axis=0),
    "min": ops.min,
    "max from a start": lambda x: ops.max(x, initial=0),
    "argmax of rows": lambda x: ops.argmax(x, axis=1),
    "nansum": ops.nansum,
    "nanmean": lambda x: ops.nanmean(x, axis=0),
    "nanmax": lambda x: ops.nanmax(x, axis=1),
    "nanstd": ops.nanstd,
    "ptp": lambda x: ops.ptp(x, axis=0),
    "prod of rows": lambda x: ops.prod(x, axis=1),
    "prod of numbers": lambda x: ops.prod(x / DimArray(1.0, "m"), axis=0),
    "cumulative_sum": lambda x: ops.cumulative_sum(x, axis=0),
    "cumulative_sum of rows": lambda x: ops.cumulative_sum(x, axis=1),
    "cummax": lambda x: ops.cummax(x, axis=1),
    "median": lambda x: ops.median(x, axis=0),
    "quantile": lambda x: ops.quantile(x, [0.1, 0.5], axis=1),
    "softmax": lambda x: ops.softmax(x / DimArray(1.0, "m"), axis=0),
    "logsumexp": lambda x: ops.logsumexp(x / DimArray(1.0, "m")),
    "average": lambda x: ops.average(x, axis=1, weights=np.arange(5.0)),
    "norm": ops.norm,
    "masked": lambda x: ops.mean(x, axis=1, where=np.array([True, False, True, True, False])),
    "counts": lambda x: ops.histogram(x, bins=4).counts,
    "edges": lambda x: ops.histogram(x, bins=4).edges,
}


@pytest.mark.parametrize("name", OF_UNKNOWN_LENGTHS)
def test_lengths_need_not_be_known(name: str) -> None:
    eager, lazy = picked()
    wanted = OF_UNKNOWN_LENGTHS[name](eager)
    with nothing_runs():
        got = OF_UNKNOWN_LENGTHS[name](lazy)
    if isinstance(wanted, DimArray):
        assert got.unit is wanted.unit
        got, wanted = got.data, wanted.data
    np.testing.assert_allclose(got.compute(), wanted, rtol=1e-12)


@pytest.mark.parametrize("name", ["var", "std", "mean", "sum", "max"])
@pytest.mark.parametrize("bad", [None, np.nan], ids=str)
def test_a_mask_that_picks_nothing_from_many_blocks(name: str, bad: float | None) -> None:
    numbers = np.arange(60.0) ** 2 % 17
    if bad is not None:
        numbers[40] = bad
    x = DaskDimArray(numbers, "m", chunks=2)  # so many blocks that they are joined in two steps
    place = da.arange(60, chunks=2)
    y = x[(place > 35) & (place < 50)]
    wanted = getattr(np, name)(numbers[36:50])
    for found in (
        getattr(ops, name)(y),
        getattr(np, name)(y),
        getattr(y, name)(split_every=2),
        getattr(da, name)(y, split_every=2),
    ):
        np.testing.assert_allclose(found.compute().data, wanted, rtol=1e-12)


def test_a_product_with_a_unit_needs_its_length() -> None:
    _, lazy = picked()
    with pytest.raises(UnitError) as caught, nothing_runs():
        ops.prod(lazy)
    assert str(caught.value) == (
        "prod of m needs the number of factors, which this shape does not tell\n"
        "  hint:  divide by a reference value first, so that the factors are pure numbers; a lazy "
        "array learns its lengths by x.compute_chunk_sizes()"
    )
    known = lazy.compute_chunk_sizes()
    assert str(ops.prod(known).unit) == f"m**{prod(known.shape)}"


def test_an_extreme_of_nothing_is_an_error_when_it_is_found() -> None:
    lazy = da.from_array(np.arange(4.0), chunks=2)
    nothing = lazy[lazy > 9]
    with pytest.raises(ValueError, match="zero-size array"):
        ops.max(nothing).compute()
    assert ops.max(nothing, initial=-1.0).compute() == -1.0
