"""The Unified Code for Units of Measure: reading and writing its case-sensitive codes.

Codes are those that definitions carry as `ucum:`. The values are ours: UCUM 2.1 still has the
constants of CODATA 1986.
"""

import re
from typing import TYPE_CHECKING

from dimflow.errors import UndefinedUnitError, UnitFormatError, UnitParseError
from dimflow.units.definition import Definition, Resolved
from dimflow.units.exponent import Exponent, checked
from dimflow.units.grammar import MAX_DEPTH, Product, Term
from dimflow.units.meaning import Atom, Meaning, prefixed
from dimflow.units.scale import ONE, Scale, irrational

if TYPE_CHECKING:
    from dimflow.units.registry import Registry
    from dimflow.units.unit import Unit

_TOKEN = re.compile(
    r"""(?P<ten>10[*^]) (?P<ten_power>[+-]?[0-9]{1,4})? (?:\{[!-z|~]*\})?
      | (?P<number>[0-9]+)
      | (?P<annotation>\{[!-z|~]*\})
      | (?P<code>(?:\[[!-Z^-z\\|~]*\]|[!\#-'*,:-Z^-z|~%])+) (?P<power>[+-]?[0-9]{1,9})?
        (?:\{[!-z|~]*\})?
      | (?P<operator>[./]) | (?P<left>\() | (?P<right>\))
    """,
    re.VERBOSE,
)
_METRIC_THERE = {
    "[c]",
    "[h]",
    "[k]",
    "[e]",
    "[g]",
    "[G]",
    "[mu_0]",
    "[eps_0]",
    "[m_e]",
    "[m_p]",
    "ph",
}
_NOT_METRIC_THERE = {"''", "deg", "gon", "a_j", "Ao", "b", "atm", "[psi]"}
_UNSAFE = (None, "ph")  # UCUM's table has the phot as 1e-4 lx, by mistake
_SPECIAL = ("[m/s2/Hz^(1/2)]",)  # linear, but no factor of products there
_SECOND_CODES = {  # where UCUM has two for one unit, and definitions carry the other
    "l": "L",
    "a": "a_j",
    "mo_j": "mo",
    "cal": "cal_th",
    "[Btu]": "[Btu_th]",
    "[IU]": "[iU]",
    "mho": "S",
}


def parse_ucum(text: str, registry: "Registry") -> Product:
    """A UCUM code as a product of our names."""
    signs = [1]  # of the open parentheses
    sign, expects_unit, position = 1, True, 0
    factor, terms = ONE, []
    if text.startswith("/"):
        sign, position = -1, 1
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            raise UnitParseError(
                text, position, f"the character {text[position]!r} has no meaning in a UCUM code"
            )
        if token["operator"]:
            if expects_unit:
                raise UnitParseError(text, position, "a unit is missing before this")
            sign, expects_unit = (1 if token["operator"] == "." else -1), True
        elif token["right"]:
            if expects_unit or len(signs) == 1:
                raise UnitParseError(text, position, "this parenthesis does not match")
            signs.pop()
        else:
            is_bare_annotation = token["annotation"] is not None
            if not expects_unit and not is_bare_annotation:
                raise UnitParseError(
                    text, position, "two units stand side by side", "join UCUM codes by '.' or '/'"
                )
            whole = sign * signs[-1]
            if token["left"]:
                if len(signs) > MAX_DEPTH:
                    raise UnitParseError(text, position, "parentheses are nested too deep")
                signs.append(whole)
                sign = 1
            else:
                number, term = _factor(text, token, registry)
                factor = factor * number**whole
                if term:
                    terms.append(term._replace(exponent=checked(whole * term.exponent)))
                expects_unit = False
        position = token.end()
    if len(signs) > 1 or (expects_unit and text):
        raise UnitParseError(text, len(text), "the code ends too early")
    return Product(factor, tuple(terms))


def _factor(text: str, token: re.Match[str], registry: "Registry") -> tuple[Scale, Term | None]:
    position = token.start()
    if token["ten"]:
        return Scale(10) ** int(token["ten_power"] or 1), None
    if token["number"]:
        if len(token["number"]) > 400 or not int(token["number"]):
            raise UnitParseError(text, position, "this number is zero or too long")
        return Scale(int(token["number"])), None
    if token["annotation"]:
        return ONE, None
    code, power = token["code"], int(token["power"] or 1)
    if code == "[pi]":
        return irrational("pi") ** power, None
    found = find_code(code, registry)
    if found is None and registry.load_plugins():
        found = find_code(code, registry)
    if found is None:
        codes = tuple(c for c in _codes(registry) if c.casefold().strip("[]") == code.casefold())
        raise UndefinedUnitError(code, codes[:3], text, position)
    name = found.definition.name
    return ONE, Term(found.prefix.name + name if found.prefix else name, power, position)


