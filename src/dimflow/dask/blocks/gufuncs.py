"""Generalised functions: on core axes that a signature names, in a loop over all others."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import dask.array as da
from dask.array.gufunc import _parse_gufunc_signature

from dimflow.array.core import is_followed
from dimflow.dask.blocks.mapping import called
from dimflow.dask.blocks.places import OfCores
from dimflow.dask.blocks.planning import (
    Declared,
    declared,
    ones,
    planned,
    planned_each,
    with_result_unit,
)
from dimflow.dask.host.patches import own
from dimflow.errors import ShapeMismatch, StructureMismatch

Cores = list[tuple[str, ...]]


def apply_gufunc(
    func: Callable[..., Any],
    signature: Any,
    *args: Any,
    axes: Any = None,
    axis: int | None = None,
    keepdims: bool = False,
    output_dtypes: Any = None,
    output_sizes: dict[str, int] | None = None,
    vectorize: bool | None = None,
    allow_rechunk: bool = False,
    meta: Any = None,
    unit: Any = None,
    **kwargs: Any,
) -> Any:
    """A function on core axes: `apply_gufunc(stats, "(i)->(),()", x)` with units.

    Units are as in `map_blocks`; `unit` is one for each output, in a tuple if there are several.
    All else is as in `dask.array.apply_gufunc`.
    """
    if any(map(is_followed, args)):
        from dimflow.dask.differentiable.looping import generalised

        form = {"output_dtypes": output_dtypes, "meta": meta, "unit": unit}
        how = {"output_sizes": output_sizes, "vectorize": vectorize, "allow_rechunk": allow_rechunk}
        axes_of = {"axes": axes, "axis": axis, "keepdims": keepdims}
        return generalised(func, signature, args, axes_of, {**form, **how}, kwargs)
    call, given = called("apply_gufunc", func, args, kwargs)
    inputs, outputs = parsed(signature, args)
    is_many = isinstance(outputs, list)
    raws = [da.asarray(raw) for raw in given.raws]
    said = _said(len(outputs) if is_many else None, unit, output_dtypes, meta)
    samples = _samples(raws, inputs, axes, axis, bool(vectorize))
    if is_many:
        plans = planned_each(call, said, samples, given.kwargs)
    else:
        plans = [planned(call, said[0], samples, given.kwargs)]
    call.wanted = tuple(p.wanted for p in plans) if is_many else plans[0].wanted
    sizes = output_sizes or {}
    rules = tuple(OfCores(inputs, out, sizes) for out in (outputs if is_many else [outputs]))
    call.shape = rules if is_many else rules[0]
    metas = tuple(plan.meta for plan in plans)
    results = own("apply_gufunc")(
        call,
        signature,
        *raws,
        axes=axes,
        axis=axis,
        keepdims=keepdims,
        output_sizes=output_sizes,
        vectorize=vectorize,
        allow_rechunk=allow_rechunk,
        meta=metas if is_many else metas[0],
        **given.kwargs,
    )
    if not is_many:
        return with_result_unit(results, plans[0].wanted.unit)
    pairs = zip(results, plans, strict=True)
    return tuple(with_result_unit(raw, plan.wanted.unit) for raw, plan in pairs)


def parsed(signature: Any, args: Sequence[Any]) -> tuple[Cores, Any]:
    """The core axes of the arguments, and those of the result, or of each in a list."""
    if not isinstance(signature, str):
        hint = 'such as "(i),(i)->()"'
        raise StructureMismatch("apply_gufunc", "a signature", type(signature).__name__, hint)
    inputs, outputs = _parse_gufunc_signature(signature)
    if len(inputs) != len(args):
        wanted = f"{len(inputs)} arrays, for the signature {signature!r}"
        raise StructureMismatch("apply_gufunc", wanted, len(args))
    return inputs, outputs


def _said(count: int | None, unit: Any, dtypes: Any, meta: Any) -> list[Declared]:
    """What was declared of each output."""
    if meta is not None and dtypes is not None:
        hint = "leave out output_dtypes: a meta has a dtype"
        raise StructureMismatch("apply_gufunc", "meta= or output_dtypes=", "both", hint)
    if count is None:
        single = isinstance(dtypes, (tuple, list)) and len(dtypes) == 1
        return [declared(_only("unit", unit), dtypes[0] if single else dtypes, _only("meta", meta))]
    given = (_each("unit", unit, count), _each("output_dtypes", dtypes, count))
    return [declared(*one) for one in zip(*given, _each("meta", meta, count), strict=True)]


def _only(name: str, value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        if len(value) != 1:
            raise StructureMismatch(f"apply_gufunc, for {name}=,", "one output", f"{len(value)}")
        return value[0]
    return value


def _each(name: str, value: Any, count: int) -> Sequence[Any]:
    if value is None:
        return [None] * count
    if not isinstance(value, (tuple, list)) or len(value) != count:
        found = f"{len(value)}" if isinstance(value, (tuple, list)) else "one"
        hint = f"{name}=(first, second, ...), one for each output"
        raise StructureMismatch(f"apply_gufunc, for {name}=,", f"{count} outputs", found, hint)
    return value


def _samples(
    raws: list[Any], inputs: Cores, axes: Any, axis: int | None, vectorize: bool
) -> Iterator[list[Any]]:
    """Arrays of one element, then with core axes as long as they are. Loops are no part of those
    that a vectorized function gets, as NumPy does it.
    """
    for is_long in (False, True):
        sample = []
        for place, (raw, names) in enumerate(zip(raws, inputs, strict=True)):
            if raw.ndim < len(names):
                wanted = f"at least {len(names)} axes for argument {place}"
                raise ShapeMismatch("apply_gufunc", wanted, raw.shape)
            lengths = _core_lengths(raw, len(names), place, axes, axis)
            core = tuple(n if is_long else 1 for n in lengths)
            loops = () if vectorize else (1,) * (raw.ndim - len(names))
            made = ones(raw, loops + core)
            sample.append(made if made.ndim or not vectorize else made[()])
        yield sample


def _core_lengths(raw: Any, count: int, place: int, axes: Any, axis: int | None) -> tuple[Any, ...]:
    chosen: Any = range(-count, 0)
    if axis is not None and count == 1:
        chosen = (axis,)
    elif isinstance(axes, list) and place < len(axes):
        chosen = (axes[place],) if isinstance(axes[place], int) else axes[place]
    try:
        lengths = [raw.shape[i] for i in chosen]
    except (IndexError, TypeError):
        return (1,) * count  # what is wrong with the axes Dask will say
    return tuple(1 if n != n else min(n, 1 << 12) for n in lengths)


class gufunc:  # noqa: N801 - the name that Dask's users know
    """A function with a signature, to be called on arrays: see `apply_gufunc`."""

    def __init__(
        self, pyfunc: Callable[..., Any], *, signature: str | None = None, **options: Any
    ) -> None:
        unknown = options.keys() - _OPTIONS
        if unknown:
            known = ", ".join(sorted(_OPTIONS))
            raise StructureMismatch("gufunc", f"some of {known}", ", ".join(sorted(unknown)))
        self.pyfunc = pyfunc
        self.signature = signature
        self.options = options
        self.__doc__ = pyfunc.__doc__

    def __call__(self, *args: Any, allow_rechunk: bool = False, **kwargs: Any) -> Any:
        """The lazy results."""
        options = {**self.options}
        options["allow_rechunk"] = allow_rechunk or options.get("allow_rechunk", False)
        return apply_gufunc(self.pyfunc, self.signature, *args, **options, **kwargs)


_OPTIONS = {"vectorize", "axes", "axis", "keepdims", "output_sizes", "output_dtypes"} | {
    "allow_rechunk",
    "meta",
    "unit",
}


def as_gufunc(signature: str | None = None, **options: Any) -> Callable[..., gufunc]:
    """A decorator: `@as_gufunc("(i)->()", unit="m")` over a function makes a `gufunc` of it."""

    def decorate(pyfunc: Callable[..., Any]) -> gufunc:
        return gufunc(pyfunc, signature=signature, **options)

    return decorate
