"""The wire encoding: every unit arrives as itself, in a process that never defined it."""

import json
import string
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dimflow import Unit
from dimflow.errors import WireFormatError
from dimflow.units import Affine, Logarithmic, Registry, decode, encode, from_json, to_json
from tests.units.fresh import json_of
from tests.units.strategies import (
    EVERY_UNIT,
    any_units,
    prefixed_names,
    products,
    tame_products,
    user_units,
)

HEADER = "dimflow.unit/1|"
all_kinds = any_units() | products() | tame_products() | user_units()


class TestRoundTrip:
    def test_every_unit(self) -> None:
        for unit in EVERY_UNIT:
            assert decode(encode(unit)) is unit
            assert from_json(json.loads(json.dumps(to_json(unit)))) is unit

    @given(all_kinds)
    def test_text(self, unit: Unit) -> None:
        assert decode(encode(unit)) is unit

    @given(all_kinds)
    def test_json(self, unit: Unit) -> None:
        assert from_json(json.loads(json.dumps(to_json(unit)))) is unit

    @given(all_kinds)
    def test_one_line_without_control_characters(self, unit: Unit) -> None:
        text = encode(unit)
        assert text.isprintable()
        assert len(text.splitlines()) == 1

    @pytest.mark.deep
    def test_every_prefixed_unit(self) -> None:
        for name in prefixed_names():
            unit = Unit(name)
            assert decode(encode(unit)) is unit

    @given(st.integers(-6, 6), st.integers(1, 400))
    def test_large_scales(self, power: int, magnitude: int) -> None:
        unit = Unit(f"1e{magnitude} m") ** power
        assert decode(encode(unit)) is unit

    @pytest.mark.parametrize("text", ["dB(mW)", "dB(m/s)", "K@273.15", "lg(re 1 mW)", "m @ -5",
                                      "dB(m\u00a0W)", "dB( m  W )", "dB(m\tW)",
                                      "dB(" + "m*" * 150 + "m)"])  # fmt: skip
    def test_units_of_law_texts(self, text: str) -> None:
        unit = Unit(text)
        assert decode(encode(unit)) is unit

    def test_what_it_looks_like(self) -> None:
        assert encode(Unit("km/h")) == ("dimflow.unit/1|1|km:kilometre:1000:L1:1|h:hour:3600:T1:-1")
        assert encode(Unit("")) == "dimflow.unit/1|1"
        assert encode(Unit("degC")) == "dimflow.unit/1|1|degC:degree_Celsius:1:K1:1:a5463/20"
        assert encode(Unit("dBV")).endswith(":1:l10,20,f")
        assert encode(Unit("2.5 deg**(1/2)")) == ("dimflow.unit/1|5/2|deg:degree:1/180*pi^1:A1:1/2")
        assert to_json(Unit("km/h")) == {
            "format": "dimflow.unit",
            "version": 1,
            "factor": "1",
            "atoms": [
                {"symbol": "km", "name": "kilometre", "scale": "1000",
                 "dimension": {"length": "1"}, "exponent": "1", "law": None},
                {"symbol": "h", "name": "hour", "scale": "3600",
                 "dimension": {"time": "1"}, "exponent": "-1", "law": None},
            ],
        }  # fmt: skip


