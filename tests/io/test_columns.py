"""loadtxt and savetxt: NumPy's, with a comment that says the units."""

import contextlib
import io
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow import DimArray, Unit, from_csv, loadtxt, savetxt, units
from dimflow.errors import DimensionError, DimflowError, FileFormatError, ShapeMismatch, UnitError
from dimflow.testing import assert_identical


def read(text: str, unit: Any = None, **options: Any) -> Any:
    return loadtxt(io.StringIO(text), unit, **options)


def written(data: Any, **options: Any) -> str:
    file = io.StringIO()
    savetxt(file, data, **options)
    return file.getvalue()


TEXT = "# measured in May\n# time [s] height [m]\n0 10\n1 5.1  # falling\n"


class TestReading:
    def test_columns_with_the_units_of_the_comment(self) -> None:
        time, height = read(TEXT, unpack=True)
        assert_identical(time, DimArray([0.0, 1.0], "s"))
        assert_identical(height, DimArray([10.0, 5.1], "m"))

    def test_one_array_in_one_unit(self) -> None:
        assert_identical(read("1 2\n3 4\n", "km"), DimArray([[1.0, 2.0], [3.0, 4.0]], "km"))
        assert_identical(read("# [km]\n1 2\n3 4\n"), DimArray([[1.0, 2.0], [3.0, 4.0]], "km"))
        assert_identical(read("1\n2\n", "m"), DimArray([1.0, 2.0], "m"))

    def test_columns_meet_in_the_first_unit(self) -> None:
        assert read("# a [km] b [m]\n1 2000\n").tolist() == [[1.0, 2.0]]
        with pytest.raises(DimensionError, match="unpack=True"):
            read(TEXT)

    def test_units_that_the_caller_says(self) -> None:
        time, height = read(TEXT, ["min", "km"], unpack=True)
        assert_identical(time, DimArray([0.0, 1.0], "s").to("min"))
        assert_identical(height, DimArray([10.0, 5.1], "m").to("km"))

    @given(
        said=st.sampled_from(["m", "km", "s", "degC", "K", "delta_degC", "", "percent", "W"]),
        asked=st.sampled_from(["m", "mile", "min", "degF", "K", "1", "mW"]),
        form=st.sampled_from(["array", "column", "unpacked"]),
    )
    def test_a_file_with_a_unit_is_converted_or_refused(self, said: Any, asked: Any, form: Any):
        x = DimArray([1.0, 2.5], said)
        text = written(x if form == "array" else {"x": x})
        try:
            wanted = x.to(asked)
        except DimflowError:
            with pytest.raises(DimflowError):
                read(text, asked)
            return
        found = read(text, asked, unpack=form == "unpacked")
        assert_identical(found[0] if form == "unpacked" else found, wanted)

    def test_a_comment_that_is_not_certain_is_no_unit_beside_one_that_is_asked_for(self) -> None:
        for text in ("# [nothing]\n1 2\n", "# at [m]\n1 2\n", "# [m] [s] [K]\n1 2\n"):
            assert_identical(read(text, ["K", "W"], unpack=True)[1], DimArray([2.0], "W"))

    def test_whole_numbers_are_not_cut_by_a_conversion(self) -> None:
        with pytest.raises(DimflowError, match="would cut"):
            read("# a [km] b [m]\n1 500\n", dtype=int)

    def test_numbers_without_any_unit_are_pure(self) -> None:
        assert read("# no units\n1 2\n").is_dimensionless

    def test_comments_below_the_first_number_say_nothing(self) -> None:
        assert read("1\n# [m]\n2\n").is_dimensionless

    @pytest.mark.parametrize("chosen", [1, [1], [-1], np.array([1])])
    def test_choosing_columns(self, chosen: Any) -> None:
        assert_identical(read(TEXT, usecols=chosen), DimArray([10.0, 5.1], "m"))

    @pytest.mark.parametrize(
        "options",
        [{}, {"delimiter": ","}, {"comments": "%"}, *({"skiprows": n} for n in range(5))],
        ids=str,
    )
    def test_numbers_as_numpy_reads_them(self, options: dict[str, Any]) -> None:
        mark = options.get("delimiter", " ")
        comment = options.get("comments", "#")
        lines = [f"{comment} x", "1 2 3", "", "4e1 -5 .6", f"7 8 9 {comment} y", "1 1 1"]
        text = "\n".join(lines[:1] + [line.replace(" ", mark, 2) for line in lines[1:]])
        expected = np.loadtxt(io.StringIO(text), **options)
        assert_identical(read(text, "m", **options), DimArray(expected, "m"))

    def test_missing_values_and_decimal_commas(self) -> None:
        found = read("1,5 NA\n2 3\n", "m", decimal=",")
        np.testing.assert_array_equal(found.data, [[1.5, np.nan], [2, 3]])

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("", "it holds no numbers"),
            ("# [m]\n", "it holds no numbers"),
            ("1 2\n3\n", "line 2: 1 cells"),
            ("1 2\n# c\n3 x\n", "line 3, column 2: 'x' is not a number"),
            ("# [m] [s]\n1 2 3\n", "line 1: 2 units for 3 columns\n  hint:  say them"),
            ("# [nonsense]\n1\n", "line 1: a comment says a unit that is none"),
        ],
        ids=repr,
    )
    def test_mistakes(self, text: str, problem: str) -> None:
        with pytest.raises(FileFormatError, match=problem):
            read(text)

    def test_arguments_that_do_not_fit(self) -> None:
        with pytest.raises(UnitError, match="1 units were given for 2 columns"):
            read("1 2\n", ["m"])
        with pytest.raises(FileFormatError, match="no column 2, of 2"):
            read("1 2\n", usecols=[2])
        with pytest.raises(FileFormatError, match="longer than 3 bytes"):
            read("1 2\n", max_bytes=3)

    @given(st.text(max_size=60))
    def test_any_text_is_read_or_an_error_of_ours(self, text: str) -> None:
        try:
            found = read(text)
        except DimflowError:
            return
        assert isinstance(found, DimArray)


