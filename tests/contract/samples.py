"""Samples: the calls that an op's domain describes, drawn from a seed."""

import itertools
import os
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from dimflow import ops
from dimflow.ops import Op
from dimflow.ops.domain import Interval, Sample
from tests.contract.deviations import ARBITRARY, DEVIATIONS
from tests.contract.evaluate import static_defaults, takes_any_number

DEEP = os.environ.get("DIMFLOW_DEEP", "") not in ("", "0")
DAY = crc32(os.environ.get("DIMFLOW_SEED", "0").encode())
SEEDS: tuple[int, ...] = (0, *range(DAY, DAY + 10)) if DEEP else (0,)

# What elementwise ops with a static parameter are called with, beside its default.
STATIC: dict[str, tuple[Any, ...]] = {"exponent": (2, 3, 0.5, -1), "n": (1, 2)}


class Case(NamedTuple):
    """One complete call: every array (None: left out) and every static parameter."""

    args: tuple[Any, ...]
    params: dict[str, Any]
    units: tuple[str | None, ...] | None
    smooth: bool
    label: str

    @property
    def shapes(self) -> tuple[Any, ...]:
        return tuple(None if a is None else np.shape(a) for a in self.args)


def parametrized(law: str, op_names: Iterable[str]) -> Any:
    """Run a test for each of these ops; those with a deviation from the law must fail."""
    import pytest  # here, so that samples can be had without it

    return pytest.mark.parametrize(
        "name",
        [
            pytest.param(
                name,
                id=name,
                marks=[pytest.mark.xfail(strict=True, reason=DEVIATIONS[name, law])]
                if (name, law) in DEVIATIONS
                else [],
            )
            for name in op_names
            if name not in ARBITRARY
        ],
    )


def generator(op: Op, seed: int) -> np.random.Generator:
    """Random numbers that depend on the op's name and the seed alone."""
    return np.random.default_rng([crc32(op.name.encode()), seed])


@lru_cache(maxsize=4096)
def cases(name: str, seed: int = 0) -> tuple[Case, ...]:
    """The calls of an op's domain, in double precision."""
    op = ops.get(name)
    rng = generator(op, seed)
    if callable(op.domain):
        return tuple(_completed(op, s, f"sample {i}") for i, s in enumerate(op.domain(rng)))
    return tuple(_of_intervals(op, op.domain, rng))


def all_cases(name: str) -> list[Case]:
    """The calls for every seed."""
    return [case for seed in SEEDS for case in cases(name, seed)]


# Where formulas that agree elsewhere part: zeros of both signs, the sides of 1, what is not finite.
EDGES = (0.0, -0.0, 1.0, -1.0, 0.1, 0.5, -2.0, 3.0, np.inf, -np.inf, np.nan)
COMPLEX_EDGES = (0j, complex(-0.0, 0.0), 1 + 0j, -1 + 0j, 1j, -2j, 3 - 4j)


@lru_cache(maxsize=4096)
def edge_cases(name: str) -> tuple[Case, ...]:
    """An elementwise op at every combination of edge values, real and complex."""
    case = cases(name)[0]
    places = [i for i, a in enumerate(case.args) if np.asarray(a).dtype.kind == "f"]
    found = []
    for values in (EDGES, COMPLEX_EDGES) if places else ():
        columns = np.array(list(itertools.product(values, repeat=len(places)))).T
        args = [np.resize(a, columns.shape[1]) for a in case.args]
        for place, column in zip(places, columns, strict=True):
            args[place] = column.copy()
        label = f"at edges, {columns.dtype}"
        found.append(case._replace(args=tuple(args), smooth=False, label=label))
    return tuple(found)


def _completed(op: Op, sample: Sample, label: str) -> Case:
    args = tuple(sample.args)
    if not takes_any_number(op):
        args += (None,) * (len(op.array_names) - len(args))
    units = sample.units
    if units is not None:
        units = (*units, *([None] * (len(args) - len(units))))
    params = {**static_defaults(op), **sample.params}
    return Case(args, params, units, sample.smooth, label)


def _of_intervals(op: Op, intervals: tuple[Interval, ...], rng: Any) -> Iterable[Case]:
    for params in _static_choices(op):
        for shapes in _shapes(len(intervals)):
            args = tuple(_draw(rng, i, s) for i, s in zip(intervals, shapes, strict=True))
            label = f"shapes {shapes} {params or ''}"
            yield Case(args, {**static_defaults(op), **params}, None, True, label)


def _shapes(arity: int) -> Iterable[tuple[tuple[int, ...], ...]]:
    """One shape for all; none; then broadcasting."""
    yield ((3,),) * arity
    yield ((),) * arity
    if arity > 1:
        turning: list[tuple[int, ...]] = [(2, 1), (3,), (1, 1), (2, 3)]
        yield tuple(turning[i % 4] for i in range(arity))
        yield tuple(turning[(i + 1) % 4] for i in range(arity))


def _static_choices(op: Op) -> list[dict[str, Any]]:
    """Values for the static parameters that have no default."""
    defaults = static_defaults(op)
    missing = [n for n in op.signature.parameters if n not in op.array_names and n not in defaults]
    if not missing:
        return [{}]
    count = max(len(STATIC[n]) for n in missing)
    return [{n: STATIC[n][i % len(STATIC[n])] for n in missing} for i in range(count)]


def _draw(rng: Any, interval: Interval, shape: tuple[int, ...]) -> Any:
    if interval.integer:
        return rng.integers(int(interval.low), int(interval.high), shape, endpoint=True)
    return rng.uniform(interval.low, interval.high, shape)


def variants(case: Case, dtypes: Iterable[Any]) -> list[Case]:
    """The same call in other dtypes; integers have no room for an infinite bare number."""
    endless = any(isinstance(a, float) and not np.isfinite(a) for a in case.args)
    return [cast(case, d) for d in dtypes if not endless or np.dtype(d).kind in "fc"]


def cast(case: Case, dtype: Any) -> Case:
    """The same call with every inexact array in another dtype, and bare numbers of its kind."""
    has_nan = np.dtype(dtype).kind in "fc"

    def changed_one(value: Any) -> Any:
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "fc":
            value = value if np.dtype(dtype).kind == "c" else value.real
            return (value if has_nan else np.nan_to_num(value)).astype(dtype)
        if isinstance(value, (float, complex)) and np.isfinite(value):
            return np.asarray(value).astype(dtype).item()
        return value

    changed = tuple(changed_one(a) for a in case.args)
    return case._replace(args=changed, label=f"{case.label} as {np.dtype(dtype)}")
