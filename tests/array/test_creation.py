"""DimArray(...) from anything array-like, and clear errors for anything else."""

import array as stdlib_array
from decimal import Decimal
from typing import Any

import astropy.units
import numpy as np
import pint
import pytest
import unyt

import dimflow
from dimflow import DimArray, Unit, constants, units
from dimflow.errors import (
    BackendNotInstalled,
    DimflowError,
    NotANumber,
    UnitConversionError,
    UnitError,
    UnitParseError,
)


def test_an_array_is_shared_and_not_copied() -> None:
    raw = np.arange(3.0)
    assert DimArray(raw, "m").data is raw
    assert not np.shares_memory(DimArray(raw, "m", copy=True).data, raw)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (5, 5),
        (2.5, 2.5),
        (1 + 2j, 1 + 2j),
        (True, True),
        ([1, 2], [1, 2]),
        ((1.0, 2.0), [1.0, 2.0]),
        ([[1, 2], [3, 4]], [[1, 2], [3, 4]]),
        (range(3), [0, 1, 2]),
        (np.float32(2), 2.0),
        (np.array(3), 3),
        (stdlib_array.array("d", [1.0, 2.0]), [1.0, 2.0]),
        (memoryview(np.arange(3.0)), [0.0, 1.0, 2.0]),
        ([], []),
    ],
    ids=lambda value: type(value).__name__,
)
def test_data_of_many_kinds(data: Any, expected: Any) -> None:
    made = DimArray(data, "m")
    assert isinstance(made.data, np.ndarray)
    assert made.tolist() == expected
    assert made.unit is Unit("m")


def test_the_unit_as_object_as_text_and_left_out() -> None:
    assert DimArray([1.0], units.km).unit is Unit("km")
    assert DimArray([1.0], "km/h").unit is Unit("km/h")
    assert DimArray([1.0]).is_dimensionless
    with pytest.raises(UnitParseError):
        DimArray([1.0], "no such unit")


@pytest.mark.parametrize("dtype", ["float32", np.float32, np.dtype("f4")])
def test_dtype_as_text_class_and_object(dtype: Any) -> None:
    assert DimArray([1, 2], "m", dtype=dtype).dtype == np.float32


def test_another_array_is_converted() -> None:
    x = DimArray([1.0, 2.0], "km")
    assert DimArray(x).unit is Unit("km")
    assert DimArray(x, "m").tolist() == [1000.0, 2000.0]
    with pytest.raises(UnitConversionError):
        DimArray(x, "s")


def test_lists_of_quantities_meet_in_the_first_unit() -> None:
    made = DimArray([1 * units.km, 500 * units.m, 0])
    assert made.unit is Unit("km")
    assert made.tolist() == [1.0, 0.5, 0.0]
    nested = DimArray([[1 * units.m, 2 * units.m], [DimArray(3, "cm"), float("nan")]], "cm")
    np.testing.assert_array_equal(nested.data, [[100, 200], [3, np.nan]])
    stacked = DimArray([DimArray([1.0, 2.0], "m"), DimArray([3.0, 4.0], "km")])
    assert stacked.tolist() == [[1.0, 2.0], [3000.0, 4000.0]]
    with pytest.raises(UnitError):
        DimArray([1 * units.m, 2])
    with pytest.raises(UnitConversionError):
        DimArray([1 * units.m, 2 * units.s])


@pytest.mark.parametrize("library", ["torch", "jax", "mlx", "dask", "array_api_strict"])
def test_lists_of_arrays_stay_with_their_library(library: str) -> None:
    one, two = (DimArray(np.float32(n)).to_backend(library).data for n in (1.0, 2.0))
    for values, expected in (
        ([one, two], [1.0, 2.0]),
        ((two, 3.0), [2.0, 3.0]),
        ([[one], [two]], [[1.0], [2.0]]),
        ([[one, 5], [two, one]], [[1.0, 5.0], [2.0, 1.0]]),
    ):
        for made in (DimArray(values, "m"), values * units.m):
            assert made.backend == library
            assert made.tolist() == expected
            assert str(made.unit) == "m"
        assert DimArray(values, "m", backend="numpy").backend == "numpy"


def test_a_constant_brings_its_unit() -> None:
    assert DimArray(constants.get("c")).unit == Unit("m/s")
    assert DimArray(constants.get("c"), "km/s").item() == 299792.458


def test_quantities_of_peers_bring_theirs() -> None:
    ureg: Any = pint.UnitRegistry()
    for peer in (
        ureg.Quantity(np.array([1.0, 2.0]), "km/h"),
        np.array([1.0, 2.0]) * astropy.units.Unit("km/h"),
        unyt.unyt_array([1.0, 2.0], "km/hr"),
    ):
        made = DimArray(peer)
        assert made.unit == Unit("km/h")
        assert made.tolist() == [1.0, 2.0]
        assert type(made.data) is np.ndarray


