"""Equivalencies: laws of physics asked for by name, against numbers from elsewhere."""

import math
from typing import Any

import pytest
import scipy.constants as known
from hypothesis import given
from hypothesis import strategies as st

from dimflow import Unit
from dimflow.errors import DimflowError, UnitConversionError, UnitError
from dimflow.units import Equivalency, Registry, convert
from dimflow.units import equivalencies as eq

WAVES = ["nm", "THz", "eV", "1/cm", "rad/s", "rad/m", "J", "Hz", "m"]


class TestNumbers:
    """By scipy.constants and the formulas of any textbook."""

    @pytest.mark.parametrize(
        ("value", "source", "target", "via", "result"),
        [
            (500, "nm", "THz", "spectral", known.c / 500e-9 / 1e12),
            (1, "eV", "nm", "spectral", known.h * known.c / known.e * 1e9),
            (1, "eV", "THz", "spectral", known.e / known.h / 1e12),
            (1, "1/cm", "eV", "spectral", known.h * known.c * 100 / known.e),
            (21.1, "cm", "MHz", "spectral", known.c / 0.211 / 1e6),
            (1, "Hz", "rad/s", "spectral", 2 * math.pi),
            (1, "rad/s", "J", "spectral", known.hbar),
            (1, "nm", "rad/nm", "spectral", 2 * math.pi),
            (1, "kg", "J", "mass_energy", known.c**2),
            (511, "keV", "kg", "mass_energy", 511e3 * known.e / known.c**2),
            (1, "kg/m**3", "J/m**3", "mass_energy", known.c**2),
            (300, "K", "eV", "temperature_energy", 300 * known.k / known.e),
            (0, "degC", "J", "temperature_energy", 273.15 * known.k),
            (1, "eV", "degC", "temperature_energy", known.e / known.k - 273.15),
            (1, "mol", "", "molar", known.N_A),
            (known.N_A, "", "mol", "molar", 1),
            (1, "J/mol", "J", "molar", 1 / known.N_A),
            (1, "arcsec", "pc", "parallax", 1),
            (0.1, "arcsec", "pc", "parallax", 10),
            (4, "pc", "arcsec", "parallax", 0.25),
            (180, "deg", "", "angle", math.pi),
            (60, "rpm", "Hz", "cycles", 1),
            (60, "rpm", "1/s", "angle", 2 * math.pi),
            (1, "", "deg", "angle", 180 / math.pi),
            (1, "N*m", "N*m/rad", "angle", 1),
        ],
    )
    def test_named(self, value: float, source: str, target: str, via: str, result: float) -> None:
        assert convert(value, source, target, via=via) == pytest.approx(result, rel=1e-14)

    def test_water(self) -> None:
        water = eq.molar(18.015)
        assert convert(1, "mol", "g", via=water) == pytest.approx(18.015)
        assert convert(18.015, "g", "mol", via=water) == pytest.approx(1)
        assert convert(18.015, "g", "", via=water) == pytest.approx(known.N_A)
        assert convert(1, "mol/L", "g/L", via=eq.molar(0.018015, "kg/mol")) == pytest.approx(18.015)

    @pytest.mark.parametrize(
        ("convention", "speed"),
        [
            ("relativistic", known.c * (1 - 0.9**2) / (1 + 0.9**2)),
            ("radio", known.c * 0.1),
            ("optical", known.c * (1 / 0.9 - 1)),
        ],
    )
    def test_doppler(self, convention: str, speed: float) -> None:
        line = eq.doppler(1.42, "GHz", convention=convention)
        assert convert(0.9 * 1.42, "GHz", "m/s", via=line) == pytest.approx(speed, rel=1e-12)
        assert convert(speed, "m/s", "GHz", via=line) == pytest.approx(0.9 * 1.42, rel=1e-12)
        wavelength = known.c / (0.9 * 1.42e9)
        assert convert(wavelength, "m", "m/s", via=line) == pytest.approx(speed, rel=1e-9)
        energy = 0.9 * 1.42e9 * known.h
        assert convert(energy, "J", "m/s", via=line) == pytest.approx(speed, rel=1e-9)
        assert convert(1.42, "GHz", "m/s", via=line) == pytest.approx(0, abs=1e-6)

    def test_doppler_by_wavelength(self) -> None:
        line = eq.doppler(656.28, "nm", convention="optical")
        assert convert(660, "nm", "km/s", via=line) == pytest.approx(
            known.c / 1e3 * (660 / 656.28 - 1), rel=1e-9
        )

    @pytest.mark.parametrize("speed", [known.c * 1.5, known.c * -1.5, 4e8])
    def test_nothing_is_faster_than_light(self, speed: float) -> None:
        with pytest.raises(DimflowError):
            convert(speed, "m/s", "Hz", via=eq.doppler(1e9))

    def test_brightness_temperature(self) -> None:
        """I = 2 k T nu^2 / c^2."""
        nu = 5e9
        per_kelvin = 2 * known.k * nu**2 / known.c**2 / 1e-26
        sky = eq.brightness_temperature(5, "GHz")
        assert convert(1, "K", "Jy/sr", via=sky) == pytest.approx(per_kelvin, rel=1e-12)
        assert convert(per_kelvin, "Jy/sr", "K", via=sky) == pytest.approx(1, rel=1e-12)
        beam = eq.brightness_temperature(5, "GHz", beam=1e-6)
        assert convert(1, "K", "Jy", via=beam) == pytest.approx(per_kelvin * 1e-6, rel=1e-12)


