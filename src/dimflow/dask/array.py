"""DaskDimArray: an array of Dask and a unit, put together from its parts."""

from typing import Any

import dask.array as da
import numpy as np

from dimflow.array import DimArray
from dimflow.array.guests import guest_of
from dimflow.array.making import raw_and_unit
from dimflow.dask.blocks.methods import UserFunctions
from dimflow.dask.chunks import Chunks
from dimflow.dask.collection import Collection
from dimflow.dask.display import Display
from dimflow.dask.followed import Followed
from dimflow.dask.host.methods import Functions
from dimflow.dask.host.protocols import Protocols
from dimflow.dask.making import Making
from dimflow.dask.moving import Moving
from dimflow.dask.pairing import Pairing
from dimflow.dask.picture import Drawing
from dimflow.dask.small_blocks import warn_of_small_blocks
from dimflow.dask.storage import Storage
from dimflow.dask.unit_notes import UnitNotes
from dimflow.errors import BackendMismatch, NotANumber
from dimflow.units import Unit


class DaskDimArray(
    Pairing,
    Collection,
    Chunks,
    Making,
    Storage,
    Display,
    Drawing,
    Moving,
    UnitNotes,
    Followed,
    UserFunctions,
    Functions,
    Protocols,
):
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
        self._raw, self._unit = raw_and_unit(
            _held(data), unit, dtype, "dask", device, copy, chunks=chunks
        )
        warn_of_small_blocks(self._raw)


def _held(data: Any) -> Any:
    """The array in what labels one and gives it no unit: lazy if that is."""
    guest = guest_of(type(data))
    if guest is None:
        return data if _is_array(data) else _refused(data)
    if isinstance(guest.quantities(data), DimArray) or hasattr(data, "units"):
        return data  # with its unit, or an error that says why not
    inner = getattr(data, "data", None)
    return inner if isinstance(inner, da.Array) else np.asarray(data)


def _is_array(data: Any) -> bool:
    """Whether this is not one of Dask's other collections: their attributes tell nothing."""
    is_from_dask = type(data).__module__.partition(".")[0] == "dask"
    return isinstance(data, da.Array) or not is_from_dask


def _refused(data: Any) -> Any:
    error = NotANumber("DaskDimArray", f"a {type(data).__name__} of Dask")
    error.hint = "DaskDimArray.from_delayed and .from_dask_dataframe take what is no array"
    raise error
