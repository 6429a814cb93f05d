"""The code in a hint: "give the exponent as a number: x ** 2" holds `x ** 2`."""

import ast
import re

# Words of a sentence that are Python's, too: no code goes across them.
_WORDS = re.compile(r"\b(?:or|and|in|if|is|not|for|as|with|lambda)\b")
_START = re.compile(r"(?<![\w.'\"])[A-Za-z_(\[]|(?<=\s)\.(?=[a-z])")
_AWAY = re.compile(r"^\w+= ")  # "leave out= away"
_END = re.compile(r"[\w\])'\"](?![\w.(\[])|\.\.\.")


def snippets(hint: str) -> list[str]:
    """The longest pieces of a hint that are Python and more than a name or a word."""
    found: list[str] = []
    for sentence in _split(hint):
        at = 0
        while match := _START.search(sentence, at):
            start = match.start()
            ends = [m.end() for m in _END.finditer(sentence, start)]
            at = next((end for end in reversed(ends) if _is_code(sentence[start:end])), 0)
            if at:
                found.append(sentence[start:at])
            else:
                word = re.compile(r"\w+|.").match(sentence, start)
                at = word.end() if word else start + 1
    return found


def _split(hint: str) -> list[str]:
    """The hint without the words, but for those inside brackets and strings."""
    parts, start = [], 0
    for match in _WORDS.finditer(hint):
        before = hint[start : match.start()]
        if before.count("(") == before.count(")") and before.count("'") % 2 == 0:
            parts.append(before)
            start = match.end()
    return [*parts, hint[start:]]


def _is_code(text: str) -> bool:
    if " ." in text or " (" in text:  # "the .delta unit", "more steps (max_steps=...)"
        return False
    try:
        (statement,) = ast.parse(f"x{text}" if text[0] == "." else text).body
    except (SyntaxError, ValueError):
        return False
    match statement:
        case ast.Assign(targets=[target]):
            return not isinstance(target, ast.Tuple) and not _AWAY.search(text)
        case ast.Expr(value=ast.BinOp(op=operator)):
            return isinstance(operator, ast.Pow)
        case ast.Expr(value=ast.Call() | ast.Attribute() | ast.Subscript()):
            return True
    return False


def pattern(code: str) -> re.Pattern[str]:
    """Finds a snippet in the text of a program: `...` stands for anything, blanks for nothing."""
    return re.compile(re.escape(_dense(code)).replace(r"\.\.\.", ".*"), re.DOTALL)


def holds(program: str, code: str) -> bool:
    """Whether a program does what a snippet says."""
    return pattern(code).search(_dense(program)) is not None


def _dense(code: str) -> str:
    return re.sub(r"\s|,(?=\s*[)\]])", "", code).replace('"', "'")
