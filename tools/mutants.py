"""Would the tests notice? Plants small bugs at random and runs the tests that reach them.

    python tools/mutants.py --record               # once: what each test reaches
    python tools/mutants.py --count 20 --seed 7    # plant twenty bugs and see which are noticed
    python tools/mutants.py --count 20 --seed 7 --only 3

A bug is one change of one expression or statement of `src/dimflow` (`tools/mutations.py`). It is
planted in a temporary copy of the tree, never in the checkout. The cheapest tests that reach it run
first, then the others, then mypy; the first failure ends it. A bug that nobody notices survives.
"""

import argparse
import importlib
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.mutations import Mutant, sample, sources_of  # noqa: E402
from tools.reach import Reach, copied, environment, record  # noqa: E402

QUICK = 5.0, 40  # seconds and number of the tests that run first
NOTICED = {"failed": "a test failed", "timeout": "the tests did not end", "mypy": "mypy objects"}

# Imported once, before each run of tests is forked: the libraries take longer than the tests do.
LIBRARIES = ["pytest", "hypothesis", "numpy", "scipy.special", "pandas", "xarray", "dask.array"]
LIBRARIES += ["torch", "jax", "mlx.core", "array_api_compat.torch", "astropy.units", "unyt", "pint"]


class Verdict(NamedTuple):
    """What became of a bug."""

    number: int
    mutant: Mutant
    verdict: str
    by: str  # the test that failed
    seconds: float

    @property
    def is_noticed(self) -> bool:
        return self.verdict in NOTICED


class Noter:
    """A plugin of pytest that keeps the names of the tests that fail."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.outcome == "failed":
            self._note(report.nodeid)

    def pytest_collectreport(self, report: Any) -> None:
        if report.outcome == "failed":
            self._note(report.nodeid)

    def _note(self, name: str) -> None:
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(name + "\n")


def pytest_in(tree: Path, tests: list[str], timeout: float, *options: str) -> tuple[str, list[str]]:
    """Run tests in a fork of this process, which has the libraries: passed, failed, timeout."""
    notes = tree / "build" / "failed"
    notes.parent.mkdir(exist_ok=True)
    notes.write_text("")
    child = os.fork()
    if not child:
        code = 3
        try:
            os.setsid()
            with (tree / "build" / "output").open("w") as stream:
                os.dup2(stream.fileno(), 1)
                os.dup2(stream.fileno(), 2)
            os.chdir(tree)
            os.environ.update(environment(tree))
            sys.path[:0] = [str(tree / "src"), str(tree)]
            for name in [n for n in sys.modules if n.split(".")[0] == "tools"]:
                del sys.modules[name]
            plain = ["-q", "-p", "no:cacheprovider", "--tb=short", f"--rootdir={tree}", *options]
            plain += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # of what is here already
            code = int(sys.modules["pytest"].main([*plain, *tests], plugins=[Noter(notes)]))
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    end = time.monotonic() + timeout
    while not (status := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > end:
            os.killpg(child, 9)
            os.waitpid(child, 0)
            return "timeout", notes.read_text("utf-8").splitlines()
        time.sleep(0.05)
    verdict = "passed" if os.waitstatus_to_exitcode(status[1]) == 0 else "failed"
    return verdict, notes.read_text("utf-8").splitlines()


@cache
def _tree() -> Path:
    """This worker's copy, which goes when the worker does."""
    for name in LIBRARIES:
        importlib.import_module(name)
    folder = tempfile.TemporaryDirectory(prefix="mutants-")
    _KEPT.append(folder)
    return copied(ROOT, Path(folder.name))


_KEPT: list[Any] = []


@cache
def _reach() -> Reach:
    return Reach.read(ROOT)


def judge(number: int, mutant: Mutant, budget: float, timeout: float, by_mypy: bool) -> Verdict:
    """Plant a bug, run tests until one fails, and take it out again."""
    started, tree = time.monotonic(), _tree()
    path = tree / mutant.file
    source = path.read_text("utf-8")
    candidates = _reach().tests_of(mutant, source, budget)
    quick, rest = _split(candidates)
    verdict, by = ("survived", []) if candidates else ("unreached", [])
    try:
        path.write_text(mutant.planted(source), "utf-8")
        stamp = 1_000_000_000 + 2 * number  # a cache of bytecode goes by time and size
        os.utime(path, (stamp, stamp))
        for tests in (quick, rest):
            if tests:
                found, by = pytest_in(tree, tests, timeout, "-x")
                if found != "passed":
                    verdict = found
                    break
        else:
            if by_mypy and _mypy(tree):
                verdict = "mypy"
    finally:
        path.write_text(source, "utf-8")
        os.utime(path, (999_999_999, 999_999_999))
    return Verdict(number, mutant, verdict, by[0] if by else "", time.monotonic() - started)


