"""Backward passes: gradients are in [output] / [input], and nobody else's pass for ours."""

import copy
import pickle
import threading

import numpy as np
import pytest
import torch

from dimflow import ops, units
from dimflow.errors import DimensionError, UnitError
from dimflow.torch import DimParameter, DimTensor, UnitModule, gradients


def length(*values):
    return DimTensor(list(values), "m", requires_grad=True)


def test_a_gradient_is_the_output_over_the_input():
    x = length(1.0, 2.0)
    energy = (0.5 * DimTensor(4.0, "N/m") * x**2).sum()
    energy.backward()
    assert x.grad.to("N").tolist() == [4.0, 8.0]
    assert x.grad.dimension == units.N.dimension


@pytest.mark.parametrize(("unit", "factor"), [("cm", 100.0), ("km", 1e-3), ("inch", 1 / 0.0254)])
@pytest.mark.parametrize("output", ["J", "kJ", "eV"])
def test_the_gradient_does_not_depend_on_the_units_of_input_and_output(unit, factor, output):
    reference = length(1.0, 2.0)
    x = DimTensor(torch.tensor([1.0, 2.0]) * factor, unit, requires_grad=True)
    for each in (reference, x):
        energy = (DimTensor(3.0, "N/m") * each**2).sum()
        (energy.to(output) if each is x else energy).backward()
    torch.testing.assert_close(x.grad.to("N").data, reference.grad.to("N").data)


def test_numbers_are_those_of_pytorch():
    raw = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (raw**3).sum().backward()
    x = length(1.0, 2.0, 3.0)
    (x**3).sum().backward()
    assert x.data.grad.tolist() == raw.grad.tolist()


def test_gradients_of_one_dimension_add_up():
    x = length(1.0)
    x.sum().backward()
    x.sum().to("km").backward()
    assert x.grad.to_value("").tolist() == [2.0]
    assert x.data.grad.tolist() == [2.0]  # converted before it was added


def test_gradients_of_two_dimensions_do_not():
    x = length(1.0, 2.0)
    x.sum().backward()
    with pytest.raises(DimensionError, match="sum of two gradients") as error:
        (x**2).sum().backward()
    assert "zero_grad" in error.value.hint
    assert x.grad.tolist() == [1.0, 1.0]
    x.grad = None
    (x**2).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def leaves():
    """What gathers gradients, and a number that depends on it."""
    ordinary, parameter = torch.nn.Linear(1, 1, bias=False), DimParameter(2.0, "m")
    raw, x = torch.tensor(2.0, requires_grad=True), length(2.0)
    spring = UnitModule()
    spring.k = DimParameter(2.0, "m")
    ones = torch.ones(3, 1)
    return {
        "a plain tensor": (raw, lambda: raw**2),
        "an ordinary parameter": (ordinary.weight, lambda: (ordinary(ones) ** 2).sum()),
        "through a quantity": (ordinary.weight, lambda: ordinary(ones).sum() / units.m * units.m),
        "a quantity": (x.data, lambda: (x / units.m).sum()),
        "a parameter": (parameter.data, lambda: parameter / units.m),
        "a module's": (spring.k.data, lambda: spring.k / units.m),
        "compiled": (ordinary.weight, lambda: torch.compile(ordinary, backend="eager")(ones).sum()),
    }


def passes(loss, unit):
    """Ways to a backward pass of a loss in a unit."""
    yield lambda: (loss() * unit).backward()
    yield lambda: torch.autograd.backward([loss() * unit])
    yield lambda: torch.autograd.backward(loss() * unit)
    yield lambda: (loss() * unit).reshape(1).backward(torch.ones(1))
    yield lambda: torch.amp.GradScaler(enabled=False).scale(loss() * unit).backward()


@pytest.mark.parametrize("which", leaves())
def test_gradients_of_any_leaf_add_up_within_one_dimension(which):
    area = units.m**2
    for way in range(5):
        leaf, loss = leaves()[which]
        list(passes(loss, area))[way]()
        once = leaf.grad.clone()
        list(passes(loss, units.cm**2))[way]()
        torch.testing.assert_close(leaf.grad, once * 1.0001)  # in the unit of the first
        for other in (units.N, units.m, units.m / units.m):
            with pytest.raises(DimensionError, match="gathered: m"):
                list(passes(loss, other))[way]()
        leaf.grad = None
        list(passes(loss, units.N))[way]()
        torch.testing.assert_close(leaf.grad, once)


