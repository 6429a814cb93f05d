"""Systems of units: into them and back, with the numbers of the literature."""

import math

import pytest
import scipy.constants as known
from hypothesis import given
from hypothesis import strategies as st

from dimflow import Unit
from dimflow.errors import UnitError
from dimflow.units import UnitSystem, convert, find_system, systems
from tests.units.strategies import LINEAR_UNITS, plain_floats

COLLAPSING = [name for name in systems() if find_system(name).equivalency is not None]
ORDINARY = [name for name in systems() if name not in COLLAPSING]


class TestInAndOut:
    @given(st.sampled_from(ORDINARY), st.sampled_from(LINEAR_UNITS), plain_floats)
    def test_ordinary(self, name: str, unit: Unit, x: float) -> None:
        there = unit.in_system(name)
        assert there.dimension is unit.dimension
        assert there.in_system(name) == there
        assert convert(convert(x, unit, there), there, unit) == pytest.approx(x, rel=1e-14)

    @given(st.sampled_from(COLLAPSING), st.sampled_from(LINEAR_UNITS), st.floats(1e-3, 1e3))
    def test_collapsing(self, name: str, unit: Unit, x: float) -> None:
        there = unit.in_system(name)
        assert there.in_system(name) == there
        value = convert(x, unit, there, via=name)
        assert 0 < value < math.inf
        assert convert(value, there, unit, via=name) == pytest.approx(x, rel=1e-13)

    @pytest.mark.parametrize("name", systems())
    def test_every_dimension_that_has_a_name(self, name: str) -> None:
        for unit in LINEAR_UNITS[::7]:
            there = unit.in_system(name)
            factor = convert(1.0, unit, there, via=name)
            assert factor > 0


class TestNumbers:
    @pytest.mark.parametrize(
        ("unit", "system", "result"),
        [
            ("km", "SI", "m"),
            ("lbf", "SI", "N"),
            ("lbf", "SI_base", "kg*m/s**2"),
            ("kWh", "SI", "J"),
            ("N", "CGS", "dyn"),
            ("J", "CGS", "erg"),
            ("Pa", "CGS", "Ba"),
            ("m/s", "CGS", "cm/s"),
            ("T", "CGS", "gauss"),
            ("N", "imperial", "lbf"),
            ("km", "imperial", "ft"),
            ("m/s", "US", "mile/hour"),
            ("J", "atomic", "hartree"),
            ("m", "atomic", "bohr"),
            ("m", "Planck", "planck_length"),
            ("J", "Planck", "planck_energy"),
            ("kg", "natural", "eV"),
            ("m", "natural", "1/eV"),
            ("s", "natural", "1/eV"),
            ("K", "natural", "eV"),
            ("kg", "geometrized", "m"),
            ("s", "geometrized", "m"),
            ("T", "Gaussian", "gauss_gaussian"),
        ],
    )
    def test_units(self, unit: str, system: str, result: str) -> None:
        assert Unit(unit).in_system(system) == Unit(result)

    @pytest.mark.parametrize(
        ("value", "source", "target", "system", "result", "digits"),
        [
            (1, "kg", "eV", "natural", known.c**2 / known.e, 1e-12),
            (1, "m", "1/eV", "natural", known.e / (known.hbar * known.c), 1e-12),
            (1, "s", "1/eV", "natural", known.e / known.hbar, 1e-12),
            (1, "K", "eV", "natural", known.k / known.e, 1e-12),
            (1, "c", "", "natural", 1, 1e-14),
            (1, "hbar", "", "natural", 1, 1e-14),
            # the charge is the root of 4 pi alpha with epsilon_0 = 1
            (1, "elementary_charge", "", "natural", math.sqrt(4 * math.pi * known.alpha), 1e-9),
            (1, "M_sun", "km", "geometrized", 1.476625, 1e-4),
            (1, "c", "", "geometrized", 1, 1e-14),
            (1, "s", "m", "geometrized", known.c, 1e-14),
            (1, "C", "statC_gaussian", "Gaussian", 2997924580.0, 1e-12),
            (1, "T", "gauss_gaussian", "Gaussian", 1e4, 1e-12),
            (1, "A", "Bi_emu", "emu", 0.1, 1e-12),
            (1, "C", "Fr_esu", "esu", 2997924580.0, 1e-12),
            (1, "V", "statV_esu", "esu", 1e6 / known.c, 1e-12),
        ],
    )  # fmt: skip
    def test_values(
        self, value: float, source: str, target: str, system: str, result: float, digits: float
    ) -> None:
        assert convert(value, source, target, via=system) == pytest.approx(result, rel=digits)

    def test_planck_units_are_one(self) -> None:
        for constant in ("speed_of_light", "reduced_planck_constant", "boltzmann_constant"):
            there = Unit(constant).in_system("Planck")
            assert Unit(constant).conversion_factor(there) == pytest.approx(1, rel=1e-12)
        for constant in ("electron_mass", "reduced_planck_constant", "elementary_charge"):
            there = Unit(constant).in_system("atomic")
            assert Unit(constant).conversion_factor(there) == pytest.approx(1, rel=1e-9)


class TestFinding:
    def test_in_any_case(self) -> None:
        assert find_system("si") is find_system("SI")
        assert find_system("gaussian").name == "Gaussian"
        assert set(systems()) >= {"SI", "CGS", "imperial", "natural", "atomic", "Planck",
                                  "geometrized"}  # fmt: skip
        system = find_system("SI")
        assert find_system(system) is system
        assert "SI" in repr(system)

    @pytest.mark.parametrize("name", ["metric", "", None, 3, b"SI", []])
    def test_unknown(self, name: object) -> None:
        with pytest.raises(UnitError, match="no system of units is called"):
            Unit("m").in_system(name)

    def test_ones_own(self) -> None:
        railway = UnitSystem("railway", ["tonne", "km", "hour"], preferred=["kN"])
        assert Unit("m/s").in_system(railway) == Unit("km/hour")
        assert Unit("lbf").in_system(railway) == Unit("kN")
        with pytest.raises(UnitError, match="has no unit for"):
            Unit("A").in_system(railway)
        with pytest.raises(UnitError):
            UnitSystem("bad", ["xyzzy"])

    def test_points_go_to_linear_units(self) -> None:
        assert Unit("degC").in_system("SI") == Unit("K")
        assert Unit("dBm").in_system("SI") == Unit("W")
