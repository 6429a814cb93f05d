"""reduction, coarsen, topk: units from stage to stage."""

from typing import Any

import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dimflow import DimArray, Unit
from dimflow import units as u
from dimflow.dask import DaskDimArray, argtopk, coarsen, reduction, topk
from dimflow.errors import (
    BlockMismatch,
    DimensionError,
    InferenceError,
    NotANumber,
    ShapeMismatch,
    StructureMismatch,
    UnitConversionError,
    UnitError,
    UnitLossError,
)
from tests.dask.blocks.functions import root, squares, total
from tests.dask.conftest import nothing_runs
from tests.dask.cuts import chunkings

NUMBERS = np.arange(48.0).reshape(6, 8) - 11

dask_reduction = getattr(da.reduction, "_dimflow_original", da.reduction)
dask_coarsen = getattr(da.coarsen, "_dimflow_original", da.coarsen)


@pytest.fixture
def x() -> DaskDimArray:
    return DaskDimArray(NUMBERS, "m", chunks=(2, 3))


def parts(block: Any, axis: Any, keepdims: Any) -> Any:
    """A sum and a count, each in an array of its own."""
    return {
        "sum": total(block, axis, keepdims),
        "count": total(block * 0 + 1 * u.m, axis, keepdims),
    }


def _flat(found: Any) -> list[Any]:
    return [part for one in found for part in _flat(one)] if isinstance(found, list) else [found]


def joined(found: Any, axis: Any, keepdims: Any) -> Any:
    every = _flat(found)
    return {name: sum(part[name] for part in every) for name in ("sum", "count")}


def mean(found: Any, axis: Any, keepdims: Any) -> Any:
    both = joined(found, axis, keepdims)
    ratio = both["sum"] / (both["count"] / (1 * u.m))
    return ratio if keepdims else ratio.reshape(())


class TestLaws:
    @given(
        chunks=chunkings((6, 8)),
        axis=st.sampled_from([None, 0, 1, -1, (0, 1)]),
        keepdims=st.booleans(),
        split_every=st.sampled_from([None, 2, 3, {0: 2, 1: 2}]),
        unit=st.sampled_from(["m", "km"]),
    )
    @settings(max_examples=30, deadline=None)
    def test_a_norm_is_numpys(
        self, chunks: Any, axis: Any, keepdims: bool, split_every: Any, unit: str
    ) -> None:
        x = DaskDimArray(NUMBERS, unit, chunks=chunks)
        options: Any = {"axis": axis, "keepdims": keepdims, "split_every": split_every}
        with nothing_runs():
            built = reduction(x, squares, root, combine=total, **options)
        raw = dask_reduction(x.data, squares, root, combine=total, dtype=float, **options)
        assert (built.shape, built.chunks) == (raw.shape, raw.chunks)
        assert len(built.dask) == len(raw.dask)
        truth = np.sqrt((NUMBERS**2).sum(axis=axis, keepdims=keepdims))
        result = built.compute()
        assert result.unit is built.unit is Unit(unit)
        np.testing.assert_allclose(result.data, truth, rtol=1e-12)

    @pytest.mark.parametrize("function", [np.sum, np.max, np.min], ids=lambda f: f.__name__)
    def test_numpys_functions_at_every_stage(self, x: DaskDimArray, function: Any) -> None:
        built = reduction(x, function, function, axis=0, dtype=float)
        np.testing.assert_array_equal(built.compute().data, function(NUMBERS, axis=0))
        assert da.reduction(x, function, function, axis=0, dtype=float).unit is Unit("m")

    def test_stages_with_several_arrays(self, x: DaskDimArray) -> None:
        options: dict[str, Any] = {"combine": joined, "concatenate": False, "split_every": 2}
        built = reduction(x, parts, mean, **options)
        assert (built.unit, built.dtype, built.shape) == (Unit("m"), np.float64, ())
        assert built.compute().item() == pytest.approx(NUMBERS.mean())

    def test_stages_that_are_longer_than_one(self) -> None:
        numbers = np.arange(20.0)
        x = DaskDimArray(numbers, "m", chunks=3)

        def ends(block: Any, axis: Any, keepdims: Any) -> Any:
            return np.stack([block.min(), block.max()])

        def width(block: Any, axis: Any, keepdims: Any) -> Any:
            return block.max(axis=axis, keepdims=keepdims) - block.min(axis=axis, keepdims=keepdims)

        built = reduction(x, ends, width, combine=ends)
        assert built.compute() == 19 * u.m

    def test_stages_with_tuples(self, x: DaskDimArray) -> None:
        def first(block: Any, axis: Any, keepdims: Any) -> Any:
            return total(block, axis, keepdims), squares(block, axis, keepdims)

        def between(found: Any, axis: Any, keepdims: Any) -> Any:
            every = _flat(found)
            return sum(one for one, _ in every), sum(two for _, two in every)

        def spread(found: Any, axis: Any, keepdims: Any) -> Any:
            one, two = between(found, axis, keepdims)
            result = two / NUMBERS.size - (one / NUMBERS.size) ** 2
            return result if keepdims else result.reshape(())

        options: dict[str, Any] = {"concatenate": False, "split_every": 2}
        built = reduction(x, first, spread, combine=between, **options)
        assert built.unit == Unit("m**2")
        assert built.compute().item() == pytest.approx(NUMBERS.var())
        with pytest.raises(UnitError, match=r"(?s)gets:  0: an array in m, 1: an array in m\*\*2"):
            reduction(x, first, spread, **options)

    def test_weights_with_a_unit(self, x: DaskDimArray) -> None:
        def weighted(block: Any, weights: Any, axis: Any, keepdims: Any) -> Any:
            return total(block * weights, axis, keepdims)

        weights = DaskDimArray(np.arange(8.0), "kg", chunks=2)
        for given_weights in (weights, DimArray(np.arange(8.0), "kg")):
            built = reduction(x, weighted, total, axis=1, weights=given_weights)
            assert str(built.unit) == "m*kg"
            np.testing.assert_allclose(built.compute().data, NUMBERS @ np.arange(8.0))

    def test_a_declared_unit_converts(self, x: DaskDimArray) -> None:
        assert reduction(x, total, total, unit="km").compute().to_value("m") == NUMBERS.sum()

    def test_names_and_tokens(self, x: DaskDimArray) -> None:
        first = reduction(x, total, total, name="mine")
        assert first.name.startswith("mine-aggregate-")
        assert first.name == reduction(x, total, total, name="mine").name
        other = DaskDimArray(x.data, "km")
        assert first.name != reduction(other, total, total, name="mine").name

    def test_out_keeps_its_unit(self, x: DaskDimArray) -> None:
        out = DaskDimArray(np.zeros(8), "km", chunks=8)
        assert reduction(x, total, total, axis=0, out=out) is out
        assert out.unit is Unit("km")
        np.testing.assert_allclose(out.compute().data, NUMBERS.sum(axis=0) / 1000)
        with pytest.raises(UnitConversionError):
            reduction(x, squares, total, axis=0, out=out)
        with pytest.raises(UnitLossError):
            reduction(x, total, total, axis=0, out=da.zeros(8))

    def test_plain_arrays_stay_plain(self) -> None:
        built = reduction(da.ones((4, 4), chunks=2), total, total)
        assert type(built) is da.Array
        assert built.compute() == 16


