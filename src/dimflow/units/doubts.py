"""Products that people read in two ways: an error with both readings, never a guess.

The lines `@ambiguous /C = ...` and `C/ = ...` of the definitions name letters and words that mean
one unit alone and another in quotients: C, F and R are degrees in heat transfer, and a decade of
time is ten years. dimflow itself prints such a letter as a name: `W/coulomb`. A prefix apart from
its unit (k ohm) and a number behind a unit (kg/m 3) are doubtful too.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from dimflow.errors import UnitError, UnitParseError
from dimflow.units import scope
from dimflow.units.company import doubts_of, is_listed
from dimflow.units.definition import Definition
from dimflow.units.exponent import Exponent
from dimflow.units.grammar import AND_DIVISOR, NAME, Product, Term
from dimflow.units.meaning import Affine, Logarithmic
from dimflow.units.scale import ONE
from dimflow.units.spelling import (
    DEGREES,
    ambiguous,
    in_place,
    is_subscripted,
    resolve,
    with_clear_readings,
)
from dimflow.units.unit import make_unit

if TYPE_CHECKING:
    from dimflow.units.meaning import Atom
    from dimflow.units.registry import Registry
    from dimflow.units.unit import Unit

_HYPHENS = ("-", "‐", "‑")
_BETWEEN = ("", *".·⋅∙•", *_HYPHENS)
# Substances that a mass or an amount is said to be of: mg N/L, kg P/ha
_SYMBOLS = """
H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr
Rb Sr Y Zr Nb Mo Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Sm Eu Gd Tb Dy Ho Er Tm Yb Lu
Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm
"""
_ELEMENTS = frozenset([*_SYMBOLS.split(), "H2O"])
_THERMAL = frozenset({"th", "t", "e", "el"})  # thermal and electric, behind a power or an energy
_NORMAL = frozenset("NnSs")  # normal and standard, in parentheses behind a volume
_SAID = _ELEMENTS | _THERMAL | _NORMAL
_MOLAR = re.compile(r"(?<![A-Za-z])M(?![A-Za-z])")
_PLAIN = frozenset({"[length]", "[mass]", "[time]", "[volume]"})
_MEASURES = frozenset(
    {"[length]", "[area]", "[mass]", "[volume]", "[energy]", "[power]", "[force]"}
)
_MANY = 8  # units in a product of which none is listed
_HEATS = frozenset({"[power]", "[energy]"})
_BY_CHARGE = frozenset({"[mass]", "[amount]", "[volume]"})  # g/C, m³/C
_DEGREES = frozenset("CFR")  # for the others, the table need not be read
# What is divided by a flow or a speed: cmH2O/L/s, N/m/s, mV/deg/s
_DRIVES = frozenset({"[pressure]", "[force]", "[voltage]"})
_MOVED = frozenset({"[volume]", "[length]", "[angle]"})
_SERVOS = {"kg": "kgf", "g": "gf"}
_WORDS_OF_NAMES = frozenset({"fl", "us"})  # that are units too
_AMOUNTS = frozenset({"[mass]", "[amount]", "[concentration]", "[dimensionless]"})
# Letters of prefixes that are constants or rare units too, unlike the N and h of N m and h K
_APART = frozenset({"k", "c", "u", "µ", "μ", "d", "da", "M", "G"})
_PREFIX = re.compile(rf"(?:^|(?<=[(/*·]))[ 0-9.]*\b(k|c|u|µ|μ|da?|M|G)[ \t]+({NAME})")
_RAISED = re.compile(r"\^?-?[0-9]+|[⁺⁻]?[⁰¹²³⁴-⁹]+")
# L per 100 km, 1e6 1/K and 2 10^6 are no lost exponents
_BEHIND = re.compile(
    r"[ \t](?<=[\w)°%‰′″'][ \t])(?<!\bper[ \t])[ \t]*([0-9]+(?:\.[0-9]+)?)"
    r"(?![0-9.eE^⁰¹²³⁴-⁹]|\*\*|(?<=[ \t]1)(?:[ ]*/[ ]*(?:[^\W\d]|\()|$))"
)


class _Read(NamedTuple):
    """A text, what it says, and by which registry."""

    text: str
    product: Product
    unit: "Unit"
    registry: "Registry"


_Rule = Callable[[_Read, Term], None]


def refuse_doubtful(text: str, product: Product, unit: "Unit", registry: "Registry") -> None:
    """Raise if a part of the product has another reading that fits as well or better."""
    if " " in text:
        _refuse_number_behind(text, registry)
    if (forces := torque_of(unit)) and re.fullmatch(r"\w+[.·⋅•‐‑-]\w+", text):
        raise ambiguous(text, 0, text, ("*".join(forces), str(unit)))
    if 1 < text.count("/") < _MANY:
        _refuse_chain(text, product.terms, registry)
    rules = registry.remembered("doubts", lambda: lru_cache(4096)(partial(_rules, registry)))
    read = _Read(text, product, unit, registry)
    for term in product.terms:
        for rule in rules(term.name, term.exponent):
            rule(read, term)
    if text.isupper() and len(text) > 1 and (other := shouted(text, unit, registry)):
        raise ambiguous(text, 0, text, (other, str(unit)))


def _rules(registry: "Registry", name: str, e: Exponent) -> tuple[_Rule, ...]:
    """What there is to doubt about a name with an exponent, whatever stands around it."""
    known, found = registry.ambiguous, resolve(name, registry)
    atom = registry.base_atom(name) if found else None  # None for m2
    power = f"{name}{abs(e)}"
    is_power = type(e) is int and abs(e) != 1
    doubts: dict[_Rule, object] = {
        _refuse_company: is_listed(name, registry),
        _refuse_apart: name in _APART,
        _refuse_pairs: atom and found and _is_paired(name, atom, found.definition, registry),
        _refuse_digits: name[-1] in "0123456789" and not registry.find(name),
        _refuse_minus: f"{name}{e}" in known,
        _refuse_degrees: atom and e == -1 and _is_millidegree(name, atom, registry),
        _refuse_substance: atom and e == 1 and name in _SAID,
        _refuse_of_share: name == "%",
        _refuse_divided: True,
        _refuse_other: abs(e) == 1 and _other(name, e, registry),
        _refuse_power: is_power and (power in known or (found and resolve(power, registry))),
    }
    return tuple(rule for rule, applies in doubts.items() if applies)


def _is_paired(name: str, atom: "Atom", found: Definition, registry: "Registry") -> bool:
    """Whether it is a gain, a word of a name of two, or a pound: a mass that is a force too."""
    if atom.meaning.law is not None:
        return isinstance(atom.meaning.law, Logarithmic) and atom.meaning.scale is ONE
    if name in DEGREES or name.lower() in _WORDS_OF_NAMES:
        return True
    is_metric = found.takes_symbols or found.name == "kilogram"
    return not is_metric and registry.find(f"{found.name}_force") is not None


def _refuse_pairs(read: _Read, term: Term) -> None:
    """Both pairs that a term stands in."""
    terms = read.product.terms
    place = terms.index(term)
    for one, two in pairwise(terms[max(place - 1, 0) : place + 2]):
        _refuse_pair(read.text, one, two, read.registry)


def shouted(text: str, unit: "Unit", registry: "Registry") -> str:
    """What a product in capitals is in small letters, if that alone is a known quantity: L/H."""
    if unit.dimension.name is not None or "*" in text or not (text.isascii() or "/" in text):
        return ""
    for other in (text.lower(), _MOLAR.sub("m", text)):
        names = [resolve(name.rstrip("0123456789"), registry) for name in re.findall(NAME, other)]
        if other == text or None in names:
            continue
        try:
            meant = registry.read(other)
        except UnitError:
            continue
        kinds = {str(atom.meaning.dimension) for atom, _ in meant.atoms if atom.name != "year"}
        is_plain = other != text.lower() or (kinds and kinds <= _PLAIN)
        if meant.dimension.name is not None and is_plain:
            return other
    return ""


def _refuse_company(read: _Read, term: Term) -> None:
    """eV/A and g²/Hz: beside these units, the symbol is another's to most who write it."""
    text, _, unit, registry = read
    name = term.name if registry.find(term.name) else term.name.rstrip("0123456789")
    for doubt in doubts_of(unit, registry):
        if name not in doubt.symbols or registry.atom(name) is not doubt.atom:
            continue
        if doubt.exponent > 0 and re.search(rf"(?<!\*)\*{name}\b|\b{name}\*(?!\*)", text):
            continue  # k*ft
        by = registry.read(doubt.other).delta / make_unit(ONE, ((doubt.atom, 1),))
        other = unit * by**doubt.exponent
        raise ambiguous(text, term.position, name, (str(other), str(unit)))


