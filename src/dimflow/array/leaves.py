"""Where gradients gather: leaves of one tape that is always there, for `x.requires_grad_()`.

A leaf is the value of its array at one time. To write into the array is to give it another leaf,
so that what was recorded before keeps the values that it was computed from.
"""

from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from dimflow import ops
from dimflow.array.core import Core
from dimflow.array.guises import settle_class
from dimflow.autodiff.carrier import Carrier, alive, settled
from dimflow.autodiff.node import Node
from dimflow.autodiff.reverse import cotangents
from dimflow.autodiff.tape import Recorded, Tape
from dimflow.backends import backend_of
from dimflow.errors import (
    ComputationError,
    DimensionError,
    NotANumber,
    ShapeMismatch,
    TracedValueError,
    UnitError,
)
from dimflow.ops.rules.convert import checked_converter
from dimflow.ops.rules.dtypes import kind_of
from dimflow.units import Unit
from dimflow.units.alike import are_alike

_adding = Lock()  # passes of several threads may come to one leaf
AMBIENT = Tape(level=0)  # older than every other trace: what those do is recorded too

_FRESH = "set x.grad = None before"
_GONE = (
    "y.backward()",
    "the way back was gone before, and the record freed",
    "keep it for another pass: y.backward(retain_graph=True)",
)


class Gathered:
    """The gradients of one array, added up, and the unit of what was differentiated."""

    __slots__ = ("gradient", "unit")

    def __init__(self, gradient: Any = None, unit: Unit | None = None) -> None:
        self.gradient = gradient
        self.unit = unit

    def check(self, unit: Unit) -> None:
        """DimensionError if gradients of another dimension are here already."""
        if self.unit is not None and not are_alike(self.unit, unit):
            names = ("gathered", "new")
            raise DimensionError("the sum of two gradients", self.unit, unit, _FRESH, names)

    def add(self, gradient: Any, unit: Unit) -> None:
        """Add a gradient of an output in a unit, in an array that nobody else has."""
        if self.unit is None:
            self.gradient, self.unit = backend_of(gradient).copy(gradient), unit
            return
        convert = checked_converter(unit, self.unit)
        self.gradient = self.gradient + (gradient if convert is None else convert(gradient))


class Gathering(Node):
    """A call whose results, or some of them, gather their gradients; a leaf has no op.

    It has the layout of a Node, so that a node turns into one and what uses it need not know.
    """

    __slots__ = ()

    gathered: dict[int, Gathered]  # by the place among the results


class End(NamedTuple):
    """Where a backward pass leaves a gradient."""

    value: Recorded
    gathered: Gathered


def private(raw: Any) -> Any:
    """The values in memory that nobody writes into: the record counts on them."""
    copied = backend_of(raw).copy(raw)
    if type(copied) is np.ndarray:
        copied.flags.writeable = False
    return copied


def leaf(raw: Any, gathered: Gathered) -> Recorded:
    """A value as a leaf, whose gradient goes where it is told."""
    return _gathering(AMBIENT.watch(private(raw)), gathered)


def _gathering(carrier: Recorded, gathered: Gathered) -> Recorded:
    """The same value, whose gradient gathers from now on, also by the uses that were before."""
    node: Any = carrier.node
    if type(node) is not Gathering:
        node.__class__, node.gathered = Gathering, {}
    node.gathered[carrier.place] = gathered
    return carrier


def is_leaf(raw: Any) -> bool:
    """Whether this is a leaf of the ambient tape."""
    return type(raw) is Recorded and raw.trace is AMBIENT and raw.node.op is None


def gathered_of(raw: Any) -> Gathered | None:
    """Where the gradient of a value gathers; None if nowhere."""
    is_here = type(raw) is Recorded and raw.trace is AMBIENT and type(raw.node) is Gathering
    return raw.node.gathered.get(raw.place) if is_here else None


def require(array: Core, flag: bool) -> None:
    """`x.requires_grad_()`: from now on the array is a leaf, or no longer."""
    raw = alive(array._raw)
    if not isinstance(raw, Carrier):
        if flag:
            _check_kind(raw)
            raw = leaf(raw, Gathered())
        array._raw = raw
        settle_class(array)
    elif raw.trace is not AMBIENT:
        hint = "call it before: outside of grad, jvp and the tape"
        raise TracedValueError("x.requires_grad_()", raw.trace.verb, hint)
    elif not flag:
        if not is_leaf(raw):
            problem = "x.requires_grad_(False) on an array that was computed from others"
            raise UnitError(problem, "take its values: x = x.detach()")
        array._raw = backend_of(raw.value).copy(raw.value)
        settle_class(array)


def _check_kind(raw: Any) -> None:
    if kind_of(raw) not in "fc":
        what = f"an array of {backend_of(raw).dtype(raw)} (convert it: x.astype('float64'))"
        raise NotANumber("x.requires_grad_()", what)


def retain(array: Core) -> None:
    """`x.retain_grad()`: gather the gradient here too."""
    raw = settled(array._raw)
    if gathered_of(raw) is not None:
        return
    if type(raw) is not Recorded or raw.trace is not AMBIENT:
        problem = "x.retain_grad() on an array that no backward() comes to"
        raise UnitError(problem, "x is computed from arrays after their x.requires_grad_()")
    _gathering(raw, Gathered())


