"""One physical world, spelled in plain numbers of metres or in columns of any unit of length."""

from typing import Any

import numpy as np
import pandas as pd

from dimflow import DimArray, Unit
from dimflow.array.core import Core
from dimflow.pandas import DimDtype, DimExtensionArray

# 381 m are 1250 ft, and these are equal to themselves in other units
A = [3429.0, 1143.0, np.nan, 4572.0, 1143.0, 5715.0]
B = [2286.0, 1143.0, 3429.0, np.nan, 5715.0, 4572.0]
# The unit of a world, that of the other columns in it, and the base unit of the plain numbers.
UNITS = {
    "km": ("ft", "m"),
    "ft": ("m", "m"),
    "degC": ("K", "K"),
    "degF": ("degC", "K"),
    "%": ("", ""),
}


class World:
    """What the programs name: `q` makes a quantity, the others are columns and tables."""

    def __init__(self, unit: str | None, bare: bool = False) -> None:
        self.unit = unit
        self.other, self.base = UNITS.get(unit, (None, None))
        self.bare = bare

    def q(self, number: Any) -> Any:
        """A quantity as users write it; a number in the plain world, or if bare ones are tried."""
        if self.unit is None or self.bare:
            return number
        return DimArray(number, self.base).to(self.unit)

    def many(self, count: int) -> Any:
        return self.q(np.arange(1.0, count + 1.0) * 1143)

    def column(self, numbers: Any, unit: str | None) -> Any:
        if unit is None:
            return pd.Series(numbers, name="a")
        return pd.Series(DimExtensionArray(numbers, self.base).to(unit), name="a")

    def names(self) -> dict[str, Any]:
        a, b = (self.column(v, self.unit) for v in (A, B))
        y = self.column(B, self.other)
        k = pd.Series(list("aababb"), name="k")
        n = pd.Series([1, 2, 1, 2, 1, 2], name="n")
        i, j = pd.Index(a), pd.Index(y)
        s, t = (pd.Index(c.dropna().sort_values().drop_duplicates()) for c in (a, y))
        x = pd.DataFrame({"a": a, "b": b})
        z = pd.DataFrame({"a": y, "b": self.column(A, self.other)})
        w = pd.DataFrame({"k": k, "a": a, "n": n})
        v = x.assign(b=b - b[1])  # values beside differences of such values
        z2 = x.rename(columns={"b": "c"})
        columns = {"a": a, "y": y, "k": k, "n": n, "i": i, "j": j, "s": s, "t": t}
        tables = {"table": x, "z": z, "z2": z2, "w": w, "v": v}
        functions = {"env": env, "days": days, "two": two, "changed": changed}
        makers = {"np": np, "pd": pd, "q": self.q, "many": self.many}
        return {**columns, **tables, **functions, **makers}


def env(table: Any, q: Any) -> Any:
    """`eval` and `query` look for `@five` where they are called."""

    class Calls:
        def eval(self, text: str) -> Any:
            five = q(500)  # noqa: F841
            return table.eval(text)

        def query(self, text: str) -> Any:
            five = q(500)  # noqa: F841
            return table.query(text)

    return Calls()


def days(x: Any) -> Any:
    return x.set_axis(pd.date_range("2001-01-01", periods=len(x)))


def two(x: Any) -> Any:
    return x.set_axis(pd.MultiIndex.from_product([["a", "b"], [0, 1, 2]]))


def changed(x: Any, change: Any) -> Any:
    x = x.copy()
    change(x)
    return x


def in_metres(value: Any) -> Any:
    """Any result as nested lists, with every quantity as its number in SI base units."""
    if isinstance(value, (pd.Series, pd.Index)) and not isinstance(value, pd.MultiIndex):
        if isinstance(value.dtype, pd.CategoricalDtype):
            return ["categories", in_metres(value.array.categories), list(value.array.codes)]
        _check_no_hidden_column(value)
        parts = [in_metres(value.array)]
        if isinstance(value, pd.Series):
            parts.append(in_metres(value.index))
        return ["column", in_metres(value.name), *parts]
    if isinstance(value, pd.DataFrame):
        columns = [in_metres(value.iloc[:, place]) for place in range(value.shape[1])]
        return ["table", in_metres(value.columns), in_metres(value.index), columns]
    if isinstance(value, DimExtensionArray):
        value = value.quantities
    if isinstance(value, (Core, DimArray)):
        return np.asarray(value.to_value(value.unit.to_base()), dtype=float).tolist()
    if isinstance(value, pd.Interval):
        return [in_metres(value.left), in_metres(value.right)]
    if isinstance(value, dict):
        return [[in_metres(key), in_metres(part)] for key, part in value.items()]
    if hasattr(value, "tolist") and np.ndim(value):
        value = list(value)
    if isinstance(value, (list, tuple, set, pd.Index)):
        return [in_metres(part) for part in value]
    if isinstance(value, (bool, np.bool_)):
        return float(value)
    if isinstance(value, (int, float, np.number)):
        return float(value)
    if value is None or value is pd.NA or value is pd.NaT:
        return np.nan
    if isinstance(value, (DimDtype, np.dtype, pd.api.extensions.ExtensionDtype, Unit)):
        return "a dtype"
    return value


def _check_no_hidden_column(column: Any) -> None:
    """Quantities of one dimension are a column with a unit, never one of objects."""
    if column.dtype != object:
        return
    found = [value for value in column if not (isinstance(value, float) and np.isnan(value))]
    are_ours = all(isinstance(value, DimArray) and not value.ndim for value in found)
    kinds = {(v.dimension, v.unit.delta is v.unit) for v in found} if are_ours else {}
    is_hidden = len(kinds) == 1  # points and their differences are two
    assert not is_hidden, f"quantities as a column of objects: {column!r}"


def same(left: Any, right: Any) -> bool:
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, float) and isinstance(right, float):
        return bool(np.isclose(left, right, rtol=1e-9, atol=1e-9, equal_nan=True))
    try:
        return bool(left == right) or (type(left) is type(right) and "object at" in repr(left))
    except ValueError:  # arrays of masks
        return False
