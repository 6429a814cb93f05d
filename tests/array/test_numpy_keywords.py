"""Every keyword of every function of NumPy means what it means for plain numbers.

The recipes are called once more for each keyword that a function's signature names, at values that
are not its default. The truth is NumPy's own, also for the units: see `test_numpy_unit_loss`.
"""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from dimflow.array import DimArray
from dimflow.errors import DimflowError
from dimflow.units import Unit
from tests.array.numpy_recipes import PURE_RECIPES, RECIPES
from tests.array.numpy_walk import Quantity, Raw, function, leaves, powers

THREE, FOUR = np.array([0.5, 2.0, 1.0]), np.array([1.0, 3.0, 0.5, 2.0])

# What a keyword is given: numbers as they are, or made by L as lengths, by T as times.
VALUES: dict[str, tuple[Callable[[Any, Any], Any], ...]] = {
    name: tuple((lambda L, T, v=v: v) for v in values)
    for name, values in {
        "axis": (0, 1, -1, (0, 1), None),
        "axes": ((0,), (1, 0), (-1, 0), (0, 2, 1), ([0], [1])),
        "axis1": (1, 2),
        "axis2": (2, 0),
        "axisa": (0,),
        "axisb": (0,),
        "axisc": (0,),
        "assume_unique": (True,),
        "base": (2.0,),
        "bias": (True,),
        "bins": (2, 5, "sturges"),
        "bitorder": ("little",),
        "compute_uv": (False,),
        "copy": (True, False),
        "cov": (True,),
        "correction": (1, 0.5),
        "count": (5, -3),
        "ddof": (1, 0.5),
        "decimals": (1,),
        "deg": (True,),
        "density": (True,),
        "dtype": ("float32", "complex128", "float64"),
        "edge_order": (2,),
        "endpoint": (False,),
        "equal_nan": (True, False),
        "full": (True,),
        "full_matrices": (False,),
        "fweights": ([1, 2, 3], [1, 2, 1, 3]),
        "aweights": ([0.5, 2.0, 1.0], [1.0, 0.5, 2.0, 3.0]),
        "hermitian": (True,),
        "include_initial": (True, False),
        "increasing": (True,),
        "ind": (1, 2),
        "indexing": ("ij",),
        "invert": (True,),
        "k": (1, -1, 3),
        "keepdims": (True,),
        "kind": ("stable", "heapsort"),
        "m": (2,),
        "max_work": (4,),
        "method": ("nearest", "lower", "higher", "midpoint", "weibull", "fft"),
        "minlength": (7,),
        "mode": ("full", "same", "valid", "wrap", "clip", "r", "complete", "edge", "reflect"),
        "n": (2, 3, 6),
        "N": (3,),
        "ndmax": (1,),
        "ndmin": (3,),
        "norm": ("ortho", "forward", "backward"),
        "num": (7,),
        "offset": (1, -1),
        "optimize": (True, "greedy"),
        "ord": (1, np.inf, -np.inf, 2, "fro", "nuc", -2),
        "order": ("F", "C", "A"),
        "overwrite_input": (True,),
        "p": (1, np.inf, "fro"),
        "rcond": (1e-3, 0.4),
        "requirements": ("F", "W"),
        "retstep": (True,),
        "return_counts": (True,),
        "return_index": (True,),
        "return_indices": (True,),
        "return_inverse": (True,),
        "returned": (True, False),
        "right": (True,),
        "rowvar": (False,),
        "rtol": (0.5,),
        "s": ((2,), (3, 2), (2, 5), (1, 2, 3)),
        "shape": ((3,), (2, 2)),
        "side": ("right",),
        "sorted": (False,),
        "sorter": ([0, 1, 2, 3], [3, 2, 1, 0]),
        "sparse": (True,),
        "stable": (True,),
        "start": (1, 2),
        "subok": (True, False),
        "trim": ("f", "b"),
        "UPLO": ("U",),
        "upper": (True,),
        "w": ([1.0, 3.0, 0.5, 2.0],),
        "weights": ([1.0, 3.0], [0.5, 2.0, 1.0], [1.0, 3.0, 0.5, 2.0]),
        "wrap": (True,),
        "where": (
            np.array([True, False, True, True]),
            np.array([True, False, True]),
            np.array([[True], [False]]),
        ),
    }.items()
}
VALUES |= {
    "initial": (lambda L, T: L(3.0), lambda L, T: L(-50.0)),
    "to_end": (lambda L, T: L(FOUR),),
    "to_begin": (lambda L, T: L(-2.0),),
    "prepend": (lambda L, T: L(-1.0), lambda L, T: L(FOUR)),
    "append": (lambda L, T: L(5.0), lambda L, T: L(FOUR)),
    **{name: (lambda L, T: L(3.0),) for name in ("min", "max", "a_min", "a_max")},
    "stop": (lambda L, T: L(9.0),),
    "step": (lambda L, T: L(0.25),),
    "atol": (lambda L, T: L(1.5),),
    "tol": (lambda L, T: L(1.5), lambda L, T: 1000),
    "dx": (lambda L, T: T(0.5),),
    "x": (lambda L, T: T(np.array([0.0, 1.0, 1.5, 4.0])), lambda L, T: T(THREE)),
    "left": (lambda L, T: T(-7.0), lambda L, T: L(-7.0)),
    "period": (lambda L, T: L(3.0),),
    "discont": (lambda L, T: L(4.0),),
    "nan": (lambda L, T: L(2.0),),
    "posinf": (lambda L, T: L(2.0),),
    "neginf": (lambda L, T: L(2.0),),
    "range": (lambda L, T: (L(1.0), L(6.0)), lambda L, T: ((L(1.0), L(6.0)), (T(0.5), T(4.0)))),
    "default": (lambda L, T: L(9.0),),
    "mean": (lambda L, T: L(np.array([[1.0], [2.0]])), lambda L, T: L(0.5)),
    "y": (lambda L, T: L(FOUR), lambda L, T: T(THREE)),
}

