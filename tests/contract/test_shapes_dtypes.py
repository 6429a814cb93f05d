"""Shape, dtype and cost rules say what really comes out."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.errors import DimflowError
from dimflow.ops import Op
from tests.contract.evaluate import dtype_of, leaves, names, quietly, run
from tests.contract.samples import Case, all_cases, cases, parametrized, variants

DTYPES = (np.float64, np.float32, np.int64, np.bool_, np.complex128)


def several(op: Op, result: Any) -> list[Any]:
    """The rule's answer for each result."""
    return list(result) if op.outputs is not None or isinstance(result, list) else [result]


def shapes_of(op: Op, case: Case, shapes: Any) -> list[Any]:
    """What the shape rule says, one shape for each result."""
    assert op.shape is not None
    found = op.shape(shapes, case.params)
    if op.outputs is None and not _is_shape(found):
        return list(found)
    return several(op, found)


def _is_shape(found: Any) -> bool:
    return isinstance(found, tuple) and all(
        n is None or isinstance(n, (int, np.integer)) for n in found
    )


def dtypes_of(op: Op, given: Any, params: Any, count: int) -> list[Any]:
    """What the dtype rule says, one dtype for each result."""
    assert op.dtype is not None
    found = op.dtype(given, params)
    return list(found) if isinstance(found, (tuple, list)) else [found] * count


@parametrized("shape", names("shape"))
def test_the_shape_rule_tells_the_shape(name: str) -> None:
    op = ops.get(name)
    for case in all_cases(name):
        result = quietly(run, op, case.args, case.params)
        actual = [np.shape(leaf) for leaf in leaves(result)]
        told = [tuple(s) for s in shapes_of(op, case, case.shapes)]
        assert len(told) == len(actual), f"{case.label}: {told} for {actual}"
        for one, other in zip(told, actual, strict=True):
            assert _agrees(one, other), f"{case.label}: {told} told, {actual} found"


def _agrees(told: tuple[Any, ...], actual: tuple[int, ...]) -> bool:
    return len(told) == len(actual) and all(
        n is None or n == m for n, m in zip(told, actual, strict=True)
    )


@parametrized("unknown lengths", names("shape"))
def test_the_shape_rule_bears_unknown_lengths(name: str) -> None:
    op = ops.get(name)
    for case in cases(name):
        told = shapes_of(op, case, case.shapes)
        for i, shape in enumerate(case.shapes):
            for axis in range(len(shape or ())):
                blurred = (*shape[:axis], None, *shape[axis + 1 :])
                given = (*case.shapes[:i], blurred, *case.shapes[i + 1 :])
                try:
                    partly = shapes_of(op, case, given)
                except DimflowError:  # a length that the number of results depends on
                    continue
                assert len(partly) == len(told), case.label
                for known, full in zip(partly, told, strict=True):
                    assert _agrees(tuple(known), tuple(full)), f"{case.label}: {given} -> {partly}"


@parametrized("dtype", names("dtype"))
def test_the_dtype_rule_tells_the_dtype(name: str) -> None:
    op = ops.get(name)
    for case in cases(name):
        for variant in variants(case, DTYPES):
            try:
                result = quietly(run, op, variant.args, variant.params)
            except (TypeError, ValueError, OverflowError, np.linalg.LinAlgError):
                if variant.label.endswith("float64"):
                    raise
                continue
            actual = [dtype_of(leaf) for leaf in leaves(result)]
            given = tuple(None if a is None else _given(a) for a in variant.args)
            told = dtypes_of(op, given, variant.params, len(actual))
            assert [np.dtype(t) for t in told] == actual, f"{variant.label}: {told}, not {actual}"


def _given(value: Any) -> Any:
    return value.dtype if hasattr(value, "dtype") else type(value)


@parametrized("empty", names(kinds=("elementwise",)))
def test_empty_arrays_stay_empty(name: str) -> None:
    op = ops.get(name)
    case = cases(name)[0]
    empty = tuple(None if a is None else np.empty((0,), dtype_of(a)) for a in case.args)
    result = quietly(run, op, empty, case.params)
    assert all(leaf.shape == (0,) for leaf in leaves(result))


@parametrized("cost", names("cost", "shape"))
def test_the_cost_is_a_count(name: str) -> None:
    op = ops.get(name)
    for case in cases(name):
        result = quietly(run, op, case.args, case.params)
        results = tuple(np.shape(leaf) for leaf in leaves(result))
        assert op.cost is not None
        work = op.cost(case.shapes, results, case.params)
        for count in work:
            assert isinstance(count, (int, np.integer)), f"{work} for {case.label}"
            assert count >= 0
        touched = sum(np.size(a) for a in (*case.args, *leaves(result)) if a is not None)
        assert work.elements <= 4 * touched + 64, f"{work} for {touched} elements"
