"""MLX: arrays with values but no place, computed when somebody looks at them.

Operations run on the default device. float64 exists on the CPU alone, and MLX makes float32 of it
wherever it is not told otherwise; here what is double stays double, or is refused.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any

import mlx.core as mx
import numpy as np

from dimflow.backends.array_api import ArrayAPI
from dimflow.backends.backend import Backend, of_real_numbers
from dimflow.backends.batching import looped, value_needed
from dimflow.backends.mlx_kernels import ruled
from dimflow.backends.mlx_namespace.dtypes import SINGLE, refuse_half
from dimflow.backends.numpy import BACKEND as NUMPY
from dimflow.backends.reading import chain, is_step
from dimflow.errors import DeviceMismatch, DimflowError, MissingRule, NoDataError, NotANumber
from dimflow.ops import Op
from dimflow.ops.rules.dtypes import kind_of

# What plain numbers become where nobody asked for more, as everywhere in MLX.
_USUAL = {"float64": "float32", "complex128": "complex64", "int64": "int32"}
_CLASSES = {bool: mx.bool_, int: mx.int32, float: mx.float32, complex: mx.complex64}
_PLAIN = (bool, int, float, complex, list, tuple)


class MLX(ArrayAPI):
    """Raw values are `mlx.core.array`s: objects that can be written to, on memory that cannot."""

    name = "mlx"
    differentiates = True
    is_stubborn = True
    asks_complex = True
    tells_shared = False
    kernel_package = "dimflow.backends.mlx_kernels"

    @cached_property
    def namespace(self) -> Any:
        """MLX by the standard's names."""
        return import_module("dimflow.backends.mlx_namespace")

    def host_function(self, op: Op) -> Callable[..., Any] | None:
        """The standard's function; MLX promotes dtypes by itself."""
        if op.kind == "random":
            return self.drawn(op)
        found = op.hosts.standard_function(self.namespace)
        return found and _staying_double(op.name, found)

    def native(self, op: Op) -> Callable[..., Any] | None:
        """Ours or MLX's function; with the table's derivative where MLX has none."""
        found = super().native(op)
        if ruled.needs_rule(op):
            found = ruled.ruled(op, found or op.rule("definition"))
        return found and of_real_numbers(op, found)

    def holds(self, kind: type) -> bool:
        """Arrays, and not the dtypes and devices of the package."""
        return issubclass(kind, mx.array)

    def asarray(self, data: Any, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Any:
        """Numbers that come with a dtype keep it; plain ones are float32 and int32, as in MLX."""
        self.native_device(device)
        wanted = None if dtype is None else self.as_dtype(dtype)
        if isinstance(data, mx.array):
            if wanted is not None and wanted != data.dtype:
                return self.namespace.astype(data, wanted)
            return mx.array(data) if copy else data
        if copy is False:
            raise ValueError("MLX copies what it takes from others: leave copy=False out")
        numbers = NUMPY.asarray(data)
        if wanted is None:
            wanted = self.as_dtype(_usual(data, numbers))
        self._check_place(wanted)
        if not numbers.size:  # MLX 0.32 may wait forever for sums over NumPy's nothing
            return mx.zeros(numbers.shape, wanted)
        is_reversed = min(numbers.strides, default=0) < 0  # of one element it counts as in order
        return mx.array(np.array(numbers, order="C", copy=is_reversed or None), dtype=wanted)

    def as_dtype(self, dtype: Any) -> Any:
        """MLX's dtype of that name."""
        if isinstance(dtype, mx.Dtype):
            return dtype
        if isinstance(dtype, type) and dtype in _CLASSES:  # they say a kind, and no precision
            return _CLASSES[dtype]
        if "complex128" in str(dtype):
            raise MissingRule(
                "an array of mlx", "complex128: MLX's complex numbers are complex64", SINGLE
            )
        found = super().as_dtype(dtype)
        if not isinstance(found, mx.Dtype):
            raise NotANumber("an array of mlx", f"the dtype {dtype}")
        return found

    def _check_place(self, dtype: Any) -> None:
        if dtype == mx.float64 and mx.default_device().type != mx.DeviceType.cpu:
            raise DeviceMismatch(
                "a float64 array",
                "the CPU, where alone MLX has float64",
                self._place(),
                "take x.astype('float32'), or work within: with mx.stream(mx.cpu): ...",
            )

    def device_name(self, device: Any) -> str:
        """cpu or gpu, with a number from the second on."""
        kind, _, index = str(device).removeprefix("Device(").removesuffix(")").partition(", ")
        return kind if index in ("", "0") else f"{kind}:{index}"

    def _place(self) -> str:
        return self.device_name(mx.default_device())

    def device(self, raw: Any) -> str:
        """Where the next operation will run: an array of MLX's lives nowhere in particular."""
        return "cpu" if raw.dtype == mx.float64 else self._place()

    def native_device(self, device: Any) -> Any:
        """The default device. Another cannot be asked for, since arrays are not moved to one."""
        if device is None:
            return None
        if isinstance(device, mx.DeviceType):
            device = mx.Device(device, 0)
        named_so = device if isinstance(device, str) else self.device_name(device)
        found = super().native_device(named_so)
        if found != mx.default_device():
            raise DeviceMismatch(
                "an array of mlx",
                f"{self._place()}, MLX's default device",
                device,
                "MLX's arrays are everywhere: choose where to compute by mx.set_default_device",
            )
        return found

    def describe_device(self, device: str) -> str:
        """What MLX calls the hardware."""
        return str(mx.device_info(super().native_device(device)).get("device_name", device))

    def take(self, raw: Any, source: Backend, device: Any = None, copy: Any = None) -> Any:
        """Always a copy: MLX takes the memory of others for its own, and for constant."""
        return self.asarray(source.to_numpy(raw), device=device, copy=copy)

    def to_numpy(self, raw: Any) -> Any:
        """The evaluated numbers, on MLX's memory and not to be written to; bfloat16 as float32."""
        view = np.asarray(raw.astype(mx.float32) if raw.dtype == mx.bfloat16 else raw)
        view.flags.writeable = False  # other arrays of MLX's may stand on the same memory
        return view

    def lift(self, value: Any, beside: list[Any]) -> Any:
        """One number adapts to the arrays that it stands beside, as NumPy's scalars do in MLX."""
        if np.ndim(value) or kind_of(value) == "b" or isinstance(value, (list, tuple)):
            return self.asarray(value)
        number = value.item()
        if isinstance(number, complex) and any(a.dtype == mx.float64 for a in beside):
            return number  # which the op then refuses
        if isinstance(number, int) and not any(kind_of(a) in "iu" for a in beside):
            return mx.array(number)
        dtypes = [a.dtype for a in beside if isinstance(number, float) or kind_of(a) in "iu"]
        return mx.array(number, self.namespace.result_type(*dtypes, number))

    def writes_memory(self, raw: Any) -> bool:
        """What is written makes new memory: views and copies made before do not see it."""
        return False

    def getitem(self, raw: Any, key: Any) -> Any:
        """x[key]; a mask is evaluated, since its number of places is a shape."""
        kernels = import_module("dimflow.backends.mlx_kernels.indexing")
        return raw[kernels.native_key(raw.shape, key)]

    def copy(self, raw: Any) -> Any:
        """Another object: what is written into one is not seen in the other."""
        return mx.array(raw)

    def detach(self, raw: Any) -> Any:
        """Without derivatives."""
        return mx.stop_gradient(raw)

    def assign(self, raw: Any, key: Any, value: Any) -> None:
        """x[key] = value. Views and copies made before keep what they had."""
        kernels = import_module("dimflow.backends.mlx_kernels.indexing")
        value = (
            value
            if isinstance(value, mx.array)
            else self.asarray(value, dtype=_fitting(raw, value))
        )
        kernels.write(raw, key, value)

    def reads(self, function: Callable[..., Any], args: tuple[Any, ...]) -> str | None:
        """As its vmap tells, which refuses them; its derivatives take them for constants, and what
        a call with a derivative of its own closes over.

        Nothing is computed: arrays are lazy.
        """
        custom = import_module("dimflow.backends.mlx_kernels.custom")
        calls: list[Any] = []
        token = custom.met.set(calls)
        try:
            mx.vmap(lambda *values: list(function(*values)))(*[self.asarray(a)[None] for a in args])
        except NoDataError:
            return "step"
        except Exception as error:
            # who meets MLX's error may raise another, or meet it again: the oldest says where
            if found := [e for e in chain(error) if "Attempting to eval" in str(e)]:
                return "step" if is_step(found[-1]) else "number"
        finally:
            custom.met.reset(token)
        return "call" if calls else None

    def vjp(self, function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, Any]:
        """By `mx.vjp`, which wants the cotangent first: the result is computed apart from it.

        MLX pairs cotangents with conjugation, we without: those of complex arrays are turned.
        """
        primals = [self.asarray(a) for a in args]
        result = function(*primals)

        def pull(cotangent: Any) -> tuple[Any, ...]:
            given = list(cotangent) if isinstance(cotangent, (tuple, list)) else [cotangent]
            _, found = mx.vjp(function, primals, list(map(_conjugate, given)))
            return tuple(map(_conjugate, found))

        return result, pull

    def jvp(
        self, function: Callable[..., Any], args: tuple[Any, ...], tangents: tuple[Any, ...]
    ) -> tuple[Any, Any]:
        """By `mx.jvp`; where something in the function has none, by going back twice."""
        primals, pushed = ([self.asarray(a) for a in part] for part in (args, tangents))
        is_many: list[bool] = []

        def noted(*values: Any) -> Any:
            result = function(*values)
            is_many.append(isinstance(result, (tuple, list)))
            return result

        try:
            outs, found = mx.jvp(noted, primals, pushed)
        except DimflowError:
            raise
        except (RuntimeError, ValueError) as error:
            if "implemented" not in str(error).lower():
                raise
            outs, found = _by_reverse(noted, primals, pushed)
        return (tuple(outs), tuple(found)) if is_many[0] else (outs[0], found[0])

    def vmap(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        axes: Sequence[int | None],
        size: int,
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """By `mx.vmap`; call after call where it fails. What all calls share is not checked."""
        run = mx.vmap(lambda _, *values: function(*values), in_axes=(0, *axes), out_axes=(0, 0))
        try:
            each, shared = run(mx.zeros(size), *args)
        except DimflowError:
            raise
        except ValueError as error:
            if "Attempting to eval" in str(error):
                raise value_needed() from error
            if not size:
                raise
            each, shared = looped(function, args, axes, size)
        else:
            shared = [part[0] for part in shared] if size else shared
        return tuple(each), tuple(shared)


def _conjugate(raw: Any) -> Any:
    return mx.conjugate(raw) if raw.dtype == mx.complex64 else raw


def _by_reverse(function: Callable[..., Any], primals: Any, tangents: Any) -> Any:
    """The way back is linear in the cotangents: its own way back pushes tangents forward."""
    outs = function(*primals)
    parts = list(outs) if isinstance(outs, (tuple, list)) else [outs]

    def back(*cotangents: Any) -> Any:
        return mx.vjp(function, primals, list(cotangents))[1]

    _, found = mx.vjp(back, [mx.zeros_like(part) for part in parts], list(tangents))
    return parts, found


def _usual(data: Any, numbers: Any) -> str:
    """The name of the dtype that numbers get; those of plain Python have none of their own."""
    name = str(numbers.dtype)
    if not _is_plain(data):
        return name
    usual = _USUAL.get(name, name)
    if usual == "int32" and numbers.size and np.abs(numbers).max() > np.iinfo(np.int32).max:
        return name
    return usual


def _is_plain(data: Any) -> bool:
    """Whether these are Python's numbers, in lists or not; np.float64 is one that is not."""
    if isinstance(data, (list, tuple)):
        return all(map(_is_plain, data))
    return type(data) in _PLAIN


def _fitting(raw: Any, value: Any) -> Any:
    """The dtype that a bare number or list takes to be written into an array, if it fits."""
    given = kind_of(NUMPY.asarray(value))
    order = "biufc"
    return raw.dtype if order.index(given) <= order.index(kind_of(raw)) else None


def _staying_double(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, with an error where it makes complex64 of float64."""

    def call(*args: Any, **params: Any) -> Any:
        result = function(*args, **params)
        found = result[0] if isinstance(result, (tuple, list)) and result else result
        if getattr(found, "dtype", None) == mx.complex64:
            dtypes = [a.dtype for a in args if isinstance(a, mx.array)]
            if mx.float64 in dtypes and mx.complex64 not in dtypes:
                refuse_half(mx.float64, mx.complex64, name)
        return result

    return call


BACKEND = MLX()
