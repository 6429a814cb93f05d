"""A number read out of what is being differentiated: its derivative is kept, or it is an error.

The law takes every attribute that an array has, Python's functions, and functions of the libraries
that make numbers or arrays of others, as bystanders too: f(x) = read(x) * x.
"""

import array
import copy
import math
import operator
import pickle
import statistics
import struct
import warnings
from collections.abc import Callable, Iterator
from typing import Any
from zlib import crc32

import jax
import jax.numpy as jnp
import mlx.core as mx
import numpy as np
import pytest
import scipy.special
import torch
from torch.nn import functional

import dimflow
import dimflow.jax
import dimflow.mlx
import dimflow.torch
from dimflow import DimArray
from dimflow import units as u
from dimflow.errors import DimflowError, TracedValueError, UnitError
from tests.contract.samples import DAY, DEEP
from tests.transforms.libraries import MAKERS, each_engine

AT, STEP = 1.375, 2.0**-6  # both exact in float32
Read = Callable[[Any], Any]

# What every object of Python has, what makes arrays of nothing, and text, which is to be read
_NO_READS = {
    *("__class__", "__class_getitem__", "__delattr__", "__getattribute__", "__init__", "__new__"),
    *("__init_subclass__", "__setattr__", "__subclasshook__", "__dict__", "__weakref__", "__dir__"),
    *("__array_function__", "__array_ufunc__", "__torch_function__", "__setstate__", "__sizeof__"),
    *("__doc__", "__module__", "__annotations__", "__slots__", "__getstate__", "__reduce__"),
    *("load", "from_dict", "save", "share_memory_", "__format__", "__str__", "__repr__"),
}
# What says of itself that no derivative goes through it, or is a matter of leaves
_CUT = {
    *("detach", "detach_", "is_leaf", "requires_grad", "requires_grad_", "backward"),
    *("retain_grad", "grad", "grad_fn"),
}
_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "__reduce_ex__": (5,),
    "__getitem__": ((),),
    "astype": ("float64",),
    "in_system": ("cgs",),
    "m_as": ("",),
    "repeat": (2,),
    "reshape": (1,),
    "to": ("",),
    "to_backend": ("numpy",),
    "to_device": ("cpu",),
    "to_value": ("",),
}


def attributes(kind: type) -> Iterator[tuple[str, Read]]:
    """Every public attribute and protocol of a class, read or called."""
    for name in dir(kind):
        if name in _NO_READS | _CUT or (name[0] == "_" and name[:2] != "__"):
            continue

        def read(x: Any, name: str = name) -> Any:
            found = getattr(x, name)
            return found(*_ARGUMENTS.get(name, ())) if callable(found) else found

        yield f".{name}", read


def _raw(x: Any) -> Any:
    return x.data if isinstance(x, DimArray) else x


def _written(x: Any) -> Any:
    y = np.zeros(2)
    y[0] = x
    return y


def _added(x: Any) -> Any:
    y = np.zeros(2)
    np.add.at(y, [0], x)
    return y


def _put(x: Any) -> Any:
    y = np.zeros(2)
    np.put(y, 0, x)
    return y


def _stored(x: Any) -> Any:
    y = torch.zeros(2)
    y[0] = _raw(x)
    return y


METRES = DimArray(2.0, "m")
_MASK, _FIRST = torch.tensor([True, False]), torch.tensor([0])


def _pair_of(x: Any) -> Any:
    """Two numbers of PyTorch's, in the unit of x."""
    pair = torch.tensor([1.0, 3.0], dtype=torch.float64)
    return DimArray(pair, x.unit) if isinstance(x, DimArray) else pair


