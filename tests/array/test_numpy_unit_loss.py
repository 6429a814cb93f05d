"""No function of NumPy loses a unit in silence, and none returns a wrong one.

The truth is NumPy's own: if f(4 x) is 4**p f(x), then the unit of the result is that of x to the
power p. The recipes are data; every supported function has one.
"""

import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow.array import DimArray
from dimflow.array.numpy_host.functions import classified
from dimflow.errors import DimflowError, UnitError, UnitLossError
from dimflow.units import Unit
from tests.array.numpy_recipes import NAMED, PURE_RECIPES, RECIPES
from tests.array.numpy_walk import Quantity, Raw, function, leaves, power_of, powers

M, S = Unit("m"), Unit("s")


def values(leaf, unit):
    """The numbers of a result in a unit; of a plain one as they are."""
    return leaf.to_value(unit) if isinstance(leaf, DimArray) else leaf


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_the_unit_is_what_scaling_the_numbers_says(name):
    recipe = RECIPES[name]
    plain, found = powers(name, recipe)
    results = leaves(recipe(function(name), Quantity("m"), Quantity("s")))
    assert len(results) == len(plain)
    for result, expected, power in zip(results, plain, found, strict=True):
        if power is None:
            assert result == expected
            continue
        unit = M ** power[0] * S ** power[1]
        if isinstance(result, DimArray):
            assert result.unit == unit
        else:
            assert unit == Unit(""), f"{name} lost the unit {unit}"
        np.testing.assert_allclose(values(result, unit), expected, rtol=1e-12, atol=1e-12)
        assert np.asarray(values(result, None)).dtype == np.asarray(expected).dtype
        assert np.shape(values(result, None)) == np.shape(expected)


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_the_quantity_does_not_depend_on_the_units_that_it_is_written_in(name):
    recipe = RECIPES[name]
    results = leaves(recipe(function(name), Quantity("m"), Quantity("s")))
    others = leaves(recipe(function(name), Quantity("cm", 100.0), Quantity("ms", 1000.0)))
    for one, other in zip(results, others, strict=True):
        if isinstance(one, DimArray):
            assert isinstance(other, DimArray)
            np.testing.assert_allclose(other.to_value(one.unit), one.data, rtol=1e-6, atol=1e-12)
        elif np.asarray(one).dtype.kind in "biufc":
            np.testing.assert_allclose(other, one, rtol=1e-9)
        else:
            assert one == other


LENGTHS = [("inch", 1 / 0.0254), ("km", 1e-3), ("ft", 1 / 0.3048), ("nm", 1e9)]
TIMES = [("min", 1 / 60), ("h", 1 / 3600), ("ns", 1e9)]


@given(st.sampled_from(sorted(RECIPES)), st.sampled_from(LENGTHS), st.sampled_from(TIMES))
def test_the_quantity_does_not_depend_on_any_units(name, length, time):
    recipe = RECIPES[name]
    expected = leaves(recipe(function(name), Quantity("m"), Quantity("s")))
    results = leaves(recipe(function(name), Quantity(*length), Quantity(*time)))
    for one, other in zip(expected, results, strict=True):
        if isinstance(one, DimArray):
            np.testing.assert_allclose(other.to_value(one.unit), one.data, rtol=1e-6, atol=1e-9)
        elif np.asarray(one).dtype.kind in "biufc":
            np.testing.assert_allclose(other, one)


class Alternating:
    """Makes lengths in metres and centimetres by turns."""

    is_raw = False

    def __init__(self, turn):
        self.turn = turn
        self.like = Quantity("m").like

    def __call__(self, numbers):
        self.turn += 1
        return (Quantity("cm", 100.0) if self.turn % 2 else Quantity("m"))(numbers)


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_arguments_in_several_units_are_brought_into_one(name):
    recipe = RECIPES[name]
    expected = leaves(recipe(function(name), Quantity("m"), Quantity("s")))
    for turn in (0, 1):
        results = leaves(recipe(function(name), Alternating(turn), Quantity("s")))
        for result, one in zip(results, expected, strict=True):
            if isinstance(one, DimArray):
                np.testing.assert_allclose(result.to_value(one.unit), one.data, rtol=1e-6)
            elif np.asarray(one).dtype.kind in "biufc":
                np.testing.assert_allclose(result, one)
            else:
                assert result == one


class AllBut:
    """Makes all arrays in one way, and one of them in another."""

    def __init__(self, place, make, other):
        self.place, self.make, self.other = place, make, other
        self.count = 0
        self.is_raw, self.like = make.is_raw, make.like

    def __call__(self, numbers):
        self.count += 1
        return (self.other if self.count == self.place else self.make)(numbers)


def bare_places():
    """Every recipe of several arrays of one dimension, and which of them may be bare."""
    for name, recipe in sorted(RECIPES.items()):
        counted = AllBut(0, Raw(), Raw())
        recipe(function(name), counted, Raw())
        if counted.count > 1:
            yield from ((name, place) for place in range(1, counted.count + 1))


# Across dimensions nothing is equal or close, which is an answer.
ANSWERS = {"allclose", "array_equal", "array_equiv", "isclose"}


