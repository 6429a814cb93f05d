"""Ops in terms of others, where they are no composites: what a library without a kernel runs.

A definition takes what its op takes, on raw arrays of any library. Where it picks by a condition,
each side is computed from numbers that it is good for, so that nothing it leaves out can be
infinite or nan: an automatic derivative multiplies that by zero.
"""
