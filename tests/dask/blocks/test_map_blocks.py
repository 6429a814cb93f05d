"""map_blocks: functions get blocks with units, and what they give is checked."""

import pickle
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dimflow import DimArray, Unit, errors
from dimflow import units as u
from dimflow.dask import (
    DaskDimArray,
    map_blocks,
)
from dimflow.errors import (
    BackendMismatch,
    BlockMismatch,
    DimensionError,
    DtypeMismatch,
    InferenceError,
    NotANumber,
    StructureMismatch,
    UndefinedUnitError,
    UnitConversionError,
)
from tests.dask.blocks.functions import kinetic, seconds_where_large
from tests.dask.conftest import Counted, nothing_runs
from tests.dask.cuts import chunkings

NUMBERS = np.arange(12.0).reshape(3, 4)


@pytest.fixture
def x() -> DaskDimArray:
    return DaskDimArray(NUMBERS, "m", chunks=2)


FUNCTIONS = {
    "square": lambda b: b**2,
    "convert": lambda b: b.to("km"),
    "halve": lambda b: b / (2 * u.s),
    "sine": lambda b: np.sin(b / (3 * u.m)),
    "compare": lambda b: b > 4 * u.m,
    "numbers": lambda b: b.to_value("cm"),
    "whole": lambda b: np.round(b, 0) if b.unit == Unit("") else np.sign(b),
}


class TestLaws:
    @pytest.mark.parametrize("name", FUNCTIONS)
    @given(chunks=chunkings((3, 4)), unit=st.sampled_from(["m", "km", "inch"]))
    @settings(max_examples=12, deadline=None)
    def test_lazy_is_eager(self, name: str, chunks: Any, unit: str) -> None:
        function = FUNCTIONS[name]
        eager = function(DimArray(NUMBERS, unit))
        with nothing_runs():
            built = DaskDimArray(NUMBERS, unit, chunks=chunks).map_blocks(function)
        result = dask.compute(built)[0]
        assert type(result) is type(eager)
        assert built.dtype == eager.dtype
        assert built.chunks == chunks
        if isinstance(eager, DimArray):
            assert str(result.unit) == str(built.unit) == str(eager.unit)
            result, eager = result.data, eager.data
        np.testing.assert_array_equal(result, eager)

    @pytest.mark.deep
    @given(data=st.data())
    @settings(max_examples=400, deadline=None)
    def test_lazy_is_eager_on_any_shape(self, data: st.DataObject) -> None:
        shape = tuple(data.draw(st.lists(st.integers(0, 5), max_size=3)))
        chunks = data.draw(chunkings(shape))
        unit = data.draw(st.sampled_from(["m", "km", "inch"]))
        declared = data.draw(st.sampled_from([None, "cm", "yard"]))
        numbers = np.arange(np.prod(shape, dtype=int), dtype=float).reshape(shape)
        eager = DimArray(numbers, unit) * 3 + 1 * u.ft
        with nothing_runs():
            lazy = DaskDimArray(numbers, unit, chunks=chunks)
            built = lazy.map_blocks(lambda b, k: b * 3 + k, 1 * u.ft, unit=declared)
        result = built.compute(scheduler="threads")
        assert result.unit is (eager.unit if declared is None else Unit(declared))
        np.testing.assert_allclose(result.to_value("m"), eager.to_value("m"), rtol=1e-12)

    @given(mass=st.sampled_from(["kg", "g", "lb"]), speed=st.sampled_from(["m/s", "km/h"]))
    @settings(max_examples=6, deadline=None)
    def test_the_physical_result_does_not_depend_on_units(self, mass: str, speed: str) -> None:
        m = DaskDimArray(NUMBERS, "kg", chunks=2)
        v = DaskDimArray(NUMBERS + 1, "m/s", chunks=2)
        reference = map_blocks(kinetic, m, v, unit="J").compute()
        again = map_blocks(kinetic, m.to(mass), v.to(speed), unit="J").compute()
        np.testing.assert_allclose(again.data, reference.data, rtol=1e-12)

    def test_the_function_gets_what_the_arguments_were(self, x: DaskDimArray) -> None:
        seen: list[Any] = []

        def look(a: Any, b: Any, c: Any, d: Any, key: Any = None) -> Any:
            seen.append((a, b, c, d, key))
            return a

        raw = da.ones((3, 4), chunks=2)
        share = DaskDimArray(np.ones((3, 4)), "percent", chunks=2)
        map_blocks(look, x, raw, share, 3, key=2 * u.s).compute()
        for a, b, c, d, key in seen:
            assert type(a) is DimArray
            assert a.unit is Unit("m")
            assert type(b) is np.ndarray
            assert c.unit is Unit("percent")
            assert d == 3
            assert key == 2 * u.s

    def test_it_runs_as_many_tasks_as_dask(self, x: DaskDimArray) -> None:
        ours, theirs = x.map_blocks(np.square), x.data.map_blocks(np.square)
        assert len(ours.dask) == len(theirs.dask)
        with Counted() as mine:
            (ours + 1 * u.m**2).compute()
        with Counted() as bare:
            (theirs + 1).compute()
        assert mine.tasks == bare.tasks

    def test_declared_everything_runs_nothing(self, x: DaskDimArray) -> None:
        def never(block: Any) -> Any:
            raise AssertionError("it ran")

        built = map_blocks(never, x, unit="s", meta=np.empty((0, 0), "float32"))
        assert (built.unit, built.dtype) == (Unit("s"), np.float32)
        with_unit = map_blocks(never, x, meta=DimArray(np.empty((0, 0), "int16"), "kg"))
        assert (with_unit.unit, with_unit.dtype) == (Unit("kg"), np.int16)


