"""Show how a unit is understood, and how each notation spells it."""

from argparse import ArgumentParser, Namespace

from dimflow.cli import description, terminal
from dimflow.units import Unit, encode, to_json

EXAMPLES = """
examples:
  dimflow parse "J/(kg K)"
  dimflow parse kg m^2 s^-3
  dimflow parse "mm[Hg]" --style ucum
  dimflow parse "W/m²" --json
"""


def add_arguments(parser: ArgumentParser) -> None:
    """What `dimflow parse` takes."""
    parser.add_argument("unit", nargs="+", metavar="UNIT", help="the unit")
    parser.add_argument(
        "--style", metavar="NOTATION", help="read it as ucum, latex, siunitx or html"
    )
    parser.add_argument("--json", action="store_true", help="print a JSON object, for programs")


def run(arguments: Namespace) -> int:
    """Print all that is known of one unit."""
    unit = Unit(" ".join(arguments.unit), style=arguments.style)
    spelled = description.spellings(unit)
    if arguments.json:
        told = {
            "name": unit.name,
            "styles": spelled,
            "simplified": str(unit.simplified()),
            **description.meaning(unit),
            "wire": encode(unit),
            "wire_json": to_json(unit),
        }
        terminal.write_json(told)
        return 0
    terminal.card(
        description.text(unit) or "1, the unit of pure numbers",
        [
            ("name", unit.name),
            ("dimension", description.dimension(unit)),
            ("SI value", description.si_value(unit)),
            ("exactly", description.exact_scale(unit)),
            ("law", description.law_text(unit)),
            ("simpler", _other(unit.simplified(), unit)),
            ("base units", _other(unit.to_base(), unit)),
            *((name, text or "") for name, text in spelled.items()),
            ("wire", encode(unit)),
        ],
    )
    return 0


def _other(other: Unit, unit: Unit) -> str:
    return "" if other is unit else description.text(other)
