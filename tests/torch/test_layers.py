"""Every layer of PyTorch gives for pure quantities what it gives for numbers, or refuses them.

The layers and their arguments are those by which PyTorch tests itself.
"""

import warnings

import pytest
import torch
from torch.testing._internal.common_modules import module_db
from torch.utils._pytree import tree_map

from dimflow.errors import DimflowError
from dimflow.torch import DimTensor
from tests.torch.walk import agree, leaves

LAYERS = {info.name: info for info in module_db}

# So that the law is not kept by refusing
ANSWERED = {
    *("nn.MultiheadAttention", "nn.TransformerEncoderLayer", "nn.TransformerEncoder"),
    *("nn.TransformerDecoderLayer", "nn.Transformer", "nn.GRU", "nn.LSTM", "nn.RNN", "nn.Linear"),
    *("nn.Conv1d", "nn.BatchNorm1d", "nn.LayerNorm", "nn.Hardswish", "nn.GELU"),
}


def calls(info, training):
    """Made layers, and what they are called with."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drawn = info.module_inputs_func(
            info, device="cpu", dtype=torch.float32, requires_grad=False, training=training
        )
        for each in drawn[:6]:
            torch.manual_seed(0)
            made = each.constructor_input
            layer = info.module_cls(*made.args, **made.kwargs).train(training)
            if each.forward_input is not None:
                yield layer, each.forward_input.args, each.forward_input.kwargs


def called(layer, args, kwargs, make):
    torch.manual_seed(0)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        found = layer(*tree_map(make, args), **tree_map(make, dict(kwargs)))
    return [leaf for leaf in leaves(found) if leaf is not None]


def plain(value):
    return value.clone() if isinstance(value, torch.Tensor) else value


def pure(value):
    """Fractions and masks as a DimTensor gives them; indices stay plain."""
    is_array = isinstance(value, torch.Tensor)
    is_meant = is_array and (value.is_floating_point() or value.dtype is torch.bool)
    return DimTensor(value.clone(), "") if is_meant else value


def masks(value):
    is_mask = isinstance(value, torch.Tensor) and value.dtype is torch.bool
    return DimTensor(value.clone(), "") if is_mask else plain(value)


@pytest.mark.share(3)
@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("name", LAYERS)
def test_layers_of_pure_numbers(name, training):
    answered = 0
    for layer, args, kwargs in calls(LAYERS[name], training):
        try:
            numbers = called(layer, args, kwargs, plain)
        except RuntimeError:
            continue  # a sample of double precision
        for make in (pure, masks):
            try:
                found = called(layer, args, kwargs, make)
            except DimflowError:
                continue
            for one, number in zip(found, numbers, strict=True):
                raw = one.data if isinstance(one, DimTensor) else one
                assert agree(raw, number), name
            answered += make is pure
    assert answered or name not in ANSWERED
