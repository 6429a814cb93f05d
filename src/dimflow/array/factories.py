"""New arrays with units: zeros, arange, linspace and the rest of NumPy's makers."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.array.core import Core, is_followed
from dimflow.array.dimarray import DimArray, wrap
from dimflow.array.interpreter import lifted
from dimflow.array.numpy_host.parts import is_deaf, refuse_deaf
from dimflow.array.numpy_host.rules import between
from dimflow.backends import Backend
from dimflow.backends import backend as backend_named
from dimflow.errors import DimensionError, PointError, UnitError
from dimflow.ops.dispatch import interpreter_of
from dimflow.ops.rules.convert import checked_converter
from dimflow.ops.rules.dtypes import named
from dimflow.ops.rules.units import BARE, ENDLESS, PURE, ZERO
from dimflow.ops.rules.values import refuse_cast
from dimflow.units import Unit
from dimflow.units.alike import are_alike
from dimflow.units.conversion import cannot_convert
from dimflow.units.meaning import Logarithmic

__all__ = [
    "arange",
    "asarray",
    "convert_to_tensor",
    "empty",
    "eye",
    "from_dlpack",
    "fromfunction",
    "full",
    "geomspace",
    "identity",
    "linspace",
    "logspace",
    "ones",
    "quantity",
    "tri",
    "zeros",
]

Shape = int | tuple[int, ...] | list[int]


def asarray(
    data: Any,
    unit: Unit | str | None = None,
    *,
    dtype: Any = None,
    backend: str | None = None,
    device: Any = None,
    copy: bool | None = None,
) -> DimArray:
    """An array of anything array-like, shared where possible; a DimArray is returned as it is."""
    if isinstance(data, DimArray) and unit is dtype is backend is device is copy is None:
        return data
    return DimArray(data, unit, dtype=dtype, backend=backend, device=device, copy=copy)


def quantity(value: Any, unit: Unit | str | None = None, *, dtype: Any = None) -> DimArray:
    """A value with a unit, also from a string: `quantity("65 mile/hour")`, `quantity(3, "m")`."""
    return DimArray(value, unit, dtype=dtype)


def convert_to_tensor(
    data: Any,
    unit: Unit | str | None = None,
    *,
    dtype: Any = None,
    backend: str | None = None,
    device: Any = None,
) -> DimArray:
    """`asarray` under the name that users of tensor libraries look for."""
    return asarray(data, unit, dtype=dtype, backend=backend, device=device)


def _library(backend: str | None, device: Any) -> Backend:
    """The library asked for by name, or that of a Device."""
    return backend_named(backend or getattr(device, "backend", None) or "numpy")


def _made(raw: Any, unit: Any, backend: str | None, device: Any, dtype: Any = None) -> DimArray:
    """A NumPy array as one of the library asked for, with its unit.

    Where no dtype was asked for, fractions are of the library's usual one.
    """
    library = _library(backend, device)
    if library.name != "numpy":
        if dtype is None and raw.dtype == float:
            dtype = library.dtype(library.namespace.zeros(()))
        raw = library.asarray(raw, dtype=dtype, device=device)
    elif device is not None:
        raw = library.asarray(raw, device=device)
    return wrap(raw, PURE if unit is None else Unit(unit))


def _native(
    name: str, unit: Any, dtype: Any, backend: str | None, device: Any, *args: Any, **options: Any
) -> DimArray:
    """An array that the library's own function of this name makes, where it is to live."""
    library = _library(backend, device)
    if library.name == "numpy":
        raw = getattr(np, name)(*args, dtype=named(dtype), **options)
        return _made(raw, unit, backend, device)
    dtype = None if dtype is None else library.as_dtype(dtype)
    place = library.native_device(device)
    numbers = tuple(map(_number, args))
    options = {key: _number(value) for key, value in options.items()}
    raw = getattr(library.namespace, name)(*numbers, dtype=dtype, device=place, **options)
    return wrap(raw, PURE if unit is None else Unit(unit))


def _number(value: Any) -> Any:
    """Python's number for NumPy's: the arguments of other libraries' makers are no arrays."""
    return value.item() if isinstance(value, (np.ndarray, np.generic)) and not value.ndim else value


def zeros(
    shape: Shape,
    unit: Unit | str | None = None,
    *,
    dtype: Any = None,
    backend: str | None = None,
    device: Any = None,
) -> DimArray:
    """An array of zeros."""
    return _native("zeros", unit, dtype, backend, device, shape)


