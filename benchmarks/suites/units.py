"""Units against pint, astropy.units and unyt: algebra, texts, conversions."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from benchmarks import judges
from benchmarks.judges import Judge
from benchmarks.libraries import Library, all_libraries
from benchmarks.race import Effort, Race, Suite
from benchmarks.statement import on_new, repeated
from benchmarks.texts import SHAPES, UNITS, Drawing, NewText, Shape, meaning

ALGEBRA, TEXT, CONVERSION = "algebra", "text", "conversion"
PEERS = ("pint", "astropy", "unyt")


class Known(NamedTuple):
    """A statement on units and texts that were met before."""

    group: str
    name: str
    statement: str  # in our spelling
    judge: Judge
    goal: float | None = None
    others: dict[str, str] = {}  # where another library says it differently

    def said(self, library: Library) -> str:
        return self.others.get(library.name, self.statement)

    def check(self, libraries: list[Library]) -> None:
        for library in libraries:
            said = self.said(library)
            self.judge(library, eval(said, dict(library.namespace)), said)

    def race(self, libraries: list[Library], effort: Effort, _: Drawing) -> Race:
        return Race(
            self.group,
            self.name,
            self.statement,
            entries={
                library.name: repeated(self.said(library), library.namespace, effort.seconds)
                for library in libraries
            },
            check=lambda: self.check(libraries),
            rounds=effort.rounds,
            goal=self.goal,
        )


class New(NamedTuple):
    """A statement on texts or units that this process has not met before."""

    group: str
    name: str
    work: str  # what the table shows
    statement: str
    each: str  # the variables of the statement that are new
    draw: Callable[[Drawing], tuple[NewText, ...]]
    item: Callable[[Library, tuple[NewText, ...]], Any]  # what they are, made before the clock runs
    judge: Callable[[tuple[NewText, ...]], Judge]
    goal: float | None = None
    others: dict[str, str] = {}
    refused: dict[str, str] = {}

    def said(self, library: Library) -> str:
        return self.others.get(library.name, self.statement)

    def check(self, libraries: list[Library], drawn: list[tuple[NewText, ...]]) -> None:
        for library in libraries:
            judges.knows_all(library, list(UNITS))
            if library.name in self.refused:
                judges.refuses(library, drawn[0][0].text)
                continue
            for texts in drawn:
                variables = _bound(self.each, self.item(library, texts))
                result = eval(self.said(library), {**library.namespace, **variables})
                self.judge(texts)(library, result, f"{self.said(library)} with {texts}")

    def race(self, libraries: list[Library], effort: Effort, drawing: Drawing) -> Race:
        @cache
        def drawn(turn: int) -> list[tuple[NewText, ...]]:
            return [self.draw(drawing) for _ in range(effort.batch)]

        def items_for(library: Library) -> Callable[[int], list[Any]]:
            return lambda turn: [self.item(library, texts) for texts in drawn(turn)]

        return Race(
            self.group,
            self.name,
            self.work,
            entries={
                library.name: on_new(
                    self.said(library), library.namespace, self.each, items_for(library)
                )
                for library in libraries
                if library.name not in self.refused
            },
            check=lambda: self.check(libraries, [self.draw(drawing) for _ in range(10)]),
            rounds=effort.rounds,
            goal=self.goal,
            refused=self.refused,
            fills_caches=True,  # a pickle of unyt holds every unit it has read
        )


def _bound(each: str, item: Any) -> dict[str, Any]:
    names = each.split(", ")
    return {each: item} if len(names) == 1 else dict(zip(names, item, strict=True))


def _read_all(library: Library, texts: tuple[NewText, ...]) -> tuple[Any, ...]:
    return tuple(library.read(new.text) for new in texts)


def _parse(shape: Shape, refused: dict[str, str]) -> New:
    return New(
        TEXT,
        "parse, new text",
        shape.example,
        "Unit(new)",
        "new",
        draw=lambda drawing: (drawing.text(shape),),
        item=lambda library, texts: texts[0].text,
        judge=lambda texts: judges.means(*texts[0].terms),
        goal=20e-6,
        others=dict.fromkeys(PEERS, "read(new)"),
        refused=refused,
    )


_NO_SPACES = {"unyt": "does not read a space as a product"}
_REFUSED = {
    "J/(kg K)": _NO_SPACES,
    "W m-2 K-1": {"pint": "reads m-2 as a difference", **_NO_SPACES},
    "kg·m²·s⁻³": dict.fromkeys(("astropy", "unyt"), "does not read ·"),
}

_HALF = Fraction(1, 2)
_ROOT = judges.means(("m", _HALF), ("s", -_HALF))
_SPEED = ("m", 1), ("s", -1)

ROWS: list[Known | New] = [
    Known(ALGEBRA, "product", "N * m", judges.means(("N", 1), ("m", 1)), 0.2e-6),
    Known(ALGEBRA, "quotient", "J / K", judges.means(("J", 1), ("K", -1)), 0.2e-6),
    Known(ALGEBRA, "power", "m_s**2", judges.means(("m", 2), ("s", -2)), 0.2e-6),
    Known(ALGEBRA, "power, a Fraction", "m_s**half", _ROOT, 0.2e-6),
    Known(ALGEBRA, "power, a float", "m_s**0.5", _ROOT, 0.2e-6),
    Known(
        ALGEBRA,
        "equal",
        "N == kg_m_s2",
        judges.is_exactly(True),
        0.2e-6,
        others={"pint": "one_N == one_kg_m_s2"},
    ),
    Known(ALGEBRA, "not equal", "N == J", judges.is_exactly(False), 0.2e-6),
    Known(ALGEBRA, "hash", "hash(N)", judges.is_hash_of("N"), 0.2e-6),
    New(
        ALGEBRA,
        "product, first time",
        "a * b",
        "a * b",
        "a, b",
        draw=lambda drawing: (drawing.text(SHAPES[0]), drawing.text(SHAPES[0])),
        item=_read_all,
        judge=lambda texts: judges.means(*texts[0].terms, *texts[1].terms),
    ),
    Known(
        TEXT,
        "parse, known text",
        'Unit("kg*m**2/s**3")',
        judges.means(("kg", 1), ("m", 2), ("s", -3)),
        0.3e-6,
        others=dict.fromkeys(PEERS, 'read("kg*m**2/s**3")'),
    ),
    *(_parse(shape, _REFUSED.get(shape.example, {})) for shape in SHAPES),
    Known(
        TEXT,
        "unit by name",
        "units.km",
        judges.means(("km", 1)),
        others={"pint": "ureg.km", "astropy": "u.km", "unyt": "unyt.km"},
    ),
    Known(TEXT, "format, known", "str(m_s)", judges.reads_back(*_SPEED)),
    New(
        TEXT,
        "format, first time",
        "str(a)",
        "str(a)",
        "a",
        draw=lambda drawing: (drawing.text(SHAPES[0]),),
        item=lambda library, texts: library.read(texts[0].text),
        judge=lambda texts: judges.reads_back(*texts[0].terms),
    ),
    Known(
        TEXT,
        "format, LaTeX",
        'm_s.format("latex")',
        judges.contains("m", "s", "{"),
        others={
            "pint": 'format(m_s, "~L")',
            "astropy": 'm_s.to_string("latex")',
            "unyt": "m_s.latex_repr",
        },
    ),
    Known(TEXT, "pickle and back", "loads(dumps(m_s))", judges.means(*_SPEED)),
    Known(
        CONVERSION,
        "factor, known",
        "mph.conversion_factor(kmh)",
        judges.is_number(1.609344),
        others={
            "pint": "ureg.convert(1.0, mph, kmh)",
            "astropy": "mph.to(kmh)",
            "unyt": "mph.get_conversion_factor(kmh)[0]",
        },
    ),
    New(
        CONVERSION,
        "factor, first time",
        "a.conversion_factor(b)",
        "a.conversion_factor(b)",
        "a, b",
        draw=lambda drawing: drawing.pair(),
        item=_read_all,
        judge=lambda texts: judges.is_number(
            float(meaning(texts[0].terms).scale / meaning(texts[1].terms).scale)
        ),
        others={
            "pint": "ureg.convert(1.0, a, b)",
            "astropy": "a.to(b)",
            "unyt": "a.get_conversion_factor(b)[0]",
        },
    ),
    Known(
        CONVERSION,
        "a float",
        "convert(65.0, mph, kmh)",
        judges.is_number(104.60736),
        others={
            "pint": "ureg.convert(65.0, mph, kmh)",
            "astropy": "mph.to(kmh, 65.0)",
            "unyt": "speed.to_value(kmh)",
        },
    ),
    Known(
        CONVERSION,
        "a float, °C to °F",
        "convert(20.0, degC, degF)",
        judges.is_number(68.0),
        others={
            "pint": "ureg.convert(20.0, degC, degF)",
            "astropy": "degC.to(degF, 20.0, equivalencies=temperature)",
            "unyt": "warmth.to_value(degF)",
        },
    ),
]


def races(effort: Effort) -> list[Race]:
    libraries = all_libraries()
    drawing = Drawing()
    return [row.race(libraries, effort, drawing) for row in ROWS]


SUITE = Suite(
    name="units",
    title="Units",
    about=f"""\
Time of one operation on units, with no arrays involved. *Known* units and texts were met before in
the process; a *new* text or unit was not, though the names in it were. The new texts of a row have
its shape, three units out of {len(UNITS)} and exponents up to 4, and none comes twice. A library
without a number does not read that notation. pint compares units by spelling, so for *equal* its
quantities are compared. The turn of the loop itself, some nanoseconds, is part of every number.""",
    packages=("dimflow", "pint", "astropy", "unyt", "numpy"),
    races=races,
)
