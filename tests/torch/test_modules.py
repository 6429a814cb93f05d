"""Modules with units: optimizers, `state_dict`, nesting, copies, distributed training."""

import copy
import io

import pytest
import torch
from torch import nn

import dimflow.torch as dt
from dimflow import DimArray, units
from dimflow.errors import UnitConversionError, UnitError
from dimflow.torch import DimParameter, DimTensor, UnitModule, named_units


class Spring(UnitModule):
    """F = -k (x - x0)."""

    def __init__(self, unit="N/m"):
        super().__init__()
        self.k = DimParameter(2.0, unit)
        self.scale = nn.Parameter(torch.tensor(1.0))
        self.register_buffer("x0", DimTensor(0.5, "m"))

    def forward(self, x):
        return -self.k * (x - self.x0) * self.scale


def test_attributes_are_quantities_and_parameters_are_raw():
    spring = Spring()
    assert type(spring.k) is DimTensor
    assert isinstance(spring.k, DimParameter)
    assert not isinstance(spring.x0, DimParameter)
    assert isinstance(spring.scale, nn.Parameter)
    assert [type(p) for p in spring.parameters()] == [nn.Parameter] * 2
    assert dict(spring.named_parameters())["k"] is spring.k.data
    assert {n: str(u) for n, u in spring.named_units()} == {"k": "N/m", "x0": "m"}
    assert "k: N/m" in repr(spring)
    force = spring(DimTensor([1.5], "m"))
    assert force.to("N").tolist() == [-2.0]


def test_assignment():
    spring = Spring()
    with pytest.raises(UnitError):
        spring.k = nn.Parameter(torch.tensor(1.0))
    with pytest.raises(UnitError):
        spring.k = DimTensor(1.0, "N/m")
    spring.x0 = DimTensor(100.0, "cm")
    assert spring.x0.to("m").item() == 1.0
    assert str(spring.x0.unit) == "m"
    with pytest.raises(UnitError):
        spring.x0 = DimTensor(1.0, "s")
    spring.k = DimParameter(1.0, "kN/m")
    assert str(spring.k.unit) == "kN/m"
    del spring.k
    assert not hasattr(spring, "k")

    class Early(UnitModule):
        def __init__(self):
            self.k = DimParameter(1.0, "m")

    with pytest.raises(AttributeError, match="super"):
        Early()


def test_gradients_know_their_units():
    spring = Spring()
    loss = (spring(DimTensor([1.5], "m")) ** 2).sum()
    loss.backward()
    assert spring.k.grad.dimension == (units.N * units.m).dimension
    assert spring.k.grad.to("N*m").item() == 4.0


def saved(module):
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    return torch.load(file, weights_only=True)


def test_states_are_converted_into_the_module_s_units():
    state = saved(Spring("N/m"))
    spring = Spring("N/cm")
    spring.load_state_dict(state)
    assert spring.k.item() == pytest.approx(0.02)
    assert str(spring.k.unit) == "N/cm"


def test_a_state_of_another_dimension_is_refused_and_changes_nothing():
    spring = Spring("N*s/m")
    with pytest.raises(UnitConversionError, match="the module has k"):
        spring.load_state_dict(saved(Spring("N/m")))
    assert spring.k.item() == 2.0
    state = saved(Spring())
    del state["_extra_state"]
    spring = Spring("N/cm")
    for strict in (True, False):
        with pytest.raises(UnitError, match=r"state\['k'\] = DimTensor\(state\['k'\], 'N/cm'\)"):
            spring.load_state_dict(state, strict=strict)
    assert spring.k.item() == 2.0
    nothing = Spring().load_state_dict({}, strict=False)
    assert not nothing.unexpected_keys


@pytest.mark.parametrize("strict", [True, False])
def test_a_state_of_quantities_needs_no_other_units(strict):
    spring = Spring("N/cm")
    state = {"k": DimTensor(torch.tensor(3.0), "N/m"), "x0": DimTensor(torch.tensor(1.0), "cm")}
    state["scale"] = torch.tensor(1.0)
    assert str(spring.load_state_dict(state, strict=strict)) == "<All keys matched successfully>"
    assert spring.k.item() == pytest.approx(0.03)


