"""Elements, slices and masks keep the unit; assignment converts into it or raises."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dimflow import DimArray, Unit, units
from dimflow.errors import NotANumber, PointError, UnitError


@given(st.data())
def test_indexing_is_numpys(data: Any) -> None:
    raw = np.arange(24.0).reshape(2, 3, 4)
    x = DimArray(raw, "km")
    key = data.draw(hnp.basic_indices(raw.shape, allow_ellipsis=True, allow_newaxis=True))
    assert x[key].unit is x.unit
    np.testing.assert_array_equal(x[key].data, raw[key])
    if raw[key].size and isinstance(raw[key], np.ndarray) and raw[key].ndim:
        assert np.shares_memory(x[key].data, raw)


def test_masks_and_integer_arrays() -> None:
    x = DimArray([1.0, 2.0, 3.0], "m")
    assert x[x > 150 * units.cm].tolist() == [2.0, 3.0]
    assert x[[0, 2]].tolist() == [1.0, 3.0]
    assert x[np.array([2, 0])].tolist() == [3.0, 1.0]
    assert x[DimArray([0, 1])].tolist() == [1.0, 2.0]
    with pytest.raises(UnitError):
        x[DimArray([0], "m")]
    with pytest.raises(IndexError):
        x[7]


def test_iteration_gives_arrays_with_units() -> None:
    x = DimArray(np.arange(6.0, dtype=np.float32).reshape(2, 3), "m")
    rows = list(x)
    assert [row.tolist() for row in rows] == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert all(row.unit is x.unit and row.dtype == np.float32 for row in rows)
    assert [e.unit for e in x[0]] == [x.unit] * 3
    assert len(x) == 2
    with pytest.raises(TypeError):
        iter(DimArray(1.0, "m"))
    with pytest.raises(TypeError):
        len(DimArray(1.0, "m"))


def test_membership() -> None:
    x = DimArray([1.0, 2.0], "m")
    assert 200 * units.cm in x
    assert 3 * units.m not in x
    assert 1 * units.s not in x


def test_assignment_converts_into_the_unit() -> None:
    x = DimArray(np.zeros(3), "m")
    x[0] = 1 * units.km
    x[1:] = DimArray([5.0, 6.0], "cm")
    assert x.tolist() == [1000.0, 0.05, 0.06]
    x[x > 1 * units.m] = 0
    x[1] = np.nan
    x[2] = -np.inf
    np.testing.assert_array_equal(x.data, [0.0, np.nan, -np.inf])
    x.fill(2 * units.m)
    assert x.tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize(
    "value", [1 * units.s, 5, np.ones(3), [1, 2, 3], "a", None, {}, 20 * units.degC], ids=str
)
def test_a_wrong_assignment_changes_nothing(value: Any) -> None:
    x = DimArray(np.zeros(3), "m")
    with pytest.raises((UnitError, TypeError)):
        x[:] = value
    assert x.tolist() == [0.0, 0.0, 0.0]


def test_points() -> None:
    t = DimArray([20.0, 30.0], "degC")
    t[0] = 300 * units.K
    assert t[0].item() == pytest.approx(26.85)
    with pytest.raises(UnitError):
        t[0] = 5 * units.delta_degC
    with pytest.raises((PointError, UnitError)):
        t[0] = 0
    t[0] = np.nan


def test_fractions_are_not_cut_off() -> None:
    x = DimArray([1, 2], "m")
    with pytest.raises(NotANumber):
        x[0] = 1.5 * units.m
    with pytest.raises(NotANumber):
        x[0] = 1 * units.cm
    x[0] = 3 * units.m
    assert x.tolist() == [3, 2]


def test_read_only_data_stay_as_they_are() -> None:
    raw = np.ones(2)
    raw.flags.writeable = False
    x = DimArray(raw, "m")
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 2 * units.m
    with pytest.raises(ValueError, match="read-only"):
        x += 2 * units.m
    assert raw.tolist() == [1.0, 1.0]


def test_a_view_writes_into_the_array() -> None:
    x = DimArray(np.zeros(3), "m")
    view = x[1:]
    view += 1 * units.km
    view[0] = 5 * units.cm
    assert x.tolist() == [0.0, 0.05, 1000.0]
    assert view.unit is x.unit is Unit("m")
