"""Samplers that time a statement of Python in this process.

The clock is the CPU time of this thread, which other programs on the machine hardly change. Where
the system counts it too coarsely (Windows), and for work of several threads, it is the wall clock.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import repeat
from time import get_clock_info, perf_counter, thread_time
from typing import Any

from benchmarks.race import Sampler

# The work stands in the loop itself: a call to a function would cost as much as a unit product.
_LOOP = """
def loop(items, clock):
    start = clock()
    for {each} in items:
        {statement}
    return clock() - start
"""
_TRIAL = 1 / 4  # of a sample's time tells how often the statement fits into it
_HAS_CPU_CLOCK = get_clock_info("thread_time").resolution < 1e-6


def repeated(
    statement: str, namespace: Mapping[str, Any], seconds: float, *, threads: bool = False
) -> Sampler:
    """Seconds for the statement, done again and again for about `seconds`."""
    loop = _compiled(statement, namespace, "_", threads)
    count = 0

    def sample(turn: int) -> float:
        nonlocal count
        if not count:
            loop(repeat(None, 1))  # the first time is not like the others
            again = 1
            while (taken := loop(repeat(None, again))) < _TRIAL * seconds:
                again *= 4
            count = max(1, int(seconds * again / taken))
        return loop(repeat(None, count)) / count

    return sample


def on_new(
    statement: str,
    namespace: Mapping[str, Any],
    each: str,
    items: Callable[[int], list[Any]],
    *,
    threads: bool = False,
) -> Sampler:
    """Seconds for the statement on inputs that are new in each turn; `each` names one of them."""
    loop = _compiled(statement, namespace, each, threads)

    def sample(turn: int) -> float:
        batch = items(turn)
        return loop(batch) / len(batch)

    return sample


def _compiled(
    statement: str, namespace: Mapping[str, Any], each: str, threads: bool
) -> Callable[[Iterable[Any]], float]:
    variables = dict(namespace)
    exec(_LOOP.format(each=each, statement=statement), variables)
    loop = variables["loop"]
    clock = thread_time if _HAS_CPU_CLOCK and not threads else perf_counter
    return lambda items: loop(items, clock)
