r"""The grammar of unit texts: from characters to a flat product of names with exponents.

Knows no units. One pass over the text, one regular expression, no recursion deeper than the
parentheses that are allowed; everything that can grow is limited.

    product  = term { ["*" | "·" | "." | "-" | "/" | "per" | nothing] term }
    term     = ["square" | "cubic"] factor [exponent | "squared" | "cubed"]
    factor   = number | name | "(" product ")" | "sqrt" "(" product ")" | "√" factor
    exponent = ("^" | "**") number | "^(1/2)" | superscripts | digits set against a name: m2, s-1

An asterisk and a slash bind alike, from left to right: J/kg*K is (J/kg)*K, as in pint, udunits and
UCUM. A hyphen binds closer: J/kg-K is J/(kg*K). A space, a point or nothing at all behind a stroke
may be meant as either, so a product notes what is there: J/kg K, W/m2·K. "Joule per kilogram
kelvin", which the SI says for J/(kg*K), is an error here.
"""

import re
from fractions import Fraction
from typing import NamedTuple

from dimflow.errors import UnitParseError, UnitRangeError
from dimflow.units.exponent import Exponent, checked, exact
from dimflow.units.scale import ONE, Scale, irrational

MAX_LENGTH = 2048
MAX_DEPTH = 32
_LONGEST = 6650  # bits of a number: 2,000 digits

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁄ᐟ⸍⋅", "0123456789+-///.")
_LETTER = r"[^\W\d⁰¹²³⁴-⁹]"
_SIGN = "°˚′″'\"%‰‱℧☉⊙⊕♃℃℉∞∆#$€£¥¢¤"
NAME = rf"(?:{_LETTER}|[{_SIGN}])(?:[^\W⁰¹²³⁴-⁹]|[{_SIGN}])*+"
_NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"

# Characters that stand for one another, each written as our definitions write it. Python itself
# turns the first four into others of them when they stand in an identifier (NFKC).
_SAME = str.maketrans(
    {
        "\u03bc": "\u00b5",  # Greek mu to the micro sign
        "\u2126": "\u03a9",  # the ohm sign to Greek Omega
        "\u212b": "\u00c5",  # the angstrom sign to the letter
        "\u212a": "K",  # the kelvin sign
        "\u2103": "°C",
        "\u2109": "°F",
        "\u00ba": "°",  # the masculine ordinal, on many keyboards
        "\u02da": "°",  # the ring above
        "\u2206": "Δ",  # the increment sign
        "#": "count",  # #/cm3
        **{chr(0x2080 + digit): str(digit) for digit in range(10)},  # inH₂O
    }
)

