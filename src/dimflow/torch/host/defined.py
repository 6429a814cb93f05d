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
from dimflow.backends import backend
from dimflow.errors import DimensionError, UnitError, UnsupportedFunction
from dimflow.ops import Op
from dimflow.torch import gradients
from dimflow.torch.host.planned import bare, dressed
from dimflow.torch.host.rules import RULES
from dimflow.units import Unit

Handler = Callable[..., Any]
FUNCTIONS: dict[str, Handler] = {}


def _named(*names: str) -> Callable[[Handler], Handler]:
    def enter(function: Handler) -> Handler:
        FUNCTIONS.update(dict.fromkeys(names, function))
        return function

    return enter


def _plan(op: Op, arrays: Any, **params: Any) -> tuple[Any, Any]:
    """Raw arrays as a rule wants them, and the unit of the result."""
    raws, units = separated(tuple(arrays))
    plan = planned(op, raws, units, params)
    return converted(plan, raws), plan.result


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
    (out._raw if target is not None else out).copy_(raw)
    return out


def _in_place(name: str, function: Handler) -> None:
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        return _into(self, function(self, *args, **kwargs), f"torch.Tensor.{name}")

    FUNCTIONS[name] = run


_in_place("div_", _div)
_in_place("divide_", _div)


@_named("pow", "float_power", "__pow__")
def _pow(input: Any, exponent: Any, *, out: Any = None) -> Any:
    """One exponent raises the unit; an array of them needs pure numbers."""
    if isinstance(exponent, (Tensor, Core)) and not exponent.shape and isinstance(input, Core):
        plain = exponent._pure("an exponent") if isinstance(exponent, Core) else exponent
        if not plain.requires_grad:
            exponent = plain.item()
    result = ops.pow(input, exponent)
    return result if out is None else _into(out, result, "torch.pow")


@_named("__rpow__")
def _rpow(exponent: Any, base: Any) -> Any:
    return ops.pow(base, exponent)


for _name in ("pow_", "float_power_", "__ipow__"):
    _in_place(_name, _pow)


# Comparison


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
    try:
        (left, right), _ = _plan(ops.get("equal"), (input, other))
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


# Reductions into places, statistics


def _reduced(name: str) -> Handler:
    function: Any = getattr(torch.Tensor, name)

    def run(input: Any, dim: Any, index: Any, source: Any, reduce: str, **kwargs: Any) -> Any:
        rule = "pure" if reduce in ("prod", "multiply") else "picked"
        if reduce in ("sum", "add"):
            rule = "linear"
        if reduce == "mean":
            rule = "blended"
        (target, values), unit = _plan(RULES[rule], (input, source))
        raw = function(target, dim, bare(index, name), values, reduce, **kwargs)
        return input if name.endswith("_") and raw is target else dressed(raw, unit)

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
        if isinstance(values, Tensor) and not isinstance(given, Tensor) and value is not None:
            values = values.item()
        options = {} if reduce is None else {"reduce": reduce}
        raw = function(target, dim, bare(index, name), values, **options)
        return input if name.endswith("_") and raw is target else dressed(raw, unit)

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
        plain = [_number(step) for step in steps]
        arguments["spacing"] = type(spacing)(plain) if many else plain[0]
    if dim is not None:
        arguments["dim"] = dim
    results = torch.gradient(gradients.raw_of(input), **arguments)
    units = [_plan(RULES["per_spacing"], (input, step))[1] for step in steps]
    units = units if len(units) == len(results) else units * len(results)
    return [dressed(raw, unit) for raw, unit in zip(results, units, strict=True)]


def _number(step: Any) -> Any:
    """A spacing as PyTorch takes it: a Python number, or a tensor of places."""
    raw = gradients.raw_of(step)
    return raw.item() if isinstance(raw, Tensor) and not raw.shape else raw


# Distances and losses with tolerances of their own


