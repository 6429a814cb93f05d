"""Which test reaches which block of the source: what `tools/mutants.py` chooses tests by.

A block is a list of statements, or the body of a lambda. In a copy of the tree each block begins
with a mark; a plugin of pytest, this module, notes after every test which marks were set. So a test
costs little more than without.
"""

import ast
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

FEW = 8  # tests that reach a function; with fewer, those of its file run too
MAP = Path("build") / "reach.npz"  # not kept in the repository
MARKS = "__reached__"
FIELDS = ("body", "orelse", "finalbody")

Key = tuple[str, str, int]  # file, function, number of the block in that function


class Marks(bytearray):
    """One byte for each block."""

    def see(self, place: int) -> None:
        self[place] = 1


def scopes(tree: ast.Module) -> Iterator[tuple[str, ast.AST, list[Any]]]:
    """Every function, lambda, class and the module itself, with its own blocks."""

    def visit(name: str, scope: ast.AST) -> Iterator[tuple[str, ast.AST, list[Any]]]:
        blocks: list[Any] = []
        inner: list[tuple[str, ast.AST]] = []
        count: dict[str, int] = {}

        def look(node: ast.AST) -> None:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
                own = getattr(node, "name", "<lambda>")
                count[own] = count.get(own, 0) + 1
                suffix = f"#{count[own]}" if count[own] > 1 else ""
                inner.append((f"{name}.{own}{suffix}".lstrip("."), node))
                return
            gather(node)

        def gather(node: ast.AST) -> None:
            for field in FIELDS:
                block = getattr(node, field, None)
                if isinstance(block, list) and block:
                    blocks.append(block)
            for child in ast.iter_child_nodes(node):
                look(child)

        if isinstance(scope, ast.Lambda):
            blocks.append(scope)
            look(scope.body)
        else:
            gather(scope)
        yield name, scope, blocks
        for inner_name, node in inner:
            yield from visit(inner_name, node)

    yield from visit("", tree)


def instrumented(source: str, file: str, keys: list[Key]) -> str:
    """The source with a mark in each block; `keys` grows by what each mark stands for."""
    tree = ast.parse(source)
    for name, scope, blocks in scopes(tree):
        if isinstance(scope, ast.Module | ast.ClassDef):
            continue  # runs on import
        for number, block in enumerate(blocks):
            place = len(keys)
            keys.append((file, name, number))
            if isinstance(block, ast.Lambda):
                seen = ast.parse(f"{MARKS}.see({place})", mode="eval").body
                block.body = ast.BoolOp(ast.Or(), [seen, block.body])
            else:
                start = int(number == 0 and ast.get_docstring(scope) is not None)
                block.insert(start, ast.parse(f"{MARKS}[{place}] = 1").body[0])
    start = 0
    while start < len(tree.body) and (
        (isinstance(tree.body[start], ast.Expr) and start == 0)
        or getattr(tree.body[start], "module", None) == "__future__"
    ):
        start += 1
    tree.body.insert(start, ast.parse(f"from tools.reach import MARKED as {MARKS}").body[0])
    return ast.unparse(ast.fix_missing_locations(tree))


def block_at(source: str, line: int, column: int) -> tuple[str, int] | None:
    """The innermost function and its block that hold a position; None if it runs on import."""
    found: tuple[str, int] | None = None
    for name, scope, blocks in scopes(ast.parse(source)):
        if isinstance(scope, ast.Module | ast.ClassDef):
            continue
        for number, block in enumerate(blocks):
            parts = [block.body] if isinstance(block, ast.Lambda) else block
            start = parts[0].lineno, parts[0].col_offset
            end = parts[-1].end_lineno, parts[-1].end_col_offset
            if start <= (line, column) < end:
                found = name, number  # scopes and blocks come from the outside in
    return found


