"""Convert values from one unit into another.

A value stands with its unit ("65 mile/hour") or before it (65 mile/hour).
Without a target the answer is in SI units. Conversions are exact where the
definitions are; a rounded answer is marked by the sign ≈.
"""

import math
import re
import sys
from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable, Iterator
from fractions import Fraction
from textwrap import fill
from typing import Any, NamedTuple

import dimflow.units.typed_numbers as number
import dimflow.units.typed_quantities as quantity
from dimflow.cli import description, terminal, via
from dimflow.cli.program import UsageError
from dimflow.errors import DimflowError, UnitConversionError
from dimflow.units import Unit, convert, equivalencies, find_system, systems
from dimflow.units.scale import ONE
from dimflow.units.typed_numbers import Number
from dimflow.units.typed_quantities import Quantity

EXAMPLES = """
examples:
  dimflow convert "65 mile/hour" km/h          65 mi/h = 104.60736 km/h
  dimflow convert 65 mile/hour km/h            the same
  dimflow convert 65 mile per hour to km/h     the same
  dimflow convert 1 2 3.5 ft m                 several values
  dimflow convert "6 ft 2 in" cm               a sum
  dimflow convert -40 degC degF                a temperature
  dimflow convert "30 dBm" W                   a level
  dimflow convert 500 nm THz --via spectral    by the physics of light
  dimflow convert 2 mol g --via "molar(18.015 g/mol)"
  dimflow convert "1 kcal/hour"                into SI units
  dimflow convert "1 hp" --system CGS          into another system of units
  cut -f2 trips.tsv | dimflow convert - mile km --number
"""


def add_arguments(parser: ArgumentParser) -> None:
    """What `dimflow convert` takes."""
    parser.usage = _USAGE
    parser.add_argument("words", nargs="*", metavar="UNIT", help=SUPPRESS)
    parser.add_argument("--from", dest="source", metavar="UNIT", help="the unit of bare values")
    parser.add_argument("--to", dest="target", metavar="UNIT", help="the target")
    parser.add_argument(
        "--via",
        action="append",
        default=[],
        metavar="EQUIVALENCY",
        help="a law of physics that connects two dimensions; may be repeated",
    )
    parser.add_argument(
        "--system", metavar="SYSTEM", help="the system of units to use where no target is given"
    )
    parser.add_argument(
        "--style", metavar="NOTATION", help="read units as ucum, latex, siunitx or html"
    )
    parser.add_argument(
        "-p",
        "--precision",
        type=_precision,
        metavar="N",
        help="significant digits of the answer; without it, all digits of an exact "
        "one and 12 of a rounded one, or with --number as many as a double has",
    )
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("-n", "--number", action="store_true", help="print the numbers alone")
    shape.add_argument("--json", action="store_true", help="print a JSON list, for programs")
    told = _EXPLANATION.format(_equivalencies(), _indented(", ".join(systems()), 2))
    parser.description = f"{parser.description}\n{told}"


_FRACTION = re.compile(r"[0-9]+/[0-9]+")
_USAGE = """dimflow convert [options] "VALUE UNIT" ... [TARGET]
       dimflow convert [options] VALUE ... UNIT [TARGET]"""
_EXPLANATION = """\
The word `to` may stand before the target, and then units may have spaces.
A target that begins with a number ("100 km") needs it, or --to.
A value of - reads lines from standard input: numbers, or values with units;
blank lines and # comments are left out.

equivalencies (--via):
{}

systems (--system):
{}
"""


class Answer(NamedTuple):
    """One conversion, done."""

    given: Quantity
    value: Number
    target: Unit
    spelled: str  # the target


class _Request(NamedTuple):
    """The words of the command, by what they are."""

    values: list[str]
    source: str | None
    target: str | None


def run(arguments: Namespace) -> int:
    """Print each value in the target unit."""
    request = _request(arguments.words, arguments.source, arguments.target)
    answers = _answers(request, arguments)
    if arguments.json:
        terminal.write_json([_record(answer, arguments.precision) for answer in answers])
        return 0
    for answer in answers:
        if arguments.number or arguments.precision:
            value = number.shown(answer.value, arguments.precision)
        else:
            value = number.readable(answer.value)
        print(value if arguments.number else _equation(answer, value))
    return 0


