"""Op: one operation, with all its rules side by side. What a kind of op must have is stated here.

An op is called like a function, on anything that an interpreter exists for: raw arrays of an array
library, arrays with units, shapes without data, traced values. It has no code of its own; the
interpreter of the arguments' type runs it.
"""

import inspect
from collections import namedtuple
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from dimflow.errors import MissingRule, UnitError
from dimflow.ops import dispatch
from dimflow.ops.domain import Domain
from dimflow.ops.expression import Expression
from dimflow.ops.rules.batching import Batching
from dimflow.ops.rules.costs import Cost, where_known
from dimflow.ops.rules.derivatives import Derivative
from dimflow.ops.rules.dtypes import DtypeRule
from dimflow.ops.rules.points import PointRule
from dimflow.ops.rules.shapes import ShapeRule
from dimflow.ops.rules.units import Plan, UnitRule

_GENERATED = "<dimflow.ops>"  # the file of generated code: a warning is not of this line

Adapter = Callable[..., Any]
# A name of the array API alone where its function takes the op's own signature. In a pair, the
# adapter is called with the library's namespace and then as the op is; None says that the
# standard's function does less or is called otherwise, so that the definition runs.
Standard = str | tuple[str, Adapter | None]


class Hosts(NamedTuple):
    """What other libraries call the operation; None where they have none."""

    numpy: str | None = None  # below `numpy`: "add", "linalg.solve"
    array_api: str | None = None
    torch: str | None = None
    onnx: str | None = None
    adapter: Adapter | None = None
    is_direct: bool = True  # whether the array API's function takes the op's own signature

    @classmethod
    def of(
        cls, numpy: str | None, standard: Standard | None, torch: str | None, onnx: str | None
    ) -> "Hosts":
        """With the array API's name and adapter taken apart."""
        if not isinstance(standard, tuple):
            return cls(numpy, standard, torch, onnx)
        name, adapter = standard
        return cls(numpy, name, torch, onnx, adapter, is_direct=False)

    def standard_function(self, namespace: Any) -> Callable[..., Any] | None:
        """The array API's function in a library's namespace, to be called as the op is.

        None where the standard has none, this library lacks it, or the definition is meant to run.
        """
        if self.array_api is None or not (self.is_direct or self.adapter):
            return None
        function = namespace
        for part in self.array_api.split("."):
            function = getattr(function, part, None)
        if function is None or self.adapter is None:
            return function  # type: ignore[no-any-return]
        return partial(self.adapter, namespace)


_NO_HOSTS = Hosts()

# What each kind must have; name, doc, signature and a domain are asked of all.
REQUIRED: Mapping[str, tuple[str, ...]] = {
    "elementwise": ("unit", "points", "shape", "dtype", "derivative", "batching", "expr", "cost"),
    "primitive": ("unit", "points", "shape", "dtype", "derivative", "batching", "cost"),
    "random": ("unit", "points", "shape", "dtype", "derivative", "batching", "cost"),
    "composite": ("definition",),
    "control": ("definition",),  # takes functions; they stand beside the engine that runs them
}


