"""GradientTape: derivatives of what was done, rather than of a function."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from functools import partial
from math import prod
from typing import Any, NamedTuple, Self

from dimflow import autodiff, ops
from dimflow.array.dimarray import wrap
from dimflow.array.leaves import private
from dimflow.autodiff.carrier import Carrier
from dimflow.autodiff.linearization import calls_before
from dimflow.autodiff.reverse import cotangents, owned
from dimflow.autodiff.rules import zeros_for
from dimflow.autodiff.tape import Recorded, Tape
from dimflow.backends import Backend, backend_of
from dimflow.errors import (
    ComputationError,
    MissingRule,
    NotANumber,
    ShapeMismatch,
    StructureMismatch,
    UnitError,
)
from dimflow.ops.rules.dtypes import kind_of
from dimflow.transforms.calls import KINDS, difference, labelled, leaf_of
from dimflow.transforms.engines import ENGINES
from dimflow.transforms.silence import loaded_libraries
from dimflow.transforms.structure import mapped
from dimflow.units import Unit

_open: ContextVar[tuple[Any, ...]] = ContextVar("open_tapes", default=())
_UNCONNECTED = ("error", "zero", "none")
_WATCH = "x = tape.watch(x) gives the value that is tracked: compute with that one, in the block"


class _End(NamedTuple):
    """A source of a derivative, or its target: on our tape, or on that of its library."""

    path: str
    raw: Any  # a Recorded, or an array of the library; None where nothing is recorded
    value: Any
    unit: Unit


class GradientTape:
    """Records what is done with the values that it watches, and differentiates it afterwards.

        with dimflow.GradientTape() as tape:
            x = tape.watch(x)
            energy = 0.5 * k * x**2
        force = -tape.gradient(energy, x)  # in N for x in m

    `watch` returns the value that is tracked: arrays are not changed by it. A tape gives one
    derivative, and frees what it recorded on the way; with `persistent=True` as many as wanted.
    Tapes nest: the gradient that an inner one gives is recorded by those around it. Arrays of
    PyTorch are recorded by autograd, all others by our own engine, which `engine="own"` asks for.
    """

    def __init__(self, persistent: bool = False, *, engine: str | None = None) -> None:
        if engine is not None and engine not in ENGINES:
            problem = f"GradientTape was given engine={engine!r}"
            raise UnitError(problem, f"the engines are {' and '.join(map(repr, ENGINES))}")
        self.persistent = persistent
        self._engine = engine
        self._tape: Tape | None = None
        self._is_spent = False

    def __enter__(self) -> Self:
        if self._tape is not None:
            raise UnitError("this GradientTape was entered before", "make a new one for each block")
        self._tape = Tape()
        self._refusing = ExitStack()
        for library in loaded_libraries():
            self._refusing.enter_context(library.refusing_reads())
        _open.set((*_open.get(), self))
        return self

    def __exit__(self, *details: object) -> None:
        assert self._tape is not None
        self._tape.over()
        self._refusing.close()
        _open.set(tuple(tape for tape in _open.get() if tape is not self))

    def __repr__(self) -> str:
        state = "new" if self._tape is None else "closed" if self._tape.is_over else "recording"
        return f"<GradientTape, {'spent' if self._is_spent else state}>"

    # Recording

    def watch(self, value: Any) -> Any:
        """The same values, tracked from now on: an array, or a structure of arrays.

        Our own engine copies them, so that nobody can change what was recorded.
        """
        tape = self._recording("watch")

        def watched(part: Any, path: str) -> Any:
            if part is None:
                return part
            leaf = leaf_of("GradientTape.watch", part, path)
            if kind_of(leaf.raw) not in "fc":
                what = f"{KINDS[kind_of(leaf.raw)]} (floating point has derivatives)"
                raise NotANumber(f"GradientTape.watch of x{path}", what)
            return labelled(self._tracked(tape, leaf.raw), leaf.unit, leaf.is_bare)

        return mapped(value, watched)

    def _tracked(self, tape: Tape, raw: Any) -> Any:
        raw = autodiff.alive(raw)
        inner = raw
        while isinstance(inner, Carrier):
            if inner.trace is tape:
                return raw
            if inner.trace.level > tape.level:
                problem = "an outer tape was told to watch what an inner one follows already"
                raise UnitError(problem, "watch with the outer tape first")
            inner = inner.value
        library = backend_of(raw)
        raw = raw if library.follows else library.asarray(raw)
        if self._is_native(library):
            return library.watch(raw)
        if self._engine == "native":
            raise MissingRule("GradientTape", f"tape of {library.name}'s own", "leave engine= out")
        return tape.watch(raw if library.follows else private(raw))

    def _is_native(self, library: Backend) -> bool:
        return library.has_tape and self._engine != "own"

    def _recording(self, what: str) -> Tape:
        if self._tape is None or self._tape.is_over:
            problem = f"GradientTape.{what} outside of its block"
            raise UnitError(problem, "with dimflow.GradientTape() as tape: x = tape.watch(x); ...")
        return self._tape

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Within this, what is done is not recorded by this tape; outer ones go on.

        PyTorch's autograd knows no such difference: there nothing is recorded by anyone.
        """
        tape = self._recording("stop_recording")
        with ExitStack() as stack:
            for library in filter(self._is_native, loaded_libraries()):
                stack.enter_context(library.recording(False))
            stack.enter_context(tape.suspended())
            yield

    def reset(self) -> None:
        """Forget all that was recorded; values must be watched again."""
        tape = self._recording("reset")
        self._tape = Tape(tape.level)
        tape.over()
        self._is_spent = False

    # Derivatives

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        *,
        unconnected: str = "error",
    ) -> Any:
        """The derivative of a number by tracked values, in [target] / [source] and their structure.

        A target with axes is an error, as for `dimflow.grad`: sum it, or say how its elements count
        by `output_gradients`, whose unit multiplies. Of a source that the target does not depend on
        the gradient is an error, or by `unconnected` "zero" or "none".
        """
        end = self._target("gradient", target, unconnected)
        raw, unit = _seed(end, output_gradients)

        def back(ends: list[_End]) -> list[Any]:
            return self._pulled(end, raw, ends, keep=self.persistent)

        return self._derived("gradient", end, sources, unit, unconnected, back)

    def jacobian(self, target: Any, sources: Any, *, unconnected: str = "error") -> Any:
        """The derivatives of every element of a target by every element of tracked values.

        Of shape (*target.shape, *source.shape), in [target] / [source].
        """
        end = self._target("jacobian", target, unconnected)
        if kind_of(end.value) != "f":
            raise NotANumber("GradientTape.jacobian", KINDS[kind_of(end.value)])
        shape = tuple(end.value.shape)
        unit = difference(end.unit)
        rows = partial(self._rows, end, shape)
        return self._derived("jacobian", end, sources, unit, unconnected, rows, shape)

    def _rows(self, end: _End, shape: tuple[int, ...], ends: list[_End]) -> list[Any]:
        """Raw cotangents of sources for every element of a target, in its shape and theirs."""
        if end.raw is None:
            return [None] * len(ends)
        count = prod(shape)
        held = autodiff.innermost(end.value)
        basis = ops.reshape(backend_of(held).basis(count, held), shape=(count, *shape))
        if isinstance(end.raw, Recorded):
            is_met = self._reached(end, ends)
            found = self._at_once(end, basis, ends)
        else:
            each = [self._pulled(end, basis[i], ends, keep=True) for i in range(count)]
            columns = list(zip(*each, strict=True))
            is_met = [all(part is not None for part in column) for column in columns]
            found = [ops.stack(c) if m else None for c, m in zip(columns, is_met, strict=True)]
        return [
            ops.reshape(rows, shape=(*shape, *e.value.shape)) if met else None
            for rows, e, met in zip(found, ends, is_met, strict=True)
        ]

    def _at_once(self, end: _End, basis: Any, ends: list[_End]) -> Sequence[Any]:
        """All ways back as one, by the batching rules."""

        def back(ct: Any) -> list[Any]:
            found = self._pulled(end, ct, ends, keep=True)
            pairs = zip(found, ends, strict=True)
            return [zeros_for(e.value) if part is None else part for part, e in pairs]

        return autodiff.vmap(back, [basis], [0], len(basis))

    def _target(self, name: str, target: Any, unconnected: str) -> _End:
        if self._tape is None:
            raise UnitError(f"GradientTape.{name} before its block", "with GradientTape() as tape:")
        if unconnected not in _UNCONNECTED:
            problem = f"GradientTape.{name} was given unconnected={unconnected!r}"
            raise UnitError(problem, f"it is one of {', '.join(map(repr, _UNCONNECTED))}")
        if self._is_spent:
            problem = "the tape was used before, and freed what it recorded"
            hint = "for several derivatives: GradientTape(persistent=True)"
            raise ComputationError(f"GradientTape.{name}", problem, hint)
        end = self._end(f"GradientTape.{name}", target, "")
        if end.raw is None and unconnected == "error":
            problem = f"GradientTape.{name} of a target that was not computed from tracked values"
            raise UnitError(problem, _WATCH)
        return end

    def _end(self, name: str, part: Any, path: str) -> _End:
        """Where a value stands on the tape, or on that of its library."""
        if isinstance(part, (tuple, list, dict)):
            wanted = "one array; of several, add up their gradients"
            raise StructureMismatch(f"{name}, for its target,", wanted, type(part).__name__)
        leaf = leaf_of(name, part, path)
        raw = leaf.raw
        while isinstance(raw, Carrier):
            if raw.trace is self._tape:
                return _End(path, raw, raw.value, leaf.unit)
            raw = raw.value
        library = backend_of(raw)
        is_recorded = self._is_native(library) and library.requires_grad(raw)
        return _End(path, raw if is_recorded else None, leaf.raw, leaf.unit)

    def _pulled(self, end: _End, ct: Any, ends: list[_End], *, keep: bool) -> list[Any]:
        """Raw cotangents of sources, None where the target does not depend on one."""
        places = [e.raw if type(e.raw) is type(end.raw) else None for e in ends]
        wanted = [place for place in places if place is not None]
        if end.raw is None or not wanted:
            found: Iterator[Any] = iter(())
        elif isinstance(end.raw, Recorded):
            backs = cotangents([end.raw], [ct], wanted, keep=keep, beyond=True)
            found = iter(list(owned(backs, [ct])))
        else:
            is_recorded = any(tape is not self for tape in _open.get())
            pull = backend_of(end.raw).cotangents
            found = iter(pull(end.raw, ct, wanted, keep=keep, record=is_recorded))
        return [None if end.raw is None or place is None else next(found) for place in places]

    def _reached(self, end: _End, ends: list[_End]) -> list[bool]:
        """Which sources the target depends on."""
        met = {end.raw.node.serial}
        for call in calls_before([end.raw.node]):
            links = [link[0] if isinstance(link, tuple) else link for link in call.parents or ()]
            met |= {node.serial for node in links if node is not None}
        return [isinstance(e.raw, Recorded) and e.raw.node.serial in met for e in ends]

    def _check_reached(self, name: str, target: _End, ends: list[_End]) -> None:
        for end, is_met in zip(ends, self._reached(target, ends), strict=True):
            if not is_met:
                raise _no_influence(name, end.path)

    def _derived(
        self,
        name: str,
        target: _End,
        sources: Any,
        unit: Unit,
        unconnected: str,
        back: Callable[[list[_End]], list[Any]],
        shape: tuple[int, ...] = (),
    ) -> Any:
        """The derivatives in the structure of the sources, with their units."""
        ends: list[_End] = []

        def note(part: Any, path: str) -> Any:
            if part is not None:
                ends.append(self._end(f"GradientTape.{name}", part, path))
                if ends[-1].raw is None:
                    problem = f"GradientTape.{name} by a value that is not tracked: sources{path}"
                    raise UnitError(problem, _WATCH)
            return part

        mapped(sources, note)
        if unconnected == "error" and isinstance(target.raw, Recorded):
            self._check_reached(name, target, ends)  # before anything is freed
        found = back(ends)
        made = iter(
            [
                self._labelled(name, e, raw, unit, unconnected, shape)
                for e, raw in zip(ends, found, strict=True)
            ]
        )
        self._is_spent = not self.persistent
        return mapped(sources, lambda part, _: part if part is None else next(made))

    def _labelled(
        self, name: str, end: _End, raw: Any, unit: Unit, unconnected: str, shape: tuple[int, ...]
    ) -> Any:
        if raw is None:
            if unconnected == "error":
                raise _no_influence(name, end.path)
            if unconnected == "none":
                return None
            raw = zeros_for(end.value)
            if shape:
                raw = ops.broadcast_to(raw, shape=(*shape, *end.value.shape))
        return wrap(raw, unit / difference(end.unit))


