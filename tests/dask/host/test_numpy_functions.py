"""NumPy's functions on lazy arrays: the unit kept and nothing computed, or refused with a reason.

The truth is NumPy's own for plain numbers; see the tests of NumPy's functions on eager arrays.
"""

import dask
import dask.array as da
import numpy as np
import pytest

from dimflow.array import DimArray
from dimflow.dask import DaskDimArray
from dimflow.errors import (
    DimensionError,
    DimflowError,
    ShapeMismatch,
    UnitLossError,
    UnsupportedFunction,
)
from dimflow.units import Unit
from tests.array.numpy_recipes import PURE_RECIPES, RECIPES
from tests.array.numpy_walk import Raw, function, leaves, powers
from tests.dask.conftest import nothing_runs
from tests.dask.host.dask_walk import computed

M, S = Unit("m"), Unit("s")

# What a lazy array cannot give, and a part of the reason.
REFUSED = {
    "arange": "must be known before anything is computed",
    "fill_diagonal": "a lazy array has none",
    "geomspace": "NumPy's own arrays only",
    "histogram2d": "the ends of its bins must be known",
    "histogramdd": "the ends of its bins must be known",
    "intersect1d": "return_indices=",
    "lib.scimath.power": "depends on the values",
    "lib.scimath.sqrt": "depends on the values",
    "place": "a lazy array has none",
    "polyadd": "NumPy's own arrays only",
    "polyder": "NumPy's own arrays only",
    "polydiv": "NumPy's own arrays only",
    "polyfit": "NumPy's own arrays only",
    "polyint": "NumPy's own arrays only",
    "polymul": "NumPy's own arrays only",
    "polysub": "NumPy's own arrays only",
    "put": "a lazy array has none",
    "put_along_axis": "a lazy array has none",
    "roots": "NumPy's own arrays only",
    "sort_complex": "NumPy's own arrays only",
}
# Answered by shape and dtype, at once.
ANSWERED = {
    *("can_cast", "common_type", "diag_indices_from", "einsum_path", "iscomplexobj", "isrealobj"),
    *("may_share_memory", "min_scalar_type", "ndim", "result_type", "shape", "shares_memory"),
    *("size", "tril_indices_from", "triu_indices_from"),
}
# Complex, since whether all values are real is not known before they are.
COMPLEX = ("linalg.eig", "linalg.eigvals")
REFUSED_PURE = {
    *("ix_", "packbits", "poly", "polynomial.polynomial.polygrid2d", "unpackbits", "vander"),
    *("polynomial.polynomial.polyval2d", "lib.scimath.arccos", "lib.scimath.arcsin"),
    *("lib.scimath.arctanh", "lib.scimath.log", "lib.scimath.log10", "lib.scimath.log2"),
    *("lib.scimath.logn", "logspace", "real_if_close"),
}


class Lazy:
    """Makes lazy quantities in small blocks, of numbers that count in a base unit."""

    is_raw = False

    def __init__(self, unit, per_base=1.0):
        self.unit = Unit(unit)
        self.per_base = per_base
        self.like = {"like": DaskDimArray(np.ones(1), unit)}

    def __call__(self, values):
        values = np.asarray(values)
        values = values if self.per_base == 1 else values * self.per_base
        return DaskDimArray(values, self.unit, chunks=2 if values.ndim else None)


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_units_are_kept_and_nothing_is_computed(name):
    recipe = RECIPES[name]
    plain, found = powers(name, recipe)
    if name in REFUSED:
        with pytest.raises(UnsupportedFunction, match=REFUSED[name]), nothing_runs():
            recipe(function(name), Lazy("cm", 100.0), Lazy("ms", 1000.0))
        return
    with nothing_runs():
        results = leaves(recipe(function(name), Lazy("cm", 100.0), Lazy("ms", 1000.0)))
    assert len(results) == len(plain)
    for result, expected, power in zip(results, plain, found, strict=True):
        if power is None:
            assert result == expected
            continue
        is_lazy = isinstance(result, (DaskDimArray, da.Array))
        assert is_lazy or name in ANSWERED
        unit = M ** power[0] * S ** power[1]
        if isinstance(result, DimArray):
            assert result.dimension == unit.dimension
            numbers = computed(result).to_value(unit)
        else:
            assert unit == Unit(""), f"{name} lost the unit {unit}"
            numbers = computed(result)
        np.testing.assert_allclose(numbers, expected, rtol=1e-6, atol=1e-9, err_msg=name)
        assert np.shape(numbers) == np.shape(expected)
        if name not in COMPLEX:
            assert np.asarray(numbers).dtype == np.asarray(expected).dtype


