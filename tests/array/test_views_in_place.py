"""Views, in-place operators, assignment and `out=` never make a unit untrue.

Random programs run twice: on arrays with units, and on plain arrays in SI units that are viewed
and written in the same way. After every step each array, and each view of it, still means what
its plain twin says, in the unit that it had from the beginning.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from dimflow import DimArray, Unit
from dimflow.errors import DimflowError, NotANumber, PointError, UnitError

LENGTHS = {"m": 1.0, "km": 1000.0, "mm": 0.001, "ft": 0.3048}
AREAS = {"m**2": 1.0, "cm**2": 1e-4, "km*m": 1000.0}
SHAPE = (3, 4)
EXAMPLES = max(40, settings.default.max_examples // 4)

numbers = st.integers(-40, 40).map(lambda n: n / 4)
factors = st.sampled_from([0.5, -1.0, 1.5, 2.0, 0.75])
slices = st.slices(3)
masks = st.lists(st.booleans(), min_size=12, max_size=12).map(
    lambda bits: np.array(bits).reshape(SHAPE)
)
length_units = st.sampled_from(sorted(LENGTHS))

VIEWS: dict[str, Callable[[Any], Any]] = {
    "backwards": lambda x: x[::-1],
    "every second": lambda x: x[..., ::2],
    "transposed": lambda x: x.T,
    "swapped": lambda x: x.swapaxes(0, -1),
    "a new axis": lambda x: x[None],
    "without it": lambda x: x[0] if x.shape[:1] == (1,) else x,
    "all but one": lambda x: x[1:] if len(x) > 1 else x[:],
    "everything": lambda x: x[...],
    "flat": lambda x: x.reshape(-1),
}


class Twin:
    """An array with a unit and its plain twin in SI units, over memory of their own kind."""

    def __init__(self, array: DimArray, plain: Any, owner: "Twin | None" = None) -> None:
        self.array = array
        self.plain = plain
        self.unit = array.unit
        self.owner = owner.owner if owner is not None else self
        if owner is None:
            self.largest = float(np.abs(plain).max(initial=0.0))


def quantity(value: Any, unit: str) -> DimArray:
    return DimArray(np.asarray(value, float), unit)


class Program(RuleBasedStateMachine):
    """Arrays of lengths and areas, and views of them."""

    def __init__(self) -> None:
        super().__init__()
        self.lengths: list[Twin] = []
        self.areas: list[Twin] = []

    @initialize(data=st.data())
    def start(self, data: Any) -> None:
        for unit, factor in LENGTHS.items():
            self.lengths.append(self._made(data, unit, factor))
        for unit, factor in AREAS.items():
            self.areas.append(self._made(data, unit, factor))

    def _made(self, data: Any, unit: str, factor: float) -> Twin:
        values = data.draw(st.lists(numbers, min_size=12, max_size=12))
        raw = np.array(values, float).reshape(SHAPE)
        return Twin(DimArray(raw, unit), raw * factor)

    def _any(self, data: Any) -> Twin:
        return data.draw(st.sampled_from(self.lengths + self.areas))

    def _length(self, data: Any) -> Twin:
        return data.draw(st.sampled_from(self.lengths))

    def _fitting(self, data: Any, shape: tuple[int, ...]) -> Twin:
        """A length that broadcasts to a shape."""
        fit = [t for t in self.lengths if _broadcasts(t.plain.shape, shape)]
        return data.draw(st.sampled_from(fit or self.lengths[:1]))

    def _touched(self, twin: Twin) -> None:
        owner = twin.owner
        owner.largest = max(owner.largest, float(np.abs(owner.plain).max(initial=0.0)))

    # Views and copies

    @rule(data=st.data(), kind=st.sampled_from(sorted(VIEWS)))
    def view(self, data: Any, kind: str) -> None:
        twin = self._any(data)
        if twin.plain.ndim == 0 or (twin.plain.ndim > 3 and kind == "a new axis"):
            return
        array, plain = VIEWS[kind](twin.array), VIEWS[kind](twin.plain)
        shared = np.shares_memory(array.data, twin.array.data)
        if not np.shares_memory(plain, twin.plain) or not plain.size:
            return
        assert shared, f"{kind} is a view in NumPy"
        assert array.unit is twin.unit
        place = self.lengths if twin in self.lengths else self.areas
        place.append(Twin(array, plain, twin))
        del place[12:]

    @rule(data=st.data(), unit=length_units)
    def converted_copy(self, data: Any, unit: str) -> None:
        twin = self._length(data)
        array = twin.array.to(unit)
        assert not np.shares_memory(array.data, twin.array.data)
        array += quantity(1.0, "m")  # which the array that it came from does not notice

    @rule(data=st.data())
    def same_unit_without_a_copy(self, data: Any) -> None:
        twin = self._length(data)
        array = twin.array.to(twin.unit, copy=False)
        assert np.shares_memory(array.data, twin.array.data)

    @rule(data=st.data(), value=numbers, unit=length_units)
    def an_element_is_no_view(self, data: Any, value: float, unit: str) -> None:
        twin = self._length(data)
        index = tuple(data.draw(st.integers(0, n - 1)) for n in twin.plain.shape)
        element = twin.array[index]
        element += quantity(value, unit)
        expected = twin.plain[index] + value * LENGTHS[unit]
        assert element.unit is twin.unit
        self._close(element.to_value("m"), expected, twin.owner.largest + abs(expected))

    # In place

    @rule(data=st.data(), value=numbers, unit=length_units, plus=st.booleans())
    def add_a_number(self, data: Any, value: float, unit: str, plus: bool) -> None:
        twin = self._length(data)
        array, plain = twin.array, twin.plain
        change = operator.iadd if plus else operator.isub
        assert change(array, quantity(value, unit)) is array
        change(plain, value * LENGTHS[unit])
        self._touched(twin)

    @rule(data=st.data(), plus=st.booleans())
    def add_an_array(self, data: Any, plus: bool) -> None:
        """The other may be a view of the same memory."""
        twin = self._length(data)
        other = self._fitting(data, twin.plain.shape)
        if not _broadcasts(other.plain.shape, twin.plain.shape):
            return
        change = operator.iadd if plus else operator.isub
        change(twin.array, other.array)
        change(twin.plain, other.plain)
        self._touched(twin)
        twin.owner.largest += other.owner.largest

    @rule(data=st.data(), factor=factors, times=st.booleans(), percent=st.booleans())
    def scale(self, data: Any, factor: float, times: bool, percent: bool) -> None:
        twin = self._any(data)
        change = operator.imul if times else operator.itruediv
        change(twin.array, quantity(100 * factor, "percent") if percent else factor)
        change(twin.plain, factor)
        self._touched(twin)

    # Assignment

    @rule(data=st.data(), value=numbers, unit=length_units, key=slices)
    def assign_a_number(self, data: Any, value: float, unit: str, key: slice) -> None:
        twin = self._length(data)
        twin.array[key] = quantity(value, unit)
        twin.plain[key] = value * LENGTHS[unit]
        self._touched(twin)

    @rule(data=st.data())
    def assign_an_array(self, data: Any) -> None:
        twin = self._length(data)
        other = self._fitting(data, twin.plain.shape)
        if _broadcasts(other.plain.shape, twin.plain.shape):
            twin.array[...] = other.array
            twin.plain[...] = other.plain
            self._touched(twin)
            twin.owner.largest += other.owner.largest

    @rule(data=st.data(), mask=masks, value=numbers, unit=length_units)
    def assign_by_a_mask(self, data: Any, mask: Any, value: float, unit: str) -> None:
        whole = data.draw(st.sampled_from([t for t in self.lengths if t.plain.shape == SHAPE]))
        whole.array[mask] = quantity(value, unit)
        whole.plain[mask] = value * LENGTHS[unit]
        self._touched(whole)

    @rule(data=st.data())
    def assign_zero(self, data: Any) -> None:
        twin = self._any(data)
        twin.array[..., 0] = 0
        twin.plain[..., 0] = 0

    # out=

    @rule(data=st.data(), minus=st.booleans())
    def sum_into(self, data: Any, minus: bool) -> None:
        out = self._length(data)
        shape = out.plain.shape
        one, other = self._fitting(data, shape), self._fitting(data, shape)
        if any(not _broadcasts(t.plain.shape, shape) for t in (one, other)):
            return
        ufunc = np.subtract if minus else np.add
        assert ufunc(one.array, other.array, out=out.array) is out.array
        ufunc(one.plain, other.plain, out=out.plain)
        self._touched(out)
        out.owner.largest += one.owner.largest + other.owner.largest

    @rule(data=st.data())
    def product_into(self, data: Any) -> None:
        whole = [t for t in self.lengths if t.plain.shape == SHAPE]
        one, other = data.draw(st.sampled_from(whole)), data.draw(st.sampled_from(whole))
        out = data.draw(st.sampled_from([t for t in self.areas if t.plain.shape == SHAPE]))
        np.multiply(one.array, other.array, out=out.array)
        np.multiply(one.plain, other.plain, out=out.plain)
        self._touched(out)
        out.owner.largest += one.owner.largest * other.owner.largest

    @rule(data=st.data(), mask=masks)
    def larger_where_into(self, data: Any, mask: Any) -> None:
        whole = [t for t in self.lengths if t.plain.shape == SHAPE]
        out, one, other = (data.draw(st.sampled_from(whole)) for _ in range(3))
        np.maximum(one.array, other.array, out=out.array, where=mask)
        np.maximum(one.plain, other.plain, out=out.plain, where=mask)
        self._touched(out)
        out.owner.largest += one.owner.largest + other.owner.largest

    @rule(data=st.data(), value=numbers, unit=length_units)
    def add_at(self, data: Any, value: float, unit: str) -> None:
        twin = self._length(data)
        indices = [0, 0, -1]
        np.add.at(twin.array, indices, quantity(value, unit))
        np.add.at(twin.plain, indices, value * LENGTHS[unit])
        self._touched(twin)

    @rule(data=st.data())
    def copy_to(self, data: Any) -> None:
        twin = self._length(data)
        other = self._fitting(data, twin.plain.shape)
        if _broadcasts(other.plain.shape, twin.plain.shape):
            np.copyto(twin.array, other.array)
            np.copyto(twin.plain, other.plain)
            self._touched(twin)
            twin.owner.largest += other.owner.largest

    # What must fail, and change nothing

    @rule(data=st.data(), attempt=st.integers(0, 11))
    def what_would_make_the_unit_untrue(self, data: Any, attempt: int) -> None:
        x = self._length(data).array
        area = self.areas[0].array
        attempts: list[Callable[[], Any]] = [
            lambda: operator.iadd(x, quantity(1.0, "s")),
            lambda: operator.iadd(x, 1.0),
            lambda: operator.imul(x, quantity(2.0, "m")),
            lambda: operator.imul(x, Unit("m")),
            lambda: operator.itruediv(x, quantity(2.0, "s")),
            lambda: operator.ipow(x, 2),
            lambda: operator.setitem(x, ..., 1.0),
            lambda: operator.setitem(x, ..., quantity(1.0, "kg")),
            lambda: operator.setitem(x, ..., np.ones(1)),
            lambda: np.multiply(x, x, out=x),
            lambda: np.add(area, area, out=x),
            lambda: np.sqrt(x, out=x),
        ]
        with pytest.raises(DimflowError):
            attempts[attempt]()

    def _close(self, actual: Any, expected: Any, size: float) -> None:
        np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-10 * size + 1e-300)

    @invariant()
    def every_array_means_what_its_twin_says(self) -> None:
        for twins, unit in ((self.lengths, "m"), (self.areas, "m**2")):
            for twin in twins:
                assert twin.array.unit is twin.unit
                assert twin.array.shape == twin.plain.shape
                self._close(twin.array.to_value(unit), twin.plain, twin.owner.largest)


def _broadcasts(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, target) == target
    except ValueError:
        return False


TestProgram = Program.TestCase
TestProgram.settings = settings(max_examples=EXAMPLES, stateful_step_count=20)

SCALES = ("degC", "degF", "K")
STEPS = ("delta_degC", "delta_degF", "K")


@given(
    start=st.lists(numbers, min_size=4, max_size=4),
    scale=st.sampled_from(SCALES),
    moves=st.lists(
        st.tuples(st.sampled_from(("add", "take", "set", "out")), numbers, st.integers(0, 2)),
        max_size=6,
    ),
)
def test_temperatures_stay_true(start: Any, scale: str, moves: Any) -> None:
    """Points move by differences; a view sees it; what is assigned may be on any scale."""
    array = DimArray(np.array(start), scale)
    plain = array.to_value("K").copy()
    view, plain_view = array[1::2], plain[1::2]
    for kind, value, which in moves:
        step = quantity(value, "K" if scale == "K" else STEPS[which])
        point = quantity(value, SCALES[which])
        if kind == "set":
            view[...] = point
            plain_view[...] = float(point.to_value("K"))
        elif kind == "out":
            np.maximum(array, point, out=array)
            np.maximum(plain, float(point.to_value("K")), out=plain)
        elif kind == "add" or scale == "K" or STEPS[which] != "K":
            sign = 1 if kind == "add" else -1
            (operator.iadd if kind == "add" else operator.isub)(view, step)
            plain_view += sign * float(step.to_base_units().data)
    assert array.unit is Unit(scale)
    np.testing.assert_allclose(array.to_value("K"), plain, rtol=1e-9, atol=1e-7)


@pytest.mark.parametrize("scale", ["degC", "degF", "dBm"])
@pytest.mark.parametrize(
    "change",
    [
        lambda x: operator.imul(x, 2.0),
        lambda x: operator.itruediv(x, 2.0),
        lambda x: operator.ipow(x, 2),
        lambda x: operator.iadd(x, 1.0),
        lambda x: operator.iadd(x, x),
        lambda x: operator.setitem(x, 0, 0),
        lambda x: np.multiply(x, 2.0, out=x),
        lambda x: np.negative(x, out=x),
    ],
    ids=["times", "over", "power", "plus a number", "plus a point", "set to 0", "out", "negative"],
)
def test_points_refuse_what_has_no_meaning(change: Any, scale: str) -> None:
    raw = np.array([20.0, -3.0])
    with pytest.raises((PointError, UnitError)):
        change(DimArray(raw, scale))
    assert raw.tolist() == [20.0, -3.0]


@pytest.mark.parametrize(
    "write",
    [
        lambda x: operator.iadd(x, quantity(1.5, "m")),
        lambda x: operator.iadd(x, quantity(1.0, "mm")),
        lambda x: operator.imul(x, 0.5),
        lambda x: operator.itruediv(x, 2),
        lambda x: operator.setitem(x, 0, quantity(1.0, "ft")),
        lambda x: np.add(x, quantity(1.0, "mm"), out=x),
    ],
    ids=["fraction", "conversion", "times a fraction", "quotient", "assignment", "out"],
)
def test_integers_are_not_cut(write: Any) -> None:
    raw = np.array([1, 2, 3])
    x = DimArray(raw, "m")
    with pytest.raises(NotANumber, match=r"hint: .* x = x\.astype\(float\)"):
        write(x)
    assert raw.tolist() == [1, 2, 3]
    write(x.astype(float))  # as the hint says


@pytest.mark.parametrize(
    "write",
    [
        lambda x: operator.iadd(x, quantity(1.5, "m")),
        lambda x: operator.iadd(x, quantity(1.5, "km")),
        lambda x: operator.imul(x, quantity(50.0, "percent")),
        lambda x: operator.setitem(x, 0, quantity(1.0, "ft")),
        lambda x: np.add(x, x, out=x),
        lambda x: np.copyto(x, quantity(1.0, "km")),
    ],
    ids=["sum", "converted sum", "scale", "assignment", "out", "copyto"],
)
def test_read_only_memory_stays_as_it_is(write: Any) -> None:
    raw = np.array([1.0, 2.0])
    raw.flags.writeable = False
    with pytest.raises((ValueError, DimflowError)):
        write(DimArray(raw, "m"))
    assert raw.tolist() == [1.0, 2.0]


@given(unit=length_units, other=length_units, value=numbers)
def test_single_precision_stays_single(unit: str, other: str, value: float) -> None:
    raw = np.array([1.0, 2.5], np.float32)
    array = DimArray(raw, unit)
    array += quantity(value, other)
    assert array.data is raw
    assert raw.dtype == np.float32
    expected = (np.array([1.0, 2.5]) * LENGTHS[unit] + value * LENGTHS[other]) / LENGTHS[unit]
    np.testing.assert_allclose(raw, expected, rtol=1e-5, atol=1e-5)
