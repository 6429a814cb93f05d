"""The small bugs that `tools/mutants.py` plants: one change of one expression or statement.

What no test could notice is left out: docstrings, the words of messages, types, sizes of memos,
code for machines that the tests do not run on, and changes that leave the bytecode as it was.
"""

import ast
import copy
import itertools
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

Change = tuple[str, ast.AST, str]  # its kind, the node that goes, what comes instead

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.MatMult: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_PAIRS = """min max|any all|minimum maximum|floor ceil|zeros ones|zeros_like ones_like|real imag
sin cos|argmin argmax|cumsum cumprod|sum prod|append remove|left right|first last|lower upper
start stop|exp expm1|log log1p|less greater|numerator denominator|keys values|startswith endswith
numerators denominators"""
TWINS = {a: b for pair in re.split(r"[|\n]", _PAIRS) for a, b in [pair.split(), pair.split()[::-1]]}
COMMUTE = {"add", "multiply", "maximum", "minimum", "min", "max", "gcd", "lcm", "hypot", "equal"}
COMMUTE |= {"logical_and", "logical_or", "isinstance", "issubclass", "getattr", "zip", "cast"}

# Keywords whose value is words or the cost of something, and names of what bounds a memo.
WORDS = {
    "doc",
    "hint",
    "flops",
    "bytes",
    "maxsize",
    "maxlen",
    "reason",
    "stacklevel",
    "onnx",
    "strict",
}
BOUNDS = re.compile(r"LIMIT|SIZE|BOUND|LARGE|MAX|MANY|WAIT|VERSION|HINT|DOC", re.IGNORECASE)
ELSEWHERE = re.compile(r"cupy|/errors/|__main__")  # no GPU in the suite; errors are words
TYPES = {"TYPE_CHECKING", "overload", "Protocol"}


class Mutant(NamedTuple):
    """One bug: where, what it was, what it is."""

    file: str
    line: int
    column: int
    kind: str
    before: str
    after: str
    start: int  # characters of the source
    end: int

    def planted(self, source: str) -> str:
        return source[: self.start] + self.after + source[self.end :]

    def folder(self) -> str:
        parts = self.file.split("/")
        return parts[2] if len(parts) > 3 else "."


def mutants_of(source: str, file: str) -> list[Mutant]:
    """All that can be planted in a file."""
    if ELSEWHERE.search(file):
        return []
    starts = [0]
    for text in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(text))
    lines = source.splitlines(keepends=True)

    def offset(line: int, column: int) -> int:  # columns of the parser are bytes
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    found = []
    for kind, node, after in _changes(ast.parse(source)):
        start = offset(node.lineno, node.col_offset)
        end = offset(node.end_lineno, node.end_col_offset)
        place = file, node.lineno, node.col_offset
        found.append(Mutant(*place, kind, source[start:end], after, start, end))
    return found


def is_change(mutant: Mutant, source: str) -> bool:
    """Whether the planted source is Python, and other bytecode than it was."""
    try:
        return _code(mutant.planted(source)) != _code(source)
    except SyntaxError:
        return False


def _code(source: str) -> Any:
    """The bytecode, without lines and names of files."""

    def plain(code: Any) -> Any:
        inner = tuple(plain(c) if hasattr(c, "co_code") else (type(c), c) for c in code.co_consts)
        return code.co_code, code.co_names, repr(inner)

    return plain(compile(source, "", "exec", dont_inherit=True))


def _changes(tree: ast.Module) -> Iterator[Change]:
    for node in _live(tree):
        for change in CHANGES:
            yield from change(node)


def _live(node: ast.AST) -> Iterator[Any]:
    """The nodes in which a bug could be noticed."""
    if isinstance(node, ast.expr | ast.stmt):
        yield node
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "type_comment", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_dead(child):
                yield from _live(child)