def _refuse_pair(text: str, one: Term, two: Term, registry: "Registry") -> None:
    """dB m may be dBm, and ft·lb a torque; with an asterisk they are products."""
    between = text[one.position + len(one.name) : two.position].strip(" ")
    first, second = registry.atom(one.name), registry.atom(two.name)
    if between not in _BETWEEN or first is None or one.exponent not in (1, -1):
        return
    end = two.position + len(two.name)
    is_gain = isinstance(first.meaning.law, Logarithmic) and first.meaning.scale is ONE
    if is_gain and two.exponent > 0:
        rest = text[two.position :].rstrip()
        is_named = resolve(one.name + rest, registry)
        level = one.name + (rest if is_named else f"({rest})")
        level = registry.ambiguous.get(level, (level,))[0]  # dB-A
        readings = [level, f"{one.name}*{rest}"]
    elif one.exponent != two.exponent or second is None:
        return
    elif between == "." and one.name in DEGREES and registry.find(f"deg_{two.name}"):
        readings = [f"{text[: one.position]}deg{by}{text[two.position :]}" for by in "_*"]
    elif between in ("", ".") and (name := _named_by(one.name, two.name, registry)):
        readings = [f"{text[: one.position]}{name}{text[end:]}"]
        readings += [f"{text[: one.position]}{one.name}*{text[two.position :]}"]
    elif one.name == "us" and _is_customary(second, registry):
        readings = [text[: one.position] + text[two.position :]]
        readings += [f"{text[: one.position]}us*{text[two.position :]}"]
    elif (forces := forces_of(first, second, registry)) is not None:
        pairs = "*".join(forces), f"{one.name}*{two.name}"
        readings = [text[: one.position] + pair + text[end:] for pair in pairs]
    else:
        return
    raise ambiguous(text, one.position, text[one.position : end], readings)


