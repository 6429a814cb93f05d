"""The reference is made from docstrings, so every public name has one."""

import importlib
import inspect
from collections.abc import Iterator
from types import FunctionType

import pytest

MODULES = ["dimflow.units", "dimflow.constants", "dimflow.errors", "dimflow.transforms"]


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
    for name, value in vars(cls).items():
        described = FunctionType | property | classmethod | staticmethod
        if not name.startswith("_") and isinstance(value, described):
            yield f"{cls.__name__}.{name}", value


@pytest.mark.parametrize("module_name", MODULES)
def test_every_public_name_has_a_docstring(module_name: str) -> None:
    found = dict(public(module_name))
    assert found
    assert [name for name, value in found.items() if not inspect.getdoc(value)] == []
