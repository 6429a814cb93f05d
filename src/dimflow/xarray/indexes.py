"""Indexes of xarray hold plain numbers, and `to_dict` writes them: neither may lose a unit.

For both, and for plots, xarray calls `to_numpy()` of whatever has such a method, though `.values`
goes by `np.asarray`, which refuses. Its function is taught to refuse as well.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from xarray.namedarray import core, pycompat

from dimflow.array import DimArray
from dimflow.errors import UnitLossError


def guard_units() -> None:
    """Make xarray's plain numbers those of pure numbers only; done once."""
    for module in (pycompat, core):
        found: Any = module
        if not hasattr(found.to_numpy, "__wrapped__"):
            found.to_numpy = _guarded(found.to_numpy)


def _guarded(to_numpy: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(to_numpy)
    def guarded(data: Any, **options: Any) -> Any:
        if not isinstance(data, DimArray):
            return to_numpy(data, **options)
        if not data.dimension.is_dimensionless:
            unit = str(data.unit)
            raise UnitLossError(
                "an index, a dict or a plot of xarray",
                data.unit,
                "give an index plain numbers and an attribute: "
                f"('x', x.to_value({unit!r}), {{'units': {unit!r}}}); "
                "for all else take .dimflow.dequantify() or .dimflow.plot",
            )
        return data.to_numpy("")

    return guarded