def copied(root: Path, folder: Path) -> Path:
    """A copy of what git would commit."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if (root / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, folder / name)
    return folder


def environment(tree: Path) -> dict[str, str]:
    """One seed for all, one thread, and the sources of this tree."""
    found = dict(os.environ)
    found["PYTHONPATH"] = os.pathsep.join([str(tree / "src"), str(tree)])
    found.setdefault("DIMFLOW_SEED", "0")
    found.setdefault("OMP_NUM_THREADS", "1")
    return found


def record(root: Path, tests: list[str], jobs: int) -> str:
    """Run the suite in a marked copy, and keep which test reached which block."""
    with tempfile.TemporaryDirectory(prefix="reach-") as name:
        tree, notes = copied(root, Path(name) / "tree"), Path(name) / "notes"
        notes.mkdir()
        keys: list[Key] = []
        for path in sorted((tree / "src").rglob("*.py")):
            file = path.relative_to(tree).as_posix()
            path.write_text(instrumented(path.read_text("utf-8"), file, keys), "utf-8")
        env = environment(tree) | {"DIMFLOW_REACH": str(notes), "DIMFLOW_MARKS": str(len(keys))}
        spread = ["-n", str(jobs), "--dist", "loadfile"] if jobs > 1 else []
        plain = ["-q", "--tb=no", "-p", "no:cacheprovider", "-p", "tools.reach"]
        command = [sys.executable, "-m", "pytest", *plain, *spread, *tests]
        subprocess.run(command, cwd=tree, env=env, check=False)
        rows = []
        for note in notes.glob("*.gz"):
            with gzip.open(note, "rt") as stream:
                rows += [json.loads(line) for line in stream]
    bits = np.zeros((len(rows), len(keys)), bool)
    for row, (_, _, _, places) in zip(bits, rows, strict=True):
        row[places] = True
    (root / MAP).parent.mkdir(exist_ok=True)
    np.savez_compressed(
        root / MAP,
        keys=np.array(json.dumps(keys)),
        tests=np.array(json.dumps([r[0] for r in rows])),
        seconds=np.array([r[1] for r in rows]),
        passed=np.array([r[2] for r in rows]),
        bits=np.packbits(bits, axis=1),
    )
    return f"{len(rows)} tests, {len(keys)} blocks, {bits.any(0).mean():.0%} of them reached"


class Reach:
    """What was recorded. Blocks are known by function and number, so that a later edit elsewhere in
    a file does no harm.
    """

    def __init__(
        self, root: Path, keys: list[Key], tests: list[str], seconds: Any, usable: Any, bits: Any
    ) -> None:
        self.root = root
        self.columns = {tuple(key): i for i, key in enumerate(keys)}
        self.by_file: dict[str, list[int]] = {}
        for i, (file, _, _) in enumerate(keys):
            self.by_file.setdefault(file, []).append(i)
        self.tests, self.seconds, self.usable, self.bits = tests, seconds, usable, bits

    @classmethod
    def read(cls, root: Path) -> "Reach":
        if not (root / MAP).exists():
            raise SystemExit("run this with --record first: it notes which tests reach what")
        with np.load(root / MAP) as found:
            keys, tests = json.loads(str(found["keys"])), json.loads(str(found["tests"]))
            return cls(root, keys, tests, found["seconds"], found["passed"], found["bits"])

    def _reaching(self, column: int) -> Any:
        return (self.bits[:, column >> 3] >> (7 - (column & 7))) & 1 == 1

    def _of_users(self, file: str) -> list[int]:
        """The blocks of the files that import a file."""
        name = re.compile(rf"import.*\b{Path(file).stem}\b|\b{Path(file).stem} import")
        paths = {f: self.root / f for f in self.by_file}
        users = [f for f, p in paths.items() if p.exists() and name.search(p.read_text("utf-8"))]
        return [column for user in users for column in self.by_file[user]]

    def tests_of(self, mutant: Any, source: str, budget: float) -> list[tuple[str, float]]:
        """Tests that reach a place, likely ones first: each file's cheapest, the mirrored folder's
        before others. What runs on import is reached by all who reach a function of the file.
        """
        block = block_at(source, mutant.line, mutant.column)
        column = self.columns.get((mutant.file, *block)) if block else None
        columns = self.by_file.get(mutant.file, []) if column is None else [column]
        hit = np.zeros(len(self.tests), bool)
        for each in columns:
            hit |= self._reaching(each)
        if hit.sum() < FEW:  # what runs on import, too: by whoever came first
            for each in self.by_file.get(mutant.file, []):
                hit |= self._reaching(each)
        if not hit.any():  # data, and what runs but once
            for each in self._of_users(mutant.file):
                hit |= self._reaching(each)
        name = record_at(source, mutant.line)
        named = np.array([name is not None and f"[{name}]" in test for test in self.tests])
        found: dict[str, float] = {}
        for i in np.flatnonzero((hit | named) & self.usable):
            test = self.tests[i]
            test = test.partition("::")[0] if ".md::" in test else test  # a page runs as a whole
            found[test] = found.get(test, 0.0) + float(self.seconds[i])
        return _ordered(found, mutant.folder(), name, budget)


def record_at(source: str, line: int) -> str | None:
    """The op whose record stands at a line: `elementwise("hypot", ...)` is that of hypot."""
    for node in ast.parse(source).body:
        match node:
            case ast.Expr(value=ast.Call(args=[ast.Constant(value=str(name)), *_])):
                if node.lineno <= line <= (node.end_lineno or 0):
                    return name
    return None


def _ordered(
    tests: dict[str, float], folder: str, name: str | None, budget: float
) -> list[tuple[str, float]]:
    files: dict[str, list[str]] = {}
    for test in sorted(tests, key=lambda t: (f"[{name}]" not in t, tests[t])):
        files.setdefault(test.partition("::")[0], []).append(test)
    turn = [
        (place, f"tests/{folder}" not in file, file, test)
        for file, own in files.items()
        for place, test in enumerate(own)
    ]
    found, total = [], 0.0
    for _, _, _, test in sorted(turn):
        total += tests[test]
        if found and total > budget:
            break
        found.append((test, tests[test]))
    return found


# The plugin. The folder that it writes to, and the number of marks, come from the environment.

FOLDER = os.environ.get("DIMFLOW_REACH", "")
MARKED = Marks(int(os.environ.get("DIMFLOW_MARKS", "0")))


class Recorder:
    """After each test: its name, how long it took, whether it passed, which marks it set."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stream = gzip.open(path, "wt", compresslevel=1)  # noqa: SIM115
        self.seconds = 0.0
        self.passed = True

    def pytest_runtest_logstart(self) -> None:
        self.seconds, self.passed = 0.0, True
        MARKED[:] = bytes(len(MARKED))

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds += report.duration
        self.passed &= report.outcome != "failed"

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        places, at = [], MARKED.find(1)
        while at >= 0:
            places.append(at)
            at = MARKED.find(1, at + 1)
        row = [nodeid, round(self.seconds, 3), self.passed, places]
        self.stream.write(json.dumps(row) + "\n")

    def pytest_sessionfinish(self) -> None:
        self.stream.close()


def pytest_configure(config: Any) -> None:
    controls = getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput")
    if FOLDER and not controls:
        config.pluginmanager.register(Recorder(Path(FOLDER) / f"{os.getpid()}.gz"))


if FOLDER:  # the plugin and the marked source see the same object under any name of this module
    sys.modules["tools.reach"] = sys.modules[__name__]
