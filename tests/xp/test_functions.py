"""Every function that computes gives what array-api-strict gives: dtype, shape, value, error."""

import operator
from collections.abc import Callable
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dimflow import DimArray, xp
from dimflow.xp.forms import names
from tests.xp.agreement import DTYPES, agree, assert_same, attempt, dtypes, run
from tests.xp.recipes import NOT_UNIQUE, RECIPES, any_value, moderate, numbers

FEW = settings(max_examples=max(1, settings.default.max_examples // 12))

# The same functions of NumPy's run in both, but for these, which go another way to the same value.
LOOSE = {"reciprocal", "sign", "pow", "mean", "std", "var", "sum", "prod", "matmul", "vecdot"}
LOOSE |= {"tensordot", "cumulative_sum", "cumulative_prod"}


def tolerance(path: str) -> float:
    return 1e-4 if path in LOOSE or "." in path else 0.0


def test_every_function_has_a_recipe() -> None:
    everything = names("") | {f"{m}.{n}" for m in ("linalg", "fft") for n in names(m)}
    again = {"linalg.matmul", "linalg.matrix_transpose", "linalg.tensordot", "linalg.vecdot"}
    assert everything == RECIPES.keys() | NOT_UNIQUE | again
    for path in again:
        assert getattr(xp.linalg, path[7:]).__wrapped__.__name__ == path[7:]


@pytest.mark.parametrize("path", sorted(RECIPES))
@given(data=st.data())
@FEW
def test_it_agrees_with_array_api_strict(path: str, data: Any) -> None:
    args, kwargs = RECIPES[path](data.draw, path)
    agree(path, *args, rtol=tolerance(path), **kwargs)


@pytest.mark.parametrize("dtype", DTYPES)
@given(data=st.data())
@FEW
def test_unique_values(dtype: str, data: Any) -> None:
    shape = hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=4)
    numbers_ = numbers(data.draw, dtype, shape, any_value)
    x = xp.asarray(numbers_)
    found = xp.unique_all(x)
    assert found._fields == ("values", "indices", "inverse_indices", "counts")
    flat = numbers_.reshape(-1)
    np.testing.assert_array_equal(flat[found.indices.data], found.values.data)
    np.testing.assert_array_equal(found.values.data[found.inverse_indices.data], numbers_)
    assert int(xp.sum(found.counts)) == flat.size
    assert len({v for v in flat.tolist() if v == v}) + sum(v != v for v in flat.tolist()) == (
        found.values.size
    )
    np.testing.assert_array_equal(xp.unique_values(x).data, found.values.data)
    assert xp.unique_counts(x)._fields == ("values", "counts")
    assert xp.unique_inverse(x)._fields == ("values", "inverse_indices")
    assert {part.dtype for part in found[1:]} == {xp.int64}


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@given(data=st.data())
@FEW
def test_decompositions_put_the_matrix_together_again(dtype: str, data: Any) -> None:
    shape = hnp.array_shapes(min_dims=2, max_dims=3, min_side=1, max_side=3)
    x = xp.asarray(numbers(data.draw, dtype, shape))
    close = {"rtol": 1e-3, "atol": 1e-3}
    q, r = xp.linalg.qr(x)
    np.testing.assert_allclose((q @ r).data, x.data, **close)
    u, s, vh = xp.linalg.svd(x, full_matrices=False)
    np.testing.assert_allclose(((u * s[..., None, :]) @ vh).data, x.data, **close)
    h = x @ xp.conj(xp.matrix_transpose(x))
    values, vectors = xp.linalg.eigh(h)
    np.testing.assert_allclose(
        (h @ vectors).data, (vectors * values[..., None, :]).data, rtol=1e-2, atol=1e-2
    )
    roots, directions = xp.linalg.eig(h)
    np.testing.assert_allclose(
        (h @ directions).data, (directions * roots[..., None, :]).data, rtol=1e-2, atol=1e-2
    )
    assert roots.dtype == directions.dtype == xp.linalg.eigvals(h).dtype
    assert xp.isdtype(roots.dtype, "complex floating")
    assert xp.finfo(roots.dtype).bits == xp.finfo(x.dtype).bits
    for ours, wanted in (
        (xp.linalg.eig(h), ("eigenvalues", "eigenvectors")),
        (xp.linalg.qr(x), ("Q", "R")),
        (xp.linalg.svd(x), ("U", "S", "Vh")),
        (xp.linalg.eigh(h), ("eigenvalues", "eigenvectors")),
        (xp.linalg.slogdet(h), ("sign", "logabsdet")),
    ):
        assert ours._fields == wanted
    assert u.dtype == q.dtype == vectors.dtype == x.dtype
    assert s.dtype == values.dtype == xp.finfo(x.dtype).dtype


SCALARS = st.sampled_from([True, 0, 1, 2, 0.5, float("inf"), float("nan"), 1j, -0.0])
WITH_SCALARS = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "less",
    "equal",
    "maximum",
    "copysign",
    "pow",
]


@pytest.mark.parametrize("path", WITH_SCALARS)
@given(data=st.data())
@FEW
def test_a_number_takes_the_dtype_of_the_array_beside_it(path: str, data: Any) -> None:
    (dtype,) = data.draw(st.sampled_from([(d,) for d, e in dtypes(path, 2) if d == e]))
    x = numbers(data.draw, dtype, hnp.array_shapes(min_dims=0, max_dims=2), moderate)
    scalar = data.draw(SCALARS)
    for args in ((x, scalar), (scalar, x)):
        got, wanted = run(path, *args)
        if not isinstance(wanted, TypeError):  # not in the standard: an array of int8 beside 0.5
            assert_same(got, wanted, rtol=1e-5 if path == "pow" else 0.0)


IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    f"__i{name}__": getattr(operator, f"i{name}")
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")
} | {"__ilshift__": operator.ilshift, "__irshift__": operator.irshift}
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, name)
    for name in (
        *("__add__", "__sub__", "__mul__", "__truediv__", "__floordiv__", "__mod__", "__pow__"),
        *("__and__", "__or__", "__xor__", "__lshift__", "__rshift__"),
        *("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"),
    )
}


PLAIN = {*OPERATORS} - {"__add__", "__sub__", "__mul__", "__truediv__", "__floordiv__", "__mod__"}
PLAIN -= {"__pow__"}


@pytest.mark.parametrize("name", [*OPERATORS, *IN_PLACE])
@given(data=st.data())
@FEW
def test_operators_agree(name: str, data: Any) -> None:
    apply = {**OPERATORS, **IN_PLACE}[name]
    kinds = data.draw(
        st.sampled_from([("bool",), DTYPES[1:5], DTYPES[5:9], DTYPES[9:11], DTYPES[11:]])
    )
    shapes = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=2, max_side=3))
    arrays = [
        numbers(data.draw, data.draw(st.sampled_from(kinds)), shape)
        for shape in shapes.input_shapes
    ]
    wanted = attempt(lambda: apply(*[strict.asarray(a.copy()) for a in arrays]))
    if isinstance(wanted, (TypeError, ValueError)):
        return  # no such operator for the dtype, or the result does not fit in place
    got = attempt(lambda: apply(*[xp.asarray(a.copy()) for a in arrays]))
    if isinstance(got, DimArray):
        got = got.to_numpy("")
    else:
        assert name in PLAIN
    assert got.dtype == wanted._array.dtype
    np.testing.assert_allclose(got, wanted._array, rtol=1e-5)
