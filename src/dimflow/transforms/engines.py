"""Who differentiates: a library's own engine, or ours, which works on the arrays of all."""

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, Protocol

from dimflow import autodiff, ops
from dimflow.array.dimarray import DimArray
from dimflow.array.leaves import private
from dimflow.backends import Backend, backend
from dimflow.backends.batching import not_shared
from dimflow.backends.reading import unstoppable
from dimflow.errors import MissingRule, UnitError
from dimflow.ops.dispatch import interpreter_of
from dimflow.transforms.structure import mapped

Raws = tuple[Any, ...]
Function = Callable[..., Raws]
ENGINES = ("native", "own")
# Whether ours runs where a library has one too: it can be looked into
prefers_own: ContextVar[bool] = ContextVar("prefers_own", default=False)


class Engine(Protocol):
    """Derivatives of functions of flat raw arrays that give tuples of them."""

    is_own: bool
    returns_any: bool  # whether functions may give integers and masks beside
    library: Backend

    def vjp(self, function: Function, args: Raws, *, keep: bool) -> tuple[Raws, Any]:
        """The results, and the way back from a tuple of cotangents, None where nothing comes.

        It can be gone once only, unless what it needs is kept.
        """

    def jvp(self, function: Function, args: Raws, tangents: Raws) -> tuple[Raws, Raws]:
        """The results, and how they change."""

    def linearize(self, function: Function, args: Raws) -> tuple[Raws, Any]:
        """The results, and the function from tangents of the arguments to theirs."""

    def vmap(self, function: Function, args: Raws, axes: Sequence[int | None]) -> Raws:
        """The results for every slice of the arguments, along a first axis."""

    def batched(
        self, function: Function, args: Raws, axes: Sequence[int | None], size: int
    ) -> tuple[Raws, Raws]:
        """The same for a function that gives two tuples, the second of what all calls share."""

    def repeated(self, function: Function, value: Any, n: int) -> Raws:
        """The n-th derivatives of the results by one array, all of which moves alike."""

    def outline(self, function: Function, args: Raws) -> list[tuple[int, ...]] | None:
        """The shapes of the results, if they can be told without running the function."""


class Own:
    """The engine that interprets the table."""

    is_own = True
    returns_any = True

    def __init__(self, library: Backend) -> None:
        self.library = library

    def vjp(self, function: Function, args: Raws, *, keep: bool) -> tuple[Raws, Any]:
        """By a tape. One that is kept counts on values that nobody writes into meanwhile."""
        if not keep:
            return autodiff.vjp(function, args, keep=False)
        results, pull = autodiff.vjp(function, tuple(map(private, args)), keep=True)
        return tuple(map(_copied, results)), pull

    def jvp(self, function: Function, args: Raws, tangents: Raws) -> tuple[Raws, Raws]:
        """By dual numbers."""
        return autodiff.jvp(function, args, tangents)

    def linearize(self, function: Function, args: Raws) -> tuple[Raws, Any]:
        """By a tape that is gone forward, as often as wanted."""
        results, push = autodiff.linearize(function, tuple(map(private, args)))
        return tuple(map(_copied, results)), push

    def vmap(self, function: Function, args: Raws, axes: Sequence[int | None]) -> Raws:
        """By the batching rules of the table."""
        return autodiff.vmap(function, args, axes)

    def batched(
        self, function: Function, args: Raws, axes: Sequence[int | None], size: int
    ) -> tuple[Raws, Raws]:
        """By the same; whether a result is shared can be seen from what it is."""
        shared: list[Any] = []

        def each(*values: Any) -> Raws:
            found, beside = function(*values)
            traces = {id(v.trace) for v, axis in zip(values, axes, strict=True) if axis is not None}
            shared[:] = map(autodiff.alive, beside)
            if any(isinstance(b, autodiff.Carrier) and id(b.trace) in traces for b in shared):
                raise not_shared()
            return tuple(found)

        return autodiff.vmap(each, args, axes, size), tuple(shared)

    def repeated(self, function: Function, value: Any, n: int) -> Raws:
        """By Taylor series."""
        return autodiff.nth_derivatives(function, value, n)

    def outline(self, function: Function, args: Raws) -> list[tuple[int, ...]] | None:  # noqa: ARG002
        """Unknown."""
        return None


