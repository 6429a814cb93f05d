"""A parameter has one default: in the op's record, its definition, every kernel, and at the hosts.

The interpreter passes all parameters, so another default in a kernel would be seen by nobody until
somebody calls it alone; and a method whose default is not NumPy's is a silent wrong answer.
"""

import inspect
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import dask.array as da
import numpy as np
import pytest

import dimflow
import dimflow.dask
import dimflow.random
from dimflow import DimArray, ops
from dimflow.array import factories
from dimflow.backends import backend
from dimflow.dask import DaskDimArray

LIBRARIES = ("numpy", "torch", "jax", "mlx", "dask")
_NONE = inspect.Parameter.empty

# One function for two axes and for all: the record says which.
KERNELS = {("torch", name) for name in ("fft2", "ifft2", "rfft2", "irfft2")}
# Where ours is another default than the host's, and why.
OTHERWISE = {
    ("isclose", "atol"): "a number has no unit; None is NumPy's, for pure numbers",
    ("unwrap", "period"): "a turn, in whatever unit of angle",
    ("sort", "stable"): "ours are stable everywhere",
    ("argsort", "stable"): "ours are stable everywhere",
    ("expand_dims", "axis"): "the standard's",
    ("visualize", "filename"): "a name is chosen later",
    ("arange", "step"): "no step brings no unit",
    ("from_delayed", "dtype"): "fractions, as everywhere",
    ("map_blocks", "enforce_ndim"): "shapes are always held to what is declared",
}


def parameters(function: Any) -> dict[str, inspect.Parameter]:
    """Those of a function; none of what is written in C and does not say."""
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return {}


def kernels(library: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, op in ops.TABLE.items():
        kernel = backend(library).own_kernel(op)
        if isinstance(kernel, FunctionType) and (library, name) not in KERNELS:
            yield name, kernel


def assert_of_the_record(name: str, function: Any) -> int:
    """Defaults of a function with the op's signature are those of the record; their number."""
    own = ops.get(name).signature.parameters
    count = 0
    for p in parameters(function).values():
        if p.default is not _NONE:
            assert p.name in own, f"{name}: {p.name}= is no parameter of the op"
            assert own[p.name].default == p.default, f"{name}: {p.name}={p.default!r}"
            assert type(own[p.name].default) is type(p.default), f"{name}: {p.name}={p.default!r}"
            count += 1
    return count


@pytest.mark.parametrize("library", LIBRARIES)
def test_kernels_have_the_defaults_of_the_record(library: str) -> None:
    counts = [assert_of_the_record(name, kernel) for name, kernel in kernels(library)]
    assert sum(counts) > 20


def test_definitions_have_the_defaults_of_the_record() -> None:
    counts = [
        assert_of_the_record(name, op.definition)
        for name, op in ops.TABLE.items()
        if op.definition is not None
    ]
    assert sum(counts) > 300


def host_function(name: str | None) -> Any:
    found: Any = np
    for part in (name or "-").split("."):
        found = getattr(found, part, None)
    return found


def pairs() -> Iterator[tuple[str, str, Any, Any]]:
    """Host, name, our function, theirs."""
    for name, op in ops.TABLE.items():
        yield "table", name, op, host_function(op.hosts.numpy)
    for name in dir(np):
        if name[0] != "_" and callable(getattr(DimArray, name, None)):
            yield "methods", name, getattr(DimArray, name), getattr(np, name)
        if name in factories.__all__:
            yield "factories", name, getattr(dimflow, name), getattr(np, name)
    for name in dir(np.random.Generator):
        if name[0] != "_" and hasattr(dimflow.random.Generator, name):
            ours = getattr(dimflow.random.Generator, name)
            yield "random", name, ours, getattr(np.random.Generator, name)
    for name in dir(da.Array):
        if name[0] != "_" and callable(getattr(DaskDimArray, name, None)):
            yield "dask", name, getattr(DaskDimArray, name), getattr(da.Array, name)
    for name in dimflow.dask.__all__:
        if callable(getattr(da, name, None)):
            yield "dask functions", name, getattr(dimflow.dask, name), getattr(da, name)


@pytest.mark.parametrize(
    "host", ["table", "methods", "factories", "random", "dask", "dask functions"]
)
def test_defaults_are_those_of_the_host(host: str) -> None:
    count = 0
    for where, name, ours, theirs in pairs():
        if where != host:
            continue
        own = ours.signature.parameters if isinstance(ours, ops.Op) else parameters(ours)
        others = parameters(theirs)
        for p in own.values():
            wanted = others[p.name].default if p.name in others else _NONE
            is_said = wanted not in (_NONE, np._NoValue) if not hasattr(wanted, "shape") else False
            if p.name == "dtype" and None in (p.default, wanted):
                continue  # None: the library's usual one
            if p.default is _NONE or not is_said or (name, p.name) in OTHERWISE:
                continue
            assert p.default == wanted, f"{name}: {p.name}={p.default!r}, not {wanted!r}"
            assert type(p.default) is type(wanted), f"{name}: {p.name}={p.default!r}"
            count += 1
    assert count > 15


# What NumPy leaves to a sentinel, or to code in C.
USUAL = {
    "keepdims": (False,),
    "axis1": (0, -2),
    "axis2": (1, -1),
    "offset": (0,),
    "ddof": (0, 1),
    "side": ("left",),
    "order": ("C", "K", None),
    "dtype": (None, float, np.int64, np.float64),
    "out": (None,),
    "where": (None,),
    "initial": (None,),
    "unit": (None,),
    "backend": (None,),
    "device": (None,),
}


def test_words_that_everybody_knows_have_one_default() -> None:
    functions = [
        (name, getattr(host, name))
        for host in (DimArray, DaskDimArray, dimflow.random.Generator)
        for name in dir(host)
        if name[0] != "_" and callable(getattr(host, name))
    ]
    functions += [(name, getattr(dimflow, name)) for name in factories.__all__]
    for name, function in functions:
        for p in parameters(function).values():
            if p.name in USUAL and p.default is not _NONE:
                assert p.default in USUAL[p.name], f"{name}: {p.name}={p.default!r}"
                assert type(p.default) in map(type, USUAL[p.name]), f"{name}: {p.name}"
