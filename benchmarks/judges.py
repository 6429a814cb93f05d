"""Judges of answers: each raises WrongAnswer if a library's result is not what it should be."""

from collections.abc import Callable
from math import isclose
from typing import Any

from benchmarks.libraries import Library
from benchmarks.race import WrongAnswer
from benchmarks.texts import Power, meaning

Judge = Callable[[Library, Any, str], None]  # the library, its result, the statement


def means(*terms: tuple[str, Power]) -> Judge:
    """A unit that is this product of powers, by a table that is nobody's own."""
    return lambda library, result, work: library.require(result, meaning(terms), work)


def reads_back(*terms: tuple[str, Power]) -> Judge:
    """A text from which the library reads this product."""
    judge = means(*terms)
    return lambda library, result, work: judge(library, library.read(result), work)


def is_number(expected: float) -> Judge:
    return lambda library, result, work: _require(
        isclose(result, expected, rel_tol=1e-12), library, result, work
    )


def is_exactly(expected: object) -> Judge:
    return lambda library, result, work: _require(result is expected, library, result, work)


def contains(*parts: str) -> Judge:
    return lambda library, result, work: _require(
        all(part in result for part in parts), library, result, work
    )


def is_hash_of(text: str) -> Judge:
    """The hash that the same unit has when it is read anew."""
    return lambda library, result, work: _require(
        result == hash(library.read(text)), library, result, work
    )


def knows_all(library: Library, names: list[str]) -> None:
    """The library gives every name the meaning of our table."""
    for name in names:
        library.require(library.read(name), meaning(((name, 1),)), name)


def refuses(library: Library, text: str) -> None:
    """The library cannot read the text; once it can, it belongs in the race."""
    try:
        unit = library.read(text)
    except Exception:  # each library has errors of its own
        return
    raise WrongAnswer(f"{library.name} reads {text!r} now: {unit!r}")


def _require(is_right: bool, library: Library, result: object, work: str) -> None:
    if not is_right:
        raise WrongAnswer(f"{library.name}: {work} is {result!r}")
