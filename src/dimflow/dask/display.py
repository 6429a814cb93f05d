"""How a lazy array reads: what is known of it without its numbers."""

from dimflow.array import DimArray


class Display(DimArray):
    """repr, str, and what Jupyter asks for; none of them computes."""

    __slots__ = ()

    def __repr__(self) -> str:
        raw = self._raw
        name = raw.name.rpartition("-")[0] or raw.name
        unit = str(self._unit)
        shown = f", unit={unit!r}" if unit else ""
        head = f"{type(self).__name__}<{name}, shape={raw.shape}, dtype={raw.dtype}"
        return f"{head}, chunksize={raw.chunksize}{shown}>"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self) if not spec else super().__format__(spec)

    def _repr_inline_(self, max_width: int) -> str:
        """One line for xarray's tables."""
        return f"[{self._unit}] dask {self._raw.chunksize}"[:max_width]

    def _repr_html_(self) -> str:
        """Dask's table and picture of the blocks, with the unit."""
        from html import escape

        unit = escape(format(self._unit, "unicode")) or "1"
        row = f"<tr><th> Unit </th><td> {unit} </td><td></td></tr>"
        table: str = self._raw._repr_html_()
        return table.replace("</tbody>", f"{row}</tbody>", 1)