class Op:
    """One operation: what it is called, and every rule by which somebody may interpret it.

    unit        from units (static parameters, static shapes) to conversions and the result's unit
    points      what it does with points on a scale (20 °C): keep, blend, delta, refuse
    shape       from shapes to shapes;  dtype: from dtypes to dtypes, as NumPy has it
    derivative  elementwise partials, the transpose of a linear op, or a jvp; both modes follow
    batching    how a batch of calls becomes one call
    expr        the scalar expression that kernels are generated from
    definition  the op in terms of others; a backend with no kernel of its own runs this
    laws        algebraic facts that passes use and tests check
    cost        flops and bytes
    hosts       the names under which libraries know it
    domain      where tests draw samples
    """

    __slots__ = (
        "__weakref__",  # by which jax.jit keeps what it compiles
        "_call",
        "_recall",
        "_result_type",
        "_signature",
        "across",
        "arrays",
        "batching",
        "columns",
        "cost",
        "definition",
        "derivative",
        "doc",
        "domain",
        "dtype",
        "expr",
        "family",
        "hosts",
        "kind",
        "laws",
        "name",
        "namespace",
        "outputs",
        "plans",
        "points",
        "prototype",
        "shape",
        "unit",
        "unit_dependent",
        "variadic",
    )

    def __init__(
        self,
        name: str,
        *,
        kind: str,
        doc: str,
        family: str,
        signature: str | Callable[..., Any],
        domain: Domain,
        unit: UnitRule | None = None,
        points: PointRule | None = None,
        shape: ShapeRule | None = None,
        dtype: DtypeRule | None = None,
        derivative: Derivative | None = None,
        batching: Batching | None = None,
        expr: Expression | None = None,
        definition: Callable[..., Any] | None = None,
        cost: Cost | None = None,
        laws: tuple[str, ...] = (),
        hosts: Hosts = _NO_HOSTS,
        arrays: tuple[str, ...] | None = None,
        variadic: str | None = None,
        outputs: tuple[str, ...] | None = None,
        namespace: str = "",
        unit_dependent: bool = False,
        across: bool | None = None,
        columns: bool = False,
    ) -> None:
        self.name = name
        self.kind = kind
        self.doc = doc
        self.family = family
        self.prototype = signature
        self.domain = domain
        self.unit = unit
        self.points = points
        self.shape = shape
        self.dtype = dtype
        self.derivative = derivative
        self.batching = batching
        self.expr = expr
        self.definition = definition
        self.cost = None if cost is None else where_known(cost)
        self.laws = laws
        self.hosts = hosts
        self.variadic = variadic
        self.outputs = outputs
        self.namespace = namespace
        self.unit_dependent = unit_dependent
        self.across = across  # what a comparison gives across dimensions, instead of an error
        self.columns = columns  # whether a list is one of columns, and not the array that it makes
        self.plans: dict[Any, Plan] = {}
        self._result_type: Any = None
        self._signature: inspect.Signature | None = None
        self._call: Callable[..., Any] | None = None
        self._recall: Callable[..., Any] | None = None
        self.arrays = arrays
        for field in REQUIRED[kind]:
            if getattr(self, field) is None:
                raise MissingRule(name, f"{field} rule", f"an op of kind {kind!r} must have one")

    @property
    def signature(self) -> inspect.Signature:
        """How it is called: arrays by position, then static parameters."""
        if self._signature is None:
            prototype = self.prototype
            if isinstance(prototype, str):
                scope: dict[str, Any] = {}
                exec(f"def {self.name}({prototype}): ...", scope)  # text of the table itself
                prototype = scope[self.name]
            self._signature = inspect.signature(prototype)
        return self._signature

    @property
    def array_names(self) -> tuple[str, ...]:
        """The parameters that hold arrays; all others are static."""
        if self.arrays is None:
            kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)
            parameters = self.signature.parameters.values()
            self.arrays = tuple(p.name for p in parameters if p.kind in kinds)
        return self.arrays

    def is_required(self, index: int) -> bool:
        """Whether the array at a place among the arrays of a call has no default."""
        name = self.array_names[min(index, len(self.array_names) - 1)]
        parameter = self.signature.parameters[name]
        return parameter.default is parameter.empty

    @property
    def optional_arrays(self) -> frozenset[str]:
        """Those that are given by name, and are None where they are left out."""
        parameters = self.signature.parameters.values()
        named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        return frozenset(p.name for p in parameters if p.kind in named) & {*self.array_names}

    @property
    def result_type(self) -> Callable[..., Any]:
        """The named tuple of several results."""
        if self._result_type is None:
            assert self.outputs is not None
            self._result_type = namedtuple(f"{self.name}_result", self.outputs)  # type: ignore[misc]
        return self._result_type  # type: ignore[no-any-return]

    @property
    def __name__(self) -> str:
        return self.name

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        return self.doc

    @property
    def __signature__(self) -> inspect.Signature:
        return self.signature

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run on the arguments, by the interpreter of their type."""
        if dispatch.is_traced(0):
            assert dispatch.call_traced is not None
            return dispatch.call_traced(self, args, kwargs)
        return (self._call or self._make_call())(*args, **kwargs)

    def _make_call(self) -> Callable[..., Any]:
        """A function of this signature that sorts arguments into arrays and parameters.

        It is generated, so that a wrong call fails with Python's own message.
        """
        defaults: dict[str, Any] = {"_run": dispatch.run_alike, "_op": self}
        texts, arrays, static = [], [], []
        previous = None
        for parameter in self.signature.parameters.values():
            kind, name = parameter.kind, parameter.name
            if previous is parameter.POSITIONAL_ONLY and kind is not previous:
                texts.append("/")
            starred = parameter.VAR_POSITIONAL
            if kind is parameter.KEYWORD_ONLY and previous not in (kind, starred):
                texts.append("*")
            text = f"*{name}" if kind is starred else name
            if parameter.default is not parameter.empty:
                defaults[f"_default_{name}"] = parameter.default
                text += f"=_default_{name}"
            texts.append(text)
            if name in self.array_names:
                is_many = kind is starred or name == self.variadic
                arrays.append(f"*{name}" if is_many else name)
            else:
                static.append(f"{name!r}: {name}")
            previous = kind
        if previous is inspect.Parameter.POSITIONAL_ONLY:
            texts.append("/")
        body = f"_run(_op, ({''.join(a + ', ' for a in arrays)}), {{{', '.join(static)}}})"
        text = f"def {self.name}({', '.join(texts)}): return {body}"
        exec(compile(text, _GENERATED, "exec"), defaults)
        self._call = defaults[self.name]
        return self._call

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], params: Any) -> Any:
        """Call a function of this op's signature with arrays and parameters sorted apart."""
        if self._recall is None:
            self._make_recall()
        if self.unit_dependent and (unit := params.get("unit")) is not None:
            if function is not self.definition or self.kind != "composite":
                problem = f"{self.name} was given unit={str(unit)!r}, but arrays without units"
                raise UnitError(problem, "give it a DimArray, or leave the unit out")
            function = partial(function, unit=unit)
        return self._recall(function, args, params)  # type: ignore[misc]

    def _make_recall(self) -> None:
        texts: list[str] = []
        place = 0
        for parameter in self.signature.parameters.values():
            name, kind = parameter.name, parameter.kind
            if name == "unit" and self.unit_dependent and self.unit is not None:
                continue  # kernels have none: the unit rule has dealt with it
            if kind is parameter.VAR_POSITIONAL:
                texts.append(f"*args[{place}:]")
                continue
            if name == self.variadic:
                value = f"list(args[{place}:])"
            elif name in self.array_names:
                value = f"args[{place}]"
                place += 1
            else:
                value = f"params[{name!r}]"
            is_keyword = kind is not parameter.POSITIONAL_ONLY
            texts.append(f"{name}={value}" if is_keyword else value)
        text = f"lambda function, args, params: function({', '.join(texts)})"
        self._recall = eval(compile(text, _GENERATED, "eval"))

    def __repr__(self) -> str:
        return f"<Op {self.name}{self.signature}>"

    def __reduce__(self) -> tuple[object, ...]:
        from dimflow.ops import get

        return get, (self.name,)

    def run(self, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """Run on flat arrays and parameters, by the interpreter of their type."""
        return dispatch.run(self, args, params)

    def rule(self, field: str) -> Any:
        """One of the rules, or MissingRule."""
        value = getattr(self, field)
        if value is None:
            raise MissingRule(self.name, f"{field} rule")
        return value
