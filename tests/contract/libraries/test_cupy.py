"""The table on arrays of CuPy."""

from tests.contract.libraries.generated import conduct_on, laws_on

test_every_law_holds = laws_on("cupy")
test_arrays_behave = conduct_on("cupy")
