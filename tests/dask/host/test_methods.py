"""A DaskDimArray has every method and property that Dask's arrays have, with units or refused."""

import inspect

import dask.array as da
import numpy as np
import pytest

from dimflow.array import DimArray
from dimflow.dask import DaskDimArray
from dimflow.errors import UnsupportedFunction
from dimflow.units import Unit
from tests.dask.conftest import nothing_runs

NUMBERS = np.array([[1.0, 4.0, 2.0, 7.0], [8.0, 3.0, 5.0, 0.5]])
x = DaskDimArray(NUMBERS, "m", chunks=2)
raw = da.from_array(NUMBERS, chunks=2)

PUBLIC = [name for name in dir(da.Array) if not name.startswith("_")]
# Parameters that mean something else here, or are taken under another name.
OTHERWISE = {
    "to_backend": "the library, by the name that all DimArrays take",
    "to_hdf5": "the file and the dataset",
    "to_zarr": "all of Dask's, and the unit",
    "to_dask_dataframe": "the names and units of columns",
    "store": "all of Dask's, and the unit",
    "astype": "the unit in which fractions are cut off",
}


@pytest.mark.parametrize("name", PUBLIC)
def test_it_is_there(name):
    assert hasattr(DaskDimArray, name)


@pytest.mark.parametrize("name", PUBLIC)
def test_it_takes_what_dasks_takes(name):
    theirs, ours = getattr(da.Array, name), getattr(DaskDimArray, name)
    if not callable(theirs) or name in OTHERWISE:
        return
    wanted = inspect.signature(theirs).parameters
    taken = inspect.signature(ours).parameters
    if any(p.kind is p.VAR_KEYWORD for p in taken.values()):
        return
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    missing = {key for key, p in wanted.items() if p.kind not in kinds} - set(taken)
    assert not missing


REDUCTIONS = {"sum": 1, "prod": 4, "mean": 1, "std": 1, "var": 2, "max": 1, "min": 1}


@pytest.mark.parametrize("name", sorted(REDUCTIONS))
@pytest.mark.parametrize("options", [{}, {"split_every": 2}, {"keepdims": True}], ids=str)
def test_reductions(name, options):
    with nothing_runs():
        found = getattr(x, name)(axis=1, **options)
    expected = getattr(raw, name)(axis=1, **options)
    assert found.unit == Unit("m") ** REDUCTIONS[name]
    np.testing.assert_allclose(found.compute().data, expected.compute())


@pytest.mark.parametrize("name", ["any", "all", "argmax", "argmin"])
@pytest.mark.parametrize("split_every", [None, 2])
def test_answers_are_plain(name, split_every):
    with nothing_runs():
        found = getattr(x, name)(axis=0, split_every=split_every)
    assert type(found) is (DaskDimArray if name in ("any", "all") else da.Array)
    expected = getattr(raw, name)(axis=0, split_every=split_every)
    np.testing.assert_array_equal(found.compute(), expected.compute())


@pytest.mark.parametrize("method", ["sequential", "blelloch"])
def test_running_sums(method):
    found = x.cumsum(axis=1, method=method)
    assert found.unit == Unit("m")
    np.testing.assert_allclose(found.compute().data, NUMBERS.cumsum(1))


def test_split_every_reaches_dask(lazy):
    long = DaskDimArray(np.ones(16), "m", chunks=1)
    narrow, wide = long.sum(split_every=2), long.sum(split_every=16)
    assert len(narrow.dask) > len(wide.dask)
    assert len(narrow.dask) == len(long.data.sum(split_every=2).dask)


def test_targets():
    target = DaskDimArray(np.zeros(2), "km")
    with nothing_runs():
        assert x.sum(axis=1, out=target) is target
    np.testing.assert_allclose(target.compute().to_value("m"), NUMBERS.sum(1))


def test_moments():
    found = x.moment(3, axis=1)
    assert found.unit == Unit("m**3")
    np.testing.assert_allclose(found.compute().data, raw.moment(3, axis=1).compute())
    celsius = DaskDimArray(NUMBERS, "degC", chunks=2)
    assert celsius.moment(2).unit == Unit("delta_degC**2")


def test_the_largest_and_the_smallest():
    with nothing_runs():
        largest, smallest = x.topk(2, axis=1), x.topk(-1, axis=0)
        where = x.argtopk(1, axis=1)
    np.testing.assert_array_equal(largest.compute().to_value("m"), [[7, 4], [8, 5]])
    np.testing.assert_array_equal(smallest.compute().to_value("m"), [[1, 3, 2, 0.5]])
    assert type(where) is da.Array
    assert where.compute().ravel().tolist() == [3, 0]


def test_choices(lazy):
    places = DaskDimArray(np.array([0, 1, 0, 1]), "")
    chosen = places.choose([x[0], x[1].to("cm")])
    assert chosen.unit == Unit("m")


def test_other_orders():
    moved = x.shuffle([[3, 1], [0, 2]], axis=1)
    np.testing.assert_array_equal(moved.compute().to_value("m"), NUMBERS[:, [3, 1, 0, 2]])
    assert x.A is x
    assert x.trace().compute().to_value("m") == 4


def test_shapes():
    split = x.reshape(2, 2, 2, merge_chunks=False)
    np.testing.assert_array_equal(split.compute().data, NUMBERS.reshape(2, 2, 2))
    assert x.reshape(-1).shape == x.reshape((8,)).shape == (8,)
    with pytest.raises(UnsupportedFunction, match="do not go together"):
        x.reshape(8, order="F", merge_chunks=False)


def test_what_is_refused(lazy):
    for call, text in ((lambda: x.view("int64"), "bits"), (lambda: x.to_tiledb("x"), "no unit")):
        with pytest.raises(UnsupportedFunction, match=text) as error:
            call()
        assert error.value.hint


def test_a_picture_of_the_blocks(lazy):
    assert x.to_svg() == raw.to_svg()


def test_lengths_that_only_the_data_know():
    """Blocks that are empty have no largest element, but the others have."""
    picked = x.ravel()[x.ravel() > DimArray(4.5, "m")]
    for name in ("max", "min", "sum", "mean"):
        expected = getattr(NUMBERS[NUMBERS > 4.5], name)()
        for found in (getattr(picked, name)(), getattr(da, name)(picked)):
            np.testing.assert_allclose(found.compute().to_value("m"), expected)
