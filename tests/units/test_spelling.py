"""Names: prefixes, plurals, capitals, look-alike characters, and texts of units with a law."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dimflow import Unit, units
from dimflow.errors import PointError, UndefinedUnitError, UnitError, UnitParseError
from dimflow.units import Affine, Logarithmic, convert
from dimflow.units.definition import Resolved
from dimflow.units.spelling import is_ambiguous
from dimflow.units.tables import builtin
from tests.units.guard import refusal
from tests.units.strategies import DEFINITIONS, EVERY_UNIT, prefixed_names


class TestNames:
    def test_every_spelling_is_its_unit(self) -> None:
        for definition in DEFINITIONS:
            unit = Unit(definition.name)
            for spelling in definition.spellings:
                if not is_ambiguous(spelling, definition, builtin):
                    assert Unit(spelling) is unit, spelling

    def test_no_spelling_stands_twice(self) -> None:
        seen: dict[str, str] = {}
        for definition in DEFINITIONS:
            for spelling in dict.fromkeys(definition.spellings):
                assert seen.setdefault(spelling, definition.name) == definition.name

    def test_every_definition_has_family_and_source(self) -> None:
        assert [d.name for d in DEFINITIONS if not (d.family and d.source)] == []

    def test_every_name_that_is_an_identifier_is_an_attribute(self) -> None:
        names = [s for s in builtin.spellings() if s.isidentifier()]
        assert len(names) > 3000
        assert [n for n in names if not isinstance(getattr(units, n), Unit)] == []

    def test_completion_offers_them(self) -> None:
        assert {"m", "km", "metre", "degC", "convert", "define", "furlong"} <= set(dir(units))
        assert all(hasattr(units, name) for name in dir(units))

    @pytest.mark.parametrize(
        ("plural", "name"),
        [
            ("metres", "m"), ("meters", "m"), ("feet", "ft"), ("inches", "inch"),
            ("kilometres", "km"), ("henries", "H"), ("henrys", "H"), ("centuries", "century"),
            ("seconds", "s"), ("degrees", "deg"), ("pounds", "lb"), ("hertz", "Hz"), ("lux", "lx"),
            ("siemens", "S"), ("megabytes", "MB"), ("kibibits", "Kibit"), ("Newtons", "N"),
            ("Newton", "N"), ("Metre", "m"), ("Kelvin", "K"), ("Pascals", "Pa"),
            ("nautical miles", "nmi"), (" nautical mile ", "nmi"),
            ("nautical  mile", "nmi"), ("degrees Celsius", "degC"), ("degree Fahrenheit", "degF"),
        ],
    )  # fmt: skip
    def test_plurals_and_capitals(self, plural: str, name: str) -> None:
        assert Unit(plural) is Unit(name)

    @pytest.mark.parametrize("text", ["ms", "Pas", "mms", "kgs", "Ks", "ls", "ins", "Hzs"])
    def test_symbols_have_no_plural(self, text: str) -> None:
        """ms is the millisecond, and nothing reads mms as millimetres."""
        try:
            unit = Unit(text)
        except UndefinedUnitError:
            return
        assert unit.dimension is not Unit(text[:-1]).dimension

    @pytest.mark.parametrize(
        ("text", "same"),
        [
            ("\u03bcm", "um"),  # Greek mu
            ("\u00b5m", "um"),  # micro sign
            ("\u2126", "ohm"),  # ohm sign
            ("\u03a9", "ohm"),  # Greek Omega
            ("k\u2126", "kohm"),
            ("\u212b", "angstrom"),  # angstrom sign
            ("\u00c5", "angstrom"),
            ("\u212a", "K"),  # kelvin sign
            ("\u2103", "degC"),
            ("\u2109", "degF"),
            ("\u00baC", "degC"),  # masculine ordinal
            ("°C", "degC"),
            ("°", "deg"),
            ("′", "arcmin"),
            ("″", "arcsec"),
            ("'", "arcmin"),
            ('"', "arcsec"),
            ("%", "percent"),
            ("ℓ", "L"),
            ("\u2206degC", "delta_degC"),
            ("\u0394°C", "delta_degC"),
        ],
    )
    def test_look_alikes(self, text: str, same: str) -> None:
        assert Unit(text) is Unit(same)

    def test_identifiers_that_python_normalises(self) -> None:
        assert units.µm is units.um  # NFKC turns the micro sign into Greek mu
        assert units.Å is Unit("angstrom")
        assert units.Ω is Unit("ohm")


class TestPrefixes:
    @given(st.deferred(lambda: st.sampled_from(prefixed_names())))
    def test_a_prefix_multiplies(self, name: str) -> None:
        found = builtin.resolve(name)
        assert found is not None
        assert found.prefix is not None
        unit, plain = Unit(name), Unit(found.definition.name)
        if plain.law is None:
            assert unit.key.scale == plain.key.scale * found.prefix.scale
        elif isinstance(plain.law, Affine):
            assert convert(0, unit, plain) == 0
            assert unit.delta.key.scale == plain.key.scale * found.prefix.scale
        else:
            assert isinstance(unit.law, Logarithmic)
            assert unit.law.factor * found.prefix.scale.fraction == plain.law.factor
        assert unit.dimension is plain.dimension

    @pytest.mark.deep
    def test_every_prefixed_unit(self) -> None:
        for name in prefixed_names():
            found = builtin.resolve(name)
            assert found is not None
            assert found.prefix is not None
            unit, plain = Unit(name), Unit(found.definition.name)
            if plain.law is None:
                assert unit.key.scale == found.prefix.scale * plain.key.scale
            assert Unit(str(unit)) is unit, name

    def test_every_si_prefix_and_symbol(self) -> None:
        """The SI brochure's table, with ronna and quetta, by symbols."""
        powers = {
            "Q": 30, "R": 27, "Y": 24, "Z": 21, "E": 18, "P": 15, "T": 12, "G": 9, "M": 6, "k": 3,
            "h": 2, "da": 1, "d": -1, "c": -2, "m": -3, "µ": -6, "u": -6, "n": -9, "p": -12,
            "f": -15, "a": -18, "z": -21, "y": -24, "r": -27, "q": -30,
        }  # fmt: skip
        bases = ["m", "g", "s", "A", "K", "mol", "cd", "rad", "sr", "Hz", "N", "Pa", "J", "W", "C",
                 "V", "F", "Ω", "S", "Wb", "T", "H", "lm", "lx", "Bq", "Gy", "Sv", "kat", "L", "l",
                 "eV", "bit"]  # fmt: skip
        # names of their own that stand before a prefix
        other = {"PS", "cd", "pH"}
        for symbol, power in powers.items():
            for base in bases:
                if symbol + base in other or symbol + base in builtin.ambiguous:
                    continue
                expected = Unit(f"1e{power} {base}")
                assert Unit(symbol + base) == expected, symbol + base

    def test_binary_prefixes(self) -> None:
        for i, symbol in enumerate(["Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi", "Ri", "Qi"], 1):
            assert Unit(f"{symbol}B") == Unit(f"{1024**i} B")
            assert Unit(f"{symbol}bit") == Unit(f"{1024**i} bit")
        with pytest.raises(UndefinedUnitError):
            Unit("Kim")

    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("min", "minute"), ("cd", "candela"), ("Pa", "pascal"), ("ft", "foot"), ("h", "hour"),
            ("d", "day"), ("nmi", "nautical_mile"), ("mol", "mole"), ("T", "tesla"),
            ("mT", "millitesla"), ("as", "attosecond"), ("mm", "millimetre"), ("dam", "decametre"),
            ("kg", "kilogram"), ("Mg", "megagram"), ("hPa", "hectopascal"), ("mmol", "millimole"),
            ("aa", "attoyear"), ("Gy", "gray"), ("Torr", "torr"), ("kn", "knot"),
        ],
    )  # fmt: skip
    def test_what_symbols_mean(self, text: str, name: str) -> None:
        assert Unit(text) == Unit(name)

    @pytest.mark.parametrize(
        "text", ["kkm", "mkg", "kilokilometre", "µµF", "kmin", "kmiles_", "km_"]
    )
    def test_no_two_prefixes(self, text: str) -> None:
        with pytest.raises(UndefinedUnitError):
            Unit(text)

    def test_a_symbol_that_would_mean_another_unit_is_not_shown(self) -> None:
        """The picohenry's symbol is pH, which the acidity has; the petayear's would be Pa."""
        for name in ("picohenry", "petayear", "hectobar", "hectoyear", "centitonne", "petasiemens"):
            assert Unit(str(Unit(name))) is Unit(name)
            assert Unit(Unit(name).format("unicode")) is Unit(name)

    def test_a_definition_of_an_atom_is_found_again(self) -> None:
        assert builtin.resolve("km") == Resolved(
            builtin.find("metre"), builtin.find_prefix("kilo")  # type: ignore[arg-type]
        )  # fmt: skip
        assert builtin.resolve("no_such") is None
        assert "km" in builtin
        assert 3 not in builtin


