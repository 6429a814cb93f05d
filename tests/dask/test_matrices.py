"""Linear algebra on lazy matrices: small ones in one block, tall ones in strips, large ones cut."""

from collections.abc import Iterator
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest

from dimflow import ops
from dimflow.array import DimArray
from dimflow.dask import DaskDimArray
from dimflow.errors import ShapeMismatch
from tests.dask.conftest import nothing_runs

RNG = np.random.default_rng(11)
SQUARE = RNG.normal(size=(6, 6)) + 6 * np.eye(6)
DEFINITE = SQUARE @ SQUARE.T
RIGHT = RNG.normal(size=(6, 2))
TALL = RNG.normal(size=(12, 3))
CUTS = [6, 2, 4, ((1, 5), (2, 4))]


@pytest.fixture
def large() -> Iterator[None]:
    """Every matrix counts as too large for one block."""
    with dask.config.set({"array.chunk-size": "16B"}):
        yield


def _agrees(lazy: Any, eager: Any) -> None:
    assert lazy.unit == eager.unit
    assert lazy.dtype == eager.dtype
    found = lazy.compute()
    assert found.dtype == eager.dtype
    precision = 1e-4 if eager.dtype in (np.float32, np.complex64) else 1e-9
    np.testing.assert_allclose(found.data, eager.data, rtol=precision, atol=precision)


def _both(array: Any, unit: str, chunks: Any) -> tuple[Any, Any]:
    return DaskDimArray(array, unit, chunks=chunks), DimArray(array, unit)


