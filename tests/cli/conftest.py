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

    def call(*words: str, stdin: str | bytes = "", **environment: str) -> Result:
        done = subprocess.run(
            [COMMAND, *words],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            check=False,
            env={**os.environ, "LC_ALL": "C.UTF-8", **environment},
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    return call
