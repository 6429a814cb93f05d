"""jacobian, hessian, hvp, nth_derivative: derivatives of arrays by arrays, and of higher order.

A block of a Jacobian has the shape result.shape + argument.shape and the unit [result]/[argument].
"""

from collections.abc import Iterator, Sequence
from functools import wraps
from itertools import accumulate
from math import prod
from typing import Any

from dimflow import ops
from dimflow.autodiff import innermost
from dimflow.errors import NotANumber, ShapeMismatch, UnitError
from dimflow.ops.rules.dtypes import kind_of
from dimflow.transforms.calls import (
    KINDS,
    Call,
    Function,
    check_callable,
    difference,
    labelled,
    put_together,
)
from dimflow.transforms.derivatives import Place, Places, check_count, chosen_arguments, grad

MODES = ("auto", "forward", "reverse")
_HOLOMORPHIC = "a complex derivative of a complex function: say holomorphic=True"


def jacobian(
    function: Function,
    argnums: Places = 0,
    *,
    mode: str = "auto",
    has_aux: bool = False,
    holomorphic: bool = False,
    engine: str | None = None,
) -> Function:
    """The function that gives all derivatives of the results by the arguments.

        dimflow.jacobian(flow)(x)           # of shape result.shape + x.shape, in [result]/[x]
        dimflow.jacobian(flow, (0, 1))(x, v)  # for each result a pair

    Its structure is that of the results, and within each that of the arguments. Columns are
    computed if there are fewer inputs than outputs, otherwise rows, each all at once;
    `mode="forward"` and `mode="reverse"` choose. Of complex arguments there are rows of a real
    result, by complex results columns of real arguments; `holomorphic=True` has both complex.
    """
    check_callable("jacobian", function)
    if mode not in MODES:
        problem = f"jacobian was given mode={mode!r}"
        raise UnitError(problem, f"the modes are {', '.join(map(repr, MODES))}")

    @wraps(function)
    def derivative(*args: Any, **kwargs: Any) -> Any:
        partial, chosen = chosen_arguments("jacobian", function, argnums, args, kwargs)
        beside = (args, kwargs)
        call = Jacobian("jacobian", partial, chosen, beside, has_aux=has_aux, engine=engine)
        found = call.blocks(mode, holomorphic, is_single=not isinstance(argnums, (tuple, list)))
        return (found, call.aux()) if has_aux else found

    return derivative


def hessian(
    function: Function,
    argnums: Places = 0,
    *,
    has_aux: bool = False,
    holomorphic: bool = False,
    engine: str | None = None,
) -> Function:
    """The function that gives all second derivatives, forward over reverse.

        dimflow.hessian(energy)(x)                # of shape x.shape + x.shape, in J/m**2
        dimflow.hessian(energy, (0, 1))(x, m)[0][1]  # by x, then by m: in J/(m kg)

    Arguments that are dicts give dicts of dicts, each block in a unit of its own.
    """
    check_callable("hessian", function)
    slopes = jacobian(
        function,
        argnums,
        mode="reverse",
        has_aux=has_aux,
        holomorphic=holomorphic,
        engine=engine,
    )
    return jacobian(
        slopes,
        argnums,
        mode="forward",
        has_aux=has_aux,
        holomorphic=holomorphic,
        engine=engine,
    )


def hvp(
    function: Function,
    primals: tuple[Any, ...] | list[Any],
    tangents: tuple[Any, ...] | list[Any],
    *,
    engine: str | None = None,
) -> tuple[Any, ...]:
    """The Hessian of a function that gives one number, times a vector.

        (curved,) = dimflow.hvp(energy, (x,), (v,))

    No matrix is made: the gradient is pushed forward along the tangents, which are in units of
    their arguments' differences. There is a part for each argument, in [result]/[argument].
    """
    check_count("hvp", primals, tangents)
    gradient = grad(function, argnums=tuple(range(len(primals))), engine=engine)
    found: tuple[Any, ...] = Call("hvp", gradient, tuple(primals), engine=engine).forward(
        tuple(tangents)
    )
    return found


def nth_derivative(
    function: Function, n: int, argnums: Place = 0, *, engine: str | None = None
) -> Function:
    """The function that gives the n-th derivative by one number, in [result]/[argument]**n.

    An array is taken as many numbers, of which each result depends on the one in its own place
    alone: `nth_derivative(sin, 4)(x)`. Along a single number the results may have any shape.
    """
    check_callable("nth_derivative", function)
    _check_order(n, argnums)
    if n == 0:
        return function

    @wraps(function)
    def derivative(*args: Any, **kwargs: Any) -> Any:
        partial, chosen = chosen_arguments("nth_derivative", function, argnums, args, kwargs)
        call = Jacobian("nth_derivative", partial, chosen, (args, kwargs), engine=engine)
        return call.repeated(n)

    return derivative


