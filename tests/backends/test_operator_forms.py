"""Operators on every library: first and later, bare partners on either side, in place.

The cases and the truth are those of `tests/array/test_operator_forms`: NumPy on exact numbers.
"""

import operator
from typing import Any

import jax
import numpy as np
import pytest

from dimflow import DimArray, Unit
from dimflow.backends import backend
from dimflow.errors import DimflowError
from tests.array import test_operator_forms as forms

jax.config.update("jax_enable_x64", True)

# JAX compiles each call, which takes its time.
LIBRARIES = ["torch", "mlx", "dask", pytest.param("jax", marks=pytest.mark.deep)]
DTYPES = [("f8", "f8"), ("f8", "f4"), ("f4", "f8"), ("f4", "f4"), ("f8", "i8"), ("i8", "i8")]
PAIRS = [("m", "m"), ("m", "km"), ("km", "m"), ("", "percent"), ("percent", ""), ("", "")]
CASES = [(name, pair) for name in forms.OF_ONE_DIMENSION for pair in PAIRS]
CASES += [(name, pair) for name in ("mul", "truediv") for pair in forms.PRODUCTS]


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    with np.errstate(all="ignore"):
        yield


def grids(library: str, name: str) -> list[tuple[Any, Any]]:
    """All pairs of finite values of two dtypes; divisors are not zero."""
    found = []
    for dtypes in DTYPES if library != "mlx" else DTYPES[3:4]:
        x, y = forms.grid(*dtypes, "flat")
        fits = np.isfinite(x) & np.isfinite(y)
        if name in ("floordiv", "mod", "truediv"):
            fits &= y != 0
        found.append((x[fits], y[fits]))
    x, y = found[0]
    return [*found, (x[:1], y), (x[3], y[2]), (x[:0], y[:0])]


def make(library: str, raw: Any, unit: str) -> Any:
    return DimArray(backend(library).asarray(np.asarray(raw)), unit)


def numbers(result: Any) -> Any:
    return np.asarray(result.to_numpy() if isinstance(result, DimArray) else result)


def assert_right(result: Any, name: str, x: Any, y: Any, pair: tuple[str, str]) -> None:
    expected = forms.expected_of(name, np.asarray(x), np.asarray(y), pair)
    found = numbers(result)
    assert found.shape == expected.shape
    if name in forms.COMPARISONS:
        assert found.dtype == bool
        np.testing.assert_array_equal(found, expected)
        return
    if name == "floordiv":
        scale = float(result.unit.scale)
        assert result.unit.dimension.is_dimensionless
    elif name in ("mul", "truediv"):
        scale = float(result.unit.scale)
        left, right = Unit(pair[0]).dimension, Unit(pair[1]).dimension
        assert result.dimension is (left * right if name == "mul" else left / right)
    else:
        assert result.unit is Unit(forms.keeps(name, pair))
        scale = float(forms.FINEST[forms.keeps(name, pair)])
    # PyTorch converts integers to its default dtype, which is single
    is_single = type(result.data).__module__ == "torch" and "i" in (x.dtype.kind, y.dtype.kind)
    is_single |= found.dtype in (np.float32, np.complex64) or x.dtype == "f4" or y.dtype == "f4"
    rtol = 3e-6 if is_single else 1e-13
    size = np.abs(expected).max(initial=0.0)
    np.testing.assert_allclose(found * scale, expected, rtol=rtol, atol=rtol * size)


