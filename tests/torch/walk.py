"""Calling PyTorch's functions on its own samples: on numbers, on quantities, in other units.

PyTorch tests itself with a data base of samples for most of its functions. Here they are drawn from
it; what a quantity must do follows from the numbers alone.
"""

import functools
import warnings

import torch
from torch.utils._pytree import tree_map

from dimflow.torch import DimTensor
from dimflow.torch.functions import torch_function
from dimflow.torch.tracing import made
from dimflow.units import Unit
from tests.contract.opinfo.samples import records

# Their samples are of parts of PyTorch that nobody overrides, or take minutes.
_LEFT_OUT = (
    "_refs",
    "sparse",
    "torch.",
    "ops.",
    "nn.functional._",
    "jiterator",
    "to_sparse",
    "item",
)
# They call a method on the class, which Python itself refuses for what is no tensor.
_METHODS = ("cauchy", "exponential", "geometric", "log_normal", "normal.in_place", "uniform")
_SLOW = ("linalg.lu_factor", "nn.functional.conv_transpose3d", "nn.functional.max_unpool3d")


@functools.cache
def functions():
    """The functions of PyTorch's data base by name: the function, its method, that in place."""
    found = {}
    for op in records().values():
        name = op.full_name if hasattr(op, "full_name") else op.name
        if name.startswith(_LEFT_OUT) or name in (*_SLOW, *_METHODS) or name in found:
            continue
        found[name] = op
    return found


def variants(op):
    """A function in its forms. Methods are called as PyTorch does it for its own subclasses."""
    is_method = type(op.op).__name__ in ("method_descriptor", "wrapper_descriptor")
    yield functools.partial(_as_method, op.op) if is_method else op.op
    for method in (op.method_variant, op.inplace_variant):
        if method is not None:
            yield functools.partial(_as_method, method)


def _as_method(method, *args, **kwargs):
    if any(isinstance(a, DimTensor) for a in _leaves((args, kwargs))):
        return torch_function(method, args, kwargs)
    return method(*args, **kwargs)


def _leaves(value):
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        return [leaf for part in value for leaf in _leaves(part)]
    return [value]


leaves = _leaves


@functools.cache
def samples(name, count):
    """The first samples of a function, in double precision."""
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drawn = functions()[name].sample_inputs("cpu", torch.float64, requires_grad=False)
        return [sample for sample, _ in zip(drawn, range(count), strict=False)]


def called(function, sample, make):
    """What a function gives for a sample whose tensors are made into something."""
    torch.manual_seed(0)
    args = tree_map(make, (sample.input, *sample.args))
    kwargs = tree_map(make, dict(sample.kwargs))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **kwargs)


def plain(value):
    """Tensors as they are; copied, since a function may write into them."""
    return value.clone() if isinstance(value, torch.Tensor) else value


class Quantities:
    """Makes quantities of tensors of fractions, the n-th in the n-th of some units by turns.

    A unit is None for tensors that stay plain; a factor says how many of it make up the base.
    """

    def __init__(self, *units):
        self.units = units
        self.count = 0

    def __call__(self, value):
        if not isinstance(value, torch.Tensor):
            return value
        if not value.is_floating_point():
            return value.clone()
        unit, factor, *offset = self.units[min(self.count, len(self.units) - 1)]
        self.count += 1
        if unit is None:
            return value.clone()
        raw = value * factor if factor != 1 else value.clone()
        return made(raw + offset[0] if offset else raw, Unit(unit))


METRES, CENTIMETRES = ("m", 1), ("cm", 100.0)
SECONDS, MILLISECONDS = ("s", 1), ("ms", 1000.0)
CELSIUS, FAHRENHEIT = ("degC", 1), ("degF", 1.8, 32.0)
PURE, PLAIN = ("", 1), (None, 1)

# The same quantities, written in two ways.
WRITINGS = {
    "lengths": ((METRES,), (CENTIMETRES,)),
    "a length beside numbers": ((METRES, PLAIN), (CENTIMETRES, PLAIN)),
    "numbers beside a length": ((PLAIN, METRES), (PLAIN, CENTIMETRES)),
    "a length and a time": ((METRES, SECONDS), (CENTIMETRES, MILLISECONDS)),
    "temperatures": ((CELSIUS,), (FAHRENHEIT,)),
    "lengths in two units": ((METRES, CENTIMETRES), (CENTIMETRES, METRES)),
}


def agree(one, other):
    """Whether two raw results are equal but for rounding."""
    if not isinstance(one, torch.Tensor):
        return one == other or (one != one and other != other)
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if not (one.is_floating_point() or one.is_complex()):
        return torch.equal(one, other)
    if one.numel() == 0:
        return True
    if one.dtype in (torch.float16, torch.bfloat16, torch.complex32):
        one, other = one.to(torch.complex64), other.to(torch.complex64)
        return torch.allclose(one, other, rtol=2e-2, atol=0.5, equal_nan=True)  # 8 bits
    finite = one.abs()[one.abs().isfinite()]
    size = float(finite.max()) if finite.numel() else 1.0
    rtol = 1e-4 if one.dtype in (torch.float32, torch.complex64) else 1e-7
    return torch.allclose(one, other, rtol=rtol, atol=rtol * size, equal_nan=True)
