"""JAX's functions that take a tree apart, compute, and put it together as if nothing had changed.

`jax.tree.map` would call the squares of metres metres, since the unit is part of the structure that
it fills again. A program that maps over a tree, or reads its leaves, is handed each array whole,
with its unit, and what its function returns stands in the result as it is. Inside of JAX leaves are
arrays of numbers. So they are where a library that knows JAX alone maps over a tree, which may not
compute with them.

Functions that call yours on parts of a tree and take what comes back for the same structure are
asked about the structure before they run.
"""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax._src import tree, tree_util

from dimflow.array.core import Core
from dimflow.array.dimarray import DimArray, wrap
from dimflow.errors import PointError, UnitError
from dimflow.jax.leaves import function_called
from dimflow.jax.libraries import computed, is_aware, is_inside, module_of, package_of, shown
from dimflow.ops.rules.units import PURE
from dimflow.transforms.calls import difference
from dimflow.units import Unit
from dimflow.units.alike import are_alike

TREES: Any = tree_util.__dict__  # the globals of a frame of the functions on trees
_ALIASES: Any = tree.__dict__  # `jax.tree.map` and the like, which call those
TANGENTS = "_flatten_jvp"  # the rule of a `jax.custom_jvp` is handed arguments, and their changes
_MAPS = frozenset(("tree_map", "tree_map_with_path"))
# Nothing is put together again, or in another order, so that a unit would be lost.
_READS = frozenset(
    (
        *("tree_leaves", "tree_leaves_with_path", "tree_reduce", "tree_reduce_associative"),
        "tree_transpose",
    )
)
_ARRAYS = (jax.Array, np.ndarray)
_RESULTS = (DimArray, *_ARRAYS, np.inexact, float, complex)  # no masks, places, shapes
_new = object.__new__


class _Whole(DimArray):
    """An array that JAX does not take apart, since this class is none that it was told of."""

    __slots__ = ()


class _Place:
    """What stands for an array in a structure that is filled with whole leaves."""

    def __repr__(self) -> str:
        return "a quantity"


PLACE = _Place()


class _Landed:
    """Beside a whole leaf, and visited after it: from here on the leaf is as any DimArray."""

    __slots__ = ("leaf",)

    def __init__(self, leaf: Any) -> None:
        self.leaf = leaf


def _land(node: _Landed) -> tuple[tuple[()], None]:
    if node.leaf is not None:
        node.leaf.__class__ = DimArray
    return (), None


jax.tree_util.register_pytree_node(_Landed, _land, lambda _, __: _Landed(None))


class _Lent:
    """The structure of an array whose numbers a library sees, that may put them back as they are.

    JAX compares it with those of the other trees of a map, whose numbers may come instead.
    """

    __hash__ = object.__hash__

    def __init__(self, array: Any, library: str) -> None:
        self.unit, self.raws, self.library = array._unit, [array._raw], library

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Lent) or self.unit is not other.unit:
            return False
        self.raws += other.raws
        return True

    def __repr__(self) -> str:
        return shown(self.unit)

    def filled(self, leaf: Any) -> Any:
        """The array of a leaf, which is no result of a computation."""
        for part in jax.tree_util.tree_leaves(leaf, is_leaf=_is_quantity):
            if isinstance(part, _RESULTS) and all(part is not raw for raw in self.raws):
                raise computed(self.library, self.unit)
        made = _new(DimArray)
        made._raw, made._unit = leaf, self.unit
        return made


class _Change:
    """The structure of a change, which a rule of `jax.custom_jvp` returns beside a value.

    JAX compares it with that of the value: of a point on a scale the change is a difference.
    """

    __hash__ = object.__hash__

    def __init__(self, unit: Unit) -> None:
        self.unit = unit

    def __eq__(self, other: object) -> bool:
        unit: Unit | None = getattr(other, "unit", None)
        return unit is not None and difference(unit) == self.unit

    def __repr__(self) -> str:
        return f"a change in {shown(self.unit)}"


def apart(array: Any, frame: Any) -> tuple[tuple[Any, ...], Any] | None:
    """The leaves and the structure of an array in one of JAX's functions on trees, if not its own.

    A whole leaf is one of a class that JAX does not know, when it is met and only then.
    """
    name, caller = _called(frame)
    if caller is None:
        return None
    place = module_of(caller), caller.f_code.co_qualname
    check: Callable[[Any], None] | None = _CHECKS.get(place)
    if check is not None:
        check(caller)
    if caller.f_code.co_name == TANGENTS and "out_tree" in caller.f_locals:
        return _change(array, caller.f_locals)
    if name not in _MAPS | _READS or is_inside(caller):
        return None
    if name in _MAPS and not is_aware(caller):
        lent = None if array._unit is PURE else _Lent(array, package_of(caller))
        return None if lent is None else ((array._raw,), lent)
    leaf = _new(_Whole)
    leaf._raw, leaf._unit = array._raw, array._unit
    return (leaf, _Landed(leaf)), PLACE


