"""DimArray as a pytree: the numbers are its leaf, the unit is part of the structure."""

import sys
import warnings
from typing import Any

import jax
import jax.export

from dimflow.array.dimarray import DimArray
from dimflow.errors import UnitError
from dimflow.jax.insides import ARRAY, UNFLATTEN, missing
from dimflow.ops.rules.units import PURE
from dimflow.units import Unit, decode, encode

_new = object.__new__
_frame = sys._getframe
_KEYS = (jax.tree_util.GetAttrKey("data"),)
_MISSING = missing()

# The functions of JAX that hand cotangents back in the structure of the arguments: the caller of
# `tree_unflatten`, or its own caller. `missing` looks whether they are there.
_PULLBACKS = frozenset(("_vjp3_bwd", "transposed_fun"))
_JACOBIANS = frozenset(("_jacfwd_unravel",))


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


_labels: dict[int, Label] = {}  # JAX keeps structures for as long, in its own caches


def label(unit: Unit) -> Label:
    """The one label of a unit."""
    found = _labels.get(unit._serial)
    return found if found is not None else _labels.setdefault(unit._serial, Label(unit))


def register() -> None:
    """Tell JAX how to take a DimArray apart."""
    jax.tree_util.register_pytree_with_keys(
        DimArray, _flattened_with_keys, _unflattened, flatten_func=_flattened
    )
    jax.export.register_pytree_node_serialization(
        DimArray,
        serialized_name="dimflow.DimArray",
        serialize_auxdata=packed,
        deserialize_auxdata=unpacked,
    )


def packed(aux: Label) -> bytes:
    """A label as it stands in a program that jax.export writes: the unit, structurally."""
    return encode(aux.unit).encode()


def unpacked(data: bytes) -> Label:
    """The label of such bytes."""
    return label(decode(data.decode()))


def _flattened(array: DimArray) -> tuple[tuple[Any], Label]:
    try:
        return (array._raw,), _labels[array._unit._serial]
    except KeyError:
        return (array._raw,), label(array._unit)


def _flattened_with_keys(array: DimArray) -> tuple[tuple[tuple[Any, Any]], Label]:
    return ((_KEYS[0], array._raw),), label(array._unit)


def _unflattened(aux: Label, leaves: Any) -> DimArray:
    """An array of whatever JAX puts in the place of the numbers, objects of its own too."""
    made = _new(DimArray)
    made._raw = raw = leaves[0]
    made._unit = aux.unit
    if type(raw) is not ARRAY:
        aux.is_traced = True
        if _MISSING:
            _warn()
    if aux.is_traced and _frame(1).f_code is UNFLATTEN:
        made._unit = _unit_here(aux.unit, _frame(2))
    if type(raw) is DimArray:  # a derivative by an array, in the place of each of the numbers
        made._raw, made._unit = raw._raw, made._unit * raw._unit
    return made


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
    if kind is DimArray and not aux.unit.dimension.is_dimensionless:
        problem = (
            f"jax.vjp of a function that gives {aux.unit} has a cotangent without its own unit"
        )
        raise UnitError(problem, "use dimflow.vjp, whose cotangents have units")
    for child in tree.children():
        _refuse_units(child)
