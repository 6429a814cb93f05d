"""The parts of JAX that it does not promise to keep, and whether this JAX has them.

JAX tells nobody that the structure it fills is that of a derivative. Who asks can be read from the
names of its own functions, which may change with any release: then it has to be said.
"""

from functools import partial
from inspect import iscode, unwrap
from typing import Any

import jax
from jax._src import api, array, custom_derivatives

ARRAY: Any = getattr(array, "ArrayImpl", None)  # the class of arrays that are no tracers
UNFLATTEN: Any = getattr(jax.tree_util.tree_unflatten, "__code__", None)

# Our knowledge of a function: where it stands, and the names in it that are read.
_FUNCTIONS: dict[str, tuple[str, ...]] = {
    "_vjp3_bwd": ("out_tree",),
    "_jacfwd_unravel": (),
    "_unravel_array_into_pytree": (),
    "transposed_fun": ("out_tree",),
    "_flatten_bwd": ("py_res",),
    "_flatten_jvp": ("py_primals", "py_tangents", "out_tree"),
}
_AROUND = {"transposed_fun": "linear_transpose"}  # what stands inside another function
_PLACES = dict.fromkeys(
    ("_flatten_bwd", "_flatten_jvp"), custom_derivatives
)  # the others stand in `api`


def missing() -> list[str]:
    """The names that units of plain derivatives rest on and this JAX does not have."""
    found = [name for name, read in _FUNCTIONS.items() if not _is_known(name, read)]
    return found if UNFLATTEN is not None else ["tree_unflatten", *found]


def _is_known(name: str, read: tuple[str, ...]) -> bool:
    code = _code(name)
    if code is None or code.co_name != name:
        return False
    return {*read} <= {*code.co_varnames, *code.co_freevars}


def _code(name: str) -> Any:
    outer = getattr(_PLACES.get(name, api), _AROUND.get(name, name), None)
    if isinstance(outer, partial):  # of a decorator that JAX wraps its own functions in
        (outer,) = outer.args
    code = getattr(unwrap(outer), "__code__", None) if callable(outer) else None
    if code is None or name not in _AROUND:
        return code
    return next((c for c in code.co_consts if iscode(c) and c.co_name == name), None)