class TestLawTexts:
    @pytest.mark.parametrize(
        ("text", "same"),
        [
            ("dB(mW)", "dBm"),
            ("dB (mW)", "dBm"),
            ("dB(re 1 mW)", "dBm"),
            ("dB(re mW)", "dBm"),
            ("dB(V)", "dBV"),
            ("dB(uV)", "dBuV"),
            ("dB(20 uPa)", "dB_SPL"),
            ("lg(re 1 mW)", "Bm"),
            ("lg(re: 1 mW)", "Bm"),
            ("0.1 lg(re 1 mW)", "dBm"),
            ("0.1 lg(re 1 W)", "dBW"),
        ],
    )
    def test_logarithms(self, text: str, same: str) -> None:
        assert Unit(text) == Unit(same)

    @pytest.mark.parametrize(
        ("text", "same"),
        [
            ("K @ 273.15", "degC"),
            ("K@273.15", "degC"),
            ("K from 273.15", "degC"),
            ("degR @ 459.67", "degF"),
            ("K @ 0", "K"),
        ],
    )
    def test_shifted(self, text: str, same: str) -> None:
        assert Unit(text) == Unit(same)

    def test_a_voltage_counts_twenty_a_power_ten(self) -> None:
        assert convert(20, "dB(V)", "V") == 10
        assert convert(20, "dB(W)", "W") == 100
        assert convert(20, "dB(m)", "m") == pytest.approx(10)
        assert convert(20, "dB(Hz)", "Hz") == pytest.approx(100)

    def test_udunits_logarithm_of_a_voltage_is_plain(self) -> None:
        """1 lg(re 1 V) is ten volts, 20 dB above one volt."""
        assert convert(1, "lg(re 1 V)", "V") == pytest.approx(10)
        assert convert(1, "lg(re 1 V)", "dBV") == pytest.approx(20)
        assert convert(20, "dBV", "lg(re 1 V)") == pytest.approx(1)

    @pytest.mark.parametrize(
        "text",
        ["dB(dBm)", "dB(degC)", "K @", "@ 3", " @ 3", "K @ x", "days since 1970-01-01", "K @ 1 @ 2",
         "dB()", "dB(", "dB)", "lg(re )", "lg(re 1 xyzzy)", "0 lg(re 1 mW)", "1.2.3 lg(re 1 mW)",
         "1e99999999 lg(re 1 mW)", "1e-99999999 lg(re 1 mW)", "deg @ 5",
         "degC @ 5", "dBm @ 5", "xyzzy @ 5", "K @ 1e9999999", "lb(re 1 mW) m", "sin(m)"],
    )  # fmt: skip
    def test_refused(self, text: str) -> None:
        with pytest.raises(UnitError):
            Unit(text)

    def test_a_moment_in_time_is_no_unit(self) -> None:
        with pytest.raises(UnitParseError) as caught:
            Unit("days since 1970-01-01")
        assert caught.value.problem.startswith("a moment in time is not a unit")
        assert caught.value.hint is not None
        assert "'days'" in caught.value.hint

    @pytest.mark.parametrize("text", ["dB(mW)", "dB(m/s)", "lg(re 1 mW)", "0.1 lg(re 1 W)",
                                      "K@273.15", "K @ -5.5", "m @ 1e3", "Np(V)", "1000 K @ 5",
                                      "m/s @ 5", "dB(1)", "dB(m/m)", "dB(1/m)",
                                      "dB(2)"])  # fmt: skip
    def test_their_own_text_reads_back(self, text: str) -> None:
        unit = Unit(text)
        assert Unit(str(unit)) is unit
        assert Unit(unit.format("unicode")) is unit

    @pytest.mark.parametrize("text", ["K@273.15", "m @ 1e3", "degC", "dB", "Np", "oct", "dB(1)"])
    def test_their_differences_read_back(self, text: str) -> None:
        try:
            squared = Unit(text) ** 2
        except PointError:
            return
        assert Unit(str(squared)) == squared
        assert Unit(str(squared)) is squared

    def test_points_of_the_shifted_unit(self) -> None:
        unit = Unit("m @ 100")
        assert convert(0, unit, "m") == 100
        assert convert(100, "m", unit) == 0
        assert unit.delta == Unit("m")


