"""No function of PyTorch loses a unit in silence, and none gives a wrong one.

The samples are PyTorch's own, the truth is its own arithmetic: written in other units, the same
quantities give the same quantities, and the numbers are those that PyTorch gives for numbers.
"""

import os
from zlib import crc32

import pytest
import torch

from dimflow.errors import DimflowError
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
COUNT = 6 if IS_DEEP else 1
ALL = sorted(functions())
# For every seed another part of the functions; all of them if there is time.
NAMES = ALL if IS_DEEP else ALL[crc32(os.environ.get("DIMFLOW_SEED", "0").encode()) % 16 :: 16]

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
    "repeat": "the method of every DimArray, which is NumPy's",
}


def is_random(name):
    return any(word in name for word in RANDOM)


def outcome(function, sample, units):
    """The results, or None if units are refused."""
    try:
        return leaves(called(function, sample, Quantities(*units)))
    except DimflowError:
        return None


def check(name, function, sample):
    try:
        numbers = leaves(called(function, sample, plain))
    except (RuntimeError, TypeError):
        return  # a form of the function that this sample is not for
    for writing, (units, others) in list(WRITINGS.items())[: None if IS_DEEP else 5]:
        results = outcome(function, sample, units)
        rewritten = outcome(function, sample, others)
        assert (results is None) is (rewritten is None), (name, writing)
        if results is None or is_random(name):
            continue
        assert len(results) == len(rewritten) == len(numbers)
        for one, other, number in zip(results, rewritten, numbers, strict=True):
            if isinstance(one, DimTensor):
                assert isinstance(other, DimTensor), (name, writing)
                assert one.dimension == other.dimension, (name, writing)
                if one.dtype is not torch.complex32:  # which PyTorch cannot divide
                    assert agree(one.data, other.to(one.unit).data), (name, writing, str(one.unit))
                if writing != "lengths in two units":
                    assert agree(one.data, number), (name, writing)
            else:
                assert agree(one, other), (name, writing)


@pytest.mark.parametrize("name", NAMES)
def test_results_do_not_depend_on_the_units_that_arguments_are_written_in(name):
    if name in DEVIATIONS:
        with pytest.raises((AssertionError, ValueError, RuntimeError)):
            check_all(name, 6, list(variants(functions()[name])))
        return
    check_all(name, COUNT, forms(name))


def check_all(name, count, functions):
    for sample in samples(name, count):
        for function in functions:
            check(name, function, sample)


def forms(name):
    """All forms of a function, or the plain one if there is little time."""
    found = list(variants(functions()[name]))
    return found if IS_DEEP else found[:1]


@pytest.mark.parametrize("name", [name for name in NAMES if name != "repeat"])
def test_pure_numbers_give_what_pytorch_gives(name):
    for sample in samples(name, COUNT):
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
