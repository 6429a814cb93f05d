"""Derivatives of functions that run block by block: those of the function, block by block.

What a block of the result depends on is one block of each argument, so a cotangent comes back by
the function's own way back for that block, which is one task as the function is.
"""

from collections.abc import Callable, Sequence
from typing import Any

from dask.base import normalize_token
from dask.utils import funcname, has_keyword

from dimflow.array import DimArray
from dimflow.array.core import Core, is_followed
from dimflow.array.dimarray import wrap
from dimflow.autodiff.carrier import innermost
from dimflow.autodiff.custom import custom_call
from dimflow.autodiff.layout import is_in_batch
from dimflow.dask.blocks.planning import apart, samples_of
from dimflow.dask.followed import SAY_IT
from dimflow.errors import ComputationError, TracedValueError
from dimflow.ops.rules.units import PURE
from dimflow.transforms.calls import difference
from dimflow.transforms.derivatives import jvp, vjp
from dimflow.units import Unit, encode

_OF_DASK = ("unit", "name", "token", "dtype", "chunks", "enforce_ndim", "meta")


class _InUnit:
    """A user's function of blocks, by some of its arguments, its result in the unit planned."""

    __slots__ = ("function", "unit")

    def __init__(self, function: Callable[..., Any], unit: Unit | None) -> None:
        self.function = function
        self.unit = unit

    def of(self, places: Sequence[int], blocks: Sequence[Any], kwargs: Any) -> Callable[..., Any]:
        def partial(*values: Any) -> Any:
            full = list(blocks)
            for place, value in zip(places, values, strict=True):
                full[place] = value
            result = self.function(*full, **kwargs)
            if self.unit is None:
                return result
            return result.to(self.unit) if isinstance(result, DimArray) else wrap(result, self.unit)

        return partial

    @property
    def __name__(self) -> str:
        return str(funcname(self.function))

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        unit = self.unit and encode(self.unit)
        return type(self).__name__, normalize_token(self.function), unit


class BlockPull(_InUnit):
    """A block of an argument's cotangent, from that of the result and those of the arguments."""

    __slots__ = ("place",)

    def __init__(self, function: Callable[..., Any], unit: Unit | None, place: int) -> None:
        super().__init__(function, unit)
        self.place = place

    def __call__(self, ct: Any, *blocks: Any, **kwargs: Any) -> Any:
        """The function runs again: nothing of its first run is kept."""
        _, back = vjp(self.of((self.place,), blocks, kwargs), blocks[self.place])
        return back(ct)[0]

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return *super().__dask_tokenize__(), self.place


class BlockPush(_InUnit):
    """A block of the result's tangent, from the arguments and the tangents of some of them."""

    __slots__ = ("places",)

    def __init__(
        self, function: Callable[..., Any], unit: Unit | None, places: tuple[int, ...]
    ) -> None:
        super().__init__(function, unit)
        self.places = places

    def __call__(self, *given: Any, **kwargs: Any) -> Any:
        """Arguments first, then tangents."""
        count = len(given) - len(self.places)
        blocks, tangents = given[:count], given[count:]
        moving = [blocks[place] for place in self.places]
        return jvp(self.of(self.places, blocks, kwargs), moving, tangents)[1]

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return *super().__dask_tokenize__(), self.places


