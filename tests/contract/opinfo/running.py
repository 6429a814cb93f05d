"""A function of PyTorch judged by its samples: what was taken, and which laws failed."""

import json
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from tests.contract.evaluate import quietly
from tests.contract.opinfo import laws
from tests.contract.opinfo.deviations import COARSE, Deviation, deviation
from tests.contract.opinfo.samples import ADAPTERS, DTYPES, Call, calls, record

RECORD = Path(__file__).with_name("record.json")
# How far results may differ, beside the largest; times the precision of the sample.
TOLERANCES = {"value": 1e-9, "gradient": 1e-8, "pairing": 1e-8, "second": 1e-6, "tensors": 1e-8}


class Verdict(NamedTuple):
    """What came of the samples of a function in a dtype."""

    samples: int
    taken: int
    problems: list[str]
    checks: Counter[str]


def judged(name: str, dtype: str, numbers: Iterable[int] | None = None) -> Verdict:
    """All samples, or those of some numbers, held to every law that PyTorch has an answer to."""
    chosen = None if numbers is None else set(numbers)
    shown: dict[Deviation, bool] = {}
    problems: list[str] = []
    checks: Counter[str] = Counter()
    samples = taken = 0
    for call in calls(name, dtype):
        if chosen is not None and call.number not in chosen:
            if call.number > max(chosen, default=0):
                break
            continue
        samples += 1
        refused = deviation(name, dtype, "takes", call)
        if refused is not None:
            shown[refused] = shown.get(refused, False) or _is_refused(name, dtype, call)
            continue
        taken += 1
        problems += _of_sample(name, dtype, call, shown, checks)
    if chosen is None:
        problems += [
            f"no sample shows: {d.reason}" for d, is_shown in shown.items() if not is_shown
        ]
    return Verdict(samples, taken, problems, checks)


def _is_refused(name: str, dtype: str, call: Call) -> bool:
    try:
        quietly(laws.value, quietly(laws.Trial, name, dtype, call), 1.0)
    except Exception:
        return True
    return False


def _of_sample(
    name: str, dtype: str, call: Call, shown: dict[Deviation, bool], checks: Counter[str]
) -> list[str]:
    trial = quietly(laws.Trial, name, dtype, call)
    problems = []
    for law in _asked(name, dtype, call):
        known = deviation(name, dtype, law, call)
        rtol = TOLERANCES[law] * trial.precision * COARSE.get(name, 1.0)
        rtol *= 10 if dtype == "float32" else 1
        try:
            quietly(getattr(laws, law), trial, rtol)
        except Exception as error:
            if known is None:
                text = " ".join(str(error).split())[:300]
                problems.append(f"sample {call.number} {law}: {type(error).__name__}: {text}")
            else:
                shown[known] = True
            if law == "value":
                break
        else:
            checks[law] += 1
            if known is not None:
                shown.setdefault(known, False)
    return problems


def _asked(name: str, dtype: str, call: Call) -> list[str]:
    """The laws that PyTorch has an answer to; in single precision, values and dtypes."""
    if not call.places:
        return ["value"]
    if dtype == "float32":
        return ["value", "gradient"]
    order = ["second"] if record(name).supports_gradgrad else []
    return ["value", "gradient", "pairing", *order, "tensors"]


def dtypes_of(name: str) -> list[str]:
    """The dtypes that PyTorch has samples in."""
    return [dtype for dtype, kind in DTYPES.items() if record(name).supports_dtype(kind, "cpu")]


def recorded() -> dict[str, dict[str, list[int]]]:
    """How many samples there were of each function and dtype, and how many were taken."""
    found: dict[str, dict[str, list[int]]] = json.loads(RECORD.read_text())
    return found


def number_of_the_day(*texts: str) -> int:
    """A number that is another each day, by which samples rotate."""
    return crc32(" ".join((os.environ.get("DIMFLOW_SEED", "0"), *texts)).encode())


def everything(names: Iterable[str] = sorted(ADAPTERS)) -> tuple[dict[str, Any], Counter[str]]:
    """The record anew, and how many checks were made."""
    found: dict[str, Any] = {}
    checks: Counter[str] = Counter()
    for name in names:
        found[name] = {}
        for dtype in dtypes_of(name):
            verdict = judged(name, dtype)
            checks += verdict.checks
            for problem in verdict.problems:
                print(f"{name} {dtype} {problem}")
            if verdict.samples:
                found[name][dtype] = [verdict.samples, verdict.taken]
    return found, checks
