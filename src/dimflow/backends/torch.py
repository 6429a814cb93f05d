"""PyTorch: raw values are tensors, on any of its devices, in eager mode, traced or compiled.

Values are those of NumPy, dtypes those of PyTorch: a list of fractions is float32, the square root
of integers too.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.compiler import is_compiling

from dimflow.backends.array_api import ArrayAPI, compat_namespace
from dimflow.backends.backend import Backend
from dimflow.backends.batching import looped, not_shared, value_needed
from dimflow.backends.reading import refused
from dimflow.backends.torch_kernels import keys
from dimflow.backends.torch_kernels.functions import exact_fractions, host_function
from dimflow.backends.torch_kernels.reads import is_differentiated, is_refusing, refusing_reads
from dimflow.errors import DeviceMismatch, DimflowError, NoDataError, NotANumber, UnitError
from dimflow.ops import Op
from dimflow.ops.dispatch import select, wrappers
from dimflow.ops.rules.convert import exactly
from dimflow.ops.rules.dtypes import is_one_real

_CLASSES = {bool: torch.bool, int: torch.int64, float: torch.float64, complex: torch.complex128}

_from_dlpack: Any = torch.utils.dlpack.from_dlpack
_vjp: Any = torch.func.vjp  # their types allow for a third result, which only an option gives
_jvp: Any = torch.func.jvp
_vmap: Any = torch.func.vmap

# What its vmap says where a number is wanted that each call has its own of.
_ASKS_FOR_VALUES = ("data-dependent control flow", "calling .item()", "dynamic shape")


class Torch(ArrayAPI):
    """Raw values are tensors: parameters, fakes and those of a transform among them."""

    name = "torch"
    differentiates = True
    has_tape = True
    kernel_package = "dimflow.backends.torch_kernels"
    array_class = "dimflow.torch:DimTensor"

    @property
    def namespace(self) -> Any:
        """PyTorch under the standard's names, which it does not have itself."""
        return compat_namespace("torch")

    def host_function(self, op: Op) -> Callable[..., Any] | None:
        """PyTorch's own function where it fits the op; the standard's need not be asked."""
        return host_function(op)

    def holds(self, kind: type) -> bool:
        """Tensors, and generators, which a draw runs by; not the dtypes and devices."""
        return issubclass(kind, (Tensor, torch.Generator))

    def native(self, op: Op) -> Callable[..., Any] | None:
        """What runs an op, with dtypes by any name: a compiled function calls it so."""
        found = super().native(op)
        if found is None or "dtype" not in op.signature.parameters:
            return found
        return self._with_own_dtype(found)

    def _with_own_dtype(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if hasattr(function, "takes_any_dtype"):
            return function
        found: Any = super()._with_own_dtype(function)
        found.takes_any_dtype = True
        return found  # type: ignore[no-any-return]

    def run(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """Run an op on tensors, which must be on one device: where not, the error says the fix."""
        kernel = self._found.get(op.name)
        if kernel is None:
            kernel = self._found[op.name] = self._find(op)
        for value in args:
            if type(value) is not Tensor:  # most often none is
                if any(map(self._is_lower, args)):
                    args = self._lifted(args)
                break
        try:
            return kernel(args, params)
        except RuntimeError as error:
            places = [str(a.device) for a in args if isinstance(a, Tensor) and a.ndim]
            other = next((place for place in places if place != places[0]), None)
            if other is None:
                raise
            hint = f"move one of them: x.to_device({places[0]!r})"
            raise DeviceMismatch(op.name, places[0], other, hint) from error

    def run_with(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """Run an op with a tensor among its static parameters, on arrays of whatever library.

        One that is being differentiated is a number like others to the definition of the op, unless
        the unit of the result depends on it: kernels and rules read it, or branch on it.
        """
        for name, value in params.items():
            if isinstance(value, Tensor) and is_differentiated(value):
                if op.definition is None or (op.unit is not None and op.unit.needs_params):
                    raise refused(f"{op.name}(..., {name}=x)")
                return op.call(op.definition, args, params)
        return select(op, args).run(op, args, params)

    def _lifted(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Lists of fractions take over the precision of the tensors; arrays have their own."""
        tensors = [a for a in args if isinstance(a, Tensor)]
        found = next((a.dtype for a in tensors if a.is_floating_point()), None)
        place = tensors[0].device if tensors else None
        lifted = []
        for value in args:
            if not self._is_lower(value):
                lifted.append(value)
                continue
            if _adapts(value, tensors):
                lifted.append(value.item())
                continue
            # autograd may keep the tensor, and NumPy's memory may be written into meanwhile
            is_kept = torch.is_grad_enabled() and any(map(_is_recorded, tensors))
            raw = self.asarray(value, device=place, copy=True if is_kept else None)
            is_list = isinstance(value, (list, tuple))
            if is_list and found is not None and raw.is_floating_point():
                raw = self.asarray(value, dtype=found, device=place)
            lifted.append(raw)
        return tuple(lifted)

    # Devices

    def devices(self) -> list[str]:
        """The CPU, and every GPU that can be used here."""
        found = ["cpu"]
        if torch.cuda.is_available():
            found += [f"cuda:{i}" for i in range(torch.cuda.device_count())]
        if torch.backends.mps.is_available():
            found.append("mps")
        return found

    def native_device(self, device: Any) -> Any:
        """The `torch.device` of that name; `"cuda"` is the current one."""
        if device is None or isinstance(device, torch.device):
            return device
        try:
            return torch.device(str(device))
        except RuntimeError:
            raise self._no_device(device) from None

    def _no_device(self, device: Any) -> DeviceMismatch:
        return DeviceMismatch(
            "torch", f"one of {', '.join(self.devices())}", repr(str(device)), "x.to_device('cpu')"
        )

    def device(self, raw: Any) -> str:
        """`cpu`, `cuda:0`, `mps:0`."""
        return str(raw.device)

    def describe_device(self, device: str) -> str:
        """The GPU's name."""
        native = self.native_device(device)
        return torch.cuda.get_device_name(native) if native.type == "cuda" else str(device)

    # Dtypes

    def as_dtype(self, dtype: Any) -> Any:
        """PyTorch's dtype of that name; Python's `float` is double precision, as in NumPy."""
        if isinstance(dtype, torch.dtype):
            return dtype
        found = _CLASSES.get(dtype) if isinstance(dtype, type) else None
        if found is None:
            name = str(dtype).rpartition(".")[2]
            found = getattr(torch, name, None)
        if not isinstance(found, torch.dtype):
            found = getattr(torch, _numpy_name(dtype), None)
        if not isinstance(found, torch.dtype):
            raise NotANumber("a torch tensor", f"the dtype {dtype}, which PyTorch has not")
        return found

    # Data in and out

    def asarray(self, data: Any, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Any:
        """A tensor of numbers. NumPy's memory is shared where it can be written into."""
        place = self.native_device(device)
        kind = None if dtype is None else self.as_dtype(dtype)
        tensor = data if isinstance(data, Tensor) else _tensor(data, kind, copy)
        try:
            moved = tensor.to(device=place, dtype=kind)
        except (RuntimeError, AssertionError, NotImplementedError):
            if place is None or place.type == "cpu":
                raise
            raise self._no_device(device) from None
        if moved is tensor:
            return moved.clone() if copy and tensor is data else moved
        if copy is False:
            raise ValueError("copy=False, but another dtype or device needs a copy")
        return moved

    def take(self, raw: Any, source: Backend, device: Any = None, copy: Any = None) -> Any:
        """Through shared memory where both libraries have it; NumPy's as `asarray` takes it."""
        if source.name == "numpy":
            return self.asarray(raw, device=device, copy=copy)
        return super().take(raw, source, device, copy)

    def from_dlpack(self, raw: Any, *, device: Any = None, copy: Any = None) -> Any:
        """A tensor on the memory of another library's array, or a copy of it."""
        shared = _from_dlpack(raw)
        return self.asarray(shared, device=device, copy=copy)

    def to_numpy(self, raw: Any) -> Any:
        """On the CPU the same memory; a copy on the host of what lives on a GPU.

        What autograd records would go on unrecorded, and NumPy has no bfloat16: both are errors
        that show what to write.
        """
        if raw.requires_grad:
            if is_refusing(raw):
                raise refused("x.to_numpy()")
            problem = "the tensor requires grad, and NumPy would not record what is done with it"
            raise UnitError(problem, "detach it first: x.detach().to_numpy()")
        if raw.is_meta:
            raise NoDataError(
                "to_numpy", "a device with memory holds numbers", "on the device meta"
            )
        if raw.dtype is torch.bfloat16:
            problem = "NumPy has no bfloat16"
            raise UnitError(problem, "convert it first: x.astype('float32').to_numpy()")
        if torch._C._functorch.is_gradtrackingtensor(raw):  # a constant of torch.func: no memory
            return np.asarray(raw.tolist(), self.numpy_dtype(raw))
        return raw.resolve_conj().resolve_neg().cpu().numpy()

    def overlaps(self, raw: Any, other: Any) -> bool:
        """Whether they have one storage; tensors of `torch.func` have none to look at."""
        if any(map(torch._C._functorch.is_functorch_wrapped_tensor, (raw, other))):
            return False
        return bool(raw.untyped_storage()._cdata == other.untyped_storage()._cdata)

    def copy(self, raw: Any) -> Any:
        """A clone, which autograd records."""
        return raw.clone()

    def detach(self, raw: Any) -> Any:
        """The same memory, unrecorded."""
        return raw.detach()

    def getitem(self, raw: Any, key: Any) -> Any:
        """x[key] by NumPy's rules for keys: steps back, and integers beside index arrays."""
        return raw[key] if type(key) is int else keys.get(raw, key)

    def assign(self, raw: Any, key: Any, value: Any) -> None:
        """x[key] = value in place, by NumPy's rules for keys. Fractions are not cut to integers."""
        keys.assign(raw, key, value)

    # Derivatives

    def requires_grad(self, raw: Any) -> bool:
        """Whether autograd records what is done with the tensor."""
        return bool(raw.requires_grad)

    def recording(self, enabled: bool) -> Any:
        """PyTorch's own switch."""
        return torch.set_grad_enabled(enabled)

    def watching_nan(self) -> Any:
        """PyTorch's own search for anomalies."""
        return torch.autograd.set_detect_anomaly(True)

    def nan_blamed(self, error: Exception) -> str | None:
        """As that search words it."""
        found = re.match(r"Function '(\w+)' returned nan values", str(error))
        return found and found[1]

    def refusing_reads(self) -> Any:
        """By a mode of PyTorch's, which sees every call."""
        return refusing_reads()

    def watch(self, raw: Any) -> Any:
        """A leaf on the same memory; what autograd records already, it goes on recording."""
        return raw.view_as(raw) if raw.requires_grad else raw.detach().requires_grad_()

    def cotangents(
        self, result: Any, cotangent: Any, sources: Sequence[Any], *, keep: bool, record: bool
    ) -> list[Any]:
        """By `torch.autograd.grad`."""
        if not result.requires_grad:
            return [None] * len(sources)
        found = torch.autograd.grad(
            [result],
            list(sources),
            [_conjugated(cotangent)],
            retain_graph=keep or record,
            create_graph=record,
            allow_unused=True,
        )
        return list(map(_conjugated, found))

    def vjp(self, function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, Any]:
        """By `torch.func.vjp`. None goes back to integers.

        Cotangents pair by sum(ct * x) as the table has it; PyTorch conjugates one of the two.
        """
        places, inner, values = _differentiable(function, args)
        out, pull = _vjp(inner, *values)

        def back(cotangent: Any) -> tuple[Any, ...]:
            found = pull(_conjugated(cotangent))
            result: list[Any] = [None] * len(args)
            for place, ct in zip(places, found, strict=True):
                result[place] = _conjugated(ct)
            return tuple(result)

        return out, back

    def jvp(
        self, function: Callable[..., Any], args: tuple[Any, ...], tangents: tuple[Any, ...]
    ) -> tuple[Any, Any]:
        """By `torch.func.jvp`; where a function has no forward mode, by going back twice.

        A tangent of None stands for an argument that does not change.
        """
        given = tuple(a if t is not None else None for a, t in zip(args, tangents, strict=True))
        places, inner, values = _differentiable(function, args, given)
        moved = tuple(tangents[place] for place in places)
        try:
            out, change = _jvp(inner, values, moved)
            return out, _with_memory(change)
        except NotImplementedError:
            return _by_reverse(inner, values, moved)

    def linearize(self, function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, Any]:
        """By going back twice, so that the function runs once; else anew for each tangent."""
        try:
            return _linearized(function, args)
        except DimflowError:
            raise
        except RuntimeError:  # something in it can be gone back only once
            return super().linearize(function, args)

    def vmap(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        axes: Sequence[int | None],
        size: int,
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """By `torch.func.vmap`; call after call where it fails. A draw is made once for all."""
        counter = torch.empty(size)  # PyTorch wants something to batch over
        run = _vmap(
            lambda _, *values: function(*values),
            in_dims=(0, *axes),
            out_dims=(0, None),
            randomness="same",
        )
        try:
            each, shared = run(counter, *args)
        except DimflowError:
            raise
        except ValueError as error:
            if "when out_dim is None" in str(error):
                raise not_shared() from error
            raise
        except (RuntimeError, IndexError) as error:
            if any(text in str(error) for text in _ASKS_FOR_VALUES):
                raise value_needed() from error
            if not size:
                return self._none_of_one(function, args, axes)
            each, shared = looped(function, args, axes, size)
        return tuple(each), tuple(shared)

    def _none_of_one(
        self, function: Callable[..., Any], args: tuple[Any, ...], axes: Sequence[int | None]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Results of no calls: PyTorch's indexing fails on none, so that one is made up."""
        shapes = [list(a.shape) for a in args]
        for shape, axis in zip(shapes, axes, strict=True):
            if axis is not None:
                shape[axis] = 1
        each, shared = self.vmap(
            function, tuple(a.new_ones(s) for a, s in zip(args, shapes, strict=True)), axes, 1
        )
        return tuple(part[:0] for part in each), shared


def _is_recorded(tensor: Any) -> bool:
    """Whether autograd, or a transform of `torch.func`, follows a tensor."""
    return tensor.requires_grad or torch._C._functorch.is_functorch_wrapped_tensor(tensor)


def _differentiable(
    function: Callable[..., Any], args: tuple[Any, ...], wanted: tuple[Any, ...] | None = None
) -> tuple[list[int], Callable[..., Any], tuple[Any, ...]]:
    """The places of the arguments that there is a derivative by, and the function of these."""
    candidates = args if wanted is None else wanted
    places = [
        i
        for i, a in enumerate(candidates)
        if isinstance(a, Tensor) and (a.is_floating_point() or a.is_complex())
    ]

    def inner(*values: Any) -> Any:
        full = list(args)
        for place, value in zip(places, values, strict=True):
            full[place] = value
        with refusing_reads():
            return function(*full)

    return places, inner, tuple(args[i] for i in places)


def _conjugated(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return tuple(_conjugated(part) for part in value)
    return value.conj() if isinstance(value, Tensor) and value.is_complex() else value


def _with_memory(value: Any) -> Any:
    """Zeros that PyTorch only thinks of, as zeros."""
    if isinstance(value, (tuple, list)):
        return tuple(_with_memory(part) for part in value)
    return torch.zeros_like(value) if value._is_zerotensor() else value


def _by_reverse(
    function: Callable[..., Any], values: tuple[Any, ...], tangents: tuple[Any, ...]
) -> tuple[Any, Any]:
    """The pullback is linear in the cotangent: its own pullback pushes tangents forward."""
    out, pull = _vjp(function, *values)
    is_one = isinstance(out, Tensor)
    parts = (out,) if is_one else tuple(out)

    def back(*cotangents: Any) -> Any:
        return pull(cotangents[0] if is_one else cotangents)

    zeros = tuple(torch.zeros_like(part) for part in parts)
    _, push = _vjp(back, *zeros)
    moved = push(tangents)
    return out, moved[0] if is_one else tuple(moved)


def _linearized(function: Callable[..., Any], values: tuple[Any, ...]) -> tuple[Any, Any]:
    out, pull = _vjp(_differentiable(function, values)[1], *values)
    zeros = tuple(torch.zeros_like(part) for part in out)
    _, push = _vjp(lambda *cotangents: pull(cotangents), *zeros)
    return out, lambda tangents: tuple(push(tuple(tangents)))


def _numpy_name(dtype: Any) -> str:
    try:
        return str(np.dtype(dtype).name)
    except TypeError:
        return ""


def _tensor(data: Any, dtype: Any, copy: Any) -> Tensor:
    """Anything array-like as a tensor: an array in its own dtype, Python's numbers in that."""
    if isinstance(data, (str, bytes, dict, set)) or data is None:
        raise NotANumber("an array", f"{type(data).__name__} {data!r:.60}")
    try:
        if isinstance(data, (np.ndarray, np.generic)):
            return _of_numpy(np.asarray(data), copy)
        if isinstance(data, (list, tuple)) and _holds_arrays(data):
            return torch.stack([BACKEND.asarray(part, dtype=dtype) for part in data])
        return torch.as_tensor(data, dtype=dtype)
    except (TypeError, RuntimeError, ValueError) as error:
        if copy is False and "copy" in str(error):
            raise
        raise NotANumber("an array", f"{type(data).__name__} ({error})") from None


def _adapts(value: Any, tensors: list[Tensor]) -> bool:
    """Whether this is one real number, which takes the dtype of tensors of fractions.

    A constant with a unit meets arrays often, and each time would be one more tensor.
    """
    are_fractions = bool(tensors) and all(t.is_floating_point() for t in tensors)
    return are_fractions and is_one_real(value) and not is_compiling()


def _holds_arrays(values: Any) -> bool:
    return any(
        isinstance(v, (Tensor, np.ndarray)) or (isinstance(v, (list, tuple)) and _holds_arrays(v))
        for v in values
    )


def _of_numpy(array: Any, copy: Any) -> Tensor:
    """Shared unless NumPy forbids to write, or its strides or byte order are not PyTorch's."""
    if array.dtype.kind not in "biufc":
        raise TypeError(f"an array of {array.dtype}")
    fits = array.flags.writeable and array.dtype.isnative and min(array.strides, default=0) >= 0
    if copy is False and not fits:
        raise ValueError("copy=False, but NumPy's array needs a copy: it is read-only or reversed")
    if copy or not fits:
        array = np.array(array, array.dtype.newbyteorder("="), order="C")
    return torch.from_numpy(array)


BACKEND = Torch()
wrappers.update((Tensor, torch.nn.Parameter))  # what autograd follows is no static parameter
exactly[Tensor] = exactly[torch.nn.Parameter] = exact_fractions
