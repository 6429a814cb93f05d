"""A DimTensor as a node of PyTorch's trees: the raw tensor is its leaf, the unit is static.

So `torch.func.vmap` and other transforms of PyTorch see the numbers and keep the unit. A transform
that gives gradients in the place of its arguments would give them the unit of these: that is
noticed, and refused.
"""

import sys
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

import dimflow
from dimflow.array.core import Core
from dimflow.errors import UnitError
from dimflow.torch.tensor import DimTensor
from dimflow.units import Unit, decode, encode

_functorch: Any = torch._C._functorch
_new = object.__new__
_TREES = ("torch.utils._pytree", "torch.utils._cxx_pytree", __name__)
_MAPS = ("tree_map", "tree_map_with_path")
_TRANSFORMS = "torch._functorch.eager_transforms"
_FORWARD = ("_jvp_with_argnums", "jvp_fn")  # the second of `linearize`
_OF_JACFWD = "jacfwd.<locals>.wrapper_fn.<locals>.<genexpr>"  # `basis` is rebuilt outside of it
_LIBRARIES = (str(Path(torch.__file__).parents[1]), str(Path(dimflow.__file__).parent))


class Written:
    """How a leaf is written: its unit, and the level of a transform that differentiates by it."""

    __slots__ = ("level", "unit")

    def __init__(self, unit: Unit, level: int = 0) -> None:
        self.unit = unit
        self.level = level

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Written) and self.unit is other.unit

    def __hash__(self) -> int:
        return hash(self.unit)

    def __repr__(self) -> str:
        return f"Written({str(self.unit)!r})"


def _level(raw: Any) -> int:
    """The level at which a transform differentiates by this tensor; 0 if none does."""
    if not isinstance(raw, Tensor) or not _functorch.is_gradtrackingtensor(raw):
        return 0
    is_input = raw.requires_grad and raw.is_leaf
    return int(_functorch.maybe_get_level(raw)) if is_input else 0


def _flatten(array: DimTensor) -> tuple[list[Any], Written]:
    return [array._raw], Written(array._unit, _level(array._raw))


def _with_keys(array: DimTensor) -> tuple[list[Any], Written]:
    leaves, context = _flatten(array)
    return [(pytree.GetAttrKey("data"), leaves[0])], context


def _unflatten(leaves: Any, context: Written) -> DimTensor:
    (raw,) = leaves
    who = _who_relabels(sys._getframe(1), context)
    if who == "map":
        raise UnitError(
            "PyTorch's tree_map hands a function the numbers of quantities, and would call what it "
            "returns by their units",
            "let quantities be leaves: is_leaf=lambda x: isinstance(x, DimTensor)",
        )
    if isinstance(raw, Core) or who == "transform":
        problem = "PyTorch's transform would label a gradient with the unit of the argument"
        hint = "dimflow.torch.grad, vjp, jvp, jacrev and jacfwd know the units of derivatives"
        raise UnitError(problem, hint)
    array = _new(DimTensor)
    array._raw = raw
    array._unit = context.unit
    return array


def _who_relabels(frame: Any, context: Written) -> str | None:
    """Whether a transform puts gradients in the place of arguments, or a program maps over a tree.

    Nothing tells a gradient from another tensor, but who asks: the three functions of `torch.func`
    that do this, and its `jvp`, which takes the change of a point for a point. Where an argument of
    a transform is rebuilt otherwise, its unit stays.
    """
    is_map = False
    while frame is not None and frame.f_globals.get("__name__") in _TREES:
        is_map = is_map or frame.f_code.co_name in _MAPS
        frame = frame.f_back
    if frame is None:
        return None
    if frame.f_globals.get("__name__") == _TRANSFORMS:
        code = frame.f_code
        is_forward = context.unit.law is not None and code.co_name in (
            "_jvp_with_argnums",
            "jvp_fn",
        )
        is_backward = context.level > 0 and code.co_name in ("grad_and_value_impl", "wrapper")
        is_relabelled = is_forward or is_backward or code.co_qualname == _OF_JACFWD
        return "transform" if is_relabelled else None
    is_program = not frame.f_code.co_filename.startswith(_LIBRARIES)
    return "map" if is_map and is_program else None


def register() -> None:
    """Make DimTensor a node of PyTorch's trees."""
    pytree.register_pytree_node(
        DimTensor,
        _flatten,
        _unflatten,
        serialized_type_name="dimflow.torch.DimTensor",
        to_dumpable_context=lambda context: encode(context.unit),
        from_dumpable_context=lambda text: Written(decode(text)),
        flatten_with_keys_fn=_with_keys,
    )
