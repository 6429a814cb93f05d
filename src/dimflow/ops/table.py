"""The table: every op by name, and the ways to declare one."""

import sys
from collections.abc import Callable
from typing import Any, Final, Literal

from dimflow.ops.domain import Domain, Interval
from dimflow.ops.evaluation import as_definition
from dimflow.ops.expression import Expression
from dimflow.ops.record import Hosts, Op, Standard
from dimflow.ops.rules import batching, costs, dtypes, points, shapes
from dimflow.ops.rules.derivatives import Derivative, Partials
from dimflow.ops.rules.dtypes import DtypeRule
from dimflow.ops.rules.points import PointRule
from dimflow.ops.rules.units import UnitRule

RECORDS: dict[str, Op] = {}  # declared so far; `dimflow.ops.TABLE` has all of them

_ARGUMENTS = "xyzw"
AS_EXPRESSED: Final = "as expressed"  # the scalar expression is the definition too


def _add(op: Op) -> Op:
    if op.name in RECORDS:
        raise ValueError(f"there are two ops called {op.name!r}")
    RECORDS[op.name] = op
    return op


def _family() -> str:
    """The name of the module that declares, two calls up."""
    module = str(sys._getframe(2).f_globals["__name__"])
    if not module.startswith("dimflow."):
        from dimflow.ops import TABLE  # noqa: F401  a name of ours that is not read yet is taken too
    return module.rpartition(".")[2]


def _static_names(signature: str | None, arrays: tuple[str, ...] | None) -> tuple[str, ...]:
    """The parameters that hold no arrays, which an expression may name."""
    first, slash, rest = (signature or "").partition("/")
    parts = (rest if slash else first).split(",")
    names = [part.partition("=")[0].strip(" *") for part in parts]
    return tuple(name for name in names if name and name not in (arrays or ()))


def elementwise(
    name: str,
    *,
    doc: str,
    unit: UnitRule,
    partials: tuple[Callable[..., Any] | None, ...] | Derivative,
    expr: str,
    domain: tuple[Any, ...],
    points: PointRule = points.refuse,
    dtype: DtypeRule | None = None,
    signature: str | None = None,
    arrays: tuple[str, ...] | None = None,
    numpy: str | None = None,
    array_api: Standard | None = None,
    torch: str | None = None,
    onnx: str | None = None,
    flops: int = 1,
    laws: tuple[str, ...] = (),
    namespace: str = "",
    outputs: tuple[str, ...] | None = None,
    unit_dependent: bool = False,
    definition: Callable[..., Any] | Literal["as expressed"] | None = None,
    across: bool | None = None,
) -> Op:
    """Declare an op that takes one element of each array to one element of the result.

    `domain` is `(low, high)` for each argument, or one for all as plain two numbers; `numpy` names
    a ufunc or function if it is not the op's own name; "" says that NumPy has none. A definition
    `AS_EXPRESSED` is the scalar expression, for ops that it is safe for over the whole line.
    """
    intervals = domain if isinstance(domain[0], tuple) else (domain,)
    arity = len(intervals)
    arguments = tuple(_ARGUMENTS[:arity])
    expression = Expression(expr, arguments, _static_names(signature, arrays))
    numpy = name if numpy is None else numpy or None
    if dtype is None:
        dtype = dtypes.ufunc(numpy) if numpy else dtypes.floating
    return _add(
        Op(
            name,
            kind="elementwise",
            family=_family(),
            doc=doc,
            signature=signature or f"{', '.join(arguments)}, /",
            domain=tuple(Interval(*i) for i in intervals),
            unit=unit,
            points=points,
            shape=shapes.broadcast if outputs is None else shapes.broadcast_to_each(len(outputs)),
            dtype=dtype,
            derivative=Partials(partials) if type(partials) is tuple else partials,  # type: ignore[arg-type]
            batching=batching.elementwise,
            expr=expression,
            definition=as_definition(expression) if definition == AS_EXPRESSED else definition,
            cost=costs.per_output(flops),
            laws=laws,
            hosts=Hosts.of(numpy, array_api, torch, onnx),
            arrays=arrays,
            outputs=outputs,
            namespace=namespace,
            unit_dependent=unit_dependent,
            across=across,
        )
    )


def primitive(
    name: str,
    *,
    numpy: str | None = None,
    array_api: Standard | None = None,
    torch: str | None = None,
    onnx: str | None = None,
    points: PointRule = points.refuse,
    kind: str = "primitive",
    **rules: Any,
) -> Op:
    """Declare an op that is not elementwise: its fields are those of `Op`."""
    hosts = Hosts.of(name if numpy is None else numpy or None, array_api, torch, onnx)
    return _add(Op(name, kind=kind, family=_family(), points=points, hosts=hosts, **rules))


def composite(
    *,
    domain: Domain,
    numpy: str | None = None,
    array_api: Standard | None = None,
    torch: str | None = None,
    onnx: str | None = None,
    **rules: Any,
) -> Callable[[Callable[..., Any]], Op]:
    """Declare the decorated function, written with other ops, as an op.

    Its units, derivative and batching follow from those ops. A `unit` rule may be given as well;
    then a backend's own kernel may run instead of the definition.
    """
    family = _family()

    def declare(function: Callable[..., Any]) -> Op:
        return _add(
            Op(
                function.__name__,
                kind="composite",
                family=family,
                doc=function.__doc__ or "",
                signature=function,
                domain=domain,
                definition=function,
                hosts=Hosts.of(numpy, array_api, torch, onnx),
                **rules,
            )
        )

    return declare
