"""How a cost grows with the size of its work: the power of n that fits it best."""

from collections.abc import Callable, Sequence
from math import log
from time import thread_time

from benchmarks.count import peak_bytes
from benchmarks.race import Sampler

Work = Callable[[], object]


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """The slope of log(cost) over log(size), by least squares."""
    x, y = [log(size) for size in sizes], [log(cost) for cost in costs]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    above = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return above / sum((a - mean_x) ** 2 for a in x)


def of_time(works: dict[int, Work]) -> Sampler:
    """The power of n in the CPU time; small sizes run more than once, to take as long."""
    largest = max(works)

    def seconds(size: int) -> float:
        again = max(1, largest // size // 4)
        start = thread_time()
        for _ in range(again):
            works[size]()
        return (thread_time() - start) / again

    return lambda turn: exponent(list(works), [seconds(size) for size in works])


def of_memory(works: dict[int, Work]) -> Sampler:
    """The power of n in the most that is allocated at one time."""
    return lambda turn: exponent(list(works), [peak(work) for work in works.values()])


def peak(work: Work) -> float:
    """The most bytes that are allocated at one time, until the work is done."""
    return peak_bytes("work()", {"work": work})(0)
