"""A function of Dask's by the rule of an op: the rule plans the units, Dask's function works."""

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import dask.array as da
import numpy as np

from dimflow import ops
from dimflow.array.core import Core
from dimflow.array.dimarray import DimArray
from dimflow.array.interpreter import converted, planned, refuse_cut, separated
from dimflow.array.numpy_host.by_op import KEEPS_DTYPE
from dimflow.array.numpy_host.out import dressed
from dimflow.backends.dask import BACKEND as DASK
from dimflow.backends.dask_blocks import holes
from dimflow.backends.dask_blocks.lengths import may_be_empty
from dimflow.dask.host.targets import written
from dimflow.errors import BackendMismatch, UnsupportedFunction
from dimflow.ops import Op, dispatch
from dimflow.ops.rules.values import refuse_cut_like
from dimflow.units import Unit

_P = inspect.Parameter
_ALL_LAZY = ("da.searchsorted", "da.linalg.solve", "da.linalg.solve_triangular")


class _Slot(NamedTuple):
    """Where an array or a parameter of the op stands among Dask's arguments."""

    name: str
    host: str  # what Dask calls it; "" if it has no such argument
    is_many: bool
    default: Any


class Planned:
    """Called like the function of Dask's that it stands for, with every keyword of that.

    `by_kernel` says that the op's kernel for Dask does the same, and what Dask's function does not:
    blocks that are empty, lengths that only the data know.
    """

    def __init__(
        self, function: Callable[..., Any], name: str, op: Op, *, by_kernel: bool = False
    ) -> None:
        self.function = function
        self.name = f"da.{name}"
        self.op = op
        self.by_kernel = by_kernel
        self.signature = signature_of(function)
        self.arrays, self.static = self._slots()

    def _slots(self) -> tuple[list[_Slot], list[_Slot]]:
        """Arrays of the op by position, all else by name."""
        names = list(self.signature.parameters)
        arrays: list[_Slot] = []
        static: list[_Slot] = []
        for i, own in enumerate(self.op.signature.parameters.values()):
            by_position = own.kind in (_P.POSITIONAL_ONLY, _P.VAR_POSITIONAL)
            host = names[i] if by_position else own.name if own.name in names else ""
            is_many = own.kind is _P.VAR_POSITIONAL or own.name == self.op.variadic
            default = None if own.default is own.empty else own.default
            slot = _Slot(own.name, host, is_many, default)
            (arrays if own.name in self.op.array_names else static).append(slot)
        return arrays, static

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = self.signature.bind(*args, **kwargs)
        given = bound.arguments
        out = given.pop("out", None)
        arrays, counts = self._sorted(given)
        params = {
            s.name: plain(given.get(s.host, s.default), f"{s.name}= of {self.name}")
            for s in self.static
        }
        raws, units = separated(arrays)
        is_traced = library_of(self.name, self.op, raws) is not DASK
        if self.by_kernel and any(map(may_be_empty, raws)):
            given.pop("split_every", None)  # the shape of a tree, in which Dask's functions stumble
        if is_traced or (self.by_kernel and not self._more(given)):
            return self._run_op(arrays, params, given, out)
        plan = planned(self.op, raws, units, params)
        raws = self._in_blocks(converted(plan, raws))
        if given.get("dtype") is not None:
            asked = {**params, "dtype": given["dtype"]}
            refuse_cut(self.op, self.name, raws, asked, units, plan.result)
        elif self.op.name in KEEPS_DTYPE:
            refuse_cut_like(self.name, raws[0].dtype, raws[1])
        self._fill(given, raws, counts)
        found = holes.of_op(self.op, self.function(*bound.args, **bound.kwargs), raws)
        result = dressed(found, plan.result)
        return result if out is None else written(out, result, self.name)

    def _sorted(self, given: dict[str, Any]) -> tuple[tuple[Any, ...], list[int]]:
        """The arrays of the op, and how many each slot holds."""
        arrays: list[Any] = []
        counts: list[int] = []
        for slot in self.arrays:
            value: Any = given.get(slot.host, () if slot.is_many else slot.default)
            found = list(value) if slot.is_many else [value]
            arrays += found
            counts.append(len(found))
        return tuple(arrays), counts

    def _in_blocks(self, raws: tuple[Any, ...]) -> tuple[Any, ...]:
        """An array of NumPy's as one of Dask's where many of its functions ask for that: first.

        Behind it stand indices, edges and shares, which they take from memory.
        """
        if self.arrays[0].is_many or not raws:
            return raws
        first, *rest = raws
        if self.name in _ALL_LAZY:
            return tuple(in_blocks(raw) for raw in raws)
        return (in_blocks(first), *rest)

    def _fill(self, given: dict[str, Any], raws: tuple[Any, ...], counts: list[int]) -> None:
        """Dask's arguments again, with the converted raw arrays in their places."""
        start = 0
        taken = set()
        for slot, count in zip(self.arrays, counts, strict=True):
            part = raws[start : start + count]
            start += count
            if slot.host in given:
                taken.add(slot.host)
                is_starred = self.signature.parameters[slot.host].kind is _P.VAR_POSITIONAL
                many = part if is_starred else list(part)
                given[slot.host] = many if slot.is_many else part[0]
        for key in [key for key in given if key not in taken]:
            given[key] = plain(given[key], f"{key}= of {self.name}")

    def _more(self, given: dict[str, Any]) -> list[str]:
        """The arguments of a call that the op knows nothing of, and Dask does."""
        known = {slot.host for slot in (*self.arrays, *self.static)}
        defaults = self.signature.parameters
        return [
            key
            for key, value in given.items()
            if key not in known and not _is_left_out(value, defaults[key].default)
        ]

    def _run_op(self, arrays: Any, params: Any, given: dict[str, Any], out: Any) -> Any:
        """By the op itself, as for arrays of every library; what only Dask knows is refused."""
        for key in self._more(given):
            reason = f"{key}= has a meaning for arrays of Dask's own only"
            raise UnsupportedFunction(self.name, reason, "leave it away")
        result = self.op.run(arrays, params)
        return result if out is None else written(out, result, self.name)


