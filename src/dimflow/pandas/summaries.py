"""Sums, means and running totals of columns and groups.

The numbers are pandas' own, so gaps count as they do everywhere in it; the unit of the result, and
whether there is one at all, is what the table says of the same operation.
"""

from typing import Any

import numpy as np
import pandas as pd

from dimflow import ops
from dimflow.array import DimArray
from dimflow.errors import UnsupportedFunction
from dimflow.ops.rules.units import PURE
from dimflow.pandas.scalar import DimScalar
from dimflow.units.alike import is_number

# The op whose unit rule a summary of pandas follows; None for plain numbers.
_RULES: dict[str, Any] = {
    "sum": "sum",
    "mean": "mean",
    "median": "median",
    "min": "min",
    "max": "max",
    "std": "std",
    "sem": "std",
    "var": "var",
    "prod": "prod",
    "cumsum": "cumulative_sum",
    "cumprod": "cumulative_prod",
    "cummin": "min",
    "cummax": "max",
    "quantile": "median",
    "any": None,
    "all": None,
    "skew": None,
    "kurt": None,
    "count": None,
    "rank": None,
    "idxmin": None,
    "idxmax": None,
    "argmin": None,
    "argmax": None,
    "nunique": None,
    "first": "min",  # a value of the column, as the least of them is
    "last": "min",
}

_COUNTING = frozenset(("any", "all", "argmin", "argmax"))  # whose results are no floats

# Ways to fill gaps that repeat a value which is there, so that anything may be filled by them.
_REPEATING = frozenset(("nearest", "zero"))


class Summaries:
    """What pandas asks of a column in reductions, running totals and groups."""

    _quantities: DimArray
    _of: Any
    _raw: Any
    _unit: Any

    def _unit_of(self, name: str, length: int = 1) -> Any:
        """The unit of a summary; an error of ours where there is none."""
        if name not in _RULES:
            reason = "dimflow does not know its unit"
            raise UnsupportedFunction(f"{name} of a column", reason, self._as_numbers())
        rule = _RULES[name]
        if rule is None:
            return None
        sample = np.ones(length if name == "prod" else 1)  # no other rule looks at the length
        return ops.get(rule)(DimArray(sample, self._unit)).unit

    def _as_numbers(self) -> str:
        """The hint of what takes plain numbers alone."""
        return f"take the numbers first: series.dimflow.to_value({str(self._unit)!r})"

    def _reduce(
        self, name: str, *, skipna: bool = True, keepdims: bool = False, **kwargs: Any
    ) -> Any:
        numbers = pd.Series(self._raw, copy=False)
        length = int(numbers.count()) if skipna else len(numbers)
        unit = self._unit_of(name, length)
        if name == "count":
            value = numbers.count()
        elif name in _COUNTING:
            value = getattr(numbers, name)(skipna=skipna)
        else:
            if name in ("min", "max"):
                kwargs.pop("min_count", None)
            value = getattr(numbers, name)(skipna=skipna, **_fitting(name, kwargs))
        if keepdims:
            if name == "count" or name in _COUNTING:
                return np.array([value])
            return self._of(DimArray(np.array([value], dtype=float), unit or PURE))
        return value if unit is None or np.isnan(value) else DimScalar(value, unit)

    def _factors(self, name: str) -> Any:
        """The column whose numbers a product multiplies: 50 % are 0.5."""
        is_product = name in ("prod", "cumprod") and is_number(self._unit)
        return self.to("") if is_product else self  # type: ignore[attr-defined]

    def _accumulate(self, name: str, *, skipna: bool = True, **kwargs: Any) -> Any:
        self = self._factors(name)
        unit = self._unit_of(name)
        running = getattr(pd.Series(self._raw, copy=False), name)(skipna=skipna)
        return self._of(DimArray(running.to_numpy(), unit))

    def _unit_at(self, interpolation: str) -> Any:
        """The unit of a quantile; an error of ours where nothing is between two values."""
        sample = DimArray(np.ones(2), self._unit)
        return ops.quantile(sample, 0.5, method=interpolation).unit

    def _quantile(self, qs: Any, interpolation: str) -> Any:
        unit = self._unit_at(interpolation)
        found = pd.Series(self._raw, copy=False).quantile(np.asarray(qs), interpolation)
        return self._of(DimArray(found.to_numpy(), unit))

    def _unit_between(self, method: str) -> Any:
        """The unit of values between others; an error of ours where there are none."""
        sample = DimArray(np.ones(2), self._unit)
        if method in _REPEATING:
            return sample.unit
        return ops.interp(0.5, np.array([0.0, 1.0]), sample).unit

    def _rank(self, **options: Any) -> Any:
        options.pop("axis", None)
        return pd.Series(self._raw, copy=False).rank(**options).to_numpy()

    def round(self, decimals: int = 0, *args: Any, **kwargs: Any) -> Any:
        """Rounded in the column's own unit, which is in sight and stays."""
        return self._of(DimArray(np.round(self._raw, decimals), self._unit))

    def _groupby_op(
        self,
        *,
        how: str,
        has_dropped_na: bool,
        min_count: int,
        ngroups: int,
        ids: Any,
        **kwargs: Any,
    ) -> Any:
        if how in ("first", "last", "nth"):
            return super()._groupby_op(  # type: ignore[misc]
                how=how,
                has_dropped_na=has_dropped_na,
                min_count=min_count,
                ngroups=ngroups,
                ids=ids,
                **kwargs,
            )
        if how == "prod" and not is_number(self._unit):
            reason = "groups of different sizes would have different units"
            raise UnsupportedFunction("prod of groups", reason, "divide by a reference value first")
        self = self._factors(how)
        unit = self._unit_of(how)
        numbers = pd.Series(self._raw, copy=False)
        grouped = numbers.where(ids >= 0).groupby(np.where(ids >= 0, ids, np.nan))
        options = _fitting(how, {**kwargs, "min_count": min_count})
        if how in ("cumsum", "cumprod", "cummin", "cummax", "rank"):
            found = getattr(grouped, how)(**options).to_numpy()
        elif how in ("idxmin", "idxmax"):  # places, which are the labels of `numbers`
            places = getattr(grouped, how)(**options).reindex(range(ngroups))
            found = places.fillna(-1).to_numpy(dtype=np.intp)
        else:
            found = getattr(grouped, how)(**options).reindex(range(ngroups)).to_numpy()
        return found if unit is None else self._of(DimArray(found, unit))


_OPTIONS = {
    "sum": ("min_count", "skipna"),
    "prod": ("min_count", "skipna"),
    "min": ("min_count", "skipna"),
    "max": ("min_count", "skipna"),
    "std": ("ddof", "skipna"),
    "var": ("ddof", "skipna"),
    "sem": ("ddof", "skipna"),
    "idxmin": ("skipna",),
    "idxmax": ("skipna",),
    "rank": ("ties_method", "ascending", "na_option", "pct"),
}


def _fitting(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options that a summary takes."""
    known = _OPTIONS.get(name, ())
    taken = {key: value for key, value in options.items() if key in known and value is not None}
    if "ties_method" in taken:
        taken["method"] = taken.pop("ties_method")
    return taken


def _method(name: str) -> Any:
    def method(self: Any, *, skipna: bool = True, **options: Any) -> Any:
        return self._reduce(name, skipna=skipna, **options)

    method.__name__ = name
    method.__doc__ = f"The {name} of the column."
    return method


_ELSEWHERE = ("quantile", "rank", "nunique", "first", "last")
for _name in _RULES:
    if not _name.startswith(("cum", "idx", "arg")) and _name not in _ELSEWHERE:
        setattr(Summaries, _name, _method(_name))
