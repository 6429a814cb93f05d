"""The other half of the table on arrays of JAX."""

from tests.contract.libraries.generated import laws_on

test_every_law_holds = laws_on("jax", 1, 2)
