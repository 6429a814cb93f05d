"""Backend: how raw arrays of one library run an op, and what can be asked of them."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from dimflow.errors import MissingRule, NotANumber
from dimflow.ops import Op
from dimflow.ops.dispatch import interpreter_of

Kernel = Callable[[tuple[Any, ...], dict[str, Any]], Any]

_NUMBERS = frozenset((bool, int, float, complex))  # every library takes these as they are


class Backend(ABC):
    """An array library. One file per library makes one instance of a subclass of this.

    To run an op: our own kernel for that library, then the library's function of the op's
    host name, then the op's definition.
    """

    name: str
    rank = 1
    kernel_package: str | None = None

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

    def dtype(self, raw: Any) -> Any:
        """The library's own dtype of a raw array."""
        return raw.dtype

    def numpy_dtype(self, raw: Any) -> Any:
        """The dtype as NumPy names it; the class of a bare Python number."""
        return self.dtype(raw)

    def is_mutable(self, raw: Any) -> bool:
        """Whether x[i] = y works in place."""
        return True

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
        raw[key] = value

    # To use

    def run(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """Run an op on raw arrays of this library; those of NumPy beside them are lifted."""
        kernel = self._found.get(op.name)
        if kernel is None:
            kernel = self._found[op.name] = self._find(op)
        return kernel(self._lifted(args) if self.rank else args, params)

    def _lifted(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Lists and NumPy's arrays as arrays of this library, where its own one lives."""
        places = [self.device(a) for a in args if a is not None and interpreter_of(type(a)) is self]
        place = places[0] if places else None
        return tuple(
            self.asarray(a, device=place)
            if a is not None and type(a) not in _NUMBERS and not interpreter_of(type(a)).rank
            else a
            for a in args
        )

    def native(self, op: Op) -> Callable[..., Any] | None:
        """The library's own way to run an op, of the op's signature; None if it has none."""
        own = self.own_kernel(op)
        if own is not None:
            return own
        found = self.host_function(op)
        return found and _leaving_out(found, op.optional_arrays)

    def _find(self, op: Op) -> Kernel:
        found = self.native(op)
        if found is None and op.definition is not None:
            definition = op.definition
            return lambda args, params: op.call(definition, self._arrays(args), params)
        if found is None:
            raise MissingRule(op.name, f"kernel for {self.name}", "and no definition")
        if op.kind == "elementwise" and len(op.signature.parameters) == len(op.array_names):
            return lambda args, params: found(*args)
        return lambda args, params: op.call(found, args, params)

    def _arrays(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Lists as arrays: a definition asks its arguments for their shape."""
        return tuple(self.asarray(a) if isinstance(a, (list, tuple)) else a for a in args)


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