_TOKEN = re.compile(
    rf"""(?P<name>{NAME}) (?:(?P<glued>[+\-−][0-9]+)(?![0-9]|[./][0-9]))?
      |  (?P<number>{_NUMBER})
      |  (?P<superscript>[⁺⁻]?[⁰¹²³⁴-⁹]+(?:[⁄ᐟ⸍⋅][⁰¹²³⁴-⁹]+)?)
      |  (?:\*\*|\^) [ ]* (?: (?P<exponent>[+\-−]?{_NUMBER})
                                 |   [({{] [ ]* (?P<top>[+\-−]?{_NUMBER})
                                     (?:[ ]*/[ ]*(?P<bottom>[0-9]+))? [ ]* [)}}] )
      |  (?P<raise>\*\*|\^)
      |  (?P<times>[*·⋅×∙•.])
      |  (?P<hyphen>[\-‐‑](?=[^\W\d]|[°%√]))
      |  (?P<radical>√)
      |  (?P<over>[/÷∕⁄])
      |  (?P<left>\() | (?P<right>\))
      |  (?P<space>[ \t\u00a0\u2009\u202f]+)
    """,
    re.VERBOSE,
)
# 10*9 is a billion in UCUM and ninety to a computer.
# Laboratories count 10E9/L, which is ten times as many to a computer.
_TEN = re.compile(r"10\*(?=[+-]?[0-9]{1,2}(?![0-9.]))|10[eE](?=\+?[0-9]{1,2}[ ]*/)")
# A number in parentheses set against a name is its exponent, as FITS writes it: m(1/2), s(-2).
_AGAINST = re.compile(r"\((?P<top>[+\-−]?[0-9]+)(?:/(?P<bottom>[0-9]+))?\)")
# m^1/2 is m/2 to a computer and the root to its user.
AND_DIVISOR = re.compile(r" ?/ ?([2-9])(?![\w.^]|\*\*)")
_FACTORS = re.compile(r"(?:[^/()*×]|\*\*)+")  # to the next operator
_WORDS = re.compile(r"(?:(?! per\b)[^/()])+")  # in words, to the next divisor
_FEET = re.compile(r"([0-9.]+)\s*['′]\s*$")
_POINTS = "·⋅∙•."
_NUMBERS = {"pi": "pi", "π": "pi", "ln2": "ln2", "ln10": "ln10"}
# The commonest texts, read by one expression: names with whole exponents, single operators and
# parentheses that hold no others. Every character it takes is in one of its groups.
_SIMPLE = re.compile(
    rf"""([*/· ]?) (\(?) ({_LETTER}+)
         ((?:\*\*|\^)-?[0-9]{{1,4}}(?![0-9.eE]) | -[0-9]{{1,4}}(?![0-9.]) | ⁻?[¹²³⁴-⁹])? (\)?)
    """,
    re.VERBOSE,
)
BEFORE = {"square": 2, "sq": 2, "cubic": 3, "cu": 3}
_AFTER = {"squared": 2, "cubed": 3}
AFTER = tuple(_AFTER)
ONES = ("dimensionless", "unitless")  # the unit of pure numbers, in words
WORDS = frozenset({"per", "sqrt", *_NUMBERS, *BEFORE, *_AFTER, *ONES})


def _powers() -> dict[str, int]:
    """Small exponents as they are written: **2, ^-1, -1, ⁻²."""
    written = {"": 1}
    signs = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
    for n in range(-9, 10):
        for text in (f"**{n}", f"^{n}", str(n).translate(signs), *([str(n)] if n < 0 else [])):
            written[text] = n
    return written


_POWERS = _powers()


def canonical(name: str) -> str:
    """A name in the characters that definitions are written in."""
    return name if name.isascii() and "#" not in name else name.translate(_SAME)


class Term(NamedTuple):
    """One name in a product, where it stood, and the power it is raised to."""

    name: str
    exponent: Exponent
    position: int


class Product(NamedTuple):
    """What a text says: an exact number times named units."""

    factor: Scale
    terms: tuple[Term, ...]
    behind: frozenset[int] = frozenset()  # where an implied product goes on behind a stroke


class _Group:
    """An open parenthesis: what it holds so far and how it joins what stands before it."""

    __slots__ = (
        "before", "factor", "function", "goes_on", "is_behind", "is_divided", "is_number",
        "last", "position", "sign", "terms", "turn",
    )  # fmt: skip

    def __init__(
        self, sign: int, before: int, function: Exponent, position: int, is_behind: bool = False
    ) -> None:
        self.sign = sign  # of the whole group in its surroundings: -1 after a slash
        self.before = before  # from a leading "square" or "cubic"
        self.function = function  # 1/2 for sqrt
        self.position = position
        self.factor = ONE
        self.terms: list[Term] = []
        # the last factor, which may still get an exponent, and its sign
        self.last: tuple[Scale, tuple[Term, ...], int] | None = None
        self.turn = 1  # the sign of the factor before, which a hyphen goes on with
        self.is_number = False  # the factor before
        self.is_divided = False  # by a unit, and no asterisk stands behind it
        self.is_behind = is_behind  # an implied factor of its surroundings, behind a stroke
        self.goes_on = False  # so is the last factor, in the group


