"""Transforms of functions: `torch.func` on DimTensors, and ours where PyTorch cannot know units."""

import pytest
import torch
from torch.utils import _pytree as pytree

import dimflow.torch as dt
from dimflow import units
from dimflow.errors import DimensionError, UnitError
from dimflow.torch import DimTensor

X = torch.tensor([1.0, 2.0])

# PyTorch's own forward mode warns of a part of PyTorch that it uses.
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")


def metres(raw=X):
    return DimTensor(raw, "m")


def cubes(x):
    return (x**3).sum()


def test_grad():
    gradient = dt.grad(cubes)(metres())
    torch.testing.assert_close(gradient.to("m**2").data, torch.func.grad(cubes)(X))
    gradient, value = dt.grad_and_value(cubes)(DimTensor(X * 100, "cm"))
    torch.testing.assert_close(gradient.to("m**2").data, torch.func.grad(cubes)(X))
    assert value.to("m**3").item() == pytest.approx(9.0)


def test_grad_by_several_arguments_and_with_more_results():
    x, t = metres(), DimTensor(X, "s")
    by_x, by_t = dt.grad(lambda x, t: (x / t).sum(), argnums=(0, 1))(x, t)
    assert by_x.unit == 1 / units.s or str(by_x.unit) == "1/s"
    assert by_t.dimension == (units.m / units.s**2).dimension
    by_x, more = dt.grad(lambda x: (cubes(x), x * 2), has_aux=True)(x)
    assert str(more.unit) == "m"
    tree = dt.grad(lambda p: (p["a"] * p["b"]).sum())({"a": x, "b": t})
    assert (tree["a"].unit, tree["b"].unit) == (units.s, units.m)


def test_higher_derivatives():
    hessian = dt.hessian(cubes)(metres())
    torch.testing.assert_close(hessian.to("m").data, torch.func.hessian(cubes)(X))
    twice = dt.grad(lambda x: dt.grad(cubes)(x).sum())(metres())
    assert twice.to("m").tolist() == [6.0, 12.0]


@pytest.mark.parametrize("transform", [dt.jacrev, dt.jacfwd], ids=["jacrev", "jacfwd"])
def test_jacobians(transform):
    jacobian = transform(lambda x: x**2)(metres())
    assert jacobian.to("m").tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_vjp_and_jvp():
    value, back = dt.vjp(cubes, metres())
    assert value.to("m**3").item() == 9.0
    (pulled,) = back(DimTensor(2.0, "s"))
    assert pulled.to("m**2*s").tolist() == [6.0, 24.0]
    (pulled,) = back(torch.tensor(1.0))
    assert pulled.to("m**2").tolist() == [3.0, 12.0]
    value, change = dt.jvp(cubes, (metres(),), (DimTensor([100.0, 0.0], "cm"),))
    assert change.to("m**3").item() == 3.0
    with pytest.raises(UnitError):
        dt.jvp(cubes, (metres(),), (torch.ones(2),))


def test_cotangents_of_several_outputs_must_make_up_one_quantity():
    """2 sum + 1 would add metres to a pure number."""
    _, back = dt.vjp(lambda x: (x.sum() ** 2, x.sum()), metres())
    with pytest.raises(DimensionError, match="of one dimension"):
        back((torch.tensor(1.0), torch.tensor(1.0)))
    (pulled,) = back((torch.tensor(1.0), DimTensor(1.0, "km")))
    assert pulled.to("m").tolist() == [1006.0, 1006.0]
    (pulled,) = back((DimTensor(1.0, "1/m"), torch.tensor(1.0)))
    assert pulled.to("").tolist() == [7.0, 7.0]


def test_vjp_and_jvp_are_called_as_those_of_pytorch():
    def both(x):
        return {"sum": x.sum(), "square": x**2}

    seeds = {"sum": torch.tensor(2.0), "square": torch.ones(2)}
    _, theirs = torch.func.vjp(both, X)
    _, ours = dt.vjp(both, DimTensor(X, ""))
    torch.testing.assert_close(ours(seeds)[0].data, theirs(seeds)[0])
    _, change = dt.jvp(both, (metres(),), (metres(torch.ones(2)),))
    assert (change["sum"].unit, change["square"].unit) == (units.m, units.m**2)
    value, _, more = dt.vjp(lambda x: (cubes(x), x), metres(), has_aux=True)
    assert (str(value.unit), str(more.unit)) == ("m**3", "m")


@pytest.mark.parametrize("transform", [dt.jacrev, dt.jacfwd], ids=["jacrev", "jacfwd"])
def test_jacobians_of_several_outputs_and_arguments(transform):
    calls = []

    def both(x, t):
        calls.append(1)
        return {"speed": x / t, "length": x.sum()}

    found = transform(both, argnums=(0, 1))(metres(), DimTensor(X, "s"))
    assert len(calls) == 1
    assert [part.unit for part in found["speed"]] == [units.s**-1, units.m / units.s**2]
    assert [part.unit for part in found["length"]] == [units.m / units.m, units.m / units.s]
    torch.testing.assert_close(found["speed"][0].data, torch.diag(1 / X))


def test_derivatives_by_temperatures_are_by_their_differences():
    warm = DimTensor(X, "degC")
    assert dt.grad(lambda x: x.mean())(warm).dimension.is_dimensionless
    assert dt.jacrev(lambda x: (x - warm) * 2)(warm).dimension.is_dimensionless


