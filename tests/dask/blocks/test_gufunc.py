"""apply_gufunc, gufunc, as_gufunc, apply_along_axis, apply_over_axes."""

from typing import Any

import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dimflow import DimArray, Unit
from dimflow import units as u
from dimflow.dask import (
    DaskDimArray,
    apply_along_axis,
    apply_gufunc,
    apply_over_axes,
    as_gufunc,
    gufunc,
)
from dimflow.errors import (
    BlockMismatch,
    DimensionError,
    InferenceError,
    NotANumber,
    ShapeMismatch,
    StructureMismatch,
    UnitConversionError,
)
from tests.dask.conftest import nothing_runs
from tests.dask.cuts import chunkings

NUMBERS = np.arange(24.0).reshape(2, 3, 4) ** 2 % 13

dask_gufunc = getattr(da.apply_gufunc, "_dimflow_original", da.apply_gufunc)


def moments(block: Any) -> Any:
    return block.mean(axis=-1), block.var(axis=-1)


class TestGufunc:
    @given(chunks=chunkings((2, 3)), unit=st.sampled_from(["m", "inch"]))
    @settings(max_examples=12, deadline=None)
    def test_several_outputs(self, chunks: Any, unit: str) -> None:
        x = DaskDimArray(NUMBERS, unit, chunks=(*chunks, 4))
        with nothing_runs():
            average, spread = apply_gufunc(moments, "(i)->(),()", x)
        raw = dask_gufunc(moments, "(i)->(),()", x.data, output_dtypes=(float, float))
        assert (average.unit, spread.unit) == (Unit(unit), Unit(unit) ** 2)
        assert len(average.dask) == len(raw[0].dask)
        np.testing.assert_allclose(average.compute().data, NUMBERS.mean(axis=-1))
        np.testing.assert_allclose(spread.compute().data, NUMBERS.var(axis=-1))

    @pytest.mark.parametrize(
        ("function", "signature", "options"),
        [
            (lambda b: b.sum(axis=-1), "(i)->()", {"axis": 0}),
            (lambda b: b.sum(axis=-1), "(i)->()", {"axis": 1, "keepdims": True}),
            (lambda b: b.sum(axis=-1), "(i)->()", {"axes": [(1,), ()]}),
            (lambda b: b[..., ::-1], "(i)->(i)", {"axes": [0, 2]}),
            (lambda b: b.sum(axis=(-1, -2)), "(i,j)->()", {}),
            (lambda b: b[..., :2], "(i)->(k)", {"output_sizes": {"k": 2}}),
            (lambda b: b.sum(), "(i)->()", {"vectorize": True}),
            (lambda b: b * 2, "()->()", {"vectorize": True}),
            (lambda b: b.cumsum(axis=-1), "(i)->(i)", {"vectorize": True, "axis": 1}),
        ],
    )
    def test_as_dask(self, function: Any, signature: str, options: dict[str, Any]) -> None:
        options = {"allow_rechunk": True, **options}
        x = DaskDimArray(NUMBERS, "m", chunks=(1, 2, 3))
        ours = apply_gufunc(function, signature, x, **options)
        raw = dask_gufunc(function, signature, x.data, output_dtypes=float, **options)
        assert (ours.chunks, ours.dtype) == (raw.chunks, raw.dtype)
        assert len(ours.dask) == len(raw.dask)
        assert ours.unit is Unit("m")
        np.testing.assert_array_equal(ours.compute().data, raw.compute())

    def test_a_loop_is_the_truth(self) -> None:
        a, b = NUMBERS, np.arange(4.0) + 1
        x = DaskDimArray(a, "m", chunks=(1, 2, 4))
        built = apply_gufunc(
            lambda p, q: np.outer(p, q), "(i),(j)->(i,j)", x, DimArray(b, "s"), vectorize=True
        )
        assert str(built.unit) == "m*s"
        truth = np.array([[np.outer(row, b) for row in plane] for plane in a])
        np.testing.assert_array_equal(built.compute().data, truth)

    def test_a_loop_with_several_outputs(self) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(1, 2, 4))
        both = lambda row: (row.sum(), row.var())  # noqa: E731
        added, spread = apply_gufunc(both, "(i)->(),()", x, vectorize=True, unit=("km", None))
        assert (added.unit, spread.unit) == (Unit("km"), Unit("m**2"))
        np.testing.assert_allclose(added.compute().to_value("m"), NUMBERS.sum(axis=-1))
        np.testing.assert_allclose(spread.compute().data, NUMBERS.var(axis=-1))

    def test_arguments_of_every_kind(self) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(1, 2, 4))
        dot = lambda p, q, scale: (p * q).sum(axis=-1) * scale  # noqa: E731
        built = apply_gufunc(dot, "(i),(i)->()", x, np.arange(4.0), scale=3 * u.kg)
        assert str(built.unit) == "m*kg"
        np.testing.assert_array_equal(built.compute().data, NUMBERS @ np.arange(4.0) * 3)
        assert da.apply_gufunc(dot, "(i),(i)->()", x, x, scale=1).unit == Unit("m**2")

    def test_declared_units(self) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(1, 2, 4))
        plain = lambda b: (b.to_value("m").sum(axis=-1), b.max(axis=-1))  # noqa: E731
        first, second = apply_gufunc(plain, "(i)->(),()", x, unit=("m", "km"))
        assert (first.unit, second.unit) == (Unit("m"), Unit("km"))
        np.testing.assert_allclose(second.compute().to_value("m"), NUMBERS.max(axis=-1))
        counted, _ = apply_gufunc(plain, "(i)->(),()", x)
        assert type(counted) is da.Array
        meta = (np.empty((0, 0)), DimArray(np.empty((0, 0)), "m"))
        _, kept = apply_gufunc(plain, "(i)->(),()", x, meta=meta)
        assert kept.unit is Unit("m")

    def test_declared_everything_runs_nothing(self, lazy: None) -> None:
        def never(block: Any) -> Any:
            raise AssertionError("it ran")

        x = DaskDimArray(NUMBERS, "m", chunks=(1, 2, 4))
        metas = (np.empty((0, 0), "float32"), DimArray(np.empty((0, 0)), "kg"))
        first, second = apply_gufunc(never, "(i)->(),()", x, meta=metas, unit=("s", None))
        assert (first.unit, first.dtype) == (Unit("s"), np.float32)
        assert (second.unit, second.dtype) == (Unit("kg"), np.float64)

    def test_what_cannot_be_tried_may_be_declared(self) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(1, 2, 4))

        def picky(block: Any) -> Any:
            if block.shape[0] * block.shape[1] != 2:
                raise RuntimeError("two rows, please")
            return block.sum(axis=-1), block.max(axis=-1)

        options: Any = {"output_dtypes": (float, float)}
        with pytest.raises(InferenceError, match="two rows, please"):
            apply_gufunc(picky, "(i)->(),()", x[:, :2], **options)
        added, largest = apply_gufunc(picky, "(i)->(),()", x[:, :2], unit=("m", "cm"), **options)
        np.testing.assert_array_equal(added.compute().data, NUMBERS[:, :2].sum(axis=-1))
        np.testing.assert_allclose(largest.compute().to_value("m"), NUMBERS[:, :2].max(axis=-1))
        only = apply_gufunc(lambda b: b.sum(axis=-1), "(i)->()", x, unit=["km"])
        assert only.unit is Unit("km")

    def test_objects_and_decorators(self) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(1, 2, 2))

        @as_gufunc("(i)->()", unit="km", allow_rechunk=True)
        def longest(block: Any) -> Any:
            """The longest."""
            return block.max(axis=-1)

        assert isinstance(longest, gufunc)
        assert longest.__doc__ == "The longest."
        np.testing.assert_allclose(longest(x).compute().to_value("m"), NUMBERS.max(axis=-1))
        spread = gufunc(moments, signature="(i)->(),()")
        assert spread(x, allow_rechunk=True)[1].unit == Unit("m**2")
        with pytest.raises(StructureMismatch, match="color"):
            gufunc(moments, signature="(i)->()", color=3)

    @pytest.mark.parametrize(
        ("function", "signature", "options", "error"),
        [
            (lambda b: b.sum(-1) + 1 * u.s, "(i)->()", {}, DimensionError),
            (lambda b: b.sum(-1), "(i)->()", {"unit": "s"}, UnitConversionError),
            (lambda b: b.sum(-1), "(i)->(),()", {}, StructureMismatch),
            (moments, "(i)->(),(),()", {}, StructureMismatch),
            (moments, "(i)->(),()", {"unit": "m"}, StructureMismatch),
            (moments, "(i)->(),()", {"unit": ("m",)}, StructureMismatch),
            (lambda b: b.sum(-1), "(i)->()", {"unit": ("m", "s")}, StructureMismatch),
            (lambda b: b.sum(-1), "(i),(i)->()", {}, StructureMismatch),
            (lambda b: b.sum(-1), 3, {}, StructureMismatch),
            (lambda b: b.sum(-1), "i->", {}, ValueError),
            (lambda b: b.sum(-1), "(i,j,k,l)->()", {}, ShapeMismatch),
            (lambda b: None, "(i)->()", {}, NotANumber),
            (lambda b: b[..., 99], "(i)->()", {}, InferenceError),
            (lambda b: b.sum(-1), "(i)->()", {"meta": np.empty(0), "output_dtypes": float},
             StructureMismatch),
            (3, "(i)->()", {}, StructureMismatch),
        ],
    )  # fmt: skip
    def test_bad_input(
        self, lazy: None, function: Any, signature: Any, options: Any, error: Any
    ) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(1, 2, 4))
        with pytest.raises(error):
            apply_gufunc(function, signature, x, **options)

    @pytest.mark.parametrize(
        ("function", "what"),
        [
            (lambda b: b.sum(-1) * (u.s if b.max() > 11 * u.m else 1), "unit"),
            (lambda b: b.sum(-1) if b.max() < 11 * u.m else b, "number of axes"),
            (lambda b: b.sum(-1) if b.max() < 11 * u.m else b.sum(-1)[:, :1], "shape"),
            (lambda b: b.sum(-1) if b.max() < 11 * u.m else (b, b), "result"),
            (lambda b: b.sum(-1) if b.max() < 11 * u.m else b.sum(-1).astype("float32"), "dtype"),
        ],
        ids=["unit", "axes", "shape", "result", "dtype"],
    )
    def test_a_wrong_block_is_named(self, function: Any, what: str) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(1, 3, 4))
        built = apply_gufunc(function, "(i)->()", x)
        with pytest.raises(BlockMismatch) as caught:
            built.compute()
        assert (caught.value.operation, caught.value.what) == ("apply_gufunc", what)
        assert isinstance(caught.value.block, tuple)

    def test_a_core_axis_is_as_long_in_the_result(self) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(1, 3, 4))
        built = apply_gufunc(lambda b: b if b.max() < 11 * u.m else b[..., 1:], "(i)->(i)", x)
        with pytest.raises(BlockMismatch, match="shape"):
            built.compute()

    def test_a_wrong_number_of_results_is_named(self) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(1, 3, 4))
        built, _ = apply_gufunc(
            lambda b: moments(b) if b.size < 12 else (b,), "(i)->(),()", x, unit=("m", "m**2")
        )
        with pytest.raises(BlockMismatch, match="a tuple of 2 arrays") as caught:
            built.compute()
        assert caught.value.actual == "1 of them"

    def test_axes_that_are_none_are_dasks_to_refuse(self, lazy: None) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(1, 3, 4))
        with pytest.raises(ValueError, match="axes"):
            apply_gufunc(lambda b: b.sum(axis=-1), "(i)->()", x, axes=[(7, 8), ()])


