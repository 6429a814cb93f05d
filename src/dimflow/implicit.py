"""Answers of solvers that differentiate: `root`, `fixed_point`, `argmin`."""

from dimflow.transforms.implicit import argmin, fixed_point, root

__all__ = ["argmin", "fixed_point", "root"]
