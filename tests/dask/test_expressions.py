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
print("fine")
"""


def test_arithmetic_compute_and_tokens() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "DASK_ARRAY__QUERY_PLANNING": "True"},
    )
    assert done.stdout == "fine\n", done.stderr