def _refuse_chain(text: str, terms: tuple[Term, ...], registry: "Registry") -> None:
    """cmH2O/L/s is a pressure by a flow, and mV/deg/s a voltage by a rate, or not."""
    if "(" in text or " per " in text or [t.exponent < 0 for t in terms[-2:]] != [True, True]:
        return
    above, below, time = (part.strip() for part in text.rsplit("/", 2))
    try:
        kinds = [str(registry.read(part).dimension) for part in (above, below, time)]
    except UnitError:
        return
    if kinds[0] in _DRIVES and kinds[1] in _MOVED and kinds[2] == "[time]":
        readings = [f"{above}/({below}{by}{time})" for by in "/*"]
        raise ambiguous(text, len(above) + 1, f"{below}/{time}", readings)


def _named_by(one: str, two: str, registry: "Registry") -> str:
    """The fluid ounce that fl.oz and oz fl say too, if such words name a unit; "" if not."""
    names = [f"{a}_{b}" for a, b in ((one, two), (two, one)) if a.lower() in _WORDS_OF_NAMES]
    return next((name for name in names if registry.find(name)), "")


def _is_customary(atom: "Atom", registry: "Registry") -> bool:
    """Whether it is a foot or an ounce, which in the United States may have another size."""
    return str(atom.meaning.dimension) in _MEASURES and not _is_metric(atom, registry)


def torque_of(unit: "Unit") -> tuple[str, str] | None:
    """What kg·cm and g-mm also say: the torque of a servo, in kgf*cm."""
    if [e for _, e in unit.atoms] != [1, 1]:
        return None
    one, two = (atom.symbol for atom, _ in unit.atoms)
    return (_SERVOS[one], two) if one in _SERVOS and two in ("cm", "mm") else None


def forces_of(one: "Atom", two: "Atom", registry: "Registry") -> tuple[str, str] | None:
    """What a product such as ft·lb also says, if its mass may be meant as a force: ft and lbf."""
    if one.meaning.law or two.meaning.law:
        return None
    if {str(atom.meaning.dimension) for atom in (one, two)} != {"[mass]", "[length]"}:
        return None
    if any(_is_metric(atom, registry) or atom.name == "kilogram" for atom in (one, two)):
        return None
    forces = [registry.atom(f"{atom.name}_force") for atom in (one, two)]
    if not any(forces):
        return None
    first, second = (f or atom for f, atom in zip(forces, (one, two), strict=True))
    return first.symbol, second.symbol


