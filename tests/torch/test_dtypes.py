"""PyTorch's functions have the dtypes for quantities that they have for numbers: also of integers.

A power of bytes that stays in bytes is another number.
"""

import pytest
import torch

from dimflow import DimArray
from dimflow.errors import DimflowError
from dimflow.torch import DimTensor
from tests.torch.test_functions import DEVIATIONS, is_random
from tests.torch.walk import agree, called, functions, leaves, plain, samples, variants

NAMES = sorted(name for name in functions() if not is_random(name) and name not in DEVIATIONS)


def cast(dtype):
    """Fractions in a dtype, as numbers that even bytes hold, and whose powers they do not."""

    def make(value):
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            return (value * 3).round().clamp(-9, 9).to(dtype)
        return plain(value)

    return make


def quantities(dtype, unit):
    numbers = cast(dtype)

    def make(value):
        is_cast = isinstance(value, torch.Tensor) and value.is_floating_point()
        return DimTensor(numbers(value), unit) if is_cast else plain(value)

    return make


@pytest.mark.share(4)
@pytest.mark.parametrize("name", NAMES)
def test_dtypes_are_those_of_pytorch(name):
    for sample in samples(name, 2):
        for function in variants(functions()[name]):
            for dtype in (torch.int8, torch.int64, torch.bool, torch.float32):
                try:
                    numbers = leaves(called(function, sample, cast(dtype)))
                except (RuntimeError, TypeError, ValueError):
                    continue  # not of this dtype
                for unit in ("", "m"):
                    try:
                        found = leaves(called(function, sample, quantities(dtype, unit)))
                    except DimflowError:
                        continue
                    if found == [NotImplemented]:
                        continue  # Python asks the other operand
                    for one, number in zip(found, numbers, strict=True):
                        raw = one.data if isinstance(one, DimTensor) else one
                        assert agree(raw, number), (name, dtype, unit, raw, number)


def places(sample):
    """Where something stands that a number could stand for."""
    for place, value in [*enumerate(sample.args), *sample.kwargs.items()]:
        is_tensor = isinstance(value, torch.Tensor) and value.is_floating_point()
        if is_tensor or isinstance(value, float):  # integers are axes and counts
            yield place


_NO_NUMBER = (RuntimeError, TypeError, ValueError, AttributeError, IndexError)


def put(sample, place, number):
    args, kwargs = list(sample.args), dict(sample.kwargs)
    (args if isinstance(place, int) else kwargs)[place] = number
    return type(sample)(sample.input, args=tuple(args), kwargs=kwargs)


@pytest.mark.share(4)
@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("__r")])
def test_one_quantity_stands_where_pytorch_takes_a_number(name):
    """And takes the dtype of the tensors beside it, as a number of Python does."""
    single = quantities(torch.float32, "")
    for sample in samples(name, 2):
        for function in variants(functions()[name]):
            for place in places(sample):
                for number in (2, 2.0, 0.5):
                    try:
                        asked = put(sample, place, number)
                        numbers = leaves(called(function, asked, cast(torch.float32)))
                    except _NO_NUMBER:
                        continue
                    asked = put(sample, place, DimArray(number, ""))
                    try:
                        found = leaves(called(function, asked, single))
                    except DimflowError:
                        continue
                    for one, wanted in zip(found, numbers, strict=True):
                        raw = one.data if isinstance(one, DimTensor) else one
                        assert agree(raw, wanted), (name, place, number)
