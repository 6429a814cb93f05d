"""The law of graphs: a program with units has the tasks of the raw one, and its conversions.

Tasks are counted as the graph is built, and again as Dask would run it.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any
from zlib import crc32

import dask
import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dimflow import ops
from dimflow.array import DimArray
from dimflow.array.interpreter import planned, separated
from dimflow.dask import DaskDimArray
from tests.contract.evaluate import leaves, quietly, raw_of, run
from tests.contract.numpy_calls import _called
from tests.contract.samples import DAY, DEEP, Case, cases
from tests.contract.units_search import REWRITTEN, accepted, chosen_unit
from tests.dask.conftest import nothing_runs
from tests.dask.test_chunkings import NAMES

_EXAMPLES = 300 if DEEP else 30
_PARTS = 6  # of the table, of which each day has one


@pytest.fixture(autouse=True)
def _nothing_runs() -> Any:
    with nothing_runs():
        yield


def built(*results: Any) -> int:
    """How many tasks stand in the graph of arrays, each once."""
    return len({key for each in _arrays(results) for key in each.__dask_graph__()})


def run_by_dask(*results: Any) -> int:
    """How many of them are left when Dask has put together what it can."""
    return built(*dask.optimize(*_arrays(results)))


def _arrays(results: Any) -> list[Any]:
    found = [raw_of(leaf) for leaf in leaves(list(results))]
    return [each for each in found if isinstance(each, da.Array)]


def in_halves(value: Any) -> Any:
    """An array with every axis in two blocks."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(in_halves, value))
    if not isinstance(value, (np.ndarray, np.generic)):
        return value
    array = np.asarray(value)
    chunks = tuple((n,) if n < 2 else (n - n // 2, n // 2) for n in array.shape)
    return da.from_array(array, chunks=chunks, name=False)


def _is_due(name: str) -> bool:
    return DEEP or (crc32(name.encode()) + DAY) % _PARTS == 0


# One op, against Dask's own function of its name


def dasks(name: str) -> Any:
    """Dask's function under NumPy's name; None where it has none."""
    found: Any = da
    for part in (ops.get(name).hosts.numpy or "none").split("."):
        found = getattr(found, part, None)
    return found


OF_DASK = [name for name in NAMES if dasks(name) is not None]

# More tasks than Dask's function makes: (op, reason). One that is not needed fails.
_MORE: dict[str, str] = {
    "clip": "bounds that Dask is given by name do not meet the blocks: each block gets them whole",
    "cumulative_prod": "flat arrays keep blocks of a sensible length, which Dask's do not",
    "cumulative_sum": "flat arrays keep blocks of a sensible length, which Dask's do not",
    "full_like": "a value that is lazy itself is one more task; Dask computes it in every block",
    "histogram": "edges of bins are looked at, which have a unit",
    "insert": "values are converted and joined at the end, then all is put in order",
    "median": "the axis is gathered by the task that needs it, and the blocks beside it stay",
    "nanmedian": "the axis is gathered by the task that needs it, and the blocks beside it stay",
    "pad": "it is made of parts and joints, since what is put around has a unit",
    "quantile": "the axis is gathered by the task that needs it, and the blocks beside it stay",
    "take": "lazy places are checked: Dask gives other elements for those out of bounds",
}
_SKIPPED = {
    "ravel": "Dask's has no order F, and ignores it",
    "var": "Dask's has no mean and no mask, and ignores them",
    "std": "Dask's has no mean and no mask, and ignores them",
}
# Parameters that Dask's functions do not have; without them the call is another.
_UNKNOWN_TO_DASK = ("initial", "where", "mean", "weights", "prepend", "append", "include_initial")


def _raw(name: str, case: Case) -> tuple[int, int] | None:
    """The tasks that Dask's function makes of a sample; None where it does not take it."""
    try:
        result = quietly(_called, ops.get(name), dasks(name), case)
        return (built(result), run_by_dask(result)) if _arrays([result]) else None
    except Exception:  # whatever Dask has against the sample
        return None


def _is_plain(name: str, case: Case) -> bool:
    """Whether Dask's function is called as ours is."""
    op = ops.get(name)
    arrays = zip(op.array_names, case.args, strict=False)
    given = {n for n, value in arrays if value is not None}
    given |= {n for n, value in case.params.items() if value not in (None, False)}
    return not given & set(_UNKNOWN_TO_DASK) and name not in _SKIPPED


def _excess(name: str) -> list[str]:
    """The samples for which the graph is larger than Dask's own."""
    found = []
    for case in cases(name):
        lazy = case._replace(args=in_halves(case.args))
        raw = _raw(name, lazy) if _is_plain(name, case) else None
        if raw is None:
            continue
        result = quietly(run, ops.get(name), lazy.args, case.params)
        ours = built(result), run_by_dask(result)
        if ours[1] > raw[1]:
            found.append(f"{case.label} {case.params}: {ours}, and Dask's {raw}")
    return found


@pytest.mark.parametrize("name", list(filter(_is_due, OF_DASK)))
def test_an_op_has_no_more_tasks_than_dasks_own_function(name: str) -> None:
    excess = _excess(name)
    if name in _MORE:
        assert excess, f"{name} has no more tasks, though it is listed: {_MORE[name]}"
    else:
        assert not excess, f"{name}:\n" + "\n".join(excess)


# The whole table: units add the conversions that the plan asks for, and nothing else


def _converted_blocks(name: str, args: Any, params: Any) -> int:
    """How many blocks are to be converted, by the op's rule of units."""
    raws, units = separated(args)
    plan = planned(ops.get(name), raws, units, params)
    pairs = zip(plan.converters or [None] * len(raws), raws, strict=True)
    return sum(
        raw.npartitions
        for convert, raw in pairs
        if isinstance(raw, da.Array) and convert is not None and convert(1.0) != 1.0
    )


def _with_units(args: Any, units: Any) -> tuple[Any, ...]:
    return tuple(
        a if u is None or a is None else DimArray(a, u) for a, u in zip(args, units, strict=True)
    )


@pytest.mark.parametrize("name", [n for n in NAMES if ops.get(n).unit is not None and _is_due(n)])
def test_units_add_the_conversions_that_are_needed(name: str) -> None:
    op = ops.get(name)
    for index, case in enumerate(cases(name)):
        args = in_halves(case.args)
        for units in accepted(name, index)[:1]:
            bare = {**case.params, "unit": None} if op.unit_dependent else case.params
            raw = built(quietly(run, op, args, bare))
            scaled = [u and REWRITTEN.get(u, (u,))[i % 2] for i, u in enumerate(units)]
            for written in dict.fromkeys((units, tuple(scaled))):
                given_args = _with_units(args, written)
                params = chosen_unit(op, case, units)
                try:
                    blocks = _converted_blocks(name, given_args, params)
                except Exception:  # degrees beside a pure number are refused
                    continue
                found = built(quietly(run, op, given_args, params))
                assert found <= raw + blocks, f"{name}, {case.label} in {written}"
                if written == units:
                    assert found == raw + blocks, f"{name}, {case.label} in {written}"


# Chains of conversions


def _lengths() -> Any:
    return DaskDimArray(np.arange(12.0).reshape(3, 4), "m", chunks=2)


def test_a_chain_of_conversions_is_one_multiplication() -> None:
    x = _lengths()
    once = built(x.to("ft"))
    assert once == built(x) + x.npartitions
    assert built(x.to("km").to("cm").to("mi").to("ft")) == once
    assert run_by_dask(x.to("km").to("cm").to("ft")) == run_by_dask(x.data * 2.0)


def test_there_and_back_is_nothing() -> None:
    x = _lengths()
    for units in (["km", "m"], ["ft", "cm", "mi", "m"], ["m"], ["meter"]):
        y = x
        for unit in units:
            y = y.to(unit)
        assert built(y) == built(x)
        assert y.data.name == x.data.name


@pytest.mark.parametrize("path", [("K", "degF", "degC"), ("degF", "K", "degC"), ("K", "degC")])
def test_temperatures_there_and_back_are_nothing(path: tuple[str, ...]) -> None:
    x = y = DaskDimArray(np.array([0.0, 37.0, 100.0]), "degC", chunks=2)
    for unit in path:
        y = y.to(unit)
    assert y.unit is x.unit
    assert built(y) == built(x)


def test_a_chain_of_temperatures_is_one_line() -> None:
    x = DaskDimArray(np.array([0.0, 37.0, 100.0]), "degC", chunks=2)
    y = x.to("K").to("degC").to("degF").to("K").to("degF")
    assert built(y) == built(x.data * 1.8 + 32.0)
    assert run_by_dask(y) == run_by_dask(x.data * 1.8 + 32.0)


def test_conversions_within_an_op_are_put_together() -> None:
    a, b = _lengths(), _lengths().to("km")
    assert built(a + b) == built(a.data + b.to("m").data)
    assert built(a + b) == built(a) + built(b.to("m")) + a.npartitions  # b is as it was
    assert built(a + a.to("ft")) == built(a) + a.npartitions


def test_a_factor_of_one_is_no_task() -> None:
    x = DaskDimArray(np.arange(4.0), "N", chunks=2)
    for unit in ("kg*m/s**2", "J/m", "N"):
        assert built(x.to(unit)) == built(x)
    assert built(x + x.to("kg*m/s**2")) == built(x.data + x.data)


def test_assignment_leaves_no_conversion_behind() -> None:
    x = _lengths()
    y = x.to("km")
    y[0, 0] = DimArray(1.0, "km")
    back = y.to("m")
    assert built(back) == built(y) + y.npartitions
    z = _lengths()
    w = z.to("km")
    z[0, 0] = DimArray(7.0, "m")
    assert built(w.to("m")) == built(w) + w.npartitions


def test_there_and_back_is_another_array() -> None:
    x = _lengths()
    name, y = x.name, x.to("km").to("m")
    y[0, 0] = DimArray(9.0, "km")
    assert x.name == name
    assert y.name != name


def test_a_copy_knows_what_it_was_converted_from() -> None:
    x = _lengths()
    assert built(x + x.to("km").to("km").copy()) == built(x.data + x.data)


# Programs


class _Twin:
    """A value with a unit, and the raw program that somebody careful would have written for it.

    The raw value is an array and an exact factor that it waits to be multiplied by.
    """

    def __init__(self, lazy: Any, source: Any, factor: Fraction, scale: Fraction) -> None:
        self.lazy = lazy
        self.source = source
        self.factor = factor
        self.scale = scale

    @property
    def raw(self) -> Any:
        return self.source if self.factor == 1 else self.source * float(self.factor)

    def to(self, unit: str) -> "_Twin":
        target = _SCALES[unit]
        factor = self.factor * self.scale / target
        return _Twin(self.lazy.to(unit), self.source, factor, target)

    def scaled(self, scale: Fraction) -> Any:
        """The raw array in another unit."""
        factor = self.factor * self.scale / scale
        return self.source if factor == 1 else self.source * float(factor)


_SCALES = {"m": Fraction(1), "km": Fraction(1000), "cm": Fraction(1, 100), "dam": Fraction(10)}
_ONE: dict[str, Callable[[Any], Any]] = {
    "negative": lambda x: -x,
    "absolute": abs,
    "sum": lambda x: x.sum(axis=0),
    "mean": lambda x: x.mean(axis=-1, keepdims=True),
    "max": lambda x: x.max(axis=0, keepdims=True),
    "transpose": lambda x: x.T,
    "slice": lambda x: x[..., ::2],
    "double": lambda x: x * 2.0,
    "rechunk": lambda x: x.rechunk(1),
    "new axis": lambda x: x[None],
}
_TWO: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "maximum": np.maximum,
    "hypot": np.hypot,
}
_STEPS = st.one_of(
    st.tuples(st.just("one"), st.sampled_from(sorted(_ONE))),
    st.tuples(st.just("two"), st.sampled_from(sorted(_TWO))),
    st.tuples(st.just("to"), st.sampled_from(sorted(_SCALES))),
)


def _start(unit: str) -> _Twin:
    raw = da.ones((4, 4), chunks=2)
    return _Twin(DaskDimArray(raw, unit), raw, Fraction(1), _SCALES[unit])


def _step(kind: str, name: str, values: list[_Twin], data: Any) -> _Twin:
    x = data.draw(st.sampled_from(values))
    if kind == "to":
        return x.to(name)
    if kind == "one":
        return _Twin(_ONE[name](x.lazy), _ONE[name](x.raw), Fraction(1), x.scale)
    y = data.draw(st.sampled_from([v for v in values if v.lazy.shape == x.lazy.shape]))
    function = _TWO[name]
    raw = function(x.raw, y.scaled(x.scale))
    return _Twin(function(x.lazy, y.lazy), raw, Fraction(1), x.scale)


@settings(max_examples=_EXAMPLES, deadline=None)
@given(st.lists(_STEPS, min_size=1, max_size=8), st.data())
def test_a_program_has_the_tasks_of_the_raw_one(steps: Any, data: Any) -> None:
    values = [_start(unit) for unit in ("m", "km", "m")]
    for kind, name in steps:
        values.append(_step(kind, name, values, data))
        assert built(values[-1].lazy) == built(values[-1].raw), (kind, name)
    last = values[-1]
    assert run_by_dask(last.lazy) == run_by_dask(last.raw)
    everything = [v.lazy for v in values], [v.raw for v in values]
    assert built(*everything[0]) == built(*everything[1])