def find_code(code: str, registry: "Registry") -> Resolved | None:
    """The definition, and the prefix if there is one, that a simple code stands for."""
    codes = _codes(registry)
    code = _SECOND_CODES.get(code, code)
    found = codes.get(code)
    if found is not None:
        return Resolved(found)
    for length in (2, 1):
        prefix = registry.find_prefix(code[:length])
        rest = code[length:]
        found = codes.get(_SECOND_CODES.get(rest, rest))
        if prefix is None or found is None or prefix.symbol != code[:length]:
            continue
        if _is_metric(found):
            return Resolved(found, prefix)
    return None


def _is_metric(definition: Definition) -> bool:
    """Whether UCUM puts prefixes to the code; the exceptions are where we differ from it."""
    if definition.ucum in _METRIC_THERE:
        return True
    return definition.prefixing in ("si", "binary") and definition.ucum not in _NOT_METRIC_THERE


def _codes(registry: "Registry") -> dict[str, Definition]:
    return registry.remembered("ucum", lambda: {d.ucum: d for d in registry if d.ucum})


def format_ucum(unit: "Unit", registry: "Registry") -> str:
    """The UCUM code of a unit; units without a code are written by those of base units."""
    if unit.law is not None:
        code = _code(unit.atoms[0][0], registry)
        if code is None:
            raise UnitFormatError(f"{unit} has no UCUM code and is not linear")
        return code
    factor, codes = unit.factor, []
    for atom, e in unit.atoms:
        code = _code(atom, registry)
        if code in _SPECIAL and (len(unit.atoms) > 1 or e != 1 or factor is not ONE):
            raise UnitFormatError(f"in UCUM {code} stands alone, which {unit} does not")
        if code is not None:
            codes.append((code, e))
        else:
            factor = factor * atom.meaning.scale**e
            base = registry.base_unit(atom.meaning.dimension)
            codes += [(_code(a, registry) or a.symbol, n * e) for a, n in base.atoms]
    return _joined(unit, factor, codes)


def _code(atom: Atom, registry: "Registry") -> str | None:
    """The code of the atom's definition, else one that means the same, else None."""
    found = registry.definition_of(atom)
    if found is not None and found.definition.ucum not in _UNSAFE and not found.is_delta:
        assert found.definition.ucum is not None
        if found.prefix is None:
            return found.definition.ucum
        if _is_metric(found.definition):
            return found.prefix.symbol + found.definition.ucum
    by_meaning = registry.remembered("ucum meanings", lambda: _codes_by_meaning(registry))
    code = by_meaning.get(atom.meaning)
    return None if code in _UNSAFE else code


def _codes_by_meaning(registry: "Registry") -> dict[Meaning, str]:
    """Codes that are worth using for units which have none: mm[Hg] for mmHg, dB[SPL] for dBSPL."""
    table: dict[Meaning, str] = {}
    for code, definition in _codes(registry).items():
        atom = registry.atom(definition.name)
        if atom is None or (atom.meaning.dimension.is_dimensionless and not atom.meaning.law):
            continue
        table.setdefault(atom.meaning, code)
        if _is_metric(definition) and ("[" in code or atom.meaning.law):
            for prefix in registry.prefixes():
                if not prefix.is_binary:
                    table.setdefault(prefixed(atom.meaning, prefix.scale), prefix.symbol + code)
    return table


def _joined(unit: "Unit", factor: Scale, codes: list[tuple[str, Exponent]]) -> str:
    exponents: dict[str, Exponent] = {}
    for code, e in codes:
        exponents[code] = exponents.get(code, 0) + e
    for base, e in factor.factors:
        if base != "pi" or type(e) is not int:
            raise UnitFormatError(f"the scale of {unit} cannot be written in UCUM", str(factor))
        exponents["[pi]"] = e
    if any(type(checked(e)) is not int for e in exponents.values()):
        raise UnitFormatError(f"UCUM has no fractional exponents, which {unit} needs")
    parts = [_integer(factor.numerator)] if factor.numerator != 1 else []
    parts += [code if e == 1 else f"{code}{e}" for code, e in exponents.items() if e]
    text = ".".join(parts) or "1"
    return text if factor.denominator == 1 else f"{text}/{_integer(factor.denominator)}"


def _integer(number: int) -> str:
    digits = str(number)
    zeros = len(digits) - len(digits.rstrip("0"))
    if zeros < 3:
        return digits
    power = f"10*{zeros}"
    return power if digits == "1" + "0" * zeros else f"({digits[:-zeros]}.{power})"
