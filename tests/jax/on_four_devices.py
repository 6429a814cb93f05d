"""What holds on four devices; a program of its own, since JAX counts devices once."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import dimflow
from dimflow import DimArray, Unit
from dimflow.errors import DeviceMismatch


def same(actual: DimArray, numbers: object, unit: str) -> None:
    assert actual.unit is Unit(unit), actual.unit
    np.testing.assert_allclose(actual.data, numbers)


def places() -> None:
    names = ["cpu:0", "cpu:1", "cpu:2", "cpu:3"]
    assert dimflow.devices("jax") == names
    x = DimArray(jnp.arange(8.0), "m")
    assert x.device == "cpu:0"
    moved = x.to_device("cpu:2")
    assert moved.device == "cpu:2"
    assert moved.device.native is jax.devices()[2]
    same(moved * moved, np.arange(8.0) ** 2, "m**2")
    assert (moved * np.ones(8)).device == "cpu:2"  # what is lifted comes to it
    assert dimflow.zeros(3, "m", backend="jax", device="cpu:3").device == "cpu:3"
    with pytest.raises(DeviceMismatch, match=", ".join(names)):
        x.to_device("cpu:4")


def shards() -> None:
    mesh = Mesh(np.array(jax.devices()), ("x",))
    split = NamedSharding(mesh, P("x"))
    x = jax.device_put(DimArray(jnp.arange(8.0), "km"), split)
    assert x.data.sharding == split
    assert x.device == "cpu:0,cpu:1,cpu:2,cpu:3"
    found = jax.jit(lambda x: (x + DimArray(1.0, "m")).to("m"), out_shardings=split)(x)
    same(found, np.arange(8.0) * 1000 + 1, "m")
    assert found.data.sharding == split
    total = jax.jit(lambda x: dimflow.sum(x * x))(x)
    same(total, 140.0, "km**2")
    same(dimflow.grad(lambda x: dimflow.sum(x * x))(x), 2 * np.arange(8.0), "km")

    def local(part: DimArray) -> DimArray:
        assert part.shape == (2,)
        return jax.lax.psum(part, "x")

    mapped = jax.shard_map(local, mesh=mesh, in_specs=P("x"), out_specs=P())
    same(mapped(x), [0.0 + 2 + 4 + 6, 1.0 + 3 + 5 + 7], "km")
    same(jax.jit(mapped)(x), [12.0, 16.0], "km")


def main() -> None:
    places()
    shards()
    sys.stdout.write("all held\n")


if __name__ == "__main__":
    main()