@pytest.mark.parametrize("name", sorted(PURE_RECIPES))
def test_functions_of_pure_numbers(name):
    recipe, f = PURE_RECIPES[name], function(name)
    if name in REFUSED_PURE:
        with pytest.raises((UnsupportedFunction, TypeError)), nothing_runs():
            recipe(f, Lazy(""))
    else:
        expected = leaves(recipe(f, Raw()))
        with nothing_runs():
            results = leaves(recipe(f, Lazy("")))
        for result, wanted in zip(results, expected, strict=True):
            numbers = computed(result)
            numbers = numbers.to_value("") if isinstance(numbers, DimArray) else numbers
            np.testing.assert_allclose(numbers, wanted, rtol=1e-12)
    with pytest.raises((DimflowError, TypeError)), nothing_runs():
        recipe(f, Lazy("m"))


x = DaskDimArray(np.array([1.0, 4.0, 2.0, 8.0]), "m", chunks=2)


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (lambda like: np.zeros(3, like=like), (3,)),
        (lambda like: np.ones((2, 2), like=like), (2, 2)),
        (lambda like: np.eye(2, like=like), (2, 2)),
        (lambda like: np.identity(2, like=like), (2, 2)),
        (lambda like: np.tri(2, like=like), (2, 2)),
        (lambda like: np.arange(3, like=like), (3,)),
        (lambda like: np.array([1, 2], like=like), (2,)),
        (lambda like: np.asarray([1, 2], like=like), (2,)),
        (lambda like: np.full(2, 5.0, like=like), (2,)),
        (lambda like: np.fromiter([1.0, 2.0], float, like=like), (2,)),
        (lambda like: np.fromfunction(lambda i: i, (2,), like=like), (2,)),
    ],
    ids=[
        *("zeros", "ones", "eye", "identity", "tri", "arange", "array", "asarray", "full"),
        *("fromiter", "fromfunction"),
    ],
)
def test_arrays_like_a_lazy_one_are_lazy(make, shape):
    with nothing_runs():
        made = make(x)
    assert isinstance(made, DaskDimArray)
    assert made.unit == Unit("")
    assert made.shape == shape
    np.testing.assert_array_equal(made.compute().data, make(DimArray(0.0, "m")).data)


def test_a_quantity_many_times(lazy):
    made = np.full((2, 2), x[1], like=x)
    assert isinstance(made, DaskDimArray)
    assert made.unit == M
    assert made.shape == (2, 2)
    assert np.asarray([1, 2], dtype="float32", like=x).dtype == np.float32
    with pytest.raises(UnsupportedFunction, match="order in memory"):
        np.asarray(x, order="F", like=x)


def test_whole_arrays_compare_lazily():
    with nothing_runs():
        equal = np.array_equal(x, x.to("km"))
        other = np.array_equal(x, x + DimArray(1.0, "m"))
        close = np.allclose(x, x.to("km"))
        nans = np.array_equal(x * np.nan, x * np.nan, equal_nan=True)
        assert np.array_equal(x, x[:2]) is False
        assert np.array_equal(x, DimArray(1.0, "s")) is False
        assert np.array_equiv(x, x[:3]) is False
        assert np.array_equiv(x, "text") is False
    for found, wanted in ((equal, True), (other, False), (close, True), (nans, True)):
        assert isinstance(found, DaskDimArray)
        assert bool(found.compute()) is wanted
    with pytest.raises(DimensionError):
        np.isclose(x, DimArray(1.0, "s"))


def test_an_unknown_length_is_no_answer():
    picked = x[x > DimArray(1.0, "m")]
    for call in (np.size, lambda a: np.array_equal(a, a), np.common_type):
        with pytest.raises(UnsupportedFunction, match="compute_chunk_sizes"):
            call(picked)


def test_texts_show_what_is_known(lazy):
    assert np.array2string(x) == np.array_str(x) == np.array_repr(x) == repr(x)
    assert "unit='m'" in np.array2string(x, precision=2)


@pytest.mark.parametrize("save", [np.save, np.savetxt, np.savez], ids=["save", "savetxt", "savez"])
def test_files_of_numpy_store_no_unit(save, tmp_path, lazy):
    with pytest.raises(UnitLossError, match=r"dimflow\.save"):
        save(tmp_path / "x", x)
    assert not list(tmp_path.iterdir())


def test_copies_into_a_lazy_array():
    target = DaskDimArray(np.zeros(4), "cm", chunks=3)
    before = target + DimArray(1.0, "cm")
    with nothing_runs():
        np.copyto(target, x, where=np.array([True, False, True, True]))
    np.testing.assert_allclose(target.compute().to_value("cm"), [100, 0, 200, 800])
    np.testing.assert_allclose(before.compute().to_value("cm"), 1)
    np.putmask(target, [True, True, False, False], DimArray(7.0, "m"))
    np.testing.assert_allclose(target.compute().to_value("m"), [7, 7, 2, 8])
    with pytest.raises(DimflowError):
        np.copyto(target, DimArray(1.0, "s"))
    with pytest.raises(UnsupportedFunction):
        np.putmask(target, [True] * 4, x[:2])
    for memory in (np.zeros(4), DimArray(np.zeros(4), "m")):  # a lazy array is not computed for it
        with nothing_runs(), pytest.raises(UnsupportedFunction, match=r"np\.copyto"):
            np.copyto(memory, x)
        with nothing_runs(), pytest.raises(UnsupportedFunction, match=r"np\.putmask"):
            np.putmask(memory, [True] * 4, x)
    with pytest.raises(UnsupportedFunction, match=r"np\.copyto"):
        np.copyto(target, x, casting="unsafe")


