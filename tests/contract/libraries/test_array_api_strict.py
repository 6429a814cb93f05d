"""The table on arrays of array-api-strict."""

from tests.contract.libraries.generated import conduct_on, laws_on

test_every_law_holds = laws_on("array_api_strict")
test_arrays_behave = conduct_on("array_api_strict")
