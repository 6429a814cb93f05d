"""`.dimflow` of DataArray and Dataset: CF's attributes, labels with units, plain numbers inside."""

import subprocess
import sys

import numpy as np
import pytest
import xarray as xr

from dimflow import DimArray, Unit
from dimflow import units as u
from dimflow.errors import DimensionError, UnitError
from dimflow.pandas import DimDtype


def weather():
    return xr.Dataset(
        {
            "t": (("time", "x"), [[20.0, 21.0, 22.0], [18.0, 19.0, np.nan]], {"units": "degC"}),
            "v": (("time", "x"), np.arange(6.0).reshape(2, 3), {"units": "m s-1", "id": 7}),
            "p": ("x", [1, 2, 3], {"units": "hPa"}),
            "n": ("x", [1, 2, 3]),
            "since": ("x", [1.0, 2.0, 3.0], {"units": "days since 1970-01-01"}),
            "ratio": ("x", [1.0, 2.0, 3.0], {"units": "1"}),
            "note": ("x", ["a", "b", "c"], {"units": "m"}),
        },
        coords={
            "x": ("x", [0.0, 1.0, 2.0], {"units": "km"}),
            "time": np.array(["2020-01-01", "2020-01-02"], dtype="M8[ns]"),
            "h": ("x", [1.0, 2.0, 3.0], {"units": "m"}),
        },
        attrs={"title": "weather"},
    )


def test_quantify_reads_attributes():
    found = weather().dimflow.quantify()
    units = found.dimflow.units
    assert units == {
        **dict.fromkeys(("n", "since", "note", "x", "time")),
        "t": u.degC,
        "v": Unit("m/s"),
        "p": u.hPa,
        "ratio": Unit(""),
        "h": u.m,
    }
    assert found.v.attrs == {"id": 7}
    assert found.x.attrs == {"units": "km"}
    assert found.attrs == {"title": "weather"}
    assert found.since.attrs == weather().since.attrs
    assert weather().v.attrs == {"units": "m s-1", "id": 7}


def test_quantify_by_name():
    found = weather().dimflow.quantify({"n": "kg", "v": "km/h"}, p=None, x="m")
    assert found.dimflow.units["n"] == u.kg
    assert found.dimflow.units["v"] == Unit("km/h")
    assert found.dimflow.units["p"] is None
    assert found.x.attrs["units"] == "m"
    array = weather().v.dimflow.quantify("ft/s")
    assert array.data.unit == Unit("ft/s")
    unnamed = xr.DataArray([1.0, 2.0])
    assert unnamed.dimflow.quantify("m").dimflow.unit == u.m
    assert unnamed.dimflow.quantify().dimflow.unit is None


def test_an_index_of_its_own_name():
    coordinate = weather().x
    assert coordinate.dimflow.unit == u.km
    found = coordinate.dimflow.quantify()
    assert found.data.unit == coordinate.dimflow.quantities.unit == u.km
    assert found.indexes["x"].equals(coordinate.indexes["x"])
    assert found.h.data.unit == u.m


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("kg m-2 s-1", "kg/(m**2 s)"),
        ("W m^-2", "W/m**2"),
        ("degrees_north", "deg"),
        ("degree_C", "degC"),
        ("Celsius", "degC"),
        ("%", "percent"),
        ("1e-3", "0.001"),
        ("m2 s-2", "m**2/s**2"),
        ("hPa", "hPa"),
        ("K s-1", "K/s"),
    ],
)
def test_cf_spellings(text, unit):
    array = xr.DataArray([1.0], attrs={"units": text}).dimflow.quantify()
    assert array.dimflow.unit == Unit(unit)
    back = array.dimflow.dequantify()
    assert back.dimflow.quantify().dimflow.unit == Unit(unit)
    assert isinstance(back.attrs["units"], str)