def _is_dead(node: ast.AST) -> bool:
    match node:
        case ast.Raise() | ast.JoinedStr() | ast.Import() | ast.ImportFrom() | ast.Assert():
            return True
        case ast.Expr(value=ast.Constant()):  # a docstring
            return True
        case ast.If(test=test):
            names = {getattr(n, "id", getattr(n, "attr", "")) for n in ast.walk(test)}
            return bool(names & {"TYPE_CHECKING", "platform", "__name__"})
        case ast.FunctionDef(decorator_list=decorators):
            return any(getattr(d, "id", getattr(d, "attr", "")) == "overload" for d in decorators)
        case ast.ClassDef(bases=bases):
            return any(getattr(b, "id", "") == "Protocol" for b in bases)
        case ast.keyword(arg=str(name)):
            return name in WORDS
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return bool(name.startswith("__") or BOUNDS.search(name)) or _is_type(node)
        case ast.Call(func=ast.Name(id=name)):
            return name in ("TypeVar", "NewType", "cast", "ParamSpec", "lru_cache")
    return False


def _is_type(node: Any) -> bool:
    """`Pairs = dict[int, Unit | Plan]` at the top of a module."""
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Subscript | ast.BinOp)
        and node.col_offset == 0
        and node.targets[0].id[:1].isupper()
        and not node.targets[0].id.isupper()
    )


def _with(node: Any, **fields: Any) -> str:
    new = copy.copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return _text(new)


def _text(node: ast.AST) -> str:
    return f"({ast.unparse(node)})" if isinstance(node, ast.expr) else ast.unparse(node)


def _compare(node: Any) -> Iterator[Change]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield "comparison", node, _with(node, ops=[COMPARED[type(node.ops[0])]()])


def _compute(node: Any) -> Iterator[Change]:
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in COMPUTED:
        parts = [getattr(node, name, None) for name in ("left", "right", "value")]
        if not any(_is_words(part) for part in parts):
            yield "arithmetic", node, _with(node, op=COMPUTED[type(node.op)]())


def _is_words(node: Any) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _condition(node: Any) -> Iterator[Change]:
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        yield "negated condition", node.test, _text(ast.UnaryOp(ast.Not(), node.test))


def _logic(node: Any) -> Iterator[Change]:
    if isinstance(node, ast.BoolOp):
        op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "and, or", node, _with(node, op=op)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield "dropped sign", node, _text(node.operand)


def _constant(node: Any) -> Iterator[Change]:
    if not isinstance(node, ast.Constant):
        return
    value = node.value
    if isinstance(value, bool):
        yield "constant", node, str(not value)
    elif isinstance(value, int):
        yield "constant", node, str(value + 1)
    elif isinstance(value, float):
        yield "constant", node, repr(value * 1.1 if value else 1.0)


def _key(node: Any) -> Iterator[Change]:
    """A wrong name where names are compared or looked up."""
    strings: list[Any] = []
    match node:
        case ast.Compare(comparators=[ast.Constant(value=str()) as one]):
            strings = [one]
        case ast.Compare(comparators=[ast.Tuple(elts=many) | ast.Set(elts=many)]):
            strings = many
        case ast.Subscript(slice=ast.Constant(value=str()) as one):
            strings = [one]
        case ast.Dict(keys=many):
            strings = many
    for one in strings:
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value:
            yield "key", one, repr(one.value[:-1] + ("x" if one.value[-1] != "x" else "y"))


def _call(node: Any) -> Iterator[Change]:
    if not isinstance(node, ast.Call):
        return
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    if name in TWINS:
        field = "id" if isinstance(node.func, ast.Name) else "attr"
        func = copy.copy(node.func)
        setattr(func, field, TWINS[name])
        yield "twin", node.func, ast.unparse(func)
    if len(node.args) > 1 and name not in COMMUTE:
        first, second, *rest = node.args
        plain = not any(isinstance(a, ast.Starred | ast.Constant) for a in (first, second))
        if plain and ast.dump(first) != ast.dump(second):
            yield "swapped arguments", node, _with(node, args=[second, first, *rest])
    for keyword in node.keywords:
        if keyword.arg and keyword.arg not in WORDS:
            keywords = [k for k in node.keywords if k is not keyword]
            yield "dropped keyword", node, _with(node, keywords=keywords)