def ones(
    shape: Shape,
    unit: Unit | str | None = None,
    *,
    dtype: Any = None,
    backend: str | None = None,
    device: Any = None,
) -> DimArray:
    """An array of ones in a unit."""
    return _native("ones", unit, dtype, backend, device, shape)


def empty(
    shape: Shape,
    unit: Unit | str | None = None,
    *,
    dtype: Any = None,
    backend: str | None = None,
    device: Any = None,
) -> DimArray:
    """An array of whatever the memory holds."""
    return _native("empty", unit, dtype, backend, device, shape)


def full(
    shape: Shape,
    fill_value: Any,
    unit: Unit | str | None = None,
    *,
    dtype: Any = None,
    backend: str | None = None,
    device: Any = None,
) -> DimArray:
    """An array of one value, which may carry a unit itself, and be of any library."""
    raw = getattr(fill_value, "_raw", fill_value)
    if is_deaf(raw) and not is_followed(raw):
        one = DimArray(fill_value, unit, backend=backend, device=device)
        refuse_cast("full", dtype, (raw,), one.unit)
        return ops.full_like(one, one, dtype=dtype, shape=shape)  # type: ignore[no-any-return]
    (value,), found = in_one_unit("full", unit, fill_value, is_op=True)
    refuse_cast("full", dtype, (value,), found)
    if is_followed(value):
        filled = ops.broadcast_to(value, shape=(shape,) if isinstance(shape, int) else tuple(shape))
        return wrap(filled if dtype is None else ops.astype(filled, named(dtype)), found)
    return _native("full", found, dtype, backend, device, shape, value)


def eye(
    N: int,
    M: int | None = None,
    k: int = 0,
    unit: Unit | str | None = None,
    *,
    dtype: Any = None,
    backend: str | None = None,
    device: Any = None,
) -> DimArray:
    """Ones on a diagonal, zeros elsewhere."""
    return _native("eye", unit, dtype, backend, device, N, M, k=k)


def identity(n: int, unit: Unit | str | None = None, *, dtype: Any = float) -> DimArray:
    """The identity matrix in a unit."""
    return eye(n, unit=unit, dtype=dtype)


def tri(
    N: int, M: int | None = None, k: int = 0, unit: Unit | str | None = None, *, dtype: Any = float
) -> DimArray:
    """Ones on and below a diagonal."""
    return _made(np.tri(N, M, k, dtype), unit, None, None)


def arange(
    start: Any,
    stop: Any = None,
    step: Any = None,
    unit: Unit | str | None = None,
    *,
    dtype: Any = None,
    backend: str | None = None,
    device: Any = None,
) -> DimArray:
    """Equally spaced values: `arange(0 * u.m, 1 * u.km, 250 * u.m)`, `arange(5, unit="s")`.

    The ends and the step are in the first unit among them, or in `unit`; a bare number counts in
    `unit` where that is given. The step of points is a difference: `5 * u.K` from 0 to 20 °C.
    """
    given = [start, stop, step]
    ends_given = [v for v in given[:2] if v is not None]
    values, found = in_one_unit("arange", unit, *ends_given)
    own = _carried(step)
    if step is not None and found.law is None:
        values, found = in_one_unit("arange", unit, *ends_given, step)
    elif step is not None:
        if own is None and unit is None:
            raise DimensionError("arange", found, PURE, "give the step a unit")
        if own is not None and own.law is not None:
            hint = f"give the step as a difference: 5 * Unit({str(own.delta)!r})"
            raise PointError("a step of arange", own, hint)
        values += in_one_unit("arange", found.delta, step)[0]
    refuse_cast("arange", dtype, values, found)
    following = iter(values)
    ends = [None if v is None else next(following) for v in given]
    numbers = [e for e in ends[:2] if e is not None]
    return _native("arange", found, dtype, backend, device, *numbers, **_step(ends))


def _step(ends: list[Any]) -> dict[str, Any]:
    return {} if ends[2] is None else {"step": ends[2]}


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    unit: Unit | str | None = None,
    *,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
    backend: str | None = None,
    device: Any = None,
) -> DimArray:
    """`num` values from start to stop, equally spaced."""
    (first, last), found = in_one_unit("linspace", unit, start, stop, is_op=True)
    refuse_cast("linspace", dtype, (0.5,), found)  # whatever the ends are
    if isinstance(found.law, Logarithmic):
        raise PointError("linspace", found, "convert the ends to the .linear unit first")
    if interpreter_of(type(first)).rank or interpreter_of(type(last)).rank:
        raw = between(first, last, num=num, endpoint=endpoint, dtype=named(dtype), axis=axis)
        made = wrap(raw, found)
        return made if backend is None else made.to_backend(backend, device=device)
    raw = np.linspace(first, last, num, endpoint, dtype=named(dtype), axis=axis)
    return _made(raw, found, backend, device, dtype)


