"""dimflow.checkpoint: the same values and derivatives, with less kept."""

import tracemalloc
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import dimflow
from dimflow import DimArray, checkpoint, grad, jvp, vmap
from dimflow.errors import UnitError
from tests.autodiff.chosen_engines import engines
from tests.transforms.libraries import make, quiet_torch, same

pytestmark = quiet_torch


def energy(state: Any, stiffness: Any, power: int = 2) -> Any:
    return {"energy": 0.5 * stiffness * dimflow.sum(state["x"] ** power), "name": "spring"}


@engines("numpy-usual", "torch-usual", "mlx-usual", "jax-own")
@pytest.mark.parametrize("policy", [None, "dots"])
def test_values_units_and_derivatives_stay(library: str, engine: str | None, policy: Any) -> None:
    x, k = make(library, [1.0, 2.0], "m"), make(library, 3.0, "N/cm")
    saved = checkpoint(policy=policy)(energy)
    found = saved({"x": x}, stiffness=k)
    assert found["name"] == "spring"
    same(found["energy"], 750.0, "J")

    def closing(x: Any, k: Any) -> Any:
        once = checkpoint(lambda x: energy({"x": x}, k)["energy"] * x[0])
        return once(x * 2.0)

    by_x, by_k = grad(closing, (0, 1), engine=engine)(x, k)
    known_x, known_k = grad(
        lambda x, k: energy({"x": 2.0 * x}, k)["energy"] * (2.0 * x[0]), (0, 1), engine="own"
    )(x, k)
    same(by_x, known_x.detach().to_numpy("J"), "J")
    same(by_k, known_k.detach().to_numpy("m**3"), "m**3")
    moved = jvp(closing, (x, k), (x, k), engine=engine)[1]
    same(moved, 4 * closing(x, k).detach().to_numpy("J*m"), "J*m")


@pytest.mark.parametrize("library", ["numpy", "jax", "torch"])
def test_batches_and_second_order(library: str) -> None:
    cube = checkpoint(lambda x: dimflow.sum(x**3))
    x = make(library, [[1.0, 2.0], [3.0, 4.0]], "m")
    same(vmap(grad(cube))(x), [[3.0, 12.0], [27.0, 48.0]], "m**2")
    same(grad(lambda x: dimflow.sum(vmap(cube)(x)))(x), [[3.0, 12.0], [27.0, 48.0]], "m**2")
    same(grad(lambda x: dimflow.sum(grad(cube)(x)))(x), [[6.0, 12.0], [18.0, 24.0]], "m")


def steps(x: Any) -> Any:
    for _ in range(10):
        x = x + dimflow.sin(x / DimArray(1.0, "m")) * DimArray(0.1, "m")
    return x


def test_memory_on_numpy_grows_with_the_arguments_alone() -> None:
    x = DimArray(np.linspace(0.0, 1.0, 20_000), "m")

    def peak(block: Any) -> int:
        def loss(x: Any) -> Any:
            for _ in range(8):
                x = block(x)
            return dimflow.sum(x)

        tracemalloc.start()
        try:
            grad(loss)(x)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(checkpoint(steps)) < peak(steps) / 3


def test_jax_sees_its_own_checkpoint() -> None:
    def loss(x: Any, block: Any) -> Any:
        return dimflow.sum(block(DimArray(x, "m"))).to_value("m")

    x = jnp.linspace(0.0, 1.0, 5)
    program = str(jax.make_jaxpr(jax.grad(lambda x: loss(x, checkpoint(steps))))(x))
    assert "checkpoint" in program or "remat" in program
    assert "remat" not in str(jax.make_jaxpr(jax.grad(lambda x: loss(x, steps)))(x))
    np.testing.assert_allclose(
        jax.grad(lambda x: loss(x, checkpoint(steps)))(x), jax.grad(lambda x: loss(x, steps))(x)
    )


def test_torch_keeps_less_in_eager_mode() -> None:
    def kept(block: Any) -> int:
        sizes: list[int] = []

        def pack(tensor: torch.Tensor) -> torch.Tensor:
            sizes.append(tensor.numel())
            return tensor

        x = torch.linspace(0.0, 1.0, 1000, dtype=torch.float64, requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            result = dimflow.sum(block(DimArray(x, "m"))).to_value("m")
        result.backward()
        slopes.append(x.grad)
        return sum(n for n in sizes if n == 1000)

    slopes: list[Any] = []
    assert kept(checkpoint(steps)) < kept(steps) / 3
    np.testing.assert_allclose(slopes[0], slopes[1])


def test_a_policy_by_op_is_asked_for_every_op() -> None:
    asked: set[str] = set()

    def policy(op: Any) -> bool:
        asked.add(op.name)
        return bool(op.name == "sin")

    x = DimArray(np.linspace(0.0, 1.0, 3), "m")
    found = grad(lambda x: dimflow.sum(checkpoint(steps, policy=policy)(x)))(x)
    known = grad(lambda x: dimflow.sum(steps(x)))(x)
    np.testing.assert_allclose(found.to_value(""), known.to_value(""))
    assert {"sin", "add"} <= asked


def test_mistakes_are_named() -> None:
    with pytest.raises(UnitError, match=r"(?s)policy='most'.*'dots'"):
        checkpoint(steps, policy="most")
    with pytest.raises(UnitError, match="takes a function"):
        checkpoint(3.0)
    with pytest.raises(dimflow.errors.DimensionError):
        checkpoint(steps)(DimArray([1.0], "s"))
