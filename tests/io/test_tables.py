"""CSV with units: what people write, what comes back, and where a mistake stands."""

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dimflow
from dimflow import DimArray, Unit, from_csv, to_csv, units
from dimflow.errors import (
    DimflowError,
    FileFormatError,
    ShapeMismatch,
    StructureMismatch,
    UnitError,
    UnitFormatError,
)
from dimflow.io.headings import name_and_unit
from dimflow.io.numbers import Layout
from dimflow.testing import assert_identical
from tests.io.streams import read, written


def same(found: dict[str, DimArray], **wanted: DimArray) -> None:
    assert list(found) == list(wanted)
    for name, x in wanted.items():
        assert_identical(found[name], x)


TIME, SPEED = DimArray([0.0, 1.0], "s"), DimArray([2.5, -3.0], "m/s")


# Words of tables that a reader may take for something else: units, comments, missing cells, quotes.
WORDS = [
    "m",
    "s",
    "C",
    "A",
    "#1",
    "# a [m]",
    "a,b",
    "a;b",
    'a "b"',
    '"',
    "a b",
    "x [m]",
    "1 km",
    "Süd",
]


@pytest.mark.parametrize("rows", [2, 3])
@pytest.mark.parametrize("make", [list, np.array, pd.Series], ids=lambda m: m.__name__)
@given(st.data())
def test_words_there_and_back(make: Any, rows: int, data: Any) -> None:
    words = data.draw(st.lists(st.sampled_from(WORDS), min_size=rows, max_size=rows))
    name = data.draw(st.sampled_from(["place", "#", "a,b", "a [m]", 'a"b', "f(x)", "m"]))
    x = DimArray(np.arange(rows) / 8, data.draw(st.sampled_from(["", "m", "degC"])))
    is_first = data.draw(st.booleans())
    columns = {name: make(words), "x": x} if is_first else {"x": x, name: make(words)}
    found = read(written(columns, delimiter=data.draw(st.sampled_from([",", ";", "\t"]))))
    assert list(found) == list(columns)
    assert found[name].tolist() == words
    assert_identical(found["x"], x)


@pytest.mark.parametrize(
    "form", [lambda x: {"x": x}, lambda x: [x, x], lambda x: x], ids=["dict", "list", "array"]
)
@pytest.mark.parametrize("delimiter", [" ", ",", ";", "\t"])
@pytest.mark.parametrize("unit", ["km", "degC", "%", ""])
@pytest.mark.parametrize("length", [1, 3])
def test_from_csv_reads_what_savetxt_writes(
    form: Any, delimiter: str, unit: str, length: int
) -> None:
    x = DimArray(np.arange(1.0, length + 1.0), unit)
    file = io.StringIO()
    dimflow.savetxt(file, form(x), delimiter=delimiter)
    for found in read(file.getvalue()).values():
        assert_identical(found, x)


