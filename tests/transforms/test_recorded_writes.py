"""Programs that write into arrays, with views and aliases: recorded they are right, or refused."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import dimflow
from dimflow import DimArray
from dimflow import units as u
from dimflow.errors import TracedValueError

Step = tuple[str, int, int]
START = np.array([0.5, -1.25, 2.0, 0.75])

# Each makes a variable of others, or writes into one of them; all have four elements or fewer.
STEPS: dict[str, Callable[[list[Any], Any, Any], None]] = {
    "product": lambda known, a, b: known.append(a * 1.5),
    "sum": lambda known, a, b: known.append(a + fitting(b, a)),
    "square": lambda known, a, b: known.append(a * abs(a) / u.m),
    "head": lambda known, a, b: known.append(a[: max(len(a) - 1, 1)]),
    "reversed": lambda known, a, b: known.append(a[::-1]),
    "reshaped": lambda known, a, b: known.append(a.reshape(1, len(a))[0]),
    "alias": lambda known, a, b: known.append(a),
    "shared": lambda known, a, b: known.append(DimArray(a)),
    "copy": lambda known, a, b: known.append(a.copy()),
    "zeros": lambda known, a, b: known.append(DimArray(np.zeros(len(a)), "m")),
    "add in place": lambda known, a, b: write(known, a, "+", fitting(b, a)),
    "subtract in place": lambda known, a, b: write(known, a, "-", b[:1]),
    "double in place": lambda known, a, b: write(known, a, "*", 2.0),
    "root in place": lambda known, a, b: write(known, a, "/", 3.0),
    "element": lambda known, a, b: a.__setitem__(0, b[-1]),
    "slice": lambda known, a, b: a.__setitem__(slice(1, None), b[-1]),
    "fill": lambda known, a, b: a.fill(b[0]),
}


def fitting(b: Any, a: Any) -> Any:
    """As much of one array as another has elements; one, if there are not that many."""
    return b[: len(a) if len(b) >= len(a) else 1]


def write(known: list[Any], a: Any, sign: str, b: Any) -> None:
    """`a += b` for a name in a list: Python puts what the operator gives in its place."""
    place = next(i for i, each in enumerate(known) if each is a)
    if sign == "+":
        known[place] += b
    elif sign == "-":
        known[place] -= b
    elif sign == "*":
        known[place] *= b
    else:
        known[place] /= b


def run(program: list[Step], x: Any) -> Any:
    known = [x, x * 1.0]
    for name, i, j in program:
        STEPS[name](known, known[i % len(known)], known[j % len(known)])
    total = 0.0 * u.m**2
    for weight, each in enumerate(known, 1):
        total = total + weight * dimflow.sum(each * each)
    return total


def plainly(program: list[Step], numbers: Any) -> float:
    return float(run(program, DimArray(numbers.copy(), "m")).to_value("m**2"))


def by_grad(program: list[Step]) -> tuple[Any, Any]:
    x = DimArray(START.copy(), "m")
    found = dimflow.value_and_grad(lambda x: run(program, x))(x)
    np.testing.assert_array_equal(x.data, START)
    return found  # type: ignore[no-any-return]


def by_tape(program: list[Step]) -> tuple[Any, Any]:
    with dimflow.GradientTape() as tape:
        x = tape.watch(DimArray(START.copy(), "m"))
        loss = run(program, x)
    return loss, tape.gradient(loss, x)


def by_backward(program: list[Step]) -> tuple[Any, Any]:
    x = DimArray(START.copy(), "m").requires_grad_()
    loss = run(program, x)
    loss.backward()
    return loss.detach(), x.grad


def by_tangents(program: list[Step]) -> tuple[Any, Any]:
    x = DimArray(START.copy(), "m")
    steps = [DimArray(np.eye(4)[i], "m") for i in range(4)]
    pairs = [dimflow.jvp(lambda x: run(program, x), (x,), (step,)) for step in steps]
    return pairs[0][0], DimArray([p[1] for p in pairs]) / u.m


WAYS = {"grad": by_grad, "tape": by_tape, "backward": by_backward, "jvp": by_tangents}
programs = st.lists(
    st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 7), st.integers(0, 7)), max_size=7
)


def agrees(way: str, program: list[Step]) -> bool:
    """Whether the program ran: then as it does unrecorded."""
    try:
        value, gradient = WAYS[way](program)
    except TracedValueError:
        return False
    np.testing.assert_allclose(value.to_value("m**2"), plainly(program, START), rtol=1e-12)
    step = 1e-6
    slopes = [
        (plainly(program, START + step * e) - plainly(program, START - step * e)) / (2 * step)
        for e in np.eye(4)
    ]
    lost = 1e-15 * abs(plainly(program, START)) / step  # digits, in a difference of large sums
    np.testing.assert_allclose(gradient.to_value("m"), slopes, rtol=1e-6, atol=1e-6 + lost)
    return True


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=120, deadline=None)
@given(program=programs)
def test_a_program_that_writes_is_right_or_refused(way: str, program: list[Step]) -> None:
    agrees(way, program)


@pytest.mark.deep
@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=4000, deadline=None)
@given(program=programs)
def test_many_programs_that_write_are_right_or_refused(way: str, program: list[Step]) -> None:
    agrees(way, program)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "program",
    [
        [("product", 0, 0), ("add in place", 2, 1), ("double in place", 2, 0)],
        [("product", 0, 0), ("alias", 2, 2), ("double in place", 2, 0)],
        [("zeros", 0, 0), ("add in place", 2, 0), ("add in place", 2, 1)],
        [("double in place", 1, 0), ("product", 1, 0)],
    ],
    ids=["chain", "alias", "sum", "before"],
)
def test_usual_programs_run(way: str, program: list[Step]) -> None:
    assert agrees(way, program)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "program",
    [
        [("double in place", 0, 0)],
        [("head", 1, 0), ("double in place", 1, 0)],
        [("head", 1, 0), ("double in place", 2, 0)],
        [("shared", 1, 0), ("double in place", 2, 0)],
        [("zeros", 0, 0), ("head", 2, 0), ("add in place", 2, 0)],
        [("element", 1, 0)],
        [("zeros", 0, 0), ("element", 2, 0)],
    ],
    ids=["argument", "viewed", "view", "shared", "viewed plain", "element", "plain element"],
)
def test_programs_whose_writes_others_would_see_are_refused(way: str, program: list[Step]) -> None:
    assert not agrees(way, program)


# Constants beside recorded values


def stepped(x: Any) -> Any:
    """A simulation whose time is a plain quantity that moves on in place."""
    time, place = 0.0 * u.s, 0.0 * u.m
    for _ in range(3):
        place = place + x * time
        time += 1.0 * u.s
    return place


@pytest.mark.parametrize("engine", [None, "own"])
@pytest.mark.parametrize("library", ["numpy", "torch", "torch float32"])
def test_a_time_that_moves_on_in_place(library: str, engine: Any) -> None:
    raw: Any = np.array(2.0)
    if library != "numpy":
        raw = torch.tensor(2.0, dtype=torch.float32 if "32" in library else torch.float64)
    found = dimflow.grad(stepped, engine=engine)(DimArray(raw, "m/s"))
    assert found.to_numpy("s") == 3.0


WRITES: dict[str, Callable[[Any], Any]] = {
    "assignment": lambda buffer: buffer.__setitem__(..., 7 * u.s),
    "element": lambda buffer: buffer.__setitem__(0, 7 * u.s),
    "operator": lambda buffer: buffer.__imul__(7.0),
    "fill": lambda buffer: buffer.fill(7 * u.s),
    "view": lambda buffer: buffer[1:].__setitem__(0, 7 * u.s),
    "out": lambda buffer: np.add(buffer, buffer, out=buffer),
    "copyto": lambda buffer: np.copyto(buffer, 7 * u.s),
    "sort": lambda buffer: buffer.sort(),
    "sum": lambda buffer: buffer.reshape(1, -1).sum(axis=0, out=buffer),
    "mask": lambda buffer: buffer.__setitem__(buffer > 0 * u.s, 7 * u.s),
    "flat": lambda buffer: buffer.flat.__setitem__(0, 7 * u.s),
    "real": lambda buffer: buffer.real.__setitem__(0, 7 * u.s),
    "ufunc.at": lambda buffer: np.add.at(buffer, [0, 1], 1 * u.s),
    "ufunc.reduce": lambda buffer: np.add.reduce(buffer.reshape(1, -1), axis=0, out=buffer),
    "ufunc.accumulate": lambda buffer: np.add.accumulate(buffer, out=buffer),
    "put": lambda buffer: np.put(buffer, [0], 7 * u.s),
    "putmask": lambda buffer: np.putmask(buffer, buffer > 0 * u.s, 7 * u.s),
    "put_along_axis": lambda buffer: np.put_along_axis(buffer, np.array([0]), 7 * u.s, 0),
    "place": lambda buffer: np.place(buffer, buffer > 0 * u.s, [7] * u.s),
    "clip": lambda buffer: np.clip(buffer, 0 * u.s, 1.1 * u.s, out=buffer),
    "take": lambda buffer: np.take(buffer, np.zeros(buffer.size, int), out=buffer),
    "fill_diagonal": lambda buffer: np.fill_diagonal(buffer.reshape(2, -1), 7 * u.s),
}


@pytest.mark.parametrize("engine", [None, "own"])
@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("size", [2, 5000])
def test_a_constant_that_is_written_into(size: int, write: str, library: str, engine: Any) -> None:
    """Small ones are copied when they are recorded; of large ones a write is refused."""

    def squares(x: Any) -> Any:
        buffer = DimArray(np.linspace(2.0, 1.0, size), "s")
        y = x * buffer
        WRITES[write](buffer)
        return dimflow.sum(y * y)

    raw: Any = np.full(size, 3.0)
    x = DimArray(torch.tensor(raw) if library == "torch" else raw, "m")
    try:
        found = dimflow.grad(squares, engine=engine)(x)
    except TracedValueError as error:
        assert size > 1000
        assert "write into a copy" in str(error)  # noqa: PT017
        return
    expected = 2 * 3.0 * np.linspace(2.0, 1.0, size) ** 2
    np.testing.assert_allclose(found.to_numpy("m*s**2"), expected)
    assert library == "torch" or size < 1000


def test_a_large_constant_is_free_again_after_the_derivative() -> None:
    x = DimArray(np.full(5000, 3.0), "m").requires_grad_()
    buffer = DimArray(np.ones(5000), "s")
    first = dimflow.sum(x * buffer)
    with pytest.raises(TracedValueError, match="used by a derivative"):
        buffer += 1 * u.s
    first.backward()
    buffer += 1 * u.s
    second = dimflow.sum(x * buffer[:4999].copy()[0])
    buffer += 1 * u.s  # of which nothing is on record
    dropped = dimflow.sum(x * buffer)
    del dropped
    buffer += 1 * u.s
    second.backward()
    assert x.grad.to_numpy("s")[0] == 3.0
    half = dimflow.sum(x[:2500] * buffer[:2500] ** 1)
    buffer[2500:] = 0 * u.s  # the other half
    half.backward()


def test_many_uses_of_one_large_constant() -> None:
    x = DimArray(np.full(5000, 1.0), "m").requires_grad_()
    buffer = DimArray(np.ones(5000))
    y = x
    for _ in range(300):
        y = y * buffer
    with pytest.raises(TracedValueError):
        buffer *= 2.0
    dimflow.sum(y).backward()
    buffer *= 2.0
