"""NumPy's arrays with holes (np.ma): the numbers under a mask never come into a result.

They arrive as blocks of Dask's arrays, and as what is computed from these. `holes` says which ops
run on them; all others are refused.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from dimflow.backends.backend import Backend, Kernel
from dimflow.backends.holes import (
    BENEATH,
    FIRST,
    MOVED,
    function_of,
    has_holes,
    honours_masks,
    refuse_blind,
    refuse_holes,
    refuse_key,
    unknown_to,
)
from dimflow.backends.numpy import BACKEND as NUMPY
from dimflow.backends.numpy import NumPy
from dimflow.ops import Op


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
        if op.kind == "elementwise":
            ufunc = getattr(np, op.hosts.numpy or "", None)
            return ufunc if isinstance(ufunc, np.ufunc) else None
        function = function_of(op)
        return function and _taking(op, function)

    def _find(self, op: Op) -> Kernel:
        """What runs an op; it looks first where holes are."""
        if not honours_masks(op):
            refuse_blind(op.name)
        if op.name == "where":
            found: Kernel = _where
        elif op.name in MOVED:
            found = partial(_moved, op)
        elif op.name in BENEATH or (op.kind == "elementwise" and not self.host_function(op)):
            found = partial(_beneath, op)
        else:
            found = super()._find(op)

        def careful(args: tuple[Any, ...], params: dict[str, Any]) -> Any:
            refuse_holes(op, args, params)
            return found(args, params)

        return careful

    def getitem(self, raw: Any, key: Any) -> Any:
        """x[key]; a key with holes would be asked for what is under them."""
        refuse_key(key)
        return raw[key]

    def assign(self, raw: Any, key: Any, value: Any) -> None:
        """x[key] = value, in place, which fills holes."""
        refuse_key(key)
        super().assign(raw, key, value)

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
    dropped = unknown_to(op)

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **{k: v for k, v in kwargs.items() if k not in dropped})

    return call


def _beneath(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """An op of elements on the numbers, with a hole wherever an argument has one."""
    holes = np.zeros(np.broadcast_shapes(*[np.shape(a) for a in args if a is not None]), bool)
    for array in filter(has_holes, args):
        holes = holes | np.ma.getmaskarray(array)
    with np.errstate(all="ignore"):  # numbers under a mask may be anything
        result = NUMPY.run(op, tuple(map(_bare, args)), params)
    if op.outputs is None:
        return np.ma.MaskedArray(result, holes)
    return op.result_type(*(np.ma.MaskedArray(part, holes) for part in result))


def _where(args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """A hole where the condition has one, or the element that it picks is one."""
    where: Any = np.ma.where
    return where(*args)


def _moved(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """An op that arranges elements on the numbers, and on the mask."""
    arrays = args[: FIRST.get(op.name)]
    rest = args[len(arrays) :]
    numbers = NUMPY.run(op, (*map(_bare, arrays), *rest), params)
    holes = NUMPY.run(op, (*map(np.ma.getmaskarray, arrays), *rest), params)
    if not isinstance(numbers, (tuple, list)):
        return np.ma.MaskedArray(numbers, holes)
    return type(numbers)(map(np.ma.MaskedArray, numbers, holes))


def _bare(value: Any) -> Any:
    return np.ma.getdata(value) if has_holes(value) else value


BACKEND = Masked()