class TestReading:
    @pytest.mark.parametrize(
        "text",
        [
            "time [s],speed [m/s]\n0,2.5\n1,-3\n",
            "time (s),speed (m/s)\n0,2.5\n1,-3\n",
            "time / s,speed / (m/s)\n0,2.5\n1,-3\n",
            "time,speed\ns,m/s\n0,2.5\n1,-3\n",
            "time,speed\n[s],[m/s]\n0,2.5\n1,-3\n",
            "time,speed\n(s),(m/s)\n0,2.5\n1,-3\n",
            "time [s];speed [m/s]\n0;2.5\n1;-3",
            "time [s]\tspeed [m/s]\n0\t2.5\n1\t-3",
            "time [s]|speed [m/s]\n0|2.5\n1|-3",
            "time [s] , speed [m/s]\n 0 , 2.5 \n 1 ,-3\n",
            '"time [s]","speed [m/s]"\n"0","2.5"\n1,-3\n',
            "time [s],speed [m/s]\r\n0,2.5\r\n1,-3\r\n",
            "time [s],speed [m/s]\r0,2.5\r1,-3\r",
            "# made by hand\n\ntime [s],speed [m/s]\n0,2.5\n# a break\n\n1,-3e0\n\n",
            "\ufefftime [s],speed [m/s]\n0,2.5\n1,-3\n",
            "time\tspeed\ns\tm/s\n0\t2.5\n1\t-3",
            "time speed\ns m/s\n0 2.5\n1 -3",
            "time [s] speed [m / s]\n0 2.5\n1 -3",
            "time (s)  speed (m / s)\n0   2.5\n1   -3",
            "# time [s],speed [m/s]\n0,2.5\n1,-3",
            "# by hand\n# time [s]; speed [m/s]\n# see below\n0;2.5\n1;-3",
            "# time [s] speed [m/s]\n0 2.5\n1 -3",
        ],
        ids=repr,
    )
    def test_ways_to_write_a_table(self, text: str) -> None:
        same(read(text), time=TIME, speed=SPEED)

    def test_commas_in_decimals(self) -> None:
        text = "time [s];speed [m/s]\n0,0;2,5\n1;-3\n"
        same(read(text, decimal=","), time=TIME, speed=SPEED)
        with pytest.raises(FileFormatError, match="decimal=','"):
            read(text)
        with pytest.raises(FileFormatError, match=r"'1\.500' is not a number"):
            read("a;b\n1,5;2\n1.500;2\n", decimal=",")

    def test_units_as_people_write_them(self) -> None:
        found = read("T [°C],share [%],p [kPa],n [-],E / J·m⁻²\n20,5,1,2,3\n")
        assert [x.unit for x in found.values()] == [
            Unit("degC"),
            Unit("percent"),
            Unit("kPa"),
            Unit(""),
            Unit("J/m**2"),
        ]

    def test_columns_without_a_unit_are_pure_numbers(self) -> None:
        found = read("run,speed [m/s]\n1,2\n")
        assert found["run"].is_dimensionless
        assert found["speed"].unit is Unit("m/s")

    def test_without_headings(self) -> None:
        found = read("1,2\n3,4\n", units=["s", "m"])
        assert list(found) == ["column 1", "column 2"]
        assert_identical(found["column 2"], DimArray([2.0, 4.0], "m"))

    def test_a_heading_that_is_empty_gets_a_name(self) -> None:
        assert list(read(",a [m]\n0,1\n1,2\n")) == ["column 1", "a"]

    @pytest.mark.parametrize("heading", ["air temp [K]", "p / kPa", "v [kg m-2 s-1]", "f (1/s)"])
    @pytest.mark.parametrize("length", [0, 1, 2])
    def test_one_column_of_any_length(self, heading: str, length: int) -> None:
        name, unit = name_and_unit(heading)
        numbers = [1.5, 2.0][:length]
        text = "\n".join([heading, *map(str, numbers), ""])
        same(read(text), **{name: DimArray(np.array(numbers), unit)})

    @pytest.mark.parametrize("heading", ["x [m]", "v [kg m-2 s-1]", "f (1/s)"])
    def test_a_space_in_a_number_divides_no_columns(self, heading: str) -> None:
        with pytest.raises(FileFormatError, match="'1 000' is not a number"):
            read(f"{heading}\n1 000\n2 000\n")

    @pytest.mark.parametrize("rows", ["{},3", ",3\n{},4", "1,3\n{},4\n,5"])
    @pytest.mark.parametrize("number", [2**53, -(2**62), 10**22, 602214076 * 10**15])
    def test_whole_numbers_that_a_float_holds(self, number: int, rows: str) -> None:
        assert float(number) in read(f"n,x [m]\n{rows.format(number)}\n")["n"].tolist()

    @pytest.mark.parametrize("rows", ["{},3", "1,3\n{},4"])
    @pytest.mark.parametrize("number", [2**53 + 1, -(2**60) - 1, 2**63 + 1])
    def test_whole_numbers_keep_their_digits(self, number: int, rows: str) -> None:
        text = f"n,x [m]\n{rows.format(number)}\n"
        with pytest.raises(FileFormatError, match=f"{number}' has more digits") as caught:
            read(text)
        dtype = "int64" if number < 2**63 else "uint64"
        assert f"usecols=[...], dtype={dtype!r}" in str(caught.value)
        assert number in read(text, usecols=["n"], dtype=dtype)["n"].tolist()

    @pytest.mark.parametrize("word", ["", "NA", "nan", "N/A", "null", "-", '""', " "])
    def test_missing_values(self, word: str) -> None:
        found = read(f"a [m],b [s]\n1,2\n{word},3\n4,5\n")
        np.testing.assert_array_equal(found["a"].data, [1, np.nan, 4])
        assert found["b"].tolist() == [2, 3, 5]

    def test_missing_in_the_first_row_is_no_unit(self) -> None:
        found = read("a,b\nNA,2\n1,3\n")
        np.testing.assert_array_equal(found["a"].data, [np.nan, 1])

    def test_other_words_for_missing_values(self) -> None:
        np.testing.assert_array_equal(read("a\n1\n-999\n", missing="-999")["a"].data, [1, np.nan])
        with pytest.raises(FileFormatError, match="'NA' is not a number"):
            read("a\n1\nNA\n", missing=["x"])

    @pytest.mark.parametrize(
        "said",
        [{"v": "km/h", "t": "min"}, ["min", "km/h"], {"v": Unit("km/h"), 0: "min"}],
        ids=str,
    )
    def test_units_that_the_caller_says_count_more(self, said: Any) -> None:
        found = list(read("t,v [m/s]\n1,2\n", units=said).values())
        assert [x.unit for x in found] == [Unit("min"), Unit("km/h")]

    def test_one_unit_for_all(self) -> None:
        assert {x.unit for x in read("a,b\n1,2\n", units="m").values()} == {Unit("m")}

    def test_a_heading_that_only_looks_like_a_unit(self) -> None:
        text = "temperature (outside),t [s]\n20,1\n"
        with pytest.raises(FileFormatError) as error:
            read(text)
        assert str(error.value) == (
            "cannot read a StringIO: line 1, column 1: the heading says a unit that is none: "
            "'outside'\n  hint:  say its unit, or '1' for pure numbers: "
            "units={'temperature (outside)': '1'}"
        )
        found = read(text, units={"temperature (outside)": "degC"})
        assert_identical(found["temperature (outside)"], DimArray([20.0], "degC"))

    @pytest.mark.parametrize("chosen", [["v", "t"], [2, 0], ["v [m/s]", -3]])
    def test_choosing_columns(self, chosen: Any) -> None:
        text = "t [s],place,v [m/s]\n0,Berlin,2.5\n1,Bonn,-3\n"
        same(read(text, usecols=chosen), v=SPEED, t=TIME)
        assert read(text)["place"].tolist() == ["Berlin", "Bonn"]
        with pytest.raises(FileFormatError, match="line 2, column 2: 'Berlin' is not a number"):
            read(text, units={"place": "m"})

    @pytest.mark.parametrize("unit_row", [False, True])
    def test_strings_and_dates_there_and_back(self, unit_row: bool) -> None:
        days = np.array(["2020-01-01", "NaT", "2020-01-03"], "datetime64[D]")
        minutes = np.array(["2020-01-01T10:30", "2020-01-01T10:31", "NaT"], "datetime64[m]")
        columns = {
            "place": np.array(["Bonn", "", "Köln, Süd"]),
            "day": days,
            "at": minutes,
            "v": DimArray([1.0, np.nan, 3.0], "m/s"),
        }
        file = io.StringIO()
        dimflow.to_csv(file, columns, unit_row=unit_row)
        found = read(file.getvalue())
        assert list(found) == list(columns)
        for name in ("place", "day", "at"):
            assert found[name].dtype.kind == columns[name].dtype.kind
            np.testing.assert_array_equal(found[name], columns[name])
        assert_identical(found["v"], columns["v"])

    def test_choosing_columns_of_a_table_with_a_row_of_units(self) -> None:
        text = "t,place,v\ns,,m/s\n0,Berlin,2.5\n1,Bonn,-3\n"
        same(read(text, usecols=["t", "v"]), t=TIME, v=SPEED)

    def test_a_text_with_a_delimiter_in_it_shifts_nothing(self) -> None:
        text = 't [s],place,v [m/s]\n0,"Berlin, Mitte",2.5\n1,Bonn,-3\n'
        same(read(text, usecols=["t", "v"]), t=TIME, v=SPEED)
        with pytest.raises(FileFormatError, match="line 2: 4 cells"):
            read(text.replace('"', ""), usecols=["t", "v"])

    @pytest.mark.parametrize(
        ("dtype", "values"), [("i4", [1, -2]), ("f4", [1, -2]), ("c16", [1, -2])]
    )
    def test_dtypes(self, dtype: str, values: list[int]) -> None:
        assert_identical(
            read("a [m]\n1\n-2\n", dtype=dtype)["a"], DimArray(values, "m", dtype=dtype)
        )

    def test_integers_are_not_cut(self) -> None:
        with pytest.raises(FileFormatError, match=r"line 3, column 1: '1\.5' is not a number"):
            read("a\n1\n1.5\n", dtype=int)
        with pytest.raises(FileFormatError, match="'' is not a number"):
            read("a,b\n1,1\n,2\n", dtype=int)

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
    def test_encodings_that_show(self, tmp_path: Path, encoding: str) -> None:
        path = tmp_path / "a.csv"
        path.write_text("Höhe [µm]\n1\n", encoding=encoding)
        assert_identical(from_csv(path)["Höhe"], DimArray([1.0], "um"))

    def test_encodings_that_must_be_said(self, tmp_path: Path) -> None:
        path = tmp_path / "a.csv"
        path.write_text("Höhe [m]\n1\n", encoding="latin-1")
        with pytest.raises(FileFormatError, match="encoding='latin-1'"):
            from_csv(path)
        assert list(from_csv(path, encoding="latin-1")) == ["Höhe"]
        with path.open("rb") as file:
            assert list(from_csv(file, encoding="latin-1")) == ["Höhe"]

    def test_a_table_of_no_rows(self) -> None:
        found = read("a [m],b [s]\n")
        assert found["a"].shape == (0,)
        assert found["b"].unit is Unit("s")

    def test_one_column(self) -> None:
        assert_identical(read("speed [m/s]\n2.5\n-3\n")["speed"], SPEED)

    def test_columns_do_not_share_elements(self) -> None:
        found = read("a [m],b [m]\n1,2\n3,4\n")
        found["a"][:] = 0
        assert found["b"].tolist() == [2, 4]
        assert found["a"].data.flags.c_contiguous

    def test_infinities(self) -> None:
        np.testing.assert_array_equal(
            read("a [m]\ninf\n-inf\nnan\n")["a"].data, [np.inf, -np.inf, np.nan]
        )


