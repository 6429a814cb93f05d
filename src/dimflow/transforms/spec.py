"""Spec: what is known of an array without its data, and how one is written.

A text is a unit, then a dtype, then lengths: "kg" (one number), "kg[1000]", "m/s[3, ?]" (`?` is a
length that is not known), "m:float32[3]", "[10]" (pure numbers), ":bool[10]" (a mask).
"""

import re
from typing import Any, NamedTuple

import numpy as np

from dimflow.errors import UnitError, UnitParseError
from dimflow.ops.rules.units import PURE
from dimflow.units import Dimension, Unit

_LENGTH = re.compile(r"\s*(?:([0-9]+)|(\?)|([^\W\d]\w*)|(\.\.\.))?\s*")
_DTYPE = re.compile(r"bool|longdouble|(?:float|complex|u?int|[fcui])[0-9]*")
_DIGITS = 30
_FORM = (
    "a spec is a unit, then ':dtype', then '[lengths]'; each may be left out: 'm/s:float32[3, ?]'"
)

Length = int | str | None  # a name stands for a length that is the same everywhere


class Spec(NamedTuple):
    """Unit, shape and dtype of an array. No unit: plain, as masks and indices are."""

    unit: Unit | None
    shape: tuple[int | None, ...] = ()
    dtype: np.dtype[Any] = np.dtype(np.float64)

    @property
    def dimension(self) -> Dimension | None:
        """The dimension of the unit."""
        return None if self.unit is None else self.unit.dimension

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def __str__(self) -> str:
        """The text that this is read from."""
        dtype = "" if self.dtype == np.float64 else f":{self.dtype}"
        lengths = ", ".join("?" if n is None else str(n) for n in self.shape)
        return f"{self.unit or ''}{dtype}" + (f"[{lengths}]" if self.shape else "")

    def __repr__(self) -> str:
        dimension = "plain" if self.unit is None else str(self.unit.dimension)
        return f"<Spec {str(self)!r} {dimension}>"


class SpecText(NamedTuple):
    """The parts of a text; None for those that were left out."""

    unit: Unit | None
    dtype: np.dtype[Any] | None
    lengths: tuple[Length, ...] | None


def read_spec(text: str) -> Spec:
    """The Spec of a text. A name among the lengths is a length that is not known."""
    if bracketed_dimension(text) is not None:
        raise UnitParseError(text, 0, "a check needs a unit, not a dimension alone", _FORM)
    unit, dtype, lengths = split_spec(text)
    if lengths and "..." in lengths:
        problem = "a check needs the number of axes, so '...' says too little"
        raise UnitParseError(text, text.index("..."), problem)
    shape = tuple(n if isinstance(n, int) else None for n in lengths or ())
    dtype = np.dtype(np.float64) if dtype is None else dtype
    is_mask = unit is None and dtype.kind == "b"
    return Spec(None if is_mask else unit or PURE, shape, dtype)


def bracketed_dimension(text: str) -> Dimension | None:
    """The dimension of a text such as '[speed]'; None for lengths such as '[n, 3]'."""
    if not text.strip().startswith("[") or not any(c.isalpha() for c in text):
        return None
    try:
        return Dimension(text)
    except UnitError:
        return None


def split_spec(text: str) -> SpecText:
    """Unit, dtype and lengths as they are written: None where they are not."""
    head, lengths = text, None
    if text.rstrip().endswith("]"):
        start = text.rfind("[")
        if start < 0:
            raise UnitParseError(text, len(text.rstrip()) - 1, "a ']' without its '['", _FORM)
        head, lengths = text[:start], _lengths(text, start + 1)
    elif "[" in text:
        raise UnitParseError(text, text.index("["), "a '[' without its ']'", _FORM)
    name, colon, dtype = head.partition(":")
    return SpecText(
        Unit(name.rstrip()) if name.strip() else None,
        _dtype(text, len(name) + 1, dtype) if colon else None,
        lengths,
    )


def _dtype(text: str, position: int, name: str) -> np.dtype[Any]:
    try:
        dtype = np.dtype(name.strip()) if _DTYPE.fullmatch(name.strip()) else None
    except TypeError:
        dtype = None
    if dtype is None:
        hint = "float32, float64, complex128, int64, bool ..."
        raise UnitParseError(text, position, f"no dtype of numbers is called {name!r}", hint)
    return dtype


def _lengths(text: str, start: int) -> tuple[Length, ...]:
    """The lengths between the brackets, from the position after the first."""
    end = text.rstrip().rfind("]")
    if not text[start:end].strip():
        return ()
    found: list[Length] = []
    position = start
    while position < end:
        match = _LENGTH.match(text, position)
        assert match is not None
        number, unknown, name, rest = match.groups()
        if not any(match.groups()) or text[match.end()] not in ",]":
            place = match.end() if any(match.groups()) else position + len(match.group())
            raise UnitParseError(text, place, "a length is a number or '?'", _FORM)
        if number and len(number) > _DIGITS:
            raise UnitParseError(text, match.start(1), f"a length has at most {_DIGITS} digits")
        found.append(int(number) if number else None if unknown else name or rest)
        position = match.end() + 1
        if text[match.end()] == "," and not text[position:end].strip():
            break  # a comma may stand last, as in a tuple
    return tuple(found)