class TestElsewhere:
    """A process that never defined them; not even the built-in table is read."""

    def test_user_units(self) -> None:
        with Registry() as lab:
            lab.define(
                """
                zqsmoot = 67 inch = zqsmt
                zqdozen- = 12 = zqd-
                zqtemp = 3/2 kelvin; offset: 100 = °ZQ, degZQ
                zqlevel = 7 pascal; logbase: e; logfactor: -3; field = zqL
                zqirr = (2 pi/3)**(1/2) metre
                """
            )
            sent = [
                lab("zqsmoot"), lab("zqsmt**2/s"), lab("zqdozenmetre"), lab("zqtemp"),
                lab("zqlevel"), lab("zqirr"), lab("zqirr**(2/3)*kg"), Unit("zq_own", "force", 2.5),
            ]  # fmt: skip
            texts = [encode(unit) for unit in sent]
            objects = [to_json(unit) for unit in sent]
        code = """
import json, sys
from dimflow.units import decode, encode, from_json, to_json
from dimflow.units.tables import builtin
texts, objects = json.loads(sys.argv[1])
found = [decode(t) for t in texts]
again = [from_json(o) for o in objects]
assert all(a is b for a, b in zip(found, again))
print(json.dumps([[encode(u), str(u), u.scale, str(u.dimension), repr(u.law),
                   u.to_base().scale] for u in found]))
"""
        answers = json_of(code, json.dumps([texts, objects]))
        assert answers == [
            [encode(u), str(u), u.scale, str(u.dimension), repr(u.law), 1.0] for u in sent
        ]

    def test_the_other_side_needs_no_table(self) -> None:
        code = """
import json, sys
opened = []
sys.addaudithook(lambda event, args: event == "open" and opened.append(str(args[0])))
from dimflow.units import decode
unit = decode(sys.argv[1])
text = f"{unit} {unit**2} {unit.scale} {unit.conversion_factor(unit)} {unit.dimension}"
print(json.dumps([text, [p for p in opened if p.endswith(".units")]]))
"""
        text, read = json_of(code, encode(Unit("km/h")))
        assert text == "km/h km**2/h**2 0.2777777777777778 1.0 [speed]"
        assert read == []

    def test_every_unit(self) -> None:
        code = """
import json, sys
from dimflow.units import decode, encode
texts = sys.stdin.read() if len(sys.argv) < 2 else open(sys.argv[1], encoding="utf-8").read()
print(json.dumps([encode(decode(t)) for t in texts.splitlines()]))
"""
        sample = EVERY_UNIT[::25]
        from_there = json_of(
            code.replace('sys.stdin.read() if len(sys.argv) < 2 else open(sys.argv[1], '
                         'encoding="utf-8").read()', "sys.argv[1]"),
            "\n".join(encode(u) for u in sample),
        )  # fmt: skip
        assert from_there == [encode(u) for u in sample]

    def test_a_unit_that_means_something_else_here(self) -> None:
        """The meaning travels: a foreign `m` stays what it was, and is not ours."""
        foreign = decode(HEADER + "1|m:metre:2:L1:1")
        assert foreign != Unit("m")
        assert foreign == Unit("2 m")
        assert decode(encode(foreign)) is foreign

    def test_a_shifted_unit_that_means_something_else_here(self) -> None:
        """Its difference is its own, not that of what its name means in this process."""
        foreign = decode(HEADER + "1|m@5:m@5:2:L1:1:a10")
        assert foreign.delta == Unit("2 m")
        unknown = decode(HEADER + "1|zqnever@5:zqnever@5:3:L1:1:a15")
        assert unknown.delta == Unit("3 m")
        assert decode(encode(unknown.delta)) is unknown.delta


DAMAGED = [
    HEADER + rest
    for rest in [
        "", "0", "1|", "1||", "-1", "1.5", "2/4", "1e3", " 1", "1\n", "٣", "1|m", "1|m:metre",
        "1|m:metre:1:L1", "1|m:metre:1:L1:0", "1|m:metre:1:L1:2/4", "1|m:metre:1:L1:1/0",
        "1|m:metre:1:L1:x", "1|m:metre:1:L1:1:", "1|m:metre:1:L1:1:x", "1|m:metre:1:L1:1:a",
        "1|m:metre:1:L1:1:l", "1*4^1/2", "1|m:metre:1:L1:1:l10", "1|m:metre:1:L1:1:l10,0",
        "1|m:metre:1:L1:1:l3,1", "1|m:metre:1:L1:1:l10,1,g", "1|m:metre:1:L1:1:l10,1,f,f",
        "1|m:metre:1:L1:1:a1:a1", "1|m:metre:1:L1:1:a0", "1|m:metre:1*pi^1:L1:1:a1",
        "1|m:metre:1:L1:2:a1", "2|m:metre:1:L1:1:a1", "1|m:metre:1:L1:1:a1|s:second:1:T1:1",
        "1|m:metre:1:X1:1", "1|m:metre:1:L0:1", "1|m:metre:1:L1.L1:1", "1|m:metre:1:M1.L1:1",
        "1|m:metre:1:L1.:1", "1|m:metre:1:.L1:1", "1|m:metre:1:L:1", "1|:metre:1:L1:1",
        "1|m::1:L1:1",
        "1|m\x00:metre:1:L1:1", "1|m\n:metre:1:L1:1", "1|m:metre:0:L1:1", "1|m:metre:1*6^1/2:L1:1",
        "1|m:metre:1:L1:1|m:metre:1:L1:1", "1|m:metre:1:L1:1000000000000",
        "1|m:metre:1:L1:1/1000000",
        "1|m:metre:1:L999999999999:1", "1|\ud800:m:1:L1:1:a", "1*pi^100000000",
        "1|m:metre:" + "9" * 5000 + ":L1:1", "1|" + "m" * 300 + ":metre:1:L1:1",
    ]
] + [
    "", "dimflow.unit", "dimflow.unit/1", "DIMFLOW.UNIT/1|1", " dimflow.unit/1|1", "km/h",
    "\ud800",
    "x" * 10**6,
]  # fmt: skip


