"""No function of PyTorch loses a unit in silence, and none gives a wrong one.

The samples are PyTorch's own, the truth is its own arithmetic: written in other units, the same
quantities give the same quantities, and the numbers are those that PyTorch gives for numbers.
"""

import os
from zlib import crc32

import pytest
import torch

import dimflow
from dimflow.errors import DimflowError, UnsupportedFunction
from dimflow.torch import DimTensor
from tests.torch.walk import (
    PURE,
    WRITINGS,
    Quantities,
    agree,
    called,
    functions,
    leaves,
    plain,
    samples,
    variants,
)

IS_DEEP = bool(os.environ.get("DIMFLOW_DEEP"))
COUNT = 6 if IS_DEEP else 3
NAMES = sorted(functions())
# For every seed another sample of each function, another form, other units; all if there is time.
DAY = crc32(os.environ.get("DIMFLOW_SEED", "0").encode())


def of_today(name, choices):
    """One of several, or all of them if there is time."""
    choices = list(choices)
    if IS_DEEP or len(choices) < 2:
        return choices
    return [choices[(DAY + crc32(name.encode())) % len(choices)]]


# Numbers are drawn anew in each call, or memory is left as it was.
RANDOM = (
    *("bernoulli", "cauchy", "dropout", "empty", "exponential", "fractional", "geometric"),
    *("gumbel", "lowrank", "log_normal", "multinomial", "normal", "poisson", "rand", "rrelu"),
    *("uniform", "binomial", "new_empty", "scaled_dot_product_attention", "multi_head_attention"),
)

# What differs from the law, and why.
DEVIATIONS = {
    "ones_like": "ones in the unit of the array, as for every DimArray; full_like takes quantities",
    "zeros_like": "zeros in the unit of the array, as for every DimArray, also on a scale",
    "histogram": "of equal values PyTorch takes edges half a unit away, in whatever unit",
}


# The default eps, 1e-5 of PyTorch's numbers, is next to nothing of a quantity
WITHOUT_EPS = {"nn.functional.layer_norm"}


def near(one, other):
    return torch.allclose(one, other, rtol=1e-4, atol=1e-4, equal_nan=True)


def is_random(name):
    return any(word in name for word in RANDOM)


def outcome(function, sample, units):
    """The results, or None if units are refused."""
    try:
        return leaves(called(function, sample, Quantities(*units)))
    except DimflowError:
        return None


def writings(name):
    """Lengths, and another way to give units."""
    return ("lengths", *of_today(name, [w for w in WRITINGS if w != "lengths"]))


def check(name, function, sample, chosen):
    try:
        numbers = leaves(called(function, sample, plain))
    except (RuntimeError, TypeError):
        return  # a form of the function that this sample is not for
    for writing in chosen:
        units, others = WRITINGS[writing]
        results = outcome(function, sample, units)
        rewritten = outcome(function, sample, others)
        assert (results is None) is (rewritten is None), (name, writing)
        repeated = outcome(function, sample, units)  # from memory
        assert (results is None) is (repeated is None), (name, writing)
        if results is None or is_random(name):
            continue
        assert len(results) == len(rewritten) == len(numbers)
        for one, again in zip(results, repeated, strict=True):
            assert type(one) is type(again), (name, writing)
            if isinstance(one, DimTensor):
                assert one.unit is again.unit, (name, writing)
                assert agree(one.data, again.data), (name, writing)
        for one, other, number in zip(results, rewritten, numbers, strict=True):
            if isinstance(one, DimTensor):
                assert isinstance(other, DimTensor), (name, writing)
                assert one.dimension == other.dimension, (name, writing)
                if one.dtype is not torch.complex32:  # which PyTorch cannot divide
                    assert agree(one.data, other.to(one.unit).data), (name, writing, str(one.unit))
                if writing != "lengths in two units":
                    same = near if name in WITHOUT_EPS else agree
                    assert same(one.data, number), (name, writing)
            else:
                assert agree(one, other), (name, writing)


@pytest.mark.parametrize("name", NAMES)
def test_results_do_not_depend_on_the_units_that_arguments_are_written_in(name):
    if name in DEVIATIONS:
        with pytest.raises((AssertionError, ValueError, RuntimeError)):
            check_all(name, samples(name, 6), list(variants(functions()[name])), WRITINGS)
        return
    check_all(name, of_today(name, samples(name, COUNT)), forms(name), writings(name))


def check_all(name, samples, functions, chosen):
    for sample in samples:
        for function in functions:
            check(name, function, sample, chosen)


def forms(name):
    """The plain function, the method or that in place."""
    return of_today(name + "s", variants(functions()[name]))


SOME = NAMES if IS_DEEP else NAMES[DAY % 4 :: 4]


@pytest.mark.parametrize("name", SOME)
def test_pure_numbers_give_what_pytorch_gives(name):
    for sample in of_today(name, samples(name, COUNT)):
        for function in forms(name):
            try:
                numbers = leaves(called(function, sample, plain))
            except (RuntimeError, TypeError):
                continue
            try:
                results = leaves(called(function, sample, Quantities(PURE)))
            except DimflowError:
                continue  # refused, whatever the unit: the test of refusals lists these
            if is_random(name):
                continue
            for one, number in zip(results, numbers, strict=True):
                raw = one.data if isinstance(one, DimTensor) else one  # angles are in radians
                assert agree(raw, number), name


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda x: torch.sin(x / DimTensor(1.0, "m")), "dimflow.sin(...)"),
        (lambda x: torch.stack([x, x]).sum(), "dimflow.stack(...)"),
        (lambda x: torch.where(x > 0 * x, x, 2 * x), "dimflow.where(...)"),
        (lambda x: torch.nn.functional.mse_loss(x, 2 * x), "write it with those"),
    ],
)
def test_our_own_engine_says_what_it_does_not_follow(call, hint):
    with pytest.raises(UnsupportedFunction, match="follows dimflow's functions alone") as caught:
        dimflow.grad(call, engine="own")(DimTensor(2.0, "m"))
    assert caught.value.hint == hint
