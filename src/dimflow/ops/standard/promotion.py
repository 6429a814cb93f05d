"""The array API standard's functions, found in a library's namespace and called as ops are."""

from collections.abc import Callable
from typing import Any

from dimflow.ops.record import Op
from dimflow.ops.rules import dtypes


def promoting_function(op: Op, namespace: Any) -> Callable[..., Any] | None:
    """What a library that has the standard alone runs for an op; None where it has no function.

    The standard leaves it open what an integer and a fraction give together, or the square root
    of an integer; here they give what the op's dtype rule says.
    """
    found = op.hosts.standard_function(namespace)
    if found is None or op.kind != "elementwise" or op.hosts.adapter is not None:
        return found
    return _promoting(op, found, namespace)


def _promoting(op: Op, found: Callable[..., Any], namespace: Any) -> Callable[..., Any]:
    """The function on arguments of one dtype."""

    def call(*args: Any, **params: Any) -> Any:
        given = tuple(dtypes.named(getattr(a, "dtype", type(a))) for a in args)
        if all(d == given[0] for d in given) and dtypes.kind(given[0]) in "fc":
            return found(*args, **params)
        return found(*(_cast(a, _target(op, given, params), namespace) for a in args), **params)

    return call


def _target(op: Op, given: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """What the arguments meet in; a dtype of fractions where the op gives such."""
    target = dtypes.result_type(given)
    result = op.rule("dtype")(given, params)
    is_many = isinstance(result, tuple)
    if not is_many and dtypes.kind(result) in "fc" and target.kind in "biu":
        return result
    return target


def _cast(value: Any, target: Any, namespace: Any) -> Any:
    dtype = getattr(value, "dtype", None)
    if dtype is None or dtypes.named(dtype) == target:
        return value
    # NumPy makes half precision of the shortest integers; not every library has it
    return namespace.astype(value, getattr(namespace, target.name, namespace.float32))
