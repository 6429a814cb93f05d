"""Names of several words: every way to write a name of the table is that unit or an error."""

import pytest

from dimflow import Unit
from dimflow.errors import UnitError
from dimflow.units.tables import builtin
from tests.units.strategies import DEFINITIONS

# Shorter ones are symbols in all but name: gm, whose capital is a gigametre
NAMES = [(s, d.name) for d in DEFINITIONS for s in (d.name, *d.aliases) if len(s) > 2]
SYMBOLS = [(s, d.name) for d in DEFINITIONS for s in d.symbols if "_" in s.strip("_")]
STRIDE = 29  # of names in products


def plural(name: str) -> str:
    """With an s; electron volt per cs would be by the centisecond."""
    return f"{name}s" if name[-2:-1].isalnum() else name


WAYS = {
    "spaces": lambda name: name.replace("_", " "),
    "hyphens": lambda name: name.replace("_", "-"),
    "one space, the last": lambda name: " ".join(name.rsplit("_", 1)),
    "one space, the first": lambda name: name.replace("_", " ", 1),
    "two spaces": lambda name: name.replace("_", "  "),
    "plural": plural,
    "plural with spaces": lambda name: plural(name.replace("_", " ")),
    "plural with hyphens": lambda name: plural(name.replace("_", "-")),
    "a capital": lambda name: name[:1].upper() + name[1:],
    "a capital and spaces": lambda name: (name[:1].upper() + name[1:]).replace("_", " "),
    "title case": lambda name: name.replace("_", " ").title(),
    "title case with hyphens": lambda name: name.replace("_", "-").title(),
    "title case with underscores": lambda name: name.title(),
    "title case in the plural": lambda name: plural(name.replace("_", " ").title()),
    "upper case": str.upper,
    "upper case with spaces": lambda name: name.replace("_", " ").upper(),
    "upper case in the plural": lambda name: plural(name.replace("_", " ")).upper(),
    "the first word in the plural": lambda name: (
        name.replace("_", "s ", 1).replace("_", " ") if name.find("_") > 2 else name
    ),
    "American": lambda name: american(name).replace("_", " "),
    "British": lambda name: british(name).replace("_", " "),
    "no separator": lambda name: name.replace("_", "") if name[-1:].isalpha() else name,
    "points": lambda name: (
        name.replace("_", ". ") + "." if name.replace("_", "").isalpha() else name
    ),
}


# Around a name in its own spelling and in others; the two are the same unit, or the second fails.
CONTEXTS = (
    "{} per second", "{}/s", "N {}/s", "J/{}", "J/(N {})", "W/m-{}", "{}-m", "m-{}", "{}.s",
    "{} s-1", "{}^2", "{}**-1", "{}²", "{} squared", "square {}", "cubic {}", "sq. {}", "1/{}",
    "{} inch", "{} h", "5 {}", "({})", "kilo{}", "milli{}", "mega-{}", "kilo {}", "sqrt({})",
    "√{}/s", "Pa {}-1",
)  # fmt: skip

PREFIXES = {"kilo{}": "1000", "milli{}": "0.001", "mega-{}": "1e6", "kilo {}": "1000"}
POWERS = [c for c in CONTEXTS if c[0] in "√scP" or c.endswith(("2", "-1", "²", "squared"))]


def american(name: str) -> str:
    for british, here in (("metre", "meter"), ("litre", "liter"), ("gramme", "gram")):
        name = name.replace(british, here)
    return name


def british(name: str) -> str:
    for here, there in (("meter", "metre"), ("liter", "litre")):
        name = name.replace(here, there)
    return name


def read(text: str) -> Unit | None:
    try:
        return Unit(text)
    except UnitError:
        return None


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_write_a_name_is_its_unit_or_an_error(way: str) -> None:
    written = [(WAYS[way](name), unit) for name, unit in NAMES]
    found = [(text, unit, read(text)) for text, unit in written if not is_listed(text)]
    assert [(t, n, str(u)) for t, n, u in found if u is not None and u != Unit(n)] == []


def is_listed(text: str) -> bool:
    """Whether the table has it as a name in its own right: beerbarrel is no beer_barrel."""
    return builtin.find(text.replace(" ", "_").replace("-", "_")) is not None


