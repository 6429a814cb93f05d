"""The wire encoding: a unit with its definition down to base units, as one line or as JSON.

A unit travels with all that is needed to understand it, so the other side needs no registry.

    dimflow.unit/1|1|km:kilometre:1000:L1:1|h:hour:3600:T1:-1

Version, numeric factor, then each atom: symbol, name, scale, dimension, exponent and, if it has
one, its law (a = affine with offset, l = logarithmic with base, factor and f for field).
"""

import re
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dimflow.errors import UnitError, WireFormatError
from dimflow.units.dimension import KINDS, Dimension
from dimflow.units.exponent import Exponent, checked
from dimflow.units.meaning import Affine, Atom, Law, Logarithmic, Meaning
from dimflow.units.scale import Scale, read
from dimflow.units.unit import Unit, make_unit

VERSION = 1
MAX_LENGTH = 1 << 16
_HEADER = "dimflow.unit"
_LETTERS = "LMTIKNJABC"  # one for each base dimension, in their order
_FRACTION = re.compile(r"-?[0-9]{1,400}(?:/[0-9]{1,400})?")
_SPELLING = re.compile(r"[^\x00-\x1f\x7f:|]{1,200}")
_BASES = (0, 2, 10)


def encode(unit: Unit) -> str:
    """The unit as one line of text."""
    return unit.remembered("wire", lambda: _encoded(unit))


def _encoded(unit: Unit) -> str:
    records = [f"{_HEADER}/{VERSION}", str(unit.factor)]
    for atom, exponent in unit.atoms:
        meaning = atom.meaning
        fields = [atom.symbol, atom.name, str(meaning.scale), _dimension_text(meaning.dimension)]
        fields.append(str(exponent))
        if meaning.law is not None:
            fields.append(_law_text(meaning.law))
        records.append(":".join(fields))
    return "|".join(records)


def meaning_text(unit: Unit) -> str:
    """What a unit means as one line of text: the same for all its spellings, in every process."""
    return unit.remembered("meaning", lambda: _meaning_text(unit.key))


def _meaning_text(meaning: Meaning) -> str:
    law = _law_text(meaning.law) if meaning.law else ""
    return f"{_HEADER}|{meaning.scale}|{_dimension_text(meaning.dimension)}|{law}"


def decode(text: str) -> Unit:
    """The unit that a line of text encodes; WireFormatError if it is not one."""
    try:
        return _decoded(text)
    except TypeError:
        raise WireFormatError(f"an encoded unit is text, but got {type(text).__name__}") from None


@lru_cache(maxsize=2048)
def _decoded(text: str) -> Unit:
    if not isinstance(text, str):
        raise TypeError
    if len(text) > MAX_LENGTH:
        raise WireFormatError(f"an encoded unit of {len(text):,} characters is too long")
    header, *records = text.split("|")
    _check_version(*header.partition("/")[::2])
    try:
        factor, *atoms = records
        return _make(read(factor), [_atom(*record.split(":")) for record in atoms])
    except (UnitError, ValueError, TypeError, ZeroDivisionError) as error:
        raise WireFormatError(f"this is not an encoded unit: {text!r:.80}", str(error)) from None


def to_json(unit: Unit) -> dict[str, Any]:
    """The unit as an object of JSON values."""
    return {
        "format": _HEADER,
        "version": VERSION,
        "factor": str(unit.factor),
        "atoms": [
            {
                "symbol": atom.symbol,
                "name": atom.name,
                "scale": str(atom.meaning.scale),
                "dimension": {b: str(e) for b, e in atom.meaning.dimension.as_dict().items()},
                "exponent": str(exponent),
                "law": _law_text(atom.meaning.law) if atom.meaning.law else None,
            }
            for atom, exponent in unit.atoms
        ],
    }


def from_json(value: Any) -> Unit:
    """The unit that an object of JSON values encodes."""
    if not isinstance(value, dict):
        raise WireFormatError(f"an encoded unit is a JSON object, but got {type(value).__name__}")
    version = value.get("version")
    is_number = type(version) is int and 0 <= version < 10**6
    _check_version(value.get("format"), str(version) if is_number else "?")
    try:
        records = [_field(value["factor"])]
        for atom in value["atoms"]:
            fields = [atom["symbol"], atom["name"], atom["scale"], _letters(atom["dimension"])]
            fields += [atom["exponent"]] + ([] if atom.get("law") is None else [atom["law"]])
            records.append(":".join(map(_field, fields)))
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        problem = f"{type(error).__name__}: {error}"
        raise WireFormatError("this JSON object is not an encoded unit", problem[:100]) from None
    return decode("|".join([f"{_HEADER}/{VERSION}", *records]))


