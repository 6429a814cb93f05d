"""A law over every public name of xarray's classes: what it means does not depend on the units.

Each call is made in two worlds that differ in the units of data and coordinates alone, and on plain
numbers. The results in units are the same physics, with the numbers of the plain call, or both are
refused by an error of ours. A name that is classified nowhere fails.
"""

import re
from dataclasses import replace
from inspect import ismodule

import dask
import numpy as np
import pytest
import xarray as xr
from xarray.computation import rolling, rolling_exp
from xarray.computation import weighted as weights
from xarray.core import groupby, resample

from dimflow.errors import DimflowError, UnitLossError
from tests.xarray import calls
from tests.xarray.refused import REFUSED
from tests.xarray.worlds import KINDS, assert_same_numbers, assert_same_physics, worlds

CLASSES = {  # the calls of a class, its type, and the object of it in a world
    "DataArray": (calls.ARRAY, xr.DataArray, lambda w: w.a),
    "Dataset": (calls.DATASET, xr.Dataset, lambda w: w.dataset),
    "Variable": (calls.VARIABLE, xr.Variable, lambda w: w.a.variable),
    "Rolling": (calls.ROLLING, rolling.DataArrayRolling, lambda w: w.a),
    "Coarsen": (calls.COARSEN, rolling.DataArrayCoarsen, lambda w: w.a),
    "GroupBy": (calls.GROUPBY, groupby.DataArrayGroupBy, lambda w: w.a),
    "Resample": (calls.RESAMPLE, resample.DataArrayResample, lambda w: w.a),
    "Weighted": (calls.WEIGHTED, weights.DataArrayWeighted, lambda w: w.a),
    "RollingExp": (calls.ROLLING_EXP, rolling_exp.RollingExp, lambda w: w.a),
}
ALL = {
    **CLASSES,
    "xarray": (calls.FUNCTIONS, xr, lambda w: w.a),
    "operators": (calls.OPERATORS, None, lambda w: w.a),
}


def every_call():
    for kind, (table, _, _) in ALL.items():
        for name, found in table.items():
            for index, call in enumerate(found if isinstance(found, list) else [found]):
                yield f"{kind}.{name}" + (f".{index}" if index else ""), kind, call


CALLS = list(every_call())


@pytest.mark.parametrize("kind", CLASSES)
def test_every_public_name_is_classified(kind):
    table, found, _ = CLASSES[kind]
    names = {name for name in dir(found) if not name.startswith("_")} - {"dimflow"}
    known = table.keys() | calls.EXITS.keys() | calls.STRUCTURE | {"plot"}
    assert names - known == set()
    assert table.keys() - names == set()


def test_every_function_is_classified():
    # A submodule is a name of the package as soon as somebody imports it.
    public = {name for name in dir(xr) if not name.startswith("_")}
    names = {name for name in public if not ismodule(getattr(xr, name))}
    assert names - calls.FUNCTIONS.keys() - calls.NO_FUNCTIONS == set()


def outcome(call, found, world):
    """A result, or an error that is ours or for a package that xarray misses."""
    try:
        return call(found(world), world), None
    except (DimflowError, ImportError) as error:
        return None, error


@pytest.mark.share(3)
@pytest.mark.parametrize("data", KINDS)
@pytest.mark.parametrize(("key", "kind", "call"), CALLS, ids=[key for key, _, _ in CALLS])
def test_the_physics_do_not_depend_on_units(key, kind, call, data):
    found = ALL[kind][2]
    results, errors = zip(*(outcome(call, found, world) for world in worlds(data)), strict=True)
    *of_units, of_plain = errors
    if of_plain is not None:  # a package is not installed that xarray needs for it
        assert isinstance(of_plain, ImportError)
        assert all(isinstance(error, DimflowError | ImportError) for error in of_units)
        return
    refused = data in REFUSED.get(key, ())
    assert [isinstance(error, DimflowError) for error in of_units] == [refused] * 3, of_units
    if not refused:
        first, second, unmixed, plain = results
        assert_same_physics(first, second)
        assert_same_physics(first, unmixed)
        assert_same_numbers(unmixed, plain)


LAZY = [(key, kind, call) for key, kind, call in CALLS if kind not in ("Dataset", "Variable")]


@pytest.mark.share(3)
@pytest.mark.parametrize(("key", "kind", "call"), LAZY, ids=[key for key, _, _ in LAZY])
def test_lazy_data_are_as_those_in_memory(key, kind, call):
    """An error before anything is computed too, and no other but where xarray has none for Dask."""
    found = ALL[kind][2]
    memory, _, _, plain = worlds("celsius")
    with dask.config.set(scheduler="sync"):
        try:
            call(found(replace(plain, lazy=True)), replace(plain, lazy=True))
        except Exception:
            return
        result, error = outcome(call, found, replace(memory, lazy=True))
        assert (error is not None) == ("celsius" in REFUSED.get(key, ())), error
        if error is None:
            assert_same_physics(result, call(found(memory), memory))


OUT = [
    *((name, call, xr.DataArray) for name, call in calls.EXITS.items()),
    *((name, call, xr.Dataset) for name, call in calls.EXITS.items()),
    *((name, call, xr.DataArray) for name, call in calls.MORE_EXITS.items()),
]
OUT = [(n, c, k) for n, c, k in OUT if n in calls.MORE_EXITS or hasattr(k, n)]
OUT.remove(("values", calls.EXITS["values"], xr.Dataset))  # which are arrays, as of a dict


@pytest.mark.parametrize(
    ("name", "call", "kind"), OUT, ids=[f"{kind.__name__}.{name}" for name, _, kind in OUT]
)
def test_what_gives_numbers_away_names_a_call_that_works(name, call, kind):
    world = worlds("lengths")[0]
    x = world.a if kind is xr.DataArray else world.dataset
    with pytest.raises(UnitLossError) as caught:
        call(x)
    hinted = re.findall(r"x(?:\.\w+)*\.\w+\([^()]*\)", caught.value.hint)
    assert hinted, caught.value.hint
    for text in hinted:
        made = eval(text, {"x": x})
        if "to_value" in text:
            np.testing.assert_array_equal(made, x.data.data)
