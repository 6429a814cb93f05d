"""Functions of PyTorch whose units need more than a rule: several forms, tolerances, the record."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from dimflow import ops
from dimflow.array.core import Core
from dimflow.array.dimarray import DimArray
from dimflow.array.in_place import in_unit
from dimflow.array.interpreter import converted, planned, separated
from dimflow.array.methods import bits_refused
from dimflow.backends import backend
from dimflow.backends.torch_kernels.reads import is_differentiated, number_of
from dimflow.errors import DimensionError, UnsupportedFunction
from dimflow.ops import Op
from dimflow.ops.dispatch import is_traced
from dimflow.ops.rules.units import PURE
from dimflow.ops.rules.values import refuse_cut
from dimflow.torch import gradients, tracing
from dimflow.torch.host.planned import as_tensor, as_tensors, bare, dressed
from dimflow.torch.host.rules import RULES
from dimflow.units import Unit
from dimflow.units.alike import is_number

Handler = Callable[..., Any]
FUNCTIONS: dict[str, Handler] = {}


def _named(*names: str) -> Callable[[Handler], Handler]:
    def enter(function: Handler) -> Handler:
        FUNCTIONS.update(dict.fromkeys(names, function))
        return function

    return enter


def _plan(op: Op, arrays: Any, **params: Any) -> tuple[Any, Any]:
    """Raw arrays as a rule wants them, and the unit of the result."""
    if is_traced(0):
        raws, plan = tracing.rule_planned(op, arrays, params)
    else:
        raws, units = separated(tuple(arrays))
        plan = planned(op, raws, units, params)
    return as_tensors(converted(plan, raws)), plan.result


def _unit(value: Any) -> Any:
    return value._unit if isinstance(value, Core) else None


# Arithmetic


@_named("div", "divide")
def _div(input: Any, other: Any, *, rounding_mode: Any = None, out: Any = None) -> Any:
    """A whole quotient needs both in one unit; a quotient does not."""
    op = ops.get("divide" if rounding_mode is None else "floor_divide")
    (left, right), unit = _plan(op, (input, other))
    result = dressed(torch.div(left, right, rounding_mode=rounding_mode), unit)
    return result if out is None else _into(out, result, "torch.div")


def _into(out: Any, result: Any, name: str) -> Any:
    """A result in a target, in the unit of this."""
    target = out if isinstance(out, Core) else None
    raw = in_unit(target._unit if target is not None else Unit(""), result, f"out= of {name}")
    refuse_cut(raw, out.dtype)
    (out._raw if target is not None else out).copy_(raw)
    return out


def _in_place(name: str, function: Handler) -> None:
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        return _into(self, function(self, *args, **kwargs), f"torch.Tensor.{name}")

    FUNCTIONS[name] = run


_in_place("div_", _div)
_in_place("divide_", _div)


def _power(name: str) -> Handler:
    """One exponent raises the unit; an array of them needs pure numbers."""
    op = ops.get(name)

    def run(input: Any, exponent: Any, *, out: Any = None) -> Any:
        if isinstance(exponent, (Tensor, Core)) and not exponent.shape and isinstance(input, Core):
            plain = exponent._pure("an exponent") if isinstance(exponent, Core) else exponent
            if not is_differentiated(plain):
                exponent = plain.item()
        result = op(input, exponent)
        return result if out is None else _into(out, result, f"torch.{name}")

    return run


FUNCTIONS["pow"] = FUNCTIONS["__pow__"] = _power("pow")
FUNCTIONS["float_power"] = _power("float_power")


@_named("__rpow__")
def _rpow(exponent: Any, base: Any) -> Any:
    return ops.pow(base, exponent)


for _name in ("pow_", "float_power_", "__ipow__"):
    _in_place(_name, FUNCTIONS["float_power" if "float" in _name else "pow"])


# Comparison


@_named("where")
def _where(condition: Any, input: Any = None, other: Any = None, *, out: Any = None) -> Any:
    """One of two values; with a condition alone, where it is not 0."""
    if input is None and other is None:
        return ops.nonzero(condition)
    raws, unit = _plan(ops.get("where"), (condition, input, other))
    result = dressed(torch.where(*raws), unit)
    return result if out is None else _into(out, result, "torch.where")


@_named("Tensor.where")
def _chosen(self: Any, condition: Any, other: Any) -> Any:
    """The method takes the condition second."""
    return _where(condition, self, other)


@_named("isclose")
def _isclose(
    input: Any, other: Any, rtol: float = 1e-5, atol: Any = None, equal_nan: bool = False
) -> Any:
    """The absolute tolerance carries a unit; without one it is 0 for quantities."""
    return ops.isclose(input, other, rtol=rtol, atol=atol, equal_nan=equal_nan)


@_named("allclose")
def _allclose(
    input: Any, other: Any, rtol: float = 1e-5, atol: Any = None, equal_nan: bool = False
) -> bool:
    return bool(_isclose(input, other, rtol, atol, equal_nan).all())


@_named("equal")
def _equal(input: Any, other: Any) -> bool:
    """Whether two tensors have one shape and the same quantities."""
    equal = ops.get("equal")
    if is_traced(0) and tracing.planned_call(equal, (input, other), {})[1] is None:
        return False
    try:
        (left, right), _ = _plan(equal, (input, other))
    except DimensionError:
        return False
    return torch.equal(left, right)


# Several arrays, each in its own unit


def _each(name: str) -> Handler:
    function = getattr(torch, name)

    def run(*tensors: Any, **kwargs: Any) -> Any:
        many = tensors[0] if len(tensors) == 1 and type(tensors[0]) in (list, tuple) else tensors
        results = function(*[gradients.raw_of(t) for t in many], **kwargs)
        if isinstance(results, Tensor):
            return dressed(results, _unit(many[0]))
        pairs = zip(results, many, strict=True)
        return type(results)([dressed(r, _unit(t)) for r, t in pairs])

    return run


for _name in ("broadcast_tensors", "meshgrid", "atleast_1d", "atleast_2d", "atleast_3d"):
    FUNCTIONS[_name] = _each(_name)


def _shaped(name: str) -> Handler:
    """In the shape of another tensor, whose unit does not matter."""
    function: Any = getattr(torch.Tensor, name)

    def run(self: Any, other: Any) -> Any:
        return dressed(function(gradients.raw_of(self), gradients.raw_of(other)), _unit(self))

    return run


for _name in ("expand_as", "reshape_as", "view_as"):
    FUNCTIONS[_name] = _shaped(_name)


# Reductions into places, statistics


def _dressed_into(input: Any, raw: Any, target: Any, unit: Any, name: str) -> Any:
    """The result of a function; one in place has written into the input, or into its conversion."""
    if not name.endswith("_"):
        return dressed(raw, unit)
    is_written = target is gradients.raw_of(input)
    return input if is_written else _into(input, dressed(raw, unit), f"torch.Tensor.{name}")


def _reduced(name: str) -> Handler:
    function: Any = getattr(torch.Tensor, name)

    def run(input: Any, dim: Any, index: Any, source: Any, reduce: str, **kwargs: Any) -> Any:
        rule = "pure" if reduce in ("prod", "multiply") else "picked"
        if reduce in ("sum", "add"):
            rule = "linear"
        if reduce == "mean":
            rule = "blended"
        (target, values), unit = _plan(RULES[rule], (input, source))
        means = (0.5,) if reduce == "mean" else ()  # PyTorch cuts those of integers
        tracing.refuse_cast(f"torch.{name}", target.dtype, (values, *means), unit)
        raw = function(target, dim, bare(index, name), values, reduce, **kwargs)
        return _dressed_into(input, raw, target, unit, name)

    return run


for _name in ("scatter_reduce", "index_reduce", "scatter_reduce_", "index_reduce_"):
    FUNCTIONS[_name] = _reduced(_name)


_SCATTER = {None: "picked", "add": "linear", "multiply": "pure"}


def _scattered(name: str) -> Handler:
    function: Any = getattr(torch.Tensor, name)

    def run(
        input: Any, dim: Any, index: Any, src: Any = None, *, value: Any = None, reduce: Any = None
    ) -> Any:
        given = value if src is None else src
        rule = RULES[_SCATTER.get(reduce, "pure")]
        (target, values), unit = _plan(rule, (input, given))
        if value is not None or not isinstance(gradients.raw_of(given), Tensor):
            values = number_of(values, f"torch.{name}")
        tracing.refuse_cast(f"torch.{name}", target.dtype, (values,), unit)
        options = {} if reduce is None else {"reduce": reduce}
        raw = function(target, dim, bare(index, name), values, **options)
        return _dressed_into(input, raw, target, unit, name)

    return run


FUNCTIONS["scatter"] = _scattered("scatter")
FUNCTIONS["scatter_"] = _scattered("scatter_")


@_named("embedding_bag", "nn.functional.embedding_bag")
def _embedding_bag(input: Any, weight: Any, *args: Any, **kwargs: Any) -> Any:
    """Sums and averages of rows, times their own weights; a largest norm has the rows' unit."""
    if (largest := kwargs.get("max_norm")) is not None:
        kwargs["max_norm"] = _tolerance("max_norm=", largest, weight._unit)
    weights = kwargs.pop("per_sample_weights", None)
    raws, unit = _plan(RULES["products"], (weight, weights))
    rest = {key: bare(value, "embedding_bag") for key, value in kwargs.items()}
    if weights is not None:
        rest["per_sample_weights"] = raws[1]
    bags = torch.nn.functional.embedding_bag(bare(input, "an index"), raws[0], *args, **rest)
    return dressed(bags, unit)


