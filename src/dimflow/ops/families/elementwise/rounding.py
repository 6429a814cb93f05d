"""Rounding: to whole numbers of a unit, so the unit must be chosen, or the number be pure."""

from typing import Any

from dimflow.ops.definitions import elementwise as elements
from dimflow.ops.rules import dtypes, points
from dimflow.ops.rules.derivatives import STEPS
from dimflow.ops.rules.units import chosen
from dimflow.ops.standard import adapters
from dimflow.ops.table import AS_EXPRESSED, elementwise


def _whole(given: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """As np.round: integers stay what they are; a boolean is rounded as half precision."""
    import numpy as np

    found = dtypes.result_type(given)
    return np.dtype(np.float16) if found.kind == "b" else found


for name, doc, expr, array_api, torch, onnx in (
    ("floor", "The largest whole number that is not above x.", "floor(x)", True, True, "Floor"),
    ("ceil", "The smallest whole number that is not below x.", "ceil(x)", True, True, "Ceil"),
    ("trunc", "x without its fraction.", "trunc(x)", True, True, None),
    ("rint", "The nearest whole number, the even one of two.", "rint(x)", False, False, "Round"),
    ("fix", "x without its fraction: another name of trunc.", "trunc(x)", False, False, None),
):
    elementwise(
        name,
        doc=doc,
        signature="x, /, *, unit=None",
        unit=chosen,
        points=points.keep,
        partials=STEPS,
        expr=expr,
        domain=(-5.0, 5.0),
        dtype=dtypes.ufunc("trunc") if name == "fix" else None,
        definition=elements.rint if name == "rint" else AS_EXPRESSED if name == "fix" else None,
        array_api=name if array_api else None,
        torch=name if torch else None,
        onnx=onnx,
        laws=("idempotent",),
        unit_dependent=True,
    )

elementwise(
    "round",
    doc="The nearest number of so many decimals, the even one of two.",
    signature="x, /, decimals=0, *, unit=None",
    unit=chosen,
    points=points.keep,
    partials=STEPS,
    expr="rint(x * 10.0 ** decimals) / 10.0 ** decimals",
    domain=(-5.0, 5.0),
    dtype=_whole,
    array_api=("round", adapters.rounded),
    torch="round",
    laws=("idempotent",),
    unit_dependent=True,
)
