"""Special values, as the standard's text has them: infinities, nan, signed zeros, no elements."""

from itertools import groupby
from typing import Any

import numpy as np
import pytest

from dimflow import DimArray, Unit, xp
from dimflow.backends import backend
from dimflow.errors import UnitError
from dimflow.xp import for_library
from tests.xp.agreement import attempt
from tests.xp.recipes import BINARY, UNARY
from tests.xp.special_values import OF_LIBRARIES, OF_MANY, OF_ONE, OF_TWO

# Functions of whole numbers, and those that have a test of their own.
WHOLE = {n for n in (*UNARY, *BINARY) if "bitwise" in n or "unique" in n}


def cases(table: dict[str, list[tuple[Any, ...]]]) -> list[Any]:
    return [
        pytest.param(name, case[:-1], case[-1], id=f"{name}-{'-'.join(map(str, case[:-1]))}")
        for name, found in table.items()
        for case in found
    ]


def assert_is(got: Any, wanted: Any) -> None:
    """The same number, with the same sign of zero."""
    assert isinstance(got, DimArray)
    assert got.shape == ()
    number = got.to_numpy("").item()
    np.testing.assert_allclose(number, wanted, rtol=1e-6)
    if isinstance(wanted, float) and not np.isnan(wanted):
        assert np.signbit(number) == np.signbit(wanted)


def test_every_function_has_a_case() -> None:
    assert OF_ONE.keys() | OF_TWO.keys() == {*UNARY, *BINARY} - WHOLE


ELEMENTS = cases(OF_ONE) + cases(OF_TWO)


def is_narrow(case: Any) -> bool:
    """Whether its numbers are the same in single precision."""
    sizes = [abs(v) for v in (*case.values[1], case.values[2])]
    return all(v in (0, np.inf) or v != v or 1e-30 < v < 1e30 for v in sizes)


@pytest.mark.parametrize(("name", "args", "wanted"), ELEMENTS)
def test_an_element(name: str, args: tuple[Any, ...], wanted: Any) -> None:
    assert_is(attempt(lambda: getattr(xp, name)(*[xp.asarray(a) for a in args])), wanted)


@pytest.mark.parametrize(("name", "args", "wanted"), [c for c in ELEMENTS if is_narrow(c)])
def test_an_element_in_single_precision(name: str, args: tuple[Any, ...], wanted: Any) -> None:
    narrow = {"float64": xp.float32, "complex128": xp.complex64}
    arrays = [xp.asarray(a) for a in args]
    arrays = [xp.astype(a, narrow.get(str(a.dtype), a.dtype)) for a in arrays]
    assert_is(attempt(lambda: getattr(xp, name)(*arrays)), wanted)


def dtype_of(case: tuple[Any, ...]) -> str:
    """The dtype that holds the arguments of a case in any library."""
    if any(isinstance(value, complex) for value in case[:-1]):
        return "complex64"
    return "bool" if isinstance(case[0], bool) else "float32"


def elements(library: str, dtype: str, values: Any, unit: str) -> DimArray:
    return DimArray(backend(library).asarray(np.array(values, dtype=dtype)), unit)


def is_same(got: Any, wanted: Any) -> bool:
    try:
        assert_is(DimArray(got, ""), wanted)
    except AssertionError:
        return False
    return True


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of Dask, which computes late
@pytest.mark.parametrize("library", OF_LIBRARIES)
def test_the_elements_on_other_libraries(library: str) -> None:
    space, different = for_library(library), set()
    for name, found in (OF_ONE | OF_TWO).items():
        narrow = [case for case in found if is_narrow(pytest.param(name, case[:-1], case[-1]))]
        for dtype, group in groupby(sorted(narrow, key=dtype_of), dtype_of):
            *columns, wanted = zip(*group, strict=True)
            args = [elements(library, dtype, column, "") for column in columns]
            got = getattr(space, name)(*args).to_numpy("")
            for case, one, other in zip(zip(*columns, strict=True), got, wanted, strict=True):
                if not is_same(one, other):
                    different.add((name, case))
            try:
                lengths = getattr(space, name)(*[elements(library, dtype, c, "m") for c in columns])
            except UnitError:
                continue
            np.testing.assert_array_equal(lengths.to_numpy(), got, err_msg=name)
            assert np.array_equal(np.signbit(np.real(lengths.to_numpy())), np.signbit(np.real(got)))
    assert repr(sorted(different, key=repr)) == repr(sorted(OF_LIBRARIES[library], key=repr))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.filterwarnings("ignore:.*degrees of freedom:UserWarning")
@pytest.mark.parametrize("library", OF_LIBRARIES)
def test_the_reductions_on_other_libraries(library: str) -> None:
    for name, found in OF_MANY.items():
        for values, wanted in found:
            x = elements(library, "float32", values, "")
            got = getattr(for_library(library), name)(x)
            assert is_same(got.to_numpy(""), wanted), (name, values)


@pytest.mark.parametrize(("name", "args", "wanted"), cases(OF_MANY))
def test_a_reduction(name: str, args: tuple[Any, ...], wanted: Any) -> None:
    x = xp.asarray(args[0], dtype=xp.float64)
    assert_is(attempt(lambda: getattr(xp, name)(x)), wanted)
    if name not in ("sum", "prod", "mean", "std", "var", "max", "min"):
        return
    y = attempt(lambda: getattr(xp, name)(xp.asarray(args[0], dtype=xp.float64, unit="m")))
    np.testing.assert_array_equal(y.data, attempt(lambda: getattr(xp, name)(x)).data)
    power = {"prod": len(args[0]), "var": 2}.get(name, 1)
    assert y.unit == Unit("m") ** power


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_nothing_has_no_extreme(name: str) -> None:
    with pytest.raises(ValueError, match=r"empty|zero-size"):
        getattr(xp, name)(xp.zeros(0))


@pytest.mark.parametrize("correction", [2, 2.0, 3.5])
@pytest.mark.parametrize("name", ["std", "var"])
def test_more_corrections_than_elements(name: str, correction: float) -> None:
    got = attempt(lambda: getattr(xp, name)(xp.asarray([1.0, 1.0]), correction=correction))
    assert xp.isnan(got) or xp.isinf(got)


@pytest.mark.parametrize("value", [0, 0.0, float("inf"), float("-inf"), float("nan")])
@pytest.mark.parametrize("name", ["maximum", "minimum", "add", "less", "copysign", "hypot"])
def test_zero_infinities_and_nan_need_no_unit(name: str, value: float) -> None:
    x, pure = xp.asarray([1.0, -2.0], unit="km"), xp.asarray([1.0, -2.0])
    got, wanted = getattr(xp, name)(x, value), getattr(xp, name)(pure, value)
    np.testing.assert_array_equal(got.data, wanted.data)
    assert got.unit == (Unit("") if name == "less" else x.unit)
