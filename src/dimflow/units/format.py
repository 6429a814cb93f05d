r"""Units as text: plain, Unicode, LaTeX, siunitx, HTML, CF/udunits and UCUM.

Every style can be read back by `Unit(text, style=...)`; plain, Unicode and CF by `Unit(text)`.
"""

from collections.abc import Callable
from html import escape
from itertools import pairwise
from typing import NamedTuple

from dimflow.errors import UnitFormatError, UnitParseError
from dimflow.units import scope
from dimflow.units.definition import Resolved
from dimflow.units.dialects import macro
from dimflow.units.doubts import doubtful_atoms, forces_of, shouted, torque_of
from dimflow.units.exponent import Exponent
from dimflow.units.meaning import Atom
from dimflow.units.registry import Registry
from dimflow.units.scale import ONE, Scale
from dimflow.units.ucum import format_ucum
from dimflow.units.udunits import format_cf
from dimflow.units.unit import Unit

_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_LATEX = {
    "µ": r"\mu ",
    "Ω": r"\Omega ",
    "Δ": r"\Delta ",
    "°": r"{}^{\circ}",
    "%": r"\%",
    "$": r"\$",
    "_": r"\_",
    "☉": r"\odot ",
    "⊕": r"\oplus ",
}


class _Style(NamedTuple):
    """How products, quotients and powers look in one notation."""

    symbol: Callable[[str], str]
    power: Callable[[str, Exponent], str]
    times: str
    is_pretty: bool  # Unicode symbols
    fraction: str = "{}/{}"
    group: str = "({})"


def _plain_power(base: str, e: Exponent) -> str:
    return f"{base}**{e}" if type(e) is int else f"{base}**({e})"


def _unicode_power(base: str, e: Exponent) -> str:
    return base + str(e).translate(_SUPERSCRIPTS) if type(e) is int else f"{base}^({e})"


def _latex_symbol(symbol: str) -> str:
    return rf"\mathrm{{{''.join(_LATEX.get(c, c) for c in symbol)}}}"


_STYLES = {
    "plain": _Style(str, _plain_power, "*", False),
    "compact": _Style(str, _plain_power, "*", False),
    "unicode": _Style(str, _unicode_power, "·", True),
    "latex": _Style(
        _latex_symbol, lambda b, e: f"{b}^{{{e}}}", r"\,", True, r"\frac{{{}}}{{{}}}", "{}"
    ),
    "html": _Style(escape, lambda b, e: f"{b}<sup>{e}</sup>", "&middot;", True),
}
_SPECIAL = {"cf": format_cf, "ucum": format_ucum}
# pint's letters; without "~" they spell names, with it symbols
_LETTERS = {"D": "plain", "P": "unicode", "L": "latex", "H": "html", "C": "compact"}


def format_unit(unit: Unit, style: str = "plain", *, names: bool = False) -> str:
    """Spell a unit in a style, by symbols or by names."""
    if style in _SPECIAL:
        return _SPECIAL[style](unit, scope.current())
    if style == "siunitx":
        return _siunitx(unit, scope.current())
    try:
        chosen = _STYLES[style]
    except KeyError:
        known = ", ".join(_names_of_styles())
        raise UnitFormatError(f"no style is called {style[:40]!r}", f"styles: {known}") from None
    if chosen.is_pretty:  # the symbols depend on the registry in force
        return _spelled(unit, chosen, names)
    key = f"{style} names" if names else style
    return unit.remembered(key, lambda: _spelled(unit, chosen, names))


def _names_of_styles() -> list[str]:
    return [*_STYLES, "siunitx", *_SPECIAL]


def format_spec(unit: Unit, spec: str) -> str:
    """Spell a unit by a format spec: a style's name, or pint's letters with `~` for symbols."""
    if not spec:
        return format_unit(unit)
    if spec in _STYLES or spec in _SPECIAL or spec == "siunitx":
        return format_unit(unit, spec)
    letter = spec.replace("~", "")
    if letter == "Lx":
        return format_unit(unit, "siunitx")
    if letter not in _LETTERS and letter:
        raise UnitFormatError(
            f"{spec[:40]!r} is not a format of units",
            "~P, P, ~L, L, ~H, H, ~C, C, Lx, or a style: " + ", ".join(_names_of_styles()),
        )
    return format_unit(unit, _LETTERS.get(letter, "plain"), names="~" not in spec)


