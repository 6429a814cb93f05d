"""User functions on blocks, as methods of the array."""

from collections.abc import Callable
from typing import Any

from dimflow.array import DimArray
from dimflow.dask.blocks.mapping import map_blocks
from dimflow.dask.blocks.overlapping import map_overlap


class UserFunctions(DimArray):
    """What runs a user's function, block by block."""

    __slots__ = ()

    def map_blocks(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """`func` on every block, which it gets with its unit: see `dimflow.dask.map_blocks`."""
        return map_blocks(func, self, *args, **kwargs)

    def map_overlap(
        self,
        func: Callable[..., Any],
        depth: Any,
        boundary: Any = None,
        trim: bool = True,
        **kwargs: Any,
    ) -> Any:
        """`func` on every block with a part of its neighbours: `x.map_overlap(laplacian, depth=1)`.

        See `dimflow.dask.map_overlap`.
        """
        return map_overlap(func, self, depth=depth, boundary=boundary, trim=trim, **kwargs)