class TestSuggestions:
    @pytest.mark.parametrize(
        ("name", "suggestion"),
        [
            ("metr", "metre"), ("newtn", "newton"), ("Joul", "joule"), ("secnd", "second"),
            ("KG", "kg"), ("HZ", "Hz"), ("hz", "Hz"), ("PASCAL", "pascal"), ("furlog", "furlong"),
            ("kilometr", "kilometre"),
        ],
    )  # fmt: skip
    def test_near_names(self, name: str, suggestion: str) -> None:
        with pytest.raises(UndefinedUnitError) as caught:
            Unit(name)
        assert suggestion in caught.value.suggestions
        for found in caught.value.suggestions:
            assert Unit(found)

    @given(st.text(st.characters(categories=["Ll", "Lu", "Nd"]), min_size=1, max_size=20))
    @example("kibimetre")
    @example("kilokilogram")
    @example("kilominutes")
    @example("megametr")
    def test_every_suggestion_is_a_unit(self, name: str) -> None:
        error = refusal(lambda: Unit(name))
        if isinstance(error, UndefinedUnitError):
            assert len(error.suggestions) <= 3
            for found in error.suggestions:
                assert isinstance(Unit(found), Unit)


def test_scales_are_finite() -> None:
    assert [u for u in EVERY_UNIT if not (0 < u.scale < math.inf)] == []


@pytest.mark.parametrize("unit", ["Hz", "Pa", "W", "Wh", "V", "J", "eV", "N", "bar", "mol", "ohm"])
def test_a_prefixed_symbol_in_other_capitals_is_suggested_with_its_prefix(unit: str) -> None:
    """The hint of khz is kHz: Hz would be a thousand times off."""
    suggested = {}
    for symbol in (prefix + unit for prefix in ("k", "m", "M", "G", "h")):
        for written in {symbol.lower(), symbol.upper(), symbol.title()} - {symbol}:
            try:
                Unit(written)
            except UndefinedUnitError as error:
                suggested[written, symbol] = error.suggestions
            except UnitParseError:
                pass
    assert [pair for pair, found in suggested.items() if pair[1] not in found] == []