def _statement(node: Any) -> Iterator[Change]:
    match node:
        case ast.Return(value=ast.Call(func=called, args=[ast.expr() as first, *_])):
            is_cast = getattr(called, "id", "") in ("bool", "list", "tuple")
            if not is_cast and not isinstance(first, ast.Starred | ast.Constant):
                yield "returned argument", node, f"return {ast.unparse(first)}"
        case ast.Return(value=ast.IfExp(body=body, orelse=orelse)):
            yield "returned branch", node, f"return {ast.unparse(body)}"
            yield "returned branch", node, f"return {ast.unparse(orelse)}"
        case ast.Expr(value=ast.Call(func=called)) if node.col_offset:
            if getattr(called, "attr", "") != "clear":  # of a memo that is full
                yield "removed statement", node, "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]) | ast.AugAssign():
            if node.col_offset:
                yield "removed statement", node, "pass"
        case ast.Continue():
            yield "break, continue", node, "break"
        case ast.Break():
            yield "break, continue", node, "continue"
        case ast.If(test=test, orelse=[]):
            yield "condition always true", test, "True"
            yield "condition never true", test, "False"


def _slice(node: Any) -> Iterator[Change]:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        cut = node.slice
        if cut.lower is not None:
            yield "slice", node, _with(node, slice=ast.Slice(None, cut.upper, cut.step))
        if cut.upper is not None:
            yield "slice", node, _with(node, slice=ast.Slice(cut.lower, None, cut.step))


CHANGES: list[Callable[[Any], Iterator[Change]]] = [
    _compare,
    _compute,
    _condition,
    _logic,
    _constant,
    _key,
    _call,
    _statement,
    _slice,
]


def sample(sources: dict[str, str], count: int, seed: int) -> list[Mutant]:
    """Bugs of every folder in proportion to its lines; each line is as likely as any other."""
    folders: dict[str, list[str]] = {}
    for file in sorted(sources):
        parts = file.split("/")
        folders.setdefault(parts[2] if len(parts) > 3 else ".", []).append(file)
    lines = {
        name: sum(sources[f].count("\n") for f in files if not ELSEWHERE.search(f))
        for name, files in folders.items()
    }
    lines = {name: n for name, n in lines.items() if n}
    shares = {name: count * n / sum(lines.values()) for name, n in lines.items()}
    counts = {name: int(share) for name, share in shares.items()}
    by_rest = sorted(shares, key=lambda name: counts[name] - shares[name])
    for name in by_rest[: count - sum(counts.values())]:
        counts[name] += 1
    rng = random.Random(seed)
    found = []
    for name in sorted(counts):
        at: dict[tuple[str, int], list[Mutant]] = {}
        for file in folders[name]:
            for mutant in mutants_of(sources[file], file) if counts[name] else ():
                at.setdefault((file, mutant.line), []).append(mutant)
        places = iter(rng.sample(sorted(at), len(at)))
        drawn = (_drawn(rng, at[place]) for place in places)
        real = (mutant for mutant in drawn if is_change(mutant, sources[mutant.file]))
        found += itertools.islice(real, counts[name])
    return found


def _drawn(rng: random.Random, mutants: list[Mutant]) -> Mutant:
    """One of the bugs of a line; each kind is as likely as any other."""
    kind = rng.choice(sorted({mutant.kind for mutant in mutants}))
    return rng.choice([mutant for mutant in mutants if mutant.kind == kind])


def sources_of(root: Path, folder: str = "") -> dict[str, str]:
    """The files of the library, or of a part of it."""
    start = root / "src" / "dimflow" / folder
    return {
        path.relative_to(root).as_posix(): path.read_text("utf-8")
        for path in sorted(start.rglob("*.py"))
    }