class TestUnits:
    def test_a_declared_unit_converts(self, x: DaskDimArray) -> None:
        result = x.map_blocks(lambda b: b, unit="km").compute()
        np.testing.assert_allclose(result.data, NUMBERS / 1000)
        assert result.unit is Unit("km")

    def test_blocks_may_differ_in_scale_beneath_a_declared_unit(self, x: DaskDimArray) -> None:
        mixed = lambda b: b.to("km") if b.max() > 7 * u.m else b  # noqa: E731
        np.testing.assert_allclose(x.map_blocks(mixed, unit="m").compute().data, NUMBERS)

    def test_plain_results_count_in_a_declared_unit(self, x: DaskDimArray) -> None:
        result = x.map_blocks(lambda b: b.to_value("m") ** 2, unit="m**2").compute()
        assert result.unit == Unit("m**2")
        np.testing.assert_array_equal(result.data, NUMBERS**2)

    def test_points_stay_points(self) -> None:
        t = DaskDimArray(NUMBERS, "degC", chunks=2)
        assert t.map_blocks(lambda b: b.to("K")).unit is Unit("K")
        result = t.map_blocks(lambda b: b, unit="degF").compute()
        np.testing.assert_allclose(result.data, NUMBERS * 1.8 + 32)

    def test_spelling_is_kept_and_meaning_compared(self, x: DaskDimArray) -> None:
        pascal, other = Unit("Pa"), Unit("N/m**2")
        assert pascal == other
        changing = lambda b: b.to_value("m") * (other if b.size > 3 else pascal)  # noqa: E731
        assert x.map_blocks(changing).compute().unit is pascal

    def test_pure_numbers_are_accepted_for_plain_ones(self, x: DaskDimArray) -> None:
        ratio = lambda b: b / (1 * u.m) if b.size > 3 else b.to_value("m")  # noqa: E731
        np.testing.assert_array_equal(x.map_blocks(ratio).compute(), NUMBERS)

    def test_ints_become_floats_with_a_conversion(self) -> None:
        x = DaskDimArray(np.arange(4), "m", chunks=2)
        built = x.map_blocks(lambda b: b, unit="km")
        assert built.dtype == built.compute().dtype == np.float64

    def test_a_lazy_keyword_comes_computed(self, x: DaskDimArray) -> None:
        times = DaskDimArray(np.array([1.0, 2.0]), "s", chunks=1)
        with nothing_runs():
            built = map_blocks(lambda b, t=None: b * t.sum(), x, t=times)
            again = da.map_blocks(lambda b, t=None: b * t.sum(), x, t=times)
        assert str(built.unit) == str(again.unit) == "m*s"
        np.testing.assert_array_equal(built.compute().data, NUMBERS * 3)

    def test_arguments_that_dask_treats_apart(self, x: DaskDimArray) -> None:
        """Large ones become a task of their own, and long lists too."""
        large = DimArray(np.full(200_000, 2.0), "s")
        scaled = x.map_blocks(lambda b, w: b * w[0], large)
        assert len(scaled.dask) == len(x.map_blocks(np.square).dask) + 1
        np.testing.assert_array_equal(scaled.compute().data, NUMBERS * 2)
        steps = [n * u.s for n in range(12)]
        summed = x.map_blocks(lambda b, steps=None: b * sum(steps), steps=steps)
        assert str(summed.unit) == "m*s"
        np.testing.assert_array_equal(summed.compute().data, NUMBERS * 66)

    def test_a_delayed_keyword_has_to_be_declared_for(self, x: DaskDimArray) -> None:
        late = dask.delayed(lambda: 3 * u.s)()
        times = lambda b, k=None: b * k  # noqa: E731
        with nothing_runs(), pytest.raises(InferenceError, match="Delayed is not known"):
            x.map_blocks(times, k=late)
        built = x.map_blocks(times, k=late, unit="m*s", dtype=float)
        np.testing.assert_array_equal(built.compute().data, NUMBERS * 3)

    def test_quantities_of_others_and_bare_numbers(self, x: DaskDimArray) -> None:
        import pint

        pints = pint.get_application_registry()
        built = x.map_blocks(lambda b: pints.Quantity(b.to_value("m"), "foot"))
        assert built.unit == Unit("ft")
        np.testing.assert_array_equal(built.compute().data, NUMBERS)
        lengths = x.map_blocks(lambda b: len(b), drop_axis=[0, 1], unit="m", dtype=float)
        assert lengths.compute() == 3 * u.m
        with pytest.raises(NotANumber, match="an array of <U1"):
            x.map_blocks(lambda b: np.full(b.shape, "a"), unit="m")

    def test_large_blocks_are_not_made_for_a_trial(self) -> None:
        seen = []

        def look(block: Any) -> Any:
            seen.append(block.shape)
            return block[1:]

        x = DaskDimArray(da.ones((1 << 16, 1 << 8), chunks=-1), "m")
        with nothing_runs(), pytest.raises(InferenceError):
            x.map_blocks(lambda b: look(b)[99])
        assert seen == [(1, 1), (8, 8), (0, 0)]

    def test_masks_stay(self) -> None:
        hidden = da.ma.masked_greater(da.from_array(NUMBERS, chunks=2), 5)
        built = DaskDimArray(hidden, "m").map_blocks(lambda b: b.to("km"))
        result = built.compute()
        assert result.unit is Unit("km")
        np.testing.assert_array_equal(np.ma.getmaskarray(result.data), NUMBERS > 5)

    def test_dasks_own_name_does_the_same(self, x: DaskDimArray) -> None:
        ours = da.map_blocks(lambda b: b**2, x)
        assert isinstance(ours, DaskDimArray)
        assert ours.unit == Unit("m**2")


