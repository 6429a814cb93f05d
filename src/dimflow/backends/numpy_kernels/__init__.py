"""Kernels of ops that NumPy has no function of the same signature for.

One module for each family of the table; a kernel is a function of the op's name and signature.
"""
