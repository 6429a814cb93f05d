"""PyTorch, JAX and Dask."""

from tests.contract.hints.program import program

JAX = "import jax; jax.config.update('jax_enable_x64', True); x = x.to_backend('jax')"

PROGRAMS = [
    program(
        "z + x",
        "x.to_backend('torch') + z",
        right="[2.0, 4.0, 8.0] * u.m",
        given="x, z = x.to_backend('jax'), x.to_backend('torch')",
    ),
    program(
        "jnp.linalg.norm(x)",
        "dimflow.linalg.norm(x)",
        "jnp.linalg.norm(x.to_value('m')) * u.m",
        right="21**0.5 * u.m",
        given=f"{JAX}; import jax.numpy as jnp",
    ),
    program(
        "jax.nn.relu(x)",
        "dimflow.relu(x)",
        "jax.nn.relu(x.to_value('m')) * u.m",
        right="x.to_backend('numpy')",
        given=JAX,
    ),
    program(
        "jax.lax.neg(x)",
        "jax.lax.neg(x.to_value('m')) * u.m",
        right="-x.to_backend('numpy')",
        given=JAX,
    ),
    program(
        "jax.grad(f)(x)",
        "jax.lax.neg(x.to_value('m')) * u.m",
        "-dimflow.grad(f)(x) * x",
        "-dimflow.vjp(f, x)[1](1.0)[0] * x",
        "-dimflow.jvp(f, (x,), (x,))[1]",
        right="-x.to_backend('numpy')",
        given=f"{JAX}; x = x[0]; f = lambda x: x",
    ),
    program(
        "torch.round(x)",
        "dimflow.round(x, unit='m')",
        right="[1.0, 2.0, 4.0] * u.m",
        given="import torch; x = x.to_backend('torch')",
    ),
    program(
        "torch.frac(x)",
        "torch.frac(x.to_value('m')) * u.m",
        right="[0.0, 0.0, 0.0] * u.m",
        given="import torch; x = x.to_backend('torch')",
    ),
    program(
        "x.to_numpy()",
        "x.detach().to_numpy()",
        right="[1.0, 2.0, 4.0]",
        given="x = x.to_backend('torch').requires_grad_()",
    ),
    program(
        "x[0] = 3 * u.m",
        "key, value = 0, 3 * u.m; x = x.at[key].set(value); x.to_backend('numpy')",
        right="[3.0, 2.0, 4.0] * u.m",
        given=JAX,
    ),
    program(
        "f'{x:.2f}'",
        "float(f'{x.compute():.2f}'.strip('[] m').split()[0])",
        right="1.0",
        given="x = x.to_backend('dask')",
    ),
]