class TestAxes:
    """Dask's keywords, with Dask as the truth."""

    @pytest.mark.parametrize(
        ("function", "options"),
        [
            (lambda b: b.sum(axis=0), {"drop_axis": 0}),
            (lambda b: b.sum(), {"drop_axis": [0, 1]}),
            (lambda b: b[..., None], {"new_axis": 2}),
            (lambda b: b[:, :1], {"chunks": ((2, 1), (1, 1))}),
            (lambda b: b[:1, :1], {"chunks": (1, 1)}),
            (lambda b: b[None], {"chunks": (1, 2, 2), "new_axis": 0}),
            (lambda b: b, {"name": "mine"}),
            (lambda b: b, {"token": "prefix", "enforce_ndim": True}),
            (lambda b: b.astype("float32"), {"dtype": "float32"}),
        ],
        ids=lambda v: ",".join(v) if isinstance(v, dict) else "",
    )
    def test_as_dask(self, x: DaskDimArray, function: Any, options: dict[str, Any]) -> None:
        x = x.rechunk((2, 2)) if "new_axis" not in options else x[:2]
        ours = x.map_blocks(function, **options)
        theirs = x.data.map_blocks(function, **{"dtype": float, **options})
        assert ours.chunks == theirs.chunks
        assert ours.dtype == theirs.dtype
        assert ours.name.rpartition("-")[0] == theirs.name.rpartition("-")[0]
        if theirs.shape and "chunks" not in options:
            np.testing.assert_array_equal(ours.compute().data, theirs.compute())

    def test_block_id_and_block_info(self, x: DaskDimArray) -> None:
        def marked(block: Any, block_id: Any = None, block_info: Any = None) -> Any:
            assert block_info[None]["chunk-location"] == block_id
            return block * 0 + block_info[0]["array-location"][0][0] * u.m

        result = x.map_blocks(marked).compute()
        np.testing.assert_array_equal(result.data[:, 0], [0, 0, 2])

    def test_an_array_from_what_it_is_told(self) -> None:
        def made(block_info: Any = None) -> Any:
            return np.arange(*map(float, block_info[None]["array-location"][0])) * u.s

        built = map_blocks(made, chunks=((2, 3),))
        np.testing.assert_array_equal(built.compute().data, np.arange(5.0))

    def test_an_array_from_nothing(self) -> None:
        def made(block_id: Any) -> Any:
            return np.full(2, float(block_id[0])) * u.m

        built = map_blocks(made, chunks=((2, 2),))
        assert built.unit is Unit("m")
        np.testing.assert_array_equal(built.compute().data, [0, 0, 1, 1])

    def test_empty_scalar_and_unknown(self, x: DaskDimArray) -> None:
        square = FUNCTIONS["square"]
        empty = DaskDimArray(np.zeros((0, 3)), "m", chunks=2).map_blocks(square)
        assert empty.compute().shape == (0, 3)
        assert DaskDimArray(np.float64(3), "m").map_blocks(square).compute() == 9 * u.m**2
        some = x[x > 5 * u.m].map_blocks(square)
        assert np.isnan(some.shape[0])
        np.testing.assert_array_equal(some.compute().data.sum(), (NUMBERS[NUMBERS > 5] ** 2).sum())


