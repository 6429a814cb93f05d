"""What users of other libraries try first."""

import math
import operator
import statistics
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dimflow
from dimflow import DimArray, Unit, constants, units
from dimflow.errors import DimflowError, PointError, UnitError, UnitLossError
from dimflow.units.alike import level_exponent
from tests.array.strategies import arrays


@given(arrays())
def test_every_name_of_the_numbers_is_the_numbers(x: DimArray) -> None:
    for numbers in (x.value, x.m, x.magnitude):
        assert numbers is x.data


@given(arrays())
def test_si_is_the_same_quantity_in_an_SI_unit(x: DimArray) -> None:
    assert x.si.unit is x.unit.in_system("SI")
    np.testing.assert_allclose(x.si.to_value(x.unit), x.data, rtol=1e-12, atol=1e-300)


@given(
    st.floats(1e-20, 1e20),
    st.sampled_from(["m", "kg", "s", "N*m", "V/m", "mile", "km/h", "eV", "1/s", "m**2", "KiB", ""]),
)
def test_compact_is_the_same_quantity_with_another_prefix(size: float, unit: str) -> None:
    x = DimArray([0.0, size, np.nan], unit)
    found = x.to_compact()
    np.testing.assert_allclose(found.to_value(unit), x.data, rtol=1e-12)
    assert found.unit.atoms[1:] == x.unit.atoms[1:]
    if unit in ("m", "kg", "s", "N*m", "V/m", "eV"):
        assert 1 <= float(f"{found.data[1]:.12g}") < 1000
    again = found.to_compact()
    if unit != "KiB" or size >= 1:  # 0.99 KiB is 1014 B, and those are 1.014 kB
        assert again.unit is found.unit


@pytest.mark.parametrize("number", [0.0, np.nan, np.inf])
def test_compact_leaves_what_has_no_size(number: float) -> None:
    assert DimArray(number, "m").to_compact().unit is Unit("m")
    assert DimArray(20.0, "degC").to_compact().unit is Unit("degC")


@pytest.mark.parametrize("name", ["m", "km", "N", "percent", "rad", "degC", "dB", "mile/hour"])
def test_a_unit_equals_one_of_it(name: str) -> None:
    unit = Unit(name)
    one = DimArray(1.0, unit)
    assert unit == one
    assert one == unit
    assert not (unit != one).item()
    assert (DimArray([1.0, 2.0], unit) == unit).data.tolist() == [True, False]


def test_what_equals_a_unit_is_hashed_alike_or_not_at_all() -> None:
    assert units.m == units.km / 1000
    assert units.km != units.m * 999
    assert type(units.km / 1000).__hash__ is None
    speed = next(c for c in constants.catalogue() if c.name.startswith("speed"))
    unit = Unit("speed_of_light")
    assert (speed != unit) or hash(speed) == hash(unit)
    scalar = DimArray([1.0], "m").to_pandas().iloc[0]
    assert (scalar != units.m) or hash(scalar) == hash(units.m)


@given(arrays())
def test_percent_counts_the_unit_or_refuses_it(x: DimArray) -> None:
    if x.is_dimensionless and not x.shape:
        assert f"{x:.2%}" == format(float(x), ".2%")
    elif not x.is_dimensionless:
        with pytest.raises(UnitLossError):
            format(x, ".2%")


@pytest.mark.parametrize("unit", ["dB", "rad", "delta_dB", "deg", "m"])
def test_what_is_no_number_has_no_percent(unit: str) -> None:
    with pytest.raises(UnitLossError, match="format"):
        format(DimArray(0.5, unit), ".1%")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("mm**2/m**2", "1e-06"),
        ("km/m", "1000.0"),
        ("km*h/(m*s)", "3600000.0"),
        ("g/kg", "1.0 g/kg"),
        ("%", "1.0 %"),
        ("dB*m/km", "1.0 delta_dB*m/km"),
        ("mrad/rad", "1.0 mrad/rad"),
    ],
)
def test_numbers_show_as_numbers_and_proportions_as_they_are_written(text: str, shown: str) -> None:
    x = DimArray(1.0, text)
    assert str(x) == f"{x}" == shown
    assert repr(x) == f"DimArray(1.0, '{x.unit}')"  # the numbers that x.item() and x.data give
    assert x.unit is Unit(text)