def parse(text: str) -> Product:
    """Read a text, or raise UnitParseError with the position of what is wrong."""
    if len(text) > MAX_LENGTH:
        raise UnitParseError(
            text[:MAX_LENGTH], 0, f"a unit text of {len(text):,} characters is too long",
            f"texts of up to {MAX_LENGTH:,} characters are read",
        )  # fmt: skip
    try:
        return _simple(text) or _Reader(text).read()
    except UnitRangeError as error:
        raise UnitParseError(text, 0, error.problem, error.hint) from None


def _simple(text: str) -> Product | None:
    """The product, if the text is of the commonest form; what it gives is what `_Reader` gives."""
    terms: list[Term] = []
    position = 0
    group = 0  # the sign of the open parenthesis
    is_divided = outer = False
    for operator, opening, name, power, closing in _SIMPLE.findall(text):
        if name in WORDS or bool(operator) is not bool(position):
            return None
        sign = -1 if operator == "/" else 1
        if operator == "/" or operator == "*":
            is_divided = sign < 0
        elif operator and is_divided:
            return None
        position += len(operator)
        if opening:
            outer, is_divided = is_divided, False
            if group:
                return None
            group, sign = sign, 1
            position += 1
        if group < 0:
            sign = -sign
        exponent = _POWERS.get(power)
        if exponent is None:
            exponent = int(power.lstrip("*^"))
        terms.append(Term(name, sign * exponent, position))
        position += len(name) + len(power)
        if closing:
            if not group:
                return None
            group = 0
            is_divided = outer
            position += 1
    return Product(ONE, tuple(terms)) if terms and position == len(text) and not group else None


