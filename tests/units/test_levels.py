"""Levels by name and by reference agree, and points do not pass for differences."""

import subprocess
import sys

import numpy as np
import pytest

from dimflow import DimArray, Unit, units
from dimflow.errors import (
    DimflowError,
    UndefinedUnitError,
    UnitConversionError,
    UnitDefinitionError,
)
from dimflow.units import Logarithmic
from dimflow.units.alike import are_alike, is_gain, level_exponent
from dimflow.units.equivalencies import Equivalency
from dimflow.units.tables import builtin


def levels() -> list[str]:
    """The decibels that have a reference with a dimension."""
    return [
        d.name
        for d in builtin
        if isinstance(d.law, Logarithmic)
        and d.name.startswith(("decibel_", "bel_"))
        and not builtin.unit(d.name).is_dimensionless
    ]


@pytest.mark.parametrize("name", levels())
def test_a_named_level_is_the_level_of_its_reference(name: str) -> None:
    word = name.partition("_")[0]
    level, plain = Unit(name), Unit(f"{word}({Unit(name).linear})")
    assert (plain == level) is not bool(level.law.kind)
    assert plain.key.scale == level.key.scale
    assert plain.law == level.law.of_gains


KINDS = {d.name: d.keys["kind"] for d in builtin if "kind" in d.keys}
WEIGHTED = [name for name in KINDS if Unit(name).is_compatible("Pa") and Unit(name).law]


@pytest.mark.parametrize("name", KINDS)
def test_a_unit_of_one_kind_converts_to_no_other_kind(name: str) -> None:
    """pH and pOH, octaves and decibels, two hardnesses: one number is not the other."""
    unit, others = Unit(name), {d.name: Unit(d.name) for d in builtin}
    for other, known in others.items():
        if known.dimension is not unit.dimension or type(known.law) is not type(unit.law):
            continue
        is_one = KINDS.get(other, "") == KINDS[name] or not (unit.law or other in KINDS)
        assert unit.is_compatible(known) == known.is_compatible(unit) == is_one, other
        if not is_one:
            if not is_gain(known) or is_gain(unit):  # a gain in decibels moves every level
                with pytest.raises(DimflowError):
                    DimArray(3.0, unit) + DimArray(3.0, known)
            with pytest.raises(DimflowError):
                np.concatenate([DimArray([3.0], unit), DimArray([3.0], known)])
    assert units.decode(units.encode(unit)) is unit


@pytest.mark.parametrize("name", [name for name in KINDS if is_gain(Unit(name))])
def test_steps_of_one_kind_are_none_of_another(name: str) -> None:
    step = Unit(name).delta
    for text in ("delta_dB", "dB", "delta_Np", "delta_mag", ""):
        assert not step.is_compatible(text)
        assert not Unit(text).is_compatible(step)
    slope = Unit("dB") / Unit(name)
    assert not slope.is_compatible("")
    assert slope.is_compatible(Unit("Np") / Unit(name))


def test_degrees_of_hardness_of_water_are_masses_of_one_carbonate() -> None:
    """Not of its oxide: DIN 38409-6 has 0.1783 mmol/L for a German degree."""
    for other, factor in (("°fH", 1.785), ("gpg", 1.043), ("Clark", 1.252), ("mg/L", 17.85)):
        unit = "degree_Clark" if other == "Clark" else other
        assert units.convert(1, "°dH", unit) == pytest.approx(factor, rel=1e-3)


@pytest.mark.parametrize("name", WEIGHTED)
def test_a_level_through_a_filter_is_no_other_level(name: str) -> None:
    """What another filter reads depends on the spectrum; gains and differences do not."""
    level = DimArray(94.0, name)
    for other in {*WEIGHTED, "dB_SPL", "dBuPa", "B_SPL"} - {name}:
        assert level != DimArray(94.0, other)
        for use in (level.to, lambda x: level < DimArray(1.0, x), lambda x: level - 3 * Unit(x)):
            with pytest.raises(DimflowError):
                use(other)
    assert (level + 3 * units.dB).value == 97 == (3 * units.dB + level).value
    assert str((level - 3 * Unit(name)).unit) == "dB_field"