def _split(tests: list[tuple[str, float]]) -> tuple[list[str], list[str]]:
    quick: list[str] = []
    total = 0.0
    for name, seconds in tests:
        total += seconds
        if total > QUICK[0] or len(quick) >= QUICK[1]:
            break
        quick.append(name)
    return quick, [name for name, _ in tests[len(quick) :]]


def _mypy(tree: Path) -> bool:
    """Whether mypy objects; the first run in a tree fills its cache."""
    command = [sys.executable, "-m", "mypy", "--no-error-summary"]
    ran = subprocess.run(command, cwd=tree, capture_output=True, check=False)
    return ran.returncode == 1


def check_tests_run() -> None:
    """A run that fails whatever is planted would notice every bug."""
    found, _ = pytest_in(_tree(), ["tests/array/test_in_place.py"], 300)
    if found != "passed":
        raise SystemExit((_tree() / "build" / "output").read_text())


def doubted(verdicts: list[Verdict]) -> list[Verdict]:
    """A test that fails without the bug, too, has noticed nothing."""
    killers = sorted({v.by for v in verdicts if v.verdict == "failed" and v.by})
    _, failing = pytest_in(_tree(), [_whole(name) for name in killers], 3600)
    return [v._replace(verdict="in doubt") if v.by in failing else v for v in verdicts]


def _whole(name: str) -> str:
    """Examples of a page need those before them."""
    return name.partition("::")[0] if ".md::" in name else name


def report(verdicts: list[Verdict]) -> Iterator[str]:
    """The table, then the survivors."""
    folders: dict[str, Counter[str]] = {}
    for v in verdicts:
        kind = "noticed" if v.is_noticed else "survived"
        folders.setdefault(v.mutant.folder(), Counter())[kind] += 1
    yield f"{'folder':<12} {'planted':>7} {'noticed':>7} {'survived':>8}"
    for name, counts in sorted(folders.items()):
        row = sum(counts.values()), counts["noticed"], counts["survived"]
        yield f"{name:<12} {row[0]:>7} {row[1]:>7} {row[2]:>8}"
    noticed = sum(v.is_noticed for v in verdicts)
    how = Counter(v.verdict for v in verdicts)
    yield f"{noticed} of {len(verdicts)} noticed ({noticed / len(verdicts):.0%}): {dict(how)}"
    for v in verdicts:
        if not v.is_noticed:
            yield f"\n{v.number}: {v.verdict} {described(v.mutant)}"


def described(mutant: Mutant) -> str:
    """Where, and the change."""
    return f"{mutant.file}:{mutant.line} {mutant.kind}\n  - {mutant.before}\n  + {mutant.after}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--record", nargs="*", metavar="TESTS", help="note what tests reach")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=20, help="how many bugs")
    parser.add_argument("--folder", default="", help="a folder of src/dimflow")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="print the bugs and run nothing")
    parser.add_argument("--only", type=int, nargs="*", help="the numbers of some of them")
    parser.add_argument("--budget", type=float, default=60, help="seconds of tests for each bug")
    parser.add_argument("--timeout", type=float, default=900)
    parser.add_argument("--mypy", action="store_true", help="ask mypy about survivors")
    parser.add_argument("--json", type=Path, default=ROOT / "build" / "mutants.json")
    given = parser.parse_args(arguments)
    if given.record is not None:
        print(record(ROOT, given.record, given.jobs))
        return 0
    drawn = list(enumerate(sample(sources_of(ROOT, given.folder), given.count, given.seed)))
    chosen = [(n, mutant) for n, mutant in drawn if given.only is None or n in given.only]
    if given.list:
        for number, mutant in chosen:
            print(f"{number}: {described(mutant)}")
        return 0
    check_tests_run()
    limits = given.budget, given.timeout, given.mypy
    verdicts = []
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(given.jobs, context) as pool:
        for task in [pool.submit(judge, number, mutant, *limits) for number, mutant in chosen]:
            verdicts.append(v := task.result())
            print(
                f"{v.number}: {v.verdict} {v.seconds:.0f} s {v.mutant.file}:{v.mutant.line} {v.by}"
            )
    verdicts = doubted(verdicts)
    print("\n".join(report(verdicts)))
    given.json.parent.mkdir(exist_ok=True)
    rows = [v._replace(mutant=v.mutant._asdict())._asdict() for v in verdicts]
    given.json.write_text(json.dumps({"seed": given.seed, "verdicts": rows}, indent=1), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
