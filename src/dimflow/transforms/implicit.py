"""root, fixed_point, argmin: answers of solvers that differentiate without unrolling the solver.

The derivative is that of the equation at the answer (the implicit function theorem), so it costs
one linear system, however many steps were needed. Unknowns and residuals are numbers in their own
units, so that those of one system may be of any.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

from dimflow import autodiff, ops
from dimflow.autodiff import control, solvers
from dimflow.autodiff.implicit import LINEAR, implicit_call, packed, unpacked
from dimflow.backends.abstract import Abstract
from dimflow.errors import (
    ComputationError,
    NotANumber,
    ShapeMismatch,
    StructureMismatch,
    UnitError,
)
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.transposition import shape_of
from dimflow.transforms.calls import (
    Leaf,
    as_array,
    check_callable,
    difference,
    in_unit,
    put_together,
    taken_apart,
    with_units,
)
from dimflow.transforms.engines import library_of
from dimflow.units import Unit

Function = Callable[..., Any]
Solver = str | Callable[[Function, Any], Any]
Raws = tuple[Any, ...]


class _Settings(NamedTuple):
    """How to solve, and how well."""

    solver: Solver
    tolerance: Any
    max_steps: int | None
    linear: str


def root(
    function: Function,
    x0: Any,
    args: Any = (),
    *,
    solver: Solver = "newton",
    tolerance: Any = None,
    max_steps: int | None = None,
    linear: str = "auto",
) -> Any:
    """The x, near x0, for which `function(x, *args)` is zero.

        root(lambda V, T: (p + a / V**2) * (V - b) - R * T, V0, (T,))

    `x` and what the function gives may be structures of arrays of any units, with as many numbers
    in one as in the other. The answer is in the units of x0. It has derivatives by `args`, of every
    order and in both modes, and none by x0. What is differentiated must stand in `args`: a function
    that closes over it is an error, but MLX's own engine cannot tell, and takes it for constant.

    `solver` is "newton" or any function of (function of x alone, x0), such as one that calls SciPy.
    Newton's method ends when its step is lost in the unknowns' digits, or when residuals are within
    `tolerance`, in their unit. An answer that is not reached in `max_steps` is a ComputationError;
    where values are not known yet, as in jax.jit, it is nan. `linear` says how the derivative's
    linear system is solved: "direct" with its matrix, "iterative" without (conjugate gradients of
    the normal equations), "auto" by its size.
    """
    settings = _checked("root", function, solver, {"newton"}, tolerance, max_steps, linear)
    return _Root("root", function, x0, args, settings).answer()


def fixed_point(
    function: Function,
    x0: Any,
    args: Any = (),
    *,
    solver: Solver = "iterate",
    tolerance: Any = None,
    max_steps: int | None = None,
    linear: str = "auto",
) -> Any:
    """The x that `function(x, *args)` gives back, by calling it again and again from x0 on.

    It stops when x stays, or moves by no more than `tolerance`, in its unit. `solver` is "iterate",
    "newton", or a function as in `root`, where all else is told.
    """
    known = {"iterate", "newton"}
    settings = _checked("fixed_point", function, solver, known, tolerance, max_steps, linear)
    return _FixedPoint("fixed_point", function, x0, args, settings).answer()


def argmin(
    function: Function,
    x0: Any,
    args: Any = (),
    *,
    solver: Solver = "newton",
    tolerance: Any = None,
    max_steps: int | None = None,
    linear: str = "auto",
) -> Any:
    """The x, downhill from x0, for which `function(x, *args)`, one number, is least.

    `tolerance` is that of the gradient, in [function]/[x]. The built-in solver is a damped Newton's
    method, which sets up the matrix of second derivatives; give one of your own for many unknowns.
    All else is as in `root`.
    """
    settings = _checked("argmin", function, solver, {"newton"}, tolerance, max_steps, linear)
    return _Argmin("argmin", function, x0, args, settings).answer()


def _checked(
    name: str,
    function: Any,
    solver: Any,
    known: set[str],
    tolerance: Any,
    max_steps: Any,
    linear: Any,
) -> _Settings:
    check_callable(f"implicit.{name}", function)
    if not callable(solver) and solver not in known:
        names = " or ".join(map(repr, sorted(known)))
        raise UnitError(f"{name} was given solver={solver!r}", f"it is {names}, or a function")
    if linear not in LINEAR:
        names = ", ".join(map(repr, LINEAR))
        raise UnitError(f"{name} was given linear={linear!r}", f"it is one of {names}")
    if max_steps is not None and (not isinstance(max_steps, int) or max_steps < 1):
        raise UnitError(f"{name} was given max_steps={max_steps!r}", "it is a number of steps")
    return _Settings(solver, tolerance, max_steps, linear)


class _Problem(ABC):
    """An equation for numbers, made from one for arrays with units."""

    is_symmetric = False

    def __init__(
        self, name: str, function: Function, x0: Any, args: Any, settings: _Settings
    ) -> None:
        self.name, self.function, self.settings = name, function, settings
        args = args if isinstance(args, tuple) else (args,)
        self.library = library_of((x0, args))
        self.unknowns, self.form = taken_apart(name, x0)
        self.unknowns = [self._floating(leaf) for leaf in self.unknowns]
        if not self.unknowns:
            raise StructureMismatch(name, "an unknown in x0", "none")
        self.given, self.given_form = taken_apart(name, args, keep=True)
        self.residuals: list[Leaf] | None = None  # what the function gives, and in which units

    def _floating(self, leaf: Leaf) -> Leaf:
        raw = leaf.raw if hasattr(leaf.raw, "shape") else self.library.asarray(float(leaf.raw))
        if kind_of(raw) != "f":
            what = "numbers of another kind (real ones are solved for: x0.astype('float64'))"
            raise NotANumber(f"{self.name}, for x0,", what)
        return leaf._replace(raw=self.library.asarray(raw))

    # The function, with units and without

    def value(self, x: Raws, args: Raws) -> Any:
        """What the function gives for raw arrays."""
        return self.function(self.labelled(x), *self._arguments(args))

    def labelled(self, x: Raws) -> Any:
        """Unknowns with their units, in their structure."""
        return put_together(self.form, iter(_labelled(x, self.unknowns)))

    def _arguments(self, raws: Raws) -> Any:
        return put_together(self.given_form, iter(_labelled(raws, self.given)))

    @abstractmethod
    def residual(self, x: Raws, args: Raws) -> Raws:
        """What is zero for the answer, as raw arrays."""

    def _in_first_units(self, found: Any) -> Raws:
        """Raw residuals, in the units that they had when they were first computed."""
        leaves, _ = taken_apart(self.name, found)
        if self.residuals is None:
            self.residuals = [leaf._replace(raw=None) for leaf in leaves]
            wanted = sum(prod(shape_of(leaf.raw)) for leaf in self.unknowns)
            if sum(prod(shape_of(leaf.raw)) for leaf in leaves) != wanted:
                got = ", ".join(str(shape_of(leaf.raw)) for leaf in leaves) or "nothing"
                raise ShapeMismatch(self.name, f"as many equations as unknowns, {wanted}", got)
        pairs = zip(leaves, self.residuals, strict=True)
        return tuple(
            as_array(in_unit(self.name, leaf, first.unit, "a residual"), self.library)
            for leaf, first in pairs
        )

    # The answer

    def answer(self) -> Any:
        """x with its units."""
        count = len(self.unknowns)

        def find(*raws: Any) -> Raws:
            return self._found(raws[:count], raws[count:])

        def residual(x: Raws, raws: Raws) -> Raws:
            return self.residual(x, raws[count:])

        found = implicit_call(
            find,
            residual,
            (*(ops.stop_gradient(leaf.raw) for leaf in self.unknowns), *self._raws(self.given)),
            linear=self.settings.linear,
            is_symmetric=self.is_symmetric,
            name=f"implicit.{self.name}",
        )
        return self.labelled(found)

    def _raws(self, leaves: list[Leaf]) -> Raws:
        return tuple(leaf.raw for leaf in leaves)

    def _found(self, x: Raws, args: Raws) -> Raws:
        rest = self.residual(x, args)  # sees to units and sizes before anything else
        if any(isinstance(autodiff.innermost(r), Abstract) for r in (*x, *args)):
            return x
        if callable(self.settings.solver):
            return self._by_user(self.settings.solver, x, args)
        extra = {} if self.settings.max_steps is None else {"max_steps": self.settings.max_steps}
        start = packed(x)
        found = self._solved(x, args, start, limits=self._limits(rest), **extra)
        known = control.MEMBERS(found.is_solution)
        if known is None:
            return unpacked(ops.where(found.is_solution, found.x, float("nan")), x)
        if not known.all():
            raise self._failure(found, x, args)
        return unpacked(found.x, x)

    @abstractmethod
    def _solved(self, like: Raws, args: Raws, x: Any, **options: Any) -> solvers.Answer:
        """What a built-in solver finds from a vector x on."""

    def _vector(self, function: Function, like: Raws, args: Raws) -> Function:
        """A function of raw arrays as one of a vector, that gives a vector."""
        return lambda x: packed(function(unpacked(x, like), args))

    def _limits(self, rest: Raws) -> Any:
        """The tolerance for every residual, in its unit."""
        if self.settings.tolerance is None:
            return None
        assert self.residuals is not None
        given, _ = taken_apart(self.name, self.settings.tolerance)
        if len(given) == 1:
            given *= len(self.residuals)
        if len(given) != len(self.residuals):
            wanted = f"one tolerance, or one for each residual ({len(self.residuals)})"
            raise StructureMismatch(self.name, wanted, f"{len(given)}")
        parts = []
        for leaf, first, value in zip(given, self.residuals, rest, strict=True):
            limit = in_unit(self.name, leaf, difference(first.unit), "the tolerance")
            parts.append(ops.zeros_like(value) + limit)
        return packed(parts)

    def _by_user(self, solver: Function, x: Raws, args: Raws) -> Raws:
        found = solver(self._objective(args), self.labelled(x))
        leaves, _ = taken_apart(self.name, found)
        if len(leaves) != len(self.unknowns):
            wanted = f"a solver that gives {len(self.unknowns)} arrays, as x0 has"
            raise StructureMismatch(self.name, wanted, f"{len(leaves)}")
        raws = []
        for leaf, first, start in zip(leaves, self.unknowns, x, strict=True):
            raw = as_array(
                in_unit(self.name, leaf, first.unit, "the solver's answer"), self.library
            )
            if shape_of(raw) != shape_of(start):
                wanted = f"a solver that gives the shape {shape_of(start)}"
                raise ShapeMismatch(self.name, wanted, shape_of(raw))
            raws.append(self.library.asarray(raw, dtype=start.dtype))
        return tuple(raws)

    def _objective(self, args: Raws) -> Function:
        """The function of x alone, for solvers of others."""
        return lambda x: self.function(x, *self._arguments(args))

    def _failure(self, found: solvers.Answer, like: Raws, args: Raws) -> ComputationError:
        x = unpacked(found.x, like)
        rest = self.residual(x, args)
        assert self.residuals is not None
        shown = []
        for raw, leaf in zip(rest, self.residuals, strict=True):
            values = control.MEMBERS(abs(raw))
            shown.append(f"{float(values.max(initial=0.0)):.3g} {leaf.unit}".strip())
        steps = int(control.MEMBERS(found.steps).max())
        reason = f"no solution after {steps} steps; residuals are up to {', '.join(shown)}"
        hint = "start nearer to it, allow more steps (max_steps=...), or give tolerance= or solver="
        return ComputationError(f"implicit.{self.name}", reason, hint)


class _Root(_Problem):
    def residual(self, x: Raws, args: Raws) -> Raws:
        """What the function gives."""
        return self._in_first_units(self.value(x, args))

    def _solved(self, like: Raws, args: Raws, x: Any, **options: Any) -> solvers.Answer:
        return solvers.newton(self._vector(self.residual, like, args), x, like, **options)


class _FixedPoint(_Problem):
    def _mapped(self, x: Raws, args: Raws) -> Raws:
        """The function's result in the units of x."""
        leaves, _ = taken_apart(self.name, self.value(x, args))
        shapes = [shape_of(leaf.raw) for leaf in leaves]
        if shapes != [shape_of(part) for part in x]:
            wanted = f"a function that gives what x0 is, {[shape_of(part) for part in x]}"
            raise ShapeMismatch(self.name, wanted, f"{shapes}")
        pairs = zip(leaves, self.unknowns, strict=True)
        return tuple(
            as_array(in_unit(self.name, leaf, unknown.unit, "what comes back"), self.library)
            for leaf, unknown in pairs
        )

    def residual(self, x: Raws, args: Raws) -> Raws:
        """How far x moves."""
        if self.residuals is None:
            units = [difference(leaf.unit) for leaf in self.unknowns]
            self.residuals = [Leaf(None, unit, False) for unit in units]
        return tuple(new - old for new, old in zip(self._mapped(x, args), x, strict=True))

    def _solved(self, like: Raws, args: Raws, x: Any, **options: Any) -> solvers.Answer:
        if self.settings.solver == "newton":
            return solvers.newton(self._vector(self.residual, like, args), x, like, **options)
        return solvers.iterate(self._vector(self._mapped, like, args), x, like, **options)


