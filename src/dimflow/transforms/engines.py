"""Who differentiates: a library's own engine, or ours, which works on the arrays of all."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from dimflow import autodiff, ops
from dimflow.array.dimarray import DimArray
from dimflow.backends import Backend, backend
from dimflow.errors import MissingRule, NotANumber, UnitError
from dimflow.ops.dispatch import interpreter_of
from dimflow.transforms.structure import mapped

Raws = tuple[Any, ...]
Function = Callable[..., Raws]
ENGINES = ("native", "own")


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


class Own:
    """The engine that interprets the table."""

    is_own = True
    returns_any = True

    def __init__(self, library: Backend) -> None:
        self.library = library

    def vjp(self, function: Function, args: Raws, *, keep: bool) -> tuple[Raws, Any]:
        """By a tape."""
        return autodiff.vjp(function, args, keep=keep)

    def jvp(self, function: Function, args: Raws, tangents: Raws) -> tuple[Raws, Raws]:
        """By dual numbers."""
        return autodiff.jvp(function, args, tangents)

    def linearize(self, function: Function, args: Raws) -> tuple[Raws, Any]:
        """By a tape that is gone forward, as often as wanted."""
        return autodiff.linearize(function, args)

    def vmap(self, function: Function, args: Raws, axes: Sequence[int | None]) -> Raws:
        """By the batching rules of the table."""
        return autodiff.vmap(function, args, axes)


class Native:
    """The engine of an array library."""

    is_own = False

    def __init__(self, library: Backend) -> None:
        self.library = library
        self.returns_any = library.returns_any

    def vjp(self, function: Function, args: Raws, *, keep: bool) -> tuple[Raws, Any]:  # noqa: ARG002
        """The library's reverse mode, with zeros for cotangents that are missing."""
        results, pull = self.library.vjp(function, args)

        def back(cotangents: Raws) -> Any:
            pairs = zip(cotangents, results, strict=True)
            found = pull(tuple(ops.zeros_like(r) if ct is None else ct for ct, r in pairs))
            return found if isinstance(found, (tuple, list)) else (found,)

        return results, back

    def jvp(self, function: Function, args: Raws, tangents: Raws) -> tuple[Raws, Raws]:
        """The library's forward mode."""
        return self.library.jvp(function, args, tangents)

    def linearize(self, function: Function, args: Raws) -> tuple[Raws, Any]:
        """The library's own, if it has one."""
        return self.library.linearize(function, args)

    def vmap(self, function: Function, args: Raws, axes: Sequence[int | None]) -> Raws:
        """The library's own."""
        return tuple(self.library.vmap(function, args, axes))


def engine_for(name: str, args: Any, wanted: str | None = None) -> Engine:
    """The engine for arguments: that of their library, or the own one where it has none.

    `wanted` is "native" or "own"; None leaves the choice. NumPy's arrays follow those of another
    library; values that our engine follows already stay with it.
    """
    if wanted is not None and wanted not in ENGINES:
        problem = f"{name} was given engine={wanted!r}"
        raise UnitError(problem, f"the engines are {' and '.join(map(repr, ENGINES))}")
    library = library_of(args)
    if library.differentiates and wanted != "own":
        return Native(library)
    if wanted == "native":
        hint = "leave engine= out: ours differentiates these arrays"
        raise MissingRule(name, f"engine of {library.name}'s own", hint)
    return Own(library)


def library_of(args: Any) -> Backend:
    """The array library of all arrays in a structure; NumPy if there is no other."""
    found = backend("numpy")

    def note(value: Any, _path: str) -> Any:
        nonlocal found
        raw = value._raw if isinstance(value, DimArray) else value
        try:
            library = interpreter_of(type(raw))
        except (NotANumber, UnitError):
            return value
        if isinstance(library, Backend) and library.rank > found.rank:
            found = library
        return value

    mapped(args, note)
    return found
