"""To other libraries: those that hold numbers and no graph have them computed."""

from typing import Any

from dimflow.array import DimArray


class Moving(DimArray):
    """The computed array in another library. Keywords are those of `compute`."""

    __slots__ = ()

    def to_dimarray(self, **kwargs: Any) -> DimArray:
        """The numbers in NumPy, with their unit: `compute` under the name of its result."""
        return self.compute(**kwargs)  # type: ignore[attr-defined, no-any-return]

    def to_jax(self, *, device: Any = None, **kwargs: Any) -> DimArray:
        """The numbers in JAX, with their unit. JAX holds float32 unless its x64 mode is on."""
        return self.to_dimarray(**kwargs).to_backend("jax", device=device)  # type: ignore[no-any-return]

    def to_torch(self, *, device: Any = None, **kwargs: Any) -> DimArray:
        """The numbers in PyTorch, with their unit: a `DimTensor`."""
        return self.to_dimarray(**kwargs).to_backend("torch", device=device)  # type: ignore[no-any-return]

    def to_pint(self, registry: Any = None) -> Any:
        """As a quantity of pint, lazy as this one: pint holds arrays of Dask."""
        one = DimArray(1.0, self._unit).to_pint(registry)
        raw = self._raw if one.magnitude == 1 else self._raw * one.magnitude
        return type(one)(raw, one.units)