class TestBadInput:
    def test_a_combination_that_changes_the_unit(self, x: DaskDimArray, lazy: None) -> None:
        assert reduction(x, squares, root, axis=0).unit is Unit("m")  # few blocks: it is not needed
        with pytest.raises(UnitError) as caught:
            reduction(x, squares, root, axis=0, split_every=2)
        assert str(caught.value) == (
            "combine in reduction is repeated, so what it gives has to be what it gets\n"
            "  gets:  an array in m**2\n"
            "  gives: an array in m\n"
            "  hint:  give combine=, a function that keeps the unit"
        )

    @given(
        chunks=chunkings((6, 8)),
        axis=st.sampled_from([None, 0, 1]),
        split_every=st.sampled_from([None, 2, 3, 4, 8, 9, {0: 3, 1: 2}]),
    )
    @settings(max_examples=40, deadline=None)
    def test_it_is_one_only_where_dask_combines(
        self, chunks: Any, axis: Any, split_every: Any
    ) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=chunks)
        options: Any = {"axis": axis, "split_every": split_every}
        raw = dask_reduction(x.data, squares, root, dtype=float, **options)
        if any("-partial-" in layer for layer in raw.dask.layers):
            with pytest.raises(UnitError, match="combine"):
                reduction(x, squares, root, **options)
        else:
            assert reduction(x, squares, root, **options).unit is Unit("m")

    @pytest.mark.parametrize(
        ("options", "error"),
        [
            ({"chunk": lambda b, axis, keepdims: total(b + 1 * u.s, axis, keepdims)},
             DimensionError),
            ({"aggregate": lambda b, axis, keepdims: total(b + 1 * u.s, axis, keepdims)},
             DimensionError),
            ({"chunk": lambda b, axis, keepdims: None}, NotANumber),
            ({"aggregate": lambda b, axis, keepdims: "a"}, NotANumber),
            ({"chunk": lambda b: b}, InferenceError),
            ({"aggregate": lambda b: b}, InferenceError),
            ({"unit": "s"}, UnitConversionError),
            ({"chunk": 3}, StructureMismatch),
            ({"x": DimArray(NUMBERS, "m")}, StructureMismatch),
        ],
    )  # fmt: skip
    def test_is_found_while_building(
        self, x: DaskDimArray, lazy: None, options: Any, error: Any
    ) -> None:
        with pytest.raises(error):
            reduction(**{"x": x, "chunk": total, "aggregate": total, **options})

    @pytest.mark.parametrize(
        ("chunk", "aggregate", "what"),
        [
            (lambda b, axis, keepdims: total(b, axis, keepdims) * (u.s if b.max() > 9 * u.m else 1),
             total, "unit"),
            (total, lambda b, axis, keepdims: total(b.to("km") if b.max() > 40 * u.m else b, axis,
                                                    keepdims), "unit"),
            (lambda b, axis, keepdims: total(b, axis, keepdims)[0] if b.size > 1 else b, total,
             "number of axes"),
            (total, lambda b, axis, keepdims: None if b.size > 8 else total(b, axis, keepdims),
             "result"),
        ],
    )  # fmt: skip
    def test_a_wrong_block_is_named(
        self, x: DaskDimArray, chunk: Any, aggregate: Any, what: str
    ) -> None:
        built = reduction(x, chunk, aggregate, axis=0)
        with pytest.raises(BlockMismatch) as caught:
            built.compute()
        assert caught.value.what == what
        assert caught.value.operation == "reduction"
        assert caught.value.function == "lambda"
        assert isinstance(caught.value.block, tuple)
        assert caught.value.array

    @pytest.mark.parametrize(
        ("given_back", "actual"),
        [
            ({"sum": 1.0}, "a dict of sum"),
            (None, "None"),
            (np.ones(3), "one array"),
            ((1, 2, 3), "3 of them"),
        ],
        ids=["keys", "none", "array", "tuple"],
    )
    def test_a_wrong_structure_is_named(
        self, x: DaskDimArray, given_back: Any, actual: str
    ) -> None:
        def changes(block: Any, axis: Any, keepdims: Any) -> Any:
            return parts(block, axis, keepdims) if block.size == 1 else given_back

        built = reduction(x, changes, mean, combine=joined, concatenate=False)
        with pytest.raises(BlockMismatch) as caught:
            built.compute()
        assert (caught.value.what, caught.value.expected) == ("result", "a dict of sum, count")
        assert caught.value.actual == actual


