"""What stands in the places of Dask's functions: as good as nothing, where there are no units."""

import importlib
import inspect
import json
import pickle
import subprocess
import sys
import timeit

import cloudpickle
import dask.array as da
import numpy as np
import pytest

from dimflow.array import DimArray
from dimflow.array.core import Core
from dimflow.dask import DaskDimArray
from dimflow.dask.host import patches
from dimflow.dask.host.functions import classified, dispatched, public_functions
from dimflow.errors import DimensionError, DimflowError, UnitLossError
from dimflow.units import Unit
from tests.dask.conftest import nothing_runs
from tests.dask.host.dask_recipes import HASTY
from tests.dask.host.dask_walk import ALL, Quantities, computed, function, leaves, powers

FUNCTIONS = public_functions()


def test_every_public_function_is_replaced_and_only_once():
    before = {name: function(name) for module in patches.MODULES for name in dispatched(module)}
    patches.install()
    for name, f in before.items():
        assert function(name) is f, name
        assert patches.original_of(f) is FUNCTIONS[name]
        assert patches.original_of(patches.original_of(f)) is None
    assert patches.original_of(da.sum) is not None
    assert len(before) > 360


def test_machinery_is_left_alone():
    for name in FUNCTIONS:
        if classified(name)[0] == "machinery":
            assert function(name) is FUNCTIONS[name]


@pytest.mark.parametrize("name", ["sum", "concatenate", "linalg.qr", "fft.fft", "ma.filled"])
def test_it_looks_like_the_function_that_it_replaces(name):
    ours, original = function(name), FUNCTIONS[name]
    assert ours.__doc__ == original.__doc__
    assert inspect.signature(ours) == inspect.signature(original)
    assert ours.__name__ == name.rpartition(".")[2]
    assert pickle.loads(pickle.dumps(ours)) is ours
    assert cloudpickle.loads(cloudpickle.dumps(ours)) is ours


@pytest.mark.parametrize("name", patches.METHODS)
def test_methods_of_plain_arrays_are_replaced_once(name):
    method = getattr(da.Array, name)
    patches.install()
    assert getattr(da.Array, name) is method
    assert patches.original_of(patches.original_of(method)) is None
    assert method.__doc__ == patches.original_of(method).__doc__


def test_functions_with_a_signature_that_dask_makes():
    """da.gufunc and da.as_gufunc: the object is Dask's own, and its call looks for units."""
    patches.install()
    assert patches.original_of(patches.original_of(da.gufunc.__call__)) is None

    @da.as_gufunc(signature="(i)->()", output_dtypes=float)
    def total(row):
        return row.sum(axis=-1)

    product = da.gufunc(lambda a, b: (a * b).sum(axis=-1), signature="(i),(i)->()")
    assert type(total) is type(product) is da.gufunc
    numbers = np.arange(6.0).reshape(2, 3)
    x = DaskDimArray(numbers, "m", chunks=(1, 3))
    with nothing_runs():
        summed, joined = total(x), product(x, DaskDimArray(numbers, "s", chunks=(1, 3)))
        with pytest.raises(DimflowError):
            da.gufunc(lambda a: a + DimArray(1.0, "s"), signature="()->()")(x)
    assert summed.unit == Unit("m")
    assert joined.unit == Unit("m*s")
    np.testing.assert_array_equal(summed.compute().data, numbers.sum(axis=1))
    np.testing.assert_array_equal(joined.compute().data, (numbers**2).sum(axis=1))
    assert type(total(x.data)) is da.Array
    rows = x.rechunk(1)
    np.testing.assert_array_equal(total(rows, allow_rechunk=True).compute().data, [3.0, 12.0])
    with pytest.raises(ValueError, match="allow_rechunk"):
        total(rows)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda a, b: da.block([a, b]), "block"),
        (lambda a, b: np.block([a, b]), "block"),
        (lambda a, b: np.select([np.ones(2, bool)], [a], b), "select"),
        (lambda a, b: da.ma.masked_greater(a, b[0].compute()), "ma.masked_greater"),
        (lambda a, b: da.ma.masked_inside(a, b[0].compute(), b[0].compute()), "ma.masked_inside"),
        (lambda a, b: da.ma.where(np.ones(2, bool), a, b), "ma.where"),
    ],
)
def test_an_error_names_the_function_that_was_called(call, name):
    with pytest.raises(DimensionError) as error:
        call(DaskDimArray(np.ones(2), "m"), DaskDimArray(np.ones(2), "s"))
    assert error.value.operation == name
    assert str(error.value).startswith(f"{name} needs arguments of one dimension")
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)


def test_plain_arrays_meet_lazy_ones_block_by_block():
    numbers = np.arange(12.0).reshape(3, 4)
    plain = da.from_array(numbers, chunks=(2, 2))
    lazy = DaskDimArray(numbers, "m", chunks=(2, 2))
    with nothing_runs():
        made = [
            plain.dot(lazy.T),
            plain.map_blocks(np.multiply, lazy),
            plain.map_blocks(np.multiply, lazy[0]),
            plain.map_blocks(lambda block, by: block * by, by=lazy.max()),
            plain.map_blocks(func=lambda block, by=None: block * by.max(), by=lazy),
        ]
    expected = [numbers @ numbers.T, numbers**2, numbers * numbers[0], numbers * 11, numbers * 11]
    for found, truth in zip(made, expected, strict=True):
        assert isinstance(found, DaskDimArray)
        assert found.unit == Unit("m")
        np.testing.assert_array_equal(found.compute().data, truth)
    assert type(plain.map_blocks(np.negative)) is type(plain.dot(plain.T)) is da.Array


