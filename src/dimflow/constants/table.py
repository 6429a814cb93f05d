"""All constants. Importing this module reads the data, so it is done when one is asked for."""

import math
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from dimflow.constants.constant import Constant
from dimflow.errors import UndefinedConstantError
from dimflow.units.grammar import parse
from dimflow.units.scale import ONE, Scale

_GAPS = re.compile(r"[^0-9A-Za-z]+")
# The solutions of x = 5 (1 - exp(-x)) and x = 3 (1 - exp(-x)), at which Planck's law is highest in
# wavelength and in frequency. To 60 digits, which leaves no doubt which double is nearest to a
# product of them (the tests show it).
WIEN_ROOTS = {
    "wien_wavelength_root": "4.96511423174427630369875913132289394405558498679725097281445",
    "wien_frequency_root": "2.82143937212207889340319133029448519534588174407311409227986",
}
_LONGEST = 80  # characters of an unknown name that are worth a search for near ones


class Row(NamedTuple):
    """What the data say of one constant; a number cut off (`...`) is computed from a definition."""

    name: str
    symbol: str
    number: str
    definition: str
    uncertainty: str  # a number, "exact", "?" (not stated), or "derived" from the definition
    unit: str
    source: str
    aliases: tuple[str, ...]


class Table:
    """Constants by name, symbol and alias; each is made when first asked for, and once."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = {row.name: row for row in rows}
        self.spelled: dict[str, str] = {}  # symbols, aliases and names as identifiers -> name
        self.folded: dict[str, str] = {}  # names as identifiers in lower case -> name
        self._made: dict[str, Constant] = {}
        for row in rows:
            if row.symbol:
                self.spelled[row.symbol] = row.name
            for alias in row.aliases:
                self.spelled[alias] = row.name
            for spelling in identifiers(row.name):
                self.folded[spelling.lower()] = row.name

    def get(self, name: str) -> Constant:
        """The constant of that name, symbol or alias; names may be in any case, with any gaps."""
        key = self._key(name)
        if key is None:
            raise UndefinedConstantError(name, self._near(name))
        # Two threads may both make it; setdefault lets one object win.
        made = self._made.get(key)
        return self._made.setdefault(key, self._make(self.rows[key])) if made is None else made

    def __iter__(self) -> Iterator[Constant]:
        return map(self.get, self.rows)

    def find(self, text: str) -> list[Constant]:
        """The constants whose names hold every word of the text; the nearest match first."""
        words = text.casefold().split()
        ranked: list[tuple[int, str]] = []
        for row in self.rows.values():
            names = [name for name in (row.name, row.symbol, *row.aliases) if name]
            haystack = " ".join(names).casefold()
            if all(word in haystack for word in words):
                rank = 0 if text in names else 1 if row.name.casefold() == text.casefold() else 2
                ranked.append((rank, row.name))
        ranked.sort(key=lambda entry: entry[0])
        return [self.get(name) for _, name in ranked]

    def _key(self, name: str) -> str | None:
        if name in self.rows:
            return name
        return self.spelled.get(name) or self.folded.get(identifiers(name)[-1].lower())

    def _near(self, name: str) -> list[str]:
        if len(name) > _LONGEST:
            return []
        from difflib import get_close_matches

        candidates = {spelling.lower(): spelling for spelling in self.spelled}
        near = get_close_matches(identifiers(name)[-1].lower(), candidates, n=3, cutoff=0.7)
        return [candidates[spelling] for spelling in near]

    def _make(self, row: Row) -> Constant:
        if row.definition:
            return self._derive(row)
        exact = row.uncertainty == "exact"
        stated = row.uncertainty not in ("exact", "?")
        return Constant(
            name=row.name,
            symbol=row.symbol,
            value=float(row.number),
            uncertainty=float(row.uncertainty) if stated else 0.0 if exact else math.nan,
            exact=exact,
            exact_value=Fraction(row.number) if exact else None,
            definition="",
            unit=row.unit,
            source=row.source,
            aliases=row.aliases,
            digits=(row.number, row.uncertainty if stated else ""),
        )

    def _derive(self, row: Row) -> Constant:
        exact, measured = self._expand(row.definition)
        number, relative = exact, 0.0
        for name, power in measured.items():
            number = number * Scale(self.rows[name].number) ** power
            relative = math.hypot(relative, power * self.get(name).relative_uncertainty)
        value = float(number)  # the only rounding
        is_rational = number.is_rational and not measured and "wien" not in row.definition
        return Constant(
            name=row.name,
            symbol=row.symbol,
            value=value,
            uncertainty=relative * value,
            exact=not relative,
            exact_value=number.fraction if is_rational else None,
            definition=row.definition,
            unit=row.unit,
            source=row.source,
            aliases=row.aliases,
            digits=_rounded(value, relative * value),
        )

    def _expand(self, definition: str) -> tuple[Scale, dict[str, int]]:
        """What is exact in a definition, as a number; what is measured, by name and power."""
        product = parse(definition)
        number, measured = product.factor, dict[str, int]()
        for name, exponent, _ in product.terms:
            factor, names = self._factor(name)
            power = int(exponent)
            number = number * factor**power
            for other, n in names.items():
                measured[other] = measured.get(other, 0) + n * power
        return number, {name: power for name, power in measured.items() if power}

    def _factor(self, name: str) -> tuple[Scale, dict[str, int]]:
        if name in WIEN_ROOTS:
            return Scale(WIEN_ROOTS[name]), {}
        row = self.rows[self.spelled[name]]
        if row.definition:
            return self._expand(row.definition)
        return (Scale(row.number), {}) if row.uncertainty == "exact" else (ONE, {row.name: 1})


def identifiers(name: str) -> list[str]:
    """`electron mag. mom.` as `electron_mag_mom` and, written out, `electron_magnetic_moment`."""
    spellings = [name]
    if "mag." in name or "mom." in name:
        spellings.append(name.replace("mag.", "magnetic").replace("mom.", "moment"))
    return [_GAPS.sub("_", text.replace("/", " per ")).strip("_") for text in spellings]


def _codata_rows() -> list[Row]:
    symbols = {name: (symbol, names) for name, symbol, names in map(_fields, _lines("symbols.txt"))}
    definitions = dict(line.split(" = ", 1) for line in _lines("definitions.txt"))
    rows = []
    for name, number, uncertainty, unit in map(_fields, _lines("codata2022.txt")):
        symbol, names = symbols.get(name, ("", ""))
        definition = definitions.get(name, "")
        aliases = _aliases(name, names)
        source = "CODATA 2022"
        rows.append(Row(name, symbol, number, definition, uncertainty, unit, source, aliases))
    return rows


def _iau_rows() -> list[Row]:
    rows, source = [], ""
    for line in _lines("iau.txt"):
        if line.startswith("@source "):
            source = line.removeprefix("@source ")
            continue
        symbol, name, value, uncertainty, unit, names = _fields(line)
        number, definition = ("", value) if uncertainty == "derived" else (value, "")
        aliases = _aliases(name, names)
        rows.append(Row(name, symbol, number, definition, uncertainty, unit, source, aliases))
    return rows


def _lines(file: str) -> list[str]:
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def _fields(line: str) -> list[str]:
    return [field.strip() for field in line.split("|")]


def _aliases(name: str, names: str) -> tuple[str, ...]:
    return (*names.split(), *identifiers(name))


def _rounded(value: float, uncertainty: float) -> tuple[str, str]:
    """Both as text, to two digits of the uncertainty."""
    if not uncertainty:
        return repr(value), ""
    from decimal import Decimal

    sigma = Decimal(f"{uncertainty:.1e}")
    return f"{Decimal(value).quantize(sigma):e}".replace("e+", "e"), str(sigma)


TABLE = Table([*_codata_rows(), *_iau_rows()])
