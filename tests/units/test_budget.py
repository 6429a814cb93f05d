"""Budgets in counts and bytes, which no load of a machine changes."""

import gc
import weakref

import pytest

from dimflow import Dimension, Unit, units
from dimflow.errors import UndefinedUnitError
from dimflow.units import Registry, convert, decode, encode
from tests.units.fresh import json_of

MEGABYTE = 2**20


def living(kind: type = Unit) -> int:
    """How many there are that somebody holds."""
    gc.collect()
    return sum(type(thing) is kind for thing in gc.get_objects())


class TestMemory:
    def test_the_loaded_registry(self) -> None:
        """Every definition read, resolved and made a unit, with the code that does it."""
        code = """
import json, tracemalloc
import dataclasses, decimal, fractions, html, re, typing, weakref, contextvars, difflib, pathlib
tracemalloc.start()
from dimflow import Unit, units
from dimflow.units.tables import builtin
Unit("km")
loaded = tracemalloc.get_traced_memory()[0]
every = [Unit(d.name) for d in builtin]
resolved = tracemalloc.get_traced_memory()[0]
print(json.dumps([loaded, resolved, len(every)]))
"""
        loaded, resolved, number = json_of(code)
        assert number > 1500
        assert loaded < 3 * MEGABYTE
        assert resolved < 5.5 * MEGABYTE

    def test_a_hundred_thousand_units_leave_little(self) -> None:
        """Products, quotients, powers, texts, conversions and encodings of units used once."""
        ones = [Unit("m") ** i for i in range(2, 319)]
        others = [Unit("s") ** i for i in range(2, 319)]
        before = living()
        made = 0
        for i, one in enumerate(ones):
            for other in others:
                unit = one * other
                made += 1
            str(unit)
            Unit(str(unit) + "*kg")
            decode(encode(unit / units.kg))
            (unit**2).conversion_factor(unit * unit)
            if i % 20 == 0:
                unit.simplified()
        del unit
        assert made > 100_000
        gc.collect()
        held = living() - before
        # each of the 317 holds up to 256 products in its memo, the newest of them only
        assert held <= 317 * 257
        ones.clear()
        others.clear()
        for i in range(400):  # other units push them out of the memos of metre and second
            Unit("m") ** (5000 + i), Unit("s") ** (5000 + i)
        gc.collect()
        assert living() - before < 15_000

    def test_a_growing_product_does_not_keep_its_past(self) -> None:
        """x = x*m again and again: each step would hold the next, and the first is never freed."""
        before = living(), living(Dimension)
        unit = Unit("m")
        for _ in range(20_000):
            unit = unit * units.m
        assert unit == Unit("m**20001")
        del unit
        assert living() - before[0] < 10_000
        assert living(Dimension) - before[1] < 10_000

    def test_a_memo_is_bounded(self) -> None:
        before = living()
        metre = Unit("m")
        for i in range(5_000):
            metre ** (10_000 + i)
            metre * Unit(f"{i + 7} s")
            metre / Unit(f"{i + 7} s")
        Registry()  # nothing but the shared one read those texts
        assert living() - before < 3 * 300 + 2 * 4096

    def test_texts_read_once(self) -> None:
        registry = Registry()
        for i in range(20_000):
            registry(f"{i + 1} m")
        assert len(registry.parsed) <= 4096
        for i in range(6_000):
            registry.atom(f"m{i}x")
        assert len(registry._atoms) <= 4096

    def test_failures_are_not_kept(self) -> None:
        registry = Registry()
        registry("m")
        before = len(registry.parsed), len(registry._atoms)
        for i in range(30):
            with pytest.raises(UndefinedUnitError):
                registry(f"zq_unknown_{i}")
        assert (len(registry.parsed), len(registry._atoms)) == before

    def test_a_unit_goes_when_nobody_holds_it(self) -> None:
        unit = Unit("zq_going", "length", 12345)
        watched = weakref.ref(unit)
        del unit
        gc.collect()
        assert watched() is None

    def test_a_scope_goes_when_nobody_holds_it(self) -> None:
        lab = Registry()
        lab.define("zqgoing = 3 m")
        with lab:
            assert Unit("zqgoing*s").scale == 3
        watched = weakref.ref(lab)
        del lab
        gc.collect()
        assert watched() is None


class TestWork:
    def test_a_known_product_makes_nothing(self) -> None:
        a, b = Unit("km"), Unit("hour")
        results = [a * b, a / b, a**2, a**-1, a**0.5]
        serial = Unit("zq_serial_a", "length", 3)._serial
        for _ in range(100):
            again = [a * b, a / b, a**2, a**-1, a**0.5]
            assert all(x is y for x, y in zip(results, again, strict=True))
        assert Unit("zq_serial_b", "length", 3)._serial - serial <= 2

    def test_a_known_text_is_one_look_up(self) -> None:
        unit = Unit("kg*m**2/s**3")
        assert units.Registry is Registry
        assert Unit("kg*m**2/s**3") is unit
        assert convert(1.0, "mile/hour", "km/h") == 1.609344

    def test_importing_reads_no_table(self) -> None:
        code = """
import json, sys
opened = []
sys.addaudithook(lambda event, args: event == "open" and opened.append(str(args[0])))
import dimflow
first = [n for n in sys.modules if n.startswith("dimflow.")]
from dimflow import Unit, units
tables = [p for p in opened if p.endswith(".units")]
heavy = sorted({n.partition(".")[0] for n in sys.modules}
               & {"numpy", "scipy", "pint", "astropy", "tomllib", "json.decoder", "asyncio",
                  "importlib.metadata", "argparse", "email", "inspect", "unittest"})
Unit("km")
later = [p for p in opened if p.endswith(".units")]
print(json.dumps([first, tables, heavy, len(later) > 10, len(later) == len(set(later))]))
"""
        first, tables, heavy, reads, once = json_of(code)
        assert first == ["dimflow.arrival"]  # waits for torch.load
        assert tables == []
        assert heavy == []
        assert reads
        assert once
