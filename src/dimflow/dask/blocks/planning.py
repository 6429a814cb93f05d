"""Units and dtypes of results, before anything is computed: declared, or tried on a few numbers."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import dask.array as da
import numpy as np
from dask.array.utils import meta_from_array
from dask.base import is_dask_collection

from dimflow.array.conversion import as_unit
from dimflow.array.core import Core
from dimflow.array.dimarray import DimArray, wrap
from dimflow.dask.blocks.call import BlockCall, with_unit
from dimflow.dask.blocks.settling import Wanted, described, taken_apart
from dimflow.errors import (
    BackendMismatch,
    DtypeMismatch,
    InferenceError,
    NotANumber,
    StructureMismatch,
    UnitError,
)
from dimflow.ops.rules.convert import checked_converter
from dimflow.ops.rules.units import PURE
from dimflow.units import Unit

_LARGE = 1 << 20  # elements of a block that is too long to try a function on
_SHORT = 8  # lengths that such blocks are cut to


class Declared(NamedTuple):
    """What the user says of a result; None where it is to be found out."""

    unit: Unit | None = None
    dtype: Any = None
    meta: Any = None

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left to find out."""
        return self.unit is not None and self.meta is not None


class Arguments(NamedTuple):
    """Arguments of a call, as Dask gets them, with the units that they had."""

    raws: list[Any]
    units: tuple[Unit | None, ...]
    kwargs: dict[str, Any]
    named: dict[str, Unit]


def apart(args: Sequence[Any], kwargs: dict[str, Any]) -> Arguments:
    """Arrays without their units, which travel in the call; all else as it is.

    Lazy keywords stay as they are: Dask computes them whole, with their unit.
    """
    raws = [a._raw if isinstance(a, Core) else a for a in args]
    units = tuple([a._unit if isinstance(a, Core) else None for a in args])
    if not kwargs:
        return Arguments(raws, units, {}, {})
    named = {k: v._unit for k, v in kwargs.items() if isinstance(v, Core) and not is_lazy(v)}
    plain = {k: v._raw if k in named else v for k, v in kwargs.items()}
    return Arguments(raws, units, plain, named)


def is_lazy(value: Any) -> bool:
    """Whether a value is Dask's to compute."""
    return bool(is_dask_collection(value))


def declared(unit: Any, dtype: Any, meta: Any) -> Declared:
    """What was said of one result. A meta with a unit declares that too."""
    found = None if unit is None else as_unit(unit)
    if isinstance(meta, Core):
        checked_converter(meta._unit, found or meta._unit)
        found, meta = found or meta._unit, meta._raw
    if dtype is None and meta is not None:
        dtype = getattr(meta, "dtype", None)
    return Declared(found, None if dtype is None else np.dtype(dtype), meta)


class Plan(NamedTuple):
    """What a result will be, and the smallest array of its kind."""

    wanted: Wanted
    meta: Any


def planned(call: BlockCall, said: Declared, samples: Any, kwargs: dict[str, Any]) -> Plan:
    """The unit, the dtype and the kind of array that a function gives.

    `samples` are arguments to try it on, one list after the other until one is taken.
    """
    if said.is_whole:
        return _as_said(said)
    result = _tried_on(call, [said], samples, kwargs)
    return _as_said(said) if result is _NOTHING else of_result(call, result, said)


def planned_each(
    call: BlockCall, said: Sequence[Declared], samples: Any, kwargs: dict[str, Any]
) -> list[Plan]:
    """The same for a function that returns several arrays."""
    if all(one.is_whole for one in said):
        return [_as_said(one) for one in said]
    result = _tried_on(call, said, samples, kwargs)
    if result is _NOTHING:
        return [_as_said(one) for one in said]
    if not isinstance(result, (tuple, list)) or len(result) != len(said):
        found = f"{len(result)}" if isinstance(result, (tuple, list)) else "one"
        operation = f"{call.operation} of {call.__name__}"
        raise StructureMismatch(operation, f"a tuple of {len(said)} arrays", found)
    return [of_result(call, part, one) for part, one in zip(result, said, strict=True)]


def _as_said(said: Declared) -> Plan:
    """The plan where all is declared."""
    meta = np.empty((0,), said.dtype) if said.meta is None else said.meta
    return Plan(Wanted(said.unit, said.dtype, True, True), meta)


def _tried_on(call: BlockCall, said: Sequence[Declared], samples: Any, kwargs: Any) -> Any:
    """What a function gives for a sample, which may fail if all that is needed was declared."""
    for one in said:
        if one.unit is None or one.dtype is None:
            return tried(call, samples, kwargs, one)
    try:
        return tried(call, samples, kwargs, said[0])
    except InferenceError:
        return _NOTHING


