"""UCUM as an oracle: the essence table that ucumvert carries, evaluated here from its XML."""

import csv
import math
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import ucumvert

from tests.units.oracles.reading import Reading, measured

# UCUM has the radian, as we do; bit and byte are 1 and 8.
ERASED = frozenset({"bit"})
VENDOR = Path(ucumvert.__file__).parent / "vendor"
_SPACE = "{http://unitsofmeasure.org/ucum-essence}"
_ATOM = r"(?:\[[^\]]*\]|[^][0-9./(){}+-])(?:\[[^\]]*\]|[^][./(){}+-])*?"
_TOKEN = re.compile(
    r"(?P<annotation>\{[^}]*\})|(?P<operator>[./()])"
    rf"|(?P<symbol>10[*^]|{_ATOM})(?P<power>[+-]?[0-9]+)?(?=[./(){{}}]|$)"
    r"|(?P<number>[0-9]+)"
)


class Value(NamedTuple):
    """A number times powers of base units; for a special unit, the argument of its function."""

    scale: float
    powers: dict[str, float]
    function: str = ""
    prefix: float = 1.0

    def times(self, other: "Value", sign: int) -> "Value":
        if self.function or other.function:
            if other == ONE or (self == ONE and sign == 1):
                return self if other == ONE else other
            raise ValueError("a special unit stands alone")
        powers = dict(self.powers)
        for base, power in other.powers.items():
            powers[base] = powers.get(base, 0) + sign * power
        return Value(self.scale * other.scale**sign, powers)

    def raised(self, power: int) -> "Value":
        if power != 1 and self.function:
            raise ValueError("a special unit has no powers")
        if power == 1:
            return self
        return Value(self.scale**power, {b: p * power for b, p in self.powers.items()})


ONE = Value(1.0, {})
# What a value x in a special unit stands for, in the base units of the function's argument.
_FUNCTIONS: dict[str, Callable[[float, float], float]] = {
    "Cel": lambda x, unit: x * unit + 273.15,
    "degF": lambda x, unit: (x + 459.67) * unit,
    "degRe": lambda x, unit: x * unit + 273.15,
    "pH": lambda x, unit: 10**-x * unit,
    "hpX": lambda x, unit: 10**-x * unit,
    "hpC": lambda x, unit: 100**-x * unit,
    "hpM": lambda x, unit: 1000**-x * unit,
    "hpQ": lambda x, unit: 50000**-x * unit,
    "ln": lambda x, unit: math.exp(x) * unit,
    "lg": lambda x, unit: 10**x * unit,
    "lgTimes2": lambda x, unit: 10 ** (x / 2) * unit,
    "ld": lambda x, unit: 2**x * unit,
}
# The ampere, not the coulomb, is the base unit here, and the mole is a base unit, not a number.
_BASES = {
    "m": Value(1.0, {"m": 1}),
    "s": Value(1.0, {"s": 1}),
    "g": Value(1e-3, {"kg": 1}),
    "rad": Value(1.0, {"rad": 1}),
    "K": Value(1.0, {"K": 1}),
    "C": Value(1.0, {"A": 1, "s": 1}),
    "cd": Value(1.0, {"cd": 1}),
    "mol": Value(1.0, {"mol": 1}),
}


class Entry(NamedTuple):
    """One unit of the table: value times unit, or a function of it."""

    is_metric: bool
    function: str
    value: float
    unit: str


@cache
def _root() -> ElementTree.Element:
    return ElementTree.parse(VENDOR / "ucum-essence.xml").getroot()


@cache
def entries() -> dict[str, Entry]:
    """The units that are not base units, by code."""
    found = {}
    for unit in _root().iter(_SPACE + "unit"):
        function = unit.find(f"{_SPACE}value/{_SPACE}function")
        source = unit.find(_SPACE + "value") if function is None else function
        found[unit.attrib["Code"]] = Entry(
            unit.attrib["isMetric"] == "yes",
            "" if function is None else function.attrib["name"],
            float(source.attrib["value"]),
            source.attrib["Unit"],
        )
    return found


@cache
def prefixes() -> dict[str, float]:
    """The values of the prefixes, by code."""
    return {
        prefix.attrib["Code"]: float(prefix.find(_SPACE + "value").attrib["value"])
        for prefix in _root().iter(_SPACE + "prefix")
    }


