"""Objects with fields that JAX takes for structure: a derivative has the structure of its argument.

So that `jax.tree.map` meets both, in whatever way the fields were declared, on any library.
"""

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import dimflow
from dimflow import DimArray, Unit


@partial(jax.tree_util.register_dataclass, data_fields=["k"], meta_fields=["n", "f"])
@dataclasses.dataclass
class Listed:
    k: Any
    n: Any = 3
    f: Callable[[Any], Any] = abs


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Marked:
    n: Any = dataclasses.field(metadata={"static": True})
    f: Callable[[Any], Any] = dataclasses.field(metadata={"static": True})
    k: Any


@jax.tree_util.register_pytree_with_keys_class
@dataclasses.dataclass
class Flattened:
    k: Any
    n: Any
    f: Callable[[Any], Any]

    def tree_flatten_with_keys(self) -> Any:
        return ((jax.tree_util.GetAttrKey("k"), self.k),), (self.n, self.f)

    @classmethod
    def tree_unflatten(cls, aux: Any, children: Any) -> Any:
        return cls(*children, *aux)


def total(p: Any) -> Any:
    return dimflow.sum(p.f(p.k * p.k)) * p.n


DERIVATIVES: dict[str, Callable[[Any], Any]] = {
    "grad": lambda x: dimflow.grad(total)(x),
    "grad by name": lambda x: dimflow.grad(total, "p")(x),
    "our engine": lambda x: dimflow.grad(total, engine="own")(x),
    "value_and_grad": lambda x: dimflow.value_and_grad(total)(x)[1],
    "vjp": lambda x: dimflow.vjp(total, x)[1](DimArray(1.0, "J"))[0],
    "jacobian": lambda x: dimflow.jacobian(total)(x),
    "jacobian, forward": lambda x: dimflow.jacobian(total, mode="forward")(x),
    "hessian": lambda x: dimflow.hessian(total)(x).k,
    "hvp": lambda x: dimflow.hvp(total, (x,), (x,))[0],
    "jvp": lambda x: dimflow.jvp(lambda p: p, (x,), (x,))[1],
    "vmap": lambda x: dimflow.vmap(lambda p: p)(x),
    "scan": lambda x: dimflow.scan(lambda p, _: (p, None), x, length=2)[0],
}


@pytest.mark.parametrize("library", ["numpy", "jax"])
@pytest.mark.parametrize("kind", [Listed, Marked, Flattened])
@pytest.mark.parametrize("way", DERIVATIVES)
def test_a_derivative_has_the_structure_of_its_argument(way: str, kind: Any, library: str) -> None:
    k = DimArray([1.0, 2.0], "m").to_backend(library)
    for n in (3, 0.5, True):
        x = kind(k=k, n=n, f=abs)
        found = DERIVATIVES[way](x)
        assert type(found) is kind
        assert (found.n, type(found.n), found.f) == (n, type(n), abs)
        plain = kind(k=0.0, n=n, f=abs)
        numbers = jax.tree.map(lambda p: 0.0, found)
        assert jax.tree.structure(numbers) == jax.tree.structure(plain)


def test_a_step_down_the_gradient() -> None:
    x = Listed(DimArray(jnp.array([1.0, 2.0]), "m"))
    stepped = jax.tree.map(lambda p, g: p - 0.1 * g, x, dimflow.grad(total)(x))
    assert (stepped.n, stepped.k.unit) == (3, Unit("m"))


def test_what_is_data_has_no_gradient_if_it_is_no_number() -> None:
    """Its place is empty, so that no step changes it unseen."""

    @partial(jax.tree_util.register_dataclass, data_fields=["k", "n"], meta_fields=["f"])
    @dataclasses.dataclass
    class Counted(Listed):
        pass

    found = dimflow.grad(total)(Counted(DimArray(2.0, "m")))
    assert (found.n, found.f) == (None, abs)
