"""Fourier transforms. They are sums, so the unit stays; frequencies have 1 over that of the step.

Cotangents pair with results by the sum of products, without conjugation. The matrix of a complex
transform is symmetric, so such a transform is its own transpose. A real result pairs with a complex
argument by the real part of that sum, which is how the transpose of irfft is meant.
"""

from math import log2, prod
from typing import Any

import numpy as np

from dimflow import ops
from dimflow.errors import ShapeMismatch
from dimflow.ops.domain import Sample
from dimflow.ops.families.linalg.matrices import ndim
from dimflow.ops.record import Op
from dimflow.ops.rules import batching, costs, dtypes, points
from dimflow.ops.rules.costs import Work, moved
from dimflow.ops.rules.derivatives import Jvp, Linear
from dimflow.ops.rules.shapes import normalized, unchanged
from dimflow.ops.rules.transposition import shape_of
from dimflow.ops.rules.units import Call, Resolved, same, unit_of, unit_rule
from dimflow.ops.standard import adapters
from dimflow.ops.table import composite, primitive

# A real transform and its inverse share a matrix but for the factor in front.
_OTHER_WAY = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def _resized(x: Any, axis: int, length: int) -> Any:
    """An array cut or filled up with zeros at the end of an axis."""
    axis = normalized(axis, ndim(x))[0]
    present = shape_of(x)[axis]
    if present > length:
        return ops.index(x, key=(*[slice(None)] * axis, slice(length)))
    if present < length:
        widths = [(0, length - present if i == axis else 0) for i in range(ndim(x))]
        return ops.pad(x, widths)
    return x


def _half(n: int | None) -> int | None:
    return None if n is None else n // 2 + 1


def _full(n: int | None) -> int | None:
    return None if n is None else 2 * (n - 1)


def _same_length(n: int | None) -> int | None:
    return n


def _shape(of_length: Any, of_n: Any) -> Any:
    """The length along the axis: from the parameter n, or from the length that comes."""

    def shape(shapes: Any, params: Any) -> Any:
        axis = normalized(params["axis"], len(shapes[0]))[0]
        n = params["n"]
        if n is not None and n < 1:
            raise ShapeMismatch("a Fourier transform", "a length n of 1 or more", n)
        length = of_length(shapes[0][axis]) if n is None else of_n(n)
        if length == 0:
            raise ShapeMismatch("a Fourier transform", "one element or more", shapes[0][axis])
        return (*shapes[0][:axis], length, *shapes[0][axis + 1 :])

    return shape


def _dtype(name: str) -> Any:
    """What NumPy's transform makes of one element."""

    def dtype(given: Any, params: Any) -> Any:
        return getattr(np.fft, name)(np.ones(2, dtypes.result_type(given))).dtype

    return dtype


def _cost(shapes: Any, results: Any, params: Any) -> Work:
    """5 n log2(n) for each transform (Frigo and Johnson's count), half of it for real numbers."""
    axis = normalized(params["axis"], len(shapes[0]))[0]
    n = max(shapes[0][axis], results[0][axis], 1)
    count = prod(shapes[0]) // max(shapes[0][axis], 1)
    return Work(int(5 * n * log2(n)) * count, moved(shapes, results))


def _samples(*kinds: str) -> Any:
    """Real or complex arrays, cut and filled up, along several axes, in every norm."""

    def draw(rng: Any, shape: tuple[int, ...], kind: str) -> Any:
        x = rng.normal(size=shape)
        return x + 1j * rng.normal(size=shape) if kind == "complex" else x

    def domain(rng: Any) -> list[Sample]:
        calls: list[tuple[tuple[int, ...], dict[str, Any]]] = [
            ((6,), {}),
            ((3, 5), {"axis": 0}),
            ((3, 5), {"n": 4, "norm": "ortho"}),
            ((5, 2), {"n": 9, "axis": -2, "norm": "forward"}),
            ((2, 7), {"n": 6, "norm": "backward"}),
        ]
        return [Sample((draw(rng, s, kind),), params) for kind in kinds for s, params in calls]

    return domain


def _transform(name: str, doc: str, transpose: Any, shape: Any, domain: Any) -> Op:
    def back(ct: Any, args: Any, params: Any) -> Any:
        length = shape_of(args[0])[params["axis"]]
        return (_resized(transpose(ct, params, length), params["axis"], length),)

    return primitive(
        name,
        doc=doc,
        signature="x, /, n=None, axis=-1, norm=None",
        namespace="fft",
        numpy=f"fft.{name}",
        array_api=(f"fft.{name}", adapters.fourier(name)),
        unit=same,
        shape=shape,
        dtype=_dtype(name),
        derivative=Linear(back),
        batching=batching.along_axis,
        cost=_cost,
        domain=domain,
    )


