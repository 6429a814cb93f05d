"""What the forms of derivative rules mean: how a tangent goes forward, a cotangent back.

Each form is one function here, for each direction. No op is named.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.autodiff.carrier import alive, shielded
from dimflow.autodiff.constants import check_held, held
from dimflow.autodiff.node import Node
from dimflow.autodiff.saving import Form
from dimflow.errors import ComputationError, MissingRule
from dimflow.ops import Op, dispatch
from dimflow.ops.rules.derivatives import (
    Given,
    Jvp,
    Linear,
    Multilinear,
    Partials,
    VariadicMultilinear,
    Zero,
)
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.layout import UNKNOWN_LENGTHS, laid_out
from dimflow.ops.rules.shapes import is_known, same_shape
from dimflow.ops.rules.transposition import shape_of, unbroadcast

Parts = list[Any]
Way = Callable[[Node, Any, Sequence[Any]], Sequence[Any]]  # of a call, its rule, what comes


def leaves(result: Any) -> Parts:
    """The arrays of a result of one or several."""
    return list(result) if isinstance(result, (tuple, list)) else [result]


def as_result(op: Op, out: Any, parts: Sequence[Any]) -> Any:
    """Parts in the form of a result: one, a named tuple, a list."""
    if not isinstance(out, (tuple, list)):
        return parts[0]
    return op.result_type(*parts) if op.outputs else type(out)(parts)


def zeros_for(value: Any) -> Any:
    """Zeros for a missing tangent or cotangent; 0 * x would be nan for an infinite x."""
    if type(value) is Form:
        return value.zeros()
    return ops.zeros_like(value) if hasattr(value, "shape") else 0.0


def total(terms: Sequence[Any]) -> Any:
    """The sum of terms; None if there are none."""
    result = None
    for term in terms:
        result = term if result is None else result + term
    return result


def fitted(ct: Any, value: Any) -> Any:
    """A cotangent in the dtype of what it belongs to: a real value takes its real part."""
    given, wanted = getattr(ct, "dtype", None), getattr(value, "dtype", None)
    if given is wanted or given is None or wanted is None or given == wanted:
        return ct
    if kind_of(ct) == "c" and kind_of(value) != "c":
        ct = ops.real(ct)
    if kind_of(value) not in "fc" or ct.dtype == wanted:
        return ct
    return ops.astype(ct, wanted)


def _way(ways: dict[type, Way], op: Op) -> Way:
    way = ways.get(type(op.derivative))
    if way is None:
        raise MissingRule(op.name, "derivative rule")
    return way


def _is_stubborn(call: Node, beside: Sequence[Any]) -> bool:
    """Whether values of a call, or what comes to it, take no carriers beside them in operators."""
    stubborn = dispatch.stubborn
    if not stubborn:
        return False
    return not stubborn.isdisjoint(map(type, (*call.values, *leaves(call.out), *beside)))


def _shielded(call: Node) -> Node:
    """The call with values that may stand beside carriers in the operators of its rule."""
    other = object.__new__(Node)
    other.op, other.params = call.op, call.params
    other.values, other.out = shielded(call.values), shielded(call.out)
    other.parents = getattr(call, "parents", None)
    return other


# Back


def pulled(call: Node, cts: Sequence[Any]) -> Sequence[Any]:
    """The cotangents of the arguments of a call from those of its results.

    Only of those that the call has a parent for; None for the others, and for no influence.
    """
    assert call.op is not None
    if held:
        check_held(call)
    rule = call.op.derivative
    way = _BACK.get(type(rule)) or _way(_BACK, call.op)
    try:
        if dispatch.stubborn and _is_stubborn(call, cts):
            return list(map(alive, way(_shielded(call), rule, shielded(cts))))
        return way(call, rule, cts)
    except (TypeError, ValueError) as error:
        _blame_lengths(call, error)
        raise


def _blame_lengths(call: Node, error: Exception) -> None:
    """Raise what an error means where only the data know a length, which rules may ask for."""
    assert call.op is not None
    values = (*call.values, *leaves(call.out))
    if not all(is_known(shape_of(value)) for value in values):
        raise ComputationError(f"a derivative of {call.op.name}", *UNKNOWN_LENGTHS) from error


def _whole(call: Node, cts: Sequence[Any]) -> Any:
    """The cotangent in the form of the result, zeros for what nothing came back from."""
    out = call.out
    if not isinstance(out, (tuple, list)):
        return cts[0]
    assert call.op is not None
    parts = [zeros_for(o) if ct is None else ct for o, ct in zip(out, cts, strict=True)]
    return as_result(call.op, out, parts)


def _as_computed(call: Node) -> tuple[Any, ...]:
    """The arguments in the dtype of the result: in their own, x * x of int8 would overflow."""
    dtype = getattr(call.out, "dtype", None)
    if dtype is None or kind_of(call.out) != "f":
        return call.values
    return tuple(
        value if type(value) is Form or _has(value, dtype) else ops.astype(value, dtype)
        for value in call.values
    )


def _has(value: Any, dtype: Any) -> bool:
    """A dtype of another library is another one: some warn when they are compared."""
    own = getattr(value, "dtype", dtype)
    return own is dtype or (type(own) is type(dtype) and bool(own == dtype))


def _partials_back(call: Node, rule: Partials, cts: Sequence[Any]) -> Parts:
    backs: Parts = []
    values = call.values
    for parent, function, value in zip(call.parents or (), rule.functions, values, strict=True):
        if parent is None or function is None:
            backs.append(None)
            continue
        partial = function(call.out, *_as_computed(call), **call.params)
        if isinstance(partial, tuple):
            pairs = zip(cts, partial, strict=True)
            back = total([ct * p for ct, p in pairs if ct is not None])
        else:
            back = cts[0] * partial
        backs.append(unbroadcast(back, value))
    return backs


def _linear_back(call: Node, rule: Linear, cts: Sequence[Any]) -> Sequence[Any]:
    return rule.transpose(_whole(call, cts), call.values, call.params)


def _multilinear_back(call: Node, rule: Multilinear, cts: Sequence[Any]) -> Parts:
    whole = _whole(call, cts)
    return [
        None if parent is None or back is None else back(whole, call.values, call.params)
        for parent, back in zip(call.parents or (), rule.transposes, strict=True)
    ]


def _variadic_back(call: Node, rule: VariadicMultilinear, cts: Sequence[Any]) -> Parts:
    whole = _whole(call, cts)
    return [
        None if parent is None else rule.transpose(i, whole, call.values, call.params)
        for i, parent in enumerate(call.parents or ())
    ]


def _jvp_back(call: Node, rule: Jvp, cts: Sequence[Any]) -> Parts:
    """The transpose of the rule, which is linear in the tangents: it is recorded in turn.

    Where the op itself is linear in the only argument that counts, its transpose ends the descent.
    """
    from dimflow.autodiff.reverse import vjp

    values = call.values
    places = [i for i, parent in enumerate(call.parents or ()) if parent is not None]
    backs: Parts = [None] * len(values)
    transpose = rule.transposes[places[0]] if len(places) == 1 and rule.transposes else None
    if transpose is not None:
        backs[places[0]] = transpose(_whole(call, cts), values, call.params)
        return backs

    def changes(*tangents: Any) -> Parts:
        every: Parts = [None] * len(values)
        for i, tangent in zip(places, tangents, strict=True):
            every[i] = tangent
        moved = leaves(rule.function(tuple(every), call.out, values, call.params))
        return [m for m, ct in zip(moved, cts, strict=True) if ct is not None]

    _, pull = vjp(changes, [zeros_for(values[i]) for i in places], keep=False)
    given = [ct for ct in cts if ct is not None]
    for i, back in zip(places, pull(given), strict=True):
        backs[i] = back
    return backs


def _given_back(call: Node, rule: Given, cts: Sequence[Any]) -> Sequence[Any]:
    """By the pull that came with the call, or the transpose of its push."""
    pull, push = call.params["pull"], call.params["push"]
    if pull is not None:
        found: Sequence[Any] = pull(cts, call.out, call.values)
        return found

    def tangents(given: Any, outs: Any, values: Any, _params: Any) -> Parts:
        pairs = zip(push(given, outs, values), outs, strict=True)
        return [zeros_for(out) if moved is None else moved for moved, out in pairs]

    return _jvp_back(call, Jvp(tangents), cts)


_BACK: dict[type, Way] = {
    Partials: _partials_back,
    Linear: _linear_back,
    Multilinear: _multilinear_back,
    VariadicMultilinear: _variadic_back,
    Jvp: _jvp_back,
    Given: _given_back,
}


# Forward


def pushed(call: Node, tangents: Sequence[Any]) -> Parts:
    """The tangents of the results of a call; None for those that do not change."""
    assert call.op is not None
    results = leaves(call.out)
    if type(call.op.derivative) is Zero:
        return [None] * len(results)
    if held:
        check_held(call)
    way = _way(_FORWARD, call.op)
    with np.errstate(all="ignore"):  # a slope may be endless where the value is not
        try:
            return _pushed(way, call, tangents, results)
        except (TypeError, ValueError) as error:
            _blame_lengths(call, error)
            raise


def _pushed(way: Any, call: Node, tangents: Sequence[Any], results: Sequence[Any]) -> Parts:
    rule: Any = call.op.derivative  # type: ignore[union-attr]
    if _is_stubborn(call, tangents):
        found = way(_shielded(call), rule, shielded(tangents))
        moved: Sequence[Any] = list(map(alive, found))
    else:
        moved = way(call, rule, tangents)
    return [
        None if t is None or kind_of(out) not in "fc" else _stretched(fitted(t, out), out)
        for t, out in zip(moved or [None] * len(results), results, strict=True)
    ]


def _stretched(tangent: Any, out: Any) -> Any:
    """A partial that does not depend on some argument lacks its axes."""
    shape = shape_of(out)
    if shape_of(tangent) == shape:
        return tangent
    tangent = laid_out(tangent, out)
    is_spread = same_shape(shape_of(tangent), shape)
    return tangent if is_spread else ops.broadcast_to(tangent, shape=shape)


def _partials_forward(call: Node, rule: Partials, tangents: Sequence[Any]) -> Parts:
    terms = []
    for function, tangent in zip(rule.functions, tangents, strict=True):
        if function is not None and tangent is not None:
            partial = function(call.out, *_as_computed(call), **call.params)
            terms.append([p * tangent for p in leaves(partial)])
    return [total(parts) for parts in zip(*terms, strict=True)]


def _linear_forward(call: Node, rule: Linear, tangents: Sequence[Any]) -> Parts:
    linear = range(len(call.values)) if rule.arguments is None else rule.arguments
    if all(tangents[i] is None for i in linear):
        return []
    assert call.op is not None
    moved = tuple(
        value if i not in linear or value is None else zeros_for(value) if t is None else t
        for i, (value, t) in enumerate(zip(call.values, tangents, strict=True))
    )
    return leaves(dispatch.run(call.op, moved, call.params))


def _each_forward(
    call: Node, rule: Multilinear | VariadicMultilinear, tangents: Sequence[Any]
) -> Parts:
    """For what is linear in each argument by itself: one call for each tangent."""
    assert call.op is not None
    transposes = rule.transposes if isinstance(rule, Multilinear) else tangents
    values = call.values
    terms = [
        leaves(dispatch.run(call.op, (*values[:i], tangent, *values[i + 1 :]), call.params))
        for i, tangent in enumerate(tangents)
        if tangent is not None and transposes[i] is not None
    ]
    return [total(parts) for parts in zip(*terms, strict=True)]


def _jvp_forward(call: Node, rule: Jvp, tangents: Sequence[Any]) -> Parts:
    return leaves(rule.function(tuple(tangents), call.out, call.values, call.params))


def _given_forward(call: Node, rule: Given, tangents: Sequence[Any]) -> Sequence[Any]:
    """By the push that came with the call, or the transpose of its pull: linear in cotangents."""
    from dimflow.autodiff.reverse import vjp

    pull, push, values = call.params["pull"], call.params["push"], call.values
    if push is not None:
        found: Sequence[Any] = push(tangents, call.out, values)
        return found
    places = [i for i, tangent in enumerate(tangents) if tangent is not None]

    def back(*cts: Any) -> Parts:
        found = pull(cts, call.out, values)
        return [zeros_for(values[i]) if found[i] is None else found[i] for i in places]

    _, forward = vjp(back, [zeros_for(out) for out in call.out], keep=False)
    return forward([tangents[i] for i in places])


_FORWARD: dict[type, Way] = {
    Partials: _partials_forward,
    Linear: _linear_forward,
    Multilinear: _each_forward,
    VariadicMultilinear: _each_forward,
    Jvp: _jvp_forward,
    Given: _given_forward,
}
