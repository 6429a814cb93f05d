"""The array API standard alone: what a library that has nothing else runs of the table."""

from math import prod
from typing import Any

import array_api_strict
import numpy as np
import pytest

from dimflow import ops
from dimflow.backends import backend
from dimflow.errors import MissingRule
from dimflow.ops import Op
from dimflow.ops.standard.promotion import promoting_function
from tests.contract.deviations import PRIMITIVES, UP_TO_PHASE
from tests.contract.evaluate import assert_same, dtype_of, fresh, leaves, names, quietly, run
from tests.contract.samples import Case, all_cases, cast, parametrized

STRICT = backend("array_api_strict")
NAMED = [n for n in names() if promoting_function(ops.get(n), array_api_strict) is not None]


def on_library(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return array_api_strict.asarray(np.asarray(value))
    return value


def numbers(result: Any) -> list[Any]:
    """The leaves of a result as NumPy's arrays; each must be an array of the library."""
    found = leaves(result)
    assert all(STRICT.holds(type(leaf)) for leaf in found), [type(leaf) for leaf in found]
    return [STRICT.to_numpy(leaf) for leaf in found]


def with_arrays(name: str) -> list[Case]:
    return [c for c in all_cases(name) if any(isinstance(a, np.ndarray) for a in c.args)]


def compare(name: str, actual: Any, expected: Any, case: Case) -> None:
    got, wanted = numbers(actual), leaves(expected)
    assert [a.dtype for a in got] == [dtype_of(e) for e in wanted], case.label
    if name in UP_TO_PHASE:
        got, wanted = [np.abs(a) for a in got], [np.abs(e) for e in wanted]
    single = any(dtype_of(e) in (np.float32, np.complex64) for e in wanted)
    assert_same(got, wanted, rtol=2e-5 if single else 1e-11, what=case.label)


def called_by_name(op: Op, case: Case) -> Any:
    """The standard's function of the record's name, called as the op is, and nothing else."""
    function = STRICT.native(op)
    assert function is not None
    params = fresh(case.params)
    if params.get("dtype") is not None:
        params["dtype"] = STRICT.as_dtype(params["dtype"])
    return op.call(function, tuple(on_library(a) for a in case.args), params)


@parametrized("array API name", NAMED)
def test_the_function_of_that_name_called_as_the_op_is_gives_its_result(name: str) -> None:
    op = ops.get(name)
    for case in with_arrays(name):
        if any(isinstance(a, (list, tuple)) for a in case.args):
            continue
        expected = quietly(run, op, case.args, case.params)
        compare(name, quietly(called_by_name, op, case), expected, case)


@parametrized("standard", [n for n in names() if n not in PRIMITIVES])
def test_it_runs_on_a_library_that_has_the_standard_alone(name: str) -> None:
    op = ops.get(name)
    for case in with_arrays(name):
        try:
            actual = quietly(run, op, tuple(map(on_library, case.args)), case.params)
        except MissingRule as error:
            assert any(p in str(error) for p in PRIMITIVES), error  # noqa: PT017
            return
        compare(name, actual, quietly(run, op, case.args, case.params), case)


@parametrized("standard in single precision", names("definition", kinds=("elementwise",)))
def test_single_precision_stays_single(name: str) -> None:
    op = ops.get(name)
    for case in with_arrays(name):
        single = cast(case, np.float32)
        expected = quietly(run, op, single.args, single.params)
        actual = quietly(run, op, tuple(map(on_library, single.args)), single.params)
        compare(name, actual, expected, single)


# What a definition meets at the ends: nothing, one number, indices that repeat


def test_most_of_the_table_runs_without_a_kernel() -> None:
    kernels = [n for n in names() if STRICT.own_kernel(ops.get(n)) is not None]
    assert set(kernels) <= PRIMITIVES.keys() | {"index_set"}, kernels


@pytest.mark.parametrize("name", ["sum", "mean", "any", "cumulative_sum", "sort", "unique_values"])
def test_an_empty_array(name: str) -> None:
    empty = np.empty((0, 3))
    expected = np.asarray(quietly(ops.get(name), empty))
    actual = STRICT.to_numpy(quietly(ops.get(name), on_library(empty)))
    assert actual.shape == expected.shape
    assert actual.dtype == expected.dtype


@pytest.mark.parametrize("dtype", ["int64", "int32", "bool"])
@pytest.mark.parametrize("name", ["sum", "prod", "mean", "std", "max", "cumulative_sum", "sqrt"])
def test_integers_and_truth_values_give_numpys_dtype(name: str, dtype: str) -> None:
    x = np.array([[1, 0, 1], [1, 1, 0]]).astype(dtype)
    op = ops.get(name)
    params = {"axis": 1} if "axis" in op.signature.parameters else {}
    expected = np.asarray(op(x, **params))
    actual = STRICT.to_numpy(op(on_library(x), **params))
    np.testing.assert_allclose(actual, expected, rtol=1e-3 if expected.itemsize == 2 else 1e-15)
    assert actual.dtype == expected.dtype or expected.dtype == np.float16


@pytest.mark.parametrize("left", ["int64", "float32", "complex64", "bool"])
@pytest.mark.parametrize("right", ["float64", "int32", "complex128"])
@pytest.mark.parametrize("name", ["add", "multiply", "divide", "equal", "where", "concat"])
def test_kinds_of_numbers_meet_as_in_numpy(name: str, left: str, right: str) -> None:
    x, y = np.array([1, 0, 1]).astype(left), np.array([2, 0, 3]).astype(right)

    def call(x: Any, y: Any) -> Any:
        if name == "concat":
            return ops.concat([x, y])
        return ops.where(ops.equal(x, y), x, y) if name == "where" else ops.get(name)(x, y)

    expected = quietly(call, x, y)
    actual = STRICT.to_numpy(quietly(call, on_library(x), on_library(y)))
    np.testing.assert_allclose(actual, expected)
    assert actual.dtype == expected.dtype


@pytest.mark.parametrize("shape", [(5,), (3, 4), (2, 3, 4)])
@pytest.mark.parametrize("name", ["index_set", "index_add", "index_max", "index_min"])
def test_writing_by_reading_alone_is_numpys_writing(name: str, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng([len(name), *shape])
    for _ in range(20):
        x = rng.normal(size=shape)
        axis = int(rng.integers(len(shape)))
        places = rng.integers(-shape[axis], shape[axis], (3, 2))
        key = (slice(None),) * axis + ("index",)
        where = (slice(None),) * axis + (places,)
        values = rng.normal(size=x[where].shape)
        op = ops.get(name)
        assert op.definition is not None
        expected = op(x, values, places, key=key)
        actual = op.definition(x, values, places, key=key)
        np.testing.assert_allclose(actual, expected, rtol=1e-14, atol=1e-14)


def test_infinite_and_nan_stay_in_their_place() -> None:
    """A sum by differences of running sums would spread them."""
    x = np.array([np.inf, 1.0, np.nan, 2.0, 3.0])
    definition = ops.segment_sum.definition
    assert definition is not None
    found = definition(x, np.array([0, 1, 2, 1, 3]), num_segments=4)
    np.testing.assert_array_equal(found, [np.inf, 3.0, np.nan, 3.0])


@pytest.mark.parametrize(
    "method",
    [
        "inverted_cdf",
        "averaged_inverted_cdf",
        "closest_observation",
        "interpolated_inverted_cdf",
        "hazen",
        "weibull",
        "linear",
        "median_unbiased",
        "normal_unbiased",
        "lower",
        "higher",
        "midpoint",
        "nearest",
    ],
)
def test_quantiles_by_definition_are_numpys_by_every_method(method: str) -> None:
    rng = np.random.default_rng(3)
    for n in (1, 2, 3, 4, 5, 8, 11):
        x = rng.normal(size=(2, n))
        q = np.array([0.0, 0.1, 0.25, 1 / 3, 0.5, 0.625, 0.75, 1.0])
        definition = ops.quantile.definition
        assert definition is not None
        actual = definition(x, q, axis=1, method=method)
        expected = np.quantile(x, q, axis=1, method=method)  # type: ignore[call-overload]
        np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-13, err_msg=f"{n}")


@pytest.mark.parametrize("rule", ["auto", "doane", "fd", "rice", "scott", "sqrt", "sturges"])
def test_numbers_of_bins_by_definition_are_numpys(rule: str) -> None:
    x = np.random.default_rng(5).normal(size=200)
    definition = ops.spaced_edges.definition
    assert definition is not None
    np.testing.assert_allclose(
        definition(x, bins=rule), np.histogram_bin_edges(x, rule), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize(
    "subscripts", ["ij,jk", "ij,jk->ki", "ii->i", "iij->j", "ij,kl->", "...i,...i", "i,i,i->i"]
)
def test_einsum_by_definition_is_numpys(subscripts: str) -> None:
    rng = np.random.default_rng(7)
    terms = subscripts.split("->")[0].split(",")
    operands = [rng.normal(size=(3,) * len(t.replace("...", "xy"))) for t in terms]
    definition = ops.einsum.definition
    assert definition is not None
    expected = np.einsum(subscripts, *operands)
    np.testing.assert_allclose(definition(subscripts, *operands), expected, rtol=1e-12, atol=1e-12)
    assert prod(expected.shape) == expected.size


def any_key(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """A key as Python writes it: integers, slices of any kind, new axes, arrays and masks."""
    parts: list[Any] = []
    block = [(2,), (3, 1), ()][rng.integers(3)]
    for n in shape[: rng.integers(len(shape) + 1)]:
        choice = rng.integers(5)
        if choice == 0 and n:
            parts.append(int(rng.integers(-n, n)))
        elif choice == 1 and n:
            parts.append(rng.integers(-n, n, block))
        elif choice == 2:
            parts.append(rng.random(n) < 0.5 if block == (2,) and _fits(parts) else slice(None))
        else:
            ends = (None, *range(-n - 2, n + 3))
            start, stop = (ends[rng.integers(len(ends))] for _ in range(2))
            parts.append(slice(start, stop, [None, 1, 2, -1, -3][rng.integers(5)]))
        if rng.random() < 0.2:
            parts.append(None)
    if rng.random() < 0.3:
        parts.insert(int(rng.integers(len(parts) + 1)), ...)
    return tuple(parts)


def _fits(parts: list[Any]) -> bool:
    """Whether a mask may follow: beside index arrays its count would have to be theirs."""
    return not any(isinstance(p, np.ndarray) for p in parts)


@pytest.mark.parametrize("shape", [(4,), (3, 4), (2, 0, 3), (2, 3, 4, 2)])
def test_any_key_picks_what_numpy_picks(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(shape)
    x = rng.normal(size=shape)
    compared = 0
    for _ in range(300):
        key = any_key(rng, shape)
        try:
            expected = x[key]
        except IndexError:
            continue
        actual = ops.getitem(on_library(x), tuple(on_library(part) for part in key))
        found = STRICT.to_numpy(actual)
        assert found.shape == expected.shape, key
        np.testing.assert_array_equal(found, expected, err_msg=str(key))
        compared += 1
    assert compared > 200


@pytest.mark.parametrize("mask", [True, False])
def test_a_mask_of_no_axes_adds_one(mask: bool) -> None:
    x = np.arange(6.0).reshape(2, 3)
    for key in (mask, (slice(None), mask), (0, mask), (mask, [1])):
        expected = x[key]  # type: ignore[index]
        np.testing.assert_array_equal(STRICT.to_numpy(ops.getitem(on_library(x), key)), expected)


@pytest.mark.parametrize("name", ["at_set", "at_add", "at_max", "at_min"])
@pytest.mark.parametrize("shape", [(4,), (3, 4), (2, 3, 4)])
def test_any_key_writes_where_numpy_writes(shape: tuple[int, ...], name: str) -> None:
    rng = np.random.default_rng([*shape, len(name)])
    x = rng.normal(size=shape)
    for _ in range(60):
        key = any_key(rng, shape)
        try:
            values = rng.normal(size=x[key].shape)
        except IndexError:
            continue
        expected = ops.get(name)(x, key, values)
        on_strict = tuple(on_library(part) for part in key)
        actual = ops.get(name)(on_library(x), on_strict, on_library(values))
        np.testing.assert_allclose(STRICT.to_numpy(actual), expected, rtol=1e-14, atol=1e-14)
