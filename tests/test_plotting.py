"""Matplotlib: axes say their unit, convert what is plotted, and refuse what does not fit."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import matplotlib.units
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from matplotlib.figure import Figure

from dimflow import DimArray, Unit, constants, plotting, units
from dimflow.errors import DimflowError, UnitConversionError, UnitLossError

KM = DimArray([1.0, 2.0, 3.0], "km")
S = DimArray([0.0, 60.0, 120.0], "s")
C = DimArray([20.0, 21.0, 25.0], "degC")


@pytest.fixture
def axes() -> Any:
    return Figure().add_subplot()


def draw(axes: Any) -> None:
    axes.figure.draw_without_rendering()


def labels(axes: Any) -> tuple[str, str]:
    draw(axes)
    return axes.get_xlabel(), axes.get_ylabel()


def heights(axes: Any) -> list[list[float]]:
    draw(axes)
    return [line.get_ydata(orig=False).tolist() for line in axes.lines]


class TestLines:
    def test_axes_say_their_units(self, axes: Any) -> None:
        axes.plot(S, DimArray([1.0, 2.0, 3.0], "m/s**2"))
        assert labels(axes) == ("s", "m/s²")

    def test_a_label_of_ones_own_stays(self, axes: Any) -> None:
        axes.set_xlabel("time")
        axes.plot(S, KM)
        assert labels(axes) == ("time", "km")

    def test_what_follows_is_converted(self, axes: Any) -> None:
        axes.plot(S, KM)
        axes.plot(S.to("min"), KM.to("m"))
        assert heights(axes) == [[1, 2, 3], [1, 2, 3]]
        assert axes.lines[1].get_xdata(orig=False).tolist() == [0, 60, 120]

    def test_integers(self, axes: Any) -> None:
        axes.plot(DimArray([1, 2], "km"))
        axes.plot(DimArray([1500, 2500], "m"))
        assert heights(axes) == [[1, 2], [1.5, 2.5]]

    def test_a_wrong_dimension_is_an_error(self, axes: Any) -> None:
        axes.plot(S, KM)
        with pytest.raises(matplotlib.units.ConversionError) as error:
            axes.plot(S, S)
        assert isinstance(error.value.__cause__, UnitConversionError)

    def test_pure_numbers_do_not_fit_an_axis_with_a_unit(self, axes: Any) -> None:
        axes.plot(S, KM)
        with pytest.raises(matplotlib.units.ConversionError):
            axes.plot(S, DimArray([1.0, 2.0, 3.0]))

    def test_numbers_without_a_unit_count_in_that_of_the_axis(self, axes: Any) -> None:
        axes.plot(S, KM)
        axes.plot([0, 60], [1.5, 2.5])
        assert heights(axes)[1] == [1.5, 2.5]

    def test_lists_of_quantities(self, axes: Any) -> None:
        axes.plot([1 * units.s, 2 * units.s], (1 * units.m, 2 * units.km))
        assert labels(axes) == ("s", "m")
        assert heights(axes) == [[1, 2000]]

    def test_several_lines_of_one_array(self, axes: Any) -> None:
        axes.plot(S, DimArray(np.arange(6.0).reshape(3, 2), "m"))
        assert heights(axes) == [[0, 2, 4], [1, 3, 5]]

    def test_nothing_and_nan(self, axes: Any) -> None:
        axes.plot(DimArray([], "s"), DimArray([], "m"))
        axes.plot(S, DimArray([np.nan, 1.0, np.inf], "m"))
        assert labels(axes) == ("s", "m")

    def test_temperatures(self, axes: Any) -> None:
        axes.plot(S, C)
        axes.plot(S, DimArray([293.15, 300.0, 310.0], "K"))
        assert labels(axes) == ("s", "°C")
        np.testing.assert_allclose(heights(axes)[1], [20, 26.85, 36.85])

    def test_levels(self, axes: Any) -> None:
        axes.plot(S, DimArray([0.0, 10.0, 20.0], "dBm"))
        axes.plot(S, DimArray([1.0, 10.0, 100.0], "mW"))
        np.testing.assert_allclose(heights(axes)[1], [0, 10, 20], atol=1e-12)

    def test_units_asked_for(self, axes: Any) -> None:
        axes.plot(S, KM, xunits="min", yunits=units.m)
        assert labels(axes) == ("min", "m")
        assert heights(axes) == [[1000, 2000, 3000]]

    def test_another_unit_for_an_axis(self, axes: Any) -> None:
        axes.plot(S, KM)
        axes.yaxis.set_units(units.m)
        assert labels(axes) == ("s", "m")
        assert heights(axes) == [[1000, 2000, 3000]]

    def test_new_data_for_a_line(self, axes: Any) -> None:
        (line,) = axes.plot(S, KM)
        line.set_data(S, KM.to("m") * 2)
        assert heights(axes) == [[2, 4, 6]]

    def test_logarithmic_axes(self, axes: Any) -> None:
        axes.loglog(S + 1 * units.s, KM)
        axes.set_ylim(100 * units.m, 10 * units.km)
        assert axes.get_ylim() == (0.1, 10)
        assert labels(axes) == ("s", "km")

    def test_two_scales(self, axes: Any) -> None:
        other = axes.twinx()
        axes.plot(S, KM)
        other.plot(S.to("min"), C)
        assert (axes.get_ylabel(), other.get_ylabel()) == ("km", "°C")
        assert other.lines[0].get_xdata(orig=False).tolist() == [0, 60, 120]

    @pytest.mark.parametrize("unit", ["deg", "rad", "turn"])
    @pytest.mark.parametrize("projection", ["polar", "mollweide", "hammer"])
    def test_angles_of_polar_plots_and_maps(self, projection: str, unit: str) -> None:
        axes: Any = Figure().add_subplot(projection=projection)
        angles = DimArray([0.0, 30.0], "deg").to(unit)
        axes.plot(angles, angles if projection != "polar" else DimArray([1.0, 2.0], "m"))
        np.testing.assert_allclose(axes.lines[0].get_xdata(orig=False), [0, np.pi / 6])
        draw(axes)


class TestOtherPlots:
    def test_scatter(self, axes: Any) -> None:
        axes.plot(S, KM)
        axes.scatter(S.to("min"), KM.to("m"))
        np.testing.assert_array_equal(
            axes.collections[0].get_offsets(), [[0, 1], [60, 2], [120, 3]]
        )

    def test_error_bars(self, axes: Any) -> None:
        axes.errorbar(S, KM, yerr=DimArray([100.0, 200.0, 300.0], "m"), xerr=1 * units.s, fmt="o")
        assert labels(axes) == ("s", "km")
        across, up = (lines.get_segments() for lines in axes.collections)
        np.testing.assert_allclose(up[1], [[60, 1.8], [60, 2.2]])
        np.testing.assert_allclose(across[1], [[59, 2], [61, 2]])

    @pytest.mark.parametrize("unit", ["K", "delta_degC"])
    def test_error_bars_of_points_are_differences(self, axes: Any, unit: str) -> None:
        axes.errorbar(S, C, DimArray(2.0, unit))
        np.testing.assert_allclose(axes.collections[0].get_segments()[0], [[0, 18], [0, 22]])

    def test_error_bars_that_do_not_fit(self, axes: Any) -> None:
        with pytest.raises(DimflowError):
            axes.errorbar(S, KM, yerr=1 * units.s)

    def test_error_bars_of_plain_numbers_are_as_ever(self, axes: Any) -> None:
        axes.errorbar([1, 2], [3, 4], [0.5, 0.5])
        np.testing.assert_allclose(axes.collections[0].get_segments()[0], [[1, 2.5], [1, 3.5]])

    def test_marks_and_limits(self, axes: Any) -> None:
        axes.plot(S, KM)
        axes.axhline(1500 * units.m)
        axes.axvline(1 * units.min)
        axes.axhspan(1 * units.km, 1100 * units.m)
        axes.text(1 * units.min, 2000 * units.m, "here")
        axes.annotate("there", (1 * units.min, 2 * units.km))
        axes.set_xlim(0 * units.min, 3 * units.min)
        axes.set_yticks(DimArray([0.0, 1000.0], "m"))
        assert heights(axes)[1] == [1.5, 1.5]
        assert axes.get_xlim() == (0, 180)
        assert axes.get_yticks().tolist() == [0, 1]
        with pytest.raises(matplotlib.units.ConversionError):
            axes.set_xlim(0 * units.m, 1 * units.m)

    def test_bars(self, axes: Any) -> None:
        bars = axes.bar(S, KM.to("m"), width=0.5 * units.min)
        assert [bar.get_height() for bar in bars] == [1000, 2000, 3000]
        assert [bar.get_width() for bar in bars] == [30, 30, 30]
        assert labels(axes) == ("s", "m")

    def test_areas(self, axes: Any) -> None:
        axes.fill_between(S, KM, 500 * units.m)
        assert axes.collections[0].get_paths()[0].vertices[:, 1].min() == 0.5
        assert labels(axes) == ("s", "km")

    def test_histograms(self, axes: Any) -> None:
        data = DimArray(np.arange(10.0), "m")
        counts, edges, _ = axes.hist(data, bins=3)
        np.testing.assert_array_equal(counts, np.histogram(data.data, 3)[0])
        np.testing.assert_array_equal(edges, np.histogram(data.data, 3)[1])
        assert labels(axes) == ("m", "")

    def test_histograms_of_several(self, axes: Any) -> None:
        data = DimArray(np.arange(10.0), "m")
        counts, edges, _ = axes.hist([data, data.to("km")], bins=DimArray([0.0, 0.5, 1.0], "dam"))
        assert edges.tolist() == [0, 5, 10]
        assert counts.tolist() == [[5, 5], [5, 5]]
        by_column, _, _ = axes.hist(DimArray(np.arange(10.0).reshape(5, 2), "m"), bins=2)
        assert len(by_column) == 2
        with pytest.raises(DimflowError):
            axes.hist(DimArray(np.ones((2, 2, 2)), "m"))

    @pytest.mark.parametrize("kind", ["boxplot", "violinplot"])
    def test_statistics(self, axes: Any, kind: str) -> None:
        getattr(axes, kind)([KM, KM.to("m")])
        assert labels(axes)[1] == "km"
        assert 0.5 < axes.get_ylim()[0] < axes.get_ylim()[1] < 3.5
        lying = Figure().add_subplot()
        getattr(lying, kind)(KM, orientation="horizontal")
        assert labels(lying)[0] == "km"

    def test_meshes_over_axes_with_units(self, axes: Any) -> None:
        axes.pcolormesh(S, KM, np.ones((3, 3)))
        axes.contour(S, KM.to("m"), np.arange(9.0).reshape(3, 3))
        assert labels(axes) == ("s", "km")


FORMS: list[Callable[[DimArray], Any]] = [
    lambda x: pd.Series(x, index=[3, 1, 2]),
    lambda x: xr.DataArray(x, dims="x"),
    list,
]
PLOTS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "plot": lambda a, x, y: a.plot(x, y),
    "scatter": lambda a, x, y: a.scatter(x, y),
    "bar": lambda a, x, y: a.bar(x, y),
    "fill_between": lambda a, x, y: a.fill_between(x, y),
    "vlines": lambda a, x, y: a.vlines(x, y, y),
    "errorbar": lambda a, x, y: a.errorbar(x, y, yerr=y),
    "hist": lambda a, x, y: a.hist(y),
    "boxplot": lambda a, x, y: a.boxplot(y),
    "violinplot": lambda a, x, y: a.violinplot([y, y]),
}


@pytest.mark.parametrize("name", PLOTS)
def test_columns_and_labelled_arrays_are_drawn_as_the_arrays_in_them(name: str) -> None:
    plain, wanted, *others = (Figure().add_subplot() for _ in range(2 + len(FORMS)))
    PLOTS[name](plain, S.data, KM.data)
    PLOTS[name](wanted, S, KM)
    assert labels(wanted) != ("", "")
    for form, found in zip(FORMS, others, strict=True):
        PLOTS[name](found, form(S), form(KM))
        assert labels(found) == labels(wanted)
        np.testing.assert_allclose(found.dataLim.get_points(), plain.dataLim.get_points())


def test_plain_labelled_arrays_are_drawn_as_ever(axes: Any) -> None:
    plain = xr.DataArray([1.0, 2.0], dims="x", coords={"x": ("x", [0.0, 1.0], {"units": "km"})})
    axes.plot(plain.x, plain.assign_attrs(units="m") * 1)
    axes.plot(plain.x, pd.Series([1.0, 2.0]))
    assert labels(axes) == ("", "")


SQUARE = DimArray(np.ones((3, 3)), "K")
LOSSES: dict[str, Callable[[Any], Any]] = {
    "imshow": lambda a: a.imshow(SQUARE),
    "pcolormesh": lambda a: a.pcolormesh(SQUARE),
    "contour": lambda a: a.contour(SQUARE),
    "weights": lambda a: a.hist(KM, weights=KM),
    "sizes": lambda a: a.scatter(S, KM, s=KM),
    "colours": lambda a: a.scatter(S, KM, c=KM),
    "arrows": lambda a: a.quiver(S, KM, KM, KM),
    "hexbin": lambda a: a.hexbin(S, KM),
    "pie": lambda a: a.pie(KM),
}


@pytest.mark.parametrize("way", LOSSES)
def test_where_no_axis_keeps_the_unit_it_is_not_lost_in_silence(axes: Any, way: str) -> None:
    with pytest.raises((UnitLossError, ValueError)):
        LOSSES[way](axes)


@pytest.mark.parametrize(
    ("unit", "text"),
    [("m/s", "speed [m/s]"), (Unit("km**2"), "speed [km²]"), (KM, "speed [km]"), ("", "speed")],
    ids=str,
)
def test_labels(unit: Any, text: str) -> None:
    assert plotting.label("speed", unit) == text


def test_plain_data_are_as_ever(axes: Any) -> None:
    axes.plot([1, 2], [3, 4])
    axes.hist([1, 2, 2], bins=2)
    axes.boxplot([[1, 2, 3], [2, 3, 4]])
    assert labels(axes) == ("", "")


FIGURE = "from matplotlib.figure import Figure\n"
ORDERS = {
    "dimflow first": "import dimflow; x = dimflow.DimArray([1., 2.], 'km')\n" + FIGURE,
    "matplotlib first": FIGURE + "import dimflow\n",
    "only units of matplotlib": "import matplotlib.units, dimflow\n" + FIGURE,
}


@pytest.mark.parametrize("order", ORDERS)
def test_nothing_has_to_be_called(order: str) -> None:
    code = f"""{ORDERS[order]}
