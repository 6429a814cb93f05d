"""nan_watch: the first operation that makes nan or an infinity out of finite numbers.

Nothing looks at results unless somebody watches. While somebody does, the ways into an operation
(operators, the functions of dimflow, NumPy and PyTorch, the rules of a way back) lead through a
check, in all threads; those of others pass by it.
"""

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ContextDecorator, ExitStack, contextmanager
from contextvars import ContextVar
from functools import partial
from threading import Lock
from typing import Any, Self

import numpy as np

from dimflow import ops
from dimflow.array.core import Core
from dimflow.array.interpreter import UnitInterpreter
from dimflow.array.methods import Methods
from dimflow.array.operators import Operators
from dimflow.array.protocols import Protocols
from dimflow.autodiff import reverse
from dimflow.autodiff.carrier import innermost
from dimflow.autodiff.tape import Recorded
from dimflow.backends import Backend, backend_of
from dimflow.errors import ComputationError, UnitError
from dimflow.ops import Op
from dimflow.transforms import engines
from dimflow.transforms.location import Location, line_at, running_line
from dimflow.transforms.silence import loaded_libraries

_MODES = ("raise", "warn")
OPERATORS = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "matmul": "matmul",
    "pow": "pow",
}


def nan_watch(mode: str = "raise", *, infinity: bool = True) -> "Watch":
    """Within this, an operation that gives nan or infinity from finite numbers is an error.

        with dimflow.nan_watch():
            loss = model(x)
            dimflow.grad(model)(x)

    The ComputationError names the operation, the ranges of its arguments with their units and your
    line; on the way back of a derivative, the operation and the line of the forward pass. Arguments
    that hold nan or infinity already are not blamed. `mode="warn"` warns instead, `infinity=False`
    looks for nan alone. Operations on all array libraries are watched, but not within jax.jit and
    the like; derivatives are taken by our own engine meanwhile, unless another is asked for.
    """
    return Watch(mode, infinity)


