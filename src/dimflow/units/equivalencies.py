"""Equivalencies: conversions between dimensions that a law of physics makes, asked for by `via=`.

Most are monomials: a product with powers of a few constants turns one dimension into the other
(E = h ν). The constants' exponents follow from the dimensions alone, so an equivalency is a list
of constants and, where it should not reach further, of dimensions.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache, lru_cache, wraps
from typing import Any

from dimflow.errors import ComputationError, UnitError
from dimflow.units.conversion import Function, Linear, Power, Step, convert
from dimflow.units.dimension import KINDS, Dimension
from dimflow.units.exponent import checked
from dimflow.units.meaning import Meaning
from dimflow.units.scale import ONE, Scale
from dimflow.units.tables import builtin
from dimflow.units.unit import Unit, make_unit

Link = tuple[Any, Any, Callable[[Any], Any], Callable[[Any], Any]]


class Equivalency:
    """A way to convert between dimensions.

    From constants: `Equivalency("mass_energy", constants=["c**2"])`, in whole powers unless `roots`
    allows any; `inverts` lets the value's inverse be taken as well, `dimensions` says between
    which alone it converts. Or from functions, for a law
    that is no monomial: `Equivalency("mine", links=[("m/s", "Hz", forward, backward)])`, where the
    functions take and return plain values in those units. Or any of some `alternatives`.
    """

    def __init__(
        self,
        name: str,
        *,
        constants: Sequence["Unit | str"] = (),
        dimensions: Iterable["Dimension | str"] | None = None,
        inverts: bool = False,
        roots: bool = False,
        links: Iterable[Link] = (),
        alternatives: Sequence["Equivalency"] = (),
    ) -> None:
        self.name = name
        self._constants = tuple(Unit(c).key for c in constants)
        self._dimensions = None if dimensions is None else {_dimension(d) for d in dimensions}
        self._powers = (1, -1) if inverts else (1,)
        self._roots = roots
        self._alternatives = tuple(alternatives)
        self._links = tuple(_checked_link(link) for link in links)
        if not _independent(self._constants):
            raise UnitError(f"the constants of {name!r} are not independent of one another")

    def __repr__(self) -> str:
        return f"<Equivalency {self.name}>"

    def steps(self, source: Dimension, target: Dimension) -> tuple[Step, ...] | None:
        """Steps between values in SI base units of two dimensions, or None if there are none."""
        for one, other, forward, backward in self._links:
            for a, b, function in ((one, other, forward), (other, one, backward)):
                if a.dimension is source and b.dimension is target:
                    return (
                        Linear(a.key.scale**-1),
                        Function(function),
                        Linear(b.key.scale),
                    )
        for alternative in self._alternatives:
            steps = alternative.steps(source, target)
            if steps is not None:
                return steps
        allowed = self._dimensions
        if not self._constants and len(self._powers) == 1:
            return None
        if allowed is not None and not (source in allowed and target in allowed):
            return None
        for power in self._powers:
            factor = _bridge(self._constants, source**power, target, self._roots)
            if factor is not None:
                return (Linear(factor),) if power == 1 else (Power(power), Linear(factor))
        return None


def _dimension(given: "Dimension | str") -> Dimension:
    return given if isinstance(given, Dimension) else Dimension(given)


def _checked_link(link: Link) -> tuple[Unit, Unit, Callable[[Any], Any], Callable[[Any], Any]]:
    one, other, forward, backward = link
    a, b = Unit(one), Unit(other)
    if a.law or b.law:
        raise UnitError("a link is between linear units", f"{a} or {b} is not")
    return a, b, forward, backward


def _independent(constants: tuple[Meaning, ...]) -> bool:
    zero = Dimension()
    for i, constant in enumerate(constants):
        rest = constants[:i]
        if exponents_between(rest, zero, constant.dimension) is not None:
            return False
    return True


@lru_cache(maxsize=1024)
def _bridge(
    constants: tuple[Meaning, ...], source: Dimension, target: Dimension, roots: bool
) -> Scale | None:
    """The number by which the constants turn the source into the target, if they can."""
    powers = exponents_between(constants, source, target)
    if powers is None or not (roots or all(p.denominator == 1 for p in powers)):
        return None
    factor = ONE
    for constant, power in zip(constants, powers, strict=True):
        factor = factor * constant.scale ** checked(power)
    return factor


def exponents_between(
    constants: tuple[Meaning, ...], source: Dimension, target: Dimension
) -> list[Fraction] | None:
    """Solve source * product of constants**x = target for x, by elimination over fractions."""
    rows = [
        [Fraction(c.dimension.as_dict().get(kind, 0)) for c in constants]
        + [Fraction((target / source).as_dict().get(kind, 0))]
        for kind in KINDS
    ]
    columns = len(constants)
    for column in range(columns):
        pivot = next((r for r in range(column, len(rows)) if rows[r][column]), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        lead = rows[column]
        for r, row in enumerate(rows):
            if r != column and row[column]:
                ratio = row[column] / lead[column]
                rows[r] = [x - ratio * y for x, y in zip(row, lead, strict=True)]
    if any(row[-1] for row in rows[columns:]):
        return None
    return [rows[i][-1] / rows[i][i] for i in range(columns)]


# Those that need no parameter

_WAVES = (
    "length",
    "frequency",
    "energy",
    "wavenumber",
    "angle/time",
    "angle/length",
)
_NAMED: dict[str, tuple[str, Callable[[], Equivalency]]] = {
    "spectral": (
        "wavelength, frequency, photon energy, wavenumber and their angular forms",
        lambda: Equivalency(
            "spectral",
            constants=["planck_constant", "speed_of_light", "turn"],
            dimensions=_WAVES,
            inverts=True,
        ),
    ),
    "mass_energy": (
        "mass and energy, also per volume or per amount: E = m c²",
        lambda: Equivalency("mass_energy", constants=[builtin.parse("speed_of_light") ** 2]),
    ),
    "temperature_energy": (
        "temperature and energy: E = k T",
        lambda: Equivalency("temperature_energy", constants=["boltzmann_constant"]),
    ),
    "molar": (
        "amounts and numbers of particles, by Avogadro's constant",
        lambda: Equivalency("molar", constants=["avogadro_constant"]),
    ),
    "parallax": (
        "a star's parallax and its distance",
        lambda: Equivalency(
            "parallax",
            constants=["parsec*arcsecond"],
            dimensions=["length", "angle"],
            inverts=True,
        ),
    ),
    "inverse": (
        "a quantity and its inverse: fuel economy and consumption, period and frequency",
        lambda: Equivalency("inverse", inverts=True),
    ),
    "angle": (
        "angles as pure numbers: a radian counts as 1",
        lambda: Equivalency("angle", constants=["radian"]),
    ),
    "cycles": (
        "angles as numbers of turns: a full turn counts as 1",
        lambda: Equivalency("cycles", constants=["turn"]),
    ),
}


def spectral() -> Equivalency:
    """Wavelength, frequency, photon energy, wavenumber and their angular forms."""
    return find_equivalency("spectral")


def mass_energy() -> Equivalency:
    """Mass and energy."""
    return find_equivalency("mass_energy")


def temperature_energy() -> Equivalency:
    """Temperature and energy."""
    return find_equivalency("temperature_energy")


def parallax() -> Equivalency:
    """A star's parallax and its distance."""
    return find_equivalency("parallax")


