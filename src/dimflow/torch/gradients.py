"""Backward passes with units: a gradient is in the unit of the output over that of the input.

PyTorch accumulates gradients in the raw leaves, which know no unit. A ledger stands on each leaf
of a quantity, and on each that a pass of ours ends in, as its hooks: it is told by autograd when
something is added to the gradient, sees whether one of our backward passes did that, and keeps the
unit of what was differentiated. So a gradient that somebody else computed is known as such, and two
of different dimensions never add up.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar
from weakref import ref

import torch
from torch import Tensor
from torch.autograd.graph import GradientEdge
from torch.utils.hooks import unserializable_hook

from dimflow.array.core import Core
from dimflow.array.dimarray import wrap
from dimflow.errors import DimensionError, UnitError
from dimflow.ops.rules.convert import checked_converter
from dimflow.ops.rules.units import PURE
from dimflow.units import Unit
from dimflow.units.alike import are_alike

_F = TypeVar("_F", bound=Callable[..., Any])
_task: Any = torch._C._current_graph_task_id


class _Passes(threading.local):
    """The unit of what this thread differentiates at the moment."""

    unit: Unit | None = None


# Autograd works on the CPU in the thread that called it, and on a GPU in a thread of its own: there
# a pass is known by its number, which a hook on the output learns.
_passes = _Passes()
_running: dict[int, Unit] = {}


def _running_unit() -> Unit | None:
    """The unit of the output of the pass that runs, if it is one of ours."""
    return _passes.unit or (_running.get(_task()) if _running else None)


_unserializable: Callable[[_F], _F] = unserializable_hook  # a copy or file goes without it
_uses_gpu: Callable[[], bool] = torch.cuda.is_initialized

_LEAF = "torch::autograd::AccumulateGrad"
_FRESH = "set x.grad = None before, as optimizer.zero_grad() does"
_OURS = "call backward() of the DimTensor: loss.backward(), not loss.data.backward()"


class Ledger:
    """The unit of the outputs whose gradients have gathered in one tensor."""

    __slots__ = ("_next", "_tensor", "is_plain", "own", "unit")

    def __init__(self, tensor: Tensor) -> None:
        self.own: Unit | None = None  # that of the tensor, if it is a parameter
        self.is_plain = False  # an ordinary parameter, of whose gradient nobody asks the unit
        self.unit: Unit | None = None  # None: nothing yet, or something that we know nothing of
        self._next: Unit | None = None
        self._tensor = ref(tensor)

    @_unserializable
    def before(self, gradient: Tensor) -> Tensor | None:
        """What is about to be added, in the unit of what is there."""
        unit = _running_unit()
        tensor = self._tensor()
        if tensor is not None and not tensor.is_leaf:
            self._retain(tensor, unit)
            return None
        if unit is None and self.is_plain and self.unit is not None:
            unit = PURE  # a loss of PyTorch's, beside which there was one with a unit
        if unit is None or tensor is None:
            self._next = None
            return None
        if tensor.grad is None or unit is self.unit:
            self._next = unit
            return None
        self._next = self.unit
        convert = _converter(self.unit, unit)
        return None if convert is None else convert(gradient)

    def _retain(self, tensor: Tensor, unit: Unit | None) -> None:
        """What is there is converted: what is about to be added flows on, and stays as it is."""
        if tensor.grad is not None and unit is not None and unit is not self.unit:
            convert = _converter(self.unit, unit, back=True)
            tensor.grad = tensor.grad if convert is None else convert(tensor.grad)
        self.unit = unit

    def after(self, _: Tensor) -> None:
        """Something was added: by us, or by somebody else."""
        self.unit = None if _running_unit() is None else self._next


def _converter(gathered: Unit | None, new: Unit, *, back: bool = False) -> Any:
    """From the unit of a new gradient to that of what has gathered, or back."""
    if gathered is None:
        problem = "a gradient of unknown unit has gathered here, to which none with a unit adds"
        raise UnitError(problem, _FRESH)
    if not are_alike(gathered, new):
        names = ("gathered", "new")
        raise DimensionError("the sum of two gradients", gathered, new, _FRESH, names)
    return checked_converter(gathered, new) if back else checked_converter(new, gathered)


def ledger_of(tensor: Tensor) -> Ledger | None:
    """The ledger of a tensor, if it has one."""
    hooks = tensor._backward_hooks
    for hook in hooks.values() if hooks else ():
        owner = getattr(hook, "__self__", None)
        if type(owner) is Ledger:
            return owner
    return None


def watch(tensor: Tensor, unit: Unit | None = None, *, is_plain: bool = False) -> None:
    """Put a ledger on a tensor that gathers a gradient, if it has none; a parameter has a unit."""
    if not tensor.requires_grad or is_transformed(tensor):
        return
    ledger = ledger_of(tensor)
    if ledger is None:
        ledger = Ledger(tensor)
        ledger.is_plain = is_plain
        raw: Any = tensor
        raw.register_hook(ledger.before)
        if raw.is_leaf:
            raw.register_post_accumulate_grad_hook(ledger.after)
    if unit is not None:
        ledger.own = unit


def inherit(tensor: Tensor, source: Tensor) -> None:
    """Take over what a ledger says of a gradient that was copied too."""
    mine, theirs = ledger_of(tensor), ledger_of(source)
    if mine is not None and theirs is not None and tensor.grad is not None:
        mine.unit = theirs.unit


def is_transformed(tensor: Tensor) -> bool:
    """Whether a transform of `torch.func` is at work, which has its own way to gradients."""
    if torch.compiler.is_compiling():  # which cannot ask, and does not break the graph for it
        return False
    return torch._C._functorch.is_functorch_wrapped_tensor(tensor)


def backward(
    output: Core,
    gradient: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Run a backward pass of a quantity; the gradients of its leaves know their units then."""
    unit = unit_of(output)
    if isinstance(gradient, Core):
        gradient, unit = gradient._raw, unit * gradient._unit
    _run([output._raw], [gradient], unit, retain_graph, create_graph, inputs)


