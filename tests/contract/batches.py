"""Batches: which arguments of a call are batched, and along which axis."""

from typing import Any

import numpy as np

from tests.contract.samples import Case, cases

SIZE = 3


def is_array(value: Any) -> bool:
    """Whether an argument can be batched: a bare number or one left out cannot."""
    return isinstance(value, (np.ndarray, np.generic))


def mixtures(batch: list[Case]) -> list[tuple[int | None, ...]]:
    """Which arguments are batched, and along which axis."""
    args = batch[0].args
    where = [i for i, a in enumerate(args) if is_array(a)]
    ends = [np.ndim(a) for a in args]
    choices = [
        tuple(0 if i in where else None for i in range(len(args))),
        tuple(ends[i] if i in where else None for i in range(len(args))),
        tuple(
            min(1, ends[i]) if i in where and k % 2 else 0 if i in where else None
            for k, i in enumerate(range(len(args)))
        ),
    ]
    if len(where) > 1:
        choices += [tuple(ends[i] if i == j else None for i in range(len(args))) for j in where[:4]]
        choices += [
            tuple(0 if i in where and i != j else None for i in range(len(args))) for j in where[:4]
        ]
    return list(dict.fromkeys(c for c in choices if any(d is not None for d in c)))


def batch_of(name: str, index: int, seed: int) -> list[Case]:
    """One sample of several seeds, if they differ in their arrays alone."""
    drawn = [cases(name, seed + 7919 * k)[index] for k in range(SIZE)]
    first = drawn[0]
    alike = [c for c in drawn if c.shapes == first.shapes and _same(c.params, first.params)]
    return (alike * SIZE)[:SIZE]


def _same(one: Any, other: Any) -> bool:
    return repr(one) == repr(other)