def _refuse_digits(read: _Read, term: Term) -> None:
    """Digits set against a name are its exponent by the rules: e9, m1/2, cal15."""
    text, registry = read.text, read.registry
    name, _, position = term
    bare = name.rstrip("0123456789")
    digits = name[len(bare) :]
    if name in registry.ambiguous:
        readings = in_place(registry.ambiguous[name], text, position, name)
        raise ambiguous(text, position, name, readings)
    if bare == "e" and digits != "2":  # e9/L
        powers = [text.replace(name, by, 1) for by in (f"1{name}", f"e**{digits}")]
        raise ambiguous(text, position, name, powers)
    if (divisor := AND_DIVISOR.match(text, position + len(name))) is not None:
        _refuse_root(text, position + len(name), digits, divisor)
    known = f"{bare}_{digits}"  # cal15, the calorie at 15 °C
    if int(digits) > 3 and registry.find(known) and not is_subscripted(known, registry):
        readings = [text.replace(name, by, 1) for by in (known, f"{bare}**{digits}")]
        raise ambiguous(text, position, name, readings)


def _refuse_minus(read: _Read, term: Term) -> None:
    """ms-1 is a speed to most, and a frequency by the rules."""
    raised = _RAISED.match(read.text, term.position + len(term.name))
    if raised is not None and "-" in raised[0].replace("⁻", "-"):
        _refuse_raised(
            read, term, raised[0], read.registry.ambiguous[f"{term.name}{term.exponent}"]
        )


def _refuse_power(read: _Read, term: Term) -> None:
    """Nm³ is a normal cubic metre to most, and the cube of a nanometre by the rules."""
    name, e, position = term
    if f"{name}**" in read.text:
        return
    raised = _RAISED.match(read.text, position + len(name))
    power = f"{name}{abs(e)}"
    readings = read.registry.ambiguous.get(power, (power, f"{name}**{abs(e)}"))
    _refuse_raised(read, term, raised[0] if raised else "", readings)


def _refuse_raised(read: _Read, term: Term, raised: str, readings: tuple[str, ...]) -> None:
    written = term.name + raised
    in_full = in_place(readings, read.text, term.position, written)
    raise ambiguous(read.text, term.position, written, in_full)


def _is_millidegree(name: str, atom: "Atom", registry: "Registry") -> bool:
    """Whether it is a prefix before a degree, as in m°C, or mK."""
    if name[0] != "m" or resolve(name[1:], registry) is None:
        return False
    law = registry.base_atom(name[1:]).meaning.law
    return isinstance(law, Affine) or atom.symbol in ("mK", "mC", "millikelvin")


def _refuse_degrees(read: _Read, term: Term) -> None:
    """W/m°C and W/mK are per metre and degree to most, and per millidegree by the rules."""
    unit, registry = read.unit, read.registry
    degree = registry.base_atom("degC" if term.name == "mC" else term.name[1:])
    is_affine = isinstance(degree.meaning.law, Affine)
    is_plain = is_affine and term.name != "mC"
    if term.position and (is_plain or _is_glued_metre(unit, term.name, registry)):
        other = unit * registry.unit(term.name).delta / registry.unit(degree.name).delta
        readings = str(other / registry.unit("metre")), str(unit)
        raise ambiguous(read.text, term.position, term.name, readings)


def _is_glued_metre(unit: "Unit", name: str, registry: "Registry") -> bool:
    """Whether the mK below a stroke would make a known quantity as metre and kelvin: W/mK."""
    other = unit * registry.unit(name) / registry.read("kelvin*metre")
    return other.dimension.name is not None


def _refuse_root(text: str, end: int, digits: str, divisor: re.Match[str]) -> None:
    """m1/2 is the root of a metre to most, and half a metre by the rules."""
    start, rest = text[: end - len(digits)], text[divisor.end() :]
    power = "" if digits == "1" else f"^({digits})"
    readings = f"{start}^({digits}/{divisor[1]}){rest}", f"{start}{power}/{divisor[1]}{rest}"
    raise ambiguous(text, end - len(digits), digits + divisor[0], readings)


def _refuse_of_share(read: _Read, share: Term) -> None:
    """% ABV and % g are shares of these."""
    if read.product.terms[0] is share:
        for said in read.product.terms:
            _refuse_substance(read, said)