def _rfft_transpose(ct: Any, params: Any, length: int) -> Any:
    """Of all frequencies, those that rfft leaves out have no cotangent."""
    n = params["n"] or length
    full = _resized(ct, params["axis"], n)
    return ops.fft(full, n=n, axis=params["axis"], norm=params["norm"])


def _irfft_transpose(ct: Any, params: Any, length: int) -> Any:
    """A frequency stands for its mirror image too, but for zero and the highest of an even n."""
    axis = normalized(params["axis"], ndim(ct))[0]
    n = shape_of(ct)[axis]
    back = ops.conj(ops.rfft(ct, n=n, axis=axis, norm=_OTHER_WAY[params["norm"]]))
    count = np.full(n // 2 + 1, 2, np.int8)
    count[0] = 1
    if n % 2 == 0:
        count[-1] = 1
    return ops.multiply(back, count.reshape(-1, *([1] * (ndim(back) - axis - 1))))


_transform(
    "fft",
    "The discrete Fourier transform along an axis.",
    lambda ct, params, length: ops.fft(ct, axis=params["axis"], norm=params["norm"]),
    _shape(_same_length, _same_length),
    _samples("real", "complex"),
)
_transform(
    "ifft",
    "The inverse of fft.",
    lambda ct, params, length: ops.ifft(ct, axis=params["axis"], norm=params["norm"]),
    _shape(_same_length, _same_length),
    _samples("real", "complex"),
)
_transform(
    "rfft",
    "The discrete Fourier transform of real numbers: frequencies from zero up.",
    _rfft_transpose,
    _shape(_half, _half),
    _samples("real"),
)
_transform(
    "irfft",
    "The inverse of rfft; `n` is the length of the result, by default an even one.",
    _irfft_transpose,
    _shape(_full, _same_length),
    _samples("complex"),
)


@composite(
    numpy="fft.hfft",
    array_api=("fft.hfft", adapters.fourier("hfft")),
    namespace="fft",
    unit=same,
    points=points.refuse,
    domain=_samples("complex"),
)
def hfft(x: Any, /, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """The transform of a signal with Hermitian symmetry, given by its half: real numbers."""
    return ops.irfft(ops.conj(x), n=n, axis=axis, norm=_OTHER_WAY[norm])


@composite(
    numpy="fft.ihfft",
    array_api=("fft.ihfft", adapters.fourier("ihfft")),
    namespace="fft",
    unit=same,
    points=points.refuse,
    domain=_samples("real"),
)
def ihfft(x: Any, /, n: int | None = None, axis: int = -1, norm: str | None = None) -> Any:
    """The inverse of hfft."""
    return ops.conj(ops.rfft(x, n=n, axis=axis, norm=_OTHER_WAY[norm]))


# Several axes: one after the other


def _plan(x: Any, s: Any, axes: Any) -> list[tuple[int, int | None]]:
    """Each axis and the length of its transform, as NumPy reads `s` and `axes`."""
    if axes is None:
        axes = tuple(range(ndim(x) - (ndim(x) if s is None else len(s)), ndim(x)))
    lengths = (None,) * len(axes) if s is None else tuple(s)
    if len(lengths) != len(axes):
        raise ShapeMismatch("a Fourier transform", f"{len(axes)} lengths", lengths)
    return [(a, None if n == -1 else n) for a, n in zip(axes, lengths, strict=True)]


def _each(op: str, x: Any, plan: list[tuple[int, int | None]], norm: Any) -> Any:
    for axis, n in reversed(plan):
        x = ops.get(op)(x, n=n, axis=axis, norm=norm)
    return x


def _several(name: str, parts: Any, doc: str, axes: Any, kind: str) -> Op:
    """A transform along several axes, from those along one."""

    def definition(x: Any, /, s: Any = None, axes: Any = axes, norm: str | None = None) -> Any:
        return parts(x, _plan(x, s, axes), norm)

    definition.__name__, definition.__doc__ = name, doc

    def domain(rng: Any) -> list[Sample]:
        x = rng.normal(size=(3, 4, 5))
        x = x + 1j * rng.normal(size=x.shape) if kind == "complex" else x
        return [
            Sample((x,)),
            Sample((x,), {"axes": (2, 0), "norm": "ortho"}),
            Sample((x,), {"s": (6, 3), "axes": (0, 1), "norm": "forward"}),
        ]

    declare = composite(
        numpy=f"fft.{name}",
        array_api=None
        if name.endswith("2")
        else (f"fft.{name}", adapters.fourier_in_several(name)),
        namespace="fft",
        unit=same,
        points=points.refuse,
        domain=domain,
    )
    return declare(definition)


def _forward(x: Any, plan: Any, norm: Any) -> Any:
    return _each("fft", x, plan, norm)


def _inverse(x: Any, plan: Any, norm: Any) -> Any:
    return _each("ifft", x, plan, norm)


def _real_forward(x: Any, plan: Any, norm: Any) -> Any:
    return _each("fft", _each("rfft", x, plan[-1:], norm), plan[:-1], norm)


def _real_inverse(x: Any, plan: Any, norm: Any) -> Any:
    return _each("irfft", _each("ifft", x, plan[:-1], norm), plan[-1:], norm)


for _names, _axes, _where in (
    (("fft2", "ifft2", "rfft2", "irfft2"), (-2, -1), "two axes"),
    (("fftn", "ifftn", "rfftn", "irfftn"), None, "several axes"),
):
    _several(_names[0], _forward, f"fft along {_where}.", _axes, "complex")
    _several(_names[1], _inverse, f"ifft along {_where}.", _axes, "complex")
    _several(
        _names[2], _real_forward, f"rfft along the last of {_where}, fft the others.", _axes, "real"
    )
    _several(_names[3], _real_inverse, f"The inverse of {_names[2]}.", _axes, "complex")


# Frequencies


@unit_rule
def _per_step(call: Call) -> Resolved:
    return Resolved((None,), unit_of(call, 0) ** -1)


def _frequencies(name: str, doc: str, length: Any) -> Op:
    def shape(shapes: Any, params: Any) -> Any:
        if shapes[0]:
            raise ShapeMismatch(name, "a step of no axes", shapes[0])
        return (length(params["n"]),)

    def batch(op: Op, args: Any, dims: Any, params: Any) -> Any:
        return ops.divide(op.run((1.0,), params), args[0][:, None]), 0

    return primitive(
        name,
        doc=doc,
        signature="n, d=1.0",
        arrays=("d",),
        namespace="fft",
        numpy=f"fft.{name}",
        array_api=(f"fft.{name}", None),
        definition=_counted(name),
        unit=_per_step,
        shape=shape,
        dtype=_frequency_dtype,
        derivative=Jvp(lambda tangents, out, args, params: -out * (tangents[0] / args[0])),
        batching=batch,
        cost=costs.per_output(1),
        domain=lambda rng: [Sample((np.asarray(rng.uniform(0.5, 2.0)),), {"n": n}) for n in (5, 6)],
    )


def _counted(name: str) -> Any:
    """The frequencies as multiples of the lowest one."""

    def definition(n: int, d: Any = 1.0) -> Any:
        whole = (
            np.arange(n // 2 + 1)
            if name == "rfftfreq"
            else np.fft.ifftshift(np.arange(-(n // 2), n - n // 2))
        )
        return ops.multiply(whole, ops.divide(1.0, ops.multiply(d, n)))

    return definition


def _frequency_dtype(given: Any, params: Any) -> Any:
    return np.fft.fftfreq(1, dtypes.result_type(given).type(1)).dtype


_frequencies(
    "fftfreq", "The frequencies of fft's results, for samples a step d apart.", _same_length
)
_frequencies("rfftfreq", "The frequencies of rfft's results, for samples a step d apart.", _half)


def _shift_batch(op: Op, args: Any, dims: Any, params: Any) -> Any:
    x = batching.to_front(args[0], dims[0])
    axes = tuple(a + 1 for a in normalized(params["axes"], ndim(x) - 1))
    return op.run((x,), {**params, "axes": axes}), 0


for _name, _back, _doc in (
    ("fftshift", "ifftshift", "Frequency zero in the middle."),
    ("ifftshift", "fftshift", "The inverse of fftshift."),
):
    primitive(
        _name,
        doc=_doc,
        signature="x, /, axes=None",
        namespace="fft",
        numpy=f"fft.{_name}",
        array_api=f"fft.{_name}",
        unit=same,
        points=points.keep,
        shape=unchanged,
        dtype=dtypes.first,
        laws=(f"inverse:{_back}",),
        derivative=Linear(
            lambda ct, args, params, back=_back: (ops.get(back)(ct, axes=params["axes"]),)
        ),
        batching=_shift_batch,
        cost=costs.copying,
        domain=lambda rng: [
            Sample((rng.normal(size=5),)),
            Sample((rng.normal(size=(3, 4)),), {"axes": 0}),
            Sample((rng.normal(size=(3, 4)),), {"axes": (0, 1)}),
        ],
    )
