"""What is written beside the layers of a graph for people to read: units, and what converts them.

Dask shows it with the layer's shape and dtype, and nothing ever computes with it.
"""

from typing import Any

from dask.array.core import Array  # not that of expressions, which makes its graph when asked

UNIT = "unit"
CONVERSION = "conversion"
_APART = " | "


def note(raw: Any, topic: str, text: str) -> None:
    """Write something beside the layer that an array is made by.

    An array may be given several units (`x.data * units.s`); all of them are noted.
    """
    if type(raw) is not Array:
        return
    layers: Any = getattr(raw.dask, "layers", None)
    layer = layers.get(raw.name) if layers else None
    notes = None if layer is None else layer.collection_annotations
    if notes is None:
        return
    known = notes.get(topic)
    if known is None:
        notes[topic] = text
    elif known != text and text not in known.split(_APART):
        notes[topic] = known + _APART + text
