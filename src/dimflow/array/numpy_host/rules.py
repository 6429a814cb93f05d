"""Functions of NumPy that are no ops of the table, by rules of its vocabulary.

Each is a record as in the table, with a signature, a unit rule and what it does with points;
NumPy's function does the work. None of them runs on another library's arrays.
"""

from typing import Any

from dimflow import ops
from dimflow.array.numpy_host.parts import refuse_traced
from dimflow.backends import backend_of
from dimflow.errors import UnitChoiceError, UnitError, UnsupportedFunction
from dimflow.ops import Op
from dimflow.ops.rules import points
from dimflow.ops.rules.dtypes import kind_of
from dimflow.ops.rules.units import (
    PURE,
    Call,
    Resolved,
    UnitRule,
    common,
    product,
    pure,
    pure_to_plain,
    pure_to_pure,
    same,
    to,
    unit_of,
    unit_rule,
)
from dimflow.ops.rules.values import refuse_cast
from dimflow.units.alike import are_alike


def _only_numpy(name: str) -> Any:
    def refuse(*args: Any, **params: Any) -> Any:
        for value in args:
            refuse_traced(getattr(value, "_raw", value), f"np.{name}")
        raise UnsupportedFunction(f"np.{name}", "it works on NumPy's own arrays only")

    return refuse


def refuses(op: Op) -> bool:
    """Whether a record has no definition, so that NumPy's own arrays are all that it works on."""
    return str(getattr(op.definition, "__qualname__", "")).startswith(_only_numpy.__name__)


def rule(name: str, signature: str, unit: UnitRule, **fields: Any) -> Op:
    """A record beside the table: how a function of NumPy treats units."""
    fields.setdefault("points", points.refuse)
    fields.setdefault("definition", _only_numpy(name))
    return Op(
        name.rpartition(".")[2],
        kind="composite",
        doc=f"NumPy's {name}.",
        family="numpy",
        signature=signature,
        domain=(),
        unit=unit,
        **fields,
    )


@unit_rule(params=True)
def _spaced(call: Call) -> Resolved:
    unit = common(call)
    refuse_cast(f"np.{call.op.name}", call.params["dtype"], (0.5,), unit)  # whatever the ends are
    return Resolved(to(call, unit), (unit, unit.delta) if call.params.get("retstep") else unit)


