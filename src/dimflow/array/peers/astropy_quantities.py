"""Quantities of astropy, logarithmic ones (Magnitude, Decibel, Dex) included."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from astropy import units as astropy_units
from astropy.units.core import UnitBase
from astropy.units.function import FunctionUnitBase

from dimflow.array.peers import read_unit
from dimflow.array.peers.peer import Peer, Probe
from dimflow.errors import NotANumber, UnitError

# Those that astropy has no definition of beyond the name.
_LOGARITHMIC = frozenset(("mag", "dB", "dex"))


class Astropy(Peer):
    """A factor is a named unit, or a whole logarithmic one: `mag(AB)`."""

    name = "astropy"

    def is_quantity(self, value: Any) -> bool:
        """Whether it is a Quantity; angles and constants are."""
        return isinstance(value, astropy_units.Quantity)

    def is_unit(self, value: Any) -> bool:
        """Whether it is a unit; structured ones are refused where they are read."""
        return isinstance(value, (UnitBase, FunctionUnitBase))

    def numbers(self, quantity: Any) -> Any:
        """The value; a masked one would lose its mask."""
        if hasattr(quantity, "unmasked"):
            raise NotANumber("an array", f"a {type(quantity).__name__} (take q.unmasked first)")
        return quantity.value

    def unit(self, quantity: Any) -> Any:
        """The unit; an error for those of structured arrays."""
        if not self.is_unit(quantity.unit):
            raise UnitError(f"dimflow has no unit for astropy's {str(quantity.unit)!r:.60}")
        return quantity.unit

    def factors(self, unit: Any) -> tuple[float, list[tuple[Any, Any]]]:
        """Scale, bases and powers."""
        if isinstance(unit, FunctionUnitBase):
            return 1, [(unit, 1)]
        if isinstance(unit.scale, complex):
            raise UnitError(f"dimflow has no complex units such as astropy's {unit}")
        powers = [
            (base, Fraction(power).limit_denominator(1000))
            for base, power in zip(unit.bases, unit.powers, strict=True)
        ]
        return float(unit.scale), powers

    def names(self, factor: Any) -> Sequence[str]:
        """Every name, full ones first: `ct` is a count here, and a carat elsewhere."""
        if isinstance(factor, FunctionUnitBase):
            return (self._level(factor),)
        return sorted(factor.names, key=len, reverse=True)

    def _level(self, unit: Any) -> str:
        """A logarithmic unit in our words: mag(count/s)."""
        reference = str(read_unit(self, unit.physical_unit))
        return f"{unit.function_unit}({reference})" if reference else str(unit.function_unit)

    def probe(self, factor: Any, unit: Any) -> Probe | None:
        """Decomposed, where it has a definition."""
        if isinstance(factor, FunctionUnitBase):
            return None
        whole = factor.decompose()
        if len(whole.bases) == 1 and (
            whole.bases[0] is factor or whole.bases[0].name in _LOGARITHMIC
        ):
            return None
        base = [
            (self.names(part)[0], Fraction(power).limit_denominator(1000))
            for part, power in zip(whole.bases, whole.powers, strict=True)
        ]
        return Probe(0.0, float(whole.scale), base)

    def parsed(self, text: str) -> Any:
        """What astropy makes of a text."""
        try:
            return astropy_units.Unit(text)
        except (TypeError, ValueError):
            return None

    def one(self) -> Any:
        """Dimensionless."""
        return astropy_units.dimensionless_unscaled

    def quantity(self, numbers: Any, unit: Any) -> Any:
        """A Quantity, or the subclass that a logarithmic unit has."""
        if isinstance(unit, FunctionUnitBase):
            return unit._quantity_class(numbers, unit)
        return astropy_units.Quantity(numbers, unit)


PEER = Astropy()