def _measured(make: Callable[..., Equivalency]) -> Callable[..., Equivalency]:
    """What is given is in the caller's units; the constants and the defaults are the table's."""

    @wraps(make)
    def made(*args: Any, **kwargs: Any) -> Equivalency:
        args = tuple(Unit(value) if isinstance(value, str) else value for value in args)
        for name in kwargs.keys() & {"unit", "beam_unit"}:
            kwargs[name] = Unit(kwargs[name])
        with builtin:
            return make(*args, **kwargs)

    return made


@_measured
def molar(molar_mass: Any = None, unit: "Unit | str" = "g/mol") -> Equivalency:
    """Amount, number of particles and, with a molar mass, mass: `molar(18.015)` for water."""
    if molar_mass is None:
        return find_equivalency("molar")
    mass = _measure(molar_mass, unit, "kg/mol")
    return Equivalency("molar", constants=["avogadro_constant", mass])


@_measured
def doppler(
    rest: Any, unit: "Unit | str" = "Hz", *, convention: str = "relativistic"
) -> Equivalency:
    """Radial speed and the frequency, wavelength or photon energy of a line shifted by it.

    `rest` is the line's own frequency, wavelength or energy. Speeds away from us are positive.
    Conventions: relativistic, radio (v = c (1 - ν/ν0)), optical (v = c (ν0/ν - 1)).
    """
    rest_frequency = float(convert(rest, unit, "Hz", via="spectral"))
    c = builtin.parse("speed_of_light").scale

    def relativistic_speed(f: Any) -> Any:
        return c * (rest_frequency**2 - f**2) / (rest_frequency**2 + f**2)

    def relativistic_frequency(v: Any) -> Any:
        if isinstance(v, float) and abs(v) > c:
            raise ComputationError("doppler", f"{v:.6g} m/s is faster than light")
        return rest_frequency * ((c - v) / (c + v)) ** 0.5

    def radio_speed(f: Any) -> Any:
        return c * (1 - f / rest_frequency)

    def radio_frequency(v: Any) -> Any:
        return rest_frequency * (1 - v / c)

    def optical_speed(f: Any) -> Any:
        return c * (rest_frequency / f - 1)

    def optical_frequency(v: Any) -> Any:
        return rest_frequency / (1 + v / c)

    laws = {
        "relativistic": (relativistic_speed, relativistic_frequency),
        "radio": (radio_speed, radio_frequency),
        "optical": (optical_speed, optical_frequency),
    }
    if convention not in laws:
        raise UnitError(f"no Doppler convention is called {convention!r}", ", ".join(laws))
    to_speed, to_frequency = laws[convention]
    h = builtin.parse("planck_constant").scale
    return Equivalency(
        f"doppler_{convention}",
        links=[
            ("Hz", "m/s", to_speed, to_frequency),
            ("m", "m/s", lambda x: to_speed(c / x), lambda v: c / to_frequency(v)),
            ("J", "m/s", lambda e: to_speed(e / h), lambda v: h * to_frequency(v)),
        ],
    )


