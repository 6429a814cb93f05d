"""What Dask asks of its collections, and what is called to have one computed.

Everything is the inner array's; the unit comes back at the end. It is no part of the graph.
"""

from collections.abc import Callable
from typing import Any, Self

import dask
import dask.array as da

from dimflow.array import DimArray
from dimflow.array.dimarray import wrap
from dimflow.dask.progress import shown
from dimflow.units import decode, encode


class Collection(DimArray):
    """A collection of Dask's: `dask.compute(x)`, `client.persist(x)`, `dask.visualize(x)`."""

    __slots__ = ()

    def __dask_graph__(self) -> Any:
        return self._raw.__dask_graph__()

    def __dask_keys__(self) -> Any:
        return self._raw.__dask_keys__()

    def __dask_layers__(self) -> Any:
        return self._raw.__dask_layers__()

    def __dask_tokenize__(self) -> Any:
        return "dimflow.dask", encode(self._unit), self._raw.__dask_tokenize__()

    @property
    def __dask_optimize__(self) -> Any:
        return self._raw.__dask_optimize__  # the same function: arrays are optimised together

    __dask_scheduler__ = staticmethod(da.Array.__dask_scheduler__)

    def __dask_postcompute__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        finish, args = self._raw.__dask_postcompute__()
        return _computed, (finish, args, encode(self._unit))

    def __dask_postpersist__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        rebuild, args = self._raw.__dask_postpersist__()
        return _rebuilt, (rebuild, args, type(self), encode(self._unit))

    def compute(self, *, progress: bool = False, **kwargs: Any) -> DimArray:
        """The numbers, with their unit: a DimArray of NumPy's.

        `progress=True` shows a bar. All else (`scheduler=`, `num_workers=`, `optimize_graph=`,
        ...) is for Dask.
        """
        with shown(progress):
            (result,) = dask.compute(self, traverse=False, **kwargs)
        return result  # type: ignore[no-any-return]

    def persist(self, *, progress: bool = False, **kwargs: Any) -> Self:
        """The same array with its blocks computed and kept in memory, here or on the workers."""
        with shown(progress):
            (result,) = dask.persist(self, traverse=False, **kwargs)
        return result  # type: ignore[no-any-return]

    def optimize(self, **kwargs: Any) -> Self:
        """The same array with the graph that Dask would run."""
        (result,) = dask.optimize(self, traverse=False, **kwargs)
        return result  # type: ignore[no-any-return]

    def visualize(self, filename: str | None = "mydask", **kwargs: Any) -> Any:
        """A picture of the graph, by Dask, which needs graphviz."""
        return dask.visualize(self, filename=filename, traverse=False, **kwargs)

    def to_dask_array(self) -> Any:
        """The inner array, if these are pure numbers: what Dask calls to take in an array."""
        return self._pure("a function of Dask's that does not know units")

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """The graph, and not the numbers: nothing is computed for a pickle."""
        return _restored, (type(self), self._raw, encode(self._unit))


def _computed(results: Any, finish: Any, args: Any, unit: str) -> Any:
    return wrap(finish(results, *args), decode(unit))


def _rebuilt(dsk: Any, rebuild: Any, args: Any, cls: Any, unit: str, **rename: Any) -> Any:
    return _restored(cls, rebuild(dsk, *args, **rename), unit)


def _restored(cls: Any, raw: Any, unit: str) -> Any:
    made = object.__new__(cls)
    made._raw = raw
    made._unit = decode(unit)
    return made
