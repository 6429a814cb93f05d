"""Units, exponents and numbers for property tests, and the list of every unit there is."""

from fractions import Fraction
from functools import cache

from hypothesis import strategies as st

from dimflow import Unit
from dimflow.units import Affine, Logarithmic
from dimflow.units.definition import Definition, Resolved
from dimflow.units.dimension import BASES, Dimension
from dimflow.units.tables import builtin

DEFINITIONS: list[Definition] = list(builtin)
BY_NAME: dict[str, Unit] = {d.name: Unit(d.name) for d in DEFINITIONS}
EVERY_UNIT: list[Unit] = list(BY_NAME.values())
LINEAR_UNITS: list[Unit] = [u for u in EVERY_UNIT if u.law is None]
LOGARITHMIC_UNITS: list[Unit] = [u for u in EVERY_UNIT if isinstance(u.law, Logarithmic)]
AFFINE_UNITS: list[Unit] = [u for u in EVERY_UNIT if isinstance(u.law, Affine)]

# Small primes and powers of ten only, so that roots of them are found at once.
_TAME = """
    m kg s A K mol cd rad bit g N J W Pa V ohm Hz L min h day inch foot mile pound deg turn km mm
    us Gbit nat percent eV degR lbf psi acre hp
"""
TAME = [Unit(name) for name in _TAME.split()]


@cache
def prefixed_names() -> list[str]:
    """Every prefix before every name that takes it and stays what it is."""
    names = []
    for definition in DEFINITIONS:
        for prefix in builtin.prefixes():
            name = prefix.name + definition.name
            if builtin.resolve(name) == Resolved(definition, prefix):
                names.append(name)
    return names


def prefixed_units() -> st.SearchStrategy[Unit]:
    """Units with a prefix, linear or not."""
    return st.deferred(lambda: st.sampled_from(prefixed_names())).map(Unit)


def any_units() -> st.SearchStrategy[Unit]:
    """A unit with a name of its own or a prefixed one, of any law."""
    return st.sampled_from(EVERY_UNIT) | prefixed_units()


def linear_atoms() -> st.SearchStrategy[Unit]:
    """The same, linear."""
    return any_units().filter(lambda u: u.law is None)


whole_exponents = st.integers(-3, 3)
fractions = st.fractions(-4, 4, max_denominator=4)  # three in a row stay below the 200th root
nonzero_fractions = fractions.filter(bool)


@st.composite
def products(draw: st.DrawFn, max_size: int = 3) -> Unit:
    """A product of any linear units with whole exponents, perhaps with a number before it."""
    result = draw(st.sampled_from(["", "", "1000", "2.54", "1/3", "pi", "7e-9"]).map(Unit))
    for _ in range(draw(st.integers(0, max_size))):
        result = result * draw(linear_atoms()) ** draw(whole_exponents)
    return result


@st.composite
def tame_products(draw: st.DrawFn, max_size: int = 3) -> Unit:
    """A product of units with simple scales and rational exponents."""
    result = Unit("")
    for _ in range(draw(st.integers(0, max_size))):
        result = result * draw(st.sampled_from(TAME)) ** draw(fractions)
    return result


dimensions = st.lists(
    st.sampled_from([0, 0, 0, 1, -1, 2, -2, 3, Fraction(1, 2), Fraction(-3, 2)]),
    min_size=len(BASES),
    max_size=len(BASES),
).map(lambda exponents: Dimension(*exponents))

positive_fractions = st.fractions(min_value=Fraction(1, 10**12), max_value=10**12).filter(bool)


@st.composite
def user_units(draw: st.DrawFn) -> Unit:
    """A unit that no registry knows."""
    name = draw(st.sampled_from(["a", "B", "äß", "ж_ж", "あ", "n0", "_", "x" * 60]))
    return Unit(f"zq_{name}", draw(dimensions), draw(positive_fractions))


# Values whose conversion stays far from the ends of the range of floats.
plain_floats = st.floats(1e-60, 1e60) | st.floats(-1e60, -1e-60)
