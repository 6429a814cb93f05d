"""One labelled state of the world, written in several units, and results compared across them."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from dimflow import DimArray, Unit
from dimflow.xarray.variables import label_unit, unit_of

VALUES = np.array([[1.5, 4.0, 2.25, 16.0], [8.0, 2.0, 31.0, 5.5], [3.0, 7.0, 6.0, 1.0]])
PLACES = np.array([0.5, 1.0, 2.0, 4.0])  # km
DEPTHS = np.array([10.0, 20.0, 35.0, 50.0])  # m
DAYS = pd.date_range("2001-01-30", periods=3, freq="D")
GAPS = np.array([[False, False, True, False], [False] * 4, [False, True, False, False]])
KINDS = {  # the unit of the data in two spellings
    "lengths": ("m", "mm"),
    "celsius": ("degC", "degF"),
    "levels": ("dBm", "dBW"),
}
COORDINATES = ("km", "m")


@dataclass(frozen=True)
class World:
    """The same data and coordinates: in units, in other units, or as plain numbers of the first."""

    unit: str
    spelled: str
    along: str
    plain: bool = False
    mixed: bool = True  # whether what stands beside is in the other units
    lazy: bool = False  # whether the data are Dask's

    def data(self, numbers: Any, unit: str | None = None) -> Any:
        """A quantity of the data, written as this world writes them."""
        found = DimArray(np.asarray(numbers, dtype=float), unit or self.unit)
        found = found.to(self.spelled) if unit is None else found
        return self.bare(found) if self.plain else found

    @staticmethod
    def bare(found: DimArray) -> Any:
        return found.data if found.ndim else found.data[()]

    def difference(self, number: float) -> Any:
        """A difference of the data."""
        found = DimArray(number, Unit(self.unit).delta)
        return number if self.plain else found

    def place(self, numbers: Any) -> Any:
        """Numbers of the coordinate x, in its own unit: as xarray's own methods take them."""
        return DimArray(np.asarray(numbers, dtype=float), "km").to_value(self.along)

    def place_with_unit(self, numbers: Any) -> Any:
        """Labels of the coordinate x as quantities, in a third unit."""
        if self.plain:
            return numbers
        return DimArray(np.asarray(numbers, dtype=float), "km").to("cm")

    def attrs(self, unit: str) -> dict[str, str]:
        return {} if self.plain else {"units": unit}

    def coords(self) -> dict[str, Any]:
        return {
            "time": DAYS,
            "x": ("x", self.place(PLACES), self.attrs(self.along)),
            "depth": ("x", self.data(DEPTHS, "m")),
            "band": ("x", [0, 1, 0, 1]),
        }

    def array(self, numbers: Any = VALUES, name: str = "a") -> xr.DataArray:
        dims = ("time", "x")
        found = xr.DataArray(self.data(numbers), dims=dims, coords=self.coords(), name=name)
        return found.chunk(time=2, x=4) if self.lazy else found

    @property
    def a(self) -> xr.DataArray:
        return self.array()

    @property
    def b(self) -> xr.DataArray:
        """Of other values."""
        return self.array(VALUES[::-1] + 0.5, "b")

    @property
    def gaps(self) -> xr.DataArray:
        """With NaNs."""
        return self.array(np.where(GAPS, np.nan, VALUES))

    @property
    def near(self) -> xr.DataArray:
        """Overlaps in part, in the other spelling of data and coordinates."""
        if self.plain or not self.mixed:
            return self.b.isel(x=[1, 2, 3])
        units = KINDS_OF[self.unit]
        spelled, along = units[self.spelled == units[0]], COORDINATES[self.along == "km"]
        return replace(self, spelled=spelled, along=along).b.isel(x=[1, 2, 3])

    @property
    def line(self) -> xr.DataArray:
        return self.a.isel(time=0, drop=True)

    @property
    def weights(self) -> xr.DataArray:
        return xr.DataArray([1.0, 2.0, 3.0, 4.0], dims="x", coords={"x": self.a.x})

    @property
    def near_weights(self) -> xr.DataArray:
        """On an index in the other unit."""
        return xr.DataArray([1.0, 2.0, 3.0], dims="x", coords={"x": self.near.x})

    @property
    def heavy(self) -> xr.DataArray:
        """With a unit of their own."""
        return self.weights.copy(data=self.data(self.weights.values, "kg"))

    def same(self, found: Any) -> Any:
        """The same with its index in the other unit."""
        return found if self.plain else found.dimflow.to(x=self.near.x.attrs["units"])

    @property
    def dataset(self) -> xr.Dataset:
        return xr.Dataset({"a": self.a, "b": self.b})


