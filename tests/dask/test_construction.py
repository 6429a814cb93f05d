"""DaskDimArray(data, unit, chunks): of anything, without computing, hashing or reading it."""

from typing import Any

import astropy.units
import dask
import dask.array as da
import jax.numpy as jnp
import numpy as np
import pandas as pd
import pint
import pytest
import torch
import unyt
import xarray as xr

import dimflow
import dimflow.pandas
import dimflow.xarray
from dimflow import DimArray, backends, constants
from dimflow import units as u
from dimflow.dask import DaskDimArray
from dimflow.errors import (
    BackendMismatch,
    BackendNotInstalled,
    DeviceMismatch,
    NotANumber,
    UnitConversionError,
    UnitError,
    UnitParseError,
)
from tests.dask.conftest import nothing_runs

NUMBERS = np.arange(6.0)
REGISTRY = pint.UnitRegistry()

BARE = {
    "NumPy": lambda: NUMBERS,
    "list": NUMBERS.tolist,
    "tuple": lambda: tuple(NUMBERS),
    "range": lambda: range(6),
    "Dask": lambda: da.from_array(NUMBERS, chunks=4),
    "PyTorch": lambda: torch.arange(6.0),
    "JAX": lambda: jnp.arange(6.0),
    "pandas": lambda: pd.Series(NUMBERS, index=NUMBERS[::-1]),
    "xarray": lambda: xr.DataArray(NUMBERS),
    "lazy xarray": lambda: xr.DataArray(da.from_array(NUMBERS, chunks=4)),
    "memory": lambda: memoryview(NUMBERS),
}
CARRYING_KM = {
    "NumPy": lambda: DimArray(NUMBERS, "km"),
    "lazy": lambda: DaskDimArray(NUMBERS, "km", chunks=4),
    "PyTorch": lambda: DimArray(torch.arange(6.0), "km"),
    "JAX": lambda: DimArray(jnp.arange(6.0), "km"),
    "list": lambda: [n * u.km for n in NUMBERS],
    "list of two units": lambda: [n * 1000 * u.m if n % 2 else n * u.km for n in NUMBERS],
    "pint": lambda: REGISTRY.Quantity(NUMBERS, "km"),
    "lazy pint": lambda: REGISTRY.Quantity(da.from_array(NUMBERS, chunks=4), "km"),
    "astropy": lambda: NUMBERS * astropy.units.km,
    "unyt": lambda: NUMBERS * unyt.km,
    "pandas": lambda: pd.Series(NUMBERS, dtype="dimflow[km]"),
    "xarray": lambda: xr.DataArray(DimArray(NUMBERS, "km")),
    "lazy xarray": lambda: xr.DataArray(DaskDimArray(NUMBERS, "km", chunks=4)),
}


@pytest.mark.parametrize("kind", BARE)
def test_bare_numbers_count_in_the_unit(kind: str) -> None:
    with nothing_runs():
        x = DaskDimArray(BARE[kind](), "m/s", chunks=2)
        pure = DaskDimArray(BARE[kind]())
    assert type(x) is DaskDimArray
    assert type(x.data) is da.Array
    assert type(x.data._meta) is np.ndarray
    assert x.chunks == ((2, 2, 2),)
    assert str(x.unit) == "m/s"
    assert str(pure.unit) == ""
    np.testing.assert_array_equal(x.compute().data, NUMBERS)


@pytest.mark.parametrize("kind", CARRYING_KM)
def test_quantities_are_converted(kind: str) -> None:
    with nothing_runs():
        x = DaskDimArray(CARRYING_KM[kind](), "m", chunks=2)
    assert x.chunks == ((2, 2, 2),)
    assert str(x.unit) == "m"
    np.testing.assert_allclose(x.compute().data, NUMBERS * 1000, rtol=1e-6)


@pytest.mark.parametrize("kind", CARRYING_KM)
def test_quantities_keep_their_unit_and_what_is_lazy_its_blocks(kind: str) -> None:
    data = CARRYING_KM[kind]()
    with nothing_runs():
        x = DaskDimArray(data)
    assert x.unit == (u.m if "two" in kind and data[0].unit == u.m else u.km)
    assert x.chunks == (((4, 2),) if "lazy" in kind else ((6,),))


@pytest.mark.parametrize("kind", CARRYING_KM)
def test_another_dimension_is_refused_before_anything_is_computed(kind: str) -> None:
    with nothing_runs(), pytest.raises(UnitConversionError, match="cannot convert km to s"):
        DaskDimArray(CARRYING_KM[kind](), "s", chunks=2)


