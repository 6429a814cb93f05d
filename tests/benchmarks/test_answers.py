"""A library that gives a wrong answer is not timed: each judge refuses what is wrong."""

from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from benchmarks import judges
from benchmarks.libraries import Library, all_libraries
from benchmarks.race import QUICK, WrongAnswer
from benchmarks.suites.units import ROWS, Known, New
from benchmarks.texts import SHAPES, UNITS, Drawing, meaning


@cache
def libraries() -> tuple[Library, ...]:
    return tuple(all_libraries())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.name}-{row.statement}")
def test_every_row_is_right_in_every_library(row: Known | New) -> None:
    row.race(list(libraries()), QUICK, Drawing(seed=3)).check()


@pytest.mark.parametrize("name", ["dimflow", "pint", "astropy", "unyt"])
def test_a_wrong_statement_is_found(name: str) -> None:
    product = next(row for row in ROWS if row.name == "product")
    assert isinstance(product, Known)
    wrong = product._replace(others={name: "N / m"})
    with pytest.raises(WrongAnswer, match=rf"^{name}: N / m is 1\.0 with exponents"):
        wrong.race(list(libraries()), QUICK, Drawing()).check()


def test_a_wrong_answer_on_new_inputs_is_found() -> None:
    parse = next(row for row in ROWS if isinstance(row, New) and row.name == "parse, new text")
    wrong = parse._replace(others={**parse.others, "pint": "read(new) ** 2"})
    with pytest.raises(WrongAnswer, match=r"^pint: read\(new\) \*\* 2 with"):
        wrong.race(list(libraries()), QUICK, Drawing(seed=4)).check()


def test_a_library_that_learns_a_notation_joins_the_race() -> None:
    with pytest.raises(WrongAnswer, match="dimflow reads 'W m-2 K-1' now"):
        judges.refuses(libraries()[0], "W m-2 K-1")


@pytest.mark.parametrize(
    ("judge", "right", "wrong"),
    [
        (judges.is_number(68.0), 68.00000000000001, 68.0001),
        (judges.is_exactly(True), True, 1),
        (judges.contains("m", "{"), "{m}", "m"),
        (judges.is_hash_of("N"), hash(libraries()[0].read("N")), 1),
        (
            judges.means(("m", 1), ("s", -1)),
            libraries()[0].read("m/s"),
            libraries()[0].read("km/s"),
        ),
        (judges.reads_back(("m", 2)), "m^2", "m^3"),
    ],
    ids=["number", "exactly", "contains", "hash", "means", "reads back"],
)
def test_judges(judge: judges.Judge, right: Any, wrong: Any) -> None:
    judge(libraries()[0], right, "work")
    with pytest.raises(WrongAnswer, match="dimflow: "):
        judge(libraries()[0], wrong, "work")


def test_the_truth_is_what_the_si_says() -> None:
    assert meaning((("kJ", 1), ("kg", -1), ("K", -1))) == (1000, (2, 0, -2, 0, -1))
    assert meaning((("um", 2),)) == (Fraction(1, 10**12), (2, 0, 0, 0, 0))
    assert meaning((("V", 1),)) == meaning((("W", 1), ("A", -1)))
    assert meaning((("T", 1), ("m", 2))) == meaning((("V", 1), ("s", 1)))


def test_no_text_comes_twice() -> None:
    drawing = Drawing()
    drawn = [drawing.text(shape) for shape in SHAPES for _ in range(400)]
    drawn += [new for _ in range(400) for new in drawing.pair()]
    assert len({new.text for new in drawn}) == len({new.terms for new in drawn}) == len(drawn)
    assert {name for new in drawn for name, _ in new.terms} == set(UNITS)


def test_both_of_a_pair_have_one_dimension() -> None:
    drawing = Drawing()
    for one, other in (drawing.pair() for _ in range(50)):
        assert meaning(one.terms).exponents == meaning(other.terms).exponents
        assert one.text != other.text
