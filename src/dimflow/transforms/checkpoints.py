"""checkpoint: functions that run a second time on the way back, instead of being remembered."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from dimflow import autodiff
from dimflow.autodiff.checkpoints import POLICIES, Policy
from dimflow.errors import UnitError
from dimflow.transforms.calls import (
    Leaf,
    as_array,
    check_callable,
    put_together,
    taken_apart,
    with_units,
)
from dimflow.transforms.engines import library_of

Function = Callable[..., Any]


def checkpoint(function: Function | None = None, *, policy: Policy = None) -> Any:
    """The same function; of its calls a derivative keeps the arguments alone.

        @checkpoint
        def layer(x, w): ...

    On the way back it runs again, which costs time and saves memory. `policy` says which results
    within are kept all the same: None for none, "dots" for those of matrix products, solvers and
    convolutions, "everything", or a function from an op to a truth value (for our engine).

    The function must give the same again, so what it draws it draws by a seed. It may close over
    arrays, which get their gradients too. On JAX it is `jax.checkpoint`, in PyTorch's eager mode
    `torch.utils.checkpoint`. Under `torch.func`, which `dimflow.grad` uses on tensors, nothing is
    saved of a function that closes over tensors that are differentiated, and on MLX nothing at
    all unless `engine="own"` differentiates: there it runs as if this were not here.
    """
    if not callable(policy) and policy not in POLICIES:
        known = ", ".join(map(repr, POLICIES))
        problem = f"checkpoint was given policy={policy!r}"
        raise UnitError(problem, f"a policy is {known}, or a function of an op")
    if function is None:
        return lambda function: checkpoint(function, policy=policy)
    check_callable("checkpoint", function)

    @wraps(function)
    def checkpointed(*args: Any, **kwargs: Any) -> Any:
        return _called(function, policy, args, kwargs)

    return checkpointed


def _called(function: Function, policy: Policy, args: Any, kwargs: Any) -> Any:
    name = getattr(function, "__name__", "checkpoint")
    leaves, structure = taken_apart(name, (args, kwargs), keep=True)
    library = library_of((args, kwargs))
    made: list[tuple[list[Leaf], Any]] = []

    def run(*raws: Any) -> tuple[Any, ...]:
        full, named = put_together(structure, with_units(raws, leaves))
        made[:] = [taken_apart(name, function(*full, **named), keep=True)]
        return tuple(as_array(leaf.raw, library) for leaf in made[0][0])

    outs = autodiff.checkpoint(run, tuple(leaf.raw for leaf in leaves), policy)
    found, form = made[0]
    return put_together(form, with_units(outs, found))