def _spelled(unit: Unit, style: _Style, names: bool) -> str:
    registry = scope.current()
    top: list[str] = []
    bottom: list[str] = []
    doubted = set(doubtful_atoms(unit, scope.builtin)) if style.symbol is str else ()
    for atom, e in unit.atoms:
        is_named = names or atom in doubted
        symbol = atom.name if is_named else _symbol(atom, style.is_pretty, registry)
        text = _raised(style.symbol(symbol), e, style)
        power = f"{symbol}{abs(e)}"
        if style.power is _unicode_power and (registry.find(power) or power in registry.ambiguous):
            text = _raised(symbol, e, _STYLES["plain"])  # Nm³ may be a normal cubic metre
        (top if e > 0 else bottom).append(text)
    factor = _factor(unit.factor, style)
    if factor:
        top.insert(0, factor)
    times = style.times
    if style.power is _unicode_power:  # lb·ft may be a torque
        neighbours = pairwise(atom for atom, _ in unit.atoms)
        is_force = any(forces_of(*pair, registry) for pair in neighbours) or torque_of(unit)
        times = "*" if is_force else times
    text = times.join(top)
    if bottom:
        denominator = times.join(bottom)
        if len(bottom) > 1:
            denominator = style.group.format(denominator)
        text = style.fraction.format(text or "1", denominator)
    if names or not scope.builtin.is_read or style.symbol is not str:
        return text
    is_shouted = text.isupper() and len(text) > 1 and shouted(text, unit, registry)
    if text not in registry.ambiguous and not is_shouted:
        return text
    return _spelled(unit, style, True)  # L/H may be litres by the hour


def _raised(text: str, e: Exponent, style: _Style) -> str:
    """Raised to the size of the exponent; its sign is in where the text will stand."""
    power = -e if e < 0 else e
    return text if power == 1 else style.power(text, power)


def _symbol(atom: Atom, is_pretty: bool, registry: Registry) -> str:
    if not is_pretty:
        return atom.symbol
    found = registry.definition_of(atom)
    if found is None:
        return atom.symbol
    pretty = pretty_symbol(found)
    return pretty if registry.resolve(pretty) == found else atom.symbol


def pretty_symbol(found: Resolved) -> str:
    """The symbol in Unicode, with its prefix."""
    definition, prefix, is_delta = found
    text = definition.pretty
    if prefix is not None and definition.takes_symbols:
        text = prefix.symbols[0] + text
    elif prefix is not None:
        text = prefix.name + definition.name
    return "Δ" + text if is_delta else text


def _factor(factor: Scale, style: _Style) -> str:
    if factor is ONE:
        return ""
    top: list[str] = []
    bottom: list[str] = []
    if factor.numerator != 1 or not factor.factors:
        top.append(str(factor.numerator))
    if factor.denominator != 1:
        bottom.append(str(factor.denominator))
    decimal = _decimal(factor)
    if decimal is not None:
        top, bottom = [decimal], []
    for base, e in factor.factors:
        (top if e > 0 else bottom).append(_raised(str(base), e, style))
    text = style.times.join(top) or "1"
    return text if not bottom else f"{text}/{'/'.join(bottom)}"


def _decimal(factor: Scale) -> str | None:
    """The rational part in decimal digits, if it is short that way."""
    bottom = factor.denominator
    twos = (bottom & -bottom).bit_length() - 1
    fives, rest = 0, bottom >> twos
    while rest % 5 == 0:
        fives, rest = fives + 1, rest // 5
    places = max(twos, fives)
    if rest != 1 or places == 0 or places > 30:
        zeros = len(str(factor.numerator)) - len(str(factor.numerator).rstrip("0"))
        if bottom == 1 and zeros > 5:
            return f"{factor.numerator // 10**zeros}e{zeros}"
        return None
    digits = str(factor.numerator * 10**places // bottom)
    if len(digits) > 20:
        return None
    if places > 6:
        return f"{digits}e-{places}"
    digits = digits.rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}"


def _siunitx(unit: Unit, registry: Registry) -> str:
    if unit.factor is not ONE:
        raise UnitFormatError(f"siunitx has no numbers in units, which {unit} needs")
    parts: list[str] = []
    for atom, e in sorted(unit.atoms, key=lambda pair: pair[1] < 0):
        found = registry.definition_of(atom)
        prefix = found.prefix.name if found and found.prefix else ""
        spelled = (f"\\{prefix}" if prefix else "") + "\\" + macro(atom.name.removeprefix(prefix))
        power = str(e).removeprefix("-")
        suffix = {"1": "", "2": r"\squared", "3": r"\cubed"}.get(power, rf"\tothe{{{power}}}")
        parts.append((r"\per" if e < 0 else "") + spelled + suffix)
    text = rf"\si{{{''.join(parts)}}}"
    try:
        is_read = registry.parse(text, "siunitx") == unit
    except UnitParseError:
        is_read = False
    if not is_read:
        raise UnitFormatError(f"{unit} has no macros of letters alone that would be read again")
    return text