def map_blocks(func: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """`map_blocks` of arrays that a derivative goes through; the result is one of them."""
    from dimflow.dask.blocks import map_blocks as mapped

    places = tuple(i for i, a in enumerate(args) if is_followed(a))
    _check_asked(func, [args[i] for i in places], options)
    kwargs = {k: v for k, v in options.items() if k not in _OF_DASK}
    units = [args[i]._unit if isinstance(args[i], Core) else PURE for i in places]
    planned: list[Unit | None] = []

    def filled(raws: Sequence[Any]) -> list[Any]:
        values = list(args)
        for place, raw in zip(places, raws, strict=True):
            given = args[place]
            values[place] = wrap(raw, given._unit) if isinstance(given, Core) else raw
        return values

    def run(*raws: Any) -> tuple[Any]:
        values = filled(raws)
        made = mapped(func, *values, **options)
        planned[:] = [made._unit if isinstance(made, Core) else None]
        raw = made._raw if isinstance(made, Core) else made
        _check_blocks(func, raw, raws)
        _rehearse(_InUnit(func, planned[0]), places, values, kwargs)
        return (raw,)

    def back(cts: Sequence[Any], _outs: Any, raws: Sequence[Any]) -> list[Any]:
        (unit,) = planned
        ct = wrap(cts[0], PURE / difference(unit or PURE))
        values = filled(raws)
        found = []
        for place, raw, own in zip(places, raws, units, strict=True):
            form = {"unit": PURE / difference(own), **_form(raw)}
            pull = BlockPull(func, unit, place)
            found.append(mapped(pull, ct, *values, **form, **kwargs)._raw)
        return found

    def forward(tangents: Sequence[Any], outs: Sequence[Any], raws: Sequence[Any]) -> list[Any]:
        (unit,) = planned
        moving = [i for i, t in zip(places, tangents, strict=True) if t is not None]
        pairs = zip(units, tangents, strict=True)
        moved = [wrap(t, difference(own)) for own, t in pairs if t is not None]
        push = BlockPush(func, unit, tuple(moving))
        form = {"unit": difference(unit or PURE), **_form(outs[0])}
        return [mapped(push, *filled(raws), *moved, **form, **kwargs)._raw]

    raws = [args[i]._raw if isinstance(args[i], Core) else args[i] for i in places]
    (found,) = custom_call(run, raws, pull=back, push=forward)
    return found if planned[0] is None else wrap(found, planned[0])


def _form(raw: Any) -> dict[str, Any]:
    """The blocks and the dtype of a lazy array."""
    inner = innermost(raw)
    return {"chunks": inner.chunks, "dtype": inner.dtype, "meta": inner._meta}


def _check_asked(func: Any, followed: Sequence[Any], options: dict[str, Any]) -> None:
    for name in ("drop_axis", "new_axis"):
        if options.pop(name, None) is not None:
            raise _without_rule(func, f"{name}= has a block depend on others of other axes")
    for name in ("block_id", "block_info"):
        if has_keyword(func, name):
            raise _without_rule(func, f"the function asks for its {name}")
    for value in followed:
        raw = value._raw if isinstance(value, DimArray) else value
        if is_in_batch(raw):
            hint = "use map_blocks outside of vmap"
            raise TracedValueError("map_blocks", raw.trace.verb, hint)


def _check_blocks(func: Any, out: Any, raws: Sequence[Any]) -> None:
    """A block of the result for each block of an argument: else several cotangents would meet."""
    for raw in map(innermost, raws):
        if raw.numblocks != out.numblocks:
            got = f"{raw.numblocks} blocks of an argument make {out.numblocks} of the result"
            raise _without_rule(func, got)


def _rehearse(function: _InUnit, places: Sequence[int], values: Any, kwargs: Any) -> None:
    """Try the derivative on a few numbers: what the engine cannot follow is an error now."""
    given = apart([_innermost(v) for v in values], kwargs)
    for raws in samples_of(given.raws):
        pairs = zip(raws, given.units, strict=True)
        blocks = [raw if unit is None else wrap(raw, unit) for raw, unit in pairs]
        try:
            vjp(function.of(places, blocks, kwargs), *[blocks[i] for i in places])
        except TracedValueError as error:
            raise _without_rule(function.function, str(error)) from error
        except Exception:  # the function may not like made-up numbers
            continue
        return


def _innermost(value: Any) -> Any:
    if isinstance(value, Core):
        return wrap(innermost(value._raw), value._unit)
    return innermost(value)


def _without_rule(func: Any, reason: str) -> ComputationError:
    operation = f"a derivative of map_blocks({funcname(func)}, ...)"
    return ComputationError(operation, reason, SAY_IT)
