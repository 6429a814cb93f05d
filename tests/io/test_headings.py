"""Headings of tables: where the unit stands in them, and which of them ask."""

import io
import re

import pytest

from dimflow import DimArray, Unit, from_csv
from dimflow.errors import FileFormatError
from dimflow.io.headings import name_and_unit
from dimflow.units import Registry
from tests.io.streams import read, written


@pytest.mark.parametrize(
    ("heading", "name", "unit"),
    [
        ("speed [m/s]", "speed", "m/s"),
        ("speed[m/s]", "speed", "m/s"),
        ("  speed of sound  [ m/s ] ", "speed of sound", "m/s"),
        ("speed (m/s)", "speed", "m/s"),
        ("heat (J/(kg K))", "heat", "J/(kg K)"),
        ("speed / (m/s)", "speed", "(m/s)"),
        ("heat / J/(kg K)", "heat", "J/(kg K)"),
        ("heat / J / (kg K)", "heat", "J / (kg K)"),
        ("energy / mass [J/kg]", "energy / mass", "J/kg"),
        ("energy / mass (J/kg)", "energy / mass", "J/kg"),
        ("t / s", "t", "s"),
        ("count []", "count", ""),
        ("speed_m_s", "speed_m_s", None),
        ("f(x)", "f(x)", None),
        ("p /Pa", "p", "Pa"),
        ("v/(m/s)", "v", "(m/s)"),
        ("Energy(kWh)", "Energy", "kWh"),
        ("signal/noise", "signal/noise", None),
        ("N/A", "N/A", None),
        ("odd )", "odd )", None),
        ("", "", None),
    ],
)
def test_headings(heading: str, name: str, unit: str | None) -> None:
    assert name_and_unit(heading) == (name, unit)


UNITS = ["kWh", "m/s", "°C", "km", "mol/L", "Pa", "W/m²", "1/s", "mmHg", "J/(kg K)", "%", "dB"]
SAID = ["{} [{}]", "{}[{}]", "{} ({})", "{}({})", "{} / ({})", "{}/({})", "{} /({})"]
ASKING = {
    "a condition": ["{} (600 nm)", "{} (10 m)", "{} (5 cm)", "{}(2m)", "{} [2.5 bar]", "{} (5%)"],
    "a function": ["{}(t)", "{}(s)", "{}(T)"],
    "a quotient": ["counts / s", "counts/s", "beats / min", "m/s", "T/K", "km /h", "{}/kg", "{}/L"],
}


@pytest.mark.parametrize("form", SAID)
@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_is_read_however_it_is_set_behind_a_name(unit: str, form: str) -> None:
    for name in ("Energy", "p", "Dist.", "Wind speed"):
        ((found, x),) = read(form.format(name, unit) + "\n1\n2\n").items()
        assert (found, x.unit) == (name, Unit(unit))


@pytest.mark.parametrize("form", [form for forms in ASKING.values() for form in forms])
def test_what_may_be_a_unit_or_not_is_asked_for(form: str) -> None:
    """Neither is the wavelength of a measurement its unit, nor is a unit dropped unseen."""
    for name in ("Price", "Soil temp"):
        heading = form.format(name)
        with pytest.raises(FileFormatError, match="could be meant in two ways") as caught:
            read(f"{heading}\n1\n2\n")
        said = re.search(r"units=(\{.*\})", caught.value.hint or "")
        assert said is not None
        for unit in (*eval(said[1]).values(), "1", "m"):
            assert [x.unit for x in read(f"{heading}\n1\n2\n", units={heading: unit}).values()] == [
                Unit(unit)
            ]
        assert read(f"{heading}\non\noff\n")  # words have no unit


@pytest.mark.parametrize("money", ["$", "€", "USD", "EUR"])
def test_money_is_no_pure_number(money: str) -> None:
    for form in ("price ({}/MWh)", "cost [{}]", "cost({})"):
        text = form.format(money) + "\n1\n2\n"
        with pytest.raises(FileFormatError) as caught:
            read(text)
        with Registry() as market:
            call = re.search(r"dimflow.units.(define\(.*\))", caught.value.hint or "")
            assert call is not None
            eval(f"market.{call[1]}", {"market": market})
            (column,) = read(text).values()
            assert column.unit.dimension.as_dict()["currency"] == 1


