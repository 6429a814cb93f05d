"""The command, run in this process and as it is installed."""

import os
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from dimflow.cli import main

COMMAND = Path(sysconfig.get_path("scripts")) / "dimflow"
CHANGING = ("COLUMNS", "NO_COLOR", "PYTHONIOENCODING", "PYTHONUNBUFFERED", "PYTHONUTF8")


def environment(**more: str) -> dict[str, str]:
    """This process's environment, without what would change the output, and with more."""
    kept = {name: value for name, value in os.environ.items() if name not in CHANGING}
    return {**kept, "LC_ALL": "C.UTF-8", "TERM": "xterm", **more}


class Result(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


Run = Callable[..., Result]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """`run("convert", "1 m", "ft")` in this process."""

    def call(*words: str) -> Result:
        capsys.readouterr()
        return Result(main(words), *capsys.readouterr())

    return call


@pytest.fixture
def installed() -> Run:
    """The same by the command that pip installed, with an input and more environment."""

    def call(*words: str, stdin: str | bytes = "", **more: str) -> Result:
        done = subprocess.run(
            [COMMAND, *words],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            check=False,
            env=environment(**more),
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    return call
