"""UCUM as an oracle: its essence table, evaluated here from the definitions of its XML.

ucumvert carries the table; its own conversion through pint is not used.
"""

import csv
import math
import re
from collections.abc import Callable
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
_TOKEN = re.compile(
    r"(?P<annotation>\{[^}]*\})|(?P<symbol>10[*^]|(?:\[[^\]]*\]|[^][0-9./(){}+-])"
    r"(?:\[[^\]]*\]|[^][./(){}+-])*?(?:\[[^\]]*\])?)(?P<power>[+-]?[0-9]+)?(?=[./(){}]|$)"
    r"|(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|(?P<operator>[./()])"
)
# What a special unit of value x stands for, as a multiple of the unit in the function's argument.
_FUNCTIONS: dict[str, Callable[[float, float], float]] = {
    "Cel": lambda x, unit: x + 273.15,
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


class Value(NamedTuple):
    """A number times powers of base units, and the function of a special unit."""

    scale: float
    powers: dict[str, float]
    function: str = ""
    prefix: float = 1.0

    def joined(self, other: "Value", sign: int) -> "Value":
        powers = dict(self.powers)
        for base, power in other.powers.items():
            powers[base] = powers.get(base, 0) + sign * power
        return Value(self.scale * other.scale**sign, powers, self.function + other.function)


class Entry(NamedTuple):
    """One unit of the table."""

    code: str
    names: tuple[str, ...]
    is_metric: bool
    function: str
    value: float
    unit: str


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


@cache
def entries() -> dict[str, Entry]:
    """The units by code."""
    found = {}
    for unit in _root().iter(_SPACE + "unit"):
        value = unit.find(_SPACE + "value")
        function = value.find(_SPACE + "function")
        source = value if function is None else function
        code = unit.attrib["Code"]
        found[code] = Entry(
            code,
            tuple(e.text.strip() for e in unit.iter(_SPACE + "name") if e.text),
            unit.attrib["isMetric"] == "yes",
            "" if function is None else function.attrib["name"],
            float(source.attrib["value"]),
            source.attrib["Unit"],
        )
    return found


@cache
def prefixes() -> dict[str, float]:
    """The prefixes by code."""
    return {
        prefix.attrib["Code"]: float(prefix.find(_SPACE + "value").attrib["value"])
        for prefix in _root().iter(_SPACE + "prefix")
    }


@cache
def _root() -> ElementTree.Element:
    return ElementTree.parse(VENDOR / "ucum-essence.xml").getroot()


def read(code: str) -> Reading | None:
    """What the table makes of a code; None if the code is not one, or has no value of its own."""
    try:
        value = evaluate(code)
    except (KeyError, ValueError):
        return None
    if not value.function:
        return measured(value.powers, lambda x: x * value.scale)
    function = _FUNCTIONS.get(value.function)
    if function is None:
        return None
    return measured(value.powers, lambda x: function(x * value.prefix, value.scale))


def evaluate(code: str) -> Value:
    """The value of a term: KeyError for an unknown symbol, ValueError for bad syntax."""
    tokens = _tokens(code)
    result, sign, stack = Value(1.0, {}), 1, []
    needs_operand = True
    if tokens and tokens[0][0] == "/":
        sign, tokens = -1, tokens[1:]
    for kind, operand in tokens:
        if kind == "(":
            if not needs_operand:
                raise ValueError(code)
            stack.append((result, sign))
            result, sign = Value(1.0, {}), 1
        elif kind == ")":
            if needs_operand or not stack:
                raise ValueError(code)
            inner = result
            result, sign = stack.pop()
            result = result.joined(inner, sign)
        elif kind in "./" and kind:
            if needs_operand:
                raise ValueError(code)
            sign, needs_operand = (1 if kind == "." else -1), True
        else:
            if not needs_operand:
                raise ValueError(code)
            result = result.joined(operand, sign) if result.powers or result.scale != 1 or (
                sign == -1) else operand
            needs_operand = False
    if stack or (needs_operand and code):
        raise ValueError(code)
    return result


def _tokens(code: str) -> list[tuple[str, Value]]:
    tokens, position, one = [], 0, Value(1.0, {})
    while position < len(code):
        match = _TOKEN.match(code, position)
        if match is None:
            raise ValueError(code)
        position = match.end()
        if match["annotation"]:
            if not tokens or tokens[-1][0]:  # after an operator it stands for the number one
                tokens.append(("", one))
        elif match["operator"]:
            tokens.append((match["operator"], one))
        elif match["number"]:
            tokens.append(("", Value(float(match["number"]), {})))
        else:
            tokens.append(("", _raised(_symbol(match["symbol"]), int(match["power"] or 1))))
    return tokens


def _raised(value: Value, power: int) -> Value:
    if power == 1:
        return value
    if value.function:
        raise ValueError("a special unit has no powers")
    return Value(value.scale**power, {b: p * power for b, p in value.powers.items()})


@cache
def _symbol(symbol: str) -> Value:
    if symbol in _BASES:
        return _BASES[symbol]
    entry = entries().get(symbol)
    if entry is not None:
        value = evaluate(entry.unit)
        return Value(entry.value * value.scale, value.powers, entry.function or value.function)
    for length in (2, 1):
        prefix = prefixes().get(symbol[:length])
        rest = symbol[length:]
        if prefix is None or not (rest in _BASES or rest in entries() and entries()[rest].is_metric):
            continue
        value = _symbol(rest)
        if value.function:
            return value._replace(prefix=prefix)
        return value._replace(scale=prefix * value.scale)
    raise KeyError(symbol)


def spellings() -> list[str]:
    """Every code: those of the base units, and those of the table."""
    return [*_BASES, *(code for code in entries() if code not in _BASES)]


def examples() -> list[str]:
    """The codes of the table of examples for electronic messaging."""
    with (VENDOR / "ucum_examples.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [row[1] for row in rows[1:]]