@pytest.mark.parametrize("gain", ["dB", "Np", "Bel", "dB_field"])
@pytest.mark.parametrize("level", ["dBV", "dBm", "dBA", "dB_SPL", "dB(mW/Hz)"])
def test_a_gain_moves_a_level_on_either_side(gain: str, level: str) -> None:
    by, moved = DimArray(3.0, gain), DimArray(20.0, level)
    assert (by + moved).unit == (moved + by).unit == Unit(level)
    assert (by + moved).value == (moved + by).value


@pytest.mark.parametrize("per", ["m", "s", "km"])
def test_a_neper_is_no_radian(per: str) -> None:
    neper = DimArray(1.0, "Np").to("delta_Np") / Unit(per)
    for other in (f"rad/{per}", f"deg/{per}", f"sr/{per}", "Hz*rad"):
        assert not neper.unit.is_compatible(other)
        assert neper != DimArray(1.0, other)
        with pytest.raises(DimflowError):
            neper + DimArray(1.0, other)
    assert neper == DimArray(1.0, f"1/{per}")


def test_nepers_of_a_power_and_of_a_field() -> None:
    assert units.convert(1, "Np(V)", "V") == pytest.approx(2.718281828459045)
    assert units.convert(1, "Np(W)", "W") == pytest.approx(7.38905609893065)
    assert units.convert(1, "Np(W)", "dB(W)") == pytest.approx(8.685889638065037)
    assert units.convert(1, "dex(cm/s2)", "cm/s2") == pytest.approx(10)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("delta_degC", "degC"),
        ("degC", "delta_degC"),
        ("delta_degF", "degC"),
        ("degC", "delta_degF"),
    ],
)
def test_a_difference_is_no_point(source: str, target: str) -> None:
    with pytest.raises(UnitConversionError, match="a difference is not a point"):
        units.convert(20, source, target)
    assert not Unit(source).is_compatible(target)
    assert units.convert(20, "delta_degC", "K") == 20
    assert units.convert(293.15, "K", "degC") == 20


def gains() -> list[str]:
    """The levels without a reference."""
    return [d.name for d in builtin if is_gain(builtin.unit(d.name))]


@pytest.mark.parametrize("name", gains())
def test_a_level_per_length_times_a_length_is_that_level(name: str) -> None:
    """Counted in nepers, it turns back as the same number; in every other unit as .to has it."""
    product = Unit(name) / Unit("km") * Unit("km")
    assert product.law is None
    assert units.convert(6, product, name) == pytest.approx(6, rel=1e-15)
    assert units.convert(6, name, product) == pytest.approx(6, rel=1e-15)
    for other in ("dB", "Np", "Bel", "dB_field", "octave"):
        if product.is_compatible(other):
            wanted = units.convert(6, name, other)
            assert units.convert(6, product, other) == pytest.approx(wanted, rel=1e-12)
    scaled = Unit(name) / Unit("km") * Unit("m")
    assert units.convert(6, scaled, name) == pytest.approx(0.006, rel=1e-12)


LOGARITHMIC = [d.name for d in builtin if isinstance(builtin.unit(d.name).law, Logarithmic)]


@pytest.mark.parametrize("step", ["decade", "octave", "third_octave"])
def test_a_slope_times_an_interval_is_a_gain(step: str) -> None:
    """As a text, as a quotient of units and as a quotient of an array by a unit."""
    slope = DimArray(-20.0, f"dB/{'delta_' * (step == 'decade')}{step}")
    other = -20.0 * units.dB / getattr(units, step)
    assert slope.unit is other.unit is Unit("dB") / Unit(step)
    for product in (slope * (2.0 * Unit(step)), slope * DimArray(2.0, "delta_" + step)):
        assert (product.to_value("dB"), product.unit) == (-40.0, Unit("delta_dB"))


