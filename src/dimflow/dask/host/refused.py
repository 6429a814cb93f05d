"""Functions of Dask's that are refused for arrays with units, and why."""

_COMPARES = "it is for tests of Dask itself; dimflow.testing compares quantities"
_PURE_DRAWS = "its parameters are pure numbers, and so is what is drawn"

REFUSED: dict[str, str] = {
    "assert_eq": _COMPARES,
    "atop": "it is an old name of da.blockwise, which knows units",
    "to_tiledb": "it stores no unit; x.to_zarr and x.to_netcdf do",
    "random.multinomial": _PURE_DRAWS,
    "random.hypergeometric": _PURE_DRAWS,
}
