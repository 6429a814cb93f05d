"""Conversions of lazy arrays are put together: a chain of them is one, there and back is none."""

from typing import Any, NamedTuple

import numpy as np

from dimflow.backends.dask_blocks.notes import CONVERSION, note
from dimflow.ops.rules.convert import divided_by
from dimflow.units.conversion import Linear
from dimflow.units.scale import ONE

NOTE = "_dimflow_converted"  # where an array keeps it


class _Converted(NamedTuple):
    """From what an array was converted, by what. Assignment gives either array another name."""

    name: str
    source: Any
    source_name: str
    step: Linear


def converted(raw: Any, step: Linear) -> Any:
    """An array in another unit: from the array that it was itself converted from, if it was.

    So a chain of conversions is one, and there and back is none.
    """
    source, whole = raw, step
    known: _Converted | None = raw.__dict__.get(NOTE)
    if known is not None and (known.name, known.source_name) == (raw.name, known.source.name):
        together = _after(known.step, step)
        if together is not None:
            source, whole = known.source, together
    if whole.factor == ONE and not whole.offset:
        # What is assigned to the copy is not seen in the source; whole numbers become fractions.
        return copied(source.astype(np.result_type(raw.dtype, 1.0)))
    result = _linear(source, whole)
    result.__dict__[NOTE] = _Converted(result.name, source, source.name, whole)
    return result


def copied(raw: Any) -> Any:
    """Another array of the same blocks, with the note of what it was converted from."""
    copy = raw.copy()
    copy.__dict__.update({k: v for k, v in raw.__dict__.items() if k == NOTE})
    return copy


def _after(first: Linear, second: Linear) -> Linear | None:
    """Two steps in one; None where the shift of the first becomes no fraction."""
    if first.offset and not second.factor.is_rational:
        return None
    shift = first.offset * second.factor.fraction if first.offset else first.offset
    return Linear(first.factor * second.factor, shift + second.offset)


def _linear(raw: Any, step: Linear) -> Any:
    if step.factor != ONE:
        divides, number = divided_by(step.factor)
        raw = raw / number if divides else raw * number
        note(raw, CONVERSION, f"{'÷' if divides else '×'} {number:g}")
    if step.offset:
        raw = raw + float(step.offset)
        note(raw, CONVERSION, f"{float(step.offset):+g}")
    return raw