def gradient_of(array: Core) -> Any:
    """`x.grad`, in its unit; None if nothing has gathered."""
    raw = alive(array._raw)
    gathered = gathered_of(raw)
    if gathered is not None:
        if gathered.unit is None:
            return None
        gradient = array._like(gathered.gradient, gathered.unit / array._unit.delta)
        settle_class(gradient)
        return gradient
    if isinstance(raw, Carrier):
        problem = "x.grad of an array that is no leaf: its gradient is not kept"
        raise UnitError(
            problem, "ask for it before backward(): x.retain_grad(); or use dimflow.grad"
        )
    return None


def put_gradient(array: Core, gradient: Any) -> None:
    """`x.grad = ...`: None, or a quantity of the array's shape."""
    gathered = gathered_of(alive(array._raw))
    if gradient is None:
        if gathered is not None:
            gathered.gradient = gathered.unit = None
        return
    if gathered is None:
        raise UnitError("x.grad needs an array that requires grad", "x.requires_grad_()")
    if not isinstance(gradient, Core):
        problem = f"x.grad takes a DimArray or None, but got a {type(gradient).__name__}"
        raise UnitError(problem, "give it its unit: x.grad = DimArray(numbers, 'J/m')")
    if gradient.shape != array.shape:
        raise ShapeMismatch("x.grad", array.shape, gradient.shape)
    raw = settled(gradient._raw)
    gathered.gradient = backend_of(raw).copy(raw)
    gathered.unit = gradient._unit * array._unit.delta


def backward(array: Core, gradient: Any, retain_graph: bool, inputs: Any) -> None:
    """Add the gradients of an output to what has gathered in the leaves before it."""
    raw = settled(array._raw)
    if type(raw) is not Recorded or raw.trace is not AMBIENT:
        if isinstance(raw, Carrier):
            hint = "call backward() outside, or use dimflow.grad within dimflow.grad"
            raise TracedValueError("y.backward()", raw.trace.verb, hint)
        problem = "y.backward() of an array that does not depend on any that requires grad"
        raise UnitError(problem, "x.requires_grad_() before y is computed, outside of no_grad()")
    ct, unit = _seed(array, gradient)
    ends = _ends_before(raw.node)
    if inputs is not None:
        ends = _chosen(ends, inputs)
    for end in ends:
        end.gathered.check(unit)
    found = cotangents([raw], [ct], [end.value for end in ends], keep=retain_graph, beyond=True)
    with _adding:
        for end, back in zip(ends, found, strict=True):
            if back is not None:
                end.gathered.add(back, unit)


def _seed(array: Core, gradient: Any) -> tuple[Any, Unit]:
    """The raw cotangent of an output, and the unit of both together."""
    unit = array._unit.delta
    raw = settled(array._raw).value
    if gradient is None:
        if array.shape:
            hint = "sum or average first, or give a gradient of that shape: y.backward(g)"
            raise ShapeMismatch("y.backward()", "one number, of shape ()", array.shape, hint)
        if kind_of(raw) == "c":
            what = "complex numbers (take abs(y) or y.real, or give a gradient)"
            raise NotANumber("y.backward()", what)
        return ops.ones_like(raw), unit
    given: Any = gradient
    if isinstance(gradient, Core):
        given, unit = settled(gradient._raw), unit * gradient._unit
    given = backend_of(raw).asarray(given, dtype=raw.dtype)
    if tuple(given.shape) != array.shape:
        raise ShapeMismatch("y.backward(gradient)", array.shape, tuple(given.shape))
    return given, unit


def _ends_before(node: Node) -> list[End]:
    """The leaves and retained values that led to a call; an error if some way was freed."""
    found: list[End] = []
    seen = {node.serial}
    open_ends = [node]
    while open_ends:
        each = open_ends.pop()
        if type(each) is Gathering:
            results = each.gathered.items()
            found += [End(AMBIENT.carrier(each.out, each, i), mine) for i, mine in results]
        if each.parents is None:
            raise ComputationError(*_GONE)
        for link in each.parents:
            parent = link[0] if isinstance(link, tuple) else link
            if parent is not None and parent.serial not in seen:
                seen.add(parent.serial)
                open_ends.append(parent)
    return found


def _chosen(ends: list[End], inputs: Any) -> list[End]:
    """Of the places where gradients gather, those of some arrays."""
    wanted = inputs if isinstance(inputs, (list, tuple)) else (inputs,)
    chosen = []
    for place, array in enumerate(wanted):
        gathered = gathered_of(alive(array._raw)) if isinstance(array, Core) else None
        mine = [end for end in ends if end.gathered is gathered]
        if gathered is None or not mine:
            problem = f"y.backward(inputs=...): y does not depend on inputs[{place}]"
            raise UnitError(problem, "give arrays that require grad and that y is computed from")
        chosen += mine
    return chosen


def rewritten(array: Core, value: Any, operation: str) -> None:
    """Another value for an array that is a leaf, as `x -= ...` gives it within no_grad()."""
    raw = array._raw
    if settled(raw) is raw:
        hint = "write within no_grad(): with dimflow.no_grad(): x -= ..."
        raise TracedValueError(
            f"{operation} on a leaf that requires grad, and so", raw.trace.verb, hint
        )
    plain = settled(value)
    if isinstance(plain, Carrier):
        raise TracedValueError(operation, plain.trace.verb, "write x.detach()")
    array._raw = leaf(plain, raw.node.gathered[0])


def deep_copied(array: Core) -> Any:
    """A leaf of its own, with a copy of the gradient."""
    gathered = gathered_of(array._raw)
    if gathered is None:
        return array.copy()  # type: ignore[attr-defined]
    mine = Gathered()
    if gathered.unit is not None:
        mine.add(gathered.gradient, gathered.unit)
    return array._like(leaf(array._raw.value, mine), array._unit)
