"""`xr.map_blocks` with units: the function gets labelled quantities, and gives them.

xarray puts the blocks into its graph as they are, without units. So these travel in the function:
those of the arguments by name, and those of the result, which the template has.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

import xarray as xr
from xarray.core import parallel

from dimflow.array.dimarray import wrap
from dimflow.errors import UnitConversionError, UnitError
from dimflow.units import Unit, encode
from dimflow.xarray.variables import unit_of

Units = dict[Any, Unit]


def map_with_units() -> None:
    """Have `xr.map_blocks` and the methods of that name know units; done once."""
    original = parallel.map_blocks
    if hasattr(original, "__wrapped__"):
        return
    made = _mapping(original)
    for module in (parallel, xr):
        vars(module)["map_blocks"] = made


def _mapping(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def map_blocks(
        func: Callable[..., Any],
        obj: Any,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        template: Any = None,
    ) -> Any:
        units = [_units_of(value) for value in (obj, *args)]
        if not any(units) and not _units_of(template):
            return original(func, obj, args, kwargs, template)
        plain = [_without(value) for value in (obj, *args)]
        call = _OnBlocks(func, units)
        found = template
        if template is None:  # xarray will do the same, for what is not about units
            found = parallel.infer_template(call, *plain, **(kwargs or {}))
        call.wanted = _units_of(found)
        result = original(call, plain[0], plain[1:], kwargs, _without(template))
        return _with(result, call.wanted)

    return map_blocks


class _OnBlocks:
    """A function of labelled blocks. While the result's units are not known, it gives them."""

    __slots__ = ("function", "units", "wanted")

    def __init__(self, function: Callable[..., Any], units: Sequence[Units]) -> None:
        self.function = function
        self.units = units
        self.wanted: Units | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        pairs = zip(args, self.units, strict=True)
        result = self.function(*[_with(a, units) for a, units in pairs], **kwargs)
        return result if self.wanted is None else _planned(result, self.wanted)

    @property
    def __name__(self) -> str:
        """With a token: xarray names tasks by a function's name and arguments alone."""
        from dask.base import tokenize  # xarray does without Dask

        name = getattr(self.function, "__name__", type(self.function).__name__)
        return f"{name.strip('<>')}-{tokenize(self)}"

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        from dask.base import normalize_token

        named = [*self.units, self.wanted or {}]
        texts = [sorted((str(n), encode(u)) for n, u in units.items()) for units in named]
        return "dimflow.xarray.map_blocks", normalize_token(self.function), texts


def _planned(result: Any, wanted: Units) -> Any:
    """What a block gave, as plain numbers in the units of the template."""
    found = _units_of(result)
    for name in found.keys() - wanted.keys():
        problem = f"map_blocks: a block of {name!r} came in {found[name]}, the template has no unit"
        raise UnitError(problem, "give the template's variables their units")
    for name, unit in wanted.items():
        known = _variables(result).get(name)
        if known is not None and name not in found:
            problem = f"map_blocks: a block of {name!r} has no unit, the template is in {unit}"
            raise UnitError(problem, "return quantities, or a template of plain numbers")
    given = {name: unit for name, unit in wanted.items() if name in found}
    try:
        return _without(result.dimflow.to(given))
    except UnitConversionError as error:
        error.add_note("in map_blocks: a block came in another dimension than its template")
        raise


def _variables(value: Any) -> dict[Any, Any]:
    is_labelled = isinstance(value, (xr.DataArray, xr.Dataset))
    return value.dimflow._variables() if is_labelled else {}


def _units_of(value: Any) -> Units:
    """The units of quantities by name; none for what is not labelled."""
    found = {name: unit_of(variable) for name, variable in _variables(value).items()}
    return {name: unit for name, unit in found.items() if unit is not None}


def _without(value: Any) -> Any:
    return value.dimflow.drop_units() if _units_of(value) else value


def _with(value: Any, units: Units) -> Any:
    """Plain numbers as quantities, by name."""
    if not units:
        return value
    variables = _variables(value)
    changed = {
        name: variables[name].copy(deep=False, data=wrap(variables[name].data, unit))
        for name, unit in units.items()
        if name in variables
    }
    return value.dimflow._replaced(changed)