def of_result(call: BlockCall, result: Any, said: Declared) -> Plan:
    """The plan for a function that gave this for a sample."""
    found = taken_apart(result)
    if found is None:
        raise NotANumber(f"the result of {call.__name__} in {call.operation}", described(result))
    raw, unit = found
    if not isinstance(raw.dtype, np.dtype):
        operation, library = f"{call.operation} of {call.__name__}", type(raw).__module__
        hint = "end the function with .to_backend('numpy')"
        raise BackendMismatch(
            operation, "arrays of NumPy's dtypes", library.partition(".")[0], hint
        )
    if said.unit is not None:
        raw = in_declared(f"{call.operation} of {call.__name__}", raw, unit, said.unit)
    if said.dtype is not None and not np.can_cast(raw.dtype, said.dtype, "safe"):
        operation = f"{call.operation} of {call.__name__}"
        hint = f"declare what the function gives: dtype={str(raw.dtype)!r}"
        raise DtypeMismatch(operation, said.dtype, raw.dtype, hint)
    meta = said.meta if said.meta is not None else meta_from_array(raw, dtype=said.dtype)
    is_declared = said.unit is not None
    dtype = raw.dtype if said.dtype is None else said.dtype
    wanted = Wanted(said.unit or unit, dtype, is_declared, said.dtype is not None)
    return Plan(wanted, meta)


def in_declared(operation: str, raw: Any, unit: Unit | None, target: Unit) -> Any:
    """A result in the unit that was declared; the dtype may change with it."""
    if raw.dtype.kind == "b" and target.key is not PURE.key:
        raise NotANumber(f"{operation} with unit={str(target)!r}", "conditions")
    if unit is None:
        if raw.dtype.kind not in "biufc":
            raise NotANumber(operation, f"an array of {raw.dtype}")
        return raw
    try:
        convert = checked_converter(unit, target)
    except UnitError as error:
        given = str(unit) or "pure numbers"
        error.add_note(f"in {operation}, which gives {given}: unit={str(target)!r} was declared")
        raise
    return raw if convert is None else convert(raw)


_NOTHING: Any = object()


def tried(call: BlockCall, samples: Any, kwargs: dict[str, Any], said: Declared) -> Any:
    """What a function gives for the first sample that it takes; a mistake with units is raised."""
    problem: Exception | None = None
    for args in samples:
        try:
            return _run(call, args, kwargs)
        except UnitError as error:
            error.add_note(f"in {call.operation} of {call.__name__}, while planning")
            raise
        except Exception as error:
            problem = problem or error
    missing = [n for n, v in (("unit", said.unit), ("dtype", said.dtype)) if v is None]
    named = " and ".join(missing or ["unit"])
    raise InferenceError(call.operation, call.__name__, named, _said(problem)) from problem


def _said(problem: Exception | None) -> str:
    return f"{type(problem).__name__}: {problem}" if problem else "it has no arguments to try it on"


def _run(call: BlockCall, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    named = {k: with_unit(_small(v), call.named.get(k)) for k, v in kwargs.items()}
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = [with_unit(_small(a), u) for a, u in zip(args, call.units, strict=True)]
        return call.function(*values, **named)


def _small(value: Any) -> Any:
    """An argument with lazy arrays in it as small ones: Dask will hand them over computed."""
    if isinstance(value, da.Array):
        return ones(value, (1,) * value.ndim)
    if isinstance(value, DimArray) and is_lazy(value):
        return wrap(_small(value._raw), value._unit)
    if is_lazy(value):
        raise TypeError(f"a {type(value).__name__} is not known before it is computed")
    if type(value) in (list, tuple):
        return type(value)(map(_small, value))
    return {k: _small(v) for k, v in value.items()} if type(value) is dict else value


def ones(like: Any, shape: tuple[int, ...]) -> Any:
    """An array of the kind that the blocks of a lazy one are."""
    meta = like._meta
    if type(meta) is np.ndarray:
        return np.ones(shape, meta.dtype)
    try:
        return np.ones_like(meta, shape=shape)
    except TypeError:  # not every library can
        return np.ones(shape, like.dtype)


def samples_of(
    raws: Sequence[Any], wrapped: Callable[[Any, int], Any] | None = None
) -> Iterator[Any]:
    """Arguments with one element for each block, then with as many as a block has, then none."""
    shapes: list[Callable[[Any], tuple[int, ...]]] = [_one, _block, _none]
    for shape in shapes:
        yield [
            (wrapped or _as_is)(ones(raw, shape(raw)), i) if isinstance(raw, da.Array) else raw
            for i, raw in enumerate(raws)
        ]


def _as_is(value: Any, index: int) -> Any:
    return value


def _one(raw: Any) -> tuple[int, ...]:
    return (1,) * len(raw.shape)


def _none(raw: Any) -> tuple[int, ...]:
    return (0,) * len(raw.shape)


def _block(raw: Any) -> tuple[int, ...]:
    lengths = tuple(1 if c[0] != c[0] else max(c[0], 1) for c in raw.chunks)
    if np.prod(lengths, dtype=float) > _LARGE:
        lengths = tuple(min(n, _SHORT) for n in lengths)
    return lengths


def with_result_unit(raw: Any, unit: Unit | None) -> Any:
    """A lazy result with its unit; a plain array where the function gives plain numbers."""
    return raw if unit is None else wrap(raw, unit)