def test_within_ordinary_modules():
    model = nn.ModuleDict({"a": Spring(), "b": nn.Sequential(nn.Linear(2, 2), Spring("N/cm"))})
    assert {n: str(u) for n, u in named_units(model)} == {
        "a.k": "N/m",
        "a.x0": "m",
        "b.1.k": "N/cm",
        "b.1.x0": "m",
    }
    other = copy.deepcopy(model)
    with torch.no_grad():
        other["b"][1].k.data.fill_(7.0)
    model.load_state_dict(other.state_dict())
    assert model["b"][1].k.item() == 7.0
    model.to(torch.float64)
    assert model["a"].k.dtype is torch.float64
    assert str(model["a"].k.unit) == "N/m"


OPTIMIZERS = sorted(
    name
    for name in dir(torch.optim)
    if isinstance(getattr(torch.optim, name), type)
    and issubclass(getattr(torch.optim, name), torch.optim.Optimizer)
    and name not in ("Optimizer", "SparseAdam", "LBFGS", "Muon")  # sparse; a closure; matrices
)


def fitted(name, spring, x, force):
    optimizer = getattr(torch.optim, name)(spring.parameters(), lr=0.01)
    for _ in range(3):
        optimizer.zero_grad()
        loss = ((spring(x) - force) ** 2).mean()
        loss.backward()
        assert spring.k.grad is not None
        optimizer.step()
    return spring.k.item()


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_optimizer_does_to_the_numbers_what_it_does_to_plain_ones(name):
    numbers = torch.tensor([1.0, 2.0, 3.0])
    x, force = DimTensor(numbers, "m"), DimTensor(-5 * numbers, "N")
    k = fitted(name, Spring(), x, force)

    class Plain(nn.Module):
        def __init__(self):
            super().__init__()
            self.k = nn.Parameter(torch.tensor(2.0))
            self.scale = nn.Parameter(torch.tensor(1.0))

        def forward(self, x):
            return -self.k * (x - 0.5) * self.scale

    assert k == pytest.approx(fitted(name, Plain(), numbers, -5 * numbers), rel=1e-6)
    assert k != 2.0


GROUPS = {
    "a list": lambda k: [k],
    "a group": lambda k: [{"params": k, "lr": 0.1}],
    "a group of a list": lambda k: [{"params": [k]}],
    "names": lambda k: [("k", k)],
    "a parameter of a module": lambda k: iter([k]),
}