def _refuse_substance(read: _Read, said: Term) -> None:
    """mg N/L is milligrams of nitrogen, MW(th) a heat and m³(N) of gas: none is a product."""
    text, product, unit, registry = read
    first = product.terms[0]
    name, start, end = said.name, said.position, said.position + len(said.name)
    if said.exponent != 1 or not start or text[start - 1] not in (" ", "(", *_HYPHENS):
        return
    is_bracketed = text[start - 1] == "("
    if is_bracketed:
        if text[end : end + 1] != ")":
            return
        start, end = start - 1, end + 1
    start -= text[start - 1] in _HYPHENS  # mg-N/L
    before, after = text[:start].rstrip(), text[end:]
    if registry.atom(name) is None or first is said or before[-1:] in "*/·⋅×∙•.(-":
        return
    dimension = str(registry.read(first.name).dimension ** first.exponent)
    readings = before + after, f"{before}*{name}{after}"
    if dimension in ("[power]", "[energy]") and name in _THERMAL:
        raise ambiguous(text, start, text[start:end], readings)
    if dimension == "[volume]" and name in _NORMAL and is_bracketed:
        normal = f"{name.upper()}{first.name}{first.exponent if first.exponent != 1 else ''}"
        gas = normal + after if resolve(normal, registry) else readings[0]
        raise ambiguous(text, start, text[start:end], (gas, readings[1]))
    is_said = name in _ELEMENTS or first.name == "%"
    if dimension not in _AMOUNTS or first.exponent != 1 or not is_said:
        return
    rest = (unit / registry.unit(name).delta).dimension.as_dict()
    if first.name == "%":  # % ABV, % g
        if registry.find(f"%{name}"):
            return
        raise ambiguous(text, start, text[start:end], readings)
    is_plain = {rest.pop("mass", 0), rest.pop("amount", 0)} <= {0, 1}
    is_flow = rest.pop("time", 0) in (0, -1)
    is_flow = is_flow and rest.pop("length", 0) <= 0  # kg m2 K s-1 has a kelvin
    if is_plain and is_flow and not rest:
        raise ambiguous(text, start, text[start:end], readings)


def _refuse_divided(read: _Read, term: Term) -> None:
    """J/kg K is by the kelvin to most, and (J/kg)*K by the rules; so are W/m2·K and J/kg-C."""
    text, product, unit, registry = read
    name, e, position = term
    if position in product.behind:
        other = _below(read)
    elif e == 1 and position and text[position - 1] in _HYPHENS:
        other_name = _as_degree(name, registry)
        if other_name == name or not any(t.exponent < 0 for t in product.terms):
            return
        other = _instead(unit, name, other_name, registry, 1)
    else:
        return
    raise ambiguous(text, position, name, (str(other), str(unit)))


def _as_degree(name: str, registry: "Registry") -> str:
    """What some mean by a name in a divisor: degC for C."""
    return registry.ambiguous.get("/" + name, (name, name))[1]


def _below(read: _Read) -> "Unit":
    """All that goes on behind a stroke under it: Btu/hr ft2 F is by hour, square foot and °F."""
    _, product, unit, registry = read
    for name, e, position in product.terms:
        if position in product.behind:
            other = registry.read(_as_degree(name, registry))
            unit = unit / registry.read(name).delta ** e / other.delta**e
    return unit


def _refuse_apart(read: _Read, _: Term) -> None:
    """k ohm is the kilohm to most, and a product by the rules."""
    text, registry = read.text, read.registry
    for match in _PREFIX.finditer(text):
        letter, name = match.groups()
        one, found = resolve(letter + name, registry), resolve(name, registry)
        if one is None or found is None or registry.atom(letter) is not scope.builtin.atom(letter):
            continue
        if letter == "G" and str(registry.unit(name).dimension) == "[length]":
            continue  # gauss in centimetres, as magnets are measured
        if letter == "d" and match[0] != text:
            continue  # days
        start, end = match.start(1), match.end()
        readings = [f"{text[:start]}{letter}{by}{name}{text[end:]}" for by in ("", "*")]
        raise ambiguous(text, start, text[start:end], readings)


def _refuse_number_behind(text: str, registry: "Registry") -> None:
    """kg/m 3 is by the cubic metre to most, and three times that by the rules."""
    behind = _BEHIND.search(text)
    if behind is not None:
        start, end = behind.span()
        if text[start - 1].isdigit() and re.search(r"(?<![\w.])[0-9.]+$", text[:start]):
            problem = "two numbers stand side by side"
            raise UnitParseError(text, behind.start(1), problem, "write one number: 1.5 inch")
        readings = [f"{text[:start]}{by}{behind[1]}{text[end:]}" for by in ("**", "*")]
        error = ambiguous(text, behind.start(1), behind[1], readings)
        raise with_clear_readings(error, registry)


