"""Peer: what dimflow must know of another library of quantities."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from dimflow.errors import UnitError
from dimflow.units import Unit, convert
from dimflow.units.tables import builtin

_TOLERANCE = 1e-6  # editions of CODATA differ by less, two units of one name by more


class Probe(NamedTuple):
    """What 0 and 1 of a unit are in the library's own base units."""

    zero: float
    one: float
    base: Sequence[tuple[str, Any]]


class Peer(ABC):
    """A library of quantities; one file each makes one instance of a subclass of this.

    A factor is the library's own unit of one symbol, whatever it keeps for that.
    """

    name: str

    @abstractmethod
    def is_quantity(self, value: Any) -> bool:
        """Whether a value of this library is numbers with a unit."""

    @abstractmethod
    def is_unit(self, value: Any) -> bool:
        """Whether a value of this library is a unit."""

    @abstractmethod
    def numbers(self, quantity: Any) -> Any:
        """The numbers of a quantity, in its own unit."""

    @abstractmethod
    def unit(self, quantity: Any) -> Any:
        """The unit of a quantity."""

    @abstractmethod
    def factors(self, unit: Any) -> tuple[float, list[tuple[Any, Any]]]:
        """A number, and the factors of a unit with their exponents."""

    @abstractmethod
    def names(self, factor: Any) -> Sequence[str]:
        """What the library calls a factor, the likeliest first."""

    @abstractmethod
    def probe(self, factor: Any, unit: Any) -> Probe | None:
        """What a factor of a unit means; None where its name is all there is to know."""

    @abstractmethod
    def parsed(self, text: str) -> Any:
        """The library's unit of a name; None if it has none."""

    @abstractmethod
    def one(self) -> Any:
        """The library's unit of pure numbers."""

    @abstractmethod
    def quantity(self, numbers: Any, unit: Any) -> Any:
        """A quantity of this library."""

    def within(self, registry: Any) -> "Peer":
        """The same for writing into a registry, where the library has several."""
        return self

    def exponent(self, power: Fraction) -> Any:
        """A fractional exponent as the library takes it."""
        return power

    def read_factor(self, factor: Any, unit: Any) -> Unit:
        """Our unit of a factor's name, if it means the same to both."""
        names = self.names(factor)
        probe = self.probe(factor, unit)
        other: Unit | None = None
        for name in names:
            try:
                ours = Unit(name)
            except UnitError:
                continue
            if len(ours.atoms) > 1 or any(power != 1 for _, power in ours.atoms):
                continue  # smoot2 is a name to them, and smoot**2 to our parser
            if probe is None or _agrees(ours, probe):
                return ours
            other = other or ours
        raise _unread(self.name, names[0], other, probe)


def _base(probe: Probe) -> Unit:
    base = Unit("")
    for name, power in probe.base:
        base = base * builtin.parse(name) ** power
    return base


def _agrees(ours: Unit, probe: Probe) -> bool:
    """Whether 0 and 1 of our unit are what the library says they are."""
    base = _base(probe)
    if base.dimension is not ours.dimension:
        return False
    zero, one = float(convert(0.0, ours, base)), float(convert(1.0, ours, base))
    scale = abs(probe.one - probe.zero) * _TOLERANCE
    return math.isclose(zero, probe.zero, rel_tol=_TOLERANCE, abs_tol=scale) and math.isclose(
        one, probe.one, rel_tol=_TOLERANCE, abs_tol=scale
    )


def _unread(library: str, name: str, other: Unit | None, probe: Probe | None) -> UnitError:
    """An error that shows how to define what the library has and dimflow has not."""
    meaning = ""
    if probe is not None and probe.zero == 0:
        try:
            meaning = f"{probe.one!r} {_base(probe)}".rstrip()
        except UnitError:
            meaning = ""
    if other is not None:
        return UnitError(
            f"{library}'s {name!r} is {meaning or 'another unit'}, but dimflow's is another "
            f"({float(convert(1.0, other, other.to_base()))!r} {other.to_base()})".rstrip(),
            "convert it to a unit that both understand alike first",
        )
    hint = f"define it first: dimflow.units.define({f'{name} = {meaning}'!r})" if meaning else None
    return UnitError(f"dimflow has no unit for {library}'s {name!r}", hint)