class _Argmin(_Problem):
    is_symmetric = True

    def _loss(self, x: Raws, args: Raws) -> Any:
        leaves, _ = taken_apart(self.name, self.value(x, args))
        if [shape_of(leaf.raw) for leaf in leaves] != [()]:
            got = ", ".join(str(shape_of(leaf.raw)) for leaf in leaves)
            hint = "sum or average first"
            raise ShapeMismatch(self.name, "a function that gives one number", got, hint)
        if self.residuals is None:
            loss = difference(leaves[0].unit)
            units: list[Unit] = [loss / difference(leaf.unit) for leaf in self.unknowns]
            self.residuals = [Leaf(None, unit, False) for unit in units]
            self.unit = leaves[0].unit
        return as_array(
            in_unit(self.name, leaves[0], self.unit, "the function's result"), self.library
        )

    def residual(self, x: Raws, args: Raws) -> Raws:
        """The gradient."""
        outs, pull = autodiff.vjp(lambda *x: (self._loss(x, args),), x, keep=False)
        return pull((ops.ones_like(outs[0]),))

    def _solved(self, like: Raws, args: Raws, x: Any, **options: Any) -> solvers.Answer:
        def loss(x: Any) -> Any:
            return self._loss(unpacked(x, like), args)

        return solvers.minimise(loss, x, like, **options)


def _labelled(raws: Raws, leaves: list[Leaf]) -> list[Any]:
    """Raw arrays with units; where our engine may follow them, bare ones too."""
    return list(with_units(raws, leaves))
