"""Products by MLX's own einsum, which knows no integers."""

from typing import Any

import mlx.core as mx

from dimflow import ops


def einsum(subscripts: str, *operands: Any) -> Any:
    """MLX's function where it has a matrix product for the dtype."""
    dtype = mx.result_type(*operands)
    plain = "." not in subscripts and not any(_repeats(part) for part in _terms(subscripts))
    if plain and mx.issubdtype(dtype, mx.inexact):
        return mx.einsum(subscripts.replace(" ", ""), *(x.astype(dtype) for x in operands))
    return ops.einsum.rule("definition")(subscripts, *operands)


def _terms(subscripts: str) -> list[str]:
    return subscripts.partition("->")[0].replace(" ", "").split(",")


def _repeats(term: str) -> bool:
    """Whether a letter stands twice: a diagonal."""
    return len(set(term)) < len(term)
