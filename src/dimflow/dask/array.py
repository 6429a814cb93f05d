"""DaskDimArray: an array of Dask and a unit, put together from its parts."""

from typing import Any

from dimflow.array import DimArray
from dimflow.backends import backend
from dimflow.dask.chunks import Chunks
from dimflow.dask.collection import Collection
from dimflow.dask.display import Display
from dimflow.dask.making import Making
from dimflow.errors import BackendMismatch
from dimflow.units import Unit


class DaskDimArray(Collection, Chunks, Making, Display):
    """A lazy array in blocks, with a physical unit: a DimArray whose numbers are Dask's to compute.

        DaskDimArray(data, "m/s", chunks=(1000, 1000))
        da.random.random((10000, 10000)) * units.kg

    It has all that a DimArray has, and what an array of Dask has, with units. A unit mistake is an
    error while the graph is built; `compute()` gives a DimArray of NumPy's. The unit is outside
    the graph, and costs no task but the conversions that are needed.

    `chunks` is what Dask takes: lengths of blocks, "auto", -1 for one block; it cuts data that are
    no Dask array yet, and rechunks those that are.
    """

    __slots__ = ()

    def __init__(
        self,
        data: Any,
        unit: Unit | str | None = None,
        chunks: Any = None,
        *,
        dtype: Any = None,
        backend: str | None = None,
        device: Any = None,
        copy: bool | None = None,
    ) -> None:
        if backend not in (None, "dask"):
            hint = f"DimArray(data, unit, backend={backend!r})"
            raise BackendMismatch("DaskDimArray", "dask", backend, hint)
        found = data if isinstance(data, DimArray) else DimArray(data)
        source = found.unit if _carries_unit(data, found) else None
        raw = _in_blocks(found.data, chunks, dtype, device, copy)
        DimArray.__init__(self, raw if source is None else self._like(raw, source), unit)


def _carries_unit(data: Any, found: DimArray) -> bool:
    """Whether a unit came with the data, so that the one that is asked for converts."""
    return isinstance(data, DimArray) or not found.unit.is_dimensionless or bool(str(found.unit))


def _in_blocks(raw: Any, chunks: Any, dtype: Any, device: Any, copy: Any) -> Any:
    library: Any = backend("dask")
    if library.holds(type(raw)):
        raw = library.asarray(raw, dtype=dtype, device=device, copy=copy)
        return raw if chunks is None else raw.rechunk(chunks)
    if hasattr(raw, "__dlpack__") and type(raw).__module__.partition(".")[0] != "numpy":
        from dimflow.backends import backend_of

        raw = backend_of(raw).to_numpy(raw)
    chunks = "auto" if chunks is None else chunks
    return library.asarray(raw, dtype=dtype, device=device, copy=copy, chunks=chunks)