class TestWrongBlocks:
    """A block that is not as planned: who, where, what, and what was wanted."""

    @pytest.mark.parametrize(
        ("function", "options", "what", "expected", "actual"),
        [
            (seconds_where_large, {}, "unit", "m   [length]", "m*s   [length time]"),
            (seconds_where_large, {"unit": "km"}, "unit", "km   [length]", "m*s   [length time]"),
            (lambda b: b.to("km") if b.size > 1 else b, {}, "unit", "m   [length]",
             "km   [length]"),
            (lambda b: b.to_value("m") if b.size > 1 else b, {}, "unit", "m   [length]",
             "plain numbers"),
            (lambda b: b.sum(), {}, "number of axes", "2", "0, shape ()"),
            (lambda b: b[:1], {}, "shape", "(2, 2)", "(1, 2)"),
            (lambda b: b[0], {}, "number of axes", "2", "1, shape (2,)"),
            (lambda b: b.astype("float32") if b.size > 1 else b, {}, "dtype", "float64", "float32"),
            (lambda b: None if b.size > 1 else b, {}, "result", "an array", "None"),
            (lambda b: "text" if b.size > 1 else b, {}, "result", "an array", "str 'text'"),
            (lambda b: [b] if b.size > 1 else b, {"unit": "m"}, "result", "an array", None),
            (lambda b: b.to_value("m") > 3 if b.size > 1 else b, {"unit": "m"}, "result",
             "numbers in m", "an array of bool"),
            (lambda b: b.to_backend("dask") if b.size > 1 else b, {}, "result", "an array", None),
            (lambda b: b.to_backend("array_api_strict") if b.size > 1 else b, {}, "result",
             "an array of NumPy's dtypes", "one of array_api_strict"),
        ],
        ids=["unit", "declared", "scale", "plain", "axes", "shape", "lost-axis", "dtype", "none",
             "text", "list", "conditions", "lazy", "library"],
    )  # fmt: skip
    def test_it_is_named(
        self, x: DaskDimArray, function: Any, options: Any, what: str, expected: str, actual: Any
    ) -> None:
        built = x.map_blocks(function, **options)
        with pytest.raises(BlockMismatch) as caught:
            built.compute()
        error = caught.value
        assert error.operation == "map_blocks"
        assert error.function == function.__name__.strip("<>")
        assert (error.what, error.expected) == (what, expected)
        assert actual is None or error.actual == actual
        assert error.array == built.name
        assert isinstance(error.block, tuple)
        assert len(error.block) == 2
        again = pickle.loads(pickle.dumps(error))
        assert str(again) == str(error)
        assert again.block == error.block

    def test_the_whole_text(self, x: DaskDimArray) -> None:
        built = x.map_blocks(seconds_where_large, name="far")
        with pytest.raises(BlockMismatch) as caught:
            built.blocks[1, 1].compute()
        assert str(caught.value) == (
            "map_blocks: seconds_where_large gave the wrong unit for a block\n"
            "  block:    (1, 1) of 'far'\n"
            "  expected: m   [length]\n"
            "  actual:   m*s   [length time]\n"
            "  hint:  a function has to give one unit, whatever the numbers are"
        )

    @pytest.mark.parametrize("place", [(0, 0), (0, 1), (1, 0), (1, 1)])
    def test_the_index_is_right_after_fusion_too(self, place: tuple[int, int]) -> None:
        marks = np.zeros((4, 4))
        marks[place[0] * 2, place[1] * 2] = 9
        x = DaskDimArray(marks, "m", chunks=2)
        with pytest.raises(BlockMismatch) as caught:
            (x.map_blocks(seconds_where_large).T + 1 * u.m).compute()
        assert caught.value.block == place

    def test_an_error_of_the_function_says_where(self, x: DaskDimArray) -> None:
        def fails(block: Any) -> Any:
            if block.max() > 7 * u.m:
                raise KeyError("mine")
            return block

        built = x.map_blocks(fails)
        with pytest.raises(KeyError, match="mine") as caught:
            built.blocks[1, 0].compute()
        assert caught.value.__notes__ == [f"in map_blocks of fails, block (1, 0) of '{built.name}'"]

    def test_a_declared_dtype_is_made_where_nothing_is_lost(self, x: DaskDimArray) -> None:
        built = x.map_blocks(lambda b: b.astype("float32"), dtype="float64")
        assert built.dtype == built.compute().dtype == np.float64


