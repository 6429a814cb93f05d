"""Laws for what these samples showed to be wrong once; PyTorch is the judge."""

from typing import Any

import numpy as np
import pytest
import torch

from dimflow import autodiff, ops
from tests.contract.evaluate import quietly
from tests.contract.opinfo.laws import agree

RNG = np.random.default_rng(11)


def own_gradient(function: Any, *values: Any) -> list[Any]:
    """Of the sum of the results, by the own engine."""
    out, pull = autodiff.vjp(lambda *args: (function(*args),), values)
    return list(pull((ops.ones_like(out[0]),)))


def torch_gradient(function: Any, *values: Any) -> list[Any]:
    tensors = [torch.from_numpy(np.array(v)).requires_grad_() for v in values]
    found = torch.autograd.grad(function(*tensors).sum(), tensors)
    return [g.numpy() for g in found]


@pytest.mark.parametrize("padding", [0, 1, 2, 3])
@pytest.mark.parametrize("extra", [0, 1, 2, 3])
def test_a_transposed_convolution_may_be_padded_beyond_its_stride(padding: int, extra: int) -> None:
    x, weight = RNG.normal(size=(2, 3, 5)), RNG.normal(size=(3, 2, 4))
    fields = {"stride": 2, "padding": padding, "output_padding": extra, "dilation": 4}
    got = own_gradient(lambda x, w: ops.square(ops.conv_transpose(x, w, **fields)), x, weight)
    wanted = torch_gradient(
        lambda x, w: torch.conv_transpose1d(x, w, None, groups=1, **fields).square(), x, weight
    )
    for g, w in zip(got, wanted, strict=True):
        agree(g, w, f"{fields}", 1e-10)


def test_softsign_of_complex_numbers_is_not_holomorphic() -> None:
    z = RNG.normal(size=5) + 1j * RNG.normal(size=5)
    got = own_gradient(lambda z: ops.real(ops.softsign(z)), z)[0]
    tensor = torch.from_numpy(z).requires_grad_()
    (wanted,) = torch.autograd.grad((tensor / (1 + tensor.abs())).real.sum(), tensor)
    agree(np.conj(got), wanted.numpy(), "softsign", 1e-10)


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "var", "std", "median", "prod"])
def test_of_nothing_there_is_a_gradient_of_nothing(name: str) -> None:
    x = np.zeros((3, 0))
    (got,) = quietly(own_gradient, ops.get(name), x)
    assert got.shape == (3, 0)


def test_vectors_that_are_stretched_along_the_axis_of_a_cosine() -> None:
    x, y = RNG.normal(size=(2, 3)), RNG.normal(size=(1, 3))
    wanted = torch.cosine_similarity(torch.from_numpy(x), torch.from_numpy(y), dim=0)
    agree(ops.cosine_similarity(x, y, axis=0), wanted.numpy(), "cosine", 1e-12)


def test_a_quotient_by_whole_numbers_keeps_its_precision_on_tensors() -> None:
    x = torch.from_numpy(RNG.normal(size=4))
    whole = torch.tensor([3, 7, 11, 13])
    (got,) = own_gradient(lambda x: ops.divide(x, whole), x)
    np.testing.assert_allclose(got.numpy(), 1 / whole.numpy(), rtol=1e-15)


def test_the_middle_and_the_extremes_of_one_tensor_without_axes() -> None:
    x = torch.tensor(2.5, dtype=torch.float64)
    assert float(ops.quantile(x, 0.5)) == 2.5
    assert float(ops.max(x, initial=3.0)) == 3.0
    assert float(ops.min(x, initial=3.0)) == 2.5


def test_tensors_are_padded_with_complex_numbers() -> None:
    x = torch.ones(2, dtype=torch.complex128)
    padded = ops.pad_constant(x, pad_width=((1, 0),), constant_values=2j)
    assert padded.tolist() == [2j, 1, 1]


def test_relu_of_complex_numbers_has_no_derivative() -> None:
    with pytest.raises(TypeError):
        own_gradient(lambda z: ops.real(ops.relu(z)), np.array([1 + 1j]))


@pytest.mark.parametrize("name", ["max", "min"])
def test_the_derivative_of_an_extreme_that_is_nan_goes_to_the_nan(name: str) -> None:
    """It was zero on the way back and nan forward: a silent zero."""
    x = np.array([1.0, np.nan, 0.0])
    tensor = torch.tensor(x, requires_grad=True)
    getattr(torch, name)(tensor).backward()
    function = ops.get(name)
    _, pull = autodiff.vjp(lambda x: (function(x),), (x,))
    np.testing.assert_array_equal(pull((1.0,))[0], tensor.grad)
    _, (change,) = autodiff.jvp(lambda x: (function(x),), (x,), (np.array([2.0, 3.0, 4.0]),))
    assert change == 3.0
