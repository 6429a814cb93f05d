"""Norms, condition and rank: NumPy's values in every form, with the unit of what is measured."""

from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow import DimArray, ops
from dimflow.errors import DimensionError, ShapeMismatch, UnitError
from dimflow.units import Unit

seeds = st.integers(0, 10**6)
VECTOR_ORDERS = (2, 1, inf, -inf, 3, -2, 0.5, 2.5, 0)
MATRIX_ORDERS = ("fro", "nuc", 1, -1, 2, -2, inf, -inf)


def drawn(seed: int, *shape: int, is_complex: bool = False) -> Any:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=shape)
    return x + 1j * rng.normal(size=shape) if is_complex else x


@given(
    seeds,
    st.sampled_from(VECTOR_ORDERS),
    st.sampled_from([None, 0, 1, -1, (0, 1), (2, 0)]),
    st.booleans(),
    st.booleans(),
)
def test_the_definition_for_vectors_is_numpys(
    seed: int, order: Any, axis: Any, keepdims: bool, is_complex: bool
) -> None:
    x = drawn(seed, 2, 3, 4, is_complex=is_complex)
    options = {"axis": axis, "keepdims": keepdims, "ord": order}
    expected = np.linalg.vector_norm(x, **options)
    actual = ops.vector_norm.definition(x, **options)
    np.testing.assert_allclose(actual, expected, rtol=1e-11)
    assert np.shape(actual) == np.shape(expected)


@given(seeds, st.sampled_from(MATRIX_ORDERS), st.booleans(), st.booleans())
def test_the_definition_for_matrices_is_numpys(
    seed: int, order: Any, keepdims: bool, is_complex: bool
) -> None:
    x = drawn(seed, 2, 3, 4, is_complex=is_complex)
    options = {"keepdims": keepdims, "ord": order}
    expected = np.linalg.matrix_norm(x, **options)
    actual = ops.matrix_norm.definition(x, **options)
    np.testing.assert_allclose(actual, expected, rtol=1e-11)
    assert np.shape(actual) == np.shape(expected)


@given(
    seeds,
    st.sampled_from([None, *MATRIX_ORDERS]),
    st.sampled_from([(0, 1), (2, 0), (-1, 1)]),
    st.booleans(),
)
def test_the_definition_of_norm_takes_any_two_axes(
    seed: int, order: Any, axes: Any, keepdims: bool
) -> None:
    x = drawn(seed, 2, 3, 4)
    expected = np.linalg.norm(x, order, axes, keepdims)
    actual = ops.norm.definition(x, order, axes, keepdims)
    np.testing.assert_allclose(actual, expected, rtol=1e-11)
    assert np.shape(actual) == np.shape(expected)


@pytest.mark.parametrize("order", [o for o in VECTOR_ORDERS if o])
def test_a_size_has_the_unit(order: Any) -> None:
    x = drawn(1, 3)
    result = ops.norm(DimArray(x, "km"), order)
    assert result.unit == Unit("km")
    np.testing.assert_allclose(result.to_value("m"), np.linalg.norm(1000 * x, order))


@pytest.mark.parametrize("order", MATRIX_ORDERS)
def test_a_size_of_a_matrix_has_the_unit(order: Any) -> None:
    x = drawn(1, 3, 3)
    for result in (
        ops.norm(DimArray(x, "km"), order),
        ops.matrix_norm(DimArray(x, "km"), ord=order),
    ):
        np.testing.assert_allclose(result.to_value("m"), np.linalg.norm(1000 * x, order))


@given(seeds, st.sampled_from([*VECTOR_ORDERS]))
def test_definitions_run_with_units(seed: int, order: Any) -> None:
    """Roots of sums of powers come back to the unit itself."""
    x = DimArray(drawn(seed, 4), "km")
    actual = ops.vector_norm.definition(x, ord=order)
    expected = ops.vector_norm(x, ord=order)
    if order == 0:
        assert actual == expected == 4.0
        return
    np.testing.assert_allclose(actual.to_value("m"), expected.to_value("m"), rtol=1e-9)


def test_order_zero_counts() -> None:
    count = ops.norm(DimArray([0.0, 3.0, -1.0], "m"), 0)
    assert count == 2.0
    assert not isinstance(count, DimArray)


@pytest.mark.parametrize("name", ["vector_norm", "matrix_norm"])
def test_unknown_orders_are_named(name: str) -> None:
    with pytest.raises(UnitError, match=f"{name} has no order 'frob'"):
        ops.get(name).definition(np.eye(2), ord="frob")
    with pytest.raises(ValueError, match="order"):
        ops.get(name)(DimArray(np.eye(2), "m"), ord="frob")


@pytest.mark.parametrize(
    ("shape", "order", "axis"), [((2, 2, 2), 2, None), ((2, 2, 2), 2, (0, 1, 2))]
)
def test_norms_of_neither_vectors_nor_matrices(shape: Any, order: Any, axis: Any) -> None:
    with pytest.raises(ShapeMismatch, match="norm"):
        ops.norm.definition(np.ones(shape), order, axis)


@pytest.mark.parametrize("p", [None, 2, -2, 1, -1, inf, -inf, "fro", "nuc"])
def test_a_condition_is_pure(p: Any) -> None:
    x = drawn(1, 3, 3) + 3 * np.eye(3)
    result = ops.cond(DimArray(x, "km"), p)
    assert result.unit == Unit("")
    np.testing.assert_allclose(result.data, np.linalg.cond(x, p))
    np.testing.assert_allclose(ops.cond.definition(x, p), np.linalg.cond(x, p))


def test_a_rank_compares_with_a_tolerance_of_the_same_unit() -> None:
    x = DimArray(np.diag([5.0, 1.0, 0.01]), "km")
    assert ops.matrix_rank(x) == 3
    assert ops.matrix_rank(x, DimArray(20.0, "m")) == 2
    assert ops.matrix_rank(x, tol=DimArray(2.0, "km")) == 1
    assert ops.matrix_rank(x, rtol=0.5) == 1
    assert ops.matrix_rank(x, tol=0) == 3
    with pytest.raises(DimensionError, match="matrix_rank"):
        ops.matrix_rank(x, 0.5)
    with pytest.raises(DimensionError, match="matrix_rank"):
        ops.matrix_rank(x, DimArray(1.0, "s"))
