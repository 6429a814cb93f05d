"""Every argument of PyTorch's functions counts, and what works in place writes.

The functions are those of PyTorch's own data base. An argument that they may be called with is
found by its name; the truth is what PyTorch gives for numbers, also where ours are in percent.
"""

import ast
import inspect
import warnings

import pytest
import torch
from torch import nn
from torch.utils._pytree import tree_map

from dimflow.errors import DimflowError
from dimflow.torch import DimTensor
from dimflow.torch.functions import classified, name_of
from dimflow.torch.host.planned import FORGOTTEN, parameters
from tests.torch.test_functions import DEVIATIONS, is_random
from tests.torch.walk import PURE, Quantities, agree, functions, leaves, plain, samples, variants

PERCENT, METRES_IN_A_KILOMETRE = ("percent", 100.0), ("m/km", 1000.0)
NAMES = sorted(name for name in functions() if not is_random(name) and name not in DEVIATIONS)

# A value for each name that a parameter may have.
VALUES = {
    **dict.fromkeys(("keepdim", "descending", "stable", "full", "log_input", "log_target"), True),
    **dict.fromkeys(("swap", "ceil_mode", "align_corners", "right", "out_int32", "upper"), True),
    **dict.fromkeys(("equal_nan", "density", "is_causal", "left", "hermitian"), True),
    **dict.fromkeys(("unbiased", "count_include_pad", "largest", "size_average", "reduce"), False),
    **dict.fromkeys(("eps", "atol", "rtol", "margin", "delta", "beta", "alpha", "value"), 0.3),
    **dict.fromkeys(("negative_slope", "threshold", "lambd", "label_smoothing", "maxnorm"), 0.3),
    **dict.fromkeys(("min", "max", "nan", "posinf", "neginf", "dx", "min_val", "max_val"), 0.4),
    **dict.fromkeys(("correction", "ignore_index", "dim", "ddof"), 0),
    **dict.fromkeys(("diagonal", "offset", "padding", "n", "start_dim"), 1),
    **dict.fromkeys(("divisor_override", "stride", "minlength", "p", "ord", "k"), 3),
    **dict.fromkeys(("norm",), "ortho"),
    **dict.fromkeys(("reduction",), "none"),
    **dict.fromkeys(("approximate",), "tanh"),
    **dict.fromkeys(("interpolation",), "lower"),
    **dict.fromkeys(("rounding_mode",), "floor"),
    **dict.fromkeys(("side",), "right"),
    **dict.fromkeys(("dtype",), torch.complex128),
    **dict.fromkeys(("weight", "pos_weight", "prepend", "append", "x", "bias"), "like the first"),
}


def valued(word, sample):
    if VALUES[word] != "like the first":
        return VALUES[word]
    return torch.linspace(0.2, 1.7, sample.input.numel()).double().reshape(sample.input.shape)


def run(function, sample, make, **more):
    """The results, and the first argument afterwards."""
    args = tree_map(make, (sample.input, *sample.args))
    kwargs = tree_map(make, {**sample.kwargs, **more})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return leaves(function(*args, **kwargs)), args[0]


def raw(value):
    """A result as pure numbers."""
    return value.to("").data if isinstance(value, DimTensor) and value.is_dimensionless else value


@pytest.mark.parametrize("name", NAMES)
def test_every_argument_counts_as_for_numbers(name):
    function = next(variants(functions()[name]))
    words = [word for word in parameters(functions()[name].op) if word in VALUES]
    for sample in samples(name, 1):
        if not isinstance(sample.input, torch.Tensor):
            continue
        for word in [word for word in words if word not in sample.kwargs]:
            more = {word: valued(word, sample)}
            try:
                numbers, _ = run(function, sample, plain, **more)
            except (RuntimeError, TypeError, ValueError, IndexError):
                continue  # not beside these arguments
            for unit in (PURE, PERCENT):
                try:
                    found, _ = run(function, sample, Quantities(unit), **more)
                except DimflowError:
                    continue
                for one, number in zip(found, numbers, strict=True):
                    assert agree(raw(one), number), (name, word, unit)


def in_place(name):
    """The form of a function that writes into its first argument, if it has one."""
    found = functions()[name]
    if found.inplace_variant is not None:
        yield list(variants(found))[-1], {}
    if "inplace" in parameters(found.op):
        yield found.op, {"inplace": True}


@pytest.mark.parametrize("name", [name for name in NAMES if list(in_place(name))])
@pytest.mark.parametrize("unit", [PERCENT, METRES_IN_A_KILOMETRE, ("m", 1)], ids=str)
def test_what_works_in_place_writes_what_it_returns_elsewhere(name, unit):
    for sample in samples(name, 3):
        for function, more in in_place(name):
            try:
                run(function, sample, plain, **more)
                (expected,), _ = run(next(variants(functions()[name])), sample, Quantities(unit))
                found, written = run(function, sample, Quantities(unit), **more)
            except (DimflowError, RuntimeError, TypeError):
                continue  # refused, or a form that this sample is not for
            assert isinstance(written, DimTensor)
            for value in (written, *found):
                one = value.to(expected.unit).data
                assert agree(one, expected.data.to(one.dtype)), (name, str(unit))


