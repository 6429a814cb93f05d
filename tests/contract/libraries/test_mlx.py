"""The table on arrays of MLX."""

from tests.contract.libraries.generated import conduct_on, laws_on

test_every_law_holds = laws_on("mlx")
test_arrays_behave = conduct_on("mlx")