@pytest.mark.share(3)
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(("name", "pair"), CASES, ids=forms.ids)
def test_the_first_time_and_later(name: str, pair: tuple[str, str], library: str) -> None:
    function = getattr(operator, name)
    for x, y in grids(library, name):
        ours = make(library, x, pair[0]), make(library, y, pair[1])
        for _ in range(3):
            result = function(*ours)
            assert_right(result, name, x, y, pair)
            if library != "jax" or isinstance(result, DimArray):
                assert type(result) is type(ours[0])


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("unit", ["", "percent", "km"])
@pytest.mark.parametrize("name", [*forms.OF_ONE_DIMENSION, "mul", "truediv"])
def test_bare_partners_on_either_side(name: str, unit: str, library: str) -> None:
    function = getattr(operator, name)
    raw = np.array([1.0, -1.5, 2.5, 100.0, -0.25], "f4" if library == "mlx" else "f8")
    x = make(library, raw, unit)
    for bare in (2, 2.5, -1, np.float64(0.25), backend(library).asarray(raw[::-1].copy())):
        y = np.asarray(numbers(bare) if not hasattr(bare, "compute") else bare.compute())
        sides = [(x, bare, (unit, "")), (bare, x, ("", unit))]
        if library == "mlx" and type(bare) is type(x.data):
            del sides[1:]  # MLX asks nobody: it takes pure numbers, and a unit is refused
        for left, right, pair in sides:
            first, second = (raw, y) if left is x else (y, raw)
            for _ in range(2):
                if unit == "km" and name not in ("mul", "truediv"):
                    if name not in ("eq", "ne"):
                        with pytest.raises((DimflowError, TypeError)):
                            function(left, right)
                    continue
                assert_right(function(left, right), name, first, second, pair)


IN_PLACE = [c for c in CASES if c[0] not in forms.COMPARISONS]
IN_PLACE = [(n, p) for n, p in IN_PLACE if n in forms.SUMS or p[1] in ("", "percent")]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(("name", "pair"), IN_PLACE, ids=forms.ids)
def test_in_place_the_unit_dtype_and_shape_stay(
    name: str, pair: tuple[str, str], library: str
) -> None:
    for x, y in grids(library, name)[:-2]:
        if x.dtype.kind == "i" or x.shape != y.shape:
            continue
        array, other = make(library, x, pair[0]), make(library, y, pair[1])
        wanted = numbers(getattr(operator, name)(array, other).to(pair[0]))
        before, alias = array.data, array
        array = forms.in_place_of(name)(array, other)
        assert array.unit is Unit(pair[0])
        assert array.shape == x.shape
        if library == "jax":  # immutable: x += y is x = x + y, and others see the old values
            np.testing.assert_array_equal(numbers(alias), x)
        else:
            assert numbers(array).dtype == x.dtype
        size = np.abs(wanted).max(initial=0.0)
        np.testing.assert_allclose(numbers(array), wanted, rtol=3e-6, atol=3e-6 * size)
        if library == "torch":
            assert array is alias
            assert array.data.data_ptr() == before.data_ptr()


@pytest.mark.share(3)
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "floordiv", "mod", "lt", "eq"])
def test_the_answer_is_the_same_each_time(name: str, library: str) -> None:
    function = getattr(operator, name)
    raws = np.array([0.5, -1.5, 20.0], "f4"), np.array([2.0, 0.5, -3.0], "f4")

    def told(*args: Any) -> Any:
        try:
            result = function(*args)
        except (DimflowError, TypeError) as error:
            return type(error).__name__, str(error)
        unit = str(result.unit) if isinstance(result, DimArray) else ""
        return unit, numbers(result).tobytes()

    for left in forms.ANY:
        x = make(library, raws[0], left)
        for right in forms.ANY[:: 1 if library == "torch" else 3]:
            y = make(library, raws[1], right)
            first = told(x, y)
            assert told(x, y) == first
            assert told(x, y) == first
            eager = DimArray(raws[0], left), DimArray(raws[1], right)
            if name != "eq":
                assert first[0] == told(*eager)[0], (left, right)
        for bare in (0, 2.5, float("inf")):
            assert told(x, bare) == told(x, bare)
            assert told(bare, x) == told(bare, x)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "float32", "complex64"])
@pytest.mark.parametrize("name", ["neg", "pos", "abs", "invert"])
def test_one_array_is_refused_or_answered_alike_each_time(
    name: str, dtype: str, library: str
) -> None:
    def call(unit: str) -> Any:
        x = make(library, np.array([1, 0, 1], dtype), unit)
        try:
            result = getattr(operator, name)(x)
        except (TypeError, ValueError, RuntimeError):
            return "refused"
        return numbers(result).tolist()

    for unit in ("", "m", "percent") if name != "invert" else ("",):
        first, *later = [call(unit) for _ in range(3)]
        assert later == [first, first]