# Where functions of PyTorch take a number: beside quantities, a quantity
_NUMBERS: dict[str, Read] = {
    "full_like": lambda x: torch.full_like(_pair_of(x), x),
    "masked_fill": lambda x: torch.masked_fill(_pair_of(x), _MASK, x),
    "index_fill": lambda x: torch.index_fill(_pair_of(x), 0, _FIRST, x),
    "fill_": lambda x: torch.zeros_like(_pair_of(x)).fill_(x),
    "scatter": lambda x: torch.scatter(_pair_of(x), 0, _FIRST, x),
    "pad": lambda x: functional.pad(_pair_of(x), (1, 1), value=x),
    "threshold": lambda x: functional.threshold(_pair_of(x), 2 * _pair_of(x)[0], x),
    "clamp": lambda x: torch.clamp(5 * _pair_of(x), max=x),
    "dx=": lambda x: torch.trapezoid(_pair_of(x), dx=x),
    "spacing=": lambda x: torch.gradient(_pair_of(x), spacing=x),
    "nan=": lambda x: torch.nan_to_num(_pair_of(x) * math.nan, nan=x, posinf=9 * x, neginf=9 * x),
    "delta=": lambda x: functional.huber_loss(8 * _pair_of(x), _pair_of(x), delta=x),
    "beta=": lambda x: functional.smooth_l1_loss(1.2 * _pair_of(x), _pair_of(x), beta=x),
    "margin=": lambda x: functional.triplet_margin_loss(*[_pair_of(x)[None]] * 3, margin=x),
    "eps=": lambda x: functional.normalize(0.1 * _pair_of(x), dim=0, eps=x),
    "maxnorm=": lambda x: torch.renorm(9 * _pair_of(x)[None], 2, 0, x),
    "alpha=": lambda x: torch.add(_pair_of(x), _pair_of(x), alpha=x / _one(x)),
    "value=": lambda x: torch.addcmul(_pair_of(x), _pair_of(x), _MASK * 1.0, value=x / _one(x)),
    "beta= of addmm": lambda x: torch.addmm(*[torch.eye(2).double()] * 3, beta=x / _one(x)),
    "slope": lambda x: functional.leaky_relu(-_pair_of(x), x / _one(x)),
    "alpha of elu": lambda x: functional.elu(-_pair_of(x / _one(x)), x / _one(x)),
    "max_val": lambda x: functional.hardtanh(5 * _pair_of(x / _one(x)), -1.0, x / _one(x)),
}
FUNCTIONS: dict[str, Read] = {
    **{f"{name} beside quantities": read for name, read in _NUMBERS.items()},
    "float": float,
    "int": int,
    "complex": complex,
    "bool": bool,
    "index": operator.index,
    "round": round,
    "round to a digit": lambda x: round(x, 1),
    "max": lambda x: max(x, 1.0),
    "range": lambda x: sum(range(int(x) + 2)),
    "branch": lambda x: x if x > 1 else -x,
    "math.sin": math.sin,
    "math.floor": math.floor,
    "math.fsum": lambda x: math.fsum([x, x]),
    "fmean": lambda x: statistics.fmean([x, x]),
    "whole": lambda x: x.astype("int32", unit=str(x.unit)),
    "small and whole": lambda x: x.astype("int8", unit=str(x.unit)).astype("float32"),
    "true": lambda x: x.astype("bool", unit=str(x.unit)),
    "array.array": lambda x: array.array("d", [x])[0],
    "struct": lambda x: struct.unpack("d", struct.pack("d", x))[0],
    "copy": copy.copy,
    "copy of numbers": lambda x: copy.copy(_raw(x)),
    "deepcopy": copy.deepcopy,
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
    "x ** n": lambda x: METRES**x,
    "y ** x": lambda x: (x * METRES) ** x,
    "np.power": lambda x: np.power(METRES, x),
    "dimflow.pow": lambda x: dimflow.pow(METRES, x),
    "np.sin": np.sin,
    "np.add": lambda x: np.add(x, 1.0),
    "np.exp sum": lambda x: np.sum(np.exp(x)),
    "np.asarray": np.asarray,
    "np.asarray float": lambda x: np.asarray(x, dtype=float),
    "np.array of a list": lambda x: np.array([x, x]),
    "np.asanyarray": np.asanyarray,
    "np.ascontiguousarray": np.ascontiguousarray,
    "np.float64": np.float64,
    "np.fromiter": lambda x: np.fromiter([x], float),
    "np.from_dlpack": np.from_dlpack,
    "np.full": lambda x: np.full(2, x),
    "np.linspace": lambda x: np.linspace(0, x, 3),
    "np.arange": lambda x: np.arange(0, x, 1.0),
    "np.vectorize": lambda x: np.vectorize(lambda v: float(v) * 2)(x),
    "np.frompyfunc": lambda x: np.frompyfunc(float, 1, 1)(x),
    "np.dot of a list": lambda x: np.dot([1.0, 2.0], [x, x]),
    "np.nditer": lambda x: next(np.nditer(x)),
    "y[0] = x": _written,
    "np.put": _put,
    "np.add.at": _added,
    "a ufunc of SciPy's": scipy.special.erf,
    "torch.tensor": torch.tensor,
    "torch.tensor of a list of quantities": lambda x: torch.tensor([x, x]),
    "torch.tensor of a list": lambda x: torch.tensor([_raw(x), _raw(x)]),
    "torch.as_tensor": torch.as_tensor,
    "torch.as_tensor of a list": lambda x: torch.as_tensor([_raw(x), _raw(x)]),
    "torch.asarray": torch.asarray,
    "new_tensor": lambda x: torch.zeros(2).new_tensor([_raw(x), 1.0]),
    "torch.from_dlpack": torch.from_dlpack,
    "torch.full": lambda x: torch.full((2,), _raw(x)),
    "new_full": lambda x: torch.ones(2).new_full((2,), _raw(x)),
    "torch.full_like": lambda x: torch.full_like(torch.ones(2), _raw(x)),
    "torch.arange": lambda x: torch.arange(0, _raw(x), 0.5),
    "torch.linspace": lambda x: torch.linspace(0, _raw(x), 3),
    "torch.logspace": lambda x: torch.logspace(0, _raw(x), 3),
    "fill_": lambda x: torch.ones(2).fill_(_raw(x)),
    "masked_fill": lambda x: torch.ones(2).masked_fill(torch.tensor([True, False]), _raw(x)),
    "alpha=": lambda x: torch.add(torch.ones(2), torch.ones(2), alpha=_raw(x)),
    "value=": lambda x: torch.addcmul(torch.ones(2), torch.ones(2), torch.ones(2), value=_raw(x)),
    "leaky_relu": lambda x: functional.leaky_relu(-torch.ones(2), _raw(x)),
    "elu": lambda x: functional.elu(-torch.ones(2), alpha=_raw(x)),
    "hardtanh": lambda x: functional.hardtanh(5 * torch.ones(2), -1.0, _raw(x)),
    "pad": lambda x: functional.pad(torch.ones(2), (1, 1), value=_raw(x)),
    "clamp": lambda x: torch.clamp(5 * torch.ones(2), max=_raw(x)),
    "pow of a number": lambda x: torch.pow(2.0, _raw(x)),
    "y[0] = x of a tensor": _stored,
    "jnp.asarray": jnp.asarray,
    "jnp.array of a list": lambda x: jnp.array([_raw(x), _raw(x)]),
    "jnp.from_dlpack": jnp.from_dlpack,
    "jax.device_get": jax.device_get,
    "mx.array": mx.array,
    "mx.array of a list": lambda x: mx.array([_raw(x), _raw(x)]),
    "DimArray": DimArray,
    "DimArray of numbers": lambda x: DimArray(_raw(x), "m"),
    "DimArray of a list": lambda x: DimArray([_raw(x), 2.0], "m"),
    "DimArray of a nested list": lambda x: DimArray([[_raw(x)], [_raw(x) * 2]], "m"),
    "a list in a unit": lambda x: (_raw(x), _raw(x)) * u.m,
    "DimArray of a float": lambda x: DimArray(float(x), "m"),
    "float of numbers": lambda x: float(_raw(x)),
    "item of numbers": lambda x: _raw(x).item(),
    "asarray of numbers": lambda x: np.asarray(_raw(x)),
    "item, then the library": lambda x: x.item() * _library_sine(_raw(x)),
    "the library, then item": lambda x: _library_sine(_raw(x)) * x.item(),
    "branch and the library": lambda x: _library_sine(_raw(x)) if x > 1 else x,
    # within functions that take functions
    "fori_loop": lambda x: dimflow.fori_loop(0, 2, lambda _, c: c * c.item(), x),
    "scan": lambda x: dimflow.scan(lambda c, _: (c * c.item(), c), x, None, length=2)[0],
    "while_loop": lambda x: dimflow.while_loop(
        lambda c: bool(c < 3 * _one(x)), lambda c: c * (1 + c.item()), x
    ),
    "cond": lambda x: dimflow.cond(x > 0 * x, lambda x: x * x.item(), lambda x: x, x),
    "switch": lambda x: dimflow.switch(0, [lambda x: x * x.item()], x),
    "map": lambda x: dimflow.map(lambda y: y * y.item(), dimflow.stack([x, x])),
    "checkpoint": lambda x: dimflow.checkpoint(lambda x: x * x.item())(x),
    "checked": lambda x: dimflow.checked(lambda x: x * x.item())(x),
    "an inner derivative": lambda x: dimflow.grad(lambda y: y * y * x.item())(x),
    "an inner jvp": lambda x: dimflow.jvp(lambda y: y * y * x.item(), (x,), (_one(x),))[1],
    "closed over": lambda x: dimflow.fori_loop(0, 2, lambda _, c: c * x.item(), x),
    "argmax of histogram": lambda x: x * np.histogram(dimflow.stack([x, x]), bins=2)[0].sum(),
}
_SINES = {torch.Tensor: torch.sin, jax.Array: jnp.sin, mx.array: mx.sin, np.ndarray: np.sin}


