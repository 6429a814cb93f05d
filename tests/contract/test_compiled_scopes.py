"""Compiled functions in scopes: a text in one means what the scope of the call says."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import jax
import jax.numpy as jnp
import mlx.core as mx
import numpy as np
import pytest
import torch

import dimflow
import dimflow.mlx
from dimflow import DimArray, Unit, units
from dimflow.units import Registry

WORD = "zqton"
Function = Callable[[Any], Any]
units.define("zqshared = 70 kg")

READS: dict[str, Function] = {
    "to": lambda x: x.to(WORD).data,
    "to_value": lambda x: x.to_value(WORD),
    "a new array": lambda x: x.to("kg").data + 0 * (x / type(x)(x.data, WORD)).data,
    "a parameter": lambda x: x.round(unit=WORD).to("kg").data,
    "a product": lambda x: (x * type(x)(x.data * 0 + 1, WORD)).to("kg**2").data,
}


def _scanned(read: Function) -> Function:
    def function(x: Any) -> Any:
        return jax.lax.scan(lambda c, _: (c, read(c)), x, None, length=2)[1][0]

    return function


def _of_one(batched: Function) -> Function:
    return lambda x: batched(DimArray(x.data[None], x.unit))[0]


def _torch(function: Function) -> Function:
    return torch.compile(function, backend="eager")


COMPILED: dict[str, tuple[Callable[[Any], Any], Callable[[Function], Function]]] = {
    "jit": (jnp.array, jax.jit),
    "jit of jit": (jnp.array, lambda f: jax.jit(lambda x: jax.jit(f)(x) + 0)),
    "jit of vmap": (
        jnp.array,
        lambda f: _of_one(jax.jit(jax.vmap(f))),
    ),
    "jit of grad": (
        jnp.array,
        lambda f: jax.jit(lambda x: dimflow.grad(lambda y: y / x.unit * f(y))(x).data),
    ),
    "scan": (jnp.array, _scanned),
    "jit of scan": (jnp.array, lambda f: jax.jit(_scanned(f))),
    "checkpoint": (jnp.array, lambda f: jax.jit(jax.checkpoint(f))),
    "torch.compile": (torch.tensor, _torch),
    "mlx.compile": (mx.array, dimflow.mlx.compile),
}


def scopes() -> list[Registry]:
    made = [Registry(), Registry()]
    made[0].define(f"{WORD} = 1000 kg")
    made[1].define(f"{WORD} = 7 kg")
    return made


def number(value: Any) -> float:
    return round(float(np.asarray(value)), 2)  # alone, JAX has single precision here


@pytest.mark.share(3)
@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("way", COMPILED)
def test_a_text_in_a_compiled_function_means_what_the_scope_of_the_call_says(
    way: str, read: str
) -> None:
    make, compiled = COMPILED[way]
    x = DimArray(make(7000.0), "kg")
    registries = scopes()
    fast = compiled(READS[read])
    expected = {}
    for registry in registries:
        with registry:
            expected[registry] = number(compiled(lambda x: READS[read](x))(x))
    for registry in (*registries, *registries):
        with registry:
            assert number(fast(x)) == expected[registry]
    registries[0].define(f"{WORD} = 7 kg", replace=True)
    with registries[0] as lab:
        assert number(fast(x)) == expected[registries[1]]
        lab.define(f"{WORD} = 1000 kg", replace=True)
        again = number(fast(x))
    with registries[1]:
        assert number(fast(x)) == expected[registries[1]]
    assert again == expected[registries[0]]


@pytest.mark.parametrize("way", COMPILED)
def test_what_is_no_matter_of_scopes_is_traced_once(way: str) -> None:
    make, compiled = COMPILED[way]
    if "scan" in way or "grad" in way:
        return
    traced = []
    kg, lab = Unit("kg"), scopes()[0]

    def function(x: Any) -> Any:
        traced.append(1)
        return (x.to("zqshared") / kg).data + x.to("kg").data

    fast = compiled(function)
    x = DimArray(make(7000.0), "kg")
    first = number(fast(x))
    count = len(traced)
    with lab:
        assert number(fast(x)) == first
    assert number(fast(x)) == first
    if way != "mlx.compile" and way != "torch.compile":
        assert len(traced) == 2 * count  # once in the scope, and once outside


def test_a_scope_may_be_entered_in_a_compiled_function() -> None:
    first, second = scopes()

    @jax.jit
    def function(x: Any) -> Any:
        with first:
            return x.to(WORD).data

    x = DimArray(jnp.array(7000.0), "kg")
    assert number(function(x)) == 7.0
    with second:
        assert number(function(x)) == 7.0
        assert number(x.to(WORD).data) == 1000.0


@pytest.mark.parametrize("way", ["jit", "torch.compile"])
def test_the_scope_of_another_thread_is_no_matter(way: str) -> None:
    make, compiled = COMPILED[way]
    x, (first, second) = DimArray(make(7000.0), "kg"), scopes()
    fast = compiled(READS["to"])
    entered, left = Event(), Event()

    def elsewhere() -> float:
        with first:
            value = number(fast(x))
            entered.set()
            left.wait()
            return value

    with second, ThreadPoolExecutor(1) as threads:
        assert number(fast(x)) == 1000.0
        there = threads.submit(elsewhere)
        entered.wait()
        try:
            assert number(fast(x)) == 1000.0
        finally:
            left.set()
        assert there.result() == 7.0


def test_the_scope_of_another_task_is_no_matter() -> None:
    x = DimArray(jnp.array(7000.0), "kg")
    fast = jax.jit(READS["to"])

    async def task(registry: Registry) -> list[float]:
        found = []
        with registry:
            for _ in range(3):
                await asyncio.sleep(0)
                found.append(number(fast(x)))
        return found

    async def tasks() -> list[list[float]]:
        return await asyncio.gather(*map(task, scopes()))

    assert asyncio.run(tasks()) == [[7.0] * 3, [1000.0] * 3]
