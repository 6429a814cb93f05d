"""Running an op on samples: complete calls, results as flat lists, comparisons."""

import copy
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.array import DimArray
from dimflow.errors import DimflowError
from dimflow.ops import Op
from dimflow.units import Unit


def static_defaults(op: Op) -> dict[str, Any]:
    """The static parameters that have a default."""
    return {
        name: parameter.default
        for name, parameter in op.signature.parameters.items()
        if name not in op.array_names and parameter.default is not parameter.empty
    }


def takes_any_number(op: Op) -> bool:
    """Whether the arrays are a list of any length."""
    parameters = op.signature.parameters.values()
    return op.variadic is not None or any(p.kind is p.VAR_POSITIONAL for p in parameters)


def run(op: Op, args: Iterable[Any], params: dict[str, Any]) -> Any:
    """What the op gives; generators among the parameters start anew each time."""
    return op.run(tuple(args), fresh(params))


def fresh(params: dict[str, Any]) -> dict[str, Any]:
    """Parameters whose generators are copies."""
    return {
        name: copy.deepcopy(value) if isinstance(value, np.random.Generator) else value
        for name, value in params.items()
    }


def quietly(function: Any, *args: Any) -> Any:
    """A call whose floating-point warnings do not matter: empty arrays, logarithms of zero."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(*args)


def leaves(result: Any) -> list[Any]:
    """The arrays of a result of one or several."""
    if isinstance(result, (tuple, list)):
        return [leaf for part in result for leaf in leaves(part)]
    return [result]


def with_units(args: Iterable[Any], units: Iterable[Any]) -> tuple[Any, ...]:
    """Arrays with units; None leaves one as it is."""
    return tuple(
        value if unit is None or value is None else DimArray(np.asarray(value), Unit(unit))
        for value, unit in zip(args, units, strict=True)
    )


def dtype_of(value: Any) -> np.dtype[Any]:
    """The dtype of an array, NumPy scalar or Python number."""
    return np.asarray(value).dtype


def is_inexact(value: Any) -> bool:
    """Whether a value is an array of real or complex numbers that are not integers."""
    return value is not None and dtype_of(raw_of(value)).kind in "fc"


def raw_of(value: Any) -> Any:
    """The numbers of a value, in its own unit."""
    return value.data if isinstance(value, DimArray) else value


def base_value(value: Any) -> Any:
    """The numbers of a value in coherent SI units."""
    return value.to_base_units().data if isinstance(value, DimArray) else value


def assert_same(
    actual: Any, expected: Any, *, rtol: float = 0.0, atol: float = 0.0, what: str = ""
) -> None:
    """Raw results agree in number, shape and value; `rtol` is relative to the largest element."""
    left, right = leaves(actual), leaves(expected)
    assert len(left) == len(right), f"{what}: {len(left)} results, not {len(right)}"
    for one, other in zip(left, right, strict=True):
        a, b = np.asarray(one), np.asarray(other)
        assert a.shape == b.shape, f"{what}: shape {a.shape}, not {b.shape}"
        if a.dtype.kind not in "fc" and b.dtype.kind not in "fc":
            np.testing.assert_array_equal(a, b, err_msg=what)
            continue
        if a.dtype in (np.float32, np.complex64):
            rtol = max(rtol, 2e-6)
        size = np.abs(b[np.isfinite(b)]).max(initial=0.0)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol + rtol * float(size), err_msg=what)


def assert_same_quantity(actual: Any, expected: Any, *, rtol: float, what: str = "") -> None:
    """Results with units are the same physical quantities."""
    left, right = leaves(actual), leaves(expected)
    assert len(left) == len(right), f"{what}: {len(left)} results, not {len(right)}"
    for one, other in zip(left, right, strict=True):
        if isinstance(one, DimArray) != isinstance(other, DimArray):
            raise AssertionError(f"{what}: {one!r} and {other!r}: one has a unit, one has none")
        if isinstance(one, DimArray):
            try:
                one = one.to(other.unit)
            except DimflowError as error:
                raise AssertionError(f"{what}: {error}") from error
        assert_same(raw_of(one), raw_of(other), rtol=rtol, what=what)


def names(*fields: str, kinds: tuple[str, ...] = ()) -> list[str]:
    """The ops that have all these rules, in the table's order."""
    return [
        name
        for name, op in ops.TABLE.items()
        if all(getattr(op, field) is not None for field in fields)
        and (not kinds or op.kind in kinds)
    ]
