"""Derivatives whatever form the arguments come in: dtypes, memory, empty, the same one twice."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest

from dimflow import autodiff, ops
from dimflow.errors import MissingRule
from dimflow.ops import Op
from dimflow.ops.rules.derivatives import Zero
from tests.contract.deviations import REFUSED_DERIVATIVES, UP_TO_PHASE
from tests.contract.evaluate import assert_same, dtype_of, is_inexact, leaves, names, quietly, run
from tests.contract.finite_differences import difference, differentiable_places, is_single
from tests.contract.modes import Program, back, forward, paired, program
from tests.contract.samples import Case, all_cases, cast, parametrized

BOTH_MODES = [
    n
    for n in names()
    if not isinstance(ops.get(n).derivative, Zero) and n not in REFUSED_DERIVATIVES
]


def smooth_cases(op: Op) -> list[Case]:
    """The samples that have derivatives by some argument, and results that have them."""
    return [
        case
        for case in all_cases(op.name)
        if case.smooth
        and differentiable_places(op, case)
        and any(is_inexact(leaf) for leaf in leaves(quietly(run, op, case.args, case.params)))
    ]


# Memory


def strided(a: Any) -> Any:
    """Every second element of twice as many."""
    return np.repeat(a, 2, axis=-1)[..., ::2] if np.ndim(a) else a


def turned(a: Any) -> Any:
    """Backwards in memory."""
    return np.ascontiguousarray(a[::-1])[::-1] if np.ndim(a) else a


def transposed(a: Any) -> Any:
    """Columns one after the other."""
    return np.asfortranarray(a) if np.ndim(a) else a


def read_only(a: Any) -> Any:
    """Nobody may write here."""
    kept = np.array(a)
    kept.flags.writeable = False
    return kept


FORMS: dict[str, Callable[[Any], Any]] = {
    form.__name__: form for form in (strided, turned, transposed, read_only)
}


@parametrized("memory", BOTH_MODES)
def test_the_gradient_does_not_depend_on_the_memory(name: str) -> None:
    op = ops.get(name)
    for case in smooth_cases(op)[:2]:
        places = differentiable_places(op, case)
        of = program(op, case, places)
        given = of.cotangents()
        wanted = quietly(back, of, given)
        for form, change in FORMS.items():
            args = tuple(change(a) if isinstance(a, np.ndarray) else a for a in case.args)
            other = program(op, case._replace(args=args), places)
            got = quietly(back, other, [change(ct) for ct in given])
            assert_same(got, wanted, rtol=1e-12, what=f"{case.label}, {form}")
            for kept, argument in zip(case.args, args, strict=True):
                np.testing.assert_array_equal(kept, argument, err_msg=f"{form}: it was written to")


# Empty


@parametrized("empty gradient", BOTH_MODES)
def test_gradients_of_empty_arrays_are_empty(name: str) -> None:
    """Where an op takes arrays of length 0 at all."""
    op = ops.get(name)
    for case in smooth_cases(op)[:4]:
        args = tuple(a[:0] if isinstance(a, np.ndarray) and a.ndim else a for a in case.args)
        empty = case._replace(args=args, label=f"{case.label}, empty")
        places = [i for i in differentiable_places(op, case) if np.size(args[i]) == 0]
        try:
            of = quietly(program, op, empty, places)
        except Exception:  # the op itself needs elements, in whatever words the kernel says so
            continue
        if places and of.out:
            with suppress(MissingRule):  # for this form of the result: svd(full_matrices=True)
                quietly(_check_empty, of, empty.label)


def _check_empty(of: Program, what: str) -> None:
    got, changes = back(of, of.cotangents()), forward(of, of.tangents())
    assert [np.shape(g) for g in got] == [np.shape(a) for a in of.args], what
    assert [np.shape(c) for c in changes] == [np.shape(o) for o in of.out], what


# The same array twice


@parametrized("repeated", BOTH_MODES)
def test_an_array_that_stands_for_two_arguments_gets_both_gradients(name: str) -> None:
    op = ops.get(name)
    for case in smooth_cases(op):
        places = differentiable_places(op, case)
        forms = {i: (np.shape(case.args[i]), dtype_of(case.args[i])) for i in places}
        alike = [i for i in places if forms[i] == forms[places[0]]]
        if len(alike) > 1:
            args = list(case.args)
            for i in alike:
                args[i] = case.args[alike[0]]
            quietly(_check_repeated, op, case._replace(args=tuple(args)), alike)


def _check_repeated(op: Op, case: Case, alike: list[int]) -> None:
    try:
        of = program(op, case, alike)
    except (ValueError, ArithmeticError):  # they may not be equal: points to interpolate between
        return
    given = of.cotangents()
    (one,) = autodiff.vjp(lambda x: of.function(*[x] * len(alike)), of.args[:1])[1](given)
    wanted: Any = sum(back(of, given))
    assert_same(one, wanted, rtol=1e-10, what=case.label)
    t = of.tangents()[:1]
    changes = autodiff.jvp(lambda x: of.function(*[x] * len(alike)), of.args[:1], t)[1]
    assert_same(changes, forward(of, t * len(alike)), rtol=1e-10, what=case.label)


# Precision and complex numbers

# Ops that NumPy takes complex numbers in, by comparing real parts first: they have no derivative.
REAL_ALONE = frozenset(
    {"maximum", "minimum", "fmax", "fmin", "clip", "interp", "leaky_relu", "hardtanh", "relu6"}
    | {"hard_sigmoid", "cosine_similarity", "relu"}
)

# Differences do not show the derivative: phases are free, or the order of the results.
IN_ANY_ORDER = UP_TO_PHASE | {"eigvals"}

REAL = (np.float32, np.float64)
COMPLEX = (np.complex64, np.complex128)


@pytest.mark.parametrize("dtype", REAL, ids=lambda d: d.__name__)
@parametrized("gradient dtype", BOTH_MODES)
def test_a_gradient_has_the_dtype_of_its_argument(name: str, dtype: Any) -> None:
    op = ops.get(name)
    for case in smooth_cases(op)[:3]:
        if any(np.iscomplexobj(a) for a in case.args):
            dtype = np.result_type(dtype, np.complex64).type
        _check_dtype(op, case, cast(case, dtype))


def _check_dtype(op: Op, case: Case, other: Case) -> None:
    places = differentiable_places(op, other)
    of = program(op, other, places)
    given = of.cotangents()
    got = quietly(back, of, given)
    for value, found in zip(of.args, got, strict=True):
        if isinstance(value, (np.ndarray, np.generic)):
            assert found.dtype == value.dtype, f"{other.label}: {found.dtype} for {value.dtype}"
    values, changes = quietly(autodiff.jvp, of.function, of.args, of.tangents())
    for leaf, change in zip(values, changes, strict=True):
        if isinstance(leaf, (np.ndarray, np.generic)):
            assert change.dtype == leaf.dtype, f"{other.label}: {change.dtype} for {leaf.dtype}"


SEVERAL = [n for n in BOTH_MODES if len(ops.get(n).array_names) > 1]


@parametrized("narrow integers", SEVERAL)
def test_integers_beside_a_traced_array_count_as_their_numbers(name: str) -> None:
    """In the rules and definitions that a trace runs: x * x of int8 would wrap around."""
    op = ops.get(name)
    for case in smooth_cases(op)[:4]:
        for i in differentiable_places(op, case)[:2]:
            for j, beside in enumerate(case.args):
                if j != i and is_inexact(beside) and not np.iscomplexobj(beside):
                    quietly(_check_integers, op, case, i, j)


def _check_integers(op: Op, case: Case, i: int, j: int) -> None:
    given = np.asarray(case.args[j])
    whole = (given * (120 / np.abs(given).max(initial=1e-9))).astype(np.int8)
    x, args = case.args[i], list(case.args)

    def beside(values: Any, x: Any) -> list[Any]:
        args[i], args[j] = x, values
        return leaves(run(op, args, case.params))

    def followed(values: Any) -> Any:
        outs, pull = autodiff.vjp(partial(beside, values), (x,))
        ones = [np.ones_like(out) if is_inexact(out) else None for out in outs]
        return [*outs, *pull(ones)]

    try:
        plain, known = beside(whole, x), followed(whole.astype(np.float64))
        assert_same(plain, known[: len(plain)], rtol=1e-9)
    except (ValueError, TypeError, AssertionError):  # refused, or it wraps as NumPy's does
        return
    assert_same(followed(whole), known, rtol=1e-9, what=case.label)


@parametrized("complex", BOTH_MODES)
def test_complex_numbers_have_both_modes_where_an_op_takes_them(name: str) -> None:
    """Forward is the difference in a complex direction; back is its transpose, in real parts."""
    op = ops.get(name)
    for case, dtype in product(smooth_cases(op)[:3], COMPLEX):
        turned = tuple(
            a * np.exp(0.3j) if isinstance(a, (np.ndarray, np.generic)) and is_inexact(a) else a
            for a in case.args
        )
        other = cast(case._replace(args=turned), dtype)
        places = differentiable_places(op, other)
        try:
            of = quietly(program, op, other, places)
        except Exception:  # the op is for real numbers, and says so
            continue
        if of.out:
            try:
                _check_complex(op, other, of, places)
            except TypeError:
                assert name in REAL_ALONE, name


def _check_complex(op: Op, case: Case, of: Program, places: list[int]) -> None:
    given, tangents = of.cotangents(), of.tangents()
    changes, backs = quietly(forward, of, tangents), quietly(back, of, given)
    exact = 1e-4 if is_single([*of.args, *of.out]) else 1e-9
    size = sum(float(np.abs(ct * c).sum()) for ct, c in zip(given, changes, strict=True))
    what = case.label
    np.testing.assert_allclose(
        paired(backs, tangents), paired(given, changes), rtol=exact, atol=exact * size, err_msg=what
    )
    for value, found in zip(of.args, backs, strict=True):
        is_number = isinstance(value, (float, complex))
        assert is_number or found.dtype == value.dtype, f"{what}: {found.dtype} for {value.dtype}"
    if exact < 1e-6 and op.name not in IN_ANY_ORDER:
        every = dict(zip(places, tangents, strict=True))
        moved = tuple(every.get(i) for i in range(len(case.args)))
        wanted = [d for d in difference(op, case, moved) if d is not None]
        largest = max(float(np.abs(leaf).max(initial=0.0)) for leaf in of.out)
        assert_same(changes, wanted, rtol=1e-6, atol=1e-8 * largest, what=what)
