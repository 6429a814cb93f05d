"""Functions of Dask's that make arrays: of numbers with a unit, they are arrays with a unit."""

from typing import Any

import numpy as np

from dimflow.array.dimarray import DimArray, wrap
from dimflow.array.numpy_host.making import ARANGE
from dimflow.array.numpy_host.parts import Handler, named, plan
from dimflow.dask.array import DaskDimArray
from dimflow.dask.host.patches import own
from dimflow.dask.host.planned import plain
from dimflow.errors import UnitError, UnsupportedFunction
from dimflow.ops.rules.convert import lazily
from dimflow.ops.rules.units import PURE
from dimflow.ops.rules.values import refuse_cast

FUNCTIONS: dict[str, Handler] = {}


def _quantity(value: Any) -> DimArray:
    """Anything with a unit in it as one array with a unit."""
    return value if isinstance(value, DimArray) else DimArray(value)


@named(FUNCTIONS, "from_array")
def _from_array(x: Any, chunks: Any = "auto", **kwargs: Any) -> Any:
    """An array with a unit in blocks. One that is lazy already is refused, as Dask has it."""
    if isinstance(x, DaskDimArray):
        return own("from_array")(x._raw, chunks, **kwargs)  # raises
    array = _quantity(x)
    return wrap(own("from_array")(array.to_numpy(), chunks, **kwargs), array._unit)


def _taken(name: str) -> Handler:
    def run(a: Any, *args: Any, **kwargs: Any) -> Any:
        array = _quantity(a)
        numbers = array if isinstance(array, DaskDimArray) else DaskDimArray(array)
        given = dict(zip(("dtype",), args[:1], strict=False)) if name == "array" else {}
        refuse_cast(name, kwargs.get("dtype", given.get("dtype")), (numbers._raw,), array._unit)
        kwargs.pop("like", None)
        return wrap(own(name)(numbers._raw, *args, **kwargs), array._unit)

    return run


FUNCTIONS.update({name: _taken(name) for name in ("array", "asarray", "asanyarray")})


@named(FUNCTIONS, "full")
def _full(shape: Any, fill_value: Any, *args: Any, **kwargs: Any) -> Any:
    """One quantity, many times; it may be lazy itself."""
    array = _quantity(fill_value)
    shape = plain(shape, "a shape")
    dtype = args[0] if args else kwargs.get("dtype")
    refuse_cast("full", dtype, (array._raw,), array._unit)
    if not isinstance(array, DaskDimArray):
        return wrap(own("full")(shape, array.to_numpy()[()], *args, **kwargs), array._unit)
    raw = array._raw if dtype is None else array._raw.astype(dtype)
    return wrap(own("broadcast_to")(raw, shape, kwargs.get("chunks")), array._unit)


@named(FUNCTIONS, "arange")
def _arange(*limits: Any, **kwargs: Any) -> Any:
    """Limits and step in one unit. A step of 1 is another one in each unit, so it must be given."""
    given = {key: kwargs.pop(key) for key in ("start", "stop", "step") if key in kwargs}
    raws, unit = plan(ARANGE, [*limits, *given.values()])
    if unit.key is not PURE.key and len(limits) < 3 and "step" not in given:
        raise UnitError(
            f"arange in {unit} needs a step, since a step of 1 depends on the unit",
            f"da.arange(start, stop, 1 * Unit({str(unit)!r}))",
        )
    refuse_cast("arange", kwargs.get("dtype"), raws, unit)
    numbers = [_number(raw) for raw in raws]
    by_name = dict(zip(given, numbers[len(limits) :], strict=True))
    kwargs = {key: plain(value, f"{key}= of da.arange") for key, value in kwargs.items()}
    return wrap(own("arange")(*numbers[: len(limits)], **by_name, **kwargs), unit)


def _number(raw: Any) -> Any:
    """A limit as a number: how long an array is must be known before anything is computed."""
    if type(raw) in lazily:
        reason = "how long its result is must be known before anything is computed"
        raise UnsupportedFunction("da.arange", reason, "compute its limits: x.compute()")
    return raw.item() if isinstance(raw, (np.ndarray, np.generic)) else raw