def test_dasks_insides_keep_their_own():
    for module in ("core", "reductions", "routines", "creation", "rechunk", "reshape", "ufunc"):
        for value in vars(importlib.import_module(f"dask.array.{module}")).values():
            assert patches.original_of(value) is None


def test_plain_arrays_go_straight_to_dask():
    raw = da.ones((4, 4), chunks=2)
    for name in ("sum", "mean", "transpose", "ravel", "sqrt"):
        found, expected = function(name)(raw), FUNCTIONS[name](raw)
        assert type(found) is da.Array
        assert found.name == expected.name
        assert dict(found.dask).keys() == dict(expected.dask).keys()


def test_what_stands_before_costs_less_than_a_microsecond():
    """Against the same function without it; a graph costs 300 microseconds and more."""

    def nothing(*args, **kwargs):
        return None

    guarded = patches._dispatching(nothing, "sum")
    raw = da.ones(4)
    count = 20_000
    times = [
        min(timeit.repeat(lambda f=f: f(raw, 1, axis=0), number=count, repeat=7)) / count
        for f in (guarded, nothing)
    ]
    assert times[0] - times[1] < 2e-6  # 0.4 on a quiet machine


# They read the keys of blocks, or ask what they are given for its methods.
BLIND = ("coarsen", "linalg.lstsq", "linalg.lu", "linalg.solve_triangular", "linalg.tsqr")
BLIND += ("overlap.overlap_internal", "percentile", "rechunk", "reshape", "shuffle", "squeeze")


def early_names():
    for name in sorted(ALL):
        yield pytest.param(name, marks=() if name in BLIND else (pytest.mark.deep,), id=name)


@pytest.mark.parametrize("name", list(early_names()))
def test_a_function_that_was_imported_before_loses_no_unit(name):
    """It refuses, or asks the array and keeps the unit; it never gives bare numbers."""
    original = FUNCTIONS[name]
    try:
        results = leaves(ALL[name](original, Quantities("m"), Quantities("s")))
        numbers = [computed(result) for result in results]
    except (DimflowError, TypeError, AttributeError, ValueError, UserWarning):
        return
    _, found = powers(name)
    for result, power in zip(numbers, found, strict=True):
        if callable(result) or power is None:
            continue
        unit = result.unit if isinstance(result, Core) else Unit("")
        assert unit == Unit("m") ** power[0] * Unit("s") ** power[1]


def test_the_text_of_such_a_refusal(lazy):
    x = DaskDimArray(np.ones(4), "m", chunks=2)
    with pytest.raises(UnitLossError) as error:
        FUNCTIONS["rechunk"](x, 1)
    assert str(error.value) == (
        "a function of dask.array.rechunk, which does not know units, would lose the unit m\n"
        "  hint:  take the numbers in a unit of your choice: x.to_value('m')"
    )
    assert FUNCTIONS["rechunk"](DaskDimArray(np.ones(4), "", chunks=2), 1).numblocks == (4,)


def test_an_index_of_a_plain_array_has_no_unit():
    plain = da.arange(6, chunks=2)
    places = np.array([1, 2, 1])
    for unit in ("m", "s**2"):
        with pytest.raises(DimflowError):
            plain[DaskDimArray(places, unit)]
        with pytest.raises(DimflowError):
            plain[DimArray(places, unit)]
    np.testing.assert_array_equal(plain[DaskDimArray(places, "")].compute(), places)


def _written(target, value):
    target[:] = value
    return target


def test_a_plain_array_takes_no_unit_in():
    plain = da.ones(4, chunks=2)
    x = DaskDimArray(np.ones(4), "m", chunks=2)
    for value in (x, x[0], x.compute(), x[0].compute()):
        with pytest.raises(DimflowError):
            _written(plain.copy(), value).compute()


PROGRAM = """
import json, sys
import dimflow
import dask.array as da
from dask.array import sum, rechunk
said = {"alone": [da.sum.__module__, hasattr(da.sum, "_dimflow_original")]}

from dimflow.dask import DaskDimArray
from dimflow.dask.host.patches import original_of
x = DaskDimArray([1.0, 2.0], "m")
said["unit"] = str(da.sum(x).unit)
said["before"] = []
for f in (sum, lambda a: rechunk(a, 1)):
    try:
        f(x)
    except Exception as error:
        said["before"].append(type(error).__name__)

said["statistics"] = ["scipy.stats" in sys.modules]
import dask.array.stats as stats
said["statistics"].append(original_of(stats.ttest_ind) is not None)
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def said():
    """What a process of its own says, step by step."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=120
    )
    return json.loads(done.stdout)


def test_who_never_imports_us_has_dasks_own_functions(said):
    assert said["alone"] == ["dask.array.reductions", False]


def test_what_was_imported_before_refuses_units(said):
    """The names of `from dask.array import ...` stay Dask's own."""
    assert said["unit"] == "m"
    assert said["before"] == ["UnitLossError", "UnitLossError"]


def test_statistics_are_imported_by_nobody_else(said):
    """They bring all of scipy.stats, on every worker."""
    assert said["statistics"] == [False, True]


def test_nothing_of_the_walk_computes_early():
    hasty = [name for name in HASTY if name in ALL]
    assert len(hasty) == 3
    with nothing_runs():
        da.sum(Quantities("m")([1.0, 2.0]))
