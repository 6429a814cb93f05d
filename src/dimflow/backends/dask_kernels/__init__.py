"""Kernels for Dask's arrays, by the family of the op: none computes a block."""
