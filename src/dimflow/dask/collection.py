"""What Dask asks of its collections, and what is called to have one computed.

Everything is the inner array's; the unit comes back at the end. It is no part of the graph.
"""

from collections.abc import Callable, Generator
from typing import Any, Self

import dask
import dask.array as da
from dask.array.optimization import optimize
from dask.base import dont_optimize
from dask.context import globalmethod

from dimflow.array import DimArray
from dimflow.array.dimarray import wrap
from dimflow.dask.host.blindness import refuse_blind
from dimflow.dask.progress import client_of, shown, watch
from dimflow.units import decode, encode


class Collection(DimArray):
    """A collection of Dask's: `dask.compute(x)`, `client.persist(x)`, `dask.visualize(x)`."""

    __slots__ = ()

    def __dask_graph__(self) -> Any:
        return self._raw.__dask_graph__()

    def __dask_keys__(self) -> Any:
        return self._raw.__dask_keys__()

    def __dask_layers__(self) -> Any:
        refuse_blind(self)
        return (self._raw.name,)

    # The very function that arrays of Dask name: all of a call are optimised together.
    __dask_optimize__ = globalmethod(optimize, key="array_optimize", falsey=dont_optimize)
    __dask_scheduler__ = staticmethod(da.Array.__dask_scheduler__)

    def __dask_postcompute__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        finish, args = self._raw.__dask_postcompute__()
        return _computed, (finish, args, encode(self._unit))

    def __dask_postpersist__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        rebuild, args = self._raw.__dask_postpersist__()
        return _rebuilt, (rebuild, args, type(self), encode(self._unit))

    def compute(self, *, progress: bool = False, scheduler: Any = None, **kwargs: Any) -> DimArray:
        """The numbers, with their unit: a DimArray of NumPy's.

        `progress=True` shows a bar. All else (`scheduler=`, `num_workers=`, `optimize_graph=`,
        ...) is for Dask.
        """
        with shown(progress, scheduler) as chosen:
            (result,) = dask.compute(self, traverse=False, scheduler=chosen, **kwargs)
        return result  # type: ignore[no-any-return]

    def persist(self, *, progress: bool = False, scheduler: Any = None, **kwargs: Any) -> Self:
        """The same array with its blocks computed and kept in memory, here or on the workers.

        On a cluster this returns at once while the workers compute; with `progress=True` it waits
        for them.
        """
        is_remote = progress and client_of(scheduler) is not None
        with shown(progress and not is_remote, scheduler):
            (result,) = dask.persist(self, traverse=False, scheduler=scheduler, **kwargs)
        if is_remote:
            from distributed import futures_of, wait

            futures = futures_of(result)
            watch(futures)
            wait(futures)  # the scheduler, which the bar asks, knows sooner than the client
        return result  # type: ignore[no-any-return]

    def optimize(self, **kwargs: Any) -> Self:
        """The same array with the graph that Dask would run."""
        (result,) = dask.optimize(self, traverse=False, **kwargs)
        return result  # type: ignore[no-any-return]

    def to_dask_array(self) -> Any:
        """The inner array, if these are pure numbers: what Dask calls to take in an array."""
        return self._pure("a function of Dask's that does not know units")

    def __sizeof__(self) -> int:
        """Bytes of this object: the numbers are not here."""
        return object.__sizeof__(self)

    def __await__(self) -> Generator[Any, Any, Self]:
        """For asynchronous clients: the array once the workers have its blocks."""
        from distributed import futures_of, wait

        async def ready() -> Self:
            if futures := futures_of(self):
                await wait(futures)
            return self

        return ready().__await__()

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """The graph, and not the numbers: nothing is computed for a pickle."""
        return _restored, (type(self), self._raw, encode(self._unit))


def _computed(results: Any, finish: Any, args: Any, unit: str) -> Any:
    return wrap(finish(results, *args), decode(unit))


def _rebuilt(
    graph: Any, rebuild: Any, args: Any, cls: Any, unit: str, *, rename: Any = None
) -> Any:
    raw = rebuild(graph, *args, rename=rename) if rename else rebuild(graph, *args)
    return _restored(cls, raw, unit)


def _restored(cls: Any, raw: Any, unit: str) -> Any:
    made = object.__new__(cls)
    made._raw = raw
    made._unit = decode(unit)
    return made
