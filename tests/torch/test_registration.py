"""A parameter with a unit is registered wherever PyTorch registers one, and keeps its unit.

The law: held in any of these places and trained by any optimizer, it changes as plain numbers do,
is in `parameters()` once, and is saved, loaded, copied and moved with its unit.
"""

import copy
import io
import pickle
import subprocess
import sys

import pytest
import torch
from torch import nn

import dimflow.torch as dt
from dimflow import DimArray, Unit
from dimflow import units as u
from dimflow.errors import DimflowError, UnitConversionError, UnitError
from dimflow.torch import DimParameter, DimTensor, UnitModule, named_units
from dimflow.torch.registration import PATCHED
from tests.torch.pickled_modules import Holder, Own

START = [[2.0, 1.0], [0.5, 3.0]]


def quantity(unit):
    return torch.tensor(START) * u.N / u.m if unit == "N/m" else DimTensor(START, unit)


def attribute(k):
    holder = Holder()
    holder.k = DimParameter(k)
    return holder, "k", lambda: holder.k


def pytorchs_own_word(k):
    holder = Holder()
    holder.k = nn.Parameter(k)
    return holder, "k", lambda: holder.k


def registered_by_name(k):
    holder = Holder()
    holder.register_parameter("k", DimParameter(k))
    return holder, "k", lambda: holder.k


def unit_module(k):
    module = UnitModule()
    module.k = DimParameter(k)
    return module, "k", lambda: module.k


def unit_module_first(k):
    class Both(UnitModule, Holder):
        def __init__(self):
            super().__init__()
            self.k = DimParameter(k)

    module = Both()
    return module, "k", lambda: module.k


def class_with_attributes_of_its_own(k):
    module = Own()
    module.k = DimParameter(k)
    return module, "k", lambda: module.k


def module_in_modules(k):
    inner = Holder()
    inner.k = DimParameter(k)
    model = nn.ModuleDict({"a": nn.Sequential(nn.Identity(), nn.ModuleList([inner]))})
    return model, "a.1.0.k", lambda: inner.k


def list_of_parameters(k):
    holder = Holder()
    holder.ks = nn.ParameterList([DimParameter(k)])
    return holder, "ks.0", lambda: holder.ks[0]


def list_of_quantities(k):
    holder = Holder()
    holder.ks = nn.ParameterList([k])
    return holder, "ks.0", lambda: holder.ks[-1]


def list_that_grows(k):
    holder = Holder()
    holder.ks = nn.ParameterList()
    holder.ks.append(torch.ones(2, 2))
    holder.ks.requires_grad_(False)
    holder.ks += [k]
    return holder, "ks.1", lambda: list(holder.ks)[1]


def list_whose_item_is_set(k):
    holder = Holder()
    holder.ks = nn.ParameterList([torch.ones(2, 2)])
    holder.ks[0] = DimParameter(k)
    return holder, "ks.0", lambda: holder.ks[0]


def part_of_a_list(k):
    parameters = nn.ParameterList([k, k])[1:]
    return parameters, "0", lambda: parameters[0]


def list_in_a_list(k):
    model = nn.ModuleList([nn.ParameterList([nn.ParameterList([DimParameter(k)])])])
    return model, "0.0.0", lambda: model[0][0][0]


def dict_of_parameters(k):
    holder = Holder()
    holder.ks = nn.ParameterDict({"k": DimParameter(k)})
    return holder, "ks.k", lambda: holder.ks["k"]


def dict_of_quantities(k):
    holder = Holder()
    holder.ks = nn.ParameterDict()
    holder.ks.update({"k": k})
    return holder, "ks.k", lambda: dict(holder.ks.items())["k"]


def dict_with_a_default(k):
    holder = Holder()
    holder.ks = nn.ParameterDict()
    holder.ks.setdefault("k", DimParameter(k))
    return holder, "ks.k", lambda: holder.ks.k


