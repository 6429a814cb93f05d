"""Samplers that need a fresh interpreter: the CPU time of an import, the memory of what it keeps.

NumPy is imported before anything is measured, so what is measured comes on top of it.
"""

import os
import subprocess
import sys

from benchmarks.race import Sampler, WrongAnswer

_CPU = """
import numpy
from time import process_time  # user and system, of all threads
start = process_time()
{work}
taken = process_time() - start
assert {proof}
print(taken)
"""
_MEMORY = """
import gc, numpy, tracemalloc
{before}
gc.collect()
tracemalloc.start()
{work}
gc.collect()
taken, _ = tracemalloc.get_traced_memory()
assert {proof}
print(taken)
"""


def cpu_seconds(work: str, proof: str) -> Sampler:
    """User and system time of the work."""
    return lambda turn: _run(_CPU.format(work=work, proof=proof))


def bytes_kept(work: str, proof: str, before: str = "") -> Sampler:
    """What Python still holds of all that the work allocated, after a collection."""
    return lambda turn: _run(_MEMORY.format(before=before, work=work, proof=proof))


def _run(code: str) -> float:
    # Bytecode is kept, as it is by default: or else only what was installed before would have it.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    child = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    if child.returncode:
        raise WrongAnswer(f"{code}\n{child.stderr}")
    return float(child.stdout)
