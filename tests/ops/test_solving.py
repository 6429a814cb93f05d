"""Solutions, inverses, determinants and functions of matrices, against SciPy and by their laws."""

from itertools import permutations
from itertools import product as every
from math import prod
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

from dimflow import DimArray, ops
from dimflow.errors import DimensionError, PureNumberError, ShapeMismatch, UnitError
from dimflow.ops.rules.units import resolve
from dimflow.units import Unit

seeds = st.integers(0, 10**6)


def regular(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).normal(size=shape) + 3 * np.eye(shape[-1])


# Units


def test_springs_solve_to_lengths() -> None:
    stiffness = DimArray([[3.0, -1.0], [-1.0, 2.0]], "kN/m")
    force = DimArray([5.0, 0.0], "N")
    moved = ops.solve(stiffness, force)
    np.testing.assert_allclose(moved.to_value("mm"), [2.0, 1.0])
    np.testing.assert_allclose((ops.inv(stiffness) @ force).to_value("mm"), [2.0, 1.0])
    np.testing.assert_allclose((ops.pinv(stiffness) @ force).to_value("mm"), [2.0, 1.0])


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_a_determinant_has_the_power_of_the_side(n: int) -> None:
    x = regular(n, 4, n, n)
    assert ops.det(DimArray(x, "cm")).unit == Unit("cm") ** n
    expected = np.linalg.det(x * 0.01)
    np.testing.assert_allclose(ops.det(DimArray(x, "cm")).to_value(Unit("m") ** n), expected)
    assert ops.adjugate(DimArray(x, "cm")).unit == Unit("cm") ** (n - 1)


@pytest.mark.parametrize("name", ["det", "adjugate"])
def test_a_side_that_is_not_known_needs_pure_numbers(name: str) -> None:
    op = ops.get(name)
    with pytest.raises(UnitError, match="side is not known"):
        resolve(op, (Unit("m"),), {}, ((None, None),))
    assert resolve(op, (Unit("percent"),), {}, ((None, None),)).result == Unit("")


def test_the_logarithm_of_a_determinant_needs_pure_numbers() -> None:
    x = regular(1, 2, 2)
    with pytest.raises(PureNumberError, match="slogdet"):
        ops.slogdet(DimArray(x, "m"))
    sign, logarithm = ops.slogdet(DimArray(x, "percent"))
    wanted = np.linalg.slogdet(x / 100)
    assert sign.data == wanted.sign
    np.testing.assert_allclose(logarithm.data, wanted.logabsdet)


def test_least_squares_keep_every_unit() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(6, 2)), rng.normal(size=6)
    x, residuals, rank, values = ops.lstsq(DimArray(a, "s"), DimArray(b, "km"))
    wanted = np.linalg.lstsq(a, 1000 * b)
    np.testing.assert_allclose(x.to_value("m/s"), wanted[0])
    np.testing.assert_allclose(residuals.to_value("m**2"), wanted[1])
    assert rank == 2
    assert not isinstance(rank, DimArray)
    np.testing.assert_allclose(values.to_value("s"), wanted[3])


@pytest.mark.parametrize("n", [-3, -1, 0, 1, 2, 7])
def test_powers_of_matrices_raise_the_unit(n: int) -> None:
    x = regular(2, 3, 3)
    result = ops.matrix_power(DimArray(x, "km"), n)
    assert result.unit == Unit("km") ** n
    np.testing.assert_allclose(
        result.to_value(Unit("m") ** n), np.linalg.matrix_power(1000 * x, n), rtol=1e-9
    )


def test_tensors_solve_like_matrices() -> None:
    a, b = regular(4, 6, 6).reshape(2, 3, 6), np.arange(6.0).reshape(2, 3)
    x = ops.tensorsolve(DimArray(a, "kg"), DimArray(b, "N"))
    np.testing.assert_allclose(x.to_value("m/s**2"), np.linalg.tensorsolve(a, b))
    inverse = ops.tensorinv(DimArray(a, "kg"), ind=2)
    assert inverse.unit == Unit("kg") ** -1
    np.testing.assert_allclose(inverse.data, np.linalg.tensorinv(a, ind=2))


