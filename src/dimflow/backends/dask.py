"""Dask: arrays in blocks, which are computed when somebody asks for their numbers.

An op becomes a layer of Dask's graph: nothing runs while a program is written down. The first of
these that there is runs it:

    a kernel of ours   in `dask_kernels`, by the op's family. It calls Dask's own function where
                       that does the same, so that the graph is the one that Dask's users make; else
                       it says which axes the op needs whole, and `dask_blocks` runs it on blocks
    elementwise        Dask's ufunc of NumPy's name; without one the op itself on every block, by
                       the kernels of the block's library: one task, where a definition has many
    the standard's     function, by array_api_compat: the arranging of blocks
    the definition     last, since each of its parts is a layer
"""

import operator
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import dask.array as da
import numpy as np

from dimflow.backends import backend, backend_of
from dimflow.backends.array_api import ArrayAPI, compat_namespace
from dimflow.backends.backend import Backend
from dimflow.backends.dask_blocks import holes
from dimflow.backends.dask_blocks.block_op import elementwise, refuse
from dimflow.backends.dask_blocks.conversion import converted, copied
from dimflow.backends.dask_blocks.keys import get
from dimflow.backends.dask_blocks.known_numbers import noted
from dimflow.backends.dask_blocks.layout import laid_out
from dimflow.backends.dask_blocks.lengths import blame_lengths
from dimflow.backends.dask_blocks.pairing import (
    in_pairs,
    is_open,
    labels_of,
    meets_by_elements,
    refuse_pairs,
)
from dimflow.backends.dask_blocks.writing import assign
from dimflow.backends.dask_kernels.sampling import BlockGenerator
from dimflow.backends.holes import has_holes, refuse_holes, refuse_key
from dimflow.backends.numpy import BACKEND as NUMPY
from dimflow.errors import DeviceMismatch, NotANumber
from dimflow.ops import Op
from dimflow.ops.dispatch import interpreter_of, interpreters
from dimflow.ops.rules.convert import lazily
from dimflow.ops.rules.drawing import own_generators
from dimflow.ops.rules.dtypes import named
from dimflow.ops.rules.layout import layouts
from dimflow.ops.standard.promotion import promoting_function

_NUMBERS = "biufc"  # kinds of dtype that hold numbers
# By Python's operators: Dask names a layer by its function, and x + y is to have one name.
_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "negative": operator.neg,
    "abs": operator.abs,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "bitwise_left_shift": operator.lshift,
    "bitwise_right_shift": operator.rshift,
    "bitwise_invert": operator.invert,
}
# Ops that are given places or coordinates of the first arrays' elements, from an argument on.
_PLACES = {
    "gradient": 1,
    "index": 1,
    "take": 1,
    **dict.fromkeys(("index_set", "index_add", "index_max", "index_min"), 2),
}
_DIFFERENT = frozenset({"isposinf", "isneginf"})  # Dask's have an answer for complex numbers
_PRODUCTS = frozenset({"matmul", "tensordot", "vecdot"})  # Dask adds up short integers as long ones
_BLOCK_BY_BLOCK = frozenset({"clip"})  # made of others, but its kernel is an elementwise one
_TAKEN = {"round": {"decimals"}, "angle": {"deg"}}  # parameters that Dask's ufuncs have too