def doubtful_atoms(unit: "Unit", registry: "Registry") -> "Iterator[Atom]":
    """The atoms whose symbols people read as other units in such a product: C/W, Btu/F, eV/A."""
    if scope.builtin.is_read and len(unit.atoms) < _MANY:
        for doubt in doubts_of(unit, registry):
            if doubt.atom.symbol in doubt.symbols:
                yield doubt.atom
    yield from _taken_for_degrees(unit, registry)


def _taken_for_degrees(unit: "Unit", registry: "Registry") -> "Iterator[Atom]":
    """The atoms whose symbols people read as degrees in such a quotient: C/W, mV/C, Btu/F."""
    is_divided = any(e < 0 for _, e in unit.atoms)
    for atom, e in unit.atoms:
        power = 1 if e == 1 else -1
        if e == -1 and atom.symbol in ("mK", "mC") and _is_glued_metre(unit, atom.name, registry):
            yield atom
        if e != power or not is_divided or atom.symbol not in _DEGREES:
            continue
        readings = registry.ambiguous.get(f"/{atom.symbol}" if e < 0 else f"{atom.symbol}/")
        if readings is None or atom.meaning.law or registry.atom(readings[0]) is not atom:
            continue
        as_degrees = _instead(unit, atom.symbol, readings[1], registry, power)
        if as_degrees.dimension.name is None and not _is_by_degree(unit, atom, registry):
            continue
        is_simple = unit.dimension.name is not None and len(unit.atoms) < 3
        # Fahrenheit stands beside feet and pounds: a F/m is a permittivity
        is_metric = not _is_metric(registry.atom(readings[1]), registry)
        is_metric = is_metric and all(_is_metric(a, registry) for a, _ in unit.atoms)
        if not (is_simple and is_metric):
            yield atom


def _is_by_degree(unit: "Unit", atom: "Atom", registry: "Registry") -> bool:
    """Whether a quotient is no known quantity but by the degree: ohm/C, psi/F, m²·C/W."""
    e = dict(unit.atoms)[atom]
    if unit.dimension.name is not None:
        return False
    if e > 0:
        return any(f < 0 and str(a.meaning.dimension) in _HEATS for a, f in unit.atoms)
    above = (unit * registry.unit(atom.name)).dimension
    return above.name is not None and str(above) not in _BY_CHARGE


def _is_metric(atom: "Atom | None", registry: "Registry") -> bool:
    found = registry.definition_of(atom) if atom is not None else None
    return found is not None and found.definition.takes_symbols


def _other(name: str, e: Exponent, registry: "Registry") -> tuple[str, ...] | None:
    """What a name means by itself, and what some mean by it in quotients."""
    known = registry.ambiguous
    if e == 1:
        return known.get(name + "/")
    return known.get("/" + name) or known.get("/" + _name(name, registry))


def _refuse_other(read: _Read, term: Term) -> None:
    """C/W is a degree by the watt to most, and a coulomb by the rules; rads/s is alike."""
    text, _, unit, registry = read
    name, e, position = term
    readings = _other(name, e, registry) or ("", "")
    if _is_doubtful(text, term, unit, readings, registry):
        whole = _instead(unit, name, readings[1], registry, int(e))
        raise ambiguous(text, position, name, (str(whole), str(unit)))


def _is_doubtful(
    text: str, term: Term, unit: "Unit", readings: tuple[str, ...], registry: "Registry"
) -> bool:
    atom = registry.atom(term.name)
    if atom is not registry.atom(readings[0]):  # a user's unit has the name
        return False
    if atom is not None and atom.meaning.law is not None:  # a decade of frequency
        return not any(a.is_level and a is not atom.delta for a, _ in unit.atoms)
    if text[term.position - 1] in _HYPHENS and term.position:
        return True
    if len(term.name) > 1:  # rads/s
        return _instead(unit, term.name, readings[1], registry, 1).dimension.name is not None
    return atom in list(_taken_for_degrees(unit, registry))


def _name(written: str, registry: "Registry") -> str:
    """The definition's name: decade for Decades."""
    found = resolve(written, registry)
    return found.definition.name if found is not None else ""


def _instead(unit: "Unit", name: str, other: str, registry: "Registry", e: int) -> "Unit":
    """The unit with the other reading of a name that has an exponent of 1 or -1."""
    return unit * (registry.unit(other).delta / registry.unit(name).delta) ** e