def test_losses_without_units_do_not_add_to_one_with():
    ordinary = torch.nn.Linear(1, 1)
    loss = lambda: ordinary(torch.ones(3, 1)).sum()  # noqa: E731
    for _ in range(2):
        loss().backward()
    assert ordinary.bias.grad.tolist() == [6.0]
    with pytest.raises(UnitError, match="unknown unit"):
        (loss() * units.m).backward()
    ordinary.zero_grad()
    (loss() * units.m).backward()
    with pytest.raises(DimensionError, match="sum of two gradients"):
        loss().backward()
    assert ordinary.bias.grad.tolist() == [3.0]
    ordinary.zero_grad()
    for _ in range(2):
        loss().backward()
    assert ordinary.bias.grad.tolist() == [6.0]


def test_a_pass_of_pytorchs_own_leaves_a_gradient_without_a_unit():
    x = length(1.0)
    (x.data * 3).sum().backward()
    with pytest.raises(UnitError, match="nobody knows its unit") as error:
        x.grad  # noqa: B018
    assert "x.data.grad" in error.value.hint
    with pytest.raises(UnitError, match="unknown unit"):
        x.sum().backward()
    x.grad = None
    x.sum().backward()
    assert x.grad.tolist() == [1.0]
    (x.data * 3).sum().backward()
    with pytest.raises(UnitError):
        x.grad  # noqa: B018


def test_derivatives_that_gather_nowhere_change_nothing():
    x = length(2.0)
    x.sum().backward()
    torch.autograd.grad((x.data**2).sum(), x.data)
    assert x.grad.tolist() == [1.0]


def test_a_plain_leaf_that_is_given_a_unit_is_watched():
    raw = torch.tensor([2.0], requires_grad=True)
    for made in (DimTensor(raw, "m"), DimTensor(raw, "m")):
        (made**2).sum().backward()
        assert made.grad.tolist() == [4.0]
        made.grad = None


def test_points_give_differences():
    t = DimTensor([20.0, 30.0], "degC", requires_grad=True)
    t.mean().backward()
    assert t.grad.to_value("").tolist() == [0.5, 0.5]
    t.grad = None
    (DimTensor(2.0, "W/delta_degC") * (t - DimTensor(0.0, "degC"))).sum().backward()
    assert t.grad.to("W/K").tolist() == [2.0, 2.0]


def test_a_cotangent_multiplies_with_its_unit():
    x = length(1.0, 2.0)
    (x**2).backward(DimTensor([1.0, 10.0], "s"))
    assert x.grad.to("m*s").tolist() == [2.0, 40.0]
    x.grad = None
    (x**2).backward(torch.tensor([1.0, 10.0]))
    assert x.grad.to("m").tolist() == [2.0, 40.0]


def test_autograd_grad():
    x, y = length(1.0, 2.0), DimTensor([3.0, 4.0], "s", requires_grad=True)
    out = (x * y).sum()
    by_x, by_y = torch.autograd.grad(out, [x, y], create_graph=True)
    assert (by_x.unit, by_y.unit) == (units.s, units.m)
    (second,) = torch.autograd.grad((by_x * x).sum(), y)
    assert second.tolist() == [1.0, 2.0]
    assert second.unit == units.m
    (both,) = torch.autograd.grad([x.sum(), x.sum().to("km")], x)
    assert both.to_value("").tolist() == [2.0, 2.0]
    with pytest.raises(DimensionError):
        torch.autograd.grad([x.sum(), (x * y).sum()], x)
    assert torch.autograd.grad(x.sum(), y, allow_unused=True) == (None,)


def test_autograd_backward_of_several():
    x = length(1.0)
    torch.autograd.backward([x.sum(), x.sum().to("cm")])
    assert x.grad.to_value("").tolist() == [2.0]


def test_hooks_see_quantities_and_return_them():
    x = length(1.0, 2.0)
    seen = []
    handle = x.register_hook(lambda g: seen.append(g) or g.to("km") * 2)
    (x**2).sum().backward()
    assert seen[0].unit == units.m
    assert x.grad.to("m").tolist() == [4.0, 8.0]
    handle.remove()
    x.register_hook(lambda g: torch.ones(2))
    with pytest.raises(UnitError, match="return a DimTensor"):
        (x**2).sum().backward()
    y = length(1.0)
    after = []
    y.register_post_accumulate_grad_hook(lambda t: after.append(t.grad))
    y.sum().backward()
    assert after[0].tolist() == [1.0]


def test_inner_results_keep_theirs_if_asked():
    x = length(1.0, 2.0)
    y = x * DimTensor(2.0, "s")
    y.retain_grad()
    (y**2).sum().backward()
    assert y.grad.to("m*s").tolist() == [4.0, 8.0]
    assert not y.is_leaf
    assert y.grad_fn is not None
    assert x.is_leaf