def test_there_and_back():
    found = weather()
    back = found.dimflow.quantify().dimflow.dequantify()
    xr.testing.assert_identical(back.drop_attrs(), found.drop_attrs())
    assert back.v.attrs == found.v.attrs
    assert back.t.attrs["units"] == "degC"
    assert back.h.attrs == {"units": "m"}
    assert back.dimflow.quantify().dimflow.units == found.dimflow.quantify().dimflow.units


def test_styles():
    speed = xr.DataArray(DimArray([1.0], "m/s"))
    assert speed.dimflow.dequantify().attrs == {"units": "m s-1"}
    assert speed.dimflow.dequantify(format="plain").attrs == {"units": "m/s"}
    assert speed.dimflow.dequantify(format="latex").attrs["units"].startswith("\\")
    odd = xr.DataArray(DimArray([1.0], "m**(1/2)"))
    assert Unit(odd.dimflow.dequantify().attrs["units"]) == Unit("m**(1/2)")
    rise = xr.DataArray(DimArray([1.0], "delta_degF")).dimflow.dequantify()
    assert rise.dimflow.quantify().dimflow.unit == u.delta_degF


def test_netcdf_there_and_back(tmp_path):
    found = weather().drop_vars(["note", "since"]).dimflow.quantify()
    path = tmp_path / "weather.nc"
    found.dimflow.dequantify().to_netcdf(path, engine="scipy")
    with xr.open_dataset(path, engine="scipy") as stored:
        again = stored.load().dimflow.quantify()
    assert again.dimflow.units == found.dimflow.units
    for name in ("t", "v", "p"):
        np.testing.assert_array_equal(again[name].data.data, found[name].data.data)


def test_what_cannot_be_quantified():
    found = weather()
    with pytest.raises(UnitError, match="there is no variable 'zz'"):
        found.dimflow.quantify({"zz": "m"})
    with pytest.raises(UnitError, match="are in m/s already"):
        found.dimflow.quantify().dimflow.quantify({"v": "m"})
    with pytest.raises(UnitError, match="holds datetime64"):
        found.assign(d=("time", found.time.values)).dimflow.quantify({"d": "s"})
    wrong = found.assign(z=("x", [1.0, 2.0, 3.0], {"units": "frobs"}))
    with pytest.raises(UnitError, match="the unit of 'z' cannot be read: no unit is called"):
        wrong.dimflow.quantify()
    assert wrong.dimflow.quantify(z=None).dimflow.units["z"] is None
    clash = found.dimflow.quantify()
    clash.v.attrs["units"] = "kg"
    with pytest.raises(UnitError, match="its attributes say kg"):
        clash.dimflow.quantify()


def test_conversions():
    found = weather().dimflow.quantify()
    assert found.dimflow.to({"v": "km/h"}).v.data[0, 1] == DimArray(3.6, "km/h")
    assert found.v.dimflow.to("km/h").data.unit == Unit("km/h")
    moved = found.dimflow.to(x="m", t="K")
    assert moved.x.values.tolist() == [0.0, 1000.0, 2000.0]
    assert moved.x.attrs["units"] == "m"
    assert moved.sel(x=1000.0).t.data[0] == DimArray(294.15, "K")
    assert found.dimflow.to_base_units().p.data.unit == Unit("kg/(m s**2)")
    assert found.v.dimflow.dimension is Unit("m/s").dimension
    assert isinstance(found.v.dimflow.magnitude, np.ndarray)
    assert found.v.dimflow.quantities.unit == Unit("m/s")
    assert weather().n.dimflow.unit is weather().n.dimflow.dimension is None
    assert found.dimflow.drop_units().dimflow.units["v"] is None
    with pytest.raises(DimensionError):
        found.dimflow.to({"v": "kg"})
    with pytest.raises(UnitError, match="has no unit"):
        found.dimflow.to({"n": "kg"})
    with pytest.raises(UnitError, match="is an attribute"):
        weather().dimflow.to({"v": "km/h"})