# Not of one meaning: how an array is made, an object to write into, the code that runs.
ELSEWHERE = {"out", "like", "device", "casting", "einsum_call", "writeable"}


def named() -> Iterator[tuple[str, str]]:
    """Every function, and every parameter of it that may be left out."""
    for name in sorted({**RECIPES, **PURE_RECIPES}):
        try:
            parameters = inspect.signature(function(name)).parameters.values()
        except ValueError:  # written in C
            continue
        for p in parameters:
            if p.default is not p.empty and p.kind is not p.POSITIONAL_ONLY:
                yield name, p.name


def keywords() -> list[tuple[str, str]]:
    return [(name, p) for name, p in named() if p in VALUES]


def with_keyword(name: str, keyword: str, value: Any) -> Any:
    def called(*args: Any, **kwargs: Any) -> Any:
        return function(name)(*args, **{**kwargs, keyword: value})

    return called


def recipe_with(name: str, keyword: str, value: Any) -> Any:
    """The recipe of a function, with one keyword more."""
    recipe = RECIPES.get(name)

    def run(f: Any, L: Any, T: Any) -> Any:
        called = with_keyword(name, keyword, value(L, T))
        return recipe(called, L, T) if recipe else PURE_RECIPES[name](called, pure(L))

    return run


def pure(L: Any) -> Any:
    return np.asarray if L.is_raw else lambda numbers: DimArray(np.asarray(numbers), "")


