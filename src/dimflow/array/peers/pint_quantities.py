"""Quantities of pint. Every registry has classes of its own; they share these bases."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pint
from pint.registry import Quantity
from pint.registry import Unit as PintUnit

from dimflow.array.peers.peer import Peer, Probe


class Pint(Peer):
    """Units are products of full names: `kilometer`, `delta_degree_Celsius`."""

    name = "pint"

    def __init__(self, registry: Any = None) -> None:
        self.registry = registry

    def is_quantity(self, value: Any) -> bool:
        """Whether it is a Quantity of some registry."""
        return isinstance(value, Quantity)

    def is_unit(self, value: Any) -> bool:
        """Whether it is a Unit of some registry."""
        return isinstance(value, PintUnit)

    def numbers(self, quantity: Any) -> Any:
        """The magnitude."""
        return quantity.magnitude

    def unit(self, quantity: Any) -> Any:
        """The units."""
        return quantity.units

    def factors(self, unit: Any) -> tuple[float, list[tuple[Any, Any]]]:
        """Names and exponents; there is never a number."""
        powers = [(name, _exact(power)) for name, power in unit._units.items()]
        return 1, powers

    def names(self, factor: Any) -> Sequence[str]:
        """One full name."""
        return (factor,)

    def probe(self, factor: Any, unit: Any) -> Probe | None:
        """In the root units of the registry that the unit is of."""
        make = unit._REGISTRY.Quantity
        try:
            zero, one = make(0.0, factor).to_root_units(), make(1.0, factor).to_root_units()
        except (pint.errors.PintError, ArithmeticError):
            return None  # a level of nothing that pint could name
        base = [(name, _exact(power)) for name, power in one.units._units.items()]
        return Probe(float(zero.magnitude), float(one.magnitude), base)

    def parsed(self, text: str) -> Any:
        """What the registry makes of a name."""
        try:
            return self.registry.Unit(text)
        except Exception:  # of many classes, by what the text looks like
            return None

    def one(self) -> Any:
        """Dimensionless."""
        return self.registry.Unit("")

    def quantity(self, numbers: Any, unit: Any) -> Any:
        """Of the registry."""
        return self.registry.Quantity(numbers, unit)

    def within(self, registry: Any) -> "Pint":
        """With a registry, or with pint's own application registry."""
        application: Any = pint.get_application_registry
        return Pint(application() if registry is None else registry)

    def exponent(self, power: Fraction) -> Any:
        """Pint computes with floats."""
        return float(power)


def _exact(power: Any) -> Fraction:
    return Fraction(power).limit_denominator(1000)


PEER = Pint()