@pytest.mark.parametrize("name", ["v.csv", "v.TXT", "v.npy", "v.h5", "v.nc", "v.zarr", "v.2"])
def test_another_suffix_than_that_of_the_format_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnitError, match="npz"):
        DimArray([1.0], "m").save(tmp_path / name)
    with pytest.raises(UnitError, match="npz"):
        dimflow.save(str(tmp_path / name), x=DimArray([1.0], "m"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["v", "v.npz", "v.NPZ"])
def test_its_own_suffix_and_none_are_taken(tmp_path: Path, name: str) -> None:
    DimArray([1.0], "m").save(tmp_path / name)
    assert DimArray.load(tmp_path / name).unit is Unit("m")


@pytest.mark.parametrize("unit", ["degC", "degF", "dBm", "pH"])
def test_no_function_for_an_element_is_no_point_of_0(unit: str) -> None:
    x = DimArray([1.0, 2.0], unit)
    with pytest.raises(PointError, match="one function more"):
        np.piecewise(x, [[True, False]], [lambda v: v])
    covered = np.piecewise(x, [[True, False], [False, True]], [lambda v: v, lambda v: v])
    assert covered.data.tolist() == [1.0, 2.0]
    assert np.piecewise(x, [[True, False]], [lambda v: v, x[0]]).data.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("ufunc", [np.multiply, np.divide, np.add, np.maximum, np.power])
@pytest.mark.parametrize("method", ["reduce", "accumulate", "reduceat", "at"])
def test_no_fold_reads_a_level_as_a_number(ufunc: np.ufunc, method: str) -> None:
    """In decibels it is an error, or its result still counts them."""
    x = DimArray([6.0, 9.0, 2.0], "delta_dB")
    target = DimArray([1.0, 2.0, 3.0], "m")
    try:
        if method == "at":
            ufunc.at(target, [0], x[0])
            found = target
        else:
            found = getattr(ufunc, method)(x, *([[0, 1]] if method == "reduceat" else []))
    except DimflowError:
        assert target.data.tolist() == [1.0, 2.0, 3.0]
        return
    assert level_exponent(found.unit) != 0


EXACT = [Fraction(3, 2), Fraction(2), Decimal("0.75"), Decimal(3)]
IN_PLACE = ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow")
BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "ge", "eq", "ne")


@pytest.mark.parametrize("number", EXACT, ids=repr)
@pytest.mark.parametrize("name", BINARY + IN_PLACE)
@pytest.mark.parametrize("unit", ["", "%", "m", "dB"])
def test_exact_numbers_of_python_count_as_floats(number: Any, name: str, unit: str) -> None:
    def outcome(*args: Any) -> Any:
        try:
            return repr(getattr(operator, name)(*args))
        except DimflowError as error:
            return type(error)

    def x() -> DimArray:
        return DimArray([0.75, 2.0], unit)

    assert outcome(x(), number) == outcome(x(), float(number))
    if name in BINARY:
        assert outcome(number, x()) == outcome(float(number), x())
    for made in (number * Unit("m"), Unit("m") * number, DimArray(number, "m")):
        assert repr(made) == repr(float(number) * Unit("m"))


def test_what_python_makes_of_one_number() -> None:
    """Of a pure number what it makes of a float; of a quantity our error."""
    numbers: list[Callable[[Any], Any]] = [float, int, complex, math.trunc, math.floor, math.ceil]
    numbers += [math.sqrt, lambda x: x.as_integer_ratio(), lambda x: statistics.mean([x])]
    for function in numbers:
        for pure in (DimArray(2.5), DimArray(250.0, "%"), DimArray(np.float64(2.5))):
            assert function(pure) == function(2.5)
        for unit in ("m", "dB", "degC", "deg"):
            with pytest.raises(UnitLossError):
                function(DimArray(2.5, unit))
    assert DimArray(2**53 + 1).as_integer_ratio() == (2**53 + 1, 1)
