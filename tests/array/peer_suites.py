"""What the test suites of astropy and unyt do with NumPy, done again with our arrays.

`python -m tests.array.peer_suites astropy FILE 1 0` runs the installed tests of one library (one
in so many, from the given one on), records each call of a NumPy function, ufunc or array method
with one of its quantities, makes the same call with DimArrays of the same quantities, and writes
what came of each into the file. A process of its own, since it replaces methods of the library.
"""

import contextlib
import functools
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dimflow import DimArray, Unit
from dimflow.array import peers
from dimflow.errors import UnitError

SUITES = {
    "astropy": [
        f"astropy.units.tests.test_{name}"
        for name in (
            "quantity",
            "quantity_array_methods",
            "quantity_non_ufuncs",
            "quantity_ufuncs",
        )
    ],
    "unyt": [
        f"unyt.tests.test_{name}"
        for name in ("array_functions", "unyt_array", "temperature_interval_offset")
    ],
}

# Tests of other libraries, of units alone, and of what is written in the suites.
NOT_OF_NUMPY = (
    "not test_pint and not test_astropy and not test_equivalencies "
    "and not test_wrapping_completeness and not pickle and not h5"
)

OPTIONS = [
    "--pyargs",
    "-q",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
    "-c",
    "/dev/null",
    "--tb=no",
    "-W",
    "ignore",
]
OPTIONS += ["-k", NOT_OF_NUMPY]

# Methods of arrays that a DimArray has under the same name, beside those of conversion.
METHODS = sorted(
    {n for n in dir(np.ndarray) if not n.startswith("_") and callable(getattr(np.ndarray, n))}
    & set(dir(DimArray)) - {"view"}  # they view the numbers without the unit
    | {"__getitem__", "__setitem__", "to", "to_value"}
)
ARBITRARY = {"empty_like", "empty"}  # numbers that nobody chose


@dataclass
class Call:
    name: str
    call: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    result: Any = None
    error: Exception | None = None
    after: Any = None  # the arguments, which the call may have written


def copied(x: Any, known: dict[int, Any]) -> Any:
    """A copy of all arrays in a value; what was one object stays one."""
    if type(x) in (list, tuple):
        return type(x)([copied(one, known) for one in x])
    if type(x) is dict:
        return {name: copied(one, known) for name, one in x.items()}
    if not isinstance(x, np.ndarray):
        return x
    if id(x) not in known:
        known[id(x)] = (x.copy(), x)  # and the array, so that no other has its id
    return known[id(x)][0]


def holds(x: Any, kinds: tuple[type, ...]) -> bool:
    if type(x) in (list, tuple):
        return any(holds(one, kinds) for one in x)
    return any(holds(one, kinds) for one in x.values()) if type(x) is dict else isinstance(x, kinds)


