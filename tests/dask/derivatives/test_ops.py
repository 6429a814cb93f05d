"""Reverse mode through every op of the table on lazy arrays: built without a task, in blocks."""

from typing import Any

import dask.array as da
import numpy as np
import pytest

from dimflow import autodiff, ops
from dimflow.errors import ComputationError
from dimflow.ops.rules.derivatives import Zero
from tests.contract.deviations import ARBITRARY, REFUSED_DERIVATIVES
from tests.contract.evaluate import is_inexact, leaves, names, quietly, run
from tests.contract.finite_differences import differentiable_places
from tests.contract.modes import back, drawn, program
from tests.contract.samples import Case, cases, generator
from tests.dask.conftest import nothing_runs

DIFFERENTIABLE = [
    name
    for name in names()
    if not isinstance(ops.get(name).derivative, Zero)
    and name not in REFUSED_DERIVATIVES
    and name not in ARBITRARY
    and not name.startswith("sample_")  # draws of other blocks are other numbers
    and name != "dropout"
]
# How long a result or a part of it is depends on the numbers, in some samples at least.
UNKNOWN = {
    *("bincount", "histogram", "histogram_bin_edges", "integer_sums", "lstsq", "trim_zeros"),
    *("index", "index_max", "index_min", "compress", "extract"),
    *("unique", "unique_all", "unique_counts", "unique_inverse", "unique_values"),
    *("union1d", "intersect1d", "setdiff1d", "setxor1d"),
}
USUAL = {"add", "concat", "cumulative_sum", "index", "matmul", "max", "mean", "multiply", "pad"}


def in_halves(value: Any) -> Any:
    """An array of floating point numbers in two blocks along each axis."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fc":
        return value
    return da.from_array(value, chunks=tuple(max(1, -(-n // 2)) for n in value.shape), name=False)


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n in USUAL else pytest.mark.deep) for n in DIFFERENTIABLE],
)
def test_cotangents_are_lazy_and_in_the_blocks_of_the_arguments(name: str) -> None:
    op = ops.get(name)
    for case in cases(name):
        places = [
            i
            for i in differentiable_places(op, case)
            if case.smooth and isinstance(case.args[i], np.ndarray)
        ]
        smooth = [k for k, v in enumerate(leaves(_value(op, case))) if is_inexact(v)]
        if places and smooth:
            quietly(_check, op, case, places, smooth)


def _value(op: Any, case: Case) -> Any:
    return quietly(run, op, case.args, case.params)


def _check(op: Any, case: Case, places: list[int], smooth: list[int]) -> None:
    lazy = [in_halves(value) for value in case.args]
    chosen = [lazy[i] for i in places]

    def function(*values: Any) -> tuple[Any, ...]:
        args = list(lazy)
        for i, value in zip(places, values, strict=True):
            args[i] = value
        found = leaves(run(op, args, case.params))
        return tuple(found[k] for k in smooth)

    eager = program(op, case, places)
    rng = generator(op, 3000)
    given = tuple(np.asarray(drawn(rng, leaf)) for leaf in eager.out)
    try:
        with nothing_runs():
            _, pull = autodiff.vjp(function, chosen)
            found = pull(tuple(map(in_halves, given)))
    except ComputationError:
        assert op.name in UNKNOWN, case.label
        return
    for got, wanted, argument in zip(found, back(eager, given), chosen, strict=True):
        assert got.chunks == argument.chunks, case.label
        numbers = got.compute()
        np.testing.assert_allclose(numbers, wanted, rtol=1e-6, atol=1e-9, err_msg=case.label)
