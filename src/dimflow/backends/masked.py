"""NumPy's arrays with holes (np.ma): the numbers under a mask never come into a result.

They arrive as blocks of Dask's arrays, and as what is computed from these. An op runs by np.ma's
own function, by a ufunc, which carries masks along, or by its definition; what has none of these is
refused, since NumPy's other functions look under the mask.
"""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from dimflow.backends.backend import Backend
from dimflow.backends.numpy import BACKEND as NUMPY
from dimflow.backends.numpy import NumPy
from dimflow.errors import UnsupportedFunction
from dimflow.ops import Op


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Functions of np.ma that are called as NumPy's; others of its names look under the mask, or differ.
_OWN = _names(
    "all any argmax argmin argsort concatenate cumprod cumsum diag dot inner max mean median min"
    " outer prod ptp sort stack std sum trace var where"
)
# Functions of NumPy that call the array's own method, or are made of indexing.
_KEPT = _names(
    "astype copy diagonal expand_dims flip fliplr flipud moveaxis ones_like ravel repeat reshape"
    " roll rot90 squeeze swapaxes take transpose zeros_like"
)


class Masked(NumPy):
    """Raw values are np.ma.MaskedArrays; NumPy's arrays beside them have no holes."""

    name = "numpy.ma"
    rank = 1
    meets_numpy = True

    def own_kernel(self, op: Op) -> Callable[..., Any] | None:
        """None: those of NumPy's look under the mask."""
        return None

    def host_function(self, op: Op) -> Callable[..., Any] | None:
        """What knows masks; None where the op's definition is made of such."""
        name = op.hosts.numpy or ""
        if op.kind == "elementwise":
            ufunc = getattr(np, name, None)
            return ufunc if isinstance(ufunc, np.ufunc) else partial(_beneath, op)
        if name in _OWN or name in _KEPT:
            return _taking(op, getattr(np.ma if name in _OWN else np, name))
        if op.definition is None:
            hint = "fill the holes first: da.ma.filled(x, value)"
            raise UnsupportedFunction(op.name, "it would look at the numbers under a mask", hint)
        return None

    def holds(self, kind: type) -> bool:
        """Arrays with holes, and the one hole that np.ma gives for an element."""
        return issubclass(kind, np.ma.MaskedArray)

    def to_numpy(self, raw: Any) -> Any:
        """The array itself, with its holes."""
        return raw

    def beneath(self, raw: Any) -> Backend:
        """NumPy."""
        return NUMPY


def _taking(op: Op, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function called as the op is, without keywords that it does not have and nobody gave."""
    known = _keywords(function)
    defaults = _defaults(op)

    def call(*args: Any, **kwargs: Any) -> Any:
        given = {key: value for key, value in kwargs.items() if value is not None or key in known}
        for key in [key for key in given if key not in known]:
            if given.pop(key) != defaults.get(key):
                reason = f"{key}= has no meaning for an array with holes"
                raise UnsupportedFunction(op.name, reason, "fill them first: da.ma.filled(x, 0)")
        return function(*args, **given)

    return call


def _keywords(function: Callable[..., Any]) -> frozenset[str]:
    """The keywords of a function; of one of np.ma that calls a method, those of the method."""
    is_ours = not str(function.__module__).startswith("numpy.ma")
    found: Any = function if is_ours else getattr(np.ma.MaskedArray, function.__name__, function)
    return frozenset(inspect.signature(found).parameters) - {"out", "stable"}


def _beneath(op: Op, /, *args: Any, **params: Any) -> Any:
    """An elementwise op on the numbers, with a hole wherever an argument has one."""
    arrays = [a for a in args if isinstance(a, np.ma.MaskedArray)]
    shape = np.broadcast_shapes(*[np.shape(a) for a in args if a is not None])
    holes = np.zeros(shape, bool)
    for array in arrays:
        holes = holes | np.ma.getmaskarray(array)
    with np.errstate(all="ignore"):  # numbers under a mask may be anything
        bare = tuple(np.ma.getdata(a) if isinstance(a, np.ma.MaskedArray) else a for a in args)
        result = NUMPY.run(op, bare, {**_defaults(op), **params})
    if op.outputs is None:
        return np.ma.MaskedArray(result, holes)
    return op.result_type(*(np.ma.MaskedArray(part, holes) for part in result))


def _defaults(op: Op) -> dict[str, Any]:
    """The static parameters of an op as they are if nobody gives them."""
    parameters = op.signature.parameters.items()
    return {name: p.default for name, p in parameters if name not in op.array_names}


BACKEND = Masked()