def _weights(weights: Any) -> Any:
    """Raw weights, which may have a unit; points on a scale weigh nothing."""
    return None if weights is None else _plan(RULES["linear"], (weights,))[0][0]


@_named("cov")
def _cov(input: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    """In the square of the unit; weights count relative to each other."""
    (raw, _), unit = _plan(RULES["squared_errors"], (input, input))
    weights = _weights(aweights)
    return dressed(
        torch.cov(raw, correction=correction, fweights=bare(fweights, "cov"), aweights=weights),
        unit,
    )


@_named("bincount")
def _bincount(input: Any, weights: Any = None, minlength: int = 0) -> Any:
    raw = torch.bincount(bare(input, "bincount"), _weights(weights), minlength)
    return dressed(raw, _unit(weights))


@_named("histogram")
def _histogram(
    input: Any, bins: Any, *, range: Any = None, weight: Any = None, density: bool = False
) -> Any:
    """Counts, or sums of the weights; edges in the unit of the values."""
    edges = (bins,) if isinstance(bins, (Tensor, Core)) else tuple(range or ())
    (raw, *rest), units = _plan(RULES["counts_and_edges"], (input, *edges))
    if isinstance(bins, (Tensor, Core)):
        arguments: dict[str, Any] = {"bins": rest[0]}
    else:
        arguments = {"bins": bins}
        if rest:
            arguments["range"] = tuple(float(end) for end in rest)
    counts, found = torch.histogram(raw, weight=_weights(weight), density=density, **arguments)
    unit = _unit(weight)
    if density:
        unit = units[1].delta ** -1 if unit is None else unit / units[1].delta
    return torch.return_types.histogram((dressed(counts, unit), dressed(found, units[1])))


@_named("gradient")
def _gradient(input: Any, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> Any:
    """Differences over the spacing, each axis over its own."""
    many = isinstance(spacing, (list, tuple))
    steps = list(spacing) if many else [spacing]
    arguments: dict[str, Any] = {"edge_order": edge_order}
    if spacing is not None:
        plain = [number_of(as_tensor(gradients.raw_of(step)), "torch.gradient") for step in steps]
        arguments["spacing"] = type(spacing)(plain) if many else plain[0]
    if dim is not None:
        arguments["dim"] = dim
    results = torch.gradient(gradients.raw_of(input), **arguments)
    units = [_plan(RULES["per_spacing"], (input, step))[1] for step in steps]
    units = units if len(units) == len(results) else units * len(results)
    return [dressed(raw, unit) for raw, unit in zip(results, units, strict=True)]


# Losses with tolerances of their own


def _tolerance(name: str, value: Any, unit: Any) -> float:
    """A tolerance in a unit; the default of PyTorch, which has none, is 0 for quantities."""
    if value is None:
        return 0.0
    raw = in_unit(unit, value, f"{name} of torch")
    return float(number_of(raw, f"{name} of torch"))


# What a DimTensor does by itself


def _method(name: str) -> Handler:
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(self, Core):
            hint = "give the DimTensor first, or the numbers: x.to_value(...)"
            raise UnsupportedFunction(f"torch.Tensor.{name}", "its first argument is plain", hint)
        return getattr(self, name)(*args, **kwargs)

    return run


for _name in (
    *(
        "to",
        "type",
        "type_as",
        "int",
        "long",
        "short",
        "char",
        "byte",
        "bool",
        "numpy",
        "item",
        "tolist",
    ),
    *("backward", "register_hook", "register_post_accumulate_grad_hook", "requires_grad_"),
    *("retain_grad", "share_memory_", "is_nonzero"),
    *("__float__", "__int__", "__bool__", "__complex__", "__index__", "__len__", "__repr__"),
    *("__format__", "__reversed__", "__deepcopy__", "__reduce_ex__", "__array__", "__dlpack__"),
    "__dlpack_device__",
):
    FUNCTIONS[_name] = _method(_name)


@_named("__long__")
def _long(self: Any) -> int:
    return int(self)


@_named("__nonzero__")
def _nonzero(self: Any) -> bool:
    return bool(self)


@_named("is_nonzero")
def _is_nonzero(self: Any) -> bool:
    return bool(self)


@_named("grad.__get__")
def _grad(self: Any) -> Any:
    return gradients.gathered(self)


@_named("_base.__get__")
def _base(self: Any) -> Any:
    """What a view looks at, in the same unit."""
    return dressed(self._raw._base, self._unit)


@_named("__setitem__")
def _setitem(self: Any, key: Any, value: Any) -> None:
    """Into a plain tensor goes what has no unit."""
    if isinstance(self, DimArray):
        self[key] = value
        return
    raw = in_unit(Unit(""), value, "an assignment to a plain tensor")
    backend("torch").assign(self, bare(key, "an index"), raw)


def _initial(name: str, *differences: str) -> None:
    """A function of `nn.init` that only writes: its numbers are in the tensor's unit, or go there.

    A deviation is a difference of the tensor's unit.
    """
    function = getattr(torch.nn.init, name)

    def run(tensor: Any, generator: Any = None, **values: Any) -> Any:
        unit = tensor._unit if isinstance(tensor, Core) else PURE
        target = gradients.raw_of(tensor)
        call = f"torch.nn.init.{name}"
        for key, value in values.items():
            wanted = unit.delta if key in differences else unit
            raw = as_tensor(in_unit(wanted, value, f"{key}= of {call}"))
            refuse_cut(raw, target.dtype)
            values[key] = number_of(raw, call)
        seeded = {} if generator is None else {"generator": generator}
        function(target, **values, **seeded)
        return tensor

    FUNCTIONS[f"nn.init.{name}"] = run


_initial("constant_")
_initial("uniform_")
_initial("normal_", "std")


def _drawn(name: str, function: Any) -> None:
    """A function that fills a tensor with numbers: PyTorch's `nn.init` calls the methods."""

    def run(tensor: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(tensor, Core) and not is_number(tensor._unit):
            raise UnsupportedFunction(f"torch.{name}", _DRAWS, _FILLED)
        raw = bare(tensor, name)
        function(raw, *bare(args, name), **{key: bare(v, name) for key, v in kwargs.items()})
        return _into(tensor, raw, f"torch.{name}")

    FUNCTIONS[name] = run


_DRAWS = "it draws numbers, in whatever unit the tensor has"
_FILLED = (
    "fill the numbers, nn.init.xavier_uniform_(x.data), "
    "or draw quantities: nn.init.normal_(x, 0 * unit, 1 * unit)"
)
_drawn("nn.init.kaiming_uniform_", torch.nn.init.kaiming_uniform_)
for _name in (
    *("normal_", "uniform_", "exponential_", "cauchy_", "log_normal_", "geometric_", "random_"),
):
    _drawn(_name, getattr(torch.Tensor, _name))


def _viewing(function: Any) -> Handler:
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        if "out" in kwargs or not isinstance(self, Core):
            raise UnsupportedFunction(f"torch.{function.__name__} with out=", "it makes a view")
        seen = function(self._raw, *args, **kwargs)
        if seen.dtype is not self._raw.dtype and self._unit.key is not PURE.key:
            raise bits_refused(f"torch.Tensor.{function.__name__}")
        return dressed(seen, self._unit)

    return run


FUNCTIONS["view"] = _viewing(Tensor.view)
FUNCTIONS["view_copy"] = _viewing(torch.view_copy)
FUNCTIONS["autograd.grad"] = gradients.grad
FUNCTIONS["autograd.backward"] = gradients.backward_all


# Questions that no unit answers

UNITLESS = frozenset(
    (
        *("device.__get__", "dtype.__get__", "is_cpu.__get__", "is_cuda.__get__", "is_ipu.__get__"),
        *("is_leaf.__get__", "is_maia.__get__", "is_meta.__get__", "is_mkldnn.__get__"),
        *("is_mps.__get__", "is_mtia.__get__", "is_nested.__get__", "is_quantized.__get__"),
        *("is_sparse.__get__", "is_sparse_csr.__get__", "is_vulkan.__get__", "is_xla.__get__"),
        *("is_xpu.__get__", "itemsize.__get__", "layout.__get__", "name.__get__", "nbytes.__get__"),
        *("ndim.__get__", "output_nr.__get__", "requires_grad.__get__", "retains_grad.__get__"),
        *("shape.__get__", "grad_fn.__get__", "_grad_fn.__get__", "_backward_hooks.__get__"),
        *("_post_accumulate_grad_hooks.__get__", "_version.__get__", "grad_dtype.__get__"),
        *("dim", "dim_order", "element_size", "get_device", "is_complex", "is_conj"),
        *("is_contiguous", "is_distributed", "is_floating_point", "is_inference", "is_neg"),
        *("is_pinned", "is_same_size", "is_set_to", "is_shared", "is_signed", "ndimension"),
        *("nelement", "numel", "size", "storage_offset", "stride", "data_ptr", "const_data_ptr"),
        *("record_stream", "_is_view"),
    )
)


def unitless(function: Any) -> Handler:
    """A function that looks at shapes, dtypes and memory alone."""

    def run(*args: Any, **kwargs: Any) -> Any:
        named = {key: gradients.raw_of(value) for key, value in kwargs.items()}
        return function(*[gradients.raw_of(a) for a in args], **named)

    return run
