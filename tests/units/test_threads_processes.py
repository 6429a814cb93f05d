"""One unit is one object: in every thread, in every task, and after a trip to another process."""

import asyncio
import contextvars
import json
import multiprocessing
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction
from typing import TypeVar

import pytest

from dimflow import Dimension, Unit, units
from dimflow.errors import UndefinedUnitError
from dimflow.units import Registry, decode
from dimflow.units.meaning import Atom
from tests.units.fresh import json_of
from tests.units.strategies import EVERY_UNIT

T = TypeVar("T")
THREADS = 8


def at_once(work: Callable[[int], T], threads: int = THREADS) -> list[T]:
    """What the work gives in several threads that start together."""
    barrier = threading.Barrier(threads)

    def run(number: int) -> T:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(run, range(threads)))


class TestThreads:
    def test_the_same_new_units_are_the_same_objects(self) -> None:
        """Many rounds, each with spellings that no one has built before."""
        for round_ in range(30):

            def build(_: int, power: int = 1000 + round_) -> list[Unit]:
                return [
                    Unit(f"m**{power}*kg/s**{power}"),
                    Unit("ft") ** power,
                    (Unit("mile") / Unit("hour")) ** Fraction(power, 7),
                    Unit("degF") * Unit("s") ** power,
                    decode(f"dimflow.unit/1|1|zqw:zqw:{power}:L1:3"),
                ]

            first, *rest = at_once(build)
            for other in rest:
                assert all(a is b for a, b in zip(first, other, strict=True))

    def test_dimensions_and_atoms(self) -> None:
        for round_ in range(10):

            def build(_: int, n: int = 3000 + round_) -> tuple[Dimension, Atom]:
                unit = Unit(f"zq_atom_{n}", Dimension(mass=n), n)
                return Dimension(length=n) / Dimension(time=n), unit.atoms[0][0]

            answers = at_once(build)
            assert all(a[0] is answers[0][0] and a[1] is answers[0][1] for a in answers)

    def test_the_table_is_read_once(self) -> None:
        code = """
import json, threading
from concurrent.futures import ThreadPoolExecutor
from dimflow.units import Registry, Unit
names = ["furlong", "kilometre", "mmHg", "dBm", "degF", "parsec", "kibibit", "sone"]
barrier = threading.Barrier(8)
def read(i):
    barrier.wait()
    return [Unit(n) for n in names[i:] + names[:i]]
with ThreadPoolExecutor(8) as pool:
    answers = list(pool.map(read, range(8)))
ids = [sorted(id(u) for u in a) for a in answers]
same = all(i == ids[0] for i in ids)
from dimflow.units.tables import builtin
definitions = [builtin.find(n) for n in ("furlong", "furlong")]
print(json.dumps([same, len(set(map(id, builtin))) == len(list(builtin))]))
"""
        assert json_of(code) == [True, True]

    def test_scopes_do_not_leak(self) -> None:
        def work(number: int) -> list[float]:
            answers = []
            with Registry() as mine:
                mine.define(f"zqlocal = {number + 1} m")
                for _ in range(200):
                    answers.append(Unit("zqlocal").scale)
                    answers.append(Unit("zqlocal*s/s").scale)
            with pytest.raises(UndefinedUnitError):
                Unit("zqlocal")
            return answers

        for number, answers in enumerate(at_once(work)):
            assert answers == [number + 1.0] * 400
        with pytest.raises(UndefinedUnitError):
            Unit("zqlocal")

    def test_one_registry_entered_by_many(self) -> None:
        lab = Registry()
        lab.define("zqcommon = 3 m")

        def work(_: int) -> bool:
            for _ in range(15):
                with lab:
                    assert Unit("zqcommon").scale == 3
                try:
                    Unit("zqcommon")
                except UndefinedUnitError:
                    continue
                return False
            return True

        assert all(at_once(work))

    def test_defining_while_reading(self) -> None:
        lab = Registry()
        lab.define("zqbase = 2 m")

        def work(number: int) -> None:
            for i in range(20):
                lab.define(f"zqn{number}_{i}_ = {i + 1} zqbase = zqs{number}_{i}_")
                assert lab(f"zqn{number}_{i}_").scale == 2 * (i + 1)
                assert lab(f"kg*zqs{number}_{i}_/zqbase").scale == i + 1
                assert lab("zqbase").scale == 2
                child = Registry(lab)
                assert child(f"zqs{number}_{i}_**2").scale == (2 * (i + 1)) ** 2

        at_once(work, 6)
        assert len([n for n in lab.spellings() if n.startswith("zqn")]) == 120

    def test_every_way_to_read_while_another_thread_defines(self) -> None:
        """Threads that take turns every microsecond: what goes through a table sees a whole one."""
        code = """
import json, sys, threading
sys.setswitchinterval(1e-6)
from dimflow import errors
from dimflow.units import Registry
lab = Registry()
lab.define("zqbase = 2 m")
child = Registry(lab)
def refused():
    try:
        child("zqbass meter")
    except errors.UnitParseError:
        pass
ways = [
    lab.spellings, child.spellings, lab.prefixes, child.prefixes, lambda: list(child),
    lambda: dir(child), lambda: repr(child), lambda: child.ambiguous, lambda: "zqq" in child,
    lambda: child("zqbase per square second"), refused,
]
failures, done = [], threading.Event()
def read(way):
    try:
        while not done.is_set():
            way()
    except BaseException as error:
        failures.append(repr(error))
readers = [threading.Thread(target=read, args=(way,)) for way in ways]
[t.start() for t in readers]
for i in range(60):
    lab.define(f"zqn_{i}_ = {i + 1} zqbase = zqs_{i}_\\nzqpre{i}x- = {i + 2}")
done.set()
[t.join() for t in readers]
print(json.dumps(failures))
"""
        assert json_of(code) == []

    def test_replacing_while_reading(self) -> None:
        """A reader gets an old or a new meaning whole, and at the end the newest."""
        lab = Registry()
        lab.define("zqr = 1 m")
        child = Registry(lab)
        done = threading.Event()

        def write() -> None:
            for i in range(2, 200):
                lab.define(f"zqr = {i} m", replace=True)
            done.set()

        seen: set[float] = set()

        def read() -> None:
            while not done.is_set():
                seen.add(child("zqr").scale)

        threads = [threading.Thread(target=target) for target in (write, read, read)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert seen <= {float(i) for i in range(1, 200)}
        assert child("zqr").scale == lab("zqr").scale == 199

    def test_shared_definitions_while_scopes_come_and_go(self) -> None:
        code = """
import threading
from dimflow import Unit, units
from dimflow.units import Registry
failures = []
def define(n):
    try:
        for i in range(50):
            units.define(f"zqd{n}_{i}_ = {i + 1} m")
            assert Unit(f"zqd{n}_{i}_").scale == i + 1
    except BaseException as error:
        failures.append(repr(error))
def enter(n):
    try:
        for i in range(150):
            with Registry() as mine:
                mine.define(f"zqe = {i + 1} m")
                assert Unit("zqe").scale == i + 1
    except BaseException as error:
        failures.append(repr(error))
threads = [threading.Thread(target=f, args=(n,)) for n in range(3) for f in (define, enter)]
[t.start() for t in threads]
[t.join() for t in threads]
import json
print(json.dumps(failures))
"""
        assert json_of(code) == []

    def test_memos_are_swept_while_units_are_made(self) -> None:
        """Threads that take turns every microsecond, and enough products to empty all memos."""
        code = """
import json, sys, threading
sys.setswitchinterval(1e-6)
from dimflow import Dimension, Unit
failures = []
def work(n):
    try:
        metre, second, length = Unit("m"), Unit("s"), Dimension("length")
        for i in range(6000):
            metre ** (i + 2 + n * 10_000) * second
            length ** (i + 2 + n * 10_000)
    except BaseException as error:
        failures.append(repr(error))
threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
[t.start() for t in threads]
[t.join() for t in threads]
print(json.dumps(failures))
"""
        assert json_of(code) == []

    def test_memos_under_pressure(self) -> None:
        """More partners than a memo holds, from many threads: it is emptied while it is read."""

        def work(_: int) -> bool:
            metre = Unit("m")
            return all(
                (metre * Unit("s") ** i) / Unit("s") ** i is metre
                and str(metre * Unit("s") ** i) == (f"m*s**{i}" if i > 1 else "m*s")
                for i in range(1, 700)
            )

        assert all(at_once(work))


class TestTasks:
    def test_scopes_do_not_leak(self) -> None:
        async def task(number: int) -> list[float]:
            answers = []
            with Registry() as mine:
                mine.define(f"zqtask = {number + 1} m")
                for _ in range(20):
                    await asyncio.sleep(0)
                    answers.append(Unit("zqtask").scale)
            await asyncio.sleep(0)
            with pytest.raises(UndefinedUnitError):
                Unit("zqtask")
            return answers

        async def main() -> list[list[float]]:
            return await asyncio.gather(*(task(n) for n in range(10)))

        for number, answers in enumerate(asyncio.run(main())):
            assert answers == [number + 1.0] * 20

    def test_one_registry_in_overlapping_tasks(self) -> None:
        lab = Registry()
        lab.define("zqoverlap = 3 m")

        async def task(before: int, inside: int) -> None:
            for _ in range(before):
                await asyncio.sleep(0)
            with lab:
                for _ in range(inside):
                    await asyncio.sleep(0)
                    assert Unit("zqoverlap").scale == 3
            with pytest.raises(UndefinedUnitError):
                Unit("zqoverlap")

        async def main() -> None:
            await asyncio.gather(task(0, 10), task(3, 3), task(5, 20), task(1, 1))

        asyncio.run(main())

    def test_a_task_inherits_the_scope_it_is_started_in(self) -> None:
        async def child() -> float:
            await asyncio.sleep(0)
            return Unit("zqinherited").scale

        async def main() -> float:
            with Registry() as lab:
                lab.define("zqinherited = 7 m")
                started = asyncio.create_task(child())
            return await started

        assert asyncio.run(main()) == 7.0

    def test_a_copied_context(self) -> None:
        with Registry() as lab:
            lab.define("zqcontext = 5 m")
            context = contextvars.copy_context()
        assert context.run(lambda: Unit("zqcontext").scale) == 5.0
        with pytest.raises(UndefinedUnitError):
            Unit("zqcontext")


def same_object(item: tuple[bytes, str]) -> tuple[bool, bytes]:
    """Run in another process: the pickle is the unit that the text means there."""
    data, text = item
    unit = pickle.loads(data)
    return unit is Unit(text), pickle.dumps(unit)


def answer(data: bytes) -> tuple[str, float, bytes]:
    unit = pickle.loads(data)
    return str(unit**2), unit.scale, pickle.dumps(unit / units.s)


class TestProcesses:
    def test_pickles_by_spawn_to_the_same_object(self) -> None:
        texts = [str(u) for u in EVERY_UNIT[::40]] + ["km/h", "kg*m/s**2", "m**(1/2)", "1000*m", ""]
        items = [(pickle.dumps(Unit(t), 2 + i % 4), t) for i, t in enumerate(texts)]
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
            answers = list(pool.map(same_object, items, chunksize=20))
            own = Registry()
            own.define("zqspawn = 7 m = zqsp")
            user = [own("zqspawn"), Unit("zq_ad_hoc", "force", 2.5)]
            there = list(pool.map(answer, [pickle.dumps(u) for u in user]))
        assert all(same for same, _ in answers)
        for text, (_, data) in zip(texts, answers, strict=True):
            assert pickle.loads(data) is Unit(text)
        for unit, (text, scale, data) in zip(user, there, strict=True):
            assert (text, scale) == (str(unit**2), unit.scale)
            assert pickle.loads(data) is unit / units.s

    @pytest.mark.parametrize("protocol", [2, 3, 4, 5])
    def test_a_pickle_is_small_and_reads_anywhere(self, protocol: int) -> None:
        data = pickle.dumps(Unit("km/h"), protocol)
        assert len(data) < 200
        code = """
import json, pickle, sys
unit = pickle.loads(bytes.fromhex(sys.argv[1]))
from dimflow import Unit
print(json.dumps([str(unit), unit is Unit("km/h")]))
"""
        assert json_of(code, data.hex()) == ["km/h", True]

    def test_containers_share(self) -> None:
        metre, again = pickle.loads(pickle.dumps([Unit("m"), Unit("m")]))
        assert metre is again is Unit("m")
        table = {Unit("m"): 1, Unit("kg*m/s**2"): 2}
        assert pickle.loads(pickle.dumps(table))[Unit("N")] == 2

    def test_after_fork(self) -> None:
        """A forked child has the same objects, and builds new ones as the parent would."""
        code = """
import json, multiprocessing
from dimflow.units import Unit, encode
before = Unit("m") ** 77
def run(pipe):
    pipe.send([encode(Unit("furlong/fortnight")), Unit("m**77") is before])
context = multiprocessing.get_context("fork")
here, there = context.Pipe()
process = context.Process(target=run, args=(there,))
process.start()
print(json.dumps(here.recv()))
process.join()
"""
        text, same = json_of(code)
        assert same
        assert decode(text) is Unit("furlong/fortnight")

    def test_text_and_json_cross_too(self) -> None:
        code = """
import json, sys
from dimflow.units import from_json, to_json
print(json.dumps(to_json(from_json(json.loads(sys.argv[1])) ** 2)))
"""
        answer_ = json_of(code, json.dumps(units.to_json(Unit("zq_json", "mass", 3))))
        assert units.from_json(answer_) is Unit("zq_json", "mass", 3) ** 2
