"""What PyTorch does with tensors of its own alone: a derivative or a unit is right, or an error.

The law: whatever stands between x and y = x², in every way to differentiate, the derivative of y is
2 x, as it is for plain tensors, or there is an error.
"""

import sys
import warnings
from inspect import signature
from types import FunctionType, ModuleType

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrize, prune
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

import dimflow
from dimflow.errors import DimflowError, UnitError, UnsupportedFunction
from dimflow.torch import DimParameter, DimTensor
from dimflow.torch.overlooked import WRAPPED
from dimflow.torch.registration import PATCHED
from tests.torch.pickled_modules import Holder

START = [1.5, -2.0, 4.0]


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, *rest):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g, *[None] * (len(ctx.needs_input_grad) - 1)


class Later(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x**2

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g

    @staticmethod
    def jvp(ctx, t):
        return 2 * ctx.saved_tensors[0] * t


class Total(torch.autograd.Function):
    """Of a list, in which PyTorch follows no tensor: y is what comes beside it."""

    @staticmethod
    def forward(ctx, x, others):
        return sum(others, start=x * others[0])

    @staticmethod
    def backward(ctx, g):
        return g, None


class Dressing(torch.autograd.Function):
    """Numbers come in, and a quantity goes out."""

    @staticmethod
    def forward(ctx, numbers, unit):
        ctx.save_for_backward(numbers)
        return numbers**2 * unit

    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g, None


class Product(nn.Module):
    def forward(self, x):
        return x * x


def hooked(register):
    def run(x):
        module, seen = Product(), []
        getattr(module, register)(lambda *args: seen.append(args))
        y = module(x)
        if isinstance(x, DimTensor) and x.requires_grad:
            y.sum().backward(retain_graph=True)
            assert seen, "the hook was not called"
            x.grad = None
        return y

    return run


def metres(x):
    return x.to_value("m") if isinstance(x, DimTensor) else x


UNIT = DimTensor(1.0, "m**2")
WAYS = {
    "a function": Square.apply,
    "a function of more": lambda x: Square.apply(x, 3, None, UNIT),
    "a function by keyword": lambda x: Later.apply(x=x),
    "a function with a context of its own": Later.apply,
    "a list": lambda x: (
        Total.apply(x * 0, [x * x])
        if not isinstance(x, DimTensor)
        else (Total.apply(x.detach(), [x, x]))
    ),
    "a quantity of numbers": lambda x: (
        Dressing.apply(metres(x), UNIT) if isinstance(x, DimTensor) else Square.apply(x)
    ),
    "numbers": lambda x: Square.apply(metres(x)) * (UNIT if isinstance(x, DimTensor) else 1),
    "reentrant checkpoint": lambda x: checkpoint(Product(), x, use_reentrant=True),
    "reentrant checkpoint of a closure": lambda x: checkpoint(
        lambda _: x * x, torch.ones(1, requires_grad=True), use_reentrant=True
    ),
    "checkpoint": lambda x: checkpoint(Product(), x, use_reentrant=False),
    "reentrant checkpoints": lambda x: checkpoint_sequential(
        [Product(), nn.Identity()], 2, x, use_reentrant=True
    ),
    "checkpoints": lambda x: checkpoint_sequential(
        [Product(), nn.Identity()], 2, x, use_reentrant=False
    ),
    "full hook": hooked("register_full_backward_hook"),
    "full hook before": hooked("register_full_backward_pre_hook"),
    "old hook": hooked("register_backward_hook"),
    "forward hook": hooked("register_forward_hook"),
    "parallel": nn.DataParallel(Product()),
}
RIGHT = {"checkpoint", "checkpoints", "numbers", "forward hook", "parallel"}


def backward(f):
    x = DimTensor(START, "m", requires_grad=True)
    f(x).sum().backward()
    return x.grad


def of_a_parameter(f):
    x = DimParameter(START, "m")
    (found,) = dimflow.torch.gradients.grad(f(x).sum(), x)
    return found


DERIVATIVES = {
    "backward": backward,
    "of a parameter": of_a_parameter,
    "grad": lambda f: dimflow.grad(lambda x: f(x).sum())(DimTensor(START, "m")),
    "own grad": lambda f: dimflow.grad(lambda x: f(x).sum(), engine="own")(DimTensor(START, "m")),
    "torch.grad": lambda f: dimflow.torch.grad(lambda x: f(x).sum())(DimTensor(START, "m")),
    "jvp": lambda f: (
        dimflow.jvp(f, (DimTensor(START, "m"),), (DimTensor([1.0] * 3, "m"),))[1]
        / DimTensor(1.0, "m")
    ),
    "vmap of grad": lambda f: torch.func.vmap(dimflow.torch.grad(f))(DimTensor(START, "m")),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_derivative_is_right_or_an_error(way):
    errors = (DimflowError, RuntimeError, IndexError, AssertionError)
    for name, derivative in DERIVATIVES.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = derivative(WAYS[way])
            except errors:
                if way in RIGHT and name == "backward":
                    raise
                continue
        torch.testing.assert_close(
            found.to_value("m").detach(), 2 * torch.tensor(START), msg=f"{way}, {name}: {found}"
        )


def test_without_a_derivative_a_function_takes_quantities() -> None:
    x = DimTensor(START, "m")
    assert str(Square.apply(x).unit) == "m**2"
    x.requires_grad_()
    with torch.no_grad():
        assert str(Square.apply(x).unit) == "m**2"
    numbers = torch.tensor(START, requires_grad=True)
    Square.apply(numbers, x.detach(), [UNIT]).sum().backward()
    torch.testing.assert_close(numbers.grad, 2 * torch.tensor(START))


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (Square.apply, "dimflow.custom_gradient"),
        (WAYS["reentrant checkpoint"], "use_reentrant=False"),
        (WAYS["reentrant checkpoints"], "use_reentrant=False"),
        (WAYS["full hook"], "register_hook"),
        (lambda x: nn.parallel.scatter((x, [x]), [0, 1]), "to_value"),
        (lambda x: nn.parallel.gather([x, x], "cpu"), "to_value"),
    ],
)
def test_the_hint(call, hint) -> None:
    with pytest.raises(UnsupportedFunction, match=hint):
        call(DimTensor(START, "m", requires_grad=True))


