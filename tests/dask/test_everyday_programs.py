"""What people write with lazy arrays: each program gives what it gives on arrays in memory."""

import operator

import dask.array as da
import numpy as np
import pytest

from dimflow import DimArray
from dimflow import units as u
from dimflow.dask import DaskDimArray
from dimflow.errors import PointError, UnsupportedFunction
from tests.dask.conftest import nothing_runs

RNG = np.random.default_rng(11)


def lengths(shape, dtype="f8", unit="m"):
    """Numbers between 1 and 2 with a unit."""
    return DimArray(RNG.uniform(1, 2, shape).astype(dtype), unit)


def lazily(array):
    """The same in two blocks an axis, or in fewer."""
    chunks = tuple(max(1, (length + 1) // 2) for length in array.shape)
    return DaskDimArray.from_dimarray(array, chunks=chunks)


def agree(program, *arrays, rtol=1e-12):
    """Both ways: unit, dtype, shape and numbers. Returns the lazy result."""
    expected = program(*arrays)
    with nothing_runs():
        made = program(*map(lazily, arrays))
    found = made.compute()
    assert getattr(found, "unit", None) == getattr(expected, "unit", None)
    assert made.dtype == found.dtype == expected.dtype
    assert made.shape == found.shape == expected.shape
    raws = [value.data if isinstance(value, DimArray) else value for value in (found, expected)]
    np.testing.assert_allclose(*raws, rtol=rtol)
    return made


@pytest.mark.parametrize("name", ["iadd", "isub", "imul", "itruediv"])
@pytest.mark.parametrize("other", ["an array", "a number"])
def test_an_array_that_is_written_into_keeps_its_dtype(name, other):
    unit = "m" if name in ("iadd", "isub") else ""
    value = lengths(5, unit=unit) if other == "an array" else DimArray(0.5, unit)

    def program(x):
        x = x.copy()
        return getattr(operator, name)(x, value)

    assert agree(program, lengths(5, "f4"), rtol=1e-6).dtype == np.float32


FILLINGS = {
    "a number": lambda x: np.full_like(x, 3 * u.cm),
    "0": lambda x: np.full_like(x, 0),
    "a lazy number": lambda x: np.full_like(x, x.mean()),
    "a row": lambda x: np.full_like(x, x[0]),
    "a column": lambda x: np.full_like(x, x[:, :1]),
}


@pytest.mark.parametrize("name", FILLINGS)
def test_an_array_like_another_is_in_its_blocks(name):
    made = agree(FILLINGS[name], lengths((5, 4)))
    assert made.chunks == ((3, 2), (2, 2))


@pytest.mark.parametrize("fill", [3 * u.cm, 0, DaskDimArray(np.array(2.0), "m")])
def test_an_array_like_one_of_unknown_length(fill):
    x = lazily(lengths(6))
    some = x[x > 1.2 * u.m]
    with nothing_runs():
        made = np.full_like(some, fill)
    expected = np.full_like(some.compute(), fill.compute() if hasattr(fill, "compute") else fill)
    np.testing.assert_array_equal(made.compute().to_value("m"), expected.to_value("m"))


def holed():
    """Numbers, of which some are masked; the lazy array of them."""
    numbers = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    holes = np.array([[False, False, True], [False, True, False]])
    return numbers, holes, da.ma.masked_array(DaskDimArray(numbers, "m", chunks=(1, 2)), mask=holes)


CHOICES = {
    "np.where": lambda x, keep: np.where(keep, x, 0),
    "da.where": lambda x, keep: da.where(keep, x, 0 * u.cm),
    "where masked": lambda x, keep: np.where(x > 0 * u.m, x, 0),
    "select": lambda x, keep: np.select([keep], [x], 0 * u.m),
}


@pytest.mark.parametrize("name", CHOICES)
def test_a_choice_shows_nothing_that_is_masked(name):
    numbers, holes, x = holed()
    with nothing_runs():
        made = CHOICES[name](x, numbers > 0)
    found = made.compute()
    np.testing.assert_array_equal(np.ma.getmaskarray(found.data), holes)
    np.testing.assert_array_equal(found.data.compressed(), numbers[~holes])


@pytest.mark.parametrize("shape", [(2, 3, 4), (2, 2, 2, 2), (3,), ()])
def test_the_norm_of_all_elements(shape):
    agree(np.linalg.norm, lengths(shape))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0), (), (5,), (2, 3)])
def test_searching_for_any_number_of_values(shape):
    edges = DimArray(np.linspace(1, 2, 7), "m")
    agree(lambda x: np.searchsorted(edges, x.to("cm")), lengths(shape))


@pytest.mark.parametrize("shape", [(0, 3), (2, 0), (0,), (3, 2)])
def test_picking_by_a_mask_out_of_nothing_too(shape):
    x = lengths(shape)
    found = lazily(x)[lazily(x) > 1.5 * u.m].compute()
    np.testing.assert_array_equal(found.data, x[x > 1.5 * u.m].data)
    assert found.unit == x.unit


PRECISE = {
    "cov": np.cov,
    "cov of two": lambda x: np.cov(x[0], x[1]),
    "cov of float32": lambda x: np.cov(x, dtype="f4"),
    "corrcoef": np.corrcoef,
    "corrcoef of columns": lambda x: np.corrcoef(x, rowvar=False),
    "corrcoef of float32": lambda x: np.corrcoef(x, dtype="f4"),
}