import sys
axes = Figure().add_subplot()
axes.plot(dimflow.DimArray([1., 2.], 'km'))
axes.errorbar([1, 2], dimflow.DimArray([1000., 2000.], 'm'), dimflow.DimArray(1., 'm'))
dimflow.plotting.enable()
print(axes.get_ylabel(), axes.lines[-1].get_ydata(orig=False).tolist())
import matplotlib.units, inspect
loader = type(matplotlib.units.__spec__.loader).__module__
print(any(getattr(f, 'module', '') == 'matplotlib.units' for f in sys.meta_path), loader)
assert 'class Registry' in inspect.getsource(matplotlib.units)
"""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert run.stdout.split("\n")[:2] == [
        "km [1.0, 2.0]",
        "False _frozen_importlib_external",
    ], run.stderr


def test_a_matplotlib_that_works_otherwise_is_reported() -> None:
    with pytest.warns(UserWarning, match="this Matplotlib has no _unpack"):
        plotting._replace(object(), "_unpack", plotting._unpacked)


def test_arrays_do_not_import_matplotlib() -> None:
    code = "import sys, dimflow; dimflow.DimArray([1.]); sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_matplotlib_the_error_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import dimflow; dimflow.DimArray([1.])\n"
        "try: dimflow.plotting\n"
        "except ImportError as error: print(error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "dimflow.plotting needs Matplotlib\n  hint:  pip install 'dimflow[plot]'\n"


@pytest.mark.parametrize(
    "statement",
    [
        "import dimflow.array, dimflow.plotting",
        "import dimflow.plotting",
        "import matplotlib.units",
    ],
)
def test_either_may_be_imported_first(statement: str) -> None:
    code = (
        f"{statement}; from dimflow import DimArray; import matplotlib.units as registered; "
        "assert DimArray in registered.registry"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


@pytest.mark.parametrize("limit", [0 * units.degC, 2.0 * units.m, 1 * units.dBm], ids=str)
@pytest.mark.parametrize("method", ["imshow", "pcolormesh", "contourf", "scatter", "hexbin"])
def test_the_range_of_colours_takes_no_quantities(method: str, limit: Any) -> None:
    """Colours lie on no axis: their limits would be read in whatever unit they have."""
    axes = Figure().add_subplot()
    field = np.arange(9.0).reshape(3, 3)
    x = field.ravel()
    args = (x, x, None, x) if method == "scatter" else (x, x, x) if method == "hexbin" else (field,)
    for name in ("vmin", "vmax"):
        with pytest.raises(UnitLossError):
            getattr(axes, method)(*args, **{name: limit})
    drawn = getattr(axes, method)(*args, vmin=5 * units.mm / units.m, vmax=200 * units.percent)
    assert drawn.get_clim() == (0.005, 2.0)
    with pytest.raises(UnitLossError):
        drawn.set_clim(limit)


@pytest.mark.parametrize("make", [DimArray, pd.Series, xr.DataArray, list])
def test_colours_of_points_are_numbers(make: Any) -> None:
    axes = Figure().add_subplot()
    with pytest.raises(UnitLossError, match=r"scatter\(c=x\) would lose the unit m"):
        axes.scatter([1, 2], [1, 2], c=make([1.0, 2.0] * units.m))
    colours = axes.scatter([1, 2], [1, 2], c=make([10.0, 20.0] * units.percent)).get_array()
    assert colours.tolist() == [0.1, 0.2]


CONSTANTS: dict[str, Callable[..., Any]] = {
    "axhline": lambda a, c: a.axhline(c),
    "axvline": lambda a, c: a.axvline(c),
    "plot": lambda a, c: a.plot(1, c),
    "scatter": lambda a, c: a.scatter(1, c),
    "scatter of several": lambda a, c: a.scatter([1, 2], [c, c]),
    "errorbar": lambda a, c: a.errorbar(1, c, yerr=c / 10),
    "its error": lambda a, c: a.errorbar(1, 2 * c, yerr=c),
    "bar": lambda a, c: a.bar(1, c),
    "barh": lambda a, c: a.barh(1, c),
    "hlines": lambda a, c: a.hlines(c, 0, 1),
    "vlines": lambda a, c: a.vlines(c, 0, 1),
    "axhspan": lambda a, c: a.axhspan(c, 2 * c),
    "fill_between": lambda a, c: a.fill_between([1, 2], c, 2 * c),
    "limits": lambda a, c: a.set_ylim(0 * c, c),
    "hist": lambda a, c: a.hist([c, c]),
    "stem": lambda a, c: a.stem([1, 2], [c, c]),
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_a_constant_is_drawn_as_the_quantity_that_it_is(name: str) -> None:
    found, wanted = Figure().add_subplot(), Figure().add_subplot()
    CONSTANTS[name](found, constants.c)
    CONSTANTS[name](wanted, DimArray(constants.c))
    assert labels(found) == labels(wanted) != ("", "")
    assert (found.get_xlim(), found.get_ylim()) == (wanted.get_xlim(), wanted.get_ylim())


@pytest.mark.parametrize(
    ("unit", "error", "size"),
    [
        ("dBm", 1 * units.dB, 1.0),
        ("dBm", DimArray([1.0, 1.0], "dB"), 1.0),
        ("dB", 1 * units.dB, 1.0),
        ("dBV", 0.5 * units.Np, 0.5 * 20 / np.log(10)),
        ("degC", 1.8 * units.delta_degF, 1.0),
        ("degC", 1 * units.K, 1.0),
        ("m", 50 * units.cm, 0.5),
        ("mag", 0.5 * units.mag, 0.5),
    ],
)
@pytest.mark.parametrize("kind", ["errorbar", "bar", "barh", "lying"])
def test_the_ends_of_errors_are_differences(unit: str, error: Any, size: float, kind: str) -> None:
    axes = Figure().add_subplot()
    at, values = [1, 2], DimArray([10.0, 13.0], unit)
    if kind in ("barh", "lying"):
        call = axes.barh if kind == "barh" else lambda y, x, **o: axes.errorbar(x, y, **o)
        call(at, values, xerr=error)
        column = 0
    else:
        getattr(axes, kind)(at, values, yerr=error)
        column = 1
    (ends,) = (c.get_segments() for c in axes.collections if hasattr(c, "get_segments"))
    np.testing.assert_allclose(ends[0][:, column], [10.0 - size, 10.0 + size])