class TestDamaged:
    @pytest.mark.parametrize("text", DAMAGED, ids=lambda t: repr(t)[1:60])
    def test_texts(self, text: str) -> None:
        with pytest.raises(WireFormatError) as caught:
            decode(text)
        assert len(str(caught.value)) < 1000

    @pytest.mark.parametrize("version", ["2", "0", "-1", "1.0", "01", "", "1 ", "one", "9" * 99])
    def test_versions(self, version: str) -> None:
        with pytest.raises(WireFormatError, match="version") as caught:
            decode(f"dimflow.unit/{version}|1")
        assert caught.value.hint == "use a newer dimflow to read it"
        with pytest.raises(WireFormatError, match="version"):
            from_json({**to_json(Unit("m")), "version": version or None})

    @pytest.mark.parametrize("value", [None, 3, b"dimflow.unit/1|1", [], {}, 1.5, Unit("m")])
    def test_no_text(self, value: Any) -> None:
        with pytest.raises(WireFormatError):
            decode(value)

    @given(all_kinds, st.data())
    def test_truncated(self, unit: Unit, data: st.DataObject) -> None:
        text = encode(unit)
        cut = text[: data.draw(st.integers(0, len(text) - 1))]
        self.read_or_refuse(cut)

    @given(all_kinds, st.data())
    def test_mutated(self, unit: Unit, data: st.DataObject) -> None:
        """One character changed, left out or put in: refused, or a unit with just that text."""
        text = encode(unit)
        at = data.draw(st.integers(0, len(text) - 1))
        characters = st.sampled_from(string.printable + "|:/^*.,-٣é\0\ud800") | st.characters()
        new = data.draw(st.just("") | characters | characters.map(lambda c: c + text[at]))
        self.read_or_refuse(text[:at] + new + text[at + 1 :])

    @given(st.text(max_size=60).map(HEADER.__add__) | st.text(max_size=60))
    @example(HEADER + "1|a:a:1::1")
    @example(HEADER + "1|a:a:1::1:l0,1")
    def test_any_text(self, text: str) -> None:
        self.read_or_refuse(text)

    @staticmethod
    def read_or_refuse(text: str) -> None:
        try:
            unit = decode(text)
        except WireFormatError:
            return
        assert encode(unit) == text  # there is one encoding of a unit
        assert unit.scale >= 0
        assert str(unit) is not None


leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
branches = st.lists(leaves, max_size=3) | st.dictionaries(st.text(max_size=8), leaves, max_size=3)
json_values = leaves | branches | st.lists(branches, max_size=3)


def with_atom(**changes: Any) -> dict[str, Any]:
    value = to_json(Unit("m"))
    value["atoms"][0].update(changes)
    return value


class TestDamagedJson:
    @given(json_values)
    def test_any_value(self, value: Any) -> None:
        with pytest.raises(WireFormatError):
            from_json(value)

    @given(st.sampled_from(["format", "version", "factor", "atoms"]), json_values)
    def test_any_value_in_a_field(self, field: str, value: Any) -> None:
        before = to_json(Unit("km/h"))
        self.read_or_refuse({**before, field: value})
        del before[field]
        with pytest.raises(WireFormatError):
            from_json(before)

    @given(
        st.sampled_from(["symbol", "name", "scale", "dimension", "exponent", "law"]), json_values
    )
    def test_any_value_in_an_atom(self, field: str, value: Any) -> None:
        self.read_or_refuse(with_atom(**{field: value}))

    @staticmethod
    def read_or_refuse(value: Any) -> None:
        try:
            unit = from_json(value)
        except WireFormatError:
            return
        assert decode(encode(unit)) is unit

    @pytest.mark.parametrize(
        "value",
        [
            with_atom(symbol="x:y:1:L1:1|m"),
            with_atom(name="metre:1:L1:1|m:metre"),
            with_atom(scale="1:L1:1|m:metre:1"),
            with_atom(exponent="1|s:second:1:T1:1"),
            with_atom(exponent="1:a5"),
            with_atom(law="a5|s:second:1:T1:1"),
            {**to_json(Unit("m")), "factor": "1|s:second:1:T1:1"},
        ],
    )
    def test_a_field_smuggles_no_other(self, value: Any) -> None:
        with pytest.raises(WireFormatError):
            from_json(value)

    @pytest.mark.parametrize("field", ["format", "version", "factor", "atoms", None])
    def test_deep_nesting(self, field: str | None) -> None:
        deep: Any = []
        for _ in range(100_000):
            deep = [deep]
        value = deep if field is None else {**to_json(Unit("m")), field: deep}
        with pytest.raises(WireFormatError) as caught:
            from_json(value)
        assert len(str(caught.value)) < 1000

    @pytest.mark.parametrize("field", ["symbol", "name", "scale", "dimension", "exponent", "law"])
    def test_deep_nesting_in_an_atom(self, field: str) -> None:
        deep: Any = {}
        for _ in range(100_000):
            deep = {"length": deep}
        with pytest.raises(WireFormatError):
            from_json(with_atom(**{field: deep}))

    def test_a_large_value(self) -> None:
        value = {**to_json(Unit("m")), "atoms": [to_json(Unit("m"))["atoms"][0]] * 10_000}
        with pytest.raises(WireFormatError) as caught:
            from_json(value)
        assert len(str(caught.value)) < 1000


def test_laws_survive() -> None:
    assert decode(encode(Unit("degF"))).law == Affine(Fraction(45967, 180))
    assert decode(encode(Unit("dB_SPL"))).law == Logarithmic(10, Fraction(20), True)
    assert decode(encode(Unit("Np"))).law == Logarithmic(0, Fraction(1), True)
