"""Norms of matrices."""

from typing import Any

from dimflow import ops


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """By definition: singular values then come with a derivative."""
    return ops.matrix_norm.rule("definition")(x, keepdims=keepdims, ord=ord)