def test_a_single_number_and_a_constant() -> None:
    assert DaskDimArray(3.0, "m").shape == ()
    assert DaskDimArray(3 * u.m, "cm").compute().item() == 300.0
    planck = DaskDimArray(constants.h)
    assert planck.unit == constants.h.unit
    assert planck.compute().item() == constants.h.value


class Spy:
    """Sliced like an array, and tells when it is read."""

    shape, ndim, dtype = (1000, 1000), 2, np.dtype(float)

    def __init__(self) -> None:
        self.read: list[Any] = []

    def __getitem__(self, key: Any) -> Any:
        self.read.append(key)
        return np.ones(self.shape)[key]


def test_what_is_sliced_like_an_array_is_read_when_it_is_computed() -> None:
    data = Spy()
    x = DaskDimArray(data, "m", chunks=500)
    assert all(np.ones(Spy.shape)[key].size == 0 for key in data.read)  # a look at the type
    before = len(data.read)
    assert x[0, 0].compute().item() == 1.0
    assert len(data.read) == before + 1


class Unhashable(np.ndarray):
    """An array whose bytes nobody may look at."""

    def __dask_tokenize__(self) -> Any:
        raise AssertionError("hashed")


def test_numbers_are_not_hashed_to_name_the_array() -> None:
    data = NUMBERS.view(Unhashable)
    one, other = DaskDimArray(data, "m", chunks=2), DaskDimArray(data, "m", chunks=2)
    assert one.name != other.name


@pytest.mark.parametrize(
    "data",
    [None, {"a": 1}, {1, 2}, object(), np.array([object()]), np.array(["a"]), [1, "a"]],
    ids=["None", "dict", "set", "object", "objects", "texts", "mixed list"],
)
def test_what_is_no_number_is_refused(data: Any) -> None:
    with pytest.raises(NotANumber, match="needs a number"):
        DaskDimArray(data, "m")


def test_a_string_is_a_quantity() -> None:
    assert DaskDimArray("3 km", "m").compute().tolist() == 3000.0
    with pytest.raises(UnitParseError, match="no number stands before the unit"):
        DaskDimArray("abc", "m")


def test_other_collections_are_refused_with_the_way_in() -> None:
    with pytest.raises(NotANumber, match="a DelayedLeaf of Dask") as caught:
        DaskDimArray(dask.delayed(NUMBERS), "m")
    assert "from_delayed" in str(caught.value)


def test_a_units_attribute_of_xarray_is_not_lost() -> None:
    labelled = xr.DataArray(da.from_array(NUMBERS), attrs={"units": "km"})
    with nothing_runs(), pytest.raises(UnitError, match="km"):
        DaskDimArray(labelled, "m")


def test_chunks_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="Chunks do not add up"):
        DaskDimArray(NUMBERS, "m", chunks=(2, 2))


def test_dtype_and_copy() -> None:
    x = DaskDimArray([1, 2], "m", dtype="float32")
    assert x.dtype == np.float32
    numbers = np.zeros(3)
    copied, shared = DaskDimArray(numbers, "m", copy=True), DaskDimArray(numbers, "m")
    numbers[0] = 1
    assert copied.compute().tolist() == [0.0, 0.0, 0.0]
    assert shared.shape == (3,)


def test_integers_stay_integers_until_they_are_converted() -> None:
    x = DaskDimArray(np.arange(3), "km")
    assert x.dtype.kind == "i"
    assert x.to("m").dtype.kind == "f"
    assert DaskDimArray(x, "m").dtype.kind == "f"


def test_tensors_as_blocks_are_refused() -> None:
    tensors = da.zeros(4, chunks=2).map_blocks(torch.as_tensor, meta=torch.empty(0))
    with pytest.raises(NotANumber, match=r"an array of torch\.float32"):
        DaskDimArray(tensors, "m")


def test_another_backend_or_device_is_refused() -> None:
    with pytest.raises(BackendMismatch):
        DaskDimArray(NUMBERS, "m", backend="torch")
    with pytest.raises(DeviceMismatch, match="cpu, cuda:0"):
        DaskDimArray(NUMBERS, "m", device="mps")


def test_blocks_on_a_gpu_are_those_of_cupy() -> None:
    if "cupy" in backends.available():
        assert DaskDimArray(NUMBERS, "m", device="cuda:0").device == "cuda:0"
        return
    with pytest.raises(BackendNotInstalled, match="cupy"):
        DaskDimArray(NUMBERS, "m", device="cuda:0")