NO_UNITS = ["Time (UTC)", "Note [free text]", "Time (hh:mm)", "Depth (m a.s.l.)"]


@pytest.mark.parametrize("heading", NO_UNITS)
@pytest.mark.parametrize("cell", ["2020-01-31", "12:30", "on"])
def test_a_heading_over_texts_and_dates_need_say_no_unit(heading: str, cell: str) -> None:
    table = from_csv(io.StringIO(f"{heading},b [m]\n{cell},2\n,3\n"))
    assert table[heading].astype(str)[0] == cell
    name, _, said = heading.rstrip(")]").replace("[", "(").partition(" (")
    table = from_csv(io.StringIO(f"{name},b\n{said},m\n{cell},2\n"))
    assert table[name].astype(str)[0] == cell
    assert table["b"].unit == Unit("m")
    for text in (f"{heading},b [m]\n1,2\n", f"{name},b\n{said},m\n1,2\n"):
        with pytest.raises(FileFormatError, match="column 1"):
            from_csv(io.StringIO(text))


@pytest.mark.parametrize("number", ["3", "2020", "-5", "1e3", "0.5", "1,2"])
@pytest.mark.parametrize("brackets", [" [{}]", " ({})", "[{}]", " / {}"])
def test_a_number_in_brackets_is_a_part_of_the_name(brackets: str, number: str) -> None:
    heading = "Run" + brackets.format(number)
    table = from_csv(io.StringIO(f'"{heading}",b [m]\n1,2\n'))
    assert {name: str(x.unit) for name, x in table.items()} == {heading: "", "b": "m"}


@pytest.mark.parametrize(
    "heading",
    [
        "Time (UTC)",
        "Flow (mean)",
        "T [C]",
        "Depth (m a.s.l.)",
        "NO3 (mg N/L)",
        "p [kPa g]",
        "x [N/A]",
        "E (eV/A)",
        "x [na]",
    ],
)
def test_the_call_in_the_hint_of_a_heading_works(heading: str) -> None:
    text = f"{heading},b [m]\n1,2\n"
    with pytest.raises(FileFormatError) as caught:
        from_csv(io.StringIO(text))
    said = re.search(r"units=(\{.*\})", caught.value.hint or "")
    assert said is not None
    table = from_csv(io.StringIO(text), units=eval(said[1]))
    assert list(table) == [heading, "b"]


@pytest.mark.parametrize("unit", ["C", "psig", "eV/A", "mb", "N/A", "L/H"])
def test_a_unit_of_two_readings_asks_wherever_it_stands(unit: str) -> None:
    """In a row of its own as in a heading; N/A says there that none applies."""
    row = f"t,x\ns,{unit}\n1,2\n"
    with pytest.raises(FileFormatError, match="could be meant in two ways") as caught:
        read(f"t [s],x [{unit}]\n1,2\n")
    if unit == "N/A":
        assert read(row)["x"].unit == Unit("1")
        return
    with pytest.raises(FileFormatError, match="could be meant in two ways") as below:
        read(row)
    for text, error in ((f"t [s],x [{unit}]\n1,2\n", caught), (row, below)):
        said = re.search(r"units=(\{.*\})", error.value.hint or "")
        assert said is not None
        assert list(read(text, units=eval(said[1])).values())[1].item() == 2


@pytest.mark.parametrize("unit", ["newton/ampere", "nanoyear", "eV/ampere", "litre/henry"])
def test_a_column_is_read_again_whatever_its_symbols_mean_to_others(unit: str) -> None:
    assert read(written({"x": DimArray([1.0], unit)}))["x"].unit is Unit(unit)


UNSET = ("speed {}", "Q, {}", "mean wind speed {}", "flow: {}", "rate in {}")