def _library_sine(raw: Any) -> Any:
    """That of the library whose array it is."""
    return next((sine for kind, sine in _SINES.items() if isinstance(raw, kind)), np.sin)(raw)


def reads_of(library: str, unit: str | None) -> dict[str, Read]:
    raw = MAKERS[library](AT)
    if unit is not None:
        return {**FUNCTIONS, **dict(attributes(type(DimArray(raw, unit))))}
    return {**FUNCTIONS, **{n: r for n, r in attributes(type(raw)) if n in _BARE}}


_BARE = {
    *(".item", ".tolist", ".numpy", ".__array__", ".__float__", ".__int__", ".__bool__"),
    *(".__index__", ".__complex__", ".__dlpack__", ".__deepcopy__"),
}


# Of what was read, a number that depends on x as it does


def parts(value: Any) -> list[Any]:
    """The numbers in whatever a read gave; none in what holds none."""
    if isinstance(value, DimArray):
        return [] if value.unit.law else [value / DimArray(1.0, value.unit)]
    if isinstance(value, (str, bytes, type, type(None))):
        return []
    if isinstance(value, (bool, int, float, complex)):
        return [float(value.real)]
    if isinstance(value, dict):
        return parts(list(value.values()))
    if isinstance(value, (tuple, list)) or hasattr(value, "__next__"):
        return [number for part in value for number in parts(part)]
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return [float(value) if value.dtype == bool else value]
    name = next((n for n in ("magnitude", "values", "value") if hasattr(value, n)), None)
    return [] if name is None else parts(getattr(value, name))


