"""Lines of definitions: what is malformed is refused whole, and a file is read as text."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimflow import Unit, units
from dimflow.errors import UnitDefinitionError, UnitError
from dimflow.units import Registry
from tests.units.guard import refusal


@pytest.fixture
def lab() -> Registry:
    return Registry(name="lab")


MALFORMED = [
    "zqmoot", "zqmoot =", "= 67 inch", "zqmoot = ", "zqmoot 67 inch", "2zqmoot = m",
    "zq moot = m", "zqmoot = 67 inch; colour: red", "zqmoot = 67 inch; prefix: metric",
    "zqmoot = 67 inch; ;", "zqmoot = xyzzy", "zqmoot = 67 +", "zqmoot = 67 inch = 9x",
    "zqmoot = 67 inch = a b", "zqmoot = 67 inch = zqmt = 3", "zqmoot = 0", "zqmoot = 0 m",
    "zqmoot = -1 m", "zqmoot = [colour]", "zqmoot = [length", "zqmoot = [length] 2",
    "zqmoot = zqmoot", "zqmoot = 2 zqmoots", "zqmoot = (m", "zqmoot = m; offset: x",
    "zqmoot = m; offset: 1/0", "zqmoot = m; logbase: 3; logfactor: 1", "zqmoot = m; logbase: 10",
    "zqmoot = m; logbase: 10; logfactor: 0", "zqmoot = m; logfactor: 2",
    "zqmoot = m; offset: 1e999999999", "zqmoot = W; logbase: 10; logfactor: 1e999999999",
    "zqmoot = pi m; offset: 3", "@colour red", "@", "per = m", "square = m", "sqrt = m", "pi = 3",
    "ln2 = 3", "squared = m", "m2 = 5 kg", "zqmoot- = 2 m = s_-", "zqmoot- = xyzzy = s_-",
    "zqmoot- = 12 = s_", "zqmoot- = 12 = - ", "- = 12", "zqmoot- = 0", "zqmoot- =",
    "zqmoot = 67 inch == zqmt", "zqmoot = m; ucum: kg", "x" * 101 + " = m",
    "zqmoot = m" + " = a" * 5000, "zqmoot = " + "(" * 500, "zqmoot = 1e999999999 m",
    "zqmoot = m**(1/9999999)", "zqmoot\x00 = m", "zqmoot = m\x00", "\ud800 = m",
    "zqmoot = degC; offset: 3", "zqmoot = dBm; logbase: 10; logfactor: 1", "delta_degC = m",
]  # fmt: skip


class TestMalformed:
    @pytest.mark.parametrize("line", MALFORMED, ids=lambda s: repr(s)[:50])
    def test_refused_with_nothing_left_behind(self, lab: Registry, line: str) -> None:
        before = lab.spellings(), lab.prefixes(), lab("m2")
        with pytest.raises(UnitDefinitionError) as caught:
            lab.define(f"zqfine = 3 m = zqf\nzqp- = 7 = zq_-\n{line}\nzqlater = 5 m")
        assert len(str(caught.value)) < 1500
        assert (lab.spellings(), lab.prefixes(), lab("m2")) == before
        for name in ("zqfine", "zqf", "zqlater", "zqmoot", "zqpmetre"):
            assert name not in lab
        assert lab.define("zqfine = 4 m") == Unit("4 m")

    @pytest.mark.parametrize("value", [None, 3, b"zqmoot = m", ["zqmoot = m"], object()])
    def test_no_text(self, lab: Registry, value: Any) -> None:
        with pytest.raises(UnitError):
            lab.define(value)
        with pytest.raises(UnitError):
            units.define(value)

    @pytest.mark.parametrize(
        "text", ["zqa = 2 zqb\nzqb = 2 zqa", "zqa = zqb\nzqb = zqc\nzqc = zqa", "zqa = 2 zqa",
                 "zqa = kilozqb\nzqb = zqas"]
    )  # fmt: skip
    def test_circles(self, lab: Registry, text: str) -> None:
        with pytest.raises(UnitDefinitionError, match="circle"):
            lab.define(text)
        assert "zqa" not in lab

    @pytest.mark.parametrize("length", [50, 3000])
    def test_long_chains(self, lab: Registry, length: int) -> None:
        lines = [f"zq{i}_ = 2 zq{i + 1}_" for i in range(length)] + [f"zq{length}_ = m"]
        if length < 100:
            assert lab.define("\n".join(lines)) == Unit("m")
            assert lab("zq0_").scale == 2.0**length
        else:  # each by the next: as deep as the text is long, so refused, not a crash
            try:
                lab.define("\n".join(lines))
            except UnitDefinitionError:
                assert "zq0_" not in lab
            else:
                assert lab("zq2999_") == Unit("2 m")
        lab2 = Registry()
        short = [f"zq{i}_ = zq{i - 1}_" if i else "zq0_ = m" for i in range(length)]
        assert lab2.define("\n".join(short)) == Unit("m")

    def test_the_message(self, lab: Registry) -> None:
        with pytest.raises(UnitDefinitionError) as caught:
            lab.define("mile = 1.5 km")
        error = caught.value
        assert str(error) == (
            "'mile' is defined already: mile = 5280 foot\n"
            "  in:    mile = 1.5 km\n"
            "  hint:  choose another name, or give replace=True in a registry of your own"
        )
        assert error.definition == "mile = 1.5 km"

    @given(st.text(max_size=60))
    def test_any_line_is_read_or_refused(self, text: str) -> None:
        lab = Registry()
        refusal(lambda: lab.define(text))
        refusal(lambda: lab.define(f"zqx = {text}"))
        refusal(lambda: lab.define(f"zqy = 2 m; {text}"))


class TestFiles:
    def test_load(self, lab: Registry, tmp_path: Path) -> None:
        path = tmp_path / "mine.units"
        path.write_text(
            "@family mine\nzqmoot = 67 inch = zqmt\nwürfel = 3 zqmoot\n", encoding="utf-8"
        )
        lab.load(path)
        assert lab("würfel") == Unit("201 inch")
        other = Registry()
        other.load(str(path))
        assert other("zqmoot") is lab("zqmoot")
        with other:
            units.load(path)

    def test_marks_and_line_ends(self, lab: Registry, tmp_path: Path) -> None:
        path = tmp_path / "mine.units"
        path.write_bytes(b"\xef\xbb\xbfzqmoot = 67 inch = zqmt\r\nzqb = 2 zqmoot\r\n")
        lab.load(path)
        assert lab("zqb") == Unit("134 inch")

    def test_a_file_of_other_bytes(self, lab: Registry, tmp_path: Path) -> None:
        path = tmp_path / "mine.units"
        path.write_bytes("größe = 3 m".encode("latin-1"))
        with pytest.raises(UnitDefinitionError, match="UTF-8"):
            lab.load(path)

    def test_no_file(self, lab: Registry, tmp_path: Path) -> None:
        with pytest.raises(OSError, match="missing"):
            lab.load(tmp_path / "missing.units")

    def test_one_bad_line_adds_nothing(self, lab: Registry, tmp_path: Path) -> None:
        path = tmp_path / "mine.units"
        path.write_text("zqmoot = 67 inch\nbroken = \n", encoding="utf-8")
        with pytest.raises(UnitDefinitionError):
            lab.load(path)
        assert "zqmoot" not in lab
