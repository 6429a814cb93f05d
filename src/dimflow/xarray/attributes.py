"""Units in attributes, as the climate and forecast conventions (CF) have them."""

from typing import Any

from dimflow.errors import UnitError
from dimflow.units import Unit

_DIFFERENCE = ("units_metadata", "temperature: difference")  # CF 1.11: not a point


def unit_in(attrs: Any) -> Unit | None:
    """The unit that attributes say; None if they say none, or an encoding of time."""
    text = attrs.get("units")
    if isinstance(text, Unit):
        return text
    if not isinstance(text, str) or is_time(text):
        return None
    unit = Unit(text)
    return unit.delta if attrs.get(_DIFFERENCE[0]) == _DIFFERENCE[1] else unit


def is_time(text: str) -> bool:
    """Whether a unit is an encoding of dates: `days since 1970-01-01`."""
    return " since " in f" {text} "


def without_unit(attrs: Any) -> dict[str, Any]:
    """The attributes of data that carry their unit themselves."""
    return {key: value for key, value in attrs.items() if key not in ("units", _DIFFERENCE[0])}


def with_unit(attrs: Any, unit: Unit, style: str | None) -> dict[str, Any]:
    """The attributes of plain numbers in a unit; a difference of temperatures is marked as such."""
    made = {**without_unit(attrs), "units": spelled(unit, style)}
    points = Unit(made["units"]) if style in (None, "cf", "plain", "compact", "unicode") else unit
    if points.law is not None and unit.law is None:
        made[_DIFFERENCE[0]] = _DIFFERENCE[1]
    return made


def spelled(unit: Unit, style: str | None) -> str:
    """In the style asked for; else as CF has it, or plain where CF has no words for it."""
    if style is not None:
        return format(unit, style)
    try:
        text = unit.format("cf")
        is_same = Unit(text) == unit
    except UnitError:
        is_same = False
    return text if is_same else str(unit) or "1"