def _tolerance(name: str, value: Any, unit: Any) -> float:
    """A tolerance in a unit; the default of PyTorch, which has none, is 0 for quantities."""
    if value is None:
        return 0.0
    raw = in_unit(unit, value, f"{name} of torch")
    return float(raw)


@_named("nn.functional.cosine_similarity")
def _cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: Any = None) -> Any:
    """A pure number; `eps`, which depends on the units, is 0 unless both are pure numbers."""
    (left, right), _ = _plan(RULES["cosine"], (x1, x2))
    is_pure = all(not isinstance(x, Core) or x.is_dimensionless for x in (x1, x2))
    if is_pure:
        (left, right), _ = _plan(RULES["pure"], (x1, x2))
        raw = torch.nn.functional.cosine_similarity(left, right, dim, 1e-8 if eps is None else eps)
    elif eps:
        raise UnitError("eps= of cosine_similarity depends on the unit", "leave it out, or 0")
    else:
        raw = torch.nn.functional.cosine_similarity(left, right, dim, 0.0)
    return dressed(raw, Unit(""))


@_named("nn.functional.normalize")
def _normalize(input: Any, p: float = 2.0, dim: Any = 1, eps: Any = None, out: Any = None) -> Any:
    """Over its own norm: pure numbers. `eps` carries the unit; without one it is 0."""
    bound = 1e-12 if eps is None and input.is_dimensionless else None
    bound = _tolerance("eps= of normalize", eps, input._unit) if bound is None else bound
    result = dressed(torch.nn.functional.normalize(input._raw, p, dim, bound), Unit(""))
    return result if out is None else _into(out, result, "normalize")


@_named("nn.functional.pairwise_distance")
def _pairwise_distance(
    x1: Any, x2: Any, p: float = 2.0, eps: Any = None, keepdim: bool = False
) -> Any:
    """`eps`, which is added to the differences, carries the unit; without one it is 0."""
    (left, right), unit = _plan(RULES["distance"], (x1, x2), ord=p)
    is_pure = unit is None or unit.is_dimensionless
    bound = 1e-6 if eps is None and is_pure else _tolerance("eps=", eps, unit)
    raw = torch.nn.functional.pairwise_distance(left, right, p, bound, keepdim)
    return dressed(raw, unit)


def _robust(name: str, word: str, rule: str) -> Handler:
    function = getattr(torch.nn.functional, name)

    def run(input: Any, target: Any, *args: Any, **kwargs: Any) -> Any:
        if args:
            raise UnitError(f"{name} takes its options by name", f"{name}(x, y, {word}=...)")
        bend = kwargs.pop(word, 1.0)
        (left, right, bend), unit = _plan(RULES[rule], (input, target, bend))
        kwargs = {key: bare(value, name) for key, value in kwargs.items()}
        return dressed(function(left, right, **{word: float(bend)}, **kwargs), unit)

    return run


FUNCTIONS["nn.functional.smooth_l1_loss"] = _robust("smooth_l1_loss", "beta", "deviation")
FUNCTIONS["nn.functional.huber_loss"] = _robust("huber_loss", "delta", "huber")


# What a DimTensor does by itself


def _method(name: str) -> Handler:
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(self, Core):
            hint = "give the DimTensor first, or the numbers: x.to_value(...)"
            raise UnsupportedFunction(f"torch.Tensor.{name}", "its first argument is plain", hint)
        return getattr(self, name)(*args, **kwargs)

    return run


for _name in (
    *("to", "type", "int", "long", "short", "char", "byte", "bool", "numpy", "item", "tolist"),
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
        *("nelement", "numel", "size", "storage_offset", "data_ptr", "const_data_ptr"),
        *("record_stream", "_is_view"),
    )
)


def unitless(function: Any) -> Handler:
    """A function that looks at shapes, dtypes and memory alone."""

    def run(*args: Any, **kwargs: Any) -> Any:
        named = {key: gradients.raw_of(value) for key, value in kwargs.items()}
        return function(*[gradients.raw_of(a) for a in args], **named)

    return run