def test_empty_arrays() -> None:
    assert DaskDimArray([], "m").compute().shape == (0,)
    assert DaskDimArray(np.zeros((0, 3)), "m", chunks=2).compute().shape == (0, 3)


def test_masked_arrays_keep_their_masks() -> None:
    x = DaskDimArray(np.ma.masked_greater(NUMBERS, 2), "km", chunks=2).to("m")
    found = x.data.compute()
    assert found.mask.tolist() == [False, False, False, True, True, True]
    assert found.sum() == 3000.0


# The other ways to a DaskDimArray


def test_a_dimarray_of_a_dask_array_is_one() -> None:
    raw = da.from_array(NUMBERS, chunks=2)
    for x in (DimArray(raw, "m"), raw * u.m, u.m * raw, dimflow.asarray(raw, "m")):
        assert type(x) is DaskDimArray
        assert x.unit == u.m
    assert type(DimArray(NUMBERS, "m", backend="dask")) is DaskDimArray
    assert type(DimArray(torch.arange(6.0), "m", backend="dask")) is DaskDimArray


@pytest.mark.parametrize("backend", ["numpy", "torch", "jax"])
def test_to_and_from_other_libraries(backend: str) -> None:
    eager = DimArray(np.arange(6, dtype="float32"), "km").to_backend(backend)
    lazy = eager.to_backend("dask")
    assert type(lazy) is DaskDimArray
    back = lazy.to_backend(backend)
    assert type(back) is type(eager)
    assert (back.backend, str(back.unit)) == (backend, "km")
    assert back.tolist() == eager.tolist()


def test_moves_under_the_names_of_the_libraries() -> None:
    x = DaskDimArray(NUMBERS, "km", chunks=2).to("m")
    for moved, backend in (
        (x.to_dimarray(), "numpy"),
        (x.to_torch(), "torch"),
        (x.to_jax(), "jax"),
        (x.to_torch(device="cpu", scheduler="threads"), "torch"),
    ):
        assert moved.backend == backend
        assert str(moved.unit) == "m"
        assert moved.tolist() == (NUMBERS * 1000).tolist()


@pytest.mark.parametrize(
    "make",
    [
        lambda: dimflow.zeros((3, 2), "m", backend="dask"),
        lambda: dimflow.ones((3, 2), "m", backend="dask"),
        lambda: dimflow.empty((3, 2), "m", backend="dask"),
        lambda: dimflow.full((3, 2), 7 * u.m, backend="dask"),
        lambda: dimflow.eye(3, 2, unit="m", backend="dask"),
    ],
    ids=["zeros", "ones", "empty", "full", "eye"],
)
def test_factories_make_lazy_arrays(make: Any) -> None:
    with nothing_runs():
        x = make()
    assert type(x) is DaskDimArray
    assert (x.shape, str(x.unit)) == ((3, 2), "m")
    assert x.compute().shape == (3, 2)


def test_ranges_are_lazy_too() -> None:
    with nothing_runs():
        steps = dimflow.arange(0 * u.m, 1 * u.km, 250 * u.m, backend="dask")
        points = dimflow.linspace(0 * u.m, 1 * u.km, 5, backend="dask")
    assert steps.compute().tolist() == [0.0, 250.0, 500.0, 750.0]
    assert points.compute().tolist() == [0.0, 250.0, 500.0, 750.0, 1000.0]


@pytest.mark.parametrize("unit", ["km/h", "degC", "3*m", "percent"])
def test_lazy_quantities_of_pint_and_back(unit: str) -> None:
    x = DaskDimArray(NUMBERS, unit, chunks=2)
    with nothing_runs():
        quantity = x.to_pint(REGISTRY)
        back = DaskDimArray(quantity, unit)
    assert type(quantity.magnitude) is da.Array
    assert back.chunks == x.chunks
    np.testing.assert_allclose(back.compute().data, NUMBERS)


def test_dasks_configuration_is_honoured() -> None:
    numbers = np.zeros(1000)
    with dask.config.set({"array.chunk-size": "1kiB"}):
        assert DaskDimArray(numbers, "m").chunks == da.from_array(numbers).chunks
        assert DaskDimArray(numbers, "m").npartitions > 1
        assert DaskDimArray(numbers, "m", chunks=-1).rechunk().npartitions > 1
    assert DaskDimArray(numbers, "m").npartitions == 1
