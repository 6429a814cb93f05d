"""NumPy's functions on lazy arrays, where they are to do more than run an op.

Most follow the op of the table, as for every library. These look at shapes and dtypes alone, make
arrays like a lazy one, write into one, or would need the numbers to answer.
"""

from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from dimflow import ops
from dimflow.array.core import Core
from dimflow.array.dimarray import wrap
from dimflow.array.numpy_host.comparing import is_comparable, isclose
from dimflow.array.numpy_host.functions import array_function, name_of
from dimflow.array.numpy_host.making import FUNCTIONS as MAKING
from dimflow.array.numpy_host.parts import Handler, mapped, named
from dimflow.dask.host.blindness import refuse_blind
from dimflow.dask.host.making import FUNCTIONS as DASKS_MAKING
from dimflow.dask.host.measuring import is_number
from dimflow.dask.host.patches import explained, is_within, with_units
from dimflow.dask.host.targets import written
from dimflow.errors import UnsupportedFunction
from dimflow.ops.rules.convert import lazily
from dimflow.ops.rules.units import PURE

FUNCTIONS: dict[str, Handler] = {}


def asked(array: Any, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """What NumPy calls: `DaskDimArray.__array_function__`."""
    name = name_of(function)
    handler = FUNCTIONS.get(name) or partial(_in_general, array, function, types)
    return explained(f"np.{name}", handler, args, kwargs)


def _in_general(array: Any, function: Any, types: Any, *args: Any, **kwargs: Any) -> Any:
    return array_function(array, function, types, args, kwargs)


_DASKS = (
    *("apply_along_axis", "bincount", "histogram2d", "histogramdd", "piecewise"),
    *("unique", "unravel_index", "lib.stride_tricks.sliding_window_view"),
)
FUNCTIONS.update({name: partial(with_units, name) for name in _DASKS})


@named(FUNCTIONS, "histogram")
def _histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """Between the lowest and the highest value, which stay as lazy as the counts."""
    if range is None and is_number(bins) and not isinstance(bins, str):
        range = (ops.min(a), ops.max(a))
    return with_units("histogram", a, bins, range, False, weights, density)


@named(FUNCTIONS, "choose")
def _choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    if mode != "raise":
        reason = f"mode={mode!r} has a meaning for NumPy's own arrays only"
        raise UnsupportedFunction("np.choose", reason, "leave it away")
    result = with_units("choose", a, choices)
    return result if out is None else written(out, result, "np.choose")


# Shapes and dtypes


def standing_in(array: Any, *, is_one: bool = False) -> Any:
    """An array of NumPy's of the same shape and dtype, which takes no memory and has no values."""
    raw = array._raw
    if not isinstance(raw, da.Array):
        return raw
    if any(length != length for length in raw.shape):
        reason = "a length is not known before the array is computed"
        raise UnsupportedFunction("this function of NumPy", reason, "x.compute_chunk_sizes() first")
    shape = (1,) if is_one else raw.shape
    return np.broadcast_to(np.zeros((), raw.dtype), shape)


_ASKED = (
    *("common_type", "diag_indices_from", "einsum_path", "isrealobj", "may_share_memory"),
    *("shares_memory", "size", "tril_indices_from", "triu_indices_from"),
)


def _asked(name: str) -> Handler:
    function = getattr(np, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*mapped(args, standing_in), **mapped(kwargs, standing_in))

    return call


FUNCTIONS.update({name: _asked(name) for name in _ASKED})


@named(FUNCTIONS, "min_scalar_type")
def _min_scalar_type(a: Any) -> Any:
    """Its dtype: a lazy array without axes is not asked for its value."""
    return np.min_scalar_type(standing_in(a, is_one=True))


def _text(name: str) -> Handler:
    """What is known without the numbers, so that options about these have no meaning."""
    return lambda a, *args, **kwargs: repr(a)


FUNCTIONS.update({name: _text(name) for name in ("array2string", "array_repr", "array_str")})


# Comparison of whole arrays


@named(FUNCTIONS, "array_equal")
def _array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    """Lazy, as the arrays are; False at once where shapes or dimensions differ."""
    if not is_comparable(a1, a2) or np.shape(_known(a1)) != np.shape(_known(a2)):
        return False
    return _all_equal(a1, a2, equal_nan)


@named(FUNCTIONS, "array_equiv")
def _array_equiv(a1: Any, a2: Any) -> Any:
    if not is_comparable(a1, a2):
        return False
    try:
        np.broadcast_shapes(np.shape(_known(a1)), np.shape(_known(a2)))
    except ValueError:
        return False
    return _all_equal(a1, a2, False)


def _known(value: Any) -> Any:
    return standing_in(value) if isinstance(value, Core) else value


def _all_equal(a: Any, b: Any, equal_nan: bool) -> Any:
    equal = ops.equal(a, b)
    if equal_nan:
        equal = ops.logical_or(equal, ops.logical_and(ops.isnan(a), ops.isnan(b)))
    return ops.all(equal)


@named(FUNCTIONS, "allclose")
def _allclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = None, equal_nan: bool = False) -> Any:
    """Lazy, as the arrays are."""
    return ops.all(isclose(a, b, rtol, atol, equal_nan))


