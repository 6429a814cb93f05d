"""Every keyword of every function of dask.array means what it means for plain lazy arrays.

As `tests/array/test_numpy_keywords`, whose values these are: the recipes are called once more for
each keyword of a function's signature. The truth is Dask's own, also for the units.
"""

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from dimflow.array import DimArray
from dimflow.dask import DaskDimArray
from dimflow.errors import DimflowError
from dimflow.units import Unit
from tests.array import test_numpy_keywords as numpys
from tests.conftest import DEEP
from tests.dask.host.dask_walk import (
    ALL,
    Numbers,
    Quantities,
    assert_same,
    computed,
    function,
    leaves,
    power_of,
)

VALUES = {
    **numpys.VALUES,
    "allow_unknown_chunksizes": (lambda L, T: True,),
    "keepdims": (lambda L, T: True,),
    "method": (lambda L, T: "sequential", lambda L, T: "blelloch", lambda L, T: "nearest"),
    "split_every": (lambda L, T: 2,),
}
# Functions of the user, whose results are held to what is declared; angles, which have a unit.
OTHERWISE = {
    ("apply_along_axis", "dtype"),
    ("apply_along_axis", "shape"),
    ("blockwise", "dtype"),
    ("map_blocks", "dtype"),
    ("angle", "deg"),
}
REFUSED = {("broadcast_arrays", "subok"): "has no meaning"}
AT_ONCE = None if DEEP else 2  # values that are tried of each keyword


class Limits:
    """Makes arrays lazy, and single numbers plain, as Dask wants its limits."""

    def __init__(self, make: Any) -> None:
        self.make = make

    def __call__(self, values: Any) -> Any:
        return self.make(values) if np.ndim(values) else self.make.number(values)


def keywords() -> list[tuple[str, str]]:
    found = []
    for name in sorted(ALL):
        try:
            parameters = inspect.signature(function(name)).parameters.values()
        except (ValueError, TypeError):
            continue
        optional = [p.name for p in parameters if p.default is not p.empty]
        found += [(name, p) for p in optional if p in VALUES and (name, p) not in OTHERWISE]
    return found


def with_keyword(name: str, keyword: str, value: Any, L: Any, T: Any) -> Any:
    """The recipe's results, with one keyword more."""

    def called(*args: Any, **kwargs: Any) -> Any:
        return function(name)(*args, **{**kwargs, keyword: value(Limits(L), Limits(T))})

    return leaves(ALL[name](called, L, T))


def tried(name: str, keyword: str) -> Iterator[tuple[Any, Any, Any]]:
    """Each value that Dask takes: the numbers, and the powers of each scale that they go with."""
    count = 0
    for value in VALUES[keyword]:
        if count == AT_ONCE:
            return
        try:
            plain = [computed(x) for x in with_keyword(name, keyword, value, Numbers(), Numbers())]
        except Exception:  # of whatever kind: this value is not for this function
            continue
        count += 1
        powers: list[Any] = [None] * len(plain)
        try:
            scaled = [
                [computed(x) for x in with_keyword(name, keyword, value, *makers)]
                for makers in ((Numbers(4.0), Numbers()), (Numbers(), Numbers(4.0)))
            ]
            for i, before in enumerate(plain):
                if np.asarray(before).dtype.kind in "biufc":
                    powers[i] = tuple(power_of(before, after[i], name) for after in scaled)
        except (AssertionError, OverflowError):
            pass  # no power of the factor: the keyword says a number of the result
        yield value, plain, powers


@pytest.mark.share(3)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "keyword"), keywords())
def test_a_keyword_means_what_it_means_for_numbers(name: str, keyword: str) -> None:
    for value, plain, powers in tried(name, keyword):
        makers = Quantities("cm", 100.0), Quantities("ms", 1000.0)
        try:
            results, refusal = with_keyword(name, keyword, value, *makers), ""
        except DimflowError as error:
            results, refusal = [], str(error)
        if refusal:
            assert REFUSED.get((name, keyword), "taken") in refusal
            continue
        assert len(results) == len(plain)
        for result, expected, power in zip(results, plain, powers, strict=True):
            if np.asarray(expected).dtype.kind not in "biufc":
                continue
            found = computed(result)
            if power is None:
                assert np.shape(found) == np.shape(expected)
                continue
            unit = Unit("m") ** power[0] * Unit("s") ** power[1]
            is_zero = not np.any(np.ma.filled(expected, 0))
            if isinstance(found, DimArray):
                assert is_zero or found.dimension == unit.dimension
                numbers = found.data if is_zero else found.to_value(unit)
            else:
                assert is_zero or unit == Unit("")
                numbers = found
            if np.asarray(expected).dtype == np.float32:
                np.testing.assert_allclose(numbers, expected, rtol=1e-5, atol=1e-5)
                assert numbers.dtype == expected.dtype
            else:
                assert_same(numbers, expected, name)


class Lengths(Quantities):
    """Lazy lengths, with what NumPy's recipes ask for; single numbers are not lazy."""

    like: dict[str, Any] = {}

    def __call__(self, values: Any) -> Any:
        return super().__call__(values) if np.ndim(values) else self.number(values)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", numpys.TARGETS)
def test_out_of_numpys_functions_is_a_lazy_target(name: str) -> None:
    recipe, makers = numpys.RECIPES[name], (Lengths("m"), Lengths("s"))
    try:
        expected = recipe(numpys.function(name), *makers)
    except (DimflowError, TypeError, ValueError, AttributeError):
        return  # not for lazy arrays: other laws say why
    if not isinstance(expected, DimArray) or not hasattr(expected, "compute"):
        return
    if any(length != length for length in expected.shape):
        return
    target = DaskDimArray(np.zeros(expected.shape, expected.dtype), expected.unit)
    try:
        result = recipe(numpys.with_keyword(name, "out", target), *makers)
    except (DimflowError, TypeError) as error:
        result = error
    if isinstance(result, Exception):
        assert "out" in str(result)
        return
    assert result is target
    np.testing.assert_allclose(result.compute().data, expected.compute().data)