def geomspace(
    start: Any,
    stop: Any,
    num: int = 50,
    unit: Unit | str | None = None,
    *,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
    backend: str | None = None,
    device: Any = None,
) -> DimArray:
    """`num` values from start to stop, each the same multiple of the one before."""
    (first, last), found = in_one_unit("geomspace", unit, start, stop)
    refuse_cast("geomspace", dtype, (0.5,), found)  # whatever the ends are
    if found.law is not None:
        raise PointError("geomspace", found, "convert the ends to the .linear unit first")
    raw = np.geomspace(first, last, num, endpoint, dtype=named(dtype), axis=axis)
    return _made(raw, found, backend, device, dtype)


def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    unit: Unit | str | None = None,
    *,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: Any = None,
    axis: int = 0,
    backend: str | None = None,
    device: Any = None,
) -> DimArray:
    """`base**start` to `base**stop` in a unit; the exponents are pure numbers."""
    (first, last), exponents = in_one_unit("logspace", None, start, stop)
    if exponents.key is not PURE.key:
        raise UnitError(
            f"logspace takes exponents, which are pure numbers, but got {exponents}",
            "for ends with a unit use geomspace",
        )
    refuse_cast("logspace", dtype, (0.5,), PURE if unit is None else Unit(unit))
    raw = np.logspace(first, last, num, endpoint, base, named(dtype), axis)
    return _made(raw, unit, backend, device, dtype)


def fromfunction(
    function: Callable[..., Any],
    shape: tuple[int, ...],
    unit: Unit | str | None = None,
    *,
    dtype: Any = float,
    **keywords: Any,
) -> DimArray:
    """The function of every index; its result may carry a unit, or is in `unit`."""
    result = np.fromfunction(function, shape, dtype=dtype, **keywords)
    return DimArray(result, unit)


def from_dlpack(
    x: Any, unit: Unit | str | None = None, *, device: Any = None, copy: bool | None = None
) -> DimArray:
    """An array that shares the memory of another library's, by DLPack, in NumPy."""
    if isinstance(x, Core):
        raise UnitError("from_dlpack takes a raw array", "a DimArray converts by x.to_backend(...)")
    options = {} if device is None and copy is None else {"device": device, "copy": copy}
    return _made(np.from_dlpack(x, **options), unit, None, None)


def in_one_unit(
    operation: str, unit: Any, *values: Any, is_op: bool = False
) -> tuple[list[Any], Unit]:
    """Numbers of values in one unit: the one asked for, or the first that a value has.

    A bare number counts in the unit asked for; without one it must be 0, infinite or nan beside
    quantities. Other libraries' arrays need an operation that goes by ops.
    """
    pairs = [_pair(v) for v in values]
    for raw, _ in pairs:
        if not is_op:
            refuse_deaf(raw, f"dimflow.{operation}")
    carried = [u for u in (_carried(v) for v in values) if u is not None]
    target = Unit(unit) if unit is not None else carried[0] if carried else PURE
    numbers = []
    for value, (raw, own) in zip(values, pairs, strict=True):
        source = _carried(value)
        if source is None:
            free = own is ENDLESS or (own is ZERO and target.law is None)
            if unit is not None or not carried or free:
                numbers.append(raw)
                continue
            if not are_alike(PURE, target):
                raise DimensionError(operation, target, PURE, "give every end a unit")
            source = PURE
        if unit is None and not are_alike(source, target):
            raise cannot_convert(source, target)
        if unit is None and isinstance(source.law, Logarithmic) and target.law is None:
            raise PointError(operation, source, f"say in which unit: unit={str(target)!r}")
        convert = checked_converter(source, target)
        numbers.append(raw if convert is None else convert(raw))
    return numbers, target


def _pair(value: Any) -> Any:
    return (value._raw, value._unit) if isinstance(value, Core) else lifted(value)


def _carried(value: Any) -> Unit | None:
    """The unit that a value brings with it; None for a bare number."""
    unit = getattr(value, "unit", None)
    if not isinstance(unit, Unit):
        unit = _pair(value)[1]  # of a duration, of another library
        return unit if isinstance(unit, Unit) and unit is not PURE else None
    return None if unit is BARE else unit