def _field(value: Any) -> str:
    if not isinstance(value, str) or ":" in value or "|" in value:
        raise ValueError("a field is not text, or has ':' or '|' in it")
    return value


def _check_version(header: Any, version: str) -> None:
    if header != _HEADER:
        shown = repr(header[:40]) if isinstance(header, str) else type(header).__name__
        raise WireFormatError(f"this is not an encoded unit: it begins with {shown}")
    if version != str(VERSION):
        raise WireFormatError(
            f"this unit is encoded in version {version:.20}, but this dimflow reads {VERSION}",
            "use a newer dimflow to read it",
        )


def _make(factor: Scale, atoms: list[tuple[Atom, Exponent]]) -> Unit:
    is_single = len(atoms) == 1 and atoms[0][1] == 1 and factor == Scale(1)
    if not is_single and any(atom.meaning.law for atom, _ in atoms):
        raise ValueError("a unit that is not linear stands in a product")
    unit = make_unit(factor, atoms)
    if len(unit.atoms) != len(atoms):
        raise ValueError("an atom stands twice, or with exponent zero")
    return unit


def _atom(
    symbol: str, name: str, scale: str, dimension: str, exponent: str, law: str | None = None
) -> tuple[Atom, Exponent]:
    if not (_SPELLING.fullmatch(symbol) and _SPELLING.fullmatch(name)):
        raise ValueError("a symbol or a name is empty, too long or has control characters")
    size = read(scale)
    meaning = Meaning(_dimension(dimension), size, None if law is None else _law(law, size))
    return Atom(name, symbol, meaning), checked(_fraction(exponent))


def _fraction(text: str) -> Fraction:
    if not _FRACTION.fullmatch(text):
        raise ValueError(f"not a fraction: {text!r:.40}")
    value = Fraction(text)
    if str(value) != text:
        raise ValueError(f"not a fraction in its one spelling: {text!r:.40}")
    return value


def _dimension_text(dimension: Dimension) -> str:
    pairs = zip(_LETTERS, dimension.exponents, strict=False)
    return ".".join(f"{letter}{e}" for letter, e in pairs if e)


def _letters(dimension: dict[str, str]) -> str:
    order = sorted(dimension.items(), key=lambda item: KINDS.index(item[0]))
    return ".".join(_LETTERS[KINDS.index(base)] + e for base, e in order)


def _dimension(text: str) -> Dimension:
    exponents: list[Exponent] = [0] * len(KINDS)
    for part in text.split(".") if text else []:
        exponents[_LETTERS.index(part[:1])] = checked(_fraction(part[1:]))
    dimension = Dimension(**dict(zip(KINDS, exponents, strict=True)))
    if _dimension_text(dimension) != text or "" in text.split(".")[1:]:
        raise ValueError(f"not a dimension: {text!r:.40}")
    return dimension


def _law_text(law: Affine | Logarithmic) -> str:
    if isinstance(law, Affine):
        return f"a{law.offset}"
    kind = f",w{law.kind}" if law.kind else ""
    return f"l{law.base},{law.factor}{',f' if law.field else ''}{kind}"


def _law(text: str, scale: Scale) -> Law:
    if text[:1] == "a":
        if text == "a0" or not scale.is_rational:
            raise ValueError("a shift of zero, or of an irrational scale")
        return Affine(_fraction(text[1:]))
    base, factor, *field = text[1:].split(",")
    kind = field.pop()[1:] if field and field[-1][:1] == "w" else ""
    if text[:1] != "l" or field not in ([], ["f"]) or base not in map(str, _BASES):
        raise ValueError(f"not a law: {text!r:.40}")
    if _fraction(factor) == 0:
        raise ValueError("a logarithm with factor zero")
    return Logarithmic(int(base), _fraction(factor), bool(field), kind)
