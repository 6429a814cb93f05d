"""How a lazy array reads: what is known of it without its numbers."""

from html import escape
from typing import Any

from dask.utils import key_split

from dimflow.array import DimArray
from dimflow.errors import NoDataError


class Display(DimArray):
    """repr, str, and what Jupyter and xarray ask for; none of them computes."""

    __slots__ = ()

    def __repr__(self) -> str:
        raw = self._raw
        unit = str(self._unit)
        shown = f", unit={unit!r}" if unit else ""
        head = f"{type(self).__name__}<{key_split(raw.name)}, shape={raw.shape}, dtype={raw.dtype}"
        return f"{head}, chunksize={_chunksize(raw)}{shown}>"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        """Without a format the array as `str` has it; a single number is computed for one."""
        if not spec:
            return repr(self)
        if self._raw.ndim:
            hint = "compute it first: f'{x.compute():.2f}'"
            raise NoDataError(f"format(x, {spec!r})", hint, "of a lazy array")
        return format(self.compute(), spec)  # type: ignore[attr-defined]

    def _repr_inline_(self, max_width: int) -> str:
        """One line for xarray's tables."""
        unit = format(self._unit, "unicode")
        text = f"[{unit}] dask, chunksize {_chunksize(self._raw)}"
        return text if len(text) <= max_width else text[: max_width - 1] + "…"

    def _repr_html_(self) -> str:
        """Dask's table and picture of the blocks, with the unit."""
        unit = escape(format(self._unit, "unicode")) or "1"
        row = f"<tr>\n<th> Unit </th>\n<td colspan='2'> {unit} </td>\n</tr>\n"
        table = getattr(self._raw, "_repr_html_", str)()  # arrays of expressions have none
        before, body, after = table.partition("</tbody>")
        return before + row + body + after if body else escape(repr(self))


def _chunksize(raw: Any) -> tuple[int, ...]:
    return tuple(max(lengths) for lengths in raw.chunks)
