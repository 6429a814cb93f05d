"""What each function of dask.array does to units: data, and what reads them."""