class TestLaws:
    @given(st.sampled_from(WAVES), st.sampled_from(WAVES), st.floats(1e-3, 1e3))
    def test_spectral_back_and_forth(self, a: str, b: str, x: float) -> None:
        there = convert(x, a, b, via="spectral")
        assert convert(there, b, a, via="spectral") == pytest.approx(x, rel=1e-13)

    @given(st.sampled_from(WAVES), st.sampled_from(WAVES), st.sampled_from(WAVES),
           st.floats(1e-3, 1e3))  # fmt: skip
    def test_spectral_is_transitive(self, a: str, b: str, c: str, x: float) -> None:
        direct = convert(x, a, c, via="spectral")
        through = convert(convert(x, a, b, via="spectral"), b, c, via="spectral")
        assert through == pytest.approx(direct, rel=1e-13)

    @pytest.mark.parametrize("name", list(eq.named()))
    def test_it_does_not_change_what_converts_anyway(self, name: str) -> None:
        assert convert(5, "km", "mile", via=name) == convert(5, "km", "mile")
        assert convert(5, "degC", "degF", via=name) == convert(5, "degC", "degF")

    @pytest.mark.parametrize("name", list(eq.named()))
    def test_it_does_not_reach_too_far(self, name: str) -> None:
        with pytest.raises(UnitConversionError):
            convert(1, "kg", "m", via=name)
        with pytest.raises(UnitConversionError):
            convert(1, "A", "cd", via=name)

    def test_roots_are_not_taken(self) -> None:
        """Half of an equivalency is none: no mass is a momentum by the root of c**2."""
        with pytest.raises(UnitConversionError):
            convert(1, "kg", "kg*m/s", via="mass_energy")

    @pytest.mark.parametrize("name", list(eq.named()))
    def test_functions_of_the_same_names(self, name: str) -> None:
        assert Equivalency.__name__ in repr(eq.find_equivalency(name))
        assert eq.named()[name]


