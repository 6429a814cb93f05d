"""Creation: arrays of the shape, dtype and unit of one that exists."""

from typing import Any

from dimflow import ops
from dimflow.errors import NotANumber, UnitChoiceError, UnitConversionError
from dimflow.ops.domain import Sample
from dimflow.ops.families.shape.shaping import as_shape, into_first
from dimflow.ops.rules import batching, costs, dtypes, points, shapes
from dimflow.ops.rules.derivatives import STEPS, Linear, Zero
from dimflow.ops.rules.dtypes import as_floating
from dimflow.ops.rules.transposition import shape_of, unbroadcast
from dimflow.ops.rules.units import (
    Call,
    Resolved,
    any_to_mask,
    chosen,
    same,
    unit_of,
    unit_rule,
)
from dimflow.ops.standard import adapters
from dimflow.ops.table import composite, elementwise, primitive
from dimflow.units import Unit
from dimflow.units.alike import are_alike, readings

CONSTANT = Zero("it does not depend on the values")


def _shape(shapes: Any, params: Any) -> Any:
    return tuple(shapes[0]) if params["shape"] is None else as_shape(params["shape"])


def _dtype(given: Any, params: Any) -> Any:
    return dtypes.result_type((params["dtype"] or given[0],))


def _batch(op: Any, args: Any, dims: Any, params: Any) -> Any:
    x = batching.to_front(args[0], dims[0])
    shape = params["shape"]
    if shape is not None:
        params = {**params, "shape": (x.shape[0], *as_shape(shape))}
    return op.run((x, *args[1:]), params), 0


def _same_axis(op: Any, args: Any, dims: Any, params: Any) -> Any:
    return op.run(args, params), dims[0]


def _full_transpose(ct: Any, args: Any, params: Any) -> tuple[Any, ...]:
    return None, unbroadcast(ct, args[1])


def _full_batch(op: Any, args: Any, dims: Any, params: Any) -> Any:
    """The fill value with its batch axis first, and the shape after it."""
    (x, fill), (dim, fill_dim) = args, dims
    axis = dim if dim is not None else fill_dim
    count = (x if dim is not None else fill).shape[axis]
    own = [n for i, n in enumerate(shape_of(x)) if i != dim]
    shape = own if params["shape"] is None else as_shape(params["shape"])
    if fill_dim is not None:
        fill = batching.to_front(fill, fill_dim)
        missing = len(shape) + 1 - batching.ndim(fill)
        fill = ops.reshape(fill, shape=(count, *([1] * missing), *fill.shape[1:]))
    return op.run((x, fill), {**params, "shape": (count, *shape)}), 0


def _samples(rng: Any) -> list[Sample]:
    return [
        Sample((rng.normal(size=(2, 3)),), {"dtype": None, "shape": None}),
        Sample((rng.normal(size=3),), {"dtype": "float32", "shape": (2, 2)}),
    ]


for name, doc, torch in (
    ("zeros_like", "Zeros with the shape, dtype and unit of an array.", "zeros_like"),
    ("ones_like", "Ones with the shape, dtype and unit of an array: 1 m for metres.", "ones_like"),
):
    primitive(
        name,
        doc=doc,
        signature="x, /, dtype=None, *, shape=None",
        unit=same,
        points=points.free,
        shape=_shape,
        dtype=_dtype,
        derivative=CONSTANT,
        batching=_batch,
        cost=costs.copying,
        array_api=(name, adapters.filled(name.removesuffix("_like"))),
        torch=torch,
        domain=_samples,
    )


primitive(
    "full_like",
    doc="One value everywhere, with the shape, dtype and unit of an array.",
    signature="x, fill_value, /, dtype=None, *, shape=None",
    unit=into_first,
    points=points.keep,
    shape=_shape,
    dtype=_dtype,
    derivative=Linear(_full_transpose, (1,)),
    batching=_full_batch,
    cost=costs.copying,
    array_api=("full_like", adapters.full_like),
    torch="full_like",
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 3)), rng.normal(size=())), {"dtype": None, "shape": None}),
        Sample((rng.normal(size=2), rng.normal(size=3)), {"dtype": "float64", "shape": (2, 3)}),
    ],
)


@composite(
    numpy="empty_like",
    array_api=("empty_like", None),
    torch="empty_like",
    domain=lambda rng: [Sample((rng.normal(size=0),)), Sample((rng.normal(size=(2, 0)),))],
)
def empty_like(x: Any, /, dtype: Any = None, *, shape: Any = None) -> Any:
    """An array to be written into, with the shape, dtype and unit of another."""
    return ops.zeros_like(x, dtype=dtype, shape=shape)


