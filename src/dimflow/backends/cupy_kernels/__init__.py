"""Kernels that CuPy has under names of its own, by the family of the op."""
