"""How arrays with units behave on every library: reading, writing, meeting others."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from dimflow import Unit, ops
from dimflow.array import DimArray
from dimflow.backends import available
from dimflow.errors import BackendMismatch, DimflowError, NotANumber, UnitError
from tests.contract.evaluate import raw_of
from tests.contract.libraries.library import ON_THE_CPU, Library

METRE, KM, SECOND = Unit("m"), Unit("km"), Unit("s")
NUMBERS = np.array([1.0, 2.0, 4.0])

ARRAYS = "arrays"  # what these laws are about, where others name an op

# Every way to put values into an array; the first one needs an array that can be written into
_WRITERS: tuple[Callable[[Any, Any], Any], ...] = (
    lambda x, y: x.__setitem__(0, y),
    lambda x, y: x.at[0].set(y),
    lambda x, y: x.at[0].add(y),
    lambda x, y: x.at[0].max(y),
    lambda x, y: x.at[0].min(y),
    lambda x, y: ops.index_set(x, y, key=(0,)),
    lambda x, y: ops.index_add(x, y, key=(slice(1),)),
    lambda x, y: ops.full_like(x, y),
    lambda x, y: x.__iadd__(y),
    lambda x, y: x.__isub__(y),
)

CONDUCT: dict[str, Callable[[Library], None]] = {}

# (library, law) -> why it does not hold there; one that holds after all fails.
EXCUSED: dict[tuple[str, str], str] = {
    ("array_api_strict", "raw_arrays_on_the_left_leave_the_work_to_units"): (
        "its operators raise TypeError where Python's protocol asks for NotImplemented"
    ),
    ("mlx", "raw_arrays_on_the_left_leave_the_work_to_units"): (
        "its operators raise ValueError where Python's protocol asks for NotImplemented"
    ),
    ("array_api_strict", "rows_are_had_by_one_index_and_by_iteration"): (
        "the standard asks for an index of every axis, or an ellipsis"
    ),
    ("dask", "it_is_shown_with_numbers_and_unit"): (
        "a lazy array shows its unit, shape and blocks; its numbers are not computed to be shown"
    ),
}


def law(check: Callable[[Library], None]) -> Callable[[Library], None]:
    CONDUCT[check.__name__] = check
    return check


def raised(expected: type[Exception], function: Callable[[], Any]) -> Exception:
    """The error that a call must raise."""
    try:
        result = function()
    except expected as error:
        return error
    raise AssertionError(f"no {expected.__name__}, but {result!r}")


def numbers_of(library: Library, values: Any = NUMBERS) -> Any:
    return library.array(np.array(values, library.dtype))


def metres(library: Library, values: Any = NUMBERS) -> DimArray:
    return DimArray(numbers_of(library, values), METRE)


def holds(library: Library, array: Any, values: Any, unit: Unit) -> None:
    """An array of the library, in its class, with these numbers in this unit."""
    assert isinstance(array, DimArray), array
    assert library.owns(array.data), type(array.data)
    assert type(array) is library.array_class(array.data)
    assert array.unit == unit, array.unit
    np.testing.assert_allclose(array.to_numpy(), values, rtol=1e-6)


@law
def dtype_device_and_backend_are_read_from_the_data(library: Library) -> None:
    x = metres(library)
    assert x.dtype == library.backend.dtype(x.data)
    assert x.device == library.device
    assert x.device.backend == x.backend == library.name
    assert x.shape == (3,)
    assert type(DimArray(x.data)) is type(x) is library.array_class(x.data)


@law
def raw_arrays_on_the_left_leave_the_work_to_units(library: Library) -> None:
    raw, x = numbers_of(library), metres(library)
    holds(library, raw * x, NUMBERS**2, METRE)
    holds(library, raw * METRE, NUMBERS, METRE)
    raised(UnitError, lambda: raw + x)
    assert library.owns(raw_of(raw * METRE > x))


@law
def raw_arrays_and_units_meet(library: Library) -> None:
    raw, x = numbers_of(library), metres(library)
    holds(library, x * raw, NUMBERS**2, METRE)
    holds(library, METRE * raw, NUMBERS, METRE)
    holds(library, x / SECOND, NUMBERS, METRE / SECOND)
    holds(library, 2.0 * x, 2 * NUMBERS, METRE)


@law
def numpy_arrays_beside_it_are_lifted_in_both_orders(library: Library) -> None:
    x, plain = metres(library), NUMBERS.astype(library.dtype)
    for product in (plain * x, x * plain):
        holds(library, product, NUMBERS**2, METRE)
    for total in (x + DimArray(plain, KM), DimArray(plain, METRE) + 1000 * x):
        holds(library, total, 1001 * NUMBERS, METRE)
    for product in ([1.0, 2.0, 4.0] * x, x * [1.0, 2.0, 4.0]):
        holds(library, product, NUMBERS**2, METRE)


@law
def another_library_beside_it_is_an_error_with_the_fix(library: Library) -> None:
    installed = available()
    other = Library(next(n for n in ON_THE_CPU if n != library.name and n in installed))
    with other.ready():
        x, y = metres(library), metres(other)
        for mixed in (lambda: x + y, lambda: y * x, lambda: ops.hypot(x, y)):
            assert "to_backend" in str(raised(BackendMismatch, mixed))
        moved = y.to_backend(library.name, device=library.device)
        holds(library, x + moved, 2 * NUMBERS, METRE)


@law
def a_trip_through_numpy_and_back_keeps_everything(library: Library) -> None:
    x = metres(library)
    there = x.to_backend("numpy")
    assert type(there) is DimArray
    assert there.dtype == library.dtype
    back = there.to_backend(library.name, device=library.device)
    holds(library, back, NUMBERS, METRE)
    assert back.device == x.device
    assert back.dtype == x.dtype


@law
def a_pickle_comes_back_on_the_same_library(library: Library) -> None:
    x = metres(library)
    back = pickle.loads(pickle.dumps(x))
    holds(library, back, NUMBERS, METRE)
    assert back.dtype == x.dtype
    assert back.unit is x.unit


@law
def elements_have_no_axes_and_keep_the_unit(library: Library) -> None:
    x = metres(library, [[1.0, 2.0], [4.0, 8.0]])
    holds(library, x[1, 0], 4.0, METRE)
    assert x[1, 0].shape == ()
    holds(library, x[0, ...], [1.0, 2.0], METRE)
    holds(library, metres(library)[1], 2.0, METRE)
    holds(library, x[:, 1], [2.0, 8.0], METRE)
    assert float(DimArray(numbers_of(library, 3.0), "")) == 3.0
    assert x[1, 1].item() == 8.0


@law
def rows_are_had_by_one_index_and_by_iteration(library: Library) -> None:
    x = metres(library, [[1.0, 2.0], [4.0, 8.0]])
    holds(library, x[0], [1.0, 2.0], METRE)
    assert [row.tolist() for row in x] == [[1.0, 2.0], [4.0, 8.0]]
    for row in x:
        holds(library, row, row.tolist(), METRE)


@law
def comparisons_give_masks_of_the_library(library: Library) -> None:
    x = metres(library)
    for mask in (x > 1500 * Unit("mm"), x >= metres(library, [1.5] * 3), x != 1.0 * METRE):
        assert library.owns(raw_of(mask)), type(mask)
        assert library.numbers(raw_of(mask)).tolist() == [False, True, True]
    picked = ops.where(x > 1500 * Unit("mm"), x, 0)
    holds(library, picked, [0.0, 2.0, 4.0], METRE)
    indices = ops.argsort(metres(library, [4.0, 1.0, 2.0]))
    assert library.owns(indices)
    assert library.numbers(indices).tolist() == [1, 2, 0]


@law
def assignment_converts_or_says_why_not(library: Library) -> None:
    x = metres(library)
    if not library.backend.is_mutable(x.data):
        error = raised(DimflowError, lambda: x.__setitem__(0, 1 * KM))
        assert "at_set" in str(error) or "x.at[" in str(error), error
        holds(library, x, NUMBERS, METRE)
        return
    x[0] = 2 * KM
    holds(library, x, [2000.0, 2.0, 4.0], METRE)
    x[1:] = DimArray(numbers_of(library, [1.0, 3.0]), KM)
    holds(library, x, [2000.0, 1000.0, 3000.0], METRE)
    raised(UnitError, lambda: x.__setitem__(0, 1 * SECOND))
    holds(library, x, [2000.0, 1000.0, 3000.0], METRE)


@law
def in_place_operators_keep_the_unit(library: Library) -> None:
    x = metres(library)
    same, raw = x, x.data
    x += 1 * KM
    holds(library, x, NUMBERS + 1000, METRE)
    if library.backend.is_mutable(raw):
        assert x is same
        holds(library, same, NUMBERS + 1000, METRE)
    else:
        holds(library, same, NUMBERS, METRE)
    x -= metres(library)
    x *= 2.0
    holds(library, x, [2000.0] * 3, METRE)


@law
def a_unit_is_not_changed_in_place(library: Library) -> None:
    x = metres(library)
    raised(DimflowError, lambda: x.__imul__(metres(library)))
    raised(DimflowError, lambda: x.__iadd__(1 * SECOND))
    holds(library, x, NUMBERS, METRE)


@law
def a_copy_shares_nothing(library: Library) -> None:
    x = metres(library)
    y = x.copy()
    if library.backend.is_mutable(y.data):
        y[0] = 9 * METRE
    holds(library, x, NUMBERS, METRE)


@law
def conversions_stay_on_the_library(library: Library) -> None:
    x = metres(library)
    holds(library, x.to("km"), NUMBERS / 1000, KM)
    assert x.to("km").dtype == x.dtype
    assert x.to("km").device == x.device
    warm = DimArray(numbers_of(library, [0.0, 100.0]), "degC").to("K")
    holds(library, warm, [273.15, 373.15], Unit("K"))


@law
def integers_in_another_unit_become_fractions(library: Library) -> None:
    whole = DimArray(library.array(np.array([1, 2, 3])), METRE)
    moved = whole.to("km")
    assert np.dtype(library.dtype_of(moved.data)).kind == "f"
    np.testing.assert_allclose(moved.to_numpy(), [0.001, 0.002, 0.003], rtol=1e-6)
    assert np.dtype(library.dtype_of((whole + whole).data)).kind == "i"


@law
def fractions_are_not_written_into_integers(library: Library) -> None:
    """The dtypes decide, not the values: whole fractions and converted integers are refused too."""
    raw = library.array(np.array([1, 2, 3]))
    writers = _WRITERS if library.backend.is_mutable(raw) else _WRITERS[1:]
    for bad in (2.0 * METRE, 2.5 * METRE, 1 * KM, metres(library, 2.0)):
        for write in writers:
            x = DimArray(raw, METRE)
            raised(NotANumber, lambda x=x, write=write, bad=bad: write(x, bad))  # type: ignore[misc]
            assert library.numbers(raw).tolist() == [1, 2, 3]
    for bad in (2.0, 0.0, float("nan"), 2j):
        for write in (*writers, lambda x, y: x.__imul__(y)):
            x = DimArray(raw, "")
            raised(NotANumber, lambda x=x, write=write, bad=bad: write(x, bad))  # type: ignore[misc]
        raised(NotANumber, lambda bad=bad: ops.index_set(raw, bad, key=(0,)))  # type: ignore[misc]
    raised(NotANumber, lambda: DimArray(raw, METRE).__itruediv__(1))
    assert library.numbers(raw).tolist() == [1, 2, 3]


@law
def integers_are_written_into_integers(library: Library) -> None:
    for value in (7 * METRE, DimArray(library.array(np.array(7)), METRE)):
        x = DimArray(library.array(np.array([1, 2, 3])), METRE)
        dtype = x.dtype
        found = [x.at[0].set(value), x.at[0].add(value - 1 * METRE), ops.full_like(x, value)]
        found = [found[0], found[1], found[2][:1]]
        if library.backend.is_mutable(x.data):
            x[0] = value
            found.append(x)
        for array in found:
            assert array.dtype == dtype
            assert array.tolist()[0] == 7
    x = DimArray(library.array(np.array([1, 2, 3])), "")
    x += 4
    x *= 2
    assert x.tolist() == [10, 12, 14]
    assert x.at[1].set(0).tolist() == [10, 0, 14]
    raised(NotANumber, lambda: x.at[0].set(2**80))
    assert x.tolist() == [10, 12, 14]


@law
def it_is_shown_with_numbers_and_unit(library: Library) -> None:
    x = metres(library, [1.0, 2.0, 7.0])
    for text in (repr(x), str(x)):
        assert "7" in text, text
        assert "m" in text, text


def misconduct(library: Library) -> list[list[str]]:
    """The laws that do not hold without an excuse, and excuses without need."""
    found = []
    for name, check in CONDUCT.items():
        excuse = EXCUSED.get((library.name, name))
        try:
            with library.ready():
                check(library)
        except Exception as error:  # whatever a library raises breaks the law
            if excuse is None:
                found.append([ARRAYS, name, f"{type(error).__name__}: {error}"])
        else:
            if excuse is not None:
                found.append([ARRAYS, name, "it holds, though it is excused"])
    return found