class _Reader:
    """The state of one pass over one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.groups = [_Group(1, 1, 1, 0)]
        self.sign: int | None = None  # +1 after "*", -1 after "/", None if no operator is open
        self.is_point = False  # the operator that is open
        self.behind: list[int] = []
        self.before = 1
        self.root: Exponent | None = None
        self.is_radical = False  # √, which needs no parenthesis
        self.operator_at = 0
        self.over_at = 0  # the last slash, or "per"
        self.name_end = -1  # of the name just read, if nothing is set against it
        self.end = -1  # of what was read before a space

    def fail(self, position: int, problem: str, hint: str | None = None) -> UnitParseError:
        return UnitParseError(self.text, position, problem, hint)

    def read(self) -> Product:
        text, match, position, end = self.text, _TOKEN.match, 0, len(self.text)
        while position < end:
            token = match(text, position)
            if token is None:
                raise self._unreadable(position)
            kind = token.lastgroup
            if kind == "name" or kind == "glued":
                self._name(token)
            elif kind == "times" or kind == "over":
                self._operator(1 if kind == "times" else -1, position)
            elif kind == "hyphen":
                self._operator(self.groups[-1].turn, position)
            elif kind == "radical":
                self._radical(position)
            elif kind == "exponent" or kind == "top" or kind == "bottom":
                self._exponent(_written_exponent(self, token), position)
            elif kind == "raise":
                raise self.fail(position, "an exponent must be a number or a fraction like (1/2)")
            elif kind == "number":
                if _TEN.match(text, position):
                    raise self._ambiguous_ten(position)
                self._refuse_number(token)
                self._value(_number(self, token["number"], position), (), position)
            elif kind == "superscript":
                power = _superscript(self, token["superscript"], position)
                self._exponent(power, position)
            elif kind == "left":
                against = _AGAINST.match(text, position)
                if against is not None and text[:position].endswith("10"):
                    raise self._ambiguous_ten(position - 2)
                if against is None or position != self.name_end:
                    self._open(position)
                else:
                    token = against
                    self._exponent(_against_name(self, against), position)
            elif kind == "right":
                self._close(position)
            position = token.end()  # a space asks for nothing
            if kind != "space":
                self.end = position
        self._complete()
        if len(self.groups) > 1:
            raise self.fail(self.groups[-1].position, "this parenthesis is never closed")
        group = self.groups[0]
        self._flush(group)
        number = group.factor
        if number.numerator.bit_length() + number.denominator.bit_length() > _LONGEST:
            raise self.fail(0, "the number of this unit is too long")  # to be read as it is printed
        return Product(group.factor, tuple(group.terms), frozenset(self.behind))

    def _name(self, token: re.Match[str]) -> None:
        name, position = token["name"], token.start()
        if name not in WORDS:
            self.name_end = token.end()
            self._value(ONE, (Term(name, 1, position),), position)
        elif name == "per":
            self._operator(-1, position)
        elif name in BEFORE:
            self.before *= BEFORE[name]
            self.operator_at = position
            if token["glued"]:
                raise self.fail(position, f"{name!r} has no exponent")
        elif name in _AFTER:
            self._exponent(_AFTER[name], position)
        elif name in ONES:
            self._value(ONE, (), position)
        elif name == "sqrt":
            self.root, self.is_radical = Fraction(1, 2), False
            self.operator_at = position
        else:
            self._value(irrational(_NUMBERS[name]), (), position)
        if token.lastgroup == "glued" and self.groups[-1].last:
            glued = int(token["glued"].replace("−", "-")) if len(token["glued"]) < 12 else 10**12
            self._exponent(checked(glued), position)

    def _value(self, factor: Scale, terms: tuple[Term, ...], position: int) -> None:
        if self.root is not None:
            if not self.is_radical:
                raise self.fail(position, "sqrt needs a parenthesis")
            factor, terms = _raised(factor, terms, self.root)
            self.root = None
        group = self.groups[-1]
        if terms:
            self._refuse_divisor(group, position)
        self._flush(group)
        if self.before != 1:
            factor, terms = _raised(factor, terms, self.before)
            self.before = 1
        self._goes_on(group, factor, terms, self.sign or 1, self._is_behind(group))
        self.sign = None

    def _is_behind(self, group: _Group) -> bool:
        """Whether what comes next is multiplied by no asterisk, and stands behind a stroke."""
        return group.is_divided and (self.sign is None or (self.sign > 0 and self.is_point))

    def _goes_on(
        self, group: _Group, factor: Scale, terms: tuple[Term, ...], sign: int, is_behind: bool
    ) -> None:
        group.last = factor, terms, sign
        group.turn = sign
        group.is_number = not terms and factor is not ONE
        group.is_divided = group.is_divided or (sign < 0 and bool(terms))
        group.goes_on = is_behind

    def _radical(self, position: int) -> None:
        if self.root is not None:
            raise self.fail(position, "two operators stand side by side")
        if self.sign is None and self.groups[-1].turn < 0:
            raise self.fail(
                position,
                "what stands before this root could be meant in two ways",
                "write V/(m √Hz), or (V/m)*√Hz",
            )
        self.root, self.is_radical = Fraction(1, 2), True
        self.operator_at = position

    def _refuse_divisor(self, group: _Group, position: int) -> None:
        """L/100 km and W/m²K: nobody means L/100 times km, or W/m² times K.

        Nor does watt per metre kelvin mean W/m times K to whoever writes words.
        """
        if group.turn > 0 or (self.sign is not None and not (self.is_point and self.sign > 0)):
            return
        place = position if self.before == 1 else self.operator_at
        is_against = self.sign is None and position == self.end
        is_word = self.sign is None and self.text.startswith("per", self.over_at)
        if is_against or is_word:
            problem = "what stands against this divisor could be meant in two ways"
            raise self.fail(place, problem, self._divided(place))
        if group.is_number and group.terms:
            problem = "what is divided by this number could be meant in two ways"
            raise self.fail(place, problem, self._divided(place))

    def _divided(self, position: int) -> str:
        """Both readings of a divisor that something stands behind: W/(m² K), or (W/m²)*K."""
        text, slash, blank = self.text, self.over_at, " " + _POINTS
        start = self.groups[-1].position + 1 if len(self.groups) > 1 else 0
        is_word = text.startswith("per", slash)
        factor = (_WORDS if is_word else _FACTORS).match(text, position)
        end = factor.end() if factor else len(text)
        below = slash + (3 if is_word else 1)
        inside = f"{text[below:position].strip(blank)} {text[position:end]}"
        return (
            f"write {text[:below].strip()}({inside}){text[end:]}, "
            f"or {text[:start]}({text[start:position].strip(blank)})*{text[position:]}"
        )

    def _refuse_number(self, token: re.Match[str]) -> None:
        """m1.5, m.10 and MPa m 1/2: a number behind a unit that may be an exponent."""
        text, position, number = self.text, token.start(), token["number"]
        last = self.groups[-1].last
        if self.sign is not None or last is None or not last[1]:
            return
        before, rest = text[:position].rstrip(), text[token.end() :]
        divisor = AND_DIVISOR.match(rest) if number.isdigit() else None
        feet = _FEET.search(before) if rest.lstrip()[:1] in ('"', "″") else None
        if position == self.name_end and number[0] == ".":
            bare = before.rstrip("0123456789")
            power = before[len(bare) :]
            one = f"{bare}^({power}{number})" if power else f"{before}*{number[1:]}"
            other = f"{before}*0{number}"
        elif divisor is not None:
            one, other = f"{before}^({number}/{divisor[1]})", f"{before}*{number}/{divisor[1]}"
            rest = rest[divisor.end() :]
        elif feet is not None and "°" not in before:
            one, other = f"{feet[1]} ft {number} in", f"{feet[1]} arcmin {number} arcsec"
            rest = ""
        elif text[position - 1] == ")":  # (m/s2)2/Hz
            one, other = f"{before}**{number}", f"{before}*{number}"
        else:
            return
        problem = "this number could be meant in two ways"
        raise self.fail(position, problem, f"write {one}{rest}, or {other}{rest}")

    def _ambiguous_ten(self, position: int) -> UnitParseError:
        power = re.match(r"([+-]?[0-9]+)\)?", self.text[position + 3 :])
        assert power is not None
        before, rest = self.text[:position], self.text[position + 3 + power.end() :]
        n = int(power[1]) if self.text[position + 2] in "eE" else None
        other = 10 * int(power[1]) if n is None else f"1e{n + 1}"
        hint = f"write {before}1e{power[1]}{rest}, or {before}{other}{rest}"
        return self.fail(position, "this number could be meant in two ways", hint)

    def _exponent(self, power: Exponent, position: int) -> None:
        group = self.groups[-1]
        if group.last is None or self.sign is not None or self.before != 1:
            raise self.fail(position, "this exponent has nothing to raise")
        factor, terms, sign = group.last
        self._flush_raised(group, factor, terms, sign, power)

    def _operator(self, sign: int, position: int) -> None:
        group = self.groups[-1]
        empty = group.last is None and not group.terms and group.factor is ONE
        if self.sign is not None or self.before != 1 or self.root is not None:
            raise self.fail(position, "two operators stand side by side")
        if empty and sign == 1:
            raise self.fail(position, "a unit cannot begin with an operator")
        self.sign = sign
        mark = self.text[position]
        self.is_point = mark in _POINTS
        if mark in "*×":
            group.is_divided = False
        self.operator_at = position
        self.over_at = position if sign < 0 else self.over_at

    def _open(self, position: int) -> None:
        if len(self.groups) > MAX_DEPTH:
            raise self.fail(position, f"parentheses are nested more than {MAX_DEPTH} deep")
        group = self.groups[-1]
        if group.is_number:
            self._refuse_divisor(group, position)
        self._flush(group)
        root = self.root if self.root is not None else 1
        is_behind = self._is_behind(group)
        self.groups.append(_Group(self.sign or 1, self.before, root, position, is_behind))
        self.sign, self.before, self.root = None, 1, None

    def _close(self, position: int) -> None:
        self._complete()
        if len(self.groups) == 1:
            raise self.fail(position, "this parenthesis was never opened")
        group = self.groups.pop()
        self._flush(group)
        if not group.terms and group.factor is ONE and position == group.position + 1:
            raise self.fail(group.position, "these parentheses are empty")
        factor, terms = _raised(group.factor, tuple(group.terms), group.before * group.function)
        self._goes_on(self.groups[-1], factor, terms, group.sign, group.is_behind)

    def _complete(self) -> None:
        if self.sign is not None or self.before != 1 or self.root is not None:
            raise self.fail(self.operator_at, "a unit is missing after this")

    def _flush(self, group: _Group) -> None:
        """Move the last factor, which can get no exponent any more, into the group."""
        if group.last is not None:
            self._flush_raised(group, *group.last, 1)

    def _flush_raised(
        self, group: _Group, factor: Scale, terms: tuple[Term, ...], sign: int, power: Exponent
    ) -> None:
        factor, raised = _raised(factor, terms, sign * power)
        if group.goes_on:
            self.behind += [term.position for term in raised if term.exponent > 0]
        group.factor = group.factor * factor
        group.terms += raised
        group.last = None

    def _unreadable(self, position: int) -> UnitParseError:
        character = self.text[position]
        if character in "+-−":
            return self.fail(
                position,
                "units are multiplied and divided, not added or subtracted",
                "write negative exponents as m**-1, m^-1 or m-1, and fractions as m^(-1/2)",
            )
        if character in "[{<\\$":
            return self.fail(
                position,
                f"{character!r} has no meaning here",
                "UCUM codes are read by ucum=True, LaTeX and HTML by style='latex', style='html'",
            )
        return self.fail(position, f"the character {character!r} has no meaning in a unit")


def _raised(
    factor: Scale, terms: tuple[Term, ...], power: Exponent
) -> tuple[Scale, tuple[Term, ...]]:
    if power == 1:
        return factor, terms
    return factor**power, tuple(Term(n, checked(e * power), p) for n, e, p in terms)


def _number(reader: _Reader, text: str, position: int) -> Scale:
    try:
        value: Exponent = int(text) if text.isdigit() and len(text) < 16 else exact(text)
    except UnitRangeError:
        raise reader.fail(position, "this number is too long") from None
    if not value:
        raise reader.fail(position, "a unit cannot be zero")
    return Scale(value)


def _superscript(reader: _Reader, text: str, position: int) -> Exponent:
    top, _, bottom = text.translate(_SUPERSCRIPTS).partition("/")
    if len(text) > 24 or (bottom and not int(bottom)):
        raise reader.fail(position, "this exponent is out of range")
    return checked(Fraction(top) / int(bottom or 1))


def _written_exponent(reader: _Reader, token: re.Match[str]) -> Exponent:
    top = (token["exponent"] or token["top"]).replace("−", "-")
    bottom = token["bottom"] or "1"
    if len(top) > 24 or len(bottom) > 12 or "e" in top.lower():
        raise reader.fail(token.start(), "this exponent is out of range")
    if not int(bottom):
        raise reader.fail(token.start(), "this exponent divides by zero")
    if bottom == "1" and "." not in top:
        divisor = AND_DIVISOR.match(reader.text, token.end()) if token["exponent"] else None
        if divisor is not None:
            last = reader.groups[-1].last
            name = last[1][-1].name if last and last[1] else "m"
            hint = f"write {name}^({top}/{divisor[1]}), or {name}^({top})/{divisor[1]}"
            raise reader.fail(token.start(), "this exponent could be meant in two ways", hint)
        return checked(int(top))
    return checked(Fraction(top) / int(bottom))


def _against_name(reader: _Reader, token: re.Match[str]) -> Exponent:
    top, bottom = token["top"].replace("−", "-"), token["bottom"] or "1"
    if len(top) > 12 or len(bottom) > 12 or not int(bottom):
        raise reader.fail(token.start(), "this exponent is out of range")
    return checked(Fraction(int(top), int(bottom)))