def test_selection_by_quantities():
    found = weather().dimflow.quantify()
    for selected in (
        found.dimflow.sel(x=1000 * u.m),
        found.dimflow.sel({"x": DimArray(1100.0, "m")}, method="nearest"),
        found.dimflow.loc[{"x": 1 * u.km}],
    ):
        assert selected.v.data.tolist() == [1.0, 4.0]
    assert found.v.dimflow.sel(x=slice(500 * u.m, None)).sizes["x"] == 2
    assert found.v.dimflow.sel(x=[0 * u.m, 2000 * u.m]).x.values.tolist() == [0.0, 2.0]
    assert found.v.dimflow.sel(x=DimArray([0.0, 2000.0], "m")).sizes["x"] == 2
    assert found.v.dimflow.loc["2020-01-01", 1000 * u.m].data == DimArray(1.0, "m/s")
    places = xr.DataArray(DimArray([0.0, 1000.0], "m"), dims="k")
    assert found.v.dimflow.sel(x=places).dims == ("time", "k")
    assert found.v.dimflow.drop_sel(x=1000 * u.m).sizes["x"] == 2
    near = {"method": "nearest", "tolerance": 2 * u.m}
    assert found.v.dimflow.sel(x=[1001 * u.m], **near).sizes["x"] == 1
    with pytest.raises(KeyError):
        found.v.dimflow.sel(x=[1005 * u.m], **near)
    assert found.v.dimflow.reindex(x=DimArray([1000.0, 9000.0], "m")).data.unit == Unit("m/s")
    with pytest.raises(DimensionError):
        found.dimflow.sel(x=1 * u.s)
    with pytest.raises(UnitError, match="without a unit"):
        found.dimflow.sel(x=1.0)
    with pytest.raises(UnitError, match="has no unit"):
        weather().drop_attrs().dimflow.sel(x=1 * u.km)
    assert found.dimflow.sel(time="2020-01-01").v.dims == ("x",)


def test_interpolation_keeps_units():
    found = weather().drop_vars("note").dimflow.quantify()
    plain = weather().drop_vars("note")
    result = found.dimflow.interp(x=DimArray([500.0, 1500.0], "m"))
    np.testing.assert_allclose(result.v.data.data, plain.v.interp(x=[0.5, 1.5]).values)
    assert result.t.data.unit == u.degC
    assert result.h.data.unit == u.m
    like = found.v.dimflow.interp_like(found.v.isel(x=[0, 2]))
    assert like.data.unit == Unit("m/s")
    metres = found.v.isel(x=[0, 2]).dimflow.to(x="m")
    assert found.v.dimflow.interp_like(metres).x.values.tolist() == [0.0, 2.0]
    assert found.v.dimflow.reindex_like(metres).data.tolist() == [[0.0, 2.0], [3.0, 5.0]]
    gaps = found.v.copy(data=DimArray([[0.0, np.nan, 2.0]] * 2, "m/s"))
    assert gaps.dimflow.interpolate_na("x").data.tolist() == [[0.0, 1.0, 2.0]] * 2


def test_calculus_along_coordinates_has_their_units():
    found = weather().dimflow.quantify()
    slope = found.v.dimflow.differentiate("x")
    assert slope.data.unit == Unit("m/(s km)")
    np.testing.assert_allclose(slope.data.data, 1.0)
    assert found.v.dimflow.integrate("x").data.unit == Unit("m km/s")
    assert found.v.dimflow.differentiate("time").data.unit == Unit("m/s**2")
    np.testing.assert_allclose(found.v.dimflow.differentiate("time").data.data, 3 / 86400)
    whole = found[["v", "p"]].dimflow.differentiate("time")
    assert whole.p.data.unit == u.hPa
    assert whole.v.data.unit == Unit("m/s**2")


