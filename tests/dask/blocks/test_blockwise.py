"""blockwise, and the names that all functions on blocks give their arrays."""

from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest
from dask.base import tokenize

from dimflow import Unit
from dimflow import units as u
from dimflow.dask import (
    DaskDimArray,
    apply_along_axis,
    apply_gufunc,
    blockwise,
    coarsen,
    reduction,
)
from dimflow.errors import (
    BlockMismatch,
    DimensionError,
)
from tests.dask.blocks.functions import kinetic, seconds_where_large
from tests.dask.conftest import nothing_runs

NUMBERS = np.arange(12.0).reshape(3, 4)


@pytest.fixture
def x() -> DaskDimArray:
    return DaskDimArray(NUMBERS, "m", chunks=2)


class TestBlockwise:
    def test_outer(self) -> None:
        t, m = np.arange(3.0), np.arange(4.0) + 1
        with nothing_runs():
            built = blockwise(
                np.outer, "ij", DaskDimArray(t, "s", chunks=2), "i", DaskDimArray(m, "m", 3), "j"
            )
        assert str(built.unit) == "s*m"
        np.testing.assert_array_equal(built.compute().data, np.outer(t, m))

    @pytest.mark.parametrize("concatenate", [None, True])
    def test_contraction(self, concatenate: bool | None) -> None:
        a, b = np.arange(6.0).reshape(2, 3), np.arange(3.0)

        def product(p: Any, q: Any) -> Any:
            if concatenate:
                return p @ q
            return sum(x @ y for x, y in zip(p, q, strict=True))

        built = blockwise(
            product,
            "i",
            DaskDimArray(a, "m", chunks=(1, 2)),
            "ij",
            DaskDimArray(b, "kg", chunks=2),
            "j",
            concatenate=concatenate,
        )
        assert str(built.unit) == "m*kg"
        np.testing.assert_array_equal(built.compute().data, a @ b)

    def test_options_and_tasks_are_dasks(self, x: DaskDimArray) -> None:
        double = lambda b: np.concatenate([b, b])  # noqa: E731
        options: dict[str, Any] = {"adjust_chunks": {"i": lambda n: 2 * n}, "token": "twice"}
        ours = blockwise(double, "ij", x, "ij", **options)
        theirs = da.blockwise(double, "ij", x.data, "ij", dtype=float, **options)
        assert ours.chunks == theirs.chunks
        assert ours.name.startswith("twice-")
        assert len(ours.dask) == len(theirs.dask)
        np.testing.assert_array_equal(ours.compute().data, theirs.compute())
        wide = blockwise(
            lambda b: b[..., None] * np.ones(5), "ijk", x, "ij", new_axes={"k": 5}, name="wide"
        )
        assert (wide.name, wide.shape) == ("wide", (3, 4, 5))
        np.testing.assert_array_equal(wide.compute().data[..., 4], NUMBERS)

    def test_arrays_are_aligned_unless_told_not_to(self) -> None:
        a = DaskDimArray(np.arange(6.0), "m", chunks=2)
        b = DaskDimArray(np.arange(6.0), "km", chunks=3)
        np.testing.assert_allclose(
            blockwise(np.add, "i", a, "i", b, "i").compute().data, np.arange(6.0) * 1001
        )
        with pytest.raises(ValueError, match="Shapes do not align"):
            blockwise(np.add, "i", a, "i", b, "i", align_arrays=False).compute()

    def test_a_wrong_block_is_named(self, x: DaskDimArray) -> None:
        built = blockwise(seconds_where_large, "ji", x, "ij", unit="m")
        with pytest.raises(BlockMismatch) as caught:
            built.blocks[0, 1].compute()
        assert caught.value.operation == "blockwise"
        assert caught.value.block == (0, 1)
        assert caught.value.array == built.name

    def test_the_unit_is_an_error_while_building(self, x: DaskDimArray, lazy: None) -> None:
        with pytest.raises(DimensionError):
            blockwise(np.add, "ij", x, "ij", 1 * u.s, None)
        assert blockwise(np.add, "ij", x, "ij", 1 * u.km, None).unit is Unit("m")


BUILT = {
    "map_blocks": lambda x, f: x.map_blocks(f, drop_axis=[0, 1]),
    "map_overlap": lambda x, f: x.map_overlap(f, depth=1, drop_axis=[0, 1], trim=False, chunks=()),
    "blockwise": lambda x, f: blockwise(f, "", x, "ij", concatenate=True),
    "reduction": lambda x, f: reduction(x, f, f),
    "apply_gufunc": lambda x, f: apply_gufunc(f, "(i,j)->()", x, allow_rechunk=True),
    "vectorize": lambda x, f: apply_gufunc(f, "(i,j)->()", x, allow_rechunk=True, vectorize=True),
    "apply_along_axis": lambda x, f: apply_along_axis(f, 0, x),
    "coarsen": lambda x, f: coarsen(f, x, {1: 2}),
}


class TestTokens:
    def test_the_same_call_has_the_same_name(self, x: DaskDimArray) -> None:
        assert x.map_blocks(np.square).name == x.map_blocks(np.square).name

    @pytest.mark.parametrize("build", BUILT.values(), ids=BUILT)
    def test_equal_functions_have_equal_tokens(self, x: DaskDimArray, build: Any) -> None:
        """As in another process, where a function has another address."""

        def made(factor: int) -> Any:
            return lambda b, **kwargs: b.sum(**kwargs) * factor

        two, again, three = made(2), made(2), made(3)
        with dask.config.set({"tokenize.ensure-deterministic": True}):
            assert build(x, two).name == build(x, again).name
            assert build(x, two).name != build(x, three).name

    def test_the_unit_is_part_of_the_name(self, x: DaskDimArray) -> None:
        other = DaskDimArray(x.data, "km")
        names = [
            x.map_blocks(np.square).name,
            other.map_blocks(np.square).name,
            x.map_blocks(np.square, unit="m**2").name,
            x.map_blocks(np.square, unit="km**2").name,
            x.map_blocks(np.multiply, 2 * u.s).name,
            x.map_blocks(np.multiply, 2 * u.ms).name,
            x.map_blocks(kinetic, speed=2 * u.m).name,
            x.map_blocks(kinetic, speed=2 * u.km).name,
            x.map_blocks(np.square, dtype="float64").name,
        ]
        assert len(set(names)) == len(names)

    def test_the_spelling_is_part_of_the_token(self) -> None:
        raw = da.ones(3, chunks=2)
        first = DaskDimArray(raw, "N").map_blocks(np.square)
        second = DaskDimArray(raw, "kg*m/s**2").map_blocks(np.square)
        assert first.name != second.name
        assert tokenize(first) != tokenize(second)
