"""An error of units arrives from a compiled function as itself, with its fields.

The law: a program that raises one of dimflow's errors raises the same one compiled, whether the
graph may break or not; and afterwards the function runs with units that fit.
"""

import operator
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional

import dimflow
from dimflow import units as u
from dimflow.errors import DimensionError, DimflowError
from dimflow.torch import DimParameter, DimTensor, UnitModule

RAW = torch.tensor([1.0, 2.0, 3.0])


class Stiff(UnitModule):
    def __init__(self) -> None:
        super().__init__()
        self.k = DimParameter([1.0, 2.0, 3.0], "N/m")

    def forward(self, x: Any) -> Any:
        return self.k * x + self.k


STIFF = Stiff()
BESIDE: dict[str, Any] = {
    "s": DimTensor(RAW, "s"),
    "degC": DimTensor(RAW, "degC"),
    "dB": DimTensor(RAW, "dB"),
    "a pure number": DimTensor(RAW, ""),
    "a number": 2.0,
    "numbers": RAW,
    "text": "m",
    "a unit": u.s,
}
OPERATORS = {
    name: getattr(operator, name)
    for name in (
        *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "le", "gt", "ge"),
        *("eq", "ne", "and_", "or_", "xor", "lshift", "rshift"),
    )
}
FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "abs": lambda x, y: abs(x) + y,
    "torch.sin": lambda x, y: torch.sin(x),
    "torch.cat": lambda x, y: torch.cat([x, y]),
    "torch.where": lambda x, y: torch.where(x > x[0], x, y),
    "torch.hypot": torch.hypot,
    "torch.atan2": torch.atan2,
    "torch.pow": torch.pow,
    "torch.prod": lambda x, y: torch.prod(x),
    "torch.sum of integers": lambda x, y: torch.sum(x, dtype=torch.int32),
    "torch.frexp": lambda x, y: torch.frexp(x),
    "mse_loss": functional.mse_loss,
    "softmax": lambda x, y: x.softmax(0),
    "clamp": lambda x, y: x.clamp(min=1.0),
    "add_": lambda x, y: x.clone().add_(y),
    "to another dimension": lambda x, y: x.to("kg"),
    "to nothing": lambda x, y: x.to("nonsense"),
    "to what nobody reads": lambda x, y: x.to("m//s**"),
    "to integers": lambda x, y: x.to(torch.int32),
    "to_value": lambda x, y: x.to_value("kg"),
    "DimTensor": lambda x, y: DimTensor(x.data, "nonsense"),
    "dimflow.exp": lambda x, y: dimflow.exp(x),
    "dimflow.concat": lambda x, y: dimflow.concat([x, y]),
    "dimflow.maximum": dimflow.maximum,
    "dimflow.sum of integers": lambda x, y: dimflow.sum(x, dtype=torch.int32),
    "unit": lambda x, y: x * u.s + y,
    "module": lambda x, y: STIFF(x),
}
CASES = [
    (name, function, left, other)
    for name, function in {**OPERATORS, **FUNCTIONS}.items()
    for left in ("m", "degC", "dB")
    for other in (BESIDE if name in OPERATORS else ("s", "degC", "dB"))
]


def raised(function: Callable[..., Any], *args: Any) -> DimflowError | None:
    try:
        function(*args)
    except DimflowError as error:
        return error
    except Exception as error:  # what eager mode leaves to PyTorch is no matter
        return error if isinstance(error, torch._dynamo.exc.TorchDynamoException) else None
    return None


def shown(error: DimflowError) -> dict[str, Any]:
    """The public fields, which are units, names and texts."""
    return {name: str(value) for name, value in vars(error).items() if not name.startswith("_")}


def check(function: Callable[..., Any], *args: Any, fullgraph: bool) -> bool:
    eager = raised(function, *args)
    if not isinstance(eager, DimflowError):
        return False
    torch._dynamo.reset()
    found = raised(torch.compile(function, fullgraph=fullgraph, backend="eager"), *args)
    assert type(found) is type(eager), found
    fields, expected = shown(found), shown(eager)
    if any(type(arg) is torch.Tensor for arg in args):  # Dynamo gives it the other way around
        fields, expected = ({"units": {f.get("left"), f.get("right")}} for f in (fields, expected))
    assert fields == expected
    return True


@pytest.mark.parametrize("fullgraph", [True, False])
@pytest.mark.parametrize("place", range(0, len(CASES), 29))
def test_a_compiled_function_raises_what_eager_code_raises(place: int, fullgraph: bool) -> None:
    """A few of the cases; most programs of them raise."""
    for _, function, left, other in CASES[place : place + 2]:
        check(function, DimTensor(RAW, left), BESIDE[other], fullgraph=fullgraph)


@pytest.mark.deep
@pytest.mark.parametrize("fullgraph", [True, False])
@pytest.mark.parametrize("name", [*OPERATORS, *FUNCTIONS])
def test_every_case(name: str, fullgraph: bool) -> None:
    for own, function, left, other in CASES:
        if own == name:
            check(function, DimTensor(RAW, left), BESIDE[other], fullgraph=fullgraph)


@pytest.mark.parametrize("fullgraph", [True, False])
def test_the_function_runs_afterwards(fullgraph: bool) -> None:
    torch._dynamo.reset()
    graphs = []

    def backend(module: Any, _: Any) -> Any:
        graphs.append(module)
        return module

    add = torch.compile(lambda x, y: x + y, fullgraph=fullgraph, backend=backend)
    x, t = DimTensor(RAW, "m"), DimTensor(RAW, "s")
    for _ in range(2):
        with pytest.raises(DimensionError) as caught:
            add(x, t)
        assert (caught.value.left, caught.value.right) == (u.m, u.s)
        assert caught.value.__cause__ is None
        assert caught.value.__suppress_context__
    assert (add(x, x) == 2 * x).all()
    assert len(graphs) == 1  # compiled, and not left to eager mode
    with pytest.raises(DimensionError):
        add(x, t)