# Where another dimension is wanted, or what the keyword asks for has no unit; by the error's words.
REFUSED = {
    ("broadcast_arrays", "subok"): "has no meaning",
    ("cov", "y"): "arguments of one dimension",
    ("histogramdd", "range"): "arguments of one dimension",
    ("interp", "left"): "arguments of one dimension",
    ("interp", "right"): "arguments of one dimension",
    ("interp", "period"): "arguments of one dimension",
    ("linalg.qr", "mode"): "no mode 'full'",
    ("linalg.matrix_rank", "tol"): "arguments of one dimension",
    ("polyint", "k"): "arguments of one dimension",
    ("prod", "where"): "the number of factors, which a mask hides",
    ("real_if_close", "tol"): "would lose the unit",
}
# An angle is one in its unit, not a number of degrees.
ANSWERED = {("angle", "deg")}


def test_every_keyword_has_values() -> None:
    assert {parameter for _, parameter in named()} <= set(VALUES) | ELSEWHERE


def tried(name: str, keyword: str) -> Iterator[tuple[Any, Any, Any]]:
    """The recipe with each value that NumPy takes: its numbers, and their powers if they have."""
    for value in VALUES[keyword]:
        recipe = recipe_with(name, keyword, value)
        try:
            plain = leaves(recipe(None, Raw(), Raw()))
        except (TypeError, ValueError, IndexError, RuntimeError, np.linalg.LinAlgError):
            continue
        try:
            found = powers(name, lambda f, L, T, recipe=recipe: recipe(None, L, T))[1]
        except (
            AssertionError,
            OverflowError,
        ):  # no power of the factor: the keyword says a number of the result
            found = [None] * len(plain)
        yield recipe, plain, found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "keyword"), list(keywords()))
def test_a_keyword_means_what_it_means_for_numbers(name: str, keyword: str) -> None:
    for recipe, plain, found in tried(name, keyword):
        for _ in range(2):
            try:
                results = leaves(recipe(None, Quantity("m"), Quantity("s")))
            except DimflowError as error:
                results, refusal = [], str(error)
            else:
                refusal = ""
            if refusal:
                assert REFUSED.get((name, keyword), "taken") in refusal
                continue
            assert len(results) == len(plain)
            for result, expected, power in zip(results, plain, found, strict=True):
                if not isinstance(expected, np.ndarray | np.generic | float | int | complex):
                    continue
                raw = result.data if isinstance(result, DimArray) else result
                assert np.shape(raw) == np.shape(expected)
                assert np.asarray(raw).dtype == np.asarray(expected).dtype
                if (name, keyword) in ANSWERED:
                    continue
                np.testing.assert_allclose(raw, expected, rtol=1e-12, atol=1e-12)
                if power is not None and (np.isfinite(expected) & (np.abs(expected) > 1e-9)).any():
                    unit = Unit("m") ** power[0] * Unit("s") ** power[1]
                    assert (result.unit if isinstance(result, DimArray) else Unit("")) == unit


# What writes by itself, or whose results have no unit to be written with.
TARGETS = sorted({name for name, parameter in named() if parameter == "out" and name in RECIPES})
COARSER = {Unit("m"): ("km", 1e-3), Unit("m**2"): ("km**2", 1e-6), Unit("m*s"): ("km*s", 1e-3)}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TARGETS)
def test_out_is_written_into_in_its_own_unit(name: str) -> None:
    makers = Quantity("m"), Quantity("s")
    expected = RECIPES[name](function(name), *makers)
    if not isinstance(expected, DimArray):
        return
    unit, factor = COARSER.get(expected.unit, (expected.unit, 1.0))
    for target_unit, scale in ((expected.unit, 1.0), (unit, factor)):
        for _ in range(2):
            target = DimArray(np.zeros(expected.shape, expected.dtype), target_unit)
            if expected.dtype.kind not in "fc" and scale != 1:
                continue
            result = RECIPES[name](with_keyword(name, "out", target), *makers)
            assert result is target
            assert target.unit is Unit(target_unit)
            np.testing.assert_allclose(target.data, expected.data * scale, rtol=1e-12)
    wrong = DimArray(np.zeros(expected.shape, expected.dtype), "kg")
    with pytest.raises(DimflowError):
        RECIPES[name](with_keyword(name, "out", wrong), *makers)
    assert not wrong.data.any()
