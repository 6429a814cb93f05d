"""Matplotlib: axes take the unit of what is plotted first, say it, and convert what follows.

Nothing has to be called: Matplotlib learns of arrays with units when both are imported.

    plt.plot(DimArray(t, "s"), DimArray(h, "m"))

Numbers without a unit count in the axis's unit, as everywhere in Matplotlib. Images and colours
are not on an axis, so there a unit cannot be kept: `plt.imshow(x)` raises. Take the numbers by
`x.to_value("m/s")` and say the unit by `plt.colorbar(label=label("speed", "m/s"))`.
"""

import warnings
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

import numpy as np

from dimflow.array.dimarray import DimArray
from dimflow.array.guests import guest_of
from dimflow.arrival import when_imported
from dimflow.constants.constant import Constant as _Constant
from dimflow.errors import ShapeMismatch
from dimflow.ops.rules.units import RADIAN
from dimflow.units import Unit

try:
    from matplotlib import cbook
    from matplotlib import units as registered
except ImportError as error:
    raise ImportError(
        "dimflow.plotting needs Matplotlib\n  hint:  pip install 'dimflow[plot]'"
    ) from error

__all__ = ["UnitConverter", "enable", "label"]

_MAPS = ("aitoff", "hammer", "lambert", "mollweide")


class UnitConverter(registered.ConversionInterface):
    """What Matplotlib asks about the units of data and axes."""

    @staticmethod
    def default_units(x: Any, axis: Any) -> Unit | None:
        """The unit that an axis gets from the first data on it."""
        found = _first(x)
        if found is None:
            return None
        return RADIAN if _is_in_radians(axis) else found.unit

    @staticmethod
    def axisinfo(unit: Any, axis: Any) -> Any:
        """The label of an axis that has none of its own."""
        if unit is None or _is_in_radians(axis):
            return None
        text = Unit(unit).format("unicode")
        return registered.AxisInfo(label=text)  # type: ignore[no-untyped-call]

    @staticmethod
    def convert(value: Any, unit: Any, axis: Any) -> Any:
        """Numbers in the axis's unit; an error if they are of another dimension."""
        found = _first(value)
        if found is None:
            return value
        value = _own(value)
        array = value if isinstance(value, DimArray) else _joined(value)
        if _is_in_radians(axis):
            return array.to_numpy(RADIAN)
        return array.to_numpy(found.unit if unit is None else Unit(unit))


def label(name: str, unit: Unit | str | DimArray) -> str:
    """A text for an axis or a colour bar: `label("speed", v)` is 'speed [m/s]'."""
    found = unit.unit if isinstance(unit, DimArray) else Unit(unit)
    text = found.format("unicode")
    return f"{name} [{text}]" if text else name


def enable() -> None:
    """Make arrays with units known to Matplotlib. Importing this module does it."""
    if DimArray in registered.registry:
        return
    registered.registry[DimArray] = registered.registry[_Constant] = UnitConverter()
    # Matplotlib asks whatever has to_numpy() for bare numbers before it looks for units.
    _replace(cbook, "_unpack_to_numpy", _unpacked)
    _replace(cbook, "_reshape_2D", _reshaped)
    when_imported("matplotlib.colors", _teach_colours)
    when_imported("matplotlib.axes._axes", _teach_axes)


def _teach_colours() -> None:
    _replace(import_module("matplotlib.colors"), "_sanitize_extrema", _extremum)


def _teach_axes() -> None:
    axes = import_module("matplotlib.axes._axes").Axes
    _replace(axes, "errorbar", _errorbar)
    _replace(axes, "bar", _bar)
    _replace(axes, "boxplot", _statistics)
    _replace(axes, "violinplot", _statistics)
    _replace(axes, "scatter", _scatter)


def _replace(owner: Any, name: str, function: Callable[..., Any]) -> None:
    original = getattr(owner, name, None)
    if original is None:
        problem = f"this Matplotlib has no {name}: plots may lose the units of what they show"
        warnings.warn(problem, stacklevel=3)
        return

    @wraps(original)
    def replaced(*args: Any, **kwargs: Any) -> Any:
        return function(original, *args, **kwargs)

    setattr(owner, name, replaced)