class Dask(ArrayAPI):
    """Raw values are `dask.array.Array`s, whatever library their blocks belong to."""

    name = "dask"
    kernel_package = "dimflow.backends.dask_kernels"
    array_class = "dimflow.dask:DaskDimArray"
    meets_numpy = True
    is_lazy = True

    @cached_property
    def namespace(self) -> Any:
        """Dask's functions by the standard's names."""
        return compat_namespace("dask.array")

    def host_function(self, op: Op) -> Callable[..., Any] | None:
        """Elementwise, Dask's ufunc, or the op on every block; else the standard's, if any."""
        if op.kind == "elementwise":
            return _ufunc(op) or partial(elementwise, op)
        found = promoting_function(op, self.namespace)
        return _in_one_dtype(found) if found is not None and op.name in _PRODUCTS else found

    def _find(self, op: Op) -> Callable[..., Any]:
        """What runs an op; it looks for holes first, and says where a length is missing."""
        found = super()._find(op)
        is_elementwise = op.kind == "elementwise" or op.name in _BLOCK_BY_BLOCK
        is_paired = len(op.array_names) > 1 and (is_elementwise or meets_by_elements(op))

        def careful(args: tuple[Any, ...], params: dict[str, Any]) -> Any:
            refuse_holes(op, args, params)
            try:
                result = None
                if is_paired and any(map(is_open, args)):
                    refuse_pairs(op.name, args, labels_of(op, args))
                    result = in_pairs(op, args, params) if is_elementwise else None
                result = found(args, params) if result is None else result
                return holes.of_op(op, result, args)
            except Exception as error:
                self.explain(op.name, args, error)
                raise

        return careful

    def holds(self, kind: type) -> bool:
        """Arrays, and generators, which a draw runs by; not delayed values, bags, data frames."""
        return issubclass(kind, (da.Array, da.random.Generator, da.random.RandomState))

    def as_dtype(self, dtype: Any) -> Any:
        """NumPy's dtype of that name, which Dask uses."""
        return np.dtype(named(dtype))

    def asarray(
        self,
        data: Any,
        *,
        dtype: Any = None,
        device: Any = None,
        copy: Any = None,
        chunks: Any = None,
    ) -> Any:
        """An array in blocks. The numbers are neither looked at nor copied: none is a key.

        `chunks` cuts what is no array of Dask yet, by Dask's choice without it, and rechunks one.
        """
        wanted = None if dtype is None else self.as_dtype(dtype)
        data = _sliceable(data)
        if isinstance(data, da.Array):
            raw = data if wanted is None else data.astype(wanted)
            raw = raw.copy() if copy else raw
            raw = raw if chunks is None else raw.rechunk(chunks)
        elif copy is False:
            raise ValueError("an array of another library cannot be one of dask without a copy")
        else:
            if not hasattr(data, "dtype") or not hasattr(data, "shape"):
                data = NUMPY.asarray(data)
            if data.dtype.kind not in _NUMBERS:  # Dask cannot tell how large objects are
                raise NotANumber("an array", f"{type(data).__name__} ({data.dtype})")
            data = data if wanted is None else data.astype(wanted)
            if copy and isinstance(data, np.ndarray):
                data = data.copy()
            raw = da.from_array(data, chunks="auto" if chunks is None else chunks, name=False)
        if (
            str(getattr(raw.dtype, "kind", "O")) not in _NUMBERS
        ):  # other libraries' dtypes have none
            raise NotANumber("an array", f"an array of {raw.dtype}")
        if device is None or device == self.device(raw):
            return raw
        return raw.map_blocks(_on_device, str(device), meta=_on_device(raw._meta, str(device)))

    def devices(self) -> list[str]:
        """The workers' CPUs; the blocks of an array may be another library's, on its device."""
        return ["cpu"]

    def native_device(self, device: Any) -> Any:
        """The name: Dask has no objects for devices."""
        return device

    def device(self, raw: Any) -> str:
        """Where the blocks will live, by the library of the smallest of them."""
        meta = raw._meta
        return backend_of(meta).device(meta)

    def lift(self, value: Any, beside: list[Any]) -> Any:
        """A list or an array of NumPy's in blocks, of the library that those beside it have.

        Its numbers are noted: positions that are known need not be computed.
        """
        meta = beside[0]._meta if beside else NUMPY.asarray(0)
        library = backend_of(meta)
        blocks = value if library.beneath(meta) is NUMPY else library.lift(value, [meta])
        return noted(self.asarray(blocks), value)

    def take(self, raw: Any, source: Backend, device: Any = None, copy: Any = None) -> Any:
        """An array of another library in blocks, which become NumPy's."""
        return self.asarray(source.to_numpy(raw), device=device, copy=copy)

    def to_numpy(self, raw: Any) -> Any:
        """The numbers, which computes them."""
        found = raw.compute()
        return backend_of(found).to_numpy(found)

    def copy(self, raw: Any) -> Any:
        """Another array of the same blocks: what is assigned to one is not seen in the other."""
        return copied(raw)

    def writes_memory(self, raw: Any) -> bool:
        """Never: an assignment makes new blocks and changes no other array."""
        return False

    def getitem(self, raw: Any, key: Any) -> Any:
        """x[key] by NumPy's rules; no number of a lazy key is asked for."""
        refuse_key(key)
        try:
            return holes.with_holes(get(raw, key), (raw,))
        except Exception as error:
            self.explain("an index", (raw,), error)
            raise

    def assign(self, raw: Any, key: Any, value: Any) -> None:
        """x[key] = value, in place. Fractions are not cut off to fit integers."""
        refuse_key(key)
        try:
            assign(raw, key, value)
        except Exception as error:
            self.explain("an assignment", (raw, value), error)
            raise

    def explain(self, operation: str, args: Sequence[Any], error: Exception) -> None:
        """Say so where a length was needed that only the data know."""
        blame_lengths(operation, args, error)

    def run(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """Places and coordinates in NumPy's arrays stay as they are: each block's are known.

        So do its numbers beside arrays, elementwise: Dask writes them into the tasks.
        """
        first = _PLACES.get(op.name)
        if first is None and op.kind != "elementwise" and op.name not in _BLOCK_BY_BLOCK:
            return super().run(op, args, params)
        kernel = self._found.get(op.name)
        if kernel is None:
            kernel = self._found[op.name] = self._find(op)
        if first is None:
            return kernel(tuple([self._beside_arrays(value, args) for value in args]), params)
        return kernel((*self._lifted(args[:first]), *args[first:]), params)

    def _beside_arrays(self, value: Any, args: tuple[Any, ...]) -> Any:
        """An argument of an elementwise op: a number as it is, arrays of NumPy's in blocks."""
        if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and not value.ndim):
            return value[()]  # type: ignore[index]
        if not self._is_lower(value):
            return value
        return self.lift(value, [array for array in args if isinstance(array, da.Array)])

    def basis(self, count: int, like: Any) -> Any:
        """The rows of a unit matrix."""
        return da.eye(count, dtype=like.dtype, chunks="auto")