class Recorder:
    """Wraps the protocols and methods of one quantity type; outermost calls are kept."""

    def __init__(self, kinds: tuple[type, ...]) -> None:
        self.kinds = kinds
        self.calls: list[Call] = []
        self.inside = False

    def keep(self, name: str, call: Callable[..., Any], real: Any, args: Any, kwargs: Any) -> Any:
        if self.inside:
            return real()
        self.inside = True
        try:
            kept = Call(name, call, *copied((args, kwargs), {}))
            result = real()
        except Exception as error:
            kept.error = error
            self.calls.append(kept)
            raise
        else:
            if result is not NotImplemented:
                kept.result, kept.after = copied((result, args), {})
                self.calls.append(kept)
            return result
        finally:
            self.inside = False

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        base = self.kinds[0]
        before = {n: base.__dict__.get(n) for n in (*METHODS, "__array_function__")}
        before["__array_ufunc__"] = base.__dict__.get("__array_ufunc__")
        for name in before:
            setattr(base, name, self._wrapped(name, getattr(base, name)))
        try:
            yield
        finally:
            for name, own in before.items():
                if own is None:
                    delattr(base, name)
                else:
                    setattr(base, name, own)

    def _wrapped(self, name: str, real: Any) -> Any:
        recorder = self

        if name == "__array_function__":

            def protocol(self: Any, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
                where = function.__module__.replace("numpy", "np", 1)
                given = kwargs
                if not holds((args, kwargs), recorder.kinds):
                    kwargs = {**kwargs, "like": self}
                return recorder.keep(
                    f"{where}.{function.__name__}",
                    function,
                    lambda: real(self, function, types, args, given),
                    args,
                    kwargs,
                )
        elif name == "__array_ufunc__":

            def protocol(self: Any, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
                ours = getattr(np, ufunc.__name__, None) is ufunc
                part = "" if method == "__call__" else f".{method}"
                return recorder.keep(
                    f"{'np' if ours else 'foreign'}.{ufunc.__name__}{part}",
                    getattr(ufunc, method),
                    lambda: real(self, ufunc, method, *args, **kwargs),
                    args,
                    kwargs,
                )
        else:

            @functools.wraps(real)
            def protocol(self: Any, *args: Any, **kwargs: Any) -> Any:
                def call(x: Any, *rest: Any, **options: Any) -> Any:
                    return getattr(x, name)(*rest, **options)

                return recorder.keep(
                    f"x.{name}",
                    call,
                    lambda: real(self, *args, **kwargs),
                    (self, *args),
                    kwargs,
                )

        return protocol


class Unreadable(Exception):
    """A quantity of no unit or dtype of ours."""


class Ours:
    """Their quantities as our arrays; what was one object stays one."""

    def __init__(self, kinds: tuple[type, ...]) -> None:
        self.kinds = kinds
        self.known: dict[int, Any] = {}

    def __call__(self, x: Any) -> Any:
        if isinstance(x, self.kinds):
            if type(x) not in self.kinds:
                raise Unreadable(type(x).__name__)
            if id(x) not in self.known:
                try:
                    self.known[id(x)] = DimArray(x)
                except (UnitError, TypeError, ValueError) as error:
                    raise Unreadable(str(error)) from error
            return self.known[id(x)]
        if type(x) in (list, tuple):
            return type(x)(self(one) for one in x)
        if type(x) is dict:
            return {name: self(one) for name, one in x.items()}
        if isinstance(x, np.ndarray) and type(x) is not np.ndarray:
            raise Unreadable(type(x).__name__)
        if isinstance(x, np.ndarray) and x.dtype == object:
            raise Unreadable("objects")
        return x


def difference(ours: Any, theirs: Any, name: str) -> str:
    """What is different between two results; empty text for nothing."""
    if isinstance(theirs, (list, tuple)):
        if not isinstance(ours, (list, tuple)) or len(ours) != len(theirs):
            return "structure"
        found = [difference(a, b, name) for a, b in zip(ours, theirs, strict=True)]
        return next((one for one in found if one), "")
    if theirs is None or isinstance(theirs, (str, type, np.dtype)):
        return "" if type(ours) is type(theirs) and ours == theirs else "value"
    read = peers.read(theirs)
    if read is None:
        numbers, unit = np.asarray(theirs), Unit("")
    else:
        numbers, unit = np.asarray(read[0]), read[1]
    if isinstance(ours, DimArray):
        if ours.unit.dimension is not unit.dimension:
            return "dimension"
        with_unit = ours
    else:
        if isinstance(ours, (list, tuple, str)) or ours is None or peers.read(ours) is not None:
            return "structure"
        with_unit = DimArray(ours, "")
        if unit.dimension is not Unit("").dimension:
            return "dimension"
    if with_unit.shape != numbers.shape:
        return "shape"
    if name.rpartition(".")[2] in ARBITRARY:
        return ""
    got = np.asarray(with_unit.to_numpy(unit))
    if numbers.dtype.kind in "OUS" or got.dtype.kind in "OUS":
        return "" if np.array_equal(got, numbers) else "value"
    scale = np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0)
    same = np.allclose(got, numbers, rtol=1e-6, atol=1e-13 * scale, equal_nan=True)
    return "" if same else "value"


def replayed(one: Call, kinds: tuple[type, ...]) -> tuple[str, str]:
    """What became of one call with our arrays, and a word about it."""
    ours = Ours(kinds)
    try:
        args, kwargs = ours(one.args), ours(one.kwargs)
        for expected in (one.result, one.after):
            Ours(kinds)(expected)
    except Unreadable as error:
        return "unreadable", str(error)
    try:
        result = one.call(*args, **kwargs)
    except Exception as error:
        said = f"{type(error).__name__}: {error}".splitlines()[0]
        return ("both raise" if one.error is not None else "ours raises"), said
    if one.error is not None:
        said = f"{type(one.error).__name__}: {one.error}".splitlines()
        return "theirs raises", said[0]
    found = difference(result, one.result, one.name)
    if not found and one.after is not None:
        wrote = [
            difference(a, b, one.name)
            for a, b in zip(args, one.after, strict=True)
            if isinstance(a, (DimArray, np.ndarray))
        ]
        found = next((f"{w} written" for w in wrote if w), "")
    return ("differs" if found else "agrees"), found


class Share:
    """A plugin of pytest that leaves one test in so many."""

    def __init__(self, step: int, first: int) -> None:
        self.step, self.first = step, first

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = items[self.first % self.step :: self.step]


def shown(x: Any) -> str:
    return " ".join(repr(x).split())[:200]


def main(library: str, path: str, step: str, first: str) -> None:
    if library == "astropy":
        from astropy.units import Quantity

        kinds: tuple[type, ...] = (Quantity,)
    else:
        from unyt import unyt_array, unyt_quantity

        kinds = (unyt_array, unyt_quantity)
    recorder = Recorder(kinds)
    with recorder.listening():
        code = pytest.main(
            [*OPTIONS, *SUITES[library]],
            [Share(int(step), int(first))],
        )
    outcomes = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for one in recorder.calls:
            kind, said = replayed(one, kinds)
            call = "" if kind in ("agrees", "both raise") else shown((one.args, one.kwargs))
            outcomes.append((one.name, kind, said, call, shown(one.result) if call else ""))
    Path(path).write_text(json.dumps({"code": int(code), "outcomes": outcomes}), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
