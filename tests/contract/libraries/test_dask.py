"""The table on arrays of Dask."""

from tests.contract.libraries.generated import conduct_on, laws_on

test_every_law_holds = laws_on("dask")
test_arrays_behave = conduct_on("dask")
