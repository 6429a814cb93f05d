"""JAX in double precision, as its users of science run it."""

import jax

jax.config.update("jax_enable_x64", True)
