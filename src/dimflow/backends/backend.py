"""Backend: how raw arrays of one library run an op, and what can be asked of them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from dimflow.errors import MissingRule, NotANumber
from dimflow.ops import Op
from dimflow.ops.dispatch import interpreter_of, interpreters
from dimflow.ops.rules.dtypes import kind_of, named, takes_complex

Kernel = Callable[[tuple[Any, ...], dict[str, Any]], Any]

_NUMBERS = frozenset((bool, int, float, complex))  # every library takes these as they are


class Backend(ABC):
    """An array library. One file per library makes one instance of a subclass of this.

    To run an op: our own kernel for that library, then the library's function of the op's
    host name, then the op's definition.
    """

    name: str
    rank = 1
    kernel_package: str | None = None  # where its own kernels stand
    array_class: str | None = None  # "module:name" of a DimArray of its own
    meets_numpy = False  # whether its operators take NumPy's arrays beside them
    plain_masks = False  # whether its control flow takes no mask but its own
    is_stubborn = False  # whether its operators raise beside values of types they do not know
    differentiates = False  # whether it has a vjp and a jvp of its own
    asks_complex = False  # whether its operators ask what they do not know for a complex number
    has_tape = False  # whether it records what is done with arrays, without a function
    follows = False  # whether its values are those of another library, that a trace follows
    returns_any = False  # whether vjp and jvp take functions that give integers, masks beside
    is_lazy = False  # whether numbers are computed only when somebody asks for them
    tells_shared = True  # whether its vmap knows which results are the same for all calls

    def __init__(self) -> None:
        self._found: dict[str, Kernel] = {}

    # To implement

    def own_kernel(self, op: Op) -> Callable[..., Any] | None:
        """A kernel written for this library, of the op's signature; None if there is none.

        It is a function of the op's name in the module of the op's family, in the package that
        the backend names: `dimflow.backends.numpy_kernels.special.erf`.
        """
        module = f"{self.kernel_package}.{op.family}"
        if self.kernel_package is None or find_spec(module) is None:
            return None
        found = getattr(import_module(module), op.name, None)
        return found if getattr(found, "__module__", "") == module else None

    @abstractmethod
    def host_function(self, op: Op) -> Callable[..., Any] | None:
        """The library's function for an op, by the name in its record.

        It is called with the op's own signature, but for arrays that the caller left out.
        """

    @abstractmethod
    def asarray(self, data: Any, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Any:
        """A raw array of this library from anything array-like; copied only if it must be."""

    @abstractmethod
    def to_numpy(self, raw: Any) -> Any:
        """A raw array as a NumPy array."""

    @abstractmethod
    def device(self, raw: Any) -> str:
        """Where a raw array lives."""

    # To change where a library differs

    @property
    def namespace(self) -> Any:
        """The library's functions and dtypes under the names of the array API standard."""
        raise MissingRule("the array API", f"namespace for {self.name}")

    def holds(self, kind: type) -> bool:
        """Whether a type of the library's package is one of arrays."""
        return True

    def devices(self) -> list[str]:
        """Where arrays may live here, the usual place first."""
        return ["cpu"]

    def native_device(self, device: Any) -> Any:
        """The library's own object for a device that is named; None stays None."""
        return device

    def describe_device(self, device: str) -> str:
        """What the hardware is called."""
        return device

    def dtype(self, raw: Any) -> Any:
        """The library's own dtype of a raw array."""
        return raw.dtype

    def as_dtype(self, dtype: Any) -> Any:
        """The library's own dtype for one that is named by a text, a class or another library."""
        return dtype

    def numpy_dtype(self, raw: Any) -> Any:
        """The dtype as NumPy names it; the class of a bare Python number."""
        return named(self.dtype(raw))

    def take(self, raw: Any, source: "Backend", device: Any = None, copy: Any = None) -> Any:
        """An array of another library as one of this, its memory shared if `copy` allows it.

        With `copy=None` it is shared where both libraries can, and neither could then change what
        the other takes for immutable. `copy=False` shares or fails.
        """
        return self.asarray(source.to_numpy(raw), device=device, copy=copy)

    def requires_grad(self, raw: Any) -> bool:
        """Whether the library records what is done with the array, to differentiate it."""
        return False

    def recording(self, enabled: bool) -> AbstractContextManager[Any]:
        """A context within which the library records what is done, or does not."""
        return nullcontext(enabled)

    def watching_nan(self) -> AbstractContextManager[Any]:
        """A context within which the library's own way back looks out for nan."""
        return nullcontext()

    def nan_blamed(self, error: Exception) -> str | None:
        """The function that an error of the library blames for nan in its way back."""
        return None

    def watch(self, raw: Any) -> Any:
        """The array as one whose uses the library's own tape records from now on."""
        raise MissingRule("GradientTape", f"tape of {self.name}'s own")

    def cotangents(
        self, result: Any, cotangent: Any, sources: Sequence[Any], *, keep: bool, record: bool
    ) -> list[Any]:
        """Those of watched arrays from that of a result, by the library's own tape.

        None where the result does not depend on one. `record` says that they are to be
        differentiated in turn.
        """
        raise MissingRule("GradientTape", f"tape of {self.name}'s own")

    def vjp(self, function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, Any]:
        """The library's own reverse mode: the result, and a function from its cotangent to those
        of the arguments. All are raw arrays; the function gives one, or a tuple of them.
        """
        raise MissingRule("grad", f"derivative of functions on {self.name} arrays")

    def jvp(
        self, function: Callable[..., Any], args: tuple[Any, ...], tangents: tuple[Any, ...]
    ) -> tuple[Any, Any]:
        """The library's own forward mode: the result and its tangent."""
        raise MissingRule("jvp", f"derivative of functions on {self.name} arrays")

    def linearize(self, function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, Any]:
        """The result, and the function from tangents to its own; each runs it all again here."""
        results, _ = self.vjp(function, args)
        return results, lambda tangents: self.jvp(function, args, tangents)[1]

    def vmap(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        axes: Sequence[int | None],
        size: int,
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The library's own batching: what a function gives for every slice along the axes.

        The function gives two tuples of arrays: those of each call, which come along a first axis,
        and those that all calls share, which an error says where they do not.
        """
        raise MissingRule("vmap", f"batching of functions on {self.name} arrays")

    def outline(
        self, function: Callable[..., Any], args: tuple[Any, ...]
    ) -> list[tuple[int, ...]] | None:
        """The shapes of a function's results, where the library can tell without running it."""
        return None

    def reads(self, function: Callable[..., Any], args: tuple[Any, ...]) -> str | None:
        """What a function takes out of its arguments while it runs: a "number", or a "step", which
        is a branch or a whole number; or a "call" with a derivative of its own, if it closes over
        things unseen. Only a library that differentiates without refusing these needs to say.
        """
        return None

    def refusing_reads(self) -> Any:
        """A block in which a read of a value that the library's tape follows is an error."""
        return nullcontext()

    def basis(self, count: int, like: Any) -> Any:
        """The rows of a unit matrix, in the dtype of an array and where that lives."""
        place = self.native_device(self.device(like))
        return self.namespace.eye(count, dtype=like.dtype, device=place)

    def is_mutable(self, raw: Any) -> bool:
        """Whether x[i] = y works in place."""
        return True

    def lift(self, value: Any, beside: list[Any]) -> Any:
        """A list or an array of NumPy's as one of this library, to meet others in an op."""
        return self.asarray(value, device=self.device(beside[0]) if beside else None)

    def writes_memory(self, raw: Any) -> bool:
        """Whether x[i] = y changes what views and other libraries on the same memory see."""
        return self.is_mutable(raw)

    def getitem(self, raw: Any, key: Any) -> Any:
        """x[key], for any key that Python takes; masks and arrays in it may be NumPy's."""
        return raw[key]

    def overlaps(self, raw: Any, other: Any) -> bool:
        """Whether to write into an array of the library may change another one of it."""
        return False

    def copy(self, raw: Any) -> Any:
        """A copy that shares nothing with the array, or the array if nobody can write into it."""
        return raw.copy() if self.is_mutable(raw) else raw

    def detach(self, raw: Any) -> Any:
        """The values without the record of how they came about."""
        return raw

    def assign(self, raw: Any, key: Any, value: Any) -> None:
        """x[key] = value, in place; an error if the library's arrays cannot be written into."""
        if not self.is_mutable(raw):
            got = f"{type(raw).__name__}, which cannot be written into (at_set makes a new array)"
            raise NotANumber("an assignment", got)
        raw[key] = self.lifted_beside(raw, value)

    def explain(self, operation: str, args: Sequence[Any], error: Exception) -> None:
        """Raise what an error of the library means, where its own text speaks of its insides."""
        return

    # To use

    def beneath(self, raw: Any) -> "Backend":
        """The library whose numbers a raw value holds: itself, but for traced values."""
        return self

    def run(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """Run an op on raw arrays of this library; those of NumPy beside them are lifted."""
        kernel = self._found.get(op.name)
        if kernel is None:
            kernel = self._found[op.name] = self._find(op)
        if self.rank and any(map(self._is_lower, args)):
            args = self._lifted(args)
        return kernel(args, params)

    def _is_lower(self, value: Any) -> bool:
        """Whether this is a list, or an array of the library that all others lift."""
        kind = type(value)
        return (
            value is not None
            and kind not in _NUMBERS
            and (interpreters.get(kind) or interpreter_of(kind)).rank == 0
        )

    def lifted_beside(self, raw: Any, value: Any) -> Any:
        """A value as it may stand in an operator, or be written, beside an array of the library."""
        return self.lift(value, [raw]) if self.rank and self._is_lower(value) else value

    def _lifted(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Lists and NumPy's arrays as arrays of this library, where its own ones live."""
        own = [a for a in args if a is not None and interpreter_of(type(a)) is self]
        return tuple(self.lift(a, own) if self._is_lower(a) else a for a in args)

    def native(self, op: Op) -> Callable[..., Any] | None:
        """The library's own way to run an op, of the op's signature; None if it has none."""
        own = self.own_kernel(op)
        if own is not None:
            return own
        found = self.host_function(op)
        return found and _leaving_out(found, op.optional_arrays)

    def _find(self, op: Op) -> Kernel:
        found = self.native(op)
        if found is not None and "dtype" in op.signature.parameters:
            found = self._with_own_dtype(found)
        if found is None and op.definition is not None:
            definition = of_real_numbers(op, op.definition)
            return lambda args, params: op.call(definition, self._arrays(args), params)
        if found is None:
            raise MissingRule(op.name, f"kernel for {self.name}", "and no definition")
        if op.kind == "elementwise" and len(op.signature.parameters) == len(op.array_names):
            return lambda args, params: found(*args)
        return lambda args, params: op.call(found, args, params)

    def _with_own_dtype(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, dtype: Any = None, **kwargs: Any) -> Any:
            return function(*args, dtype=dtype and self.as_dtype(dtype), **kwargs)

        return call

    def _arrays(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Lists as arrays: a definition asks its arguments for their shape."""
        return tuple(self.asarray(a) if isinstance(a, (list, tuple)) else a for a in args)


def of_real_numbers(op: Op, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, with an error for complex numbers where NumPy has one: no part is dropped."""
    if op.kind != "elementwise" or takes_complex(op.dtype, len(op.array_names)):
        return function

    def call(*args: Any, **params: Any) -> Any:
        if any(a is not None and kind_of(a) == "c" for a in args):
            raise NotANumber(op.name, "complex numbers")
        return function(*args, **params)

    return call


def _leaving_out(function: Callable[..., Any], names: frozenset[str]) -> Callable[..., Any]:
    """The function without keywords of these names that are None: to some, `where=None` is a mask.

    Kernels and definitions have the op's signature, in which None says that there is none.
    """
    if not names:
        return function

    def call(*args: Any, **kwargs: Any) -> Any:
        given = {k: v for k, v in kwargs.items() if v is not None or k not in names}
        return function(*args, **given)

    return call
