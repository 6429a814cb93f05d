"""Writing into arrays that somebody holds: `store`, in the unit that the target has or is given."""

from collections.abc import Sequence
from typing import Any

import dask
import dask.array as da
import numpy as np

from dimflow.array import DimArray
from dimflow.array.conversion import as_unit
from dimflow.dask.progress import shown
from dimflow.dask.storage.packing import packing_in
from dimflow.dask.storage.sources import ask_for_plain_numbers, opened_array, plain
from dimflow.dask.storage.targets import done_after, scheduler_in
from dimflow.errors import DtypeMismatch, ShapeMismatch, UnitError, UnitLossError
from dimflow.io.attributes import unit_in, with_encoding
from dimflow.units import Unit
from dimflow.units.alike import is_number


def write_into(
    sources: Sequence[Any],
    targets: Sequence[Any],
    *,
    units: Sequence[Any],
    regions: Any,
    lock: Any,
    compute: bool,
    return_stored: bool,
    progress: bool,
    options: dict[str, Any],
) -> Any:
    """Write lazy arrays into targets. All is checked before the first number is written."""
    if not len(sources) == len(targets) == len(units):
        raise ShapeMismatch("store", f"{len(sources)} targets", len(targets))
    chosen = [_unit_for(x, t, u) for x, t, u in zip(sources, targets, units, strict=True)]
    raws = [x.to(u, copy=False).data for x, u in zip(sources, chosen, strict=True)]
    inner = [t.data if isinstance(t, DimArray) else t for t in targets]
    where = _regions(regions, len(sources))
    for raw, target, region in zip(raws, inner, where, strict=True):
        ask_for_plain_numbers(raw, "store")
        _ask_for_room(raw, target, region)
    for target, unit in zip(inner, chosen, strict=True):
        if opened_array(target) is not None and unit_in(_attributes(target)) is None:
            target.attrs.update(with_encoding({}, unit))
    if return_stored:
        with shown(progress, options.get("scheduler")):
            found = da.store(
                raws, inner, lock, where, compute=compute, return_stored=True, **options
            )
        found = found if isinstance(found, tuple) else (found,)
        return tuple(x._made(raw, u) for x, raw, u in zip(sources, found, chosen, strict=True))
    layers = da.store(raws, inner, lock, where, compute=False, **scheduler_in(options))
    layers = layers if isinstance(layers, tuple) else (layers,)
    tasks = [task for layer in layers for task in layer.to_delayed().ravel().tolist()]
    return done_after(tasks, None, compute, progress, options)


def _unit_for(x: Any, target: Any, given: Any) -> Unit:
    """The unit in which numbers are written: the target's own, else the one that is said."""
    own = target.unit if isinstance(target, DimArray) else None
    if own is None and opened_array(target) is not None:
        attrs = _attributes(target)
        if packing_in(attrs, np.dtype(target.dtype)) is not None:
            raise UnitError("store cannot write packed numbers", "use xarray for such a dataset")
        own = unit_in(attrs)
        if own is None and given is None:
            return x.unit  # type: ignore[no-any-return]
    if own is not None:
        if given is not None and as_unit(given) != own:
            raise UnitError(f"the target is in {own}, and unit={str(as_unit(given))!r} was asked")
        return own
    if given is not None:
        return as_unit(given)
    if is_number(x.unit):
        return Unit("")
    hint = f"say in which unit the numbers are written: store(..., unit={str(x.unit)!r})"
    raise UnitLossError("store into a plain array", x.unit, hint)


def _attributes(target: Any) -> dict[str, Any]:
    return {str(key): plain(value) for key, value in dict(target.attrs).items()}


def _regions(regions: Any, count: int) -> list[Any]:
    if regions is None or isinstance(regions, tuple):
        return [regions] * count
    found = list(regions)
    if len(found) != count:
        raise ShapeMismatch("store", f"{count} regions", len(found))
    return found


def _ask_for_room(raw: Any, target: Any, region: Any) -> None:
    shape, dtype = getattr(target, "shape", None), getattr(target, "dtype", None)
    if shape is None or dtype is None or dask.is_dask_collection(target):
        return  # a Delayed target is known when it is there
    place = tuple(shape)
    if region is not None:
        place = np.broadcast_to(np.empty(()), place)[region].shape
    if place != raw.shape:
        raise ShapeMismatch("store", place, raw.shape)
    if not np.can_cast(raw.dtype, dtype, "same_kind"):
        hint = "fractions would be cut off: convert by x.astype(..., unit=...)"
        raise DtypeMismatch("store", dtype, raw.dtype, hint)
