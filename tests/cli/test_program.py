"""What holds for every command: help, errors, exit codes, start-up."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import dimflow
from dimflow.cli import commands
from dimflow.cli.program import COMMANDS, module_of
from tests.cli.conftest import Run

FILES = {path.stem for path in Path(commands.__path__[0]).glob("*.py")} - {"__init__"}


def test_every_command_is_a_file_and_every_file_a_command() -> None:
    assert set(COMMANDS) == FILES


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_tells_what_it_does_how_and_how_it_ends(run: Run, command: str) -> None:
    result = run(command, "--help")
    assert result.code == 0
    assert result.err == ""
    assert result.out.startswith(f"usage: dimflow {command}")
    assert "exit codes:" in result.out
    assert f"dimflow {command} " in result.out.partition("options:")[2]
    assert run("help", command) == result


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_a_terminal_of_80_columns(installed: Run, command: str) -> None:
    lines = installed(command, "--help", COLUMNS="80").lines
    assert [line for line in lines if len(line) > 80] == []


def examples() -> list[str]:
    """The lines of help that are commands, without the remark that stands after them."""
    lines = [
        line.strip().partition("   ")[0]
        for command in COMMANDS
        for line in module_of(command).EXAMPLES.splitlines()
    ]
    return [line for line in lines if line.startswith("dimflow ") and ">" not in line]


@pytest.mark.parametrize("line", examples())
def test_every_example_of_the_help_works(run: Run, line: str) -> None:
    result = run(*shlex.split(line)[1:])
    assert (result.code, result.err.count("\n") < 4) == (0, True)
    assert result.out


def test_the_first_example_says_what_it_prints(run: Run) -> None:
    line = module_of("convert").EXAMPLES.splitlines()[2]
    command, _, told = line.strip().partition("   ")
    assert run(*shlex.split(command)[1:]).out.strip() == told.strip()


def test_help_lists_the_commands(run: Run) -> None:
    result = run("--help")
    assert result.code == 0
    assert all(f"  {name:<12}{told}\n" in result.out for name, told in COMMANDS.items())
    assert run("help") == result


def test_no_command_is_wrong_usage_and_shows_the_help(run: Run) -> None:
    result = run()
    assert (result.code, result.out, result.err) == (2, "", run("--help").out)


def test_version(run: Run) -> None:
    assert run("--version") == (0, f"dimflow {dimflow.__version__}\n", "")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["unit"], "no command is called 'unit'\n  hint:  did you mean 'units'?"),
        (["xyzzy"], f"no command is called 'xyzzy'\n  hint:  commands: {', '.join(COMMANDS)}"),
        (["5 m", "ft"], "no command is called '5 m'\n  hint:  dimflow convert \"5 m\" ft"),
    ],
)
def test_an_unknown_command_is_told_what_was_meant(run: Run, words: list[str], text: str) -> None:
    assert run(*words) == (2, "", f"dimflow: {text}\n")


@pytest.mark.parametrize("words", [["--bogus"], ["convert", "1", "m", "--bogus"], ["completion"]])
def test_wrong_usage_ends_with_2(run: Run, words: list[str]) -> None:
    result = run(*words)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("usage: dimflow")


def test_python_m_dimflow_is_the_command(installed: Run) -> None:
    words = ["convert", "1 mile", "m"]
    module = [sys.executable, "-m", "dimflow", *words]
    done = subprocess.run(module, capture_output=True, text=True, check=True)
    assert done.stdout == "1 mi = 1609.344 m\n"
    assert installed(*words) == (0, done.stdout, "")


def test_the_installed_command_passes_its_exit_code_on(installed: Run) -> None:
    assert installed("units", "pascal").code == 0
    assert installed("units", "no such unit").code == 1
    assert installed("convert", "1 m", "s").code == 2


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["completion", "bash"], []])
def test_starting_up_reads_no_units_and_no_numpy(words: list[str]) -> None:
    code = (
        "import json, sys\nfrom dimflow.cli import main\nsys.stdout, out = sys.stderr, sys.stdout\n"
        f"main({words!r})\nprint(json.dumps(sorted(sys.modules)), file=out)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    modules = set(json.loads(done.stdout))
    assert "dimflow.cli.program" in modules
    assert not {m for m in modules if m.startswith(("numpy", "dimflow.units", "dimflow.const"))}


@pytest.mark.parametrize(
    ("words", "allowed"),
    [
        (["convert", "1 m", "ft"], set()),
        (["units"], set()),
        (["constants"], set()),
        (["info", "--help"], set()),
        (["info"], {"numpy"}),  # it counts the operations, whose dtype rules are NumPy's
    ],
)
def test_no_command_imports_an_array_library(words: list[str], allowed: set[str]) -> None:
    libraries = {"numpy", "torch", "jax", "dask", "mlx"} - allowed
    code = (
        "import sys\nfrom dimflow.cli import main\nmain(sys.argv[1:])\n"
        f"sys.exit(bool({libraries!r} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, check=False)
    assert run.returncode == 0
