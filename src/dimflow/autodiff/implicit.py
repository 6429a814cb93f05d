"""Implicit functions: an answer is differentiated by the equation that it answers.

For x with residual(x, args) = 0 the derivative solves a linear system with the Jacobian J by x: how
x was found does not count, nor how long it took. The system is solved with its matrix, or without
one, by products with J and its transpose alone; either way the solution has derivatives in turn.
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.autodiff import control
from dimflow.autodiff.batch import vmap
from dimflow.autodiff.carrier import innermost
from dimflow.autodiff.custom import custom_call
from dimflow.autodiff.forward import jvp
from dimflow.autodiff.reverse import vjp
from dimflow.autodiff.rules import zeros_for
from dimflow.backends import backend_of
from dimflow.errors import ComputationError
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.transposition import shape_of

Raws = tuple[Any, ...]
Residual = Callable[[Raws, Raws], Raws]
Product = Callable[..., Any]  # of a vector, and the values that the matrix depends on

DIRECT = 256  # unknowns up to which "auto" sets up the matrix
LINEAR = ("auto", "direct", "iterative")


def implicit_call(
    solve: Callable[..., Raws],
    residual: Residual,
    args: Sequence[Any],
    *,
    linear: str = "auto",
    is_symmetric: bool = False,
    name: str = "a linear system",
) -> Raws:
    """What `solve(*args)` gives, differentiated as the x for which `residual(x, args)` is zero.

    `linear` says how the linear system is solved; `is_symmetric` that its matrix is symmetric and
    positive, as it is at a minimum.
    """

    def product(vector: Any, *values: Any) -> Any:
        x, given = values[: len(values) - len(args)], values[len(values) - len(args) :]
        moved = jvp(lambda *x: residual(x, given), x, unpacked(vector, x))[1]
        return packed(moved)

    def transposed(vector: Any, *values: Any) -> Any:
        x, given = values[: len(values) - len(args)], values[len(values) - len(args) :]
        outs, pull = vjp(lambda *x: residual(x, given), x, keep=False)
        return packed(pull(unpacked(vector, outs)))

    def push(tangents: Sequence[Any], outs: Raws, given: Raws) -> Raws:
        change = jvp(lambda *a: residual(outs, a), given, tangents)[1]
        moved = solved(product, transposed, (*outs, *given), -packed(change), linear, is_symmetric)
        return unpacked(moved, outs)

    def pull(cts: Sequence[Any], outs: Raws, given: Raws) -> list[Any]:
        filled = [zeros_for(o) if ct is None else ct for ct, o in zip(cts, outs, strict=True)]
        values = (*outs, *given)
        weights = solved(transposed, product, values, -packed(filled), linear, is_symmetric)
        results, back = vjp(lambda *a: residual(outs, a), given, keep=False)
        found = back(unpacked(weights, results))
        return [ct if kind_of(a) in "fc" else None for ct, a in zip(found, given, strict=True)]

    return custom_call(solve, args, pull, push, name)


def packed(parts: Sequence[Any]) -> Any:
    """Arrays as one vector."""
    flat = [ops.reshape(part, shape=(prod(shape_of(part)),)) for part in parts]
    return flat[0] if len(flat) == 1 else ops.concat(flat, axis=0)


def unpacked(vector: Any, like: Sequence[Any]) -> Raws:
    """A vector as arrays of the shapes of others."""
    parts = []
    start = 0
    for other in like:
        shape = shape_of(other)
        part = vector[start : start + prod(shape)]
        parts.append(ops.reshape(part, shape=shape))
        start += prod(shape)
    return tuple(parts)


def matrix(product: Callable[[Any], Any], like: Any) -> Any:
    """The matrix of a linear function of vectors such as one that is there."""
    inner = innermost(like)
    basis = backend_of(inner).basis(shape_of(like)[0], inner)
    (columns,) = vmap(lambda vector: (product(vector),), (basis,), (0,))
    return ops.permute_dims(columns, axes=(1, 0))


def solved(
    product: Product, transposed: Product, values: Raws, b: Any, linear: str, is_symmetric: bool
) -> Any:
    """The x with A x = b, for A by its products with vectors, and by those of its transpose."""
    is_direct = linear == "direct" or (linear == "auto" and shape_of(b)[0] <= DIRECT)
    if is_direct:
        return solve(matrix(lambda vector: product(vector, *values), b), b)

    def find(b: Any, *values: Any) -> Raws:
        if is_symmetric:
            return (conjugate_gradients(lambda v: product(v, *values), b),)
        normal = conjugate_gradients(
            lambda v: transposed(product(v, *values), *values), transposed(b, *values)
        )
        return (normal,)

    def residual(x: Raws, given: Raws) -> Raws:
        return (ops.subtract(product(x[0], *given[1:]), given[0]),)

    args = (b, *values)
    return implicit_call(find, residual, args, linear="iterative", is_symmetric=is_symmetric)[0]


def solve(a: Any, b: Any) -> Any:
    """The vector x with a @ x = b."""
    column = ops.reshape(b, shape=(shape_of(b)[0], 1))
    try:
        found = ops.solve(a, column)
    except (np.linalg.LinAlgError, RuntimeError) as error:  # PyTorch's is one of these
        reason = f"the Jacobian has no inverse there ({error})"
        hint = "the answer does not depend smoothly on its arguments, or there are many"
        raise ComputationError("a linear system", reason, hint) from error
    return ops.reshape(found, shape=shape_of(b))


def conjugate_gradients(product: Callable[[Any], Any], b: Any) -> Any:
    """The x with A x = b for a symmetric and positive A."""
    size = ops.sum(b * b)
    limit = (10 * precision(b)) ** 2 * size
    rounds = 10 * shape_of(b)[0] + 100

    def goes_on(x: Any, rest: Any, way: Any, size: Any, count: Any) -> Raws:
        return (ops.logical_and(size > limit, count < rounds),)

    def body(x: Any, rest: Any, way: Any, size: Any, count: Any) -> Raws:
        moved = product(way)
        step = size / ops.sum(way * moved)
        x, rest = ops.add(x, step * way), ops.subtract(rest, step * moved)
        new = ops.sum(rest * rest)
        return x, rest, rest + (new / size) * way, new, count + 1.0

    start = (ops.zeros_like(b), b, b, size, ops.zeros_like(size))
    x, _, _, rest, _ = repeated(goes_on, body, start)
    is_done = rest <= precision(b) * size
    known = control.MEMBERS(is_done)
    if known is None:
        return ops.where(is_done, x, float("nan"))
    if not known.all():
        reason = "conjugate gradients did not converge: the Jacobian may be singular there"
        raise ComputationError("a derivative", reason, "set up its matrix: linear='direct'")
    return x


def precision(value: Any) -> float:
    """The relative spacing of numbers of a value's dtype."""
    inner = innermost(value)
    return float(np.finfo(backend_of(inner).numpy_dtype(inner)).eps)


def repeated(condition: Callable[..., Raws], body: Callable[..., Raws], start: Raws) -> Raws:
    """A loop: in Python where values are known, else as the library has it.

    A value that begins as one that all calls of a batch share may go on as one of the batch: in an
    operator some libraries refuse what stands on its right, so such sums are ops.
    """
    if any(control.MEMBERS(value) is None for value in start):
        return control.run(control.WHILE_LOOP, start, condition=condition, body=body)
    definition: Any = control.WHILE_LOOP.definition
    return tuple(definition(*start, condition=condition, body=body))