def test_results_into_targets():
    target = DaskDimArray(np.zeros(()), "km")
    with nothing_runs():
        assert np.sum(x, out=target) is target
    assert target.compute().to_value("m") == 15
    with pytest.raises(ShapeMismatch):
        np.sum(x, out=DaskDimArray(np.zeros(2), "km"))
    with pytest.raises(DimflowError, match="unit of an existing array"):
        np.sum(x, out=DaskDimArray(np.zeros(()), "s"))
    with pytest.raises(DimflowError, match="lazy"):
        np.sum(x, out=DimArray(np.zeros(()), "m"))
    assert target.unit == Unit("km")


def test_edges_between_the_lowest_and_the_highest():
    with nothing_runs():
        counts, edges = np.histogram(x, 3)
        plain, given = np.histogram(x, DimArray([0.0, 300.0, 1000.0], "cm"))
    expected = np.histogram([1.0, 4, 2, 8], 3)
    np.testing.assert_array_equal(counts.compute(), expected[0])
    np.testing.assert_allclose(edges.compute().to_value("m"), expected[1])
    np.testing.assert_array_equal(plain.compute(), [2, 2])
    np.testing.assert_allclose(given.to_value("m"), [0, 3, 10])
    with pytest.raises(UnsupportedFunction, match="bins='auto'"):
        np.histogram(x, "auto")


def test_choices():
    with nothing_runs():
        chosen = np.choose([0, 1, 1, 0], [x, DimArray([1.0] * 4, "km")])
    np.testing.assert_array_equal(chosen.compute().to_value("m"), [1, 1000, 1000, 8])
    with pytest.raises(UnsupportedFunction):
        np.choose([0, 1, 1, 2], [x, x], mode="wrap")
    with pytest.raises(ValueError, match="choice"):
        np.choose([0, 1, 1, 2], [x, x]).compute()


def test_pieces():
    with nothing_runs():
        y = np.piecewise(
            x,
            [x > DimArray(3.0, "m"), x < DimArray(2.0, "m")],
            [lambda a: 2 * a, DimArray(1.0, "km"), 0],
        )
    assert y.unit == M
    np.testing.assert_array_equal(y.compute().to_value("m"), [1000, 8, 0, 16])
    with pytest.raises(DimflowError), nothing_runs():
        np.piecewise(x, [x > DimArray(3.0, "m")], [lambda a: a, lambda a: a * a])
    with pytest.raises(ValueError, match="1 or 2 functions"):
        np.piecewise(x, [x > DimArray(3.0, "m")], [1, 2, 3])


EDGES = {
    "km": DimArray([0, 2000, 4000], "m"),
    "percent": [0, 0.02, 0.04],
    "rad": DimArray([0, 120, 240], "deg"),
    "degC": DimArray([270.0, 275, 280], "K"),
    "": DimArray([0, 200, 400], "percent"),
}


@pytest.mark.parametrize(
    "call",
    [
        lambda x, edges: np.histogram(x, edges),
        lambda x, edges: np.histogram(x, list(edges)),
        lambda x, edges: np.histogram(x, 2, range=(edges[0], edges[2])),
        lambda x, edges: np.histogram(x, edges, density=True),
        lambda x, edges: np.histogram(x, edges, weights=DimArray(np.ones(4), "kg")),
        lambda x, edges: np.histogram2d(x, x, edges),
        lambda x, edges: np.histogram2d(x, x, [2, edges], range=[[edges[0], edges[2]]] * 2),
        lambda x, edges: np.histogramdd((x, x), [edges, list(edges)], density=True),
    ],
    ids=["edges", "list", "number", "density", "weights", "both", "mixed", "two"],
)
@pytest.mark.parametrize("unit", EDGES)
def test_histograms_are_those_of_arrays_in_memory(call, unit):
    values = np.array([0.5, 1.5, 2.5, 3.5])
    found, wanted = (
        parts_of(call(array, EDGES[unit]))
        for array in (DaskDimArray(values, unit, chunks=2), DimArray(values, unit))
    )
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(getattr(one, "data", one), getattr(other, "data", other))
        assert getattr(one, "unit", Unit("")) == getattr(other, "unit", Unit(""))


def parts_of(result):
    """Its arrays, computed, also those in lists."""
    if isinstance(result, list | tuple):
        return [part for each in result for part in parts_of(each)]
    return [dask.compute(result)[0]]
