"""The tool that plants small bugs: its changes are changes, and its verdicts are the tests'."""

import subprocess
import sys
from pathlib import Path

from tools.mutations import is_change, mutants_of, sample, sources_of

ROOT = Path(__file__).resolve().parents[2]

# As the tool does it: libraries are there before the tests run, and warnings are errors.
RUN = """
import importlib, sys
from pathlib import Path
from tools.mutants import LIBRARIES, pytest_in
for name in LIBRARIES[:3]:
    importlib.import_module(name)
for name, limit in (("good", 120), ("bad", 120), ("long", 4)):
    print(pytest_in(Path(sys.argv[1]), [f"test_it.py::test_{name}"], limit))
"""
TESTS = """
import time
def test_good(): assert 1 + 1 == 2
def test_bad(): assert 1 + 1 == 3
"""


def test_a_run_tells_passed_from_failed_and_from_endless(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\nfilterwarnings = ["error"]'
    )
    (tmp_path / "test_it.py").write_text(TESTS + "def test_long(): time.sleep(60)\n")
    command = [sys.executable, "-c", RUN, str(tmp_path)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.stdout.splitlines() == [
        "('passed', [])",
        "('failed', ['test_it.py::test_bad'])",
        "('timeout', [])",
    ], ran.stderr


def test_a_planted_bug_is_python_and_is_elsewhere_for_another_seed() -> None:
    sources = sources_of(ROOT, "array")
    one, again, other = (sample(sources, 12, seed) for seed in (1, 1, 2))
    assert one == again
    assert one != other
    for mutant in one:
        assert is_change(mutant, sources[mutant.file])
        compile(mutant.planted(sources[mutant.file]), mutant.file, "exec")


def test_words_of_messages_are_left_alone() -> None:
    source = 'def f(x):\n    """A text."""\n    raise ValueError(f"{x} is not 1")\n'
    assert mutants_of(source, "src/dimflow/array/f.py") == []
