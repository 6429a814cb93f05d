"""Laws of libraries that compute when they are asked to: nothing sooner, and in any blocks."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from zlib import crc32

import numpy as np

from tests.contract.evaluate import leaves, quietly
from tests.contract.libraries.trial import Trial
from tests.contract.samples import DAY, DEEP
from tests.contract.units_search import accepted, chosen_unit


def is_lazy(trial: Trial) -> bool:
    return trial.library.backend.is_lazy


@contextmanager
def nothing_runs() -> Iterator[None]:
    """Within the `with` block every computation is an error."""
    import dask

    def refuse(graph: Any, keys: Any, **kwargs: Any) -> Any:
        raise AssertionError(f"computed while the graph was built: {keys!r:.200}")

    with dask.config.set(scheduler=refuse):
        yield


def builds_alone(trial: Trial) -> None:
    """A call builds a graph, with units and without, and asks for no number."""
    with nothing_runs():
        trial.run(trial.args)
        for units in accepted(trial.op.name, trial.index)[:1]:
            params = chosen_unit(trial.op, trial.case, units)
            trial.run(trial.with_units(trial.args, units), params)


def in_ones(length: int) -> tuple[int, ...]:
    """Every element in a block of its own."""
    return (1,) * length if length else (0,)


def in_uneven_parts(length: int) -> tuple[int, ...]:
    """A large block and a small one."""
    small = (length - 1) // 3 + 1 if length > 1 else 0
    return (length - small, small) if small else (length,)


CUTS: tuple[Callable[[int], tuple[int, ...]], ...] = (in_ones, in_uneven_parts)


def is_cut(trial: Trial) -> bool:
    """Whether blocks could matter: some argument has an axis to cut."""
    return is_lazy(trial) and any(np.size(a) > 1 for a in trial.case.args if hasattr(a, "dtype"))


def cut(value: Any, lengths: Callable[[int], tuple[int, ...]]) -> Any:
    """Arrays in blocks of these lengths; anything else as it is."""
    if isinstance(value, (tuple, list)):
        return type(value)(cut(part, lengths) for part in value)
    rechunk = getattr(value, "rechunk", None)
    return value if rechunk is None else rechunk(tuple(map(lengths, value.shape)))


def agrees_in_any_blocks(trial: Trial) -> None:
    """The numbers, and the shapes and dtypes that were promised, do not depend on the blocks.

    Each day one of the cuts is tried with an op; both are in the deep run.
    """
    for lengths in CUTS if DEEP else [CUTS[(crc32(trial.op.name.encode()) + DAY) % len(CUTS)]]:
        result = leaves(trial.run(tuple(cut(a, lengths) for a in trial.args)))
        found = [np.asarray(quietly(trial.library.numbers, leaf)) for leaf in result]
        if not trial.draws:
            trial.agrees(found)
        for leaf, numbers in zip(result, found, strict=True):
            _keeps_its_promise(leaf, numbers, f"{trial.case.label} {lengths.__name__}")


def _keeps_its_promise(leaf: Any, found: Any, what: str) -> None:
    assert found.dtype == leaf.dtype, f"{what}: {found.dtype}, not {leaf.dtype} as promised"
    same = [n != n or n == m for n, m in zip(leaf.shape, found.shape, strict=True)]  # nan: unknown
    assert all(same), f"{what}: {found.shape}, not {leaf.shape} as promised"