def program(read: Read, unit: str | None) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        total: Any = 0.0
        found = parts(read(x))
        if not found:
            raise LookupError("nothing to differentiate")
        for part in found:
            total = total + (part.sum() if getattr(part, "ndim", 0) else part)
        result = total * (x if unit is None else x / DimArray(1.0, unit))
        return result.sum() if getattr(result, "ndim", 0) else result

    return function


def number(value: Any) -> float:
    if isinstance(value, (DimArray, torch.Tensor)):
        value = value.detach()
    if isinstance(value, DimArray):
        value = value.to_numpy()
    return float(np.asarray(value).reshape(()))


# Ways to differentiate


def _by_tape(function: Read, x: Any, engine: str | None) -> Any:
    with dimflow.GradientTape(engine=engine) as tape:
        x = tape.watch(x)
        result = function(x)
    return tape.gradient(result, x)


def _one(x: Any) -> Any:
    """A tangent of one, in the unit of x."""
    return DimArray(x.data * 0 + 1, x.unit) if isinstance(x, DimArray) else x * 0 + 1


def _by_hessian(function: Read, x: Any, engine: str | None) -> Any:
    return dimflow.grad(dimflow.grad(function, engine=engine), engine=engine)(x)


WAYS: dict[str, Callable[[Read, Any, str | None], Any]] = {
    "grad": lambda f, x, e: dimflow.grad(f, engine=e)(x),
    "jvp": lambda f, x, e: dimflow.jvp(f, (x,), (_one(x),), engine=e)[1],
    "vjp": lambda f, x, e: dimflow.vjp(f, x, engine=e)[1](1.0)[0],
    "linearize": lambda f, x, e: dimflow.linearize(f, x, engine=e)[1](_one(x)),
    "jacobian": lambda f, x, e: dimflow.jacobian(f, engine=e)(x),
    "tape": _by_tape,
    "vmap": lambda f, x, e: dimflow.vmap(dimflow.grad(f, engine=e), engine=e)(
        dimflow.stack([x, x])
    )[0],
    "hessian": _by_hessian,
}

