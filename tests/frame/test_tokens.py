"""Dask names a task by the text of what `__dask_tokenize__` gives, and looks no further into it.

The text of a function is its address, and that of a long array leaves out the middle: so two tasks
would share a name, or one would have two. Everything that is not a plain text or number goes
through `normalize_token`.
"""

import ast
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "src" / "dimflow"

# Attributes of our own classes that hold texts, numbers, flags and tuples of them.
PLAIN = {
    "_token",
    "place",
    "places",
    "unit",
    "dtype",
    "axes",
    "is_largest",
    "skips_nan",
    "length",
    "start",
}
NORMALISED = {"normalize_token", "normalize", "encode", "spelled", "meaning_text", "sorted", "str"}


def unsafe(method: ast.FunctionDef) -> list[str]:
    """What a token is made of without being plain or brought to a plain form."""
    found: list[str] = []

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.Call):
            name = (
                node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            )
            if name in NORMALISED | {"__dask_tokenize__"}:
                return
        if isinstance(node, ast.Attribute) and node.attr in ("name", "__name__"):
            return
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == "self" and node.attr not in PLAIN:
                found.append(node.attr)
            return
        for child in ast.iter_child_nodes(node):
            visit(child)

    for statement in method.body:
        if isinstance(statement, ast.Return) and statement.value is not None:
            visit(statement.value)
    return found


def test_tokens_are_made_of_plain_things() -> None:
    seen = 0
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name == "__dask_tokenize__":
                seen += 1
                assert unsafe(node) == [], f"{path.name}:{node.lineno}"
    assert seen > 10


def test_a_function_in_a_token_is_found() -> None:
    source = "def __dask_tokenize__(self):\n    return 'name', self.function, self.places"
    (method,) = ast.parse(source).body
    assert isinstance(method, ast.FunctionDef)
    assert unsafe(method) == ["function"]
