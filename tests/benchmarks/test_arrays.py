"""The suite of arrays: every answer is judged by value and dimension, and every goal has a row."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.array_libraries import FACTORS, NONE, RAW, SI, Arrays, all_arrays, data, in_si
from benchmarks.race import CONTROL, QUICK, WrongAnswer, run
from benchmarks.suites.arrays import (
    ALLOCATED,
    FEW,
    LENGTH,
    MANY,
    ROWS,
    SIZES,
    SUITE,
    Row,
    is_quantity,
    is_text,
    overhead,
    races,
    refuses,
)

NAMES = ["dimflow", RAW, "pint", "astropy", "unyt", "saiunit", "dimtensor"]


@cache
def libraries() -> dict[str, Arrays]:
    return {arrays.name: arrays for arrays in all_arrays()}


def everyone() -> list[Arrays]:
    return list(libraries().values())


def row(group: str, name: str) -> Row:
    return next(r for r in ROWS if (r.group, r.name) == (group, name))


def test_all_take_part_and_we_are_first() -> None:
    assert list(libraries()) == NAMES


@pytest.mark.parametrize("work", ROWS, ids=lambda r: f"{r.group}-{r.name}")
def test_every_row_is_right_in_every_library(work: Row) -> None:
    race = work.race(everyone(), QUICK)
    race.check()
    assert set(race.entries) | set(race.refused) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_nobody_copies_what_it_is_given(name: str) -> None:
    arrays, raw = libraries()[name], data(3)
    for key, value in arrays.namespace(raw).items():
        if key in ("x", "k"):
            inside = value if name == RAW else arrays.parts(value)[0]
            assert np.shares_memory(inside, raw["a" if key == "x" else "b"])


def test_the_numbers_in_si_units_are_what_physics_says() -> None:
    assert FACTORS == {"k": 1000.0}
    for name, arrays in libraries().items():
        if name == RAW:
            continue
        ours = arrays.namespace(data(4))
        for key, values in in_si(data(4)).items():
            if key in ("x", "y", "z", "k", "m", "v"):
                assert arrays.si(ours[key]).values.tolist() == values.tolist()


@pytest.mark.parametrize("name", [n for n in NAMES if n != RAW])
@pytest.mark.parametrize(
    ("wrong", "message"),
    [("x * 1.001", r"is \[.* in SI units, not"), ("x * y / x", "has .*, not"), ("x[:3]", "not")],
    ids=["value", "dimension", "length"],
)
def test_a_wrong_statement_is_found(name: str, wrong: str, message: str) -> None:
    product = Row(FEW, "same", "x", LENGTH, truth="x", others={name: wrong})
    if wrong == "x * y / x":
        product = product._replace(truth="y")
    with pytest.raises(WrongAnswer, match=f"(?s)^{name}: .*{message}"):
        product.check([libraries()[name]], data(10))


def test_a_wrong_scale_of_numpy_is_found() -> None:
    convert = row(FEW, "convert")
    convert.check([libraries()[RAW]], data(10))
    with pytest.raises(WrongAnswer, match=r"^NumPy: "):
        convert._replace(raw_scale=1.0).check([libraries()[RAW]], data(10))


def test_a_plain_array_is_no_length() -> None:
    raw = data(3)["a"]
    is_quantity(libraries()["dimflow"], raw, SI(raw, NONE), 1.0, "a")
    with pytest.raises(WrongAnswer, match=r"^dimflow: a has"):
        is_quantity(libraries()["dimflow"], raw, SI(raw, LENGTH), 1.0, "a")


def test_a_text_shows_numbers_and_unit() -> None:
    is_text(libraries()[RAW], "1.1 1.9", "text")
    is_text(libraries()["pint"], "1.1 1.9 m", "text")
    for wrong in ("1.1 1.9", "1.1 m", 1.1):
        with pytest.raises(WrongAnswer, match=r"^pint: text is"):
            is_text(libraries()["pint"], wrong, "text")


def test_a_library_that_learns_something_joins_the_race() -> None:
    with pytest.raises(WrongAnswer, match=r"^dimflow can do np\.sum\(x\) now"):
        refuses(libraries()["dimflow"], "np.sum(x)", libraries()["dimflow"].namespace(data(3)))


def test_every_goal_of_arrays_has_a_row() -> None:
    found = {(r.group, r.name): r.goal_ratio or r.goal for r in ROWS if r.goal_ratio or r.goal}
    assert found == {
        (FEW, "product"): 2.5,
        (FEW, "sum, same unit"): 2.2,
        (FEW, "sum, m + km"): 2.0,
        (FEW, "a number times"): 2.5,
        (FEW, "square root"): 5.0,
        (FEW, "½mv², total"): 2.0,
        (FEW, "convert"): 3.0,
        (FEW, "index"): 0.6e-6,
        (FEW, "construct"): 0.3e-6,
        (MANY, "product"): 1.05,
        (MANY, "sum, same unit"): 1.05,
        (MANY, "½mv²"): 1.25,
        (ALLOCATED, "product"): 1.0,
        (ALLOCATED, "sum, same unit"): 1.0,
    }
    assert races(QUICK)[-1].goal == 300  # bytes of a pickle


def test_one_operation_allocates_its_result_and_nothing_else() -> None:
    for name in ("product", "sum, same unit"):
        done = run(row(ALLOCATED, name).race(everyone(), QUICK))
        ours = done["contenders"]["dimflow"]
        assert ours["ratio"] == 1
        assert 8_000_000 <= ours["median"] < 8_002_000


def test_a_pickle_is_hardly_longer_than_that_of_the_raw_array() -> None:
    done = run(races(QUICK)[-1])
    more = done["contenders"]["dimflow"]["median"]
    assert -32 < more < done["goal"]  # a raw array's pickle names its class, which takes bytes too


def test_the_overhead_is_measured_at_every_size_that_the_effort_allows() -> None:
    assert SIZES == [1, 10, 100, 1000, 10**4, 10**5, 10**6, 10**7]
    found = overhead(QUICK._replace(largest=100))
    assert [(r.work, r.size) for r in found] == [
        (work, size) for work in ("x * y", "0.5 * m * v**2") for size in (1, 10, 100)
    ]
    assert all(r.base == RAW and set(r.entries) == set(NAMES) for r in found)


def test_the_overhead_is_drawn(tmp_path: Path) -> None:
    numbers = {"median": 1e-6, "minimum": 1e-6, "ratio": 2.0, "ratio_spread": [0.9, 1.1]}
    rows: list[dict[str, Any]] = [
        {
            "group": work,
            "name": f"n = {size}",
            "work": work,
            "unit": "s",
            "goal": None,
            "base": RAW,
            "size": size,
            "rounds": 3,
            "contenders": dict.fromkeys([*NAMES, CONTROL], numbers),
            "refused": {},
        }
        for work in ("x * y", "x + y")
        for size in (1, 10)
    ]
    SUITE.pictures[0].draw(rows, tmp_path / "assets/overhead.png")
    picture = (tmp_path / "assets/overhead.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 10_000