class TestMistakes:
    @pytest.mark.parametrize("write", [dimflow.to_csv, dimflow.savetxt])
    @pytest.mark.parametrize("suffix", [".npz", ".GZ", ".parquet", ".xlsx", ".h5", ".json"])
    def test_the_suffix_of_another_format(self, tmp_path: Path, write: Any, suffix: str) -> None:
        path = tmp_path / f"a{suffix}"
        with pytest.raises(UnitError, match=f"{write.__name__} writes text") as caught:
            write(path, {"x": TIME})
        write(re.search(r"name it '(.*?)'", str(caught.value))[1], {"x": TIME})
        assert_identical(from_csv(tmp_path / "a.csv")["x"], TIME)
        assert not path.exists()

    @pytest.mark.parametrize("name", ["v.csv", "v.txt", "v.npz.gz", "run.2020", "v1.5", "v.json"])
    def test_the_hint_of_save_works(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(UnitError) as caught:
            TIME.save(tmp_path / name)
        path = Path(re.search(r"name it '(.*?)'", str(caught.value))[1])
        TIME.save(path)
        assert path.suffix == ".npz"
        assert path.name.startswith(name.partition(".npz")[0].removesuffix(".csv")[:2])
        assert_identical(DimArray.load(path), TIME)
        if table := re.search(r"dimflow.savetxt\('(.*?)', x\)", str(caught.value)):
            dimflow.savetxt(table[1], TIME)
            assert_identical(from_csv(table[1])["column 1"], TIME)

    def test_columns_without_names(self, tmp_path: Path) -> None:
        for data in (TIME, [TIME, SPEED], 5.0):
            with pytest.raises(StructureMismatch, match=r"to_csv\(path, {'x': x}\)"):
                to_csv(tmp_path / "a.csv", data)

    @pytest.mark.parametrize("text", ["a\nb", "a\rb"])
    def test_cells_of_several_lines(self, text: str) -> None:
        with pytest.raises(UnitError, match="has a line break"):
            written({"place": np.array([text, "c"])})
        with pytest.raises(UnitError, match="has a line break"):
            written({text: TIME})
        with pytest.raises(FileFormatError, match="a quote is open at the end of the line"):
            read(f'place,x [m]\n"{text}",1\n')

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("", "it holds no table"),
            ("# nothing\n\n", "it holds no table"),
            ("a,b\n1,2\n3\n", "line 3: 1 cells, where the first line has 2"),
            ("a,b\n1,2\n3,4,5\n", "line 3: 3 cells"),
            ("a,b\n1\n", "line 2: 1 cells"),
            ("a,b\n1,2\n\n# c\n3,abc\n", "line 5, column 2: 'abc' is not a number"),
            ("a,b\n1,2\n3,1_000\n", "line 3, column 2: '1_000' is not a number"),
            ("a,b\n1,2\n3,1\x00\n", "line 3, column 2: .* is not a number"),
            ("a,a\n1,2\n", "line 1, column 2: a second column 'a'"),
            ("a [m],a [s]\n1,2\n", "line 1, column 2: a second column 'a'"),
            ("a [nonsense]\n1\n", "line 1, column 1: the heading says a unit that is none"),
            ("a,b\nm,nonsense\n1,2\n", "line 2, column 2: 'nonsense' is neither"),
            ("a,b\nm,2\n1,2\n", "line 2, column 1: 'm' is not a number"),
            ("a [m],b\nm,s\n1,2\n", "line 2, column 2: 's' is not a number"),
            ("a,b\nm,s\nm,s\n1,2\n", "line 2, column 1: 'm' is not a number"),
        ],
        ids=repr,
    )
    def test_where_it_is(self, text: str, problem: str) -> None:
        with pytest.raises(FileFormatError, match=problem):
            read(text)

    def test_columns_that_are_not_there(self) -> None:
        with pytest.raises(FileFormatError, match="no column 'c'\n  hint:  it has 'a', 'b'"):
            read("a,b\n1,2\n", usecols=["c"])
        with pytest.raises(FileFormatError, match="no column 2"):
            read("a,b\n1,2\n", usecols=[2])
        with pytest.raises(FileFormatError, match="no column 'c'"):
            read("a,b\n1,2\n", units={"c": "m"})
        with pytest.raises(UnitError, match="3 units were given for 2 columns"):
            read("a,b\n1,2\n", units=["m", "m", "m"])

    def test_limits(self) -> None:
        with pytest.raises(FileFormatError, match="longer than 10 bytes"):
            read("a\n" + "1\n" * 10, max_bytes=10)
        with pytest.raises(FileFormatError, match="longer than 10 bytes"):
            from_csv(io.BytesIO(b"a\n" + b"1\n" * 10), max_bytes=10)
        with pytest.raises(FileFormatError, match="3 columns, and 2 are allowed"):
            read("a,b,c\n1,2,3\n", max_columns=2)

    @pytest.mark.parametrize(
        "options",
        [{"decimal": "x"}, {"delimiter": ",,"}, {"delimiter": ".", "decimal": "."}, {"dtype": str}],
        ids=str,
    )
    def test_options_that_make_no_sense(self, options: Any) -> None:
        with pytest.raises((ValueError, DimflowError)):
            read("a\n1\n", **options)

    def test_a_cell_that_never_ends(self) -> None:
        with pytest.raises(FileFormatError, match="field larger"):
            read('a,"' + "b" * 200_000)

    @given(st.text(max_size=60))
    def test_any_text_is_a_table_or_an_error_of_ours(self, text: str) -> None:
        try:
            found = read(text)
        except DimflowError:
            return
        assert all(isinstance(x, (DimArray, np.ndarray)) for x in found.values())


