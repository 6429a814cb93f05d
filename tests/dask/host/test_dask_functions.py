"""Every function of dask.array keeps units, or refuses with a reason; none loses one in silence.

The truth is Dask's own: if f(4 x) is 4**p f(x), then the unit of the result is that of x to the
power p. The recipes are data; every function that takes arrays has one.
"""

import dask
import dask.array as da
import numpy as np
import pytest

from dimflow.array import DimArray
from dimflow.dask import DaskDimArray
from dimflow.dask.host.functions import classified, handler_of, public_functions
from dimflow.dask.host.refused import REFUSED
from dimflow.errors import DimflowError, UnitChoiceError, UnsupportedFunction
from dimflow.units import Unit
from tests.dask.conftest import Early, nothing_runs
from tests.dask.host.dask_recipes import (
    CHOSEN_RECIPES,
    HASTY,
    NAMED,
    PURE_DRAWS,
    PURE_RECIPES,
    SCALED_DRAWS,
)
from tests.dask.host.dask_walk import (
    ALL,
    Numbers,
    Quantities,
    assert_same,
    computed,
    function,
    leaves,
    powers,
)

M, S = Unit("m"), Unit("s")
FUNCTIONS = public_functions()
TRIED = ("op", "rule", "defined", "blocks", "asked")


def test_every_function_has_its_place():
    unknown = [name for name in FUNCTIONS if classified(name)[0] == "unknown"]
    assert not unknown, "Dask has gained these: decide what they do to units"


def test_what_dask_exports_is_among_them():
    exported = {name for name in da.__all__ if callable(getattr(da, name))}
    classes = {name for name in exported if isinstance(getattr(da, name), type)}
    modules = {"fft", "lib", "linalg", "ma", "overlap", "random", "stats", "backends"}
    assert exported - classes - modules <= set(FUNCTIONS)
    assert len(FUNCTIONS) > 380


def test_every_function_that_takes_arrays_is_tried():
    places = {name: classified(name) for name in FUNCTIONS}
    wanted = {name for name, (kind, _) in places.items() if kind in TRIED}
    tried = {*ALL, *PURE_RECIPES, *CHOSEN_RECIPES, *NAMED}
    assert wanted <= tried, wanted - tried
    assert tried <= set(FUNCTIONS), tried - set(FUNCTIONS)


CENTIMETRES, MILLISECONDS = Quantities("cm", 100.0), Quantities("ms", 1000.0)


@pytest.mark.share(2)
@pytest.mark.parametrize("name", sorted(ALL))
def test_the_quantity_is_what_scaling_the_numbers_says(name):
    """In centimetres and milliseconds: so it does not depend on the units it is written in."""
    plain, found = powers(name)
    recipe = ALL[name]
    if name in HASTY:
        with pytest.raises(Early), nothing_runs():
            recipe(function(name), Numbers(), Numbers())
        results = leaves(recipe(function(name), CENTIMETRES, MILLISECONDS))
    else:
        with nothing_runs():
            results = leaves(recipe(function(name), CENTIMETRES, MILLISECONDS))
    assert len(results) == len(plain)
    for result, expected, power in zip(results, plain, found, strict=True):
        if power is None:
            assert result == expected
            continue
        unit = M ** power[0] * S ** power[1]
        if isinstance(result, DimArray):
            assert result.dimension == unit.dimension
            numbers = computed(result).to_value(unit)
        else:
            assert unit == Unit(""), f"{name} lost the unit {unit}"
            numbers = computed(result)
        assert_same(numbers, expected, name)


@pytest.mark.deep
@pytest.mark.parametrize("name", sorted(ALL))
def test_the_unit_is_that_of_the_arguments(name):
    """No conversion where none is needed: metres and seconds stay what they are."""
    _, found = powers(name)
    results = leaves(ALL[name](function(name), Quantities("m"), Quantities("s")))
    for result, power in zip(results, found, strict=True):
        if isinstance(result, DimArray):
            assert result.unit == M ** power[0] * S ** power[1]


