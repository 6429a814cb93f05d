"""A unit in the attributes of stored numbers, for readers that know dimflow and for all others.

`units` is what the climate and forecast conventions (CF) have, and many tools read. `dimflow_unit`
is the wire encoding: it keeps the spelling, and units that CF has no words for. Where both stand
they say the same, or the attributes are not believed.
"""

from collections.abc import Mapping
from typing import Any

from dimflow.errors import UnitError
from dimflow.io.headings import clear, refuse_letters
from dimflow.units import Unit, decode, encode

ENCODED = "dimflow_unit"
COMPLETE = "dimflow_chunks"  # "all": of a store that was written with all its chunks
_DIFFERENCE = ("units_metadata", "temperature: difference")  # CF 1.11: not a point
_NAMES = ("units", _DIFFERENCE[0], ENCODED, COMPLETE)
_READABLE = (None, "cf", "plain", "compact", "unicode")  # styles that dimflow reads back


def unit_in(attrs: Mapping[str, Any]) -> Unit | None:
    """The unit that attributes say; None if they say none, or an encoding of time."""
    said = attrs.get(ENCODED)
    if said is None:
        refuse_letters(str(attrs.get("units")))
        return _by_text(attrs)
    unit = decode(said)
    if "units" in attrs and not _agrees(attrs, unit):
        raise UnitError(
            f"the attributes say two units: {ENCODED} is {str(unit) or '1'!r}, "
            f"and units is {attrs['units']!r:.60}",
            f"remove the one that is wrong; whoever changes units removes {ENCODED}",
        )
    return unit


def _by_text(attrs: Mapping[str, Any]) -> Unit | None:
    text = attrs.get("units")
    if isinstance(text, Unit):
        return text
    if not isinstance(text, str) or is_time(text):
        return None
    unit = Unit(text)
    return _difference(unit) if _is_marked(attrs) else unit


def _is_marked(attrs: Mapping[str, Any]) -> bool:
    """Whether the attributes say that the numbers are differences of temperatures."""
    said = attrs.get(_DIFFERENCE[0])
    return isinstance(said, str) and "".join(said.lower().split()) == "temperature:difference"


def _difference(unit: Unit) -> Unit:
    """The unit of a difference, which converts to no point: CF spells delta_degC as K."""
    if unit.law is not None:
        return unit.delta
    return next((d for d in map(Unit, ("delta_degC", "delta_degF")) if d == unit), unit)


def _agrees(attrs: Mapping[str, Any], unit: Unit) -> bool:
    if attrs["units"] == spelled(unit, None):  # also where that text is nobody's unit here
        return not _is_marked(attrs) or _is_difference(unit)
    try:
        return _by_text(attrs) == unit
    except UnitError:
        return False


def is_time(text: str) -> bool:
    """Whether a unit is an encoding of dates: `days since 1970-01-01`."""
    return " since " in f" {text} "


def without_unit(attrs: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of data that carry their unit themselves."""
    return {key: value for key, value in attrs.items() if key not in _NAMES}


def with_unit(attrs: Mapping[str, Any], unit: Unit, style: str | None) -> dict[str, Any]:
    """The attributes of plain numbers in a unit; a difference of temperatures is marked as such."""
    made = {**without_unit(attrs), "units": spelled(unit, style)}
    if _is_difference(unit) or (
        style in _READABLE and unit.law is None and _is_of_points(made["units"])
    ):
        made[_DIFFERENCE[0]] = _DIFFERENCE[1]
    return made


def _is_difference(unit: Unit) -> bool:
    """Whether a unit is spelled as a difference of temperatures: delta_degC."""
    atoms = unit.atoms
    return len(atoms) == 1 and atoms[0][1] == 1 and atoms[0][0].name.startswith("delta_")


def with_encoding(attrs: Mapping[str, Any], unit: Unit) -> dict[str, Any]:
    """The attributes of plain numbers in a unit, which dimflow reads as it was spelled."""
    return {**with_unit(attrs, unit, None), ENCODED: encode(unit)}


def _is_of_points(text: str) -> bool:
    try:
        return Unit(text).law is not None
    except UnitError:
        return False  # a unit of somebody's own: its text is read where that one is known


def spelled(unit: Unit, style: str | None) -> str:
    """In the style asked for; else as CF has it, or plain where CF has no words for it."""
    if style is not None:
        return clear(unit, format(unit, style))
    try:
        text = unit.format("cf")
        found = Unit(text)
        is_same = _difference(found) is unit if _is_difference(unit) else found == unit
    except UnitError:
        is_same = False
    return clear(unit, text if is_same else str(unit)) or "1"
