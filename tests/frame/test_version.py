"""The version is written once, in pyproject.toml."""

import subprocess
import sys
import tomllib
from pathlib import Path

import dimflow

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_version_is_that_of_pyproject() -> None:
    assert dimflow.__version__ == PROJECT["version"]


def test_changelog_has_a_part_for_this_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## [{PROJECT['version']}]" in changelog


def test_version_is_read_only_when_asked() -> None:
    code = (
        "import sys; before = 'importlib.metadata' in sys.modules; import dimflow; "
        "sys.exit('importlib.metadata' in sys.modules and not before)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_numpy_is_the_only_hard_dependency() -> None:
    assert [requirement.split(">=")[0] for requirement in PROJECT["dependencies"]] == ["numpy"]


def test_the_package_is_typed() -> None:
    assert (Path(dimflow.__file__).parent / "py.typed").is_file()
