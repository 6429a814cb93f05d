"""`out=` of NumPy's functions: the unit of a target never changes, nor its values on an error."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dimflow.array.core import Core, is_followed
from dimflow.array.dimarray import wrap
from dimflow.backends import backend_of, pins
from dimflow.backends.holes import has_holes
from dimflow.errors import (
    NotANumber,
    PointError,
    ShapeMismatch,
    TracedValueError,
    UnitError,
    UnitLossError,
    UnsupportedFunction,
)
from dimflow.ops.rules.convert import Converter, checked_converter, lazily
from dimflow.ops.rules.units import PURE
from dimflow.ops.rules.values import depends_on_unit, would_cut
from dimflow.units import Unit
from dimflow.units.alike import are_alike, is_number

_NO_OUT = "leave out= away, and name the result"
Units = Unit | None | tuple[Unit | None, ...]


def dressed(raw: Any, unit: Units) -> Any:
    """What NumPy returned, with units: a container of arrays stays what it was."""
    if unit is None:
        return raw
    if isinstance(raw, (tuple, list)):
        units = unit if type(unit) is tuple else (unit,) * len(raw)
        parts = [dressed(r, u) for r, u in zip(raw, units, strict=True)]
        return type(raw)(*parts) if hasattr(raw, "_fields") else type(raw)(parts)
    assert isinstance(unit, Unit)
    return wrap(raw, unit)


def run_into(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    units: Units,
    name: str,
    *,
    is_masked: bool = False,
) -> Any:
    """Call a function of NumPy whose results have these units, with its `out=` in theirs.

    A target in the result's own unit is written by NumPy itself; into any other the converted
    result is copied, once it is known to fit. `is_masked` says that `where=` picks elements of the
    result, so that all others keep what the target held.
    """
    out = kwargs.get("out")
    targets = out if isinstance(out, tuple) else (out,)
    if all(target is None or target is ... for target in targets):
        return dressed(function(*args, **kwargs), units)
    each: Any = units if isinstance(units, tuple) else (units,) * len(targets)
    pairs = list(zip(targets, each, strict=True))
    converters = [None if t is None else into(t, u, name) for t, u in pairs]
    if not any(converters) and not any(map(_may_cut, targets)):
        raws = tuple(_raw(t) for t in targets)
        results = function(*args, **{**kwargs, "out": raws if isinstance(out, tuple) else raws[0]})
        results = results if len(targets) > 1 else (results,)
        for raw, result in zip(raws, results, strict=True):
            if raw is not None and result is not raw:  # some overlook it, such as np.fft.ifft2
                backend_of(raw).assign(raw, ..., result)
    else:
        # None for each: NumPy warns of a `where` that has no `out` at all
        nowhere = (None,) * len(targets) if len(targets) > 1 else None
        results = function(*args, **{**kwargs, "out": nowhere})
        results = results if len(targets) > 1 else (results,)
        if not is_masked:  # a ufunc may fill a larger target, nobody else
            _check_shapes(targets, results, name)
        where = kwargs.get("where", True) if is_masked else True
        _copy(targets, results, converters, where, kwargs.get("casting", "same_kind"), name)
    returned = tuple(
        dressed(r, u) if t is None else t for t, r, u in zip(targets, results, each, strict=True)
    )
    return returned if len(targets) > 1 else returned[0]


def written(result: Any, out: Any, name: str) -> Any:
    """A finished result in a target, if there is one."""
    if out is None:
        return result
    raw, unit = (result._raw, result._unit) if isinstance(result, Core) else (result, None)
    refuse_unwritable(raw, name)
    target = out[0] if isinstance(out, tuple) else out
    if type(_raw(target)) in lazily:
        return _assigned(raw, unit, target, name)
    if type(raw) in lazily:
        got = "a lazy result; leave out= away, or compute it"
        raise NotANumber(f"{name} into an array in memory", got)

    def copied(*, out: Any = None) -> Any:
        if out is not None:
            np.copyto(out, raw)
        return raw

    return run_into(copied, (), {"out": out}, unit, name)


def _assigned(raw: Any, unit: Unit | None, target: Any, name: str) -> Any:
    """A result in a lazy target, by the way of its library."""
    convert = into(target, unit, name)
    values = raw if convert is None else convert(raw)
    if np.shape(values) != tuple(_raw(target).shape):
        raise ShapeMismatch(f"{name} with out=", np.shape(values), _raw(target).shape)
    backend_of(_raw(target)).assign(_raw(target), ..., values)
    return target


def refuse_unwritable(raw: Any, name: str) -> None:
    """An error for a result that a trace follows, and loses sight of in an array of NumPy's; and
    for one with holes, of which the numbers under the mask would be written.
    """
    if is_followed(raw):
        raise TracedValueError(f"{name} with out=", raw.trace.verb, _NO_OUT)
    if has_holes(raw):
        reason = "it would write the numbers under a mask"
        raise UnsupportedFunction(f"{name} with out=", reason, _NO_OUT)


def into(target: Any, unit: Unit | None, name: str) -> Converter | None:
    """How results in a unit become those that a target holds; an error if they cannot."""
    source = PURE if unit is None else unit
    pins.check(_raw(target))
    refuse_unwritable(_raw(target), name)
    if isinstance(_raw(target), np.generic):
        raise NotANumber(name, f"{_raw(target).dtype}, which cannot be written into")
    if not isinstance(target, Core):
        if not is_number(source):
            raise UnitLossError(f"{name} into a plain array", source)
        return checked_converter(source, PURE)
    if not are_alike(source, target._unit):
        raise UnitError(
            f"{name} with out= would change the unit of an existing array from "
            f"{str(target._unit) or 'a pure number'} to {str(source) or 'a pure number'}",
            "leave out= away, or give an array of the result's dimension",
        )
    if (source.law is None) is not (target._unit.law is None):
        hint = f"leave out= away and convert the result to {target._unit} if that is meant"
        raise PointError(f"{name} into an array of another kind", target._unit, hint)
    return checked_converter(source, target._unit)


def _check_shapes(targets: Any, results: Any, name: str) -> None:
    for target, result in zip(targets, results, strict=True):
        if target is not None and np.shape(result) != _raw(target).shape:
            raise ShapeMismatch(f"{name} with out=", np.shape(result), _raw(target).shape)


def _copy(targets: Any, results: Any, converters: Any, where: Any, casting: Any, name: str) -> None:
    """Convert and copy results into targets; all are known to fit before the first is written."""
    written = []
    for target, result, convert in zip(targets, results, converters, strict=True):
        if target is None:
            continue
        raw = _raw(target)
        with np.errstate(all="ignore"):  # elements that `where` leaves out hold anything
            values = result if convert is None else convert(result)
        dtype = np.asarray(values).dtype
        fits = np.can_cast(dtype, raw.dtype, casting)
        if not fits or (_may_cut(target) and not np.can_cast(dtype, raw.dtype, "same_kind")):
            raise would_cut(f"{name} into an array of {raw.dtype}", dtype)
        written.append((raw, np.broadcast_to(values, raw.shape)))
    for raw, values in written:
        np.copyto(raw, values, casting=casting, where=where)


def _may_cut(target: Any) -> bool:
    """Whether a target holds a quantity in integers: several functions cut to fit it, unasked."""
    if not isinstance(target, Core) or not hasattr(target._raw, "dtype"):
        return False
    return depends_on_unit(target._raw.dtype, target._unit) is not None


def _raw(target: Any) -> Any:
    return target._raw if isinstance(target, Core) else target
