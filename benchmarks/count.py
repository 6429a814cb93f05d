"""Bytes, equations and calls, where a count says more than a time."""

import gc
import pickle
import tracemalloc
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.race import Sampler


def peak_bytes(expression: str, namespace: Mapping[str, Any]) -> Sampler:
    """The most that is allocated at one time until the expression has its result."""
    variables = dict(namespace)
    code = compile(expression, "<counted>", "eval")

    def sample(turn: int) -> float:
        gc.collect()
        tracemalloc.start()
        try:
            result = eval(code, variables)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        del result
        return float(peak)

    return sample


def bytes_over(value: Any, raw: Any) -> Sampler:
    """How much longer the pickle of a value is than that of the raw array in it."""
    return lambda turn: float(_pickled(value) - _pickled(raw))


def _pickled(value: Any) -> int:
    return len(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))


def equations(jaxpr: Any) -> int:
    """How many equations a jaxpr has, with those of the functions that it calls."""
    return sum(1 + sum(map(equations, _inner(e.params))) for e in jaxpr.eqns)


def _inner(params: Mapping[str, Any]) -> list[Any]:
    found = (getattr(value, "jaxpr", value) for value in params.values())
    return [value for value in found if hasattr(value, "eqns")]


def aten_calls(work: Callable[[], Any]) -> int:
    """How many operations of ATen PyTorch runs, forward and back, views included."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Counting(TorchDispatchMode):
        calls = 0

        def __torch_dispatch__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            Counting.calls += 1
            return function(*args, **(kwargs or {}))

    with Counting():
        work()
    return Counting.calls
