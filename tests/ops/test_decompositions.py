"""Decompositions: they multiply back, units stand with the right factor, derivatives fit."""

from typing import Any

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

from dimflow import DimArray, ops
from dimflow.errors import MissingRule, ShapeMismatch, UnitError
from dimflow.units import Unit

seeds = st.integers(0, 10**6)
sides = st.integers(1, 6)
PURE = Unit("")


def drawn(seed: int, *shape: int, is_complex: bool = False) -> Any:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=shape)
    return x + 1j * rng.normal(size=shape) if is_complex else x


def adjoint(x: Any) -> Any:
    return np.conj(np.swapaxes(x, -1, -2))


def tangent(name: str, x: Any, t: Any, **params: Any) -> Any:
    op = ops.get(name)
    defaults = {n: p.default for n, p in op.signature.parameters.items() if n != "x"}
    params = {**defaults, **params}
    return op.derivative.function((t,), op.run((x,), params), (x,), params)


def difference(function: Any, x: Any, t: Any, h: float = 1e-6) -> Any:
    return (function(x + h * t) - function(x - h * t)) / (2 * h)


# LU


@given(seeds, sides, sides, st.booleans())
def test_lu_is_scipys(seed: int, m: int, n: int, is_complex: bool) -> None:
    x = drawn(seed, m, n, is_complex=is_complex)
    for got, wanted in zip(ops.lu(x), scipy.linalg.lu(x), strict=True):
        np.testing.assert_allclose(got, wanted, atol=1e-11)


@pytest.mark.parametrize("shape", [(100, 100), (90, 40), (33, 80), (2, 65, 65), (0, 3), (3, 0)])
def test_lu_by_blocks_multiplies_back(shape: tuple[int, ...]) -> None:
    x = drawn(1, *shape)
    p, lower, upper = ops.lu(x)
    np.testing.assert_allclose(p @ lower @ upper, x, atol=1e-11)
    assert np.abs(lower).max(initial=0.0) <= 1.0
    np.testing.assert_array_equal(np.tril(upper, -1), 0)
    np.testing.assert_array_equal(p.sum(axis=-1), 1)


def test_lu_of_singular_matrices() -> None:
    for x in (np.zeros((3, 3)), np.ones((4, 4)), np.diag([0.0, 2.0, 0.0])):
        p, lower, upper = ops.lu(x)
        np.testing.assert_allclose(p @ lower @ upper, x)
        assert np.isfinite(lower).all()


# Units


def test_factors_that_turn_are_pure() -> None:
    x = DimArray(drawn(3, 3, 3) + 4 * np.eye(3), "km")
    q, r = ops.qr(x)
    u, s, vh = ops.svd(x)
    p, lower, upper = ops.lu(x)
    values, vectors = ops.eig(x)
    for turning in (q, u, vh, p, lower, vectors):
        assert turning.unit is PURE
    for scaling in (r, s, upper, values, ops.svdvals(x), ops.eigvals(x), ops.qr(x, mode="r")):
        assert scaling.unit == Unit("km")
    for back in (q @ r, (u * s) @ vh, p @ (lower @ upper)):
        np.testing.assert_allclose(back.to_value("m"), 1000 * x.data)
    assert ops.svd(x, compute_uv=False).unit == Unit("km")


def test_a_root_of_a_covariance_has_the_root_of_its_unit() -> None:
    x = drawn(3, 3, 3)
    covariance = DimArray(x @ x.T + np.eye(3), "cm**2")
    root = ops.cholesky(covariance)
    assert root.unit == Unit("cm")
    np.testing.assert_allclose(
        (root @ ops.matrix_transpose(root)).to_value("cm**2"), covariance.data
    )
    upper = ops.cholesky(covariance, upper=True)
    np.testing.assert_allclose(upper.data, root.data.T)
    values, vectors = ops.eigh(covariance)
    assert values.unit == Unit("cm**2")
    assert vectors.unit is PURE
    np.testing.assert_allclose(ops.eigvalsh(covariance).data, values.data)


def test_principal_stresses_do_not_depend_on_the_unit() -> None:
    stress = np.array([[50.0, 30.0], [30.0, -20.0]])
    in_mega, in_kilo = DimArray(stress, "MPa"), DimArray(1000 * stress, "kPa")
    np.testing.assert_allclose(
        ops.eigh(in_mega)[0].to_value("Pa"), ops.eigh(in_kilo)[0].to_value("Pa")
    )


def test_raw_reflectors_cannot_share_an_array_with_a_unit() -> None:
    x = drawn(0, 3, 2)
    with pytest.raises(UnitError, match="mix reflectors"):
        ops.qr(DimArray(x, "m"), mode="raw")
    reflectors, _ = ops.qr(DimArray(100 * x, "percent"), mode="raw")
    np.testing.assert_allclose(reflectors.data, np.linalg.qr(x, mode="raw")[0])


@pytest.mark.parametrize("mode", ["reduced", "complete", "r", "raw"])
def test_shapes_of_every_mode_of_qr(mode: str) -> None:
    for shape in ((4, 3), (3, 4), (2, 3, 3)):
        result = np.linalg.qr(np.ones(shape), mode=mode)
        told = ops.qr.shape((shape,), {"mode": mode})
        assert told == (result.shape if mode == "r" else tuple(f.shape for f in result))
    with pytest.raises(ShapeMismatch, match="a mode of"):
        ops.qr.shape(((2, 2),), {"mode": "economic"})