class TestWriting:
    @given(
        st.lists(st.floats(), min_size=1, max_size=6),
        st.sampled_from(["m", "km/h", "degC", "", "percent", "J/(kg*K)"]),
        st.sampled_from(" ,;\t"),
    )
    def test_what_was_written_is_read(self, numbers: Any, unit: str, delimiter: str) -> None:
        x = DimArray(numbers, unit)
        mark = None if delimiter == " " else delimiter
        assert_identical(read(written(x, delimiter=delimiter), delimiter=mark), x)
        table = DimArray([numbers, numbers], unit)
        again = read(written(table, delimiter=delimiter), delimiter=mark)
        np.testing.assert_array_equal(again.data.reshape(table.shape), table.data)
        one, other = read(written([x, -x if unit != "degC" else x]), unpack=True)
        assert_identical(one, x)
        assert other.unit is x.unit

    def test_the_text(self) -> None:
        t, h = DimArray([0.0, 0.1], "s"), DimArray([10, 9], "m")
        assert written({"time": t, "height": h}) == "# time [s] height [m]\n0.0 10\n0.1 9\n"
        assert written([t, h], names=["a", "b"]) == "# a [s] b [m]\n0.0 10\n0.1 9\n"
        assert written([t, h]) == "# [s] [m]\n0.0 10\n0.1 9\n"
        assert written(t, fmt="%.2e") == "# [s]\n0.00e+00\n1.00e-01\n"

    def test_numpy_reads_the_numbers(self, tmp_path: Path) -> None:
        savetxt(tmp_path / "x.txt", DimArray([[1.0, 2.0]], "m"))
        assert np.loadtxt(tmp_path / "x.txt").tolist() == [1.0, 2.0]

    @pytest.mark.parametrize(
        ("data", "options", "error"),
        [
            (5 * units.m, {}, ShapeMismatch),
            (DimArray(np.ones((1, 1, 1)), "m"), {}, ShapeMismatch),
            ([DimArray([1.0], "m"), DimArray([1.0, 2.0], "m")], {}, ShapeMismatch),
            (DimArray([1.0], "m"), {"names": ["a", "b"]}, ShapeMismatch),
            (DimArray([1.0], "m"), {"names": ["a [b]"]}, UnitError),
            (["a"], {}, DimflowError),
            ({}, {}, ShapeMismatch),
        ],
        ids=str,
    )
    def test_what_cannot_be_written(
        self, tmp_path: Path, data: Any, options: dict[str, Any], error: Any
    ) -> None:
        with pytest.raises(error):
            savetxt(tmp_path / "x.txt", data, **options)
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("notes", [(), ("# Fs = 100 [Hz]",), ("# T: 20.5 [degC]", "# see [1]")])
@pytest.mark.parametrize("places", [(0, 0), (1, 0), (0, 1)])
def test_other_comments_are_no_headings(notes, places):
    before, after = (list(notes) * n for n in places)
    for columns in (2, 3):
        said = ["s", "m", "kg"][:columns]
        heading = "# " + " ".join(f"name [{unit}]" for unit in said)
        lines = [*before, heading, *after, " ".join(["1"] * columns)]
        found = loadtxt(io.StringIO("\n".join(lines)), unpack=True)
        assert [column.unit for column in found] == [Unit(unit) for unit in said]


@pytest.mark.parametrize("text", ["= 1", "a [", "(", "[m] ", "a (b"])
def test_hostile_comments_and_headings_take_linear_time(text: str) -> None:
    for line in ("# " + text * 50_000, text * 50_000):
        start = time.perf_counter()
        with contextlib.suppress(DimflowError):
            from_csv(io.StringIO(f"{line}\n1\n"))
        assert time.perf_counter() - start < 3