def test_recording_is_switched():
    x = DimTensor([1.0], "m")
    assert not x.requires_grad
    assert x.requires_grad_() is x
    assert (x * 2).requires_grad
    assert not (x * 2).detach().requires_grad
    with torch.no_grad():
        assert not (x * 2).requires_grad
    with pytest.raises(RuntimeError):
        DimTensor([1.0], "m").sum().backward()
    with pytest.raises(RuntimeError):
        (x * DimTensor([1.0, 2.0], "s")).backward()  # no single number


def test_gradients_are_set_as_quantities():
    x = length(1.0)
    x.grad = DimTensor([3.0], "N")
    assert str(x.grad.unit) == "N"
    with pytest.raises(UnitError):
        x.grad = torch.ones(1)


def test_threads_do_not_mix_their_units():
    failures = []

    def work(power):
        x = length(1.0, 2.0)
        for _ in range(50):
            x.grad = None
            (x**power).sum().backward()
            if x.grad.unit != units.m ** (power - 1):
                failures.append(power)

    threads = [threading.Thread(target=work, args=(p,)) for p in (1, 2, 3, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_checkpointing():
    from torch.utils.checkpoint import checkpoint

    x = length(1.0, 2.0)
    y = checkpoint(lambda a: a**3, x, use_reentrant=False)
    y.sum().backward()
    assert x.grad.to("m**2").tolist() == [3.0, 12.0]


def test_passes_that_other_threads_work_on_are_known_by_their_number(monkeypatch):
    """What a GPU needs, whose part of a pass runs in a thread of its own."""
    monkeypatch.setattr(gradients, "_uses_gpu", lambda: True)
    x = length(1.0, 2.0)
    (x**2).sum().backward()
    assert x.grad.to("m").tolist() == [2.0, 4.0]
    with pytest.raises(DimensionError):
        x.sum().backward()
    (x**2).sum().to("cm**2").backward()
    assert x.grad.to("m").tolist() == [4.0, 8.0]
    assert not gradients._running
    (x.data * 3).sum().backward()
    with pytest.raises(UnitError):
        x.grad  # noqa: B018


class Spring(UnitModule):
    def __init__(self):
        super().__init__()
        self.k = DimParameter([2.0, 3.0], "N/m")


WAYS_TO_PARAMETERS = {
    "parameters()": lambda module: module.parameters(),
    "a list": lambda module: list(module.parameters()),
    "the attribute": lambda module: module.k,
    "its tensor": lambda module: module.k.data,
}


@pytest.mark.parametrize("way", WAYS_TO_PARAMETERS)
def test_a_parameter_has_one_unit_however_it_is_named(way):
    for module in (Spring(), copy.deepcopy(Spring()), pickle.loads(pickle.dumps(Spring()))):
        energy = (module.k * DimTensor(3.0, "m") ** 2).sum() ** 2
        ends = WAYS_TO_PARAMETERS[way](module)
        (found,) = torch.autograd.grad(energy, ends, retain_graph=True)
        assert found.dimension == (units.J * units.m**2).dimension
        energy.backward(inputs=WAYS_TO_PARAMETERS[way](module))
        assert module.k.grad.to_value("J*m**2").tolist() == found.to_value("J*m**2").tolist()


def test_a_raw_leaf_of_no_module_holds_pure_numbers():
    leaf = torch.tensor(2.0, requires_grad=True)
    (found,) = torch.autograd.grad((leaf * units.m) ** 2, leaf)
    assert str(found.unit) == "m**2"


def test_of_several_outputs_only_the_inputs_that_are_named_gather() -> None:
    a, b = (DimTensor(torch.ones(2), "m").requires_grad_() for _ in range(2))
    first, second = (a * b).sum(), (a * a * b).sum()
    one = [DimTensor(1.0, "1/m**2"), DimTensor(1.0, "1/m**3")]
    torch.autograd.backward([first, second], one, inputs=[a])
    assert b.grad is None
    torch.testing.assert_close(a.grad.to_value("1/m"), torch.full((2,), 3.0))


@pytest.mark.parametrize("numbers", [[2.0], [2.0, 2.0], [[1.0, 1.0], [2.0, 4.0]]])
def test_a_deviation_of_0_has_pytorchs_derivative(numbers: list) -> None:
    """It is 0 there: a batch in which nothing varies does not make the weights nan."""
    for correction in {0, min(1, len(numbers) - 1)}:
        ours = torch.tensor(numbers, dtype=torch.float64, requires_grad=True)
        theirs = torch.tensor(numbers, dtype=torch.float64, requires_grad=True)
        found = ops.std(ours, axis=-1, ddof=correction)
        expected = torch.std(theirs, dim=-1, correction=correction)
        found.sum().backward()
        expected.sum().backward()
        np.testing.assert_allclose(found.detach(), expected.detach())
        np.testing.assert_allclose(ours.grad, theirs.grad)