def test_vmap_of_pytorch():
    x = metres(torch.arange(6.0).reshape(3, 2))
    mapped = torch.func.vmap(lambda row: (row * row).sum())(x)
    assert mapped.to("m**2").tolist() == [1.0, 13.0, 41.0]
    mapped = torch.func.vmap(lambda a, b: a * b, in_dims=(0, None))(x, DimTensor(2.0, "s"))
    assert str(mapped.unit) == "m*s"
    each = torch.func.vmap(dt.grad(cubes))(x)
    torch.testing.assert_close(each.to("m**2").data, 3 * x.data**2)


PYTORCH = {
    "grad": torch.func.grad,
    "grad_and_value": lambda f: lambda x: torch.func.grad_and_value(f)(x)[0],
    "vjp": lambda f: lambda x: torch.func.vjp(f, x)[1](torch.func.vjp(f, x)[0])[0],
    "jacrev": torch.func.jacrev,
    "jacfwd": torch.func.jacfwd,
    "hessian": torch.func.hessian,
    "jacfwd of jacfwd": lambda f: torch.func.jacfwd(torch.func.jacfwd(f)),
    "jacfwd by a tree": lambda f: lambda x: torch.func.jacfwd(lambda p: f(p["x"][0]))({"x": [x]}),
    "jacfwd by two": lambda f: lambda x: torch.func.jacfwd(lambda x, y: f(x) + f(y), (0, 1))(x, x),
    "jacfwd under vmap": lambda f: lambda x: torch.func.vmap(torch.func.jacfwd(f))(x[None]),
}


@pytest.mark.parametrize("name", PYTORCH)
@pytest.mark.parametrize("result", [cubes, lambda x: cubes(x).to_value("m**3"), lambda x: x**3])
def test_a_derivative_of_pytorch_by_quantities_is_refused(name, result):
    """It would stand in the place of the argument, with the unit of this."""
    with pytest.raises((UnitError, RuntimeError), match=r"unit of the argument|return a Tensor"):
        PYTORCH[name](result)(metres())


@pytest.mark.parametrize("transform", [torch.func.jacrev, torch.func.jacfwd, torch.func.hessian])
def test_a_derivative_of_pytorch_by_numbers_is_in_the_unit_of_the_result(transform):
    found = transform(lambda x: {"y": cubes(x) * units.m, "z": (x**2).sum()})(X)
    expected = transform(lambda x: {"y": cubes(x), "z": (x**2).sum()})(X)
    assert found["y"].unit is units.m
    torch.testing.assert_close(found["y"].data, expected["y"])
    torch.testing.assert_close(found["z"], expected["z"])


@pytest.mark.parametrize("transform", ["jacrev", "jacfwd"])
def test_jacobians_take_what_those_of_pytorch_take(transform):
    options = {"chunk_size": 1} if transform == "jacrev" else {"randomness": "same"}
    ours, theirs = getattr(dt, transform), getattr(torch.func, transform)
    found, more = ours(lambda x: (x**3, {"twice": 2 * x}), has_aux=True, **options)(metres())
    torch.testing.assert_close(found.to("m**2").data, theirs(lambda x: x**3)(X))
    assert more["twice"].to("m").tolist() == [2.0, 4.0]


@pytest.mark.filterwarnings("ignore:Attempted to insert a get_attr Node")
def test_jvp_of_pytorch_is_right():
    value, change = torch.func.jvp(cubes, (metres(),), (metres(torch.tensor([1.0, 0.0])),))
    assert (value.unit, change.unit) == (units.m**3, units.m**3)
    assert change.item() == 3.0
    warm = DimTensor(X, "degC")
    for f in (lambda t: t.to("degF"), lambda t: t.to("K")):
        with pytest.raises(UnitError, match=r"dimflow\.torch\.grad, vjp, jvp"):
            torch.func.jvp(f, (warm,), (warm,))
        assert str(dt.jvp(f, (warm,), (DimTensor(X, "K"),))[1].unit) in ("delta_degF", "K")
    with pytest.raises(UnitError, match=r"dimflow\.torch\.grad, vjp, jvp"):
        torch.func.linearize(lambda t: t.to("degF"), warm)[1](warm)


def test_trees():
    x = metres()
    leaves, spec = pytree.tree_flatten({"x": x})
    assert leaves[0] is x.data
    assert pytree.tree_unflatten(leaves, spec)["x"].unit is x.unit
    assert spec != pytree.tree_structure({"x": DimTensor(X, "s")})
    assert spec == pytree.tree_structure({"x": metres(X * 2)})
    text = pytree.treespec_dumps(spec)
    assert pytree.treespec_loads(text) == spec
    whole = {"is_leaf": lambda leaf: isinstance(leaf, DimTensor)}
    squares = pytree.tree_map(lambda t: t * t, (x, X), **whole)
    assert squares[0].to("m**2").tolist() == squares[1].tolist() == [1.0, 4.0]
    for call in (
        lambda: pytree.tree_map(lambda t: t * t, (x, X)),
        lambda: pytree.tree_map_only(torch.Tensor, lambda t: t * t, (x, X)),
        lambda: pytree.tree_map_with_path(lambda _, t: t * t, (x, X)),
    ):
        with pytest.raises(UnitError, match="let quantities be leaves: is_leaf="):
            call()
    with pytest.raises(RuntimeError, match=r"DimTensor\(\*, 'm'\)"):  # PyTorch shows a structure
        torch.func.vjp(cubes, x)[1](x)
