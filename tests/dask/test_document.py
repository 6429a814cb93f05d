"""The founding document for Dask: its names exist, and its examples run with the import changed.

Its second example, on a cluster, is in `cluster/`.
"""

import inspect
from typing import Any

import dask.array as da
import numpy as np
import pytest

from dimflow import DimArray, units
from dimflow.dask import DaskDimArray
from dimflow.errors import DimensionError, UnitConversionError
from tests.dask.conftest import nothing_runs

PROPERTIES = [
    "data",
    "unit",
    "dimension",
    "shape",
    "ndim",
    "size",
    "dtype",
    "chunks",
    "chunksize",
    "is_dimensionless",
    "magnitude",
]
CONSTRUCTORS = [
    "from_array",
    "from_delayed",
    "from_zarr",
    "zeros",
    "ones",
    "arange",
    "from_dimarray",
]
PROTOCOL = [
    "__dask_graph__",
    "__dask_keys__",
    "__dask_layers__",
    "__dask_scheduler__",
    "__dask_postcompute__",
    "__dask_postpersist__",
    "__dask_tokenize__",
    "__dask_optimize__",
    "compute",
    "persist",
    "optimize",
    "visualize",
]
METHODS = [
    "__add__",
    "__sub__",
    "__mul__",
    "__truediv__",
    "__pow__",
    "__neg__",
    "__abs__",
    "sqrt",
    "__eq__",
    "__lt__",
    "__le__",
    "__gt__",
    "__ge__",
    "sum",
    "mean",
    "std",
    "var",
    "min",
    "max",
    "reshape",
    "transpose",
    "flatten",
    "rechunk",
    "__getitem__",
    "__len__",
    "to",
    "to_base_units",
    "dot",
    "matmul",
    "__matmul__",
    "norm",
    "to_dimarray",
    "to_jax",
    "to_torch",
]


@pytest.mark.parametrize("name", PROPERTIES + CONSTRUCTORS + PROTOCOL + METHODS)
def test_every_name_of_the_document_exists(name: str) -> None:
    found = inspect.getattr_static(DaskDimArray, name)
    assert isinstance(found, property) is (name in PROPERTIES)
    assert isinstance(found, classmethod) is (name in CONSTRUCTORS)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("__init__", "data unit chunks"),
        ("from_array", "data unit chunks"),
        ("from_delayed", "unit shape dtype"),
        ("zeros", "shape unit chunks dtype"),
        ("ones", "shape unit chunks dtype"),
        ("arange", "start stop step unit chunks"),
        ("from_dimarray", "chunks"),
    ],
)
def test_constructors_take_what_the_document_says(name: str, parameters: str) -> None:
    signature = inspect.signature(getattr(DaskDimArray, name))
    given = [p for p in signature.parameters if p in parameters.split()]
    assert given == parameters.split()


def test_basic_usage() -> None:
    """As written, but for the size: 10000 x 10000 there."""
    count, block = 1000, 250
    data = np.random.default_rng(0).standard_normal((count, count))
    with nothing_runs():
        velocity = DaskDimArray(data, unit=units.m / units.s, chunks=(block, block))
        speed = (velocity**2).sum(axis=1).sqrt()
        time = DaskDimArray(np.ones((count, count)), unit=units.s, chunks=(block, block))
        distance = velocity * time
        with pytest.raises(DimensionError):
            velocity + time
    result = speed.compute()
    assert type(result) is DimArray
    assert str(result).endswith(" m/s")
    np.testing.assert_allclose(result.data, np.sqrt((data**2).sum(axis=1)))
    kept = speed.persist()
    assert type(kept) is DaskDimArray
    np.testing.assert_array_equal(kept.compute().data, result.data)
    assert distance.unit == units.m
    np.testing.assert_array_equal(distance.compute().data, data)


def test_ideal_gas() -> None:
    """n/V = P/(RT), with a constant that has a number and a unit."""
    temperature = DaskDimArray(np.array([273.15, 300.0]), units.K, chunks=1)
    pressure = DaskDimArray(np.array([101325.0, 1e5]), units.Pa, chunks=1)
    R = 8.314 * units.J / (units.mol * units.K)
    density = pressure / (R * temperature)
    result = density.compute().to("mol/m**3")
    expected = np.array([101325.0, 1e5]) / (8.314 * np.array([273.15, 300.0]))
    np.testing.assert_allclose(result.data, expected)


def test_risks_of_the_document() -> None:
    metres, kilometres = DaskDimArray([1.0, 2.0], "m"), DaskDimArray([3.0], "km")
    joined = np.concatenate([metres, kilometres])
    assert joined.compute().tolist() == [1.0, 2.0, 3000.0]
    assert str(joined.unit) == "m"
    with nothing_runs():
        with pytest.raises(DimensionError):
            np.concatenate([metres, DaskDimArray([1.0], "s")])
        with pytest.raises(UnitConversionError):
            metres.to("s")


@pytest.mark.parametrize(
    ("numbers", "chunks"),
    [(np.zeros((0, 3)), 2), (np.array(5.0), ()), (np.arange(6.0), 6), (np.arange(6.0), 1)],
    ids=["empty", "0-d", "one block", "tiny blocks"],
)
def test_edge_cases_of_the_document(numbers: Any, chunks: Any) -> None:
    x = DaskDimArray(numbers, "km", chunks=chunks)
    eager = DimArray(numbers, "km")
    for one, other in [
        (x + x, eager + eager),
        (x * 2, eager * 2),
        (x.to("m"), eager.to("m")),
        (x.sum(), eager.sum()),
        (eager + x, eager + eager),
        (x + eager, eager + eager),
        (numbers * x, numbers * eager),
        (da.asarray(numbers) * x, numbers * eager),
    ]:
        assert type(one) is DaskDimArray
        found = one.compute()
        assert found.unit == other.unit
        np.testing.assert_array_equal(found.data, other.data)


def test_round_trip_to_eager_arrays_and_back() -> None:
    eager = DimArray(np.arange(6.0).reshape(2, 3), "km/h")
    back = DaskDimArray.from_dimarray(eager, chunks=(1, 3)).to_dimarray()
    assert type(back) is DimArray
    assert str(back.unit) == "km/h"
    np.testing.assert_array_equal(back.data, eager.data)
