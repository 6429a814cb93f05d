"""NumPy's own ufuncs and functions on DimArrays, by its two protocols."""