# Derivatives that the table's samples do not show


@pytest.mark.parametrize("shape", [(3, 3), (4, 3), (3, 4)])
def test_derivatives_of_single_factors(shape: Any) -> None:
    x, t = drawn(1, *shape), drawn(2, *shape)
    wanted = difference(lambda a: np.linalg.qr(a, mode="r"), x, t)
    np.testing.assert_allclose(tangent("qr", x, t, mode="r"), wanted, atol=1e-7)
    wanted = difference(np.linalg.svdvals, x, t)
    np.testing.assert_allclose(tangent("svd", x, t, compute_uv=False), wanted, atol=1e-7)


@given(seeds, st.sampled_from([(3, 3), (4, 2), (2, 4)]))
def test_complex_factors_change_as_their_product(seed: int, shape: Any) -> None:
    """Phases are free, so the law is what holds for any: products change by t, turns stay turns."""
    x, t = (drawn(seed + k, *shape, is_complex=True) for k in (0, 1))
    x[: min(shape), : min(shape)] += np.diag(np.arange(4, 4 + 3 * min(shape), 3))
    q, r = np.linalg.qr(x)
    dq, dr = tangent("qr", x, t)
    np.testing.assert_allclose(dq @ r + q @ dr, t, atol=1e-8)
    _assert_turn(q, dq)
    np.testing.assert_allclose(np.tril(dr, -1), 0, atol=1e-9)
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    du, ds, dvh = tangent("svd", x, t, full_matrices=False)
    np.testing.assert_allclose((du * s) @ vh + (u * ds) @ vh + (u * s) @ dvh, t, atol=1e-7)
    _assert_turn(u, du)
    _assert_turn(adjoint(vh), adjoint(dvh))


def _assert_turn(q: Any, dq: Any) -> None:
    """qᴴ dq is skew: the columns stay orthonormal."""
    inner = adjoint(q) @ dq
    np.testing.assert_allclose(inner + adjoint(inner), 0, atol=1e-8)


@given(seeds)
def test_complex_hermitian_matrices(seed: int) -> None:
    x, t = (drawn(seed + k, 3, 3, is_complex=True) for k in (0, 1))
    x, t = x + adjoint(x) + np.diag([0, 9, 18]), t + adjoint(t)
    w, v = np.linalg.eigh(x)
    dw, dv = tangent("eigh", x, t)
    np.testing.assert_allclose((dv * w + v * dw) @ adjoint(v) + (v * w) @ adjoint(dv), t, atol=1e-8)
    _assert_turn(v, dv)
    positive = x @ adjoint(x) + np.eye(3)
    wanted = difference(np.linalg.cholesky, positive, t)
    np.testing.assert_allclose(tangent("cholesky", positive, t), wanted, atol=1e-6)


def test_only_one_triangle_is_read() -> None:
    """So the other has no derivative, as it has no effect."""
    x = drawn(1, 3, 3)
    x = x @ x.T + 2 * np.eye(3)
    above = np.triu(np.ones((3, 3)), 1)
    assert not tangent("cholesky", x, above).any()
    assert tangent("cholesky", x, above, upper=True).any()
    assert not np.any(tangent("eigh", x, above)[0])
    assert np.any(tangent("eigh", x, above, UPLO="U")[0])


@pytest.mark.parametrize(
    ("name", "params", "hint"),
    [
        ("qr", {"mode": "complete"}, "reduced"),
        ("qr", {"mode": "raw"}, "reduced"),
        ("svd", {}, "full_matrices=False"),
    ],
)
def test_a_complement_has_no_derivative(name: str, params: Any, hint: str) -> None:
    x = drawn(1, 4, 2)
    with pytest.raises(MissingRule, match="has no derivative") as caught:
        tangent(name, x, x, **params)
    assert hint in str(caught.value)


@pytest.mark.parametrize("params", [{"mode": "r"}, {"mode": "complete"}])
def test_batches_of_every_mode_of_qr(params: Any) -> None:
    op, x = ops.get("qr"), drawn(5, 3, 4, 6)
    result, dims = op.batching(op, (x,), (2,), params)
    many = [(result, dims)] if params["mode"] == "r" else zip(result, dims, strict=True)
    for factor, dim in list(many):
        assert dim == 0
        assert factor.shape[0] == 6
    expected = np.linalg.qr(x[:, :, 5], **params)
    last = result if params["mode"] == "r" else result[1]
    np.testing.assert_allclose(last[5], expected if params["mode"] == "r" else expected.R)


def test_eigenvectors_of_length_one_stay_so() -> None:
    x = np.array([[1.0, -5.0, 0.3], [4.0, 2.0, 0.1], [0.2, 0.5, 9.0]])
    for t in (drawn(1, 3, 3), drawn(2, 3, 3)):
        values, vectors = np.linalg.eig(x)
        dw, dv = tangent("eig", x, t)
        np.testing.assert_allclose(x @ dv + t @ vectors, dv * values + vectors * dw, atol=1e-12)
        np.testing.assert_allclose(np.sum(vectors.conj() * dv, axis=0).real, 0, atol=1e-13)


def test_matrices_with_real_eigenvalues_give_real_ones_as_numpy_does() -> None:
    x = DimArray(np.diag([1.0, 2.0]), "m")
    assert ops.eig(x)[0].dtype == np.float64
    assert ops.eigvals(x).dtype == np.float64
