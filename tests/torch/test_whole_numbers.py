"""No function of PyTorch cuts fractions off in whatever unit: `dtype=`, `out=`, integers beside
fractions, in place and in a second call.
"""

from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import init

from dimflow import DimArray
from dimflow import units as u
from dimflow.errors import DimflowError, UnsupportedFunction
from dimflow.torch import DimTensor
from dimflow.torch.functions import torch_function
from tests.contract.whole_numbers import assert_uncut, outcome, parts
from tests.torch import walk

_PLACES, _FIRST = torch.tensor([[0, 1], [1, 0]]), torch.tensor([0])
_HALVES = DimTensor(torch.tensor([[1.5, 2.5], [2.5, 1.5]], dtype=torch.float64), "")

_DRAWS = ("random_", "bernoulli_", "geometric_", "nn.init.sparse_")

# What these give are elements of no meaning; or Python asks the other operand, never the user.
NAMES = sorted(n for n in walk.functions() if not n.startswith(("__r", "empty", "new_empty")))


def in_km(value: Any) -> Any:
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return DimTensor(value.clone(), "km")
    return walk.plain(value)


@pytest.mark.share(4)
@pytest.mark.parametrize("name", NAMES)
def test_functions_of_pytorch(name: str) -> None:
    for sample in walk.samples(name, 1):
        for function in walk.variants(walk.functions()[name]):
            usual = outcome(lambda: walk.called(function, sample, in_km))  # noqa: B023
            if isinstance(usual, Exception):
                continue
            for dtype in (torch.int32, int):
                asked = _with(sample, dtype=dtype)
                assert_quantities(lambda: walk.called(function, asked, in_km), usual, dtype)  # noqa: B023
            many = parts(usual)
            if len(many) == 1 and isinstance(many[0], DimArray):
                target = DimTensor(torch.zeros(many[0].shape, dtype=torch.int64), many[0].unit)
                asked = _with(sample, out=target)
                assert_quantities(lambda: walk.called(function, asked, in_km), usual, "out=")  # noqa: B023
            _beside_integers(function, sample)


def assert_quantities(asked: Any, usual: Any, what: Any) -> None:
    """Plain results are none of ours: a function that makes tensors of numbers alone."""
    if any(isinstance(part, DimArray) for part in parts(usual)):
        assert_uncut(asked, lambda: usual, what)


def _with(sample: Any, **more: Any) -> Any:
    return type(sample)(sample.input, args=sample.args, kwargs={**sample.kwargs, **more})


def _beside_integers(function: Any, sample: Any) -> None:
    """Whole numbers in the first place give the same as integers and as fractions; twice."""
    if not isinstance(sample.input, torch.Tensor) or not sample.input.is_floating_point():
        return
    # no zeros, whose sign integers do not have
    whole = torch.where(sample.input.round() == 0, 1.0, sample.input.round())

    def made(first: torch.Tensor) -> Any:
        return lambda v: DimTensor(first.clone(), "km") if v is sample.input else in_km(v)

    for _ in range(2):
        assert_uncut(
            lambda: walk.called(function, sample, made(whole.to(torch.int64))),
            lambda: walk.called(function, sample, made(whole)),
            "integers beside fractions",
        )


# Whatever else writes: every method in place and every function of torch.nn.init, on a menu


def method(name: str) -> Any:
    return lambda *args: torch_function(getattr(torch.Tensor, name), args, {})


MENU = [
    *((), (1500 * u.m,), (1.5,), (1500 * u.m, 1500 * u.m), (1.5, 2.5), (0.5,)),
    *((_PLACES > 0, 1500 * u.m), (0, _PLACES, 1500 * u.m), (0, _FIRST, 1500 * u.m)),
    *((_HALVES,), (_PLACES > 0, _HALVES), (0, _PLACES, _HALVES), (0, _FIRST, _HALVES[:1])),
    *((_PLACES, _HALVES), (_HALVES, 0.5), ((_FIRST,), _HALVES[:1]), (0, _PLACES, _HALVES, "sum")),
]
WRITERS = {
    **{n: method(n) for n in dir(torch.Tensor) if n[-1] == "_" and n[0] != "_"},
    **{f"nn.init.{n}": getattr(init, n) for n in dir(init) if n[-1] == "_" and n[0] != "_"},
}


@pytest.mark.parametrize("name", [n for n in WRITERS if n not in _DRAWS])
def test_what_writes(name: str) -> None:
    for given in MENU:
        for unit in ("km", ""):
            whole, other = (
                DimTensor(torch.ones((2, 2), dtype=dtype), unit)
                for dtype in (torch.int64, torch.float64)
            )
            results = []
            for target in (whole, other):
                args = [DimTensor(a.data * 1.0, unit) if a is _HALVES else a for a in given]
                result = outcome(lambda: WRITERS[name](target, *args))  # noqa: B023
                results.append(result if isinstance(result, Exception) else target)
            if not any(isinstance(result, Exception) for result in results):
                same = [result.to_numpy().data for result in results]
                np.testing.assert_allclose(*same, err_msg=f"{given} in {unit}")


def test_methods_and_casts_of_tensors() -> None:
    x = DimTensor(torch.tensor([1.5, 2.7]), "km")
    whole = DimTensor(torch.tensor([1, 2]), "km")
    index = torch.tensor([0])
    refused = [
        *(getattr(x, n) for n in ("int", "long", "short", "char", "byte")),
        *(lambda d=d: x.to(d) for d in (torch.int32, torch.uint8, whole)),
        lambda: x.type("torch.IntTensor"),
        lambda: x.type_as(whole),
        lambda: torch.div(x, whole, out=torch.zeros(2, dtype=torch.int64)),
        lambda: whole.scatter(0, index, 1500 * u.m),
        lambda: whole.scatter_reduce(0, torch.tensor([0, 0]), whole, "mean"),
    ]
    for call in refused:
        with pytest.raises(DimflowError, match="cut"):
            call()
    for write in (
        lambda t: t.div_(2),
        lambda t: t.mul_(1.5),
        lambda t: t.add_(500 * u.m),
        lambda t: t.fill_(1500 * u.m),
        lambda t: init.constant_(t, 1500 * u.m),
        lambda t: t.copy_(x),
        lambda t: t.clamp_(max=1500 * u.m),
        lambda t: t.masked_fill_(t > 1 * u.km, 1500 * u.m),
        lambda t: t.scatter_(0, index, 1500 * u.m),
        lambda t: t.__setitem__(0, 1500 * u.m),
        lambda t: t.__itruediv__(2),
    ):
        target = whole.clone()
        with pytest.raises(DimflowError, match="cut"):
            write(target)
        np.testing.assert_array_equal(target.to_numpy().data, [1, 2])
    for dtype in (torch.int32, int, torch.uint8):
        with pytest.raises(UnsupportedFunction, match="bits"):
            x.view(dtype)
        with pytest.raises(UnsupportedFunction, match="bits"):
            torch.view_copy(x, dtype)