@pytest.mark.parametrize("form", UNSET)
@pytest.mark.parametrize("unit", ["m/s", "m3/s", "km/h", "m / s", "m/s/s", "mol/L", "1/s", "W/m2"])
def test_a_quotient_behind_words_is_offered_whole(form: str, unit: str) -> None:
    """`speed m/s` is no speed in seconds."""
    heading = form.format(unit)
    with pytest.raises(FileFormatError) as caught:
        read(f'"{heading}"\n1\n2\n')
    said = re.search(r"units=(\{.*\})", caught.value.hint or "")
    assert said is not None
    assert [Unit(u) for u in eval(said[1]).values()] == [Unit(unit)]


@pytest.mark.parametrize(("heading", "unit"), [
    ("Depth (ft bgs)", "ft"), ("Alt (m MSL)", "m"), ("WBC (x10^3/uL)", "1e3/uL"),
    ("RBC (×10⁶/µL)", "1e6/uL"), ("Level [m above datum]", "m"), ("Length (in mm)", "mm"),
    ("Length [in mm]", "mm"), ("Time (h since start)", "h"), ("NO3 (mg/L as CaCO3)", "mg/L"),
    ("Note (free)", "1"), ("Size (in full)", "1"),
])  # fmt: skip
def test_a_unit_among_other_words_is_offered(heading: str, unit: str) -> None:
    with pytest.raises(FileFormatError) as caught:
        read(f"{heading}\n1\n2\n")
    said = re.search(r"units=(\{.*\})", caught.value.hint or "")
    assert said is not None
    assert [Unit(u) for u in eval(said[1]).values()] == [Unit(unit)]


def test_inches_of_mercury_are_no_words() -> None:
    for unit in ("in Hg", "in H2O", "in hg"):
        ((_, x),) = read(f"p ({unit})\n1\n").items()
        assert x.unit == Unit(unit.replace(" h", "H").replace(" ", ""))


@pytest.mark.parametrize(("cell", "number", "said"), [
    ("1,234.5", 1234.5, "thousands=','"), ("-12,345,678", -12345678, "thousands=','"),
    ("1,234", 1234, "thousands=','"), ("1.234,5", 1234.5, "decimal=',', thousands='.'"),
    ("1.234.567", 1234567, "decimal=',', thousands='.'"), ("1,5", 1.5, "decimal=','"),
])  # fmt: skip
@pytest.mark.parametrize("delimiter", [";", "\t", ","])
def test_the_call_in_the_hint_of_a_number_works(
    cell: str, number: float, said: str, delimiter: str
) -> None:
    quoted = f'"{cell}"' if delimiter == "," else cell
    text = f"t [s]{delimiter}speed [m/s]\n0{delimiter}{quoted}\n1{delimiter}{quoted}\n"
    with pytest.raises(FileFormatError) as caught:
        from_csv(io.StringIO(text))
    hint = caught.value.hint or ""
    assert said in hint
    if delimiter == "," and "decimal" in said:
        return  # a comma cannot be both
    call = dict(re.findall(r"(decimal|thousands)='(.)'", hint.partition(";")[0]))
    speed = from_csv(io.StringIO(text), **call)["speed"]
    assert (speed.value.tolist(), speed.unit) == ([number] * 2, Unit("m/s"))


@pytest.mark.parametrize("rest", ["speed [m/s]", "speed", "note"])
def test_a_unit_is_not_lost_in_one_column_of_words(rest: str) -> None:
    text = f't [s],{rest}\n0,"1,234.5"\n1,"2,000.0"\n'
    with pytest.raises(FileFormatError, match="units of several"):
        from_csv(io.StringIO(text), decimal=",")
    assert from_csv(io.StringIO(text), thousands=",")["t"].unit == Unit("s")


@pytest.mark.parametrize("mark", [".", "1", "ab", '"', "-"])
def test_what_cannot_group_digits_is_refused(mark: str) -> None:
    with pytest.raises(ValueError, match="cannot group digits"):
        from_csv(io.StringIO("x\n1\n"), thousands=mark)
    for cell in ("1,23", "12,34.5", "1,2345", ",123", "1234,567"):
        with pytest.raises(FileFormatError):
            from_csv(io.StringIO(f"t [s];x [m]\n0;{cell}\n"), thousands=",")