@pytest.mark.parametrize("name", LOGARITHMIC)
def test_every_level_has_a_difference_that_moves_it(name: str) -> None:
    """delta_mag and delta_pH, as delta_dB; a name that says what it suggests is no suggestion."""
    level, step = DimArray([3.0, 5.0], name), DimArray(0.5, "delta_" + name)
    assert step.unit is Unit(name).delta
    moved = level + step * 2.0
    np.testing.assert_allclose(moved.to_value(name), [4.0, 6.0])
    np.testing.assert_allclose((level - step).to_value(name), [2.5, 4.5])
    back = moved - level
    np.testing.assert_allclose((level + back).to_value(name), [4.0, 6.0])
    rate = step / DimArray(1.0, "min") * DimArray(30.0, "s")
    np.testing.assert_allclose((level + rate).to_value(name), [3.25, 5.25])
    assert units.decode(units.encode(step.unit)) is step.unit
    assert Unit(str(step.unit)) is step.unit


def test_a_linear_unit_is_its_own_difference() -> None:
    for definition in builtin:
        if builtin.unit(definition.name).law is None:
            with pytest.raises(UndefinedUnitError) as caught:
                Unit("delta_" + definition.name)
            assert Unit(caught.value.suggestions[0]) == Unit(definition.name)


@pytest.mark.parametrize("name", gains())
@pytest.mark.parametrize("target", ["", "percent", "dBm", "dBV", "dBd", "pH", "mag", "rad"])
def test_a_difference_of_levels_is_neither_a_number_nor_a_level_of_something(
    name: str, target: str
) -> None:
    product = Unit(name) / Unit("km") * Unit("km")
    is_neper = product.key is Unit("").key
    if target == "mag" and isinstance(law := Unit(name).law, Logarithmic) and law.factor < 0:
        assert product.is_compatible(target) is (not law.kind)  # optical density, in magnitudes
        return
    assert product.is_compatible(target) == (is_neper and target in ("", "percent"))
    assert Unit(target).is_compatible(product) == (is_neper and target in ("", "percent"))


def test_attenuations_are_not_inverse_lengths() -> None:
    """Neper and decibel are to levels what radian and degree are to angles."""
    assert units.convert(20, "dB/km", "Np/km") == pytest.approx(2.302585092994046)
    assert units.convert(2, "Np/m", "1/m") == 2
    with pytest.raises(UnitConversionError) as caught:
        units.convert(2, "dB/km", "1/km")
    assert caught.value.hint == (
        "a level is not a pure number: x.to('delta_Np/m') is the logarithm of a ratio of fields, "
        "and twice that number of one of powers"
    )
    assert units.convert(2, "dB/km", "delta_Np/m") == pytest.approx(2.302585092994046e-4)
    assert Unit("dB/km").to_base() is Unit("Np/m")
    assert level_exponent(Unit("dB*m/km").simplified()) == 1


@pytest.mark.parametrize("source", ["rad**(1/2)", "sr**(1/4)", "rad**2", "mrad", "lm/cd"])
def test_radians_and_steradians_count_as_1(source: str) -> None:
    scale = Unit(source).scale
    assert units.convert(1, source, "") == scale
    assert units.convert(scale, "", source) == 1
    assert Unit(source).conversion_factor("") == scale


@pytest.mark.parametrize("source", ["deg", "deg**(1/2)", "tr", "gon", "arcsec", "sp", "deg*rad"])
def test_other_angles_do_not(source: str) -> None:
    for one, other in ((source, ""), ("", source), (source + "*m/s", "m/s")):
        with pytest.raises(UnitConversionError, match="an angle is not a pure number"):
            units.convert(1, one, other)
        assert not Unit(one).is_compatible(other)


def test_the_hint_offers_turns_for_plain_angles_alone() -> None:
    with pytest.raises(UnitConversionError) as plain:
        units.convert(1, "deg", "")
    assert plain.value.hint is not None
    assert "x.to('', via='cycles') gives 0.00277778 per deg" in plain.value.hint
    with pytest.raises(UnitConversionError) as solid:
        units.convert(1, "deg**2", "")
    assert solid.value.hint is not None
    assert "cycles" not in solid.value.hint


