"""The pages of worked examples show the programs as they are, and pictures that exist."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "guide" / "uses").glob("*.md"))
USES = {"adsorption", "argon", "heat_equation", "orbit", "pendulum", "van_der_waals"}


def bare(function: ast.FunctionDef) -> str:
    """A function without its docstring and annotations, as text."""
    for node in ast.walk(function):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            if ast.get_docstring(node) is not None:
                node.body = node.body[1:]
        if isinstance(node, ast.arg):
            node.annotation = None
    return ast.unparse(function)


def functions(source: str) -> dict[str, str]:
    """The functions of a program by name, those inside of others too."""
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    return {node.name: bare(node) for node in found}


def shown(page: Path) -> str:
    """The code of a page, without prompts and answers."""
    fences = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    lines = [line for fence in fences for line in fence.splitlines()]
    code = [line[4:] for line in lines if line.startswith((">>> ", "... "))]
    return "\n".join(code)


def test_there_is_a_page_and_a_program_and_a_picture_to_each_use() -> None:
    assert {page.stem for page in PAGES} == USES
    for name in USES:
        assert (ROOT / "examples" / f"{name}.py").is_file()
        picture = ROOT / "docs" / "assets" / f"uses_{name}.png"
        assert picture.read_bytes().startswith(b"\x89PNG")
        assert f"(../../assets/{picture.name})" in (PAGES[0].parent / f"{name}.md").read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_functions_on_a_page_are_those_of_the_program(page: Path) -> None:
    program = functions((ROOT / "examples" / f"{page.stem}.py").read_text(encoding="utf-8"))
    on_page = functions(shown(page))
    assert on_page
    assert on_page == {name: program.get(name) for name in on_page}


def test_every_page_with_code_is_run() -> None:
    run = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "docs"]
    done = subprocess.run(run, capture_output=True, text=True, check=True, cwd=ROOT)
    collected = {line.partition("::")[0] for line in done.stdout.splitlines() if "::" in line}
    pages = [page for page in (ROOT / "docs").rglob("*.md") if "```python" in page.read_text()]
    assert {page.relative_to(ROOT).as_posix() for page in pages} <= collected
