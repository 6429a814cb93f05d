"""Samplers that count bytes in this process, where a count says more than a time."""

import gc
import pickle
import tracemalloc
from collections.abc import Mapping
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
