"""Fourier transforms with units; `fftfreq` of seconds is in hertz."""

from dimflow.ops.namespace import module

__all__, __getattr__, __dir__ = module("fft")