@pytest.mark.parametrize(
    "call",
    [
        lambda: ops.tensorinv.definition(np.ones((2, 3)), ind=1),
        lambda: ops.tensorinv.definition(np.ones((2, 2)), ind=0),
        lambda: ops.tensorsolve.definition(np.ones((2, 3)), np.ones(2)),
        lambda: ops.solve.shape(((2, 3), (3,)), {}),
        lambda: ops.solve.shape(((3, 3), (2,)), {}),
        lambda: ops.solve.shape(((3, 3), ()), {}),
        lambda: ops.inv.shape(((3,),), {}),
        lambda: ops.lstsq.shape(((3, 2), (4,)), {}),
        lambda: ops.matrix_power.definition(np.ones((2, 3)), 2),
    ],
)
def test_shapes_that_do_not_fit_are_named(call: Any) -> None:
    with pytest.raises(ShapeMismatch):
        call()


@pytest.mark.parametrize("name", ["inv", "det", "solve", "solve_triangular", "cholesky"])
def test_nothing_comes_of_matrices_that_are_not_square(name: str) -> None:
    x = DimArray(np.ones((2, 3)), "m")
    args = (x, DimArray(np.ones(2), "s")) if name.startswith("solve") else (x,)
    with pytest.raises(np.linalg.LinAlgError):
        ops.get(name)(*args)


# Triangular systems


@pytest.mark.parametrize(("lower", "unit_diagonal"), list(every((False, True), repeat=2)))
@pytest.mark.parametrize("trans", [0, 1, 2, "N", "T", "C"])
@pytest.mark.parametrize("n", [1, 5, 33, 70])
def test_triangles_are_solved_as_scipy_does(
    lower: bool, unit_diagonal: bool, trans: Any, n: int
) -> None:
    rng = np.random.default_rng(n)
    a = rng.normal(size=(n, n)) / n + 1j * rng.normal(size=(n, n)) / n + 2 * np.eye(n)
    unread = np.triu(np.ones((n, n)), 1) if lower else np.tril(np.ones((n, n)), -1)
    a[unread > 0] = np.nan
    for b in (rng.normal(size=n), rng.normal(size=(n, 3))):
        options = {"trans": trans, "lower": lower, "unit_diagonal": unit_diagonal}
        clean = np.where(unread > 0, 0, a)
        expected = scipy.linalg.solve_triangular(clean, b, **options)
        np.testing.assert_allclose(ops.solve_triangular(a, b, **options), expected, rtol=1e-9)


def test_graded_triangles_lose_no_digits() -> None:
    """Elimination with pivots would mix rows of different size; substitution does not."""
    n = 12
    a = np.tril(np.random.default_rng(0).normal(size=(n, n)) + 2 * np.eye(n))
    a *= np.logspace(0, -30, n)[:, None] * np.logspace(-20, 10, n)
    b = a @ np.ones(n)
    expected = scipy.linalg.solve_triangular(a, b, lower=True)
    np.testing.assert_allclose(ops.solve_triangular(a, b, lower=True), expected, rtol=1e-8)


def test_triangles_come_in_batches() -> None:
    a, b = regular(1, 2, 1, 40, 40), np.random.default_rng(2).normal(size=(3, 40, 2))
    result = ops.solve_triangular(a, b)
    assert result.shape == (2, 3, 40, 2)
    for i, j in np.ndindex(2, 3):
        expected = scipy.linalg.solve_triangular(a[i, 0], b[j])
        np.testing.assert_allclose(result[i, j], expected, rtol=1e-9)


def test_a_diagonal_of_ones_is_pure() -> None:
    a, b = DimArray(regular(1, 3, 3), "m"), DimArray(np.ones(3), "s")
    assert ops.solve_triangular(a, b).unit == Unit("s/m")
    with pytest.raises(DimensionError, match="solve_triangular"):
        ops.solve_triangular(a, b, unit_diagonal=True)
    percent = DimArray(100 * a.data, "percent")
    result = ops.solve_triangular(percent, b, unit_diagonal=True)
    expected = scipy.linalg.solve_triangular(a.data, b.data, unit_diagonal=True)
    np.testing.assert_allclose(result.to_value("s"), expected)


