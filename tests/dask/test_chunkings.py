"""The law of blocks: an op on a lazy array gives what it gives at once, however the array is cut.

Nothing is computed while the program is built: a scheduler that refuses stands by. In the fast run
each op has one of its samples, cut in one way, which change from day to day; in the deep run all
have every sample, in every way.
"""

from collections.abc import Callable
from typing import Any
from zlib import crc32

import dask
import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dimflow import ops
from dimflow.array import DimArray
from dimflow.dask import DaskDimArray
from dimflow.errors import UnitError
from dimflow.ops import Op
from tests.contract.deviations import ARBITRARY
from tests.contract.evaluate import assert_same, leaves, quietly, raw_of, run
from tests.contract.libraries.gauge import comparable
from tests.contract.samples import DAY, DEEP, Case, cases, cast
from tests.contract.units_search import REWRITTEN, accepted, chosen_unit
from tests.dask.conftest import nothing_runs
from tests.dask.cuts import DTYPES, SHAPES, WAYS, chunkings, in_blocks, numbers

_EXAMPLES = 200 if DEEP else 20
_PARTS = 4  # of the table, of which each day has one

# Real eigenvalues of a real matrix have a real dtype, which depends on the values: lazily complex.
_WIDER = frozenset({"eig", "eigvals"})


def _is_lazy(name: str) -> bool:
    """Whether an op has a sample with an array, and numbers that are determined."""
    op = ops.get(name)
    return (
        name not in ARBITRARY
        and op.kind not in ("random", "control")
        and "generator" not in op.signature.parameters
        and any(map(_has_array, cases(name)))
    )


def _has_array(case: Case) -> bool:
    return any(isinstance(a, (np.ndarray, np.generic)) for a in case.args)


NAMES = [name for name in ops.TABLE if _is_lazy(name)]


def _chosen(name: str) -> list[tuple[int, Case, str]]:
    """Samples and ways to cut them: of today, or all."""
    found = [
        (i, case, way) for i, case in enumerate(cases(name)) if _has_array(case) for way in WAYS
    ]
    return found if DEEP else [found[(crc32(name.encode()) + DAY) % len(found)]]


def _generator(name: str, index: int) -> np.random.Generator:
    return np.random.default_rng([crc32(name.encode()), index, DAY])


def _agree(op: Op, lazy: Any, eager: Any, what: str) -> None:
    """Kinds, units, dtypes and shapes as far as they are known; then the numbers."""
    parts = list(zip(leaves(lazy), leaves(eager), strict=True))
    for one, other in parts:
        if isinstance(other, DimArray):
            assert type(one) is DaskDimArray, f"{what}: {type(one)}"
            assert one.unit is other.unit, f"{what}: {one.unit}, not {other.unit}"
        raw, wanted = raw_of(one), np.asarray(raw_of(other))
        assert isinstance(raw, da.Array), f"{what}: {type(raw)}"
        if op.name not in _WIDER:
            assert raw.dtype == wanted.dtype, f"{what}: {raw.dtype}, not {wanted.dtype}"
        assert raw.ndim == wanted.ndim, f"{what}: {raw.shape}, not {wanted.shape}"
        known = [(n, m) for n, m in zip(raw.shape, wanted.shape, strict=True) if n == n]
        assert all(n == m for n, m in known), f"{what}: {raw.shape}, not {wanted.shape}"
    computed = quietly(dask.compute, *(raw_of(one) for one, _ in parts))
    for found, (one, _) in zip(computed, parts, strict=True):
        assert np.asarray(found).dtype == raw_of(one).dtype, f"{what}: promised {raw_of(one).dtype}"
    got, wanted = comparable(op.name, list(computed), [raw_of(other) for _, other in parts])
    assert_same(got, wanted, rtol=1e-9, what=what)


def _built(op: Op, args: Any, params: Any) -> Any:
    with nothing_runs():
        return quietly(run, op, args, params)


@pytest.mark.parametrize("name", NAMES)
def test_lazy_is_eager_however_it_is_cut(name: str) -> None:
    op = ops.get(name)
    for index, case, way in _chosen(name):
        args = in_blocks(_generator(name, index), case.args, way)
        lazy = _built(op, args, case.params)
        eager = quietly(run, op, case.args, case.params)
        _agree(op, lazy, eager, f"{name}, {case.label}, {way}")


