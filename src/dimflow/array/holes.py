"""Arrays with holes: a hole is no number, and only functions run on them that honour masks."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dimflow.array.core import Core
from dimflow.backends import backend_of
from dimflow.backends.holes import has_holes, refuse_blind
from dimflow.backends.reading import note_read
from dimflow.errors import NotANumber
from dimflow.ops.rules.convert import lazily


def visible(raw: Any, operation: str, *index: int) -> Any:
    """A raw array, after a look whether the element that is asked for is a hole.

    One in blocks is computed for it, since Dask would give the number under the mask.
    """
    if type(raw) is np.ndarray or not (has_holes(raw) or type(raw) in lazily):
        note_read(operation)
        return raw
    if not index and raw.size != 1:
        return raw  # which is no number anyway
    numbers = backend_of(raw).to_numpy(raw)
    if not has_holes(numbers):
        return numbers
    if np.ma.getmaskarray(numbers).item(*index):
        got = "a hole (say what stands there: da.ma.filled(x, value))"
        raise NotANumber(operation, got)
    return numbers


def without_holes(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that refuses arrays with holes, however deep in lists they are."""

    def call(*args: Any, **kwargs: Any) -> Any:
        _look(name, (args, kwargs))
        return function(*args, **kwargs)

    return call


def _look(name: str, value: Any) -> None:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for part in value:
            _look(name, part)
    elif has_holes(value._raw if isinstance(value, Core) else value):
        refuse_blind(name)