def _no_influence(name: str, path: str) -> UnitError:
    problem = f"the target of GradientTape.{name} does not depend on sources{path}"
    return UnitError(problem, "ask for zeros (unconnected='zero') or None ('none')")


def _seed(end: _End, given: Any) -> tuple[Any, Unit]:
    """The raw cotangent of a target, and the unit of both together."""
    unit, shape = difference(end.unit), tuple(getattr(end.value, "shape", ()))
    name = "GradientTape.gradient"
    if given is None:
        if shape:
            hint = "sum first, or give output_gradients=, or ask for tape.jacobian(...)"
            raise ShapeMismatch(name, "a target that is one number, of shape ()", shape, hint)
        if kind_of(end.value) != "f":
            what = f"{KINDS[kind_of(end.value)]} as its target (take abs(y) or y.real)"
            raise NotANumber(name, what)
        return ops.ones_like(end.value), unit
    leaf = leaf_of(name, given, "")
    if tuple(getattr(leaf.raw, "shape", ())) != shape:
        wanted = f"output_gradients of shape {shape}"
        raise ShapeMismatch(name, wanted, tuple(getattr(leaf.raw, "shape", ())))
    library = backend_of(autodiff.innermost(end.value))
    is_followed = isinstance(leaf.raw, Carrier)
    raw = leaf.raw if is_followed else library.asarray(leaf.raw, dtype=end.value.dtype)
    return raw, unit * leaf.unit
