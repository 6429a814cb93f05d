"""The units of arrays, noted beside their layers in the graph for pictures of it."""

from typing import Any

from dimflow.array import DimArray
from dimflow.array.core import Core
from dimflow.backends.dask_blocks.notes import UNIT, note
from dimflow.units import Unit

_slot: Any = Core.__dict__["_unit"]


def _set_unit(array: Any, unit: Unit) -> None:
    _slot.__set__(array, unit)
    note(array._raw, UNIT, str(unit) or "1")


class UnitNotes(DimArray):
    """Every array that is made tells the graph its unit, whichever way it is made."""

    __slots__ = ()

    _unit = property(_slot.__get__, _set_unit)

    def _adopted(self) -> None:
        note(self._raw, UNIT, str(self._unit) or "1")