def backward_all(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """`torch.autograd.backward`: of several outputs of one dimension at once."""
    raws, seeds, unit = _seeded(tensors, grad_tensors or grad_variables)
    _run(raws, seeds, unit, retain_graph, create_graph, inputs)


def _run(
    raws: list[Any], seeds: list[Any], unit: Unit, retain_graph: Any, create_graph: Any, inputs: Any
) -> None:
    """A backward pass of PyTorch's, under the eyes of the ledgers."""
    if inputs is not None:
        many = inputs.values() if isinstance(inputs, dict) else inputs
        inputs = [raw_of(each) for each in _many(many)]
        for each in inputs:
            watch(each)
    elif unit.key is not PURE.key:
        for leaf in _leaves(raws):
            watch(leaf, is_plain=True)
    with _known(raws, unit):
        torch.autograd.backward(raws, seeds, retain_graph, create_graph, inputs=inputs)


def _leaves(raws: list[Any]) -> Iterator[Tensor]:
    """Where a backward pass ends: an ordinary parameter gathers gradients with units too."""
    nodes: list[Any] = [r.node if isinstance(r, GradientEdge) else r.grad_fn for r in raws]
    seen: set[Any] = {None}
    while nodes:
        node = nodes.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.name() == _LEAF:
            yield node.variable
        nodes += [parent for parent, _ in node.next_functions]


@contextmanager
def _known(raws: list[Any], unit: Unit) -> Iterator[None]:
    """Passes of PyTorch's from here on are of outputs in this unit."""
    if _uses_gpu() or not raws[0].is_cpu:
        with _known_anywhere(raws, unit):
            yield
        return
    before, _passes.unit = _passes.unit, unit
    try:
        yield
    finally:
        _passes.unit = before


@contextmanager
def _known_anywhere(raws: list[Any], unit: Unit) -> Iterator[None]:
    """The same for a pass that other threads may work on."""
    tasks: list[int] = []

    def start(_: Tensor) -> None:
        tasks.append(_task())
        _running[tasks[-1]] = unit

    handles = [raw.register_hook(start) for raw in raws if raw.requires_grad]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
        for task in tasks:
            _running.pop(task, None)


def _seeded(outputs: Any, grad_outputs: Any) -> tuple[list[Any], list[Any], Unit]:
    """Raw outputs, raw cotangents in the unit of the first, and the unit of what they make up."""
    many = _many(outputs)
    seeds: list[Any] = [None] * len(many)
    if grad_outputs is not None:
        seeds = _many(grad_outputs)
    units = [
        unit_of(out) * unit_of(seed) if isinstance(seed, Core) else unit_of(out)
        for out, seed in zip(many, seeds, strict=True)
    ]
    raws, plain = [raw_of(out) for out in many], [raw_of(seed) for seed in seeds]
    for place in range(1, len(many)):
        if not are_alike(units[place], units[0]):
            names = ("outputs[0]", f"outputs[{place}]")
            hint = "their gradients would have to be added: differentiate them one by one"
            raise DimensionError("a derivative of outputs", units[0], units[place], hint, names)
        convert = checked_converter(units[place], units[0])
        if convert is not None:
            seed = plain[place]
            plain[place] = convert(torch.ones_like(raws[place]) if seed is None else seed)
    return raws, plain, units[0]


def raw_of(value: Any) -> Any:
    """The raw tensor of a DimTensor; anything else as it is."""
    return value._raw if isinstance(value, Core) else value


def unit_of(value: Any) -> Unit:
    """The unit of differences of a value: a raw tensor holds pure numbers."""
    return value._unit.delta if isinstance(value, Core) else PURE


def _unit_of_end(value: Any) -> Unit:
    """That of what is differentiated by; `module.parameters()` are raw, and have units."""
    ledger = ledger_of(value) if isinstance(value, torch.nn.Parameter) else None
    return unit_of(value) if ledger is None or ledger.own is None else ledger.own.delta


def _many(values: Any) -> list[Any]:
    """One of something or several, as PyTorch takes them."""
    return [values] if isinstance(values, (Core, Tensor, GradientEdge)) else list(values)


def gathered(array: Core) -> Any:
    """`x.grad`, in its unit; None if nothing has gathered."""
    raw = array._raw
    gradient = raw.grad
    if gradient is None:
        return None
    ledger = ledger_of(raw)
    if ledger is None or ledger.unit is None:
        problem = "the gradient was not computed by dimflow, so that nobody knows its unit"
        raise UnitError(problem, f"{_OURS}; x.data.grad are the bare numbers")
    return wrap(gradient, ledger.unit / array._unit.delta)


def put(array: Core, gradient: Any) -> None:
    """`x.grad = ...`: None, or a quantity, whose unit is kept."""
    raw = array._raw
    if gradient is None:
        raw.grad = None
        return
    if not isinstance(gradient, Core):
        problem = f"x.grad takes a DimTensor or None, but got a {type(gradient).__name__}"
        raise UnitError(problem, "give it its unit: x.grad = DimTensor(numbers, 'J/m')")
    watch(raw)
    ledger = ledger_of(raw)
    if ledger is None:
        raise UnitError("x.grad needs a tensor that requires grad", "x.requires_grad_()")
    raw.grad = gradient._raw
    ledger.unit = gradient._unit * array._unit.delta


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """`torch.autograd.grad` with units: of several outputs, all in the unit of the first."""
    ends = _many(inputs)
    raws, seeds, unit = _seeded(outputs, grad_outputs)
    with _known(raws, unit):
        found = torch.autograd.grad(
            raws,
            [raw_of(end) for end in ends],
            seeds if any(seed is not None for seed in seeds) else None,
            retain_graph,
            create_graph,
            only_inputs,
            allow_unused,
            is_grads_batched,
            materialize_grads,
        )
    pairs: Any = zip(found, ends, strict=True)
    return tuple(g if g is None else wrap(g, unit / _unit_of_end(end)) for g, end in pairs)


def hooked(array: Core, hook: Any) -> Any:
    """A hook on the gradient of a tensor, which it sees as a quantity and may replace by one."""
    unit = array._unit.delta

    @_unserializable
    def call(gradient: Tensor) -> Tensor | None:
        output = _running_unit()
        if output is None:
            problem = "a hook of a DimTensor ran in a backward pass of PyTorch's own, without units"
            raise UnitError(problem, _OURS)
        mine = output / unit
        result = hook(wrap(gradient, mine))
        if result is None:
            return None
        if not isinstance(result, Core):
            problem = f"the hook returned a {type(result).__name__} for a gradient in {mine}"
            raise UnitError(problem, "return a DimTensor, or None to leave the gradient alone")
        return result.to(mine)._raw  # type: ignore[attr-defined,no-any-return]

    watch(array._raw)
    return array._raw.register_hook(call)