def test_a_zero_on_the_diagonal_is_singular() -> None:
    with pytest.raises(np.linalg.LinAlgError):
        ops.solve_triangular(np.diag([1.0, 0.0]), np.ones(2))


# Determinants of any rank


def cofactors(x: Any) -> Any:
    """The adjugate by minors and the sum over permutations."""
    n = len(x)
    result = np.empty_like(x)
    for i, j in np.ndindex(n, n):
        minor = np.delete(np.delete(x, i, 0), j, 1)
        total = 0.0
        for order in permutations(range(n - 1)):
            swaps = sum(a > b for k, a in enumerate(order) for b in order[k + 1 :])
            total += (-1) ** swaps * prod(minor[r, c] for r, c in enumerate(order))
        result[j, i] = (-1) ** (i + j) * total
    return result


@given(seeds, st.integers(1, 4), st.integers(0, 4), st.booleans())
def test_adjugates_are_those_of_minors(seed: int, n: int, rank: int, is_complex: bool) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, min(n, rank))) @ rng.normal(size=(min(n, rank), n))
    x = x + 1j * x[::-1] if is_complex else x
    scale = max(1.0, np.abs(x).max()) ** max(n - 1, 1)
    np.testing.assert_allclose(ops.adjugate(x), cofactors(x), atol=1e-11 * scale)


def test_no_sides_have_a_determinant_of_one() -> None:
    assert ops.det(DimArray(np.empty((0, 0)), "m")).to_value("") == 1.0
    assert ops.adjugate(np.empty((2, 0, 0))).shape == (2, 0, 0)


@given(seeds, st.integers(1, 4))
def test_a_singular_matrix_has_a_gradient_of_its_determinant(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    x, t = rng.normal(size=(n, n)), rng.normal(size=(n, n))
    x[-1] = x[0] if n > 1 else 0.0
    out = ops.det(x)
    tangent = ops.det.derivative.function((t,), out, (x,), {})
    h = 1e-5
    difference = (np.linalg.det(x + h * t) - np.linalg.det(x - h * t)) / (2 * h)
    np.testing.assert_allclose(tangent, difference, atol=1e-7, rtol=1e-6)


@given(seeds, st.integers(1, 5), st.integers(1, 5), st.booleans())
def test_pseudo_inverses_meet_penroses_conditions(
    seed: int, m: int, n: int, is_complex: bool
) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(m, n)) + (1j * rng.normal(size=(m, n)) if is_complex else 0)
    unit = DimArray(x, "km")
    p = ops.pinv(unit)
    size = float(np.abs(p.data).max()) * 1e-9 + 1e-9
    for once, again in ((unit @ p @ unit, unit), (p @ unit @ p, p)):
        np.testing.assert_allclose(once.to_value(again.unit), again.data, atol=size * 10, rtol=1e-7)
    for projector in ((unit @ p).to_value(""), (p @ unit).to_value("")):
        np.testing.assert_allclose(projector, projector.conj().T, atol=size * 10)


# Linear in one argument: what stands in the jvps of others


@pytest.mark.parametrize("name", ["solve", "solve_triangular", "expm_frechet"])
def test_transposes_of_the_linear_argument(name: str) -> None:
    op = ops.get(name)
    for sample in op.domain(np.random.default_rng(0)):
        a, b = (x + 0.5j * x[..., ::-1] for x in sample.args)
        params = {p: v.default for p, v in op.signature.parameters.items() if p not in "abxt"}
        params |= sample.params
        out = op.run((a, b), params)
        ct = np.random.default_rng(1).normal(size=out.shape) + 1j
        back = op.derivative.transposes[1](ct, (a, b), params)
        assert back.shape == b.shape
        np.testing.assert_allclose(np.sum(back * b), np.sum(ct * out), rtol=1e-9)
        assert op.derivative.transposes[0] is None


