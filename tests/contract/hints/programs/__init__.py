"""The programs, by what their authors meant to do: every module of this package has some."""

from importlib import import_module
from pathlib import Path

_FILES = sorted(Path(__file__).parent.glob("[a-z]*.py"))

PROGRAMS = [
    program for file in _FILES for program in import_module(f"{__name__}.{file.stem}").PROGRAMS
]
