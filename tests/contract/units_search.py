"""Units that an op accepts: found by trying, so that no test has to know the op's rule."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.errors import DimensionError, UnitError
from dimflow.ops import Op
from dimflow.units import Unit
from tests.contract.evaluate import dtype_of, quietly, run, with_units
from tests.contract.samples import Case, cases

Units = tuple[str | None, ...]

COHERENT = ("m", "s", "kg", "m**2", "1/s", "m/s", "rad", "")
_FEW = ("m", "s", "m**2", "")
_TRIES = 400

# The same quantity in other units; those beside these are scaled by a power of two.
REWRITTEN = {
    "m": ("km", "ft"),
    "s": ("min", "ms"),
    "kg": ("g", "lb"),
    "m**2": ("cm**2", "km*m"),
    "1/s": ("1/min", "kHz"),
    "m/s": ("km/h", "m/ms"),
    "rad": ("deg", "mrad"),
    "": ("percent", "km/m"),
}
BINARY = "KiB/B"  # 1024: conversions by it are exact


def places(case: Case) -> list[int]:
    """The arguments that may carry a unit: those with real or complex numbers in arrays."""
    return [i for i, a in enumerate(case.args) if a is not None and carries(a)]


def carries(value: Any) -> bool:
    """Whether a value can have a unit here: bare numbers stay bare, masks and indices plain."""
    return isinstance(value, (np.ndarray, np.generic)) and dtype_of(value).kind in "fc"


def candidates(count: int) -> Iterator[tuple[str, ...]]:
    """Tuples of units, the most telling first: many dimensions, then few, then none."""
    if count == 0:
        yield ()
        return
    if count > 4:
        pool = [(u,) * count for u in COHERENT]
        pool += [(u, *([v] * (count - 1))) for u, v in product(_FEW, repeat=2)]
        pool += [(*([v] * (count - 1)), u) for u, v in product(_FEW, repeat=2)]
        pool += list(product(("m", ""), repeat=count))[:_TRIES]
    else:
        pool = list(product(COHERENT if count < 3 else _FEW, repeat=count))
    pool = list(dict.fromkeys(pool))
    yield from sorted(pool, key=_tellingness)


def _tellingness(units: tuple[str, ...]) -> tuple[int, int]:
    return -sum(u != "" for u in units), -len(set(units))


@lru_cache(maxsize=8192)
def accepted(name: str, index: int, seed: int = 0, limit: int = 2) -> tuple[Units, ...]:
    """Up to so many tuples of coherent units that the op accepts for one of its samples.

    The all-dimensionless tuple comes last, if it is accepted.
    """
    op, case = ops.get(name), cases(name, seed)[index]
    if case.units is not None:
        return (case.units,)
    found: list[Units] = []
    where = places(case)
    seen: set[tuple[str, ...]] = set()
    for chosen in candidates(len(where)):
        pattern = tuple(sorted(chosen))
        if pattern in seen and len(where) > 1:
            continue
        units = spread(case, where, chosen)
        if is_accepted(op, case, units):
            found.append(units)
            seen.add(pattern)
            if len(found) == limit:
                break
    pure = spread(case, where, ("",) * len(where))
    if pure not in found and is_accepted(op, case, pure):
        found.append(pure)
    return tuple(found)


def spread(case: Case, where: list[int], chosen: tuple[str, ...]) -> Units:
    """Units for all arguments from those for the ones that carry any."""
    units: list[str | None] = [None] * len(case.args)
    for i, unit in zip(where, chosen, strict=True):
        units[i] = unit
    return tuple(units)


def is_accepted(op: Op, case: Case, units: Units) -> bool:
    """Whether the op runs with these units; errors that are not about units are not caught."""
    try:
        run_with(op, case, units)
    except UnitError:
        return False
    return True


def run_with(op: Op, case: Case, units: Units, args: Any = None) -> Any:
    """The op on a sample with units; `unit=` is chosen for ops that ask for it."""
    params = chosen_unit(op, case, units)
    return quietly(run, op, with_units(case.args if args is None else args, units), params)


def chosen_unit(op: Op, case: Case, units: Units) -> dict[str, Any]:
    """The parameters, with `unit=` for ops whose result depends on the unit."""
    first = next((u for u in units if u is not None), None)
    if op.unit_dependent and first is not None and case.params.get("unit") is None:
        return {**case.params, "unit": first}
    return case.params


def all_accepted(name: str, seeds: tuple[int, ...] = (0,)) -> list[tuple[Case, Units]]:
    """Every sample with every tuple of units found for it."""
    return [
        (case, units)
        for seed in seeds
        for index, case in enumerate(cases(name, seed))
        for units in accepted(name, index, seed)
    ]


# Units that count turns, degrees or events, beside which a radian is not 1: what may be refused
# in them although it is accepted in radians and 1/s. The hint says how to say which is meant.
COUNTING = ("deg", "kHz")


def may_be_refused(error: DimensionError, units: Units) -> bool:
    """Whether this is a refusal of the named list, and not one of the units' dimensions."""
    if not any(u is not None and u.startswith(COUNTING) for u in units):
        return False
    one = error.left if error.left is not error.right else Unit("")
    other = error.right
    return one.dimension.without_angle() is other.dimension.without_angle()
