"""Extremes: the larger or smaller of two. Values are picked, so points on a scale stay points."""

from typing import Any

from dimflow import ops
from dimflow.ops.definitions import elementwise as elements
from dimflow.ops.domain import Sample
from dimflow.ops.rules import dtypes, points, shapes
from dimflow.ops.rules.units import same
from dimflow.ops.table import composite, elementwise


def _above(x: Any, y: Any) -> Any:
    """1 where x is above y, 0 where below; equals share."""
    return ops.heaviside(x - y, 0.5)


def _alone(x: Any, y: Any, picked: Any) -> Any:
    """Whether x is picked, where a nan leaves everything to its partner."""
    clean = picked(ops.where(ops.isnan(x), y, x), ops.where(ops.isnan(y), x, y))
    return ops.where(ops.isnan(y), 1.0, ops.where(ops.isnan(x), 0.0, clean))


def _below(x: Any, y: Any) -> Any:
    return _above(y, x)


for name, word, picked, symbol, onnx in (
    ("maximum", "larger", _above, ">", "Max"),
    ("minimum", "smaller", _below, "<", "Min"),
):
    elementwise(
        name,
        doc=f"The {word} of two; nan if either is.",
        unit=same,
        points=points.keep,
        partials=(
            lambda out, x, y, picked=picked: picked(x, y),
            lambda out, x, y, picked=picked: picked(y, x),
        ),
        expr=f"y if y {symbol} x or isnan(y) else x",
        domain=((-2.0, 2.0), (-2.0, 2.0)),
        array_api=name,
        torch=name,
        onnx=onnx,
        laws=("commutative", "associative"),
    )

for name, word, picked in (("fmax", "larger", _above), ("fmin", "smaller", _below)):
    elementwise(
        name,
        doc=f"The {word} of two; nan only if both are.",
        unit=same,
        points=points.keep,
        partials=(
            lambda out, x, y, picked=picked: _alone(x, y, picked),
            lambda out, x, y, picked=picked: _alone(y, x, picked),
        ),
        expr=f"{name}(x, y)",
        definition=getattr(elements, name),
        domain=((-2.0, 2.0), (-2.0, 2.0)),
        torch=name,
        laws=("commutative", "associative"),
    )


def _clip_samples(rng: Any) -> list[Sample]:
    x = rng.uniform(-2.0, 2.0, (2, 3))
    low, high = rng.uniform(-1.0, -0.5, 3), rng.uniform(0.5, 1.0)
    return [
        Sample((x, low, high)),
        Sample((x, None, high)),
        Sample((x, low, None)),
    ]


@composite(
    arrays=("x", "min", "max"),
    unit=same,
    points=points.keep,
    shape=shapes.broadcast,
    dtype=dtypes.promoted,
    numpy="clip",
    array_api=("clip", None),
    torch="clamp",
    onnx="Clip",
    domain=_clip_samples,
)
def clip(x: Any, /, min: Any = None, max: Any = None) -> Any:
    """x, or the end that it lies beyond; either end may be left out."""
    if min is not None:
        x = ops.maximum(x, min)
    if max is not None:
        x = ops.minimum(x, max)
    return x if min is not None or max is not None else ops.positive(x)
