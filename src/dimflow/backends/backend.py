"""Backend: how raw arrays of one library run an op, and what can be asked of them."""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from dimflow.errors import MissingRule
from dimflow.ops import Op

Kernel = Callable[[tuple[Any, ...], dict[str, Any]], Any]


class Backend:
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

    def host_function(self, op: Op) -> Callable[..., Any] | None:
        """The library's function for an op, by the name in its record."""
        raise NotImplementedError

    def asarray(self, data: Any, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Any:
        """A raw array of this library from anything array-like; copied only if it must be."""
        raise NotImplementedError

    def to_numpy(self, raw: Any) -> Any:
        """A raw array as a NumPy array."""
        raise NotImplementedError

    def device(self, raw: Any) -> str:
        """Where a raw array lives."""
        raise NotImplementedError

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
        """x[key] = value, in place."""
        raw[key] = value

    # To use

    def run(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """Run an op on raw arrays of this library."""
        kernel = self._found.get(op.name)
        if kernel is None:
            kernel = self._found[op.name] = self._find(op)
        return kernel(args, params)

    def native(self, op: Op) -> Callable[..., Any] | None:
        """The library's own way to run an op, of the op's signature; None if it has none."""
        return self.own_kernel(op) or self.host_function(op)

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