def in_the_place_of_a_plain_one(k):
    layer = nn.Linear(2, 2, bias=False)
    layer.weight = DimParameter(k)
    return layer, "weight", lambda: layer.weight


def assigned_twice(k):
    holder = Holder()
    holder.k = DimParameter(7.0, "s")
    holder.k = DimParameter(k)
    return holder, "k", lambda: holder.k


def under_two_names(k):
    holder = Holder()
    holder.k = DimParameter(k)
    holder.again = holder.k
    return holder, "k", lambda: holder.again


PLACES = [
    *(attribute, pytorchs_own_word, registered_by_name, unit_module, unit_module_first),
    *(class_with_attributes_of_its_own, module_in_modules, list_of_parameters, list_of_quantities),
    *(list_that_grows, list_whose_item_is_set, part_of_a_list, list_in_a_list, dict_of_parameters),
    *(dict_of_quantities, dict_with_a_default, in_the_place_of_a_plain_one, assigned_twice),
    under_two_names,
]
OPTIMIZERS = sorted(
    name
    for name, kind in vars(torch.optim).items()
    if isinstance(kind, type)
    and issubclass(kind, torch.optim.Optimizer)
    and name not in ("Optimizer", "SparseAdam")  # sparse gradients alone
)


def trained(name, parameters, k):
    """The numbers of a parameter after three steps, of a force in N over m, or of numbers."""
    optimizer = getattr(torch.optim, name)(parameters, lr=0.01)
    numbers = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    has_unit = isinstance(k(), DimTensor)
    x = numbers * u.m if has_unit else numbers
    force = 5 * numbers * u.N if has_unit else 5 * numbers

    def closure():
        optimizer.zero_grad()
        loss = ((torch.matmul(k(), x) - force) ** 2).mean()
        loss.backward()
        return loss.to_value("N**2") if has_unit else loss

    for _ in range(3):
        optimizer.step(closure)
    return torch.as_tensor(k().to_value("N/m") if has_unit else k()).detach()


@pytest.mark.parametrize("place", PLACES)
def test_every_optimizer_trains_it_as_plain_numbers(place):
    for name in OPTIMIZERS:
        module, path, k = place(quantity("N/m"))
        learned = [p for p in module.parameters() if p.requires_grad]
        assert [p is k()._raw for p in learned].count(True) == 1, "it is there once"
        assert dict(module.named_parameters())[path] is k()._raw
        plain = nn.Parameter(torch.tensor(START))
        expected = trained(name, [plain], lambda plain=plain: plain)
        torch.testing.assert_close(trained(name, module.parameters(), k), expected)
        assert not torch.equal(expected, torch.tensor(START)), name
        assert k().grad.dimension == (u.N * u.m).dimension


@pytest.mark.parametrize("place", PLACES)
def test_it_is_saved_and_loaded_with_its_unit(place):
    module, path, _ = place(quantity("N/m"))
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    state = torch.load(file)
    assert torch.equal(state[path], torch.tensor(START))
    for options in ({}, {"assign": True}, {"strict": False}):
        other, _, mine = place(quantity("N/cm"))
        other.load_state_dict(state, **options)
        assert str(mine().unit) == "N/cm"
        torch.testing.assert_close(mine().to_value("N/m"), torch.tensor(START))
    other, _, mine = place(quantity("K"))
    with pytest.raises(UnitError, match=r"N/m"):
        other.load_state_dict(state)
    assert torch.equal(mine().data, torch.tensor(START)), "nothing was written"
    bare = {name: value for name, value in state.items() if isinstance(value, torch.Tensor)}
    with pytest.raises(UnitError, match="nobody knows the unit"):
        place(quantity("N/cm"))[0].load_state_dict(bare)


