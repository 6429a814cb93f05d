"""Dask's other arrays, of expressions (opt-in and unfinished): the same programs do not break."""

import os
import subprocess
import sys

PROGRAM = """
import copy, pickle
import dask, dask.array as da, numpy as np
from dask.base import tokenize
from dimflow import DimArray, units as u
from dimflow.dask import DaskDimArray
from dimflow.errors import DimensionError, UnitLossError

assert da.Array.__module__ != "dask.array.core", "the setting has no effect"
NUMBERS = np.arange(12.0).reshape(3, 4)
x = DaskDimArray(NUMBERS, "m", chunks=(2, 2))
y = DaskDimArray(np.ones((3, 4)), "km", chunks=(2, 2))

def same(found, numbers, unit):
    assert type(found) is DimArray, type(found)
    assert str(found.unit) == unit, found.unit
    np.testing.assert_allclose(found.data, numbers)

same((x + y).compute(), NUMBERS + 1000, "m")
same((x + y).to("cm").to("km").compute(), NUMBERS / 1000 + 1, "km")
same((x * y).sum().compute(), 66.0, "m*km")
same(x.mean(axis=0).compute(), NUMBERS.mean(0), "m")
same(x[1:, ::2].compute(), NUMBERS[1:, ::2], "m")
same(np.sin(x / (1 * u.m)).compute(), np.sin(NUMBERS), "")
same(x.persist().compute(), NUMBERS, "m")
same(x.optimize().compute(), NUMBERS, "m")
same(x.compute(scheduler="threads"), NUMBERS, "m")
one, other = dask.compute(x, {"a": y})
same(one, NUMBERS, "m")
same(other["a"], np.ones((3, 4)), "km")
same(dask.delayed(lambda v: v * 2)(x).compute(), NUMBERS * 2, "m")
same(pickle.loads(pickle.dumps(x)).compute(), NUMBERS, "m")
assert tokenize(x) == tokenize(x) != tokenize(x * 2) != tokenize(y)
assert x.visualize().boxes == 1 and x.visualize(tasks=True).boxes == 4
assert x.rechunk((3, 2)).chunks == ((3,), (2, 2))
assert "unit='m'" in repr(x) and "m" in x._repr_html_()
for wrong, error in ((lambda: x + 1 * u.s, DimensionError), (lambda: np.asarray(x), UnitLossError)):
    try:
        wrong()
    except error:
        continue
    raise AssertionError(error)
print("arithmetic is fine")
"""

BLOCKS = """
from dimflow.dask import apply_gufunc, blockwise, reduction, stencil
from dimflow.errors import BlockMismatch

def total(block, axis=-1, keepdims=False):
    return block.sum(axis=axis, keepdims=keepdims)

same(x.map_blocks(lambda b: b**2).compute(), NUMBERS**2, "m**2")
same(blockwise(np.multiply, "ij", x, "ij", x, "ij").compute(), NUMBERS**2, "m**2")
same(reduction(x, total, total).compute(), NUMBERS.sum(), "m")
same(apply_gufunc(total, "(i)->()", x, allow_rechunk=True).compute(), NUMBERS.sum(axis=1), "m")
same(x.map_overlap(lambda b: b, depth=1, boundary="reflect").compute(), NUMBERS, "m")
same(stencil(x, [[1, 0, 0]], "periodic").compute(), np.roll(NUMBERS, 1, 1), "m")
try:
    x.map_blocks(lambda b: b if b.size < 2 else b * u.s).compute()
except BlockMismatch as error:
    assert len(error.block) == 2
    print("blocks are fine")
"""


def test_programs_of_all_kinds() -> None:
    """In one process, which Dask has to be told of before it is imported."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM + BLOCKS],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "DASK_ARRAY__QUERY_PLANNING": "True"},
    )
    said = [line for line in done.stdout.splitlines() if line.endswith("fine")]  # Dask prints too
    assert said == ["arithmetic is fine", "blocks are fine"], done.stderr
