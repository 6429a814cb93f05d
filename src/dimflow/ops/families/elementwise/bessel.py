"""Bessel functions of order 0 and 1, of pure numbers."""

from typing import Any

from dimflow import ops
from dimflow.ops.definitions import bessel as definitions
from dimflow.ops.rules import dtypes
from dimflow.ops.rules.units import pure_to_pure
from dimflow.ops.table import elementwise


def _over(out: Any, x: Any) -> Any:
    """out / x for a function that goes as x/2 through 0."""
    return ops.where(x == 0, 0.5, out / ops.where(x == 0, 1.0, x))


# samples lie between two roots, where a relative error has a meaning
for name, slope, domain, torch in (
    ("j0", lambda out, x: -ops.bessel_j1(x), (2.7, 5.3), "special.bessel_j0"),
    ("j1", lambda out, x: ops.bessel_j0(x) - _over(out, x), (0.5, 3.6), "special.bessel_j1"),
    ("y0", lambda out, x: -ops.bessel_y1(x), (7.3, 10.0), "special.bessel_y0"),
    ("y1", lambda out, x: ops.bessel_y0(x) - out / x, (2.5, 5.2), "special.bessel_y1"),
):
    elementwise(
        f"bessel_{name}",
        doc=f"The Bessel function of the {'first' if name[0] == 'j' else 'second'} kind, "
        f"of order {name[1]}.",
        unit=pure_to_pure,
        partials=(slope,),
        expr=f"bessel_{name}(x)",
        definition=getattr(definitions, f"bessel_{name}"),
        domain=domain,
        numpy="",
        torch=torch,
        namespace="special",
        flops=80,
    )

for name, slope, scaled in (
    ("i0", lambda out, x: ops.bessel_i1(x), ""),
    ("i1", lambda out, x: ops.bessel_i0(x) - _over(out, x), ""),
    ("i0e", lambda out, x: ops.bessel_i1e(x) - ops.sign(x) * out, "exp(-abs(x)) * "),
    (
        "i1e",
        lambda out, x: ops.bessel_i0e(x) - _over(out, x) - ops.sign(x) * out,
        "exp(-abs(x)) * ",
    ),
):
    elementwise(
        f"bessel_{name}",
        doc=f"The modified Bessel function of the first kind, of order {name[1]}"
        + (", times exp(-abs(x))." if scaled else "."),
        unit=pure_to_pure,
        partials=(slope,),
        expr=f"{scaled}bessel_{name[:2]}(x)",
        definition=getattr(definitions, f"bessel_{name}"),
        domain=(0.5, 12.0),
        numpy="i0" if name == "i0" else "",
        dtype=dtypes.floating,
        torch=f"special.{name}",
        namespace="special",
        flops=80,
    )