class TestCoarsen:
    @pytest.mark.parametrize("function", [np.mean, np.max, np.sum], ids=lambda f: f.__name__)
    @given(chunks=chunkings((6, 8)))
    @settings(max_examples=8, deadline=None)
    def test_as_dask(self, function: Any, chunks: Any) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=chunks)
        with nothing_runs():
            ours = coarsen(function, x, {0: 3, 1: 2})
        raw = dask_coarsen(function, x.data, {0: 3, 1: 2})
        assert ours.chunks == raw.chunks
        assert len(ours.dask) == len(raw.dask)
        np.testing.assert_array_equal(ours.compute().data, raw.compute())

    def test_the_unit_of_a_product_counts_its_factors(self) -> None:
        x = DaskDimArray(np.arange(1.0, 9), "m", chunks=3)
        built = coarsen(np.prod, x, {0: 2})
        assert built.unit == Unit("m**2")
        np.testing.assert_array_equal(built.compute().data, [2, 12, 30, 56])
        assert coarsen(np.var, x, {0: 2}, ddof=1).name != coarsen(np.var, x, {0: 2}).name

    def test_excess(self, x: DaskDimArray, lazy: None) -> None:
        with pytest.raises(ShapeMismatch, match="trim_excess=True"):
            coarsen(np.mean, x, {0: 5})
        assert coarsen(np.mean, x, {0: 5, 1: 3}, trim_excess=True).shape == (1, 2)

    def test_excess_is_left_out(self, x: DaskDimArray) -> None:
        result = coarsen(np.mean, x, {0: 5, 1: 3}, trim_excess=True).compute()
        truth = NUMBERS[:5, :6].reshape(1, 5, 2, 3).mean(axis=(1, 3))
        np.testing.assert_allclose(result.data, truth)

    def test_units_are_checked(self, x: DaskDimArray, lazy: None) -> None:
        with pytest.raises(UnitConversionError):
            coarsen(np.mean, x, {0: 2}, unit="s")
        assert coarsen(da.mean, x, {0: 2}, unit="km").unit is Unit("km")


class TestLargest:
    @pytest.mark.parametrize("k", [1, 3, -2])
    @pytest.mark.parametrize("axis", [0, 1, -1])
    @pytest.mark.parametrize("unit", ["m", "degC", "dBm"])
    def test_as_sorting(self, k: int, axis: int, unit: str) -> None:
        x = DaskDimArray(NUMBERS, unit, chunks=(2, 3))
        ordered = np.sort(NUMBERS, axis=axis)
        ordered = np.flip(ordered, axis=axis) if k > 0 else ordered
        truth = np.take(ordered, range(abs(k)), axis=axis)
        found = topk(x, k, axis=axis)
        assert found.unit is Unit(unit)
        np.testing.assert_array_equal(found.compute().data, truth)
        places = argtopk(x, k, axis=axis)
        assert type(places) is da.Array
        np.testing.assert_array_equal(np.take_along_axis(NUMBERS, places.compute(), axis), truth)