class TestWhilePlanning:
    """Mistakes that need no numbers are found before any is computed."""

    @pytest.mark.parametrize(
        ("function", "options", "error", "text"),
        [
            (lambda b: b + 1 * u.s, {}, DimensionError, "add needs arguments of one dimension"),
            (lambda b: np.exp(b), {}, DimensionError, "exp needs a pure number"),
            (lambda b: np.asarray(b), {}, errors.UnitLossError, "would lose the unit m"),
            (lambda b: None, {}, NotANumber, "but got None"),
            (lambda b: "a", {}, NotANumber, "but got str 'a'"),
            (lambda b: {"a": b}, {}, NotANumber, "but got dict"),
            (lambda b: b, {"unit": "s"}, UnitConversionError, "cannot convert m to s"),
            (lambda b: b, {"unit": "s", "dtype": float}, UnitConversionError, "m to s"),
            (lambda b: b / b, {"unit": "m"}, UnitConversionError, "cannot convert"),
            (lambda b: b, {"unit": "metr"}, UndefinedUnitError, "no unit is called 'metr'"),
            (lambda b: b > 0, {"unit": "m"}, errors.NotANumber, "with unit='m' needs a number"),
            (lambda b: b, {"dtype": int}, DtypeMismatch, "dtype='float64'"),
            (lambda b: b.to_backend("array_api_strict"), {}, BackendMismatch, "array_api_strict"),
            (lambda b: b[7], {}, InferenceError, "the unit and dtype of lambda"),
            (lambda b: b[7], {"unit": "m"}, InferenceError, "the dtype of lambda"),
            (lambda b: b[7], {"dtype": float}, InferenceError, "the unit of lambda"),
            (lambda b: b, {"meta": DimArray(np.empty(0), "m"), "unit": "s"}, UnitConversionError,
             "m to s"),
            (3, {}, StructureMismatch, "a function first"),
        ],
    )  # fmt: skip
    def test_raises(
        self, x: DaskDimArray, lazy: None, function: Any, options: Any, error: Any, text: str
    ) -> None:
        with pytest.raises(error, match=text):
            x.map_blocks(function, **options)

    def test_an_inference_that_fails_shows_how_to_declare(self, x: DaskDimArray) -> None:
        with pytest.raises(InferenceError) as caught:
            x.map_blocks(lambda b: b[7])
        assert str(caught.value) == (
            "map_blocks cannot find out the unit and dtype of lambda: "
            "on a few made-up numbers it failed\n"
            "  IndexError: index 7 is out of bounds for axis 0 with size 1\n"
            "  hint:  declare what it gives: map_blocks(lambda, ..., unit='m', dtype=float)"
        )
        built = x.map_blocks(lambda b: b[7], unit="m", dtype=float)
        with pytest.raises(IndexError, match="index 7"):
            built.compute()

    def test_a_function_that_needs_whole_blocks_is_tried_on_one(self) -> None:
        x = DaskDimArray(np.arange(10.0) ** 2, "m", chunks=5)
        built = x.map_blocks(lambda b: np.gradient(b, 2 * u.s))  # needs two elements
        assert built.unit == Unit("m/s")
        with nothing_runs():
            x.map_blocks(lambda b: np.linalg.norm(b[3:]) * b)
