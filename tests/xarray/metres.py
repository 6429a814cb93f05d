"""A namespace for xarray's suite whose arrays are all in metres."""

from dimflow import DimArray

__all__ = ["DimArray", "asarray"]


def asarray(data):
    return DimArray(data, "m")
