"""Reductions that leave out every element that is nan."""

from typing import Any

import numpy as np

from dimflow import ops
from dimflow.ops.definitions import reductions as definitions
from dimflow.ops.domain import Sample
from dimflow.ops.families.reduce.parts import (
    flattening,
    masked,
    reducing,
    samples,
    with_initial,
    with_mask,
    with_nan,
)
from dimflow.ops.families.reduce.reductions import extreme_jvp, spread, sum_of_points, unknown_power
from dimflow.ops.rules import costs, dtypes, points
from dimflow.ops.rules.derivatives import DISCRETE, Jvp
from dimflow.ops.rules.shapes import reduced
from dimflow.ops.rules.units import Call, Resolved, any_to_plain, same, unit_rule
from dimflow.ops.table import composite, primitive


def _present(x: Any, where: Any) -> Any:
    """The mask of elements that count."""
    numbers = ops.logical_not(ops.isnan(x))
    return numbers if where is None else ops.logical_and(numbers, where)


def _masked_samples(rng: Any) -> list[Sample]:
    return [s._replace(args=s.args[:1] + s.args[2:]) for s in with_mask(rng)]


@composite(
    numpy="nansum",
    torch="nansum",
    arrays=("x", "initial", "where"),
    unit=masked(same),
    points=sum_of_points,
    domain=with_nan(with_mask),
)
def nansum(
    x: Any,
    /,
    axis: Any = None,
    dtype: Any = None,
    *,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Any:
    """The sum of elements that are not nan, along axes."""
    x = ops.where(ops.isnan(x), 0, x)
    return ops.sum(x, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)


@unit_rule
def _nanprod_unit(call: Call) -> Resolved:
    return unknown_power(call, "any nan changes")


@composite(
    numpy="nanprod",
    arrays=("x", "initial", "where"),
    unit=_nanprod_unit,
    points=points.refuse,
    domain=with_nan(with_mask),
)
def nanprod(
    x: Any,
    /,
    axis: Any = None,
    dtype: Any = None,
    *,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Any:
    """The product of elements that are not nan, along axes: pure numbers."""
    x = ops.where(ops.isnan(x), 1, x)
    return ops.prod(x, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)


@composite(
    numpy="nanmean",
    torch="nanmean",
    arrays=("x", "where"),
    unit=masked(same),
    points=points.blend,
    domain=with_nan(_masked_samples),
)
def nanmean(
    x: Any, /, axis: Any = None, dtype: Any = None, *, keepdims: bool = False, where: Any = None
) -> Any:
    """The mean of elements that are not nan, along axes."""
    return ops.mean(x, axis=axis, dtype=dtype, keepdims=keepdims, where=_present(x, where))


@composite(
    numpy="nanvar",
    arrays=("x", "mean", "where"),
    unit=spread(2),
    points=points.delta,
    domain=with_nan(with_mask),
)
def nanvar(
    x: Any,
    /,
    axis: Any = None,
    dtype: Any = None,
    ddof: Any = 0,
    *,
    keepdims: bool = False,
    mean: Any = None,
    where: Any = None,
) -> Any:
    """The variance of elements that are not nan, along axes."""
    present = _present(x, where)
    return ops.var(x, axis, dtype, ddof, keepdims=keepdims, mean=mean, where=present)


@composite(
    numpy="nanstd",
    arrays=("x", "mean", "where"),
    unit=spread(1),
    points=points.delta,
    domain=with_nan(with_mask),
)
def nanstd(
    x: Any,
    /,
    axis: Any = None,
    dtype: Any = None,
    ddof: Any = 0,
    *,
    keepdims: bool = False,
    mean: Any = None,
    where: Any = None,
) -> Any:
    """The standard deviation of elements that are not nan, along axes."""
    present = _present(x, where)
    return ops.std(x, axis, dtype, ddof, keepdims=keepdims, mean=mean, where=present)


for _name in ("max", "min"):
    primitive(
        f"nan{_name}",
        doc=f"The {_name}imum of elements that are not nan, along axes.",
        signature="x, /, axis=None, *, keepdims=False, initial=None, where=None",
        arrays=("x", "initial", "where"),
        unit=masked(same),
        points=points.keep,
        shape=reduced,
        dtype=with_initial(getattr(np, f"nan{_name}")),
        derivative=Jvp(extreme_jvp),
        batching=reducing,
        cost=costs.per_input(1),
        definition=getattr(definitions, f"nan{_name}"),
        domain=with_nan(samples),
    )
    primitive(
        f"nanarg{_name}",
        doc=f"The index of the first {_name}imum that is not nan, along an axis or when flat.",
        signature="x, /, axis=None, *, keepdims=False",
        unit=any_to_plain,
        points=points.free,
        shape=reduced,
        dtype=dtypes.index,
        derivative=DISCRETE,
        batching=flattening,
        cost=costs.per_input(1),
        definition=getattr(definitions, f"nanarg{_name}"),
        domain=with_nan(
            lambda rng: [s for s in samples(rng) if not isinstance(s.params["axis"], tuple)]
        ),
    )