class Alternating(Quantities):
    """Makes quantities of which every other one is in memory."""

    def __init__(self, unit, *, is_lazy):
        super().__init__(unit)
        self.is_lazy = not is_lazy

    def __call__(self, values):
        self.is_lazy = not self.is_lazy
        return super().__call__(values) if self.is_lazy else self.numbers(values)


# They ask for the chunks of what they are given, or run users' functions on blocks.
ONLY_LAZY = {
    *("coarsen", "map_blocks", "map_overlap", "reduction", "overlap.overlap", "unify_chunks"),
    *("overlap.trim_internal", "overlap.trim_overlap", "linalg.sfqr", "linalg.solve_triangular"),
}


# Signs of columns, shares between blocks and what surrounds these depend on how an array is cut.
BY_BLOCKS = {
    *("linalg.compression_matrix", "linalg.qr", "linalg.svd_compressed", "linalg.tsqr"),
    *("overlap.overlap_internal", "percentile"),
}


@pytest.mark.deep
@pytest.mark.parametrize("is_lazy", [True, False], ids=["lazy first", "lazy last"])
@pytest.mark.parametrize("name", sorted(set(ALL) - ONLY_LAZY))
def test_arrays_in_memory_stand_beside_lazy_ones(name, is_lazy):
    f, recipe = function(name), ALL[name]
    expected = leaves(recipe(f, Quantities("m"), Quantities("s")))
    mixed = Alternating("m", is_lazy=is_lazy), Alternating("s", is_lazy=not is_lazy)
    results = leaves(recipe(f, *mixed))
    for result, wanted in zip(results, expected, strict=True):
        if isinstance(wanted, DimArray):
            assert result.unit == wanted.unit
            result, wanted = result.data, wanted.data
        found, numbers = computed(result), computed(wanted)
        if np.asarray(numbers).dtype.kind in "biufc" and name not in BY_BLOCKS:
            np.testing.assert_allclose(np.ma.filled(found, 0), np.ma.filled(numbers, 0))


@pytest.mark.parametrize("name", sorted(PURE_RECIPES))
def test_functions_of_pure_numbers(name):
    f, recipe = function(name), PURE_RECIPES[name]
    expected = [computed(leaf) for leaf in leaves(recipe(f, Numbers()))]
    if name == "unravel_index":  # whole numbers are no percentages
        lazy = Quantities("")
    else:
        lazy = Quantities("%", 100.0)
    with nothing_runs():
        results = leaves(recipe(f, lazy))
    for result, wanted in zip(results, expected, strict=True):
        found = computed(result)
        found = found.to_value("") if isinstance(found, DimArray) else found
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
    with pytest.raises(DimflowError):
        recipe(f, Quantities("m"))


@pytest.mark.parametrize("name", sorted(CHOSEN_RECIPES))
def test_functions_that_depend_on_the_unit_ask_which(name):
    f, recipe = function(name), CHOSEN_RECIPES[name]
    expected = [computed(leaf) for leaf in leaves(recipe(f, Numbers()))]
    for result, wanted in zip(leaves(recipe(f, Quantities(""))), expected, strict=True):
        found = computed(result)
        found = found.to_value("") if isinstance(found, DimArray) else found
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
    for unit in ("m", "%"):
        with pytest.raises(UnitChoiceError):
            recipe(f, Quantities(unit))


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_refused_function_says_why(name):
    with pytest.raises(UnsupportedFunction) as error:
        handler_of(name, FUNCTIONS[name])
    assert error.value.reason == REFUSED[name]
    assert error.value.function == f"da.{name}"
    assert error.value.hint


def test_refusal_reaches_the_caller():
    with pytest.raises(UnsupportedFunction, match=r"da\.assert_eq"):
        da.assert_eq(Quantities("m")([1.0]), np.ones(1))