elementwise(
    "copy",
    doc="The same values in an array of their own.",
    unit=same,
    points=points.free,
    partials=Linear(lambda ct, args, params: (ct,)),
    expr="x",
    domain=(-2.0, 2.0),
    dtype=dtypes.first,
    array_api=("astype", adapters.copy),
    torch="clone",
    onnx="Identity",
    laws=("idempotent",),
)


elementwise(
    "stop_gradient",
    doc="The same values, constant to every derivative.",
    unit=same,
    points=points.free,
    partials=Zero("it is asked to be constant"),
    expr="x",
    domain=(-2.0, 2.0),
    dtype=dtypes.first,
    numpy="",
    definition=lambda x: x,
    laws=("idempotent",),
)


# Casts. What a cast to integers cuts off depends on the unit; one to fractions keeps it.


def _cast_to(given: Any, params: Any) -> Any:
    return dtypes.named(params["dtype"])


@unit_rule(params=True)
def _kept_or_chosen(call: Call) -> Resolved:
    unit, asked = unit_of(call, 0), call.params["unit"]
    if asked is None:
        return Resolved((None,), unit)
    target = Unit(asked)
    if not are_alike(target, unit):
        raise UnitConversionError(unit, target, readings(unit, target))
    return Resolved((target,), target)


def _back(ct: Any, args: Any, params: Any) -> tuple[Any]:
    """A cotangent in the dtype of the argument."""
    return (ops.cast_floating(ct, dtype=as_floating(result_dtype(args[0]))),)


def result_dtype(x: Any) -> Any:
    """The dtype of a value as NumPy names it."""
    return dtypes.result_type((getattr(x, "dtype", type(x)),))


primitive(
    "cast_floating",
    doc="With a dtype of real or complex numbers, in the unit given or its own.",
    signature="x, /, dtype, *, unit=None, copy=True",
    unit=_kept_or_chosen,
    points=points.free,
    shape=shapes.unchanged,
    dtype=_cast_to,
    derivative=Linear(_back),
    batching=_same_axis,
    cost=costs.copying,
    numpy="",
    array_api=("astype", adapters.cast),
    onnx="Cast",
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 3)),), {"dtype": "float64", "unit": None, "copy": True}),
        Sample((rng.normal(size=3),), {"dtype": "complex128", "unit": None, "copy": True}),
    ],
)

primitive(
    "cast_discrete",
    doc="With a dtype of integers: fractions of the chosen unit are cut off.",
    signature="x, /, dtype, *, unit=None, copy=True",
    unit=chosen,
    unit_dependent=True,
    points=points.free,
    shape=shapes.unchanged,
    dtype=_cast_to,
    derivative=STEPS,
    batching=_same_axis,
    cost=costs.copying,
    numpy="",
    array_api=("astype", adapters.cast),
    onnx="Cast",
    domain=lambda rng: [
        Sample((rng.uniform(-9, 9, (2, 3)),), {"dtype": "int64", "unit": None, "copy": True}),
    ],
)

primitive(
    "cast_truth",
    doc="Whether each element is not 0.",
    signature="x, /, *, copy=True",
    unit=any_to_mask,
    shape=shapes.unchanged,
    dtype=dtypes.boolean,
    derivative=STEPS,
    batching=_same_axis,
    cost=costs.copying,
    numpy="",
    array_api=("astype", adapters.cast_truth),
    onnx="Cast",
    domain=lambda rng: [Sample((rng.normal(size=(2, 3)).round(),), {"copy": True})],
)


@composite(
    array_api=("astype", None),
    domain=lambda rng: [
        Sample((rng.normal(size=(2, 3)),), {"dtype": "float32"}),
        Sample((rng.normal(size=(2, 3)),), {"dtype": "complex128"}),
        Sample((rng.normal(size=(2, 3)),), {"dtype": "bool"}),
    ],
)
def astype(x: Any, /, dtype: Any, *, unit: Any = None, copy: bool = True) -> Any:
    """With another dtype. To integers, say in which `unit`; truth values are plain."""
    kind, dtype = dtypes.kind(dtype), dtypes.named(dtype)
    if kind == "b":
        return ops.cast_truth(x, copy=copy)
    if kind in "fc":
        return ops.cast_floating(x, dtype=dtype, unit=unit, copy=copy)
    if kind not in "iu":
        raise NotANumber("astype", f"the dtype {dtype}")
    if unit is None and dtypes.kind_of(x) in "biu":
        unit = getattr(x, "unit", None)  # integers are not cut
    try:
        return ops.cast_discrete(x, dtype=dtype, unit=unit, copy=copy)
    except UnitChoiceError as error:
        raise UnitChoiceError("astype", error.unit) from None  # the name that it was called by
