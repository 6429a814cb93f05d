"""Where xarray takes plain numbers by itself, a unit must not get lost."""

import numpy as np
import pytest
import xarray as xr
from matplotlib import pyplot

from dimflow import DimArray
from dimflow.errors import UnitConversionError, UnitError, UnitLossError

DEPTHS = DimArray([1.0, 2.0], "m")
ARRAY = xr.DataArray([3.0, 4.0], dims="x", coords={"depth": ("x", DEPTHS)}, name="a")

LOSSY = {
    "an index of a new array": lambda: xr.DataArray([3.0, 4.0], dims="x", coords={"x": DEPTHS}),
    "an index of a dataset": lambda: xr.Dataset(coords={"x": DEPTHS}),
    "assign_coords": lambda: ARRAY.assign_coords(x=DEPTHS),
    "swap_dims": lambda: ARRAY.swap_dims(x="depth"),
    "set_index": lambda: ARRAY.set_index(x="depth"),
    "expand_dims": lambda: ARRAY.expand_dims(run=DEPTHS),
    "concat along it": lambda: xr.concat(
        [ARRAY, ARRAY], dim=xr.DataArray(DEPTHS, dims="run", name="run")
    ),
    "groupby": lambda: ARRAY.groupby("depth").mean(),
    "to_dict": lambda: ARRAY.depth.to_dict(),
    "to_numpy": lambda: ARRAY.depth.to_numpy(),
    "values": lambda: ARRAY.depth.values,
}


@pytest.fixture(autouse=True)
def _figures_closed():
    """The one that xarray opens before the plot is refused."""
    yield
    pyplot.close("all")


@pytest.mark.parametrize("name", LOSSY)
def test_no_index_dict_or_plot_loses_a_unit(name):
    with pytest.raises(UnitLossError, match="would lose the unit m"):
        LOSSY[name]()


def test_the_hint_works():
    made = ARRAY.assign_coords(x=("x", DEPTHS.to_value("m"), {"units": "m"}))
    assert made.dimflow.sel(x=DimArray(200.0, "cm")).item() == 4.0
    written = ARRAY.depth.dimflow.dequantify().to_dict()
    assert (written["data"], written["attrs"]) == ([1.0, 2.0], {"units": "m"})


def test_pure_numbers_are_their_values():
    percents = xr.DataArray([1.0, 2.0], dims="x", coords={"x": DimArray([50.0, 60.0], "%")})
    np.testing.assert_allclose(percents.x.values, [0.5, 0.6])


def test_the_tolerance_of_labels_that_are_points_is_a_difference():
    celsius = xr.DataArray([1.0, 2.0], dims="t", coords={"t": ("t", [1.0, 2.0], {"units": "degC"})})
    at = DimArray(274.5, "K")
    for wide in (DimArray(1.0, "K"), DimArray(1.0, "delta_degC"), DimArray(1.0, "delta_degF")):
        assert celsius.dimflow.sel(t=at, method="nearest", tolerance=wide).item() == 1.0
    with pytest.raises(KeyError):
        celsius.dimflow.sel(t=at, method="nearest", tolerance=DimArray(0.1, "K"))
    with pytest.raises(UnitConversionError):
        celsius.dimflow.sel(t=at, method="nearest", tolerance=DimArray(1.0, "degC"))
    with pytest.raises(UnitError, match="was asked for a number without a unit"):
        celsius.dimflow.sel(t=at, method="nearest", tolerance=1.0)
