"""From the words of a command line to a command, its exit code, and its errors as text."""

import os
import re
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType

from dimflow.cli import terminal
from dimflow.errors import DimflowError

COMMANDS = {
    "convert": "a value from one unit into another",
    "units": "browse and search the units",
    "constants": "browse and search the constants of nature and astronomy",
    "parse": "how a unit is understood, and how each notation spells it",
    "info": "versions, what is installed, unit plugins",
    "completion": "print a completion script for bash, zsh or fish",
}
NO_RESULT = 1
WRONG = 2
_INTERRUPTED = 130  # as a shell reports a program that SIGINT ended
_NOBODY_READS = 141  # the same for SIGPIPE

_EXAMPLES = """
examples:
  dimflow convert "65 mile/hour" km/h
  dimflow convert 500 nm THz --via spectral
  dimflow units pressure
  dimflow constants electron mass
"""
EXIT_CODES = """
exit codes:
  0  done
  1  nothing was found
  2  wrong usage, an unknown unit, or a conversion that has no meaning
  130 and 141 after an interrupt, and when nobody reads the output any more
"""
# An argument that begins so is a value and not an option, whatever argparse thinks.
_NEGATIVE = re.compile(r"\A-(?=\.?[0-9]|inf\b|nan\b)")
# How an error's hint names an option of the library, and how the command does
_OPTIONS: list[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]] = [
    (re.compile(r"\bx\.to\('[^']*', via='(\w+)'\)"), r"--via \1"),
    (re.compile(r"\bvia=\[?'(\w+)'\]?"), r"--via \1"),
    (re.compile(r"\bx((?:\.to\('[^']*'\))+)"), lambda call: _in_turn(call[1])),
    (re.compile(r"\bstyle='(\w+)'"), r"--style \1"),
    (re.compile(r"\bucum=True"), "--style ucum"),
]


def _in_turn(calls: str) -> str:
    """`.to('dB').to('')` as what the command is asked for: "to dB, then to ''"."""
    targets = re.findall(r"\('([^']*)'\)", calls)
    return ", then ".join(f"to {target or repr('')}" for target in targets)


class UsageError(Exception):
    """The words of a command line make no sense together."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the `dimflow` command; returns the exit code and raises nothing."""
    words = [_decoded(word) for word in (sys.argv[1:] if argv is None else argv)]
    terminal.prepare()
    try:
        code = _ended(words)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        _abandon_output()
        return _NOBODY_READS
    except OSError as error:  # a full disk
        _abandon_output()
        return _fail(error.strerror or str(error))
    return code


def _ended(words: list[str]) -> int:
    try:
        return _run(words)
    except SystemExit as leaving:  # argparse, after --help or a wrong option
        return leaving.code if isinstance(leaving.code, int) else WRONG
    except (UsageError, DimflowError) as error:
        return _fail(str(error))


def _abandon_output() -> None:
    """What is still in the buffer would fail again when Python closes the stream."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _decoded(word: str) -> str:
    """An argument as UTF-8, where the locale could not read it and Python kept its bytes."""
    return word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def parser_of(command: str) -> ArgumentParser:
    """The parser of one command, by the file that holds it."""
    return _prepared(command, module_of(command))


def module_of(command: str) -> ModuleType:
    """The file that holds a command."""
    return import_module(f"dimflow.cli.commands.{command}")


def _prepared(command: str, module: ModuleType) -> ArgumentParser:
    parser = ArgumentParser(
        prog=f"dimflow {command}",
        description=module.__doc__ or "",
        epilog=module.EXAMPLES.strip("\n") + "\n" + EXIT_CODES,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,  # an abbreviation would break when an option is added
    )
    module.add_arguments(parser)
    return parser


def _run(words: list[str]) -> int:
    if words[:1] == ["help"]:
        words = [*words[1:2], "--help"]
    if words and words[0] in COMMANDS:
        module = module_of(words[0])
        parser = _prepared(words[0], module)
        arguments = parser.parse_intermixed_args([_NEGATIVE.sub(" -", w) for w in words[1:]])
        return int(module.run(arguments))
    if words[:1] == ["__complete"]:
        from dimflow.cli.complete import complete

        return complete(words[1:])
    if words and not words[0].startswith("-"):
        raise UsageError(_unknown(words[0], words))
    return _without_command(words)


def _without_command(words: list[str]) -> int:
    listed = "\n".join(f"  {name:<12}{summary}" for name, summary in COMMANDS.items())
    parser = ArgumentParser(
        prog="dimflow",
        usage="dimflow COMMAND [ARGUMENT ...]",
        description=f"Physical units, exact: convert, look up, check.\n\ncommands:\n{listed}",
        epilog=f"{_EXAMPLES.strip()}\n{EXIT_CODES}\n`dimflow COMMAND --help` tells more.",
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="show the version and exit")
    if not parser.parse_args(words).version:
        parser.print_help(sys.stderr)
        return WRONG
    from dimflow import __version__

    print(f"dimflow {__version__}")
    return 0


def _unknown(command: str, words: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(command, COMMANDS, 1, 0.5)
    if command[:1].isdigit():
        hint = "dimflow convert " + " ".join(f'"{w}"' if " " in w else w for w in words)
    else:
        hint = f"did you mean {near[0]!r}?" if near else "commands: " + ", ".join(COMMANDS)
    return f"no command is called {command!r:.60}\n  hint:  {hint}"


def _fail(text: str) -> int:
    sys.stdout.flush()
    for pattern, option in _OPTIONS:
        text = pattern.sub(option, text)
    text = terminal.fitted(text, sys.stderr)
    print(terminal.loud("dimflow:", sys.stderr), text, file=sys.stderr)
    return WRONG