class Watch(ContextDecorator):
    """A `with` block, or a decorator, within which results are looked at."""

    def __init__(self, mode: str, infinity: bool) -> None:
        if mode not in _MODES:
            problem = f"nan_watch was given mode={mode!r}"
            raise UnitError(problem, f"it is one of {', '.join(map(repr, _MODES))}")
        self.mode = mode
        self.infinity = infinity
        self._calls: dict[int, tuple[Any, Sequence[Any]]] = {}  # on record, by serial
        self._entered: list[ExitStack] = []

    def _recreate_cm(self) -> Self:
        """One for each call of a decorated function, which may run in several threads."""
        return type(self)(self.mode, self.infinity)

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(_installed())
            stack.enter_context(_set(_watching, self))
            stack.enter_context(_set(engines.prefers_own, True))
            for library in loaded_libraries():
                stack.enter_context(library.watching_nan())
            self._entered.append(stack.pop_all())
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self._entered.pop().__exit__(kind, error, trace)
        if not self._entered:
            self._calls.clear()
        for library in loaded_libraries():
            found = None if error is None else library.nan_blamed(error)
            if found is not None:
                hint = "PyTorch's warning shows the line of the forward pass"
                raise ComputationError(f"the way back of {found}", "it gave nan", hint) from error

    # What the ways into an operation call

    def note(self, args: Sequence[Any], out: Any) -> None:
        """Remember which line made a value on record, and of what."""
        for part in out if isinstance(out, (tuple, list)) else (out,):
            raw = part._raw if isinstance(part, Core) else part
            if type(raw) is Recorded and raw.node.serial not in self._calls:
                self._calls[raw.node.serial] = running_line(), args

    def examine(self, name: str, args: Sequence[Any], out: Any) -> None:
        """Blame an operation for what it made of its arguments, if it is to blame."""
        parts = out if isinstance(out, (tuple, list)) else (out,)
        arrays = [arg for arg in args if _is_numbers(arg)]
        if not arrays:
            return
        for part in parts:
            count, what, size = self._made(name, arrays, part)
            if count:
                place = running_line()
                ranges = [f"  {_described(arg)}" for arg in arrays]
                reason = f"it gave {what} at {count} of {size} elements, from finite arguments\n"
                self._tell(name, reason + "\n".join(ranges), place)
                return

    def examine_back(self, call: Any, cts: Sequence[Any], backs: Sequence[Any]) -> None:
        """Blame the rule of a call for what went back through it."""
        given = [ct for ct in (*cts, *call.values) if ct is not None]
        flags = [self._bad(value) for value in given]
        if any(flag is None or flag.any() for flag in flags):
            return
        for back in backs:
            bad = None if back is None else self._bad(back)
            if bad is not None and bad.any():
                place, args = self._calls.get(call.serial, (None, call.values))
                counted = f"{self._kind(back)} at {int(bad.sum())} of {bad.size} elements"
                reason = f"its derivative is {counted}, for finite arguments\n"
                ranges = [f"  {_described(arg)}" for arg in args if _is_numbers(arg)]
                self._tell(f"the way back of {call.op.name}", reason + "\n".join(ranges), place)
                return

    def _made(self, name: str, arrays: Sequence[Any], part: Any) -> tuple[int, str, int]:
        """How many elements are to blame on the operation, what they are, and of how many."""
        bad = self._bad(part)
        if bad is None or not bad.any():
            return 0, "", 0
        flags = [self._bad(array) for array in arrays]
        if any(flag is None for flag in flags):
            return 0, "", 0
        op = ops.TABLE.get(name)
        try:
            spoilt = np.broadcast_to(np.logical_or.reduce(np.broadcast_arrays(*flags)), bad.shape)
            is_each = op is None or op.kind == "elementwise"
        except ValueError:
            is_each = False
        if is_each:
            fresh = bad & ~spoilt
        else:
            fresh = bad & (not any(flag.any() for flag in flags if flag is not None))
        return int(fresh.sum()), self._kind(part), int(bad.size)

    def _bad(self, value: Any) -> Any:
        """Where a value is not finite, as NumPy's mask; None if that cannot be told."""
        raw = innermost(value._raw if isinstance(value, Core) else value)
        try:
            test = ops.isfinite(raw) if self.infinity else ~ops.isnan(raw)
            return ~np.asarray(backend_of(test).to_numpy(test))
        except Exception:  # a shape without data, a tracer of JAX's: each has errors of its own
            return None

    def _kind(self, value: Any) -> str:
        raw = innermost(value._raw if isinstance(value, Core) else value)
        return "nan" if bool(ops.any(ops.isnan(raw))) else "infinity"

    def _tell(self, name: str, reason: str, place: tuple[str, int, str] | None) -> None:
        where = None if place is None else line_at(*place)
        error = ComputationError(name, reason if where is None else f"{reason}\n  {where}")
        error.location: Location | None = where  # type: ignore[attr-defined,misc]
        if self.mode == "raise":
            raise error
        warnings.warn(str(error), RuntimeWarning, stacklevel=2)


_watching: ContextVar[Watch | None] = ContextVar("nan_watch", default=None)
_is_within: ContextVar[bool] = ContextVar("nan_watch_within", default=False)


@contextmanager
def _set(variable: ContextVar[Any], value: Any) -> Iterator[None]:
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def _is_numbers(value: Any) -> bool:
    return isinstance(value, (Core, float, complex)) or hasattr(value, "shape")


def _described(value: Any) -> str:
    """The range of an argument, with its unit, and its shape."""
    raw = innermost(value._raw if isinstance(value, Core) else value)
    unit = f" {value._unit}".rstrip() if isinstance(value, Core) else ""
    shape = tuple(getattr(raw, "shape", ()))
    if not hasattr(raw, "shape"):
        return f"{raw!r:.60}"
    if not np.prod(shape):
        return f"nothing{unit}, of shape {shape}"
    numbers = np.asarray(backend_of(raw).to_numpy(backend_of(raw).detach(raw)))
    if numbers.dtype.kind == "c":
        numbers = abs(numbers)
    low, high = numbers.min(), numbers.max()
    text = f"{low:.6g}{unit}" if low == high else f"{low:.6g} to {high:.6g}{unit}"
    return text if not shape else f"{text}, of shape {shape}"


# The ways into an operation, while somebody watches


