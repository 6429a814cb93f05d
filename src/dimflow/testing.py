"""Assertions about arrays with units, and arrays for property tests.

    from dimflow.testing import assert_allclose
    assert_allclose(energy, 5 * units.kJ, rtol=1e-6)

Values are compared as quantities: 1 km and 1000 m are equal. A dimension that differs is a failed
assertion; a tolerance without the unit that it needs is an error of the test.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dimflow.array.core import Core
from dimflow.array.dimarray import DimArray
from dimflow.array.interpreter import separated
from dimflow.backends import backend_of
from dimflow.errors import DimensionError, PointError, ShapeMismatch, UnitConversionError, UnitError
from dimflow.ops.rules.convert import checked_converter
from dimflow.ops.rules.units import ENDLESS, PURE, ZERO
from dimflow.transforms.gradient_checks import check_grads
from dimflow.units import Dimension, Unit, find, scope
from dimflow.units.alike import are_alike

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = [
    "arrays",
    "assert_allclose",
    "assert_array_equal",
    "assert_dimension",
    "assert_equal",
    "assert_identical",
    "assert_unit",
    "check_grads",
    "units",
]


def assert_allclose(
    actual: Any,
    desired: Any,
    rtol: Any = 1e-7,
    atol: Any = None,
    equal_nan: bool = True,
    err_msg: str = "",
) -> None:
    """Assert that two arrays differ by at most `atol + rtol * abs(desired)`, in any units.

    `atol` carries a unit where the arrays do: a bare number would mean another thing in each.
    Points (°C, dBm) are compared on their linear scale (kelvin, milliwatt), where a share and a
    difference have a meaning.
    """
    __tracebackhide__ = True
    for name, value in (("rtol", rtol), ("atol", atol)):
        if np.shape(value):
            raise ShapeMismatch(f"assert_allclose ({name})", "one number", np.shape(value))
    left, right, unit, units_text = _aligned(actual, desired, err_msg)
    convert = checked_converter(unit, unit.linear)
    if convert is not None:
        left, right = convert(left), convert(right)
        units_text += f", compared in {unit.linear}"
    spread = 0.0 if atol is None else _tolerance(atol, unit.linear)
    np.testing.assert_allclose(
        left, right, float(rtol), float(spread), equal_nan, _message(err_msg, units_text)
    )


def assert_array_equal(actual: Any, desired: Any, err_msg: str = "") -> None:
    """Assert that two arrays hold equal quantities and are of one shape; nan equals nan."""
    __tracebackhide__ = True
    left, right, _, units_text = _aligned(actual, desired, err_msg)
    np.testing.assert_array_equal(
        left, right, _message(err_msg, units_text), strict=np.shape(left) != np.shape(right)
    )


def assert_equal(actual: Any, desired: Any, err_msg: str = "") -> None:
    """Assert that two values are equal: quantities, or lists and mappings of them and of others."""
    __tracebackhide__ = True
    if isinstance(desired, Mapping):
        if not isinstance(actual, Mapping) or set(actual) != set(desired):
            problem = f"{actual!r:.200} has not the keys of {desired!r:.200}"
            raise AssertionError(_message(err_msg, problem))
        for key, value in desired.items():
            assert_equal(actual[key], value, _message(err_msg, f"key {key!r}"))
    elif isinstance(desired, (list, tuple)) and isinstance(actual, (list, tuple)):
        if len(actual) != len(desired):
            raise AssertionError(_message(err_msg, f"lengths {len(actual)} and {len(desired)}"))
        for i, (one, other) in enumerate(zip(actual, desired, strict=True)):
            assert_equal(one, other, _message(err_msg, f"item {i}"))
    elif isinstance(actual, Core) or isinstance(desired, Core):
        assert_array_equal(actual, desired, err_msg)
    else:
        np.testing.assert_equal(actual, desired, err_msg)


def assert_identical(actual: Any, desired: Any, err_msg: str = "") -> None:
    """Assert one unit in one spelling, one dtype, shape and library, and equal values."""
    __tracebackhide__ = True
    for name in ("unit", "dtype", "shape", "backend"):
        ours, theirs = getattr(actual, name, None), getattr(desired, name, None)
        is_same = ours is theirs if name == "unit" else ours == theirs
        if not is_same:
            raise AssertionError(_message(err_msg, f"{name}: {ours!s} is not {theirs!s}"))
    numbers = _numbers(actual.data), _numbers(desired.data)
    np.testing.assert_array_equal(*numbers, err_msg)


def assert_unit(actual: Any, unit: Unit | str, err_msg: str = "") -> None:
    """Assert that an array is in a unit, by its meaning: N and kg*m/s**2 are one."""
    __tracebackhide__ = True
    found, wanted = _unit_of(actual), Unit(unit)
    if found != wanted:
        text = f"the unit is {_shown(found)}, not {_shown(wanted)}"
        raise AssertionError(_message(err_msg, text))


def assert_dimension(actual: Any, dimension: Dimension | Unit | str, err_msg: str = "") -> None:
    """Assert the dimension of an array: a Dimension or its name ("speed"), or that of a Unit."""
    __tracebackhide__ = True
    wanted = _dimension(dimension)
    found = _unit_of(actual)
    if found.dimension is not wanted:
        text = f"the dimension of {_shown(found)} is not {wanted}"
        raise AssertionError(_message(err_msg, text))


# Parts of assertions


def _aligned(actual: Any, desired: Any, err_msg: str) -> tuple[Any, Any, Unit, str]:
    """The numbers of both in the desired unit, that unit, and a text that says which there were."""
    __tracebackhide__ = True
    raws, found = separated((actual, desired))
    own, wanted = (u if isinstance(u, Unit) else None for u in found)
    target = wanted or own or PURE
    if ZERO in found and target.law is not None:
        raise UnitError(f"a bare 0 is no point in {target}", f"write 0 * Unit({str(target)!r})")
    source = own or target
    text = f"in {_shown(target)}"
    if source is not target:
        text += f" (actual in {_shown(source)})"
    try:
        if not are_alike(source, target):
            raise UnitConversionError(source, target)
        convert = checked_converter(source, target)
    except UnitConversionError as error:
        problem = f"the units differ\n  actual:  {_said(source)}\n  desired: {_said(target)}"
        raise AssertionError(_message(err_msg, problem)) from error
    left = raws[0] if convert is None else convert(raws[0])
    return _numbers(left), _numbers(raws[1]), target, text


def _tolerance(atol: Any, unit: Unit) -> Any:
    """The absolute tolerance in numbers of the unit; DimensionError if it has another."""
    (raw,), (found,) = separated((atol,))
    if found is ZERO or found is ENDLESS:
        return _numbers(raw)
    source = found if isinstance(found, Unit) else PURE
    if source.law is not None:
        raise PointError("atol", source, f"it is a difference: atol=... * Unit({str(unit)!r})")
    if not are_alike(source, unit):
        hint = f"atol=... * Unit({str(unit)!r})"
        raise DimensionError("assert_allclose", unit, source, hint, ("desired", "atol"))
    convert = checked_converter(source, unit)
    return _numbers(raw if convert is None else convert(raw))


def _numbers(raw: Any) -> Any:
    return backend_of(raw).to_numpy(raw)


def _unit_of(value: Any) -> Unit:
    unit = getattr(value, "unit", PURE)
    return unit if isinstance(unit, Unit) else PURE


def _shown(unit: Unit) -> str:
    return str(unit) or "pure numbers"


def _said(unit: Unit) -> str:
    return f"{_shown(unit)}   {unit.dimension}"


def _message(given: str, ours: str) -> str:
    return f"{given}\n{ours}" if given else ours


# Strategies for hypothesis, which is imported when they are used


def units(dimension: Dimension | Unit | str | None = None) -> "SearchStrategy[Unit]":
    """Linear units of a dimension, given as one, by name or as a unit; of any, without one."""
    from hypothesis import strategies as st

    if dimension is None:
        return st.sampled_from(_COMMON).flatmap(units)
    return st.sampled_from(_of_dimension(_dimension(dimension)))


def arrays(
    unit: Any = None,
    *,
    dtype: Any = np.float64,
    shape: Any = None,
    elements: Any = None,
) -> "SearchStrategy[DimArray]":
    """Arrays in a unit, in one of several (a list or a strategy), or without one in any.

    `dtype`, `shape` and `elements` are those of hypothesis's own strategy of NumPy arrays.
    """
    from hypothesis import strategies as st
    from hypothesis.extra import numpy as hnp

    if unit is None:
        chosen = units()
    elif isinstance(unit, (str, Unit)):
        chosen = st.just(Unit(unit))
    elif isinstance(unit, Sequence):
        chosen = st.sampled_from([Unit(u) for u in unit])
    else:
        chosen = unit.map(Unit)
    if shape is None:
        shape = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
    return st.builds(DimArray, hnp.arrays(dtype, shape, elements=elements), chosen)


_COMMON = ("length", "mass", "time", "speed", "energy", "pressure", "dimensionless")


def _dimension(given: Dimension | Unit | str) -> Dimension:
    if isinstance(given, Unit):
        return given.dimension
    return Dimension(given) if isinstance(given, str) else given


def _of_dimension(dimension: Dimension) -> list[Unit]:
    """The coherent unit, and those with a name that have the dimension."""
    key = f"units of {dimension.formula}"
    return scope.current().remembered(key, lambda: _found(dimension))


def _found(dimension: Dimension) -> list[Unit]:
    base = scope.current().base_unit(dimension)
    named = [Unit(d.name) for d in find(str(dimension))]
    fitting = (u for u in named if u.dimension is dimension and u.law is None)
    return list(dict.fromkeys([base, *fitting]))