@pytest.mark.parametrize(("name", "place"), list(bare_places()))
def test_a_bare_number_never_adopts_a_unit(name, place):
    recipe = RECIPES[name]
    try:
        results = leaves(recipe(function(name), AllBut(place, Quantity("m"), Raw()), Raw()))
    except (DimflowError, ValueError):  # ValueError: NumPy's own, for a quantity as `initial`
        return
    if name in ANSWERS:
        assert not all(np.all(result) for result in results)
        return
    plain = leaves(recipe(function(name), Raw(), Raw()))
    scaled = leaves(recipe(function(name), AllBut(place, Raw(4.0), Raw()), Raw()))
    for result, before, after in zip(results, plain, scaled, strict=True):
        power = power_of(np.asarray(before), np.asarray(after), name)
        unit = result.unit if isinstance(result, DimArray) else Unit("")
        assert unit.dimension == (M**power).dimension


class Temperature:
    """Makes temperatures, of numbers that count degrees Celsius."""

    is_raw = False

    def __init__(self, unit, factor, offset):
        self.unit, self.factor, self.offset = Unit(unit), factor, offset
        self.like = {"like": DimArray(1.0, unit)}

    def __call__(self, numbers):
        return DimArray(np.asarray(numbers) * self.factor + self.offset, self.unit)


def outcome(name, make):
    try:
        return leaves(RECIPES[name](function(name), make, Quantity("s")))
    except DimflowError:
        return None


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_points_are_refused_or_mean_the_same_on_every_scale(name):
    in_celsius = outcome(name, Temperature("degC", 1.0, 0.0))
    in_fahrenheit = outcome(name, Temperature("degF", 1.8, 32.0))
    assert (in_celsius is None) is (in_fahrenheit is None)
    for one, other in zip(in_celsius or (), in_fahrenheit or (), strict=True):
        if isinstance(one, DimArray):
            np.testing.assert_allclose(other.to_value(one.unit), one.data, rtol=1e-6, atol=1e-9)
        else:
            np.testing.assert_array_equal(other, one)


class Pure:
    def __init__(self, unit, factor):
        self.unit, self.factor = unit, factor

    def __call__(self, numbers):
        raw = np.asarray(numbers)
        return DimArray(raw if self.factor == 1 else raw * self.factor, self.unit)


@pytest.mark.parametrize("name", sorted(PURE_RECIPES))
def test_where_only_pure_numbers_have_a_meaning_a_unit_is_refused(name):
    with pytest.raises(DimflowError) as error:
        PURE_RECIPES[name](function(name), Pure("m", 1))
    assert str(error.value)


@pytest.mark.parametrize("name", sorted(PURE_RECIPES))
def test_pure_numbers_give_what_numpy_gives(name):
    recipe = PURE_RECIPES[name]
    expected = leaves(recipe(function(name), np.asarray))
    results = leaves(recipe(function(name), Pure("", 1)))
    for result, number in zip(results, expected, strict=True):
        np.testing.assert_allclose(np.asarray(values(result, None)), number)
        assert values(result, None).dtype == number.dtype


CHOICES = {"around", "fix", "real_if_close", "round"}
INTEGERS = {"ix_", "packbits", "unpackbits", "unravel_index", "ravel_multi_index"}


@pytest.mark.parametrize("name", sorted(set(PURE_RECIPES) - INTEGERS - CHOICES))
def test_percent_are_hundredths(name):
    recipe = PURE_RECIPES[name]
    expected = leaves(recipe(function(name), np.asarray))
    results = leaves(recipe(function(name), Pure("percent", 100)))
    for result, number in zip(results, expected, strict=True):
        np.testing.assert_allclose(np.asarray(values(result, None)), number, rtol=1e-9)


@pytest.mark.parametrize("name", sorted(set(RECIPES) - {"select"}))  # whose 0 may have a unit
def test_a_length_is_no_number_of_places(name):
    """Nor an axis, an order or a length of an array, wherever a whole number is asked for."""
    called = function(name)
    try:
        parameters = inspect.signature(called).parameters.values()
    except ValueError:  # written in C
        return
    counts = [p.name for p in parameters if type(p.default) is int or p.name in ("axis", "ord")]
    for count in counts:

        def asked(*args, count=count, **kwargs):
            with pytest.raises((DimflowError, TypeError, ValueError)):
                called(*args, **{**kwargs, count: DimArray(1, "m")})
            return called(*args, **kwargs)

        RECIPES[name](asked, Quantity("m"), Quantity("s"))


def test_every_recipe_is_of_a_function_that_is_supported():
    for name in (*RECIPES, *PURE_RECIPES, *NAMED):
        assert classified(name)[0] in ("op", "rule", "defined"), name


def test_masked_arrays_do_not_see_the_numbers():
    masked, x = np.ma.masked_array([1.0, 2.0], [True, False]), DimArray([1.0, 2.0], "m")
    for lose in (
        lambda: masked * x,
        lambda: x * masked,
        lambda: np.ma.add(x, x),
        lambda: np.ma.sqrt(x),
        lambda: masked.__setitem__(..., x),
        lambda: np.ma.concatenate([masked, x]),
    ):
        with pytest.raises((UnitError, TypeError)):
            lose()
    for name in ("_data", "_mask", "_values", "values"):  # what other libraries look for
        assert not hasattr(x, name)


@pytest.mark.parametrize("name", ["allclose", "array_equal", "array_less", "array_almost_equal"])
@pytest.mark.parametrize("shape", [(), (2,)])
def test_assertions_of_numpy_name_ours(name: str, shape: tuple[int, ...]) -> None:
    x = DimArray(np.ones(shape), "m")
    with pytest.raises(UnitLossError, match=r"dimflow\.testing\.assert_allclose"):
        getattr(np.testing, f"assert_{name}")(x, x)
