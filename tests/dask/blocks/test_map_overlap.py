"""map_overlap, overlap, trim_overlap, stencil: blocks that see a part of their neighbours."""

from typing import Any

import dask.array as da
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dimflow import DimArray, Unit
from dimflow import units as u
from dimflow.dask import DaskDimArray, map_overlap, overlap, stencil, trim_overlap
from dimflow.errors import (
    BlockMismatch,
    InferenceError,
    MissingRule,
    NotANumber,
    PointError,
    ShapeMismatch,
    StructureMismatch,
    UnitError,
)
from tests.dask.blocks.functions import laplacian, seconds_where_large
from tests.dask.conftest import nothing_runs
from tests.dask.cuts import chunkings

NUMBERS = np.arange(40.0).reshape(5, 8) ** 2 % 17
KINDS = {"periodic": "wrap", "reflect": "symmetric", "nearest": "edge"}  # NumPy's names


def theirs(name: str) -> Any:
    """Dask's own function, whatever stands before it."""
    found = getattr(da, name, None) or getattr(da.overlap, name)
    return getattr(found, "_dimflow_original", found)


def padded(numbers: Any, depth: int, kind: Any) -> Any:
    if isinstance(kind, str):
        return np.pad(numbers, depth, mode=KINDS[kind])  # type: ignore[call-overload]
    return np.pad(numbers, depth, constant_values=kind)


def weighted(block: Any) -> Any:
    """Each element with its neighbours along both axes; the ends of a block are wrong."""
    shifted = [np.roll(block, s, a) * w for a, s, w in ((0, 1, 2), (0, -1, 3), (1, 1, 5))]
    return sum(shifted, block)


class TestLaws:
    @given(chunks=chunkings((5, 8)), unit=st.sampled_from(["K", "mK"]))
    @settings(max_examples=20, deadline=None)
    def test_a_periodic_stencil_is_that_of_the_whole_array(self, chunks: Any, unit: str) -> None:
        x = DaskDimArray(NUMBERS, "K", chunks=chunks).to(unit)
        with nothing_runs():
            built = x.map_overlap(laplacian, depth=1, boundary="periodic")
        assert built.unit is Unit(unit)
        np.testing.assert_allclose(
            built.compute().to_value("K"), laplacian(NUMBERS), rtol=1e-12, atol=1e-12
        )

    @pytest.mark.parametrize("boundary", ["periodic", "reflect", "nearest", 7.0])
    @pytest.mark.parametrize("depth", [1, 2])
    def test_as_the_padded_array(self, boundary: Any, depth: int) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(3, 4))
        edge = boundary if isinstance(boundary, str) else boundary * u.m
        result = x.map_overlap(weighted, depth=depth, boundary=edge).compute()
        whole = weighted(padded(NUMBERS, depth, boundary))
        np.testing.assert_array_equal(result.data, whole[depth:-depth, depth:-depth])

    @pytest.mark.deep
    @given(
        chunks=chunkings((5, 8)),
        depths=st.tuples(st.integers(0, 3), st.integers(0, 3)),
        boundary=st.sampled_from([None, "periodic", "reflect", "nearest", 7.0, 0]),
        trim=st.booleans(),
    )
    @settings(max_examples=150, deadline=None)
    def test_as_dask_whatever_is_asked(
        self, chunks: Any, depths: tuple[int, int], boundary: Any, trim: bool
    ) -> None:
        assume(trim or boundary is not None)  # else blocks at the ends are cut by less

        def neighbours(block: Any) -> Any:
            """Each element and those on both sides, as long as there are any in the block."""
            result = weighted(block)
            if trim:
                return result
            cut = [slice(d, n - d) for d, n in zip(depths, block.shape, strict=True)]
            return result[tuple(cut)]

        x = DaskDimArray(NUMBERS, "m", chunks=chunks)
        options: Any = {"depth": depths, "trim": trim}
        edge = boundary * u.m if isinstance(boundary, float) else boundary
        ours = map_overlap(neighbours, x, boundary=edge, **options)
        raw = theirs("map_overlap")(neighbours, x.data, boundary=boundary, dtype=float, **options)
        assert ours.chunks == raw.chunks
        assert len(ours.dask) == len(raw.dask)
        np.testing.assert_array_equal(ours.compute().data, raw.compute())

    @pytest.mark.parametrize(
        "options",
        [
            {"depth": 1},
            {"depth": 0},
            {"depth": {0: 2}, "boundary": {0: "reflect"}},
            {"depth": (1, 2), "boundary": ("periodic", "nearest")},
            {"depth": {1: (2, 1)}},
            {"depth": 1, "boundary": "none", "trim": True},
            {"depth": 4, "boundary": "reflect"},
            {"depth": 1, "boundary": 0, "allow_rechunk": False},
            {"depth": 1, "boundary": "reflect", "dtype": "float64", "token": "mine"},
            {"depth": [{0: 1, 1: 1}], "boundary": ["nearest"]},
        ],
        ids=str,
    )
    def test_as_dask(self, options: dict[str, Any]) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(3, 3))
        x = x.rechunk((3, 4)) if options.get("allow_rechunk") is False else x
        ours = map_overlap(weighted, x, **options)
        raw = theirs("map_overlap")(weighted, x.data, **options)
        assert ours.chunks == raw.chunks
        assert len(ours.dask) == len(raw.dask)
        np.testing.assert_array_equal(ours.compute().data, raw.compute())

    @pytest.mark.parametrize(
        ("function", "options"),
        [
            (lambda b: b.sum(axis=0), {"drop_axis": 0}),
            (lambda b: b.sum(axis=1), {"drop_axis": [-1]}),
            (lambda b: b[None], {"new_axis": 0}),
            (lambda b: b[1:-1, 1:-1], {"trim": False}),
            (lambda b: b[1:-1, 1:-1].sum(keepdims=True), {"trim": False, "chunks": (1, 1)}),
        ],
        ids=["drop", "drop-last", "new", "untrimmed", "own-chunks"],
    )
    def test_axes_as_dask(self, function: Any, options: dict[str, Any]) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(5, 3) if "drop_axis" in options else (3, 3))
        options = {"depth": 1, "boundary": "reflect", **options}
        ours = map_overlap(function, x, **options)
        raw = theirs("map_overlap")(function, x.data, dtype=float, **options)
        assert ours.chunks == raw.chunks
        np.testing.assert_array_equal(ours.compute().data, raw.compute())

    def test_a_new_axis_at_the_end(self) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(3, 3))
        built = x.map_overlap(lambda b: b[..., None], depth=1, boundary="reflect", new_axis=2)
        np.testing.assert_array_equal(built.compute().data[..., 0], NUMBERS)

    def test_several_arrays(self) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(3, 3))
        y = DaskDimArray(NUMBERS[0], "s", chunks=2)
        options: dict[str, Any] = {"depth": [1, {0: 1}], "boundary": ["periodic", 3 * u.ms]}
        built = map_overlap(lambda a, b: a / (b + 1 * u.s), x, y, **options)
        assert built.unit == Unit("m/s")
        np.testing.assert_allclose(built.compute().data, NUMBERS / (NUMBERS[0] + 1))

    def test_dasks_own_name_does_the_same(self) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(3, 3))
        built = da.map_overlap(laplacian, x, depth=1, boundary="periodic")
        np.testing.assert_array_equal(built.compute().data, laplacian(NUMBERS))


