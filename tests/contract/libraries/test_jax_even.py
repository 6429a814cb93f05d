"""Half of the table on arrays of JAX, which compiles for every new shape; and how they behave."""

from tests.contract.libraries.generated import conduct_on, laws_on

test_every_law_holds = laws_on("jax", 0, 2)
test_arrays_behave = conduct_on("jax")
