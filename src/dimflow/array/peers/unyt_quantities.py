"""Quantities of unyt, whose units are products in sympy."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import unyt
from unyt.exceptions import UnitConversionError, UnitParseError
from unyt.unit_object import Unit as UnytUnit

from dimflow.array.peers.peer import Peer, Probe


class Unyt(Peer):
    """A factor is the name of a symbol."""

    name = "unyt"

    def is_quantity(self, value: Any) -> bool:
        """Whether it is a unyt_array; a unyt_quantity is one."""
        return isinstance(value, unyt.unyt_array)

    def is_unit(self, value: Any) -> bool:
        """Whether it is a unit."""
        return isinstance(value, UnytUnit)

    def numbers(self, quantity: Any) -> Any:
        """The values as a plain array."""
        return quantity.view(unyt.unyt_array).value

    def unit(self, quantity: Any) -> Any:
        """The units."""
        return quantity.units

    def factors(self, unit: Any) -> tuple[float, list[tuple[Any, Any]]]:
        """From the powers of the expression."""
        number = 1.0
        powers: list[tuple[Any, Any]] = []
        for base, power in unit.expr.as_powers_dict().items():
            if base.is_number:
                number *= float(base) ** float(power)
            else:
                powers.append((str(base), _exact(power)))
        return number, powers

    def names(self, factor: Any) -> Sequence[str]:
        """One name."""
        return (factor,)

    def probe(self, factor: Any, unit: Any) -> Probe | None:
        """In metres, kilograms and seconds, by the registry of the unit."""
        own = UnytUnit(factor, registry=unit.registry)
        if own.is_dimensionless and factor.endswith("mol"):
            return None  # unyt counts moles as pure numbers
        try:
            zero = unyt.unyt_quantity(0.0, own).in_mks()
            one = unyt.unyt_quantity(1.0, own).in_mks()
        except UnitConversionError:
            return None
        base = [
            (str(part), _exact(power))
            for part, power in one.units.expr.as_powers_dict().items()
            if not part.is_number
        ]
        return Probe(float(zero.value), float(one.value), base)

    def parsed(self, text: str) -> Any:
        """What unyt makes of a name."""
        try:
            return UnytUnit(text)
        except (UnitParseError, TypeError, ValueError, AttributeError, SyntaxError):
            return None

    def one(self) -> Any:
        """Dimensionless."""
        return unyt.dimensionless

    def quantity(self, numbers: Any, unit: Any) -> Any:
        """A unyt_quantity for one number, else a unyt_array."""
        kind = unyt.unyt_array if numbers.ndim else unyt.unyt_quantity
        return kind(numbers if numbers.ndim else numbers[()], unit)


def _exact(power: Any) -> Fraction:
    return Fraction(str(power)).limit_denominator(1000)


PEER = Unyt()
