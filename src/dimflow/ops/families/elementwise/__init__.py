"""Ops that take one element of each array to one element of the result."""
