"""So many threads, for all contenders alike."""

from functools import cache
from time import sleep
from typing import Any

from benchmarks.race import Sampler

_PAUSE = 0.03  # s, after which the threads that another library keeps spinning have gone to sleep


@cache
def _pools() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def on_threads(count: int, sampler: Sampler) -> Sampler:
    """The sampler with so many threads for NumPy's BLAS and for PyTorch."""
    import torch

    def sample(turn: int) -> float:
        torch.set_num_threads(count)
        with _pools().limit(limits=count, user_api="blas"):
            if count > 1:
                sleep(_PAUSE)
            return sampler(turn)

    return sample
