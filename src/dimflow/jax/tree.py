"""DimArray as a pytree: the numbers are its leaf, the unit is part of the structure."""

import sys
import warnings
from typing import Any

import jax
import jax.export

from dimflow.array.dimarray import DimArray
from dimflow.constants.constant import Constant
from dimflow.errors import UnitError
from dimflow.jax.flattened import TANGENTS, TREES, apart, filled, holds_arrays, in_place
from dimflow.jax.insides import ARRAY, UNFLATTEN, missing
from dimflow.ops.rules.units import PURE
from dimflow.transforms import structure
from dimflow.units import Unit, decode, encode, scope
from dimflow.units.alike import is_number

_new = object.__new__
_frame = sys._getframe
_KEYS = (jax.tree_util.GetAttrKey("data"), jax.tree_util.GetAttrKey("landed"))
_MISSING = missing()
_KINDS: tuple[type, ...] = (DimArray, Constant)

# The functions of JAX that hand cotangents back in the structure of the arguments: the caller of
# `tree_unflatten`, or its own caller. `missing` looks whether they are there.
_PULLBACKS = frozenset(("_vjp3_bwd", "transposed_fun"))
_JACOBIANS = frozenset(("_jacfwd_unravel",))
# The rule of a `jax.custom_vjp` is handed cotangents, and what it returns is compared with others.
_RULED = "_flatten_bwd"


class Label:
    """A unit as JAX compares it: by its spelling, so that Hz and Bq are traced apart.

    There is one label for each unit: JAX finds its compiled functions by comparing objects, which
    is faster than any comparison written in Python. Every derivative traces its arguments first, so
    that in all other units compiled calls need not ask whether they put one together.
    """

    __slots__ = ("is_traced", "unit")

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.is_traced = False  # there may be a derivative by arguments in this unit

    def __repr__(self) -> str:
        return str(self.unit) or "a pure number"


# Part of the key of all that JAX keeps of functions, since these may read texts
_texts = jax.make_user_context()  # type: ignore[no-untyped-call]


def read_texts_by(state: scope.State) -> None:
    """Let what JAX traces from here on, in this thread, be kept for this scope alone."""
    _texts(state).__enter__()


_labels: dict[int, Label] = {}  # JAX keeps structures for as long, in its own caches


def label(unit: Unit) -> Label:
    """The one label of a unit."""
    found = _labels.get(unit._serial)
    return found if found is not None else _labels.setdefault(unit._serial, Label(unit))


def register() -> None:
    """Tell JAX how to take a DimArray apart, and a constant, which comes back as a DimArray."""
    scope.compilers.append(read_texts_by)
    scope.changed()
    structure.registries.append(_data_fields)
    for kind in _KINDS:
        jax.tree_util.register_pytree_with_keys(
            kind, _flattened_with_keys, _unflattened, flatten_func=_flattened
        )
        jax.export.register_pytree_node_serialization(
            kind,
            serialized_name=f"dimflow.{kind.__name__}",
            serialize_auxdata=packed,
            deserialize_auxdata=unpacked,
        )


def _data_fields(value: Any) -> list[str] | None:
    """The fields of an object that JAX takes for leaves or trees; others are part of its structure.

    None of what it was not told of, or not by names.
    """
    found = jax.tree_util.default_registry.flatten_one_level_with_keys(value)
    if found is None or any(getattr(key, "name", None) is None for key, _ in found[0]):
        return None
    return [str(key.name) for key, _ in found[0]]


def packed(aux: Label) -> bytes:
    """A label as it stands in a program that jax.export writes: the unit, structurally."""
    return encode(aux.unit).encode()


def unpacked(data: bytes) -> Label:
    """The label of such bytes."""
    return label(decode(data.decode()))


def _flattened(array: DimArray) -> tuple[tuple[Any, ...], Any]:
    scope.kept()  # jax.jit looks for what it traced after it has taken its arguments apart
    frame = _frame(1)
    if frame.f_globals is TREES and (found := apart(array, frame)) is not None:
        return found
    try:
        return (array._raw,), _labels[array._unit._serial]
    except KeyError:
        return (array._raw,), label(array._unit)


def _flattened_with_keys(array: DimArray) -> tuple[tuple[tuple[Any, Any], ...], Any]:
    frame = _frame(1)
    if frame.f_globals is TREES and (found := apart(array, frame)) is not None:
        leaves, aux = found
        return tuple(zip(_KEYS, leaves, strict=False)), aux
    return ((_KEYS[0], array._raw),), label(array._unit)


def _unflattened(aux: Any, leaves: Any) -> Any:
    """An array of whatever JAX puts in the place of the numbers, objects of its own too."""
    if type(aux) is not Label:
        return filled(aux, leaves[0])
    made = _new(DimArray)
    made._raw = raw = leaves[0]
    made._unit = aux.unit
    if type(raw) is not ARRAY:
        aux.is_traced = True
        if _MISSING:
            _warn()
    if aux.is_traced and _frame(1).f_code is UNFLATTEN:
        made._unit = _unit_here(aux.unit, _frame(2))
    if isinstance(raw, jax.Array) or not holds_arrays(raw):
        return made
    return in_place(raw, made._unit, _frame(1))


def _warn() -> None:
    """Said wherever JAX may be about to differentiate; Python shows it once for each place."""
    text = (
        f"dimflow does not find {', '.join(_MISSING)} in JAX {jax.__version__}, so plain jax.grad, "
        "jax.vjp and jax.jacobian may label derivatives with the unit of the argument; "
        "use dimflow.grad, dimflow.vjp and dimflow.jacobian, which are right on every JAX"
    )
    warnings.warn(text, RuntimeWarning, stacklevel=3)


def _unit_here(unit: Unit, caller: Any) -> Unit:
    """The unit of what JAX puts together, which is that of a derivative in the place of arguments.

    JAX gives `jax.grad` of numbers by metres back as if it were metres: structures are all that it
    knows. Numbers by metres are in 1/m. Its own functions tell by their names what they do.
    """
    name = caller.f_code.co_name
    if name == "_unravel_array_into_pytree" and caller.f_back is not None:
        name = caller.f_back.f_code.co_name
    if name in _PULLBACKS:
        _refuse_units(caller.f_locals.get("out_tree"))
    elif name == _RULED:
        if "py_res" not in caller.f_locals:  # what the rule kept comes first, as it was
            return unit
    elif name == TANGENTS and {"py_primals", "py_tangents"} & {*caller.f_locals} == {"py_primals"}:
        return unit if unit.law is None else unit.delta
    elif name not in _JACOBIANS:
        return unit
    return PURE / (unit if unit.law is None else unit.delta)


def _refuse_units(out_tree: Any) -> None:
    """Of a result with a unit nobody can tell what its cotangent, of the same structure, means."""
    tree: Any = out_tree() if callable(out_tree) else out_tree
    if tree is None:
        return
    data: Any = tree.node_data() or (None, None)
    kind, aux = data
    if kind in _KINDS and not is_number(aux.unit):
        problem = (
            f"jax.vjp of a function that gives {aux.unit} has a cotangent without its own unit"
        )
        raise UnitError(problem, "use dimflow.vjp, whose cotangents have units")
    for child in tree.children():
        _refuse_units(child)
