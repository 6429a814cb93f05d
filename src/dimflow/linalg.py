"""Linear algebra with units: `dimflow.linalg.solve(a, b)` is in [b]/[a].

What the array API has both here and elsewhere (`matmul`, `trace`, `cross`) is in its form here:
`linalg.trace` sums the diagonals of the last two axes, `dimflow.trace` those of the first two.
"""

from typing import Any

from dimflow.ops.namespace import module as _module
from dimflow.xp import forms as _forms

_ops, _op, _ = _module("linalg")
_shared = _forms.names("linalg").difference(_ops)

__all__ = sorted({*_ops, *_shared})


def __getattr__(name: str) -> Any:
    return _forms.form("linalg", name) if name in _shared else _op(name)


def __dir__() -> list[str]:
    return __all__