def _request(words: list[str], source: str | None, target: str | None) -> _Request:
    if len(words) == 1 and " to " in words[0]:
        words = list(words[0].partition(" to "))
    words = [word.strip() for word in words]
    if len(words) > 1 and _FRACTION.fullmatch(words[0]):  # 1/3 cup
        words = [" ".join(words[:2]), *words[2:]]
    joins = target is None and "to" in words
    if joins:
        position = words.index("to")
        words, target = words[:position], " ".join(words[position + 1 :]) or None
    count = next((i for i, word in enumerate(words) if not _is_value(word)), len(words))
    values, rest = words[:count], words[count:]
    if not values:
        if target is None and len(rest) > 1 and not quantity.has_value(rest[-1]):
            target = rest.pop()
        values, rest = rest, []
        if any(map(quantity.has_value, values)):  # 1 mile and km are not two values
            rest = [word for word in values if word != "-" and not quantity.has_value(word)]
    elif joins and any(map(quantity.is_number, rest)):  # 6 ft 2 in to cm
        values, rest = [" ".join(words)], []
    elif source is None and rest and (target is not None or len(rest) > 1 or values != ["-"]):
        source, rest = (" ".join(rest), []) if joins else (rest[0], rest[1:])
    if target is None and rest:
        target, rest = rest[0], rest[1:]
    if rest:
        raise UsageError(
            f"{rest[0]!r} is one word too many\n"
            "  hint:  quote a unit that has spaces, or write `to` before the target"
        )
    if not values:
        raise UsageError('what is to be converted?\n  hint:  dimflow convert "65 mile/hour" km/h')
    return _Request(values, source, target)


def _is_value(word: str) -> bool:
    return word == "-" or quantity.is_number(word)


def _answers(request: _Request, arguments: Namespace) -> Iterator[Answer]:
    style = arguments.style
    source = None if request.source is None else Unit(request.source, style=style)
    target = None if request.target is None else Unit(request.target, style=style)
    laws: list[Any] = [via.read(text) for text in arguments.via]
    system = find_system(arguments.system or "SI")
    if system.equivalency is not None:
        laws.append(system.equivalency)
    for text in request.values:
        for line, typed in _lines() if text == "-" else [("", text)]:
            try:
                given = quantity.read(typed, source, style)
                wanted = target or _in_system(given.unit, arguments.system)
                value = _converted(given, wanted, laws)
            except DimflowError as error:
                if not line:
                    raise
                raise UsageError(f"{line}: {error}") from None
            yield Answer(given, value, wanted, _spelled(wanted, request.target))


def _lines() -> Iterable[tuple[str, str]]:
    for count, line in enumerate(sys.stdin, 1):
        text = line.strip().lstrip("\ufeff")
        if text and not text.startswith("#"):
            yield f"line {count}", text


def _in_system(unit: Unit, system: str | None) -> Unit:
    """What to convert into where no target is given; base units if that would change nothing."""
    found = unit.in_system(system or "SI")
    return unit.to_base() if found.key is unit.key and system is None else found


def _converted(given: Quantity, target: Unit, laws: list[Any]) -> Number:
    try:
        value = convert(given.value, given.unit, target, laws or None)
    except UnitConversionError as error:
        hint = error.hint or _likely_mistake(given.unit, target)
        if "molar" in laws and "mass" in {given.unit.dimension.name, target.dimension.name}:
            hint = f'say the mass of a mole: --via "{via.PARAMETERS["molar"]}"'
        raise UnitConversionError(given.unit, target, hint) from None
    if isinstance(value, Fraction):
        return value
    if math.isinf(value) and isinstance(given.value, Fraction) and given.value:
        told = f"{given.text} {given.unit}".rstrip()
        raise UsageError(f"{told} is beyond the range of numbers in {target}".removesuffix(" in "))
    return float(value)


def _likely_mistake(source: Unit, target: Unit) -> str | None:
    if not source.atoms and target.atoms:
        return "the value has no unit; give it one: dimflow convert VALUE UNIT TARGET"
    if {str(source), str(target)} <= {"F", "C", "K", "R"}:
        return "temperatures are degF, degC and K; F is the farad and C the coulomb"
    return None


def _spelled(target: Unit, typed: str | None) -> str:
    """The target as one reads it; as typed if it has a number in it, such as L/(100 km)."""
    if typed is not None and target.factor is not ONE:
        return f"({typed})" if typed[0].isdigit() else typed
    return description.text(target)


def _equation(answer: Answer, value: str) -> str:
    given = f"{answer.given.text} {description.text(answer.given.unit)}".rstrip()
    sign = "=" if number.is_exact(answer.value, value) else terminal.about()
    return f"{given} {sign} {terminal.loud(f'{value} {answer.spelled}'.rstrip())}"


def _record(answer: Answer, precision: int | None) -> dict[str, Any]:
    given, value = answer.given, answer.value
    if precision is not None:
        value = number.read(number.shown(value, precision))
    return {
        "value": number.as_json(given.value),
        "unit": str(given.unit),
        "result": number.as_json(value),
        "target": str(answer.target),
    }


def _precision(text: str) -> int:
    if text.strip().isdecimal() and 0 < int(text) <= number.MAX_PRECISION:
        return int(text)
    raise ArgumentTypeError(f"digits from 1 to {number.MAX_PRECISION}, but got {text.strip()!r}")


def _equivalencies() -> str:
    lines = [f"{name:<19} {text}" for name, text in equivalencies.named().items()]
    bridges = ", ".join(s for s in systems() if find_system(s).equivalency)
    lines += [*via.PARAMETERS.values(), f"a system with constants set to one: {bridges}"]
    return "\n".join(_indented(line, 22) for line in lines)


def _indented(line: str, indent: int) -> str:
    return fill(line, 79, initial_indent="  ", subsequent_indent=" " * indent)
