"""One rule for units that differ by an angle or a level: every way to bring two together agrees."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dimflow import ops
from dimflow.array import DimArray
from dimflow.errors import DimensionError, UnitError
from dimflow.ops import Op
from dimflow.ops.rules import points
from dimflow.units import Unit
from tests.contract.evaluate import (
    assert_same_quantity,
    leaves,
    names,
    quietly,
    run,
    with_units,
)
from tests.contract.samples import Case, cases, parametrized
from tests.contract.units_search import Units, is_accepted, places, spread

# Units that have one dimension but for angles and levels, in groups.
GROUPS = [
    ["", "percent", "rad", "mrad", "sr", "deg", "tr", "rad**2", "deg*rad", "rad**(1/2)", "Hz*s"],
    ["1/s", "Hz", "kHz", "Bq", "Ci", "rpm", "rad/s", "deg/s", "1/min", "cpm", "sr/s", "Np/s"],
    ["m/s", "km/h", "rad*m/s", "Hz*m", "rpm*m", "deg*m/h", "sr*m/s", "mrad*km/min", "Np*m/s"],
    ["cd", "lm", "klm", "cd*deg**2", "cd*rad"],
    ["W/m**2/Hz", "Jy", "W*s/(m**2*rad)", "J/m**2", "J/(deg*m**2)"],
    ["1/m", "dB/km", "Np/m", "rad/m", "deg/cm", "1/km"],
    ["delta_dB", "delta_Np", "dB*m/km", "", "percent", "rad", "octave*s/min"],
]
PAIRS = [(a, b) for group in GROUPS for a in group for b in group] + [("m", "rad"), ("Hz", "m")]
Entry = Callable[[Any, Any], Any]


def _assigned(x: Any, y: Any) -> Any:
    x[...] = y
    return x


def _added_in_place(x: Any, y: Any) -> Any:
    x = 0 * x
    x += y
    return x


# What brings y into an array of the unit of x, without a word of the user's on how.
ENTRIES: dict[str, Entry] = {
    "to": lambda x, y: y.to(x.unit),
    "add": lambda x, y: 0 * x + y,
    "add the other way": lambda x, y: y + 0 * x,
    "subtract": lambda x, y: -(0 * x - y),
    "maximum": lambda x, y: np.maximum(x - x, y),
    "where": lambda x, y: np.where([False, False], x, y),
    "clip": lambda x, y: np.clip(y, x - x, None),
    "concatenate": lambda x, y: np.concatenate([x, y])[2:],
    "insert": lambda x, y: np.insert(x, 0, y[0])[[0, 0]],
    "stack of a list": lambda x, y: DimArray([x, y])[1],
    "DimArray": lambda x, y: DimArray(y, x.unit),
    "full_like": lambda x, y: np.full_like(x, y),
    "hypot": lambda x, y: np.hypot(0 * x, y),
    "multiply_add": lambda x, y: ops.multiply_add(0 * x, 1.0, y),
    "assignment": _assigned,
    "in place": _added_in_place,
    "out=": lambda x, y: np.multiply(y, 1.0, out=x),
    "copyto": lambda x, y: (np.copyto(x, y), x)[1],
}
COMPARED: dict[str, Entry] = {
    "less": lambda x, y: x < y,
    "greater": lambda x, y: y > x,
    "searchsorted": lambda x, y: np.searchsorted(x, y) > 0,
}


def quantity(unit: str, value: float, library: str = "numpy") -> Any:
    return DimArray(np.array([value, value]), unit).to_backend(library)


def met(x_unit: str, y_unit: str, entry: Entry, library: str = "numpy") -> Any:
    """What an entry point makes of 2 and 3, or None if it refuses."""
    try:
        return entry(quantity(x_unit, 2.0, library), quantity(y_unit, 3.0, library))
    except UnitError:
        return None


@pytest.mark.parametrize(("x", "y"), PAIRS, ids=lambda unit: unit or "1")
def test_every_way_to_bring_two_units_together_agrees(x: str, y: str) -> None:
    wanted = met(x, y, ENTRIES["to"])
    assert Unit(y).is_compatible(x) == (wanted is not None)
    assert (wanted is None) == (met(y, x, ENTRIES["to"]) is None), "one way only"
    for name, entry in ENTRIES.items():
        found = met(x, y, entry)
        assert (found is None) == (wanted is None), f"{name} of {x} and {y}: {found}"
        if found is not None:
            np.testing.assert_allclose(found.to_value(x), wanted.data, rtol=1e-12, err_msg=name)
    for name, entry in COMPARED.items():
        found = met(x, y, entry)
        assert (found is None) == (wanted is None), f"{name} of {x} and {y}: {found}"
        if found is not None:
            np.testing.assert_array_equal(found, wanted.data > 2, err_msg=name)
    equal = met(x, y, lambda x, y: x == (y if wanted is None else wanted))
    assert equal.all() == (wanted is not None and wanted.data[0] == 2)


@pytest.mark.parametrize("library", ["torch", "jax", "dask"])
def test_so_it_does_on_every_library(library: str) -> None:
    entries: dict[str, Entry] = {
        "to": ENTRIES["to"],
        "add": ENTRIES["add"],
        "where": lambda x, y: ops.where(x != x, x, y),
        "concat": lambda x, y: ops.concat([x, y])[2:],
        "assignment": _assigned,
        "in place": _added_in_place,
        "less": COMPARED["less"],
    }
    if library == "jax":
        del entries["assignment"]
        entries["at"] = lambda x, y: x.at[:].set(y)
    for x, y in [*PAIRS[::17], ("Hz", "rad/s"), ("Hz", "rpm"), ("m/s", "rad*m/s"), ("deg", "")]:
        wanted = met(x, y, ENTRIES["to"])
        for name, entry in entries.items():
            found = met(x, y, entry, library)
            assert (found is None) == (wanted is None), f"{name} of {x} and {y}: {found}"


REFUSED = [(a, b) for a, b in PAIRS if not Unit(a).is_compatible(b)]


@pytest.mark.parametrize(("x", "y"), REFUSED[::3], ids=lambda unit: unit or "1")
def test_the_readings_that_an_error_shows_are_calls_that_work(x: str, y: str) -> None:
    right, left = quantity(y, 3.0), quantity(x, 2.0)
    with pytest.raises(DimensionError) as caught:
        left + right
    hint = caught.value.hint
    if Unit(x).dimension.without_angle() is not Unit(y).dimension.without_angle():
        return
    assert hint is not None
    known = {"left": left, "right": right, "Unit": Unit, "DimArray": DimArray}
    for part in hint.replace("; ", ": ").split(": ")[1:]:
        call = part.split(" gives ")[0].split(" is ")[0].split(" for ")[0]
        if "(" in call:
            assert isinstance(eval(call, known), DimArray), call


# Over the table: where an op wants arguments of one dimension, it wants them by this rule.


def tried(op: Op, case: Case, i: int, one: str, others: str) -> Units:
    """One unit for the i-th argument that may have one, another for the others."""
    where = places(case)
    return spread(case, where, tuple(one if k == i else others for k in range(len(where))))


@parametrized("angles", [n for n in names("unit") if not ops.get(n).unit_dependent])
def test_ops_that_absorb_radians_refuse_what_counts_turns(name: str) -> None:
    op = ops.get(name)
    for case in cases(name):
        count = len(places(case))
        for i in range(count if 2 <= count <= 4 else 0):
            if not is_accepted(op, case, tried(op, case, i, "rad/s", "1/s")):
                continue
            if op.across is None and is_accepted(op, case, tried(op, case, i, "m", "1/s")):
                continue  # any two units go together
            args = with_units(case.args, tried(op, case, i, "rad/s", "Hz"))
            if op.across is None:
                with pytest.raises(DimensionError, match="an angle is not a pure number"):
                    quietly(run, op, args, case.params)
            else:
                assert not np.any(quietly(run, op, args, case.params) != op.across)


# Levels

LEVELS = ("dB", "Np", "Bel", "dB_field", "octave", "dBi", "mag", "OD")


@parametrized("bare beside levels", names("unit", "points"))
def test_a_bare_number_beside_a_level_is_refused_as_beside_a_length(name: str) -> None:
    """Where it is not, the answer is the same in another unit of levels."""
    op = ops.get(name)
    for case in cases(name):
        where = places(case)
        for i in where if 2 <= len(where) <= 4 else ():
            lengths = tuple("m" if k == i else None for k in range(len(case.args)))
            takes_lengths = is_accepted(op, case, lengths)
            for level in LEVELS:
                args = list(with_units(case.args, [u and level for u in lengths]))
                try:
                    result = quietly(run, op, args, case.params)
                except UnitError:
                    continue
                if op.across is not None:
                    assert not np.any(result != op.across)
                    continue
                assert takes_lengths, f"{case.label}: {level} beside a bare number"
                if Unit(level).is_compatible("Np") and op.points is not points.free:
                    args[i] = args[i].to("Np")
                    again = quietly(run, op, args, case.params)
                    for one, other in zip(leaves(again), leaves(result), strict=True):
                        assert_same_quantity(one, other, rtol=1e-9, what=f"{case.label}, {level}")
