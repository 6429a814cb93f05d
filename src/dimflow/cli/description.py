"""What there is to say of one unit: in words for a table, in fields for a program."""

from typing import Any

import dimflow.units.typed_numbers as number
from dimflow.cli import terminal
from dimflow.errors import UnitError, UnitFormatError
from dimflow.units import Affine, Dimension, Logarithmic, Unit
from dimflow.units.definition import Resolved
from dimflow.units.tables import shared

_DIGITS = 12
_LONGEST = 60  # characters of a fraction that anybody reads
STYLES = ("plain", "unicode", "latex", "siunitx", "html", "cf", "ucum")


_texts: dict[tuple[int, str], str] = {}


def text(unit: Unit) -> str:
    """The unit in the style that the output can show, remembered for lists of values."""
    key = unit._serial, terminal.style()
    if key not in _texts:
        _texts[key] = unit.format(key[1])
    return _texts[key]


def si_value(unit: Unit) -> str:
    """How much of an SI unit it is: `1609.344 m`; of a scale also where it is zero."""
    base = text(unit.in_system("SI"))
    size = f"{_size(unit)} {base}".rstrip()
    if isinstance(unit.law, Affine):
        return f"{size}, 0 at {number.shown(unit.law.offset, _DIGITS)} {base}"
    return f"level re {size}" if isinstance(unit.law, Logarithmic) else size


def exact_scale(unit: Unit) -> str:
    """The scale as a fraction, with pi and roots, where its decimals do not say it all."""
    scale = str(unit.key.scale)
    is_told = unit.key.scale.is_rational and number.is_exact(unit.key.scale.fraction, _size(unit))
    return "" if is_told or len(scale) > _LONGEST else scale


def dimension(unit: Unit) -> str:
    """The dimension's name, if it has one, and its formula."""
    name, formula = str(unit.dimension), unit.dimension.formula
    return name if formula in (name, "[]") else f"{name} = {formula}"


def law_text(unit: Unit) -> str:
    """The law of a unit that is not linear, as a formula for x of them."""
    law = unit.law
    if law is None:
        return ""
    own, base = text(unit), text(unit.in_system("SI"))
    times = "×" if terminal.style() == "unicode" else "*"
    if isinstance(law, Affine):
        scale = "" if unit.key.scale.fraction == 1 else f"{unit.key.scale.fraction} "
        return f"x {own} = ({scale}x + {number.shown(law.offset, _DIGITS)}) {base}"
    sign = "-" if law.factor < 0 else ""
    divisor = "" if abs(law.factor) == 1 else f"/{number.shown(abs(law.factor))}"
    power = f"{law.base or 'e'}^({sign}x{divisor})"
    size = f"{_size(unit)} {base}".rstrip()
    return f"x {own} = {power} {times} {size}" + (", a field quantity" if law.field else "")


def _size(unit: Unit) -> str:
    scale = unit.key.scale
    return number.shown(scale.fraction if scale.is_rational else float(scale), _DIGITS)


def spellings(unit: Unit) -> dict[str, str | None]:
    """The unit in every style; None where a style has no way to write it."""
    return {style: spelling(unit, style) for style in STYLES}


def spelling(unit: Unit, style: str) -> str | None:
    """The unit in a style; None where it has no way to write it."""
    try:
        return unit.format(style)
    except UnitFormatError:
        return None


def unit_of(found: Resolved) -> Unit:
    """The unit of a definition in force, with its prefix."""
    name = (found.prefix.name if found.prefix else "") + found.definition.name
    return Unit(f"delta_{name}" if found.is_delta else name)


def dimension_of(text: str) -> Dimension:
    """A dimension by name or formula, or by a unit in it: [force], [length]/[time], [km/h]."""
    try:
        return Dimension(text)
    except UnitError:
        return Unit(text.strip("[]")).dimension


def record(found: Resolved) -> dict[str, Any]:
    """A definition and what it comes to, as JSON values."""
    unit, definition = unit_of(found), found.definition
    return {
        "name": unit.name,
        "symbol": str(unit),
        "prefix": found.prefix.name if found.prefix else None,
        "symbols": list(definition.symbols),
        "aliases": list(definition.aliases),
        "definition": definition.expression,
        "ucum": definition.ucum,
        "family": definition.family,
        "source": definition.source,
        **meaning(unit),
    }


def meaning(unit: Unit) -> dict[str, Any]:
    """Dimension, scale and law, as JSON values; `exact_scale` may hold pi, ln2, ln10 and roots."""
    law = unit.law
    told: dict[str, Any] = {
        "dimension": str(unit.dimension),
        "exponents": {base: str(e) for base, e in unit.dimension.as_dict().items()},
        "si_unit": str(unit.to_base()),
        "scale": number.as_json(float(unit.key.scale)),
        "exact_scale": str(unit.key.scale),
        "law": "linear",
    }
    if isinstance(law, Affine):
        told |= {"law": "affine", "offset": str(law.offset)}
    elif isinstance(law, Logarithmic):
        base = law.base or "e"
        told |= {"law": "logarithmic", "base": base, "factor": str(law.factor), "field": law.field}
    return told


def load_plugins() -> str:
    """Bring the units of plugins in; the text of the error if one of them cannot be read."""
    try:
        shared.load_plugins()
    except UnitError as error:
        return str(error)
    return ""