class TestOnesOwn:
    def test_constants(self) -> None:
        wind = Equivalency("drag", constants=["1.2 kg/m**3"])
        assert convert(2, "m**3", "kg", via=wind) == pytest.approx(2.4)
        assert convert(2.4, "kg", "m**3", via=wind) == pytest.approx(2)

    def test_functions(self) -> None:
        beaufort = Equivalency(
            "beaufort",
            links=[("", "m/s", lambda b: 0.836 * b**1.5, lambda v: (v / 0.836) ** (2 / 3))],
        )
        assert convert(4, "", "m/s", via=beaufort) == pytest.approx(6.688)
        assert convert(6.688, "m/s", "", via=beaufort) == pytest.approx(4)
        assert convert(4, "", "km/h", via=beaufort) == pytest.approx(6.688 * 3.6)

    def test_several(self) -> None:
        both = ["spectral", "mass_energy"]
        assert convert(1, "kg", "J", via=both) == pytest.approx(known.c**2)
        assert convert(1, "nm", "THz", via=tuple(both)) == pytest.approx(known.c * 1e-3)
        assert convert(1, "kg", "J", via=[eq.spectral(), eq.mass_energy()]) > 1e16

    def test_of_dimensions(self) -> None:
        only = Equivalency("x", constants=["c"], dimensions=["length", "time"])
        assert convert(1, "s", "m", via=only) == known.c
        with pytest.raises(UnitConversionError):
            convert(1, "kg s", "kg m", via=only)

    @pytest.mark.parametrize(
        "make",
        [
            lambda: Equivalency("x", constants=["m", "km"]),
            lambda: Equivalency("x", constants=["1"]),
            lambda: Equivalency("x", constants=["xyzzy"]),
            lambda: Equivalency("x", links=[("degC", "m", abs, abs)]),
            lambda: Equivalency("x", dimensions=["lenght"]),
            lambda: eq.doppler(1, "GHz", convention="quantum"),
            lambda: eq.doppler(1, "kg"),
            lambda: eq.molar(0),
            lambda: eq.molar(-1),
            lambda: eq.molar(float("nan")),
            lambda: eq.molar(1, "s"),
            lambda: eq.brightness_temperature(0),
        ],
    )
    def test_refused(self, make: Any) -> None:
        with pytest.raises(UnitError):
            make()

    def test_in_a_scope(self) -> None:
        with Registry() as lab:
            lab.define("zqrho = 800 kg/m**3")
            oil = Equivalency("oil", constants=["zqrho"])
        assert convert(1, "m**3", "kg", via=oil) == 800


class TestErrors:
    @pytest.mark.parametrize("via", ["xyzzy", "", "Spectral", "x" * 10**5, "\0"])
    def test_unknown(self, via: str) -> None:
        with pytest.raises(UnitError) as caught:
            convert(1, "nm", "THz", via=via)
        assert not isinstance(caught.value, UnitConversionError) or caught.value.hint
        assert len(str(caught.value)) < 2000

    @pytest.mark.parametrize("via", [3, object(), b"spectral", {}, ["spectral", 3], [["x"]]])
    def test_no_equivalency(self, via: Any) -> None:
        with pytest.raises(UnitError):
            convert(1, "nm", "THz", via=via)

    def test_the_hint(self) -> None:
        with pytest.raises(UnitConversionError) as caught:
            convert(1, "rpm", "Hz")
        text = str(caught.value)
        assert "an angle is not a pure number" in text
        assert "x.to('Hz', via='cycles') gives 0.0166667 Hz per rpm (a turn counts as 1)" in text
        assert "x.to('Hz', via='angle') gives 0.10472 Hz per rpm (a radian counts as 1)" in text
        with pytest.raises(UnitConversionError) as caught:
            convert(1, "nm", "THz", via="mass_energy")
        assert caught.value.hint is not None
        assert "spectral" in caught.value.hint

    def test_edges(self) -> None:
        assert convert(0, "nm", "THz", via="spectral") == math.inf
        assert convert(math.inf, "nm", "THz", via="spectral") == 0
        assert math.isnan(convert(math.nan, "nm", "THz", via="spectral"))
        assert Unit("nm").is_compatible("THz", via="spectral")
        assert not Unit("nm").is_compatible("THz", via="mass_energy")
