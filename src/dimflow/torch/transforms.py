"""`torch.func` with units: gradients in [output] / [input], of functions of DimTensors.

Each does what its namesake in `torch.func` does; `grad`, `vjp` and `jvp` are dimflow's own, for
every library. `torch.func.vmap` needs no other: it takes DimTensors as it is.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch.utils import _pytree as pytree

from dimflow.array.core import Core
from dimflow.array.dimarray import wrap
from dimflow.backends.torch_kernels.reads import refusing_reads
from dimflow.errors import UnitError
from dimflow.torch.gradients import raw_of, unit_of
from dimflow.transforms import derivatives
from dimflow.units import Unit

Function = Callable[..., Any]

vjp = derivatives.vjp
jvp = derivatives.jvp


def grad(func: Function, argnums: Any = 0, has_aux: bool = False) -> Function:
    """As `torch.func.grad`: the gradient of a function of DimTensors, in [output] / [input]."""
    return derivatives.grad(func, argnums, has_aux=has_aux)


def grad_and_value(func: Function, argnums: Any = 0, has_aux: bool = False) -> Function:
    """As `torch.func.grad_and_value`: the gradient in [output] / [input], and the value."""
    both = derivatives.value_and_grad(func, argnums, has_aux=has_aux)

    def run(*args: Any, **kwargs: Any) -> Any:
        value, gradient = both(*args, **kwargs)
        return gradient, value

    return run


def _is_array(value: Any) -> bool:
    return isinstance(value, Core)


def _taken_apart(tree: Any) -> tuple[list[Any], list[Unit], Any]:
    """The raw tensors in containers, the units of their differences, and the containers."""
    leaves, spec = pytree.tree_flatten(tree, is_leaf=_is_array)
    return [raw_of(leaf) for leaf in leaves], [unit_of(leaf) for leaf in leaves], spec


def _chosen(args: tuple[Any, ...], argnums: Any) -> Any:
    return args[argnums] if isinstance(argnums, int) else tuple(args[i] for i in argnums)


class _Recorded:
    """A function of raw tensors that runs one of quantities, and keeps what its results are."""

    def __init__(self, function: Function, args: Any, kwargs: Any, has_aux: bool) -> None:
        self.function, self.kwargs, self.has_aux = function, kwargs, has_aux
        leaves, self.inputs = pytree.tree_flatten(args, is_leaf=_is_array)
        self.given = [leaf._unit if _is_array(leaf) else None for leaf in leaves]
        self.units: list[Unit] = []
        self.outputs: Any = None

    def __call__(self, *raws: Any) -> Any:
        pairs = zip(self.inputs.flatten_up_to(raws), self.given, strict=True)
        leaves = [v if u is None else wrap(v, u) for v, u in pairs]
        args = pytree.tree_unflatten(leaves, self.inputs)
        with refusing_reads():
            result = self.function(*args, **self.kwargs)
        result, aux = result if self.has_aux else (result, None)
        raw, self.units, self.outputs = _taken_apart(result)
        raws = pytree.tree_unflatten(raw, self.outputs)
        return (raws, aux) if self.has_aux else raws


def _over(raws: Any, output: Unit, inputs: list[Unit]) -> Any:
    """Raw derivatives by several inputs, each in [output] / [input]."""
    leaves, spec = pytree.tree_flatten(raws)
    pairs = zip(leaves, inputs, strict=True)
    return pytree.tree_unflatten([wrap(raw, output / unit) for raw, unit in pairs], spec)


def _jacobian(transform: Function) -> Function:
    def make(
        func: Function, argnums: Any = 0, *, has_aux: bool = False, **options: Any
    ) -> Function:
        def run(*args: Any, **kwargs: Any) -> Any:
            raws, _, spec = _taken_apart(args)
            recorded = _Recorded(func, args, kwargs, has_aux)
            derivative = transform(recorded, argnums, has_aux=has_aux, **options)
            found = derivative(*pytree.tree_unflatten(raws, spec))
            found, aux = found if has_aux else (found, None)
            _, inputs, _ = _taken_apart(_chosen(args, argnums))
            parts = zip(recorded.outputs.flatten_up_to(found), recorded.units, strict=True)
            made = [_over(part, unit, inputs) for part, unit in parts]
            jacobian = pytree.tree_unflatten(made, recorded.outputs)
            return (jacobian, aux) if has_aux else jacobian

        return run

    return make


jacrev = _jacobian(torch.func.jacrev)
jacrev.__doc__ = "As `torch.func.jacrev`: the Jacobian in [output] / [input], in reverse mode."
jacfwd = _jacobian(torch.func.jacfwd)
jacfwd.__doc__ = "As `torch.func.jacfwd`: the Jacobian in [output] / [input], in forward mode."


def hessian(func: Function, argnums: int = 0) -> Function:
    """As `torch.func.hessian`: second derivatives by one argument, in [output] / [input]²."""
    if not isinstance(argnums, int):
        raise UnitError("hessian differentiates by one argument", "hessian(f, argnums=0)")
    found: Function = jacfwd(jacrev(func, argnums), argnums)
    return found


def functional_call(module: Any, parameters: Any, args: Any = None, kwargs: Any = None) -> Any:
    """As `torch.func.functional_call`: quantities are converted into the module's own units."""
    return torch.func.functional_call(module, parameters, args, kwargs)
