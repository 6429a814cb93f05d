"""`--via`: an equivalency by its name, or with what it needs: `molar(18.015 g/mol)`."""

import re

import dimflow.units.typed_quantities as quantity
from dimflow.errors import UnitError
from dimflow.units import Equivalency, equivalencies

_CALL = re.compile(r"\s*(\w+)\s*\((.*)\)\s*")
PARAMETERS = {
    "molar": "molar(18.015 g/mol)",
    "doppler": "doppler(1420.40575 MHz), doppler(656.28 nm, optical)",
    "brightness_temperature": "brightness_temperature(1.4 GHz), (1.4 GHz, 1e-6 sr) for a beam",
}


def read(text: str) -> "Equivalency | str":
    """What `via=` of `dimflow.units.convert` takes; the library knows the plain names."""
    call = _CALL.fullmatch(text)
    if call is None:
        return text
    name, (first, *rest) = call[1], (part.strip() for part in call[2].split(","))
    if name not in PARAMETERS or len(rest) > (name != "molar") or not first:
        known = "; ".join(PARAMETERS.values())
        raise UnitError(f"{text.strip()!r:.60} is not an equivalency with parameters", known)
    given = quantity.read(first)
    value = float(given.value)
    if name == "molar":
        return equivalencies.molar(value, given.unit)
    if name == "doppler":
        convention = rest[0] if rest else "relativistic"
        return equivalencies.doppler(value, given.unit, convention=convention)
    if not rest:
        return equivalencies.brightness_temperature(value, given.unit)
    beam = quantity.read(rest[0])
    return equivalencies.brightness_temperature(
        value, given.unit, beam=float(beam.value), beam_unit=beam.unit
    )