# Those of `dimflow.torch`, which run PyTorch's own transforms
PYTORCH_WAYS: dict[str, Callable[[Read, Any, str | None], Any]] = {
    "dt.grad": lambda f, x, _: dimflow.torch.grad(f)(x),
    "dt.grad_and_value": lambda f, x, _: dimflow.torch.grad_and_value(f)(x)[0],
    "dt.vjp": lambda f, x, _: dimflow.torch.vjp(f, x)[1](torch.ones(()).double())[0],
    "dt.jvp": lambda f, x, _: dimflow.torch.jvp(f, (x,), (_one(x),))[1],
    "dt.jacrev": lambda f, x, _: dimflow.torch.jacrev(f)(x),
    "dt.jacfwd": lambda f, x, _: dimflow.torch.jacfwd(f)(x),
    "dt.jacrev under vmap": lambda f, x, _: torch.func.vmap(dimflow.torch.jacrev(f))(x[None])[0],
    "dt.jacfwd under vmap": lambda f, x, _: torch.func.vmap(dimflow.torch.jacfwd(f))(x[None])[0],
    "dt.hessian": lambda f, x, _: dimflow.torch.hessian(f)(x),
    "dt.jacfwd twice, hessian": lambda f, x, _: dimflow.torch.jacfwd(dimflow.torch.jacfwd(f))(x),
    "dt.jacrev twice, hessian": lambda f, x, _: dimflow.torch.jacrev(dimflow.torch.jacrev(f))(x),
}
_ALL_WAYS = {**WAYS, **PYTORCH_WAYS}


def outcome(library: str, engine: str | None, way: str, unit: str | None, read: Read) -> Any:
    """The derivative and what it should be; or the error; None for what no number comes of."""

    def at(value: float) -> Any:
        raw = MAKERS[library](value)
        return raw if unit is None else DimArray(raw, unit)

    function = program(read, unit)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            after, now, before = (number(function(at(AT + k * STEP))) for k in (1, 0, -1))
    except Exception:
        return None
    wanted = (after - before) / (2 * STEP)
    if way.endswith("hessian"):
        wanted = (after - 2 * now + before) / STEP**2
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return number(_ALL_WAYS[way](function, at(AT), engine)), wanted
    except Exception as error:
        return error


# PyTorch's own: what its users know to leave the record, and what it says no word of
_PYTORCH = {
    ("pickle", "tape"): "a pickle of a leaf is a leaf of its own",
    (".__reduce_ex__", "tape"): "the same",
    ("copy", "tape"): "the same, for a bare tensor",
    ("asarray of numbers", "tape"): "x.data of a bare tensor is PyTorch's x.detach()",
}
_OF_BARE = ("of numbers",)  # x.data of a bare tensor is PyTorch's x.detach()


def is_known(library: str, engine: str | None, way: str, unit: str | None, name: str) -> bool:
    if engine == "own":
        return False
    if library == "torch" and unit is None and name.endswith(_OF_BARE):
        return True
    return library == "torch" and (name, way) in _PYTORCH


def lost_by(library: str, engine: str | None, way: str, unit: str | None) -> dict[str, Any]:
    lost = {}
    for name, read in reads_of(library, unit).items():
        found = outcome(library, engine, way, unit, read)
        if isinstance(found, tuple) and not is_known(library, engine, way, unit, name):
            got, wanted = found
            if abs(got - wanted) > 2e-2 * max(1.0, abs(wanted)):
                lost[name] = found
    return lost


UNITS = (None, "", "m")


def of_today(*names: str | None) -> tuple[str | None, ...]:
    """All in the deep run; else the one whose turn it is."""
    return UNITS if DEEP else (UNITS[(crc32(repr(names).encode()) + DAY) % len(UNITS)],)


@pytest.mark.share(3)
@pytest.mark.parametrize("way", WAYS)
@each_engine
def test_a_read_keeps_the_derivative_or_is_refused(
    library: str, engine: str | None, way: str
) -> None:
    for unit in of_today(library, engine, way):
        assert not lost_by(library, engine, way, unit), unit


@pytest.mark.parametrize("way", PYTORCH_WAYS)
def test_so_it_is_in_the_transforms_of_dimflow_torch(way: str) -> None:
    for unit in of_today(way):
        assert not lost_by("torch", None, way, unit), unit


# So that the law is not kept by refusing

KEPT = {
    *(".data", ".magnitude", ".to_value", ".copy", ".__copy__", ".flat", ".sum", ".T", ".astype"),
    *("copy", "DimArray", "max", "branch", "int", "round", "range", "np.sin", "np.add"),
    *("DimArray of a list", "DimArray of a nested list", "a list in a unit"),
    *("np.exp sum", "DimArray of numbers", "bool", ".__int__", ".round"),
}
REFUSED = {
    "float": "float",
    "complex": "complex",
    "math.sin": "float",
    ".item": "item",
    ".tolist": "tolist",
    "np.asarray": "asarray",
    "y[0] = x": "float",
    "np.full": "asarray",
    "float of numbers": "float",
    "item of numbers": "item",
    "the library, then item": "item|numbers out",
    "DimArray of a float": "float",
}


