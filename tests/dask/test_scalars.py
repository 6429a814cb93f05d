"""What makes plain numbers of a lazy array: as Dask, which computes, and never without the unit."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pytest

from dimflow import DimArray
from dimflow import units as u
from dimflow.dask import DaskDimArray
from dimflow.errors import DimflowError, PointError, UnitChoiceError, UnitLossError
from tests.dask.conftest import nothing_runs

NUMBERS = np.arange(1.0, 7.0).reshape(2, 3)


@pytest.fixture
def x() -> DaskDimArray:
    return DaskDimArray(NUMBERS, "km", chunks=(1, 2))


LOSING: dict[str, Callable[[Any], Any]] = {
    "float": lambda x: float(x[0, 0]),
    "int": lambda x: int(x[0, 0]),
    "complex": lambda x: complex(x[0, 0]),
    "index": lambda x: [1, 2][x[0, 0].astype(int, unit="km")],
    "np.asarray": np.asarray,
    "np.array": np.array,
    "DLPack": np.from_dlpack,
}


@pytest.mark.parametrize("name", LOSING)
def test_a_unit_is_not_lost_and_nothing_runs_to_find_out(x: DaskDimArray, name: str) -> None:
    with nothing_runs(), pytest.raises(UnitLossError, match="km"):
        LOSING[name](x)


@pytest.mark.parametrize("name", ["float", "int", "complex", "np.asarray", "np.array"])
def test_the_error_is_that_of_the_eager_array(x: DaskDimArray, name: str) -> None:
    texts = []
    for array in (x, DimArray(NUMBERS, "km")):
        with pytest.raises(DimflowError) as caught:
            LOSING[name](array)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]


def test_pure_numbers_are_computed(x: DaskDimArray) -> None:
    ratio = x / (1 * u.m)
    assert float(ratio[0, 1]) == 2000.0
    assert int(ratio[0, 1]) == 2000
    assert complex(ratio[0, 1]) == 2000 + 0j
    np.testing.assert_array_equal(np.asarray(ratio), NUMBERS * 1000)
    assert type(np.asarray(ratio)) is np.ndarray
    assert np.asarray(ratio, dtype="f4").dtype == np.float32


def test_many_elements_are_no_number(x: DaskDimArray) -> None:
    with nothing_runs():
        for convert in (float, int, complex):
            with pytest.raises(TypeError):
                convert(x / (1 * u.km))


def test_truth(x: DaskDimArray) -> None:
    assert bool(x[0, 0]) is True
    assert bool(x[0, 0] - 1 * u.km) is False
    assert bool((x > 0 * u.km).all())
    with nothing_runs():
        with pytest.raises(ValueError, match="ambiguous"):
            bool(x)
        with pytest.raises(PointError):
            bool(DaskDimArray([20.0], "degC")[0])


def test_length_and_iteration_are_lazy(x: DaskDimArray) -> None:
    with nothing_runs():
        assert len(x) == 2
        rows = list(x)
        first, second = x
        with pytest.raises(TypeError):
            len(x[0, 0])
        with pytest.raises(TypeError):
            iter(x[0, 0]).__next__()
    assert len(rows) == 2
    assert type(first) is DaskDimArray
    assert (str(second.unit), second.shape) == ("km", (3,))
    assert rows[1].compute().tolist() == [4.0, 5.0, 6.0]


def test_membership_converts(x: DaskDimArray) -> None:
    assert 3000 * u.m in x
    assert 3001 * u.m not in x
    assert 3 * u.s not in x


def test_numbers_in_the_arrays_unit(x: DaskDimArray) -> None:
    assert x[1, 2].item() == 6.0
    assert type(x[1, 2].item()) is float
    assert x.item(4) == 5.0
    assert x.tolist() == NUMBERS.tolist()
    np.testing.assert_array_equal(x.to_numpy("m"), NUMBERS * 1000)
    assert type(x.to_value("m")) is da.Array
    with pytest.raises(ValueError, match="size 1"):
        x.item()


def test_rounding_needs_a_unit_and_stays_lazy(x: DaskDimArray) -> None:
    with nothing_runs():
        with pytest.raises(UnitChoiceError):
            round(x)
        rounded = round(x / (4 * u.km), 1)
    assert type(rounded) is DaskDimArray
    assert rounded.compute().tolist() == np.round(NUMBERS / 4, 1).tolist()


def test_plain_python_forms(x: DaskDimArray, tmp_path: Path) -> None:
    """They hold the numbers, and come back as lazy arrays of the same kind."""
    x.save(tmp_path / "x.npz")
    for back in (
        DimArray.from_dict(x.to_dict()),
        DaskDimArray.from_dict(x.to_dict()),
        DimArray.load(tmp_path / "x.npz"),
    ):
        assert type(back) is DaskDimArray
        assert (back.tolist(), str(back.unit)) == (NUMBERS.tolist(), "km")


def test_pythons_own_functions(x: DaskDimArray) -> None:
    row = x[1]
    with nothing_runs():
        total, size = sum(row), abs(-row)
        whole, rest = divmod(row, 4 * u.km)
    assert total.compute().item() == 15.0
    assert size.compute().tolist() == [4.0, 5.0, 6.0]
    assert whole.compute().tolist() == [1.0, 1.0, 1.0]
    assert rest.compute().tolist() == [0.0, 1.0, 2.0]
    assert max(row).compute().item() == 6.0
    assert math.floor(row[1] / (2 * u.km)) == 2
