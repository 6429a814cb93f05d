"""PyTorch's functions in terms of ours: name of an OpInfo record -> function of its signature.

A name is that of the record, with its variant after a slash: "max/binary".
"""

from collections.abc import Callable
from typing import Any

from dimflow import ops

Adapter = Callable[..., Any]
ADAPTERS: dict[str, Adapter] = {}


def adapts(*names: str) -> Callable[[Adapter], Adapter]:
    """Enter a function under names of PyTorch."""

    def enter(function: Adapter) -> Adapter:
        for name in names:
            if name in ADAPTERS:
                raise ValueError(f"there are two adapters for {name!r}")
            ADAPTERS[name] = function
        return function

    return enter


def direct(op_name: str) -> Adapter:
    """An op that takes PyTorch's arrays by position, and no parameters."""
    op = ops.get(op_name)

    def call(*arrays: Any) -> Any:
        return op(*arrays)

    return call


def enter_direct(pairs: dict[str, str]) -> None:
    """Enter ops that are called as PyTorch's functions are."""
    for name, op_name in pairs.items():
        adapts(name)(direct(op_name))