@cache
def read(code: str) -> Reading | None:
    """What the table makes of a code; None if the code is none, or is not linear in any way."""
    try:
        value = evaluate(code)
    except (KeyError, ValueError):
        return None
    if not value.function:
        return measured(value.powers, lambda x: x * value.scale)
    if value.function == "sqrt":
        return measured({b: p / 2 for b, p in value.powers.items()}, lambda x: x * value.scale**0.5)
    function = _FUNCTIONS.get(value.function)
    if function is None:
        return None
    return measured(value.powers, lambda x: function(x * value.prefix, value.scale))


def evaluate(code: str) -> Value:
    """The value of a term: KeyError for an unknown symbol, ValueError for bad syntax."""
    result, sign, open_groups = ONE, 1, []
    wants_operand = is_start = True
    for kind, operand in _tokens(code):
        if kind == "{}" and not wants_operand:
            continue  # an annotation of what stands before it
        if kind in ("", "{}", "(") and not wants_operand:
            raise ValueError("two units stand side by side")
        if wants_operand and (kind in (")", ".") or (kind == "/" and not is_start)):
            raise ValueError("a unit is missing")
        if kind == "(":
            open_groups.append((result, sign))
            result, sign = ONE, 1
        elif kind == ")":
            before, outer = open_groups.pop() if open_groups else (None, 1)
            if before is None:
                raise ValueError("a parenthesis was never opened")
            result = before.times(result, outer)
        elif kind in (".", "/"):
            sign, wants_operand = (1 if kind == "." else -1), True
        else:
            result, wants_operand = result.times(operand, sign), False
        is_start = kind == "("
    if open_groups or (wants_operand and code):
        raise ValueError("the code ends too early")
    return result


def _tokens(code: str) -> Iterator[tuple[str, Value]]:
    position = 0
    while position < len(code):
        match = _TOKEN.match(code, position)
        if match is None:
            raise ValueError(f"not a code: {code}")
        position = match.end()
        if match["annotation"]:
            yield "{}", ONE
        elif match["operator"]:
            yield match["operator"], ONE
        elif match["number"]:
            yield "", Value(float(match["number"]), {})
        else:
            yield "", _symbol(match["symbol"]).raised(int(match["power"] or 1))


def symbols(code: str) -> Iterator[str]:
    """The codes of the units in a term, without their prefixes."""
    for match in _TOKEN.finditer(code):
        symbol = match["symbol"]
        if symbol:
            bare = (symbol.removeprefix(prefix) for prefix in prefixes())
            known = symbol in entries() or symbol in _BASES
            yield symbol if known else next((b for b in bare if b in entries()), symbol)


@cache
def _symbol(symbol: str) -> Value:
    if symbol in _BASES:
        return _BASES[symbol]
    if symbol in entries():
        entry = entries()[symbol]
        value = evaluate(entry.unit)
        return Value(entry.value * value.scale, value.powers, entry.function or value.function)
    for prefix, factor in prefixes().items():
        rest = symbol.removeprefix(prefix)
        if rest != symbol and (rest in _BASES or (rest in entries() and entries()[rest].is_metric)):
            value = _symbol(rest)
            if value.function:
                return value._replace(prefix=factor)
            return value._replace(scale=factor * value.scale)
    raise KeyError(symbol)


def spellings() -> list[str]:
    """Every code: those of the base units, and those of the table."""
    return [*dict.fromkeys((*_BASES, *entries()))]


def prefixed() -> Iterator[tuple[str, str]]:
    """Every code with every prefix, and the prefix, where the unit is metric.

    Levels and temperatures have deci, centi and milli alone: a kilobel is beyond floats.
    """
    for code in spellings():
        if code in _BASES or entries()[code].is_metric:
            is_special = code not in _BASES and entries()[code].function
            for prefix in ("d", "c", "m") if is_special else prefixes():
                yield prefix + code, prefix


def examples() -> list[str]:
    """The codes of UCUM's table of examples for electronic messaging."""
    with (VENDOR / "ucum_examples.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [row[1] for row in rows[1:]]