def test_products_with_units_are_arrays_of_their_own() -> None:
    raw = np.arange(3.0)
    for made in (raw * units.m, units.m * raw):
        assert isinstance(made, DimArray)
        made[0] = 7 * units.m
    assert raw[0] == 0
    assert (5 * units.m).shape == ()
    assert ([1, 2] * units.m).tolist() == [1, 2]
    assert (raw / units.s).unit == Unit("1/s")
    x = DimArray([1.0], "m")
    assert (x * units.s).unit == Unit("m s")
    assert (units.s * x).unit == Unit("m s")
    assert (x / units.s).unit == Unit("m/s")
    assert (20 * units.degC).unit is Unit("degC")


@pytest.mark.parametrize(
    "data",
    [
        b"5",
        None,
        {"a": 1},
        {1, 2},
        ["a", "b"],
        [1, "b"],
        [[1, 2], [3]],
        np.array([object()]),
        np.array(["2020-01-01"], dtype="datetime64[D]"),
        np.array(["a"]),
        [Decimal(1)],
        np.zeros(2, dtype=[("a", float)]),
        np.ma.masked_array([1.0, 2.0], [True, False]),
        object(),
        lambda: 1,
    ],
    ids=lambda data: type(data).__name__,
)
def test_what_holds_no_numbers_is_refused(data: Any) -> None:
    with pytest.raises(NotANumber):
        DimArray(data, "m")


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("3 m", 3, "m"),
        ("65 mile/hour", 65, "mile/hour"),
        ("-40°C", -40, "degC"),
        ("1.5e3km", 1500.0, "km"),
        ("6.02e23/mol", 6.02e23, "1/mol"),
        ("1/3 cup", 1 / 3, "cup"),
        ("6 ft 2 in", 74.0, "inch"),
        ("50 %", 50, "%"),
        ("inf K", np.inf, "K"),
        (" 3 ", 3, ""),
    ],
)
def test_a_string_holds_a_number_and_its_unit(text: str, number: float, unit: str) -> None:
    for made in (DimArray(text), dimflow.quantity(text), dimflow.asarray(text)):
        assert made.unit is Unit(unit)
        assert made.item() == number
        assert type(made.item()) is type(number)
    assert DimArray(text, unit) == DimArray(number, unit)


def test_the_unit_beside_a_string_is_what_it_is_converted_to() -> None:
    assert DimArray("3 km", "m").item() == 3000
    assert DimArray("3", "km").unit is Unit("km")
    with pytest.raises(UnitConversionError):
        DimArray("3 km", "s")


@pytest.mark.parametrize("text", ["", "m", "five m", "3 5 m", "1,500 m", "3 m 5", "1.0(2) m"])
def test_a_string_of_anything_else_is_refused(text: str) -> None:
    with pytest.raises(UnitParseError):
        DimArray(text)


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_a_matrix_is_refused_since_its_products_are_others() -> None:
    with pytest.raises(NotANumber, match="matrix"):
        DimArray(np.matrix([[1.0]]), "m")


def test_libraries_and_devices_that_do_not_exist() -> None:
    with pytest.raises(BackendNotInstalled, match="dimflow knows"):
        DimArray([1.0], "m", backend="nonsense")
    with pytest.raises(DimflowError, match="live on 'cpu'"):
        DimArray([1.0], "m", backend="numpy", device="cuda:0")


def test_a_huge_shape_is_numpys_memory_error() -> None:
    with pytest.raises(MemoryError):
        DimArray(np.broadcast_to(1.0, (1 << 50,)), "m", copy=True)


def test_properties() -> None:
    x = DimArray(np.zeros((2, 3), dtype=np.float32), "m/s")
    assert (x.shape, x.ndim, x.size, x.dtype, x.itemsize, x.nbytes) == (
        (2, 3), 2, 6, np.float32, 4, 24,
    )  # fmt: skip
    assert (x.device, x.backend) == ("cpu", "numpy")
    assert x.data is x.magnitude
    assert x.unit is x.units
    assert x.dimension == Unit("m/s").dimension
    assert not x.is_dimensionless
    assert DimArray(1, "percent").is_dimensionless
    for name in ("data", "unit", "shape", "dtype"):
        with pytest.raises(AttributeError):
            setattr(x, name, None)
    with pytest.raises(AttributeError):
        x.colour = "red"  # type: ignore[attr-defined]