KINDS_OF = {spellings[0]: spellings for spellings in KINDS.values()}


def worlds(kind: str) -> tuple[World, World, World, World]:
    """In units, in others, and not mixed: in one unit, and as plain numbers."""
    first, second = KINDS[kind]
    here, there = COORDINATES
    return (
        World(first, first, here),
        World(first, second, there),
        World(first, first, here, mixed=False),
        World(first, first, here, plain=True),
    )


def parts(result: Any, path: str = "") -> dict[str, Any]:
    """A result as arrays by name, with units where they have one, and everything else as it is."""
    if isinstance(result, xr.DataArray):
        return {f"{path}.": _read(result.variable)} | _coordinates(result, path)
    if isinstance(result, xr.Dataset):
        data = {f"{path}.{name}": _read(v.variable) for name, v in result.items()}
        return data | _coordinates(result, path)
    if isinstance(result, xr.Variable):
        return {path: _read(result)}
    if isinstance(result, DimArray):
        return {path: DimArray(result.to_numpy(), result.unit)}
    if isinstance(result, dict):
        pairs = result.items()
    elif isinstance(result, (tuple, list)):
        pairs = enumerate(result)
    else:
        return {path: result}
    found: dict[str, Any] = {}
    for name, value in pairs:
        found |= parts(value, f"{path}/{name}")
    return found


def _coordinates(result: Any, path: str) -> dict[str, Any]:
    stacked = [n for n in result.xindexes if isinstance(result.indexes[n], pd.MultiIndex)]
    made = {f"{path}.{n}": _read(c.variable) for n, c in result.coords.items() if n not in stacked}
    return made | {f"{path}.{n}": list(result.indexes[n].names) for n in stacked}


def _read(variable: Any) -> Any:
    """The numbers of a variable with their unit: their own, or what the attributes say."""
    if unit_of(variable) is not None:
        assert "units" not in variable.attrs, "an attribute beside a unit"
        return variable.compute().data
    unit = label_unit(variable)
    values = variable.values
    if isinstance(values, np.ndarray) and values.size and isinstance(values.flat[0], pd.Interval):
        values = np.array([[each.left, each.right] for each in values.ravel()])
    return values if unit is None or values.dtype.kind not in "iuf" else DimArray(values, unit)


def assert_same_physics(left: Any, right: Any) -> None:
    """Two results in different units are the same."""
    here, there = parts(left), parts(right)
    assert here.keys() == there.keys()
    for name, one in here.items():
        other = there[name]
        if not isinstance(one, DimArray):
            assert not isinstance(other, DimArray), name
            _assert_equal(one, other, name)
            continue
        assert isinstance(other, DimArray), name
        other = other.to(one.unit)
        size = np.nanmax(np.abs(one.data), initial=1e-3)
        np.testing.assert_allclose(
            other.to_numpy(), one.to_numpy(), rtol=1e-9, atol=1e-11 * size, err_msg=name
        )


def assert_same_numbers(result: Any, plain: Any) -> None:
    """A result in units has the numbers of xarray's own for plain numbers."""
    here, there = parts(result), parts(plain)
    assert here.keys() == there.keys()
    for name, one in here.items():
        _assert_equal(one.to_numpy() if isinstance(one, DimArray) else one, there[name], name)


def _assert_equal(one: Any, other: Any, name: str) -> None:
    if isinstance(one, np.ndarray) and one.dtype.kind in "fc":
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-11, err_msg=name)
    elif isinstance(one, (np.ndarray, pd.Index)):
        np.testing.assert_array_equal(one, other, err_msg=name)
    else:
        assert one == other or (one != one and other != other), name
