"""Our namespace beside array-api-strict's: the same call, on the same numbers."""

import warnings
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import array_api_strict as strict
import numpy as np

from dimflow import DimArray, xp

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float64", "complex64", "complex128")
DTYPES = ("bool", *INTEGERS, *FLOATS)


def function(namespace: Any, path: str) -> Callable[..., Any]:
    """The function of a path such as "linalg.svd"."""
    for part in path.split("."):
        namespace = getattr(namespace, part)
    return namespace  # type: ignore[no-any-return]


def theirs(value: Any) -> Any:
    """NumPy's arrays and dtypes, also within lists, as array-api-strict's."""
    if isinstance(value, np.ndarray):
        return strict.asarray(value)
    if isinstance(value, np.dtype):
        return getattr(strict, value.name)
    return [theirs(v) for v in value] if isinstance(value, list) else value


def ours(value: Any) -> Any:
    """NumPy's arrays, also within lists, as pure numbers of ours."""
    if isinstance(value, np.ndarray):
        return xp.asarray(value)
    return [ours(v) for v in value] if isinstance(value, list) else value


def attempt(call: Callable[[], Any]) -> Any:
    """What a call gives, or the error that it raises; warnings of numbers do not count."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.filterwarnings("ignore", r"(std|var)\(\): degrees of freedom", UserWarning)
        try:
            return call()
        except Exception as error:
            return error


def run(path: str, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """What both namespaces give or raise, ours first."""
    results = []
    for namespace, lift in ((xp, ours), (strict, theirs)):
        positional, keywords = [lift(a) for a in args], {k: lift(v) for k, v in kwargs.items()}
        results.append(attempt(partial(function(namespace, path), *positional, **keywords)))
    return results[0], results[1]


def agree(path: str, *args: Any, rtol: float = 0.0, **kwargs: Any) -> None:
    """Both give the same (dtype, shape and values, for each of several results), or both raise."""
    got, wanted = run(path, *args, **kwargs)
    if isinstance(wanted, Exception):
        assert isinstance(got, Exception), f"{path} gave {got!r}, but there: {wanted!r}"
    elif isinstance(got, Exception):
        raise got
    else:
        assert_same(got, wanted, rtol=rtol)


def assert_same(got: Any, wanted: Any, *, rtol: float = 0.0) -> None:
    """An array of ours and one of array-api-strict's, or several."""
    if isinstance(wanted, (tuple, list)):
        assert isinstance(got, (tuple, list))
        assert getattr(got, "_fields", None) == getattr(wanted, "_fields", None)
        for one, other in zip(got, wanted, strict=True):
            assert_same(one, other, rtol=rtol)
        return
    assert isinstance(got, DimArray)
    numbers = np.asarray(wanted._array)
    assert got.dtype == numbers.dtype
    assert got.shape == numbers.shape
    np.testing.assert_allclose(got.to_numpy(""), numbers, rtol=rtol, atol=rtol)
    if numbers.dtype.kind == "f" and not rtol:  # the sign of nan says nothing
        signs = np.signbit(got.to_numpy("")) & ~np.isnan(numbers)
        np.testing.assert_array_equal(signs, np.signbit(numbers) & ~np.isnan(numbers))


@cache
def dtypes(path: str, arity: int) -> tuple[tuple[str, ...], ...]:
    """The dtypes that array-api-strict allows a function of this many arrays."""
    return tuple(_allowed(path, arity))


def _allowed(path: str, arity: int) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = [(d,) for d in DTYPES]
    if arity == 2:
        found = [(d, e) for d in DTYPES for e in DTYPES]
    return [names for names in found if _runs(path, names)]


def _runs(path: str, names: tuple[str, ...]) -> bool:
    arrays = [strict.ones((2, 2), dtype=getattr(strict, n)) for n in names]
    return not isinstance(attempt(partial(function(strict, path), *arrays)), TypeError)
