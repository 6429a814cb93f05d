"""Packed numbers: what CF's attributes say to do with stored ones, as xarray does it too."""

import base64
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dimflow.errors import UnitError


@dataclass(frozen=True, slots=True)
class Packing:
    """How numbers are read: missing ones to NaN, then scaled, then shifted."""

    stored: np.dtype[Any]  # as unsigned integers where `_Unsigned` says so
    dtype: np.dtype[Any]
    missing: tuple[Any, ...]
    scale: Any
    offset: Any

    def __call__(self, block: Any) -> Any:
        """A block of numbers from one of packed numbers."""
        if block.dtype != self.stored:
            block = block.view(self.stored) if self.stored.kind in "iu" else block.astype(bool)
        found = block.astype(self.dtype)
        if self.scale is not None:
            found *= self.dtype.type(self.scale)
        if self.offset is not None:
            found += self.dtype.type(self.offset)
        for value in self.missing:
            found[block == value] = np.nan
        return found

    def applied(self, raw: Any) -> Any:
        """A lazy array of numbers from one of packed numbers: one function of each block."""
        meta = np.empty((0,) * raw.ndim, self.dtype)
        return raw.map_blocks(self, dtype=self.dtype, meta=meta, name=f"unpacked-{raw.name}")


def packing_in(attrs: Mapping[str, Any], dtype: np.dtype[Any]) -> Packing | None:
    """What attributes say of numbers of a dtype; None if they are stored as they are."""
    if attrs.get("dtype") == "bool" and dtype.kind in "iu":  # xarray's way to store truth
        return Packing(np.dtype(bool), np.dtype(bool), (), None, None)
    scale, offset = (_number(attrs, name) for name in ("scale_factor", "add_offset"))
    stored = _signed_as_said(attrs, dtype)
    missing = _missing(attrs, stored)
    if scale is None and offset is None and not missing and stored == dtype:
        return None
    if dtype.kind not in "iuf":
        raise ValueError(f"numbers of {dtype} cannot be packed or missing")
    target = _target(stored, scale, offset, missing)
    return Packing(stored, target, missing, scale, offset)


def refuse_packing(attrs: Mapping[str, Any] | None, dtype: np.dtype[Any], place: str) -> None:
    """An error for attributes that would say of numbers that they are packed: these are not."""
    try:
        is_packed = bool(attrs) and packing_in(attrs or {}, dtype) is not None
    except (TypeError, ValueError):
        is_packed = True
    if is_packed:
        raise UnitError(f"the attributes for {place} say that its numbers are packed or missing")


def _target(stored: np.dtype[Any], scale: Any, offset: Any, missing: Any) -> np.dtype[Any]:
    """The dtype of unpacked numbers: that of the scale, where it has room for their digits."""
    if scale is None and offset is None:
        return _with_nan(stored) if missing else stored
    said = [v for v in (scale, offset) if v is not None]
    kinds = {v.dtype if isinstance(v, np.floating) else np.dtype(float) for v in said}
    is_wide = stored.kind in "iu" and stored.itemsize >= 4
    if len(kinds) > 1 or scale is None or (offset is not None and is_wide):
        return np.dtype(np.float64)
    return max(kinds.pop(), np.dtype(np.float32))


def _with_nan(dtype: np.dtype[Any]) -> np.dtype[Any]:
    if dtype.kind == "f":
        return dtype
    return np.dtype(np.float32 if dtype.itemsize <= 2 else np.float64)


def _number(attrs: Mapping[str, Any], name: str) -> Any:
    value = attrs.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} is {value!r:.60}, which is no number")
    return value


def _signed_as_said(attrs: Mapping[str, Any], dtype: np.dtype[Any]) -> np.dtype[Any]:
    said = attrs.get("_Unsigned")
    if said in ("true", "false") and dtype.kind in "iu":
        return np.dtype(f"{dtype.byteorder}{'u' if said == 'true' else 'i'}{dtype.itemsize}")
    return dtype


def _missing(attrs: Mapping[str, Any], stored: np.dtype[Any]) -> tuple[Any, ...]:
    """Numbers that stand for missing ones; NaN already does."""
    values: list[Any] = []
    for name in ("_FillValue", "missing_value"):
        found = attrs.get(name)
        if found is not None:
            values += [_fill(name, v, stored) for v in np.atleast_1d(np.asarray(found)).tolist()]
    kept: dict[Any, None] = dict.fromkeys(v for v in values if v == v)
    return tuple(kept)


def _fill(name: str, value: Any, stored: np.dtype[Any]) -> Any:
    """A number of the stored dtype; xarray writes fractions in base64 to zarr's third format."""
    if isinstance(value, str):
        value = _decoded(value) if stored.kind == "f" else None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} is no number")
    if stored.kind == "u" and value < 0:
        value += 1 << (8 * stored.itemsize)  # it was written as the signed number it is stored as
    return stored.type(value).item()


def _decoded(text: str) -> Any:
    try:
        return float(text)  # "NaN", "Infinity"
    except ValueError:
        content = base64.b64decode(text[:24], validate=True)
        if len(content) != 8:
            raise ValueError(f"{text!r:.40} is no number in base64") from None
        return struct.unpack("<d", content)[0]
