"""Completion: the script for bash, run by bash, and the answers that all shells ask for."""

import subprocess

import pytest

from dimflow import Unit
from dimflow.cli.commands.completion import SCRIPTS
from dimflow.cli.program import COMMANDS
from tests.cli.conftest import COMMAND, Run, environment


def answers(run: Run, *words: str) -> list[str]:
    result = run("__complete", *words)
    assert (result.code, result.err) == (0, "")
    return [line.partition("\t")[0] for line in result.lines]


def in_bash(*words: str) -> list[str]:
    """The candidates for the last word, as bash gets them from the script."""
    script = """
        source <("$0" completion bash)
        COMP_WORDS=("$0" "$@") COMP_CWORD=$#
        "$(complete -p dimflow | sed 's/.*-F \\([^ ]*\\).*/\\1/')" "$0"
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", script, COMMAND, *words],
        capture_output=True,
        text=True,
        check=True,
        env=environment(),
    )
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if line]


def test_bash_completes_commands() -> None:
    assert in_bash("con") == ["convert", "constants"]
    assert in_bash("") == [*COMMANDS, "--help", "--version"]


def test_bash_completes_units_and_options() -> None:
    assert "mile/hour" in in_bash("convert", "65", "mile/hou")
    assert in_bash("convert", "--prec") == ["--precision"]
    assert in_bash("convert", "--via", "=", "spec") == ["spectral"]


def test_bash_escapes_outside_of_quotes_only() -> None:
    assert in_bash("units", "--family", "angles") == [r"angles\ on\ the\ sky"]
    assert in_bash("units", "--family", '"angles') == ["angles on the sky"]
    assert "65 mile/hour" in in_bash("convert", '"65 mile/hou')


@pytest.mark.parametrize("shell", SCRIPTS)
def test_every_script_asks_the_command(run: Run, shell: str) -> None:
    script = run("completion", shell).out
    assert script == SCRIPTS[shell]
    assert "__complete" in script


def test_commands_and_options_come_with_a_description(run: Run) -> None:
    assert run("__complete", "con").lines[0] == f"convert\t{COMMANDS['convert']}"
    assert "--json\tprint a JSON list, for programs" in run("__complete", "units", "--").lines


def test_the_last_name_of_a_unit_text_is_completed(run: Run) -> None:
    assert "kg*metre" in answers(run, "parse", "kg*metr")
    assert "J/(kg*kelvin" in answers(run, "parse", "J/(kg*kelv")
    assert "kilometre" in answers(run, "parse", "kilom")
    assert "km" in answers(run, "parse", "k")


def test_other_names_are_offered_where_no_own_name_fits(run: Run) -> None:
    assert "light_year" in answers(run, "parse", "light_y")
    assert "lightyear" not in answers(run, "parse", "light")
    assert "feet" in answers(run, "parse", "fee")


def test_a_target_is_of_the_dimension_of_the_value(run: Run) -> None:
    targets = answers(run, "convert", "65 mile/hour", "k")
    assert {"knot", "kph"} <= set(targets)
    assert all(Unit(name).is_compatible("m/s") for name in targets)
    assert answers(run, "convert", "65", "mile/hour", "--to", "k") == targets
    assert "km/hour" in answers(run, "convert", "65 mile/hour", "km/ho")
    assert "knot" in answers(run, "convert", "65 mile/hour", "")


@pytest.mark.parametrize(
    ("words", "first"),
    [
        (["5 m", "k"], "km"),
        (["5", "m", "k"], "km"),
        (["5 m", "m"], "m"),
        (["5 J", "k"], "kJ"),
        (["3 kg", "m"], "mg"),
        (["5 Pa", "h"], "hPa"),
        (["1 h", "m"], "ms"),
        (["5 V", "m"], "mV"),
        (["1 mile", "kilom"], "kilometre"),
    ],
)
def test_multiples_of_the_SI_unit_come_first(run: Run, words: list[str], first: str) -> None:
    assert answers(run, "convert", *words)[0] == first


def test_an_equivalency_opens_every_dimension(run: Run) -> None:
    assert "THz" not in answers(run, "convert", "500 nm", "me")
    assert "hertz" in answers(run, "convert", "--via", "spectral", "500 nm", "hert")


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["convert", "--via", "mass"], ["mass_energy"]),
        (["convert", "--system", "SI"], ["SI", "SI_base"]),
        (["convert", "--style", ""], ["ucum", "latex", "siunitx", "html"]),
        (["completion", ""], ["bash", "zsh", "fish"]),
        (["constants", "Boltzmann_constant_in_e"], ["Boltzmann_constant_in_eV_per_K"]),
        (["constants", "--source", "IAU 1976"], ["IAU 1976 System of Astronomical Constants"]),
        (["info", ""], []),
        (["bogus", ""], []),
        (["convert", ""], []),
        ([], [*COMMANDS, "--help", "--version"]),
    ],
)
def test_answers(run: Run, words: list[str], answer: list[str]) -> None:
    assert answers(run, *words) == answer


def test_every_unit_that_is_offered_exists(run: Run) -> None:
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ°"
    offered = [name for letter in letters for name in answers(run, "parse", letter)]
    assert len(offered) > 1500
    for name in offered:
        Unit(name)
