r"""Texts in other notations, turned into products of names: LaTeX, siunitx, HTML and UCUM."""

import re
from html import unescape
from typing import TYPE_CHECKING

from dimflow.errors import UnitFormatError, UnitParseError
from dimflow.units.grammar import MAX_DEPTH, MAX_LENGTH, Product, parse
from dimflow.units.ucum import parse_ucum

if TYPE_CHECKING:
    from dimflow.units.registry import Registry

_SPACES = re.compile(r"\\[,;:! ]|~|\\left\b|\\right\b|(?<!\\)\$")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{")
_STYLED = re.compile(r"\\(?:mathrm|text|textrm|operatorname|rm|unit|si|SI)(?:\[\])?\s*(?=\{)")
_MACRO = re.compile(r"\\([A-Za-z]+(?:_[A-Za-z0-9]+)*) ?")  # with underscores as pint writes them
# What astropy writes for units that have a sign rather than a name.
_SIGNS = {
    r"^{\circ}": "°",
    r"^{\prime\prime}": "″",
    r"^{\prime}": "′",
    r"\mathring{A}": "Å",
    r"_{\odot}": "☉",
    r"_{\oplus}": "⊕",
    r"_{\rm J}": "_jup",
}
_ELECTRON = re.compile(r"\be\^\{-\}")
_CHARACTERS = {
    "mu": "µ",
    "Omega": "Ω",
    "Delta": "Δ",
    "circ": "°",
    "degree": "°",
    "prime": "′",
    "cdot": "*",
    "times": "*",
    "odot": "☉",
    "oplus": "⊕",
    "AA": "Å",
    "pi": "pi",
    "per": "/",
    "squared": "^2",
    "cubed": "^3",
    "tothe": "^",
}
_TAG = re.compile(r"</?(?:span|i|em|b|var|small)\b[^<>]*>")


def read(text: str, style: str | None, registry: "Registry") -> Product:
    """Read a text in a named notation."""
    if len(text) > MAX_LENGTH:
        raise UnitParseError(
            text[:MAX_LENGTH], 0, f"a unit text of {len(text):,} characters is too long",
            f"texts of up to {MAX_LENGTH:,} characters are read",
        )  # fmt: skip
    if style == "ucum":
        return parse_ucum(text, registry)
    if style in ("latex", "siunitx"):
        return parse(from_latex(text, registry))
    if style == "html":
        return parse(from_html(text))
    raise UnitFormatError(
        f"no notation is called {str(style)[:40]!r}",
        "plain, unicode, latex, siunitx, html, cf, ucum",
    )


def from_latex(text: str, registry: "Registry") -> str:
    r"""LaTeX as plain text: \frac{\mathrm{kg}}{\mathrm{m}^{3}} -> (kg)/(m^(3))."""
    if not text.isprintable():
        raise UnitParseError(text, 0, "control characters have no meaning in a unit")
    # A thin space, which no macro takes for the one that ends its name: \Omega\,m
    source = _STYLED.sub("", _SPACES.sub("\u2009", text)).replace("{}", "")
    source = source.replace(r"\%", "%").replace(r"\_", "_").replace(r"\$", "$")
    for written, sign in _SIGNS.items():
        source = source.replace(written, sign)
    source = _ELECTRON.sub("electron", source)
    for _ in range(MAX_DEPTH):
        match = _FRACTION.search(source)
        if match is None:
            break
        middle = _closing(source, match.end() - 1, text)
        if not source.startswith("{", middle + 1):
            raise UnitParseError(text, 0, "a fraction needs two parts in braces")
        end = _closing(source, middle + 1, text)
        top, bottom = source[match.end() : middle], source[middle + 2 : end]
        source = f"{source[: match.start()]}(({top})/({bottom})){source[end + 1 :]}"
    source = _macros(source, registry)
    return _unbraced(source, text).strip()


def _macros(source: str, registry: "Registry") -> str:
    r"""Replace \mu and \kilo\metre by what they stand for."""
    parts: list[str] = []
    end, prefix = 0, ""
    for match in _MACRO.finditer(source):
        parts.append(source[end : match.start()])
        end = match.end()
        word = match[1]
        if word in _CHARACTERS:
            parts.append(_CHARACTERS[word])
        elif source[end : end + 1] == "\\" and _is_prefix_alone(word, registry):
            prefix = word
        else:
            parts.append(f" {prefix}{_name_of(word, registry)} ")
            prefix = ""
    return "".join([*parts, source[end:]])


def _is_prefix_alone(word: str, registry: "Registry") -> bool:
    return registry.find_prefix(word) is not None and registry.find(word) is None


def macro(name: str) -> str:
    """A LaTeX macro for a name: letters alone, words joined by capitals."""
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


def _name_of(word: str, registry: "Registry") -> str:
    r"""The name of a macro: \degreeCelsius is degree_Celsius."""
    if "_" in word:
        return word
    names = registry.remembered("macros", lambda: {macro(d.name): d.name for d in registry})
    if word not in names and word.startswith("delta"):
        of = word[len("delta") :]
        return "delta_" + _name_of(of[:1].lower() + of[1:], registry)
    return names.get(word, word)


def _closing(source: str, opening: int, text: str) -> int:
    depth = 0
    for position in range(opening, len(source)):
        if source[position] == "{":
            depth += 1
        elif source[position] == "}":
            depth -= 1
            if depth == 0:
                return position
    raise UnitParseError(text, 0, "a brace is never closed")


def _unbraced(source: str, text: str) -> str:
    """Braces as parentheses, except around a single name, where they only group letters."""
    result: list[str] = []
    stack: list[int] = []
    for character in source:
        if character == "{":
            stack.append(len(result))
            result.append("(")
        elif character == "}":
            if not stack:
                raise UnitParseError(text, 0, "a brace was never opened")
            start = stack.pop()
            inner = "".join(result[start + 1 :])
            if start and result[start - 1].endswith("^"):
                result[start:] = ["(", inner, ")"]
            else:
                result[start:] = [inner]
        else:
            result.append(character)
    if stack:
        raise UnitParseError(text, 0, "a brace is never closed")
    return "".join(result)


def from_html(text: str) -> str:
    """HTML as plain text: kg&middot;m<sup>2</sup> -> kg·m^(2)."""
    source = text.replace("<sup>", "^(").replace("</sup>", ")")
    source = _TAG.sub("", source)
    return unescape(source).strip()