class TestBoundaries:
    def test_a_quantity_is_converted(self) -> None:
        t = DaskDimArray(np.arange(4.0), "degC", chunks=2)
        built = t.map_overlap(lambda b: b[2:] - b[:-2], depth=1, boundary=293.15 * u.K, trim=False)
        assert built.unit.dimension == Unit("K").dimension
        np.testing.assert_allclose(built.compute().data, [1 - 20, 2, 2, 20 - 2])

    @pytest.mark.parametrize("value", [0, np.nan, np.inf, 0.0])
    def test_literals_need_no_unit(self, value: float) -> None:
        x = DaskDimArray(np.ones(3), "m", chunks=2)
        shared = overlap(x, 1, value)
        assert shared.unit is Unit("m")
        assert np.isclose(shared.compute().data[0], value, equal_nan=True)

    @pytest.mark.parametrize(
        ("unit", "boundary", "text"),
        [
            ("m", 20, "takes values in m, but got a pure number"),
            ("m", 20 * u.s, "takes values in m, but got s"),
            ("degC", 0, "takes values in degC"),
            ("m", "mirror", "knows no boundary 'mirror'"),
            ("", 3 * u.m, "takes values in a pure number, but got m"),
        ],
    )
    def test_others_do(self, lazy: None, unit: str, boundary: Any, text: str) -> None:
        x = DaskDimArray(np.ones(3), unit, chunks=2)
        for build in (
            lambda: x.map_overlap(np.square, depth=1, boundary=boundary),
            lambda: overlap(x, 1, boundary),
            lambda: trim_overlap(x, 1, boundary),
        ):
            with pytest.raises(UnitError, match=text):
                build()

    def test_fractions_do_not_fit_integers(self, lazy: None) -> None:
        x = DaskDimArray(np.arange(3), "m", chunks=2)
        with pytest.raises(NotANumber, match="cut"):
            overlap(x, 1, 1.5 * u.m)

    def test_a_pure_array_takes_a_number(self) -> None:
        x = DaskDimArray(np.ones(3), chunks=2)
        assert overlap(x, 1, 5).compute().data[0] == 5

    def test_there_and_back(self) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(3, 3))
        for boundary in ("none", "reflect", 2 * u.km):
            shared = overlap(x, {0: 1, 1: 1}, boundary)
            back = trim_overlap(shared, {0: 1, 1: 1}, boundary)
            assert (back.unit, back.chunks) == (x.unit, x.chunks)
            np.testing.assert_array_equal(back.compute().data, NUMBERS)


