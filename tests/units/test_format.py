"""Every unit in every style reads back: to the same object where the style keeps the spelling."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow import Unit, units
from dimflow.errors import UnitError, UnitFormatError
from dimflow.units import Affine, Logarithmic
from dimflow.units.scale import Scale
from tests.units.strategies import (
    EVERY_UNIT,
    LINEAR_UNITS,
    any_units,
    prefixed_names,
    products,
    tame_products,
)

# cf and UCUM spell by their own names, so what they give back is equal and not the same.
KEEPS = ["plain", "compact", "unicode", "latex", "html", "siunitx"]
REWRITES = ["cf", "ucum"]
NAMING = ["plain", "compact", "unicode", "latex", "html"]
STYLES = [*KEEPS, *REWRITES]


def read(text: str, style: str) -> Unit:
    return Unit(text, style=style)


def unwritable(unit: Unit, style: str) -> str | None:
    """Why a style has no words for a unit; None if it has to have them."""
    law = unit.law
    if style in KEEPS:
        return _unwritable_by_macros(unit) if style == "siunitx" else None
    if isinstance(law, Logarithmic) and style == "ucum":
        return "UCUM has few logarithms"
    if isinstance(law, Affine) and style == "ucum" and unit.to_base().is_dimensionless:
        return "UCUM has no shifted numbers"
    if isinstance(law, Logarithmic):
        return "udunits knows logarithms of linear units by decimal steps"
    bases = {base for atom, _ in unit.atoms for base, _ in atom.meaning.scale.factors}
    bases |= {base for base, _ in unit.factor.factors}
    if bases - {"pi"}:
        return "roots, ln 2 and ln 10 have no words there"
    exponents = [e for _, e in unit.atoms]
    exponents += [e for a, _ in unit.atoms for e in a.meaning.dimension.as_tuple()]
    exponents += [e for a, _ in unit.atoms for _, e in a.meaning.scale.factors]
    if any(Fraction(e).denominator != 1 for e in exponents):
        return "exponents are whole there"
    if isinstance(law, Affine) and style == "ucum":
        return "UCUM shifts only the temperatures it names"
    return None


def _unwritable_by_macros(unit: Unit) -> str | None:
    if unit.factor != Scale(1):
        return "siunitx has no numbers in units"
    if not all(atom.name.replace("_", "").isalpha() for atom, _ in unit.atoms):
        return "a macro has letters alone"
    if any(atom.name.endswith("degree") and atom.name != "degree" for atom, _ in unit.atoms):
        return "\\degree is the sign °, which takes no prefix"
    return None


def check(unit: Unit, style: str, *, names: bool = False) -> bool:
    """Whether the style could spell the unit; if so, that it reads back."""
    try:
        text = unit.format(style, names=names)
    except UnitFormatError:
        assert unwritable(unit, style), f"{style} of {unit!r} was refused without need"
        return False
    back = read(text, style)
    assert back == unit, f"{style} of {unit!r} is {text!r}, which reads as {back!r}"
    if style in KEEPS:
        assert back is unit, f"{style} of {unit!r} is {text!r}, which reads as {back!r}"
    return True


SIDE_BY_SIDE = "s K C F N A us lb ft mol deg bit cm g % g_0"


class TestEveryUnit:
    @pytest.mark.parametrize("style", STYLES)
    def test_bare(self, style: str) -> None:
        """The list of units that a style cannot write is bounded, and each has its reason."""
        refused = [unit for unit in EVERY_UNIT if not check(unit, style)]
        limit = {"cf": 110, "ucum": 150, "siunitx": 70}.get(style, 0)
        assert len(refused) <= limit

    @pytest.mark.parametrize("style", NAMING)
    def test_by_names(self, style: str) -> None:
        assert all(check(unit, style, names=True) for unit in EVERY_UNIT)

    @pytest.mark.parametrize("style", STYLES)
    def test_squared_and_inverted(self, style: str) -> None:
        for unit in LINEAR_UNITS:
            check(unit**2, style)
            check(units.kg / unit**3, style)

    @pytest.mark.parametrize("style", KEEPS)
    def test_under_a_root(self, style: str) -> None:
        for unit in LINEAR_UNITS[::5]:
            if not unit.key.scale.factors:
                check(unit ** Fraction(1, 2), style)
                check(units.kg / unit ** Fraction(2, 3), style)

    def test_udunits_texts_need_no_style(self) -> None:
        for unit in LINEAR_UNITS:
            try:
                text = unit.format("cf")
            except UnitFormatError:
                continue
            assert Unit(text) == unit

    @pytest.mark.parametrize("style", ["plain", "unicode", "cf"])
    def test_two_units_side_by_side(self, style: str) -> None:
        """A product is no name of two words, be it with points: deg.K-1, ft·lb, at.%."""
        every = [unit for unit in EVERY_UNIT if unit.law is None]
        every += [unit.delta for unit in EVERY_UNIT if isinstance(unit.law, Affine)]
        beside = [Unit(name) for name in SIDE_BY_SIDE.split()]
        for i, one in enumerate(every):
            for other in beside[i % 8 :: 8]:
                for unit in (one * other, other * one, one / other, other / one):
                    check(unit, style)

    def test_differences(self) -> None:
        for unit in EVERY_UNIT:
            if isinstance(unit.law, Affine):
                for style in KEEPS:
                    check(unit.delta, style)
                    check(units.W / unit.delta, style)


class TestRandomUnits:
    @given(any_units(), st.sampled_from(STYLES))
    def test_prefixed(self, unit: Unit, style: str) -> None:
        check(unit, style)

    @given(any_units(), st.sampled_from(NAMING))
    def test_prefixed_by_names(self, unit: Unit, style: str) -> None:
        assert check(unit, style, names=True)

    @given(products(), st.sampled_from(STYLES))
    def test_products(self, unit: Unit, style: str) -> None:
        check(unit, style)

    @given(products() | tame_products(), st.sampled_from(NAMING))
    def test_products_by_names(self, unit: Unit, style: str) -> None:
        assert check(unit, style, names=True)

    @given(tame_products(), st.sampled_from(STYLES))
    def test_fractional_exponents(self, unit: Unit, style: str) -> None:
        check(unit, style)

    @given(st.fractions(Fraction(1, 10**40), 10**40).filter(bool), st.sampled_from(STYLES))
    def test_numbers(self, number: Fraction, style: str) -> None:
        unit = Unit(f"{number.numerator}/{number.denominator} m")
        check(unit, style)


@pytest.mark.deep
@pytest.mark.parametrize("style", STYLES)
def test_every_prefixed_unit(style: str) -> None:
    for name in prefixed_names():
        check(Unit(name), style)


EXAMPLES = [
    ("kg*m**2/s**3", "kg*m**2/s**3", "kg·m²/s³",
     r"\frac{\mathrm{kg}\,\mathrm{m}^{2}}{\mathrm{s}^{3}}", "kg&middot;m<sup>2</sup>/s<sup>3</sup>",
     r"\si{\kilogram\metre\squared\per\second\cubed}", "kg m2 s-3", "kg.m2.s-3"),
    ("J/(kg K)", "J/(kg*K)", "J/(kg·K)",
     r"\frac{\mathrm{J}}{\mathrm{kg}\,\mathrm{K}}", "J/(kg&middot;K)",
     r"\si{\joule\per\kilogram\per\kelvin}", "J kg-1 K-1", "J.kg-1.K-1"),
    ("um", "um", "µm", r"\mathrm{\mu m}", "µm", r"\si{\micro\metre}", "um", "um"),
    ("1/s", "1/s", "1/s", r"\frac{1}{\mathrm{s}}", "1/s", r"\si{\per\second}", "s-1", "s-1"),
    ("m**(1/2)", "m**(1/2)", "m^(1/2)", r"\mathrm{m}^{1/2}", "m<sup>1/2</sup>",
     r"\si{\metre\tothe{1/2}}", None, None),
    ("", "", "", "", "", r"\si{}", "1", "1"),
    ("degC", "degC", "°C", r"\mathrm{{}^{\circ}C}", "°C", r"\si{\degree_Celsius}", "degC", "Cel"),
    ("mmHg", "mmHg", "mmHg", r"\mathrm{mmHg}", "mmHg", r"\si{\millimetre_of_mercury}", "mmHg",
     "mm[Hg]"),
    ("percent", "%", "%", r"\mathrm{\%}", "%", r"\si{\percent}", "%", "%"),
]  # fmt: skip


class TestExamples:
    @pytest.mark.parametrize(
        ("text", "plain", "pretty", "latex", "html", "siunitx", "cf", "ucum"),
        EXAMPLES,
        ids=[example[0] for example in EXAMPLES],
    )
    def test_styles(
        self, text: str, plain: str, pretty: str, latex: str, html: str, siunitx: str,
        cf: str | None, ucum: str | None,
    ) -> None:  # fmt: skip
        unit = Unit(text)
        assert str(unit) == unit.format() == f"{unit}" == plain
        assert unit.format("unicode") == f"{unit:~P}" == f"{unit:unicode}" == pretty
        assert unit.format("latex") == f"{unit:~L}" == latex
        assert unit.format("html") == f"{unit:~H}" == html
        assert unit._repr_html_() == html
        assert unit._repr_latex_() == f"${latex}$"
        for style, expected in (("siunitx", siunitx), ("cf", cf), ("ucum", ucum)):
            if expected is None:
                with pytest.raises(UnitFormatError):
                    unit.format(style)
            elif style != "siunitx" or "_" not in expected:  # how macros spell those is open
                assert unit.format(style) == expected

    @pytest.mark.parametrize(
        ("spec", "text"),
        [
            ("", "km/h"),
            ("~", "km/h"),
            ("D", "kilometre/hour"),
            ("~D", "km/h"),
            ("P", "kilometre/hour"),
            ("~P", "km/h"),
            ("C", "kilometre/hour"),
            ("~C", "km/h"),
            ("L", r"\frac{\mathrm{kilometre}}{\mathrm{hour}}"),
            ("Lx", r"\si{\kilo\metre\per\hour}"),
            ("cf", "km h-1"),
            ("ucum", "km.h-1"),
            ("plain", "km/h"),
        ],
    )
    def test_specs(self, spec: str, text: str) -> None:
        assert format(Unit("km/h"), spec) == text

    @pytest.mark.parametrize("spec", ["x", ">10", "PP", "~Q", ".3f", "\0", "é"])
    def test_no_specs(self, spec: str) -> None:
        with pytest.raises(UnitFormatError) as caught:
            format(Unit("m"), spec)
        assert repr(spec) in str(caught.value)

    def test_no_style(self) -> None:
        with pytest.raises(UnitFormatError, match="no style is called 'gothic'"):
            Unit("m").format("gothic")
        with pytest.raises(UnitFormatError, match="'gothic'"):
            Unit("m", style="gothic")


class TestOtherNotations:
    """What others write is read, not only what dimflow writes."""

    @pytest.mark.parametrize(
        ("text", "same"),
        [
            (r"\frac{\mathrm{kg}}{\mathrm{m}^{3}}", "kg/m**3"),
            (r"\mathrm{kg}\,\mathrm{m}^{-3}", "kg/m**3"),
            (r"\mathrm{kg\,m^{-3}}", "kg/m**3"),
            (r"$\mathrm{kg} \cdot \mathrm{m}^{-3}$", "kg/m**3"),
            (r"\text{kg}/\text{m}^3", "kg/m**3"),
            (r"\dfrac{m}{s}", "m/s"),
            (r"\frac{1}{\frac{m}{s^2}}", "s**2/m"),
            (r"\mu m", "um"),
            (r"\mathrm{\mu T}", "uT"),
            (r"\mu\mathrm{m}", "um"),
            (r"k\Omega", "kohm"),
            (r"^{\circ}\mathrm{C}", "degC"),
            (r"\%", "%"),
            ("", ""),
        ],
    )
    def test_latex(self, text: str, same: str) -> None:
        assert Unit(text, style="latex") is Unit(same)

    @pytest.mark.parametrize(
        ("text", "same"),
        [
            (r"\si{\kilo\gram\metre\per\second\squared}", "kg*m/s**2"),
            (r"\kilo\gram\meter\per\second\squared", "kg*m/s**2"),
            (r"\si{\micro\metre}", "um"),
            (r"\unit{\joule\per\mole\per\kelvin}", "J/(mol*K)"),
            (r"\si{\metre\tothe{4}}", "m**4"),
            (r"\si{\degreeCelsius}", "degC"),
            (r"\si{\degree}", "deg"),
            (r"\si{\ohm}", "ohm"),
            (r"\si{\percent}", "percent"),
            (r"\si{}", ""),
        ],
    )
    def test_siunitx(self, text: str, same: str) -> None:
        assert Unit(text, style="siunitx") is Unit(same)

    @pytest.mark.parametrize(
        ("text", "same"),
        [
            ("kg&middot;m<sup>2</sup>", "kg*m**2"),
            ("kg&#183;m<sup>-1</sup>", "kg/m"),
            ("<i>m</i>/s<sup>2</sup>", "m/s**2"),
            ("<span class='unit'>km</span>", "km"),
            ("&mu;m", "um"),
            ("&micro;m", "um"),
            ("&deg;C", "degC"),
            ("&Omega;", "ohm"),
            ("m&sup2;", "m**2"),
            ("", ""),
        ],
    )
    def test_html(self, text: str, same: str) -> None:
        assert Unit(text, style="html") is Unit(same)

    @pytest.mark.parametrize(
        ("code", "same"),
        [
            ("m", "m"),
            ("kg.m/s2", "N"),
            ("mm[Hg]", "mmHg"),
            ("m[H2O]", "9806.65 Pa"),
            ("10*3/uL", "1e12/m^3"),
            ("10^3/uL", "1e12/m^3"),
            ("{cells}/uL", "1/uL"),
            ("g{creat}", "g"),
            ("/min", "1/min"),
            ("mol/(L.s)", "mol/(L*s)"),
            ("m/s/s", "m/s**2"),
            ("Cel", "degC"),
            ("[degF]", "degF"),
            ("[in_i]", "inch"),
            ("[lb_av]", "lb"),
            ("%", "percent"),
            ("1", ""),
            ("", ""),
            ("[pi].rad", "pi rad"),
            ("umol/L", "umol/L"),
            ("dB", "dB"),
            ("Np", "Np"),
        ],
    )
    def test_ucum(self, code: str, same: str) -> None:
        assert Unit(code, ucum=True) == Unit(same)
        assert Unit(code, style="ucum") == Unit(same)
        assert Unit(ucum=code) == Unit(same)

    @pytest.mark.parametrize(
        "code", ["kg m", "m//s", "m.", ".m", "(m", "m)", "()", "Kg", "M", "m^2", "m**2", "{", "}",
                 "[", "m{é}", "0", "m-", "m+-2", "/", "1/", "m 2", "é"]
    )  # fmt: skip
    def test_no_ucum(self, code: str) -> None:
        with pytest.raises(UnitError):
            Unit(code, ucum=True)
