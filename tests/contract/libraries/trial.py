"""Trial: one sample of an op, given to NumPy and to another library. What laws look at."""

from functools import cached_property
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.array import DimArray
from dimflow.ops import Op
from dimflow.units import Unit
from tests.contract.evaluate import assert_same, leaves, quietly, run
from tests.contract.libraries.gauge import comparable
from tests.contract.libraries.library import Library
from tests.contract.samples import Case, cases

DOUBLE = 1e-9  # relative to the largest element
SINGLE = 2e-5
_HALVED = {"f": np.float32, "c": np.complex64}


class Trial:
    """An op, a sample in the library's precision, and what comes out on either side."""

    def __init__(self, library: Library, op: Op, index: int, case: Case) -> None:
        self.library = library
        self.op = op
        self.index = index  # of the sample, which units are found by
        self.case = single(case) if library.dtype == np.float32 else case

    @cached_property
    def args(self) -> tuple[Any, ...]:
        """The arguments as arrays of the library."""
        return tuple(self.library.array(a) for a in self.case.args)

    @cached_property
    def result(self) -> Any:
        return self.run(self.args)

    @cached_property
    def expected(self) -> Any:
        return quietly(run, self.op, self.case.args, self.case.params)

    def run(self, args: tuple[Any, ...], params: Any = None) -> Any:
        """The op on other arguments, with the sample's parameters or others."""
        return quietly(run, self.op, args, self.case.params if params is None else params)

    def of_dtype(self, case: Case) -> "Trial":
        """The same op on the sample in another precision, which is not changed any more."""
        other = Trial(self.library, self.op, self.index, case)
        other.case = case
        return other

    @property
    def is_complex(self) -> bool:
        """Whether some argument is an array of complex numbers."""
        return any(np.iscomplexobj(a) for a in self.case.args if isinstance(a, np.ndarray))

    @property
    def draws(self) -> bool:
        """Whether the numbers are random: each library has a stream of its own."""
        return "generator" in self.op.signature.parameters

    def agrees(self, actual: Any, expected: Any = None, rtol: float = 0.0) -> None:
        """Results of the library are those of NumPy, as closely as their precision allows."""
        wanted = leaves(self.expected if expected is None else expected)
        got = leaves(self.library.numbers(actual))
        self.is_close(*comparable(self.op.name, got, wanted), rtol)

    def is_close(self, actual: Any, expected: Any, rtol: float = 0.0, atol: float = 0.0) -> None:
        """The same of anything else that comes of the op, such as derivatives."""
        wanted, got = leaves(expected), leaves(self.library.numbers(actual))
        assert len(got) == len(wanted), f"{self.case.label}: {len(got)} results, not {len(wanted)}"
        errors = self.errors if len(self.errors) == len(got) else [0.0] * len(got)
        for one, other, error in zip(got, wanted, errors, strict=True):
            # numbers that were brought into a common form, as eigenvectors are, come in doubles
            precision = SINGLE if _is_single([one, other, self.expected]) else DOUBLE
            allowed = max(rtol, precision, 20 * error)
            assert_same(one, other, rtol=allowed, atol=atol, what=self.case.label)

    @cached_property
    def errors(self) -> list[float]:
        """How far NumPy's own results in single precision are off, relative to the largest."""
        if not _is_single(self.expected):
            return [0.0] * len(leaves(self.expected))
        wide = leaves(self.run(tuple(_doubled(a) for a in self.case.args)))
        return [_error(a, b) for a, b in zip(leaves(self.expected), wide, strict=True)]

    def with_units(self, args: tuple[Any, ...], units: Any) -> tuple[Any, ...]:
        """Arrays with units; None leaves one as it is."""
        return tuple(
            a if u is None or a is None else DimArray(a, Unit(u))
            for a, u in zip(args, units, strict=True)
        )


def trials(library: Library, name: str) -> list[Trial]:
    """Every sample of an op that holds an array: bare numbers belong to NumPy."""
    op = ops.get(name)
    return [
        Trial(library, op, index, case)
        for index, case in enumerate(cases(name))
        if any(isinstance(a, (np.ndarray, np.generic)) for a in case.args)
    ]


def single(case: Case) -> Case:
    """The same call with every inexact array in single precision."""
    args = tuple(_in_single(a) for a in case.args)
    return case._replace(args=args, label=f"{case.label} in single precision")


def _in_single(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in _HALVED:
        return value.astype(_HALVED[value.dtype.kind])
    return value


def _doubled(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in _HALVED:
        return value.astype(np.result_type(value.dtype, np.float64))
    return value


def _is_single(result: Any) -> bool:
    return any(np.asarray(leaf).dtype in (np.float32, np.complex64) for leaf in leaves(result))


def _error(short: Any, long: Any) -> float:
    short, long = np.asarray(short), np.asarray(long)
    if short.shape != long.shape or short.dtype.kind not in "fc":
        return 0.0
    with np.errstate(all="ignore"):
        difference, size = np.abs(short - long), np.abs(long)
    largest = size[np.isfinite(size)].max(initial=0.0)
    found = difference[np.isfinite(difference)].max(initial=0.0)
    return float(found / largest) if largest else 0.0
