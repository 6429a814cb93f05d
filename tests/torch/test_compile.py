"""`torch.compile`: the graph is that of the raw program, and units cost nothing in it."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
import torch

import dimflow
from dimflow import constants, units
from dimflow.torch import DimParameter, DimTensor, UnitModule, tracing

X, Y = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([4.0, 5.0, 6.0])
G = 9.81 * (units.m / units.s**2)


class Counter:
    """A backend that counts the operations of each graph that it gets, and runs it as it is."""

    def __init__(self):
        self.graphs = []

    def __call__(self, module, _):
        calls = ("call_function", "call_method", "call_module")
        self.graphs.append([str(n.target) for n in module.graph.nodes if n.op in calls])
        return module


def counted(function, *args):
    """What a compiled function gives, and the operations of its graph."""
    torch._dynamo.reset()
    counter = Counter()
    compiled = torch.compile(function, fullgraph=True, backend=counter)
    result = compiled(*args)
    assert len(counter.graphs) <= 1
    return result, (counter.graphs or [[]])[0]


def metres(raw=X):
    return DimTensor(raw, "m")


# Functions of two arrays, which make sense for numbers and for lengths alike.
PROGRAMS = {
    "arithmetic": lambda x, y: (x * y + x * x) / y - x,
    "power": lambda x, y: (x**2 + y**2) ** 0.5,
    "numbers": lambda x, y: 2 * x + y / 3 - x * 0.5,
    "negative": lambda x, y: -x + abs(y),
    "compare": lambda x, y: torch.where(x > y, x, y),
    "equal": lambda x, y: x == y,
    "slices": lambda x, y: x[1:] * y[:-1],
    "torch.sqrt": lambda x, y: torch.sqrt(x * x + y * y),
    "torch.sin": lambda x, y: torch.sin(x / y) * torch.exp(-y / x),
    "torch.cat": lambda x, y: torch.cat([x, y]),
    "torch.matmul": lambda x, y: torch.matmul(x, y),
    "torch.norm": lambda x, y: torch.linalg.norm(x - y),
    "torch.max": lambda x, y: torch.max(x, 0)[0] + y.mean(dim=0),
    "loss": lambda x, y: torch.nn.functional.mse_loss(x, y),
    "methods": lambda x, y: x.unsqueeze(0).expand(2, 3).sum(dim=0).clamp(min=0),
    "in place": lambda x, y: x.clone().add_(y),
}


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_the_graph_is_that_of_the_raw_program(name):
    program = PROGRAMS[name]
    expected, raw = counted(program, X, Y)
    result, ours = counted(program, metres(X), metres(Y))
    assert len(ours) == len(raw), (ours, raw)
    value = result.data if isinstance(result, DimTensor) else result
    torch.testing.assert_close(value, expected)
    eager = program(metres(X), metres(Y))
    if isinstance(eager, DimTensor):
        assert result.unit is eager.unit


@pytest.mark.parametrize("name", sorted({"arithmetic", "torch.cat", "compare", "loss", "in place"}))
def test_a_conversion_is_one_operation(name):
    program = PROGRAMS[name]
    _, raw = counted(program, X, Y)
    result, ours = counted(program, metres(X), DimTensor(Y, "km"))
    eager = program(metres(X), DimTensor(Y, "km"))
    conversions = {"compare": 2, "arithmetic": 1}.get(name, 1)
    assert len(ours) == len(raw) + conversions
    torch.testing.assert_close(result.to(eager.unit).data, eager.data)


OPS = {
    "sum": lambda x, y: dimflow.sum(x * y),
    "mean": lambda x, y: dimflow.mean(x + y),
    "where": lambda x, y: dimflow.where(x > y, x, y),
    "exp": lambda x, y: dimflow.exp(x / y),
    "sqrt": lambda x, y: dimflow.sqrt(x * y),
    "maximum": lambda x, y: dimflow.maximum(x, y),
    "method": lambda x, y: (x * y).sum(),
    "concat": lambda x, y: dimflow.concat([x, y]),
}


@pytest.mark.parametrize("name", sorted(OPS))
def test_functions_of_dimflow_compile(name):
    function = OPS[name]
    arguments = metres(X), metres(Y)
    expected = function(*arguments)
    result, graph = counted(function, *arguments)
    assert result.unit is expected.unit
    torch.testing.assert_close(result.data, expected.data)
    assert len(graph) <= 2


def test_other_units_compile_anew_and_the_same_do_not():
    torch._dynamo.reset()
    counter = Counter()
    compiled = torch.compile(lambda x, y: x * y + x * x, fullgraph=True, backend=counter)
    x, y, z = metres(X), metres(Y), DimTensor(Y, "km")
    for _ in range(3):
        compiled(x, y)
        compiled(metres(Y), metres(X))
        metres(X) * DimTensor(Y, "kg")  # what eager mode learns meanwhile is no matter
    assert len(counter.graphs) == 1
    compiled(x, z)
    assert len(counter.graphs) == 2
    compiled(x, y)
    compiled(x, z)
    assert len(counter.graphs) == 2


def test_constants_and_units_within():
    result, graph = counted(lambda t: G * t**2 / 2, DimTensor(X, "s"))
    torch.testing.assert_close(result.to("m").data, 0.5 * 9.81 * X**2)
    assert len(graph) == 3
    result, graph = counted(lambda x: (x * units.s).to("km*s"), metres())
    assert str(result.unit) == "km*s"
    assert len(graph) == 1
    result, _ = counted(lambda x: DimTensor(x.data * 2, "s"), metres())
    assert str(result.unit) == "s"
    result, _ = counted(lambda x: x.to_value("cm"), metres())
    assert result.tolist() == [100.0, 200.0, 300.0]


LISTS = {
    "one unit": lambda x, y: [x[0], y[1], x[2]],
    "two units": lambda x, y: [x[0], y[1].to("km"), x[2]],
    "zero": lambda x, y: [0, x[0], y[1]],
    "nested": lambda x, y: [[x[0], x[1], y[2].to("cm")], [y[0], y[1], y[2]]],
    "fractions": lambda x, y: [0.5, 1.5, 2.5],
    "whole numbers": lambda x, y: [1, 2, 3],
    "tensors": lambda x, y: [x.data[0], y.data[1], x.data[2]],
}


@pytest.mark.parametrize("name", sorted(LISTS))
def test_lists_of_quantities(name):
    def program(x, y):
        return dimflow.multiply(LISTS[name](x, y), x)

    expected = program(metres(X), metres(Y))
    result, _ = counted(program, metres(X), metres(Y))
    assert result.unit is expected.unit
    torch.testing.assert_close(result.data, expected.data)


def test_a_list_of_numbers_and_quantities_is_refused():
    with pytest.raises(Exception, match="of one dimension"):
        counted(lambda x: dimflow.multiply([1.0, x[1], x[2]], x), metres())


def test_a_constant_of_nature_on_the_right():
    def distance(t):
        return t * constants.c

    result, graph = counted(distance, DimTensor(X, "s"))
    assert len(graph) == 1
    torch.testing.assert_close(result.data, distance(DimTensor(X, "s")).data)
    assert result.unit == units.m


def test_what_threads_find_at_once_is_one_thing():
    """Else a program would run by the plan that another one entered under the same name."""
    barrier = Barrier(8)

    @tracing.constant
    def found(_):
        barrier.wait()  # all have looked into the memo, and none has entered anything
        return object()

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(found, [0] * 8))) == 1


def test_a_wrong_unit_is_an_error_of_the_compiled_function_too():
    with pytest.raises(Exception, match=r"(?s)add needs arguments of one dimension.*left:  m"):
        counted(lambda x, y: x + y, metres(), DimTensor(Y, "s"))


def test_python_s_matrix_operator_is_unknown_to_dynamo():
    with pytest.raises(torch._dynamo.exc.Unsupported, match="matmul"):
        counted(lambda x, y: x @ y, metres(), metres(Y))


def test_arithmetic_among_constants_of_numpy_belongs_outside():
    with pytest.raises(Exception, match="DimArray"):
        counted(lambda t: 0.5 * G * t**2, DimTensor(X, "s"))


def test_gradients_of_compiled_functions():
    x = DimTensor(X.clone(), "m", requires_grad=True)
    torch._dynamo.reset()
    energy = torch.compile(
        lambda x: (DimTensor(0.5, "N/m") * x**2).sum(), fullgraph=True, backend="aot_eager"
    )
    energy(x).backward()
    torch.testing.assert_close(x.grad.to("N").data, X)


class Spring(UnitModule):
    def __init__(self):
        super().__init__()
        self.k = DimParameter(2.0, "N/m")

    def forward(self, x):
        return -self.k * x


def test_modules_compile():
    spring = Spring()
    result, graph = counted(spring, metres())
    assert str(result.unit) == "N"
    assert result.tolist() == [-2.0, -4.0, -6.0]
    assert len(graph) == 2
    (result**2).sum().backward()
    assert spring.k.grad.dimension == (units.N**2 / (units.N / units.m)).dimension


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")  # PyTorch's own, of PyTorch
def test_inductor():
    torch._dynamo.reset()
    planck = torch.compile(lambda x, y: (x * y + x * x / 3).sum() / y, fullgraph=True)
    arguments = metres(), DimTensor(Y, "km")
    expected = (arguments[0] * arguments[1] + arguments[0] ** 2 / 3).sum() / arguments[1]
    result = planck(*arguments)
    assert result.unit is expected.unit
    torch.testing.assert_close(result.data, expected.data)