@pytest.mark.parametrize("name", PRECISE)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_covariances_are_as_precise_as_numpys(name, dtype):
    single = name.endswith("float32")
    agree(PRECISE[name], lengths((4, 6), dtype), rtol=1e-4 if single else 1e-11)


def test_weights_are_summed_in_the_dtype_of_the_average():
    weights = lengths((400, 3), "f4")
    agree(lambda x, w: np.average(x, axis=0, weights=w), lengths((400, 3)), weights, rtol=1e-14)


COUNTED = {
    "spaced": lambda x: np.histogram(x, bins=5),
    "spaced between ends": lambda x: np.histogram(x, bins=5, range=(0 * x.unit, 3 * x.unit)),
    "density": lambda x: np.histogram(x, bins=np.arange(5) * x.unit, density=True),
}


@pytest.mark.parametrize("name", COUNTED)
def test_levels_are_not_spaced_evenly_nor_divided_by(name):
    levels = lengths(6, unit="dB")
    with pytest.raises(PointError) as expected:
        COUNTED[name](levels)
    with nothing_runs(), pytest.raises(PointError) as raised:
        COUNTED[name](lazily(levels))
    assert str(raised.value) == str(expected.value)


STEPS = {"none": (), "a number": (2 * u.km,), "numbers": (DimArray(np.array(0.5), "s"),)}


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i4", "f4", "f8"])
@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("shape", [(7,), (2, 9)])
def test_slopes_of_short_integers_do_not_wrap_around(shape, steps, dtype):
    counts = DimArray(RNG.integers(0, 100, shape).astype(dtype), "V")
    agree(lambda x: np.gradient(x, *STEPS[steps], axis=-1), counts, rtol=1e-6)


NORMS = {
    "norm": np.linalg.norm,
    "norm of rows": lambda x: np.linalg.norm(x, axis=1),
    "norm 1": lambda x: np.linalg.norm(x, 1),
    "vector_norm": np.linalg.vector_norm,
    "matrix_norm": np.linalg.matrix_norm,
}


@pytest.mark.parametrize("dtype", ["u1", "i1", "i4", "f4", "f8"])
@pytest.mark.parametrize("name", NORMS)
def test_norms_of_short_integers_do_not_wrap_around(name, dtype):
    counts = DimArray(RNG.integers(50, 120, (4, 6)).astype(dtype), "V")
    agree(NORMS[name], counts, rtol=1e-6)


PRODUCTS = {
    "matmul": lambda x: x @ x.T,
    "tensordot": lambda x: np.tensordot(x, x, axes=((0,), (0,))),
    "dot": lambda x: np.dot(x[0], x[1]),
    "inner": lambda x: np.inner(x, x),
    "vecdot": lambda x: np.vecdot(x, x),
    "einsum": lambda x: np.einsum("ij,ij->j", x, x),
}


@pytest.mark.parametrize("dtype", ["?", "u1", "i2", "i4", "i8", "f4", "c8"])
@pytest.mark.parametrize("name", PRODUCTS)
def test_products_have_the_dtype_of_their_factors(name, dtype):
    agree(PRODUCTS[name], DimArray(RNG.integers(0, 4, (4, 6)).astype(dtype), ""), rtol=1e-5)


EDGES = DimArray([0.0, 2.0, 4.0, 8.0], "m")
BLIND = {
    "np.histogram": lambda x: np.histogram(x, bins=EDGES),
    "da.histogram": lambda x: da.histogram(x, bins=EDGES),
    "np.unique": np.unique,
    "da.unique": da.unique,
    "np.einsum": lambda x: np.einsum("ij,ij->i", x, x),
    "da.einsum": lambda x: da.einsum("ij,ij->i", x, x),
    "np.outer": lambda x: np.outer(x[0], x[0]),
    "da.outer": lambda x: da.outer(x[0], x[0]),
    "np.fft": lambda x: np.fft.fft(x, axis=0),
    "da.fft": lambda x: da.fft.rfft(x.rechunk(-1), axis=0),
    "np.tril": np.tril,
    "da.triu": da.triu,
    "np.searchsorted": lambda x: np.searchsorted(EDGES, x),
    "da.choose": lambda x: da.choose(np.ones((2, 3), int), [x, x]),
    "np.nonzero": np.nonzero,
    "da.argwhere": da.argwhere,
}


@pytest.mark.parametrize("name", BLIND)
def test_what_would_look_under_a_mask_is_refused(name):
    x = holed()[2]
    with nothing_runs(), pytest.raises(UnsupportedFunction, match="under a mask"):
        BLIND[name](x)
    with nothing_runs():
        BLIND[name](da.ma.filled(x, 0 * u.m))


BINS = da.from_array(np.array([0, 1, 0, 1, 0, 1]), chunks=3)
LOOKING = {
    "np.bincount": lambda x: np.bincount(BINS, weights=x),
    "da.bincount": lambda x: da.bincount(BINS, weights=x),
    "matmul": lambda x: x[None] @ x[:, None],
    "assignment": lambda x: x.__setitem__(x > 0 * u.m, 0 * u.m),
}


@pytest.mark.parametrize("name", LOOKING)
def test_sums_and_assignments_do_not_look_under_masks(name: str) -> None:
    x = da.ma.masked_greater(DaskDimArray(np.arange(6.0), "m", chunks=3), 2 * u.m)
    with nothing_runs(), pytest.raises(UnsupportedFunction, match="under a mask"):
        LOOKING[name](x)