def filled(structure: Any, leaf: Any) -> Any:
    """What stands for an array after a map, if it is that."""
    return leaf if structure is PLACE else structure.filled(leaf)


def in_place(value: Any, unit: Unit, frame: Any) -> Any:
    """A quantity, or a tree of quantities and numbers, in the place of the numbers of an array."""
    _, caller = _called(frame)
    is_turned = frame.f_back is not None and frame.f_back.f_code is TREES["tree_transpose"].__code__

    def placed(leaf: Any) -> Any:
        if not isinstance(leaf, DimArray):
            return wrap(leaf, unit)
        if is_turned:  # a tree of quantities, which have their units
            return leaf
        if caller is None or not is_inside(caller):  # leaves that were read are put back
            return leaf.to(unit)
        # JAX puts a derivative, of the shape of an array, in the place of each of its numbers
        return leaf._like(leaf._raw, unit * leaf._unit)

    return jax.tree_util.tree_map(placed, value, is_leaf=_is_quantity)


def holds_arrays(value: Any) -> bool:
    """Whether something is a quantity or a container of arrays."""
    leaves = jax.tree_util.tree_leaves(value, is_leaf=_is_quantity)
    if leaves and leaves[0] is value:
        return isinstance(value, DimArray)
    return any(isinstance(leaf, (DimArray, *_ARRAYS)) for leaf in leaves)


def _is_quantity(value: Any) -> bool:
    return isinstance(value, DimArray)


def _called(frame: Any) -> tuple[str, Any]:
    """The function on trees that was called, and the frame of its caller."""
    name = ""
    while frame is not None and (frame.f_globals is TREES or frame.f_globals is _ALIASES):
        name = frame.f_code.co_name if frame.f_globals is TREES else name
        frame = frame.f_back
    return name, frame


def _units(*values: Any) -> list[Unit]:
    """The units of what trees hold, in order."""
    leaves = jax.tree_util.tree_leaves(values, is_leaf=lambda leaf: isinstance(leaf, Core))
    return [leaf._unit if isinstance(leaf, Core) else PURE for leaf in leaves]


def _has_units(*values: Any) -> bool:
    return any(unit != PURE for unit in _units(*values))


def _stays(name: str, function: Callable[..., Any], given: Any, state: list[Unit]) -> None:
    """Refuse a function whose result JAX would put into a structure with other units."""
    made = _units(jax.eval_shape(lambda *args: function(*args), *given))
    for was, came in zip(state, made, strict=False):
        if was != came:
            raise UnitError(
                f"{name} takes what its function returns for {shown(was)}, "
                f"but it returns {shown(came)}",
                f"return {shown(was)}, or compute on the numbers: x.to_value({str(was)!r})",
            )


def _scanned(frame: Any) -> None:
    at = frame.f_locals
    elems = at["elems"]
    _stays("jax.lax.associative_scan", at["fn"], (elems, elems), _units(elems))


def _reduced(frame: Any) -> None:
    at = frame.f_locals
    start = at["init_values"]
    _stays("jax.lax.reduce", at["computation"], (start, start), _units(start))


def _integrated(frame: Any) -> None:
    """`odeint` looks at its function first, in `closure_convert`."""
    if frame.f_back.f_code.co_name != "odeint":
        return
    at, caller = frame.f_back.f_locals, frame.f_back.f_back
    if caller.f_globals is frame.f_back.f_globals and _has_units(at["args"]):  # on the way back
        (unit, *_) = (unit for unit in _units(at["args"]) if unit != PURE)
        raise UnitError(
            f"odeint has no derivative where an argument has a unit, as {unit}",
            "let the function have it: odeint(lambda y, t: f(y, t, k), y0, t)",
        )
    if _has_units(at["t"]):
        (unit,) = _units(at["t"])
        raise UnitError(
            f"odeint takes times as plain numbers, but got {unit}",
            f"odeint(lambda y, t: (f(y, t * s) * s).to(y.unit), y0, t.to_value({str(unit)!r})), "
            f"where s = 1 * Unit({str(unit)!r})",
        )
    state = [difference(unit) for unit in _units(at["y0"])]
    _stays("odeint", at["func"], (at["y0"], at["t"][0], *at["args"]), state)


