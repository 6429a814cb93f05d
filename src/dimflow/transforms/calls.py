"""One call of a function, seen by an engine: raw arrays in, raw arrays out, units attached after.

A derivative has the unit [result]/[argument]; of points (20 °C) it is that of their differences.
"""

from collections.abc import Callable, Iterable, Iterator
from math import prod
from typing import Any, NamedTuple, TypeVar

from dimflow import ops
from dimflow.array.dimarray import DimArray, wrap
from dimflow.autodiff import Carrier
from dimflow.backends import Backend
from dimflow.backends.programs import Followed, is_closed_over
from dimflow.backends.reading import VERB, chain, reads, refusal_within, refusals, swallowed
from dimflow.errors import (
    DimensionError,
    DimflowError,
    NotANumber,
    ShapeMismatch,
    TracedValueError,
    UnitError,
)
from dimflow.ops.dispatch import interpreter_of
from dimflow.ops.rules.convert import checked_converter
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.units import BARE, PURE
from dimflow.transforms.engines import Engine, Own, engine_for, instead_of
from dimflow.transforms.structure import mapped
from dimflow.units import Unit
from dimflow.units.alike import are_alike

Function = Callable[..., Any]
Result = TypeVar("Result")
_TAKEN = "taking numbers out (x.item(), np.asarray(x) or the like)"
_NOT_OURS = (
    "write it with dimflow's functions alone, which our engine follows; engine='native' takes "
    "the numbers for constants"
)
KINDS = {"b": "truth values", "i": "integers", "u": "integers", "c": "complex numbers"}


class Leaf(NamedTuple):
    """An array among arguments or results."""

    raw: Any
    unit: Unit
    is_bare: bool  # a raw array: so is what belongs to it, if that is a pure number