def _check_order(n: Any, argnums: Any) -> None:
    if not isinstance(n, int) or isinstance(n, bool) or n < 0:
        raise UnitError(f"nth_derivative of order {n!r}", "an order is 0, 1, 2, ...")
    if isinstance(argnums, (tuple, list)):
        problem = "nth_derivative by several arguments"
        raise UnitError(problem, "name one of them: argnums=0; dimflow.hessian mixes them")


class Jacobian(Call):
    """A call whose results are differentiated by all arguments, all the way."""

    def blocks(self, mode: str, holomorphic: bool, is_single: bool) -> Any:
        """The derivatives with their units, by results and then by arguments."""
        self._check_arguments(mode, holomorphic)
        found = self._raw_blocks(mode, holomorphic)
        by_result = [self._by_argument(row, leaf, is_single) for row, leaf in found]
        return put_together(self._structure, iter(by_result))

    def _by_argument(self, row: Sequence[Any], out: Any, is_single: bool) -> Any:
        made = [
            labelled(
                raw, difference(out.unit) / difference(leaf.unit), out.is_bare and leaf.is_bare
            )
            for raw, leaf in zip(row, self.leaves, strict=True)
        ]
        whole = self.like_arguments(made)
        return whole[0] if is_single else whole

    def _raw_blocks(self, mode: str, holomorphic: bool) -> Iterator[tuple[list[Any], Any]]:
        """For each result, a row of blocks, one for each argument."""
        shapes = [tuple(raw.shape) for raw in self.raws]
        count = sum(map(prod, shapes))
        pull = None
        if mode == "auto":
            mode, pull = self._chosen_mode(count, holomorphic)
        if mode == "forward" and count:
            columns = self._columns(shapes, holomorphic)
            return zip(columns, self.out, strict=True)
        pull = pull or self.reverse()
        rows = self._rows(pull, shapes, holomorphic)
        return zip(rows, self.out, strict=True)

    def _chosen_mode(self, count: int, holomorphic: bool) -> tuple[str, Any]:
        """Forward for fewer inputs than outputs; and the way back, if it was needed to know."""
        if any(kind_of(raw) == "c" for raw in self.raws) and not holomorphic:
            return "reverse", None
        shapes = self.by_engine(lambda e: e.outline(self._run, self.raws))
        pull = self.reverse() if shapes is None else None
        found = [tuple(leaf.raw.shape) for leaf in self.out] if shapes is None else shapes
        is_wide = sum(map(prod, found[: len(self.out)])) > count
        is_complex = any(kind_of(leaf.raw) == "c" for leaf in self.out) and not holomorphic
        return ("forward", None) if is_wide or is_complex else ("reverse", pull)

    def _run(self, *raws: Any) -> tuple[Any, ...]:
        """As ever; engines differ in what they say to integers, so that these are seen first."""
        found = super()._run(*raws)
        self._check_results([leaf.raw for leaf in self.out], "fc")
        return found

    # Rows: one way back for each number in the results

    def _rows(self, pull: Any, shapes: Any, holomorphic: bool) -> list[list[Any]]:
        results = [leaf.raw for leaf in self.out]
        self._check_results(results, "c" if holomorphic else "f")
        sizes = [prod(result.shape) for result in results]
        if not sum(sizes) or not sum(map(prod, shapes)):
            return [[_empty(result, raw) for raw in self.raws] for result in results]
        if sizes == [1]:  # as of a Hessian: there is nothing to batch
            found = pull((ops.ones_like(results[0]),))
        else:
            full = [result for result, size in zip(results, sizes, strict=True) if size]
            basis = self._basis(full, [size for size in sizes if size])

            def back(*rows: Any) -> Any:
                given = iter(rows)  # nothing comes back from an empty result
                return pull(tuple(next(given) if size else None for size in sizes))

            found = self.engine.vmap(back, basis, [0] * len(basis))
        return [
            [
                _shaped(_between(part, stop - size, stop, sum(sizes)), (*result.shape, *shape))
                for part, shape in zip(found, shapes, strict=True)
            ]
            for result, size, stop in zip(results, sizes, accumulate(sizes), strict=True)
        ]

    # Columns: one way forward for each number in the arguments

    def _columns(self, shapes: Any, holomorphic: bool) -> list[list[Any]]:
        sizes = [prod(shape) for shape in shapes]
        changes = self._changes(self._basis(self.raws, sizes), sum(sizes))
        self._check_results(changes, "c" if holomorphic else "fc")
        columns = []
        for change in changes:
            lengths = tuple(change.shape[1:])
            last = ops.moveaxis(change, source=0, destination=-1) if lengths else change
            columns.append(
                [
                    _shaped(_between_last(last, stop - size, stop, sum(sizes)), (*lengths, *shape))
                    for shape, size, stop in zip(shapes, sizes, accumulate(sizes), strict=True)
                ]
            )
        return columns

    def _changes(self, tangents: Any, count: int) -> tuple[Any, ...]:
        """How the results change along every unit tangent, along a first axis."""

        def pushed(*along: Any) -> tuple[Any, Any]:
            values, changes = self.engine.jvp(self._run, self.raws, along)
            kept = len(self.out)
            return tuple(changes[:kept]), tuple(values[kept:])

        axes = [0] * len(tangents)
        changes, beside = self.by_engine(lambda e: e.batched(pushed, tangents, axes, count))
        self._raws = (*(leaf.raw for leaf in self.out), *beside)
        self._note_raws()
        return changes

    def _basis(self, raws: Sequence[Any], sizes: Sequence[int]) -> tuple[Any, ...]:
        """Unit vectors over all numbers of some arrays, as a batch of each array's shape."""
        count = sum(sizes)
        found = []
        for raw, size, stop in zip(raws, sizes, accumulate(sizes), strict=True):
            rows = self.library.beneath(raw).basis(count, innermost(raw))
            part = ops.getitem(rows, key=(slice(None), slice(stop - size, stop)))
            found.append(_shaped(part if size < count else rows, (count, *raw.shape)))
        return tuple(found)

    # Higher orders along one number

    def repeated(self, n: int) -> Any:
        """The n-th derivative, with its unit."""
        if len(self.leaves) != 1:
            got = f"{len(self.leaves)} arrays"
            raise ShapeMismatch(self.name, "one array to differentiate by", got)
        (leaf,) = self.leaves
        changes = self.by_engine(lambda e: e.repeated(self._run, leaf.raw, n))[: len(self.out)]
        self._check_results(changes, "fc")
        for change in changes:
            if leaf.raw.shape not in ((), change.shape):
                wanted = f"results of the argument's shape {tuple(leaf.raw.shape)}"
                hint = "dimflow.jacobian gives the derivatives of all by all"
                raise ShapeMismatch(self.name, wanted, tuple(change.shape), hint)
        by = difference(leaf.unit) ** n
        made = [
            labelled(change, difference(out.unit) / by, out.is_bare)
            for change, out in zip(changes, self.out, strict=True)
        ]
        return put_together(self._structure, iter(made))

    # What there is a derivative of

    def _check_arguments(self, mode: str, holomorphic: bool) -> None:
        """Complex ones have no columns, unless the function is holomorphic."""
        for raw in self.raws:
            if holomorphic and kind_of(raw) != "c":
                raise NotANumber("jacobian with holomorphic=True", "a real argument")
            if mode == "forward" and not holomorphic and kind_of(raw) == "c":
                what = f"complex numbers ({_HOLOMORPHIC})"
                raise NotANumber("jacobian in forward mode", what)

    def _check_results(self, raws: Sequence[Any], kinds: str) -> None:
        for raw in raws:
            kind = kind_of(raw)
            if kind not in kinds:
                what = KINDS.get(kind, "real numbers (without holomorphic=True)")
                what += f" ({_HOLOMORPHIC})" if kind == "c" else ""
                raise NotANumber(f"{self.name}, as the function's result,", what)


def _between(array: Any, start: int, stop: int, count: int) -> Any:
    """Rows of an array, which is given as it is where these are all."""
    return array if stop - start == count else ops.getitem(array, key=(slice(start, stop),))


def _between_last(array: Any, start: int, stop: int, count: int) -> Any:
    """Columns of an array."""
    whole = stop - start == count
    return array if whole else ops.getitem(array, key=(Ellipsis, slice(start, stop)))


def _shaped(array: Any, shape: tuple[int, ...]) -> Any:
    return array if tuple(array.shape) == shape else ops.reshape(array, shape=shape)


def _empty(result: Any, raw: Any) -> Any:
    """A block without numbers."""
    shape = (*result.shape, *[1] * len(raw.shape))
    return ops.reshape(ops.zeros_like(result), shape=shape) * ops.zeros_like(raw)