def _ravelled(frame: Any) -> None:
    caller, tree = frame.f_back, frame.f_locals["pytree"]
    if not is_inside(caller) and not is_aware(caller) and _has_units(tree):
        raise computed(package_of(caller), next(unit for unit in _units(tree) if unit != PURE))


def _ruled(frame: Any) -> None:
    """What the rule of a `custom_vjp` returned is about to be compared with the arguments."""
    at = frame.f_locals
    returned, wanted = (_units(at.get(key)) for key in ("py_cts_in", "dummy"))
    if len(returned) == len(wanted):
        for was, found in zip(wanted, returned, strict=True):
            if was._serial != found._serial:  # JAX wants one spelling
                raise UnitError(
                    f"the rule of a jax.custom_vjp returned {shown(found)} "
                    f"for a cotangent in {shown(was)}",
                    f"cotangents are in 1/[result] and 1/[argument]: ct.to({str(was)!r})",
                )


def _change(array: Any, at: dict[str, Any]) -> tuple[tuple[Any, ...], _Change]:
    """A change that the rule of a `custom_jvp` returned, in the unit of the value's differences."""
    trees = at["py_primals_out"], at["py_tangents_out"]
    pairs = (jax.tree_util.tree_leaves(tree, is_leaf=_is_quantity) for tree in trees)
    for value, change in zip(*pairs, strict=False):
        if change is array and isinstance(value, DimArray):
            unit = difference(value._unit)
            if not are_alike(array._unit, unit):
                raise UnitError(
                    f"the rule of a jax.custom_jvp returned {shown(array._unit)} "
                    f"for a change in {shown(unit)}",
                    "a change of the result is the derivative, in [result]/[argument], times that "
                    "of the argument",
                )
            array = array.to(unit)
            break
    return (array._raw,), _Change(array._unit)


def _called_back(_: Any) -> None:
    raise UnitError(
        "a callback returned a quantity, of which JAX would take the numbers alone",
        "return x.to_value(unit); the result has the unit that result_shape_dtypes says",
    )


def _reversed_jacobian(frame: Any) -> None:
    if _has_units(frame.f_locals["args"]):
        raise UnitError(
            "jax.jacrev and jax.hessian put derivatives together as if they had no units",
            "use dimflow.jacobian(f) or dimflow.hessian(f), or jax.jacfwd(jax.grad(f))",
        )


def _gathered(frame: Any) -> None:
    """Sums and means over a mapped axis: of points on a scale as our own have it."""
    _, name = function_called(frame) or ("lax", "psum")
    for unit in _units(frame.f_locals["x"]):
        one = wrap(np.zeros(1), unit)
        try:
            one.mean() if name == "pmean" else one.sum()
        except PointError as error:
            hint = str(error.hint).replace("x.mean()", "jax.lax.pmean(x, axis_name)")
            raise PointError(f"jax.lax.{name}", unit, hint) from None


def _solved(frame: Any) -> None:
    """Solvers add the squares of all leaves, by which they choose their steps."""
    units = list(dict.fromkeys(_units(frame.f_locals["b"])))
    if len(units) > 1:
        what = ", ".join(shown(unit) for unit in units)
        raise UnitError(
            f"{frame.f_back.f_code.co_name} would add the squares of numbers in {what}",
            "give it numbers: divide each leaf by a scale in its unit, as b['x'] / (1 * Unit('m'))",
        )


_SUMS = ("_psum", "_psum_is_async", "_psum_scatter", "_psum_scatter_is_async", "psum")

# By name, since a module may not be imported yet: (module, function) -> what to ask of the call.
_CHECKS: dict[tuple[str, str], Callable[[Any], None]] = {
    ("jax._src.lax.control_flow.loops", "associative_scan"): _scanned,
    ("jax._src.lax.lax", "reduce"): _reduced,
    ("jax._src.custom_derivatives", "closure_convert"): _integrated,
    ("jax._src.flatten_util", "ravel_pytree"): _ravelled,
    ("jax._src.scipy.sparse.linalg", "_isolve"): _solved,
    ("jax._src.custom_derivatives", "_flatten_bwd"): _ruled,
    ("jax._src.callback", "_FlatCallback.__call__"): _called_back,
    ("jax._src.api", "jacrev.<locals>.jacfun"): _reversed_jacobian,
    **{("jax._src.lax.parallel", name): _gathered for name in _SUMS},
}