class TestBadInput:
    @pytest.mark.parametrize(
        ("options", "error", "text"),
        [
            ({"depth": 9}, ShapeMismatch, "a depth of at most 5 along axis 0"),
            ({"depth": -1}, ShapeMismatch, "depths of 0 and more"),
            ({"depth": 3, "allow_rechunk": False}, ShapeMismatch, "blocks of at least 3"),
            ({"depth": {0: (1, 2)}, "boundary": "reflect"}, MissingRule, "depths that differ"),
        ],
        ids=["deep", "negative", "small-blocks", "asymmetric"],
    )
    def test_depths(self, lazy: None, options: Any, error: Any, text: str) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(3, 3))
        with pytest.raises(error, match=text):
            map_overlap(laplacian, x, **options)

    def test_unknown_lengths(self, lazy: None) -> None:
        x = DaskDimArray(np.arange(5.0), "m", chunks=2)
        with pytest.raises(ShapeMismatch, match="compute_chunk_sizes"):
            x[x > 2 * u.m].map_overlap(np.square, depth=1)

    def test_no_lazy_array(self, lazy: None) -> None:
        with pytest.raises(StructureMismatch, match="lazy arrays"):
            map_overlap(laplacian, DimArray(NUMBERS, "m"), depth=1)

    def test_a_wrong_block_is_named(self) -> None:
        marks = np.zeros(6)
        marks[5] = 9
        x = DaskDimArray(marks, "m", chunks=2)
        built = x.map_overlap(seconds_where_large, depth=0)
        with pytest.raises(BlockMismatch) as caught:
            built.compute()
        assert caught.value.block == (2,)
        shortened = x.map_overlap(lambda b: b[1:], depth=1)
        with pytest.raises(BlockMismatch, match="shape") as caught:
            shortened.compute()
        assert caught.value.operation == "map_overlap"

    def test_an_inference_that_fails_is_named_after_the_operation(self, lazy: None) -> None:
        x = DaskDimArray(NUMBERS, "m", chunks=(3, 3))
        with pytest.raises(InferenceError, match=r"map_overlap\(lambda, ..., unit='m', dtype="):
            x.map_overlap(lambda b: b[99], depth=1)


class TestStencil:
    @pytest.mark.parametrize("boundary", ["periodic", "reflect", "nearest", 7.0])
    @given(chunks=chunkings((5, 8)))
    @settings(max_examples=6, deadline=None)
    def test_as_scipy(self, boundary: Any, chunks: Any) -> None:
        from scipy.ndimage import correlate

        modes = {"periodic": "wrap", "reflect": "reflect", "nearest": "nearest"}
        weights = np.array([[0, 1, 0, 2, 0], [3, -4, 1, 0, 7], [0, 1, 0, 2, 5]])
        edge = boundary if isinstance(boundary, str) else boundary * u.K
        x = DaskDimArray(NUMBERS, "K", chunks=chunks)
        built = stencil(x, DimArray(weights, "1/m**2"), edge)
        assert (built.unit, built.shape) == (Unit("K/m**2"), x.shape)
        mode = modes.get(boundary, "constant")
        value = 0.0 if isinstance(boundary, str) else boundary
        truth = correlate(NUMBERS, weights.astype(float), mode=mode, cval=value)
        np.testing.assert_allclose(built.compute().data, truth)

    def test_plain_weights_and_arrays(self) -> None:
        x = DaskDimArray(np.arange(6.0), "m", chunks=2)
        assert stencil(x, [1, 0, -1], "periodic").unit is Unit("m")
        plain = stencil(x.data, [1, 0, -1], "periodic")
        assert type(plain) is da.Array
        np.testing.assert_array_equal(stencil(x, [0], "periodic").compute().data, np.zeros(6))

    @pytest.mark.parametrize(
        ("unit", "weights", "boundary", "error"),
        [
            ("m", [1, 2], "periodic", ShapeMismatch),
            ("m", [[1]], "periodic", ShapeMismatch),
            ("m", ["a"], "periodic", NotANumber),
            ("m", [1], "none", UnitError),
            ("m", [1], None, UnitError),
            ("degC", [1, 0, -1], "reflect", PointError),
        ],
    )
    def test_bad_input(
        self, lazy: None, unit: str, weights: Any, boundary: Any, error: Any
    ) -> None:
        with pytest.raises(error):
            stencil(DaskDimArray(np.arange(6.0), unit, chunks=2), weights, boundary)