values = st.floats(allow_nan=True, allow_infinity=True)


class TestWriting:
    @given(
        st.dictionaries(
            st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=8),
            st.sampled_from(["m", "km/h", "degC", "", "percent", "J/(kg*K)", "m**(1/2)", "dBm"]),
            min_size=1,
            max_size=4,
        ),
        st.lists(values, min_size=1, max_size=5),
        st.sampled_from(",;\t|"),
        st.sampled_from(".,"),
    )
    def test_what_was_written_is_read(
        self, columns: dict[str, str], numbers: list[float], delimiter: str, decimal: str
    ) -> None:
        if delimiter == decimal:
            return
        table = {name: DimArray(numbers, unit) for name, unit in columns.items()}
        try:
            text = written(table, delimiter=delimiter, decimal=decimal)
        except DimflowError:
            assert any(not c.isalnum() for c in "".join(columns))  # odd names may be refused
            return
        found = read(text, delimiter=delimiter, decimal=decimal, comment=None)
        same(found, **table)

    def test_the_text(self) -> None:
        assert (
            written({"time": TIME, "speed": SPEED}) == "time [s],speed [m/s]\n0.0,2.5\n1.0,-3.0\n"
        )
        assert written({"n": [1, 2], "T": DimArray([1.5, 2], "degC")}, unit_row=True) == (
            "n,T\n-,degC\n1,1.5\n2,2.0\n"
        )
        assert written({"a": DimArray([1.5, 2], "m")}, decimal=",", delimiter=";") == (
            "a [m]\n1,5\n2,0\n"
        )

    def test_a_row_of_units_is_read(self) -> None:
        same(read(written({"time": TIME, "v": SPEED}, unit_row=True)), time=TIME, v=SPEED)

    def test_a_name_that_looks_as_if_it_had_a_unit(self) -> None:
        text = written({"gain (m)": DimArray([1.0])})
        assert text == "gain (m) []\n1.0\n"
        assert_identical(read(text)["gain (m)"], DimArray([1.0]))
        with pytest.raises(UnitError, match="row of units"):
            written({"t": TIME, "gain (m)": DimArray([1.0, 2.0])}, unit_row=True)

    @pytest.mark.parametrize("dtype", ["f2", "f4", "i1", "u8", "c8", "c16", ">f8"])
    def test_every_digit(self, dtype: str) -> None:
        x = DimArray(np.array([0.1, 1 / 3, 100]).astype(dtype), "m")
        native = np.dtype(dtype).newbyteorder("=")
        again = read(written({"x": x}), dtype=native)["x"]
        np.testing.assert_array_equal(again.data, x.data)

    def test_truths_are_ones_and_zeros(self) -> None:
        assert written({"ok": [True, False]}) == "ok\n1\n0\n"

    def test_a_path(self, tmp_path: Path) -> None:
        path = tmp_path / "a.csv"
        to_csv(path, {"speed": SPEED})
        to_csv(path, {"time": TIME})
        same(from_csv(str(path)), time=TIME)
        with pytest.raises(FileExistsError):
            to_csv(path, {"time": TIME}, overwrite=False)

    @pytest.mark.parametrize(
        ("columns", "error"),
        [
            ({}, ShapeMismatch),
            ({"a": TIME, "b": DimArray([1.0], "m")}, ShapeMismatch),
            ({"a": DimArray(np.ones((2, 2)), "m")}, ShapeMismatch),
            ({"a": 5 * units.m}, ShapeMismatch),
            ({"a": ["x", 1]}, DimflowError),
            ({"a": None}, DimflowError),
        ],
        ids=str,
    )
    def test_what_is_no_table(self, tmp_path: Path, columns: Any, error: Any) -> None:
        with pytest.raises(error):
            to_csv(tmp_path / "a.csv", columns)
        assert list(tmp_path.iterdir()) == []

    def test_a_unit_that_would_not_be_read_again(self) -> None:
        with units.Registry():
            smoot = units.define("smoot = 67 inch = smt")
        with pytest.raises(UnitFormatError, match=r"dimflow\.save"):
            written({"a": DimArray([1.0], smoot)})


