"""The table of operations: every op is one record with all its rules side by side.

    from dimflow import ops
    ops.hypot(3.0, 4.0)         # runs on the values' own array library
    ops.hypot.unit              # its rules are fields
    ops.TABLE                   # all of them, by name

A new op is one new entry in the file of its family; nothing else changes.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dimflow.ops.record import Op
from dimflow.ops.table import RECORDS, composite, elementwise, primitive

if TYPE_CHECKING:
    TABLE: dict[str, Op]

__all__ = ["FAMILIES", "TABLE", "Op", "composite", "elementwise", "get", "primitive"]

# The order in which a name is looked for; those of Python's operators come first. Rules name other
# ops when they run, not when they load, so no family needs another to be there.
FAMILIES = (
    "elementwise.arithmetic",
    "elementwise.signs",
    "elementwise.comparison",
    "elementwise.logic",
    "elementwise.powers",
    "elementwise.extremes",
    "elementwise.complex_numbers",
    "elementwise.floating_point",
    "elementwise.exponentials",
    "elementwise.trigonometry",
    "elementwise.rounding",
    "elementwise.special",
    "elementwise.bessel",
    "reduce.reductions",
    "reduce.nan_reductions",
    "reduce.scans",
    "reduce.statistics",
    "reduce.quantiles",
    "reduce.histograms",
    "reduce.segments",
    "shape.shaping",
    "shape.joining",
    "shape.repeating",
    "shape.padding",
    "shape.creation",
    "index.indexing",
    "index.searching",
    "index.sorting",
    "linalg.linear_algebra",
    "linalg.solving",
    "linalg.determinants",
    "linalg.matrix_functions",
    "linalg.decompositions",
    "linalg.eigenvalues",
    "linalg.norms",
    "fourier",
    "calculus",
    "convolution.convolution",
    "convolution.pooling",
    "composite.activations",
    "composite.normalization",
    "sampling",
)


def get(name: str) -> Op:
    """The op of a name. Families are read as far as they are needed to find it."""
    found = RECORDS.get(name)
    if found is not None:
        return found
    for family in FAMILIES:
        import_module(f"dimflow.ops.families.{family}")
        if name in RECORDS:
            return RECORDS[name]
    raise KeyError(name)


def __getattr__(name: str) -> Any:
    if name == "TABLE":
        for family in FAMILIES:
            import_module(f"dimflow.ops.families.{family}")
        globals()["TABLE"] = RECORDS
        return RECORDS
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return get(name)
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None


def __dir__() -> list[str]:
    return sorted([*__all__, *__getattr__("TABLE")])
