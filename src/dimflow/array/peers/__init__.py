"""Quantities of pint, astropy and unyt: reading them, writing them, meeting them in arithmetic.

A unit goes over by name, factor by factor, and is compared by meaning: a name that the other
library defines otherwise (pint's ton is 2000 pounds) is an error and never another number.
"""

from fractions import Fraction
from importlib import import_module
from typing import Any

from dimflow.array.durations import SECOND, is_duration, seconds
from dimflow.array.peers.peer import Peer
from dimflow.errors import BackendNotInstalled, UnitError
from dimflow.units import Logarithmic, Unit, scope
from dimflow.units.scale import ONE
from dimflow.units.unit import make_unit

NAMES = ("pint", "astropy", "unyt")
_known: dict[type, str | None] = {}


def peer_named(name: str) -> Peer:
    """The one that handles a library, which is imported now if it was not."""
    try:
        found: Peer = import_module(f"dimflow.array.peers.{name}_quantities").PEER
    except ImportError as error:
        raise BackendNotInstalled(name, f"pip install {name}") from error
    return found


def peer_of(kind: type) -> Peer | None:
    """The one that handles values of a type, by the packages of its bases; None for no peer's."""
    name = _known.get(kind, "")
    if name == "":
        packages = [base.__module__.partition(".")[0] for base in kind.__mro__]
        name = _known[kind] = next((p for p in packages if p in NAMES), None)
    return None if name is None else peer_named(name)


def read(value: Any) -> tuple[Any, Unit] | None:
    """The numbers and the unit of a duration, or a peer's quantity or unit; None if it is none."""
    if is_duration(value):
        return seconds(value), SECOND
    peer = peer_of(type(value))
    if peer is None or not (peer.is_unit(value) or peer.is_quantity(value)):
        return None
    if peer.is_unit(value):
        return 1, read_unit(peer, value)
    return peer.numbers(value), read_unit(peer, peer.unit(value))


def unit_from(given: Any) -> Unit:
    """What is given as a unit, which may be one of a peer: `x.to(astropy.units.km)`."""
    peer = peer_of(type(given))
    return read_unit(peer, given) if peer is not None and peer.is_unit(given) else Unit(given)


def read_unit(peer: Peer, theirs: Any) -> Unit:
    """A peer's unit as ours."""
    factor, powers = peer.factors(theirs)
    if factor == 1 and len(powers) == 1 and powers[0][1] == 1:
        return peer.read_factor(powers[0][0], theirs)
    unit = Unit("" if factor == 1 else repr(factor))
    for one, power in powers:
        unit = unit * peer.read_factor(one, theirs) ** power
    return unit


def write(array: Any, peer: Peer) -> Any:
    """An array as a quantity of a peer, in the same unit."""
    unit = array.unit
    if unit.factor is not ONE:
        unit = make_unit(ONE, unit.atoms)  # the number goes into the values
        array = array.to(unit)
    return peer.quantity(array.to_numpy(), write_unit(unit, peer))


def write_unit(unit: Unit, peer: Peer) -> Any:
    """Our unit as a peer's, which reads as the same again."""
    found = _spelled(unit, peer)
    if found is not None:
        return found
    result: Any = None
    for atom, power in unit.atoms:
        single = make_unit(ONE, ((atom, 1),))
        part = _spelled(single, peer)
        if part is None:
            raise UnitError(
                f"{peer.name} has no unit that means {single}",
                f"convert to one that it has first: x.to_base_units().to_{peer.name}()",
            )
        raised = part ** (peer.exponent(power) if isinstance(power, Fraction) else power)
        result = raised if result is None else result * raised
    return peer.one() if result is None else result


def _spelled(unit: Unit, peer: Peer) -> Any:
    """A single unit of the peer that reads as this one; None if none of its names does."""
    if len(unit.atoms) > 1 or (unit.atoms and unit.atoms[0][1] != 1):
        return None
    for text in _spellings(unit):
        theirs = peer.parsed(text)
        if theirs is None:
            continue
        try:
            if read_unit(peer, theirs) == unit:
                return theirs
        except UnitError:
            continue
    return None


def _spellings(unit: Unit) -> list[str]:
    """Everything that a unit of one atom may be called, the usual names first."""
    if not unit.atoms:
        return []
    atom = unit.atoms[0][0]
    names = [atom.symbol, atom.name]
    resolved = scope.current().definition_of(atom)
    if resolved is not None and not resolved.is_delta:
        before = (
            ("",) if resolved.prefix is None else (*resolved.prefix.symbols, resolved.prefix.name)
        )
        names += [p + name for name in resolved.definition.spellings for p in before]
    if isinstance(unit.law, Logarithmic):
        names += [f"{level}({unit.linear})" for level in ("dB", "mag", "dex")]
    return names
