"""Definitions over the whole line: infinite, nan, signed zeros, the largest and least numbers."""

import warnings
from typing import Any

import numpy as np
import pytest

from dimflow import ops
from dimflow.backends import backend
from dimflow.errors import NotANumber, UnitError
from dimflow.ops import Op

NUMPY = backend("numpy")
NUMBERS = (
    *(0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 0.25, 0.75, 0.1, 1e-3, 1e-10, -1e-10, 1e-30, -1e-30),
    *(2.0, 3.0, -3.0, 7.99, 8.0, 8.01, -8.0, 20.0, -20.0, 27.5, 88.0, 100.0, -100.0, 171.0),
    *(-171.5, 700.0, -700.0, 745.0, 1000.0, 1e6, -1e6, 1e15, 1e30, -1e30),
    *(np.inf, -np.inf, np.nan),
)
WHOLE = (0, 1, 2, 3, 5, 7, 12, 60, 100, -1, -2, -60)

# Where a kernel and a definition differ, both right: (op, dtype) -> which arguments do not count.
_OVERFLOW = "the kernel computes in double precision; gamma of the argument leaves the single range"
APART: dict[tuple[str, str], tuple[Any, str]] = {
    ("beta", "float32"): (lambda x, y: (x < 0) | (y < 0) | (x < 1e-30) | (y < 1e-30), _OVERFLOW),
    ("betaln", "float32"): (lambda x, y: (x < 0) | (y < 0) | (x < 1e-30) | (y < 1e-30), _OVERFLOW),
    ("lgamma", "float64"): (
        lambda x: np.abs(x) < 1e-300,
        "x sin(πx) underflows in the kernel; the definition adds logarithms",
    ),
    **{
        (f"bessel_{name}", dtype): (
            lambda x: (np.abs(x) > 1e30) | (np.abs(x) < 1e-37),
            "beyond the range of π x, and below the normal numbers",
        )
        for name in ("j0", "j1", "y0", "y1")
        for dtype in ("float32", "float64")
    },
}

DEFINED = [
    name
    for name, op in ops.TABLE.items()
    if op.kind == "elementwise" and op.definition is not None and NUMPY.native(op) is not None
]


def line(dtype: str) -> Any:
    if np.dtype(dtype).kind in "iu":
        limits = np.iinfo(dtype)
        return np.array([*WHOLE, limits.max, limits.min], dtype)
    limits = np.finfo(dtype)
    ends = (limits.max, -limits.max, limits.tiny, -limits.tiny, limits.eps, 1 + limits.eps)
    return np.array([*NUMBERS, *ends], dtype)


def arguments(op: Op, dtype: str) -> tuple[Any, ...]:
    """Every combination of the line's numbers; whole exponents for ldexp."""
    count = len(op.array_names)
    grids = np.meshgrid(*[line(dtype)] * min(count, 2))
    args = [g.ravel() for g in grids]
    if op.name == "ldexp":
        args[1] = np.clip(np.nan_to_num(args[1], posinf=0, neginf=0), -2100, 2100).astype(int)
    if op.name == "within":
        args += [0.1, 0.5]
    return tuple(args)


def both(op: Op, args: tuple[Any, ...]) -> tuple[Any, Any] | None:
    """What the kernel and the definition give; None where NumPy refuses the dtype."""
    given = {n: p.default for n, p in op.signature.parameters.items() if n not in op.array_names}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            expected = op.run(args, given)
        except (TypeError, NotANumber):
            return None
        assert op.definition is not None
        return np.asarray(op.call(op.definition, args, given)), np.asarray(expected)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32"])
@pytest.mark.parametrize("name", DEFINED)
def test_over_the_whole_line_a_definition_is_the_kernel(name: str, dtype: str) -> None:
    op = ops.get(name)
    if len(op.array_names) == 3 or any(
        p.default is p.empty for n, p in op.signature.parameters.items() if n not in op.array_names
    ):
        return
    args = arguments(op, dtype)
    found = both(op, args)
    if found is None:
        return
    actual, expected = found
    assert actual.dtype == expected.dtype
    left_out, _ = APART.get((name, dtype), (None, ""))
    counts = np.ones(expected.shape, bool) if left_out is None else ~left_out(*args[:2])
    rtol, atol = (3e-5, 1.2e-7) if expected.dtype == np.float32 else (1e-11, 0.0)
    np.testing.assert_allclose(actual[counts], expected[counts], rtol=rtol, atol=atol)


def test_what_is_left_out_has_a_reason() -> None:
    assert all(reason for _, reason in APART.values())
    assert {name for name, _ in APART} <= set(DEFINED)


@pytest.mark.parametrize("name", ["erf", "gamma", "bessel_j0", "betaln", "polygamma"])
def test_special_functions_are_of_real_numbers(name: str) -> None:
    op = ops.get(name)
    assert op.definition is not None
    args = (np.array([1 + 1j]),) * len(op.array_names)
    with pytest.raises(NotANumber, match=f"(?s){name}.*complex"):
        op.call(op.definition, args, {"n": 1})


@pytest.mark.parametrize("name", DEFINED)
def test_a_definition_takes_bare_arrays_of_no_axes_and_of_no_elements(name: str) -> None:
    op = ops.get(name)
    assert op.definition is not None
    given = {n: p.default for n, p in op.signature.parameters.items() if n not in op.array_names}
    given |= {"n": 1} if name == "polygamma" else {}
    for shape in ((), (0,), (2, 0)):
        kind = np.int64 if name in ("gcd", "lcm", "bitwise_count") else np.float64
        args = tuple(np.full(shape, 1 if kind is np.int64 else 0.5, kind) for _ in op.array_names)
        if name == "ldexp":
            args = args[0], args[1].astype(int)
        assert np.shape(op.call(op.definition, args, given)) == shape


@pytest.mark.parametrize("name", ["rint", "spacing", "frexp_mantissa", "floor"])
def test_a_unit_beside_arrays_without_one_is_refused_by_definitions_too(name: str) -> None:
    import array_api_strict

    with pytest.raises(UnitError, match=name):
        ops.get(name)(array_api_strict.asarray([1.0]), unit="m")


def test_unsigned_integers_do_not_wrap_round() -> None:
    """-abs(x) of a uint8 is 256 - x."""
    x = np.array([0, 1, 200], np.uint8)
    np.testing.assert_allclose(ops.sigmoid(x), 1 / (1 + np.exp(-x.astype(float))))
    np.testing.assert_allclose(ops.softplus(x), np.log1p(np.exp(x.astype(float))))
    np.testing.assert_allclose(ops.log_sigmoid(x), -np.log1p(np.exp(-x.astype(float))))
