"""Padding of quantities: what fills is one, also where it is 0; copies of elements need none."""

import pytest
import torch
from torch import nn

from dimflow.errors import DimflowError
from dimflow.torch import DimTensor

X = torch.arange(1.0, 9.0).reshape(1, 1, 2, 4)
MODES = ("circular", "replicate", "reflect")
LAYERS = [
    layer for name, layer in vars(nn).items() if "Pad" in name and name.endswith(("1d", "2d"))
]
UNITS = ("degC", "m", "", "dBm")


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("mode", MODES)
def test_copies_of_elements_have_their_unit(mode, unit):
    for call in (
        lambda x: nn.functional.pad(x[0], (1, 1), mode=mode),
        lambda x: nn.functional.pad(x, (1, 1, 1, 1), mode),
        lambda x: nn.functional.pad(input=x[0], pad=(1, 1), mode=mode),
    ):
        found = call(DimTensor(X, unit))
        assert str(found.unit) == unit
        torch.testing.assert_close(found.data, call(X))


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.__name__)
def test_layers(layer, unit):
    name, x = layer.__name__, X if layer.__name__.endswith("2d") else X[0]
    is_zero, is_constant = name.startswith("Zero"), name.startswith("Constant")
    fill = (DimTensor(3.0, unit),) if is_constant else ()
    numbers = layer(1, 3.0)(x) if is_constant else layer(1)(x)
    if is_zero and unit in ("degC", "dBm"):
        with pytest.raises(DimflowError):
            layer(1)(DimTensor(x, unit))
        return
    found = layer(1, *fill)(DimTensor(x, unit))
    assert str(found.unit) == unit
    torch.testing.assert_close(found.data, numbers)


@pytest.mark.parametrize("unit", UNITS)
def test_sequences(unit):
    rows = [torch.tensor([1.0, 2.0]), torch.tensor([3.0])]
    quantities = [DimTensor(row, unit) for row in rows]
    pad = nn.utils.rnn.pad_sequence
    for options in ({}, {"batch_first": True}, {"padding_side": "left"}):
        filled = pad(quantities, padding_value=DimTensor(7.0, unit), **options)
        assert str(filled.unit) == unit
        torch.testing.assert_close(filled.data, pad(rows, padding_value=7.0, **options))
    if unit in ("degC", "dBm"):
        with pytest.raises(DimflowError):
            pad(quantities)
        return
    torch.testing.assert_close(pad(quantities).data, pad(rows))
    with pytest.raises(DimflowError) if unit else torch.no_grad():
        pad(quantities, padding_value=7.0)