def _in_units(name: str, index: int, case: Case) -> list[tuple[Any, ...]]:
    """The sample with units that the op accepts, as they are and in others of their kind."""
    found = []
    for units in accepted(name, index)[: None if DEEP else 1]:
        scaled = tuple(u and REWRITTEN.get(u, (u,))[0] for u in units)
        found += [units, scaled]
    return [
        tuple(
            a if u is None or a is None else DimArray(np.asarray(a), u)
            for a, u in zip(case.args, units, strict=True)
        )
        for units in dict.fromkeys(found)
    ]


def _is_due(name: str) -> bool:
    return DEEP or (crc32(name.encode()) + DAY) % _PARTS == 0


@pytest.mark.parametrize("name", list(filter(_is_due, NAMES)))
def test_units_are_those_of_eager_arrays(name: str) -> None:
    op = ops.get(name)
    for index, case, way in _chosen(name):
        for args in _in_units(name, index, case):
            units = tuple(a.unit if isinstance(a, DimArray) else None for a in args)
            params = chosen_unit(op, case, tuple(u and str(u) for u in units))
            what = f"{name}, {case.label}, {way}, in {units}"
            blocks = in_blocks(_generator(name, index), args, way)
            eager, refusal = _tried(run, op, args, params)
            if refusal is None:
                _agree(op, _built(op, blocks, params), eager, what)
                continue
            _, found = _tried(_built, op, blocks, params)
            assert str(found) == str(refusal), what


@pytest.mark.parametrize("name", list(filter(_is_due, NAMES)))
def test_single_precision_stays_single(name: str) -> None:
    op = ops.get(name)
    for index, case, way in _chosen(name):
        single = cast(case, np.float32)
        eager = quietly(run, op, single.args, single.params)
        lazy = _built(op, in_blocks(_generator(name, index), single.args, way), single.params)
        for one, other, wide in zip(
            leaves(lazy),
            leaves(eager),
            leaves(quietly(run, op, case.args, case.params)),
            strict=True,
        ):
            if np.asarray(wide).dtype == np.float64 and np.asarray(other).dtype == np.float32:
                assert one.dtype == np.float32, f"{name}, {single.label}, {way}: {one.dtype}"
        computed = quietly(dask.compute, *leaves(lazy))
        for found, promised in zip(computed, leaves(lazy), strict=True):
            assert np.asarray(found).dtype == promised.dtype, f"{name}, {single.label}, {way}"


# Shapes that no sample has: none, empty, of one element


_MAPS = [
    n
    for n in NAMES
    if ops.get(n).kind == "elementwise"
    and not callable(ops.get(n).domain)
    and len(ops.get(n).signature.parameters) == len(ops.get(n).array_names) <= 2
]
_FOLDS: list[tuple[str, dict[str, Any]]] = [
    *(
        (name, {"keepdims": keep})
        for name in ("sum", "mean", "std", "var", "max", "min", "prod", "any", "all", "ptp")
        for keep in (False, True)
    ),
    *((name, {}) for name in ("nansum", "nanmax", "count_nonzero", "median", "vector_norm")),
    *((name, {}) for name in ("cumulative_sum", "sort", "argsort", "argmax", "argmin", "diff")),
]
_ALONG = frozenset({"sort", "argsort", "argmax", "argmin", "diff"})
_FORMS: list[tuple[str, dict[str, Any]]] = [
    ("reshape", {"shape": -1}),
    ("ravel", {"order": "F"}),
    ("permute_dims", {"axes": None}),
    ("flip", {}),
    ("squeeze", {}),
    ("expand_dims", {"axis": 0}),
    ("roll", {"shift": 2}),
    ("tile", {"reps": (2, 1)}),
    ("repeat", {"repeats": 2}),
    ("atleast_2d", {}),
    ("zeros_like", {}),
    ("fftshift", {}),
    ("unique_values", {}),
    ("argwhere", {}),
    ("flatnonzero", {}),
]