def test_a_function_hands_on_all_that_it_is_given_or_is_known_not_to():
    """Read from PyTorch's source, since what it drops is not seen by us."""
    found = set()
    for module in (nn.functional, torch.functional, nn.init, torch._lowrank, torch.autograd):
        for function in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(function, ast.FunctionDef):
                found |= {(function.name, word) for word in dropped(function)}
    renamed = {("backward", "grad_variables"), ("grad", "inputs")}  # under another name
    assert found - renamed == {(name.rpartition(".")[2], word) for name, word in FORGOTTEN.items()}


def dropped(function):
    """The parameters that a function does not give to `handle_torch_function`."""
    arguments = function.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    for call in ast.walk(function):
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "handle_torch_function":
            given = [part for value in call.args[2:] for part in ast.walk(value)]
            used = {part.id for part in given if isinstance(part, ast.Name)}
            yield from set(names) - used - {keyword.arg for keyword in call.keywords}


@pytest.mark.filterwarnings("ignore:.*chain_matmul is deprecated")
def test_what_pytorch_drops_counts():
    x, y = DimTensor([1.0, 2.0, 4.0], "m"), DimTensor([150.0, 100.0, 300.0], "cm")
    weight = torch.tensor([1.0, 2.0, 10.0])
    for reduction in ("mean", "sum", "none"):
        options = {"weight": weight, "reduction": reduction}
        found = nn.functional.l1_loss(x, y, **options)
        expected = nn.functional.l1_loss(x.data, y.to("m").data, **options)
        assert torch.equal(found.to_value("m"), expected)
    target = DimTensor(torch.zeros(2, 2), "m*ms")
    one = torch.eye(2)
    assert torch.chain_matmul(DimTensor(one, "m"), DimTensor(one, "s"), out=target) is target
    assert torch.equal(target.data, 1000 * one)


LOSSES = {"mse_loss": (2, True), "l1_loss": (1, True), "huber_loss": (2, False)}


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("words", [{}, {"size_average": False}, {"reduce": False}], ids=str)
def test_weights_of_losses_have_a_unit(name, reduction, words):
    power, is_over_weights = LOSSES[name]
    if words and not is_over_weights:
        return  # it never had these
    function = getattr(nn.functional, name)
    x, y, weight = (torch.rand(4).double() + 0.1 for _ in range(3))
    options = {"reduction": reduction, **words}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = function(x, y, weight=weight, **options)
        for unit, factor, own in (("s", 1.0, "s"), ("percent", 100.0, ""), ("ms", 1e3, "s")):
            delta = {"delta": DimTensor(1.0, "m")} if name == "huber_loss" else {}
            heavy = DimTensor(weight * factor, unit)
            found = function(DimTensor(x, "m"), DimTensor(y, "m"), weight=heavy, **options, **delta)
            is_mean = reduction == "mean" and not words and is_over_weights
            torch.testing.assert_close(
                found.to_value(f"m**{power}" + ("" if is_mean or not own else f"*{own}")), expected
            )
        with pytest.raises(DimflowError):
            function(x, y, weight=DimTensor(weight, "degC"), **options)


@pytest.mark.parametrize("name", ["add", "sub", "rsub"])
def test_no_factor_multiplies_a_point(name):
    function = getattr(torch, name)
    points, steps = DimTensor([20.0, 30.0], "degC"), DimTensor([1.0, 2.0], "K")
    other, moved = (points, steps) if name == "rsub" else (steps, points)
    with pytest.raises(DimflowError, match="points"):
        function(other, moved, alpha=2)
    if name == "add":
        assert function(moved, other, alpha=2).tolist() == [22.0, 34.0]
    with pytest.raises(DimflowError):
        function(points, points, alpha=2)


def test_a_factor_among_the_arrays_is_refused():
    x = DimTensor(torch.ones(2, 2), "percent")
    for call in (
        lambda: torch.add(x, 2, x),
        lambda: torch.addmm(2, x, 3, x, x),
        lambda: torch.addcmul(x, 3, x, x),
    ):
        with pytest.raises(DimflowError, match="by their names"):
            call()
    assert classified(name_of(torch.addmm)) == ("rule", "addmm")


@pytest.mark.parametrize("name", ["relu_", "sin_", "neg_", "square_"])
def test_what_works_in_place_takes_its_argument_by_name(name):
    x = DimTensor([20.0, 50.0], "percent")
    expected = getattr(torch, name.removesuffix("_"))(x.clone())
    assert getattr(torch, name)(input=x) is x
    torch.testing.assert_close(x.to_value(""), expected.to_value(""))