@pytest.mark.parametrize("other", ["N/cm", "s", None])
@pytest.mark.parametrize("path", ["k", "0.k", "ks.0"])
@pytest.mark.parametrize("is_buffer", [False, True])
def test_modules_are_stacked_in_one_unit(other, path, is_buffer) -> None:
    def made(unit):
        holder = Holder()
        k = torch.ones(2) if unit is None else DimTensor([1.0, 1.0], unit)
        if path == "ks.0":
            holder.ks = nn.ParameterList([nn.Parameter(k)])
        elif is_buffer:
            holder.register_buffer("k", k)
        else:
            holder.k = nn.Parameter(k)
        return nn.Sequential(holder) if path == "0.k" else holder

    for one, two in ((made("N/m"), made(other)), (made(other), made("N/m"))):
        with pytest.raises((UnitError, RuntimeError), match=r"N/m|same class"):
            torch.func.stack_module_state([one, two])
    parameters, buffers = torch.func.stack_module_state([made(other), made(other)])
    assert (parameters | buffers)[path].shape == (2, 2)


def test_these_functions_of_pytorch_are_wrapped_and_no_others() -> None:
    found = set()
    for module in list(sys.modules.values()):
        if not isinstance(module, ModuleType) or module.__name__.partition(".")[0] != "torch":
            continue
        kinds = [value for value in vars(module).values() if issubclass(type(value), type)]
        for owner in (module, *kinds):
            for name, value in list(vars(owner).items()):
                if type(value) in (FunctionType, classmethod, staticmethod):
                    home = str(getattr(getattr(value, "__func__", value), "__module__", ""))
                    if home.partition(".")[0] == "dimflow":
                        found.add((owner.__name__, name))
    known = {(owner.__name__, name) for owner, name, _ in WRAPPED}
    assert found == known | {("Module", name) for name in PATCHED}


_VALUES = {
    "amount": 1,
    "n": 2,
    "dim": 0,
    "mask": torch.ones(2, 2),
    "parametrization": nn.Identity(),
}


def replacing():
    """PyTorch's functions of a module and the name of a parameter, and what else each needs."""
    found = {}
    for place in (nn.utils, nn.utils.parametrizations, parametrize, prune):
        for name, function in vars(place).items():
            if not isinstance(function, FunctionType) or name.startswith(("_", "remove", "is_")):
                continue
            taken = list(signature(function).parameters.values())
            if [p.name for p in taken[:2]] in (["module", "name"], ["module", "tensor_name"]):
                needed = [p.name for p in taken[2:] if p.default is p.empty]
                found[f"{place.__name__}.{name}"] = [_VALUES[name] for name in needed]
    return found


REPLACING = replacing()


@pytest.mark.filterwarnings("ignore:.*weight_norm:FutureWarning")
@pytest.mark.parametrize("name", REPLACING)
def test_what_replaces_a_parameter_is_refused_and_changes_nothing(name):
    place, _, attribute = name.rpartition(".")
    function = getattr(sys.modules[place], attribute)
    module, plain = Holder(), Holder()
    numbers = torch.tensor([[1.0, 2.0], [3.0, 5.0]])
    module.k, plain.k = DimParameter(numbers, "N/m"), nn.Parameter(numbers)
    with pytest.raises(UnsupportedFunction, match="bare numbers"):
        function(module, "k", *REPLACING[name])
    assert list(dict(module.named_parameters())) == ["k"]
    function(plain, "k", *REPLACING[name])
    assert list(dict(plain.named_parameters())) != ["k"]


@pytest.mark.parametrize("clip", [nn.utils.clip_grad_norm_, nn.utils.clip_grad_value_])
def test_gradients_in_several_units_are_not_clipped_as_numbers(clip):
    module = Holder()
    module.k = DimParameter([1.0, 2.0], "N/m")
    module.k.sum().backward()
    for parameters in ([module.k], module.k, iter([module.k]), (module.k, torch.ones(2))):
        with pytest.raises(UnsupportedFunction, match="several units"):
            clip(parameters, 0.1)
        assert module.k.grad.tolist() == [1.0, 1.0]
    clip(module.parameters(), 0.5)  # of one unit
    assert module.k.grad.to_value("").max() <= 0.5
    raw = nn.Parameter(torch.ones(2))
    raw.grad = torch.ones(2)
    clip([raw], 0.1)
    assert float(raw.grad.max()) < 0.11
