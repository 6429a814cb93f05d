"""The hints of the source that hold code, found without running it.

A hint is a string that an argument or a name called `hint` may be: followed through the names and
the functions that give it. What an f-string fills in is a hole, written `{}`.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import dimflow
from tests.contract.hints.snippets import snippets

SOURCE = Path(dimflow.__file__).parent
HINT = re.compile(r"hint|advice", re.IGNORECASE)


class Template(NamedTuple):
    """A hint with holes, and where it stands."""

    file: str
    line: int
    text: str

    def matches(self, hint: str) -> bool:
        """Whether the hint is this one, alone or with others."""
        parts = map(re.escape, self.text.split("{}"))
        return re.search(".+".join(parts), hint, re.DOTALL) is not None


class _Source:
    """Every file's tree, with what names are assigned and what functions return."""

    def __init__(self) -> None:
        self.trees = {
            str(path.relative_to(SOURCE)): ast.parse(path.read_text())
            for path in sorted(SOURCE.rglob("*.py"))
        }
        self.assigned: dict[tuple[str, str], list[ast.expr]] = defaultdict(list)
        self.returned: dict[str, list[tuple[str, ast.expr]]] = defaultdict(list)
        self.position: dict[str, int] = {}
        self.bases: dict[str, list[str]] = {}
        self.inits: set[str] = set()
        for file, tree in self.trees.items():
            for node in ast.walk(tree):
                self._read(file, node)
        for _ in range(5):  # as deep as errors inherit
            for name, bases in self.bases.items():
                places = [self.position[base] for base in bases if base in self.position]
                if places and name not in self.inits:
                    self.position[name] = places[0]

    def _read(self, file: str, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=[target], value=value):
                self.assigned[file, _name(target)].append(value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.assigned[file, _name(target)].append(value)
            case ast.ClassDef():
                self.bases[node.name] = [_name(base) for base in node.bases]
                for part in node.body:
                    if isinstance(part, ast.FunctionDef) and part.name == "__init__":
                        self.inits.add(node.name)
                        self._position(node.name, part, 1)
            case ast.FunctionDef():
                self._position(node.name, node, 0)
                for part in ast.walk(node):
                    if isinstance(part, ast.Return) and part.value is not None:
                        self.returned[node.name].append((file, part.value))

    def _position(self, name: str, node: ast.FunctionDef, bound: int) -> None:
        names = [argument.arg for argument in node.args.args]
        if "hint" in names:
            self.position[name] = names.index("hint") - bound

    def hints(self) -> Iterator[tuple[str, ast.expr]]:
        """Every expression that is a hint."""
        for (file, name), values in self.assigned.items():
            if HINT.search(name):
                yield from ((file, value) for value in values)
        for name, returned in self.returned.items():
            if HINT.search(name):
                yield from returned
        for file, tree in self.trees.items():
            for node in ast.walk(tree):
                if isinstance(node, ast.Call):
                    yield from ((file, k.value) for k in node.keywords if k.arg == "hint")
                    at = self.position.get(_name(node.func), len(node.args))
                    yield from ((file, value) for value in node.args[at : at + 1])


def _name(node: ast.expr) -> str:
    return getattr(node, "id", getattr(node, "attr", ""))


def _text(node: ast.AST) -> str | None:
    """A string with its holes; None for all else."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(v.value if isinstance(v, ast.Constant) else "{}" for v in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            texts = _text(left), _text(right)
            return None if texts == (None, None) else "".join(t or "{}" for t in texts)
    return None


def templates() -> list[Template]:
    """Every hint that holds code."""
    source = _Source()
    found, seen, left = set(), set(), list(source.hints())
    while left:
        file, node = left.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        for part in _parts(node):
            text = _text(part)
            if text is not None:
                found.add(Template(file, part.lineno, text))
            elif isinstance(part, ast.Name):
                left += [(file, value) for value in source.assigned[file, part.id]]
            elif isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
                left += source.returned[part.func.id]
    return sorted(t for t in found if snippets(t.text.replace("{}", "hole")))


def _parts(node: ast.expr | None) -> Iterator[ast.expr]:
    """What an expression may be: strings, names and calls, none of them inside another."""
    match node:
        case ast.IfExp(body=one, orelse=other):
            yield from (*_parts(one), *_parts(other))
        case ast.BoolOp(values=values) | ast.Tuple(elts=values) | ast.Dict(values=values):
            for value in values:
                yield from _parts(value)
        case ast.Subscript(value=ast.Name() as name):
            yield name
        case ast.Call(func=ast.Attribute(attr="get", value=ast.Name() as name)):
            yield name
        case ast.expr():
            yield node