def test_only_pieces_with_odd_cells_are_read_cell_by_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = np.random.default_rng(0).random(30_000)
    text = written({name: DimArray(numbers, "m") for name in "abc"})
    cells = 0

    def counting(style: Any, cell: str) -> Any:
        nonlocal cells
        cells += 1
        return original(style, cell)

    original = Layout.number
    monkeypatch.setattr(Layout, "number", counting)
    assert_identical(read(text)["c"], DimArray(numbers, "m"))
    assert cells < 100  # those of the first lines, looked at for units
    found = read(text + "1,NA,3\n")
    assert_identical(found["c"], DimArray([*numbers, 3.0], "m"))
    assert np.isnan(found["b"].data[-1])
    assert cells < 30_000


def test_the_functions_are_public() -> None:
    assert {"from_csv", "to_csv", "loadtxt", "savetxt", "save", "load"} <= set(dir(dimflow))


@pytest.mark.parametrize("missing", [-999, -999.0, [-999], ["", "NA", -999], np.int64(-999)])
def test_a_number_may_stand_for_a_missing_value(missing: Any) -> None:
    table = from_csv(io.StringIO("a [m]\n1\n-999\n-999.00\nNA\n-99\n"), missing=missing)
    np.testing.assert_array_equal(table["a"].data, [1, np.nan, np.nan, np.nan, -99])
    assert np.isnan(dimflow.loadtxt(io.StringIO("-999\n-999.0\n"), missing=missing).data).all()