class TestAlong:
    @pytest.mark.parametrize("axis", [0, 1, 2, -1])
    @pytest.mark.parametrize(
        "function",
        [lambda v: v.sum(), lambda v: v * 2, lambda v: v[:1] ** 2, lambda v: np.outer(v, v)],
        ids=["sum", "same", "first", "outer"],
    )
    def test_as_numpy(self, axis: int, function: Any) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(1, 2, 3))
        with nothing_runs():
            built = apply_along_axis(function, axis, x)
        eager = np.apply_along_axis(function, axis, DimArray(NUMBERS, "m"))
        assert (built.unit, built.shape, built.dtype) == (eager.unit, eager.shape, eager.dtype)
        np.testing.assert_array_equal(built.compute().data, eager.data)
        assert da.apply_along_axis(function, axis, x).unit == eager.unit

    def test_arguments_and_declarations(self) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(1, 2, 3))
        built = apply_along_axis(lambda v, w, k: (v * w).sum() * k, 1, x, 3 * u.s, k=2)
        assert str(built.unit) == "m*s"
        np.testing.assert_array_equal(built.compute().data, NUMBERS.sum(axis=1) * 6)
        lazy = DaskDimArray(np.array(3.0), "s")
        again = apply_along_axis(lambda v, w: (v * w).sum(), 1, x, lazy)
        np.testing.assert_array_equal(again.compute().data, NUMBERS.sum(axis=1) * 3)
        third = lambda v: v[2]  # noqa: E731
        declared = apply_along_axis(third, 2, x, unit="km", dtype=float, shape=())
        np.testing.assert_allclose(declared.compute().to_value("m"), NUMBERS[..., 2])

    def test_bad_input(self, lazy: None) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(1, 2, 3))
        with pytest.raises(DimensionError):
            apply_along_axis(lambda v: v + 1 * u.s, 0, x)
        with pytest.raises(InferenceError, match="apply_along_axis"):
            apply_along_axis(lambda v: v[9], 0, x)
        with pytest.raises(ValueError, match="Axis 5 is out of bounds"):
            apply_along_axis(np.sum, 5, x)
        with pytest.raises(NotANumber):
            apply_along_axis(lambda v: None, 0, x)

    def test_a_wrong_slice_is_named(self) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(1, 2, 3))
        built = apply_along_axis(lambda v: v.sum() if v.max() < 11 * u.m else v, 0, x)
        with pytest.raises(BlockMismatch, match="number of axes") as caught:
            built.compute()
        assert isinstance(caught.value.block, tuple)

    @pytest.mark.parametrize("axes", [0, [0, 2], (-1,), [1, 0, 2]])
    def test_over_axes_as_numpy(self, axes: Any) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(1, 2, 3))
        built = apply_over_axes(np.sum, x, axes)
        truth = np.apply_over_axes(np.sum, NUMBERS, axes)
        assert built.unit is Unit("m")
        np.testing.assert_array_equal(built.compute().data, truth)
        assert da.apply_over_axes(np.sum, x, axes).unit is Unit("m")

    def test_over_axes_units_and_mistakes(self) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(1, 2, 3))
        assert apply_over_axes(np.var, x, [0, 1]).unit == Unit("m**4")
        assert apply_over_axes(np.sum, x, [0, 1], unit="km").unit is Unit("km")
        with pytest.raises(ShapeMismatch, match="keeps the number of axes"):
            apply_over_axes(lambda v, axis: np.outer(v, v), x, [0])
