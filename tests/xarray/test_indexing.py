"""A law over indexing: every form that reads or writes does what it does with plain numbers."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch
import xarray as xr

from dimflow import DimArray
from dimflow import units as u
from dimflow.errors import UnitError, UnsupportedFunction

NUMBERS = np.arange(24.0).reshape(2, 3, 4)
PLACES = {"a": [0.0, 5.0], "b": [0.0, 10.0, 20.0], "c": [1.0, 2.0, 4.0, 8.0]}


def points(*positions, dims="point"):
    return xr.DataArray(np.array(positions), dims=dims)


KEYS = {
    "one": {"a": 0},
    "one of each": {"a": 1, "b": 2, "c": 3},
    "a slice": {"a": 1, "b": slice(1, None)},
    "backwards": {"c": slice(None, None, -1)},
    "nothing": {"b": []},
    "outer": {"b": [0, 2], "c": [1, 3]},
    "outer of other lengths": {"a": [1, 0], "b": [0, 2], "c": [1, 3, 2]},
    "outer around a slice": {"a": [0, 1], "b": slice(1, None), "c": [0, 3]},
    "outer beside one": {"a": 1, "b": [0, 2], "c": [1, 3]},
    "outer by a mask": {"b": np.array([True, False, True]), "c": [0, 1]},
    "points": {"b": points(0, 2), "c": points(1, 3)},
    "points around an axis": {"a": points(0, 1), "c": points(1, 3)},
    "points beside a list": {"a": points(0, 1), "b": [0, 2]},
    "points beside a slice": {"b": points(0, 2, 1), "c": slice(1, 3)},
    "points beside one": {"a": 1, "b": points(0, 2), "c": points(1, 3)},
    "points of two axes": {"b": points([0, 1], [2, 0], dims=("p", "q")), "c": points(1, 3)},
    "points along their own axis": {"b": points(2, 0, 1, dims="b"), "c": points(0, 1, 3, dims="b")},
    "no points": {"b": points(0, 2)[:0].astype(int), "c": points(1, 3)[:0].astype(int)},
    "an array of no axes": {"b": xr.DataArray(1), "c": points(0, 1)},
    "a labelled mask": {"b": points(True, False, True, dims="b")},
    "positions with a unit": {"b": xr.DataArray(DimArray([0, 2]), dims="point")},
}
LABELS = {  # those of the keys above that have labels, by positions
    name: {
        axis: key[axis].copy(data=np.array(PLACES[axis])[key[axis].values])
        if isinstance(key[axis], xr.DataArray)
        else np.array(PLACES[axis])[key[axis]]
        for axis in key
    }
    for name, key in KEYS.items()
    if not any(isinstance(k, slice) for k in key.values())
    and not {"mask", "unit"} & set(name.split())
}
CONTAINERS = {
    "DataArray": (lambda x: x, lambda x: x),
    "Dataset": (lambda x: x.to_dataset(name="x"), lambda found: found.x),
}
LIBRARIES = {
    "NumPy": np.array,
    "PyTorch": torch.tensor,
    "JAX": jnp.asarray,
    "Dask": None,
}


def array(library, unit):
    """The numbers in a library and a unit, or as xarray has them."""
    data = NUMBERS.copy()
    if unit is not None:
        data = DimArray((LIBRARIES[library] or np.array)(data), unit)
    coords = {axis: (axis, labels, {"units": "km"}) for axis, labels in PLACES.items()}
    found = xr.DataArray(data, dims=list("abc"), coords=coords)
    return found.chunk(a=1, b=2) if library == "Dask" else found


READING = {
    "isel": lambda x, key, _: x.isel(key),
    "[]": lambda x, key, _: x[key],
    "sel": lambda x, _, labels: x.sel(labels),
    "sel the nearest": lambda x, _, labels: x.sel(
        {name: label + 0.2 for name, label in labels.items()}, method="nearest"
    ),
    "loc": lambda x, _, labels: x.loc[labels],
}
CASES = [(way, name) for way in READING for name in (KEYS if way in ("isel", "[]") else LABELS)]


@pytest.mark.parametrize("kind", CONTAINERS)
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(("way", "name"), CASES)
def test_what_is_read_is_what_plain_numbers_give(way, name, library, kind):
    inside, part = CONTAINERS[kind]
    call = READING[way]
    key, labels = KEYS[name], LABELS.get(name)
    wanted = part(call(inside(array("NumPy", None)), key, labels))
    found = part(call(inside(array(library, "K")), key, labels))
    assert (found.dims, found.data.unit) == (wanted.dims, u.K)
    np.testing.assert_array_equal(found.data.to_numpy(), wanted.values)
    for axis in wanted.coords:
        np.testing.assert_array_equal(found.coords[axis], wanted.coords[axis])
    made = array(library, "K").data.data
    assert type(found.data.data) is type(made)


def by_positions(x, key, _, value):
    x[key] = value


def by_labels(x, _, labels, value):
    x.loc[labels] = value


WRITING = {"[]": by_positions, "loc": by_labels}
WRITES = [(way, name) for way in WRITING for name in (KEYS if way == "[]" else LABELS)]


@pytest.mark.parametrize("kind", CONTAINERS)
@pytest.mark.parametrize("library", ["NumPy", "PyTorch"])
@pytest.mark.parametrize(("way", "name"), WRITES)
def test_what_is_written_is_where_plain_numbers_are(way, name, library, kind):
    inside, _ = CONTAINERS[kind]
    call, key, labels = WRITING[way], KEYS[name], LABELS.get(name)
    shape = array("NumPy", None)[key]
    numbers = np.arange(100.0, 100.0 + shape.size).reshape(shape.shape)
    values = {  # of plain numbers, and in another unit
        "one": (7.0, DimArray(7e3, "mK")),
        "many": (shape.copy(data=numbers), shape.copy(data=DimArray(numbers * 1e3, "mK"))),
    }
    for plain, value in values.values():
        wanted, found = array("NumPy", None), array(library, "K")
        call(inside(wanted), key, labels, plain)
        call(inside(found), key, labels, value)
        np.testing.assert_array_equal(found.data.to_numpy(), wanted.values)


@pytest.mark.parametrize("name", KEYS)
def test_another_dimension_is_never_written(name):
    for value in (3.0, 3.0 * u.m):
        found = array("NumPy", "K")
        with pytest.raises(UnitError, match="takes values in K"):
            found[KEYS[name]] = value
        assert found.identical(array("NumPy", "K"))


def test_positions_that_were_computed():
    plain, found = array("NumPy", None), array("NumPy", "K")
    for x, largest in ((plain, plain.values[:, 2]), (found, DimArray(NUMBERS[:, 2], "K"))):
        for made in (x.isel(b=x.argmax("b")), x.to_dataset(name="x").isel(b=x.argmax("b")).x):
            assert (made.data == largest).all()
        assert (x.isel(x.argmax(...)).data == largest[1, 3]).all()
    stations = xr.DataArray(DimArray([2000.0, 8000.0], "m"), dims="station")
    assert found.sel(c=stations).equals(
        found.isel(c=points(1, 3, dims="station")).assign_coords(
            c=("station", [2.0, 8.0], {"units": "km"})
        )
    )
    near = found.dimflow.sel(b=stations, c=stations, method="nearest")
    assert near[0].data.tolist() == [1.0, 7.0]


def test_points_of_dask_do_not_compute_what_is_in_memory():
    lazy = points(0, 2).chunk()
    with pytest.raises(UnsupportedFunction, match="compute the positions"):
        array("NumPy", "K").isel(b=lazy, c=lazy)