@pytest.mark.parametrize("name", sorted(SCALED_DRAWS))
def test_draws_in_a_unit(name):
    """The same seed draws the same numbers; only their unit is another."""
    bare, count = SCALED_DRAWS[name]
    numbers = [2.0, 3.0, 4.0][: bare + count]
    draw = function(f"random.{name}")
    da.random.seed(5)
    expected = draw(*numbers, size=4, chunks=2).compute()
    scaled = [*numbers[:bare], *(DimArray(number, "m") for number in numbers[bare:])]
    da.random.seed(5)
    with nothing_runs():
        drawn = draw(*scaled, size=4, chunks=2)
    assert isinstance(drawn, DaskDimArray)
    assert drawn.unit == M
    np.testing.assert_allclose(drawn.compute().to_value("m"), expected)
    if count > 1:
        with pytest.raises(DimflowError):
            draw(*scaled[:-1], 3.0, size=4)
        mixed = [*scaled[:-1], scaled[-1].to("cm")]
        da.random.seed(5)
        np.testing.assert_allclose(draw(*mixed, size=4, chunks=2).compute().to_value("m"), expected)


@pytest.mark.parametrize("name", sorted(PURE_DRAWS))
def test_draws_of_pure_numbers(name):
    numbers = PURE_DRAWS[name]
    draw = function(f"random.{name}")
    da.random.seed(5)
    expected = draw(*numbers, size=4, chunks=2).compute()
    da.random.seed(5)
    drawn = draw(*(DimArray(number) for number in numbers), size=4, chunks=2)
    np.testing.assert_array_equal(drawn.compute().to_value(""), expected)
    with pytest.raises(DimflowError):
        draw(*(DimArray(number, "m") for number in numbers), size=4)


def test_draws_about_a_point():
    """A spread is a difference, wherever the zero of the scale lies."""
    da.random.seed(5)
    expected = da.random.normal(293.15, 2.0, size=4, chunks=2).compute()
    da.random.seed(5)
    drawn = da.random.normal(DimArray(20.0, "degC"), DimArray(2.0, "K"), size=4, chunks=2)
    assert drawn.unit == Unit("degC")
    np.testing.assert_allclose(drawn.compute().to_value("K"), expected)
    with pytest.raises(DimflowError):
        da.random.normal(DimArray(20.0, "degC"), DimArray(2.0, "degC"), size=4)


def test_directions():
    da.random.seed(5)
    expected = da.random.vonmises(0.5, 3.0, size=4, chunks=2).compute()
    da.random.seed(5)
    drawn = da.random.vonmises(DimArray(np.degrees(0.5), "deg"), 3.0, size=4, chunks=2)
    np.testing.assert_allclose(drawn.compute().to_value("rad"), expected)
    with pytest.raises(DimflowError):
        da.random.vonmises(DimArray(0.5, "m"), 3.0, size=4)


def test_a_missing_package_is_dasks_own_message():
    with pytest.raises(ImportError, match="bottleneck"):
        da.push(Quantities("m")([1.0, 2.0]), 1, 0)


def test_what_nan_becomes_has_a_unit(lazy):
    x = Quantities("m")([1.0, np.nan])
    kept = da.nan_to_num(x, nan=DimArray(1.0, "km"), posinf=np.inf, neginf=-np.inf)
    with dask.config.set(scheduler="sync"):
        np.testing.assert_array_equal(kept.compute().to_value("m"), [1.0, 1000.0])
    with pytest.raises(DimflowError):
        da.nan_to_num(x)


def test_the_edges_of_an_overlap_have_units() -> None:
    x = DaskDimArray(np.arange(6.0), "m", chunks=3)
    found = da.overlap.boundaries(x, {0: 1}, {0: DimArray(3, "km")})
    raw = da.overlap.boundaries(x.data, {0: 1}, {0: 3000.0})
    np.testing.assert_array_equal(found.to_value("m").compute(), raw.compute())
    padded, theirs = (da.overlap.add_dummy_padding(a, {0: 1}, {0: "none"}) for a in (found, raw))
    assert padded.chunks == theirs.chunks  # what it pads with is whatever memory held
    np.testing.assert_array_equal(padded.to_value("m").compute()[1:-1], raw.compute())
