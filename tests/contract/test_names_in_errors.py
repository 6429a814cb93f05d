"""An error names the function that the user called, never a rule or a part of it.

Functions are called with each argument in turn in a unit that does not fit, and with points.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import dimflow
from dimflow import DimArray, ops
from dimflow.errors import DimensionError, PointError, UnitChoiceError, UnitConversionError
from tests.array import numpy_walk
from tests.array.numpy_recipes import PURE_RECIPES, RECIPES
from tests.contract.samples import Case, cases
from tests.torch import walk

RECIPES_OF_NUMPY = {**RECIPES, **PURE_RECIPES}
UNITS = [("m", "kg"), ("", "kg"), ("m", ""), ("degC", "m"), ("m", "degC"), ("degC", "degC")]
ODD = range(3)  # the argument that does not fit


class Maker:
    """Makes quantities in one unit, but for one of them."""

    is_raw = False
    like = {"like": DimArray(1.0, "m")}

    def __init__(self, unit: str, other: str, odd: int) -> None:
        self.unit, self.other, self.odd = unit, other, odd
        self.count = 0

    def __call__(self, values: Any) -> DimArray:
        self.count += 1
        return DimArray(np.asarray(values), self.other if self.count - 1 == self.odd else self.unit)


def makers() -> Iterator[Maker]:
    for unit, other in UNITS:
        for odd in ODD:
            yield Maker(unit, other, odd)


def named(call: Callable[[], Any]) -> str | None:
    """The first line of an error about units; None without one."""
    try:
        call()
    except UnitConversionError:
        return None  # it names both units
    except (DimensionError, PointError, UnitChoiceError) as error:
        return str(error).partition("\n")[0]
    except Exception:
        return None  # the library's own: of shapes and dtypes
    return None


def check(names: set[str], found: set[str | None]) -> None:
    for line in found - {None}:
        assert names & set(re.findall(r"\w+", str(line))), line


@pytest.mark.parametrize("name", sorted(RECIPES_OF_NUMPY))
def test_of_numpys_functions(name: str) -> None:
    function, found = numpy_walk.function(name), set()

    def watched(*args: Any, **kwargs: Any) -> Any:
        """The function itself: a recipe may compute with its result."""
        found.add(named(lambda: function(*args, **kwargs)))
        return function(*args, **kwargs)

    for one, other in [*zip(makers(), makers(), strict=True)]:
        named(lambda one=one, other=other: RECIPES_OF_NUMPY[name](watched, one, other))
    check({name.rpartition(".")[2]}, found)


def public(op: ops.Op) -> Callable[..., Any] | None:
    place = getattr(dimflow, op.namespace) if op.namespace else dimflow
    return getattr(place, op.name, None)


def quantities(case: Case, make: Maker) -> tuple[Any, ...]:
    return tuple(None if a is None else make(a) for a in case.args)


@pytest.mark.parametrize("name", [op.name for op in ops.TABLE.values() if public(op)])
def test_of_our_functions(name: str) -> None:
    op = ops.get(name)
    function = public(op)
    found = {
        named(lambda case=case, make=make: op.call(function, quantities(case, make), case.params))
        for case in cases(name)[:2]
        for make in makers()
    }
    check({name}, found)


LONGER = {"cumsum": "cumulative_sum", "cumprod": "cumulative_prod"}
OPERATORS = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "//": "floor_divide",
    "%": "remainder",
    "**": "pow",
    "@": "matmul",
    "<": "less",  # Python asks the other side by its mirror image: y < x is x > y
    ">=": "greater_equal",
}
METHODS = [n for n in dir(DimArray) if n[0] != "_" and callable(getattr(DimArray, n))]


@pytest.mark.parametrize("name", METHODS)
def test_of_methods(name: str) -> None:
    found = {
        named(lambda x=x, args=args: getattr(x.copy(), name)(*args))
        for x in (DimArray([[2.0, 1.0], [1.0, 3.0]], u) for u in ("m", "kg", "", "degC", "dBm"))
        for args in ((), (1 * dimflow.units.s,), (DimArray([1.0, 2.0], "s"),), ([0.5],))
    }
    check({name, LONGER.get(name, name)}, found)


def forms(symbol: str) -> list[str]:
    if symbol[0] in "<>":
        return [f"x {symbol} y"]
    return [f"x {symbol} y", f"y {symbol} x", f"x {symbol}= y"]


@pytest.mark.parametrize(("symbol", "name"), OPERATORS.items())
def test_of_operators(symbol: str, name: str) -> None:
    found = {
        named(lambda x=x, y=y, code=code: exec(code, {"x": x.copy(), "y": y}))
        for x in (DimArray([2.0, 1.0], u) for u in ("m", "kg", "", "degC", "dBm"))
        for y in (DimArray([2.0, 1.0], "m"), 3.0, DimArray(1.0, "degC"), [1.0, 2.0])
        for code in forms(symbol)
    }
    check({name}, found)


# PyTorch's data base names variants (norm.nuc), and computes with samples before some calls.
MODULES = {"nn", "functional", "linalg", "special"}
COMPOSED = ("masked.", "pca_lowrank", "svd_lowrank", "__rdiv__", "linalg.pinv.singular")
NAMES = [n for n in sorted(walk.functions()) if not n.startswith(COMPOSED)]


@pytest.mark.share(4)
@pytest.mark.parametrize("name", NAMES)
def test_of_pytorchs_functions(name: str) -> None:
    op = walk.functions()[name]
    found = set()
    for unit, other in UNITS[::2] + UNITS[-1:]:
        for odd in ODD[:2]:
            units = [(unit, 1)] * odd + [(other, 1), (unit, 1)]
            for sample in walk.samples(name, 1):
                make = walk.Quantities(*units)
                found.add(named(lambda s=sample, m=make: walk.called(op.op, s, m)))
    check({*name.split(".")} - MODULES, found)