@pytest.mark.parametrize("name", ["solve", "solve_triangular", "expm_frechet"])
def test_cotangents_of_the_linear_argument_have_their_unit(name: str) -> None:
    op = ops.get(name)
    a = DimArray(regular(1, 3, 3), "" if name == "expm_frechet" else "km")
    b = DimArray(regular(2, 3, 3), "s")
    params = {p: v.default for p, v in op.signature.parameters.items() if p not in "abxt"}
    out = op.run((a, b), params)
    ct = DimArray(regular(3, 3, 3), Unit("J") / out.unit)
    back = op.derivative.transposes[1](ct, (a, b), params)
    assert back.unit == Unit("J/s")
    np.testing.assert_allclose(
        ops.sum(back * b).to_value("J"), ops.sum(ct * out).to_value("J"), rtol=1e-9
    )


# The exponential


@given(seeds, st.integers(1, 6), st.floats(-8, 2.5), st.booleans())
def test_exponentials_are_scipys(seed: int, n: int, size: float, is_complex: bool) -> None:
    rng = np.random.default_rng(seed)
    x = 10**size * rng.normal(size=(n, n)) / n
    x = x + 1j * 10**size * rng.normal(size=(n, n)) / n if is_complex else x
    expected = scipy.linalg.expm(x)
    bound = 1e-12 * max(1.0, 10**size) * np.abs(expected).max()
    np.testing.assert_allclose(ops.expm(x), expected, rtol=0, atol=bound)


def test_a_batch_scales_each_matrix_by_its_own_norm() -> None:
    x = (
        np.random.default_rng(0).normal(size=(4, 3, 3))
        * np.array([1e-9, 0.1, 3, 60])[:, None, None]
    )
    for one, result in zip(x, ops.expm(x), strict=True):
        np.testing.assert_allclose(result, scipy.linalg.expm(one), rtol=1e-11)


def test_exponentials_of_rotations_nilpotents_and_nothing() -> None:
    turn = DimArray([[0.0, -90.0], [90.0, 0.0]], "deg")
    np.testing.assert_allclose(ops.expm(turn.to("rad")).data, [[0, -1], [1, 0]], atol=1e-15)
    with pytest.raises(PureNumberError, match="an angle is not a pure number"):
        ops.expm(turn)
    np.testing.assert_allclose(ops.expm(np.array([[0.0, 7], [0, 0]])), [[1, 7], [0, 1]])
    np.testing.assert_array_equal(ops.expm(np.zeros((2, 3, 3))), [np.eye(3)] * 2)
    assert ops.expm(np.empty((0, 0))).shape == (0, 0)
    assert ops.expm(np.eye(2, dtype=np.float32)).dtype == np.float32
    assert ops.expm(np.eye(2, dtype=int)).dtype == np.float64
    spoilt = ops.expm(np.array([np.full((2, 2), np.inf), np.zeros((2, 2))]))
    assert np.isnan(spoilt[0]).all()
    np.testing.assert_array_equal(spoilt[1], np.eye(2))


def test_an_exponent_is_pure() -> None:
    with pytest.raises(PureNumberError, match="expm"):
        ops.expm(DimArray(np.eye(2), "1/s"))
    decay = ops.expm(DimArray(-np.eye(2), "1/min") * DimArray(30.0, "s"))
    np.testing.assert_allclose(decay.data, np.exp(-0.5) * np.eye(2), rtol=1e-14)


@given(seeds, st.integers(1, 4), st.sampled_from([0.01, 1.0, 20.0]))
def test_the_derivative_of_the_exponential_is_scipys(seed: int, n: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    x, t = size * rng.normal(size=(n, n)) / n, rng.normal(size=(n, n))
    expected = scipy.linalg.expm_frechet(x, t, compute_expm=False)
    bound = 1e-10 * np.abs(expected).max()
    np.testing.assert_allclose(ops.expm_frechet(x, t), expected, rtol=0, atol=bound)
    for scale in (1e-250, 1e200):
        scaled = ops.expm_frechet(x, t * scale) / scale
        np.testing.assert_allclose(scaled, expected, rtol=0, atol=bound)
    assert not ops.expm_frechet(x, 0 * t).any()


def test_the_derivative_of_the_exponential_has_the_unit_of_the_change() -> None:
    result = ops.expm_frechet(DimArray(np.zeros((2, 2)), "percent"), DimArray(np.eye(2), "m"))
    np.testing.assert_allclose(result.to_value("cm"), 100 * np.eye(2))