@pytest.mark.parametrize("place", PLACES)
def test_it_is_copied_and_moved_with_its_unit(place):
    module, path, k = place(quantity("N/m"))
    others = [copy.deepcopy(module)]
    if place is not unit_module_first:  # a class in a function has no name for a pickle
        others.append(pickle.loads(pickle.dumps(module)))
    for other in others:
        assert type(other) is type(module)
        assert dict(named_units(other)) == dict(named_units(module))
        (mine,) = [p for name, p in other.named_parameters() if name == path]
        assert torch.equal(mine, k()._raw)
        assert mine is not k()._raw
    for change, dtype in (
        (lambda: module.half(), torch.float16),
        (lambda: module.to(torch.float64), torch.float64),
        (lambda: module.to("meta").to_empty(device="cpu"), torch.float64),
    ):
        change()
        assert (str(k().unit), k().dtype) == ("N/m", dtype)
        assert any(p is k()._raw for p in module.parameters())
    module.requires_grad_(False)
    assert not k().requires_grad
    module.to("meta")
    assert "device='meta'" in repr(k())
    assert "'N/m'" in repr(k())


@pytest.mark.parametrize("place", PLACES)
def test_its_path_leads_to_it(place):
    module, path, k = place(quantity("N/m"))
    inner, _, name = path.rpartition(".")
    found = module.get_submodule(inner).get_parameter(name)
    assert found._raw is k()._raw
    assert str(found.unit) == "N/m"
    assert module.get_parameter(path)._raw is k()._raw
    assert nn.Sequential(module).get_parameter(f"0.{path}")._raw is k()._raw
    with pytest.raises(AttributeError):
        module.get_parameter(f"{path}_and_no_more")


@pytest.mark.parametrize("numbers", [3.0, [1.0, 2.0]])
def test_a_quantity_of_numpy_becomes_a_parameter_by_our_own_word(numbers):
    x = DimArray(numbers, "m")
    with pytest.raises(UnitError, match=r"DimParameter\(x\)"):
        nn.Parameter(x)
    assert DimParameter(x).unit == u.m
    with pytest.raises(UnitError, match=r"nn\.Buffer\(DimTensor\(x\)\)"):
        nn.Buffer(x)
    assert nn.Buffer(DimTensor(x)).unit == u.m


