"""JAX: arrays that cannot be written into, and the values that its transformations trace."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dimflow.backends.array_api import ArrayAPI
from dimflow.backends.backend import Backend
from dimflow.backends.batching import not_shared, value_needed
from dimflow.backends.jax_kernels import custom
from dimflow.errors import DeviceMismatch, MissingRule, NoDataError, NotANumber, UnitError
from dimflow.ops import Op
from dimflow.ops.rules.dtypes import is_one_real, named
from dimflow.ops.rules.values import widened

_WIDE = frozenset(("float64", "complex128", "int64", "uint64"))
_CLASSES = (bool, int, float, complex)
# jax.numpy's functions of these names do less than NumPy's, are called otherwise, or have other
# dtypes or derivatives (of `unique` it is 0).
_DEFINED = frozenset(
    (
        *(
            "angle",
            "astype",
            "delete",
            "ediff1d",
            "fftfreq",
            "gradient",
            "insert",
            "pad",
            "repeat",
            "rfftfreq",
            "split",
        ),
        *("histogram", "histogram2d", "histogramdd", "histogram_bin_edges"),
        *("intersect1d", "setdiff1d", "setxor1d", "union1d"),
        *("unique", "unique_all", "unique_counts", "unique_inverse", "unique_values"),
    )
)
_DEPENDS = " depends on values"
_TRACED = "while JAX traces a function"
_NEEDS_VALUES = (
    jax.errors.ConcretizationTypeError,
    jax.errors.NonConcreteBooleanIndexError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
)
_OPEN_END = "our engine goes back through dimflow.while_loop: dimflow.grad(f, engine='own')"
_X64 = 'allow it before anything else: jax.config.update("jax_enable_x64", True)'

# What it raises where a number is wanted of a value that it traces
_READS = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
    NoDataError,
)


class JAX(ArrayAPI):
    """Raw values are JAX arrays and tracers."""

    name = "jax"
    differentiates = True
    kernel_package = "dimflow.backends.jax_kernels"
    returns_any = True
    plain_masks = True

    @property
    def namespace(self) -> Any:
        """jax.numpy, which speaks the standard."""
        return jnp

    def holds(self, kind: type) -> bool:
        """Arrays, tracers, and what stands for an array without data; no dtypes, no shardings."""
        return issubclass(kind, (jax.Array, jax.core.Tracer, jax.ShapeDtypeStruct))

    def host_function(self, op: Op) -> Callable[..., Any] | None:
        """jax.numpy's function under NumPy's name, whose signature it has; else the standard's."""
        if op.name in _DEFINED:
            return None
        if op.hosts.numpy is None:
            return op.hosts.standard_function(jnp)
        function: Any = jnp
        for part in op.hosts.numpy.split("."):
            function = getattr(function, part, None)
        function = function or op.hosts.standard_function(jnp)
        return _with_initial(function) if "initial" in op.array_names else function

    def run(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """Run an op; where JAX traces and the op needs values, say so in terms of the op."""
        try:
            return super().run(op, args, params)
        except (*_NEEDS_VALUES, NoDataError) as error:  # an inner op's, in terms of the outer one
            if isinstance(error, NoDataError) and not error.operation.endswith(_DEPENDS):
                raise
            hint = "call it outside of jax.jit and the like, or choose by where(condition, x, y)"
            raise NoDataError(f"{op.name}{_DEPENDS}", hint, _TRACED) from error

    def as_dtype(self, dtype: Any) -> Any:
        """JAX's dtype of that name; an error for one of 64 bits where JAX would halve it."""
        if isinstance(dtype, type) and dtype in _CLASSES:
            return jnp.result_type(dtype)
        try:
            found = jnp.dtype(named(dtype) if isinstance(dtype, str) else dtype)
        except TypeError:
            found = super().as_dtype(dtype)
            found = jnp.dtype(found)
        if found.name in _WIDE and not jax.config.jax_enable_x64:  # type: ignore[attr-defined]
            raise UnitError(f"JAX would make {found.name} of 32 bits, since x64 is off", _X64)
        return found

    def asarray(self, data: Any, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Any:
        """A JAX array; what is one already stays, unless it has to move."""
        if isinstance(data, (str, bytes, dict, set)) or data is None:
            raise NotANumber("an array", f"{type(data).__name__} {data!r:.60}")
        kind = None if dtype is None else self.as_dtype(dtype)
        try:
            made = jnp.asarray(data, dtype=kind, copy=copy)
        except TypeError as error:
            raise NotANumber("an array", f"{type(data).__name__} ({error})") from None
        return made if device is None else jax.device_put(made, self.native_device(device))

    def lift(self, value: Any, beside: list[Any]) -> Any:
        """One real number stays a number where the dtype is that of the arrays all the same.

        A constant with a unit meets arrays often, and each time would be one more equation.
        """
        if beside and is_one_real(value) and all(map(_is_strong, beside)):
            kind = jnp.result_type(value)
            if all(jnp.promote_types(kind, array.dtype) == array.dtype for array in beside):
                return value.item()
        return super().lift(value, beside)

    def devices(self) -> list[str]:
        """Those of the default platform, then the others, as JAX numbers them."""
        usual = jax.devices()
        platforms = {device.platform for device in usual}
        others = [] if "cpu" in platforms else jax.devices("cpu")
        return [self.device_name(device) for device in (*usual, *others)]

    def device_name(self, device: Any) -> str:
        """`cpu:0`, `gpu:1`."""
        return f"{device.platform}:{device.id}"

    def native_device(self, device: Any) -> Any:
        """JAX's device of a name; its own devices and shardings stay as they are."""
        if device is None or not isinstance(device, str):
            return device
        kind, _, index = device.partition(":")
        kind = "gpu" if kind in ("cuda", "rocm") else kind
        try:
            return jax.devices(kind)[int(index or 0)]
        except (RuntimeError, IndexError, ValueError):
            known = ", ".join(self.devices())
            raise DeviceMismatch("a JAX array", f"one of {known}", device) from None

    def describe_device(self, device: str) -> str:
        """What the hardware is called."""
        return str(self.native_device(device).device_kind)

    def device(self, raw: Any) -> str:
        """The array's device; of a sharded one the names of all, of a tracer the usual one."""
        if isinstance(raw, (jax.core.Tracer, jax.ShapeDtypeStruct)):
            return self.device_name(jax.devices()[0])
        found = sorted(raw.devices(), key=lambda device: device.id)
        return ",".join(self.device_name(device) for device in found)

    def is_mutable(self, raw: Any) -> bool:
        """Never."""
        return False

    def assign(self, raw: Any, key: Any, value: Any) -> None:
        """An error: there is another way to say it."""
        hint = "make a new one: x = x.at[key].set(value)"
        raise UnitError("a JAX array cannot be written into", hint)

    def getitem(self, raw: Any, key: Any) -> Any:
        """x[key]; a mask needs values to tell how many it picks."""
        try:
            return raw[key]
        except _NEEDS_VALUES as error:
            hint = "choose by where(mask, x, 0), or pick outside of jax.jit and the like"
            raise NoDataError("x[mask] depends on values", hint, _TRACED) from error

    def detach(self, raw: Any) -> Any:
        """The values, constant to whatever differentiates."""
        return jax.lax.stop_gradient(raw)

    def requires_grad(self, raw: Any) -> bool:
        """Whether a transformation traces the value, which may be to differentiate it."""
        return isinstance(raw, jax.core.Tracer)

    def to_numpy(self, raw: Any) -> Any:
        """A NumPy array, read-only on the same memory where that is the CPU's."""
        if isinstance(raw, (jax.core.Tracer, jax.ShapeDtypeStruct)):
            hint = "return it from the traced function, or use jax.debug.print"
            raise NoDataError("the numbers of an array", hint, _TRACED)
        return np.asarray(raw)

    def take(self, raw: Any, source: Backend, device: Any = None, copy: Any = None) -> Any:
        """By DLPack or by way of NumPy, in either case a copy unless the source cannot change."""
        if source.rank == 0:
            return self.asarray(raw, device=device, copy=copy)
        return super().take(raw, source, device, copy)

    def vjp(self, function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, Any]:
        """jax.vjp. Cotangents of integers do not count, whatever they are."""
        with custom.taken(forward=False):
            result, pull = jax.vjp(function, *args)

        def back(cotangent: Any) -> Any:
            try:
                return pull(jax.tree.map(_countable, cotangent, result))
            except ValueError as error:
                if "while_loop" in str(error):
                    name = "a loop of an unknown number of steps on JAX"
                    raise MissingRule(name, "derivative in reverse mode", _OPEN_END) from error
                raise

        return result, back

    def jvp(
        self, function: Callable[..., Any], args: tuple[Any, ...], tangents: tuple[Any, ...]
    ) -> tuple[Any, Any]:
        """jax.jvp."""
        with custom.taken(forward=True):
            result, tangent = jax.jvp(function, args, tangents)
        return result, jax.tree.map(_tangible, tangent, result)

    def linearize(self, function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, Any]:
        """jax.linearize."""
        with custom.taken(forward=True):
            result, push = jax.linearize(function, *args)
        return result, lambda tangents: jax.tree.map(_tangible, push(*tangents), result)

    def vmap(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        axes: Sequence[int | None],
        size: int,
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """jax.vmap."""
        run = jax.vmap(function, in_axes=tuple(axes), out_axes=(0, None), axis_size=size)
        try:
            each, shared = run(*args)
        except _NEEDS_VALUES as error:
            raise value_needed() from error
        except ValueError as error:
            if "axis spec None but output was batched" in str(error):
                raise not_shared() from error
            raise
        return each, shared

    def reads(self, function: Callable[..., Any], args: tuple[Any, ...]) -> str | None:
        """As jax.eval_shape tells, which refuses them; jax.grad lets x.item() pass, alone.

        Of tracers it is known: jax.jit refuses, and an outer derivative has asked.
        """
        if any(isinstance(a, jax.core.Tracer) for a in args):
            return None
        try:
            jax.eval_shape(function, *args)
        except _READS as error:
            return "number" if "item() method" in str(error) else "step"
        except Exception as error:  # the derivative will meet it too, if it is another
            return "step" if isinstance(error.__cause__, _READS) else None
        return None

    def outline(
        self, function: Callable[..., Any], args: tuple[Any, ...]
    ) -> list[tuple[int, ...]] | None:
        """By jax.eval_shape."""
        return [tuple(part.shape) for part in jax.eval_shape(function, *args)]

    def basis(self, count: int, like: Any) -> Any:
        """Where JAX will have it: it goes along with others."""
        return jnp.eye(count, dtype=like.dtype)


def _tangible(tangent: Any, result: Any) -> Any:
    """A tangent as an array of the result's dtype; JAX has none for integers, which is zero."""
    is_void = getattr(tangent, "dtype", None) == jax.dtypes.float0
    return jnp.zeros_like(result) if is_void else tangent


def _with_initial(function: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction whose `initial` is not cut off to the dtype of the array."""

    def call(x: Any, *args: Any, initial: Any = None, **options: Any) -> Any:
        if initial is None:
            return function(x, *args, **options)
        if options.get("dtype") is None:
            x = widened(x, initial, jnp.result_type)
        return function(x, *args, initial=initial, **options)

    return call


def _is_strong(array: Any) -> bool:
    """Whether an array's dtype is its own, and not one that a number of Python's brought."""
    return not getattr(array, "weak_type", False)


def _countable(cotangent: Any, result: Any) -> Any:
    """A cotangent as JAX wants it: of integers, one of a dtype without values."""
    if jnp.issubdtype(result.dtype, jnp.inexact):
        return cotangent
    return np.zeros(result.shape, jax.dtypes.float0)


BACKEND = JAX()
