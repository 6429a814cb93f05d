"""DimDtype: the dtype of a column with a unit, `dimflow[m/s]`."""

import re
from collections.abc import Iterable
from itertools import permutations
from typing import Any

import numpy as np
from pandas.api.extensions import ExtensionDtype, register_extension_dtype

from dimflow.errors import UnitError
from dimflow.ops.rules.convert import checked_converter
from dimflow.pandas.scalar import DimScalar
from dimflow.units import Unit
from dimflow.units.alike import are_alike

_NAME = re.compile(r"dimflow\[(.*?)\](?:\[(float32|float64)\])?", re.DOTALL)
_NONE = "dimensionless"  # pure numbers; a name must say something
_NUMBERS = ("float64", "float32")


@register_extension_dtype
class DimDtype(ExtensionDtype):
    """A unit and the kind of numbers: `DimDtype("m/s")`, `DimDtype("m/s", "float32")`.

    Numbers are floating point, since a missing value is a NaN; integers become float64. Two dtypes
    are equal if their units mean the same, however they are spelled.
    """

    _metadata = ("unit", "number")
    na_value = np.nan
    kind = "f"
    type = DimScalar
    _is_numeric = True

    def __init__(self, unit: Unit | str = "", number: str = "float64") -> None:
        self.unit = Unit(unit)
        self.number = str(np.dtype(number))
        if self.number not in _NUMBERS:
            raise UnitError(
                f"a column with a unit holds {' or '.join(_NUMBERS)}, not {self.number}",
                f"leave it out: DimDtype({str(self.unit)!r})",
            )

    @property
    def name(self) -> str:
        """The text that `astype` and `read_csv` take."""
        suffix = "" if self.number == "float64" else f"[{self.number}]"
        return f"dimflow[{str(self.unit) or _NONE}]{suffix}"

    def __repr__(self) -> str:
        return self.name

    @property
    def itemsize(self) -> int:
        """Bytes of one number."""
        return np.dtype(self.number).itemsize

    @classmethod
    def construct_array_type(cls) -> Any:
        """The class of the columns."""
        from dimflow.pandas.column import DimExtensionArray

        return DimExtensionArray

    @property
    def index_class(self) -> Any:
        """The class of an index of such values."""
        from dimflow.pandas.index import DimIndex

        return DimIndex

    @classmethod
    def construct_from_string(cls, string: Any) -> "DimDtype":
        """Read `dimflow[m/s]`; TypeError if it is no such text, as pandas wants it."""
        if not isinstance(string, str):
            kind = string.__class__
            raise TypeError(f"'construct_from_string' expects a string, got {kind}")
        found = _NAME.fullmatch(string)
        if found is None:
            raise TypeError(f"Cannot construct a 'DimDtype' from '{string}'")
        try:
            return cls(found[1], found[2] or "float64")
        except UnitError as error:
            raise TypeError(f"{string!r} names no unit: {error}") from error

    def _get_common_dtype(self, dtypes: list[Any]) -> Any:
        """The first unit, if one column has room for all.

        None else: a row of a table then holds quantities one by one, each with its unit.
        """
        ours = [dtype for dtype in dtypes if isinstance(dtype, DimDtype)]
        if len(ours) != len(dtypes) or not fit_one_column(d.unit for d in ours):
            return None
        return DimDtype(ours[0].unit, str(np.result_type(*(d.number for d in ours))))

    def __from_arrow__(self, array: Any) -> Any:
        """A column from Arrow: of our extension type, or of bare numbers in this unit."""
        from dimflow.pandas.arrow import from_arrow

        return from_arrow(array, self)

    def __reduce__(self) -> tuple[Any, ...]:
        return DimDtype, (self.unit, self.number)


def fit_one_column(units: Iterable[Unit]) -> bool:
    """Whether values in all of these units may stand in one column, in whichever of them.

    Temperatures in °C and their differences may not, though both are temperatures.
    """
    found = {id(unit): unit for unit in units}.values()
    return all(are_alike(*pair) and _converts(*pair) for pair in permutations(found, 2))


def _converts(source: Unit, target: Unit) -> bool:
    try:
        checked_converter(source, target)
    except UnitError:
        return False
    return True
