"""Linear algebra with units: `dimflow.linalg.solve(a, b)` is in [b]/[a]."""

from dimflow.ops.namespace import module

__all__, __getattr__, __dir__ = module("linalg")