@pytest.mark.parametrize("place", PLACES)
def test_a_functional_call_puts_another_value_in_its_place(place):
    module, path, k = place(quantity("N/m"))

    class Product(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = module

        def forward(self, x):
            return torch.matmul(k(), x)

    x = DimTensor([1.0, 1.0], "m")
    parameters = {f"inner.{path}": DimTensor([[1.0, 0.0], [0.0, 1.0]], "N/cm")}
    stiff = {name: value.numpy() for name, value in parameters.items()}
    for call in (dt.functional_call, torch.func.functional_call):
        for given in (parameters, (parameters,), stiff):
            force = call(Product(), given, (x,))
            assert force.to_value("N").tolist() == pytest.approx([100.0, 100.0])
        with pytest.raises(UnitError, match=rf"the parameter inner\.{path} takes values in N/m"):
            call(Product(), dict.fromkeys(parameters, x), (x,))


def test_modules_are_what_they_were_but_for_their_units():
    holder = Holder()
    kind = type(holder)
    holder.k = DimParameter(1.0, "N/m")
    assert isinstance(holder, Holder)
    assert isinstance(holder, UnitModule)
    assert (type(holder).__name__, type(holder).__module__) == (kind.__name__, kind.__module__)
    other = Holder()
    other.k = DimParameter(1.0, "s")
    assert type(other) is type(holder), "compilers know one class"
    plain = Holder()
    plain.k = nn.Parameter(torch.ones(2))
    plain.x = DimTensor(1.0, "m")  # a constant, as a plain tensor would be
    assert type(plain) is Holder
    assert plain.x.unit == u.m
    assert "k: N/m" in repr(holder)
    assert "0: N/m" in repr(nn.ParameterList([quantity("N/m")]))


def test_units_leave_with_their_parameters():
    holder = Holder()
    holder.k = DimParameter(1.0, "N/m")
    with pytest.raises(UnitError, match="without one"):
        holder.k = nn.Parameter(torch.tensor(1.0))
    with pytest.raises(UnitError, match="without one"):
        holder.register_parameter("k", nn.Parameter(torch.tensor(1.0)))
    with pytest.raises(UnitError, match="no_grad"):
        holder.k = DimTensor(1.0, "N/m")
    with pytest.raises(TypeError):
        holder.k = 1.0
    assert str(holder.k.unit) == "N/m"
    del holder.k
    assert not hasattr(holder, "k")
    holder.k = nn.Parameter(torch.tensor(1.0))
    assert isinstance(holder.k, nn.Parameter)
    holder.k = DimParameter(1.0, "s")
    holder.k = None
    assert dict(holder.named_parameters()) == dict(named_units(holder)) == {}


def test_buffers_keep_their_units_too():
    holder = Holder()
    holder.register_buffer("x0", DimArray([1.0, 2.0], "m"))
    holder.y0 = nn.Buffer(torch.ones(2) * u.s, persistent=False)
    assert isinstance(holder.x0, DimTensor)
    assert [name for name, _ in holder.named_buffers()] == ["x0", "y0"]
    assert {"x0", "_extra_state"} == set(holder.state_dict())
    holder.x0 = DimTensor([5.0, 6.0], "cm")
    assert holder.x0.to_value("m").tolist() == pytest.approx([0.05, 0.06])
    for wrong in (torch.ones(2), DimTensor([1.0, 1.0], "s")):
        with pytest.raises(UnitError):
            holder.x0 = wrong
    norm = nn.BatchNorm1d(2)
    with pytest.raises(UnitError):
        norm.running_mean = DimTensor([1.0, 1.0], "m")


def test_what_cannot_be_registered_is_an_error():
    holder = Holder()
    x = DimTensor([1.0, 2.0], "m", requires_grad=True)
    with pytest.raises(UnitError, match="DimParameter"):
        holder.register_parameter("k", x)
    with pytest.raises(RuntimeError, match="floating point"):
        holder.ks = nn.ParameterList([DimTensor([1, 2], "m")])
    with pytest.raises(TypeError):
        nn.ModuleList([DimParameter(1.0, "m")])
    with pytest.raises(TypeError):
        nn.Sequential(DimParameter(1.0, "m"))
    with pytest.raises(UnitError, match="DimParameter"):
        nn.Parameter(2.0 * u.N)  # of NumPy, as nn.Parameter(np.ones(2)) is one

    class Early(nn.Module):
        def __init__(self):
            self.k = DimParameter(1.0, "m")

    with pytest.raises(AttributeError, match="super"):
        Early()
    assert not list(holder.parameters())


class Double(nn.Module):
    """A parametrisation."""

    def forward(self, x):
        return 2 * x


def test_parametrisations_are_refused_and_change_nothing():
    holder = Holder()
    holder.k = DimParameter(torch.eye(2), "m")
    for register in (
        lambda: nn.utils.parametrize.register_parametrization(holder, "k", Double()),
        lambda: nn.utils.parametrizations.weight_norm(holder, "k"),
        lambda: nn.utils.parametrizations.spectral_norm(holder, "k"),
        lambda: nn.utils.parametrizations.orthogonal(holder, "k"),
    ):
        with pytest.raises((ValueError, DimflowError)):
            register()
        assert [name for name, _ in holder.named_parameters()] == ["k"]
        assert str(holder.k.unit) == "m"


def test_extra_states_of_users_go_with_the_units():
    for make in (Own, type("OwnUnits", (UnitModule, Own), {})):
        module, other = make(), make()
        module.k, other.k = DimParameter(1.0, "N/m"), DimParameter(7.0, "N/cm")
        module.count = 5
        assert module.get_extra_state() == 5
        other.load_state_dict(module.state_dict())
        assert (other.count, other.k.item()) == (5, pytest.approx(0.01))


def test_a_state_may_hold_quantities():
    holder = Holder()
    holder.k = DimParameter(1.0, "N/m")
    holder.load_state_dict({"k": DimTensor(3.0, "N/cm")}, strict=False)
    assert holder.k.item() == pytest.approx(300.0)
    with pytest.raises(UnitError):
        holder.load_state_dict({"k": DimTensor(3.0, "s")}, strict=False)


def test_a_replica_of_data_parallel_has_units():
    holder = Holder()
    holder.k = DimParameter(2.0, "N/m")
    replica = holder._replicate_for_data_parallel()
    replica.k = torch.tensor(2.0)  # as torch.nn.parallel.replicate does, with a copy elsewhere
    assert replica.k.to_value("N/m") == 2.0


@pytest.mark.parametrize("fullgraph", [False, True])
def test_a_plain_module_with_units_compiles(fullgraph):
    class Spring(nn.Module):
        def __init__(self):
            super().__init__()
            self.k = DimParameter(2.0, "N/m")
            self.ks = nn.ParameterList([DimParameter(1.0, "N/m")])

        def forward(self, x):
            self.last = x.unit
            return (self.k + self.ks[0]) * x

    torch._dynamo.reset()
    compiled = torch.compile(Spring(), backend="eager", fullgraph=fullgraph)
    assert compiled(DimTensor([100.0], "cm")).to_value("N").tolist() == [3.0]


@pytest.mark.parametrize("kind", [nn.LazyLinear, nn.LazyConv1d, nn.LazyBatchNorm1d])
def test_a_lazy_module_that_finds_its_sizes_keeps_its_units(kind):
    lazy = kind(3) if kind is nn.LazyLinear else kind(*([3, 1] if "Conv" in kind.__name__ else []))
    lazy.k = DimParameter([2.0], "N/m")
    lazy(torch.ones(2, 4, 5) if "Conv" in kind.__name__ else torch.ones(2, 4))
    assert isinstance(lazy, kind.cls_to_become)
    for module in (lazy, copy.deepcopy(lazy), pickle.loads(pickle.dumps(lazy))):
        assert module.k.to_value("N/m").tolist() == [2.0]
        assert "_extra_state" in module.state_dict()


def test_a_module_may_be_made_in_a_compiled_function():
    def made(x):
        return nn.Sequential(nn.Linear(2, 3), nn.LayerNorm(3), nn.ReLU())(x)

    torch._dynamo.reset()
    assert torch.compile(made, backend="eager")(torch.ones(2)).shape == (3,)


def test_these_methods_of_pytorch_are_patched_and_no_others():
    kinds = (nn.Module, nn.ParameterList, nn.ParameterDict, nn.Parameter, nn.Buffer)
    patched = {
        name
        for kind in kinds
        for name, value in vars(kind).items()
        if str(getattr(value, "__module__", "")).startswith("dimflow")
    }
    assert patched == {*PATCHED}


@pytest.mark.parametrize(
    "imports",
    ["import dimflow, torch", pytest.param("import torch, dimflow", marks=pytest.mark.deep)],
)
def test_torch_load_needs_no_more_than_an_import_of_dimflow(imports, tmp_path):
    path = tmp_path / "x.pt"
    holder = Holder()
    holder.k = DimParameter(2.0, "N/m")
    values = {
        "tensor": DimTensor([1.0, 2.0], "m"),
        "half": DimTensor(torch.ones(1, dtype=torch.bfloat16), "K"),
        "parameter": holder.k,
        "frozen": DimParameter(1.0, "s", requires_grad=False),
        "array": DimArray([3.0], "s"),
        "state": holder.state_dict(),
    }
    torch.save(values, path)
    code = f"""
{imports}
for weights_only in (True, False):
    back = torch.load({str(path)!r}, weights_only=weights_only)
    print([str(x) for x in back.values()][:5])
    print(*(type(x.data).__name__ for x in back.values() if hasattr(x, "unit")))
"""
    run = [sys.executable, "-c", code]
    found = subprocess.run(run, capture_output=True, text=True, check=True).stdout.splitlines()
    assert (
        found
        == [
            "['[1. 2.] m', '[1.] K', '2.0 N/m', '1.0 s', '[3.] s']",
            "Tensor Tensor Parameter Parameter ndarray",
        ]
        * 2
    )


def test_a_buffer_that_is_none_takes_the_unit_of_what_comes() -> None:
    module = nn.Module()
    module.register_buffer("mean", None)
    for unit in ("m", "s"):
        module.mean = DimTensor([1.0, 2.0], unit)
        assert module.mean.unit == Unit(unit)
        assert "mean" in module.state_dict()
        module.mean = None
        assert module.mean is None


def test_a_parameter_that_is_taken_out_keeps_its_unit_or_is_refused() -> None:
    """As functions do that put something else in its place."""
    module = nn.Module()
    module.k = DimParameter([1.0, 2.0], "N/m")
    del module._parameters["k"]
    with pytest.raises(UnitConversionError):
        module.k = DimTensor([1.0, 2.0], "N**2/m**2")
    module.k = DimTensor([1.0, 2.0], "N/cm")
    assert str(module.k.unit) == "N/cm"


@pytest.mark.parametrize("unit", ["N/m", "degC"])
@pytest.mark.parametrize("place", [attribute, list_of_parameters, unit_module])
def test_initial_values_are_written_in_the_unit_of_the_parameter(place, unit) -> None:
    other, scale = {"N/m": ("N/cm", 100.0), "degC": ("degC", 1.0)}[unit]
    module, _, k = place(DimTensor(START, unit))
    step = DimTensor(2.0, "K" if unit == "degC" else other)
    calls = {
        "constant_": (DimTensor(3.0, other),),
        "uniform_": (DimTensor(1.0, other), DimTensor(2.0, other)),
        "normal_": (DimTensor(5.0, other), step),
    }
    for name, values in calls.items():
        function, plain = getattr(nn.init, name), torch.empty(2, 2)
        torch.manual_seed(0)
        function(plain, *[value.item() * scale for value in values])
        torch.manual_seed(0)
        function(k(), *values)
        torch.testing.assert_close(next(module.parameters()).detach(), plain)
        with pytest.raises(DimflowError, match=name):
            function(k(), *[7.0 for _ in values])
        with pytest.raises(DimflowError, match=name):
            function(k(), *[DimTensor(7.0, "s") for _ in values])
        torch.testing.assert_close(next(module.parameters()).detach(), plain)


UNITS_GIVEN = {
    "times": lambda p: p * u.N,
    "times and over": lambda p: p * u.N / u.m,
    "unit first": lambda p: u.N * p,
    "over": lambda p: p / u.s,
    "another unit": lambda p: DimTensor(p, "N") * u.m,
    "a power": lambda p: (p * u.N) * u.m**2 / u.s,
}


@pytest.mark.parametrize("kind", [Holder, UnitModule, nn.ModuleList])
@pytest.mark.parametrize("way", UNITS_GIVEN)
def test_a_parameter_that_is_given_a_unit_outside_is_no_parameter(kind, way):
    """PyTorch would neither train nor store it, and say nothing."""
    module = kind()
    with pytest.raises(UnitError, match="would not be trained") as error:
        module.k = UNITS_GIVEN[way](nn.Parameter(torch.ones(2)))
    unit = str(UNITS_GIVEN[way](torch.ones(2)).unit)
    assert f"DimParameter(data, {unit!r})" in error.value.hint
    assert not hasattr(module, "k")
    for fine in (torch.ones(2), torch.ones(2, requires_grad=True)):
        module.k = UNITS_GIVEN[way](fine)
    module.raw = nn.Parameter(torch.ones(2))
    module.k = UNITS_GIVEN[way](module.raw)  # as `forward` may, to show it
    module.k = UNITS_GIVEN[way](nn.Parameter(torch.ones(2))).detach()