@pytest.mark.share(4)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("context", CONTEXTS)
def test_so_is_a_product_with_it(context: str, way: str) -> None:
    """Each context and way with every 29th name, other names in each."""
    offset = 31 * CONTEXTS.index(context) + 7 * list(WAYS).index(way)
    ways = [(n, unit, WAYS[way](n)) for n, unit in NAMES[offset % STRIDE :: STRIDE]]
    written = [(n, unit, context.format(name)) for n, unit, name in ways if not is_listed(name)]
    found = [(text, name, unit, read(text)) for name, unit, text in written]
    wrong = [(t, n, str(f)) for t, n, unit, f in found if f and f not in meant(context, n, unit)]
    assert wrong == []


def meant(context: str, name: str, unit: str) -> list[Unit | None]:
    """What a text with the name in such a place can mean."""
    units = [read(context.format(name)), read(context.format(unit))]
    prefix = PREFIXES.get(context)
    if prefix and Unit(unit).law is None:
        units.append(Unit(prefix) * Unit(unit))
    if "_per_" in name and context in POWERS:  # foot per second squared
        units += [read(context.format(n.replace("_per_", "/"))) for n in (name, unit)]
    return units


@pytest.mark.parametrize("way", WAYS)
def test_a_symbol_with_an_underscore_is_its_unit_or_an_error(way: str) -> None:
    """The capitals of the letters of constants, as in h_P, are their own."""
    exact = way in ("spaces", "hyphens", "two spaces", "points")
    names = [(s, n) for s, n in SYMBOLS if exact or min(map(len, s.split("_"))) > 1]
    written = [(WAYS[way](name), unit) for name, unit in names]
    found = [(text, unit, read(text)) for text, unit in written if "_" not in text]
    found = [(text, unit, u) for text, unit, u in found if text not in ("arcs min", "arcs sec")]
    assert [(t, n, str(u)) for t, n, u in found if u is not None and u != Unit(n)] == []


# Symbols and plurals that a word of a name may be said by
SAID = {
    word: [s for s in (*d.symbols, f"{word}s") if s.isalpha() and s != word and word.isalpha()]
    for d in DEFINITIONS
    for word in (d.name, *d.aliases)
    if d.law is None and "_" not in d.name
}
# The second word is a unit by itself, and few write the name with its symbol
APART = frozenset({
    "geopotential_metre", "dynamic_metre", "decibel_square_metre", "metre_water_equivalent",
    "millimetre_water_equivalent", "atmosphere_centimetre", "short_quarter", "degree_day",
    "degree_hour", "fahrenheit_degree_day", "fahrenheit_degree_hour", "gram_force",
})  # fmt: skip
SAID |= {"square": ["sq"], "cubic": ["cu"], "foot": ["feet", "ft"], "us": ["US", "us", "Us"]}
SPOKEN = [
    (n, d.name)
    for d in DEFINITIONS
    for n in (d.name, *d.aliases)
    if "_" in n and d.name not in APART
]


@pytest.mark.parametrize("by", [" ", "-"])
def test_a_name_with_symbols_for_its_words_is_its_unit_or_the_product_or_an_error(by: str) -> None:
    """Us qt is a quart or an error; ft s-1 and kW h are products of the same meaning."""
    wrong, read_as = [], 0
    for name, unit in SPOKEN:
        words = name.split("_")
        for place, word in enumerate(words):
            for said in SAID.get(word, ()):
                text = by.join((*words[:place], said, *words[place + 1 :]))
                found = read(text)
                read_as += found == Unit(unit)
                if found is not None and found != Unit(unit) and not is_listed(text):
                    wrong.append((text, unit, str(found)))
    assert wrong == []
    assert read_as > 500


@pytest.mark.parametrize("unit", ["gal", "qt", "pt", "fl oz", "bbl", "oz", "ft", "lb", "ac", "in"])
@pytest.mark.parametrize("form", ["us {}", "us-{}", "us  {}", "us {}/min", "kg/us {}", "2 us {}"])
def test_us_before_a_customary_unit_is_no_microsecond(form: str, unit: str) -> None:
    found = read(form.format(unit))
    assert found is None or found == Unit(form.replace("us", "US").format(unit))
    assert Unit(f"us*{unit}".replace("fl oz", "floz")).dimension.as_dict()["time"] == 1


@pytest.mark.parametrize(("way", "share"), [
    ("spaces", 0.99), ("hyphens", 0.99), ("title case", 0.97), ("plural with spaces", 0.95),
])  # fmt: skip
def test_nearly_every_name_of_several_words_is_read(way: str, share: float) -> None:
    """Unit or error would hold if nothing were read at all."""
    names = [(name, unit) for name, unit in NAMES if "_" in name]
    unread = [text for name, _ in names if read(text := WAYS[way](name)) is None]
    assert len(unread) <= (1 - share) * len(names), unread
