"""What a unit text means, in a form in which two libraries can be compared.

A value x in the unit is `scale * x + offset` in SI base units, or, for a logarithmic unit,
`scale * ratio**x`.
"""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from dimflow import Unit, units
from dimflow.errors import UnitError

EXACT = 1e-12  # relative; room for the rounding of a few operations on floats

BASES = ("kg", "m", "s", "A", "K", "mol", "cd", "rad", "bit")
_BASE_OF = {
    "mass": "kg",
    "length": "m",
    "time": "s",
    "current": "A",
    "temperature": "K",
    "amount": "mol",
    "luminosity": "cd",
    "angle": "rad",
    "information": "bit",
}


class Reading(NamedTuple):
    """One library's understanding of one text."""

    bases: str  # "kg m s-2"
    scale: float
    offset: float = 0.0
    ratio: float | None = None

    def __str__(self) -> str:
        return self._text(12)

    def exactly(self) -> str:
        """As text, with every digit."""
        return self._text(17)

    def _text(self, digits: int) -> str:
        unit = f" {self.bases}" if self.bases else ""
        scale, offset = f"{self.scale:.{digits}g}", f"{self.offset:.{digits}g}"
        if self.ratio is not None:
            return f"{scale} * {self.ratio:.{digits}g}**x{unit}"
        return f"{scale} x + {offset}{unit}" if self.offset else f"{scale}{unit}"

    def agrees(self, other: "Reading", tolerance: float = EXACT) -> bool:
        """Whether both mean the same up to a relative tolerance."""
        if self.bases != other.bases or (self.ratio is None) != (other.ratio is None):
            return False
        pairs = [(self.scale, other.scale), (self.offset, other.offset)]
        if self.ratio is not None and other.ratio is not None:
            pairs.append((self.ratio, other.ratio))
        return all(math.isclose(a, b, rel_tol=tolerance) for a, b in pairs)

    def without(self, erased: frozenset[str]) -> "Reading":
        """The same with some base units taken for the number one."""
        kept = (part for part in self.bases.split() if part.rstrip("0123456789-/()") not in erased)
        return self._replace(bases=" ".join(kept))


def bases(exponents: Mapping[str, Any]) -> str:
    """Base units with their exponents as a text, in one order."""
    unknown = exponents.keys() - set(BASES)
    if unknown:
        raise ValueError(f"not base units of the SI: {unknown}")
    powers = [(base, Fraction(exponents.get(base, 0)).limit_denominator(100)) for base in BASES]
    return " ".join(
        base if e == 1 else f"{base}{e}" if e.denominator == 1 else f"{base}({e})"
        for base, e in powers
        if e
    )


def measured(exponents: Mapping[str, Any], to_base: Callable[[float], float]) -> Reading:
    """The reading of a unit whose conversion to base units is a function of numbers."""
    zero, one, two = (float(to_base(x)) for x in (0.0, 1.0, 2.0))
    if zero == 0:
        return Reading(bases(exponents), one)
    if math.isclose(two - one, one - zero, rel_tol=1e-9):
        far = 2**20  # so that the zero of the scale takes no digits from its step
        return Reading(bases(exponents), (float(to_base(far)) - zero) / far, zero)
    return Reading(bases(exponents), zero, 0.0, one / zero)


def ours(text: str, **options: Any) -> Reading | None:
    """What dimflow makes of a text; None if it does not read it."""
    try:
        unit = Unit(text, **options)
    except UnitError:
        return None
    return of_unit(unit)


def of_unit(unit: Unit) -> Reading:
    """A unit of ours as a reading."""
    exponents = {_BASE_OF[base]: e for base, e in unit.dimension.as_dict().items()}
    if unit.law is None:
        return Reading(bases(exponents), unit.scale)
    base = unit.to_base()
    return measured(exponents, lambda x: units.convert(x, unit, base))