def test_tables_of_pandas():
    found = weather().dimflow.quantify()
    assert found.v.dimflow.to_series().dtype == DimDtype("m/s")
    frame = found[["v", "n"]].dimflow.to_dataframe()
    assert frame["v"].dtype == DimDtype("m/s")
    assert frame["h"].dtype == DimDtype("m")
    assert frame["n"].dtype == int


def test_plots_name_the_unit():
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    weather().dimflow.quantify().v.isel(time=0).dimflow.plot(ax=axes)
    assert "m/s" in axes.get_ylabel()
    assert "km" in axes.get_xlabel()


@pytest.mark.parametrize("order", ["xarray, dimflow.array", "dimflow.array, xarray"])
def test_it_is_there_by_itself(order):
    program = f"import {order}\nxarray.DataArray([1.0]).dimflow.quantify('m')"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


@pytest.mark.parametrize("dtype", ["int16", "uint8", "float32", None])
@pytest.mark.parametrize(
    ("unit", "target"), [("hPa", "Pa"), ("Pa", "hPa"), ("degC", "K"), ("m", "m")]
)
def test_packed_files_hold_the_same_after_a_conversion(tmp_path, dtype, unit, target):
    ranges = dict.fromkeys(("valid_min", "valid_max"), 250.0)
    packing = (
        {"scale_factor": 0.5, "add_offset": 100.0, "dtype": dtype, "_FillValue": 127}
        if dtype
        else {}
    )
    stored = xr.Dataset(
        {"p": ("x", np.array([100.0, 150.0, 200.0]), {"units": unit, **ranges})},
        coords={"x": ("x", [1.0, 2.0, 3.0], {"units": "km"})},
    )
    for name in ("p", "x"):
        stored[name].encoding.update(packing, zlib=True)
    stored.to_netcdf(tmp_path / "one.nc")
    with xr.open_dataset(tmp_path / "one.nc") as opened:
        known = opened.dimflow.quantify().load()
    for made in (known.dimflow.to(p=target, x="m"), known.dimflow.to_base_units()):
        made.dimflow.dequantify().to_netcdf(tmp_path / "two.nc")
        with xr.open_dataset(tmp_path / "two.nc") as opened:
            found = opened.dimflow.quantify().load()
        np.testing.assert_allclose(found.p.dimflow.to_value(unit), known.p.dimflow.to_value(unit))
        assert found.p.encoding["zlib"]
        if made.p.dimflow.unit.key is not Unit(unit).key:
            assert not set(ranges) & set(found.p.attrs)
    assert known.p.attrs == {"valid_min": 250.0, "valid_max": 250.0}


@pytest.mark.parametrize("packing", [{"scale_factor": 0.01}, {"add_offset": 20.0}])
@pytest.mark.parametrize("given", [None, "degC"])
def test_packed_numbers_have_no_unit_yet(packing, given):
    numbers = np.array([0, 100], dtype="int16")
    raw = xr.Dataset({"t": ("x", numbers, {"units": "degC", **packing})})
    asked = {} if given is None else {"t": given}
    with pytest.raises(UnitError, match="packed numbers") as caught:
        raw.dimflow.quantify(asked)
    assert "xr.decode_cf(x)" in caught.value.hint
    wanted = numbers * packing.get("scale_factor", 1.0) + packing.get("add_offset", 0.0)
    found = xr.decode_cf(raw).dimflow.quantify(asked)
    np.testing.assert_allclose(found.t.dimflow.to_value("degC"), wanted)
    assert raw.dimflow.quantify(t=None).t.dtype == "int16"


def test_integers_are_never_missing():
    whole = xr.DataArray(DimArray(np.array([1, 2, 3]), "km"), dims="x")
    fraction = whole.astype(float)
    for call in (
        lambda x: x.fillna(1500 * u.m),
        lambda x: x.rolling(x=2).mean(),
        lambda x: x.isnull() | x.notnull(),
        lambda x: x.count(),
    ):
        xr.testing.assert_equal(call(whole), call(fraction))
