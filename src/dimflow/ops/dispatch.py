"""Who runs an op: the interpreter that belongs to the type of its arguments.

A backend interprets ops by its kernels, the array layer by resolving units first, a tracer by
recording. They are found by type; the finder is set by `dimflow.backends`, which this layer does
not know.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from dimflow.errors import BackendMismatch

if TYPE_CHECKING:
    from dimflow.ops.record import Op


class Interpreter(Protocol):
    """Runs ops on values of some types."""

    name: str
    rank: int  # of two interpreters in one call the higher runs it; 0 is lifted by all others

    def run(self, op: "Op", args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """What the op gives for these arrays and parameters."""


class WrapperInterpreter(Interpreter, Protocol):
    """Runs ops on values of the types in `wrappers`."""

    def run_with(self, op: "Op", args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """What `run` does, where such a value stands among the static parameters."""


interpreters: dict[type, Interpreter] = {}  # by exact type; filled as types are met
find_interpreter: Callable[[type], Interpreter] | None = None

# Types of arrays whose operators raise beside a value that they do not know, instead of leaving
# the work to it. None of NumPy's, PyTorch's and JAX's.
stubborn: set[type] = set()
# Types of arrays whose comparisons by operators are plain: see `Backend.plain_masks`.
plain_masks: set[type] = set()
# Types of values that a trace follows, instead of arrays; empty until the engine is imported.
followed: set[type] = set()
# Types of values that are no plain number as a static parameter: traced ones, those with units,
# tensors. A kernel would read it as a constant, or wrap its result twice.
wrappers: set[type] = set()

# What makes an array of a list that holds arrays, traced values or quantities; set by
# `dimflow.array`. Lists of plain numbers are the libraries' own matter.
assemble: Callable[[Any], Any] | None = None
_LISTS = frozenset((list, tuple))

# A compiler that follows the bytecode (torch.compile) must not see our memos, which grow. It is
# told to take this for True; for all others it is the cheapest function that answers None.
_nothing: dict[int, bool] = {}
is_traced: Callable[[int], bool | None] = _nothing.get
call_traced: Callable[..., Any] | None = None  # what calls an op then, and what runs it;
run_traced: Callable[..., Any] | None = None  # both are set by `dimflow.torch`


def interpreter_of(kind: type) -> Interpreter:
    """The interpreter of a type of values."""
    known = interpreters.get(kind)
    if known is not None:
        return known
    if find_interpreter is None:
        import_module("dimflow.backends")
    assert find_interpreter is not None
    found = interpreters[kind] = find_interpreter(kind)
    return found


def select(op: "Op", args: tuple[Any, ...]) -> Interpreter:
    """The interpreter that all arguments agree on."""
    best: Interpreter | None = None
    for value in args:
        if value is None:
            continue
        kind = type(value)
        found = interpreters.get(kind) or interpreter_of(kind)
        if best is None or found.rank > best.rank:
            best = found
        elif found is not best and found.rank == best.rank:
            hint = f"convert one of them: x.to_backend({best.name!r})"
            raise BackendMismatch(op.name, best.name, found.name, hint)
    return best or interpreter_of(float)


def run(op: "Op", args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """Run an op on the interpreter of its arguments."""
    if is_traced(0):
        assert run_traced is not None
        return run_traced(op, args, params)
    if assemble is not None and not _LISTS.isdisjoint(map(type, args)) and not op.columns:
        args = tuple([assemble(value) if type(value) in _LISTS else value for value in args])
    if params and not wrappers.isdisjoint(map(type, params.values())):
        among = [interpreter_of(type(v)) for v in params.values() if type(v) in wrappers]
        highest = max(among, key=lambda interpreter: interpreter.rank)
        return cast("WrapperInterpreter", highest).run_with(op, args, params)
    if op.kind == "random":
        return _drawing(op, args, params).run(op, args, params)
    return select(op, args).run(op, args, params)


def run_alike(op: "Op", args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """What `run` does, sooner where all values are of one type: then there is nothing to choose."""
    if not args or op.kind == "random" or is_traced(0):
        return run(op, args, params)
    if params and not wrappers.isdisjoint(map(type, params.values())):
        return run(op, args, params)
    kind = type(args[0])
    library = None if kind in _LISTS else interpreters.get(kind)
    if len(args) > 1:
        for value in args:
            if type(value) is not kind:
                library = None
    return run(op, args, params) if library is None else library.run(op, args, params)


def _drawing(op: "Op", args: tuple[Any, ...], params: dict[str, Any]) -> Interpreter:
    """A draw runs where its generator belongs; a seed, and NumPy's, suit every library."""
    generator = params["generator"]
    package = type(generator).__module__.partition(".")[0]
    is_of_all = package in ("builtins", "numpy", "dimflow") and type(generator) not in interpreters
    return select(op, args if is_of_all else (*args, generator))
