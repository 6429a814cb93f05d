"""No function of Dask cuts fractions off in whatever unit: `dtype=`, `out=`."""

import operator
from typing import Any

import numpy as np
import pytest

from dimflow import DimArray
from dimflow.dask import DaskDimArray
from tests.contract.whole_numbers import assert_uncut, outcome, parts
from tests.dask.host.dask_recipes import PURE_RECIPES
from tests.dask.host.dask_walk import ALL, Quantities, function

RECIPES = {**ALL, **PURE_RECIPES}
HASTY = ("apply_along_axis", "apply_gufunc", "as_gufunc", "gufunc")  # their dtype is a promise


@pytest.mark.parametrize("name", sorted({*RECIPES} - {*HASTY}))
def test_functions_of_dask(name: str) -> None:
    f, recipe = function(name), RECIPES[name]
    makers = Quantities("km", 1.1), Quantities("min", 1.3)

    def usual() -> Any:
        return recipe(f, *makers)

    for dtype in ("int64", "bool"):

        def asked(*args: Any, dtype: Any = dtype, **kwargs: Any) -> Any:
            return f(*args, **{**kwargs, "dtype": dtype})

        assert_uncut(lambda: recipe(asked, *makers), usual, dtype)
    for part in parts(outcome(usual))[:1]:
        if isinstance(part, DimArray) and not part.is_dimensionless:
            numbers = np.zeros([0 if n != n else n for n in part.shape], int)
            target = DaskDimArray(numbers, part.unit)
            into = lambda *a, target=target, **k: f(*a, **{**k, "out": target})  # noqa: E731
            assert_uncut(lambda: recipe(into, *makers), usual, "out=")  # noqa: B023


@pytest.mark.parametrize("kind", ["int64", "uint8"])
@pytest.mark.parametrize("units", [("rad", ""), ("", "rad"), ("m", "rad*m"), ("sr", "rad")])
def test_whole_numbers_meet_by_a_factor_of_1_as_in_memory(units: Any, kind: str) -> None:
    values = np.array([1, 2, 3], kind)
    joins: list[Any] = [operator.add, operator.mod, np.maximum, np.append, operator.lt]
    for join in joins:
        eager = join(*[DimArray(values, unit) for unit in units])
        lazy = join(*[DaskDimArray(values, unit, chunks=2) for unit in units])
        assert (lazy.dtype, lazy.unit) == (eager.dtype, eager.unit)
        np.testing.assert_array_equal(lazy.compute().data, eager.data)
    angles = DaskDimArray(-values.astype(int), "rad", chunks=2)
    np.testing.assert_array_equal((2**angles).compute().data, [0.5, 0.25, 0.125])
