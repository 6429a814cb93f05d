"""grad, value_and_grad, vjp, jvp, linearize: derivatives with their units.

A derivative has the unit [result]/[argument]; of points (20 °C) it is that of their differences.
"""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

from dimflow import ops
from dimflow.errors import ShapeMismatch, StructureMismatch, UnitError
from dimflow.transforms.calls import Call, Function, check_callable, difference

Place = int | str
Places = Place | tuple[Place, ...] | list[Place]


def grad(
    function: Function,
    argnums: Places = 0,
    *,
    has_aux: bool = False,
    holomorphic: bool = False,
    engine: str | None = None,
) -> Function:
    """The function that gives the gradient of one that gives a single number.

        dimflow.grad(energy)(x)                      # in J/m for x in m
        dimflow.grad(loss, argnums=(0, 2))(a, b, c)  # a pair
        dimflow.grad(loss, argnums="mass")(x, mass=m)

    Arguments may be tuples, lists, dicts and dataclasses of arrays, and so is then the gradient.
    With `has_aux` the function gives a pair (number, anything), and so does this one. The engine
    is that of the arrays' library, ours where it has none, or the one asked for: "native", "own".
    """
    both = value_and_grad(
        function, argnums, has_aux=has_aux, holomorphic=holomorphic, engine=engine
    )

    @wraps(function)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        value, found = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


def value_and_grad(
    function: Function,
    argnums: Places = 0,
    *,
    has_aux: bool = False,
    holomorphic: bool = False,
    engine: str | None = None,
) -> Function:
    """The function that gives the value and the gradient: `(E, dE_dx)`."""
    check_callable("grad", function)

    @wraps(function)
    def value_and_gradient(*args: Any, **kwargs: Any) -> Any:
        partial, chosen = chosen_arguments("grad", function, argnums, args, kwargs)
        beside = (args, kwargs)
        call = Call("grad", partial, chosen, beside, has_aux=has_aux, engine=engine)
        pull = call.reverse(keep=False)
        call.check_scalar(holomorphic=holomorphic)
        found = pull((ops.ones_like(call.out[0].raw),))
        gradient = call.cotangents(found, difference(call.out[0].unit))
        value = (call.result(), call.aux()) if has_aux else call.result()
        return value, gradient if isinstance(argnums, (tuple, list)) else gradient[0]

    return value_and_gradient


def vjp(
    function: Function, *args: Any, has_aux: bool = False, engine: str | None = None
) -> tuple[Any, ...]:
    """The result, and the function that takes a cotangent of it back to those of all arguments.

    A cotangent in [L]/[result] gives some in [L]/[argument]; a bare number is a pure one. With
    `has_aux` a third value is what the function gives beside its result.
    """
    call = Call("vjp", function, args, has_aux=has_aux, engine=engine)
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
    engine: str | None = None,
) -> tuple[Any, ...]:
    """The result and how it changes with the arguments: `jvp(f, (x,), (dx,))`.

    A tangent is in a unit of its argument's differences; that of the result comes in its own.
    """
    check_count("jvp", primals, tangents)
    call = Call("jvp", function, tuple(primals), has_aux=has_aux, engine=engine)
    changed = call.forward(tuple(tangents))
    return (call.result(), changed, call.aux()) if has_aux else (call.result(), changed)


def linearize(
    function: Function, *primals: Any, has_aux: bool = False, engine: str | None = None
) -> tuple[Any, ...]:
    """The result, and the linear function from tangents of the arguments to that of the result.

    The function runs once, however many tangents there are: `y, df = linearize(f, x); df(dx)`.
    """
    call = Call("linearize", function, primals, has_aux=has_aux, engine=engine)
    push = call.linear()

    def linear(*tangents: Any) -> Any:
        check_count("linearize", primals, tangents)
        return push(tangents)

    return (call.result(), linear, call.aux()) if has_aux else (call.result(), linear)


def check_count(name: str, primals: Any, tangents: Any) -> None:
    """A tangent for each argument, or an error."""
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        wanted = f"tuples of arguments and tangents: dimflow.{name}(f, (x,), (dx,))"
        got = " and ".join(type(given).__name__ for given in (primals, tangents))
        raise StructureMismatch(name, wanted, got)
    if len(primals) != len(tangents):
        wanted = f"{len(primals)} tangents, one for each argument"
        raise ShapeMismatch(name, wanted, f"{len(tangents)}")


def chosen_arguments(
    name: str, function: Function, argnums: Places, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The function of the chosen arguments alone, and these: by position, or by name."""
    wanted = argnums if isinstance(argnums, (tuple, list)) else (argnums,)
    places = [_place(name, function, place, args, kwargs) for place in wanted]
    if len(set(places)) < len(places):
        raise UnitError(f"{name} by one argument twice: {argnums}", "name each argument once")
    chosen = tuple(kwargs[p] if isinstance(p, str) else args[p] for p in places)

    def partial(*values: Any) -> Any:
        full, named = list(args), dict(kwargs)
        for place, value in zip(places, values, strict=True):
            if isinstance(place, str):
                named[place] = value
            else:
                full[place] = value
        return function(*full, **named)

    return partial, chosen


def _place(name: str, function: Function, wanted: Place, args: Any, kwargs: Any) -> Place:
    """A position among the arguments of a call, or the name of one given by name."""
    if isinstance(wanted, str):
        if wanted in kwargs:
            return wanted
        names = list(inspect.signature(function).parameters)
        if wanted in names and names.index(wanted) < len(args):
            return names.index(wanted)
        problem = f"{name} by {wanted!r}, which the call did not give"
        raise UnitError(problem, f"the function takes {', '.join(names)}")
    if type(wanted) is not int:
        problem = f"{name} by {wanted!r}"
        raise UnitError(problem, "argnums is a position, a name, or a tuple of these")
    if not -len(args) <= wanted < len(args):
        problem = f"{name} by argument {wanted} of a call with {len(args)} arguments"
        raise UnitError(problem, "give it by position, or by name: argnums='x'")
    return wanted % len(args)
