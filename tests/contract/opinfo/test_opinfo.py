"""PyTorch's samples of its own functions, as an independent source of calls and derivatives.

The fast run takes one sample of a third of the functions, others each day; the deep run all.
"""

import pytest

from dimflow import ops
from tests.contract.opinfo.deviations import COARSE, DEVIATIONS
from tests.contract.opinfo.gauges import ARGUMENTS, RESULTS
from tests.contract.opinfo.running import dtypes_of, judged, number_of_the_day, recorded
from tests.contract.opinfo.samples import ADAPTERS, records
from tests.contract.opinfo.unmapped import UNMAPPED

DOUBLE = ("float64", "complex128")
NAMES = sorted(ADAPTERS)
KNOWN = recorded()


def test_every_function_is_compared_or_has_a_reason_not_to_be() -> None:
    names = set(records())
    assert sorted(names - ADAPTERS.keys() - UNMAPPED.keys()) == []
    assert sorted((ADAPTERS.keys() | UNMAPPED.keys()) - names) == []
    assert sorted(ADAPTERS.keys() & UNMAPPED.keys()) == []


def test_every_op_that_names_a_function_of_the_records_is_compared() -> None:
    hosts = {op.hosts.torch for op in ops.TABLE.values() if op.hosts.torch}
    creation = {"empty_like", "nn.functional.dropout"}  # nothing to look at; random
    assert sorted((hosts & records().keys()) - ADAPTERS.keys() - creation) == []


def test_deviations_and_gauges_speak_of_functions_that_are_compared() -> None:
    spoken = {name for known in DEVIATIONS for name in known.names.split()}
    spoken |= COARSE.keys() | ARGUMENTS.keys() | RESULTS.keys()
    assert sorted(spoken - ADAPTERS.keys()) == []


def test_the_record_is_of_all_functions_and_most_samples_are_taken() -> None:
    assert sorted(KNOWN) == NAMES
    samples, taken = (
        sum(pair[i] for by_dtype in KNOWN.values() for pair in by_dtype.values()) for i in (0, 1)
    )
    assert taken / samples > 0.97


@pytest.mark.parametrize("name", [name for name in NAMES if not number_of_the_day(name) % 3])
def test_a_sample_of_the_day(name: str) -> None:
    for dtype in DOUBLE:
        if dtype not in KNOWN[name]:
            continue
        number = number_of_the_day(name, dtype) % KNOWN[name][dtype][0]
        verdict = judged(name, dtype, [number])
        assert not verdict.problems, f"{dtype}: " + "\n".join(verdict.problems)


@pytest.mark.deep
@pytest.mark.parametrize("name", NAMES)
def test_every_sample(name: str) -> None:
    for dtype in dtypes_of(name):
        verdict = judged(name, dtype)
        assert not verdict.problems, f"{dtype}: " + "\n".join(verdict.problems)
        samples, taken = KNOWN[name].get(dtype, [0, 0])
        # No more is refused than was: the fraction does not fall.
        assert verdict.taken * samples >= taken * verdict.samples, (dtype, verdict[:2])
