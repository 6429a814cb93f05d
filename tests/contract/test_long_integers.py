"""A conversion keeps the digits of long integers: stamps of time in microseconds have 16.

The libraries are those that have double precision at hand. JAX has it with x64 alone, and MLX on
the CPU alone.
"""

from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from dimflow import DimArray, ops
from dimflow.array.interpreter import planned, separated
from dimflow.errors import DimflowError
from dimflow.ops import TABLE
from tests.contract.samples import cases
from tests.contract.whole_numbers import base_values, outcome, parts

LIBRARIES = ("torch", "array_api_strict", "dask")
# The first array of an operation and the others, by their first elements and units
WRITINGS = (
    ((1_700_000_000_123_456, "us"), (1_700_000_000, "s")),
    ((1_700_000_000, "s"), (1_700_000_000_123_456, "us")),
    ((100_000_001, "cm"), (1_000_000, "m")),
    ((16_777_217, "inch"), (16_777_217, "ft")),
    ((16_777_217, "degC"), (16_777_218, "K")),
)
NAMES = sorted(n for n in TABLE if not n.startswith(("random_", "sample_")))


def stamps(args: Any, writing: Any, library: str) -> tuple[Any, ...]:
    """Integers in the places of fractions."""
    made, count = [], 0
    for value in args:
        raw = np.asarray(value)
        if value is None or raw.dtype.kind != "f":
            made.append(value)
            continue
        number, unit = writing[min(count, 1)]
        counted = np.arange(raw.size).reshape(raw.shape)
        made.append(DimArray(number + counted, unit).to_backend(library))
        count += 1
    return tuple(made)


def converts(name: str, args: tuple[Any, ...], params: Any) -> bool:
    """Whether a conversion is a part of this operation."""
    op = ops.get(name)
    try:
        plan = op.unit and planned(op, *separated(args), dict(params))
        return plan is not None and plan.converters is not None
    except DimflowError:
        return False


@pytest.mark.parametrize("library", LIBRARIES)
def test_operations_on_long_integers_in_two_units(library: str) -> None:
    """They give what the same numbers give in double precision."""
    answered, lost = set(), []
    for name in NAMES:
        for case in cases(name)[:2]:
            for writing in WRITINGS:
                args = stamps(case.args, writing, library)
                if not converts(name, args, case.params):
                    continue
                run = lambda given: ops.get(name).run(tuple(given), deepcopy(case.params))  # noqa: E731, B023
                doubles = [
                    a.astype("float64", unit=str(a.unit)) if isinstance(a, DimArray) else a
                    for a in args
                ]
                found, wanted = outcome(lambda: run(args)), outcome(lambda: run(doubles))  # noqa: B023
                if isinstance(found, Exception) or isinstance(wanted, Exception):
                    continue
                for one, other in zip(parts(found), parts(wanted), strict=True):
                    mine, right = (outcome(lambda v=v: base_values(v)) for v in (one, other))
                    if not isinstance(right, np.ndarray):
                        continue
                    answered.add(name)
                    if not np.allclose(mine, right, rtol=1e-13, atol=0.0, equal_nan=True):
                        lost.append((name, writing))
    assert {"subtract", "equal", "less", "isin", "searchsorted", "concat", "interp"} <= answered
    assert not lost


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(
    ("source", "target"),
    [
        *(("m", "mm"), ("mm", "m"), ("inch", "ft"), ("degC", "K"), ("degF", "degC"), ("K", "degC")),
        *(("mW", "dBm"), ("W", "dBm")),
    ],
)
def test_conversions_of_integers(library: str, source: str, target: str) -> None:
    for dtype, least in (("int32", 2**30 + 1), ("int64", 2**52 + 1), ("int8", 100), ("int16", 9)):
        x = DimArray(np.array([least], dtype), source)
        wanted = x.to(target)
        for found in (x.to_backend(library).to(target), x.to_backend(library).to_value(target)):
            rtol = 1e-15 if dtype in ("int32", "int64") else 1e-6
            numbers = base_values(found.data if isinstance(found, DimArray) else found)
            np.testing.assert_allclose(numbers, wanted.data, rtol=rtol)
