"""grad, value_and_grad, vjp, jvp: derivatives with their units, by each library's own engine.

A derivative has the unit [result]/[argument]; of points (20 °C) it is that of their differences.
"""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, NamedTuple

from dimflow import ops
from dimflow.array.dimarray import DimArray, wrap
from dimflow.backends import Backend
from dimflow.errors import DimensionError, MissingRule, NotANumber, ShapeMismatch, UnitError
from dimflow.ops.dispatch import interpreter_of
from dimflow.ops.rules.convert import checked_converter
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.units import PURE
from dimflow.transforms.structure import mapped
from dimflow.units import Unit

Function = Callable[..., Any]
_WHOLE = {"b": "truth values", "i": "integers", "u": "integers", "c": "complex numbers"}


def grad(
    function: Function, argnums: int | tuple[int, ...] = 0, *, has_aux: bool = False
) -> Function:
    """The function that gives the gradient of one that gives a single number.

        dimflow.grad(energy)(x)                      # in J/m for x in m
        dimflow.grad(loss, argnums=(0, 2))(a, b, c)  # a pair

    Arguments may be tuples, lists, dicts and dataclasses of arrays, and so is then the gradient.
    With `has_aux` the function gives a pair (number, anything), and so does this one. The arrays
    are those of a library that differentiates: JAX, PyTorch, MLX.
    """
    both = value_and_grad(function, argnums, has_aux=has_aux)

    @wraps(function)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        value, found = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


def value_and_grad(
    function: Function, argnums: int | tuple[int, ...] = 0, *, has_aux: bool = False
) -> Function:
    """The function that gives the value and the gradient: `(E, dE_dx)`."""
    places = argnums if isinstance(argnums, tuple) else (argnums,)

    @wraps(function)
    def value_and_gradient(*args: Any, **kwargs: Any) -> Any:
        for place in places:
            if not -len(args) <= place < len(args):
                problem = f"grad by argument {place} of a call with {len(args)} arguments"
                raise UnitError(problem, "give it by position; argnums counts from 0")
        chosen = tuple(args[place] for place in places)

        def partial(*values: Any) -> Any:
            full = list(args)
            for place, value in zip(places, values, strict=True):
                full[place] = value
            return function(*full, **kwargs)

        call = _Call("grad", partial, chosen, args, has_aux)
        pull = call.reverse()
        call.check_scalar()
        found = pull((ops.ones_like(call.out[0].raw),))
        gradient = call.cotangents(found, _difference(call.out[0].unit))
        value = (call.result(), call.aux()) if has_aux else call.result()
        return value, gradient if isinstance(argnums, tuple) else gradient[0]

    return value_and_gradient


