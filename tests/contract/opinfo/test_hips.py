"""HIPS autograd as a second source: both modes' gradients of functions shared by NumPy's name."""

import warnings
from typing import Any

import autograd
import autograd.numpy as anp
import numpy as np
import pytest
from autograd.builtins import SequenceBox
from autograd.core import primitive_vjps
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dimflow import autodiff
from tests.contract.evaluate import quietly
from tests.contract.opinfo.hips import _BY_NUMPY, CALLS, UNCOMPARED, ours
from tests.contract.opinfo.laws import agree
from tests.contract.opinfo.running import number_of_the_day
from tests.contract.samples import DEEP

BUDGET = 200 if DEEP else 5


def theirs(name: str) -> Any:
    """HIPS's function of NumPy's name; None where it has none."""
    found = anp
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def test_every_shared_function_is_compared_or_has_a_reason_not_to_be() -> None:
    shared = {name for name in _BY_NUMPY if theirs(name) in primitive_vjps}
    assert sorted(shared - CALLS.keys() - UNCOMPARED.keys()) == []
    assert sorted((CALLS.keys() | UNCOMPARED.keys()) - _BY_NUMPY.keys() - {"transpose"}) == []
    assert sorted(CALLS.keys() & UNCOMPARED.keys()) == []


def results(found: Any) -> tuple[Any, ...]:
    """The arrays of one or several results; HIPS's list that it follows is no list."""
    if isinstance(found, (tuple, list, SequenceBox)):
        return tuple(found[i] for i in range(len(found)))
    return (found,)


OF_THE_DAY = [name for name in sorted(CALLS) if DEEP or not number_of_the_day(name) % 3]


@pytest.mark.parametrize("name", OF_THE_DAY)
@settings(max_examples=BUDGET)
@given(data=st.data())
def test_gradients_agree(name: str, data: Any) -> None:
    args, fields = data.draw(CALLS[name])
    seed = data.draw(st.integers(0, 2**32 - 1))
    quietly(_compare, name, args, fields, seed)


def _compare(name: str, args: Any, fields: Any, seed: int) -> None:
    places = [i for i, a in enumerate(args) if isinstance(a, np.ndarray) and a.dtype.kind in "fc"]

    def called(function: Any, values: Any) -> tuple[Any, ...]:
        every = list(args)
        for i, value in zip(places, values, strict=True):
            every[i] = value
        return results(function(*every, **fields))

    values = [args[i] for i in places]
    outs, pull = autodiff.vjp(lambda *given: called(ours(name), given), values)
    rng = np.random.default_rng(seed)
    cts = [_like(rng, out) for out in outs]
    try:
        wanted = _by_hips(lambda given: called(theirs(name), given), values, cts)
    except (ValueError, IndexError, ZeroDivisionError):
        assume(all(v.size for v in values))  # of nothing HIPS has no rule
        raise
    for i, (g, w, value) in enumerate(zip(pull(tuple(cts)), wanted, values, strict=True)):
        agree(g, w, f"gradient by {i}", 1e-8)
        assert np.asarray(g).dtype == value.dtype


def _like(rng: Any, out: Any) -> Any:
    drawn = rng.normal(size=np.shape(out))
    is_complex = np.asarray(out).dtype.kind == "c"
    return drawn + 1j * rng.normal(size=np.shape(out)) if is_complex else drawn


def _by_hips(function: Any, values: Any, cts: Any) -> list[Any]:
    """Each gradient by itself, of each result by itself: HIPS's functions give one array."""
    found = []
    for place in range(len(values)):
        total: Any = 0
        for k, ct in enumerate(cts):

            def one(value: Any, place: int = place, k: int = k) -> Any:
                return function([*values[:place], value, *values[place + 1 :]])[k]

            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                back, _ = autograd.make_vjp(one)(values[place])
                total = total + back(ct)
        found.append(total)
    return found