def _checked(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """An operator or a method: it and what it is applied to are its arguments."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return _examined(name, args, lambda: function(*args, **kwargs))

    return call


def _checked_write(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """An operator in place: its first argument as it was before."""

    def call(self: Any, other: Any) -> Any:
        args = (self.detach().copy(), other) if _watching.get() is not None else ()
        return _examined(name, args, lambda: function(self, other))

    return call


def _checked_interpreter(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Any, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        return _examined(op.name, args, lambda: function(self, op, args, params))

    return run


def _checked_library(function: Callable[..., Any]) -> Callable[..., Any]:
    """Raw arrays; within an operation on arrays with units, that one is checked instead."""

    def run(self: Any, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        if _is_within.get() or _watching.get() is None:
            return function(self, op, args, params)
        return _examined(op.name, args, lambda: function(self, op, args, params))

    return run


def _checked_ufunc(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: Any, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return _examined(
            ufunc.__name__, inputs, lambda: function(self, ufunc, method, *inputs, **kwargs)
        )

    return call


def _checked_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's and PyTorch's protocols have the function, the types and then the arguments."""

    def call(self: Any, host: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(host, "__name__", "a function")
        flat = [v for a in args for v in (a if isinstance(a, (list, tuple)) else (a,))]
        return _examined(name, flat, lambda: function(self, host, types, args, kwargs or {}))

    return call


def _checked_back(function: Callable[..., Any]) -> Callable[..., Any]:
    def pulled(call: Any, cts: Any) -> Any:
        watch = _watching.get()
        if watch is None or _is_within.get():
            return function(call, cts)
        with _set(_is_within, True):
            backs = function(call, cts)
            watch.examine_back(call, cts, backs)
        return backs

    return pulled


def _examined(name: str, args: Sequence[Any], run: Callable[[], Any]) -> Any:
    watch = _watching.get()
    if watch is None:
        return run()
    with _set(_is_within, True), np.errstate(all="ignore"):
        out = run()
        with _set(_watching, None):
            watch.examine(name, args, out)
    watch.note(args, out)
    return out


_lock = Lock()
_users = 0
_originals: list[tuple[Any, str, Any]] = []


@contextmanager
def _installed() -> Iterator[None]:
    """Lead all ways through the checks, while there is somebody who watches."""
    global _users
    with _lock:
        _users += 1
        if _users == 1:
            _install()
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                while _originals:
                    owner, name, original = _originals.pop()
                    setattr(owner, name, original)


def _install() -> None:
    from dimflow.array.numpy_host.functions import array_function
    from dimflow.array.numpy_host.ufuncs import array_ufunc

    Protocols.__array_ufunc__ = array_ufunc  # type: ignore[assignment,method-assign]
    Protocols.__array_function__ = array_function  # type: ignore[assignment,method-assign]
    _replace(Protocols, "__array_ufunc__", _checked_ufunc)
    _replace(Protocols, "__array_function__", _checked_function)
    _replace(UnitInterpreter, "run", _checked_interpreter)
    _replace(reverse, "pulled", _checked_back)
    kinds: set[Any] = {Backend, *map(type, loaded_libraries())}
    for kind in kinds:
        if "run" in vars(kind):
            _replace(kind, "run", _checked_library)
    for owner in (Operators, *_loaded("dimflow.torch.operators", "Operators")):
        _replace_operators(owner)
    for owner in (Methods, *_loaded("dimflow.torch.methods", "Methods")):
        _replace(owner, "sum", partial(_checked, "sum"))
    for kind in ("DimArray", "Constant"):
        for owner in _loaded("dimflow.torch.tensor", kind):
            protocol = "__torch_function__"
            _replace(owner, protocol, lambda m: classmethod(_checked_function(m.__func__)))


def _loaded(module: str, name: str) -> Iterator[Any]:
    """A class of a module, if that is loaded."""
    found = sys.modules.get(module)
    if found is not None:
        yield getattr(found, name)


def _replace_operators(owner: Any) -> None:
    for short, name in OPERATORS.items():
        for prefix, checked in (("", _checked), ("r", _checked), ("i", _checked_write)):
            attribute = f"__{prefix}{short}__"
            if attribute in vars(owner):
                _replace(owner, attribute, partial(checked, name))


def _replace(owner: Any, name: str, checked: Callable[[Any], Any]) -> None:
    original = vars(owner)[name]
    _originals.append((owner, name, original))
    setattr(owner, name, checked(original))
