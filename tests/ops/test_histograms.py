"""Histograms: against NumPy and astropy, with edges, ranges and weights that have units."""

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from astropy import units as astropy_units
from hypothesis import given
from hypothesis import strategies as st

from dimflow import DimArray, ops
from dimflow import units as u
from dimflow.errors import (
    DimensionError,
    MissingRule,
    PointError,
    PureNumberError,
    ShapeMismatch,
    UnitChoiceError,
    UnitError,
)
from dimflow.units import Unit

RNG = np.random.default_rng(2)
X, Y, WEIGHTS = RNG.normal(size=50), RNG.normal(size=50), RNG.uniform(size=50)
numbers = hnp.arrays(np.float64, st.integers(1, 20), elements=st.floats(-9.0, 9.0, width=16))


def raw(value):
    return value.data if isinstance(value, DimArray) else value


def unit(value):
    return value.unit if isinstance(value, DimArray) else None


@given(numbers, st.integers(1, 6), st.booleans())
def test_counts_and_edges_are_those_of_numpy(x, bins, density):
    if len({*x}) == 1:
        x = np.append(x, x + 1)
    known = np.histogram(x, bins, density=density)
    found = ops.histogram(DimArray(x, "km"), bins, density=density)
    np.testing.assert_allclose(raw(found.counts), known[0], rtol=1e-14)
    np.testing.assert_array_equal(found.edges.data, known[1])
    assert found.edges.unit == Unit("km")
    assert unit(found.counts) == (Unit("1/km") if density else None)


SINGLE = ([2.0], [2.0, 2.0], [], [[2.0, 2.0]])
WIDTHLESS = [
    *[(name, x, {}) for name in ("histogram", "histogram_bin_edges") for x in SINGLE],
    ("histogram", [1.0, 3.0], {"range": (2.0, 2.0)}),
    ("histogram_bin_edges", [1.0, 3.0], {"range": (2.0, 2.0)}),
    ("histogram", [2.0, 2.0], {"bins": "auto"}),
    ("histogram", [2.0, 2.0], {"density": True}),
    ("histogram", [2.0, 2.0], {"weights": [1.0, 2.0]}),
    ("histogramdd", [[1.0, 2.0], [3.0, 2.0]], {}),
    ("histogramdd", [[1.0, 2.0], [3.0, 4.0]], {"range": [(1.0, 1.0), (0.0, 1.0)]}),
]


@pytest.mark.parametrize("scale", ["m", "degC", "percent", "rad", "km/m"])
@pytest.mark.parametrize(("name", "x", "options"), WIDTHLESS)
def test_bins_around_one_value_have_no_width(name, x, options, scale):
    """NumPy takes half a unit on both sides, which is another width in every unit."""
    known = getattr(np, name)(np.array(x), **options)
    pure = getattr(np, name)(DimArray(np.array(x)), **options)
    for one, other in zip(pure, known, strict=True):
        np.testing.assert_allclose(np.ravel(raw(one)), np.ravel(other))
    if "range" in options:
        ends = [DimArray(np.array(ends), scale) for ends in np.atleast_2d(options["range"])]
        options = {"range": ends if name == "histogramdd" else ends[0]}
    for function in (getattr(np, name), getattr(ops, name)):
        with pytest.raises(UnitChoiceError, match=f"of {name} "):
            function(DimArray(np.array(x), scale), **options)


@pytest.mark.parametrize("library", ["torch", "jax", "dask"])
def test_bins_around_one_value_are_nan_where_nobody_looks(library):
    """A test of the value would wait for a lazy array, and stop a compiler."""
    for x, is_nan in (([2.0, 2.0], True), ([2.0, 3.0], False)):
        edges = ops.histogram_bin_edges(DimArray(np.array(x), "m").to_backend(library))
        found = np.isnan(edges.to_backend("numpy").data)
        assert found.all() if is_nan else not found.any()


@given(numbers, hnp.arrays(np.float64, 4, elements=st.integers(-9, 9), unique=True))
def test_given_edges(x, edges):
    edges = np.sort(edges)
    known = np.histogram(x, edges)[0]
    np.testing.assert_array_equal(ops.histogram(x, edges).counts, known)
    found = ops.histogram(DimArray(x, "km"), DimArray(edges * 1000.0, "m"))
    np.testing.assert_array_equal(found.counts, known)
    assert found.edges.unit == Unit("m")
    places = ops.bin_index(x, edges)
    np.testing.assert_array_equal(np.bincount(places, minlength=4)[:3], known)


