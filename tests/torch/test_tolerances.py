"""A tolerance beside a quantity: PyTorch's default is accepted, another bare number is not.

A bare tolerance is one of metres or of kilometres, as the array happens to be written. So it has a
unit, and the default, which keeps a division from 0, is no such number. Ranged over every function
of PyTorch whose parameters have such a name, and over every module of `torch.nn`.
"""

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.overrides import get_testing_overrides

import dimflow
from dimflow import DimArray, Unit
from dimflow import units as u
from dimflow.errors import DimflowError, PointError, UnitError
from dimflow.torch import DimTensor
from dimflow.torch.functions import classified, name_of
from dimflow.torch.host.entries import ENTRIES

TOLERANCES = frozenset(
    (
        *("eps", "epsilon", "atol", "tol", "margin", "delta", "threshold"),
        *("maxnorm", "max_norm", "lambd", "cutoff"),
    )
)
PURE = ("pure", "pure_to_plain", "logit")  # rules of what takes pure numbers alone
DRAWS = {"exponential_"}  # it takes no quantity, as tests/torch/test_tensor.py has it
# What PyTorch's list of overrides does not name.
UNNAMED = {
    "linalg.pinv": "atol",
    "linalg.matrix_rank": "tol",
    "nn.functional.smooth_l1_loss": "beta",  # elsewhere a factor
}
# Forms without defaults of functions that are here.
FORMS = frozenset(("batch_norm", "instance_norm", "embedding", "embedding_bag", "renorm_"))
# Where PyTorch adds 1e-7 to a norm, whatever it is given.
ROUGH = ("renorm", "nn.functional.embedding", "nn.functional.embedding_bag")

torch.manual_seed(20261118)
X = torch.randn(4, 6, dtype=torch.float64) + 0.1
Y = torch.randn(4, 6, dtype=torch.float64)
ONES = torch.ones(6, dtype=torch.float64)
SIGNS = torch.tensor([1.0, -1.0, 1.0, -1.0], dtype=torch.float64)
F = functional