def between(
    start: Any,
    stop: Any,
    *,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """NumPy's linspace by ops, for ends that are being differentiated."""
    import numpy as np

    count = num - 1 if endpoint else num
    ndim = max(len(getattr(end, "shape", ())) for end in (start, stop))
    way = np.arange(num).reshape(num, *(1,) * ndim) / max(count, 1)
    made = ops.add(ops.multiply(start, 1 - way), ops.multiply(stop, way))
    made = made if axis == 0 else ops.moveaxis(made, source=0, destination=axis)
    made = made if dtype is None else ops.astype(made, dtype)
    return (made, ops.divide(ops.subtract(stop, start), count)) if retstep else made


@unit_rule
def _nan_to_num(call: Call) -> Resolved:
    """Infinities become the largest number of the dtype, which is another one in each unit."""
    unit = common(call)
    if unit.key is not PURE.key and None in call.units[2:]:
        raise UnitError(
            f"nan_to_num of {unit} would replace infinities by the largest float, in any unit",
            "say what they become: nan_to_num(x, posinf=np.inf, neginf=-np.inf) leaves them",
        )
    return Resolved(to(call, unit), unit)


def _replaced(x: Any, /, *, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """What nan_to_num gives, of real numbers."""
    import numpy as np

    kind = kind_of(x)
    if kind == "c":
        return _only_numpy("nan_to_num of complex numbers")(x)
    if kind != "f":
        return x
    largest = float(np.finfo(backend_of(x).numpy_dtype(x)).max)
    posinf = largest if posinf is None else posinf
    neginf = -largest if neginf is None else neginf
    x = ops.where(ops.isnan(x), nan, x)
    x = ops.where(ops.isinf(x) & (x > 0), posinf, x)
    return ops.where(ops.isinf(x) & (x < 0), neginf, x)


@unit_rule
def _nearly_real(call: Call) -> Resolved:
    """How small an imaginary part must be is told in steps of 1, of whatever unit."""
    unit = unit_of(call, 0)
    if unit.key is not PURE.key:
        error = UnitChoiceError("real_if_close", unit)
        name = repr(str(unit))
        error.hint = f"say in which: DimArray(np.real_if_close(x.to_value({name})), {name})"
        raise error
    return Resolved((None,), PURE)


def _real_already(x: Any, /) -> Any:
    """What real_if_close gives, of real numbers."""
    return _only_numpy("real_if_close of complex numbers")(x) if kind_of(x) == "c" else x


def _horner(p: Any, x: Any, /) -> Any:
    """What polyval gives, for coefficients whose number is known."""
    result = p[0] + 0 * x
    for i in range(1, p.shape[0]):
        result = result * x + p[i]
    return result


@unit_rule(params=True)
def _unique(call: Call) -> Resolved:
    asked = [call.params[f"return_{what}"] for what in ("index", "inverse", "counts")]
    unit = unit_of(call, 0)
    more = tuple(None for flag in asked if flag)
    return Resolved(to(call, unit), (unit, *more) if more else unit)


@unit_rule(params=True)
def _intersection(call: Call) -> Resolved:
    unit = common(call)
    return Resolved(to(call, unit), (unit, None, None) if call.params["return_indices"] else unit)


@unit_rule
def _roots(call: Call) -> Resolved:
    """Coefficients of one unit belong to powers of a pure number."""
    return Resolved(to(call, None), PURE)


@unit_rule
def _division(call: Call) -> Resolved:
    over, under = unit_of(call, 0), unit_of(call, 1)
    return Resolved((None, None), (over / under, over))


def _pure_variable(call: Call, index: int) -> None:
    """Powers of a quantity have a unit each, and one array has one unit."""
    unit = unit_of(call, index)
    if not are_alike(unit, PURE):
        raise UnsupportedFunction(
            f"np.{call.op.name} of powers of {unit}",
            "every coefficient would need a unit of its own, and an array has one",
            f"divide by a reference value first: x / Unit({str(unit)!r})",
        )


@unit_rule
def _polyval(call: Call) -> Resolved:
    _pure_variable(call, 1)
    return Resolved((None, PURE), unit_of(call, 0))


@unit_rule
def _polyval2d(call: Call) -> Resolved:
    _pure_variable(call, 0)
    _pure_variable(call, 1)
    return Resolved((PURE, PURE, None), unit_of(call, 2))


@unit_rule
def _powers(call: Call) -> Resolved:
    _pure_variable(call, 0)
    return Resolved((PURE,), PURE)


@unit_rule(params=True)
def _polyfit(call: Call) -> Resolved:
    _pure_variable(call, 0)
    fitted, weight = unit_of(call, 1), unit_of(call, 2)
    targets = (PURE, None, None)
    if call.params["full"]:
        return Resolved(targets, (fitted, (weight * fitted) ** 2, None, PURE, None))
    if not call.params["cov"]:
        return Resolved(targets, fitted)
    spread = weight**-2 if call.params["cov"] == "unscaled" else fitted**2
    return Resolved(targets, (fitted, spread))


@unit_rule
def _logn(call: Call) -> Resolved:
    pure(call, 0)
    pure(call, 1)
    return Resolved((PURE, PURE), PURE)


RULES: dict[str, Op] = {
    name: rule(name, signature, unit, **fields)
    for name, signature, unit, fields in (
        # evenly spaced
        (
            "linspace",
            "start, stop, /, *, num=50, endpoint=True, retstep=False, dtype=None, axis=0",
            _spaced,
            {"points": points.blend, "definition": between},
        ),
        ("geomspace", "start, stop, /, *, dtype=None", _spaced, {}),
        (
            "logspace",
            "start, stop, /, *, base=10.0",
            pure_to_pure,
            {"arrays": ("start", "stop", "base")},
        ),
        # numbers picked or replaced
        (
            "nan_to_num",
            "x, /, *, nan=0.0, posinf=None, neginf=None",
            _nan_to_num,
            {
                "arrays": ("x", "nan", "posinf", "neginf"),
                "points": points.keep,
                "definition": _replaced,
            },
        ),
        (
            "real_if_close",
            "x, /",
            _nearly_real,
            {"definition": _real_already},
        ),
        ("trim_zeros", "x, /", same, {}),
        ("sort_complex", "x, /", same, {"points": points.keep}),
        (
            "unique",
            "x, /, *, return_index=False, return_inverse=False, return_counts=False",
            _unique,
            {"points": points.keep},
        ),
        (
            "intersect1d",
            "x, y, /, *, return_indices=False",
            _intersection,
            {"points": points.keep},
        ),
        ("empty_like", "x, /", same, {"points": points.free}),
        ("lib.stride_tricks.sliding_window_view", "x, /", same, {"points": points.free}),
        # indices and bits
        ("ix_", "*args", pure_to_plain, {}),
        ("packbits", "x, /", pure_to_plain, {}),
        ("unpackbits", "x, /", pure_to_plain, {}),
        ("unravel_index", "indices, /", pure_to_plain, {}),
        # pure numbers
        ("i0", "x, /", pure_to_pure, {}),
        ("lib.scimath.logn", "n, x, /", _logn, {}),
        # polynomials, of a pure variable
        ("poly", "x, /", _powers, {}),
        ("polyadd", "x, y, /", same, {}),
        ("polysub", "x, y, /", same, {}),
        ("polymul", "x, y, /", product, {}),
        ("polydiv", "x, y, /", _division, {}),
        ("polyder", "x, /", same, {}),
        ("polyint", "x, /, *, k=None", same, {"arrays": ("x", "k")}),
        ("polyval", "p, x, /", _polyval, {"definition": _horner}),
        (
            "polyfit",
            "x, y, /, *, w=None, full=False, cov=False",
            _polyfit,
            {"arrays": ("x", "y", "w")},
        ),
        ("polynomial.polynomial.polyval2d", "x, y, c, /", _polyval2d, {}),
        ("polynomial.polynomial.polygrid2d", "x, y, c, /", _polyval2d, {}),
        ("roots", "p, /", _roots, {}),
        ("vander", "x, /", _powers, {}),
    )
}
