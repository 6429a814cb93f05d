"""Special functions of pure numbers: erf, gamma, Bessel functions."""

from dimflow.ops.namespace import module

__all__, __getattr__, __dir__ = module("special")