# (function, parameter) -> the call, and the power of the unit that the parameter has.
Call = Callable[..., Any]
CALLS: dict[tuple[str, str], tuple[Call, int]] = {
    ("isclose", "atol"): (lambda x, y, **k: torch.isclose(x, y, **k), 1),
    ("allclose", "atol"): (lambda x, y, **k: torch.tensor(torch.allclose(x, y, **k)), 1),
    ("linalg.pinv", "atol"): (lambda x, y, **k: torch.linalg.pinv(x, **k), 1),
    ("linalg.matrix_rank", "tol"): (lambda x, y, **k: torch.linalg.matrix_rank(x, **k), 1),
    ("layer_norm", "eps"): (lambda x, y, **k: torch.layer_norm(x, (6,), **k), 2),
    ("nn.functional.layer_norm", "eps"): (lambda x, y, **k: F.layer_norm(x, (6,), **k), 2),
    ("group_norm", "eps"): (lambda x, y, **k: torch.group_norm(x, 2, **k), 2),
    ("nn.functional.group_norm", "eps"): (lambda x, y, **k: F.group_norm(x, 2, **k), 2),
    ("rms_norm", "eps"): (lambda x, y, **k: torch.rms_norm(x, (6,), **k), 2),
    ("nn.functional.rms_norm", "eps"): (lambda x, y, **k: F.rms_norm(x, (6,), **k), 2),
    ("nn.functional.instance_norm", "eps"): (lambda x, y, **k: F.instance_norm(x[None], **k), 2),
    ("nn.functional.batch_norm", "eps"): (
        lambda x, y, **k: F.batch_norm(x, None, None, training=True, **k),
        2,
    ),
    ("nn.functional.normalize", "eps"): (lambda x, y, **k: F.normalize(x, **k), 1),
    ("nn.functional.cosine_similarity", "eps"): (
        lambda x, y, **k: F.cosine_similarity(x, y, **k),
        1,
    ),
    ("nn.functional.pairwise_distance", "eps"): (
        lambda x, y, **k: F.pairwise_distance(x, y, **k),
        1,
    ),
    ("nn.functional.triplet_margin_loss", "eps"): (
        lambda x, y, **k: F.triplet_margin_loss(x, y, y.flip(0), margin=margin_of(x), **k),
        1,
    ),
    ("nn.functional.triplet_margin_loss", "margin"): (
        lambda x, y, **k: F.triplet_margin_loss(x, y, y.flip(0), eps=0.0, **k),
        1,
    ),
    ("margin_ranking_loss", "margin"): (
        lambda x, y, **k: torch.margin_ranking_loss(x[:, 0], y[:, 0], SIGNS, **k),
        1,
    ),
    ("nn.functional.margin_ranking_loss", "margin"): (
        lambda x, y, **k: F.margin_ranking_loss(x[:, 0], y[:, 0], SIGNS, **k),
        1,
    ),
    ("nn.functional.huber_loss", "delta"): (lambda x, y, **k: F.huber_loss(x, y, **k), 1),
    ("nn.functional.smooth_l1_loss", "beta"): (lambda x, y, **k: F.smooth_l1_loss(x, y, **k), 1),
    ("nn.functional.threshold", "threshold"): (
        lambda x, y, **k: F.threshold(x, value=0.0, **({"threshold": 0} | k)),
        1,
    ),
    ("threshold", "threshold"): (
        lambda x, y, **k: torch.threshold(x, value=0.0, **({"threshold": 0} | k)),
        1,
    ),
    ("renorm", "maxnorm"): (
        lambda x, y, **k: torch.renorm(x, p=2, dim=0, **({"maxnorm": float("inf")} | k)),
        1,
    ),
    ("nn.functional.embedding", "max_norm"): (
        lambda x, y, **k: F.embedding(torch.tensor([0, 2]), x * 1, **k),
        1,
    ),
    ("nn.functional.embedding_bag", "max_norm"): (
        lambda x, y, **k: F.embedding_bag(torch.tensor([[0, 2]]), x * 1, **k),
        1,
    ),
}
# What depends on the default itself, which is a distance of its own: a bare one is refused too.
PHYSICAL = {
    ("nn.functional.triplet_margin_loss", "margin"),
    ("nn.functional.huber_loss", "delta"),
    ("nn.functional.smooth_l1_loss", "beta"),
}


def margin_of(x: Any) -> Any:
    if isinstance(x, torch.Tensor):
        return 0.5
    return next(0.5 * unit for unit in (u.m, u.K, Unit("")) if unit.dimension == x.dimension)


def named() -> set[tuple[str, str]]:
    """Every function with a tolerance that takes quantities at all."""
    found = set(UNNAMED.items())
    for function, stand_in in get_testing_overrides().items():
        name = name_of(function)
        kind, what = classified(name)
        if kind in ("refused", "asked", "unknown") or _is_pure(what) or name in DRAWS:
            continue
        parameters = inspect.signature(stand_in).parameters
        found |= {(name, word) for word in TOLERANCES if word in parameters}
    return found


def _is_pure(what: str) -> bool:
    entry = ENTRIES.get(what)
    return entry is not None and entry.rule in PURE


def test_every_function_with_a_tolerance_is_here() -> None:
    assert {(name, word) for name, word in named() if name not in FORMS} <= set(CALLS)


def quantity(raw: torch.Tensor, unit: str, factor: float) -> Any:
    return DimTensor(raw / factor, unit)


