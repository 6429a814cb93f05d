"""The reference is made from docstrings, so every public name has one."""

import importlib
import inspect
from collections.abc import Iterator
from types import FunctionType

import pytest

from dimflow import ops
from dimflow.ops import Op

MODULES = [
    "dimflow",
    "dimflow.array",
    "dimflow.array.display",
    "dimflow.array.factories",
    "dimflow.array.persistence",
    "dimflow.backends",
    "dimflow.constants",
    "dimflow.dask",
    "dimflow.dask",
    "dimflow.errors",
    "dimflow.io",
    "dimflow.ops",
    "dimflow.ops.domain",
    "dimflow.ops.rules.batching",
    "dimflow.ops.rules.derivatives",
    "dimflow.ops.rules.points",
    "dimflow.ops.rules.units",
    "dimflow.ops.table",
    "dimflow.plotting",
    "dimflow.random",
    "dimflow.testing",
    "dimflow.transforms.location",
    "dimflow.transforms.spec",
    "dimflow.units",
]


def public(module_name: str) -> Iterator[tuple[str, object]]:
    """The public classes and functions of a module, and the public members of those classes."""
    module = importlib.import_module(module_name)
    for name in getattr(module, "__all__", vars(module)):
        value = getattr(module, name)
        if name.startswith("_") or not isinstance(value, type | FunctionType):
            continue
        if value.__module__.startswith("dimflow."):
            yield name, value
            if isinstance(value, type):
                yield from members(value)


def members(cls: type) -> Iterator[tuple[str, object]]:
    """Those of the class itself and of the parts of dimflow that it is put together from."""
    described = FunctionType | property | classmethod | staticmethod
    for part in cls.__mro__:
        for name, value in vars(part).items() if part.__module__.startswith("dimflow.") else ():
            if not name.startswith("_") and isinstance(value, described):
                yield f"{cls.__name__}.{name}", value


@pytest.mark.parametrize("module_name", MODULES)
def test_every_public_name_has_a_docstring(module_name: str) -> None:
    found = dict(public(module_name))
    assert found
    assert [name for name, value in found.items() if not has_docstring(value)] == []


def has_docstring(value: object) -> bool:
    """Whether it says what it is; an `Op` tells its instances' own."""
    return bool(inspect.getdoc(value) or value is Op)


def test_every_op_has_a_docstring() -> None:
    assert ops.TABLE
    assert [op.name for op in ops.TABLE.values() if not inspect.getdoc(op)] == []
