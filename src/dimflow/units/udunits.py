"""CF and udunits: units as the climate and forecast conventions write them, `kg m-2 s-1`."""

from typing import TYPE_CHECKING

from dimflow.errors import UnitFormatError, UnitParseError
from dimflow.units.doubts import doubtful_atoms
from dimflow.units.exponent import Exponent, checked
from dimflow.units.meaning import Affine, Atom
from dimflow.units.scale import Scale

if TYPE_CHECKING:
    from dimflow.units.registry import Registry
    from dimflow.units.unit import Unit


def format_cf(unit: "Unit", registry: "Registry") -> str:
    """A text that udunits reads; units it does not know are written by number and base units."""
    if isinstance(unit.law, Affine):
        known = _known(unit.atoms[0][0], registry)
        return known or _shifted(unit, unit.law, registry)
    if unit.law is not None:
        reference = format_cf(unit.linear, registry)
        logarithm = {10: "lg", 0: "ln", 2: "lb"}[unit.law.base]
        if unit.law.factor < 0:
            raise UnitFormatError(f"udunits has no logarithms that fall, which {unit} needs")
        step = 1 / unit.law.factor
        number = "" if step == 1 else f"{float(step)!r} "
        reference = reference if reference[0].isdigit() else f"1 {reference}"
        text = f"{number}{logarithm}(re {reference})"
        if registry.parse(text) != unit:
            raise UnitFormatError(f"udunits has no logarithm with the law of {unit}")
        return text
    factor = unit.factor
    powers: dict[str, Exponent] = {}
    doubted = set(doubtful_atoms(unit, registry))
    for atom, e in unit.atoms:
        known = _known(atom, registry)
        if known:
            known = atom.name if atom in doubted else known
            powers[known] = powers.get(known, 0) + e
        else:
            factor = factor * atom.meaning.scale**e
            for base, n in registry.base_unit(atom.meaning.dimension).atoms:
                powers[base.symbol] = powers.get(base.symbol, 0) + n * e
    if any(type(checked(e)) is not int for e in powers.values()):
        raise UnitFormatError(f"udunits has no fractional exponents, which {unit} needs")
    text = _number(factor, powers) or "1"
    if _is_read(text, unit, registry):
        return text
    text = _number(factor, powers, ".")  # bit.s, since bit s is no product
    if _is_read(text, unit, registry):
        return text
    si = registry.base_unit(unit.dimension).atoms  # ft lb and ft.lb may be a torque
    text = _number(unit.key.scale, {atom.symbol: e for atom, e in si})
    if _is_read(text, unit, registry):
        return text
    return _number(unit.key.scale, {atom.symbol: e for atom, e in si}, ".")  # kg.K of no potassium


def _is_read(text: str, unit: "Unit", registry: "Registry") -> bool:
    try:
        return registry.parse(text) == unit
    except UnitParseError:
        return False


def _shifted(unit: "Unit", law: Affine, registry: "Registry") -> str:
    base = str(registry.base_unit(unit.dimension)) or "1"
    zero = law.offset / unit.key.scale.fraction
    text = f"{_number(unit.key.scale, {base: 1})} @ {float(zero)!r}"
    if registry.parse(text) != unit:
        raise UnitFormatError(f"the zero of {unit} has no short decimal for udunits")
    return text


def _known(atom: Atom, registry: "Registry") -> str | None:
    """How udunits spells the atom, if its definition says that udunits knows it."""
    found = registry.definition_of(atom)
    if found is None or found.is_delta or "cf" not in found.definition.keys:
        return None
    return atom.name if found.definition.keys["cf"] == "name" else atom.symbol


def _number(factor: Scale, powers: dict[str, Exponent] | None = None, times: str = " ") -> str:
    """Number and powers side by side or with points, as udunits multiplies."""
    parts: list[str] = []
    if factor.denominator != 1:
        parts.append(f"{_integer(factor.numerator)}/{_integer(factor.denominator)}")
    elif factor.numerator != 1:
        parts.append(_integer(factor.numerator))
    for base, e in factor.factors:
        if base != "pi" or type(e) is not int:
            raise UnitFormatError("udunits has no irrational factors but pi", str(factor))
        parts.append("pi" if e == 1 else f"pi^{e}")
    named = [
        name if e == 1 else f"{name}{'^' if name[-1].isdigit() else ''}{e}"
        for name, e in (powers or {}).items()
        if e
    ]
    return " ".join([*parts, times.join(named)] if named else parts)


def _integer(number: int) -> str:
    """Digits; beyond the integers that udunits reads, as a real number: 1327e30."""
    digits = str(number)
    if number < 2**63:
        return digits
    bare = digits.rstrip("0")
    return f"{bare}e{len(digits) - len(bare)}"