def _copied(raw: Any) -> Any:
    """A result that may be written into: the tape has its own."""
    library = interpreter_of(type(raw))
    return library.copy(raw) if isinstance(library, Backend) else raw


class Native:
    """The engine of an array library."""

    is_own = False

    def __init__(self, library: Backend) -> None:
        self.library = library
        self.returns_any = library.returns_any

    def vjp(self, function: Function, args: Raws, *, keep: bool) -> tuple[Raws, Any]:  # noqa: ARG002
        """The library's reverse mode, with zeros for cotangents that are missing."""
        results, pull = self.library.vjp(self._marked(function), args)

        def back(cotangents: Raws) -> Any:
            pairs = zip(cotangents, results, strict=True)
            found = pull(tuple(ops.zeros_like(r) if ct is None else ct for ct, r in pairs))
            return found if isinstance(found, (tuple, list)) else (found,)

        return results, back

    def jvp(self, function: Function, args: Raws, tangents: Raws) -> tuple[Raws, Raws]:
        """The library's forward mode."""
        return self.library.jvp(self._marked(function), args, tangents)

    def linearize(self, function: Function, args: Raws) -> tuple[Raws, Any]:
        """The library's own, if it has one."""
        return self.library.linearize(self._marked(function), args)

    def _marked(self, function: Function) -> Function:
        """The function, that knows who differentiates it."""
        if self.library.has_tape:
            return function

        def marked(*values: Any) -> Raws:
            token = unstoppable.set(self.library)
            try:
                return function(*values)
            finally:
                unstoppable.reset(token)

        return marked

    def vmap(self, function: Function, args: Raws, axes: Sequence[int | None]) -> Raws:
        """The library's own."""
        pairs = zip(args, axes, strict=True)
        size = next(a.shape[axis] for a, axis in pairs if axis is not None)
        return self.batched(lambda *values: (tuple(function(*values)), ()), args, axes, size)[0]

    def batched(
        self, function: Function, args: Raws, axes: Sequence[int | None], size: int
    ) -> tuple[Raws, Raws]:
        """The library's own."""
        return self.library.vmap(function, args, axes, size)

    def repeated(self, function: Function, value: Any, n: int) -> Raws:
        """By the library's forward mode within itself."""
        ones = ops.ones_like(value)

        def along(order: int) -> Function:
            if order == 0:
                return function
            lower = along(order - 1)
            return lambda raw: self.jvp(lower, (raw,), (ones,))[1]

        return along(n)(value)

    def outline(self, function: Function, args: Raws) -> list[tuple[int, ...]] | None:
        """As the library can tell."""
        return self.library.outline(function, args)


def engine_for(name: str, args: Any, wanted: str | None = None) -> Engine:
    """The engine for arguments: that of their library, or the own one where it has none.

    `wanted` is "native" or "own"; None leaves the choice. NumPy's arrays follow those of another
    library; values that our engine follows already stay with it.
    """
    if wanted is not None and wanted not in ENGINES:
        problem = f"{name} was given engine={wanted!r}"
        raise UnitError(problem, f"the engines are {' and '.join(map(repr, ENGINES))}")
    library = library_of(args)
    if library.differentiates and (
        wanted == "native" or (wanted is None and not prefers_own.get())
    ):
        return Native(library)
    if wanted == "native":
        hint = "leave engine= out: ours differentiates these arrays"
        raise MissingRule(name, f"engine of {library.name}'s own", hint)
    return Own(library)


def instead_of(engine: Engine, name: str, wanted: str | None) -> Engine:
    """Ours, for a function that gives values which it follows; an error if another is wanted."""
    if wanted == "native":
        problem = f"{name} by {engine.library.name}, of a function that uses what ours follows"
        raise UnitError(problem, "leave engine='native' out")
    return Own(engine.library)


def library_of(args: Any, *, within: bool = False) -> Backend:
    """The array library of all arrays in a structure; NumPy if there is no other.

    For values that our engine follows that is the engine; `within` asks for what it works on.
    """
    found = backend("numpy")

    def note(value: Any, _path: str) -> Any:
        nonlocal found
        raw = value._raw if isinstance(value, DimArray) else value
        try:
            library = interpreter_of(type(autodiff.innermost(raw) if within else raw))
        except UnitError:
            return value
        if isinstance(library, Backend) and library.rank > found.rank:
            found = library
        return value

    mapped(args, note)
    return found
