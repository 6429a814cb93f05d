"""Columns of Arrow and Parquet: an extension type whose metadata is the wire encoding of a unit."""

from typing import Any

import numpy as np
import pyarrow as pa

from dimflow.array import DimArray
from dimflow.errors import FileFormatError, UnitError
from dimflow.units import Unit, decode, encode

NAME = "dimflow.quantity"


class QuantityType(pa.ExtensionType):
    """Numbers in a unit. The unit is stored structurally, so a reader needs no registry."""

    def __init__(self, unit: Unit | str, storage: Any = None) -> None:
        self.unit = Unit(unit)
        super().__init__(pa.float64() if storage is None else storage, NAME)

    def __arrow_ext_serialize__(self) -> bytes:
        return encode(self.unit).encode()

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type: Any, serialized: bytes) -> "QuantityType":
        return cls(decode(serialized.decode()), storage_type)

    def __reduce__(self) -> tuple[Any, ...]:
        return QuantityType, (self.unit, self.storage_type)

    def __hash__(self) -> int:
        return hash((NAME, self.unit, str(self.storage_type)))

    def __str__(self) -> str:
        return f"dimflow.quantity<{self.unit}>"

    def to_pandas_dtype(self) -> Any:
        """The dtype that pandas reads it as."""
        from dimflow.pandas.dtype import DimDtype

        number = "float32" if self.storage_type == pa.float32() else "float64"
        return DimDtype(self.unit, number)


def to_arrow(found: DimArray, kind: Any = None) -> Any:
    """A column of Arrow; missing values are nulls."""
    storage = pa.array(np.asarray(found.data), from_pandas=True)
    if kind is None:
        kind = QuantityType(found.unit, storage.type)
    if not isinstance(kind, QuantityType):
        return pa.array(found._pure(f"Arrow's {kind}"), type=kind, from_pandas=True)
    storage = pa.array(found.to_numpy(kind.unit), type=kind.storage_type, from_pandas=True)
    return pa.ExtensionArray.from_storage(kind, storage)


def from_arrow(array: Any, dtype: Any) -> Any:
    """A column of pandas; bare numbers are taken in the unit of the dtype."""
    from dimflow.pandas.column import DimExtensionArray

    kind = array.type
    unit = kind.unit if isinstance(kind, QuantityType) else dtype.unit
    chunks = array.chunks if isinstance(array, pa.ChunkedArray) else [array]
    try:
        numbers = [_numbers(getattr(chunk, "storage", chunk), dtype.number) for chunk in chunks]
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise FileFormatError("a column of Arrow", str(error)) from None
    raw = np.concatenate(numbers) if numbers else np.empty(0, dtype.number)
    found = DimArray(raw, unit)
    return DimExtensionArray._of(found.to(dtype.unit, copy=False))


def _numbers(storage: Any, number: str) -> Any:
    if not (pa.types.is_floating(storage.type) or pa.types.is_integer(storage.type)):
        if pa.types.is_null(storage.type):
            return np.full(len(storage), np.nan, number)
        raise UnitError(f"a column with a unit holds numbers, but Arrow's holds {storage.type}")
    return storage.cast(pa.float64()).to_numpy(zero_copy_only=False).astype(number)


pa.register_extension_type(QuantityType(""))