def _on_device(block: Any, device: str) -> Any:
    """A block on a device: NumPy's on the CPU, CuPy's on a GPU."""
    if device == "cpu":
        return backend_of(block).to_numpy(block)
    if device.partition(":")[0] not in ("cuda", "gpu"):
        raise DeviceMismatch("an array of dask", "cpu, cuda:0", device)
    return backend("cupy").asarray(block, device=device)


def _sliceable(data: Any) -> Any:
    """What Dask can cut: tensors and the like as NumPy's arrays, all else as it is."""
    try:
        library = interpreter_of(type(data))
    except NotANumber:  # whatever is sliced like an array: a dataset of a file
        return data
    if not isinstance(library, Backend) or library.name in ("dask", "numpy", "cupy"):
        return data
    return library.to_numpy(data)


def _in_one_dtype(product: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **params: Any) -> Any:
        found = product(*args, **params)
        wanted = np.result_type(*(array.dtype for array in args))
        return found if found.dtype == wanted else found.astype(wanted)

    return call


def _ufunc(op: Op) -> Callable[..., Any] | None:
    """Dask's function for an op, where it takes the same parameters."""
    found = _OPERATORS.get(op.name) or getattr(da, op.hosts.numpy or "", None)
    given, arrays = set(op.signature.parameters) - {"unit"}, {*op.array_names}  # kernels get none
    if found is None or given - arrays - _TAKEN.get(op.name, set()):
        return None
    if op.name in _DIFFERENT or NUMPY.own_kernel(op) is not None:  # NumPy's alone does less
        return None

    is_no_ufunc = op.name not in _OPERATORS and not isinstance(found, da.ufunc.ufunc)

    def call(*args: Any, **params: Any) -> Any:
        if is_no_ufunc and any(map(has_holes, args)):  # da.where shows what is under a mask
            return elementwise(op, *args, **params)
        try:
            result = found(*args, **params)
        except TypeError:
            refuse(op, args, {name: params.get(name) for name in given - arrays})
            raise
        if result is NotImplemented:  # so says Dask of dtypes that the blocks' library refuses
            refuse(op, args, {name: params.get(name) for name in given - arrays})
        return result

    return call


lazily[da.Array] = converted
own_generators[da.Array] = BlockGenerator
layouts[da.Array] = laid_out
BACKEND = Dask()
interpreters[BlockGenerator] = BACKEND
