"""Derivatives of functions that run block by block: those of the function, block by block."""