@each_engine
def test_what_keeps_the_derivative_and_what_is_refused(library: str, engine: str | None) -> None:
    reads = reads_of(library, "")
    for name in sorted(KEPT & set(reads)):
        found = outcome(library, engine, "grad", "", reads[name])
        if found is None and library == "array_api_strict":  # its arrays meet nothing else
            continue
        assert isinstance(found, tuple), (name, found)
    for name, word in REFUSED.items():
        found = outcome(library, engine, "grad", "", reads[name])
        if found is None and library == "array_api_strict":
            continue
        assert isinstance(found, TracedValueError), (name, found)
        assert any(w in str(found) for w in word.split("|")), name
        assert found.hint


# What libraries say before they ask us, of a tensor or an array where they want a number
_FOREIGN = ("must be Number", "must be float", "invalid combination", "Invalid type dimflow")


@each_engine
def test_whatever_is_refused_is_refused_by_us(library: str, engine: str | None) -> None:
    for name, read in reads_of(library, "").items():
        found = outcome(library, engine, "grad", "", read)
        if not isinstance(found, Exception) or isinstance(found, AttributeError):
            continue
        if not any(text in str(found) for text in _FOREIGN):
            assert isinstance(found, DimflowError), (name, found)
            assert "detach" not in str(found), name


@each_engine
@pytest.mark.parametrize("read", [float, lambda x: struct.pack("d", x), lambda x: x.item()])
def test_who_catches_the_error_gets_no_number(library: str, engine: str | None, read: Read) -> None:
    got = []

    def function(x: Any) -> Any:
        try:
            got.append(read(x))
        except Exception:
            return x * x
        return x * 0

    x = DimArray(MAKERS[library](AT), "")
    assert number(dimflow.grad(function, engine=engine)(x)) == pytest.approx(2 * AT)
    assert not got


def test_somebodys_own_error_stays() -> None:
    def function(x: Any) -> Any:
        try:
            float(x)
        except TypeError:
            raise KeyError("mine") from None
        return x

    def looked_up(x: Any) -> Any:
        return {}[f"{x}"] if repr(x) else x

    for each in (function, looked_up):
        with pytest.raises(KeyError):
            dimflow.grad(each)(DimArray(AT, ""))


def test_a_tensor_that_requires_grad_may_be_detached() -> None:
    x = DimArray(torch.tensor(2.0), "m").requires_grad_()
    for read in (lambda x: x.to_numpy(), lambda x: x.to_dict(), lambda x: x.to_compact()):
        with pytest.raises(UnitError, match=r"detach it first"):
            read(x)
        with pytest.raises(TracedValueError, match=r"stop_gradient"):
            dimflow.grad(lambda x: read(x) and x)(x.detach())  # noqa: B023


@pytest.mark.parametrize("library", ["torch", "jax", "mlx"])
def test_a_constant_may_be_read(library: str) -> None:
    make = MAKERS[library]
    y = DimArray(make(2.0), "m")

    def function(x: Any) -> Any:
        fixed = dimflow.stop_gradient(x / u.m).item()
        return x * y.item() * fixed * (METRES ** (y / u.m) / METRES**2).data

    got = dimflow.grad(function)(DimArray(make(3.0), "m"))
    assert number(got) == pytest.approx(6.0)


def test_an_exponent_that_backward_would_miss_is_refused() -> None:
    n = DimArray(torch.tensor(2.0), "").requires_grad_()
    with pytest.raises(TracedValueError, match=r"the n of x \*\* n"):
        METRES**n
    assert (METRES ** n.detach()).unit == u.m**2
    with torch.no_grad():
        assert (METRES**n).unit == u.m**2


@pytest.mark.parametrize("library", MAKERS)
def test_errors_that_came_of_each_other_come_to_an_end(library: str) -> None:
    one, other = LookupError("one"), LookupError("other")
    one.__context__, other.__context__ = other, one

    def function(_: Any) -> Any:
        raise one

    for engine in (None, "own"):
        with pytest.raises(LookupError, match="one"):
            dimflow.grad(function, engine=engine)(MAKERS[library](2.0))
