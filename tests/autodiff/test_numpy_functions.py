"""NumPy's functions on arrays that are differentiated: right by differences, or refused clearly.

The recipes are those of the tests of units: every function that dimflow supports is among them.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dimflow
from dimflow import DimArray
from dimflow.errors import DimflowError
from dimflow.ops.rules.dtypes import kind_of
from tests.array.numpy_recipes import PURE_RECIPES, RECIPES
from tests.array.numpy_walk import function, leaves
from tests.array.test_numpy_ufuncs import KNOWN, PURE_ONLY, UFUNCS, arguments

STEP = 1e-6
_BESIDE = {"heaviside": ("m", ""), "ldexp": ("m", "")}  # ufuncs whose arguments differ in unit

# The samples stand at a jump, where a difference shows nothing: equal values, edges of bins.
AT_A_JUMP = frozenset(
    {"setdiff1d", "setxor1d", "trim_zeros", "union1d", "histogram2d", "histogramdd"}
    | {"np.frexp", "np.rint"}
)

REFUSED: dict[str, str] = {
    **dict.fromkeys(
        ("copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"),
        "they write into an array",
    ),
    **dict.fromkeys(
        (
            *("array", "asanyarray", "asarray", "ascontiguousarray", "asfortranarray", "require"),
            *("full", "einsum_path", "may_share_memory", "shares_memory", "min_scalar_type"),
        ),
        "they ask for NumPy's own memory",
    ),
    **{
        f"lib.scimath.{name}": "whether the result is complex depends on the values"
        for name in ("arccos", "arcsin", "arctanh", "log", "log10", "log2", "logn", "sqrt", "power")
    },
    **dict.fromkeys(
        (
            *("poly", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul", "polysub"),
            *("polynomial.polynomial.polygrid2d", "polynomial.polynomial.polyval2d", "roots"),
            *("apply_along_axis", "piecewise", "vander", "sort_complex", "real_if_close"),
            *("arange", "geomspace", "logspace"),
            "lib.stride_tricks.sliding_window_view",
        ),
        "they are NumPy's own code, which no op stands for",
    ),
    "linalg.svd": "svd(full_matrices=True) has no derivative",
    "intersect1d": "return_indices= has no meaning for the op",
}

Call = Callable[[Any, Any], Any]


def calls() -> dict[str, tuple[Call, str, str]]:
    """Every function with what makes its arguments, and their units."""
    found: dict[str, tuple[Call, str, str]] = {}
    for name, recipe in RECIPES.items():
        found[name] = (lambda L, T, r=recipe, n=name: r(function(n), L, T)), "m", "s"
    for name, pure in PURE_RECIPES.items():
        found[name] = (lambda L, T, r=pure, n=name: r(function(n), L)), "", ""
    for name in KNOWN:
        units = _BESIDE.get(name, ("", "") if name in PURE_ONLY else ("m", "m"))

        def call(first: Any, second: Any, name: str = name) -> Any:
            makers = (first, second)
            return UFUNCS[name](*[makers[i > 0](a) for i, a in enumerate(arguments(name))])

        found[f"np.{name}"] = call, *units
    return found


CALLS = calls()


class Maker:
    """Makes the arguments of a recipe: those that are differentiated come from outside."""

    is_raw = False

    def __init__(self, unit: str, take: Callable[[Any, str], Any]) -> None:
        self.unit = unit
        self.take = take
        self.like = {"like": DimArray(1.0, unit)}

    def __call__(self, values: Any) -> Any:
        return self.take(np.asarray(values), self.unit)


def smooth_arguments(name: str) -> list[DimArray]:
    """The arrays of real or complex numbers that a recipe makes."""
    call, *units = CALLS[name]
    made: list[DimArray] = []

    def note(values: Any, unit: str) -> DimArray:
        array = DimArray(values, unit)
        if values.dtype.kind in "fc":
            made.append(array)
        return array

    call(*[Maker(unit, note) for unit in units])
    return made


def program(name: str) -> Callable[..., tuple[Any, ...]]:
    """The recipe as a function of these arrays, giving all that may have a derivative."""
    call, *units = CALLS[name]

    def run(*arrays: Any) -> tuple[Any, ...]:
        given = iter(arrays)

        def take(values: Any, unit: str) -> Any:
            return next(given) if values.dtype.kind in "fc" else DimArray(values, unit)

        results = leaves(call(*[Maker(unit, take) for unit in units]))
        return tuple(r for r in results if _is_array(r) and kind_of(r) in "fc")

    return run


def _is_array(value: Any) -> bool:
    return hasattr(value, "shape") and not isinstance(value, type)


def raw(value: Any) -> Any:
    return np.asarray(value.data if isinstance(value, DimArray) else value)


def drawn(arrays: list[DimArray]) -> list[DimArray]:
    """Random tangents."""
    rng = np.random.default_rng(0)
    numbers = [
        rng.normal(size=a.shape) + (1j * rng.normal(size=a.shape) if a.dtype.kind == "c" else 0)
        for a in arrays
    ]
    return [DimArray(n, a.unit) for n, a in zip(numbers, arrays, strict=True)]


WITH_NUMBERS = [name for name in CALLS if smooth_arguments(name)]


@pytest.mark.parametrize("name", [n for n in WITH_NUMBERS if n not in REFUSED])
def test_the_derivative_is_right(name: str) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        _check(name)


def _check(name: str) -> None:
    run, args = program(name), smooth_arguments(name)
    tangents = drawn(args)
    values, changes = dimflow.jvp(run, tuple(args), tuple(tangents))
    plain = run(*args)
    assert [raw(v).shape for v in values] == [raw(p).shape for p in plain], "results were lost"
    for value, change, known in zip(values, changes, plain, strict=True):
        np.testing.assert_allclose(raw(value), raw(known), rtol=1e-12, atol=1e-12)
        assert raw(change).shape == raw(value).shape
        if isinstance(known, DimArray):
            assert value.unit is known.unit
            assert change.unit.dimension is known.unit.dimension
    if name in AT_A_JUMP:
        return
    after, before = (
        run(*[a + s * STEP * t for a, t in zip(args, tangents, strict=True)]) for s in (1, -1)
    )
    wanted = [(raw(a) - raw(b)) / (2 * STEP) for a, b in zip(after, before, strict=True)]
    for change, want in zip(changes, wanted, strict=True):
        size = np.nanmax(np.abs(want), initial=0.0)
        rtol = 0.2 if raw(change).dtype == np.float32 else 1e-4
        np.testing.assert_allclose(raw(change), want, rtol=rtol, atol=rtol * (size + 0.1))
    _check_reverse(run, args, tangents, changes)


def _check_reverse(run: Any, args: Any, tangents: Any, changes: Any) -> None:
    """What goes back is the transpose of what goes forward."""
    values, pull = dimflow.vjp(run, *args)
    if not values:
        return
    weights = tuple(DimArray(np.ones_like(raw(c)), "J") / _difference(c) for c in changes)
    backs = pull(weights)
    got = sum(np.nansum(raw(b) * raw(t)).real for b, t in zip(backs, tangents, strict=True))
    wanted = sum(np.nansum(raw(c)).real for c in changes)
    size = sum(np.nansum(np.abs(raw(c))) for c in changes)
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6 * (size + 1))
    for back, argument in zip(backs, args, strict=True):
        assert raw(back).shape == argument.shape


def _pulled(run: Any, args: Any) -> Any:
    values, pull = dimflow.vjp(run, *args)
    return pull(tuple(DimArray(np.ones_like(raw(v)), "J") / _difference(v) for v in values))


def _difference(value: Any) -> Any:
    return value.unit if isinstance(value, DimArray) else 1


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_followed_is_refused(name: str) -> None:
    run, args = program(name), smooth_arguments(name)
    run(*args)
    for differentiate in (
        lambda: dimflow.jvp(run, tuple(args), tuple(drawn(args))),
        lambda: _pulled(run, args),
    ):
        with pytest.raises(DimflowError) as caught:
            differentiate()
        assert caught.value.hint, "it does not say what to do"


# Batches

NOT_BATCHED = {
    *("bincount", "setdiff1d", "setxor1d", "trim_zeros", "union1d", "unique", "unique_all"),
    *("unique_counts", "unique_inverse", "unique_values"),
}


@pytest.mark.parametrize("name", WITH_NUMBERS)
def test_a_batch_is_a_loop(name: str) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        _check_batch(name)


def _check_batch(name: str) -> None:
    run, args = program(name), smooth_arguments(name)
    batch = [DimArray(np.stack([f * a.data for f in (1.0, 1.01, 0.97)]), a.unit) for a in args]
    wanted = [run(*[b[k] for b in batch]) for k in range(3)]
    if not wanted[0]:
        return
    if name in NOT_BATCHED | (REFUSED.keys() - {"linalg.svd", "einsum_path"}):
        with pytest.raises(DimflowError) as caught:
            dimflow.vmap(run, engine="own")(*batch)
        assert caught.value.hint
        return
    got = dimflow.vmap(run, engine="own")(*batch)
    for part, *slices in zip(got, *wanted, strict=True):
        stacked = np.stack([raw(s) for s in slices])
        np.testing.assert_allclose(raw(part), stacked, rtol=1e-9, atol=1e-12)
        if isinstance(slices[0], DimArray):
            assert part.unit is slices[0].unit
