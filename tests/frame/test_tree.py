"""What holds for every file of the repository."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONGEST = 600  # lines; the aim is 400

# Each in two parts, so that this file does not hold what it forbids.
REGISTRY_HOSTS = [
    f"{name}.{top}"
    for name, top in [
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("anaconda", "org"),
        ("anaconda", "com"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("crates", "io"),
    ]
]
MACHINE_PATHS = [rf"(?<![\w.<-])/{folder}/" for folder in ("work", "root", "tmp", "home", "opt")]
FORBIDDEN = re.compile("|".join([*map(re.escape, REGISTRY_HOSTS), *MACHINE_PATHS]))


def ignored_folders() -> set[str]:
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    return {line.rstrip("/") for line in lines if line.endswith("/")} | {".git"}


def files_under(folder: Path, ignored: set[str]) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            if path.name not in ignored and not path.name.endswith(".egg-info"):
                yield from files_under(path, ignored)
        else:
            yield path


FILES = list(files_under(ROOT, ignored_folders()))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_the_walk_finds_the_repository() -> None:
    found = {name(path) for path in FILES}
    assert {".ci/run", "pyproject.toml", "src/dimflow/py.typed", "tests/conftest.py"} <= found


def test_no_file_names_a_registry_or_a_path_of_one_machine() -> None:
    hits = [
        f"{name(path)}:{number}: {line.strip()[:100]}"
        for path in FILES
        for number, line in enumerate(text_lines(path), 1)
        if FORBIDDEN.search(line)
    ]
    assert hits == []


def text_lines(path: Path) -> list[str]:
    """The lines of a text file; none of an image or another binary one."""
    data = path.read_bytes()
    return [] if b"\0" in data else data.decode("utf-8").splitlines()


@pytest.mark.parametrize("suffix", [".py", ".md"])
def test_a_file_is_one_idea(suffix: str) -> None:
    lengths = {name(path): len(text_lines(path)) for path in FILES if path.suffix == suffix}
    assert {path: lines for path, lines in lengths.items() if lines > LONGEST} == {}