SOLUTIONS: dict[str, Any] = {
    "inv": lambda a, b: ops.inv(a),
    "solve": ops.solve,
    "solve a vector": lambda a, b: ops.solve(a, b[:, 0]),
    "lower triangle": lambda a, b: ops.solve_triangular(a, b, lower=True),
    "upper triangle": ops.solve_triangular,
    "adjoint": lambda a, b: ops.solve_triangular(a, b, trans=2),
    "cholesky": lambda a, b: ops.cholesky(a),
    "upper cholesky": lambda a, b: ops.cholesky(a, upper=True),
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("cut", CUTS, ids=["one", "twos", "fours", "uneven"])
@pytest.mark.parametrize("name", SOLUTIONS)
def test_large_matrices_by_the_algorithms_of_dask(
    name: str, cut: Any, dtype: str, large: None
) -> None:
    lazy, eager = _both(DEFINITE.astype(dtype), "m", cut)
    right, column = _both(RIGHT.astype(dtype), "s", 3)
    with nothing_runs():
        found = SOLUTIONS[name](lazy, right)
    _agrees(found, SOLUTIONS[name](eager, column))


def test_a_unit_diagonal_by_the_algorithms_of_dask(large: None) -> None:
    lazy, eager = _both(SQUARE, "", 2)
    right, column = _both(RIGHT, "s", 3)
    found = ops.solve_triangular(lazy, right, lower=True, unit_diagonal=True)
    _agrees(found, ops.solve_triangular(eager, column, lower=True, unit_diagonal=True))


def test_pivots_are_looked_for_in_the_whole_matrix() -> None:
    """Dask's blocks of the diagonal are singular here: its own solution has no finite number."""
    turn = np.array([[0.0, 1.0], [1.0, 0.0]])
    lazy, eager = _both(turn, "m", 1)
    right, column = _both(np.array([3.0, 5.0]), "s", 1)
    _agrees(ops.solve(lazy, right), ops.solve(eager, column))
    _agrees(ops.inv(lazy), ops.inv(eager))
    assert float(ops.det(lazy).compute().data) == pytest.approx(-1.0)


@pytest.mark.parametrize("columns", [None, 2], ids=["vector", "columns"])
@pytest.mark.parametrize("rank", [3, 2], ids=["full rank", "not of full rank"])
def test_least_squares_of_a_tall_matrix_too_large(
    rank: int, columns: int | None, large: None
) -> None:
    a = TALL.copy()
    if rank == 2:
        a[:, 2] = a[:, 0] - a[:, 1]
    b = RNG.normal(size=12 if columns is None else (12, columns))
    (lazy, eager), (right, column) = _both(a, "m", (4, 3)), _both(b, "s", 5)
    with dask.config.set({"array.chunk-size": "80B"}), nothing_runs():  # 3 by 3 numbers fit
        found = ops.lstsq(lazy, right)
    expected = ops.lstsq(eager, column)
    _agrees(found.x, expected.x)
    _agrees(found.residuals, expected.residuals)
    np.testing.assert_allclose(
        found.singular_values.compute().data, expected.singular_values.data, atol=1e-9
    )
    assert int(found.rank.compute()) == int(expected.rank) == rank


@pytest.mark.parametrize("shape", [(12, 3), (3, 12), (5, 5)], ids=str)
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
def test_strips_are_factored_as_they_are(shape: tuple[int, int], dtype: str) -> None:
    array = RNG.normal(size=shape).astype(dtype)
    if dtype == "complex128":
        array = array + 1j * RNG.normal(size=shape)
    long = int(shape[1] > shape[0])
    cuts = [-1, -1]
    cuts[long] = 4
    x = DaskDimArray(array, "m", chunks=tuple(cuts))
    with nothing_runs():
        q, r = ops.qr(x)
        u, s, vh = ops.svd(x, full_matrices=False)
        values = ops.svdvals(x)
    precision = 1e-4 if dtype == "float32" else 1e-10
    close = {"rtol": precision, "atol": precision}
    assert (q.unit, r.unit, s.unit, vh.unit) == (u.unit, x.unit, x.unit, u.unit)
    assert q.dtype == r.dtype == u.dtype == np.dtype(dtype)
    assert s.dtype == values.dtype == np.empty(0, dtype).real.dtype
    np.testing.assert_allclose((q @ r).compute().data, array, **close)
    np.testing.assert_allclose((u * s @ vh).compute().data, array, **close)
    same = np.linalg.svd(array, compute_uv=False)
    np.testing.assert_allclose(values.compute().data, same, **close)
    for turned in (q, u):
        inner = np.asarray((ops.conj(turned).T @ turned).compute())
        np.testing.assert_allclose(inner, np.eye(min(shape)), **close)
    np.testing.assert_allclose(np.tril(r.compute().data, -1), 0, atol=precision)


def test_a_factor_as_long_as_a_tall_matrix_is_refused_before_it_fills_the_memory() -> None:
    x = DaskDimArray(da.ones((100_000, 3), chunks=(10_000, 3)), "m")
    with nothing_runs():
        with pytest.raises(ShapeMismatch, match="full_matrices=False"):
            ops.svd(x)
        with pytest.raises(ShapeMismatch, match="mode='reduced'"):
            ops.qr(x, mode="complete")
        assert ops.svd(x, full_matrices=False).S.shape == (3,)


def test_batches_stay_in_their_blocks() -> None:
    x = DaskDimArray(np.stack([SQUARE] * 6), "m", chunks=(2, 3, 3))
    for found in (ops.inv(x), ops.det(x), ops.eigh(x).eigenvalues, ops.expm(x / x.unit)):
        assert found.chunks[0] == (2, 2, 2)
        assert found.numblocks[1:] == (1,) * (found.ndim - 1)


def test_transforms_gather_their_axis_alone() -> None:
    x = DaskDimArray(RNG.normal(size=(6, 8)), "m", chunks=(2, 4))
    with nothing_runs():
        found = ops.rfft(x, axis=1)
        both = ops.fftn(x)
    assert found.chunks == ((2, 2, 2), (5,))
    np.testing.assert_allclose(found.compute().data, np.fft.rfft(x.compute().data, axis=1))
    np.testing.assert_allclose(both.compute().data, np.fft.fftn(x.compute().data))