def _errorbar(
    original: Callable[..., Any],
    axes: Any,
    x: Any,
    y: Any,
    yerr: Any = None,
    xerr: Any = None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Bars of errors: Matplotlib adds them to the data before it converts either."""
    if any(_first(data) is not None for data in (x, y, yerr, xerr)):
        x, y = axes._process_unit_info([("x", x), ("y", y)], kwargs)
        xerr, yerr = _difference(xerr, axes.xaxis), _difference(yerr, axes.yaxis)
    return original(axes, x, y, yerr, xerr, *args, **kwargs)


def _bar(original: Callable[..., Any], axes: Any, *args: Any, **kwargs: Any) -> Any:
    """Errors at the ends of bars are differences too; `barh` comes here as well."""
    is_lying = kwargs.get("orientation") == "horizontal"
    axis, name = (axes.xaxis, "xerr") if is_lying else (axes.yaxis, "yerr")
    if _first(kwargs.get(name)) is not None:
        axis.update_units(kwargs["width"] if is_lying else [*args[1:2], kwargs.get("height")][0])
        kwargs[name] = _difference(kwargs[name], axis)
    return original(axes, *args, **kwargs)


def _statistics(
    original: Callable[..., Any], axes: Any, data: Any, *args: Any, **kwargs: Any
) -> Any:
    """Box and violin plots: Matplotlib computes with the data before it converts them."""
    if _first(data) is not None:
        is_lying = kwargs.get("orientation") == "horizontal" or kwargs.get("vert") is False
        axis = axes.xaxis if is_lying else axes.yaxis
        sets = _reshaped(list, data, "data")
        axis.update_units(sets[0])
        data = [axis.convert_units(part) for part in sets]
    return original(axes, data, *args, **kwargs)


def _extremum(original: Callable[..., Any], limit: Any) -> Any:
    """The end of a range of colours, of which Matplotlib takes `x.item()`."""
    return original(limit if _first(limit) is None else float(_own(limit)))


def _scatter(
    original: Callable[..., Any],
    axes: Any,
    x: Any,
    y: Any,
    s: Any = None,
    c: Any = None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Matplotlib hides why it takes no quantities for colours."""
    if _first(c) is not None:
        own = _own(c)
        c = (own if isinstance(own, DimArray) else _joined(own))._pure("scatter(c=x)")
    return original(axes, x, y, s, c, *args, **kwargs)


def _difference(error: Any, axis: Any) -> Any:
    """Errors as numbers in the axis's unit, in which they are differences."""
    if _first(error) is None:
        return error
    array = DimArray(error) if isinstance(error, DimArray) else _joined(error)
    point = DimArray(0.0, axis.units or "")
    return array.to_numpy((point - point).unit)  # between levels in dBm it is in dB


def _unpacked(original: Callable[..., Any], x: Any) -> Any:
    """Arrays with units as they are, also those in columns; lists of quantities as one."""
    x = _own(x)
    if isinstance(x, DimArray):
        return x
    if isinstance(x, (list, tuple)) and x and isinstance(x[0], DimArray) and not x[0].ndim:
        return DimArray(x)
    return original(x)


def _reshaped(original: Callable[..., Any], x: Any, name: str) -> Any:
    """The data sets of a histogram or a box plot, each with its unit."""
    x = _unpacked(lambda other: other, x)
    if isinstance(x, DimArray):
        if x.ndim not in (1, 2):
            raise ShapeMismatch(f"Matplotlib's {name}", "one or two axes", x.shape)
        return [x] if x.ndim == 1 else list(x.T)
    if isinstance(x, (list, tuple)) and any(_first(part) is not None for part in x):
        return [_set(part) for part in x]
    return original(x, name)


def _set(part: Any) -> Any:
    """One data set of several; pandas has its columns as arrays of objects."""
    part = _own(part)
    if not isinstance(part, DimArray) and _first(part) is not None:
        part = _joined(part)
    return part.ravel() if isinstance(part, DimArray) else np.ravel(part)


def _own(x: Any) -> Any:
    """The array with a unit in a column of pandas or an array of xarray; anything else as it is."""
    if type(x) is _Constant:
        return DimArray(x)
    guest = guest_of(type(x))
    if guest is None:
        return x
    own = getattr(x, "data", None)  # plain numbers of xarray are those of an axis as ever
    found = guest.quantities(x) if own is None else own
    return found if isinstance(found, DimArray) else x


def _is_in_radians(axis: Any) -> bool:
    """Whether an axis goes round a polar plot or over a map, which Matplotlib has in radians."""
    return axis.axis_name == "theta" or getattr(axis.axes, "name", "") in _MAPS


def _first(x: Any) -> DimArray | None:
    """The first quantity among data, however they are nested."""
    while not isinstance(x := _own(x), DimArray):
        if isinstance(x, np.ndarray) and x.dtype == object:
            x = x.ravel().tolist()
        if not isinstance(x, (list, tuple)) or not x:
            return None
        x = x[0]
    return x


def _joined(values: Any) -> DimArray:
    """Quantities in lists or arrays of objects as one array."""
    return DimArray(values.tolist() if isinstance(values, np.ndarray) else list(values))


enable()