def vjp(function: Function, *args: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """The result, and the function that takes a cotangent of it back to those of all arguments.

    A cotangent in [L]/[result] gives some in [L]/[argument]; a bare number is a pure one. With
    `has_aux` a third value is what the function gives beside its result.
    """
    call = _Call("vjp", function, args, args, has_aux)
    pull = call.reverse()

    def back(cotangent: Any) -> tuple[Any, ...]:
        raws, whole = call.paired(cotangent)
        return call.cotangents(pull(raws), whole)

    return (call.result(), back, call.aux()) if has_aux else (call.result(), back)


def jvp(
    function: Function,
    primals: tuple[Any, ...] | list[Any],
    tangents: tuple[Any, ...] | list[Any],
    *,
    has_aux: bool = False,
) -> tuple[Any, ...]:
    """The result and how it changes with the arguments: `jvp(f, (x,), (dx,))`.

    A tangent is in a unit of its argument's differences; that of the result comes in its own.
    """
    if len(primals) != len(tangents):
        wanted = f"{len(primals)} tangents, one for each argument"
        raise ShapeMismatch("jvp", wanted, f"{len(tangents)}")
    call = _Call("jvp", function, tuple(primals), tuple(primals), has_aux)
    changed = call.forward(tuple(tangents))
    return (call.result(), changed, call.aux()) if has_aux else (call.result(), changed)


class _Leaf(NamedTuple):
    """An array among arguments or results."""

    raw: Any
    unit: Unit
    is_bare: bool  # a raw array: so is what belongs to it, if that is a pure number


class _Call:
    """One call of a function, seen by a library's engine: raw arrays in, raw arrays out.

    The engine calls the function once or more, on values of its own. What the results are called,
    their structure and their units, is noted on the way.
    """

    def __init__(
        self, name: str, function: Function, args: tuple[Any, ...], beside: Any, has_aux: bool
    ) -> None:
        self.name = name
        self.function = function
        self.args = args
        self.has_aux = has_aux
        self.library = _library(name, beside)
        self.leaves = self._checked(args)
        self.out: list[_Leaf] = []
        self._structure: Any = None
        self._beside: list[_Leaf] = []  # the arrays in aux
        self._aux_structure: Any = None
        self._raws: tuple[Any, ...] = ()

    def _checked(self, args: tuple[Any, ...]) -> list[_Leaf]:
        """The arrays to differentiate by, in the library's own arrays."""
        found: list[_Leaf] = []

        def note(value: Any, path: str) -> Any:
            if value is None:
                return value
            leaf = _leaf(self.name, value, path)
            kind = kind_of(leaf.raw)
            if kind != "f":
                what = f"{_WHOLE[kind]} (floating point has derivatives: x.astype('float64'))"
                raise NotANumber(f"{self.name} by args{path}", what)
            found.append(leaf._replace(raw=self.library.asarray(leaf.raw)))
            return value

        mapped(args, note)
        return found

    def _run(self, *raws: Any) -> tuple[Any, ...]:
        """The function on raw arrays; results beside the derivative's own come after them."""
        values = iter(raws)
        labels = iter(self.leaves)

        def labelled(value: Any, _path: str) -> Any:
            if value is None:
                return value
            leaf, raw = next(labels), next(values)
            return raw if leaf.is_bare else wrap(raw, leaf.unit)

        result, aux = self.function(*mapped(self.args, labelled)), None
        if self.has_aux:
            result, aux = _pair(self.name, result)
        out, structure = _taken_apart(self.name, result)
        beside, aux_structure = _taken_apart(self.name, aux, keep=True)
        if self._structure is None:  # an engine that calls again has values of its own then
            self.out, self._structure = out, structure
            self._beside, self._aux_structure = beside, aux_structure
        passing = (leaf for leaf in beside if self._passes(leaf))
        return tuple(self._array(leaf.raw) for leaf in (*out, *passing))

    def _passes(self, leaf: _Leaf) -> bool:
        """Whether an array in aux goes through the engine; others are constant to it."""
        return self.library.returns_any or kind_of(leaf.raw) in "fc"

    def _array(self, raw: Any) -> Any:
        """A bare number as an array, which engines need as a result."""
        return raw if hasattr(raw, "shape") else self.library.asarray(raw)

    def reverse(self) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
        """Run the function, and give the way back from cotangents of its results."""
        self._raws, pull = self.library.vjp(self._run, tuple(leaf.raw for leaf in self.leaves))
        self._note_raws()
        beside = self._raws[len(self.out) :]

        def back(cotangents: tuple[Any, ...]) -> tuple[Any, ...]:
            found: tuple[Any, ...] = pull((*cotangents, *map(ops.zeros_like, beside)))
            return found

        return back

    def forward(self, tangents: tuple[Any, ...]) -> Any:
        """Run the function, and give the tangent of its result."""
        given = self._matched(tangents, self.leaves, "a tangent")
        moved = tuple(
            _in_unit(self.name, leaf, _difference(primal.unit), "a tangent")
            for leaf, primal in zip(given, self.leaves, strict=True)
        )
        moved = tuple(map(self._like, moved, (leaf.raw for leaf in self.leaves)))
        raws = tuple(leaf.raw for leaf in self.leaves)
        self._raws, changes = self.library.jvp(self._run, raws, moved)
        self._note_raws()
        units = [_difference(leaf.unit) for leaf in self.out]
        changed = [
            _labelled(raw, unit, leaf.is_bare)
            for raw, unit, leaf in zip(changes, units, self.out, strict=False)
        ]
        return _put_together(self._structure, iter(changed))

    def _note_raws(self) -> None:
        """The values that the engine gave back, instead of those that it ran the function on."""
        count = len(self.out)
        pairs = zip(self.out, self._raws[:count], strict=True)
        self.out = [leaf._replace(raw=raw) for leaf, raw in pairs]
        passed = iter(self._raws[count:])
        self._beside = [
            leaf._replace(raw=next(passed)) if self._passes(leaf) else leaf for leaf in self._beside
        ]

    def result(self) -> Any:
        """What the function gave, with units."""
        made = [_labelled(leaf.raw, leaf.unit, leaf.is_bare) for leaf in self.out]
        return _put_together(self._structure, iter(made))

    def aux(self) -> Any:
        """What it gave beside that."""
        made = [_labelled(leaf.raw, leaf.unit, leaf.is_bare) for leaf in self._beside]
        return _put_together(self._aux_structure, iter(made))

    def check_scalar(self) -> None:
        """One real number, or an error."""
        shapes = [tuple(leaf.raw.shape) for leaf in self.out]
        if shapes != [()]:
            got = f"shape {shapes[0]}" if len(shapes) == 1 else f"{len(shapes)} arrays"
            hint = "sum or average first, or use dimflow.vjp"
            raise ShapeMismatch("grad", "a function that gives one number, of shape ()", got, hint)
        kind = kind_of(self.out[0].raw)
        if kind != "f":
            raise NotANumber("grad, as the function's result,", _WHOLE[kind])

    def paired(self, cotangent: Any) -> tuple[tuple[Any, ...], Unit]:
        """Raw cotangents of the results, and the unit of cotangent times result."""
        given = self._matched((cotangent,), self.out, "a cotangent")
        whole: Unit | None = None
        raws = []
        for leaf, out in zip(given, self.out, strict=True):
            unit = leaf.unit * _difference(out.unit)
            whole = unit if whole is None else whole
            target = whole / _difference(out.unit)
            if unit.dimension is not whole.dimension:
                hint = "each cotangent times its result must be of one dimension"
                raise DimensionError("vjp", whole, unit, hint, ("first", "other"))
            raws.append(self._like(_in_unit(self.name, leaf, target, "a cotangent"), out.raw))
        return tuple(raws), whole or PURE

    def cotangents(self, raws: Any, whole: Unit) -> tuple[Any, ...]:
        """Raw cotangents of the arguments in their structure, in [whole]/[argument]."""
        raws = raws if isinstance(raws, (tuple, list)) else (raws,)
        made = []
        for raw, leaf in zip(raws, self.leaves, strict=True):
            value = ops.zeros_like(leaf.raw) if raw is None else raw
            made.append(_labelled(value, whole / _difference(leaf.unit), leaf.is_bare))
        found: tuple[Any, ...] = _put_together(self.args, iter(made))
        return found

    def _matched(self, given: Any, leaves: list[_Leaf], what: str) -> list[_Leaf]:
        """The arrays of one structure, which must be that of another."""
        found, _ = _taken_apart(self.name, given)
        shapes = [tuple(getattr(leaf.raw, "shape", ())) for leaf in found]
        expected = [tuple(leaf.raw.shape) for leaf in leaves]
        if shapes != expected:
            raise ShapeMismatch(self.name, f"{what} of shapes {expected}", shapes)
        return found

    def _like(self, raw: Any, other: Any) -> Any:
        """A raw value as an array of the dtype and library of another."""
        return self.library.asarray(raw, dtype=other.dtype)


def _library(name: str, args: Any) -> Backend:
    """The array library of the arguments; NumPy's arrays follow those of another."""
    found: list[Any] = []

    def note(value: Any, _path: str) -> Any:
        raw = value._raw if isinstance(value, DimArray) else value
        try:
            library = interpreter_of(type(raw))
        except (NotANumber, UnitError):
            return value
        if isinstance(library, Backend) and library.rank:
            found.append(library)
        return value

    mapped(args, note)
    if not found:
        hint = "move the arguments to a library that differentiates: x.to_backend('jax')"
        raise MissingRule(name, "derivative of functions on NumPy arrays", hint)
    library: Backend = found[0]
    return library


def _leaf(name: str, value: Any, path: str) -> _Leaf:
    if isinstance(value, DimArray):
        return _Leaf(value._raw, value._unit, False)
    if isinstance(value, (bool, str, bytes)) or not _is_array(value):
        raise NotANumber(f"{name}, for args{path},", f"{type(value).__name__} {value!r:.40}")
    return _Leaf(value, PURE, True)


def _is_array(value: Any) -> bool:
    try:
        return isinstance(interpreter_of(type(value)), Backend)
    except (NotANumber, UnitError):
        return False


class _Kept:
    """Something in a structure that is no array, or the place of one."""

    __slots__ = ("is_array", "value")

    def __init__(self, value: Any, is_array: bool) -> None:
        self.value = value
        self.is_array = is_array


def _taken_apart(name: str, value: Any, keep: bool = False) -> tuple[list[_Leaf], Any]:
    """The arrays in a structure, and the structure; with `keep`, other things stay in it."""
    found: list[_Leaf] = []

    def take(part: Any, path: str) -> Any:
        is_other = keep and not isinstance(part, DimArray) and not hasattr(part, "shape")
        if part is None or is_other:
            return _Kept(part, False)
        found.append(_leaf(name, part, path))
        return _Kept(None, True)

    return found, mapped(value, take)


def _put_together(structure: Any, leaves: Iterator[Any]) -> Any:
    """The structure with arrays in their places."""

    def put(part: Any, _path: str) -> Any:
        is_kept = part is None or (type(part) is _Kept and not part.is_array)
        return next(leaves) if not is_kept else getattr(part, "value", None)

    return mapped(structure, put)


def _pair(name: str, result: Any) -> tuple[Any, Any]:
    if not isinstance(result, tuple) or len(result) != 2:
        got = f"{type(result).__name__}"
        raise ShapeMismatch(name, "a pair (result, anything) for has_aux=True", got)
    return result


def _difference(unit: Unit) -> Unit:
    return unit if unit.law is None else unit.delta


def _labelled(raw: Any, unit: Unit, is_bare: bool) -> Any:
    """An array with its unit; raw if what it belongs to is, and there is no unit to lose."""
    return raw if is_bare and unit is PURE else wrap(raw, unit)


def _in_unit(name: str, leaf: _Leaf, target: Unit, what: str) -> Any:
    """The numbers of a tangent or cotangent in the unit that belongs there."""
    if leaf.unit.dimension is not target.dimension:
        raise DimensionError(name, leaf.unit, target, f"give {what} in {target}", (what, "wanted"))
    convert = checked_converter(leaf.unit, target)
    return leaf.raw if convert is None else convert(leaf.raw)