def outcome(call: Call, unit: str, factor: float, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(quantity(X, unit, factor), quantity(Y, unit, factor), **options)


def numbers(result: Any, power: int = 0) -> Any:
    return (result.to_base_units().data if isinstance(result, DimArray) else result).numpy()


WAYS = pytest.mark.parametrize(("name", "word"), sorted(CALLS))


@WAYS
def test_the_default_is_accepted_and_no_number_of_either_unit(name: str, word: str) -> None:
    call, _ = CALLS[name, word]
    if (name, word) in PHYSICAL:
        with pytest.raises(UnitError, match=word):
            outcome(call, "m", 1.0)
        return
    metres, kilometres = (numbers(outcome(call, *way)) for way in (("m", 1.0), ("km", 1e3)))
    np.testing.assert_allclose(metres, kilometres, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(metres, call(X, Y).numpy(), rtol=2e-3, atol=2e-5)  # eps apart


@pytest.mark.parametrize("name", sorted(n for n, word in CALLS if word == "eps"))
def test_so_is_the_default_where_it_is_given(name: str) -> None:
    """As modules do: `nn.LayerNorm` hands on its own eps."""
    call, _ = CALLS[name, "eps"]
    (stand_in,) = {known for f, known in get_testing_overrides().items() if name_of(f) == name}
    default = inspect.signature(stand_in).parameters["eps"].default
    given = 1e-5 if default is inspect.Parameter.empty else default
    found = numbers(outcome(call, "m", 1.0, eps=given))
    np.testing.assert_array_equal(found, numbers(outcome(call, "m", 1.0)))


@WAYS
@pytest.mark.parametrize("size", [0.3, 1e-3])
def test_another_bare_number_is_refused(name: str, word: str, size: float) -> None:
    call, _ = CALLS[name, word]
    for value in (size, torch.tensor(size)) if name == "linalg.pinv" else (size,):
        with pytest.raises(UnitError) as caught:
            outcome(call, "m", 1.0, **{word: value})
        assert word in str(caught.value)


@WAYS
def test_a_quantity_means_the_same_in_every_unit(name: str, word: str) -> None:
    call, power = CALLS[name, word]
    plain = call(X, Y, **{word: 0.3}).numpy()
    for unit, factor in (("m", 1.0), ("km", 1e3), ("mm", 1e-3)):
        for given in (
            0.3 * Unit("m") ** power,
            DimArray(0.3 * 100**power, Unit("cm") ** power),
            DimTensor(torch.tensor(0.3, dtype=torch.float64), Unit("m") ** power),
        ):
            found = numbers(outcome(call, unit, factor, **{word: given}))
            near = 2e-4 if name in ROUGH else 1e-9
            np.testing.assert_allclose(found, plain, rtol=near, atol=1e-12)
    with pytest.raises(DimflowError):
        outcome(call, "m", 1.0, **{word: 0.3 * u.s})
    mixed = call(quantity(X, "m", 1.0), quantity(Y, "cm", 0.01), **{word: 0.3 * Unit("m") ** power})
    np.testing.assert_allclose(numbers(mixed), plain, rtol=near, atol=1e-12)


@WAYS
def test_beside_parts_of_a_hundred_it_is_a_number_or_parts_of_a_hundred(
    name: str, word: str
) -> None:
    call, power = CALLS[name, word]
    plain = call(X, Y, **{word: 0.3}).numpy()
    percent = quantity(X, "percent", 0.01), quantity(Y, "percent", 0.01)
    for given in (0.3, 0.3 * 100**power * Unit("percent") ** power):
        found = call(*percent, **{word: given})
        near = 2e-4 if name in ROUGH else 1e-9
        np.testing.assert_allclose(numbers(found), plain, rtol=near, atol=1e-12)


@WAYS
def test_beside_points_a_tolerance_is_a_difference(name: str, word: str) -> None:
    call, power = CALLS[name, word]
    if word == "threshold":
        return  # a point itself
    points = DimTensor(X, "degC"), DimTensor(Y * 1.8 + 32, "degF")
    same = DimTensor(X, "K"), DimTensor(Y, "K")
    spellings = ((0.3, "K"), (0.3, "delta_degC"), (0.54, "delta_degF"))
    try:
        found = [
            numbers(call(*points, **{word: DimArray(size**power, Unit(unit) ** power)}))
            for size, unit in spellings
        ]
    except PointError:
        return  # the function is none of points
    expected = numbers(call(*same, **{word: DimArray(0.3**power, Unit("K") ** power)}))
    for one in found:
        np.testing.assert_allclose(one, expected, rtol=1e-9)
    if power == 1:
        with pytest.raises(UnitError, match="delta_degC"):
            call(*points, **{word: 0.3 * u.degC})


def test_nothing_is_divided_by_0() -> None:
    zero = DimTensor(torch.zeros(2, 3), "m")
    for found in (
        F.normalize(zero),
        F.layer_norm(zero, (3,)),
        F.rms_norm(zero, (3,)),
        F.cosine_similarity(zero, zero),
        F.pairwise_distance(zero, zero),
    ):
        np.testing.assert_array_equal(found.data.numpy(), 0.0)


def test_one_tolerance_beside_two_dimensions_is_refused() -> None:
    x, t = DimTensor(X, "m"), DimTensor(Y, "s")
    assert F.cosine_similarity(x, t).unit == Unit("")
    with pytest.raises(UnitError, match=r"eps= of .* stands beside m and s"):
        F.cosine_similarity(x, t, eps=0.1 * u.m)


# Modules

ARGUMENTS: tuple[tuple[Any, ...], ...] = ((), (6,), (2, 6), (6, 6), (1, 6), (2,), (6, 6, 6), (3, 2))
INPUTS: tuple[Callable[[Any, Any], tuple[Any, ...]], ...] = (
    lambda x, y: (x,),
    lambda x, y: (x, y),
    lambda x, y: (x[None],),
    lambda x, y: (x[None, None],),
    lambda x, y: (x, y, -y),
    lambda x, y: (x[:, 0], y[:, 0], SIGNS),
)
MODULES = sorted(
    name
    for name in dir(nn)
    if isinstance(getattr(nn, name), type)
    and issubclass(getattr(nn, name), nn.Module)
    and not name.startswith("Lazy")
    and name != "Transformer"  # its default takes seconds to make; its layers are here
    and not inspect.isabstract(getattr(nn, name))
)
# What has a meaning for lengths with its default arguments. A law must not hold by refusing all.
TAKING = {
    *("CosineSimilarity", "PairwiseDistance", "LayerNorm", "GroupNorm", "RMSNorm"),
    *("InstanceNorm1d", "ReLU", "LeakyReLU", "MSELoss", "L1Loss", "Identity"),
    *("AvgPool1d", "MaxPool1d", "Dropout", "ZeroPad1d", "MarginRankingLoss", "PReLU"),
}


def taken(name: str) -> list[tuple[Any, Any]]:
    """Results in metres and in kilometres of every call that works in either."""
    found = []
    for arguments in ARGUMENTS:
        for select in INPUTS:
            results = []
            for unit, factor in (("m", 1.0), ("km", 1e3)):
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        torch.manual_seed(7)
                        module = getattr(nn, name)(*arguments).double()
                        results.append(
                            module(*select(quantity(X, unit, factor), quantity(Y, unit, factor)))
                        )
                except Exception as error:
                    results.append(error)
            if not all(isinstance(result, Exception) for result in results):
                found.append((arguments, tuple(results)))
    return found


@pytest.mark.share(3)
@pytest.mark.parametrize("name", MODULES)
def test_a_module_gives_one_quantity_in_metres_and_kilometres(name: str) -> None:
    found = taken(name)
    for arguments, (metres, kilometres) in found:
        for result in (metres, kilometres):
            assert not isinstance(result, Exception), f"{arguments}: {metres!r} | {kilometres!r}"
        one, other = (r[0] if isinstance(r, tuple) else r for r in (metres, kilometres))
        np.testing.assert_allclose(
            numbers(one.detach()), numbers(other.detach()), rtol=1e-9, atol=1e-12
        )
    assert found or name not in TAKING


def test_a_scalar_of_numpy_is_taken_beside_tensors_the_first_time_and_later() -> None:
    whole = DimTensor(torch.tensor([1, 2]), "m")
    for _ in range(3):
        assert torch.add(whole, 2 * u.m).tolist() == [3, 4]
        assert torch.maximum(whole * 1.0, 1.5 * u.m).to_value("m").tolist() == [1.5, 2.0]
        assert torch.clamp(whole * 1.0, max=0.0015 * u.km).to_value("m").tolist() == [1.0, 1.5]
        assert torch.cat([whole * 1.0, [3.0] * u.m]).to_value("m").tolist() == [1.0, 2.0, 3.0]
    light = torch.mul(torch.ones(2), dimflow.constants.c)
    assert light.unit == Unit("m/s")
    assert torch.sqrt(dimflow.constants.G).unit == dimflow.constants.G.unit**0.5
