"""Where the output goes: terminals, pipes that close, streams that know no Unicode."""

import json
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
from fcntl import ioctl
from pathlib import Path
from typing import TextIO

import pytest

from tests.cli.conftest import COMMAND, Run, environment

BOLD, DIM, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def on_a_terminal(*words: str, columns: int = 80, **more: str) -> str:
    """What the command writes to a terminal of so many columns, standard error included."""
    leader, follower = pty.openpty()
    ioctl(follower, termios.TIOCSWINSZ, struct.pack("4H", 50, columns, 0, 0))
    process = subprocess.Popen(
        [COMMAND, *words],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=environment(**more),
    )
    os.close(follower)
    written = b""
    try:
        while chunk := os.read(leader, 65536):
            written += chunk
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(leader)
    process.wait()
    return written.decode().replace("\r\n", "\n")


def into(stream: int | TextIO, *words: str) -> tuple[int, bytes]:
    """The exit code and the errors of the command with its output going into a stream."""
    done = subprocess.run(
        [COMMAND, *words], stdout=stream, stderr=subprocess.PIPE, check=False, env=environment()
    )
    return done.returncode, done.stderr


def test_a_terminal_gets_bold(installed: Run) -> None:
    assert on_a_terminal("convert", "1 mile", "m") == f"1 mi = {BOLD}1609.344 m{PLAIN}\n"
    assert installed("convert", "1 mile", "m").out == "1 mi = 1609.344 m\n"
    assert on_a_terminal("convert", "1 m").startswith("1 m = ")
    assert f"{DIM}definition{PLAIN}" in on_a_terminal("units", "psi", "-l")


@pytest.mark.parametrize("wish", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colour_where_none_is_wanted(wish: dict[str, str]) -> None:
    assert on_a_terminal("convert", "1 mile", "m", **wish) == "1 mi = 1609.344 m\n"


def test_a_table_fits_the_terminal(installed: Run) -> None:
    whole = installed("units", "gallon").lines
    assert max(map(len, whole)) > 72
    cut = on_a_terminal("units", "gallon", columns=72, NO_COLOR="1").splitlines()
    assert len(cut) == len(whole)
    assert max(map(len, cut)) == 72
    assert any("…" in line for line in cut)
    for line, full in zip(cut, whole, strict=True):  # the value is never cut
        assert line.split("  ")[-1].strip() == full.split("  ")[-1].strip()


def test_a_long_hint_is_broken_under_itself() -> None:
    lines = on_a_terminal("convert", "60", "rpm", "Hz", NO_COLOR="1").splitlines()
    assert lines[0] == "dimflow: cannot convert rpm to Hz"
    assert max(map(len, lines)) <= 80
    hint = lines.index("  hint:  an angle is not a pure number: --via cycles gives 0.0166667 Hz")
    assert all(line.startswith(" " * 9) for line in lines[hint + 1 :])


def test_the_reader_may_close_the_pipe() -> None:
    """`dimflow units --json | head -1`: no traceback, and the code of a broken pipe."""
    with subprocess.Popen(
        [COMMAND, "units", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"[\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


@pytest.mark.parametrize("words", [["--help"], ["convert", "1 m", "ft"], ["units", "psi", "-l"]])
def test_nobody_may_read_at_all(words: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [COMMAND, *words], stdout=writing, stderr=subprocess.PIPE, check=False, env=environment()
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("words", [["convert", "1 m", "ft"], ["units", "--json"], ["--help"]])
def test_a_full_disk_is_an_error(words: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [COMMAND, *words], stdout=full, stderr=subprocess.PIPE, check=False, env=environment()
        )
    assert (done.returncode, done.stderr) == (2, b"dimflow: No space left on device\n")


@pytest.mark.parametrize("closed", ["1", "2"])
def test_a_closed_stream_is_no_crash(closed: str) -> None:
    line = f'"$0" info {closed}>&-; "$0" convert 1 m s {closed}>&-'
    done = subprocess.run(["sh", "-c", line, COMMAND], capture_output=True, check=False)
    assert done.returncode == 2
    assert b"Traceback" not in done.stdout + done.stderr


def test_an_interrupt_ends_quietly() -> None:
    # a shell's & ignores interrupts, and a function run after a fork is unsafe beside JAX's threads
    hearing = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); "
    hearing += "os.execv(sys.argv[1], sys.argv[1:])"
    process = subprocess.Popen(
        [sys.executable, "-c", hearing, COMMAND, "convert", "-", "km"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(PYTHONUNBUFFERED="1"),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"1 mile\n")
    process.stdin.flush()
    assert process.stdout.readline() == b"1 mi = 1.609344 km\n"  # it waits for the next line
    process.send_signal(signal.SIGINT)
    process.wait(timeout=60)  # before the pipe is closed: the end of the input is another end
    out, err = process.communicate()
    assert (process.returncode, out, err) == (130, b"", b"")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_stream_without_unicode_gets_plain_text(installed: Run, encoding: str) -> None:
    def plain(*words: str) -> str:
        return installed(*words, PYTHONIOENCODING=encoding).out

    assert plain("convert", "20 °C", "°F") == "20 degC = 68 degF\n"
    assert plain("convert", "5 µm", "Å") == "5 um = 50000 AA\n"
    assert plain("convert", "1 km", "mile") == "1 km ~= 0.621371192237 mi\n"
    assert "1 kg*m**2/(s**3*A**2)" in plain("convert", "1 ohm")
    assert "x dBm = 10^(x/10) * 0.001 W" in plain("units", "dBm", "--long")


def test_json_is_whole_on_a_stream_without_unicode(installed: Run) -> None:
    words = ["units", "ohm", "--json"]
    plain = installed(*words, PYTHONIOENCODING="ascii").out
    assert plain.isascii()
    assert json.loads(plain) == json.loads(installed(*words).out)
    assert "Ω" in json.loads(plain)[0]["symbols"]


def test_ascii_output_shows_every_unit_and_constant(installed: Run) -> None:
    for command in ("units", "constants"):
        for shape in ("--long", "--json"):
            result = installed(command, shape, PYTHONIOENCODING="ascii")
            assert (result.code, result.out.isascii()) == (0, True)


def test_every_letter_of_ours_has_a_form_in_ascii(installed: Run) -> None:
    """What a question mark stands for is lost."""
    letters = "°µμΩ·×≈…–—−’′″ħßøΔπνλé"
    assert "?" not in installed("convert", f"3 {letters}", "m", PYTHONIOENCODING="ascii").err


def test_a_c_locale_reads_unicode_arguments(installed: Run) -> None:
    c_locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    assert installed("convert", "20 °C", "°F", **c_locale).out == "20 degC = 68 degF\n"
