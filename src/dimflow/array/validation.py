"""What `validate` asks of values, and how it says what is wrong."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.array.core import Core
from dimflow.backends import backend_of
from dimflow.errors import ComputationError, UnitConversionError
from dimflow.units import Unit
from dimflow.units.alike import are_alike


def validate(
    array: Core,
    finite: bool,
    positive: bool,
    nonnegative: bool,
    minimum: Any,
    maximum: Any,
    unit: Any,
) -> None:
    """Raise for the first thing that is not as asked for."""
    if unit is not None and not are_alike(Unit(unit), array._unit):
        raise UnitConversionError(array._unit, Unit(unit), "validate asked for this unit")
    if finite:
        _all(array, ops.isfinite(array), "finite")
    if positive:
        _all(array, ops.greater(array, 0), "positive")
    if nonnegative:
        _all(array, ops.greater_equal(array, 0), "nonnegative")
    if minimum is not None:
        _all(array, ops.greater_equal(array, minimum), f"at least {minimum}")
    if maximum is not None:
        _all(array, ops.less_equal(array, maximum), f"at most {maximum}")


def _all(array: Core, mask: Any, wanted: str) -> None:
    fits = np.asarray(mask.to_numpy())
    if fits.all():
        return
    wrong = np.argwhere(~fits)
    place = tuple(int(i) for i in wrong[0])
    value = np.asarray(backend_of(array._raw).to_numpy(array._raw))[place]
    where = f" at {list(place)}" if place else ""
    raise ComputationError(
        "validate",
        f"{len(wrong)} of {fits.size} elements are not {wanted}; the first is "
        f"{value} {array._unit}{where}",
    )