RATES = [d.name for d in builtin if not d.law and builtin.unit(d.name) == Unit("1/s")]


def test_what_counts_events_says_so_in_the_table() -> None:
    """A new name for 1/s counts something: cycles, decays, beats, or it has no use."""
    assert {"hertz", "becquerel", "baud"} < set(RATES)
    for name in RATES:
        assert not are_alike(Unit(name), Unit("rad/s")), name
        assert are_alike(Unit(name), Unit("1/s")), name


@pytest.mark.parametrize(
    "name", ["kHz", "Ci", "rpm", "cpm", "bpm", "dpm", "cycle_per_second", "FIT"]
)
def test_units_of_such_units_count_too(name: str) -> None:
    inverse = Unit(name) ** -1
    other = Unit("1/s") if Unit(name).dimension is not Unit("1/s").dimension else Unit("rad/s")
    for unit, beside in (
        (Unit(name), other),
        (inverse, other**-1),
        (inverse * Unit("W"), other**-1 * Unit("W")),
    ):
        assert not are_alike(unit, beside)
        assert not are_alike(beside, unit)


def test_units_of_ones_own_count_what_they_are_made_of() -> None:
    with units.Registry() as lab:
        lab.define("blip = 3 Hz\nkick = turn/minute\nstep_angle = 1.8 degree\ntick = 5 rad/s")
        lab.define("flash = 1/s; counts")
        for name in ("blip", "flash"):
            assert not are_alike(Unit(name), Unit("rad/s"))
        for name in ("kick", "step_angle/s"):
            assert not are_alike(Unit(name), Unit("1/s"))
        assert are_alike(Unit("tick"), Unit("1/s"))
    own = Unit("nudge", "angle", 0.1)
    assert not are_alike(own, Unit(""))


def test_what_a_unit_counts_is_known_in_another_process() -> None:
    """It is no part of the wire encoding: the table says so again."""
    texts = [units.encode(Unit(name)) for name in ("Hz", "rad/s", "delta_dB", "", "Np/m", "1/m")]
    program = (
        "from dimflow.units.wire import decode\n"
        "from dimflow.units.alike import are_alike\n"
        f"a, b, c, d, e, f = map(decode, {texts!r})\n"
        "print(are_alike(a, b), are_alike(c, d), are_alike(e, f))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "False", "True"]


def test_errors_in_a_users_law_are_the_users() -> None:
    def broken(_: float) -> float:
        raise ZeroDivisionError("mine")

    law = Equivalency("mine", links=[("m", "s", broken, broken)])
    with pytest.raises(ZeroDivisionError, match="mine"):
        units.convert(1, "m", "s", via=law)


def test_a_name_with_the_same_meaning_is_still_taken() -> None:
    with units.Registry() as lab, pytest.raises(UnitDefinitionError):
        lab.define("my_km = 1000 m = km")


@pytest.mark.parametrize("text", ["lbf/inch**2", "lbf/ft**2", "g*cm/s**2", "Msun*km**2/s**2"])
def test_simplified_never_grows(text: str) -> None:
    assert len(str(Unit(text).simplified())) <= len(str(Unit(text)))


@pytest.mark.parametrize("name", [d.name for d in builtin if isinstance(d.law, Logarithmic)])
def test_steps_of_every_level_have_units_in_every_system(name: str) -> None:
    for unit in (Unit(name).delta, Unit(name).delta / Unit("km"), Unit("km") / Unit(name).delta):
        for system in ("SI", "CGS", "imperial"):
            found = unit.in_system(system)
            assert units.convert(units.convert(1.0, unit, found), found, unit) == pytest.approx(1)
        assert unit.is_compatible(unit.to_base())
        assert DimArray(1.0, unit).si.unit.dimension is unit.dimension
