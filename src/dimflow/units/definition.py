"""One line of a definitions file: how a unit or a prefix is written down as data.

    # a comment
    @family US customary length            what the units below have in common
    @source NIST Handbook 44 (2024)        where their numbers come from
    @ambiguous Mb = megabit, megabarn      a string that people read in two ways: an error
    @ambiguous A in eV/A, 1/A = ampere, angstrom    a symbol that is doubtful in these products
    kilo- = 1e3 = k-                       a prefix
    metre = [length]; prefix: si = m = meter
    inch = 2.54 centimetre = in = inches
    degree_Fahrenheit = 5/9 kelvin; offset: 45967/180 = °F, degF
    decibel_milliwatt = milliwatt; logbase: 10; logfactor: 10 = dBm

    name = definition [; key: value]... [= symbol[, symbol]... [= other name]...]

The grammar is that of pint's files, with more keys and with several symbols in one field. The first
symbol is shown in Unicode style, the first one in ASCII in plain style; `_` stands for none.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import local
from typing import NamedTuple

from dimflow.errors import UnitDefinitionError, UnitParseError, UnitRangeError
from dimflow.units.exponent import exact
from dimflow.units.grammar import MAX_LENGTH, NAME, WORDS, canonical, parse
from dimflow.units.meaning import Affine, Law, Logarithmic
from dimflow.units.scale import Scale

_NAME = re.compile(NAME)
_LAW_KEYS = ("offset", "logbase", "logfactor", "field", "kind")
_NO_KEYS: dict[str, str] = {}  # of all definitions without any
_KEYS = {"prefix", "ucum", "binary", "cf", "counts", *_LAW_KEYS}
_PREFIXING = {"si", "binary", "none"}
_LARGEST_FILE = 1 << 22
_BASES = {"e": 0, "2": 2, "10": 10}


class Definition:
    """What one line says, unparsed beyond its fields."""

    __slots__ = ("aliases", "expression", "family", "keys", "name", "source", "symbols")

    name: str
    expression: str
    symbols: tuple[str, ...]
    aliases: tuple[str, ...]
    keys: dict[str, str]
    family: str
    source: str

    def __eq__(self, other: object) -> bool:
        """Whether both say the same, wherever they stand."""
        if not isinstance(other, Definition):
            return NotImplemented
        return self.spellings == other.spellings and (self.expression, self.keys) == (
            other.expression,
            other.keys,
        )

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"<Definition {self.text}>"

    @property
    def text(self) -> str:
        """Name, value and law as a line of a file has them."""
        keys = (f"{k}: {v}" if v else k for k, v in self.keys.items() if k in _LAW_KEYS)
        return "; ".join([f"{self.name} = {self.expression}", *keys])

    @property
    def spellings(self) -> tuple[str, ...]:
        """Everything it may be called, plurals and prefixes aside."""
        return (self.name, *self.symbols, *self.aliases)

    @property
    def symbol(self) -> str:
        """The first symbol in ASCII, or the name if there is none."""
        return next((s for s in self.symbols if s.isascii()), self.name)

    @property
    def pretty(self) -> str:
        """The first symbol, whatever its characters, or the name if there is none."""
        return self.symbols[0] if self.symbols else self.name

    @property
    def prefixing(self) -> str:
        """Which prefixes it takes: 'si', 'binary' (and SI), 'none', or '' for long forms only."""
        return self.keys.get("prefix", "")

    @property
    def takes_symbols(self) -> bool:
        """Whether symbols of prefixes go with its symbols: km, but not the kilofoot as kft."""
        return bool(self.symbols) and self.prefixing in ("si", "binary")

    @property
    def ucum(self) -> str | None:
        """Its UCUM code."""
        return self.keys.get("ucum")

    @property
    def law(self) -> Law:
        """The law that the keys state."""
        keys = self.keys
        try:
            if "logbase" in keys or "logfactor" in keys or "field" in keys:
                base, factor = _BASES[keys["logbase"]], exact(keys["logfactor"])
                if factor:
                    return Logarithmic(base, factor, "field" in keys, keys.get("kind", ""))
                raise KeyError
            if "offset" in keys:
                return Affine(exact(keys["offset"]))
        except (KeyError, UnitRangeError):
            raise UnitDefinitionError(
                self.text,
                f"the keys of {self.name!r} do not state a law",
                "offset: NUMBER, or logbase: 2, 10 or e with logfactor: NUMBER",
            ) from None
        return None


class Ambiguity(NamedTuple):
    """A string that is an error, because people mean different units by it."""

    name: str
    readings: tuple[str, ...]


class Prefix(NamedTuple):
    """A prefix: its names, its number, and whether it is a binary one."""

    name: str
    symbols: tuple[str, ...]
    aliases: tuple[str, ...]
    scale: Scale
    is_binary: bool

    @property
    def symbol(self) -> str:
        """The first symbol in ASCII, or the name if there is none."""
        return next((s for s in self.symbols if s.isascii()), self.name)


class Resolved(NamedTuple):
    """What a name stands for: a definition, with a prefix or without, or its difference unit."""

    definition: Definition
    prefix: Prefix | None = None
    is_delta: bool = False


def read_file(path: Path) -> str:
    """The text of a definitions file, in UTF-8."""
    content = path.read_bytes()
    if len(content) > _LARGEST_FILE:
        raise UnitDefinitionError(path.name, f"a file of {len(content):,} bytes is too large")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnitDefinitionError(path.name, f"the file is not in UTF-8: {error}") from None


def read(text: str, *, family: str = "", source: str = "") -> Iterator["Definition | Ambiguity"]:
    """The definitions in a text of many lines."""
    for line in text.splitlines():
        line = line.partition("#")[0].strip() if "#" in line else line.strip()
        if not line:
            continue
        if line[0] == "@":
            word, _, rest = line.partition(" ")
            if word == "@family":
                family, source = rest.strip(), ""
            elif word == "@source":
                source = rest.strip()
            elif word == "@ambiguous" and "=" in rest:
                names, _, readings = rest.partition("=")
                letter, is_in, products = names.partition(" in ")
                for name in products.split(",") if is_in else [letter]:
                    whole = f"{letter} in {name.strip()}" if is_in else name.strip()
                    yield Ambiguity(whole, tuple(r.strip() for r in readings.split(",")))
            else:
                hint = "lines with @ are @family, @source and @ambiguous NAME = UNIT, UNIT"
                raise UnitDefinitionError(line, f"{word} is not understood", hint)
        else:
            yield read_line(line, family, source)


def read_line(line: str, family: str = "", source: str = "") -> Definition:
    """The definition in one line."""
    if len(line) > MAX_LENGTH:
        raise UnitDefinitionError(line, f"a definition of {len(line):,} characters is too long")
    fields = line.split(" = ") if " = " in line else line.split("=")
    if len(fields) < 2:
        raise UnitDefinitionError(line, "a definition needs a name, '=' and a value")
    definition = Definition()
    definition.name = canonical(fields[0].strip())
    expression, *options = fields[1].split(";")
    definition.expression = expression.strip()
    definition.keys = _keys(line, options) if options else _NO_KEYS
    symbols = fields[2].strip() if len(fields) > 2 else "_"
    names = [] if symbols == "_" else symbols.split(",")
    definition.symbols = tuple(canonical(s.strip()) for s in names)
    definition.aliases = tuple(canonical(s.strip()) for s in fields[3:])
    definition.family = family
    definition.source = source
    return definition


def check_name(name: str, definition: str, longest: int = 100) -> None:
    """Raise if a name could not be read in a text of units."""
    if not _NAME.fullmatch(name) or len(name) > longest or name in WORDS:
        raise UnitDefinitionError(
            definition,
            f"{name[:100]!r} cannot be the name of a unit",
            "names are letters, digits and underscores, and do not begin with a digit; "
            "words of the grammar such as 'per' are taken",
        )


def check(definition: Definition) -> None:
    """Raise if a name could not be written in a unit text, or a key is not known."""
    is_prefix = definition.name.endswith("-")
    for spelling in definition.spellings:
        bare = spelling[:-1] if is_prefix and spelling.endswith("-") else spelling
        if is_prefix and bare == spelling:
            raise UnitDefinitionError(
                definition.text,
                f"{spelling!r} is no prefix",
                "prefixes are written with a hyphen: k-",
            )
        check_name(bare, definition.text, 24 if is_prefix else 100)
    if not definition.expression:
        raise UnitDefinitionError(definition.text, f"{definition.name!r} is given no value")
    if definition.prefixing and definition.prefixing not in _PREFIXING:
        raise UnitDefinitionError(
            definition.text, f"prefix: {definition.prefixing!r} is not one of si, binary, none"
        )


def prefix_of(definition: Definition) -> Prefix:
    """The prefix that a line defines."""
    try:
        product = parse(definition.expression)
    except UnitParseError as error:
        raise UnitDefinitionError(definition.text, str(error)) from None
    if product.terms:
        raise UnitDefinitionError(definition.text, "a prefix stands for a number")
    return Prefix(
        definition.name[:-1],
        tuple(s[:-1] for s in definition.symbols),
        tuple(s[:-1] for s in definition.aliases),
        product.factor,
        "binary" in definition.keys,
    )


def _keys(line: str, options: list[str]) -> dict[str, str]:
    keys: dict[str, str] = {}
    for option in options:
        key, _, value = option.partition(":")
        if key.strip() not in _KEYS:
            raise UnitDefinitionError(
                line, f"{key.strip()!r} is not a key", "keys: " + ", ".join(sorted(_KEYS))
            )
        keys[key.strip()] = value.strip()
    return keys


def described(known: Resolved | Prefix) -> str:
    """What a name means already, for a message."""
    if isinstance(known, Prefix):
        return f"{known.name}- = {known.scale}"
    prefix = known.prefix.name + "- times " if known.prefix else ""
    return prefix + known.definition.text


def names_in(expression: str) -> set[str]:
    """The units that a definition stands on."""
    return set() if expression[:1] == "[" else {term.name for term in parse(expression).terms}


def check_money(definition: Definition, known: Iterable[Definition]) -> None:
    """Raise if this is a second base unit of money, which would be worth the same as the first."""
    if definition.expression != "[currency]":
        return
    other = next((d for d in known if d.expression == "[currency]"), definition)
    if other.name != definition.name:
        raise UnitDefinitionError(
            definition.text,
            f"money has a base unit already: {other.name}",
            f"say what it is worth: {definition.name} = 1.25 {other.name}",
        )


class _Resolving(local):
    """The definitions being resolved in this thread, to notice a circle."""

    def __init__(self) -> None:
        self.names: list[str] = []


resolving = _Resolving()