@pytest.mark.parametrize("groups", GROUPS.values(), ids=list(GROUPS))
@pytest.mark.parametrize("kind", [DimParameter, lambda *args: DimTensor(*args, requires_grad=True)])
def test_an_optimizer_takes_quantities_for_their_numbers(groups, kind):
    numbers = torch.tensor([1.0, 2.0, 3.0])
    k, plain = kind(2.0, "N/m"), torch.tensor(2.0, requires_grad=True)
    for tensor, x, force in (
        (k, DimTensor(numbers, "m"), DimTensor(-5 * numbers, "N")),
        (plain, numbers, -5 * numbers),
    ):
        optimizer = torch.optim.Adam(groups(tensor), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            ((tensor * x + force) ** 2).mean().backward()
            optimizer.step()
    assert k.item() == pytest.approx(plain.item(), rel=1e-6)
    assert k.item() > 2.2
    optimizer = torch.optim.Adam([torch.zeros(1, requires_grad=True)])
    optimizer.add_param_group({"params": [k]})
    assert optimizer.param_groups[1]["params"][0] is k._raw
    with pytest.raises(ValueError, match="non-leaf"):
        torch.optim.Adam([k * 2])


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_the_state_of_an_optimizer_is_of_parameters_in_the_same_units(name):
    spring, kind = Spring(), getattr(torch.optim, name)
    optimizer = kind(spring.parameters(), lr=0.01)
    (spring(DimTensor([1.5], "m")) ** 2).sum().backward()
    optimizer.step()
    file = io.BytesIO()
    torch.save(optimizer.state_dict(), file)
    file.seek(0)
    state = torch.load(file, weights_only=True)
    for same in (Spring(), Spring("kg/s**2"), copy.deepcopy(spring)):
        loaded = kind(same.parameters(), lr=0.01)
        loaded.load_state_dict(state)
        assert str(loaded.state_dict()["state"]) == str(state["state"])
    for unit in ("N/mm", "N/kg"):
        other = kind(Spring(unit).parameters(), lr=0.01)
        with pytest.raises(UnitError, match="the state of the optimizer is of one in N/m"):
            other.load_state_dict(state)
        assert not other.state_dict()["state"] or name == "Adagrad"  # which has one at once


def test_a_setting_of_an_optimizer_is_a_number():
    k = DimParameter(1.0, "N/m")
    for groups in ([k], [{"params": [k], "lr": DimArray(0.1, "N")}]):
        with pytest.raises(UnitError, match=r"(lr|eps)= of Adam would lose the unit N"):
            torch.optim.Adam(groups, eps=DimArray(1e-3, "N"))
    assert torch.optim.SGD([k], lr=DimArray(10.0, "percent")).param_groups[0]["params"][0] is k.data


@pytest.mark.parametrize("scale", [lambda s, y: s(y), lambda s, y: s([y, y])[1]])
def test_a_scaler_of_gradients_takes_a_loss_with_a_unit(scale):
    scaler = torch.amp.GradScaler("cpu")
    k = DimParameter(2.0, "N/m")
    optimizer = torch.optim.SGD([k], lr=0.1)
    scale(scaler.scale, (k * DimTensor(3.0, "m")) ** 2).backward()
    scaler.unscale_(optimizer)
    assert k.grad.to_value("N*m").item() == 36.0
    scaler.step(optimizer)
    assert k.item() == pytest.approx(-1.6)


def test_lbfgs_takes_a_closure():
    numbers = torch.tensor([1.0, 2.0, 3.0])
    x, force = DimTensor(numbers, "m"), DimTensor(-5 * (numbers - 0.5), "N")
    spring = Spring()
    optimizer = torch.optim.LBFGS([spring.k.data], max_iter=20)

    def closure():
        optimizer.zero_grad()
        loss = ((spring(x) - force) ** 2).mean()
        loss.backward()
        return loss.to_value("N**2")

    optimizer.step(closure)
    assert spring.k.item() == pytest.approx(5.0, rel=1e-3)


def test_functional_call():
    spring = Spring()
    x = DimTensor([1.5], "m")
    force = dt.functional_call(spring, {"k": DimTensor(1.0, "N/cm")}, (x,))
    assert force.to("N").tolist() == [-100.0]
    with pytest.raises(UnitError):
        dt.functional_call(spring, {"k": DimTensor(1.0, "s")}, (x,))

    def loss(k):
        return (dt.functional_call(spring, {"k": k}, (x,)) ** 2).sum()

    gradient = dt.grad(loss)(DimTensor(2.0, "N/m"))
    assert gradient.to("N*m").item() == 4.0


def _train(rank, path, queue):
    import os

    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel

    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    store = dist.FileStore(path, 2)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=2)
    model = DistributedDataParallel(Spring())
    x = DimTensor([1.5 + rank], "m")
    loss = (model(x) ** 2).sum()
    loss.backward()
    k = model.module.k
    queue.put((rank, k.grad.to("N*m").item(), str(k.unit)))
    dist.destroy_process_group()


@pytest.mark.deep
def test_two_processes_share_their_gradients(tmp_path):
    """Gradients are averaged over the processes: x - x0 is 1 m in one, 2 m in the other."""
    context = torch.multiprocessing.get_context("spawn")
    queue = context.SimpleQueue()
    workers = [
        context.Process(target=_train, args=(rank, str(tmp_path / "store"), queue))
        for rank in range(2)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
        assert worker.exitcode == 0
    results = sorted(queue.get() for _ in workers)
    expected = (2 * 2.0 * 1.0**2 + 2 * 2.0 * 2.0**2) / 2
    assert results == [(0, expected, "N/m"), (1, expected, "N/m")]