@st.composite
def _cut(draw: Any, shape: Any = None) -> tuple[Any, Any]:
    """An array, and the same in blocks."""
    shape = draw(SHAPES) if shape is None else shape
    array = numbers(draw(st.integers(0, 99)), shape, draw(DTYPES))
    return array, da.from_array(array, chunks=draw(chunkings(shape)), name=False)


def _tried(function: Callable[..., Any], *args: Any) -> tuple[Any, Exception | None]:
    """What a function gives, or the error that it raises."""
    try:
        return quietly(function, *args), None
    except Exception as error:  # of whatever kind
        return None, error


def _same(name: str, eager_args: Any, lazy_args: Any, params: Any) -> None:
    """What comes at once comes lazily; where an error comes at once, one comes, at the latest then.

    Errors of units come while the program is built, and say the same.
    """
    op, what = ops.get(name), f"{name} {params}"
    eager, refusal = _tried(lambda: op.run(tuple(eager_args), params))
    if refusal is None:
        _agree(op, _called(op, lazy_args, params), eager, what)
        return
    lazy, found = _tried(lambda: _called(op, lazy_args, params))
    if type(refusal) is UnitError:
        assert str(found) == str(refusal), what
    if found is None:
        _, found = _tried(lambda: dask.compute(*map(raw_of, leaves(lazy))))
    assert found is not None, f"{what}: {refusal}"


def _called(op: Op, args: Any, params: Any) -> Any:
    with nothing_runs():
        return quietly(lambda: op.run(tuple(args), params))


@settings(max_examples=_EXAMPLES, deadline=None)
@given(st.sampled_from(_MAPS), _cut())
def test_maps_of_any_shape(name: str, pair: tuple[Any, Any]) -> None:
    array, blocks = pair
    count = len(ops.get(name).array_names)
    _same(name, (array,) * count, (blocks,) * count, {})


@settings(max_examples=_EXAMPLES, deadline=None)
@given(st.sampled_from(["add", "multiply", "maximum", "less", "hypot", "where"]), st.data())
def test_arrays_of_two_chunkings_meet(name: str, data: Any) -> None:
    shape = data.draw(SHAPES)
    less = data.draw(st.tuples(*(st.booleans() for _ in shape)))
    other = tuple(1 if flat else n for flat, n in zip(less, shape, strict=True))
    pairs = [data.draw(_cut(s)) for s in (shape, other)]
    if name == "where":
        pairs = [pairs[0], *pairs]
    _same(name, [p[0] for p in pairs], [p[1] for p in pairs], {})


@settings(max_examples=_EXAMPLES, deadline=None)
@given(st.sampled_from(_FOLDS), _cut(), st.data())
def test_folds_of_any_shape(fold: Any, pair: tuple[Any, Any], data: Any) -> None:
    (name, params), (array, blocks) = fold, pair
    if not array.ndim and name in _ALONG:  # NumPy has an axis -1 of a number, for some of them
        return
    if array.ndim and name not in _ALONG:
        params = {**params, "axis": data.draw(st.sampled_from([0, -1, None]))}
    _same(name, (array,), (blocks,), params)


@settings(max_examples=_EXAMPLES, deadline=None)
@given(st.sampled_from(_FORMS), _cut())
def test_forms_of_any_shape(form: Any, pair: tuple[Any, Any]) -> None:
    (name, params), (array, blocks) = form, pair
    if name == "fftshift" and not array.ndim:
        return  # NumPy finds no axis to shift, Dask nothing to do
    _same(name, (array,), (blocks,), params)


@settings(max_examples=_EXAMPLES, deadline=None)
@given(st.sampled_from(["concat", "stack", "hstack", "vstack"]), st.data())
def test_joins_convert_whatever_the_blocks(name: str, data: Any) -> None:
    shape = data.draw(SHAPES)
    pairs = [data.draw(_cut(shape)) for _ in range(data.draw(st.integers(1, 3)))]
    units = [data.draw(st.sampled_from(["m", "km", "ft"])) for _ in pairs]
    eager = [DimArray(p[0], u) for p, u in zip(pairs, units, strict=True)]
    lazy = [DimArray(p[1], u) for p, u in zip(pairs, units, strict=True)]
    _same(name, (eager,), (lazy,), {})