def _is_left_out(value: Any, default: Any) -> bool:
    """Whether an argument says what is meant without it."""
    if value is default or (type(value) in (dict, tuple) and not value):
        return True
    return isinstance(value, (str, int, float)) and value == default


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """How a function is called; draws hide the method that they call."""
    module, name = function.__module__, function.__name__
    if module == "dask.array.random":
        from dask.array.random import RandomState

        full = inspect.signature(getattr(RandomState, name))
        return full.replace(parameters=list(full.parameters.values())[1:])
    return inspect.signature(function)


def library_of(name: str, op: Op, raws: tuple[Any, ...]) -> Any:
    """Who runs a function of Dask's: Dask, or a trace that follows one of the arrays.

    Arrays of other libraries are an error, but for NumPy's, which Dask cuts into blocks.
    """
    found: Any = dispatch.select(op, raws)
    if found.rank == 0:
        return DASK
    if found is not DASK and not any(type(raw) in dispatch.followed for raw in raws):
        hint = "convert it: x.to_backend('dask')"
        raise BackendMismatch(name, "dask", found.name, hint)
    return found


def parts_of(value: Any, name: str) -> tuple[Any, Unit]:
    """The raw array and the unit of an argument that is one array, of Dask's or NumPy's."""
    array = value if isinstance(value, Core) else DimArray(value)
    library_of(name, ops.copy, (array._raw,))
    return in_blocks(array._raw), array._unit


def in_blocks(raw: Any) -> Any:
    """An array of NumPy's as one of Dask's; numbers and all else as they are."""
    return da.asarray(raw) if isinstance(raw, np.ndarray) and raw.ndim else raw


def plain(value: Any, operation: str) -> Any:
    """A parameter as Dask takes it: an array of pure numbers gives these."""
    if isinstance(value, Core):
        return value._pure(operation)
    if type(value) in (list, tuple) and any(isinstance(v, (Core, list, tuple)) for v in value):
        return type(value)(plain(v, operation) for v in value)
    if type(value) is dict:
        return {key: plain(v, operation) for key, v in value.items()}
    return value