@_measured
def brightness_temperature(
    frequency: Any, unit: "Unit | str" = "GHz", *, beam: Any = None, beam_unit: "Unit | str" = "sr"
) -> Equivalency:
    """Surface brightness (Jy/sr), or flux in a beam (Jy), and the Rayleigh-Jeans temperature."""
    nu = _measure(frequency, unit, "Hz", via="spectral")
    per_kelvin = nu**2 * builtin.parse("boltzmann_constant") / builtin.parse("speed_of_light") ** 2
    brightness = make_unit(Scale(2), ()) * per_kelvin / builtin.parse("sr")
    if beam is not None:
        brightness = brightness * _measure(beam, beam_unit, "sr")
    return Equivalency("brightness_temperature", constants=[brightness])


def _measure(value: Any, unit: "Unit | str", base: str, via: str | None = None) -> Unit:
    """A value in a unit as a unit of its own."""
    return make_unit(Scale(float(convert(value, unit, base, via))), ()) * Unit(base)


@cache
def find_equivalency(name: str) -> Equivalency:
    """The equivalency of a name."""
    if name in _NAMED:
        with builtin:  # user units cannot change a law of physics
            return _NAMED[name][1]()
    from dimflow.units.systems import find_system, systems

    bridges = [s for s in systems() if find_system(s).equivalency is not None]
    raise UnitError(
        f"no equivalency is called {name[:60]!r}",
        "by name: " + ", ".join([*_NAMED, *bridges]) + "; with parameters: "
        "molar(...), doppler(...), brightness_temperature(...) of dimflow.units.equivalencies",
    )


def find_equivalencies(via: Any) -> list[Equivalency]:
    """What `via=` may be: a name, an Equivalency, a system of units, or a list of these."""
    from dimflow.units.systems import UnitSystem, find_system, systems

    if isinstance(via, str) and via.lower() in map(str.lower, systems()):
        via = find_system(via)
    if isinstance(via, UnitSystem):  # one that sets no constant to 1 connects nothing
        return [] if via.equivalency is None else [via.equivalency]
    if isinstance(via, str):
        return [find_equivalency(via)]
    if isinstance(via, Equivalency):
        return [via]
    if isinstance(via, (list, tuple)):
        return [e for item in via for e in find_equivalencies(item)]
    raise UnitError(
        f"via= takes a name, an Equivalency or a list of them, but got {repr(via)[:60]}"
    )


def suggested(source: Dimension, target: Dimension, via: Any) -> str | None:
    """A hint with the equivalencies that would do, if any."""
    fitting = [n for n in _NAMED if find_equivalency(n).steps(source, target) is not None]
    if via is not None:
        lead = f"via={via!r} does not connect them"
        return f"{lead}; via={fitting[0]!r} does" if fitting else lead
    return f"via={fitting[0]!r} connects them" if fitting else None


def named() -> dict[str, str]:
    """The equivalencies that have a name, with what each connects."""
    return {name: text for name, (text, _) in _NAMED.items()}