# Arrays like a lazy one

_FROM_ARRAYS = ("array", "asanyarray", "asarray", "ascontiguousarray", "asfortranarray", "require")


def _made(name: str) -> Handler:
    general = MAKING[name]

    def call(*args: Any, **kwargs: Any) -> Any:
        _refuse_lazy(name, (*args, *kwargs.values()))
        made = general(*args, **kwargs)
        return with_units("asarray", made) if isinstance(made, Core) else made

    return call


def _from_array(name: str) -> Handler:
    general = _made(name)

    def call(a: Any, dtype: Any = None, **kwargs: Any) -> Any:
        if not isinstance(a, Core) or type(a._raw) not in lazily:
            return general(a, dtype, **kwargs)
        refuse_blind(a)
        if any(value is not None for key, value in kwargs.items() if key != "copy"):
            reason = "an order in memory has a meaning for NumPy's own arrays only"
            raise UnsupportedFunction(f"np.{name}", reason, "leave it away")
        return DASKS_MAKING["asarray"](a, dtype=dtype)

    return call


def _refuse_lazy(name: str, values: tuple[Any, ...]) -> None:
    """How long an array is must be known before anything is computed."""
    found: list[Any] = []
    mapped(values, found.append)
    if any(type(array._raw) in lazily for array in found):
        reason = "how long its result is must be known before anything is computed"
        raise UnsupportedFunction(f"np.{name}", reason, "compute its arguments: x.compute()")


FUNCTIONS.update({name: _made(name) for name in MAKING if name not in ("full", *_FROM_ARRAYS)})
FUNCTIONS.update({name: _from_array(name) for name in _FROM_ARRAYS})


@named(FUNCTIONS, "full")
def _full(shape: Any, fill_value: Any, dtype: Any = None, **kwargs: Any) -> Any:
    """One quantity many times, in blocks; how they lie in memory has no meaning."""
    kwargs.pop("order", None)
    value = fill_value if is_within((fill_value,)) else wrap(np.asarray(fill_value), PURE)
    return DASKS_MAKING["full"](shape, value, dtype=dtype, **kwargs)


# Writing


@named(FUNCTIONS, "copyto")
def _copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    """The array stands for other blocks from now on; arrays made from it before do not change."""
    if casting != "same_kind" or not _is_lazy(dst):
        _refuse_writing("copyto")
    dst[...] = src if where is True else ops.where(where, src, dst)


@named(FUNCTIONS, "putmask")
def _putmask(a: Any, mask: Any, values: Any) -> None:
    """Values of the shape of the array, or one value for all: others NumPy repeats by position."""
    if not _is_lazy(a) or np.shape(values) not in ((), tuple(a.shape)):
        _refuse_writing("putmask")
    a[...] = ops.where(mask, values, a)


def _is_lazy(array: Any) -> bool:
    return isinstance(array, Core) and type(array._raw) in lazily


def _refuse_writing(name: str) -> Any:
    reason = "it writes into memory, and a lazy array has none"
    hint = "assign in place, x[key] = y, or make a new array: x = x.at[key].set(y)"
    raise UnsupportedFunction(f"np.{name}", reason, hint)


def _unwritable(name: str) -> Handler:
    return lambda *args, **kwargs: _refuse_writing(name)


_WRITING = ("fill_diagonal", "place", "put", "put_along_axis")
FUNCTIONS.update({name: _unwritable(name) for name in _WRITING})


@named(FUNCTIONS, "lib.scimath.power")
def _power(x: Any, p: Any) -> Any:
    """A power of complex numbers; of others only the values say whether it is complex."""
    if x.dtype.kind != "c":
        reason = "whether its result is complex depends on the values"
        raise UnsupportedFunction("np.emath.power", reason, "x.astype('complex128') first")
    return x**p
