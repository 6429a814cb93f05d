"""How lazy arrays read: nothing is computed for it."""

from typing import Any

import dask.array as da
import numpy as np
import pytest
import xarray as xr

import dimflow.xarray  # noqa: F401 - so that xarray shows units
from dimflow import units as u
from dimflow.dask import DaskDimArray
from dimflow.errors import NoDataError
from dimflow.units import decode
from tests.dask.conftest import nothing_runs


@pytest.fixture
def x() -> DaskDimArray:
    return DaskDimArray(np.arange(12.0).reshape(3, 4), "km/h", chunks=(2, 2))


@pytest.mark.parametrize("written", [repr, str, format, "{}".format])
@pytest.mark.usefixtures("lazy")
def test_text(x: DaskDimArray, written: Any) -> None:
    expected = "DaskDimArray<array, shape=(3, 4), dtype=float64, chunksize=(2, 2), unit='km/h'>"
    assert written(x) == expected


@pytest.mark.usefixtures("lazy")
def test_a_layer_is_named_without_its_token(x: DaskDimArray) -> None:
    assert repr(x + x).startswith("DaskDimArray<add, ")
    assert repr(x.sum()).startswith("DaskDimArray<sum-aggregate, shape=(), ")


@pytest.mark.usefixtures("lazy")
def test_pure_numbers_have_no_unit_to_show() -> None:
    assert "unit" not in repr(DaskDimArray(da.ones(3)))


@pytest.mark.usefixtures("lazy")
def test_unknown_lengths(x: DaskDimArray) -> None:
    shown = repr(x[x > 3 * u.km / u.h])
    assert "shape=(nan,)" in shown
    assert "km/h" in shown
    assert "km/h" in x[x > 3 * u.km / u.h]._repr_html_()


@pytest.mark.usefixtures("lazy")
def test_a_format_needs_numbers(x: DaskDimArray) -> None:
    with pytest.raises(NoDataError) as caught:
        f"{x:.2f}"
    assert str(caught.value) == (
        "format(x, '.2f'): the value is not known of a lazy array\n"
        "  hint:  compute it first: f'{x.compute():.2f}'"
    )


def test_a_single_number_is_computed_for_its_format(x: DaskDimArray) -> None:
    assert f"{x.sum():.1f}" == "66.0 km/h"


@pytest.mark.usefixtures("lazy")
def test_html_is_dasks_with_the_unit(x: DaskDimArray) -> None:
    html = x._repr_html_()
    assert html.count("<table") == html.count("</table>")
    assert html.count("<tr>") == html.count("</tr>")
    assert "km/h" in html
    assert "<svg" in html
    assert "(2, 2)" in html


@pytest.mark.usefixtures("lazy")
def test_html_of_a_unit_is_escaped() -> None:
    unit = decode("dimflow.unit/1|1|<b>:<b>:2:L1:1")  # as it may come out of a file
    html = DaskDimArray(da.ones(3), unit)._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;" in html


@pytest.mark.usefixtures("lazy")
def test_xarray_shows_it(x: DaskDimArray) -> None:
    inline = x._repr_inline_(60)
    assert "km/h" in inline
    assert "(2, 2)" in inline
    assert len(x._repr_inline_(12)) == 12
    labelled = xr.DataArray(x, dims=("a", "b"))
    assert "km/h" in repr(labelled)
    assert "km/h" in labelled._repr_html_()
    assert "km/h" in repr(xr.Dataset({"speed": labelled}))


def test_units_are_noted_beside_the_layers(x: DaskDimArray) -> None:
    """Where Dask shows a layer's shape and dtype it shows its unit."""
    with nothing_runs():
        y = (x * (2 * u.h)).sum()
        html = y.dask._repr_html_()
    notes = {name: layer.collection_annotations or {} for name, layer in y.dask.layers.items()}
    assert notes[x.name]["unit"] == "km/h"
    assert notes[y.name]["unit"] == str(y.unit)
    assert "km/h" in html


def test_all_units_that_one_array_was_given_are_noted() -> None:
    raw = da.ones(3, chunks=3)
    DaskDimArray(raw, "m"), DaskDimArray(raw, "s"), DaskDimArray(raw, "m")
    assert raw.dask.layers[raw.name].collection_annotations["unit"] == "m | s"


def test_notes_change_no_name(x: DaskDimArray) -> None:
    raw = da.ones((4, 4), chunks=2)
    before = (raw + 1).name
    DaskDimArray(raw, "m")
    assert (raw + 1).name == before