@pytest.mark.parametrize("density", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_units_are_those_of_astropy(density, weighted):
    weights = WEIGHTS if weighted else None
    theirs = np.histogram(
        X << astropy_units.m,
        5,
        weights=weights if weights is None else weights << astropy_units.kg,
        density=density,
    )
    ours = ops.histogram(
        DimArray(X, "m"),
        5,
        weights=weights if weights is None else DimArray(weights, "kg"),
        density=density,
    )
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(raw(one), getattr(other, "value", other))
    assert ours.edges.unit == Unit("m")
    if density and weighted:  # a density is normalized, so the unit of the weights cancels
        assert ours.counts.unit == Unit("1/m")
        assert float(ops.sum(ours.counts * (ours.edges[1:] - ours.edges[:-1]))) == pytest.approx(1)
    else:
        known = getattr(theirs[0], "unit", None)
        assert unit(ours.counts) == (known and Unit(known.to_string()))


def test_a_range_may_mix_units_and_a_bare_zero():
    x = DimArray([100.0, 700.0, 1500.0], "m")
    found = ops.histogram(x, 2, range=(0, DimArray(1.0, "km")))
    assert found.counts.tolist() == [1, 1]
    assert found.edges.data.tolist() == [0.0, 500.0, 1000.0]
    with pytest.raises(DimensionError):
        ops.histogram(x, 2, range=(0, 1.0))
    with pytest.raises(ShapeMismatch, match="a range of two ends"):
        ops.histogram(x, 2, range=(0, 1, 2))


def test_edges_and_values_are_of_one_dimension():
    with pytest.raises(DimensionError, match="histogram needs arguments of one dimension"):
        ops.histogram(DimArray(X, "m"), [0.0, 1.0])
    for values, edges in ((DimArray(X, "m"), DimArray([0.0, 1.0], "s")), (X, [0 * u.s, 1 * u.s])):
        for bins, limits in ((edges, None), (3, edges)):
            with pytest.raises(DimensionError, match="needs arguments of one dimension"):
                ops.histogram_bin_edges(values, bins, limits)
    with pytest.raises(DimensionError):
        ops.histogram(X, DimArray([0.0, 1.0], "m"))
    with pytest.raises(DimensionError):
        ops.digitize(DimArray(X, "m"), DimArray([0.0, 1.0], "s"))
    mixed = [0, DimArray(1.0, "m"), DimArray(1.0, "km")]
    assert ops.histogram(DimArray([0.5, 2.0], "m"), mixed).counts.tolist() == [1, 1]


def test_edges_that_fall_are_refused():
    with pytest.raises(ValueError, match="monotonically"):
        ops.histogram(X, [1.0, 0.0])
    with pytest.raises(UnitError, match="edges along one axis that rise"):
        ops.histogram2d(X, Y, [[1.0, 0.0], [0.0, 1.0]])
    with pytest.raises(ValueError, match="finite"):
        ops.histogram(np.array([1.0, np.nan]), 3)


@pytest.mark.parametrize("name", ["auto", "fd", "doane", "scott", "stone", "rice", "sturges"])
def test_estimated_bins_do_not_depend_on_the_unit(name):
    known = np.histogram_bin_edges(X, name)
    np.testing.assert_array_equal(ops.histogram_bin_edges(X, name), known)
    edges = ops.histogram_bin_edges(DimArray(X, "km").to("m"), name).to("km")
    np.testing.assert_allclose(edges.data, known)
    with pytest.raises(UnitError, match="cannot estimate bins"):
        ops.histogram(X, name, weights=WEIGHTS)


def test_points_are_counted():
    celsius = DimArray(X, "degC")
    found = ops.histogram(celsius, 4, density=True)
    assert found.edges.unit == Unit("degC")
    assert found.counts.unit == Unit("1/delta_degC")
    edges = DimArray([272.15, 273.15, 274.15], "K")
    np.testing.assert_array_equal(
        ops.histogram(celsius, edges).counts, np.histogram(X, [-1.0, 0.0, 1.0])[0]
    )
    with pytest.raises(PointError):
        ops.histogram(X, 4, weights=DimArray(WEIGHTS, "degC"))


# Several axes


@pytest.mark.parametrize("density", [False, True])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("bins", [4, (2, 3), ([-2.0, 0.0, 1.0], 3), np.array([-1.0, 0.0, 2.0])])
def test_pairs_are_counted_as_in_numpy(bins, weights, density):
    known = np.histogram2d(X, Y, bins, density=density, weights=weights)
    found = ops.histogram2d(X, Y, bins, density=density, weights=weights)
    for one, other in zip(found, known, strict=True):
        np.testing.assert_allclose(one, other)


def test_each_axis_has_its_unit():
    found = ops.histogram2d(DimArray(X, "m"), DimArray(Y, "s"), (2, 3), density=True)
    assert [unit(part) for part in found] == [Unit("1/(m*s)"), Unit("m"), Unit("s")]
    known = np.histogram2d(X, Y, (2, 3), range=[[-1, 1], [0, 2]])
    limits = [(DimArray(-1.0, "m"), DimArray(1.0, "m")), (0, DimArray(2.0, "s"))]
    found = ops.histogram2d(DimArray(X, "m"), DimArray(Y, "s"), (2, 3), range=limits)
    for one, other in zip(found, known, strict=True):
        np.testing.assert_array_equal(raw(one), other)


def test_columns_of_different_units():
    sample = [DimArray(X, "m"), DimArray(Y, "s"), WEIGHTS]
    counts, edges = ops.histogramdd(sample, (2, 3, 2))
    known, known_edges = np.histogramdd([X, Y, WEIGHTS], (2, 3, 2))
    np.testing.assert_array_equal(counts, known)
    assert [unit(e) for e in edges] == [Unit("m"), Unit("s"), None]
    for one, other in zip(edges, known_edges, strict=True):
        np.testing.assert_array_equal(raw(one), other)
    table = ops.histogramdd(DimArray(np.stack([X, Y], axis=1), "m"), 3, weights=WEIGHTS)
    known, _ = np.histogramdd(np.stack([X, Y], axis=1), 3, weights=WEIGHTS)
    np.testing.assert_allclose(table.counts, known)
    assert [e.unit for e in table.edges] == [Unit("m")] * 2


def test_what_does_not_fit_is_refused():
    with pytest.raises(ShapeMismatch, match="bins for each of 3 columns"):
        ops.histogramdd([X, Y, Y], (2, 3))
    with pytest.raises(ShapeMismatch):
        ops.histogram2d(X, Y, 3, weights=WEIGHTS[:-1])
    with pytest.raises(ShapeMismatch):
        ops.histogram2d(X, Y[:-1], 3)


# Integers, and places among edges


def test_integers_are_counted():
    x = np.array([0, 3, 1, 1])
    np.testing.assert_array_equal(ops.bincount(DimArray(x, "")), np.bincount(x))
    found = ops.bincount(x, DimArray([1.0, 2.0, 3.0, 4.0], "kg"), 6)
    assert (found.data.tolist(), found.unit) == ([1.0, 7.0, 0.0, 2.0, 0.0, 0.0], Unit("kg"))
    with pytest.raises(PureNumberError):
        ops.bincount(DimArray(x, "m"))
    with pytest.raises(PointError):
        ops.bincount(x, DimArray([1.0, 2.0, 3.0, 4.0], "degC"))
    with pytest.raises(TypeError, match="Cannot cast"):
        ops.bincount(np.array([0.5]))
    with pytest.raises(MissingRule, match="depends on the values"):
        ops.integer_counts.batching(ops.integer_counts, (x,), (0,), {"minlength": 0})


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("bins", [[-1.0, 0.0, 1.0], [1.0, 0.0, -1.0]])
def test_places_among_edges(right, bins):
    known = np.digitize(X, bins, right)
    found = ops.digitize(DimArray(X, "km"), DimArray(np.array(bins) * 1000, "m"), right)
    np.testing.assert_array_equal(found, known)
    assert not isinstance(found, DimArray)


@given(numbers, st.integers(1, 4))
def test_the_transpose_of_weighted_counts(x, bins):
    edges = np.linspace(-5.0, 5.0, bins + 1)  # some values are outside
    ct, weights = np.arange(1.0, bins + 1), np.linspace(1.0, 2.0, len(x))
    *_, back = ops.bin_sums.derivative.transpose(ct, (x, edges, weights), {})
    assert np.dot(back, weights) == pytest.approx(np.dot(ct, ops.bin_sums(x, edges, weights)))


def test_edges_move_with_the_extremes():
    x, t = np.array([1.0, 5.0, 2.0]), np.array([1.0, 2.0, 9.0])
    out = ops.spaced_edges(x, 2)
    rule = ops.spaced_edges.derivative.function
    assert rule((t, None), out, (x, None), {"bins": 2}).tolist() == [1.0, 1.5, 2.0]
    limits, t_limits = np.array([0.0, 4.0]), np.array([3.0, 5.0])
    found = rule((t, t_limits), ops.spaced_edges(x, 2, range=limits), (x, limits), {"bins": 2})
    assert found.tolist() == [3.0, 4.0, 5.0]