class Call:
    """One call of a function, seen by a library's engine: raw arrays in, raw arrays out.

    The engine calls the function once or more, on values of its own. What the results are called,
    their structure and their units, is noted on the way.
    """

    def __init__(
        self,
        name: str,
        function: Function,
        args: tuple[Any, ...],
        beside: Any = (),
        *,
        has_aux: bool = False,
        engine: str | None = None,
    ) -> None:
        check_callable(name, function)
        self.name = name
        self.function = function
        self.args = args
        self.has_aux = has_aux
        self._wanted = engine
        self.engine = engine_for(name, (args, beside), engine)
        self.library = self.engine.library
        self.leaves, self._form = self._checked(args)
        self.out: list[Leaf] = []
        self._structure: Any = None
        self._beside: list[Leaf] = []  # the arrays in aux
        self._aux_structure: Any = None
        self._raws: tuple[Any, ...] = ()

    def _checked(self, args: tuple[Any, ...]) -> tuple[list[Leaf], Any]:
        """The arrays to differentiate by, in the library's own arrays, and what they stand in."""
        found: list[Leaf] = []

        def note(value: Any, path: str) -> Any:
            if is_setting(value, path):
                return _Kept(value, False)
            leaf = leaf_of(self.name, value, path)
            kind = kind_of(leaf.raw)
            if kind not in "fc":
                what = f"{KINDS[kind]} (floating point has derivatives: x.astype('float64'))"
                raise NotANumber(f"{self.name} by args{path}", what)
            found.append(leaf._replace(raw=self.library.asarray(leaf.raw)))
            return _Kept(None, True)

        forms = []
        for i, value in enumerate(args):
            before = len(found)
            forms.append(mapped(value, note, f"[{i}]"))
            if len(found) == before and value is not None:
                what = f"no array in {value!r:.60}"
                raise NotANumber(f"{self.name} by args[{i}]", what)
        return found, tuple(forms)

    def _run(self, *raws: Any) -> tuple[Any, ...]:
        """The function on raw arrays; results beside the derivative's own come after them."""
        values = with_units(raws, self.leaves)
        with refusals() as found:
            try:
                result, aux = self.function(*put_together(self._form, values)), None
            except Exception as error:
                if isinstance(error.__cause__, TracedValueError):  # NumPy's, of y[0] = x
                    raise error.__cause__ from None
                if refusal := swallowed(error, found):
                    raise refusal from None
                raise
        if self.has_aux:
            result, aux = _pair(self.name, result)
        out, structure = taken_apart(self.name, result)
        if self.engine.is_own and all(leaf.is_bare for leaf in self.leaves):
            out = as_bare(out)
        beside, aux_structure = taken_apart(self.name, aux, keep=True)
        if self._structure is None:  # an engine that calls again has values of its own then
            self.out, self._structure = out, structure
            self._beside, self._aux_structure = beside, aux_structure
        passing = [leaf for leaf in beside if self._passes(leaf)]
        if not self.engine.is_own and any(isinstance(x.raw, Carrier) for x in (*out, *passing)):
            raise Followed
        return tuple(as_array(leaf.raw, self.library) for leaf in (*out, *passing))

    def _passes(self, leaf: Leaf) -> bool:
        """Whether an array in aux goes through the engine; others are constant to it."""
        return self.engine.returns_any or kind_of(leaf.raw) in "fc"

    @property
    def raws(self) -> tuple[Any, ...]:
        """The arrays to differentiate by."""
        return _raws(self.leaves)

    def by_engine(self, way: Callable[[Engine], Result]) -> Result:
        """What the engine makes of it; ours, if the function gives values that it follows, or
        reads numbers that the library would take for constants.
        """
        self._settle_reads()
        try:
            return way(self.engine)
        except Followed:
            self.engine = instead_of(self.engine, self.name, self._wanted)
            self._structure = None
            return way(self.engine)

    def _settle_reads(self) -> None:
        """Our engine for a function that reads numbers, where its library would not refuse to.

        Ours knows a constant from a traced value. It follows no function that calls the library's
        own functions, which take none of our tracers: then a number is refused, and a step is left
        to the library, since its derivative is zero.
        """
        native = self.engine
        found = None if native.is_own else self._reads()
        self._structure = None
        if found is None:
            return
        self.engine = Own(self.library)
        try:
            with refusals() as unheard:
                self.engine.vjp(self._run, self.raws, keep=False)
        except Exception as error:
            self.engine = native
            closed = next((e for e in chain(error) if is_closed_over(e)), None)
            refusal = refusal_within(error) or closed
            if refusal is not None:
                raise refusal from None
            if found == "number" and self._wanted is None:
                raise TracedValueError(_TAKEN, VERB, _NOT_OURS) from error
        else:
            is_heard = not unheard and found in ("call", "unknown")
            if self._wanted is not None or is_heard:
                self.engine = native
        finally:
            self._structure = None

    def _reads(self) -> str | None:
        """What the library says that the function reads; "unknown" where it cannot tell, since
        somebody caught its error, or raised another one.
        """
        errors: list[Exception] = []

        def watched(*raws: Any) -> Any:
            try:
                return self._run(*raws)
            except Exception as error:
                errors.append(error)
                raise

        with reads() as asked:
            found = self.library.reads(watched, self.raws)
        is_foreign = any(not isinstance(error, (DimflowError, Followed)) for error in errors)
        return "unknown" if found is None and (asked or is_foreign) else found

    def reverse(self, *, keep: bool = True) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
        """Run the function, and give the way back from cotangents of its results."""
        self._raws, pull = self.by_engine(lambda e: e.vjp(self._run, self.raws, keep=keep))
        self._note_raws()
        beside = (None,) * (len(self._raws) - len(self.out))

        def back(cotangents: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(pull((*cotangents, *beside)))

        return back

    def forward(self, tangents: tuple[Any, ...]) -> Any:
        """Run the function, and give the tangent of its result."""
        moved = self.tangents(tangents)
        self._raws, changes = self.by_engine(lambda e: e.jvp(self._run, self.raws, moved))
        self._note_raws()
        return self.changed(changes)

    def linear(self) -> Callable[[tuple[Any, ...]], Any]:
        """Run the function, and give the way from tangents of its arguments to its result's."""
        self._raws, push = self.by_engine(lambda e: e.linearize(self._run, self.raws))
        self._note_raws()
        return lambda tangents: self.changed(push(self.tangents(tangents)))

    def tangents(self, given: tuple[Any, ...]) -> tuple[Any, ...]:
        """Raw tangents of the arguments, in the units of their differences."""
        found = self._matched(given, self.leaves, "a tangent")
        moved = (
            in_unit(self.name, leaf, difference(primal.unit), "a tangent")
            for leaf, primal in zip(found, self.leaves, strict=True)
        )
        return tuple(map(self._like, moved, self.raws))

    def changed(self, raws: tuple[Any, ...]) -> Any:
        """Raw tangents of the results, with their units and in their structure."""
        made = [
            labelled(raw, difference(leaf.unit), leaf.is_bare)
            for raw, leaf in zip(raws, self.out, strict=False)
        ]
        return put_together(self._structure, iter(made))

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
        return put_together(self._structure, with_units(_raws(self.out), self.out))

    def aux(self) -> Any:
        """What it gave beside that."""
        return put_together(self._aux_structure, with_units(_raws(self._beside), self._beside))

    def check_scalar(self, *, holomorphic: bool = False) -> None:
        """One real number, or an error; one complex number if the function is holomorphic."""
        shapes = [tuple(leaf.raw.shape) for leaf in self.out]
        if len(shapes) != 1 or prod(shapes[0]) != 1:
            got = f"shape {shapes[0]}" if len(shapes) == 1 else f"{len(shapes)} arrays"
            hint = "sum or average first, or use dimflow.vjp or dimflow.jacobian"
            wanted = "a function that gives one number"
            raise ShapeMismatch(self.name, wanted, got, hint)
        kind = kind_of(self.out[0].raw)
        if kind != ("c" if holomorphic else "f"):
            what = KINDS.get(kind, "real numbers")
            if kind == "c":
                what += " (take abs(y) or y.real, or say holomorphic=True)"
            raise NotANumber(f"{self.name}, as the function's result,", what)

    def paired(self, cotangent: Any) -> tuple[tuple[Any, ...], Unit]:
        """Raw cotangents of the results, and the unit of cotangent times result."""
        given = self._matched((cotangent,), self.out, "a cotangent")
        whole: Unit | None = None
        raws = []
        for leaf, out in zip(given, self.out, strict=True):
            unit = leaf.unit * difference(out.unit)
            whole = unit if whole is None else whole
            target = whole / difference(out.unit)
            if not are_alike(unit, whole):
                hint = "each cotangent times its result must be of one dimension"
                raise DimensionError(self.name, whole, unit, hint, ("first", "other"))
            raws.append(self._like(in_unit(self.name, leaf, target, "a cotangent"), out.raw))
        return tuple(raws), whole or PURE

    def cotangents(self, raws: Any, whole: Unit) -> tuple[Any, ...]:
        """Raw cotangents of the arguments in their structure, in [whole]/[argument]."""
        made = []
        for raw, leaf in zip(raws, self.leaves, strict=True):
            value = ops.zeros_like(leaf.raw) if raw is None else raw
            made.append(labelled(value, whole / difference(leaf.unit), leaf.is_bare))
        return self.like_arguments(made)

    def like_arguments(self, values: list[Any]) -> tuple[Any, ...]:
        """Values in the places of the arrays to differentiate by; None for what is none."""
        found: tuple[Any, ...] = put_together(self._form, iter(values), keep=False)
        return found

    def _matched(self, given: Any, leaves: list[Leaf], what: str) -> list[Leaf]:
        """The arrays of one structure, which must be that of another."""
        found, _ = taken_apart(self.name, given, settings=True)
        shapes = [tuple(getattr(leaf.raw, "shape", ())) for leaf in found]
        expected = [tuple(leaf.raw.shape) for leaf in leaves]
        if shapes != expected:
            raise ShapeMismatch(self.name, f"{what} of shapes {expected}", shapes)
        return found

    def _like(self, raw: Any, other: Any) -> Any:
        """A raw value as an array of the dtype and library of another.

        One that a trace follows stays on it: a derivative is linear in its tangents.
        """
        if isinstance(raw, Carrier):
            return raw if raw.dtype == other.dtype else ops.astype(raw, other.dtype)
        return self.library.asarray(raw, dtype=other.dtype)


def leaf_of(name: str, value: Any, path: str) -> Leaf:
    """The array that a value is, or NotANumber."""
    if isinstance(value, DimArray):
        is_bare = value._unit is BARE
        return Leaf(value._raw, PURE if is_bare else value._unit, is_bare)
    if isinstance(value, (bool, str, bytes)) or not _is_array(value):
        raise NotANumber(f"{name}, for args{path},", f"{type(value).__name__} {value!r:.40}")
    return Leaf(value, PURE, True)


def _is_array(value: Any) -> bool:
    try:
        return isinstance(interpreter_of(type(value)), Backend)
    except (NotANumber, UnitError):
        return False


def check_callable(name: str, function: Any) -> None:
    """A function, or an error at once."""
    if not callable(function):
        problem = f"{name} takes a function, but got {type(function).__name__} {function!r:.40}"
        raise UnitError(problem, f"give the function itself: dimflow.{name}(f, ...)")


class _Kept:
    """Something in a structure that is no array, or the place of one."""

    __slots__ = ("is_array", "value")

    dtype = None  # what has one is a leaf: that is seen at once

    def __init__(self, value: Any, is_array: bool) -> None:
        self.value = value
        self.is_array = is_array


def is_setting(value: Any, path: str) -> bool:
    """Whether a value among arguments is none to differentiate by: None, and within a structure
    whatever is no array of its own (a name, a flag, a whole number, a function).
    """
    if value is None:
        return True
    is_within = path.rpartition("[")[0] != "" or "." in path
    return is_within and not isinstance(value, (float, complex)) and not hasattr(value, "dtype")


def taken_apart(
    name: str, value: Any, keep: bool = False, settings: bool = False
) -> tuple[list[Leaf], Any]:
    """The arrays in a structure, and the structure; with `keep`, other things stay in it.

    With `settings`, what would be none to differentiate by stays too.
    """
    found: list[Leaf] = []

    def take(part: Any, path: str) -> Any:
        is_other = keep and not isinstance(part, DimArray) and not hasattr(part, "shape")
        if part is None or is_other or (settings and is_setting(part, path)):
            return _Kept(part, False)
        found.append(leaf_of(name, part, path))
        return _Kept(None, True)

    return found, mapped(value, take)


def put_together(structure: Any, leaves: Iterator[Any], *, keep: bool = True) -> Any:
    """The structure with arrays in their places, and other things, or None for these."""

    def put(part: Any, _path: str) -> Any:
        is_kept = part is None or (type(part) is _Kept and not part.is_array)
        if not is_kept:
            return next(leaves)
        return getattr(part, "value", None) if keep else None

    return mapped(structure, put)


def paths_of(structure: Any) -> list[str]:
    """Where the arrays stand in a structure that was taken apart."""
    found: list[str] = []

    def note(part: Any, path: str) -> Any:
        if type(part) is _Kept and part.is_array:
            found.append(path)
        return part

    mapped(structure, note)
    return found


def _pair(name: str, result: Any) -> tuple[Any, Any]:
    if not isinstance(result, tuple) or len(result) != 2:
        got = f"{type(result).__name__}"
        raise ShapeMismatch(name, "a pair (result, anything) for has_aux=True", got)
    return result


def difference(unit: Unit) -> Unit:
    """The unit of differences between points of this one; the unit itself if it has none."""
    return unit if unit.law is None else unit.delta


def as_bare(leaves: list[Leaf]) -> list[Leaf]:
    """Results of a function of bare arrays: bare where they are pure numbers."""
    return [leaf._replace(is_bare=leaf.is_bare or leaf.unit.key is PURE.key) for leaf in leaves]


def labelled(raw: Any, unit: Unit, is_bare: bool) -> Any:
    """An array with its unit; bare if what it belongs to is, and there is no unit to lose.

    Our tracers stand in a class of ours even so: NumPy's functions know it.
    """
    if not is_bare or unit.key is not PURE.key:
        return wrap(raw, unit)
    return wrap(raw, BARE) if isinstance(raw, Carrier) else raw


def with_units(raws: Iterable[Any], leaves: Iterable[Leaf]) -> Iterator[Any]:
    """Raw arrays labelled as others are."""
    pairs = zip(raws, leaves, strict=True)
    return (labelled(raw, leaf.unit, leaf.is_bare) for raw, leaf in pairs)


def _raws(leaves: Iterable[Leaf]) -> tuple[Any, ...]:
    return tuple(leaf.raw for leaf in leaves)


def as_array(raw: Any, library: Backend) -> Any:
    """A number, or a constant of NumPy's, as an array of the library: engines need that."""
    is_lower = not hasattr(raw, "shape") or interpreter_of(type(raw)).rank < library.rank
    return library.asarray(raw) if is_lower else raw


def in_unit(name: str, leaf: Leaf, target: Unit, what: str) -> Any:
    """The numbers of a tangent or cotangent in the unit that belongs there."""
    if not are_alike(leaf.unit, target):
        raise DimensionError(name, leaf.unit, target, f"give {what} in {target}", (what, "wanted"))
    convert = checked_converter(leaf.unit, target)
    return leaf.raw if convert is None else convert(leaf.raw)
